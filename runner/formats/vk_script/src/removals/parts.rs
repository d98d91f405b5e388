//! Parts of the text that are whole lines.

use std::ops::Range;

use crate::error::Span;

/// The ranges of the lines of a part of a text, line ends included.
pub(super) fn lines(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let mut at = part.start;
    let mut found = Vec::new();
    for line in text.get(part).unwrap_or("").split_inclusive('\n') {
        found.push(at..at + line.len());
        at += line.len();
    }
    found
}

/// The lines of a span, if nothing but blanks and comments shares them; else the span itself.
pub(super) fn lines_of(text: &str, span: Span) -> Range<usize> {
    let Range { start, end } = span.range();
    let line_start = text.get(..start).and_then(|t| t.rfind('\n')).map_or(0, |at| at + 1);
    let line_end =
        text.get(end..).and_then(|t| t.find('\n')).map_or(text.len(), |length| end + length + 1);
    let before = text.get(line_start..start).unwrap_or("").trim();
    let after = text.get(end..line_end).unwrap_or("").trim();
    if before.is_empty() && (after.is_empty() || after.starts_with('#')) {
        line_start..line_end
    } else {
        start..end
    }
}

/// The commands and blocks of a pipeline.
pub(super) fn options(text: &str, pipeline: Span) -> Vec<Range<usize>> {
    let all = lines(text, pipeline.range());
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut block = false;
    // The first line is the header, the last one `END`.
    for line in all.get(1..all.len().saturating_sub(1)).unwrap_or_default() {
        let words = text.get(line.clone()).unwrap_or("").split('#').next().unwrap_or("");
        let first = words.split_whitespace().next().unwrap_or("");
        if let Some(open) = found.last_mut().filter(|_| block) {
            open.end = line.end;
            block = first != "END";
        } else if !first.is_empty() {
            found.push(line.clone());
            block = BLOCKS.contains(&first);
        }
    }
    found
}

/// Commands of a pipeline that end with `END`.
const BLOCKS: &[&str] = &[
    "DEPTH",
    "STENCIL",
    "BLEND",
    "SUBGROUP",
    "SHADER_OPTIMIZATION",
    "COMPILE_OPTIONS",
    "SHADER_BINDING_TABLE",
];

/// The sections of a VkScript, headers included.
pub(super) fn sections(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for line in lines(text, 0..text.len()) {
        if text.get(line.clone()).is_some_and(|line| line.starts_with('[')) {
            found.push(line);
        } else if let Some(section) = found.last_mut() {
            section.end = line.end;
        }
    }
    found
}

/// The commands of `[test]`, with the lines that continue them.
pub(super) fn test_lines(text: &str) -> Vec<Range<usize>> {
    let tests = sections(text).into_iter().filter(|section| {
        text.get(section.clone()).is_some_and(|section| section.starts_with("[test]"))
    });
    let mut found: Vec<Range<usize>> = Vec::new();
    for section in tests {
        let mut continued = false;
        for line in lines(text, section).into_iter().skip(1) {
            let shown = text.get(line.clone()).unwrap_or("").trim();
            match found.last_mut() {
                Some(open) if continued => open.end = line.end,
                _ if shown.is_empty() || shown.starts_with('#') => continue,
                _ => found.push(line),
            }
            continued = shown.ends_with('\\');
        }
    }
    found
}

/// Lines that are not in some ranges.
pub(super) fn lines_outside(text: &str, ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let outside = |line: &Range<usize>| {
        !ranges.iter().any(|range| line.start < range.end && range.start < line.end)
    };
    lines(text, 0..text.len()).into_iter().filter(outside).collect()
}
