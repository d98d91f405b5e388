//! The parser of VkScript.

mod buffers;
mod commands;
mod draw;
mod probe;
mod properties;
mod reader;
mod recognize;
mod require;
mod sections;
mod vertex_data;

pub(crate) use recognize::is_script;

use crate::model::Script;
use crate::rules::Rules;
use crate::text::{Lines, Step};

/// Parses a text of VkScript.
pub(crate) fn parse(text: &str, lines: &Lines, rules: Rules) -> Step<Script> {
    let sections = sections::split(text)?;
    let mut reader = reader::Reader::new(text, lines, rules);
    reader.requirements(&sections)?;
    reader.shaders(&sections)?;
    reader.tables(&sections)?;
    reader.tests(&sections)?;
    reader.finish()
}
