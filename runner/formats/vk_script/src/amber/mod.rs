//! The parser of AmberScript.

mod bind;
mod buffer;
mod expect;
mod image;
mod parser;
mod pipeline;
mod ray_tracing;
mod requirement;
mod run;
mod sampler;
mod shader;
mod state;
mod structure;

pub(crate) use expect::{FLOAT_TOLERANCE, TEXEL_TOLERANCE, literals, tolerance_list};
pub(crate) use run::topology_named;

use crate::files::ReadFile;
use crate::model::Script;
use crate::text::{Lines, Step};

/// Parses a text of AmberScript.
pub(crate) fn parse(text: &str, lines: &Lines, read_file: ReadFile<'_>) -> Step<Script> {
    let mut parser = parser::Parser::new(text, lines, read_file);
    parser.script()?;
    parser.finish()
}
