//! ARB_vertex_program and ARB_fragment_program text as GLSL text.
//!
//! Everything that an assembly program can express exists in compatibility-profile GLSL, so
//! [`translate`] writes GLSL. The grammar is that of the extension specifications
//! (ARB_vertex_program, section 2.14.2; ARB_fragment_program, section 3.11.2), with the options for
//! position invariance, fog, shadow samplers, draw buffers and fragment coordinate conventions.

mod binding;
mod emit;
mod error;
mod instruction;
mod lexer;
mod parse;
mod target;
#[cfg(test)]
mod tests;

pub use error::Error;
pub use target::{MAX_PARAMETERS, ProgramTarget};

/// Translates an assembly program to GLSL.
///
/// # Errors
/// The first violation of the grammar, with its position.
pub fn translate(text: &str, target: ProgramTarget) -> Result<String, Error> {
    let program = parse::program(text, target)?;
    Ok(emit::glsl(&program, target))
}
