//! The arguments of one command line and the readers that all commands share.

use crate::enums::GlEnum;
use crate::error::{ErrorKind, Fault};
use crate::numbers::{fill, float32, signed32, unsigned32};
use crate::scan::Captures;
use crate::text::{trim_end, word};

/// Texture slots and resident handles of the interpreter.
const SLOTS: u32 = 32;

/// Input of a command's arguments.
pub(crate) struct Arguments<'a, 'c> {
    /// The line from its first non-blank byte.
    line: &'a [u8],
    /// Unread text after a prefix pattern's literal.
    pub(crate) rest: &'a [u8],
    /// The conversions of a scan pattern.
    pub(crate) captures: &'c Captures<'a>,
}

impl<'a, 'c> Arguments<'a, 'c> {
    pub(crate) fn new(
        line: &'a [u8],
        rest: &'a [u8],
        captures: &'c Captures<'a>,
    ) -> Arguments<'a, 'c> {
        Arguments { line, rest, captures }
    }

    /// The whole line, from its first non-blank byte.
    pub(crate) fn line(&self) -> &'a [u8] {
        self.line
    }

    /// An error about a line that does not have its command's form.
    pub(crate) fn malformed(&self, message: impl Into<String>) -> Fault<'a> {
        Fault::new(ErrorKind::Arguments, trim_end(self.line), message)
    }

    /// An error about one word of the line.
    pub(crate) fn at(
        &self,
        word: &'a str,
        kind: ErrorKind,
        message: impl Into<String>,
    ) -> Fault<'a> {
        Fault::new(kind, word.as_bytes(), message)
    }

    /// An error about a number outside its valid range.
    pub(crate) fn out_of_range(&self, message: impl Into<String>) -> Fault<'a> {
        Fault::new(ErrorKind::Range, trim_end(self.line), message)
    }

    /// The next word, if there is one.
    pub(crate) fn optional_word(&mut self) -> Option<&'a str> {
        let (rest, text) = word(self.rest).ok()?;
        self.rest = rest;
        Some(text)
    }

    /// The next word; `what` names it in the error.
    pub(crate) fn word(&mut self, what: &str) -> Result<&'a str, Fault<'a>> {
        self.optional_word().ok_or_else(|| self.malformed(format!("expected {what}")))
    }

    /// The next words as numbers with single-precision bit patterns; missing ones are 0.
    pub(crate) fn floats<const N: usize>(&mut self) -> [f32; N] {
        let mut values = [0.0; N];
        let (rest, _) =
            fill(self.rest, &mut values, |i| float32(i).map(|(rest, real)| (rest, real.value)));
        self.rest = rest;
        values
    }

    /// The same; missing ones are `None`.
    pub(crate) fn optional_floats<const N: usize>(&mut self) -> [Option<f32>; N] {
        let mut values = [None; N];
        let (rest, _) = fill(self.rest, &mut values, |i| {
            float32(i).map(|(rest, real)| (rest, Some(real.value)))
        });
        self.rest = rest;
        values
    }

    /// An integer base 0, if there is one.
    pub(crate) fn optional_signed(&mut self) -> Option<i32> {
        let (rest, value) = signed32(self.rest).ok()?;
        self.rest = rest;
        Some(value)
    }

    /// An integer base 0.
    pub(crate) fn signed(&mut self, what: &str) -> Result<i32, Fault<'a>> {
        self.optional_signed().ok_or_else(|| self.malformed(format!("expected {what}")))
    }

    /// A slot number base 0; a missing one is 0.
    pub(crate) fn slot_or_zero(&mut self) -> Result<u32, Fault<'a>> {
        let value = match unsigned32(self.rest) {
            Ok((rest, value)) => {
                self.rest = rest;
                value
            }
            Err(_) => 0,
        };
        self.bounded(value, SLOTS, "slot")
    }

    /// A texture slot or resident handle, already read.
    pub(crate) fn slot(&self, value: i32) -> Result<u32, Fault<'a>> {
        self.bounded(value as u32, SLOTS, "slot")
    }

    /// `value` if it is below `limit`.
    pub(crate) fn bounded(&self, value: u32, limit: u32, what: &str) -> Result<u32, Fault<'a>> {
        if value < limit {
            Ok(value)
        } else {
            Err(self.out_of_range(format!("{what} must be below {limit}")))
        }
    }

    /// A size, offset or count: not negative and at most `limit`.
    pub(crate) fn size(&self, value: i32, limit: u32, what: &str) -> Result<u32, Fault<'a>> {
        match u32::try_from(value) {
            Ok(size) if size <= limit => Ok(size),
            _ => Err(self.out_of_range(format!("{what} must be between 0 and {limit}"))),
        }
    }

    /// The next word as a name of the GL registry.
    pub(crate) fn gl_enum(&mut self, what: &str) -> Result<GlEnum, Fault<'a>> {
        let name = self.word(what)?;
        self.registry(name)
    }

    /// A word as a name of the GL registry.
    pub(crate) fn registry(&self, name: &'a str) -> Result<GlEnum, Fault<'a>> {
        GlEnum::lookup(name)
            .ok_or_else(|| self.at(name, ErrorKind::UnknownEnum, "no GL enum of that name"))
    }

    /// The next word looked up in a command's own list.
    pub(crate) fn choice<T>(
        &mut self,
        what: &str,
        choose: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Fault<'a>> {
        let name = self.word(what)?;
        self.chosen(name, what, choose)
    }

    /// A word looked up in a command's own list.
    pub(crate) fn chosen<T>(
        &self,
        name: &'a str,
        what: &str,
        choose: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Fault<'a>> {
        choose(name).ok_or_else(|| self.unexpected(name, what))
    }

    /// An error about an unexpected word.
    pub(crate) fn unexpected(&self, name: &'a str, what: &str) -> Fault<'a> {
        self.at(name, ErrorKind::Arguments, format!("expected {what}"))
    }

    /// Reads exactly `text`, after blanks.
    pub(crate) fn literal(&mut self, text: &str) -> Result<(), Fault<'a>> {
        match self.rest.trim_ascii_start().strip_prefix(text.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(self.malformed(format!("expected `{text}`"))),
        }
    }
}
