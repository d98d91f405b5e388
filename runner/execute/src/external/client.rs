//! The runner's side: processes of the user's compiler, asked one thing at a time.

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

/// Longest answer in bytes.
const LONGEST: u64 = 64 << 20;
/// Answers of a compiler that are skipped because they are to other requests.
const STALE: usize = 16;

/// A user's compiler, as a run asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalCompiler {
    /// How it is started.
    pub command: CommandLine,
    /// How long it may take for one answer.
    pub patience: Duration,
}

/// Why there is no binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The compiler says why: layer and message.
    Refused(String, String),
    /// Its answer is none.
    Malformed(String),
    /// It ended.
    Died(String),
    /// It did not answer in time.
    Late(Duration),
}

/// The compiler of that description. Its processes serve the whole of this process, and end with it.
pub fn compiler(external: &ExternalCompiler) -> Arc<Compiler> {
    static COMPILERS: OnceLock<Mutex<Vec<Arc<Compiler>>>> = OnceLock::new();
    let mut compilers = COMPILERS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = compilers.iter().find(|compiler| compiler.external == *external) {
        return found.clone();
    }
    let new = Arc::new(Compiler { external: external.clone(), idle: Mutex::default() });
    compilers.push(new.clone());
    new
}

/// A user's compiler: as many processes as are asked at the same time.
pub struct Compiler {
    external: ExternalCompiler,
    idle: Mutex<Vec<Process>>,
}

impl Compiler {
    /// Has a stage compiled.
    ///
    /// # Errors
    /// Whatever the compiler did wrong; its process is replaced then.
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
        let answer = process.ask(&request, self.external.patience)?;
        // From here on the process has done what it was to do.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
        if let Some(error) = answer.error {
            return Err(Failure::Refused(error.layer, error.message));
        }
        answer.into_binary(stage).map_err(Failure::Malformed)
    }
}

/// A running compiler; dropping it ends it.
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
                thread::Builder::new().spawn(move || read_lines(BufReader::new(output), &sender))?;
            }
            let (sender, errors) = channel();
            if let Some(stderr) = child.stderr.take() {
                thread::Builder::new().spawn(move || read_last_line(BufReader::new(stderr), &sender))?;
            }
            Ok(Process { input: child.stdin.take(), child, answers, errors, asked: 0 })
        };
        start().map_err(|error: std::io::Error| {
            Failure::Died(format!("cannot start `{}`: {error}", command.program))
        })
    }

    fn ask(&mut self, request: &Request, patience: Duration) -> Result<Answer, Failure> {
        let begun = Instant::now();
        let mut line = serde_json::to_vec(request).map_err(|error| Failure::Malformed(error.to_string()))?;
        line.push(b'\n');
        if let Some(input) = &mut self.input
            && input.write_all(&line).and_then(|()| input.flush()).is_err()
        {
            return Err(self.died());
        }
        for _ in 0..STALE {
            let left = patience.saturating_sub(begun.elapsed());
            let line = match self.answers.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Late(patience)),
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
        let patience = Duration::from_millis(500);
        let begun = Instant::now();
        let mut status = None;
        while status.is_none() && begun.elapsed() < patience {
            status = self.child.try_wait().ok().flatten();
            thread::sleep(Duration::from_millis(1));
        }
        let mut text = match status {
            Some(status) => format!("the compiler ended: {status}"),
            None => "the compiler closed its output".to_owned(),
        };
        if let Ok(last) = self.errors.recv_timeout(patience)
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
        // It may be at work on something that nobody waits for.
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

/// Reads everything, and sends the last line when there is no more.
fn read_last_line(mut stderr: impl BufRead, sender: &Sender<String>) {
    let (mut line, mut last) = (Vec::new(), String::new());
    while (&mut stderr).take(1 << 12).read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        if !text.is_empty() {
            last = text;
        }
        line.clear();
    }
    // Nobody asks unless the process died.
    let _ = sender.send(last);
}

/// The beginning of an answer, for a message.
fn start_of(line: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(line).trim_end().chars().take(60).collect();
    format!("`{text}`")
}
