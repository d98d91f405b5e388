//! Passes and skips by directory and generation as a Markdown table: the tables of
//! `docs/conformance.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::names::printable_line;
use crate::verdict::{Counts, Phase, Status, TestResult};
use vocabulary::Target;

/// Renders a table with a line per directory, `depth` parts of test names deep, and a column per
/// generation; below it the reasons of skips and the tests that neither passed nor were skipped.
/// Runs with test cases in common have columns and lists of their own, so that nothing is counted
/// twice.
pub fn by_directory(runs: &[(String, &[TestResult])], depth: usize) -> String {
    let results = || runs.iter().flat_map(|(_, results)| results.iter());
    let mut seen = BTreeSet::new();
    let common = results().any(|result| !seen.insert((&result.test, &result.generation)));
    let mut directories: BTreeMap<&str, Directory<'_>> = BTreeMap::new();
    for (number, (_, results)) in runs.iter().enumerate() {
        for result in *results {
            let number = if common { number } else { 0 };
            directories.entry(directory(&result.test, depth)).or_default().add(number, result);
        }
    }
    if !common {
        let columns: Vec<Column<'_>> =
            generations(results()).into_iter().map(|name| (0, name)).collect();
        let headings = columns.iter().map(|(_, name)| printable_line(name)).collect();
        return table(&directories, &columns, headings)
            + &skips(results(), "")
            + &others(results(), "");
    }
    let mut columns: Vec<Column<'_>> = Vec::new();
    for (number, (_, results)) in runs.iter().enumerate() {
        columns.extend(generations(results.iter()).into_iter().map(|name| (number, name)));
    }
    let heading = |(number, generation): &Column<'_>| {
        let name = runs.get(*number).map_or("", |(name, _)| name);
        printable_line(&format!("{name} {generation}"))
    };
    let mut text = table(&directories, &columns, columns.iter().map(heading).collect());
    for (name, results) in runs {
        let of = format!(" in {}", printable_line(name));
        text += &skips(results.iter(), &of);
        text += &others(results.iter(), &of);
    }
    text
}

/// A column of the table: number of the run, generation.
type Column<'a> = (usize, &'a str);

/// The results of one directory.
#[derive(Default)]
struct Directory<'a> {
    tests: BTreeSet<&'a str>,
    counts: BTreeMap<Column<'a>, Counts>,
}

impl<'a> Directory<'a> {
    fn add(&mut self, number: usize, result: &'a TestResult) {
        self.tests.insert(&result.test);
        self.counts.entry((number, &result.generation)).or_default().add(result.status);
    }
}

/// Returns the first parts of a test's name, without the test itself.
fn directory(test: &str, depth: usize) -> &str {
    let parent = test.rfind('/').unwrap_or(0);
    let cut = test.match_indices('/').nth(depth.saturating_sub(1)).map_or(parent, |(at, _)| at);
    &test[..cut.min(parent)]
}

/// Returns the columns: generations in their order, then any other names.
fn generations<'a>(results: impl Iterator<Item = &'a TestResult>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = results.map(|result| &*result.generation).collect();
    let mut generations: Vec<&str> = names.into_iter().collect();
    let known = Target::ALL.map(Target::name);
    generations.sort_by_key(|name| known.iter().position(|g| g == name).unwrap_or(known.len()));
    generations
}

fn table(
    directories: &BTreeMap<&str, Directory<'_>>,
    columns: &[Column<'_>],
    headings: Vec<String>,
) -> String {
    let mut text = String::from("| directory | tests |");
    headings.iter().for_each(|heading| text += &format!(" {heading} |"));
    text += "\n|---|---:|";
    text += &"---:|".repeat(columns.len());
    text.push('\n');
    for (name, directory) in directories {
        let _ =
            write!(text, "| `{}` | {} |", printable_line(name), thousands(directory.tests.len()));
        for column in columns {
            let _ =
                write!(text, " {} |", directory.counts.get(column).map_or(String::from("–"), cell));
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
fn skips<'a>(results: impl Iterator<Item = &'a TestResult>, of: &str) -> String {
    let mut reasons: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for result in results.filter(|result| result.status == Status::Skip) {
        let reason = without_numbers(result.reason.as_deref().unwrap_or_default());
        *reasons.entry(reason).or_default().entry(&result.generation).or_default() += 1;
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
        if i == 0 {
            let _ = write!(text, "\nSkipped{of}, most on one generation:\n\n");
        }
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

fn others<'a>(results: impl Iterator<Item = &'a TestResult>, of: &str) -> String {
    let mut text = String::new();
    for result in results.filter(|result| !matches!(result.status, Status::Pass | Status::Skip)) {
        if text.is_empty() {
            let _ = write!(text, "\nNeither passed nor skipped{of}:\n\n");
        }
        let phase = result.phase.map_or("", Phase::name);
        let _ = writeln!(
            text,
            "* `{}` {}: {} {phase}",
            printable_line(&result.test),
            printable_line(&result.generation),
            result.status
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
