//! Edits of the structure of a test file: sections, commands, lines.

use std::ops::Range;

use script::{Content, Script};

use super::edit::{Edit, joined};
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

/// Replaces each whole number of a command by lower ones, and counts of bytes by lower multiples of
/// four: buffers have whole words, and probes read at whole words.
pub(super) fn numbers(text: &str) -> Vec<Edit> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let spans = script.test.iter().flatten().map(|line| line.span.range());
    let edits = spans.flat_map(|span| {
        let command = text.get(span.clone()).unwrap_or_default();
        let words = command.split_inclusive(' ').scan(span.start, |at, word| {
            let start = *at;
            *at += word.len();
            Some((start, word.trim_end()))
        });
        let bytes = byte_count(command);
        words.enumerate().flat_map(move |(index, (start, word))| {
            let number = word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()));
            let unit = if bytes == Some(index) { WORD } else { 1 };
            let lower = number.map_or_else(Vec::new, |number| lower(number, unit));
            let edit = move |number: u64| Edit {
                range: start..start + word.len(),
                text: number.to_string(),
            };
            lower.into_iter().map(edit)
        })
    });
    edits.collect()
}

/// Bytes of a word of a buffer.
const WORD: u64 = 4;

/// Returns the index of the word of a command that is a size or an offset in bytes.
fn byte_count(command: &str) -> Option<usize> {
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["ssbo" | "ubo", _, "subdata", ..] => Some(4),
        ["ssbo" | "ubo", _, _] => Some(2),
        ["xfb", "buffer", "object", ..] => Some(4),
        ["probe", "ssbo", ..] => Some(4),
        _ => None,
    }
}

/// Returns multiples of a unit below a number.
fn lower(number: u64, unit: u64) -> Vec<u64> {
    let multiples = [0, 1, 2, 3, number / unit / 2].map(|n| n * unit);
    let mut all: Vec<u64> = multiples.into_iter().filter(|&n| n < number).collect();
    all.sort_unstable();
    all.dedup();
    all
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

/// Versions of GLSL to which extensions became parts of the language.
const VERSIONS: [&str; 4] = ["1.50", "3.30", "4.30", "4.60"];

/// Asks for a later version of GLSL in place of all extensions that shaders enable.
pub(super) fn extensions(text: &str) -> Vec<Edit> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let mut start = 0;
    let mut enabled = Vec::new();
    let mut version = None;
    for line in text.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if line.starts_with("#extension ") && is_content(&script, &range) {
            enabled.push(Edit::delete(range));
        } else if let Some(number) = line.trim_end().strip_prefix("GLSL >= ") {
            let from = range.start + "GLSL >= ".len();
            version.get_or_insert((from..from + number.len(), number));
        }
    }
    let Some((place, number)) = version.filter(|_| !enabled.is_empty()) else { return Vec::new() };
    let later = VERSIONS.iter().filter(|later| **later > number);
    let with = |later: &&str| {
        let version = Edit { range: place.clone(), text: (*later).to_owned() };
        joined(text, std::iter::once(version).chain(enabled.iter().cloned()).collect())
    };
    later.filter_map(with).collect()
}

fn is_content(script: &Script<'_>, line: &Range<usize>) -> bool {
    let holds = |s: &&script::Section<'_>| {
        s.body.range().start <= line.start && line.end <= s.body.range().end
    };
    let section = script.sections.iter().find(holds);
    section.is_some_and(|section| !matches!(section.content, Content::Test))
}

/// Returns the lines that a range touches, with the end of the last.
pub(super) fn whole_lines(text: &str, range: Range<usize>) -> Range<usize> {
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
