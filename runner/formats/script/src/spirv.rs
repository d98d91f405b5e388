//! Specialization sections.

use crate::error::{ErrorKind, Fault};
use crate::numbers::{float32, unsigned32};
use crate::text::{Lines, skip_space, trim_end, word};

/// One specialization constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Specialization {
    /// Constant id.
    pub id: u32,
    /// The value's 32 bits, of a float or an integer.
    pub bits: u32,
}

pub(crate) fn specializations(body: &[u8]) -> Result<Vec<Specialization>, Fault<'_>> {
    let mut constants = Vec::new();
    for (_, line) in Lines::new(body, 0) {
        let line = trim_end(skip_space(line));
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        constants.push(specialization(line).ok_or_else(|| {
            Fault::new(ErrorKind::Section, line, "expected `uint ID VALUE` or `float ID VALUE`")
        })?);
    }
    Ok(constants)
}

fn specialization(line: &[u8]) -> Option<Specialization> {
    let (rest, kind) = word(line).ok()?;
    let (rest, id) = unsigned32(rest).ok()?;
    let bits = match kind {
        "uint" => unsigned32(rest).ok()?.1,
        "float" => float32(rest).ok()?.1.value.to_bits(),
        _ => return None,
    };
    Some(Specialization { id, bits })
}
