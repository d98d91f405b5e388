//! One worker process, seen from the supervisor.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::mem;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use external_program::{kill_group, resident, signal_name, start_group};
use regex::Regex;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::log;
use crate::protocol::{self, Question, Reply, Request};

/// Size of the kept part of a worker's standard error.
const KEPT: usize = 2 << 10;
/// Time for a worker to end by itself after its output or input was closed. One that was built for
/// profiling (`.ci/release`) writes its profile then.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for the end of a test case's standard error to arrive.
const MARK_TIMEOUT: Duration = Duration::from_millis(500);

/// Part of the message of the standard library for memory that the system refuses.
const FAILED_ALLOCATION: &str = "memory allocation of ";

/// Changes of an environment: variables with their values, and without one those to remove.
pub type Environment = Vec<(OsString, Option<OsString>)>;

/// Makes changes of the environment of a command.
pub fn change_environment(command: &mut Command, changes: &Environment) {
    for (name, value) in changes {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// Command line of workers.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Changes of the caller's environment.
    pub environment: Environment,
}

/// Settings of the allocator in workers, unless the environment overrides them.
const ALLOCATOR: [(&str, &str); 2] = [
    // Milliseconds before unused memory is returned to the system. Test cases need the same memory
    // again and again, and each time the system clears it; mimalloc's default of 10 ms costs 5 % of
    // a run.
    ("MIMALLOC_PURGE_DELAY", "5000"),
    // Large pages, which are off elsewhere (.cargo/config.toml): test cases touch tens of megabytes
    // over and over.
    ("MIMALLOC_ALLOW_THP", "1"),
];

/// Settings of OpenGL drivers in workers, unless the environment overrides them.
const DRIVER: [(&str, &str); 2] = [
    // Compiled shaders from earlier runs would hide what this run's compiler does.
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    // llvmpipe rasterizes in the worker's own thread: the workers keep all cores busy already.
    ("LP_NUM_THREADS", "0"),
];

/// A worker's standard output.
enum Output {
    /// As the system returned it: a worker may be started before there is a runtime.
    Unread(ChildStdout),
    /// With the read part of the current line.
    Read(BufReader<tokio::process::ChildStdout>, Vec<u8>),
    /// The output has ended or cannot be read.
    Closed,
}

impl Output {
    async fn reply(&mut self) -> Option<Reply> {
        loop {
            if let Output::Read(output, line) = self {
                if !output.read_until(b'\n', line).await.is_ok_and(|_| line.ends_with(b"\n")) {
                    *self = Output::Closed;
                    return None;
                }
                let reply = protocol::read(line);
                line.clear();
                if reply.is_some() {
                    return reply;
                }
            } else {
                let Output::Unread(output) = mem::replace(self, Output::Closed) else {
                    return None;
                };
                let output = tokio::process::ChildStdout::from_std(output).ok()?;
                *self = Output::Read(BufReader::new(output), Vec::new());
            }
        }
    }
}

/// A running worker.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: Output,
    errors: Arc<Mutex<Vec<u8>>>,
    error_reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a worker.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn start(program: &Program) -> io::Result<Process> {
        let mut command = Command::new(&program.path);
        command.args(&program.arguments);
        change_environment(&mut command, &program.environment);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let defaults = ALLOCATOR.into_iter().chain(DRIVER);
        command.envs(defaults.filter(|(name, _)| std::env::var_os(name).is_none()));
        // Ctrl-C is meant for the supervisor, which waits for the running test cases.
        start_group(&mut command);
        let mut child = command.spawn()?;
        let output = child.stdout.take().map_or(Output::Closed, Output::Unread);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let error_reader = match child.stderr.take() {
            Some(stderr) => {
                let errors = errors.clone();
                Some(thread::Builder::new().spawn(move || keep_tail(stderr, &errors))?)
            }
            None => None,
        };
        Ok(Process { input: child.stdin.take(), child, output, errors, error_reader })
    }

    /// Sends a request. If the worker has died, [`Process::reply`] reports it.
    pub fn send(&mut self, request: &Request) {
        self.write(request);
    }

    /// Asks what a test case is at.
    pub fn ask(&mut self, case: usize) {
        self.write(&Question { late: case });
    }

    fn write(&mut self, record: &impl Serialize) {
        if let Some(input) = &mut self.input {
            let _ = protocol::write(input, record);
        }
    }

    /// Closes the input, which makes the worker end.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Returns the next reply; `None` after the worker closed its output, as it does when it dies.
    /// Must be called within a runtime. A canceled call loses nothing.
    pub async fn reply(&mut self) -> Option<Reply> {
        self.output.reply().await
    }

    /// Returns the resident memory in bytes, where the system reports it.
    pub fn memory(&self) -> Option<u64> {
        resident(self.child.id())
    }

    /// Discards the standard error so far.
    pub fn forget_errors(&mut self) {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns what the worker wrote to its standard error during a test case that it has answered,
    /// if it marks that.
    pub fn errors_of(&mut self, case: usize) -> Option<String> {
        let mut found = None;
        // The answer may arrive before the mark, which another thread reads.
        wait_until(MARK_TIMEOUT, || {
            let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
            found = protocol::errors_of(case, &errors).map(|text| text.to_vec());
            found.is_some()
        });
        found.map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    /// Waits for the end of a dying worker and describes it in a few lines.
    pub fn post_mortem(mut self) -> String {
        let status = self.wait();
        if let Some(reader) = self.error_reader.take() {
            wait_until(EXIT_TIMEOUT, || reader.is_finished());
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        describe(status, &String::from_utf8_lossy(protocol::last_errors(&errors)))
    }

    /// Waits for a limited time, then kills the worker.
    fn wait(&mut self) -> Option<ExitStatus> {
        let child = &mut self.child;
        let mut status = None;
        wait_until(EXIT_TIMEOUT, || {
            status = child.try_wait().ok().flatten();
            status.is_some()
        });
        if status.is_none() {
            let _ = child.kill();
            status = child.wait().ok();
        }
        status
    }

    /// Kills the worker and the processes that it started.
    pub fn kill(mut self) {
        self.kill_group();
        let _ = self.child.kill();
    }

    /// Kills all processes of the worker's group: an external compiler may ignore the end of its
    /// input.
    fn kill_group(&self) {
        kill_group(self.child.id());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.close_input();
        self.wait();
        self.kill_group();
    }
}

/// Polls a condition for a limited time.
fn wait_until(limit: Duration, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() && start.elapsed() < limit {
        thread::sleep(Duration::from_micros(200));
    }
}

fn keep_tail(mut stderr: impl Read, tail: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    let forward = log::is_on();
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        if forward {
            // The log of the worker belongs to the user.
            let _ = io::stderr().write_all(&buffer[..read]);
        }
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend_from_slice(&buffer[..read]);
        let excess = tail.len().saturating_sub(KEPT);
        tail.drain(..excess);
    }
}

/// Returns `stack overflow`, or the kind of the end and the process's standard error. Equal crashes
/// have equal descriptions: thread numbers are removed.
fn describe(status: Option<ExitStatus>, errors: &str) -> String {
    if errors.contains("has overflowed its stack") {
        return "stack overflow".to_owned();
    }
    let mut text = match status {
        Some(status) => format!("the worker process ended by {}", cause(status)),
        None => "the worker process ended".to_owned(),
    };
    // The backtrace of a failed allocation shows where memory ran out, not what took it.
    if let Some(line) = errors.lines().find(|line| line.contains(FAILED_ALLOCATION)) {
        return format!("{text}: {}", line.trim());
    }
    let thread = Regex::new(r"(thread '[^'\n]*') \(\d+\)").ok();
    let errors = match &thread {
        Some(thread) => thread.replace_all(errors, "$1"),
        None => errors.into(),
    };
    push_lines(&mut text, &errors);
    text
}

/// Appends lines of standard error, indented.
pub fn push_lines(text: &mut String, errors: &str) {
    for line in errors.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str("\n  ");
        text.push_str(line);
    }
}

/// Returns the signal or the exit code of an end.
#[cfg(unix)]
pub fn cause(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        Some(signal) => format!("signal {signal}{}", signal_name(signal)),
        None => format!("exit code {}", status.code().unwrap_or_default()),
    }
}

