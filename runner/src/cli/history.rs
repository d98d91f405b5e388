//! `runner history`: results of past runs.

mod json;

use std::fmt::Write;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use clap::Args;

use super::exit::{EXPECTED, NOTHING};
use super::output::{Format, print};
use crate::console::message::message;
use results::RunFile;
use results::history::{HISTORY_FILE, History, HistoryError, Point, Recorded, RunEntry, Series};
use results::names::printable;
use results::verdict::Status;
use vocabulary::nearest;

#[derive(Debug, Args)]
pub(super) struct HistoryArgs {
    /// A test, in either form of its name: its results over time. A directory or a part of names:
    /// a line per test case. Without one: all runs.
    #[arg(value_name = "TEST", conflicts_with_all = ["failing", "flaky", "import"])]
    test: Option<String>,
    /// Test cases whose last result is a failure, with the first run of the series.
    #[arg(long, conflicts_with_all = ["flaky", "import"])]
    failing: bool,
    /// Known flakes, and different results in two runs of one revision and driver.
    #[arg(long, conflicts_with = "import")]
    flaky: bool,
    /// Record these runs: folders or results.jsonl.
    #[arg(long, value_name = "RUN", num_args = 1..)]
    import: Vec<PathBuf>,
    /// Format.
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value = "terminal",
        conflicts_with = "import"
    )]
    format: Format,
    /// File of the history.
    #[arg(long, value_name = "FILE", default_value = HISTORY_FILE)]
    file: PathBuf,
}

/// Recording of a run in the default history. The history is opened during the run, since creating
/// a file takes time, and the run is recorded while its files are written.
pub(super) struct Recording(JoinHandle<Result<(), HistoryError>>);

impl Recording {
    /// Starts the recording, which waits for the file of a complete run.
    pub(super) fn start() -> (Recording, Sender<RunFile>) {
        let (sender, file) = channel::<RunFile>();
        let work = move || {
            let history = History::open(Path::new(HISTORY_FILE))?;
            // Nothing is sent if the run does not end normally.
            file.recv().map_or(Ok(()), |file| add(history, &file))
        };
        (Recording(std::thread::spawn(work)), sender)
    }

    /// Waits until the run is recorded.
    pub(super) fn finish(self) {
        warn(self.0.join().unwrap_or_else(|panic| resume_unwind(panic)));
    }
}

/// Records a finished run in the default history.
pub(super) fn record(folder: &Path) {
    let file = RunFile::read(folder).map_err(HistoryError::from);
    warn(file.and_then(|file| add(History::open(Path::new(HISTORY_FILE))?, &file)));
}

fn add(mut history: History, file: &RunFile) -> Result<(), HistoryError> {
    history.record(file).map(drop)
}

/// The run's results are already written: errors of the history are only warnings.
fn warn(recorded: Result<(), HistoryError>) {
    if let Err(error) = recorded {
        message!("warning: the run is not in the history: {error}");
    }
}

pub(super) fn history(args: &HistoryArgs) -> anyhow::Result<u8> {
    if !args.import.is_empty() {
        return import(args);
    }
    let history = History::read(&args.file)?;
    let runs = history.runs()?;
    let is_json = args.format == Format::Json;
    let Some(test) = &args.test else {
        let kind: fn(&Series, &[RunEntry]) -> bool = match (args.failing, args.flaky) {
            (true, _) => |series, _| series.failing_since().is_some(),
            (_, true) => Series::is_flaky,
            _ if is_json => {
                json::print_runs(&runs)?;
                return Ok(EXPECTED);
            }
            _ => {
                print(list(&runs).as_bytes())?;
                return Ok(EXPECTED);
            }
        };
        let mut all = history.all(&runs)?;
        all.retain(|series| kind(series, &runs));
        let render = if args.failing { failing } else { flaky };
        match is_json {
            true => json::print_series(&all, &runs)?,
            false => print(render(&all, &runs).as_bytes())?,
        }
        return Ok(EXPECTED);
    };
    let series = of_test(&history, &runs, test)?;
    if series.is_empty() {
        return Ok(NOTHING);
    }
    match is_json {
        true => json::print_series(&series, &runs)?,
        false => print(describe_all(&series, &runs).as_bytes())?,
    }
    Ok(EXPECTED)
}

/// Returns the results of a test over time, or those of every test case whose name contains the
/// text. Prints an error if there is none.
fn of_test(history: &History, runs: &[RunEntry], text: &str) -> anyhow::Result<Vec<Series>> {
    let exact = history.test(runs, text)?;
    let series = if exact.is_empty() { history.matching(runs, text)? } else { exact };
    if series.is_empty() {
        let tests = history.tests()?;
        let hint = nearest(text, tests.iter().map(String::as_str));
        let hint = hint.map(|name| format!("; did you mean `{}`?", printable(name)));
        message!(
            "error: no run has a test whose name contains `{}`{}",
            printable(text),
            hint.unwrap_or_default()
        );
    }
    Ok(series)
}

/// Renders the results of a test over time, or the state of each of several tests.
fn describe_all(series: &[Series], runs: &[RunEntry]) -> String {
    let one = series.windows(2).all(|pair| pair[0].test == pair[1].test);
    let render = |series: &Series| match one {
        true => describe(series, runs),
        false => format!("{}: {}\n", subject(series), state(series, runs)),
    };
    series.iter().map(render).collect()
}

