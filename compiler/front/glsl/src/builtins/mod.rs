//! Built-in constants, variables and functions, as data.

pub(crate) mod constants;
pub(crate) mod signature;
pub(crate) mod signatures;
#[cfg(test)]
mod tests;
pub(crate) mod texture_names;
pub(crate) mod variables;
