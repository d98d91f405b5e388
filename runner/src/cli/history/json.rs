//! Results over time as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cli::output::print_json;
use results::DriverHeader;
use results::history::{Point, RunEntry, Series};
use results::verdict::{Phase, Status};

/// A run.
#[derive(Serialize)]
struct Run<'a> {
    name: &'a str,
    /// Seconds since 1970.
    time: i64,
    version: &'a str,
    revision: Option<&'a str>,
    options: &'a str,
    counts: BTreeMap<&'static str, u64>,
    duration_us: u64,
    instructions: u64,
    driver: Option<&'a DriverHeader>,
}

/// A test case.
#[derive(Serialize)]
struct TestCase<'a> {
    test: &'a str,
    #[serde(rename = "gen")]
    generation: &'a str,
    variant: &'a str,
    /// The last status.
    status: Option<Status>,
    /// Name of the run with the first of the failures that last until now.
    failing_since: Option<&'a str>,
    flaky: bool,
    /// Number of results with another status than the one before.
    changes: usize,
    results: Vec<ResultOfRun<'a>>,
}

/// The result of a test case in a run.
#[derive(Serialize)]
struct ResultOfRun<'a> {
    run: &'a str,
    /// Seconds since 1970.
    time: i64,
    revision: Option<&'a str>,
    status: Status,
    #[serde(rename = "layer")]
    phase: Option<Phase>,
    flake: bool,
    duration_us: u64,
    instructions: u64,
    driver: Option<&'a DriverHeader>,
}

pub(super) fn print_runs(runs: &[RunEntry]) -> anyhow::Result<()> {
    let runs: Vec<Run<'_>> = runs.iter().map(run).collect();
    print_json("runs", &BTreeMap::from([("runs", runs)]))
}

fn run(run: &RunEntry) -> Run<'_> {
    Run {
        name: &run.name,
        time: run.time,
        version: &run.version,
        revision: run.revision.as_deref(),
        options: &run.options,
        counts: Status::ALL.iter().map(|status| status.name()).zip(run.counts).collect(),
        duration_us: run.duration_us,
        instructions: run.instructions,
        driver: run.driver.as_deref(),
    }
}

pub(super) fn print_series(series: &[Series], runs: &[RunEntry]) -> anyhow::Result<()> {
    let tests: Vec<TestCase<'_>> = series.iter().map(|series| test_case(series, runs)).collect();
    print_json("history", &BTreeMap::from([("tests", tests)]))
}

fn test_case<'a>(series: &'a Series, runs: &'a [RunEntry]) -> TestCase<'a> {
    let failing = series.failing_since().and_then(|(first, _)| runs.get(first.run));
    let results =
        series.points.iter().filter_map(|point| Some(result(point, runs.get(point.run)?)));
    TestCase {
        test: &series.test,
        generation: &series.generation,
        variant: &series.variant,
        status: series.points.last().map(|point| point.status),
        failing_since: failing.map(|run| &*run.name),
        flaky: series.is_flaky(runs),
        changes: series.changes(),
        results: results.collect(),
    }
}

fn result<'a>(point: &'a Point, run: &'a RunEntry) -> ResultOfRun<'a> {
    ResultOfRun {
        run: &run.name,
        time: run.time,
        revision: run.revision.as_deref(),
        status: point.status,
        phase: point.phase,
        flake: point.flake,
        duration_us: point.duration_us,
        instructions: point.instructions,
        driver: point.driver.as_deref(),
    }
}
