//! Failure bundles of a run: a reporter hands results to threads that explain them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use execute::explain::explain;
use execute::{Devices, RunOptions};
use results::bundle::{self, Bundle};
use results::event::{Reporter, TestEvent};
use results::verdict::{Outcome, Status, TestResult};
use vocabulary::Generation;

/// Stack size of an explaining thread: as for executing tests.
const STACK: usize = 64 << 20;
/// Maximum size of a run's bundles in bytes.
const RUN_BYTES: u64 = 512 << 20;

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
#[derive(Debug)]
pub struct BundleWriter {
    rows: Option<Sender<TestResult>>,
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    policy: BundlePolicy,
    options: RunOptions,
    /// Files by test.
    files: BTreeMap<String, PathBuf>,
    /// Compared properties of the previous results by test and generation.
    previous: BTreeMap<(String, String), Compared>,
    queue: Mutex<Receiver<TestResult>>,
    /// Total size of the written bundles.
    bytes: AtomicU64,
    /// The first error and the number of results without a bundle.
    failed: Mutex<(Option<String>, usize)>,
    stop: AtomicBool,
}

/// Properties whose change makes a result interesting: status, and the hashes of its kernels.
type Compared = (Status, Vec<String>);

fn compared(row: &TestResult) -> Compared {
    (row.status, row.stages.iter().map(|stage| stage.sha.clone()).collect())
}

impl BundleWriter {
    /// Starts `threads` threads that explain results of tests in `files` into the run's folder.
    pub fn new(
        folder: &Path,
        policy: BundlePolicy,
        options: RunOptions,
        files: BTreeMap<String, PathBuf>,
        previous: &[TestResult],
        threads: usize,
    ) -> BundleWriter {
        let (rows, queue) = channel();
        let previous =
            previous.iter().map(|row| ((row.test.clone(), row.generation.clone()), compared(row)));
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            policy,
            options,
            files,
            previous: previous.collect(),
            queue: Mutex::new(queue),
            bytes: AtomicU64::new(0),
            failed: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let threads = if policy == BundlePolicy::None { 0 } else { threads };
        let start = |_| {
            let shared = shared.clone();
            std::thread::Builder::new().stack_size(STACK).spawn(move || shared.work()).ok()
        };
        BundleWriter { rows: Some(rows), threads: (0..threads).filter_map(start).collect(), shared }
    }

    /// Explains the results of a resumed run that have no bundle yet.
    pub fn complete(&self, finished: &[TestResult]) {
        let explained = |row: &TestResult| {
            bundle::folder(&self.shared.folder, &row.test, &row.generation).is_dir()
        };
        finished
            .iter()
            .filter(|row| self.shared.wants(row) && !explained(row))
            .for_each(|row| self.send(row));
    }

    fn send(&self, row: &TestResult) {
        if let Some(rows) = &self.rows {
            // The channel is closed if no thread could be started.
            let _ = rows.send(row.clone());
        }
    }

    fn finish(&mut self, interrupted: bool) {
        self.shared.stop.store(interrupted, Ordering::Relaxed);
        self.rows = None;
        for thread in self.threads.drain(..) {
            // A crashed thread leaves its bundles out; the run's results do not depend on them.
            let _ = thread.join();
        }
        let failed = self.shared.failed.lock().map(|failed| failed.clone()).unwrap_or_default();
        if let (Some(reason), count) = failed {
            eprintln!("warning: {count} results have no failure bundle: {reason}");
        }
    }
}

impl Reporter for BundleWriter {
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match event {
            TestEvent::Finished { result, .. } if self.shared.wants(result) => self.send(result),
            TestEvent::RunFinished { interrupted, .. } => self.finish(*interrupted),
            _ => {}
        }
        Ok(())
    }
}

impl Shared {
    fn wants(&self, row: &TestResult) -> bool {
        let changed = || {
            let key = (row.test.clone(), row.generation.clone());
            !self.previous.is_empty() && self.previous.get(&key) != Some(&compared(row))
        };
        match (self.policy, row.status) {
            (BundlePolicy::None, _) | (_, Status::Skip) => false,
            _ if row.outcome == Outcome::Missing => false,
            (BundlePolicy::All, _) => true,
            (BundlePolicy::Failures, Status::Pass) => changed(),
            (BundlePolicy::Failures, _) => true,
        }
    }

    fn work(&self) {
        // The lock is released before the explanation: one thread waits, the others work.
        let next = || self.queue.lock().ok()?.recv().ok();
        while let Some(row) = next() {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Err(reason) = self.write_bundle(&row)
                && let Ok(mut failed) = self.failed.lock()
            {
                failed.0.get_or_insert(reason);
                failed.1 += 1;
            }
        }
    }

    fn write_bundle(&self, row: &TestResult) -> Result<(), String> {
        let generation = Generation::from_name(&row.generation).ok_or("an unknown generation")?;
        let path = self.files.get(&row.test).ok_or("the test's file is not known")?;
        if self.bytes.load(Ordering::Relaxed) > RUN_BYTES {
            return Err(format!("the run's bundles hold {} MiB already", RUN_BYTES >> 20));
        }
        let text = std::fs::read(path).unwrap_or_default();
        // A crash, or a timeout without code, may have ended the process: the test is not executed
        // again.
        let again = match row.status {
            Status::Crash => false,
            Status::Timeout => !row.stages.is_empty(),
            _ => true,
        };
        let bundle: Bundle =
            explain(row, &text, generation, &self.options, &Devices::default(), again);
        self.bytes.fetch_add(bundle.size() as u64, Ordering::Relaxed);
        bundle.write(&self.folder).map_err(|error| error.to_string())
    }
}
