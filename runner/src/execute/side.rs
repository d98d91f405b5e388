//! The two executors side by side: a machine and a device each, driven by the same commands.

use softgl::device::DeviceError;
use softgl::machine::{Machine, MachineError};

use super::device::{DeviceKind, ShaderDevice};
use crate::verdict::{Layer, Status, Verdict};

/// One executor: its own GL machine and the device that shades for it.
pub struct Side {
    /// Which executor.
    pub kind: DeviceKind,
    /// Its machine.
    pub machine: Machine,
    /// Its device.
    pub device: Box<dyn ShaderDevice>,
    /// An undefined value may be in the framebuffer.
    undefined_pixels: bool,
    /// An undefined value may be in a buffer.
    undefined_memory: bool,
}

impl Side {
    /// An executor in initial state.
    pub fn new(kind: DeviceKind, machine: Machine, device: Box<dyn ShaderDevice>) -> Side {
        Side { kind, machine, device, undefined_pixels: false, undefined_memory: false }
    }

    /// Whether what was read may depend on something undefined; asked after the reading, which may shade.
    pub fn note_undefined(&mut self) -> (bool, bool) {
        let undefined = self.device.take_undefined();
        self.undefined_pixels |= undefined;
        self.undefined_memory |= undefined;
        (self.undefined_pixels, self.undefined_memory)
    }

    /// The colour buffer was cleared: undefined values in it are gone.
    pub fn forget_undefined_pixels(&mut self) {
        self.undefined_memory |= self.device.take_undefined();
        self.undefined_pixels = false;
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
        MachineError::Uniform(error) => Verdict::fail(Layer::Link, error.to_string()),
        MachineError::NoProgram => Verdict::fail(Layer::Link, error.to_string()),
        MachineError::NothingToRead(_) => Verdict::fail(Layer::Probe, error.to_string()),
        MachineError::Unsupported(what) => {
            Verdict::fail(Layer::Simulate, format!("{what}: not supported yet"))
        }
    };
    if let (Some(kind), Some((layer, reason))) = (second, &mut verdict.cause) {
        *layer = if verdict.status == Status::Timeout { *layer } else { Layer::Mismatch };
        *reason = format!("{}: {reason}", kind.name());
    }
    verdict
}

/// What a device's error means for the test.
pub fn device_verdict(error: &DeviceError) -> Verdict {
    let layer_of = |name: &str| Layer::from_name(name).unwrap_or(Layer::Simulate);
    match error {
        DeviceError::StepLimit { .. } => Verdict::new(Status::Timeout, Layer::Simulate, error.to_string()),
        DeviceError::Unsupported(what) => {
            Verdict::fail(Layer::Simulate, format!("{what}: not supported yet"))
        }
        DeviceError::Layer { layer, message } => Verdict::fail(layer_of(layer), message.clone()),
        DeviceError::Broken { layer, message } => {
            Verdict::new(Status::Crash, layer_of(layer), message.clone())
        }
        DeviceError::Late { layer, message } => {
            Verdict::new(Status::Timeout, layer_of(layer), message.clone())
        }
        DeviceError::Execution(message) => Verdict::fail(Layer::Simulate, message.clone()),
    }
}
