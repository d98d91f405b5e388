//! Edits of the structure of a test file: sections, commands, lines.

use std::ops::Range;

use script::{Content, Script};

use super::edit::Edit;
use super::syntax::Syntax;

/// Removes each command of `[test]` with its line, except tolerances that accept every value. With
/// these, probes only compare executors; without them, the smaller test would fail where the
/// executors agree.
pub(super) fn commands(text: &str) -> Vec<Edit> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let spans = script.test.iter().flatten().map(|line| line.span.range());
    let spans = spans.filter(|span| !text.get(span.clone()).is_some_and(accepts_every_value));
    distinct(spans.map(|span| whole_lines(text, span)))
}

/// True if a command sets a tolerance that no difference exceeds.
fn accepts_every_value(command: &str) -> bool {
    let Some(values) = command.trim().strip_prefix("tolerance ") else { return false };
    let huge = |word: &str| word.parse::<f32>().is_ok_and(|value| value >= 1e30);
    values.split_whitespace().all(huge)
}

/// Removes each section with its header.
pub(super) fn sections(text: &str) -> Vec<Edit> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let range = |s: &script::Section<'_>| s.header.range().start..s.body.range().end;
    script.sections.iter().map(range).filter(|range| !range.is_empty()).map(Edit::delete).collect()
}

/// Removes each line that is neither a header nor a command; in a Vulkan script or a malformed
/// file, each line.
pub(super) fn lines(text: &str, syntax: Syntax) -> Vec<Edit> {
    let script = match syntax {
        Syntax::ShaderTest => script::parse(text.as_bytes()).ok(),
        Syntax::Vulkan(_) => None,
    };
    let mut start = 0;
    let mut all = Vec::new();
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if script.as_ref().is_none_or(|script| is_content(script, &range)) {
            all.push(Edit::delete(range));
        }
    }
    all
}

fn is_content(script: &Script<'_>, line: &Range<usize>) -> bool {
    let holds = |s: &&script::Section<'_>| {
        s.body.range().start <= line.start && line.end <= s.body.range().end
    };
    let section = script.sections.iter().find(holds);
    section.is_some_and(|section| !matches!(section.content, Content::Test))
}

/// Returns the lines that a range touches, with the end of the last.
fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
    let before = text.get(..range.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let after = text.get(range.end..).unwrap_or_default();
    let end = after.find('\n').map_or(text.len(), |newline| range.end + newline + 1);
    start..end
}

/// Returns deletions of ranges in the order of the text; of overlapping ones, the first.
fn distinct(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for range in ranges {
        if edits.last().is_none_or(|last| last.range.end <= range.start) {
            edits.push(Edit::delete(range));
        }
    }
    edits
}
