//! Edits of a text.

use std::ops::Range;

/// A replacement of a part of a text by one that is no longer.
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

/// Returns edits in the order of their starts.
pub(super) fn sorted(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| edit.range.start);
    edits
}

/// Returns one edit that makes several; `None` if there are none or they overlap.
pub(super) fn joined(text: &str, mut edits: Vec<Edit>) -> Option<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let (first, last) = (edits.first()?, edits.last()?);
    let range = first.range.start..last.range.end;
    if edits.windows(2).any(|pair| pair[0].range.end > pair[1].range.start) {
        return None;
    }
    let start = range.start;
    let inside = text.get(range.clone())?;
    let moved: Vec<Edit> = edits
        .into_iter()
        .map(|edit| Edit { range: edit.range.start - start..edit.range.end - start, ..edit })
        .collect();
    Some(Edit { text: apply(inside, &moved), range })
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
