//! The page of one result.

use serde::Serialize;

use super::entry::{Entry, ReportError, Sources, status_name};
use super::index::{class, count, run_name, seconds};
use super::plot::{Plot, Value, plot};
use super::templates;
use crate::diff::{Change, Metric, unified};
use crate::files::bundle::{Bundle, IMAGES};
use crate::history::{Point, Series};
use crate::names::{printable, printable_line, printable_text};
use crate::place::{Place, place};
use crate::{Code, Part, ResultRef};

/// A page and its images.
pub(super) struct Page {
    pub html: String,
    /// Images by file name.
    pub images: Vec<(String, Vec<u8>)>,
}

#[derive(Serialize)]
struct ResultPage {
    run: String,
    test: String,
    generation: String,
    status: &'static str,
    change: Option<Changed>,
    phase: Option<&'static str>,
    facts: String,
    /// Links to other pages, in HTML.
    navigation: String,
    reason: Option<String>,
    /// Line of the script that the reason names.
    line: Option<u32>,
    /// The command that executes the test case again.
    command: Option<String>,
    message: Option<Vec<DiffLine>>,
    note: Option<String>,
    subtests: Vec<ShownSubtest>,
    probes: Vec<Probe>,
    images: Vec<Shown>,
    /// True if the test was explained and has no image.
    undrawn: bool,
    metrics: [&'static str; Metric::ALL.len()],
    code: Vec<CodeLine>,
    plots: Vec<Plot>,
    script: Vec<ScriptLine>,
    /// Heading of the texts.
    heading: &'static str,
    texts: Vec<Listing>,
}

#[derive(Serialize)]
struct Changed {
    name: &'static str,
    old: &'static str,
    new: &'static str,
}

/// A line of a unified difference.
#[derive(Serialize)]
struct DiffLine {
    class: &'static str,
    text: String,
}

#[derive(Serialize)]
struct ShownSubtest {
    name: String,
    status: &'static str,
}

#[derive(Serialize)]
struct Probe {
    line: u32,
    what: String,
    expected: String,
    simulator: String,
    reference: String,
    phase: &'static str,
}

#[derive(Serialize)]
struct Shown {
    name: &'static str,
    file: String,
}

/// Numbers of one stage and width, compared with the previous run.
#[derive(Serialize)]
struct CodeLine {
    stage: String,
    width: String,
    cells: Vec<Cell>,
}

#[derive(Serialize)]
struct Cell {
    class: &'static str,
    text: String,
}

#[derive(Serialize)]
struct ScriptLine {
    number: u32,
    bad: bool,
    text: String,
}

#[derive(Serialize)]
struct Listing {
    name: String,
    text: String,
    /// Difference from the previous run.
    diff: Option<Vec<DiffLine>>,
    /// True if the text equals the previous run's.
    same: bool,
}

pub(super) fn render(
    sources: &Sources<'_>,
    entry: &Entry<'_>,
    number: usize,
    navigation: String,
) -> Result<Page, ReportError> {
    let (old, new) = (entry.pair.old, entry.pair.new);
    let (bundle, mut note) = match new
        .map(|result| Bundle::read(sources.file.folder(), &result.test, &result.generation))
    {
        Some(Ok(bundle)) => (bundle, None),
        Some(Err(error)) => (None, Some(error.to_string())),
        None => (None, Some("The run has no result of this test.".to_owned())),
    };
    if bundle.is_none() && note.is_none() {
        note = Some("The run keeps no failure bundle of this result.".to_owned());
    }
    // An unreadable bundle of the previous run counts as absent.
    let earlier = sources.previous.zip(old).and_then(|((file, _), result)| {
        Bundle::read(file.folder(), &result.test, &result.generation).ok().flatten()
    });
    let result = new.or(old);
    let reason = new.and_then(ResultRef::reason);
    let place = reason.and_then(place).filter(|_| bundle.is_some());
    let command = bundle.as_ref().and_then(|bundle| bundle.command.clone());
    let command = command.or_else(|| {
        new.and_then(|result| sources.repeat.command(&result.test, &result.generation))
    });
    let image = |&name: &&'static str| {
        let png = bundle.as_ref()?.images.get(name)?;
        Some((name, format!("{number}-{name}.png"), png.clone()))
    };
    let images: Vec<(&'static str, String, Vec<u8>)> = IMAGES.iter().filter_map(image).collect();
    let page = ResultPage {
        run: printable(&run_name(sources.file)),
        test: result.map(|result| printable(&result.test)).unwrap_or_default(),
        generation: result
            .map(|result| printable(format!("{} {}", result.generation, result.variant).trim()))
            .unwrap_or_default(),
        status: status_name(entry.status()),
        change: changed(entry),
        phase: new.and_then(|result| result.phase).map(|phase| phase.name()),
        facts: new.map(facts).unwrap_or_default(),
        navigation,
        reason: reason.map(printable_text),
        line: place.map(|place| place.line),
        command: command.as_deref().map(printable_line),
        message: old
            .and_then(ResultRef::reason)
            .zip(reason)
            .and_then(|(old, new)| difference(old, new)),
        note: note.as_deref().map(printable),
        subtests: new.map(subtests).unwrap_or_default(),
        probes: bundle.as_ref().map(probes).unwrap_or_default(),
        images: images.iter().map(|(name, file, _)| Shown { name, file: file.clone() }).collect(),
        undrawn: images.is_empty() && bundle.as_ref().is_some_and(is_explained),
        metrics: Metric::ALL.map(Metric::name),
        code: new.map(|result| code(result, old)).unwrap_or_default(),
        plots: result.map(|result| plots(sources, result)).unwrap_or_default(),
        script: bundle.as_ref().map(|bundle| script(bundle, place)).unwrap_or_default(),
        heading: bundle.as_ref().map(heading).unwrap_or_default(),
        texts: bundle.as_ref().map(|bundle| listings(bundle, earlier.as_ref())).unwrap_or_default(),
    };
    let html = templates::render("result.html", &page)?;
    Ok(Page { html, images: images.into_iter().map(|(_, file, png)| (file, png)).collect() })
}

/// Returns true if the test was executed again for its bundle, and draws.
fn is_explained(bundle: &Bundle) -> bool {
    !bundle.probes.is_empty() || has_text(bundle, ".ir") || has_text(bundle, ".eu")
}

/// Returns true if a bundle has a text of a kind.
fn has_text(bundle: &Bundle, end: &str) -> bool {
    bundle.texts.keys().any(|name| name.ends_with(end))
}

/// Returns the heading of a bundle's texts.
fn heading(bundle: &Bundle) -> &'static str {
    if has_text(bundle, ".log") { "Output" } else { "IR and assembly" }
}

