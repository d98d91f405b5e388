//! Scheduler: executes a plan with a limited number of concurrent test cases and reports each event
//! to all reporters in order.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use results::event::{Reporter, TestEvent};
use results::verdict::{Counts, TestResult};
use supervise::Finished;

/// A plan of test cases, identified by index. Implementations define the test cases and their
/// execution.
pub trait Plan: Send + Sync + 'static {
    /// Returns the number of test cases.
    fn len(&self) -> usize;

    /// Returns true if there are no test cases.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if no other such test case may be executed at the same time.
    fn is_serial(&self, _case: usize) -> bool {
        false
    }

    /// Executes one test case; `task` numbers the concurrent executions.
    fn run(&self, case: usize, task: usize) -> impl Future<Output = Finished> + Send;

    /// Converts the end of an execution into a result.
    fn result(&self, case: usize, finished: Finished) -> TestResult;
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Maximum number of concurrent test cases.
    pub jobs: usize,
    /// Number of unexpected results that stop the run.
    pub max_fails: Option<usize>,
}

/// Summary of a run.
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    /// Statuses of the finished test cases.
    pub counts: Counts,
    /// Number of planned test cases.
    pub total: usize,
    /// Number of unexpected results.
    pub unexpected: usize,
    /// True if the run ended before all test cases were finished.
    pub interrupted: bool,
}

/// Creates the runtime for plans. One thread is sufficient, since tests are executed in worker
/// processes.
///
/// # Errors
/// Returns the system's error.
pub fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Executes every test case and reports each event to all reporters in order.
///
/// # Errors
/// Fails if a reporter fails; running test cases are abandoned.
pub async fn run<P: Plan>(
    plan: Arc<P>,
    limits: Limits,
    reporters: &mut [&mut dyn Reporter],
) -> anyhow::Result<Summary> {
    let start = Instant::now();
    let total = plan.len();
    let queue = Mutex::new(Queue::new(&*plan));
    let shared = Arc::new(Shared {
        plan,
        limits,
        queue,
        unexpected: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    });
    let (sender, mut events) = mpsc::unbounded_channel();
    let mut report = |event: TestEvent| reporters.iter_mut().try_for_each(|r| r.event(&event));
    report(TestEvent::RunStarted { total })?;
    for task in 0..limits.jobs.max(1) {
        tokio::spawn(work(shared.clone(), task, sender.clone()));
    }
    drop(sender);
    let mut summary =
        Summary { counts: Counts::default(), total, unexpected: 0, interrupted: false };
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
                // The first interruption waits for the running test cases, the second does not.
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
        if let Err(error) = report(event) {
            failure = Some(error);
            shared.stop();
            break;
        }
    }
    listener.abort();
    // Worker processes may end now, while the reporters write.
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

/// Forwards requests to stop: Ctrl-C, the termination signal, and the end of the terminal unless
/// the process ignores it (`nohup`).
#[cfg(unix)]
pub(crate) async fn listen(interrupts: mpsc::UnboundedSender<()>) {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut interrupt), Ok(mut terminate)) =
        (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let mut hangup = match ignores_hangup() {
        true => None,
        false => signal(SignalKind::hangup()).ok(),
    };
    let hung_up = async |hangup: &mut Option<tokio::signal::unix::Signal>| match hangup {
        Some(signal) => signal.recv().await,
        None => std::future::pending().await,
    };
    loop {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hung_up(&mut hangup) => {}
        }
        if interrupts.send(()).is_err() {
            return;
        }
    }
}

/// Returns true if the process was started with the hangup signal ignored, where the system says
/// it: a handler would undo that.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    static IGNORES: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *IGNORES.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        // Signal 1 is the lowest bit.
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|m| m & 1 != 0)
    })
}

/// Forwards requests to stop: Ctrl-C.
#[cfg(not(unix))]
pub(crate) async fn listen(interrupts: mpsc::UnboundedSender<()>) {
    while tokio::signal::ctrl_c().await.is_ok() && interrupts.send(()).is_ok() {}
}

/// A test case that a task has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taken {
    case: usize,
    is_serial: bool,
}

/// The test cases that are left.
struct Queue {
    serial: VecDeque<usize>,
    others: VecDeque<usize>,
    is_serial_running: bool,
}

impl Queue {
    fn new<P: Plan>(plan: &P) -> Queue {
        let (serial, others) = (0..plan.len()).partition(|case| plan.is_serial(*case));
        Queue { serial, others, is_serial_running: false }
    }

    /// Takes the next test case. Serial ones come first, since the run cannot be shorter than all
    /// of them. While one runs, a task that finds nothing else is not needed any more: the task of
    /// the running one takes the next.
    fn take(&mut self) -> Option<Taken> {
        if !self.is_serial_running
            && let Some(case) = self.serial.pop_front()
        {
            self.is_serial_running = true;
            return Some(Taken { case, is_serial: true });
        }
        self.others.pop_front().map(|case| Taken { case, is_serial: false })
    }
}

