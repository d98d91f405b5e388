//! Dispatches.

use program::{Stage, StageKey};
use raster::device::{Batch, ComputeBatch, Device, DeviceError, Steps};
use raster::pipeline::draw_call::DrawParameters;
use raster::pipeline::vertex_stage::Pipeline;
use vk_script::PipelineId;

use crate::bindings::bind;
use crate::error::{Flow, invalid, lacks};
use crate::machine::Machine;

/// Most work groups in each direction.
const MAX_GROUPS: u32 = 65535;
/// Most compute invocations of a script: a limit on its cost.
const MAX_INVOCATIONS: u64 = 1 << 22;

impl Machine<'_> {
    /// Runs every work group in order.
    pub(crate) fn dispatch(
        &mut self,
        id: PipelineId,
        groups: [u32; 3],
        device: &mut dyn Device,
    ) -> Flow {
        if groups.iter().any(|&count| count > MAX_GROUPS) {
            return Err(lacks(format!("more than {MAX_GROUPS} work groups")));
        }
        let pipeline = self.script().pipeline(id);
        let (program_id, object) = self.object(id)?;
        let (program, slots) = (object.program.clone(), object.slots.clone());
        let stage = program.stage(Stage::Compute);
        let stage = stage.ok_or_else(|| invalid("the pipeline has no compute shader"))?;
        let local_size = stage.shader.layout.local_size.unwrap_or([1; 3]);
        let sizes = groups.iter().chain(&local_size).map(|&n| u64::from(n));
        self.invocations = sizes.fold(1, u64::saturating_mul).saturating_add(self.invocations);
        if self.invocations > MAX_INVOCATIONS {
            let (stage, limit, unit) = (Stage::Compute, MAX_INVOCATIONS, "invocations for a test");
            return Err(DeviceError::StepLimit { stage, limit, unit }.into());
        }
        let bound = bind(&mut self.store, pipeline, &slots)?;
        let mut run = Pipeline {
            device,
            program: &program,
            id: program_id,
            key: &StageKey::default(),
            parameters: DrawParameters::default(),
            bindings: bound.bindings.clone(),
            steps: Steps(0),
        };
        run.prepare()?;
        let [x, y, z] = groups;
        let all = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z])));
        for group_id in all {
            let batch = ComputeBatch { num_groups: groups, group_id, local_size };
            run.shade(Stage::Compute, &mut Batch::Compute(batch))?;
        }
        let (objects, steps) = (run.bindings.objects, run.steps);
        bound.store(&objects, &mut self.store);
        self.steps += steps;
        Ok(())
    }
}
