//! Renderers of a comparison: for terminals, merge requests and programs.

use std::fmt::Write;

use serde::Serialize;

use super::codegen::{CodeChanges, GroupChange, MetricChange, ShaderChange, Spread};
use super::text::TextDiff;
use super::{Change, Changed, Diff};
use crate::names::printable;
use crate::verdict::Status;

/// Kinds in the order of the report, with their headings.
const KINDS: [(Change, &str); 6] = [
    (Change::Regression, "regressions"),
    (Change::NewFailure, "new tests that fail"),
    (Change::Fix, "fixes"),
    (Change::Other, "other changes"),
    (Change::New, "new tests"),
    (Change::NotRun, "not in the unfinished run"),
];
/// Kinds whose number is enough: new tests that pass, results of tests that an unfinished run did
/// not reach.
const UNLISTED: [Change; 2] = [Change::New, Change::NotRun];
/// Maximum number of test cases with another reason that are listed.
const REWORDED: usize = 10;
/// Maximum number of test cases listed per kind in Markdown, since comments have a limited size.
const MARKDOWN_LINES: usize = 100;
/// Maximum number of lines of one difference of texts.
const TEXT_LINES: usize = 60;

/// The extent of the lists of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Maximum number of shaders listed per number and direction.
    pub shaders: usize,
    /// True if totals of each generation, stage and width are listed.
    pub groups: bool,
}

impl Default for Listing {
    fn default() -> Listing {
        Listing { shaders: 10, groups: false }
    }
}

fn name(status: Option<Status>) -> &'static str {
    status.map_or("missing", Status::name)
}

/// Renders a comparison for a terminal.
pub fn terminal(diff: &Diff, texts: &[TextDiff], listing: Listing) -> String {
    let mut text = String::new();
    for (change, heading) in KINDS {
        let results: Vec<&Changed> = diff.of(change).collect();
        if results.is_empty() {
            continue;
        }
        line(&mut text, format_args!("{heading}: {}", results.len()));
        for result in results.iter().filter(|_| !UNLISTED.contains(&change)) {
            let reason = first_line(result.reason.as_deref().unwrap_or(""));
            let phase =
                result.phase.map(|phase| format!("  {phase}: {reason}")).unwrap_or_default();
            let (old, new) = (name(result.old), name(result.new));
            line(&mut text, format_args!("  {}: {old} -> {new}{phase}", printable(&place(result))));
        }
        text.push('\n');
    }
    if !diff.reworded.is_empty() {
        line(
            &mut text,
            format_args!("the same status for another reason: {}", diff.reworded.len()),
        );
        for result in diff.reworded.iter().take(REWORDED) {
            let (old, new) = (first_line(&result.old), first_line(&result.new));
            let test = printable(&result.test);
            line(
                &mut text,
                format_args!(
                    "  {test} [{}] {}:\n    {old}\n    {new}",
                    printable(&result.generation),
                    result.status
                ),
            );
        }
        text.push('\n');
    }
    code(&mut text, &diff.code, listing);
    for TextDiff { test, generation, text: what, diff } in texts {
        line(&mut text, format_args!("{} [{}] {what}", printable(test), printable(generation)));
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

/// Returns `test [gen]`, with the variant if there are several.
fn place(result: &Changed) -> String {
    let separator = if result.variant.is_empty() { "" } else { " " };
    format!("{} [{}{separator}{}]", result.test, result.generation, result.variant)
}

fn totals(diff: &Diff) -> String {
    let count = |change| diff.of(change).count();
    let mut text =
        format!("{} -> {} results, {} the same", diff.old_rows, diff.new_rows, diff.same);
    for (run, count) in ["old", "new"].into_iter().zip(diff.unfinished) {
        if count > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", the {run} run is unfinished: {count} results to go");
        }
    }
    for (property, values) in [("options", &diff.options), ("drivers", &diff.drivers)] {
        let [old, new] =
            values.each_ref().map(|value| if value.is_empty() { "none" } else { value });
        if old != new {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {property}: {} -> {}", printable(old), printable(new));
        }
    }
    for (change, heading) in KINDS {
        if count(change) > 0 {
            // Writing to a string cannot fail.
            let _ = write!(text, ", {heading}: {}", count(change));
        }
    }
    text
}

