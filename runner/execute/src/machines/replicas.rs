//! Replicas: GL machines that execute the same commands, each with a device that shades for it.

use std::collections::BTreeMap;

use gl_machine::machine::{Machine, MachineError};
use raster::device::DeviceError;

use crate::device::DeviceKind;
use crate::shared::{Recorded, ReferenceRecord};
use results::verdict::{Phase, Status, Verdict};
use shader_device::{Disagreement, ShaderDevice, Undefined};
use vocabulary::begin_step;

/// A GL machine and the device that shades for it.
pub(crate) struct Replica {
    /// Kind of the device.
    pub kind: DeviceKind,
    /// The machine.
    pub machine: Machine,
    /// The device.
    pub device: Box<dyn ShaderDevice>,
    /// True if any pixel of the window may be undefined because of its fragments' inputs.
    undefined_pixels: bool,
    /// True if buffers or textures may hold an undefined value.
    undefined_memory: bool,
}

impl Replica {
    /// Returns a replica in initial state.
    pub(crate) fn new(
        kind: DeviceKind,
        machine: Machine,
        device: Box<dyn ShaderDevice>,
    ) -> Replica {
        Replica { kind, machine, device, undefined_pixels: false, undefined_memory: false }
    }

    /// Collects undefined values since the last call.
    fn checked(&mut self) -> CheckedState {
        let undefined = self.device.take_undefined();
        self.record_undefined(&undefined);
        CheckedState {
            lanes: undefined.batches,
            is_undefined: self.undefined_pixels || self.undefined_memory,
            shaded: self.device.shaded(),
        }
    }

    fn record_undefined(&mut self, undefined: &Undefined) {
        self.undefined_pixels |= undefined.inputs;
        self.undefined_memory |= undefined.memory || self.machine.has_undefined_texels();
    }

    /// Returns true if pixels may depend on undefined values that their own fragments do not
    /// record.
    fn has_undefined_pixels(&self) -> bool {
        let of_texture = self.undefined_memory && self.machine.reads_texture();
        self.undefined_pixels || self.machine.has_undefined_texels() || of_texture
    }
}

/// State of a replica that an agreement check collects.
#[derive(Clone)]
pub(crate) struct CheckedState {
    /// Lanes with undefined values, by batch.
    pub(crate) lanes: BTreeMap<u64, u64>,
    /// True if anything may be undefined.
    pub(crate) is_undefined: bool,
    /// Number of batches that the device has shaded.
    pub(crate) shaded: u64,
}

impl Recorded for CheckedState {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.lanes.len() * size_of::<(u64, u64)>()
    }
}

/// One or two replicas; the first one's results are the test's. The answers of the second one, the
/// reference, may come from a transcript.
pub(crate) struct Replicas {
    /// The replicas in order.
    pub all: Vec<Replica>,
    /// Record of the reference's answers.
    pub reference: ReferenceRecord,
    /// Line of the current command in the file.
    pub line: u32,
}

impl Replicas {
    /// Returns replicas that execute all commands.
    pub(crate) fn new(all: Vec<Replica>) -> Replicas {
        Replicas { all, reference: ReferenceRecord::Absent, line: 0 }
    }

    /// Returns the replica whose results count.
    pub(crate) fn primary(&mut self) -> &mut Replica {
        &mut self.all[0]
    }

    /// Returns the machine of the replica whose results count.
    pub(crate) fn machine(&self) -> &Machine {
        &self.all[0].machine
    }

    /// Executes an action on every replica.
    ///
    /// # Errors
    /// Returns the verdict if a replica fails.
    pub(crate) fn each<T: Recorded>(
        &mut self,
        mut action: impl FnMut(&mut Machine, &mut dyn ShaderDevice) -> Result<T, MachineError>,
    ) -> Result<Vec<T>, Verdict> {
        let mut results = Vec::with_capacity(self.all.len());
        for (index, replica) in self.all.iter_mut().enumerate() {
            begin_step(Phase::Simulate, Some(replica.kind.name()), self.line);
            let result = action(&mut replica.machine, &mut *replica.device);
            results.push(
                result.map_err(|error| verdict_of(&error, (index > 0).then_some(replica.kind)))?,
            );
        }
        self.reference.complete(self.line, &mut results)?;
        Ok(results)
    }

    /// Agreement check: collects undefined values and disagreements since the last call. All
    /// replicas must have executed the same commands.
    ///
    /// # Errors
    /// Fails if widths disagree about a defined value.
    pub(crate) fn check_agreement(&mut self) -> Result<(), Verdict> {
        let mut states: Vec<CheckedState> = self.all.iter_mut().map(Replica::checked).collect();
        self.reference.complete(self.line, &mut states)?;
        let found: Vec<Disagreement> =
            self.all.iter_mut().flat_map(|replica| replica.device.take_disagreements()).collect();
        judge_widths(states, found)
    }

