//! Errors of the back end.

pub use ir::CompileError;
