//! Mode of a run: what is done with the files.

/// Mode of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Tests are executed.
    Execute,
    /// Shaders are compiled (`--compile-only`).
    Compile,
}
