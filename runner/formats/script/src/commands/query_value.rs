//! Expected values of introspection.

use super::arguments::Arguments;
use crate::enums::GlEnum;
use crate::error::{ErrorKind, Fault};

/// A number, or a name with a numeric value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryValue {
    /// An integer; `GL_TRUE` and `GL_FALSE` are 1 and 0.
    Integer(i32),
    /// A data type, primitive kind or capture mode.
    Name(GlEnum),
}

/// An integer base 0, `GL_TRUE`, `GL_FALSE`, or one of the command's names.
pub(super) fn value<'a>(
    arguments: &mut Arguments<'a, '_>,
    lookup: impl FnOnce(&str) -> Option<GlEnum>,
) -> Result<QueryValue, Fault<'a>> {
    if let Some(number) = arguments.optional_signed() {
        return Ok(QueryValue::Integer(number));
    }
    let name = arguments.word("a value")?;
    match name {
        "GL_TRUE" => Ok(QueryValue::Integer(1)),
        "GL_FALSE" => Ok(QueryValue::Integer(0)),
        _ => match lookup(name) {
            Some(name) => Ok(QueryValue::Name(name)),
            None => {
                Err(arguments.at(name, ErrorKind::Arguments, "neither a number nor a known value"))
            }
        },
    }
}
