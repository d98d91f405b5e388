//! Shaders of radeonsi, which another compiler made for si, in place of ours: an independent
//! witness for the simulator. Stages without a shader whose interface is known run on our code.

mod interface;
mod listing;
mod memory;
mod stages;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use amd_isa::{Chip, Opcode, Operand};
use compiler::CachedCompiler;
use compiler::amd_codegen::output::{Interface as OurInterface, PixelValue, Resource, UserValue};
use gcn_simulator::Program;
use program::Stage;
use program::resource::Attribute;
use raster::device::{Batch, Device, DeviceError, DrawState, ProgramId, Steps};
use raster::shader_io::ShaderIo;

pub use listing::ForeignShader;

use super::{WaveDevice, WaveOptions};
use interface::Draw;
use interface::{Interface, Known, known};
use shader_device::ShaderDevice;

/// Waves that execute radeonsi's shaders.
pub struct ForeignDevice {
    ours: WaveDevice,
    pairs: Vec<Pair>,
    /// The pair that a program can run with, by its number, and how they fit.
    known: BTreeMap<ProgramId, Option<(usize, Known)>>,
    limit: u64,
    executed: BTreeSet<(usize, Stage)>,
    /// Receives the number of a pair and the stage that ran on its code.
    report: Box<dyn Fn(usize, Stage) + Send + Sync>,
}

/// Ranges in bytes that scalar loads at constant offsets read of the descriptor table.
fn loads(program: &Program) -> Vec<(u32, u32)> {
    let load = |located: &amd_isa::Located| {
        let instruction = located.instruction;
        let dwords: u32 = match instruction.opcode {
            Opcode::SLoadDwordx4 => 4,
            Opcode::SLoadDwordx8 => 8,
            Opcode::SLoadDwordx16 => 16,
            _ => return None,
        };
        let offset = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Immediate(offset) => Some(offset * 4),
            _ => None,
        })?;
        Some((offset, offset + dwords * 4))
    };
    program.instructions().iter().filter_map(load).collect()
}

/// Both shaders of a pair.
struct Pair {
    vertex: Program,
    fragment: Program,
    interface: Interface,
}

impl Pair {
    fn new([vertex, fragment]: &[&ForeignShader; 2]) -> Result<Pair, DeviceError> {
        let decode = |shader: &ForeignShader| {
            Program::new(Chip::Si, &shader.words)
                .map_err(|error| DeviceError::Execution(error.to_string()))
        };
        let (vertex, fragment) = (decode(vertex)?, decode(fragment)?);
        let interface = Interface::new(&vertex, &fragment);
        Ok(Pair { vertex, fragment, interface })
    }
}

impl ForeignDevice {
    /// Returns a device with pairs of a vertex and a fragment shader that radeonsi linked together:
    /// each leaves to the other what linking moved. A program runs with the first pair that fits.
    /// `report` learns of each stage that executes one.
    ///
    /// # Errors
    /// Words are no instructions.
    pub fn new(
        pairs: &[[&ForeignShader; 2]],
        step_limit: u64,
        cache: Arc<CachedCompiler>,
        report: Box<dyn Fn(usize, Stage) + Send + Sync>,
    ) -> Result<ForeignDevice, DeviceError> {
        let pairs = pairs.iter().map(Pair::new).collect::<Result<_, DeviceError>>()?;
        let options = WaveOptions {
            chip: Chip::Si,
            compiler: Default::default(),
            step_limit,
            seed: 1,
            others: Default::default(),
            cache,
            programs: Arc::default(),
            cores: Default::default(),
        };
        Ok(ForeignDevice {
            ours: WaveDevice::new(options),
            pairs,
            known: BTreeMap::new(),
            limit: step_limit,
            executed: BTreeSet::new(),
            report,
        })
    }

    /// The pair for a program, and how they fit.
    fn known(&mut self, state: &DrawState<'_>) -> Result<Option<(usize, Known)>, DeviceError> {
        if let Some(found) = self.known.get(&state.program_id) {
            return Ok(found.clone());
        }
        let fits = |pair: &Pair| known(&pair.interface, state.program);
        let candidates: Vec<(usize, Known)> =
            self.pairs.iter().map(fits).enumerate().filter_map(|(n, k)| Some((n, k?))).collect();
        let mut found = None;
        for (number, mut known) in candidates {
            known.window = self.window(state)?;
            known.attributes = self.attributes(state)?;
            if self.pairs[number].interface.fetches != known.attributes.is_empty() {
                found = Some((number, known));
                break;
            }
        }
        self.known.insert(state.program_id, found.clone());
        Ok(found)
    }

    /// The attributes that the vertex shader needs, with both halves of wide ones. radeonsi has
    /// descriptors of no others, either.
    fn attributes(&mut self, state: &DrawState<'_>) -> Result<Vec<u32>, DeviceError> {
        let prepared = self.ours.prepared(Stage::Vertex, state)?;
        let output = &prepared.output;
        let in_registers = output.user_data.iter().filter_map(|data| match data.value {
            UserValue::Descriptor(resource) => Some(resource),
            _ => None,
        });
        let loaded = loads(&prepared.program);
        let is_loaded = |at: u32| loaded.iter().any(|(from, to)| (*from..*to).contains(&at));
        let in_table = output.descriptors.iter().filter(|entry| is_loaded(entry.offset));
        let resources = in_registers.chain(in_table.map(|entry| entry.resource));
        let all = &state.program.attributes;
        let used: BTreeSet<_> = resources
            .filter_map(|resource| match resource {
                Resource::Attribute(number) => all.get(number as usize),
                _ => None,
            })
            .map(|attribute| (attribute.global, attribute.location))
            .collect();
        let is_used = |a: &Attribute| used.contains(&(a.global, a.location));
        Ok((0..).zip(all).filter(|(_, a)| is_used(a)).map(|(number, _)| number).collect())
    }

    /// Components of the window position that the fragment shader needs. radeonsi loads no others,
    /// either.
    fn window(&mut self, state: &DrawState<'_>) -> Result<Vec<u8>, DeviceError> {
        let prepared = self.ours.prepared(Stage::Fragment, state)?;
        let OurInterface::Fragment(fragment) = &prepared.output.interface else {
            return Ok(Vec::new());
        };
        let components = [
            PixelValue::PositionX,
            PixelValue::PositionY,
            PixelValue::PositionZ,
            PixelValue::PositionW,
        ];
        let needed = (0..).zip(components).filter(|(_, value)| fragment.values.contains(value));
        Ok(needed.map(|(component, _)| component).collect())
    }
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
        let known = self.known(state)?;
        let Some((number, known)) = &known else {
            return self.ours.shade(stage, state, batch, io);
        };
        let pair = &self.pairs[*number];
        let (program, interface, limit) = (state.program, &pair.interface, self.limit);
        let draw = |code| Draw { program, code, interface, known, limit };
        let steps = match batch {
            Batch::Vertex(vertices) => stages::vertices(&draw(&pair.vertex), vertices, io)?,
            Batch::Fragment(fragments) if fragments.samples <= 1 => {
                stages::fragments(&draw(&pair.fragment), fragments, io)?
            }
            _ => {
                let message = "radeonsi's shaders with several samples".into();
                return Err(DeviceError::Unsupported(message));
            }
        };
        if self.executed.insert((*number, stage)) {
            (self.report)(*number, stage);
        }
        Ok(Steps(steps))
    }
}

impl ShaderDevice for ForeignDevice {
    fn shaded(&self) -> u64 {
        self.ours.shaded()
    }
}
