//! ARB_vertex_program and ARB_fragment_program text into GLSL text.
//!
//! Assembly programs mean nothing that GLSL cannot say, so they become compatibility-profile GLSL: the rules for
//! types, linking and execution are then those of the front end, once. [`translate`] is the whole interface. The
//! grammar is that of the extension specifications (ARB_vertex_program and ARB_fragment_program, section 2.14.2
//! and 3.11.2), with the options for position invariance, fog, shadow samplers, draw buffers and fragment
//! coordinate conventions.

#![forbid(unsafe_code)]

mod binding;
mod emit;
mod instruction;
mod lexer;
mod parse;
#[cfg(test)]
mod tests;

use thiserror::Error;

/// What kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `!!ARBvp1.0`
    Vertex,
    /// `!!ARBfp1.0`
    Fragment,
}

impl Target {
    /// Uniform array with the environment parameters.
    #[must_use]
    pub fn environment(self) -> &'static str {
        match self {
            Target::Vertex => "arb_vertex_env",
            Target::Fragment => "arb_fragment_env",
        }
    }

    /// Uniform array with the local parameters.
    #[must_use]
    pub fn local(self) -> &'static str {
        match self {
            Target::Vertex => "arb_vertex_local",
            Target::Fragment => "arb_fragment_local",
        }
    }

    fn header(self) -> &'static str {
        match self {
            Target::Vertex => "!!ARBvp1.0",
            Target::Fragment => "!!ARBfp1.0",
        }
    }
}

/// Why a program does not load.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Error {
    /// Line of the program text, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
}

/// Most environment or local parameters that a program may name: as many locals as Mesa has.
pub const MAX_PARAMETERS: u32 = 4096;

/// Translates an assembly program to GLSL.
///
/// # Errors
/// The first thing in the text that the grammar does not allow, with its place.
pub fn translate(text: &str, target: Target) -> Result<String, Error> {
    let program = parse::program(text, target)?;
    Ok(emit::glsl(&program, target))
}
