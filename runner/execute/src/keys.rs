//! Draw-time state that a script's draws compile into stages, found by issuing the draws without
//! shading.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use program::{Program, Stage, StageKey};
use raster::device::{Batch, Device, DeviceError, DrawState, Steps};
use raster::shader_io::ShaderIo;
use script::Script;

use crate::case::TestCase;
use crate::default_key::default_key;
use crate::device::{DeviceFactory, DeviceRequest};
use crate::executors::executor;
use crate::options::{ExecutorSelection, RunOptions};
use crate::shared::TestScript;
use shader_device::ShaderDevice;
use vocabulary::Target;

type Keys = Arc<Mutex<BTreeMap<Stage, StageKey>>>;

/// Returns the last key of every stage that the script draws with.
pub fn stage_keys(script: &Script<'_>, test: &str, target: Target) -> BTreeMap<Stage, StageKey> {
    let recorder = Recorder::default();
    let options =
        RunOptions { executors: ExecutorSelection::ReferenceOnly, ..RunOptions::default() };
    let case = TestCase::new(test, target, &options, &recorder);
    // Probes fail, since nothing is shaded; that is irrelevant here.
    executor(target).run_script(&case, TestScript::alone(script), None);
    recorder.keys.lock().map(|keys| keys.clone()).unwrap_or_default()
}

/// Draw-time state of every stage of a program: of the script's draws, or of a plain draw.
pub struct StageKeys {
    drawn: BTreeMap<Stage, StageKey>,
    plain: StageKey,
}

impl StageKeys {
    /// Finds the state for a linked script. With `compile_only` no draw is issued.
    pub fn new(
        program: &Program,
        script: &Script<'_>,
        test: &str,
        target: Target,
        compile_only: bool,
    ) -> StageKeys {
        let drawn = match compile_only {
            true => BTreeMap::new(),
            false => stage_keys(script, test, target),
        };
        StageKeys { drawn, plain: default_key(program) }
    }

    /// Finds the state for a linked script with the options of a test case.
    pub(crate) fn of_case(
        program: &Program,
        script: &Script<'_>,
        case: &TestCase<'_>,
    ) -> StageKeys {
        StageKeys::new(program, script, case.test, case.target, case.options.compile_only)
    }

    /// Returns the state of a stage.
    pub fn get(&self, stage: Stage) -> &StageKey {
        self.drawn.get(&stage).unwrap_or(&self.plain)
    }
}

#[derive(Default)]
struct Recorder {
    keys: Keys,
}

impl DeviceFactory for Recorder {
    fn create(&self, _: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError> {
        Ok(Box::new(RecordingDevice { keys: self.keys.clone() }))
    }
}

/// A device that records keys and shades nothing.
struct RecordingDevice {
    keys: Keys,
}

impl Device for RecordingDevice {
    fn prepare(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<(), DeviceError> {
        if let Ok(mut keys) = self.keys.lock() {
            keys.insert(stage, state.key.clone());
        }
        Ok(())
    }

    fn shade(
        &mut self,
        _: Stage,
        _: &DrawState<'_>,
        _: &mut Batch,
        _: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        Ok(Steps(0))
    }
}

impl ShaderDevice for RecordingDevice {}
