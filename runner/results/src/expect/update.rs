//! `runner expect update`: edits baselines after a run. Only lines that the run proves stale
//! change; comments, order and everything else stay as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::ScopedFile;
use super::files::baseline_fields;
use super::rule::{Baseline, is_bad};
use crate::names::piglit_name;
use crate::verdict::{Outcome, Status, TestResult};
use vocabulary::Target;

/// Results of a run by test and generation, with names in both forms.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    statuses: BTreeMap<String, BTreeMap<Target, Status>>,
    generations: BTreeSet<Target>,
}

impl Ran {
    /// Collects the results. A test with several variants counts with its worst status, a missing
    /// one as skipped: no bad status is expected of it.
    pub fn new(results: &[TestResult]) -> Ran {
        let mut ran = Ran::default();
        for result in results {
            let Some(generation) = Target::from_name(&result.generation) else { continue };
            ran.generations.insert(generation);
            for name in BTreeSet::from([result.test.clone(), piglit_name(&result.test)]) {
                let status = ran
                    .statuses
                    .entry(name)
                    .or_default()
                    .entry(generation)
                    .or_insert(result.status);
                if result.status.precedence() > status.precedence() {
                    *status = result.status;
                }
            }
        }
        ran
    }
}

/// An edited baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The new text.
    pub text: String,
    /// Number of removed lines.
    pub removed: usize,
    /// Number of lines with a changed status.
    pub changed: usize,
    /// Number of added lines.
    pub added: usize,
    /// Test cases that the added lines cover.
    pub additions: Vec<(String, Target)>,
    /// Names of tests that look stale, but whose line also covers generations that did not run or
    /// still fail.
    pub undecided: Vec<String>,
}

/// The treatment of a line.
pub(super) enum Fate {
    Keep,
    Remove,
    Change(Baseline),
    Undecided,
}

/// Edits a baseline's text. With `add`, appends the tests that fail unexpectedly on every one of
/// the file's generations that ran and that no line of any file covers (see `known`), in the order
/// of their names.
pub fn baseline(
    text: &str,
    file: &ScopedFile,
    ran: &Ran,
    add: bool,
    known: &dyn Fn(&str, Target) -> bool,
    results: &[TestResult],
) -> Edited {
    let mut edited = Edited::default();
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let fields = (!content.starts_with('#')).then(|| baseline_fields(content)).flatten();
        match fields.map(|(name, said)| (fate(&name, said, file.scope.as_deref(), ran), name, said))
        {
            Some((Fate::Remove, ..)) => edited.removed += 1,
            Some((Fate::Change(status), _, said)) => {
                edited.changed += 1;
                edited.text.push_str(&with_status(line, said, status));
            }
            Some((Fate::Undecided, name, _)) => {
                edited.undecided.push(name);
                edited.text.push_str(line);
            }
            Some((Fate::Keep, ..)) | None => edited.text.push_str(line),
        }
    }
    if add {
        append(&mut edited, file.scope.as_deref(), known, results);
    }
    edited
}

