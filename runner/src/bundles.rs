//! Keeping bundles while a run goes on: a reporter hands rows to threads that explain them.

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

/// Stack of a thread that explains: as for running tests.
const STACK: usize = 64 << 20;
/// Most bytes of bundles per run.
const RUN_BYTES: u64 = 512 << 20;

/// Which rows get a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Keep {
    /// None.
    None,
    /// Those that neither pass nor are skipped, and with --previous those that changed.
    Failures,
    /// All that are not skipped.
    All,
}

/// Writes bundles beside a run.
#[derive(Debug)]
pub struct Keeper {
    rows: Option<Sender<TestResult>>,
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    folder: PathBuf,
    keep: Keep,
    options: RunOptions,
    /// Files by test.
    files: BTreeMap<String, PathBuf>,
    /// Rows of the previous run by test and generation: what is compared.
    previous: BTreeMap<(String, String), Compared>,
    queue: Mutex<Receiver<TestResult>>,
    /// Bytes written so far.
    bytes: AtomicU64,
    /// The first error and the rows without bundle.
    failed: Mutex<(Option<String>, usize)>,
    stop: AtomicBool,
}

/// What makes a row a changed one: status, and the hashes of its kernels.
type Compared = (Status, Vec<String>);

fn compared(row: &TestResult) -> Compared {
    (row.status, row.stages.iter().map(|stage| stage.sha.clone()).collect())
}

impl Keeper {
    /// Starts `threads` threads that explain rows of tests in `files` into the run's folder.
    pub fn new(
        folder: &Path,
        keep: Keep,
        options: RunOptions,
        files: BTreeMap<String, PathBuf>,
        previous: &[TestResult],
        threads: usize,
    ) -> Keeper {
        let (rows, queue) = channel();
        let previous = previous.iter().map(|row| ((row.test.clone(), row.target.clone()), compared(row)));
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            keep,
            options,
            files,
            previous: previous.collect(),
            queue: Mutex::new(queue),
            bytes: AtomicU64::new(0),
            failed: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let threads = if keep == Keep::None { 0 } else { threads };
        let start = |_| {
            let shared = shared.clone();
            std::thread::Builder::new().stack_size(STACK).spawn(move || shared.work()).ok()
        };
        Keeper { rows: Some(rows), threads: (0..threads).filter_map(start).collect(), shared }
    }

    /// Explains those rows of a resumed run that were finished, but not explained.
    pub fn complete(&self, finished: &[TestResult]) {
        let explained =
            |row: &TestResult| bundle::folder(&self.shared.folder, &row.test, &row.target).is_dir();
        finished
            .iter()
            .filter(|row| self.shared.wants(row) && !explained(row))
            .for_each(|row| self.send(row));
    }

    fn send(&self, row: &TestResult) {
        if let Some(rows) = &self.rows {
            // Nobody takes rows when no thread could be started.
            let _ = rows.send(row.clone());
        }
    }

    fn finish(&mut self, interrupted: bool) {
        self.shared.stop.store(interrupted, Ordering::Relaxed);
        self.rows = None;
        for thread in self.threads.drain(..) {
            // A thread that died left its bundles out; the run's results do not depend on them.
            let _ = thread.join();
        }
        let failed = self.shared.failed.lock().map(|failed| failed.clone()).unwrap_or_default();
        if let (Some(reason), count) = failed {
            eprintln!("warning: {count} results have no failure bundle: {reason}");
        }
    }
}

impl Reporter for Keeper {
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
            let key = (row.test.clone(), row.target.clone());
            !self.previous.is_empty() && self.previous.get(&key) != Some(&compared(row))
        };
        match (self.keep, row.status) {
            (Keep::None, _) | (_, Status::Skip) => false,
            _ if row.outcome == Outcome::Missing => false,
            (Keep::All, _) => true,
            (Keep::Failures, Status::Pass) => changed(),
            (Keep::Failures, _) => true,
        }
    }

    fn work(&self) {
        // The guard is dropped before the row is explained: one thread waits, the others work.
        let next = || self.queue.lock().ok()?.recv().ok();
        while let Some(row) = next() {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Err(reason) = self.keep(&row)
                && let Ok(mut failed) = self.failed.lock()
            {
                failed.0.get_or_insert(reason);
                failed.1 += 1;
            }
        }
    }

    fn keep(&self, row: &TestResult) -> Result<(), String> {
        let target = Generation::from_name(&row.target).ok_or("an unknown generation")?;
        let path = self.files.get(&row.test).ok_or("the test's file is not known")?;
        if self.bytes.load(Ordering::Relaxed) > RUN_BYTES {
            return Err(format!("the run's bundles hold {} MiB already", RUN_BYTES >> 20));
        }
        let text = std::fs::read(path).unwrap_or_default();
        // Without code a crash or timeout happened on the way to it, or took its process along.
        let again = match row.status {
            Status::Crash => false,
            Status::Timeout => !row.stages.is_empty(),
            _ => true,
        };
        let bundle: Bundle = explain(row, &text, target, &self.options, &Devices::default(), again);
        self.bytes.fetch_add(bundle.size() as u64, Ordering::Relaxed);
        bundle.write(&self.folder).map_err(|error| error.to_string())
    }
}