fn subtests(result: &ResultRef<'_>) -> Vec<ShownSubtest> {
    let shown =
        |part: &Part<'_>| ShownSubtest { name: printable(&part.name), status: part.status.name() };
    result.subtests.iter().map(shown).collect()
}

fn changed(entry: &Entry<'_>) -> Option<Changed> {
    let name = match entry.change? {
        Change::Regression => "regression",
        Change::NewFailure => "new-failure",
        Change::Fix => "fix",
        Change::Other => "other",
        Change::New | Change::Same | Change::NotRun => return None,
    };
    let status =
        |result: Option<&ResultRef<'_>>| status_name(result.and_then(ResultRef::known_status));
    Some(Changed { name, old: status(entry.pair.old), new: status(entry.pair.new) })
}

fn facts(result: &ResultRef<'_>) -> String {
    let outcome = format!("{:?}", result.outcome).to_lowercase();
    format!("{outcome} · {:.1} ms", result.duration_us as f64 / 1e3)
}

fn difference(old: &str, new: &str) -> Option<Vec<DiffLine>> {
    let diff = unified(&format!("{old}\n"), &format!("{new}\n"));
    (!diff.is_empty()).then(|| diff_lines(&diff))
}

fn diff_lines(diff: &str) -> Vec<DiffLine> {
    let class = |line: &str| match line.as_bytes().first() {
        Some(b'+') => "plus",
        Some(b'-') => "minus",
        Some(b'@') => "place",
        _ => "",
    };
    diff.lines().map(|line| DiffLine { class: class(line), text: printable_text(line) }).collect()
}