/// Appends a line; writing to a string cannot fail.
fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{content}");
}

/// Formats a change in percent with its sign.
pub fn percent(old: u64, new: u64) -> String {
    match (old, new) {
        (0, 0) => "0.00%".to_owned(),
        (0, _) => "new".to_owned(),
        _ => format!("{:+.2}%", (new as f64 - old as f64) / old as f64 * 100.0),
    }
}

fn code(text: &mut String, code: &CodeChanges, listing: Listing) {
    if code.shared == 0 && code.lost.is_empty() && code.gained.is_empty() {
        return;
    }
    for metric in
        code.metrics.iter().filter(|metric| !metric.helped.is_empty() || !metric.hurt.is_empty())
    {
        let MetricChange { name, total_old, total_new, groups, helped, hurt } = metric;
        let (old, new) = metric.affected();
        line(
            text,
            format_args!(
                "total {name} in shared shaders: {total_old} -> {total_new} ({})",
                percent(*total_old, *total_new)
            ),
        );
        for group in groups.iter().filter(|_| listing.groups) {
            let (change, shaders) = (percent(group.old, group.new), group.shaders);
            line(
                text,
                format_args!(
                    "  {}, {shaders} shaders: {} -> {} ({change})",
                    group_name(group),
                    group.old,
                    group.new
                ),
            );
        }
        line(
            text,
            format_args!("{name} in affected shaders: {old} -> {new} ({})", percent(old, new)),
        );
        line(text, format_args!("helped: {}\nHURT: {}", helped.len(), hurt.len()));
        for (word, list) in [("helped", helped), ("HURT", hurt)] {
            for shader in list.iter().take(listing.shaders) {
                let change = percent(shader.old, shader.new);
                let name = printable(&shader.shader);
                line(
                    text,
                    format_args!("  {word}: {name}: {} -> {} ({change})", shader.old, shader.new),
                );
            }
        }
        for (word, list) in [("helped", helped), ("HURT", hurt)] {
            spreads(text, word, list);
        }
        text.push('\n');
    }
    for (word, list) in [("LOST", &code.lost), ("GAINED", &code.gained)] {
        line(text, format_args!("{word}: {}", list.len()));
        for change in list.iter().take(listing.shaders) {
            line(text, format_args!("  {word}: {} {}", printable(&change.shader), change.width));
        }
    }
    line(text, format_args!("same binary: {} of {} shaders\n", code.same_binary, code.shared));
}

/// Returns `ivb fragment SIMD8`.
fn group_name(group: &GroupChange) -> String {
    printable(&format!("{} {} {}", group.generation, group.stage, group.width))
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
            format_args!(
                "{word} stats (abs) min: {least} max: {most} mean: {mean:.2} median: {median}"
            ),
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

/// Renders a comparison for a merge request.
pub fn markdown(diff: &Diff, texts: &[TextDiff], listing: Listing) -> String {
    let mut text = format!("**{}**\n", totals(diff));
    for (change, heading) in KINDS.into_iter().filter(|(change, _)| !UNLISTED.contains(change)) {
        let results: Vec<&Changed> = diff.of(change).collect();
        if results.is_empty() {
            continue;
        }
        line(
            &mut text,
            format_args!(
                "\n### {heading}: {}\n\n| test | gen | old | new | |\n|---|---|---|---|---|",
                results.len()
            ),
        );
        let rows = alike(&results);
        for row in rows.iter().take(MARKDOWN_LINES) {
            let result = row[0];
            let reason = cell(reason_line(result));
            let phase = result.phase.map(|phase| format!("{phase}: {reason}")).unwrap_or_default();
            let (test, old, new) = (cell(&result.test), name(result.old), name(result.new));
            let generations: Vec<&str> = row.iter().map(|result| &*result.generation).collect();
            let generations = cell(format!("{} {}", generations.join(", "), result.variant).trim());
            line(&mut text, format_args!("| {test} | {generations} | {old} | {new} | {phase} |"));
        }
        let more: usize = rows.iter().skip(MARKDOWN_LINES).map(Vec::len).sum();
        if more > 0 {
            line(&mut text, format_args!("\nand {more} more"));
        }
    }
    markdown_code(&mut text, &diff.code, listing);
    for TextDiff { test, generation, text: what, diff } in texts {
        let fence = fence(diff);
        line(
            &mut text,
            format_args!(
                "\n<details><summary>{} [{}] {what}</summary>\n\n{fence}diff",
                html(test),
                html(generation)
            ),
        );
        for changed in printable(diff).lines().take(TEXT_LINES) {
            line(&mut text, format_args!("{changed}"));
        }
        line(&mut text, format_args!("{fence}\n\n</details>"));
    }
    text
}

/// Returns the first line of the reason in the new run.
fn reason_line(result: &Changed) -> &str {
    result.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or("")
}

/// Groups neighbors whose rows differ in their generation only.
fn alike<'a>(results: &[&'a Changed]) -> Vec<Vec<&'a Changed>> {
    let facts = |result: &'a Changed| {
        let Changed { test, variant, old, new, phase, .. } = result;
        (test, variant, old, new, phase, reason_line(result))
    };
    let same = |a: &&'a Changed, b: &&'a Changed| facts(a) == facts(b);
    results.chunk_by(same).map(<[&Changed]>::to_vec).collect()
}

