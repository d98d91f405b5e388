//! `junit.xml`: a suite per directory, a case per test and generation. Equal runs give equal files
//! except for durations and timestamps.

use std::collections::BTreeMap;
use std::fmt::Write;

use time::OffsetDateTime;

use crate::Repeat;
use crate::expect::{is_bad, label};
use crate::names::{printable, printable_line};
use crate::verdict::{Outcome, Status, TestResult};

/// Maximum length of a case's text in bytes; CI systems refuse or truncate longer ones.
const TEXT_LIMIT: usize = 8 << 10;
/// Maximum length of a message in bytes, for lists of failures.
const MESSAGE_LIMIT: usize = 300;
/// Maximum total length of texts in a report; later cases have messages only.
const REPORT_LIMIT: usize = 8 << 20;
/// Suite and class of tests whose name has no directory, in Jenkins's words.
const ROOT: &str = "(root)";

/// The selection of results in a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Junit {
    /// All results.
    #[default]
    All,
    /// Only unexpected results.
    FailuresOnly,
}

/// The contents of a report beside the results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Report<'a> {
    /// Selection of the results.
    pub which: Junit,
    /// Start of the run.
    pub started: OffsetDateTime,
    /// Commands of the test cases.
    pub repeat: &'a Repeat,
}

/// Renders the report of sorted results.
pub(super) fn render(rows: &[TestResult], report: &Report<'_>) -> String {
    let mut suites: BTreeMap<&str, Vec<&TestResult>> = BTreeMap::new();
    for row in rows.iter().filter(|row| report.which == Junit::All || !row.is_good()) {
        suites.entry(directory(&row.test)).or_default().push(row);
    }
    let timestamp = timestamp(report.started);
    let mut room = REPORT_LIMIT;
    let (mut body, mut totals) = (String::new(), Totals::default());
    for (index, (directory, rows)) in suites.into_iter().enumerate() {
        let (mut cases, mut counts) = (String::new(), Totals::default());
        for row in rows {
            let result = result(row);
            counts.add(&result, row.duration_us);
            cases += &case(row, &result, report.repeat, &mut room);
        }
        let name = attribute(&line(directory));
        write_to(
            &mut body,
            format_args!(
                "  <testsuite id=\"{index}\" name=\"{name}\" {counts} skipped=\"{}\" \
                 timestamp=\"{timestamp}\">\n{cases}  </testsuite>\n",
                counts.skipped,
                counts = counts.attributes(),
            ),
        );
        totals.merge(counts);
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites {}>\n{body}</testsuites>\n",
        totals.attributes()
    )
}

/// Numbers of a suite or of the whole report.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    duration_us: u64,
}

impl Totals {
    fn add(&mut self, result: &Result, duration_us: u64) {
        self.tests += 1;
        self.duration_us += duration_us;
        match result {
            Result::Success => {}
            Result::Skipped => self.skipped += 1,
            Result::Failure(_) => self.failures += 1,
            Result::Error(_) => self.errors += 1,
        }
    }

    fn merge(&mut self, other: Totals) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.duration_us += other.duration_us;
    }

    /// Returns the attributes that suites and reports share.
    fn attributes(&self) -> String {
        let Totals { tests, failures, errors, .. } = self;
        let time = seconds(self.duration_us);
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time}\"")
    }
}

/// Returns a duration in seconds.
fn seconds(duration_us: u64) -> String {
    format!("{}.{:06}", duration_us / 1_000_000, duration_us % 1_000_000)
}

/// Returns a time in UTC to the second: `2026-11-20T09:30:00Z`.
fn timestamp(time: OffsetDateTime) -> String {
    let (year, month, day) = (time.year(), u8::from(time.month()), time.day());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the directory of a test's name.
fn directory(name: &str) -> &str {
    name.rsplit_once('/').map_or(ROOT, |(directory, _)| directory)
}

/// Returns the last part of a test's name.
fn last(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

fn case(row: &TestResult, result: &Result, repeat: &Repeat, room: &mut usize) -> String {
    let name = attribute(&line(&format!("{} [{}]", last(&row.test), row.generation)));
    let class = attribute(&line(directory(&row.test)).replace('/', "."));
    let message = message(row);
    let mut text = escaped(&text(row, &message, result, repeat));
    if text.len() > *room {
        text.clear();
    }
    *room -= text.len();
    let message = attribute(&message);
    let content = match result {
        Result::Success if text.is_empty() => String::new(),
        Result::Success => format!("<system-out>{text}</system-out>"),
        Result::Skipped => format!("<skipped message=\"{message}\"/>"),
        Result::Failure(kind) => {
            format!("<failure type=\"{kind}\" message=\"{message}\">{text}</failure>")
        }
        Result::Error(kind) => {
            format!("<error type=\"{kind}\" message=\"{message}\">{text}</error>")
        }
    };
    let time = seconds(row.duration_us);
    let start = format!("    <testcase name=\"{name}\" classname=\"{class}\" time=\"{time}\"");
    match content.is_empty() {
        true => format!("{start}/>\n"),
        false => format!("{start}>{content}</testcase>\n"),
    }
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
    let expected = match row.outcome {
        Outcome::Expected if is_bad(row.status) => format!("expected {}: ", row.status),
        _ => String::new(),
    };
    let phase = row.phase.map(|phase| format!("{phase}: ")).unwrap_or_default();
    let reason =
        shortened(row.reason.as_deref().unwrap_or(""), MESSAGE_LIMIT).lines().next().unwrap_or("");
    shortened(&line(&format!("{expected}{phase}{reason}")), MESSAGE_LIMIT).to_owned()
}

/// Returns the whole reason, and for failures the command that executes the test case again.
fn text(row: &TestResult, message: &str, result: &Result, repeat: &Repeat) -> String {
    let reason = valid(&printable(shortened(row.reason.as_deref().unwrap_or(""), TEXT_LIMIT)));
    if let Result::Success | Result::Skipped = result {
        return match row.outcome {
            Outcome::Flake => format!("{}: {reason}", label(row.status, row.outcome)),
            _ => reason,
        };
    }
    // The first line with its phase, then the rest.
    let rest = reason.split_once('\n').map(|(_, rest)| format!("\n{rest}")).unwrap_or_default();
    let command = repeat.command(&row.test, &row.generation);
    let command = command.map(|command| format!("\n\nTo repeat: {}", valid(&command)));
    format!("{message}{rest}{}", command.unwrap_or_default())
}

/// Returns a text in one line, of characters that XML has.
fn line(text: &str) -> String {
    valid(&printable_line(text))
}

/// Escapes characters that XML does not allow.
fn valid(text: &str) -> String {
    text.replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}

/// Escapes the markup of XML in a text.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Escapes the markup of XML in the value of an attribute.
fn attribute(text: &str) -> String {
    escaped(text).replace('"', "&quot;")
}

/// Appends to a string, which cannot fail.
fn write_to(text: &mut String, content: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(content);
}

/// Truncates a text to at most `limit` bytes.
fn shortened(text: &str, limit: usize) -> &str {
    let end =
        (0..=text.len().min(limit)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}
