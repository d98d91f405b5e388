//! Errors within a line of assembly text.

use super::cursor::Cursor;

/// Error within a line.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub column: usize,
    pub message: String,
}

impl Failure {
    /// A failure at the cursor; the message ends with the text there.
    pub(super) fn at(cursor: &Cursor<'_>, message: &str) -> Failure {
        let mut ahead = *cursor;
        ahead.skip();
        let message = match ahead.offending() {
            "" => format!("{message} at the end of the line"),
            text => format!("{message} `{text}`"),
        };
        Failure { column: ahead.column(), message }
    }
}
