//! Calls: overload resolution, constructors, built-in functions with rules of their own.

pub(crate) mod atomic;
pub(crate) mod call;
pub(crate) mod construct;
pub(crate) mod convert;
pub(crate) mod image;
pub(crate) mod texture;
