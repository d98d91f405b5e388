//! `[geometry layout]`: parameters for `GL_ARB_geometry_shader4` programs.

use crate::commands::Primitive;
use crate::error::{ErrorKind, Fault};
use crate::numbers::scan_signed;
use crate::scan::{Captures, scan};
use crate::text::{Lines, skip_space, trim_end};

/// Program parameters that are set before linking when they differ from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeometryLayout {
    /// `input type`, triangles by default.
    pub input: Primitive,
    /// `output type`, triangle strip by default.
    pub output: Primitive,
    /// `vertices out`, 0 by default.
    pub vertices_out: u32,
}

impl Default for GeometryLayout {
    fn default() -> Self {
        GeometryLayout {
            input: Primitive::Triangles,
            output: Primitive::TriangleStrip,
            vertices_out: 0,
        }
    }
}

pub(crate) fn parse(body: &[u8]) -> Result<GeometryLayout, Fault<'_>> {
    let mut layout = GeometryLayout::default();
    for (_, line) in Lines::new(body, 0) {
        let line = trim_end(skip_space(line));
        let mut captures = Captures::new();
        let mut primitive = |pattern| {
            if !scan(pattern, line, &mut captures) {
                return Ok(None);
            }
            let name = captures.word(0);
            match Primitive::from_enum(name) {
                Some(primitive) => Ok(Some(primitive)),
                None => Err(Fault::new(
                    ErrorKind::Section,
                    name.as_bytes(),
                    "expected a primitive kind",
                )),
            }
        };
        if line.is_empty() {
            continue;
        }
        if let Some(input) = primitive("input type W31")? {
            layout.input = input;
        } else if let Some(output) = primitive("output type W31")? {
            layout.output = output;
        } else if scan("vertices out D", line, &mut captures) {
            let count = scan_signed(captures.text(0)).map_or(0, |(_, value)| value);
            layout.vertices_out = u32::try_from(count).map_err(|_| {
                Fault::new(ErrorKind::Range, line, "number of vertices out of range")
            })?;
        } else {
            let message = "expected `input type`, `output type` or `vertices out`";
            return Err(Fault::new(ErrorKind::Section, line, message));
        }
    }
    Ok(layout)
}
