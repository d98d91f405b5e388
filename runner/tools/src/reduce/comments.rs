//! Comments, blank lines, continued lines and redundant blanks.

use std::ops::Range;

use super::edit::Edit;
use super::shader::{Source, disjoint};
use super::tokens::pieces;

/// Returns the removal of each.
pub(super) fn edits(text: &str, shaders: &[Source<'_>]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = shaders.iter().flat_map(in_shader).collect();
    edits.extend(lines(text, shaders));
    disjoint(edits)
}

/// Returns edits of the space between tokens that is longer than one blank or line end.
fn in_shader(source: &Source<'_>) -> Vec<Edit> {
    let text = source.text;
    let mut edits = Vec::new();
    let mut from = 0;
    let ends = pieces(text)
        .into_iter()
        .map(|piece| piece.range)
        .chain(std::iter::once(text.len()..text.len()));
    for token in ends {
        let gap = from..token.start;
        let between = text.get(gap.clone()).unwrap_or_default();
        let short = if between.contains('\n') { "\n" } else { " " };
        let is_first = gap.start == 0 && gap.end < text.len();
        let short = if is_first || is_tight(text, &gap) { "" } else { short };
        if short.len() < between.len() {
            edits.push(source.in_file(Edit { range: gap, text: short.to_owned() }));
        }
        from = token.end;
    }
    edits
}

/// True for space behind an open bracket, and before a closed one, a comma or a semicolon.
fn is_tight(text: &str, gap: &Range<usize>) -> bool {
    let before = text.get(..gap.start).is_some_and(|before| before.ends_with(['(', '[']));
    let after = text.get(gap.end..).is_some_and(|after| after.starts_with([')', ']', ',', ';']));
    before || after
}

/// Returns lines outside of shaders that are blank or comments, and comments and blanks at the ends
/// of lines.
fn lines(text: &str, shaders: &[Source<'_>]) -> Vec<Edit> {
    let mut start = 0;
    let mut edits = Vec::new();
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            edits.push(Edit::delete(range));
        } else if let Some(tail) = tail(line) {
            edits.push(Edit::delete(range.start + tail.start..range.start + tail.end));
        }
    }
    // Lines inside shaders are code.
    let shaders: Vec<Range<usize>> = shaders.iter().map(Source::range).collect();
    edits.retain(|edit| {
        !shaders.iter().any(|s| s.start <= edit.range.start && edit.range.end <= s.end)
    });
    edits
}

/// Returns the blanks, and a comment, before the end of a line.
fn tail(line: &str) -> Option<Range<usize>> {
    let body = line.trim_end_matches(['\n', '\r']);
    let kept = body.split(" #").next().unwrap_or(body).trim_end();
    (kept.len() < body.len()).then_some(kept.len()..body.len())
}