    /// Returns true if any pixel may be undefined beyond the marks of its readback.
    pub(crate) fn undefined_pixels(&mut self) -> bool {
        self.any(Replica::has_undefined_pixels)
    }

    /// Returns true if buffers may hold undefined values.
    pub(crate) fn undefined_memory(&mut self) -> bool {
        self.any(|replica| replica.undefined_memory)
    }

    fn any(&mut self, property: impl Fn(&Replica) -> bool) -> bool {
        let mut answers: Vec<bool> = self.all.iter().map(property).collect();
        // After an error the verdict means nothing.
        let _ = self.reference.complete(self.line, &mut answers);
        answers.contains(&true)
    }

    /// Clears the marks after the window's colors were cleared.
    pub(crate) fn forget_undefined_pixels(&mut self) {
        self.all.iter_mut().for_each(|replica| replica.undefined_pixels = false);
    }

    /// Changes every machine.
    pub(crate) fn change(&mut self, mut action: impl FnMut(&mut Machine)) {
        self.all.iter_mut().for_each(|replica| action(&mut replica.machine));
    }
}

/// Judges the disagreements between widths; both replicas must have executed the same commands.
///
/// # Errors
/// Fails if widths disagree about a defined value.
pub(crate) fn judge_widths(
    states: Vec<CheckedState>,
    found: Vec<Disagreement>,
) -> Result<(), Verdict> {
    if found.is_empty() || states.iter().any(|state| state.is_undefined) {
        return Ok(());
    }
    let in_step = states.iter().all(|state| state.shaded == states[0].shaded);
    let lanes: BTreeMap<u64, u64> = states.into_iter().flat_map(|state| state.lanes).collect();
    let is_undefined = |d: &Disagreement| match d.lane {
        _ if !in_step => !lanes.is_empty(),
        Some(lane) => lanes.get(&d.batch).is_some_and(|mask| mask >> lane & 1 != 0),
        None => lanes.contains_key(&d.batch),
    };
    match found.into_iter().find(|d| !is_undefined(d)) {
        Some(disagreement) => Err(Verdict::fail(Phase::Mismatch, disagreement.text)),
        None => Ok(()),
    }
}

/// Converts a machine's error into a verdict. `second` is the replica that failed while the first
/// one succeeded, if any.
fn verdict_of(error: &MachineError, second: Option<DeviceKind>) -> Verdict {
    let verdict = match error {
        MachineError::Device(error) => device_verdict(error),
        MachineError::Uniform(error) => Verdict::fail(Phase::Link, error.to_string()),
        MachineError::NoProgram => Verdict::fail(Phase::Link, error.to_string()),
        MachineError::NothingToRead(_) => Verdict::fail(Phase::Probe, error.to_string()),
        MachineError::NotResident(_) => Verdict::fail(Phase::Script, error.to_string()),
        MachineError::Unsupported(what) => {
            Verdict::fail(Phase::Simulate, format!("{what}: not supported yet"))
        }
    };
    match second {
        Some(kind) => of_second(verdict, kind),
        None => verdict,
    }
}

/// Returns the verdict of a test whose second replica failed while the first one succeeded.
pub(crate) fn of_second(mut verdict: Verdict, kind: DeviceKind) -> Verdict {
    if let Some((phase, reason)) = &mut verdict.cause {
        *phase = if verdict.status == Status::Timeout { *phase } else { Phase::Mismatch };
        *reason = format!("{}: {reason}", kind.name());
    }
    verdict
}

/// Converts a device's error into a verdict.
pub(crate) fn device_verdict(error: &DeviceError) -> Verdict {
    match error {
        DeviceError::StepLimit { .. } => {
            Verdict::new(Status::Timeout, Phase::Simulate, error.to_string())
        }
        DeviceError::Unsupported(what) => {
            Verdict::fail(Phase::Simulate, format!("{what}: not supported yet"))
        }
        DeviceError::Rejected { phase, message } => Verdict::fail(*phase, message.clone()),
        DeviceError::Crashed { phase, message } => {
            Verdict::new(Status::Crash, *phase, message.clone())
        }
        DeviceError::TimedOut { phase, message } => {
            Verdict::new(Status::Timeout, *phase, message.clone())
        }
        DeviceError::Execution(message) => Verdict::fail(Phase::Simulate, message.clone()),
    }
}
