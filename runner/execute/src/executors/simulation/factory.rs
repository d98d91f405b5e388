//! The real devices: simulator and interpreter.

use amd_isa::Chip;
use compiler::CachedCompiler;
use eu_simulator::MathMode;
use raster::device::DeviceError;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::device::{DeviceFactory, DeviceKind, DeviceRequest};
use crate::external;
use crate::hardware::{chip, devinfo};
use crate::shared::SharedTests;
use amd_device::{Programs, WaveDevice, WaveLog, WaveOptions};
use intel_device::{Decoders, SimulatorDevice, SimulatorOptions, TraceLog};
use interpreter_device::InterpreterDevice;
use shader_device::{BinarySource, Cores, OtherSources, ShaderDevice};

fn wave_device(
    request: &DeviceRequest<'_>,
    chip: Chip,
    (cache, programs, cores): (Arc<CachedCompiler>, Arc<Programs>, Cores),
) -> WaveDevice {
    WaveDevice::new(WaveOptions {
        chip,
        compiler: request.options.codegen.clone(),
        step_limit: request.step_limit,
        seed: seed(request.test),
        others: others(request),
        cache,
        programs,
        cores,
    })
}

/// Factory of simulators and interpreters. All simulators share compiled and decoded code.
#[derive(Clone, Default)]
pub struct Devices {
    cache: Arc<CachedCompiler>,
    decoders: Arc<Decoders>,
    programs: Arc<Programs>,
    cores: Cores,
    tests: Arc<SharedTests>,
}

impl Devices {
    /// Returns a factory whose devices share the cores of the process. Without cores, each device
    /// executes on the thread of its test alone.
    pub fn on_cores(cores: Cores) -> Devices {
        Devices { cores, ..Devices::default() }
    }

    /// Returns the factory with a compiler whose tables keep about as many instructions.
    pub fn keeping(self, instructions: usize) -> Devices {
        Devices { cache: Arc::new(CachedCompiler::with_capacity(instructions)), ..self }
    }

    /// Returns the factory with a table of `tests` tests, whose test cases share what does not
    /// depend on the generation.
    pub fn sharing(self, tests: usize) -> Devices {
        Devices { tests: Arc::new(SharedTests::new(tests)), ..self }
    }
}

impl DeviceFactory for Devices {
    fn shared_tests(&self) -> Option<&SharedTests> {
        Some(&self.tests)
    }

    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        match request.kind {
            DeviceKind::Interpreter => {
                Ok(Box::new(InterpreterDevice::new(request.step_limit, self.cores.clone())))
            }
            DeviceKind::Simulator => {
                if let Some(chip) = chip(request.target) {
                    let shared = (self.cache.clone(), self.programs.clone(), self.cores.clone());
                    let mut device = wave_device(request, chip, shared);
                    device.log_passes(request.options.log_passes);
                    return Ok(Box::new(device));
                }
                let options = simulator_options(request)?;
                let (cache, decoders) = (self.cache.clone(), self.decoders.clone());
                let cores = self.cores.clone();
                let options = SimulatorOptions { cache, decoders, cores, ..options };
                let mut device = SimulatorDevice::new(options);
                device.log_passes(request.options.log_passes);
                Ok(Box::new(device))
            }
        }
    }
}

fn simulator_options(request: &DeviceRequest<'_>) -> Result<SimulatorOptions, DeviceError> {
    let devinfo = devinfo(request.target).ok_or_else(|| {
        DeviceError::Execution(format!("{} has no instruction set", request.target))
    })?;
    Ok(SimulatorOptions {
        devinfo,
        compiler: request.options.codegen.clone(),
        cache: Arc::default(),
        decoders: Arc::default(),
        others: others(request),
        math: if request.options.worst_math { MathMode::Worst } else { MathMode::Exact },
        step_limit: request.step_limit,
        seed: seed(request.test),
        trace: None,
        cores: Cores::default(),
    })
}

/// Factory of simulators that trace their threads.
pub struct Traced {
    /// Receiver of the trace.
    pub log: Arc<Mutex<TraceLog>>,
}

impl DeviceFactory for Traced {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        let options = simulator_options(request)?;
        Ok(Box::new(SimulatorDevice::new(SimulatorOptions {
            trace: Some(self.log.clone()),
            ..options
        })))
    }
}

/// Factory of devices of AMD's chips that trace their waves.
pub struct TracedWaves {
    /// Receiver of the trace.
    pub log: Arc<Mutex<WaveLog>>,
}

impl DeviceFactory for TracedWaves {
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        let chip = chip(request.target)
            .ok_or_else(|| DeviceError::Execution(format!("{} has no waves", request.target)))?;
        let mut device = wave_device(request, chip, Default::default());
        device.trace(self.log.clone());
        Ok(Box::new(device))
    }
}

/// Returns the sources of a test's binaries other than this project's compiler.
fn others(request: &DeviceRequest<'_>) -> OtherSources {
    OtherSources { folder: binaries(request), compiler: external_source(request) }
}

/// Returns the external compiler of the run, if there is one.
fn external_source(request: &DeviceRequest<'_>) -> Option<Box<dyn BinarySource>> {
    let DeviceRequest { target, test, script, options, .. } = *request;
    let compiler = options.compiler.as_ref()?;
    Some(external::source(compiler, test, target, script?, &options.codegen.widths))
}

/// Returns the folder with a test's binaries: `DIR/<test>/<gen>`, `DIR/<test>`, or `DIR` itself if
/// it holds stages.
fn binaries(request: &DeviceRequest<'_>) -> Option<PathBuf> {
    let root = request.options.binaries.as_deref()?;
    let test = root.join(request.test);
    let candidates = [test.join(request.target.name()), test];
    let holds_stages = |folder: &Path| {
        let stages = [
            "vertex",
            "tessellation_control",
            "tessellation_evaluation",
            "geometry",
            "fragment",
            "compute",
        ];
        stages.iter().any(|stage| folder.join(stage).is_dir())
    };
    let found = candidates.into_iter().find(|folder| holds_stages(folder));
    Some(found.unwrap_or_else(|| root.to_owned()))
}

/// Derives the contents of unwritten registers from the test's name: equal in all runs, different
/// between tests.
pub fn seed(test: &str) -> u64 {
    let hash = blake3::hash(test.as_bytes());
    hash.as_bytes().iter().take(8).fold(0, |seed, &byte| seed << 8 | u64::from(byte))
}