/// Returns the exit code of an end.
#[cfg(not(unix))]
pub fn cause(status: ExitStatus) -> String {
    status.to_string()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn ends_are_told_without_numbers_that_change() {
        let abort = Some(ExitStatus::from_raw(6));
        assert_eq!(describe(abort, ""), "the worker process ended by signal 6 (SIGABRT)");
        assert_eq!(
            describe(abort, "\nthread 'a' (4711) panicked at b\nin a destructor\n"),
            "the worker process ended by signal 6 (SIGABRT)\n  thread 'a' panicked at b\n  in a destructor"
        );
        assert_eq!(
            describe(abort, "thread 'a' (1) has overflowed its stack\nfatal runtime error"),
            "stack overflow"
        );
        assert_eq!(
            describe(abort, "memory allocation of 8192 bytes failed\nstack backtrace:\n   0: f\n"),
            "the worker process ended by signal 6 (SIGABRT): memory allocation of 8192 bytes failed"
        );
        assert_eq!(
            describe(Some(ExitStatus::from_raw(3 << 8)), ""),
            "the worker process ended by exit code 3"
        );
    }

    #[test]
    fn only_the_end_of_standard_error_is_kept() {
        let text = format!("{}end", "é".repeat(KEPT));
        let tail = Mutex::new(Vec::new());
        keep_tail(text.as_bytes(), &tail);
        let tail = tail.into_inner().unwrap();
        assert!(tail.len() == KEPT && tail.ends_with(b"end"));
    }
}
