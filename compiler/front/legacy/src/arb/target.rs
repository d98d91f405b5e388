//! The two program targets and their limits.

/// Target of a program: the fixed-function unit that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramTarget {
    /// `!!ARBvp1.0`
    Vertex,
    /// `!!ARBfp1.0`
    Fragment,
}

impl ProgramTarget {
    /// Uniform array with the environment parameters.
    #[must_use]
    pub fn environment(self) -> &'static str {
        match self {
            ProgramTarget::Vertex => "arb_vertex_env",
            ProgramTarget::Fragment => "arb_fragment_env",
        }
    }

    /// Uniform array with the local parameters.
    #[must_use]
    pub fn local(self) -> &'static str {
        match self {
            ProgramTarget::Vertex => "arb_vertex_local",
            ProgramTarget::Fragment => "arb_fragment_local",
        }
    }

    /// First word of the program text.
    pub(crate) fn header(self) -> &'static str {
        match self {
            ProgramTarget::Vertex => "!!ARBvp1.0",
            ProgramTarget::Fragment => "!!ARBfp1.0",
        }
    }
}

/// Maximum number of environment or local parameters; Mesa has as many locals.
pub const MAX_PARAMETERS: u32 = 4096;
