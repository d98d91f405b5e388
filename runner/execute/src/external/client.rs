//! The client of an external compiler: processes that handle one request at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use compiler::Binary;
use program::{Stage, StageKey};

use super::CommandLine;
use super::protocol::{Answer, Key, PROTOCOL, Request, Section, stage_name};

/// Maximum length of an answer in bytes.
const LONGEST: u64 = 64 << 20;
/// Maximum number of skipped answers to other requests.
const STALE: usize = 16;

/// The external compiler of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalCompiler {
    /// Its command line.
    pub command: CommandLine,
    /// Maximum time for one answer.
    pub response_timeout: Duration,
}

/// Reasons why there is no binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The compiler rejected the shader: phase and message.
    Refused(String, String),
    /// The answer is malformed.
    Malformed(String),
    /// The process ended.
    Died(String),
    /// The process did not answer in time.
    Late(Duration),
}

/// Returns the compiler with this description. Its processes live as long as this process.
pub fn compiler(external: &ExternalCompiler) -> Arc<Compiler> {
    static COMPILERS: OnceLock<Mutex<Vec<Arc<Compiler>>>> = OnceLock::new();
    let mut compilers =
        COMPILERS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = compilers.iter().find(|compiler| compiler.external == *external) {
        return found.clone();
    }
    let new = Arc::new(Compiler { external: external.clone(), idle: Mutex::default() });
    compilers.push(new.clone());
    new
}

/// An external compiler: one process per concurrent request.
pub struct Compiler {
    external: ExternalCompiler,
    idle: Mutex<Vec<Process>>,
}

impl Compiler {
    /// Compiles a stage.
    ///
    /// # Errors
    /// Fails on any error of the compiler, whose process is then replaced.
    pub fn compile(
        &self,
        test: &str,
        generation: &str,
        (stage, key): (Stage, &StageKey),
        sections: &[Section],
        widths: Vec<String>,
    ) -> Result<Binary, Failure> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut process = match idle {
            Some(process) => process,
            None => Process::start(&self.external.command)?,
        };
        process.asked += 1;
        let request = Request {
            protocol: PROTOCOL,
            id: process.asked,
            test: test.to_owned(),
            generation: generation.to_owned(),
            stage: stage_name(stage).to_owned(),
            sections: sections.to_vec(),
            key: Key::new(key),
            widths,
        };
        let answer = process.ask(&request, self.external.response_timeout)?;
        // From here on, the process is free for other requests.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        if let Some(error) = answer.error {
            return Err(Failure::Refused(error.phase, error.message));
        }
        answer.into_binary(stage).map_err(Failure::Malformed)
    }
}

/// A running compiler; dropping it ends the process.
struct Process {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Vec<u8>>,
    errors: Receiver<String>,
    asked: u64,
}

impl Process {
    fn start(command: &CommandLine) -> Result<Process, Failure> {
        let start = || {
            let mut child = Command::new(&command.program)
                .args(&command.arguments)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            let (sender, answers) = channel();
            if let Some(output) = child.stdout.take() {
                thread::Builder::new()
                    .spawn(move || read_lines(BufReader::new(output), &sender))?;
            }
            let (sender, errors) = channel();
            if let Some(stderr) = child.stderr.take() {
                thread::Builder::new()
                    .spawn(move || read_last_line(BufReader::new(stderr), &sender))?;
            }
            Ok(Process { input: child.stdin.take(), child, answers, errors, asked: 0 })
        };
        start().map_err(|error: std::io::Error| {
            Failure::Died(format!("cannot start `{}`: {error}", command.program))
        })
    }

    fn ask(&mut self, request: &Request, response_timeout: Duration) -> Result<Answer, Failure> {
        let begun = Instant::now();
        let mut line =
            serde_json::to_vec(request).map_err(|error| Failure::Malformed(error.to_string()))?;
        line.push(b'\n');
        if let Some(input) = &mut self.input
            && input.write_all(&line).and_then(|()| input.flush()).is_err()
        {
            return Err(self.died());
        }
        for _ in 0..STALE {
            let left = response_timeout.saturating_sub(begun.elapsed());
            let line = match self.answers.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Late(response_timeout)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
            };
            let answer: Answer = serde_json::from_slice(&line).map_err(|error| {
                Failure::Malformed(format!("not an answer: {error}: {}", start_of(&line)))
            })?;
            if answer.id == request.id {
                return Ok(answer);
            }
        }
        Err(Failure::Malformed("answers to other requests only".to_owned()))
    }

    fn died(&mut self) -> Failure {
        self.input = None;
        let response_timeout = Duration::from_millis(500);
        let begun = Instant::now();
        let mut status = None;
        while status.is_none() && begun.elapsed() < response_timeout {
            status = self.child.try_wait().ok().flatten();
            thread::sleep(Duration::from_millis(1));
        }
        let mut text = match status {
            Some(status) => format!("the compiler ended: {status}"),
            None => "the compiler closed its output".to_owned(),
        };
        if let Ok(last) = self.errors.recv_timeout(response_timeout)
            && !last.is_empty()
        {
            text = format!("{text}\n  {last}");
        }
        Failure::Died(text)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.input = None;
        // The process may still work on an abandoned request.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(mut output: impl BufRead, sender: &Sender<Vec<u8>>) {
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST).read_until(b'\n', &mut line);
        if !read.is_ok_and(|read| read > 0) || sender.send(line).is_err() {
            return;
        }
    }
}

/// Reads everything and sends the last line at the end.
fn read_last_line(mut stderr: impl BufRead, sender: &Sender<String>) {
    let (mut line, mut last) = (Vec::new(), String::new());
    while (&mut stderr).take(1 << 12).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if !text.is_empty() {
            last = text;
        }
        line.clear();
    }
    // The receiver waits only if the process died.
    let _ = sender.send(last);
}

/// Returns the beginning of an answer, for a message.
fn start_of(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(line).trim_end().chars().take(60).collect();
    format!("`{text}`")
}
