//! The files of a run.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use super::{csv, junit};
use crate::event::{Reporter, TestEvent};
use crate::verdict::TestResult;
use crate::verdict::{Counts, Outcome, Phase, Status};
use crate::*;

fn result(test: &str, generation: &str, status: Status) -> TestResult {
    let failed = status != Status::Pass;
    TestResult {
        phase: failed.then_some(Phase::Probe),
        reason: failed.then(|| "expected <1> & \"2\"\u{1b}".into()),
        duration_us: 1500,
        ..TestResult::plain(test, generation, status)
    }
}

fn header() -> Header {
    let options = BTreeMap::from([("backend".to_owned(), "vec4".to_owned())]);
    Header::new(vec!["hsw".into(), "ivb".into()], options, None)
}

fn run(results: &[TestResult], finish: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = ResultsWriter::create(folder.path(), header()).unwrap();
    for result in results {
        writer.event(&TestEvent::Finished { case: 0, result: Box::new(result.clone()) }).unwrap();
    }
    if finish {
        let finished = TestEvent::RunFinished {
            counts: Counts::default(),
            total: results.len(),
            interrupted: false,
            elapsed: Duration::ZERO,
        };
        writer.event(&finished).unwrap();
    }
    folder
}

fn results() -> Vec<TestResult> {
    vec![
        result("b/x", "ivb", Status::Fail),
        result("b/x", "hsw", Status::Skip),
        result("a/y", "ivb", Status::Pass),
        result("a/z", "ivb", Status::Crash),
    ]
}

#[test]
fn rows_are_there_before_the_run_ends() {
    let folder = run(&results(), false);
    let text = fs::read_to_string(folder.path().join(RESULTS_FILE)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(
        lines[0],
        format!(
            "{{\"format\":1,\"version\":\"{}\",\"gens\":[\"hsw\",\"ivb\"],\"options\":{{\"backend\":\"vec4\"}},\
             \"revision\":null}}",
            env!("CARGO_PKG_VERSION")
        )
    );
    assert_eq!(serde_json::from_str::<TestResult>(lines[1]).unwrap(), results()[0]);
}

#[test]
fn finished_runs_are_sorted_whatever_the_order_of_arrival() {
    let start = regex::bytes::Regex::new(" timestamp=\"[^\"]*\"").unwrap();
    let read = |folder: &tempfile::TempDir, name: &str| {
        let contents = fs::read(folder.path().join(name)).unwrap();
        start.replace_all(&contents, &b""[..]).into_owned()
    };
    let forward = run(&results(), true);
    let backward = run(&results().into_iter().rev().collect::<Vec<_>>(), true);
    for name in [RESULTS_FILE, "results.ivb.csv", "results.hsw.csv", "junit.xml"] {
        assert_eq!(read(&forward, name), read(&backward, name), "{name}");
    }
    let text = String::from_utf8(read(&forward, RESULTS_FILE)).unwrap();
    let keys: Vec<(String, String)> = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<TestResult>(line).unwrap())
        .map(|result| (result.test, result.generation))
        .collect();
    let expected = [("a/y", "ivb"), ("a/z", "ivb"), ("b/x", "hsw"), ("b/x", "ivb")];
    assert_eq!(keys, expected.map(|(test, generation)| (test.to_owned(), generation.to_owned())));
    let leftovers = fs::read_dir(forward.path()).unwrap().count();
    assert_eq!(leftovers, 4, "no temporary files stay behind");
}

#[test]
fn csv_is_deqp_runners() {
    let folder = run(&results(), true);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        read("results.ivb.csv"),
        "a/y,Pass,0.001500\na/z,Crash,0.001500\nb/x,Fail,0.001500\n"
    );
    assert_eq!(read("results.hsw.csv"), "b/x,Skip,0.001500\n");
    let odd = result("a,\"b\"\n", "ivb", Status::Pass);
    assert_eq!(csv::render([&odd].into_iter()), b"\"a,\"\"b\"\"\\n\",Pass,0.001500\n");
}

fn junit_of(results: &[TestResult]) -> String {
    let (which, started) = (Junit::All, time::OffsetDateTime::UNIX_EPOCH);
    let report = junit::Report { which, started, repeat: &Repeat::default(), driver: None };
    junit::render(results, &report).unwrap()
}

#[test]
fn junit_has_a_suite_per_directory_and_escapes() {
    let folder = run(&results(), true);
    let xml = fs::read_to_string(folder.path().join("junit.xml")).unwrap();
    for part in [
        "<testsuite id=\"0\" skipped=\"0\" name=\"a\"",
        "<testsuite id=\"1\" skipped=\"1\" name=\"b\"",
        "name=\"y [ivb]\"",
        "name=\"x [hsw]\"",
        "type=\"probe\"",
        "type=\"crash\"",
        "<skipped type=\"skip\" message=",
        " timestamp=\"20",
        "\\u{1b}",
    ] {
        assert!(xml.contains(part), "{part} in {xml}");
    }
    assert!(xml.contains("probe: expected &lt;1&gt; &amp; ") && !xml.contains('\u{1b}'), "{xml}");
    let long =
        TestResult { reason: Some("é]]>".repeat(3000)), ..result("a", "ivb", Status::Fail) };
    let one = junit_of(std::slice::from_ref(&long));
    assert!(one.len() < 20 << 10);
    assert_eq!(one.matches("]]>").count(), 1, "the end of the only text");
    // The report stays within an accepted size however many tests fail.
    let many = vec![long; 4000];
    assert!(junit_of(&many).len() < 16 << 20);
}

#[test]
fn junit_knows_expectations() {
    let with = |test: &str, status, outcome| TestResult { outcome, ..result(test, "ivb", status) };
    let results = [
        with("a/known", Status::Fail, Outcome::Expected),
        with("a/better", Status::Pass, Outcome::Improved),
        with("a/odd", Status::Crash, Outcome::Flake),
        with("a/bad", Status::Fail, Outcome::Unexpected),
    ];
    let xml = junit_of(&results);
    assert_eq!(xml.matches("<skipped type=\"fail\" message=").count(), 1);
    for part in ["tests=\"4\"", "failures=\"2\"", "errors=\"0\""] {
        assert!(xml.contains(part), "{part} in {xml}");
    }
    for part in ["UnexpectedImprovement(Pass): ", "Flake: ", "type=\"improved\""] {
        assert!(xml.contains(part), "{part} in {xml}");
    }
}

#[test]
fn outcomes_follow_statuses_without_expectations() {
    let good = |status: Status| status.plain_outcome() == Outcome::Expected;
    assert!(good(Status::Pass) && good(Status::Skip) && good(Status::Warn));
    assert!(!good(Status::Fail) && !good(Status::Crash) && !good(Status::Timeout));
}
