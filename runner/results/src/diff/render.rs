//! A comparison as text: for terminals, for a merge request, for programs.

use std::fmt::Write;

use serde::Serialize;

use super::codegen::{CodeChanges, MetricChange, ShaderChange, Spread};
use super::text::TextDiff;
use super::{Change, Changed, Diff};
use crate::names::printable;
use crate::verdict::Status;

/// Kinds in the order in which they are told, with their headings.
const KINDS: [(Change, &str); 5] = [
    (Change::Regression, "regressions"),
    (Change::NewFailure, "new tests that fail"),
    (Change::Fix, "fixes"),
    (Change::Other, "other changes"),
    (Change::New, "new tests"),
];
/// Shaders listed per number.
const SHADERS: usize = 10;
/// Rows listed per kind in Markdown, which ends up in comments of limited size.
const MARKDOWN_ROWS: usize = 100;
/// Lines shown of one difference of texts.
const TEXT_LINES: usize = 60;

fn name(status: Option<Status>) -> &'static str {
    status.map_or("missing", Status::name)
}

/// For people at a terminal.
pub fn terminal(diff: &Diff, texts: &[TextDiff]) -> String {
    let mut text = String::new();
    for (change, heading) in KINDS {
        let rows: Vec<&Changed> = diff.of(change).collect();
        if rows.is_empty() {
            continue;
        }
        line(&mut text, format_args!("{heading}: {}", rows.len()));
        // New tests that are fine need no list.
        for row in rows.iter().filter(|_| change != Change::New) {
            let reason = first_line(row.reason.as_deref().unwrap_or(""));
            let layer = row.layer.map(|layer| format!("  {layer}: {reason}")).unwrap_or_default();
            let (old, new) = (name(row.old), name(row.new));
            line(&mut text, format_args!("  {}: {old} -> {new}{layer}", printable(&place(row))));
        }
        text.push('\n');
    }
    if !diff.reworded.is_empty() {
        line(&mut text, format_args!("the same status for another reason: {}", diff.reworded.len()));
        for row in diff.reworded.iter().take(SHADERS) {
            let (old, new) = (first_line(&row.old), first_line(&row.new));
            let test = printable(&row.test);
            line(
                &mut text,
                format_args!("  {test} [{}] {}:\n    {old}\n    {new}", printable(&row.target), row.status),
            );
        }
        text.push('\n');
    }
    code(&mut text, &diff.code);
    for TextDiff { test, target, text: what, diff } in texts {
        line(&mut text, format_args!("{} [{}] {what}", printable(test), printable(target)));
        for changed in printable(diff).lines().take(TEXT_LINES) {
            line(&mut text, format_args!("  {changed}"));
        }
        if let Some(more) = diff.lines().count().checked_sub(TEXT_LINES + 1) {
            line(&mut text, format_args!("  and {} more lines", more + 1));
        }
        text.push('\n');
    }
    line(&mut text, format_args!("{}", totals(diff)));
    text
}

fn first_line(text: &str) -> String {
    printable(text.lines().next().unwrap_or(""))
}

/// `test [gen]`, and the variant where there are several.
fn place(row: &Changed) -> String {
    let separator = if row.variant.is_empty() { "" } else { " " };
    format!("{} [{}{separator}{}]", row.test, row.target, row.variant)
}

fn totals(diff: &Diff) -> String {
    let count = |change| diff.of(change).count();
    let mut text = format!("{} -> {} results, {} the same", diff.old_rows, diff.new_rows, diff.same);
    let [old, new] = diff.options.each_ref().map(|options| if options.is_empty() { "none" } else { options });
    if old != new {
        // Writing to a string cannot fail.
        let _ = write!(text, ", options: {} -> {}", printable(old), printable(new));
    }
    for (change, heading) in KINDS {
        if count(change) > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {heading}: {}", count(change));
        }
    }
    text
}

/// Adds a line; writing to a string cannot fail.
fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{content}");
}

/// A change in per cent, with its sign.
pub fn percent(old: u64, new: u64) -> String {
    match (old, new) {
        (0, 0) => "0.00%".to_owned(),
        (0, _) => "new".to_owned(),
        _ => format!("{:+.2}%", (new as f64 - old as f64) / old as f64 * 100.0),
    }
}

