//! The answer of a compiler.

use vocabulary::Phase;

/// The answer of a compiler to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The program is accepted; the phase is the last one that it went through.
    Accepted(Phase),
    /// The program is refused in a phase, with the compiler's message.
    Refused(Phase, String),
    /// Nothing can be told: what the test adds to the program is refused.
    Broken(Phase, String),
}
