//! `runner show --driver mesa`: what the driver submits for a test, and the kernels that run.

use std::cell::RefCell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use clap::Args;
use eu_simulator::trace::Tracer;
use intel_gpu::{Gpu, Watch, WatchedKernel, clock};
use packets::{NoKernels, Printer, Recording, Table};
use vocabulary::{Generation, Stage, Width};

use super::args::{DRIVER_FORMS, ShowArgs, What};
use crate::cli::args::{DriverChoice, ModuleArgs};
use crate::cli::exit::{EXPECTED, UNEXPECTED};
use crate::cli::output::print;
use crate::cli::workers;
use crate::console::message::message;
use crate::select::located_test;
use crate::temporary_folder::TemporaryFolder;
use crate::virtual_gpu::VirtualGpu;
use execute::{Devices, ExecutorSelection, RunOptions, TestCase};
use intel_device::TraceLog;
use shader_device::TraceFilter;
use supervise::{cause, change_environment};

/// Name of the hidden command that executes a test on the driver.
const COMMAND: &str = "%test";

/// Arguments of the hidden command.
#[derive(Debug, Args)]
pub(in crate::cli) struct TestArgs {
    test: PathBuf,
    #[command(flatten)]
    modules: ModuleArgs,
}

/// Executes a test on the driver of the process: the hidden command.
pub(in crate::cli) fn test(args: &TestArgs) -> anyhow::Result<u8> {
    let name = args.test.display().to_string();
    let target = execute::kind_of(&args.test).driver();
    args.modules.enter();
    let options = RunOptions {
        executors: ExecutorSelection::SimulatorOnly,
        is_translated: args.modules.spirv,
        ..RunOptions::default()
    };
    let devices = Devices::default();
    let case = TestCase::new(&name, target, &options, &devices);
    let case = TestCase { path: Some(&args.test), ..case };
    let verdict = execute::run_file(&args.test, &case);
    if let Some((phase, reason)) = verdict.cause {
        message!("{}: {phase}: {reason}", verdict.status);
    }
    Ok(EXPECTED)
}

/// Executes a test with the driver on the virtual GPU and prints what `args` selects.
pub(in crate::cli) fn show(args: &ShowArgs) -> anyhow::Result<u8> {
    if args.driver != Some(DriverChoice::Mesa) {
        bail!("only --driver mesa can be shown");
    }
    args.check()?;
    let generation = crate::cli::driver::virtual_generation(args.generation)?;
    let path = located_test(&args.test)?;
    if args.what == What::Spirv {
        return super::spirv::spirv(&path, args);
    }
    check_form(generation, &args.what)?;
    let folder = TemporaryFolder::create("show")?;
    let gpu =
        VirtualGpu::start(generation, Some(folder.path().to_owned()), |line| message!("{line}"))?;
    let mut command = Command::new(workers::program()?);
    command.arg(COMMAND).arg(&path).args(args.modules.words()).stdin(Stdio::null());
    change_environment(&mut command, &gpu.environment());
    let status = command.status().context("the test")?;
    let (_, problem) = gpu.finish();
    if let Some(problem) = problem {
        bail!(problem);
    }
    let recordings = recordings(folder.path())?;
    let text = match args.what {
        What::Batch => lines_of_commands(&batches(generation, &recordings)?),
        What::State => batches(generation, &recordings)?,
        What::Gcn => listings(args, generation, &recordings)?,
        What::Eu => assembly(args, generation, &recordings)?,
        What::Payload | What::Trace => trace(args, generation, &recordings)?,
        _ => bail!("--driver mesa shows {DRIVER_FORMS}"),
    };
    print(text.as_bytes())?;
    if !status.success() {
        message!("error: the process of the driver ended by {}", cause(status));
        return Ok(UNEXPECTED);
    }
    Ok(EXPECTED)
}

/// Checks that the virtual GPU of a generation has a form.
fn check_form(generation: Generation, what: &What) -> anyhow::Result<()> {
    let (is_own, forms) = match Generation::AMD.contains(&generation) {
        true => (*what == What::Gcn, "batch, state and gcn"),
        false => (
            matches!(what, What::Eu | What::Payload | What::Trace),
            "batch, state, eu, payload and trace",
        ),
    };
    if !is_own && !matches!(what, What::Batch | What::State) {
        bail!("--driver mesa --gen {generation} shows {forms}");
    }
    Ok(())
}

/// Returns the recordings of a folder in the order of submission.
fn recordings(folder: &Path) -> anyhow::Result<Vec<Recording>> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    paths.sort();
    let parse = |path: PathBuf| Ok(Recording::parse(&std::fs::read(path)?)?);
    paths.into_iter().map(parse).collect()
}

/// Text of all batches with their state, as the driver's own decoder prints it.
fn batches(generation: Generation, recordings: &[Recording]) -> anyhow::Result<String> {
    let table = Table::of(generation);
    let mut bases = rustc_hash::FxHashMap::default();
    let mut text = String::new();
    for (number, recording) in (1..).zip(recordings) {
        writeln!(text, "// batch {number}, context {}", recording.context)?;
        let mut kernels = NoKernels;
        let mut printer = Printer::new(table, recording, &|_| None, &mut kernels);
        let known = bases.entry(recording.context).or_default();
        printer.bases = *known;
        text += &match Generation::AMD.contains(&generation) {
            true => printer.packets(recording.address, recording.length)?,
            false => printer.batch(recording.address)?,
        };
        *known = printer.bases;
    }
    Ok(text)
}

