//! Compute dispatch.

use program::Stage;

use super::{GlError, Machine, MachineError};
use raster::device::{Batch, ComputeBatch, Device, DeviceError, Steps};
use raster::pipeline::draw_call::DrawParameters;
use raster::pipeline::vertex_stage::Pipeline;

/// Most work groups in each direction (`GL_MAX_COMPUTE_WORK_GROUP_COUNT`).
const MAX_GROUPS: u32 = 65535;
/// Most compute invocations of a test: a second or two for the smallest shader. A dispatch beyond
/// it would reach the devices' step limits later, or take longer than they intend.
const MAX_INVOCATIONS: u64 = 1 << 22;

impl Machine {
    /// Executes `compute`: runs every work group in order. `local_size` is given for programs with
    /// variable group size. Raises `InvalidOperation` when the program has no compute stage or the
    /// size is fixed and given, or variable and not, or samplers of different types share a texture
    /// unit, `InvalidValue` when there are too many groups.
    ///
    /// # Errors
    /// No program is in use, the device failed, or the limit of invocations is reached.
    pub fn dispatch(
        &mut self,
        groups: [u32; 3],
        local_size: Option<[u32; 3]>,
        device: &mut dyn Device,
    ) -> Result<(), MachineError> {
        let (id, object) = self.object()?;
        let program = object.program.clone();
        let Some(stage) = program.stage(Stage::Compute) else {
            self.raise(GlError::InvalidOperation);
            return Ok(());
        };
        let layout = &stage.shader.layout;
        if layout.local_size_variable != local_size.is_some()
            || !Self::sampler_types_agree(object)
            || program.mismatch.is_some()
        {
            self.raise(GlError::InvalidOperation);
            return Ok(());
        }
        if groups.iter().any(|&count| count > MAX_GROUPS) {
            self.raise(GlError::InvalidValue);
            return Ok(());
        }
        let local_size = local_size.or(layout.local_size).unwrap_or([1; 3]);
        let dimensions = groups.iter().chain(&local_size).map(|&n| u64::from(n));
        let invocations = dimensions.fold(1, u64::saturating_mul).saturating_add(self.invocations);
        if invocations > MAX_INVOCATIONS {
            let (stage, limit, unit) = (Stage::Compute, MAX_INVOCATIONS, "invocations for a test");
            return Err(DeviceError::StepLimit { stage, limit, unit }.into());
        }
        let key = self.stage_key(object);
        let bindings = self.bindings(object);
        let parameters = DrawParameters::default();
        let mut pipeline = Pipeline {
            device,
            program: &program,
            id,
            key: &key,
            parameters,
            bindings,
            steps: Steps(0),
        };
        pipeline.prepare()?;
        for z in 0..groups[2] {
            for y in 0..groups[1] {
                for x in 0..groups[0] {
                    let batch =
                        ComputeBatch { num_groups: groups, group_id: [x, y, z], local_size };
                    pipeline.shade(Stage::Compute, &mut Batch::Compute(batch))?;
                }
            }
        }
        let (objects, steps) = (pipeline.bindings.objects, pipeline.steps);
        self.objects = objects;
        self.steps += steps;
        self.invocations = invocations;
        Ok(())
    }
}
