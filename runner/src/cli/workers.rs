//! Command lines and settings of worker processes.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use super::args::ExecuteArgs;
use execute::executor;
use vocabulary::Target;

/// Name of the command; it starts with a character that test folders' names rarely have.
const COMMAND: &str = "%worker";

/// Number of test cases after which a process of `--isolate` is replaced.
const BATCH: usize = 100;

/// Number of open files of a process with one worker, with a reserve for threads that read files.
const FILES: u64 = 48;
/// Number of open files for each further worker.
const FILES_PER_WORKER: u64 = 4;

/// Distribution of the concurrent test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// Threads of one process, which share compiled code.
    Threads,
    /// One process for each, so that the crash of a driver costs one test case.
    Processes,
    /// One process for each, replaced from time to time.
    Isolated,
}

impl Split {
    /// Returns the distribution of a run.
    pub(super) fn of(args: &ExecuteArgs, isolate: bool, generations: &[Target]) -> Split {
        let may_crash = args.device.driver.is_virtual()
            || generations.iter().any(|&target| executor(target).may_take_process_along());
        match isolate {
            true => Split::Isolated,
            false if may_crash => Split::Processes,
            false => Split::Threads,
        }
    }
}

/// Returns the running file itself, even if another build has replaced it.
pub(super) fn program() -> std::io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() }
}

/// Returns the error message of a process of this program that failed: its last line, or all that
/// it wrote if it did not end by itself.
pub(super) fn error_of(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.code().is_none() {
        let mut message = "the process crashed".to_owned();
        supervise::push_lines(&mut message, &text);
        return message;
    }
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Returns program and arguments of a worker for a run.
fn command(threads: usize, run: &[String]) -> anyhow::Result<(PathBuf, Vec<OsString>)> {
    let program = program()?;
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
    split: Split,
    jobs: usize,
    arguments: &[String],
) -> anyhow::Result<supervise::Settings> {
    let (workers, threads, batch) = match split {
        Split::Threads => (1, jobs, None),
        Split::Processes => (jobs, 1, None),
        Split::Isolated => (jobs, 1, Some(BATCH)),
    };
    let further = if workers > 1 { jobs as u64 * FILES_PER_WORKER } else { 0 };
    supervise::ensure_open_files(FILES + further)?;
    let (path, arguments) = command(threads, arguments)?;
    let memory = args.memory_limit.map(|mebibytes| u64::from(mebibytes) << 20);
    Ok(supervise::Settings {
        program: supervise::Program { path, arguments, environment: Vec::new() },
        workers,
        threads,
        batch,
        time_limit: Duration::from_secs(args.timeout.into()),
        memory: memory.or_else(|| supervise::default_limit(workers)),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    #[test]
    fn messages_of_processes() {
        let stderr = b"MESA: error: no device\nerror: assertion `context` failed\n";
        let of = |status| {
            let status = ExitStatus::from_raw(status);
            error_of(&Output { status, stdout: Vec::new(), stderr: stderr.to_vec() })
        };
        assert_eq!(of(1 << 8), "assertion `context` failed");
        // A signal: the last line need not be the reason.
        let crash = "the process crashed\n  MESA: error: no device\n  \
            error: assertion `context` failed";
        assert_eq!(of(6), crash);
    }
}