/// Appends the unexpected failures that a file's scope (`None`: all generations) describes with one
/// line: tests that fail in the same way on each of its generations on which they ran.
fn append(
    edited: &mut Edited,
    scope: Option<&[Target]>,
    known: &dyn Fn(&str, Target) -> bool,
    results: &[TestResult],
) {
    let mut tests: BTreeMap<&str, Vec<(Target, &TestResult)>> = BTreeMap::new();
    for result in results {
        let generation = Target::from_name(&result.generation);
        let covered = |g: &Target| scope.is_none_or(|scope| scope.contains(g));
        if let Some(generation) = generation.filter(covered) {
            tests.entry(&result.test).or_default().push((generation, result));
        }
    }
    for (name, results) in tests {
        let Some((_, first)) = results.first() else { continue };
        let alike = |(generation, result): &(Target, &TestResult)| {
            is_addable(result) && result.status == first.status && !known(name, *generation)
        };
        if !results.iter().all(alike) {
            continue;
        }
        if !edited.text.is_empty() && !edited.text.ends_with('\n') {
            edited.text.push('\n');
        }
        let quoted = if name.contains(['"', ',']) {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            name.to_owned()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(edited.text, "{quoted},{}", first.status.capitalized());
        edited.added += 1;
        let places = results.iter().map(|(generation, _)| (name.to_owned(), *generation));
        edited.additions.extend(places);
    }
}

/// Returns true if a line of a baseline can make the result expected.
pub fn is_addable(result: &TestResult) -> bool {
    result.outcome == Outcome::Unexpected && is_bad(result.status)
}

/// Returns the line with the status replaced and the rest unchanged.
fn with_status(line: &str, said: Baseline, status: Baseline) -> String {
    let end = line.len() - line.chars().rev().take_while(|&c| c == '\n' || c == '\r').count();
    let (content, ending) = line.split_at(end);
    let mut commas = content.match_indices(',').map(|(index, _)| index);
    let is_status = |from: usize| {
        let field = content[from..].split(',').next().unwrap_or("");
        Baseline::parse(field) == Some(said)
    };
    // `baseline_fields` took the first comma with a valid status after it: the name contains no
    // such field.
    let comma = match content.strip_prefix('"') {
        Some(_) => commas
            .filter(|&comma| content[..comma].ends_with('"'))
            .find(|&comma| is_status(comma + 1)),
        None => commas.find(|&comma| is_status(comma + 1)),
    };
    match comma {
        Some(comma) => format!("{},{status}{ending}", &content[..comma]),
        None => line.to_owned(),
    }
}

pub(super) fn fate(name: &str, said: Baseline, scope: Option<&[Target]>, ran: &Ran) -> Fate {
    let Some(statuses) = ran.statuses.get(name) else { return Fate::Keep };
    let covered: Vec<Target> = match scope {
        Some(scope) => scope.to_vec(),
        None => Target::INTEL
            .into_iter()
            .chain(ran.generations.iter().copied().filter(|&t| !Target::INTEL.contains(&t)))
            .collect(),
    };
    let seen: Vec<Status> =
        covered.iter().filter_map(|generation| statuses.get(generation).copied()).collect();
    // A baseline of the reference alone is not judged by hardware results, nor vice versa.
    if seen.is_empty() || !said.is_bad() {
        return Fate::Keep;
    }
    let agree = |status: &Status| Baseline::Status(*status) == said;
    if seen.iter().all(agree) {
        return Fate::Keep;
    }
    let all_ran = seen.len() == covered.len();
    let good = |status: &Status| !is_bad(*status);
    let same = seen.windows(2).all(|pair| pair[0] == pair[1]);
    match seen.first() {
        Some(_) if all_ran && seen.iter().all(good) => Fate::Remove,
        Some(&status) if all_ran && same => Fate::Change(Baseline::Status(status)),
        _ => Fate::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(test: &str, generation: &str, status: Status) -> TestResult {
        TestResult::plain(test, generation, status)
    }

    const TEXT: &str = "# ours\ntests/a/fixed,Fail\n\na@better,Crash,1.5\r\n  # note\ntests/a/same,Fail\ntests/a/other,Fail\n\
                        \"tests/a/q,uoted\",Timeout";

    fn results(generation: &str) -> Vec<TestResult> {
        vec![
            result("tests/a/fixed", generation, Status::Pass),
            result("tests/a/better", generation, Status::Fail),
            result("tests/a/same", generation, Status::Fail),
            result("tests/a/q,uoted", generation, Status::Crash),
            result("tests/a/new", generation, Status::Fail),
        ]
    }

    #[test]
    fn only_stale_lines_change() {
        let results = results("ivb");
        let edited = baseline(
            TEXT,
            &ScopedFile::parse("ivb=f"),
            &Ran::new(&results),
            false,
            &|_, _| false,
            &results,
        );
        assert_eq!(
            edited.text,
            "# ours\n\na@better,Fail\r\n  # note\ntests/a/same,Fail\ntests/a/other,Fail\n\"tests/a/q,uoted\",Crash"
        );
        assert_eq!(
            (edited.removed, edited.changed, edited.added, edited.undecided.len()),
            (1, 2, 0, 0)
        );
        let again = baseline(
            &edited.text,
            &ScopedFile::parse("ivb=f"),
            &Ran::new(&results),
            false,
            &|_, _| false,
            &results,
        );
        assert_eq!((again.text, again.removed + again.changed), (edited.text, 0));
    }

    #[test]
    fn other_generations_lines_stay() {
        let results = results("hsw");
        let edit = |scope: &str| {
            baseline(
                TEXT,
                &ScopedFile::parse(scope),
                &Ran::new(&results),
                false,
                &|_, _| false,
                &results,
            )
        };
        assert_eq!(edit("ivb=f").text, TEXT);
        // A file for all generations: one of them is not sufficient evidence.
        let shared = edit("f");
        assert_eq!(shared.text, TEXT);
        assert_eq!(shared.undecided, ["tests/a/fixed", "a@better", "tests/a/q,uoted"]);
        let all: Vec<TestResult> =
            Target::INTEL.iter().flat_map(|t| super::tests::results(t.name())).collect();
        let edited =
            baseline(TEXT, &ScopedFile::parse("f"), &Ran::new(&all), false, &|_, _| false, &all);
        assert_eq!((edited.removed, edited.changed), (1, 2));
    }

    #[test]
    fn new_failures_are_appended_on_request() {
        let results = results("ivb");
        let known = |name: &str, _| name != "tests/a/new";
        let edited = baseline(
            "tests/a/same,Fail",
            &ScopedFile::parse("ivb=f"),
            &Ran::new(&results),
            true,
            &known,
            &results,
        );
        assert_eq!(
            (edited.text.as_str(), edited.added),
            ("tests/a/same,Fail\ntests/a/new,Fail\n", 1)
        );
    }
}