/// Appends the totals of the metrics that changed, and the number of equal binaries.
fn markdown_code(text: &mut String, code: &CodeChanges, listing: Listing) {
    let CodeChanges { shared, same_binary, lost, gained, metrics } = code;
    if *shared == 0 {
        return;
    }
    text.push_str("\n### generated code\n");
    let mut changed = metrics
        .iter()
        .filter(|metric| !metric.helped.is_empty() || !metric.hurt.is_empty())
        .peekable();
    if changed.peek().is_some() {
        text.push_str("\n| | old | new | change | helped | HURT |\n|---|---|---|---|---|---|\n");
    }
    for MetricChange { name, total_old, total_new, helped, hurt, .. } in changed {
        let change = percent(*total_old, *total_new);
        let (helped, hurt) = (helped.len(), hurt.len());
        line(
            text,
            format_args!("| {name} | {total_old} | {total_new} | {change} | {helped} | {hurt} |"),
        );
    }
    if listing.groups {
        markdown_groups(text, code);
    }
    let (lost, gained) = (lost.len(), gained.len());
    line(
        text,
        format_args!("\nsame binary: {same_binary} of {shared} · LOST: {lost} · GAINED: {gained}"),
    );
}

/// Appends a table of the totals of each generation, stage and width.
fn markdown_groups(text: &mut String, code: &CodeChanges) {
    text.push_str("\n| | code | shaders | old | new | change |\n|---|---|---|---|---|---|\n");
    for metric in &code.metrics {
        for group in &metric.groups {
            let (change, place) = (percent(group.old, group.new), cell(&group_name(group)));
            line(
                text,
                format_args!(
                    "| {} | {place} | {} | {} | {} | {change} |",
                    metric.name, group.shaders, group.old, group.new
                ),
            );
        }
    }
}

/// Returns a fence with more backticks than the text has in a row.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

fn html(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes a cell of a Markdown table.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in printable(text).chars() {
        match c {
            '&' => cell.push_str("&amp;"),
            '<' => cell.push_str("&lt;"),
            '>' => cell.push_str("&gt;"),
            '\n' => cell.push(' '),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' | '#' | '@' | '!' => {
                cell.extend(['\\', c])
            }
            c => cell.push(c),
        }
    }
    cell
}

/// A comparison for programs.
#[derive(Debug, Serialize)]
pub struct DiffDocument<'a> {
    /// The comparison.
    #[serde(flatten)]
    pub diff: &'a Diff,
    /// Changes of texts.
    pub texts: &'a [TextDiff],
}

/// Renders a comparison as JSON.
///
/// # Errors
/// Never fails in practice: all values are serializable.
pub fn json(diff: &Diff, texts: &[TextDiff]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&DiffDocument { diff, texts }).map(|text| text + "\n")
}