fn probes(bundle: &Bundle) -> Vec<Probe> {
    let side = |text: &Option<String>| text.as_deref().map(printable).unwrap_or_default();
    let probe = |probe: &crate::files::bundle::ProbeRecord| Probe {
        line: probe.line,
        what: printable(&probe.what),
        expected: printable(&probe.expected),
        simulator: side(&probe.simulator),
        reference: side(&probe.reference),
        phase: probe.phase.map_or("", |phase| phase.name()),
    };
    bundle.probes.iter().map(probe).collect()
}

fn code(result: &ResultRef<'_>, old: Option<&ResultRef<'_>>) -> Vec<CodeLine> {
    let before = |code: &Code<'_>| {
        old?.stages.iter().find(|other| (&other.stage, &other.width) == (&code.stage, &code.width))
    };
    let line = |code: &Code<'_>| {
        let before = before(code);
        let cell = |metric: Metric| match (before.map(|code| metric.of(code)), metric.of(code)) {
            (Some(old), new) if old != new => {
                Cell { class: class(old, new), text: format!("{old} → {new}") }
            }
            (_, new) => Cell { class: "", text: new.to_string() },
        };
        CodeLine {
            stage: code.stage.to_string(),
            width: code.width.to_string(),
            cells: Metric::ALL.map(cell).into(),
        }
    };
    result.stages.iter().map(line).collect()
}

fn plots(sources: &Sources<'_>, result: &ResultRef<'_>) -> Vec<Plot> {
    let place = |series: &Series| {
        (&*series.test, &*series.generation, &*series.variant).cmp(&(
            &*result.test,
            &*result.generation,
            &*result.variant,
        ))
    };
    let Ok(index) = sources.series.binary_search_by(place) else { return Vec::new() };
    let series = &sources.series[index];
    let curve = |title: &str, number: fn(&Point) -> f64, show: fn(f64) -> String| {
        let value = |point: &Point| {
            let run = sources.runs.get(point.run);
            let revision = run.and_then(|run| run.revision.as_deref()).unwrap_or("");
            let name = run.map_or("", |run| &run.name);
            let label = printable(&format!("{name} {revision} {}", point.status));
            Value { value: number(point), label, class: point.status.name() }
        };
        plot(title, &series.points.iter().map(value).collect::<Vec<_>>(), show)
    };
    let plots = [
        curve("work", |point| point.duration_us as f64 / 1e6, seconds),
        curve("instructions", |point| point.instructions as f64, count),
    ];
    plots.into_iter().flatten().collect()
}

fn script(bundle: &Bundle, place: Option<Place>) -> Vec<ScriptLine> {
    let named = place.map(|place| place.line);
    let bad = |number: u32| {
        named == Some(number)
            || bundle.probes.iter().any(|probe| probe.line == number && probe.phase.is_some())
    };
    let lines = bundle.script.lines().zip(1..);
    lines
        .map(|(text, number)| ScriptLine { number, bad: bad(number), text: printable_text(text) })
        .collect()
}

fn listings(bundle: &Bundle, earlier: Option<&Bundle>) -> Vec<Listing> {
    let listing = |(name, text): (&String, &String)| {
        let before = earlier.and_then(|earlier| earlier.texts.get(name));
        let diff = before.map(|before| unified(before, text)).filter(|diff| !diff.is_empty());
        Listing {
            name: printable(name),
            text: printable_text(text),
            same: before.is_some() && diff.is_none(),
            diff: diff.map(|diff| diff_lines(&diff)),
        }
    };
    bundle.texts.iter().map(listing).collect()
}