fn import(args: &HistoryArgs) -> anyhow::Result<u8> {
    let mut history = History::open(&args.file)?;
    let mut text = String::new();
    for path in &args.import {
        let file = RunFile::read(path)?;
        let what = match history.record(&file)? {
            Recorded::Added(results) => format!("{results} results"),
            Recorded::Known => "known already".to_owned(),
            Recorded::Left(reason) => format!("left out: {reason}"),
        };
        writeln!(text, "{}: {what}", printable(&path.display().to_string()))?;
    }
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

/// Renders a line per run.
fn list(runs: &[RunEntry]) -> String {
    let mut text = String::new();
    let header = Status::ALL.map(|status| format!("{:>8}", status.name())).concat();
    line(
        &mut text,
        &format!(
            "{:16} {:12}{header} {:>9} {:>12}  run",
            "time (UTC)", "revision", "work", "instructions"
        ),
    );
    for run in runs {
        let counts = run.counts.map(|count| format!("{count:>8}")).concat();
        let options =
            if run.options.is_empty() { String::new() } else { format!(" ({})", run.options) };
        line(
            &mut text,
            &format!(
                "{} {:12}{counts} {:>8.1}s {:>12}  {}{}",
                utc(run.time),
                printable(revision(run)),
                seconds(run.duration_us),
                run.instructions,
                printable(&run.name),
                printable(&options)
            ),
        );
    }
    text
}

/// Renders the results of one test case.
fn describe(series: &Series, runs: &[RunEntry]) -> String {
    let mut text = format!("{}: {}\n", subject(series), state(series, runs));
    for point in &series.points {
        let Some(run) = runs.get(point.run) else { continue };
        let phase = point.phase.map(|phase| format!(" {phase}")).unwrap_or_default();
        let flake = if point.flake { " (flake)" } else { "" };
        let driver = point.driver.as_ref().map(|driver| format!("  {}", driver.describe()));
        let driver = printable(&driver.unwrap_or_default());
        line(
            &mut text,
            &format!(
                "  {} {:12} {:7} {:>9.3}s {:>8} instructions  {}{phase}{flake}{driver}",
                utc(run.time),
                printable(revision(run)),
                point.status,
                seconds(point.duration_us),
                point.instructions,
                printable(&run.name)
            ),
        );
    }
    trend(&mut text, "work", series, |point| point.duration_us);
    trend(&mut text, "instructions", series, |point| point.instructions);
    text
}

fn state(series: &Series, runs: &[RunEntry]) -> String {
    let flaky = if series.is_flaky(runs) { ", flaky" } else { "" };
    let Some((first, before)) = series.failing_since() else {
        let last = series.points.last().map_or("missing", |point| point.status.name());
        return format!("{last}{flaky}");
    };
    let last = series.points.last().map_or(first.status, |point| point.status);
    let place = |point: &Point| match runs.get(point.run) {
        Some(run) => {
            format!("{} ({}, {})", printable(&run.name), utc(run.time), printable(revision(run)))
        }
        None => String::new(),
    };
    let before = match before {
        Some(point) => format!("{} in {}", point.status, place(point)),
        None if series.has_several_drivers() => "it never passed with this driver".to_owned(),
        None => "it never passed".to_owned(),
    };
    format!("{last} since {}; before: {before}{flaky}", place(first))
}

fn failing(bad: &[Series], runs: &[RunEntry]) -> String {
    bad.iter().map(|series| format!("{}: {}\n", subject(series), state(series, runs))).collect()
}

fn flaky(flaky: &[Series], _: &[RunEntry]) -> String {
    let describe = |series: &Series| {
        let changes = counted(series.changes(), "change");
        let results = counted(series.points.len(), "result");
        let reported = match series.flakes() {
            0 => String::new(),
            flakes => format!(", {} reported", counted(flakes, "flake")),
        };
        format!("{}: {changes} in {results}{reported}\n", subject(series))
    };
    flaky.iter().map(describe).collect()
}

/// Renders a number of things: `1 change`, `2 changes`.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn subject(series: &Series) -> String {
    let separator = if series.variant.is_empty() { "" } else { " " };
    printable(&format!("{} [{}{separator}{}]", series.test, series.generation, series.variant))
}

/// Renders a line of bars from the lowest to the highest value.
fn trend(text: &mut String, name: &str, series: &Series, number: fn(&Point) -> u64) {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const NEWEST: usize = 60;
    let newest = series.points.len().saturating_sub(NEWEST);
    let numbers: Vec<u64> = series.points[newest..].iter().map(number).collect();
    let (Some(&least), Some(&most)) = (numbers.iter().min(), numbers.iter().max()) else { return };
    let height =
        |n: u64| ((n - least) as u128 * 7).div_ceil(u128::from((most - least).max(1))) as usize;
    let bars: String = numbers.iter().map(|&n| BARS[height(n).min(7)]).collect();
    let (least, most) = match name {
        "work" => (format!("{:.3}s", seconds(least)), format!("{:.3}s", seconds(most))),
        _ => (least.to_string(), most.to_string()),
    };
    line(text, &format!("  {name:12} {bars} {least} to {most}"));
}

fn line(text: &mut String, content: &str) {
    text.push_str(content.trim_end());
    text.push('\n');
}

fn revision(run: &RunEntry) -> &str {
    run.revision.as_deref().unwrap_or("-")
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

/// Formats a time as `2026-11-21 20:15`.
fn utc(time: i64) -> String {
    let Ok(time) = time::OffsetDateTime::from_unix_timestamp(time) else {
        return "-".to_owned();
    };
    let (date, clock) = (time.date(), time.time());
    format!("{date} {:02}:{:02}", clock.hour(), clock.minute())
}
