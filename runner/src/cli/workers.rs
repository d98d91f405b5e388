//! Command lines and settings of worker processes.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::ExecuteArgs;
use crate::supervise;

/// Name of the command; it starts with a character that test folders' names rarely have.
const COMMAND: &str = "%worker";

/// Number of test cases after which a process of `--isolate` is replaced.
const BATCH: usize = 100;

/// Number of open files of a process with one worker, with a reserve for threads that read files.
const FILES: u64 = 48;
/// Number of open files for each further worker.
const FILES_PER_WORKER: u64 = 4;

/// Returns program and arguments of a worker for a run.
fn command(threads: usize, run: &[String]) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
    // The running file itself, even if another build has replaced it.
    let link = Path::new("/proc/self/exe");
    let program = if link.exists() { link.to_owned() } else { std::env::current_exe()? };
    let mut arguments = vec![COMMAND.into(), threads.to_string().into(), "--".into()];
    arguments.extend(run.iter().map(OsString::from));
    Ok((program, arguments))
}

/// Returns the number of concurrent test cases.
pub(super) fn jobs(wanted: Option<u16>) -> usize {
    wanted.map_or_else(|| std::thread::available_parallelism().map_or(1, NonZero::get), usize::from)
}

/// Returns the settings of the worker processes.
pub(super) fn settings(
    args: &ExecuteArgs,
    isolate: bool,
    jobs: usize,
    arguments: &[String],
) -> anyhow::Result<supervise::Settings> {
    let open_files = FILES + if isolate { jobs as u64 * FILES_PER_WORKER } else { 0 };
    supervise::ensure_open_files(open_files)?;
    let (workers, threads, batch) = if isolate { (jobs, 1, Some(BATCH)) } else { (1, jobs, None) };
    let (path, arguments) = command(threads, arguments)?;
    let memory = args.memory_limit.map(|mebibytes| u64::from(mebibytes) << 20);
    Ok(supervise::Settings {
        program: supervise::Program { path, arguments },
        workers,
        threads,
        batch,
        time_limit: Duration::from_secs(args.timeout.into()),
        memory: memory.or_else(supervise::default_limit),
    })
}
