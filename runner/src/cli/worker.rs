//! The hidden command of worker processes.

use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context;
use clap::Parser;

use super::args::{ExecuteArgs, WorkerArgs};
use super::command::{Cli, Command};
use super::exit::EXPECTED;
use super::look_options::look_options;
use super::options::{execute_options, simulation_options};
use super::plan::tests_of_a_block;
use crate::mock;
use crate::virtual_gpu::{Failures, UsedKernels, check_renderer};
use execute::{Devices, RunOptions, TestCase};
use execute::{RanKernel, add_kernels};
use look::LookRequest;
use results::bundle::Bundle;
use results::verdict::{Phase, Status, Verdict};
use shader_device::Cores;
use supervise::{Done, ExplanationRequest, Request};
use vocabulary::{Stage, Target, Width};

/// Instructions that a worker of the page keeps: an edit has those of the one before.
const LOOK_INSTRUCTIONS: usize = 2000;

/// Executes test cases until the supervisor closes the input.
pub(super) fn worker(args: &WorkerArgs) -> anyhow::Result<u8> {
    supervise::want_large_pages(true);
    let cli = Cli::try_parse_from(
        std::iter::once(OsString::from("runner")).chain(args.run.iter().cloned()),
    )?;
    let (execute, generations) = executed(&cli)?;
    if execute.mock {
        supervise::serve(
            args.threads,
            || {},
            |request| {
                let limits = request
                    .case_override
                    .iter()
                    .flat_map(|case_override| &case_override.pass_limits);
                let (path, limit) =
                    (Path::new(&request.path), limits.last().map(|limit| limit.limit));
                let replaced = request.case_override.as_ref().and_then(|o| o.text.as_ref());
                let text = replaced.or(request.look.as_ref().and_then(|look| look.text.as_ref()));
                let verdict = match text {
                    Some(text) => mock::run_text(text, path, limit),
                    None => mock::run_file(path, limit),
                };
                verdict.into()
            },
        )?;
        return Ok(EXPECTED);
    }
    let is_virtual = execute.device.driver.is_virtual();
    let generation = generations.first().copied().filter(|_| !is_virtual);
    let options = Arc::new(execute_options(execute, generation == Some(Target::REFERENCE))?);
    let cores = Cores::new(args.threads);
    let mut devices =
        Devices::on_cores(cores.clone()).sharing(shared_tests(&cli, &generations, args));
    if matches!(cli.command, Some(Command::Serve(_))) {
        devices = devices.keeping(LOOK_INSTRUCTIONS);
    }
    // With one thread, the first test case prepares the tables itself.
    let early = (args.threads > 1).then(|| (options.clone(), devices.clone()));
    let prepare = move || {
        if let (Some((options, devices)), Some(generation)) = (early, generation) {
            execute::prepare(&TestCase::new("", generation, &options, &devices));
        }
    };
    let reports = Mutex::new(match is_virtual {
        true => Some(Reports::of_environment()?),
        false => None,
    });
    // A reduction asks the interpreter about texts for other targets.
    let alone = Arc::new(simulation_options(execute, true)?);
    supervise::serve(args.threads, prepare, move |request| {
        let is_reference = request.generation == Target::REFERENCE;
        if is_virtual && !is_reference {
            return answer_on_virtual_gpu(request, &options, &devices, &reports).into();
        }
        let options = if is_reference { &alone } else { &options };
        let _core = cores.enter();
        match &request.look {
            Some(look) => look_into(request, look, options, &devices),
            None => answer(request, options, &devices).into(),
        }
    })?;
    execute::end_programs();
    Ok(EXPECTED)
}

/// Returns the number of tests whose work is kept for other generations. Repetitions are to find
/// results that change, so that each executes everything.
fn shared_tests(cli: &Cli, generations: &[Target], args: &WorkerArgs) -> usize {
    let repeats = cli.command.is_none() && cli.run.repeat > 1;
    match generations {
        [_, _, ..] if !repeats => 2 * tests_of_a_block(args.threads),
        _ => 0,
    }
}

/// Reports of the virtual GPU about this process.
struct Reports {
    failures: Failures,
    kernels: UsedKernels,
}

impl Reports {
    fn of_environment() -> anyhow::Result<Reports> {
        let failures = Failures::of_environment().context("there is no virtual GPU")?;
        Ok(Reports { failures, kernels: UsedKernels::of_environment()? })
    }

    /// Completes a verdict: kernels that ran, and batches that could not be executed.
    fn complete(&mut self, mut verdict: Verdict) -> Verdict {
        match self.kernels.take() {
            Ok(used) if verdict.status != Status::Skip => {
                let used: Vec<RanKernel> = used.iter().filter_map(ran).collect();
                add_kernels(&mut verdict.stages, &used);
            }
            Ok(_) => {}
            Err(error) => return Verdict::fail(Phase::Simulate, format!("virtual GPU: {error}")),
        }
        self.failures.judge(verdict)
    }
}

