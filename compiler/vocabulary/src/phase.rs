//! Phases of a test's life.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A phase of a test's life, in their order; a failure names the first phase that broke.
///
/// Results files call it `layer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Reading and parsing the test file.
    Script,
    /// Checking the test's requirements.
    Require,
    /// Compiling GLSL to the typed program.
    Frontend,
    /// Linking the program.
    Link,
    /// Constructing the IR and running its passes.
    Ir,
    /// Selecting instructions.
    Lower,
    /// Allocating registers.
    Allocate,
    /// Encoding instructions.
    Encode,
    /// Checking the binary against the rules of the hardware.
    Validate,
    /// Executing the binary.
    Simulate,
    /// Judging a probe that the interpreter fails, too.
    Probe,
    /// Comparing simulator and interpreter.
    Mismatch,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Phase; 12] = [
        Phase::Script,
        Phase::Require,
        Phase::Frontend,
        Phase::Link,
        Phase::Ir,
        Phase::Lower,
        Phase::Allocate,
        Phase::Encode,
        Phase::Validate,
        Phase::Simulate,
        Phase::Probe,
        Phase::Mismatch,
    ];

    /// Returns the name in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Script => "script",
            Phase::Require => "require",
            Phase::Frontend => "frontend",
            Phase::Link => "link",
            Phase::Ir => "ir",
            Phase::Lower => "lower",
            Phase::Allocate => "allocate",
            Phase::Encode => "encode",
            Phase::Validate => "validate",
            Phase::Simulate => "simulate",
            Phase::Probe => "probe",
            Phase::Mismatch => "mismatch",
        }
    }

    /// Returns the phase with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
