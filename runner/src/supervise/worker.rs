//! The worker's side: executes what it is asked to until the supervisor goes away.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::time::Instant;

use super::panics::caught;
use super::protocol::{self, Answer, Request};
use results::verdict::Verdict;

/// Stack of a thread that runs tests: the front end recurses over nested source, within limits that fit this.
pub const STACK: usize = 64 << 20;

/// Answers the requests on standard input, at most `threads` at a time. Returns when there are no more, without waiting
/// for rows at work: when the supervisor is killed the process is to end, whatever its tests do. It is to end then in any
/// case: what `run` holds is not given back.
///
/// `prepare` is called first, beside the reading of requests.
///
/// # Errors
/// When threads cannot be made or standard input cannot be read.
pub fn serve(
    threads: usize,
    prepare: impl FnOnce() + Send + 'static,
    run: impl Fn(&Request) -> Verdict + Send + Sync + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(threads.max(1))
        .thread_stack_size(STACK)
        .build()?;
    runtime.spawn_blocking(move || {
        // Rows find what is wrong themselves, and say so.
        caught(|| {
            prepare();
            Verdict::pass()
        })
    });
    let run = Arc::new(run);
    let mut input = io::stdin().lock();
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(request) = protocol::read::<Request>(&line) {
            let run = run.clone();
            runtime.spawn_blocking(move || answer(&request, &*run));
        }
        line.clear();
    }
    runtime.shutdown_background();
    // The system takes the memory back faster than thousands of small objects give it.
    std::mem::forget(run);
    Ok(())
}

fn answer(request: &Request, run: &dyn Fn(&Request) -> Verdict) {
    let start = Instant::now();
    let verdict = caught(|| run(request));
    let duration_us = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
    // A supervisor that is gone needs no answer.
    let _ = protocol::write(&mut io::stdout().lock(), &Answer { job: request.job, verdict, duration_us });
}
