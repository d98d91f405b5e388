//! Execution of a program.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::group::{Group, start_group};
use crate::kept::Kept;
use crate::memory::resident;
use crate::stream::Stream;

/// Interval at which a program that keeps its output open is looked at.
const TICK: Duration = Duration::from_millis(20);
/// Longest interval at which one that has closed its output is looked at.
const CLOSED_TICK: Duration = Duration::from_millis(5);
/// Time for the rest of the output to arrive after the program's end.
const REST: Duration = Duration::from_millis(500);

/// A program with everything that it is started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The executable.
    pub executable: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables beside those of this process.
    pub environment: Vec<(OsString, OsString)>,
    /// Working directory.
    pub directory: PathBuf,
}

/// Limits of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time.
    pub time: Duration,
    /// Resident memory of its first process in bytes, where the system reports it.
    pub memory: Option<u64>,
}

/// The end of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It ended by itself, with an exit code.
    Exit(i32),
    /// A signal ended it.
    Signal(i32),
    /// It was ended for its time.
    Time,
    /// It was ended for its memory.
    Memory,
}

/// Returns the name of a signal in brackets, behind a space; nothing for rare ones.
pub fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// A program that has ended.
#[derive(Debug)]
pub struct Outcome<T> {
    /// Its end.
    pub end: End,
    /// State that its standard output has led to.
    pub output: T,
    /// The kept part of its standard error.
    pub errors: Kept,
}

/// Runs a program to its end; `take` receives its standard output in parts.
///
/// # Errors
/// Returns the system's error if the program cannot be started.
pub fn run<T: Default + Send + 'static>(
    call: &Call,
    limits: Limits,
    take: fn(&mut T, &[u8]),
) -> io::Result<Outcome<T>> {
    let mut command = Command::new(&call.executable);
    command.args(&call.arguments).current_dir(&call.directory);
    command.envs(call.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    start_group(&mut command);
    let mut child = command.spawn()?;
    let group = Group::of(child.id());
    let (sender, ended) = channel();
    let pipes = (child.stdout.take(), child.stderr.take());
    let (Some(stdout), Some(stderr)) = pipes else {
        return Err(io::Error::other("the program has no output"));
    };
    let output = Stream::read(stdout, sender.clone(), take)?;
    let errors = Stream::read(stderr, sender, Kept::push)?;
    let end = wait(&mut child, limits, &ended);
    // The group holds the streams open.
    drop(group);
    let _ = child.wait();
    let until = Instant::now() + REST;
    while let Some(rest) = until.checked_duration_since(Instant::now()) {
        match ended.recv_timeout(rest) {
            Ok(()) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(Outcome { end: end?, output: output.finish(), errors: errors.finish() })
}

/// Waits for the end of the first process, or for a limit. `ended` hears of closed streams.
fn wait(child: &mut Child, limits: Limits, ended: &Receiver<()>) -> io::Result<End> {
    let start = Instant::now();
    // After its streams are closed, a program usually ends at once.
    let mut pause = Duration::from_micros(50);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(end_of(status));
        }
        if start.elapsed() >= limits.time {
            return Ok(End::Time);
        }
        if let (Some(most), Some(used)) = (limits.memory, resident(child.id()))
            && used > most
        {
            return Ok(End::Memory);
        }
        let rest = limits.time.saturating_sub(start.elapsed());
        match ended.recv_timeout(TICK.min(rest)) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                std::thread::sleep(pause.min(rest));
                pause = (2 * pause).min(CLOSED_TICK);
            }
        }
    }
}

fn end_of(status: ExitStatus) -> End {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return End::Signal(signal);
    }
    End::Exit(status.code().unwrap_or(-1))
}
