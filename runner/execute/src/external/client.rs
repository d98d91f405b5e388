//! The client of an external compiler: processes that handle one request at a time.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

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
    /// The process did not answer within the response timeout.
    TimedOut(Duration),
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
    /// Returns the compiler's answer for a stage: one with a binary.
    ///
    /// # Errors
    /// Fails on any error of the compiler, whose process is then replaced.
    pub fn answer(
        &self,
        test: &str,
        generation: &str,
        (stage, key): (Stage, &StageKey),
        sections: &[Section],
        widths: Vec<String>,
    ) -> Result<Answer, Failure> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut process = match idle {
            Some(process) => process,
            None => Process::start(&self.external.command)?,
        };
        process.id += 1 + step(test, stage, process.id);
        let request = Request {
            protocol: PROTOCOL,
            id: process.id,
            test: test.to_owned(),
            generation: generation.to_owned(),
            stage: stage_name(stage).to_owned(),
            sections: sections.to_vec(),
            key: Key::new(key),
            widths,
        };
        let answer = process.request(&request, self.external.response_timeout)?;
        // From here on, the process is free for other requests.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        if let Some(error) = answer.error {
            return Err(Failure::Refused(error.phase, error.message));
        }
        Ok(answer)
    }
}

/// A running compiler; dropping it ends the process.
struct Process {
    child: Child,
    /// Lines for a thread that writes them: a compiler that does not read blocks only that.
    requests: Option<Sender<Vec<u8>>>,
    answers: Receiver<Vec<u8>>,
    errors: Receiver<String>,
    /// Number of the last request.
    id: u64,
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
            let (requests, lines) = channel();
            if let Some(input) = child.stdin.take() {
                thread::Builder::new().spawn(move || write_lines(input, &lines))?;
            }
            Ok(Process { requests: Some(requests), child, answers, errors, id: 0 })
        };
        start().map_err(|error: std::io::Error| {
            Failure::Died(format!("cannot start `{}`: {error}", command.program))
        })
    }

    fn request(
        &mut self,
        request: &Request,
        response_timeout: Duration,
    ) -> Result<Answer, Failure> {
        let begun = Instant::now();
        let mut line =
            serde_json::to_vec(request).map_err(|error| Failure::Malformed(error.to_string()))?;
        line.push(b'\n');
        if let Ok(early) = self.answers.try_recv() {
            return Err(Failure::Malformed(format!(
                "sent before its request: {}",
                start_of(&early)
            )));
        }
        // The thread has ended if the process closed its input; it may answer nevertheless.
        let _ = self.requests.as_ref().map(|requests| requests.send(line));
        for _ in 0..STALE {
            let left = response_timeout.saturating_sub(begun.elapsed());
            let line = match self.answers.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(Failure::TimedOut(response_timeout)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
            };
            let answer: Answer = serde_json::from_slice(&line).map_err(|error| {
                Failure::Malformed(format!("not an answer: {error}: {}", start_of(&line)))
            })?;
            if answer.id == request.id {
                return Ok(answer);
            }
            if answer.id > request.id {
                let message = format!("to request {}, which was not sent", answer.id);
                return Err(Failure::Malformed(message));
            }
        }
        Err(Failure::Malformed("answers to other requests only".to_owned()))
    }

    fn died(&mut self) -> Failure {
        self.requests = None;
        let exit_timeout = Duration::from_millis(500);
        let begun = Instant::now();
        let mut status = None;
        while status.is_none() && begun.elapsed() < exit_timeout {
            status = self.child.try_wait().ok().flatten();
            thread::sleep(Duration::from_millis(1));
        }
        let mut text = match status {
            Some(status) => format!("the compiler ended: {status}"),
            None => "the compiler closed its output".to_owned(),
        };
        if let Ok(last) = self.errors.recv_timeout(exit_timeout)
            && !last.is_empty()
        {
            text = format!("{text}\n  {last}");
        }
        Failure::Died(text)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.requests = None;
        // The process may still work on an abandoned request.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the distance of a request's number to the next: not predictable by counting, so that an
/// answer that was sent in advance is not taken for the next request's. The first number is 1.
fn step(test: &str, stage: Stage, id: u64) -> u64 {
    if id == 0 {
        return 0;
    }
    let hash = blake3::hash(format!("{test} {stage} {id}").as_bytes());
    u64::from(u16::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1]]))
}

/// Writes lines until the process closes its input or there are no more requests.
fn write_lines(mut input: ChildStdin, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
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
