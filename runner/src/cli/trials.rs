//! Executing one test again and again, each time a little different, in worker processes.

use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{ExecuteArgs, run};
use crate::schedule;
use crate::select::TestFile;
use crate::supervise::{Pool, Request};
use execute::Trial;
use results::verdict::Verdict;
use vocabulary::Generation;

/// Workers that try things.
pub(super) struct Trials {
    runtime: tokio::runtime::Runtime,
    pool: Arc<Pool>,
    /// Executions so far.
    count: usize,
    /// Requests to stop, where they do not end the process.
    interrupts: Option<UnboundedReceiver<()>>,
}

/// Somebody wants it to end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("interrupted")]
pub(super) struct Interrupted;

impl Trials {
    /// Starts workers that parse the arguments of this process.
    pub(super) fn start(execute: &ExecuteArgs, jobs: usize) -> anyhow::Result<Trials> {
        let arguments = super::arguments();
        let settings = run::settings(execute, false, jobs, &arguments)?;
        let runtime = schedule::runtime()?;
        let entered = runtime.enter();
        let pool = Arc::new(Pool::start(&settings, None));
        drop(entered);
        Ok(Trials { runtime, pool, count: 0, interrupts: None })
    }

    /// From now on Ctrl-C and the termination signal make [`Trials::run`] fail with [`Interrupted`] instead of ending the
    /// process.
    pub(super) fn catch_interrupts(&mut self) {
        let (sender, interrupts) = unbounded_channel();
        self.runtime.spawn(schedule::listen(sender));
        self.interrupts = Some(interrupts);
    }

    /// How often a test was executed.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Executes a test on a target as many times as there are trials; the verdicts are in their order.
    pub(super) fn run(
        &mut self,
        test: &TestFile,
        target: Generation,
        trials: Vec<Trial>,
    ) -> anyhow::Result<Vec<Verdict>> {
        let first = self.count;
        self.count += trials.len();
        let (pool, interrupts) = (&self.pool, &mut self.interrupts);
        self.runtime.block_on(async {
            let start = |(job, trial)| {
                let request = Request {
                    job,
                    path: test.path.clone().into(),
                    test: test.name.clone(),
                    target,
                    trial: Some(trial),
                };
                let pool = pool.clone();
                tokio::spawn(async move { pool.run(0, request).await.verdict })
            };
            let running: Vec<_> = (first..).zip(trials).map(start).collect();
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

/// Never, if nobody may.
async fn interrupted(interrupts: &mut Option<UnboundedReceiver<()>>) {
    let asked = match interrupts {
        Some(interrupts) => interrupts.recv().await.is_some(),
        None => false,
    };
    if !asked {
        std::future::pending().await
    }
}
