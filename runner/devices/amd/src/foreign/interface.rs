//! Interface of a pair of radeonsi's shaders: what the vertex shader exports, what the fragment
//! shader interpolates, as their instructions have it.

use std::collections::BTreeSet;

use amd_isa::{Format, Opcode, Operand};
use gcn_simulator::Program;
use program::qualifier::Packing;
use program::resource::{ActiveBlock, FragmentOutput, Varying};
use program::{BuiltinVariable, LinkedStage, Placement, Slot, Stage, Type};

/// Targets of exports.
pub(super) const DEPTH: u8 = 8;
pub(super) const NULL: u8 = 9;
pub(super) const POSITION: u8 = 12;
pub(super) const PARAMETER: u8 = 32;

/// Format of the pairs of 16 bits that an export of a color has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pairs {
    /// Halves.
    #[default]
    Half,
    /// Fractions of 65535.
    Unorm,
    /// Fractions of 32767.
    Snorm,
    /// Unsigned integers.
    Uint,
    /// Signed integers.
    Sint,
}

/// Facts about a pair of shaders.
#[derive(Clone, Debug, Default)]
pub(super) struct Interface {
    /// Parameters that the vertex shader exports.
    pub exported: BTreeSet<u8>,
    /// True if the vertex shader fetches attributes.
    pub fetches: bool,
    /// True if the fragment shader accesses images.
    pub textures: bool,
    /// Number of exports of positions.
    pub positions: usize,
    /// Attributes that the fragment shader interpolates or reads.
    pub interpolated: BTreeSet<u8>,
    /// Attributes of which it reads the value of the provoking vertex.
    pub flat: BTreeSet<u8>,
    /// Format of compressed colors.
    pub pairs: Pairs,
}

impl Interface {
    /// Gathers the facts.
    pub(super) fn new(
        vertex: &gcn_simulator::Program,
        fragment: &gcn_simulator::Program,
    ) -> Interface {
        let mut interface = Interface::default();
        for target in targets(vertex) {
            match target {
                PARAMETER.. => _ = interface.exported.insert(target - PARAMETER),
                POSITION.. => interface.positions += 1,
                _ => {}
            }
        }
        let uses = |program: &gcn_simulator::Program, format: Format| {
            program.instructions().iter().any(|located| located.instruction.format == format)
        };
        interface.fetches = uses(vertex, Format::Mubuf);
        interface.textures = uses(fragment, Format::Mimg);
        let mut moved = BTreeSet::new();
        for located in fragment.instructions() {
            let instruction = located.instruction;
            let operands = instruction.operands;
            let attribute = operands.iter().find_map(|operand| match operand {
                Operand::Attribute { attribute, .. } => Some(*attribute),
                _ => None,
            });
            match (instruction.opcode, attribute) {
                (Opcode::VInterpMovF32, Some(attribute)) => _ = moved.insert(attribute),
                (_, Some(attribute)) => _ = interface.interpolated.insert(attribute),
                (Opcode::VCvtPknormU16F32, _) => interface.pairs = Pairs::Unorm,
                (Opcode::VCvtPknormI16F32, _) => interface.pairs = Pairs::Snorm,
                (Opcode::VCvtPkU16U32, _) => interface.pairs = Pairs::Uint,
                (Opcode::VCvtPkI16I32, _) => interface.pairs = Pairs::Sint,
                _ => {}
            }
        }
        interface.flat = moved.difference(&interface.interpolated).copied().collect();
        interface.interpolated.extend(moved);
        interface
    }

    /// Number of parameters, if those that one shader exports are those that the other reads.
    pub(super) fn parameters(&self) -> Option<usize> {
        let count = self.exported.len();
        let dense = self.exported.iter().copied().eq(0..count as u8);
        (dense && self.exported == self.interpolated).then_some(count)
    }
}

/// Targets of the exports of a program, in order.
fn targets(program: &gcn_simulator::Program) -> impl Iterator<Item = u8> {
    program.instructions().iter().filter_map(|located| {
        located.instruction.operands.iter().find_map(|operand| match operand {
            Operand::Target(target) => Some(*target),
            _ => None,
        })
    })
}

/// The interface of the program's two stages, as far as radeonsi's registers for it are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Vertex outputs that have a target of their own: index and target.
    pub positions: Vec<(usize, u8)>,
    /// Vertex outputs and fragment inputs that carry the parameters between the stages: indices.
    pub carriers: Vec<(usize, usize)>,
    /// Components of the window position that are in registers.
    pub window: Vec<u8>,
    /// Attributes with a descriptor, in order.
    pub attributes: Vec<u32>,
}

