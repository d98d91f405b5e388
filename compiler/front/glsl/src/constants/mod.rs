//! Values of constant expressions, and functions and operators on them.

pub(crate) mod integer;
pub(crate) mod pack;
pub(crate) mod value;
pub(crate) mod vector;
