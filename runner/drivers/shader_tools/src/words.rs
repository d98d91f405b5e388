//! Words of modules, and their bytes.

use crate::ToolError;

/// First word of a module.
const MAGIC: u32 = 0x0723_0203;

/// Refuses words that no driver can read.
pub(crate) fn check(words: &[u32]) -> Result<(), ToolError> {
    let refused = |text: &str| Err(ToolError::Refused(text.to_owned()));
    match words {
        [MAGIC, _, _, _, _, ..] => Ok(()),
        [MAGIC, ..] => refused("the module ends in its header"),
        [] => refused("the module is empty"),
        [first, ..] => refused(&format!("the module begins with {first:#010x}, not {MAGIC:#010x}")),
    }
}

pub(crate) fn words_of(bytes: &[u8]) -> Result<Vec<u32>, ToolError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ToolError::Refused(format!(
            "a module of {} bytes has no whole words",
            bytes.len()
        )));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

pub(crate) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
