//! Characters of a line of assembly text, with columns.

/// A cursor over a line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0 }
    }

    /// The text from here on.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Column of the cursor, from 1.
    pub(super) fn column(&self) -> usize {
        self.text.get(..self.at).unwrap_or(self.text).chars().count() + 1
    }

    /// Skips blanks.
    pub(super) fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// True at the end of the line or before a comment.
    pub(super) fn at_end(&mut self) -> bool {
        self.skip();
        let rest = self.rest();
        rest.is_empty() || rest.starts_with(';') || rest.starts_with("//")
    }

    /// Takes `token` after blanks if it comes next.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let mut ahead = *self;
        ahead.skip();
        let found = ahead.rest().starts_with(token);
        if found {
            ahead.at += token.len();
            *self = ahead;
        }
        found
    }

    /// Takes a word of letters, digits, `_`, `.` and `$` after blanks; perhaps empty.
    pub(super) fn word(&mut self) -> &'a str {
        self.skip();
        let rest = self.rest();
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '$'))
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// The text up to the next comma or the end of the line: what a message shows.
    pub(super) fn offending(&self) -> &'a str {
        let rest = self.rest().trim_start();
        let end = rest.find([',', ';']).unwrap_or(rest.len());
        rest.get(..end).unwrap_or("").trim_end()
    }

    /// Takes an integer with sign, decimal or hexadecimal.
    pub(super) fn integer(&mut self) -> Option<i64> {
        let mut ahead = *self;
        ahead.skip();
        let negative = ahead.eat("-");
        let word = ahead.word();
        let value = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            Some(digits) => i64::from_str_radix(digits, 16).ok()?,
            None => word.parse::<i64>().ok()?,
        };
        *self = ahead;
        Some(if negative { -value } else { value })
    }
}
