//! The hidden command that worker processes are started with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Parser};

use super::options::run_options;
use super::{Cli, EXPECTED};
use crate::execute::{self, Devices};
use crate::mock;
use crate::supervise;

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
    if cli.run.mock {
        supervise::serve(args.threads, || {}, |request| mock::run_file(Path::new(&request.path)))?;
        return Ok(EXPECTED);
    }
    let options = Arc::new(run_options(&cli.run)?);
    let devices = Devices::default();
    // With one thread the first row is as good a beginning.
    let early = (args.threads > 1).then(|| (options.clone(), devices.clone()));
    let target = cli.run.targets().first().copied();
    let prepare = move || {
        if let (Some((options, devices)), Some(target)) = (early, target) {
            execute::prepare(target, &options, &devices);
        }
    };
    supervise::serve(args.threads, prepare, move |request| {
        execute::run_file(Path::new(&request.path), &request.test, request.target, &options, &devices)
    })?;
    Ok(EXPECTED)
}
