//! `junit.xml`: a suite per directory, a case per test and generation. Timestamps are fixed, so that equal runs give
//! equal files apart from durations.

use std::collections::BTreeMap;
use std::io;

use junit_report::{Duration, OffsetDateTime, ReportBuilder, TestCase, TestCaseBuilder, TestSuiteBuilder};

use crate::expect::{is_bad, label};
use crate::names::printable;
use crate::verdict::{Layer, Outcome, Status, TestResult};

/// Longest failure text in bytes; CI systems refuse or cut very long ones.
const TEXT_LIMIT: usize = 8 << 10;

/// The report of sorted rows.
pub(super) fn render(rows: &[TestResult]) -> io::Result<Vec<u8>> {
    let mut suites: BTreeMap<&str, Vec<&TestResult>> = BTreeMap::new();
    for row in rows {
        suites.entry(split(&row.test).0).or_default().push(row);
    }
    let mut report = ReportBuilder::new();
    for (directory, rows) in suites {
        let mut suite = TestSuiteBuilder::new(&printable(directory));
        suite.set_timestamp(OffsetDateTime::UNIX_EPOCH);
        suite.add_testcases(rows.into_iter().map(case));
        report.add_testsuite(suite.build());
    }
    let mut text = Vec::new();
    report.build().write_xml(&mut text).map_err(io::Error::other)?;
    Ok(text)
}

/// Directory and last part of a test's name.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

fn case(row: &TestResult) -> TestCase {
    let (directory, last) = split(&row.test);
    let name = printable(&format!("{last} [{}]", row.target));
    let time = Duration::microseconds(i64::try_from(row.duration_us).unwrap_or(i64::MAX));
    let layer = row.layer.map_or("", Layer::name);
    let reason = row.reason.as_deref().unwrap_or("");
    let text = printable(shortened(reason));
    let classname = printable(directory).replace('/', ".");
    if is_bad(row.status) && row.is_good() || row.outcome == Outcome::Improved {
        return case_of_expectation(row, &name, time, &text).set_classname(&classname).build();
    }
    let mut case = match row.status {
        Status::Pass => TestCaseBuilder::success(&name, time),
        Status::Warn => {
            let mut case = TestCaseBuilder::success(&name, time);
            case.set_system_out(&text);
            case
        }
        Status::Skip => {
            let mut case = TestCaseBuilder::skipped(&name);
            case.set_system_out(&text);
            case
        }
        Status::Fail => TestCaseBuilder::failure(&name, time, layer, &text),
        Status::Crash | Status::Timeout => TestCaseBuilder::error(&name, time, row.status.name(), &text),
    };
    case.set_classname(&classname).build()
}

/// A row that an expectation speaks about: an expected failure counts as skipped (the format's
/// writer gives skips no text), a failure of a known
/// flake as a success, and an improvement as a failure, since the baseline wants an update.
fn case_of_expectation(row: &TestResult, name: &str, time: Duration, text: &str) -> TestCaseBuilder {
    let label = label(row.status, row.outcome);
    let note = format!("{label}: {text}");
    match row.outcome {
        Outcome::Improved => {
            TestCaseBuilder::failure(name, time, "improved", &format!("{label}: the baseline expects worse"))
        }
        Outcome::Flake => {
            let mut case = TestCaseBuilder::success(name, time);
            case.set_system_out(&note);
            case
        }
        _ => TestCaseBuilder::skipped(name),
    }
}

/// At most [`TEXT_LIMIT`] bytes.
fn shortened(text: &str) -> &str {
    let end = (0..=text.len().min(TEXT_LIMIT)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}
