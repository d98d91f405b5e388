//! A part that can be removed from a text.

use std::ops::Range;

/// Ranges of a text that are removed together: disjoint, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The ranges in bytes.
    pub ranges: Vec<Range<usize>>,
}

/// Returns a text without the ranges of some removals, which may overlap.
pub fn without<'r>(text: &str, removals: impl IntoIterator<Item = &'r Removal>) -> String {
    let mut ranges: Vec<Range<usize>> =
        removals.into_iter().flat_map(|removal| removal.ranges.iter().cloned()).collect();
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        kept.push_str(text.get(at..range.start.max(at)).unwrap_or(""));
        at = at.max(range.end);
    }
    kept.push_str(text.get(at..).unwrap_or(""));
    kept
}