/// Data shared by the tasks.
struct Shared<P> {
    plan: Arc<P>,
    limits: Limits,
    /// The test cases that are left.
    queue: Mutex<Queue>,
    /// Number of unexpected results.
    unexpected: AtomicUsize,
    /// True if no further test cases are taken.
    stop: AtomicBool,
}

impl<P: Plan> Shared<P> {
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Takes the next test case, unless there is none or the run is stopping.
    fn take(&self) -> Option<Taken> {
        match self.stop.load(Ordering::Relaxed) {
            true => None,
            false => self.queue().take(),
        }
    }

    /// Permits the next serial test case after one.
    fn finish(&self, taken: Taken) {
        if taken.is_serial {
            self.queue().is_serial_running = false;
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an unexpected result; enough of them stop the run.
    fn count_unexpected(&self) {
        let count = self.unexpected.fetch_add(1, Ordering::Relaxed) + 1;
        if self.limits.max_fails.is_some_and(|most| count >= most) {
            self.stop();
        }
    }
}

/// Executes test cases one after the other.
async fn work<P: Plan>(
    shared: Arc<Shared<P>>,
    task: usize,
    events: mpsc::UnboundedSender<TestEvent>,
) {
    while let Some(taken) = shared.take() {
        let case = taken.case;
        if events.send(TestEvent::Started { case }).is_err() {
            break;
        }
        let finished = shared.plan.run(case, task).await;
        shared.finish(taken);
        let result = Box::new(shared.plan.result(case, finished));
        if !result.is_good() {
            shared.count_unexpected();
        }
        if events.send(TestEvent::Finished { case, result }).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::{Phase, Verdict};

    struct VerdictPlan(Vec<Verdict>);

    impl Plan for VerdictPlan {
        fn len(&self) -> usize {
            self.0.len()
        }

        async fn run(&self, case: usize, _: usize) -> Finished {
            Finished::at_once(self.0[case].clone())
        }

        fn result(&self, case: usize, finished: Finished) -> TestResult {
            let Finished { verdict, duration, .. } = finished;
            let (phase, reason) = verdict.cause.unzip();
            TestResult {
                test: format!("case{case}"),
                generation: "ivb".into(),
                variant: String::new(),
                status: verdict.status,
                phase,
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

    fn collect(results: Vec<Verdict>, limits: Limits) -> (Summary, Vec<TestResult>) {
        let mut collected = Collect::default();
        let mut reporters: [&mut dyn Reporter; 1] = [&mut collected];
        let run = run(Arc::new(VerdictPlan(results)), limits, &mut reporters);
        let summary = runtime().unwrap().block_on(run).unwrap();
        assert!(collected.1, "the run's end is reported");
        collected.0.sort_by(|a, b| a.key().cmp(&b.key()));
        (summary, collected.0)
    }

    #[test]
    fn every_row_is_run_once() {
        let results = vec![Verdict::pass(), Verdict::fail(Phase::Probe, "no"), Verdict::pass()];
        let (summary, results) = collect(results, Limits { jobs: 2, max_fails: None });
        assert_eq!(summary.counts.to_string(), "pass: 2, fail: 1");
        assert_eq!((summary.unexpected, summary.interrupted), (1, false));
        assert_eq!(
            results.iter().map(|result| &*result.test).collect::<Vec<_>>(),
            ["case0", "case1", "case2"]
        );
    }

    #[test]
    fn serial_cases_come_first_and_one_at_a_time() {
        let mut queue = Queue {
            serial: VecDeque::from([1, 4]),
            others: VecDeque::from([0, 2]),
            is_serial_running: false,
        };
        let mut take = |may_be_serial: bool| {
            queue.is_serial_running &= !may_be_serial;
            queue.take().map(|taken| taken.case)
        };
        assert_eq!([take(false), take(false)], [Some(1), Some(0)]);
        assert_eq!([take(true), take(false)], [Some(4), Some(2)]);
        assert_eq!([take(false), take(true)], [None, None]);
    }

    #[test]
    fn enough_failures_stop_the_run() {
        let results = vec![Verdict::fail(Phase::Probe, "no"); 50];
        let (summary, results) = collect(results, Limits { jobs: 1, max_fails: Some(3) });
        assert!(summary.interrupted);
        assert_eq!(results.len(), 3);
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
        let results = Arc::new(VerdictPlan(vec![Verdict::pass(); 5]));
        let limits = Limits { jobs: 1, max_fails: None };
        let error =
            runtime().unwrap().block_on(run(results, limits, &mut [&mut Full])).unwrap_err();
        assert_eq!(error.to_string(), "disk full");
    }
}
