//! Bytes that are not UTF-8 are allowed in comments only.

use crate::error::{ErrorKind, Fault};
use crate::text::split_line;

/// Checks lines in which `#` starts a comment.
pub(crate) fn check_lines(mut text: &[u8]) -> Result<(), Fault<'_>> {
    while !text.is_empty() {
        let (line, rest) = split_line(text);
        let comment = line.iter().position(|&b| b == b'#').unwrap_or(line.len());
        check(&line[..comment])?;
        text = rest.unwrap_or_default();
    }
    Ok(())
}

/// Checks text without comments.
pub(crate) fn check(text: &[u8]) -> Result<(), Fault<'_>> {
    let Err(error) = std::str::from_utf8(text) else { return Ok(()) };
    let at = error.valid_up_to();
    let byte = text.get(at).copied().unwrap_or_default();
    let message = format!("invalid UTF-8: byte 0x{byte:02X} outside comments");
    Err(Fault::new(ErrorKind::Encoding, text.get(at..=at).unwrap_or_default(), message))
}
