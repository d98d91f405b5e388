//! `runner reduce`: a smaller test that fails in the same way.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::args::ExecuteArgs;
use super::exit::{EXPECTED, UNEXPECTED};
use super::options::{changed_options, command_options, execute_options};
use super::output::print;
use super::override_runner::OverrideRunner;
use super::values::one_generation;
use super::workers;
use crate::console::message::message;
use crate::select::{TestFile, located_test};
use results::names::{quoted, test_name};
use results::replace_file;
use results::threads::joined;
use results::verdict::Verdict;
use shader_device::STACK;
use tools::bisect::Ending;
use tools::reduce::{Failure, Progress, Reduced, SameFailure, Stopped, Wanted};
use vocabulary::Target;

/// Default maximum number of candidates.
const STEPS: u64 = 100_000;

/// Most seconds of a candidate on a driver: edits make endless loops, and unlike our executors a
/// driver does not count steps.
const DRIVER_TIMEOUT: u32 = 20;

#[derive(Debug, Args)]
pub(super) struct ReduceArgs {
    /// A .shader_test file that fails.
    #[arg(value_name = "TEST")]
    test: PathBuf,
    /// The generation.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation, required_unless_present = "reference_only")]
    generation: Option<Target>,
    /// Run only the interpreter, with the union of all generations' capabilities.
    #[arg(long, conflicts_with_all = ["generation", "no_reference"])]
    reference_only: bool,
    /// File of the reduced test, updated at each step (default: standard output, at the end).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Most candidates to try.
    #[arg(long, value_name = "N", default_value_t = STEPS)]
    steps: u64,
    /// Preserve the first line of the message, too.
    #[arg(long)]
    same_message: bool,
    /// Concurrent candidates (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
}

impl ReduceArgs {
    /// Returns the arguments for a failed test.
    pub(super) fn of(
        test: PathBuf,
        generation: Target,
        out: PathBuf,
        jobs: Option<u16>,
        execute: ExecuteArgs,
    ) -> ReduceArgs {
        let reference_only = generation == Target::REFERENCE;
        let generation = (!reference_only).then_some(generation);
        let (steps, same_message) = (STEPS, false);
        ReduceArgs {
            test,
            generation,
            reference_only,
            out: Some(out),
            steps,
            same_message,
            jobs,
            execute,
        }
    }

    /// Returns the generation of the test.
    pub(super) fn generation(&self) -> Target {
        self.generation.unwrap_or(Target::REFERENCE)
    }
}

/// Reduces a test; exit code 1 if it does not fail or the reduction was interrupted.
pub(super) fn reduce(args: &ReduceArgs) -> anyhow::Result<u8> {
    anyhow::ensure!(
        args.execute.device.binaries.is_none(),
        "--binaries are those of the whole test"
    );
    super::choices::with_meaning(&args.execute.device, &[args.generation()])?;
    execute_options(&args.execute, args.reference_only)?;
    // Without a driver every candidate would fail in the same way.
    if !args.execute.device.driver.is_virtual() {
        let (chosen, path) = (&args.execute.device.driver, std::path::Path::new(&args.test));
        let drivers = super::driver::of_files(chosen, &[args.generation()], [path].into_iter());
        super::driver::identify(chosen, &drivers, None, true)?;
    }
    // Levels parse text of the user, which may be nested deeply.
    let thread = std::thread::Builder::new().stack_size(STACK);
    std::thread::scope(|scope| joined(thread.spawn_scoped(scope, || reduce_here(args))?))
}

fn reduce_here(args: &ReduceArgs) -> anyhow::Result<u8> {
    let path = located_test(&args.test)?;
    let name = path.display().to_string();
    let bytes = execute::read_script(&path).with_context(|| name.clone())?;
    // Edits work on characters. If invalid bytes matter, the replacements fail in the same way.
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let jobs = workers::jobs(args.jobs);
    let mut execute = args.execute.clone();
    let may_crash = execute::executor(args.generation()).may_take_process_along();
    let is_driver = may_crash || args.execute.device.driver.is_virtual();
    if is_driver {
        execute.timeout = execute.timeout.min(DRIVER_TIMEOUT);
    }
    let mut runner = OverrideRunner::start(&execute, &[args.generation()], jobs)?;
    let case = test_file(&path)?.on(args.generation());
    let wanted = Wanted { message: args.same_message, to_end: is_driver };
    let (same, failure) = SameFailure::of(case, &text, wanted, &mut runner)?;
    match &failure {
        Failure::Unstable => {
            message!(
                "{name}: does not end the same way every time: nothing can be told from a smaller one"
            );
            return Ok(UNEXPECTED);
        }
        Failure::None(verdict) => {
            message!("{name}: {}: there is no failure to keep", shown(verdict));
            return Ok(UNEXPECTED);
        }
        Failure::Stable(verdict) => message!("{} bytes: {}", text.len(), shown(verdict)),
    }
    runner.catch_interrupts();
    let whole = text.len();
    let mut written = Ok(());
    let report = |Progress { level, steps, best }: Progress<'_>| {
        message!("{} bytes after {steps} candidates: fewer {}", best.len(), level.name());
        if let Some(out) = args.out.as_ref().filter(|_| written.is_ok()) {
            written = replace_file(out, best.as_bytes());
        }
    };
    let (Reduced { best, steps, stopped }, error) =
        same.reduce(text, (args.steps, jobs * 2), &mut runner, report);
    written?;
    match &args.out {
        Some(out) => replace_file(out, best.as_bytes())?,
        None => print(best.as_bytes())?,
    }
    if let Some(error) = error {
        return Err(error.into());
    }
    message!("from {whole} to {} bytes in {steps} candidates", best.len());
    match stopped {
        None => {}
        Some(Stopped::Steps) => message!("stopped after as many candidates as --steps allows"),
        Some(Stopped::Interrupted) => {
            message!("interrupted");
            return Ok(UNEXPECTED);
        }
    }
    if let Some(out) = &args.out {
        check(args, &same, &mut runner, out, best)?;
    }
    Ok(EXPECTED)
}

/// Executes the result under its new name and prints how to repeat it.
fn check(
    args: &ReduceArgs,
    same: &SameFailure,
    runner: &mut OverrideRunner,
    out: &Path,
    best: String,
) -> anyhow::Result<()> {
    if let Some(now) = same.differs_as(test_file(out)?.on(args.generation()), best, runner)? {
        let now = shown(&now);
        message!(
            "warning: under its new name it ends otherwise: {now}; it depends on undefined values"
        );
    }
    let options = execute_options(&args.execute, args.reference_only)?;
    let changed = changed_options(&args.execute, &options.execution);
    let which = args
        .generation
        .map_or("--reference-only".to_owned(), |generation| format!("--gen {generation}"));
    let options: String = command_options(&args.execute, &changed)
        .iter()
        .map(|(_, option)| format!(" {option}"))
        .collect();
    message!("runner {} {which}{options}", quoted(&out.display().to_string()));
    Ok(())
}

fn test_file(path: &Path) -> anyhow::Result<TestFile> {
    let real = path.canonicalize().with_context(|| path.display().to_string())?;
    Ok(TestFile::new(test_name(&real, real.parent().unwrap_or(&real)), path))
}

/// Returns an ending and the first line of its message.
fn shown(verdict: &Verdict) -> String {
    let reason = verdict.cause.as_ref().and_then(|(_, reason)| reason.lines().next());
    format!("{}{}", Ending::of(verdict), reason.map(|line| format!(": {line}")).unwrap_or_default())
}
