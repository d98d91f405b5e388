//! What passed and what was skipped, by directory and generation, as a Markdown table: the tables of `docs/conformance.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::names::printable_line;
use crate::verdict::{Counts, Phase, Status, TestResult};
use vocabulary::Generation;

/// A table with a row per directory, `depth` parts of test names deep, and a column per generation; below it why tests
/// were skipped, and those that neither passed nor were skipped.
pub fn by_directory<'a>(rows: impl Iterator<Item = &'a TestResult> + Clone, depth: usize) -> String {
    let mut directories: BTreeMap<&str, Directory> = BTreeMap::new();
    for row in rows.clone() {
        directories.entry(directory(&row.test, depth)).or_default().add(row);
    }
    let targets = targets(rows.clone());
    let mut text = table(&directories, &targets);
    text += &skips(rows.clone());
    text += &others(rows);
    text
}

/// What is known of one directory.
#[derive(Default)]
struct Directory<'a> {
    tests: BTreeSet<&'a str>,
    counts: BTreeMap<&'a str, Counts>,
}

impl<'a> Directory<'a> {
    fn add(&mut self, row: &'a TestResult) {
        self.tests.insert(&row.test);
        self.counts.entry(&row.target).or_default().add(row.status);
    }
}

/// The first parts of a test's name, without the test itself.
fn directory(test: &str, depth: usize) -> &str {
    let parent = test.rfind('/').unwrap_or(0);
    let cut = test.match_indices('/').nth(depth.saturating_sub(1)).map_or(parent, |(at, _)| at);
    &test[..cut.min(parent)]
}

/// The columns: generations in their order, anything else behind them.
fn targets<'a>(rows: impl Iterator<Item = &'a TestResult>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = rows.map(|row| &*row.target).collect();
    let mut targets: Vec<&str> = names.into_iter().collect();
    let generations = Generation::HARDWARE.map(Generation::name);
    targets.sort_by_key(|name| generations.iter().position(|g| g == name).unwrap_or(generations.len()));
    targets
}

fn table(directories: &BTreeMap<&str, Directory<'_>>, targets: &[&str]) -> String {
    let mut text = String::from("| directory | tests |");
    targets.iter().for_each(|target| text += &format!(" {} |", printable_line(target)));
    text += "\n|---|---:|";
    text += &"---:|".repeat(targets.len());
    text.push('\n');
    for (name, directory) in directories {
        let _ = write!(text, "| `{}` | {} |", printable_line(name), thousands(directory.tests.len()));
        for target in targets {
            let _ = write!(text, " {} |", directory.counts.get(target).map_or(String::from("–"), cell));
        }
        text.push('\n');
    }
    text
}

/// `1,538`, or `1,400 (skip 100, fail 38)`.
fn cell(counts: &Counts) -> String {
    let others = Status::ALL.into_iter().filter(|&status| status != Status::Pass && counts.of(status) > 0);
    let others: Vec<String> =
        others.map(|status| format!("{status} {}", thousands(counts.of(status)))).collect();
    let passed = thousands(counts.of(Status::Pass));
    if others.is_empty() { passed } else { format!("{passed} ({})", others.join(", ")) }
}

/// Reasons of skips, most frequent first; limits that differ only in the number asked for are one reason.
fn skips<'a>(rows: impl Iterator<Item = &'a TestResult>) -> String {
    let mut reasons: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for row in rows.filter(|row| row.status == Status::Skip) {
        let reason = without_numbers(row.reason.as_deref().unwrap_or_default());
        *reasons.entry(reason).or_default().entry(&row.target).or_default() += 1;
    }
    let mut reasons: Vec<(String, usize, usize)> = reasons
        .into_iter()
        .map(|(reason, targets)| (reason, targets.len(), targets.values().copied().max().unwrap_or(0)))
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

/// `line 7: needs X >= 17, has 16` as `needs X >= …, has 16`.
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
        let layer = row.layer.map_or("", Phase::name);
        let _ = writeln!(
            text,
            "* `{}` {}: {} {layer}",
            printable_line(&row.test),
            printable_line(&row.target),
            row.status
        );
    }
    text
}

/// 12,345.
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
