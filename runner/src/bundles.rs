//! Failure bundles of a run: results are explained in worker processes, under the time and memory
//! limits of test cases.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

use crate::console::message::message;
use crate::schedule::listen;
use execute::Mode;
use results::bundle::{self, Bundle};
use results::event::{Reporter, TestEvent};
use results::names::is_program;
use results::verdict::{Outcome, Status, TestResult};
use results::{DriverHeader, Repeat, uses_driver};
use supervise::{ExplanationRequest, Pool, Request};
use vocabulary::Target;

/// Maximum size of a run's bundles in bytes.
const RUN_BYTES: u64 = 512 << 20;
/// Number of the first request; those of test cases are smaller.
const FIRST_REQUEST: usize = usize::MAX / 2;

/// The selection of results that get a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum BundlePolicy {
    /// None.
    None,
    /// Results that neither pass nor are skipped, and with --previous those that changed.
    Failures,
    /// All results that are not skipped.
    All,
}

/// Writer of the bundles of a run.
pub struct BundleWriter {
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
    /// Requests to stop.
    interrupts: UnboundedReceiver<()>,
}

struct Shared {
    folder: PathBuf,
    policy: BundlePolicy,
    /// Files and commands of the tests.
    repeat: Repeat,
    /// Compared properties of the previous results by test and generation.
    previous: BTreeMap<(String, String), Compared>,
    /// The OpenGL driver of the run.
    driver: Option<DriverHeader>,
    pool: Arc<Pool>,
    /// Limit of concurrent explanations.
    slots: Semaphore,
    /// Number of requests so far.
    requests: AtomicUsize,
    /// Mode of the run.
    mode: Mode,
    /// Total size of the written bundles.
    bytes: AtomicU64,
    /// The first problem and the number of results without an explanation.
    failed: Mutex<(Option<String>, usize)>,
    stop: AtomicBool,
}

/// Properties whose change makes a result interesting: status, and the hashes of its kernels.
type Compared = (Status, Vec<String>);

fn compared(result: &TestResult) -> Compared {
    (result.status, result.stages.iter().map(|stage| stage.sha.clone()).collect())
}

impl BundleWriter {
    /// Returns a writer of bundles of the tests in `repeat` into the run's folder, which has `pool`
    /// explain at most `jobs` results at a time; `mode` and `driver` are the run's. Must be called
    /// within a runtime.
    pub fn new(
        folder: &Path,
        (policy, mode): (BundlePolicy, Mode),
        repeat: Repeat,
        previous: &[TestResult],
        driver: Option<DriverHeader>,
        pool: Arc<Pool>,
        jobs: usize,
    ) -> BundleWriter {
        let previous = previous
            .iter()
            .map(|result| ((result.test.clone(), result.generation.clone()), compared(result)));
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            policy,
            mode,
            repeat,
            previous: previous.collect(),
            driver,
            pool,
            slots: Semaphore::new(jobs.max(1)),
            requests: AtomicUsize::new(FIRST_REQUEST),
            bytes: AtomicU64::new(0),
            failed: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let (sender, interrupts) = unbounded_channel();
        tokio::spawn(listen(sender));
        BundleWriter { shared, tasks: JoinSet::new(), interrupts }
    }

    /// Explains the results of a resumed run that have no bundle yet. Must be called within a
    /// runtime.
    pub fn complete(&mut self, finished: &[TestResult]) {
        for result in finished {
            let folder = bundle::folder(&self.shared.folder, &result.test, &result.generation);
            if self.shared.wants(result) && !folder.is_dir() {
                self.explain(result);
            }
        }
    }

    fn explain(&mut self, result: &TestResult) {
        let (shared, result) = (self.shared.clone(), result.clone());
        self.tasks.spawn(async move { shared.explain(&result).await });
    }

    /// Waits for the bundles; returns false if the user interrupts that. Only the running
    /// explanations of an interrupted run are finished.
    pub async fn finish(mut self, interrupted: bool) -> bool {
        self.shared.stop.store(interrupted, Ordering::Relaxed);
        let complete = loop {
            tokio::select! {
                task = self.tasks.join_next() => if task.is_none() { break true },
                Some(()) = self.interrupts.recv() => {
                    for _ in 0..self.tasks.len() {
                        self.shared.failed("interrupted");
                    }
                    self.tasks.abort_all();
                    break false;
                }
            }
        };
        let failed = self.shared.failed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(reason), count) = failed {
            // The standard error of a worker may follow on more lines.
            let reason = reason.lines().next().unwrap_or_default();
            message!(
                "warning: {count} results have no failure bundle, or one without an explanation: {reason}"
            );
        }
        complete
    }
}

