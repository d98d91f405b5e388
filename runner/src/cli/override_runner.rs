//! Repeated execution of one test with different overrides, in worker processes.

use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{ExecuteArgs, run};
use crate::schedule;
use crate::select::TestFile;
use crate::supervise::{Pool, Request};
use execute::CaseOverride;
use results::verdict::Verdict;
use vocabulary::Generation;

/// Workers for executions with overrides.
pub(super) struct OverrideRunner {
    runtime: tokio::runtime::Runtime,
    pool: Arc<Pool>,
    /// Number of executions so far.
    count: usize,
    /// Requests to stop, unless they end the process.
    interrupts: Option<UnboundedReceiver<()>>,
}

/// The error of an interrupted execution.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

impl OverrideRunner {
    /// Starts workers that parse the arguments of this process.
    pub(super) fn start(execute: &ExecuteArgs, jobs: usize) -> anyhow::Result<OverrideRunner> {
        let arguments = super::arguments();
        let settings = run::settings(execute, false, jobs, &arguments)?;
        let runtime = schedule::runtime()?;
        let entered = runtime.enter();
        let pool = Arc::new(Pool::start(&settings, None));
        drop(entered);
        Ok(OverrideRunner { runtime, pool, count: 0, interrupts: None })
    }

    /// From now on, Ctrl-C and the termination signal make [`OverrideRunner::run`] fail with
    /// [`Interrupted`] instead of ending the process.
    pub(super) fn catch_interrupts(&mut self) {
        let (sender, interrupts) = unbounded_channel();
        self.runtime.spawn(schedule::listen(sender));
        self.interrupts = Some(interrupts);
    }

    /// Returns the number of executions.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Executes a test on a generation once per override; the verdicts are in the same order.
    pub(super) fn run(
        &mut self,
        test: &TestFile,
        generation: Generation,
        overrides: Vec<CaseOverride>,
    ) -> anyhow::Result<Vec<Verdict>> {
        let first = self.count;
        self.count += overrides.len();
        let (pool, interrupts) = (&self.pool, &mut self.interrupts);
        self.runtime.block_on(async {
            let start = |(case, case_override)| {
                let request = Request {
                    case,
                    path: test.path.clone().into(),
                    test: test.name.clone(),
                    generation,
                    case_override: Some(case_override),
                };
                let pool = pool.clone();
                tokio::spawn(async move { pool.run(0, request).await.verdict })
            };
            let running: Vec<_> = (first..).zip(overrides).map(start).collect();
            let mut verdicts = Vec::with_capacity(running.len());
            for row in running {
                tokio::select! {
                    verdict = row => verdicts.push(verdict?),
                    () = interrupted(interrupts) => return Err(Interrupted.into()),
                }
            }
            Ok(verdicts)
        })
    }
}

/// Waits for an interruption, forever if interruptions end the process.
async fn interrupted(interrupts: &mut Option<UnboundedReceiver<()>>) {
    let asked = match interrupts {
        Some(interrupts) => interrupts.recv().await.is_some(),
        None => false,
    };
    if !asked {
        std::future::pending().await
    }
}
