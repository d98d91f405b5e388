//! Passes and skips by directory and generation as a Markdown table: the tables of
//! `docs/conformance.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::names::printable_line;
use crate::verdict::{Counts, Phase, Status, TestResult};
use vocabulary::Generation;

/// Renders a table with a line per directory, `depth` parts of test names deep, and a column per
/// generation; below it the reasons of skips and the tests that neither passed nor were skipped.
pub fn by_directory<'a>(
    rows: impl Iterator<Item = &'a TestResult> + Clone,
    depth: usize,
) -> String {
    let mut directories: BTreeMap<&str, Directory> = BTreeMap::new();
    for row in rows.clone() {
        directories.entry(directory(&row.test, depth)).or_default().add(row);
    }
    let generations = generations(rows.clone());
    let mut text = table(&directories, &generations);
    text += &skips(rows.clone());
    text += &others(rows);
    text
}

/// The results of one directory.
#[derive(Default)]
struct Directory<'a> {
    tests: BTreeSet<&'a str>,
    counts: BTreeMap<&'a str, Counts>,
}

impl<'a> Directory<'a> {
    fn add(&mut self, row: &'a TestResult) {
        self.tests.insert(&row.test);
        self.counts.entry(&row.generation).or_default().add(row.status);
    }
}

/// Returns the first parts of a test's name, without the test itself.
fn directory(test: &str, depth: usize) -> &str {
    let parent = test.rfind('/').unwrap_or(0);
    let cut = test.match_indices('/').nth(depth.saturating_sub(1)).map_or(parent, |(at, _)| at);
    &test[..cut.min(parent)]
}

/// Returns the columns: generations in their order, then any other names.
fn generations<'a>(rows: impl Iterator<Item = &'a TestResult>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = rows.map(|row| &*row.generation).collect();
    let mut generations: Vec<&str> = names.into_iter().collect();
    let hardware = Generation::HARDWARE.map(Generation::name);
    generations
        .sort_by_key(|name| hardware.iter().position(|g| g == name).unwrap_or(hardware.len()));
    generations
}

fn table(directories: &BTreeMap<&str, Directory<'_>>, generations: &[&str]) -> String {
    let mut text = String::from("| directory | tests |");
    generations.iter().for_each(|generation| text += &format!(" {} |", printable_line(generation)));
    text += "\n|---|---:|";
    text += &"---:|".repeat(generations.len());
    text.push('\n');
    for (name, directory) in directories {
        let _ =
            write!(text, "| `{}` | {} |", printable_line(name), thousands(directory.tests.len()));
        for generation in generations {
            let _ = write!(
                text,
                " {} |",
                directory.counts.get(generation).map_or(String::from("–"), cell)
            );
        }
        text.push('\n');
    }
    text
}

/// Renders `1,538`, or `1,400 (skip 100, fail 38)`.
fn cell(counts: &Counts) -> String {
    let others =
        Status::ALL.into_iter().filter(|&status| status != Status::Pass && counts.of(status) > 0);
    let others: Vec<String> =
        others.map(|status| format!("{status} {}", thousands(counts.of(status)))).collect();
    let passed = thousands(counts.of(Status::Pass));
    if others.is_empty() { passed } else { format!("{passed} ({})", others.join(", ")) }
}

/// Renders the reasons of skips, most frequent first; limits that differ only in the requested
/// number are one reason.
fn skips<'a>(rows: impl Iterator<Item = &'a TestResult>) -> String {
    let mut reasons: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for row in rows.filter(|row| row.status == Status::Skip) {
        let reason = without_numbers(row.reason.as_deref().unwrap_or_default());
        *reasons.entry(reason).or_default().entry(&row.generation).or_default() += 1;
    }
    let mut reasons: Vec<(String, usize, usize)> = reasons
        .into_iter()
        .map(|(reason, generations)| {
            (reason, generations.len(), generations.values().copied().max().unwrap_or(0))
        })
        .collect();
    reasons.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)));
    let mut text = String::new();
    for (i, (reason, generations, tests)) in reasons.iter().enumerate() {
        text += if i == 0 { "\nSkipped, most on one generation:\n\n" } else { "" };
        let plural = if *generations == 1 { "" } else { "s" };
        let _ = writeln!(
            text,
            "* {} × {}, on {generations} generation{plural}",
            thousands(*tests),
            printable_line(reason)
        );
    }
    text
}

/// Turns `line 7: needs X >= 17, has 16` into `needs X >= …, has 16`.
fn without_numbers(reason: &str) -> String {
    let reason = match reason.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((_, reason)) => reason,
        None => reason,
    };
    match reason.split_once(">= ") {
        Some((name, rest)) => {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            format!("{name}>= …{rest}")
        }
        None => reason.to_owned(),
    }
}

fn others<'a>(rows: impl Iterator<Item = &'a TestResult>) -> String {
    let mut text = String::new();
    for row in rows.filter(|row| !matches!(row.status, Status::Pass | Status::Skip)) {
        text += if text.is_empty() { "\nNeither passed nor skipped:\n\n" } else { "" };
        let phase = row.phase.map_or("", Phase::name);
        let _ = writeln!(
            text,
            "* `{}` {}: {} {phase}",
            printable_line(&row.test),
            printable_line(&row.generation),
            row.status
        );
    }
    text
}

/// Formats 12345 as `12,345`.
fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let first = digits.len() % 3;
    let mut text = digits[..first].to_owned();
    for group in digits.as_bytes()[first..].chunks(3) {
        if !text.is_empty() {
            text.push(',');
        }
        text.extend(group.iter().map(|&digit| char::from(digit)));
    }
    text
}
