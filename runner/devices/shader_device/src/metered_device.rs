//! A device whose steps are counted: shading ends when a test has executed too many.

use program::Stage;
use raster::device::{Batch, Device, DeviceError, DrawState, Steps};
use raster::resources::Bindings;
use raster::shader_io::ShaderIo;
use results::passes::ScopePasses;
use results::verdict::StageStatistics;

use crate::{Disagreement, ExecutedKernel, ShaderDevice, Undefined};

/// A device with a limit of steps for all shading in a test.
pub struct MeteredDevice {
    device: Box<dyn ShaderDevice>,
    limit: u64,
    executed: u64,
    /// Unit of the limit in messages.
    unit: &'static str,
}

impl MeteredDevice {
    /// Returns `device` with a limit of `limit` steps.
    pub fn new(device: Box<dyn ShaderDevice>, limit: u64, unit: &'static str) -> Self {
        MeteredDevice { device, limit, executed: 0, unit }
    }

    fn count(&mut self, stage: Stage, steps: Steps) -> Result<Steps, DeviceError> {
        self.executed = self.executed.saturating_add(steps.0);
        if self.executed <= self.limit {
            return Ok(steps);
        }
        Err(DeviceError::StepLimit { stage, limit: self.limit, unit: self.unit })
    }
}

impl Device for MeteredDevice {
    fn prepare(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<(), DeviceError> {
        self.device.prepare(stage, state)
    }

    fn shade(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        let steps = self.device.shade(stage, state, batch, io)?;
        self.count(stage, steps)
    }

    fn fragment_batches_at_once(&self) -> usize {
        self.device.fragment_batches_at_once()
    }

    fn shade_fragments(
        &mut self,
        state: &DrawState<'_>,
        batches: &mut [Batch],
        bindings: &Bindings,
    ) -> Result<Steps, DeviceError> {
        let steps = self.device.shade_fragments(state, batches, bindings)?;
        self.count(Stage::Fragment, steps)
    }
}

impl ShaderDevice for MeteredDevice {
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
        self.device.shaded()
    }

    fn exact(&self) -> bool {
        self.device.exact()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device without shaders.
    struct Idle;

    impl Device for Idle {
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

    impl ShaderDevice for Idle {}

    #[test]
    fn the_limit_is_that_of_all_steps() {
        let mut device = MeteredDevice::new(Box::new(Idle), 7, "statements for a test");
        assert_eq!(device.count(Stage::Vertex, Steps(3)), Ok(Steps(3)));
        assert_eq!(device.count(Stage::Fragment, Steps(4)), Ok(Steps(4)));
        let error = device.count(Stage::Fragment, Steps(1)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "fragment shader: the limit of 7 statements for a test is reached"
        );
    }
}
