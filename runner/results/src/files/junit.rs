//! `junit.xml`: a suite per directory, a case per test and generation. Equal runs give equal files
//! except for durations and timestamps.

use std::collections::BTreeMap;
use std::io;

use junit_report::{
    Duration, OffsetDateTime, ReportBuilder, TestCase, TestCaseBuilder, TestSuite, TestSuiteBuilder,
};

use super::jsonl::DriverHeader;
use crate::expect::{is_bad, label};
use crate::names::{printable, printable_line, shortened};
use crate::repeat::Repeat;
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
    /// The OpenGL driver.
    pub driver: Option<&'a DriverHeader>,
}

/// Renders the report of sorted results.
///
/// # Errors
/// The writer of the format fails.
pub(super) fn render(results: &[TestResult], report: &Report<'_>) -> io::Result<String> {
    let mut suites: BTreeMap<&str, Vec<&TestResult>> = BTreeMap::new();
    for result in results.iter().filter(|result| report.which == Junit::All || !result.is_good()) {
        suites.entry(directory(&result.test)).or_default().push(result);
    }
    let properties = report.driver.map(properties).unwrap_or_default();
    let (mut room, mut body, mut totals) = (REPORT_LIMIT, String::new(), Totals::default());
    for (index, (directory, results)) in suites.into_iter().enumerate() {
        let mut suite = TestSuiteBuilder::new(&line(directory));
        suite.set_timestamp(report.started.truncate_to_second());
        suite.add_testcases(
            results.into_iter().map(|result| case(result, report.repeat, &mut room)),
        );
        let suite = suite.build();
        totals.add(&suite);
        body += &suite_element(suite, index, &properties)?;
    }
    Ok(format!("{DECLARATION}<testsuites {}>{body}</testsuites>\n", totals.attributes()))
}

/// Start of every report.
const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>";

/// Renders the names of a driver as properties of a suite.
fn properties(driver: &DriverHeader) -> String {
    let names = [
        ("gl.renderer", &driver.renderer),
        ("gl.vendor", &driver.vendor),
        ("gl.version", &driver.version),
    ];
    let property = |(name, value): (&str, &String)| {
        let escaped = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
            .into_iter()
            .fold(line(value), |text, (from, to)| text.replace(from, to));
        format!("<property name=\"{name}\" value=\"{escaped}\"/>")
    };
    format!("<properties>{}</properties>", names.map(property).concat())
}

/// Renders one suite with what the writer of the format leaves out: its number in the report, the
/// number of skipped cases, and `properties`, which come first in it.
fn suite_element(suite: TestSuite, index: usize, properties: &str) -> io::Result<String> {
    let skipped = suite.skipped();
    let (mut report, mut text) = (ReportBuilder::new(), Vec::new());
    report.add_testsuite(suite).build().write_xml(&mut text).map_err(io::Error::other)?;
    let text = String::from_utf8(text).map_err(io::Error::other)?;
    let element = text
        .strip_prefix(DECLARATION)
        .and_then(|text| text.strip_prefix("<testsuites><testsuite id=\"0\""))
        .and_then(|text| text.strip_suffix("</testsuites>"));
    let element = element.ok_or_else(|| io::Error::other("another form of JUnit reports"))?;
    let (attributes, rest) = element.split_once('>').unwrap_or((element, ""));
    Ok(format!("\n<testsuite id=\"{index}\" skipped=\"{skipped}\"{attributes}>{properties}{rest}"))
}

/// Numbers of the whole report.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    tests: usize,
    failures: usize,
    errors: usize,
    time: Duration,
}

impl Totals {
    fn add(&mut self, suite: &TestSuite) {
        self.tests += suite.tests();
        self.failures += suite.failures();
        self.errors += suite.errors();
        self.time += suite.time();
    }

    fn attributes(&self) -> String {
        let Totals { tests, failures, errors, time } = self;
        let time = time.as_seconds_f64();
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time}\"")
    }
}

