//! Works of tests.

use std::path::PathBuf;

use crate::program::Program;

/// Work of a test: the files or the program that it executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Files with a kind of their own, relative to piglit's folder.
    Files(Vec<PathBuf>),
    /// A program.
    Program(Program),
    /// A test of a class that is not supported.
    Unsupported(String),
}