impl Reporter for BundleWriter {
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match event {
            TestEvent::Finished { result, .. } if self.shared.wants(result) => self.explain(result),
            // The scheduler has heard those so far.
            TestEvent::RunFinished { .. } => while self.interrupts.try_recv().is_ok() {},
            _ => {}
        }
        Ok(())
    }
}

impl Shared {
    fn wants(&self, result: &TestResult) -> bool {
        let changed = || {
            let key = (result.test.clone(), result.generation.clone());
            !self.previous.is_empty() && self.previous.get(&key) != Some(&compared(result))
        };
        match (self.policy, result.status) {
            (BundlePolicy::None, _) | (_, Status::Skip) => false,
            _ if result.outcome == Outcome::Missing => false,
            (BundlePolicy::All, _) => true,
            (BundlePolicy::Failures, Status::Pass) => changed(),
            (BundlePolicy::Failures, _) => true,
        }
    }

    async fn explain(&self, result: &TestResult) {
        let Ok(_slot) = self.slots.acquire().await else { return };
        if !self.stop.load(Ordering::Relaxed)
            && let Err(reason) = self.write_bundle(result).await
        {
            self.failed(&reason);
        }
    }

    fn failed(&self, reason: &str) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.0.get_or_insert_with(|| reason.to_owned());
        failed.1 += 1;
    }

    async fn write_bundle(&self, result: &TestResult) -> Result<(), String> {
        let generation = Target::from_name(&result.generation).ok_or("an unknown generation")?;
        let path = self.repeat.files.get(&result.test).ok_or("the test's file is not known")?;
        if self.bytes.load(Ordering::Relaxed) > RUN_BYTES {
            return Err(format!("the run's bundles hold {} MiB already", RUN_BYTES >> 20));
        }
        // A crash, or a timeout without code, may have ended the process: the test is not executed
        // again. A program is a process of its own.
        let again = match result.status {
            Status::Crash => is_program(&result.test),
            Status::Timeout => !result.stages.is_empty(),
            _ => true,
        };
        let explained = match again {
            true => self.explain_in_worker(result, path, generation).await,
            false => Err(None),
        };
        if explained.is_err() {
            // An unreadable file was reported by the result.
            let text = execute::read_test(path, self.mode).unwrap_or_default();
            let command = self.command(result);
            let driver = self.driver(result);
            let plain = Bundle { command, driver, ..Bundle::plain(result, &text) };
            plain.write(&self.folder).map_err(|error| error.to_string())?;
        }
        let bytes = bundle::size(&self.folder, &result.test, &result.generation);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        explained.or_else(|reason| reason.map_or(Ok(()), Err))
    }

    fn command(&self, result: &TestResult) -> Option<String> {
        self.repeat.command(&result.test, &result.generation)
    }

    /// Returns the driver that executed a test case.
    fn driver(&self, result: &TestResult) -> Option<DriverHeader> {
        let driver = self.driver.as_ref();
        driver.filter(|_| uses_driver(&result.generation, &result.variant)).cloned()
    }

    /// Has a worker process write the bundle.
    async fn explain_in_worker(
        &self,
        result: &TestResult,
        path: &Path,
        generation: Target,
    ) -> Result<(), Option<String>> {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        let explanation = ExplanationRequest {
            result: result.clone(),
            command: self.command(result),
            driver: self.driver(result),
            folder: self.folder.clone().into_os_string(),
        };
        let request = Request {
            case: number,
            path: path.to_owned().into_os_string(),
            test: result.test.clone(),
            generation,
            case_override: None,
            explanation: Some(Box::new(explanation)),
            look: None,
        };
        let verdict = self.pool.run(number, request).await.verdict;
        match (verdict.status, verdict.cause) {
            (Status::Pass, _) => Ok(()),
            (_, cause) => Err(cause.map(|(_, reason)| reason)),
        }
    }
}
