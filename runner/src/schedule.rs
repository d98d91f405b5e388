//! Running a plan on all cores: one blocking task per row, panics caught, a wall-clock guard behind the step limits.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::event::{Reporter, TestEvent};
use crate::verdict::{Counts, Layer, Status, TestResult, Verdict};

/// Stack of a thread that runs tests: the front end recurses over nested source, within limits that fit this.
const STACK: usize = 64 << 20;

/// What runs: rows by number. Implementations decide what a row is.
pub trait Plan: Send + Sync + 'static {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there is nothing to run.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs one row. Panics are the caller's business.
    fn run(&self, job: usize) -> Verdict;

    /// Makes a verdict the row it belongs to.
    fn row(&self, job: usize, verdict: Verdict, duration: Duration) -> TestResult;
}

/// How a plan is run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows at a time.
    pub jobs: usize,
    /// Wall-clock time after which a row counts as timed out.
    pub guard: Duration,
    /// Stop after this many rows that are not as expected.
    pub max_fails: Option<usize>,
}

/// What a run came to.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Statuses of the finished rows.
    pub counts: Counts,
    /// Rows planned.
    pub total: usize,
    /// Rows that were not as expected.
    pub unexpected: usize,
    /// Whether the run ended before all rows were finished.
    pub interrupted: bool,
}

/// Runs every row and reports each event to all reporters, in order.
///
/// # Errors
/// When a reporter or the runtime fails.
pub fn run(
    plan: Arc<dyn Plan>,
    limits: Limits,
    reporters: &mut [&mut dyn Reporter],
) -> anyhow::Result<Summary> {
    capture_panics();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(limits.jobs.clamp(1, 4))
        // A thread that outlives the guard is lost until the process ends; leave room for some.
        .max_blocking_threads(limits.jobs + 64)
        .thread_stack_size(STACK)
        .enable_all()
        .build()?;
    let summary = runtime.block_on(drive(plan, limits, reporters));
    runtime.shutdown_background();
    summary
}

async fn drive(
    plan: Arc<dyn Plan>,
    limits: Limits,
    reporters: &mut [&mut dyn Reporter],
) -> anyhow::Result<Summary> {
    let start = Instant::now();
    let total = plan.len();
    let shared = Arc::new(Shared {
        plan,
        limits,
        next: AtomicUsize::new(0),
        unexpected: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    });
    let (sender, mut events) = mpsc::unbounded_channel();
    let mut report = |event: TestEvent| reporters.iter_mut().try_for_each(|r| r.event(&event));
    report(TestEvent::RunStarted { total })?;
    for _ in 0..limits.jobs.max(1) {
        tokio::spawn(work(shared.clone(), sender.clone()));
    }
    drop(sender);
    let mut summary = Summary { counts: Counts::default(), total, unexpected: 0, interrupted: false };
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    let (sender, mut interrupts) = mpsc::unbounded_channel();
    let listener = tokio::spawn(listen(sender));
    let mut failure = None;
    loop {
        let event = tokio::select! {
            event = events.recv() => match event {
                Some(event) => event,
                None => break,
            },
            _ = ticks.tick() => TestEvent::Tick,
            Some(()) = interrupts.recv() => {
                // The first interruption waits for the rows at work, the second does not.
                if shared.stop.swap(true, Ordering::Relaxed) {
                    break;
                }
                continue;
            }
        };
        if let TestEvent::Finished { result, .. } = &event {
            summary.counts.add(result.status);
            summary.unexpected += usize::from(!result.outcome.is_good());
        }
        if failure.is_none()
            && let Err(error) = report(event)
        {
            failure = Some(error);
            shared.stop();
        }
    }
    listener.abort();
    summary.interrupted = summary.counts.total() < total;
    let finished = TestEvent::RunFinished {
        counts: summary.counts,
        total,
        interrupted: summary.interrupted,
        elapsed: start.elapsed(),
    };
    match failure {
        Some(error) => Err(error),
        None => report(finished).map(|()| summary),
    }
}

/// Passes on requests to stop: Ctrl-C and the termination signal.
#[cfg(unix)]
async fn listen(interrupts: mpsc::UnboundedSender<()>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        if interrupts.send(()).is_err() {
            return;
        }
    }
}

/// Passes on requests to stop: Ctrl-C.
#[cfg(not(unix))]
async fn listen(interrupts: mpsc::UnboundedSender<()>) {
    while tokio::signal::ctrl_c().await.is_ok() && interrupts.send(()).is_ok() {}
}

/// What the workers share.
struct Shared {
    plan: Arc<dyn Plan>,
    limits: Limits,
    /// The row that is taken next.
    next: AtomicUsize,
    /// Rows that were not as expected.
    unexpected: AtomicUsize,
    /// No further rows are taken.
    stop: AtomicBool,
}

impl Shared {
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The next row, unless there is none or the run is to stop.
    fn take(&self) -> Option<usize> {
        let stopped = self.stop.load(Ordering::Relaxed);
        let job = (!stopped).then(|| self.next.fetch_add(1, Ordering::Relaxed))?;
        (job < self.plan.len()).then_some(job)
    }

    /// Counts a row that was not as expected; enough of them stop the run.
    fn count_unexpected(&self) {
        let count = self.unexpected.fetch_add(1, Ordering::Relaxed) + 1;
        if self.limits.max_fails.is_some_and(|most| count >= most) {
            self.stop();
        }
    }
}

