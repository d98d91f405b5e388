//! Running a plan: as many rows at a time as there are jobs, each event reported to all reporters in order.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::supervise::Finished;
use results::event::{Reporter, TestEvent};
use results::verdict::{Counts, TestResult};

/// What runs: rows by number. Implementations decide what a row is and where it is executed.
pub trait Plan: Send + Sync + 'static {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there is nothing to run.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs one row; `slot` numbers it among those that run at the same time.
    fn run(&self, job: usize, slot: usize) -> impl Future<Output = Finished> + Send;

    /// Makes what came of it the row of the results.
    fn row(&self, job: usize, finished: Finished) -> TestResult;
}

/// How a plan is run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Rows at a time.
    pub jobs: usize,
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

/// The runtime that plans run on. One thread is enough: rows are executed elsewhere.
///
/// # Errors
/// What the system says.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Runs every row and reports each event to all reporters, in order.
///
/// # Errors
/// When a reporter fails; rows at work are finished, but no longer reported.
pub async fn run<P: Plan>(
    plan: Arc<P>,
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
    for slot in 0..limits.jobs.max(1) {
        tokio::spawn(work(shared.clone(), slot, sender.clone()));
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
            summary.unexpected += usize::from(!result.is_good());
        }
        if failure.is_none()
            && let Err(error) = report(event)
        {
            failure = Some(error);
            shared.stop();
        }
    }
    listener.abort();
    // Whatever executes rows may end now, while the reporters write.
    drop(shared);
    tokio::task::yield_now().await;
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
pub(crate) async fn listen(interrupts: mpsc::UnboundedSender<()>) {
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
pub(crate) async fn listen(interrupts: mpsc::UnboundedSender<()>) {
    while tokio::signal::ctrl_c().await.is_ok() && interrupts.send(()).is_ok() {}
}

/// What the tasks share.
struct Shared<P> {
    plan: Arc<P>,
    limits: Limits,
    /// The row that is taken next.
    next: AtomicUsize,
    /// Rows that were not as expected.
    unexpected: AtomicUsize,
    /// No further rows are taken.
    stop: AtomicBool,
}

impl<P: Plan> Shared<P> {
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
async fn work<P: Plan>(shared: Arc<Shared<P>>, slot: usize, events: mpsc::UnboundedSender<TestEvent>) {
    while let Some(job) = shared.take() {
        if events.send(TestEvent::Started { job }).is_err() {
            break;
        }
        let finished = shared.plan.run(job, slot).await;
        let result = Box::new(shared.plan.row(job, finished));
        if !result.is_good() {
            shared.count_unexpected();
        }
        if events.send(TestEvent::Finished { job, result }).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::{Phase, Verdict};

    struct Rows(Vec<Verdict>);

    impl Plan for Rows {
        fn len(&self) -> usize {
            self.0.len()
        }

        async fn run(&self, job: usize, _: usize) -> Finished {
            Finished::at_once(self.0[job].clone())
        }

        fn row(&self, job: usize, finished: Finished) -> TestResult {
            let Finished { verdict, duration } = finished;
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
                differed: false,
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

    fn collect(rows: Vec<Verdict>, limits: Limits) -> (Summary, Vec<TestResult>) {
        let mut collected = Collect::default();
        let mut reporters: [&mut dyn Reporter; 1] = [&mut collected];
        let run = run(Arc::new(Rows(rows)), limits, &mut reporters);
        let summary = runtime().unwrap().block_on(run).unwrap();
        assert!(collected.1, "the run's end is reported");
        collected.0.sort_by(|a, b| a.key().cmp(&b.key()));
        (summary, collected.0)
    }

    #[test]
    fn every_row_is_run_once() {
        let rows = vec![Verdict::pass(), Verdict::fail(Phase::Probe, "no"), Verdict::pass()];
        let (summary, rows) = collect(rows, Limits { jobs: 2, max_fails: None });
        assert_eq!(summary.counts.to_string(), "pass: 2, fail: 1");
        assert_eq!((summary.unexpected, summary.interrupted), (1, false));
        assert_eq!(rows.iter().map(|row| &*row.test).collect::<Vec<_>>(), ["row0", "row1", "row2"]);
    }

    #[test]
    fn enough_failures_stop_the_run() {
        let rows = vec![Verdict::fail(Phase::Probe, "no"); 50];
        let (summary, rows) = collect(rows, Limits { jobs: 1, max_fails: Some(3) });
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
        let rows = Arc::new(Rows(vec![Verdict::pass(); 5]));
        let limits = Limits { jobs: 1, max_fails: None };
        let error = runtime().unwrap().block_on(run(rows, limits, &mut [&mut Full])).unwrap_err();
        assert_eq!(error.to_string(), "disk full");
    }
}