/// The lines of the commands, without fields and state.
fn lines_of_commands(text: &str) -> String {
    let is_command = |line: &&str| {
        line.starts_with("//") || (line.starts_with("0x") && !line.contains(" : Dword "))
    };
    text.lines().filter(is_command).flat_map(|line| [line.trim_end(), "\n"]).collect()
}

/// Executes recordings again under the eyes of an observer.
fn replay(
    generation: Generation,
    recordings: &[Recording],
    watch: Rc<dyn Watch>,
) -> anyhow::Result<()> {
    let mut gpu = Gpu::new(generation, clock(generation));
    gpu.watch(watch);
    for recording in recordings {
        gpu.execute(recording, recording.context, recording.address)?;
    }
    Ok(())
}

/// Kernels that ran, each once.
#[derive(Default)]
struct Kernels(RefCell<Vec<(Stage, Width, Vec<u8>)>>);

impl Watch for Kernels {
    fn kernel(&self, kernel: &WatchedKernel<'_>) -> Option<Tracer> {
        let mut all = self.0.borrow_mut();
        let is_known = |(stage, width, code): &(Stage, Width, Vec<u8>)| {
            (*stage, *width) == (kernel.stage, kernel.width) && code == kernel.code
        };
        if !all.iter().any(is_known) {
            all.push((kernel.stage, kernel.width, kernel.code.to_vec()));
        }
        None
    }
}

/// Assembly of the kernels in the order in which they ran.
fn assembly(
    args: &ShowArgs,
    generation: Generation,
    recordings: &[Recording],
) -> anyhow::Result<String> {
    let devinfo = args.devinfo()?;
    let kernels = Rc::new(Kernels::default());
    replay(generation, recordings, kernels.clone())?;
    let mut text = String::new();
    for (stage, width, code) in kernels.0.borrow().iter() {
        if args.stage.is_none_or(|only| only == *stage) {
            let program = intel_isa::decode_program(devinfo, code)?;
            writeln!(text, "// {stage} {}, {} instructions", width.name(), program.len())?;
            text += &intel_isa::print_program(devinfo, &program);
        }
    }
    Ok(text)
}

/// Assembly of the programs of AMD's chips in the order in which they ran.
fn listings(
    args: &ShowArgs,
    generation: Generation,
    recordings: &[Recording],
) -> anyhow::Result<String> {
    let mut gpu = amd_gpu::Gpu::new(generation, amd_gpu::clock(generation));
    let mut text = String::new();
    for (number, recording) in (1..).zip(recordings) {
        let Recording { context, address, length, .. } = *recording;
        // The programs of a buffer that stops are of interest, too.
        if let Err(error) = gpu.execute(recording, context, address, length) {
            writeln!(text, "// batch {number}: {error}")?;
        }
    }
    for (stage, lines) in gpu.listings() {
        if args.stage.is_none_or(|only| only == stage) {
            writeln!(text, "// {stage}, {} instructions", lines.len())?;
            lines.iter().try_for_each(|line| writeln!(text, "{line}"))?;
        }
    }
    Ok(text)
}

/// Traces all threads.
struct Traces(Arc<Mutex<TraceLog>>);

impl Watch for Traces {
    fn kernel(&self, kernel: &WatchedKernel<'_>) -> Option<Tracer> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.begin(kernel.stage, kernel.width);
        Some(Tracer::new(self.0.clone()))
    }
}

/// Payloads of all threads, or every executed instruction.
fn trace(
    args: &ShowArgs,
    generation: Generation,
    recordings: &[Recording],
) -> anyhow::Result<String> {
    let devinfo = args.devinfo()?;
    let payloads_only = args.what == What::Payload;
    let filter = TraceFilter { stage: args.stage, payloads_only, ..TraceFilter::default() };
    let log = TraceLog::new(devinfo, 0, filter);
    let log = Arc::new(Mutex::new(log));
    replay(generation, recordings, Rc::new(Traces(log.clone())))?;
    let text = log.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_vendor_has_forms_of_its_own() {
        let message = |generation, what| {
            check_form(generation, &what).map_err(|error| error.to_string()).err()
        };
        assert_eq!(message(Generation::Vi, What::Gcn), None);
        assert_eq!(message(Generation::Skl, What::Trace), None);
        let forms = "--driver mesa --gen vi shows batch, state and gcn";
        assert_eq!(message(Generation::Vi, What::Trace).as_deref(), Some(forms));
        let forms = "--driver mesa --gen skl shows batch, state, eu, payload and trace";
        assert_eq!(message(Generation::Skl, What::Gcn).as_deref(), Some(forms));
    }

    #[test]
    fn commands_without_fields() {
        let text = "// batch 1, context 1\n0x10:  0x7a000003:  PIPE_CONTROL   \n\
                    0x10:  0x7a000003 : Dword 0\n    Depth: true\n";
        let expected = "// batch 1, context 1\n0x10:  0x7a000003:  PIPE_CONTROL\n";
        assert_eq!(lines_of_commands(text), expected);
    }
}
