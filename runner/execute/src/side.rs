//! The two executors side by side: a machine and a device each, driven by the same commands.

use std::collections::BTreeMap;

use softgl::device::DeviceError;
use softgl::machine::{Machine, MachineError};

use super::device::{DeviceKind, ShaderDevice};
use crate::devices::{Disagreement, Undefined};
use results::verdict::{Phase, Status, Verdict};

/// One executor: its own GL machine and the device that shades for it.
pub struct Side {
    /// Which executor.
    pub kind: DeviceKind,
    /// Its machine.
    pub machine: Machine,
    /// Its device.
    pub device: Box<dyn ShaderDevice>,
    /// Any pixel of the window may be undefined, because inputs of its fragments were.
    undefined_pixels: bool,
    /// An undefined value may be in a buffer or texture.
    undefined_memory: bool,
}

impl Side {
    /// An executor in initial state.
    pub fn new(kind: DeviceKind, machine: Machine, device: Box<dyn ShaderDevice>) -> Side {
        Side { kind, machine, device, undefined_pixels: false, undefined_memory: false }
    }

    fn note(&mut self, undefined: &Undefined) {
        self.undefined_pixels |= undefined.inputs;
        self.undefined_memory |= undefined.memory || self.machine.has_undefined_texels();
    }

    /// Whether pixels may depend on something undefined that their own fragments do not know of.
    fn has_undefined_pixels(&self) -> bool {
        let of_texture = self.undefined_memory && self.machine.reads_texture();
        self.undefined_pixels || self.machine.has_undefined_texels() || of_texture
    }
}

/// One or two executors; the first one's results are the test's.
pub struct Sides {
    /// The executors.
    pub all: Vec<Side>,
}

impl Sides {
    /// The executor whose results count.
    pub fn primary(&mut self) -> &mut Side {
        &mut self.all[0]
    }

    /// The machine of the executor whose results count.
    pub fn machine(&self) -> &Machine {
        &self.all[0].machine
    }

    /// Does the same on every side.
    ///
    /// # Errors
    /// The verdict when a side fails.
    pub fn each<T>(
        &mut self,
        mut action: impl FnMut(&mut Machine, &mut dyn ShaderDevice) -> Result<T, MachineError>,
    ) -> Result<Vec<T>, Verdict> {
        let mut results = Vec::with_capacity(self.all.len());
        for (index, side) in self.all.iter_mut().enumerate() {
            let result = action(&mut side.machine, &mut *side.device);
            results.push(result.map_err(|error| verdict_of(&error, (index > 0).then_some(side.kind)))?);
        }
        Ok(results)
    }

    /// Takes notice of what the devices shaded since the last call; asked after every side did the same.
    ///
    /// # Errors
    /// Widths disagree about something that is defined.
    pub fn settle(&mut self) -> Result<(), Verdict> {
        let mut lanes: BTreeMap<u64, u64> = BTreeMap::new();
        for side in &mut self.all {
            let undefined = side.device.take_undefined();
            side.note(&undefined);
            lanes.extend(undefined.batches);
        }
        let found: Vec<Disagreement> =
            self.all.iter_mut().flat_map(|side| side.device.take_disagreements()).collect();
        if found.is_empty() || self.all.iter().any(|s| s.undefined_pixels || s.undefined_memory) {
            return Ok(());
        }
        let in_step = self.all.iter().all(|side| side.device.shaded() == self.all[0].device.shaded());
        let is_excused = |d: &Disagreement| match d.lane {
            _ if !in_step => !lanes.is_empty(),
            Some(lane) => lanes.get(&d.batch).is_some_and(|mask| mask >> lane & 1 != 0),
            None => lanes.contains_key(&d.batch),
        };
        match found.into_iter().find(|d| !is_excused(d)) {
            Some(disagreement) => Err(Verdict::fail(Phase::Mismatch, disagreement.text)),
            None => Ok(()),
        }
    }

    /// Whether any pixel that is read may depend on something undefined, beyond what the reading itself says.
    pub fn undefined_pixels(&self) -> bool {
        self.all.iter().any(Side::has_undefined_pixels)
    }

    /// Whether buffers may hold something undefined.
    pub fn undefined_memory(&self) -> bool {
        self.all.iter().any(|side| side.undefined_memory)
    }

    /// The window's colours were cleared, and nothing undefined is in them any more.
    pub fn forget_undefined_pixels(&mut self) {
        self.all.iter_mut().for_each(|side| side.undefined_pixels = false);
    }

    /// Changes every machine.
    pub fn change(&mut self, mut action: impl FnMut(&mut Machine)) {
        self.all.iter_mut().for_each(|side| action(&mut side.machine));
    }
}

/// What a machine's error means for the test. `second` is the executor whose results do not count, if it was that one:
/// the first one managed what it did not.
fn verdict_of(error: &MachineError, second: Option<DeviceKind>) -> Verdict {
    let mut verdict = match error {
        MachineError::Device(error) => device_verdict(error),
        MachineError::Uniform(error) => Verdict::fail(Phase::Link, error.to_string()),
        MachineError::NoProgram => Verdict::fail(Phase::Link, error.to_string()),
        MachineError::NothingToRead(_) => Verdict::fail(Phase::Probe, error.to_string()),
        MachineError::Unsupported(what) => {
            Verdict::fail(Phase::Simulate, format!("{what}: not supported yet"))
        }
    };
    if let (Some(kind), Some((layer, reason))) = (second, &mut verdict.cause) {
        *layer = if verdict.status == Status::Timeout { *layer } else { Phase::Mismatch };
        *reason = format!("{}: {reason}", kind.name());
    }
    verdict
}

/// What a device's error means for the test.
pub fn device_verdict(error: &DeviceError) -> Verdict {
    match error {
        DeviceError::StepLimit { .. } => Verdict::new(Status::Timeout, Phase::Simulate, error.to_string()),
        DeviceError::Unsupported(what) => {
            Verdict::fail(Phase::Simulate, format!("{what}: not supported yet"))
        }
        DeviceError::Rejected { phase, message } => Verdict::fail(*phase, message.clone()),
        DeviceError::Crashed { phase, message } => Verdict::new(Status::Crash, *phase, message.clone()),
        DeviceError::TimedOut { phase, message } => Verdict::new(Status::Timeout, *phase, message.clone()),
        DeviceError::Execution(message) => Verdict::fail(Phase::Simulate, message.clone()),
    }
}