/// Returns the directory of a test's name.
fn directory(name: &str) -> &str {
    name.rsplit_once('/').map_or(ROOT, |(directory, _)| directory)
}

/// Returns the last part of a test's name.
fn last(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

fn case(result: &TestResult, repeat: &Repeat, room: &mut usize) -> TestCase {
    let name = line(&format!("{} [{}]", last(&result.test), result.generation));
    let time = Duration::microseconds(i64::try_from(result.duration_us).unwrap_or(i64::MAX));
    let (verdict, message) = (verdict(result), message(result));
    let mut case = match verdict {
        Verdict::Success => TestCaseBuilder::success(&name, time),
        Verdict::Skipped => {
            TestCaseBuilder::skipped_with_cause(&name, result.status.name(), &message)
        }
        Verdict::Failure(kind) => TestCaseBuilder::failure(&name, time, kind, &message),
        Verdict::Error(kind) => TestCaseBuilder::error(&name, time, kind, &message),
    };
    let text = text(result, &message, &verdict, repeat).replace("]]>", "]]&gt;");
    if !text.is_empty() && text.len() <= *room {
        *room -= text.len();
        match verdict {
            Verdict::Success => drop(case.set_system_out(&text)),
            _ => drop(case.set_trace(&text)),
        }
    }
    let class = line(directory(&result.test)).replace('/', ".");
    let mut case = case.set_classname(&class).build();
    case.time = time;
    case
}

/// The status of a case in the format's terms.
enum Verdict {
    Success,
    Skipped,
    Failure(&'static str),
    Error(&'static str),
}

/// Translates a result. An expected failure counts as skipped, a failure of a known flake as a
/// success, and an improvement as a failure, since the baseline needs an update.
fn verdict(result: &TestResult) -> Verdict {
    match (result.outcome, result.status) {
        (Outcome::Improved, _) => Verdict::Failure("improved"),
        (Outcome::Missing, _) => Verdict::Failure("missing"),
        (Outcome::Flake, _) if result.differed => Verdict::Failure("flake"),
        (Outcome::Flake, _) => Verdict::Success,
        (Outcome::Expected, status) if is_bad(status) => Verdict::Skipped,
        (_, Status::Pass | Status::Warn) => Verdict::Success,
        (_, Status::Skip) => Verdict::Skipped,
        (_, Status::Fail) => Verdict::Failure(result.phase.map_or("fail", |phase| phase.name())),
        (_, Status::Crash | Status::Timeout) => Verdict::Error(result.status.name()),
    }
}

/// Returns the first line of the reason with its phase: `probe: line 12: Probe color at (0,0)`.
fn message(result: &TestResult) -> String {
    if result.outcome == Outcome::Improved {
        return format!("{}: the baseline expects worse", label(result.status, result.outcome));
    }
    let expected = match result.outcome {
        Outcome::Expected if is_bad(result.status) => format!("expected {}: ", result.status),
        _ => String::new(),
    };
    let phase = result.phase.map(|phase| format!("{phase}: ")).unwrap_or_default();
    let reason = shortened(result.reason.as_deref().unwrap_or(""), MESSAGE_LIMIT)
        .lines()
        .next()
        .unwrap_or("");
    shortened(&line(&format!("{expected}{phase}{reason}")), MESSAGE_LIMIT).to_owned()
}

/// Returns the whole reason, and for failures the command that executes the test case again.
fn text(result: &TestResult, message: &str, verdict: &Verdict, repeat: &Repeat) -> String {
    let reason = valid(&printable(shortened(result.reason.as_deref().unwrap_or(""), TEXT_LIMIT)));
    if let Verdict::Success | Verdict::Skipped = verdict {
        return match result.outcome {
            Outcome::Flake => format!("{}: {reason}", label(result.status, result.outcome)),
            _ => reason,
        };
    }
    // The first line with its phase, then the rest.
    let rest = reason.split_once('\n').map(|(_, rest)| format!("\n{rest}")).unwrap_or_default();
    let command = repeat.command(&result.test, &result.generation);
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
