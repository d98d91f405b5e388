//! Qualifiers: collection, targets, precision.

pub(crate) mod layout;
pub(crate) mod layout_target;
pub(crate) mod precision;
pub(crate) mod qualifier;
