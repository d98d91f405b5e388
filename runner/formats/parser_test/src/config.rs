//! The `[config]` block: keys and values in the lines of a comment.

use std::ops::Range;

use crate::error::ParseError;

/// Marks of a comment with which a line of the block begins.
const MARKS: [&[u8]; 3] = [b"//", b"/*", b"*"];

/// Keys of a block.
const KEYS: [&str; 6] = [
    "expect_result",
    "glsl_version",
    "require_extensions",
    "check_link",
    "dummy_shader_include",
    "shader_include_path",
];

/// A value, at its place in the file.
pub(crate) type Value<'a> = &'a [u8];

/// The block of a file.
#[derive(Debug, Default)]
pub(crate) struct Config<'a> {
    entries: Vec<(&'static str, Value<'a>)>,
    /// Bytes of the block, from its first to its last line.
    pub(crate) range: Range<usize>,
    /// The first line, for errors.
    header: &'a [u8],
}

impl<'a> Config<'a> {
    /// Returns the block of a file.
    ///
    /// # Errors
    /// Fails if there is none, and if it is malformed.
    pub(crate) fn parse(file: &'a [u8]) -> Result<Config<'a>, ParseError> {
        let mut lines = lines(file);
        let Some((start, header)) = lines.find(|(_, line)| is_header(line, b"[config]")) else {
            return Err(ParseError::new(file, &file[..0], "the file has no [config] block"));
        };
        let mut config = Config { header, ..Config::default() };
        for (offset, line) in lines {
            if is_header(line, b"[end config]") {
                config.range = start..offset + line.len();
                return Ok(config);
            }
            if !line.is_empty() && line != b"//" && line != b"*" {
                config.entry(file, line)?;
            }
        }
        Err(ParseError::new(file, header, "the block has no [end config]"))
    }

    fn entry(&mut self, file: &'a [u8], line: &'a [u8]) -> Result<(), ParseError> {
        let error = |at, message: &str| Err(ParseError::new(file, at, message));
        let Some((word, value)) = key_and_value(line) else {
            return error(line, "a line of a [config] block has the form `// key: value`");
        };
        let Some(key) = KEYS.into_iter().find(|key| key.as_bytes() == word) else {
            return error(word, "unknown key of a [config] block");
        };
        if self.value(key).is_some() {
            return error(word, "the key occurs twice");
        }
        if let Some(at) = value.iter().position(|&byte| !is_of_value(byte)) {
            let end = character_end(value, at);
            return error(
                &value[at..end],
                "values have letters, digits, `_ . ! /` and blanks only",
            );
        }
        self.entries.push((key, value));
        Ok(())
    }

    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<Value<'a>> {
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Returns the value of a key that every block has.
    ///
    /// # Errors
    /// Fails if this one does not.
    pub(crate) fn required(&self, file: &[u8], key: &str) -> Result<Value<'a>, ParseError> {
        let missing = || ParseError::new(file, self.header, format!("the block has no `{key}`"));
        self.value(key).filter(|value| !value.is_empty()).ok_or_else(missing)
    }

    /// Returns the value of a key that is `true` or `false`, the default.
    ///
    /// # Errors
    /// Fails on another value.
    pub(crate) fn flag(&self, file: &[u8], key: &str) -> Result<bool, ParseError> {
        match self.value(key) {
            None => Ok(false),
            Some(value) if value.eq_ignore_ascii_case(b"true") => Ok(true),
            Some(value) if value.eq_ignore_ascii_case(b"false") => Ok(false),
            Some(value) => {
                Err(ParseError::new(file, value, format!("`{key}` is `true` or `false`")))
            }
        }
    }
}

/// Returns true if a file has a block, well-formed or not.
pub(crate) fn has_block(file: &[u8]) -> bool {
    memchr::memmem::find_iter(file, b"[config]").any(|at| {
        let start = memchr::memrchr(b'\n', &file[..at]).map_or(0, |newline| newline + 1);
        is_header(trimmed(&file[start..at + b"[config]".len()]), b"[config]")
    })
}

/// Returns the lines of a file without surrounding blanks, with their offsets.
fn lines(file: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    file.split(|&byte| byte == b'\n').map(|line| {
        let line = trimmed(line);
        ((line.as_ptr() as usize).saturating_sub(file.as_ptr() as usize), line)
    })
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii()
}

/// Returns the rest of a line after the mark of a comment and blanks.
fn after_mark(line: &[u8]) -> Option<&[u8]> {
    let rest = MARKS.into_iter().find_map(|mark| line.strip_prefix(mark))?;
    Some(rest.trim_ascii_start())
}

fn is_header(line: &[u8], word: &[u8]) -> bool {
    after_mark(line).is_some_and(|rest| rest.starts_with(word))
}

/// Divides `// key: value`.
fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = after_mark(line)?;
    let colon = memchr::memchr(b':', rest)?;
    let (key, value) = (&rest[..colon], &rest[colon + 1..]);
    let is_key = key.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'_');
    let blank = value.first()?.is_ascii_whitespace();
    (is_key && blank).then(|| (key, value.trim_ascii_start()))
}

fn is_of_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'!' | b'/' | b' ')
}

/// Returns the end of the character that begins at `at`.
fn character_end(text: &[u8], at: usize) -> usize {
    let continues = text[at + 1..].iter().take_while(|&&byte| byte & 0xc0 == 0x80).count();
    at + 1 + continues
}
