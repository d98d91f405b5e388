//! The worker's side: executes requests until the supervisor closes the input.

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::Arc;
use std::time::Instant;

use shader_device::STACK;

use crate::panics::caught;
use crate::protocol::{self, Answer, Mark, Place, Question, Request};
use results::verdict::Verdict;
use vocabulary::{Phase, Progress};

/// The outcome of a request.
#[derive(Debug)]
pub struct Done {
    /// The verdict.
    pub verdict: Verdict,
    /// The answer to a look, as JSON.
    pub look: Option<String>,
}

impl From<Verdict> for Done {
    fn from(verdict: Verdict) -> Done {
        Done { verdict, look: None }
    }
}

/// Answers the requests on standard input, at most `threads` at a time. Returns at the end of the
/// input without waiting for running test cases: if the supervisor is killed, the process must end
/// in any case. It ends afterwards, so that the memory of `run` is not freed.
///
/// `prepare` is called first, concurrently with the reading of requests.
///
/// # Errors
/// Fails if threads cannot be created or standard input cannot be read.
pub fn serve(
    threads: usize,
    prepare: impl FnOnce() + Send + 'static,
    run: impl Fn(&Request) -> Done + Send + Sync + 'static,
) -> io::Result<()> {
    let _worker = tracing::info_span!("worker", process = std::process::id(), threads).entered();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(threads.max(1))
        .thread_stack_size(STACK)
        .build()?;
    runtime.spawn_blocking(move || {
        // Errors are left to the test cases, which report them.
        caught(|| {
            prepare();
            Verdict::pass()
        })
    });
    let run = Arc::new(run);
    // The steps of the test cases that were sent.
    let mut at_work: BTreeMap<usize, Progress> = BTreeMap::new();
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(request) = protocol::read::<Request>(&line) {
            let run = run.clone();
            let progress = Progress::default();
            at_work.retain(|_, progress| progress.is_followed());
            at_work.insert(request.case, progress.clone());
            runtime.spawn_blocking(move || {
                progress.follow_this_thread();
                answer(&request, &*run, threads == 1);
            });
        } else if let Some(Question { late }) = protocol::read(&line)
            && let Some(progress) = at_work.get(&late)
        {
            let step = progress.step();
            let phase = step.map_or(Phase::Simulate, |step| step.phase);
            let place = step.map(|step| step.to_string()).unwrap_or_default();
            let _ = protocol::write(&mut io::stdout().lock(), &Place { late, phase, place });
        }
        line.clear();
    }
    runtime.shutdown_background();
    // The system reclaims the memory faster than thousands of small objects can be freed.
    std::mem::forget(run);
    Ok(())
}

/// Executes a test case and sends the answer. `marks` tells that no other one runs meanwhile, so
/// that standard error can be divided.
fn answer(request: &Request, run: &dyn Fn(&Request) -> Done, marks: bool) {
    let start = Instant::now();
    let span = tracing::info_span!("case", test = %request.test, generation = %request.generation);
    let Done { verdict, look } = span.in_scope(|| caught(|| run(request)));
    let verdict = verdict.cut();
    let duration_us = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    let case = request.case;
    // The supervisor may be gone.
    if marks {
        let _ = protocol::write(&mut io::stderr().lock(), &Mark { case });
    }
    let _ = protocol::write(&mut io::stdout().lock(), &Answer { case, verdict, duration_us, look });
}
