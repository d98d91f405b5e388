//! Repeated execution of one test with different overrides, in worker processes.

use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::args::ExecuteArgs;
use super::values::process_arguments;
use super::workers::{self, Split};
use crate::schedule;
use crate::virtual_gpu::VirtualGpu;
use execute::CaseOverride;
use results::verdict::Verdict;
use supervise::{Pool, Request};
use tools::{Case, CaseRunner, RunError};
use vocabulary::Target;

/// Workers for executions with overrides.
pub(super) struct OverrideRunner {
    runtime: tokio::runtime::Runtime,
    pool: Arc<Pool>,
    /// Number of executions so far.
    count: usize,
    /// Requests to stop, unless they end the process.
    interrupts: Option<UnboundedReceiver<()>>,
    /// The GPU of the workers' driver; it ends after them.
    _gpu: Option<VirtualGpu>,
}

impl OverrideRunner {
    /// Starts workers that parse the arguments of this process.
    pub(super) fn start(
        execute: &ExecuteArgs,
        generations: &[Target],
        jobs: usize,
    ) -> anyhow::Result<OverrideRunner> {
        let arguments = process_arguments();
        let split = Split::of(execute, false, generations);
        let gpu = super::driver::virtual_gpu(&execute.device.driver, generations)?;
        let mut settings = workers::settings(execute, split, jobs, &arguments)?;
        settings.program.environment =
            gpu.as_ref().map(VirtualGpu::environment).unwrap_or_default();
        let runtime = schedule::runtime()?;
        let entered = runtime.enter();
        let pool = Arc::new(Pool::start(&settings, None));
        drop(entered);
        Ok(OverrideRunner { runtime, pool, count: 0, interrupts: None, _gpu: gpu })
    }

    /// From now on, Ctrl-C and the termination signal make [`CaseRunner::run`] fail with
    /// [`RunError::Interrupted`] instead of ending the process.
    pub(super) fn catch_interrupts(&mut self) {
        let (sender, interrupts) = unbounded_channel();
        self.runtime.spawn(schedule::listen(sender));
        self.interrupts = Some(interrupts);
    }
}

impl CaseRunner for OverrideRunner {
    fn run(&mut self, case: &Case, overrides: Vec<CaseOverride>) -> Result<Vec<Verdict>, RunError> {
        let first = self.count;
        self.count += overrides.len();
        let (pool, interrupts) = (&self.pool, &mut self.interrupts);
        self.runtime.block_on(async {
            let start = |(number, case_override)| {
                let request = Request::execution(number, case, Some(case_override));
                let pool = pool.clone();
                tokio::spawn(async move { pool.run(0, request).await.verdict })
            };
            let running: Vec<_> = (first..).zip(overrides).map(start).collect();
            let mut verdicts = Vec::with_capacity(running.len());
            for execution in running {
                tokio::select! {
                    verdict = execution => {
                        verdicts.push(verdict.map_err(|error| RunError::Failed(error.into()))?);
                    }
                    () = interrupted(interrupts) => return Err(RunError::Interrupted),
                }
            }
            Ok(verdicts)
        })
    }

    fn count(&self) -> usize {
        self.count
    }
}

/// Waits for an interruption, forever if interruptions end the process.
async fn interrupted(interrupts: &mut Option<UnboundedReceiver<()>>) {
    let requested = match interrupts {
        Some(interrupts) => interrupts.recv().await.is_some(),
        None => false,
    };
    if !requested {
        std::future::pending().await
    }
}
