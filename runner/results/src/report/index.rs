//! The main page with the table.

use std::path::Path;

use serde::Serialize;

use super::data::{STATUSES, status_number};
use super::entry::{Entry, ReportError, Sources, put};
use super::plot::{Plot, Value, plot};
use super::templates::render;
use crate::RunFile;
use crate::diff::{Change, Diff, percent};
use crate::files::jsonl::DriverHeader;
use crate::history::RunEntry;
use crate::names::printable;
use crate::verdict::Status;

#[derive(Serialize)]
struct Index {
    name: String,
    facts: String,
    comparison: Option<String>,
    chips: Vec<Chip>,
    plots: Vec<Plot>,
    metrics: Vec<Metric>,
    widths: String,
    note: Option<String>,
    /// Number of files with rows.
    chunks: usize,
}

/// A button that shows the results of one status.
#[derive(Serialize)]
struct Chip {
    /// Position in [`STATUSES`].
    index: usize,
    name: &'static str,
    count: usize,
}

/// A line about generated code.
#[derive(Serialize)]
struct Metric {
    name: &'static str,
    old: u64,
    new: u64,
    change: String,
    class: &'static str,
    helped: usize,
    hurt: usize,
}

pub(super) fn write(
    out: &Path,
    sources: &Sources<'_>,
    entries: &[Entry<'_>],
    diff: Option<&Diff>,
    chunks: usize,
    left_out: usize,
) -> Result<(), ReportError> {
    let header = &sources.run.header;
    let mut facts = vec![
        format!("{} results", sources.run.results.len()),
        format!("runner {}", header.version),
    ];
    if let (1.., Some(planned)) = (sources.run.unfinished(), header.planned) {
        facts[0] = format!("unfinished: {} of {planned} results", sources.run.results.len());
    }
    if let Some(origin) = &header.imported {
        facts.push(format!("imported from {}", origin.runner));
        facts.extend(origin.driver.clone());
    }
    facts.extend(header.driver.as_ref().map(DriverHeader::describe));
    facts.extend(header.revision.as_ref().map(|revision| format!("revision {revision}")));
    facts.push(header.generations.join(", "));
    facts.extend(Some(header.variant()).filter(|options| !options.is_empty()));
    let mut counts = [0; STATUSES.len()];
    entries.iter().for_each(|entry| counts[status_number(entry)] += 1);
    let chips = STATUSES.iter().zip(counts).enumerate();
    let chips = chips
        .map(|(index, (&name, count))| Chip { index, name, count })
        .filter(|chip| chip.count > 0);
    let index = Index {
        name: printable(&run_name(sources.file)),
        facts: printable(&facts.join(" · ")),
        comparison: diff.zip(sources.previous).map(|(diff, (file, _))| comparison(diff, file)),
        chips: chips.collect(),
        plots: plots(sources),
        metrics: diff.map(metrics).unwrap_or_default(),
        widths: diff.map(widths).unwrap_or_default(),
        note: note(sources, left_out),
        chunks,
    };
    put(&out.join("index.html"), render("index.html", &index)?.as_bytes())
}

/// Returns the name of a run's folder.
pub(super) fn run_name(file: &RunFile) -> String {
    let folder = file.folder().canonicalize().unwrap_or_else(|_| file.folder().to_owned());
    folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn comparison(diff: &Diff, previous: &RunFile) -> String {
    let mut text = format!("since {}: {} the same", run_name(previous), diff.same);
    for (change, name) in [
        (Change::Regression, "regressions"),
        (Change::NewFailure, "new failures"),
        (Change::Fix, "fixes"),
        (Change::Other, "other changes"),
        (Change::New, "new"),
        (Change::NotRun, "not in the unfinished run"),
    ] {
        let count = diff.of(change).count();
        if count > 0 {
            text.push_str(&format!(" · {name}: {count}"));
        }
    }
    printable(&text)
}

fn metrics(diff: &Diff) -> Vec<Metric> {
    let changed =
        |name: &&crate::diff::MetricChange| !name.helped.is_empty() || !name.hurt.is_empty();
    let metric = |metric: &crate::diff::MetricChange| Metric {
        name: metric.name,
        old: metric.total_old,
        new: metric.total_new,
        change: percent(metric.total_old, metric.total_new),
        class: class(metric.total_old, metric.total_new),
        helped: metric.helped.len(),
        hurt: metric.hurt.len(),
    };
    diff.code.metrics.iter().filter(changed).map(metric).collect()
}

/// Returns the CSS class of a change of a number that should be small.
pub(super) fn class(old: u64, new: u64) -> &'static str {
    match old.cmp(&new) {
        std::cmp::Ordering::Less => "worse",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "better",
    }
}

fn widths(diff: &Diff) -> String {
    let code = &diff.code;
    format!(
        "same binary: {} of {} · LOST: {} · GAINED: {}",
        code.same_binary,
        code.shared,
        code.lost.len(),
        code.gained.len()
    )
}

fn note(sources: &Sources<'_>, left_out: usize) -> Option<String> {
    let mut notes = Vec::new();
    if sources.run.truncated {
        notes.push("The run's last line was cut short and is left out.".to_owned());
    }
    let unfinished = sources.run.unfinished();
    if unfinished > 0 {
        notes.push(format!("The run is unfinished: {unfinished} results are missing."));
    }
    if let Some((file, old)) = sources.previous.filter(|(_, old)| old.unfinished() > 0) {
        notes.push(format!(
            "The earlier run {} is unfinished: {} results are missing.",
            printable(&run_name(file)),
            old.unfinished()
        ));
    }
    if left_out > 0 {
        notes.push(format!(
            "{left_out} results have no page of their own: the report would be too large."
        ));
    }
    (!notes.is_empty()).then(|| notes.join(" "))
}

/// Plots of past runs that are like this one: the same options, about as many results.
fn plots(sources: &Sources<'_>) -> Vec<Plot> {
    let results = sources.run.results.len() as u64;
    let options = sources.run.header.variant();
    let total = |run: &RunEntry| run.counts.iter().sum::<u64>();
    let alike = |run: &&RunEntry| {
        let driver = run.driver.as_deref() == sources.run.header.driver.as_ref();
        run.options == options && driver && total(run) >= results / 2 && total(run) / 2 <= results
    };
    let runs: Vec<&RunEntry> = sources.runs.iter().filter(alike).collect();
    let bad = |run: &RunEntry| {
        let bad =
            |status: &Status| matches!(status, Status::Fail | Status::Crash | Status::Timeout);
        Status::ALL
            .iter()
            .zip(run.counts)
            .filter(|(status, _)| bad(status))
            .map(|(_, n)| n as f64)
            .sum()
    };
    let curve = |title: &str, number: &dyn Fn(&RunEntry) -> f64, show: fn(f64) -> String| {
        let value = |run: &&RunEntry| {
            let revision = run.revision.as_deref().unwrap_or("");
            Value {
                value: number(run),
                label: printable(&format!("{} {revision}", run.name)),
                class: "",
            }
        };
        plot(title, &runs.iter().map(value).collect::<Vec<_>>(), show)
    };
    let plots = [
        curve("fail, crash and timeout", &bad, count),
        curve("work", &|run| run.duration_us as f64 / 1e6, seconds),
        curve("instructions", &|run| run.instructions as f64, count),
    ];
    plots.into_iter().flatten().collect()
}

/// Formats a whole number, large ones in thousands or millions.
pub(super) fn count(number: f64) -> String {
    match number {
        n if n >= 1e7 => format!("{:.1}M", n / 1e6),
        n if n >= 1e5 => format!("{:.0}k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

/// Formats seconds.
pub(super) fn seconds(number: f64) -> String {
    if number >= 10.0 { format!("{number:.0} s") } else { format!("{number:.3} s") }
}
