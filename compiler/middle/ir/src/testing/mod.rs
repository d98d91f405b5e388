//! Random inputs of tests.

pub(crate) mod numbers;
pub(crate) mod shaders;
