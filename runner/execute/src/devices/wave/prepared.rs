//! Compiled programs, ready to run.

use compiler::amd::Output;
use wave::Program;

/// A compiled and decoded program.
pub(super) struct Prepared {
    pub output: Output,
    pub program: Program,
}
