//! Rules of linking, within stages and between them.

pub(crate) mod interface;
pub(crate) mod limits;
pub(crate) mod locations;
pub(crate) mod names;
pub(crate) mod separate;