/// Converts a kernel that the virtual GPU names.
fn ran(kernel: &gpu_service::KernelUse) -> Option<RanKernel> {
    Some(RanKernel {
        stage: Stage::ALL.into_iter().find(|stage| stage.name() == kernel.stage)?,
        width: Width::ALL.into_iter().find(|width| width.name() == kernel.width)?,
        instructions: kernel.instructions.try_into().ok()?,
        loops: kernel.loops.try_into().ok()?,
        sends: kernel.sends.try_into().ok()?,
        cycles: kernel.cycles,
        hash: kernel.hash.clone(),
        threads: kernel.threads,
        executed: kernel.executed,
    })
}

/// Has the driver execute a test case; the virtual GPU reports batches that it cannot execute.
fn answer_on_virtual_gpu(
    request: &Request,
    run: &RunOptions,
    devices: &Devices,
    reports: &Mutex<Option<Reports>>,
) -> Verdict {
    let driver = execute::kind_of(Path::new(&request.path)).driver();
    let renderer: anyhow::Result<String> = if driver == execute::vulkan::TARGET {
        execute::vulkan::identity().map(|identity| identity.renderer).map_err(Into::into)
    } else {
        execute::driver::identity().map(|identity| identity.renderer).map_err(Into::into)
    };
    if let Err(error) = renderer.and_then(|name| check_renderer(&name)) {
        return Verdict::fail(Phase::Require, error.to_string());
    }
    let request = Request { generation: driver, ..request.clone() };
    let verdict = answer(&request, run, devices);
    match &mut *reports.lock().unwrap_or_else(PoisonError::into_inner) {
        // An explanation executes the test case again, so that the same batch may fail again.
        Some(reports) if request.explanation.is_some() => {
            let _ = reports.complete(Verdict::pass());
            verdict
        }
        Some(reports) => reports.complete(verdict),
        None => Verdict::fail(Phase::Require, "there is no virtual GPU"),
    }
}

/// Returns the execution options and the generations of a command: `reference` alone or not at all.
fn executed(cli: &Cli) -> anyhow::Result<(&ExecuteArgs, Vec<Target>)> {
    match &cli.command {
        None => Ok((&cli.run.execute, cli.run.generations())),
        Some(Command::Piglit(run)) => Ok((&run.execute, run.generations())),
        Some(Command::Bisect(args)) => Ok((&args.execute, args.generations.0.clone())),
        Some(Command::Reduce(args)) => Ok((&args.execute, vec![args.generation()])),
        Some(Command::Fuzz(args)) => Ok((&args.execute, args.generations())),
        Some(Command::Coverage(args)) => Ok((&args.execute, args.generations.0.clone())),
        // Each target has a worker of its own.
        Some(Command::Serve(args)) => Ok((&args.execute, args.generations.0[..1].to_vec())),
        Some(_) => anyhow::bail!("these are not the arguments of a command that executes tests"),
    }
}

fn answer(request: &Request, run: &RunOptions, devices: &Devices) -> Verdict {
    let path = Path::new(&request.path);
    let (test, target) = (&*request.test, request.generation);
    let case = TestCase { path: Some(path), ..TestCase::new(test, target, run, devices) };
    if let Some(explanation) = &request.explanation {
        return explain_result(path, &case, explanation);
    }
    let Some(case_override) = &request.case_override else {
        return execute::run_file(path, &case);
    };
    let options =
        RunOptions { execution: case_override.execution_options(&run.execution), ..run.clone() };
    let case = TestCase { options: &options, ..case };
    if case_override.sample_coverage {
        return observed(path, &case);
    }
    match &case_override.text {
        Some(text) => execute::run_replaced(path, text.as_bytes(), &case),
        None => execute::run_file(path, &case),
    }
}

/// Answers a look.
fn look_into(
    request: &Request,
    look: &LookRequest,
    server: &RunOptions,
    devices: &Devices,
) -> Done {
    let (test, target) = (&*request.test, request.generation);
    let options = match look_options(&look.options, server, target) {
        Ok(options) => options,
        Err(error) => {
            let verdict = Verdict::fail(Phase::Require, format!("{error:#}"));
            return Done { verdict, look: None };
        }
    };
    let path = Path::new(&request.path);
    let case = TestCase { path: Some(path), ..TestCase::new(test, target, &options, devices) };
    let (verdict, text) = look::look(path, look, &case);
    Done { verdict, look: Some(text) }
}

/// Writes the bundle of a result.
fn explain_result(path: &Path, case: &TestCase<'_>, request: &ExplanationRequest) -> Verdict {
    let explained = execute::explain_file(path, &request.result, case);
    let (command, driver) = (request.command.clone(), request.driver.clone());
    let bundle = Bundle { command, driver, ..explained };
    match bundle.write(Path::new(&request.folder)) {
        Ok(()) => Verdict::pass(),
        Err(error) => Verdict::fail(Phase::Simulate, error.to_string()),
    }
}

/// Executes the file with a coverage sample.
fn observed(path: &Path, case: &TestCase<'_>) -> Verdict {
    match execute::read_test(path, case.options.mode()) {
        Ok(text) => {
            let (verdict, sample) = tools::coverage::sample(&text, case);
            Verdict { coverage: sample, passes: Box::default(), ..verdict }
        }
        Err(_) => execute::run_file(path, case),
    }
}
