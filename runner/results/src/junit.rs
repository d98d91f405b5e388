//! `junit.xml`: a suite per directory, a case per test and generation. Timestamps are fixed, so
//! that equal runs give equal files except for durations.

use std::collections::BTreeMap;
use std::io;

use junit_report::{
    Duration, OffsetDateTime, ReportBuilder, TestCase, TestCaseBuilder, TestSuiteBuilder,
};

use crate::expect::{is_bad, label};
use crate::names::{printable, printable_line};
use crate::verdict::{Outcome, Status, TestResult};

/// Maximum length of a case's text in bytes; CI systems refuse or truncate longer ones.
const TEXT_LIMIT: usize = 8 << 10;
/// Maximum length of a message in bytes, for lists of failures.
const MESSAGE_LIMIT: usize = 300;
/// Maximum total length of texts in a report; later cases have messages only.
const REPORT_LIMIT: usize = 8 << 20;

/// The selection of results in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Junit {
    /// All results.
    #[default]
    All,
    /// Only unexpected results.
    FailuresOnly,
}

/// Renders the report of sorted results.
pub(super) fn render(rows: &[TestResult], which: Junit) -> io::Result<Vec<u8>> {
    let mut suites: BTreeMap<&str, Vec<&TestResult>> = BTreeMap::new();
    for row in rows.iter().filter(|row| which == Junit::All || !row.is_good()) {
        suites.entry(split(&row.test).0).or_default().push(row);
    }
    let mut report = ReportBuilder::new();
    let mut room = REPORT_LIMIT;
    for (directory, rows) in suites {
        let mut suite = TestSuiteBuilder::new(&line(directory));
        suite.set_timestamp(OffsetDateTime::UNIX_EPOCH);
        suite.add_testcases(rows.into_iter().map(|row| case(row, &mut room)));
        report.add_testsuite(suite.build());
    }
    let mut text = Vec::new();
    report.build().write_xml(&mut text).map_err(io::Error::other)?;
    Ok(text)
}

/// Splits a test's name into directory and last part.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

fn case(row: &TestResult, room: &mut usize) -> TestCase {
    let (directory, last) = split(&row.test);
    let name = line(&format!("{last} [{}]", row.generation));
    let time = Duration::microseconds(i64::try_from(row.duration_us).unwrap_or(i64::MAX));
    let message = message(row);
    let mut case = match result(row) {
        Result::Success => TestCaseBuilder::success(&name, time),
        // The writer of the format gives skips no text.
        Result::Skipped => TestCaseBuilder::skipped(&name),
        Result::Failure(kind) => TestCaseBuilder::failure(&name, time, kind, &message),
        Result::Error(kind) => TestCaseBuilder::error(&name, time, kind, &message),
    };
    let text = text(row, &message);
    if !text.is_empty() && text.len() <= *room {
        *room -= text.len();
        case.set_system_out(&text);
    }
    case.set_classname(&line(directory).replace('/', ".")).build()
}

/// The status of a case in the format's terms.
enum Result {
    Success,
    Skipped,
    Failure(&'static str),
    Error(&'static str),
}

/// Translates a result. An expected failure counts as skipped, a failure of a known flake as a
/// success, and an improvement as a failure, since the baseline needs an update.
fn result(row: &TestResult) -> Result {
    match (row.outcome, row.status) {
        (Outcome::Improved, _) => Result::Failure("improved"),
        (Outcome::Missing, _) => Result::Failure("missing"),
        (Outcome::Flake, _) if row.differed => Result::Failure("flake"),
        (Outcome::Flake, _) => Result::Success,
        (Outcome::Expected, status) if is_bad(status) => Result::Skipped,
        (_, Status::Pass | Status::Warn) => Result::Success,
        (_, Status::Skip) => Result::Skipped,
        (_, Status::Fail) => Result::Failure(row.phase.map_or("fail", |phase| phase.name())),
        (_, Status::Crash | Status::Timeout) => Result::Error(row.status.name()),
    }
}

/// Returns the first line of the reason with its phase: `probe: line 12: Probe color at (0,0)`.
fn message(row: &TestResult) -> String {
    if row.outcome == Outcome::Improved {
        return format!("{}: the baseline expects worse", label(row.status, row.outcome));
    }
    let phase = row.phase.map(|phase| format!("{phase}: ")).unwrap_or_default();
    let reason =
        shortened(row.reason.as_deref().unwrap_or(""), MESSAGE_LIMIT).lines().next().unwrap_or("");
    shortened(&line(&format!("{phase}{reason}")), MESSAGE_LIMIT).to_owned()
}

/// Everything that is known of what happened. It becomes raw text, whose end mark it must not
/// contain.
fn text(row: &TestResult, message: &str) -> String {
    let reason = valid(&printable(shortened(row.reason.as_deref().unwrap_or(""), TEXT_LIMIT)));
    let reason = reason.replace("]]>", "]]&gt;");
    match row.outcome {
        Outcome::Flake => format!("{}: {reason}", label(row.status, row.outcome)),
        _ if reason.is_empty() => String::new(),
        _ => {
            // The first line with its layer, then the rest.
            let rest =
                reason.split_once('\n').map(|(_, rest)| format!("\n{rest}")).unwrap_or_default();
            format!("{}{rest}", message.replace("]]>", "]]&gt;"))
        }
    }
}

/// A name in one line, of characters that XML has.
fn line(text: &str) -> String {
    valid(&printable_line(text))
}

/// Escapes characters that XML does not allow.
fn valid(text: &str) -> String {
    text.replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

/// Truncates a text to at most `limit` bytes.
fn shortened(text: &str, limit: usize) -> &str {
    let end =
        (0..=text.len().min(limit)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}
