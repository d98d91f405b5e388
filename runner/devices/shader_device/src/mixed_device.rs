//! A device that leaves some stages to another one, to find out whose results are wrong.

use program::Stage;
use raster::device::{Batch, Device, DeviceError, DrawState, Steps};
use raster::resources::Bindings;
use raster::shader_io::ShaderIo;
use results::passes::ScopePasses;
use results::verdict::StageStatistics;

use crate::{Disagreement, ExecutedKernel, ShaderDevice, Undefined};

/// A device whose place another one takes for some stages.
pub struct MixedDevice {
    device: Box<dyn ShaderDevice>,
    other: Box<dyn ShaderDevice>,
    /// Stages of the other device.
    stages: Vec<Stage>,
}

impl MixedDevice {
    /// Returns `device` with `other` for `stages`.
    pub fn new(
        device: Box<dyn ShaderDevice>,
        other: Box<dyn ShaderDevice>,
        stages: Vec<Stage>,
    ) -> Self {
        MixedDevice { device, other, stages }
    }

    fn of(&mut self, stage: Stage) -> &mut dyn ShaderDevice {
        if self.stages.contains(&stage) { &mut *self.other } else { &mut *self.device }
    }
}

impl Device for MixedDevice {
    fn prepare(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<(), DeviceError> {
        self.of(stage).prepare(stage, state)
    }

    fn shade(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        self.of(stage).shade(stage, state, batch, io)
    }

    fn shade_fragments(
        &mut self,
        state: &DrawState<'_>,
        batches: &mut [Batch],
        bindings: &Bindings,
    ) -> Result<Steps, DeviceError> {
        self.of(Stage::Fragment).shade_fragments(state, batches, bindings)
    }
}

impl ShaderDevice for MixedDevice {
    fn statistics(&self) -> Vec<StageStatistics> {
        self.device.statistics()
    }

    fn kernels(&self) -> Vec<ExecutedKernel> {
        self.device.kernels()
    }

    fn passes(&self) -> Vec<ScopePasses> {
        self.device.passes()
    }

    fn take_undefined(&mut self) -> Undefined {
        self.device.take_undefined()
    }

    fn take_disagreements(&mut self) -> Vec<Disagreement> {
        self.device.take_disagreements()
    }

    fn shaded(&self) -> u64 {
        self.device.shaded() + self.other.shaded()
    }

    fn exact(&self) -> bool {
        self.device.exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device whose number is that of its steps.
    struct Numbered(u64);

    impl Device for Numbered {
        fn shade(
            &mut self,
            _: Stage,
            _: &DrawState<'_>,
            _: &mut Batch,
            _: &mut dyn ShaderIo,
        ) -> Result<Steps, DeviceError> {
            Ok(Steps(self.0))
        }
    }

    impl ShaderDevice for Numbered {
        fn shaded(&self) -> u64 {
            self.0
        }
    }

    #[test]
    fn stages_have_their_devices() {
        let (device, other) = (Box::new(Numbered(1)), Box::new(Numbered(2)));
        let mut mixed = MixedDevice::new(device, other, vec![Stage::Vertex, Stage::Fragment]);
        let numbers = [Stage::Vertex, Stage::Geometry, Stage::Fragment];
        assert_eq!(numbers.map(|stage| mixed.of(stage).shaded()), [2, 1, 2]);
        assert_eq!(mixed.shaded(), 3);
    }
}
