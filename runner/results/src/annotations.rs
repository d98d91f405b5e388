//! Failures where people read changes: workflow commands of GitHub Actions, code-quality reports of
//! GitLab.
//!
//! Sources: "Workflow commands for GitHub Actions" in GitHub's documentation, and `command.ts` of
//! `actions/toolkit` for what has to be escaped; "Code Quality" in GitLab's documentation for the
//! report.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::place::{Place, place};
use crate::verdict::{Phase, Status, TestResult};

/// Maximum number of errors that GitHub shows of a step; it drops the rest without a word.
const GITHUB_ERRORS: usize = 10;

/// Results of one test that are not as expected and say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The test's file, relative to the repository, with `/` between parts.
    pub path: String,
    /// Place in the file; the first line if the reason names none.
    pub place: Place,
    /// Name of the test.
    pub test: String,
    /// Generations with this result.
    pub generations: Vec<String>,
    /// The options of the run, as results name them.
    pub variant: String,
    /// Status of the results.
    pub status: Status,
    /// The phase that broke.
    pub phase: Option<Phase>,
    /// Reason; empty if there is none.
    pub reason: String,
}

/// Returns the findings of results, in the order of tests. `path` gives the file of a test.
pub fn findings(results: &[TestResult], path: impl Fn(&str) -> String) -> Vec<Finding> {
    let mut groups: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for result in results.iter().filter(|result| !result.is_good()) {
        let reason = result.reason.as_deref().unwrap_or_default();
        let key = (&*result.test, &*result.variant, result.status, result.phase, reason);
        groups.entry(key).or_default().push(result.generation.clone());
    }
    let finding = |((test, variant, status, phase, reason), generations)| Finding {
        path: path(test),
        place: place(reason).unwrap_or(Place { line: 1, column: None }),
        test: String::from(test),
        generations,
        variant: String::from(variant),
        status,
        phase,
        reason: String::from(reason),
    };
    groups.into_iter().map(finding).collect()
}

impl Finding {
    /// Returns status, phase and generations: `fail: probe on ivb, hsw`.
    fn title(&self) -> String {
        let mut title = self.status.name().to_owned();
        if let Some(phase) = self.phase {
            let _ = write!(title, ": {phase}");
        }
        let _ = write!(title, " on {}", self.generations.join(", "));
        if !self.variant.is_empty() {
            let _ = write!(title, " ({})", self.variant);
        }
        title
    }

    /// Returns name of the test and reason.
    fn message(&self) -> String {
        match self.reason.trim() {
            "" => self.test.clone(),
            reason => format!("{}: {reason}", self.test),
        }
    }
}

/// Returns workflow commands that annotate the files: at most as many as GitHub shows of a step,
/// the last of which counts what it leaves out.
pub fn github(findings: &[Finding]) -> String {
    let fits = findings.len() <= GITHUB_ERRORS;
    let shown = if fits { findings.len() } else { GITHUB_ERRORS - 1 };
    let mut text = String::new();
    for finding in &findings[..shown] {
        let column = finding.place.column.map(|column| format!("col={column},"));
        let properties = format!(
            "file={},line={},{}title={}",
            property(&finding.path),
            finding.place.line,
            column.unwrap_or_default(),
            property(&finding.title())
        );
        let _ = writeln!(text, "::error {properties}::{}", data(&finding.message()));
    }
    if !fits {
        let more = findings.len() - shown;
        let _ = writeln!(text, "::error title=runner::{more} more results are not as expected");
    }
    text
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// An entry of GitLab's report.
#[derive(Serialize)]
struct Violation {
    description: String,
    check_name: String,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
}

/// Returns a code-quality report: a JSON array. Fingerprints stay the same from run to run while
/// test, generations, options, status and phase do.
///
/// # Errors
/// Never fails in practice: all values are serializable.
pub fn gitlab(findings: &[Finding]) -> serde_json::Result<String> {
    let violations: Vec<Violation> = findings.iter().map(violation).collect();
    serde_json::to_string_pretty(&violations).map(|text| text + "\n")
}

fn violation(finding: &Finding) -> Violation {
    let phase = finding.phase.map_or("", Phase::name);
    let check_name = match finding.phase {
        Some(phase) => format!("runner/{}/{phase}", finding.status.name()),
        None => format!("runner/{}", finding.status.name()),
    };
    let generations = finding.generations.join(",");
    let parts = [&finding.test, &generations, &finding.variant, finding.status.name(), phase];
    let fingerprint = blake3::hash(parts.join("\n").as_bytes()).to_hex().to_string();
    Violation {
        description: format!("{}: {}", finding.title(), finding.message()),
        check_name,
        fingerprint,
        severity: severity(finding.status),
        location: Location {
            path: finding.path.clone(),
            lines: Lines { begin: finding.place.line },
        },
    }
}

/// Returns GitLab's word for how bad a status is.
fn severity(status: Status) -> &'static str {
    match status {
        Status::Crash | Status::Timeout => "critical",
        Status::Fail => "major",
        Status::Skip | Status::Warn => "minor",
        Status::Pass => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(test: &str, generation: &str, reason: &str) -> TestResult {
        TestResult {
            phase: Some(Phase::Probe),
            reason: Some(reason.to_owned()),
            ..TestResult::plain(test, generation, Status::Fail)
        }
    }

    fn all(results: &[TestResult]) -> Vec<Finding> {
        findings(results, |name| format!("tests/{name}.shader_test"))
    }

    #[test]
    fn equal_failures_of_a_test_are_one_finding() {
        let results = [
            failure("a/b", "ivb", "line 14: probe (0, 0): 100% wrong\nExpected: 1"),
            failure("a/b", "skl", "line 14: probe (0, 0): 100% wrong\nExpected: 1"),
            failure("a/b", "si", "no memory"),
            TestResult::plain("a/c", "ivb", Status::Pass),
        ];
        let findings = all(&results);
        let seen: Vec<_> =
            findings.iter().map(|f| (f.place.line, f.generations.join(" "))).collect();
        assert_eq!(seen, [(14, "ivb skl".to_owned()), (1, "si".to_owned())]);
        assert_eq!(
            github(&findings[..1]),
            "::error file=tests/a/b.shader_test,line=14,title=fail%3A probe on ivb%2C skl::\
             a/b: line 14: probe (0, 0): 100%25 wrong%0AExpected: 1\n"
        );
    }

    #[test]
    fn github_gets_no_more_errors_than_it_shows() {
        let results: Vec<TestResult> =
            (0..12).map(|n| failure(&format!("t{n:02}"), "ivb", "line 3: no")).collect();
        let text = github(&all(&results));
        assert_eq!(text.lines().count(), GITHUB_ERRORS);
        let last = text.lines().last();
        assert_eq!(last, Some("::error title=runner::3 more results are not as expected"));
        assert_eq!(github(&all(&results[..10])).lines().count(), 10);
    }

    #[test]
    fn fingerprints_tell_findings_apart_and_stay() {
        let results = [failure("a", "ivb", "line 3: 1"), failure("b", "ivb", "line 3: 1")];
        let prints = |results: &[TestResult]| -> Vec<String> {
            all(results).iter().map(|f| violation(f).fingerprint).collect()
        };
        let first = prints(&results);
        assert_ne!(first[0], first[1]);
        let later = [failure("a", "ivb", "line 4: 2"), failure("b", "ivb", "line 3: 1")];
        assert_eq!(prints(&later), first);
    }
}
