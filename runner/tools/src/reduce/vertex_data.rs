//! Edits of `[vertex data]`: columns, and vertices with the draws that use them.

use std::ops::Range;

use script::{Content, Script};
use vk_script::Removal;

use super::edit::{Edit, joined};

/// Numbers of vertices to try for a draw: a point, a line, a triangle, two triangles, a patch.
const COUNTS: [usize; 5] = [1, 2, 3, 4, 6];

/// Removes each column with its values. A shader's attribute without a column is constant.
pub(super) fn columns(text: &str) -> Vec<Removal> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let Some((_, rows)) = rows(text, &script) else { return Vec::new() };
    let values: Vec<Vec<Range<usize>>> = rows.iter().map(|row| words(text, row)).collect();
    let mut first = 0;
    let mut removals = Vec::new();
    for column in script.vertex_data.iter().flat_map(|data| &data.columns) {
        let count = usize::from(column.components);
        let header = words(text, &line_from(text, column.span.range().start)).into_iter().take(1);
        let of_rows = values.iter().flat_map(|row| row.iter().skip(first).take(count).cloned());
        removals.push(Removal { ranges: header.chain(of_rows).collect() });
        first += count;
    }
    removals
}

/// Shortens draws of vertices in order: without the rows before the first vertex, and with fewer
/// vertices.
pub(super) fn vertices(text: &str) -> Vec<Edit> {
    let Ok(script) = script::parse(text.as_bytes()) else { return Vec::new() };
    let Some((body, rows)) = rows(text, &script) else { return Vec::new() };
    let spans = script.test.iter().flatten().map(|line| line.span.range());
    let edits = spans.filter(|span| span.start >= body.end).flat_map(|span| {
        let Some((before, first, count)) = draw(text, &span) else { return Vec::new() };
        let shorter = |first_row: usize, first: usize, count: usize| {
            let kept = first_row..first_row + first + count;
            let dropped = rows.iter().enumerate().filter(|(row, _)| !kept.contains(row));
            let mut edits: Vec<Edit> = dropped.map(|(_, row)| Edit::delete(row.clone())).collect();
            edits.push(Edit { range: span.clone(), text: format!("{before} {first} {count}") });
            joined(text, edits)
        };
        let counts = COUNTS.into_iter().filter(|&fewer| fewer < count);
        std::iter::once(shorter(first, 0, count))
            .chain(counts.map(|fewer| shorter(0, first, fewer)))
            .flatten()
            .collect()
    });
    edits.filter(Edit::shrinks).collect()
}

/// Returns the section's range and the lines of its rows.
fn rows(text: &str, script: &Script<'_>) -> Option<(Range<usize>, Vec<Range<usize>>)> {
    let is_data = |section: &&script::Section<'_>| matches!(section.content, Content::VertexData);
    let body = script.sections.iter().rfind(is_data)?.body.range();
    let mut at = body.start;
    let mut lines = Vec::new();
    for line in text.get(body.clone())?.split_inclusive('\n') {
        let start = line.trim_start();
        if !start.is_empty() && !start.starts_with('#') {
            lines.push(at..at + line.len());
        }
        at += line.len();
    }
    (!lines.is_empty()).then(|| (body, lines.split_off(1)))
}

/// Returns the words of a line, each with the blanks behind it.
fn words(text: &str, line: &Range<usize>) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut in_blanks = true;
    let line_text = text.get(line.clone()).unwrap_or_default();
    for (at, byte) in line_text.trim_end_matches(['\r', '\n']).bytes().enumerate() {
        let is_blank = byte.is_ascii_whitespace();
        let place = line.start + at;
        match words.last_mut() {
            Some(word) if is_blank || !in_blanks => word.end = place + 1,
            _ if !is_blank => words.push(place..place + 1),
            _ => {}
        }
        in_blanks = is_blank;
    }
    words
}

/// Returns the rest of the line from a place.
fn line_from(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    start..start + rest.find('\n').unwrap_or(rest.len())
}

/// Returns the words before the numbers of a `draw arrays` command, the first vertex and their
/// number.
fn draw<'t>(text: &'t str, span: &Range<usize>) -> Option<(&'t str, usize, usize)> {
    let command = text.get(span.clone())?.trim_end();
    let (rest, count) = command.strip_prefix("draw arrays GL_")?.rsplit_once(' ')?;
    let (mode, first) = rest.trim_end().rsplit_once(' ')?;
    let before = command.get(.."draw arrays GL_".len() + mode.len())?;
    Some((before, first.parse().ok()?, count.parse().ok()?))
}