/// True if both sides of the pair and the program fit.
pub(super) fn known(pair: &Interface, program: &program::Program) -> Option<Known> {
    let only_two =
        program.stages.iter().all(|s| matches!(s.shader.stage, Stage::Vertex | Stage::Fragment));
    let resources = program.images.is_empty()
        && program.atomic_buffers.is_empty()
        && !program.uniform_blocks.iter().any(|block| is_packed_otherwise(program, block))
        && pair.textures != program.samplers.is_empty();
    let (vertex, fragment) = (program.stage(Stage::Vertex)?, program.stage(Stage::Fragment)?);
    if !only_two || !resources || !has_known_values(fragment) {
        return None;
    }
    let carriers = carriers(vertex, fragment, pair.parameters()?)?;
    let positions = positions(vertex, pair.positions)?;
    Some(Known { positions, carriers, ..Known::default() })
}

/// True if radeonsi packs the block closer: without named rules it uses those of std430.
fn is_packed_otherwise(program: &program::Program, block: &ActiveBlock) -> bool {
    let closer = matches!(block.packing, Packing::Shared | Packing::Packed);
    let is_plain = |ty| matches!(program.types.get(ty), Type::Scalar(_) | Type::Vector { .. });
    let members = program.types.members(block.ty).unwrap_or_default();
    closer && !members.iter().all(|member| is_plain(member.ty))
}

/// True if the fragment stage's registers and exports are known.
fn has_known_values(fragment: &LinkedStage) -> bool {
    fragment.shader.globals.values().filter(|global| global.active).all(|global| {
        let output = match global.placement {
            Placement::FragmentOutput { output, .. } => matches!(
                output,
                FragmentOutput::Depth
                    | FragmentOutput::AllColors
                    | FragmentOutput::Color { index: 0, .. }
            ),
            _ => true,
        };
        let input = !matches!(
            global.builtin,
            Some(
                BuiltinVariable::SampleMaskIn
                    | BuiltinVariable::SampleId
                    | BuiltinVariable::SamplePosition
            )
        );
        input && output
    })
}

/// The slots that carry a number of parameters: radeonsi packs components in an order of its own,
/// so that only the place counts.
fn carriers(
    vertex: &LinkedStage,
    fragment: &LinkedStage,
    parameters: usize,
) -> Option<Vec<(usize, usize)>> {
    let mut carriers = Vec::new();
    let mut colors = false;
    for (to, input) in fragment.inputs.iter().enumerate() {
        // Values that are not the vertex stage's are parameters with a place of their own.
        if !matches!(input.slot, Slot::Var(_) | Slot::TexCoord(_) | Slot::Fog | Slot::Color(_)) {
            return None;
        }
        colors |= matches!(input.slot, Slot::Color(_));
        if let Some(from) = vertex.outputs.iter().position(|o: &Varying| o.slot == input.slot) {
            carriers.push((from, to));
        }
    }
    // Colors are clamped and selected by side on their way.
    let fits = if colors { carriers.len() == parameters } else { carriers.len() >= parameters };
    carriers.truncate(parameters);
    fits.then_some(carriers)
}

/// The outputs that exports of positions have: point size and others come before distances.
fn positions(vertex: &LinkedStage, exports: usize) -> Option<Vec<(usize, u8)>> {
    let find = |slot: Slot| vertex.outputs.iter().position(|output| output.slot == slot);
    let refused = |output: &Varying| {
        matches!(
            output.slot,
            Slot::Layer
                | Slot::ViewportIndex
                | Slot::ViewportMask
                | Slot::ClipVertex
                | Slot::BackColor(_)
        )
    };
    if vertex.outputs.iter().any(refused) {
        return None;
    }
    let mut places: Vec<(usize, u8)> =
        find(Slot::Position).map(|at| (at, POSITION)).into_iter().collect();
    let size = find(Slot::PointSize);
    let distances: Vec<usize> =
        (0..2).filter_map(|number| find(Slot::ClipDistance(number))).collect();
    // Sizes of points that are not drawn and distances that do not clip are left out.
    let with_size = match exports.checked_sub(1 + distances.len()) {
        Some(0) => false,
        Some(1) if size.is_some() => true,
        None if distances.is_empty() || exports == 1 => return Some(places),
        _ => return None,
    };
    if let (Some(size), true) = (size, with_size) {
        places.push((size, POSITION + 1));
    }
    let first = POSITION + 1 + u8::from(with_size);
    places.extend((first..).zip(distances).map(|(target, at)| (at, target)));
    Some(places)
}

/// A shader and the draw that it executes.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub program: &'a program::Program,
    pub code: &'a Program,
    pub interface: &'a Interface,
    pub known: &'a Known,
    pub limit: u64,
}