/// Takes rows one after the other.
async fn work(shared: Arc<Shared>, events: mpsc::UnboundedSender<TestEvent>) {
    let Shared { plan, limits, .. } = &*shared;
    while let Some(job) = shared.take() {
        if events.send(TestEvent::Started { job }).is_err() {
            break;
        }
        let start = Instant::now();
        let task = tokio::task::spawn_blocking({
            let plan = plan.clone();
            move || caught(|| plan.run(job))
        });
        let verdict = match tokio::time::timeout(limits.guard, task).await {
            Ok(Ok(verdict)) => verdict,
            Ok(Err(error)) => Verdict::new(Status::Crash, Layer::Simulate, error.to_string()),
            Err(_) => Verdict::new(
                Status::Timeout,
                Layer::Simulate,
                format!("not finished after {} s of wall-clock time", limits.guard.as_secs()),
            ),
        };
        let result = Box::new(plan.row(job, verdict, start.elapsed()));
        if !result.outcome.is_good() {
            shared.count_unexpected();
        }
        if events.send(TestEvent::Finished { job, result }).is_err() {
            break;
        }
    }
}

thread_local! {
    /// The panic that the current thread's row died of; the outer option says whether a row is running.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Whether the current thread runs a row.
    static RUNNING: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs `body`; a panic becomes a crash with the panic's message and place.
fn caught(body: impl FnOnce() -> Verdict) -> Verdict {
    RUNNING.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(body));
    RUNNING.set(false);
    outcome.unwrap_or_else(|payload| {
        let message = PANIC.take().unwrap_or_else(|| payload_text(&*payload).to_owned());
        Verdict::new(Status::Crash, Layer::Simulate, message)
    })
}

/// Keeps panics of rows off the terminal and remembers where they happened.
fn capture_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !RUNNING.get() {
                return previous(info);
            }
            let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
            let message = format!("panic{place}: {}", payload_text(info.payload()));
            PANIC.set(Some(message));
        }));
    });
}

fn payload_text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Rows(Vec<fn() -> Verdict>);

    impl Plan for Rows {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn run(&self, job: usize) -> Verdict {
            self.0[job]()
        }

        fn row(&self, job: usize, verdict: Verdict, duration: Duration) -> TestResult {
            let (layer, reason) = verdict.cause.unzip();
            TestResult {
                test: format!("row{job}"),
                target: "ivb".into(),
                variant: String::new(),
                status: verdict.status,
                layer,
                reason,
                outcome: verdict.status.plain_outcome(),
                duration_us: duration.as_micros() as u64,
                stages: verdict.stages,
                subtests: Vec::new(),
            }
        }
    }

    #[derive(Default)]
    struct Collect(Vec<TestResult>, bool);

    impl Reporter for Collect {
        fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
            match event {
                TestEvent::Finished { result, .. } => self.0.push((**result).clone()),
                TestEvent::RunFinished { .. } => self.1 = true,
                _ => {}
            }
            Ok(())
        }
    }

    fn limits(jobs: usize) -> Limits {
        Limits { jobs, guard: Duration::from_secs(60), max_fails: None }
    }

    fn collect(rows: Vec<fn() -> Verdict>, limits: Limits) -> (Summary, Vec<TestResult>) {
        let mut collected = Collect::default();
        let summary = run(Arc::new(Rows(rows)), limits, &mut [&mut collected]).unwrap();
        assert!(collected.1, "the run's end is reported");
        collected.0.sort_by(|a, b| a.key().cmp(&b.key()));
        (summary, collected.0)
    }

    #[test]
    fn a_panic_is_a_crash_of_its_row_alone() {
        let rows: Vec<fn() -> Verdict> = vec![Verdict::pass, || panic!("broken {}", 7), Verdict::pass];
        let (summary, rows) = collect(rows, limits(2));
        assert_eq!(summary.counts.to_string(), "pass: 2, crash: 1");
        assert_eq!((summary.unexpected, summary.interrupted), (1, false));
        let reason = rows[1].reason.as_deref().unwrap();
        assert!(reason.contains("schedule.rs") && reason.ends_with("broken 7"), "{reason}");
    }

    #[test]
    fn the_guard_stands_behind_everything() {
        let sleep = || {
            std::thread::sleep(Duration::from_secs(3));
            Verdict::pass()
        };
        let limits = Limits { guard: Duration::from_millis(50), ..limits(2) };
        let (summary, rows) = collect(vec![sleep, Verdict::pass], limits);
        assert_eq!(summary.counts.to_string(), "pass: 1, timeout: 1");
        assert_eq!(rows[0].status, Status::Timeout);
    }

    #[test]
    fn deep_recursion_fits_the_stack() {
        fn deep(n: u32) -> u64 {
            let frame = std::hint::black_box([u64::from(n); 32]);
            if n == 0 { frame[0] } else { deep(n - 1) + frame[31] }
        }
        let (summary, _) = collect(
            vec![|| {
                assert_eq!(deep(50_000), 50_000 * 50_001 / 2);
                Verdict::pass()
            }],
            limits(1),
        );
        assert_eq!(summary.counts.to_string(), "pass: 1");
    }

    #[test]
    fn enough_failures_stop_the_run() {
        let rows: Vec<fn() -> Verdict> = vec![|| Verdict::fail(Layer::Probe, "no"); 50];
        let (summary, rows) = collect(rows, Limits { max_fails: Some(3), ..limits(1) });
        assert!(summary.interrupted);
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn a_failing_reporter_ends_the_run() {
        struct Full;
        impl Reporter for Full {
            fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
                match event {
                    TestEvent::Finished { .. } => anyhow::bail!("disk full"),
                    _ => Ok(()),
                }
            }
        }
        let error = run(Arc::new(Rows(vec![Verdict::pass; 5])), limits(1), &mut [&mut Full]).unwrap_err();
        assert_eq!(error.to_string(), "disk full");
    }
}
