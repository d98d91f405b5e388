//! The data of the table, as scripts.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::entry::{Entry, ReportError, put};
use crate::diff::Change;
use crate::names::printable;
use crate::verdict::{Outcome, Phase, Status};

/// Approximate number of lines per file: the lines of one test stay together.
const CHUNK: usize = 5_000;
/// Maximum number of characters of a reason.
const REASON: usize = 160;

/// Statuses by number, as in the buttons of the page; the last one means no result.
pub(super) const STATUSES: [&str; 7] =
    ["skip", "warn", "pass", "fail", "crash", "timeout", "missing"];
/// Changes by number; 0 is none.
const CHANGES: [&str; 7] = ["", "regression", "new-failure", "fix", "other", "new", "not-run"];
/// Outcomes by number; 0 means an absent result.
const OUTCOMES: [&str; 6] = ["", "expected", "unexpected", "improved", "flake", "missing"];

/// `data/meta.js`: the words that the numbers mean.
#[derive(Serialize)]
struct Meta<'a> {
    statuses: [&'static str; 7],
    phases: Vec<&'static str>,
    changes: [&'static str; 7],
    outcomes: [&'static str; 6],
    gens: &'a [String],
}

/// One line: generation, status, phase, outcome, change, µs, instructions, reason, page.
type Line = (usize, usize, usize, usize, usize, u64, u64, usize, usize);

/// Returns the position of an entry's status in [`STATUSES`].
pub(super) fn status_number(entry: &Entry<'_>) -> usize {
    let status = entry.status();
    status
        .and_then(|status| Status::ALL.iter().position(|&s| s == status))
        .unwrap_or(STATUSES.len() - 1)
}

/// Writes the files and returns the number of chunks.
pub(super) fn write(out: &Path, entries: &[Entry<'_>]) -> Result<usize, ReportError> {
    let labels: Vec<String> = entries.iter().map(|entry| printable(&entry.label())).collect();
    let mut gens: Vec<String> = labels.clone();
    gens.sort();
    gens.dedup();
    let phases = std::iter::once("").chain(Phase::ALL.map(Phase::name)).collect();
    let meta =
        Meta { statuses: STATUSES, phases, changes: CHANGES, outcomes: OUTCOMES, gens: &gens };
    let folder = out.join("data");
    put(&folder.join("meta.js"), format!("meta({});\n", json(&meta)).as_bytes())?;
    let mut chunks = 0;
    let mut chunk = Chunk::default();
    let mut start = 0;
    for group in entries.chunk_by(|a, b| a.test() == b.test()) {
        let labels = &labels[start..start + group.len()];
        start += group.len();
        let gen_number = |label: &String| gens.binary_search(label).unwrap_or(0);
        chunk.add(group, labels.iter().map(gen_number));
        if chunk.results >= CHUNK || start == entries.len() {
            let text = format!("chunk({},{});\n", json(&chunk.tests), json(&chunk.reasons));
            put(&folder.join(format!("{chunks}.js")), text.as_bytes())?;
            chunks += 1;
            chunk = Chunk::default();
        }
    }
    Ok(chunks)
}

/// Lines of one file.
#[derive(Default)]
struct Chunk {
    tests: Vec<(String, Vec<Line>)>,
    reasons: Vec<String>,
    known: BTreeMap<String, usize>,
    results: usize,
}

impl Chunk {
    fn add(&mut self, group: &[Entry<'_>], gens: impl Iterator<Item = usize>) {
        let lines =
            group.iter().zip(gens).map(|(entry, number)| self.line(entry, number)).collect();
        let name = group.first().map(|entry| printable(entry.test())).unwrap_or_default();
        self.tests.push((name, lines));
        self.results += group.len();
    }

    fn line(&mut self, entry: &Entry<'_>, number: usize) -> Line {
        let result = entry.pair.new;
        let phase = result.and_then(|result| result.phase);
        let phase = phase
            .and_then(|phase| Phase::ALL.iter().position(|&p| p == phase))
            .map_or(0, |n| n + 1);
        let outcome = result.map_or(0, |result| match result.outcome {
            Outcome::Expected => 1,
            Outcome::Unexpected => 2,
            Outcome::Improved => 3,
            Outcome::Flake => 4,
            Outcome::Missing => 5,
        });
        let change = match entry.change {
            Some(Change::Regression) => 1,
            Some(Change::NewFailure) => 2,
            Some(Change::Fix) => 3,
            Some(Change::Other) => 4,
            Some(Change::New) => 5,
            Some(Change::NotRun) => 6,
            Some(Change::Same) | None => 0,
        };
        let duration = result.map_or(0, |result| result.duration_us);
        let instructions = result
            .map_or(0, |result| result.stages.iter().map(|s| u64::from(s.instructions)).sum());
        let reason =
            result.and_then(|result| result.reason()).map_or(0, |reason| self.reason(reason));
        let page = entry.page.unwrap_or(0);
        (number, status_number(entry), phase, outcome, change, duration, instructions, reason, page)
    }

    /// Returns the number of a reason's first line, from 1.
    fn reason(&mut self, reason: &str) -> usize {
        let first = reason.lines().next().unwrap_or("");
        let text = printable(&first.chars().take(REASON).collect::<String>());
        if let Some(&number) = self.known.get(&text) {
            return number;
        }
        self.reasons.push(text.clone());
        self.known.insert(text, self.reasons.len());
        self.reasons.len()
    }
}

/// Renders a JSON value, which is also a JavaScript value; numbers and text are always
/// serializable.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
