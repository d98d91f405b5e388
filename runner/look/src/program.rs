//! The linked program of a script, its IR, and the trace of its execution.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, anyhow};
use program::{Program, StageKey};
use script::Script;

use amd_device::WaveLog;
use execute::{ExecutorSelection, Linked, RunOptions, TestCase, Traced, TracedWaves};
use intel_device::TraceLog;
use raster::deferred::ShadeMode;
use results::verdict::{Phase, Verdict};
use shader_device::TraceFilter;
use vocabulary::{CodegenOptions, Stage, Target};

/// Returns the linked program, or the verdict of a test without one.
///
/// # Errors
/// Returns the verdict that ends the test before its commands.
pub fn linked(script: &Script<'_>, target: Target) -> Result<Arc<Program>, Verdict> {
    let capabilities = execute::context_for(script, target)?;
    match execute::build(script, capabilities)? {
        Linked::Program(program) | Linked::Pipeline(program, _) => Ok(program),
        Linked::Failed(log) => Err(Verdict::fail(Phase::Link, log)),
        Linked::Nothing => Err(Verdict::fail(Phase::Link, "there are no GLSL shaders")),
    }
}

/// Returns the linked program of a script, or the reason why there is none as an error.
pub(crate) fn linked_or_reason(
    script: &Script<'_>,
    target: Target,
) -> anyhow::Result<Arc<Program>> {
    linked(script, target)
        .map_err(|verdict| anyhow!(verdict.cause.map_or(String::new(), |(_, reason)| reason)))
}

/// Compiles a stage to the input of the back end of a target; `hook` sees the IR after each pass.
///
/// # Errors
/// The program cannot be lowered, a pass failed, or the target has no compiler.
pub fn stage_ir(
    program: &Program,
    (stage, key): (Stage, &StageKey),
    target: Target,
    options: &CodegenOptions,
    hook: compiler::Hook<'_>,
) -> anyhow::Result<Arc<ir::Shader>> {
    let shader = match (execute::devinfo(target), execute::chip(target)) {
        (Some(devinfo), _) => {
            Arc::new(compiler::ir_after(program, stage, key, devinfo, options, hook)?)
        }
        (None, Some(_)) => {
            let mut log = compiler::PassLog::default();
            compiler::ir_for_amd(program, stage, key, options, hook, &mut log)?
        }
        (None, None) => anyhow::bail!("{target} has no IR"),
    };
    Ok(shader)
}

/// Executes a script on the simulator alone. Returns the verdict, and the trace as text.
///
/// # Errors
/// The target has no instruction set.
pub fn traced(
    script: &Script<'_>,
    (test, target): (&str, Target),
    options: &RunOptions,
    filter: TraceFilter,
) -> anyhow::Result<(Verdict, String)> {
    let executors = ExecutorSelection::SimulatorOnly;
    // A pixel is shaded for itself only where nothing is shared.
    let shade = if filter.pixel.is_some() { ShadeMode::Immediate } else { options.shade };
    let options = RunOptions { executors, shade, ..options.clone() };
    if execute::chip(target).is_some() {
        let log = Arc::new(Mutex::new(WaveLog::new(filter)));
        let devices = TracedWaves { log: log.clone() };
        let verdict = execute::run_script(script, &TestCase::new(test, target, &options, &devices));
        let text = log.lock().unwrap_or_else(PoisonError::into_inner).take();
        return Ok((verdict, text));
    }
    let devinfo =
        execute::devinfo(target).with_context(|| format!("{target} has no instruction set"))?;
    let log = TraceLog::new(devinfo, execute::seed(test), filter);
    let log = Arc::new(Mutex::new(log));
    let devices = Traced { log: log.clone() };
    let verdict = execute::run_script(script, &TestCase::new(test, target, &options, &devices));
    let text = log.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok((verdict, text))
}
