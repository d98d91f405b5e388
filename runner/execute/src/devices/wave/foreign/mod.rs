//! Shaders of radeonsi, which another compiler made for si, in place of ours: an independent
//! witness for the simulator. Stages without a shader whose interface is known run on our code.

mod listing;
mod memory;
mod stages;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use compiler::CachedCompiler;
use gcn::Chip;
use program::{BuiltinVariable, Slot, Stage};
use softgl::device::{Batch, Device, DeviceError, DrawState, Steps};
use softgl::shader_io::ShaderIo;
use wave::Program;

pub use listing::ForeignShader;

use super::{WaveDevice, WaveOptions};
use crate::device::ShaderDevice;
use stages::Draw;

/// Waves that execute radeonsi's shaders.
pub struct ForeignDevice {
    ours: WaveDevice,
    shaders: BTreeMap<Stage, Program>,
    limit: u64,
    executed: BTreeSet<Stage>,
    /// Receives the stages that ran on radeonsi's code.
    report: Box<dyn Fn(Stage) + Send + Sync>,
}

impl ForeignDevice {
    /// Returns a device with a shader for each of some stages. `report` learns of each stage that
    /// executes one.
    ///
    /// # Errors
    /// Words are no instructions.
    pub fn new(
        shaders: &BTreeMap<Stage, ForeignShader>,
        budget: u64,
        cache: Arc<CachedCompiler>,
        report: Box<dyn Fn(Stage) + Send + Sync>,
    ) -> Result<ForeignDevice, DeviceError> {
        let decode = |shader: &ForeignShader| {
            Program::new(Chip::Si, &shader.words)
                .map_err(|error| DeviceError::Execution(error.to_string()))
        };
        let shaders = shaders.iter().filter(|(_, shader)| !shader.relocated);
        let shaders = shaders.map(|(&stage, shader)| Ok((stage, decode(shader)?)));
        let options = WaveOptions {
            chip: Chip::Si,
            compiler: Default::default(),
            budget,
            seed: 1,
            cache,
            programs: Arc::default(),
        };
        Ok(ForeignDevice {
            ours: WaveDevice::new(options),
            shaders: shaders.collect::<Result<_, DeviceError>>()?,
            limit: budget,
            executed: BTreeSet::new(),
            report,
        })
    }
}

/// True if the registers and exports of radeonsi's shader of the stage are known.
fn is_known(state: &DrawState<'_>, stage: Stage) -> bool {
    let program = state.program;
    let Some(linked) = program.stage(stage) else { return false };
    let only_two =
        program.stages.iter().all(|s| matches!(s.shader.stage, Stage::Vertex | Stage::Fragment));
    let uses = |builtin: BuiltinVariable| {
        linked.shader.globals.values().any(|g| g.active && g.builtin == Some(builtin))
    };
    let inputs = program.stage(Stage::Fragment).map_or(&[][..], |stage| &stage.inputs);
    let plain = |slot: Slot| matches!(slot, Slot::Var(_));
    // Several varyings are packed in an order of their own.
    let varyings = inputs.len() <= 1 && inputs.iter().all(|input| plain(input.slot));
    let resources = program.images.is_empty() && program.atomic_buffers.is_empty();
    let own = match stage {
        Stage::Vertex => {
            let known =
                |slot: Slot| plain(slot) || matches!(slot, Slot::Position | Slot::ClipDistance(_));
            linked.outputs.iter().all(|output| known(output.slot))
        }
        Stage::Fragment => ![
            BuiltinVariable::FragCoord,
            BuiltinVariable::SampleMaskIn,
            BuiltinVariable::SampleId,
            BuiltinVariable::SamplePosition,
            BuiltinVariable::FragDepth,
        ]
        .into_iter()
        .any(uses),
        _ => false,
    };
    only_two && varyings && resources && own
}

impl Device for ForeignDevice {
    fn prepare(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<(), DeviceError> {
        self.ours.prepare(stage, state)
    }

    fn shade(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        let code = self.shaders.get(&stage).filter(|_| is_known(state, stage));
        let Some(code) = code else { return self.ours.shade(stage, state, batch, io) };
        let draw = Draw { program: state.program, code, limit: self.limit };
        let steps = match batch {
            Batch::Vertex(vertices) => stages::vertices(&draw, vertices, io)?,
            Batch::Fragment(fragments) if fragments.samples <= 1 => {
                stages::fragments(&draw, fragments, io)?
            }
            _ => return self.ours.shade(stage, state, batch, io),
        };
        if self.executed.insert(stage) {
            (self.report)(stage);
        }
        Ok(Steps(steps))
    }
}

impl ShaderDevice for ForeignDevice {
    fn shaded(&self) -> u64 {
        self.ours.shaded()
    }
}
