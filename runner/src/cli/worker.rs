//! The hidden command that worker processes are started with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Parser};

use super::options::execute_options;
use super::{Cli, Command, EXPECTED, ExecuteArgs};
use crate::mock;
use crate::supervise::{self, Request};
use execute::{Devices, RunOptions};
use results::verdict::Verdict;
use tools::coverage::observe;
use vocabulary::Generation;

/// The command's name; it starts with a character that no test folder's name should.
const COMMAND: &str = "%worker";

#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// Rows at a time.
    threads: usize,
    /// The arguments of the run.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    run: Vec<OsString>,
}

/// Program and arguments of a worker for a run with these arguments.
pub(super) fn command(threads: usize, run: &[String]) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
    // The running file itself, also when another build has taken its place meanwhile.
    let link = Path::new("/proc/self/exe");
    let program = if link.exists() { link.to_owned() } else { std::env::current_exe()? };
    let mut arguments = vec![COMMAND.into(), threads.to_string().into(), "--".into()];
    arguments.extend(run.iter().map(OsString::from));
    Ok((program, arguments))
}

/// Executes rows until the supervisor goes away.
pub(super) fn worker(args: &WorkerArgs) -> anyhow::Result<u8> {
    supervise::want_large_pages(true);
    let cli = Cli::try_parse_from(std::iter::once(OsString::from("runner")).chain(args.run.iter().cloned()))?;
    let (execute, targets) = executed(&cli)?;
    if execute.mock {
        supervise::serve(
            args.threads,
            || {},
            |request| {
                let limits = request.trial.iter().flat_map(|trial| &trial.pass_limits);
                let (path, limit) = (Path::new(&request.path), limits.last().map(|limit| limit.limit));
                match request.trial.as_ref().and_then(|trial| trial.text.as_ref()) {
                    Some(text) => mock::run_text(text, path, limit),
                    None => mock::run_file(path, limit),
                }
            },
        )?;
        return Ok(EXPECTED);
    }
    let target = targets.first().copied();
    let options = Arc::new(execute_options(execute, target == Some(Generation::Reference))?);
    let devices = Devices::default();
    // With one thread the first row is as good a beginning.
    let early = (args.threads > 1).then(|| (options.clone(), devices.clone()));
    let prepare = move || {
        if let (Some((options, devices)), Some(target)) = (early, target) {
            execute::prepare(target, &options, &devices);
        }
    };
    supervise::serve(args.threads, prepare, move |request| answer(request, &options, &devices))?;
    Ok(EXPECTED)
}

/// The part of a command's arguments that workers need, and what tests run on: on the reference alone or not at all.
fn executed(cli: &Cli) -> anyhow::Result<(&ExecuteArgs, Vec<Generation>)> {
    match &cli.command {
        None => Ok((&cli.run.execute, cli.run.targets())),
        Some(Command::Bisect(args)) => Ok((&args.execute, args.targets.0.clone())),
        Some(Command::Reduce(args)) => Ok((&args.execute, vec![args.target()])),
        Some(Command::Fuzz(args)) => Ok((&args.execute, args.targets())),
        Some(Command::Coverage(args)) => Ok((&args.execute, args.targets.0.clone())),
        Some(_) => anyhow::bail!("these are not the arguments of a command that executes tests"),
    }
}

fn answer(request: &Request, run: &RunOptions, devices: &Devices) -> Verdict {
    let path = Path::new(&request.path);
    let Some(trial) = &request.trial else {
        return execute::run_file(path, &request.test, request.target, run, devices);
    };
    let options = RunOptions { device: trial.device_options(&run.device), ..run.clone() };
    if trial.observe {
        return observed(path, request, &options, devices);
    }
    match &trial.text {
        Some(text) => execute::run_text(text.as_bytes(), &request.test, request.target, &options, devices),
        None => execute::run_file(path, &request.test, request.target, &options, devices),
    }
}

/// Executes the file and tells what it exercised.
fn observed(path: &Path, request: &Request, options: &RunOptions, devices: &Devices) -> Verdict {
    match std::fs::read(path) {
        Ok(text) => {
            let (verdict, seen) = observe(&text, &request.test, request.target, options, devices);
            Verdict { seen, passes: Vec::new(), ..verdict }
        }
        Err(_) => execute::run_file(path, &request.test, request.target, options, devices),
    }
}