fn code(text: &mut String, code: &CodeChanges) {
    if code.shared == 0 && code.lost.is_empty() && code.gained.is_empty() {
        return;
    }
    for metric in code.metrics.iter().filter(|metric| !metric.helped.is_empty() || !metric.hurt.is_empty()) {
        let MetricChange { name, total_old, total_new, helped, hurt } = metric;
        let (old, new) = metric.affected();
        line(
            text,
            format_args!(
                "total {name} in shared shaders: {total_old} -> {total_new} ({})",
                percent(*total_old, *total_new)
            ),
        );
        line(text, format_args!("{name} in affected shaders: {old} -> {new} ({})", percent(old, new)));
        line(text, format_args!("helped: {}\nHURT: {}", helped.len(), hurt.len()));
        for (word, list) in [("helped", helped), ("HURT", hurt)] {
            for shader in list.iter().take(SHADERS) {
                let change = percent(shader.old, shader.new);
                let name = printable(&shader.shader);
                line(text, format_args!("  {word}: {name}: {} -> {} ({change})", shader.old, shader.new));
            }
        }
        for (word, list) in [("helped", helped), ("HURT", hurt)] {
            spreads(text, word, list);
        }
        text.push('\n');
    }
    for (word, list) in [("LOST", &code.lost), ("GAINED", &code.gained)] {
        line(text, format_args!("{word}: {}", list.len()));
        for change in list.iter().take(SHADERS) {
            line(text, format_args!("  {word}: {} {}", printable(&change.shader), change.width));
        }
    }
    line(text, format_args!("same binary: {} of {} shaders\n", code.same_binary, code.shared));
}

fn spreads(text: &mut String, word: &str, list: &[ShaderChange]) {
    let amounts = list.iter().map(|change| change.old.abs_diff(change.new) as f64);
    let shares = list
        .iter()
        .filter(|change| change.old > 0)
        .map(|change| change.old.abs_diff(change.new) as f64 / change.old as f64 * 100.0);
    if let Some(Spread { least, most, mean, median }) = Spread::of(amounts) {
        line(
            text,
            format_args!("{word} stats (abs) min: {least} max: {most} mean: {mean:.2} median: {median}"),
        );
    }
    if let Some(Spread { least, most, mean, median }) = Spread::of(shares) {
        line(
            text,
            format_args!(
                "{word} stats (rel) min: {least:.2}% max: {most:.2}% mean: {mean:.2}% median: {median:.2}%"
            ),
        );
    }
}

/// For a merge request.
pub fn markdown(diff: &Diff, texts: &[TextDiff]) -> String {
    let mut text = format!("**{}**\n", totals(diff));
    for (change, heading) in KINDS.into_iter().filter(|(change, _)| *change != Change::New) {
        let rows: Vec<&Changed> = diff.of(change).collect();
        if rows.is_empty() {
            continue;
        }
        line(
            &mut text,
            format_args!(
                "\n### {heading}: {}\n\n| test | gen | old | new | |\n|---|---|---|---|---|",
                rows.len()
            ),
        );
        for row in rows.iter().take(MARKDOWN_ROWS) {
            let reason = row.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or("");
            let layer = row.layer.map(|layer| format!("{layer}: {}", cell(reason))).unwrap_or_default();
            let (test, old, new) = (cell(&row.test), name(row.old), name(row.new));
            let target = cell(format!("{} {}", row.target, row.variant).trim());
            line(&mut text, format_args!("| {test} | {target} | {old} | {new} | {layer} |"));
        }
        if rows.len() > MARKDOWN_ROWS {
            line(&mut text, format_args!("\nand {} more", rows.len() - MARKDOWN_ROWS));
        }
    }
    if diff.code.shared > 0 {
        text.push_str(
            "\n### generated code\n\n| | old | new | change | helped | HURT |\n|---|---|---|---|---|---|\n",
        );
        for MetricChange { name, total_old, total_new, helped, hurt } in &diff.code.metrics {
            let change = percent(*total_old, *total_new);
            let (helped, hurt) = (helped.len(), hurt.len());
            line(
                &mut text,
                format_args!("| {name} | {total_old} | {total_new} | {change} | {helped} | {hurt} |"),
            );
        }
        let CodeChanges { shared, same_binary, lost, gained, .. } = &diff.code;
        let (lost, gained) = (lost.len(), gained.len());
        line(
            &mut text,
            format_args!("\nsame binary: {same_binary} of {shared} · LOST: {lost} · GAINED: {gained}"),
        );
    }
    for TextDiff { test, target, text: what, diff } in texts {
        let fence = fence(diff);
        line(
            &mut text,
            format_args!(
                "\n<details><summary>{} [{}] {what}</summary>\n\n{fence}diff",
                html(test),
                html(target)
            ),
        );
        for changed in printable(diff).lines().take(TEXT_LINES) {
            line(&mut text, format_args!("{changed}"));
        }
        line(&mut text, format_args!("{fence}\n\n</details>"));
    }
    text
}

/// More backticks than the text has in a row.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn html(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A cell of a Markdown table: nothing in it can end the cell or become markup.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in printable(text).chars() {
        match c {
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '\n' => cell.push(' '),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '#' | '@' | '!' => cell.extend(['\\', c]),
            c => cell.push(c),
        }
    }
    cell
}

/// For programs.
///
/// # Errors
/// Never in practice: everything in it can be written.
pub fn json(diff: &Diff, texts: &[TextDiff]) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Whole<'a> {
        #[serde(flatten)]
        diff: &'a Diff,
        texts: &'a [TextDiff],
    }
    serde_json::to_string_pretty(&Whole { diff, texts }).map(|text| text + "\n")
}
