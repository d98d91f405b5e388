//! `runner PATH…`: runs tests.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use softgl::observe::ShadeMode;

use super::{DeviceArgs, EXPECTED, NOTHING, RunArgs, UNEXPECTED};
use crate::console::Console;
use crate::execute::{self, DeviceOptions, Devices, Executors, RunOptions};
use crate::expect::Expectations;
use crate::names::{piglit_name, printable};
use crate::results::{Header, ResultsWriter, RunFolder};
use crate::schedule::{self, Limits, Plan};
use crate::select::TestFile;
use crate::target::Target;
use crate::verdict::{Outcome, TestResult, Verdict};

/// Wall-clock time after which a test is given up: far beyond what the step limits allow any test.
const GUARD: Duration = Duration::from_secs(300);

pub(super) fn run(args: &RunArgs) -> anyhow::Result<u8> {
    let (found, tests) = super::list::select(&args.select)?;
    if tests.is_empty() {
        eprintln!("error: no tests are selected");
        return Ok(NOTHING);
    }
    let targets = if args.reference_only { vec![Target::Reference] } else { args.targets.0.clone() };
    let options = run_options(args)?;
    let expectations = Expectations::load(&args.expect.sources(), &targets)?;
    super::expect::warn_unmatched(&expectations, &found);
    let changed = changed_options(args, &options.device);
    let folder = RunFolder::create(args.out.as_deref())?;
    let header = Header::new(targets.iter().map(|t| t.name().to_owned()).collect(), changed.clone());
    let mut writer = ResultsWriter::create(&folder.path, header)?;
    let mut console = Console::new(commands(&tests, &targets, args, &changed));
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let limits = Limits {
        jobs: args.jobs.map_or(cores, usize::from),
        guard: GUARD,
        max_fails: args.max_fails.map(|n| n as usize),
    };
    let variant = changed.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
    let plan = Rows { tests, targets, options, variant, expectations };
    let summary = schedule::run(Arc::new(plan), limits, &mut [&mut writer, &mut console])?;
    Ok(if summary.unexpected > 0 || summary.interrupted { UNEXPECTED } else { EXPECTED })
}

/// Every test on every target, tests first.
struct Rows {
    tests: Vec<TestFile>,
    targets: Vec<Target>,
    options: RunOptions,
    variant: String,
    expectations: Expectations,
}

impl Rows {
    fn row_of(&self, job: usize) -> (&TestFile, Target) {
        (&self.tests[job / self.targets.len()], self.targets[job % self.targets.len()])
    }
}

impl Plan for Rows {
    fn len(&self) -> usize {
        self.tests.len() * self.targets.len()
    }

    fn run(&self, job: usize) -> Verdict {
        let (test, target) = self.row_of(job);
        if let Some(reason) = self.expectations.skip(&test.name, target) {
            return Verdict::skip(reason);
        }
        execute::run_file(&test.path, &test.name, target, &self.options, &Devices)
    }

    fn row(&self, job: usize, verdict: Verdict, duration: Duration) -> TestResult {
        let (test, target) = self.row_of(job);
        let (layer, reason) = verdict.cause.unzip();
        let outcome = match self.expectations.skip(&test.name, target) {
            Some(_) => Outcome::Expected,
            None => self.expectations.judge(&test.name, target, Some(verdict.status)),
        };
        TestResult {
            test: test.name.clone(),
            target: target.name().to_owned(),
            variant: self.variant.clone(),
            status: verdict.status,
            layer,
            reason,
            outcome,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            stages: verdict.stages,
            subtests: Vec::new(),
        }
    }
}

fn run_options(args: &RunArgs) -> anyhow::Result<RunOptions> {
    let executors = match (args.reference_only, args.no_reference) {
        (true, _) => Executors::ReferenceOnly,
        (_, true) => Executors::SimulatorOnly,
        _ => Executors::Both,
    };
    let shade = if args.shade == "all" { ShadeMode::All } else { ShadeMode::Observed };
    Ok(RunOptions { executors, shade, device: device_options(&args.device)? })
}

/// The options of compiler and simulator, as the devices take them.
fn device_options(args: &DeviceArgs) -> anyhow::Result<DeviceOptions> {
    if let Some(folder) = args.binaries.as_deref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!("{}: no such folder of binaries", folder.display());
    }
    Ok(DeviceOptions {
        worst_math: args.math == "worst",
        binaries: args.binaries.clone(),
        ..args.compile.device_options()?
    })
}

/// Options that differ from the defaults and can change verdicts, by name. Paths are left out: binaries are told apart
/// by their hashes.
fn changed_options(args: &RunArgs, options: &DeviceOptions) -> BTreeMap<String, String> {
    let mut changed = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        changed.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("backend", options.backend.map(|b| b.name().to_owned()));
    put("width", options.width.map(|w| w.name().to_owned()));
    put("pass-limit", options.pass_limit.map(|n| n.to_string()));
    put("disable-pass", join(&options.disabled_passes));
    put("disable-quirk", join(&options.disabled_quirks));
    put("math", options.worst_math.then(|| "worst".to_owned()));
    put("shade", (args.shade == "all").then(|| "all".to_owned()));
    put("reference", args.no_reference.then(|| "no".to_owned()));
    put("binaries", options.binaries.as_ref().map(|_| "given".to_owned()));
    changed
}

fn join(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join("+"))
}

/// For every row the command that runs it alone.
fn commands(
    tests: &[TestFile],
    targets: &[Target],
    args: &RunArgs,
    changed: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for (name, value) in changed {
        match name.as_str() {
            "reference" => options.push("--no-reference".to_owned()),
            "disable-pass" | "disable-quirk" => {
                options.extend(value.split('+').map(|v| format!("--{name} {v}")));
            }
            "binaries" => {
                let path = args.device.binaries.as_deref().map(|p| quoted(&p.display().to_string()));
                options.extend(path.map(|path| format!("--binaries {path}")));
            }
            _ => options.push(format!("--{name} {value}")),
        }
    }
    let options: String = options.iter().map(|option| format!(" {option}")).collect();
    let command = |test: &TestFile, target: Target| {
        let path = quoted(&test.path.display().to_string());
        let which = match target {
            Target::Reference => "--reference-only".to_owned(),
            _ => format!("--gen {target}"),
        };
        let piglit = if args.select.piglit_names {
            format!("  # {}", printable(&piglit_name(&test.name)))
        } else {
            String::new()
        };
        format!("runner {path} {which}{options}{piglit}")
    };
    tests.iter().flat_map(|test| targets.iter().map(move |&target| command(test, target))).collect()
}

/// A word as a shell takes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=@%:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", printable(text).replace('\'', "'\\''"))
    }
}
