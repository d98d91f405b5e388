//! Edits of a text.

use std::ops::Range;

/// A replacement of a part of a text by a shorter one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Replacement.
    pub text: String,
}

impl Edit {
    pub(super) fn delete(range: Range<usize>) -> Edit {
        Edit { range, text: String::new() }
    }

    pub(super) fn moved(mut self, by: usize) -> Edit {
        self.range = self.range.start + by..self.range.end + by;
        self
    }

    /// Returns true if the edit shortens the text.
    pub(super) fn shrinks(&self) -> bool {
        self.text.len() < self.range.len()
    }
}

/// Applies disjoint edits in the order of the text.
pub fn apply<'a>(text: &str, edits: impl IntoIterator<Item = &'a Edit>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for edit in edits {
        result += text.get(from..edit.range.start).unwrap_or_default();
        result += &edit.text;
        from = edit.range.end;
    }
    result + text.get(from..).unwrap_or_default()
}
