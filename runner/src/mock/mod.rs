//! Mock tests (`--mock`, hidden), for the integration tests of scheduling and reporting.
//!
//! The file of a mock test holds one line, `mock WHAT [N]`:
//!
//! * `pass`, `fail`, `skip`, `warn`, `steps`: ends with that status; `sleep N` passes after N
//!   milliseconds;
//! * `panic`, `abort`, `overflow`, `exit`: ends the worker process in that way;
//! * `hang [N]`: never ends, at line N if there is one;
//! * `leak`: allocates memory until it is stopped;
//! * `rubbish`: prints invalid records on both outputs, then passes;
//! * `excuse`: prints a line on standard error, then fails;
//! * `flake`: alternates between pass and fail by means of a file beside the test;
//! * `limit N WHAT`: WHAT if an override allows N passes or more, else pass;
//! * `once`: aborts the first time, and passes from then on.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use results::verdict::{Phase, Status, Verdict};
use vocabulary::begin_step;

/// Executes a mock file with a limit on passes.
pub fn run_file(path: &Path, limit: Option<u32>) -> Verdict {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            return Verdict::fail(Phase::Script, format!("cannot read the file: {error}"));
        }
    };
    run_text(&text, path, limit)
}

/// Executes a mock text, which need not be in a file.
pub fn run_text(text: &str, path: &Path, limit: Option<u32>) -> Verdict {
    let mut words = text.split_whitespace().skip_while(|&word| word != "mock").skip(1);
    let mut what = words.next().unwrap_or_default();
    if what == "limit" {
        let least = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let reached = limit.is_none_or(|limit| limit >= least);
        what = words.next().filter(|_| reached).unwrap_or("pass");
    }
    let number = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
    pretend(what, number, path)
}

fn pretend(what: &str, number: u64, path: &Path) -> Verdict {
    match what {
        "pass" => Verdict::pass(),
        "fail" => {
            Verdict::fail(Phase::Probe, "line 1: pretended\n  Expected: 1.0\n  Observed: 0.5")
        }
        "skip" => Verdict::skip("pretended"),
        "warn" => Verdict::new(Status::Warn, Phase::Simulate, "pretended"),
        "steps" => Verdict::new(Status::Timeout, Phase::Simulate, "pretended"),
        "sleep" => {
            std::thread::sleep(Duration::from_millis(number));
            Verdict::pass()
        }
        "panic" => panic!("pretended"),
        "abort" => std::process::abort(),
        "exit" => std::process::exit(7),
        "overflow" => {
            black_box(overflow(number));
            Verdict::pass()
        }
        "hang" => {
            if number > 0 {
                begin_step(Phase::Link, Some("pretender"), number as u32);
            }
            loop {
                std::thread::sleep(Duration::from_secs(1));
            }
        }
        "leak" => leak(),
        "rubbish" => {
            rubbish();
            Verdict::pass()
        }
        "excuse" => {
            eprintln!("no register left");
            Verdict::fail(Phase::Probe, "pretended")
        }
        "flake" if first_time(path) => Verdict::pass(),
        "flake" => {
            forget(path);
            Verdict::fail(Phase::Probe, "pretended")
        }
        "once" if first_time(path) => std::process::abort(),
        "once" => Verdict::pass(),
        _ => Verdict::fail(Phase::Script, format!("no such pretence: `{what}`")),
    }
}

#[expect(unconditional_recursion, reason = "the stack is to overflow")]
fn overflow(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    overflow(depth + 1) + frame[0]
}

fn leak() -> Verdict {
    let mut all: Vec<Vec<u8>> = Vec::new();
    loop {
        all.push(black_box(vec![1; 8 << 20]));
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn rubbish() {
    let bytes = b"\xff\x00rubbish\n\x1e{\"case\":\n\x1e{}\x1e";
    // The outputs may be closed.
    let _ = std::io::stdout().write_all(bytes);
    let _ = std::io::stderr().write_all(bytes);
}

/// Creates the file beside the test; returns true if it did not exist.
fn first_time(path: &Path) -> bool {
    std::fs::File::create_new(path.with_extension("seen")).is_ok()
}

fn forget(path: &Path) {
    // The file exists: otherwise this would be the first execution.
    let _ = std::fs::remove_file(path.with_extension("seen"));
}
