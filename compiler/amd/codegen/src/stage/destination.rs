//! Ends of vertex, tessellation evaluation and copy programs: exports, or stores for the stage that
//! reads the vertices.

use crate::interfaces::offset_of;
use crate::machine::{Arg, File, Part, ZERO, int};
use crate::output::{PositionExport, Resource, VertexInterface};
use crate::select::share::write_all_to_share;
use crate::select::{BufferAddress, Selection, Step};
use crate::stage_key::NextStage;
use amd_isa::{Modifiers, Opcode, Operand};
use ir::{CompileError, Slot};

/// Targets of the exports.
const POSITION: u8 = 12;
const PARAMETER: u8 = 32;
/// Maximum number of parameters.
const MAX_PARAMETERS: usize = 32;

/// Place where the outputs of a vertex go.
pub(crate) enum Destination {
    /// Exports of positions and parameters.
    Exports,
    /// The ring to the geometry stage: scalar register with the offset of the wave's part.
    Ring(u8, Part),
    /// The local data share: vector register with the number of the vertex.
    Share(Part),
}

impl Destination {
    /// Lays out the registers; `next` is the scalar register of the ring's offset, `vertex` the
    /// number of the vertex in its work group.
    pub(crate) fn new(
        s: &mut Selection<'_>,
        next_stage: NextStage,
        next: u8,
        vertex: Option<Part>,
    ) -> Destination {
        match (next_stage, vertex) {
            (NextStage::Geometry, _) => Destination::Ring(next, s.e.fixed(File::Scalar, next, 1)),
            (NextStage::TessControl, Some(vertex)) => {
                s.e.set_m0(int(-1));
                Destination::Share(vertex)
            }
            _ => Destination::Exports,
        }
    }

    /// Adds the code after the shader's.
    pub(crate) fn finish(&self, s: &mut Selection<'_>) -> Step<VertexInterface> {
        s.start_epilogue();
        let interface = match *self {
            Destination::Exports => exports(s)?,
            Destination::Ring(register, offset) => {
                let ring = s.descriptor(Resource::VertexRing)?;
                let memory = s.written_slots();
                let wave = offset.into();
                let address = BufferAddress { descriptor: ring, lane: None, wave, constant: 0 };
                for (at, part) in stored(s, &memory) {
                    s.store_dwords(&address, part, at, 1);
                }
                let ring_offset = Some(register);
                VertexInterface { memory, ring_offset, ..VertexInterface::default() }
            }
            Destination::Share(vertex) => {
                let memory = s.written_slots();
                let address = s.e.vector();
                let stride = int(memory.len() as i32 * 16);
                s.e.valu(Opcode::VMulU32U24, &[address.into()], &[stride.into(), vertex.into()]);
                write_all_to_share(s, address, &stored(s, &memory));
                VertexInterface { memory, ..VertexInterface::default() }
            }
        };
        s.e.sopp(Opcode::SEndpgm, &[]);
        Ok(interface)
    }
}

/// Outputs with their offsets in a vertex in memory.
fn stored(s: &Selection<'_>, memory: &[Slot]) -> Vec<(u32, Part)> {
    let place = |(&(slot, c), &part): (&(Slot, u8), &Part)| {
        offset_of(memory, slot).map(|offset| (offset + 4 * u32::from(c), part))
    };
    s.outputs.iter().filter_map(place).collect()
}

/// Exports positions and parameters.
fn exports(s: &mut Selection<'_>) -> Step<VertexInterface> {
    let slots = s.written_slots();
    let mut exports = vec![(PositionExport::Position, position(s))];
    if let Some(channels) = miscellaneous(s) {
        exports.push((PositionExport::Miscellaneous, channels));
    }
    for &slot in &slots {
        if matches!(slot, Slot::ClipDistance(_) | Slot::CullDistance(_)) {
            exports.push((PositionExport::Distances(slot), s.output_channels(slot)));
        }
    }
    if exports.len() > 4 {
        return Err(CompileError::lower("more than four position exports"));
    }
    let last = exports.len() - 1;
    for (index, (_, channels)) in exports.iter().enumerate() {
        let modifiers = Modifiers { done: index == last, ..Modifiers::default() };
        s.export(POSITION + index as u8, *channels, modifiers);
    }
    let parameters: Vec<Slot> = slots.into_iter().filter(|slot| is_parameter(*slot)).collect();
    if parameters.len() > MAX_PARAMETERS {
        return Err(CompileError::lower("more than 32 parameter exports"));
    }
    for (index, &slot) in parameters.iter().enumerate() {
        let channels = s.output_channels(slot);
        s.export(PARAMETER + index as u8, channels, Modifiers::default());
    }
    let positions = exports.into_iter().map(|(export, _)| export).collect();
    Ok(VertexInterface { parameters, positions, ..VertexInterface::default() })
}

/// Every channel of the position; zeros where nothing was written.
fn position(s: &mut Selection<'_>) -> [Arg; 4] {
    s.output_channels(Slot::Position).map(|channel| match channel {
        Arg::Fixed(_) => s.e.in_vector(ZERO).into(),
        written => written,
    })
}

/// Point size, edge flag, layer and viewport, if one is written.
fn miscellaneous(s: &Selection<'_>) -> Option<[Arg; 4]> {
    let slots = [Slot::PointSize, Slot::EdgeFlag, Slot::Layer, Slot::Viewport];
    let channels = slots.map(|slot| s.output_channels(slot)[0]);
    channels.iter().any(|c| *c != Arg::Fixed(Operand::Off)).then_some(channels)
}

/// True for outputs that are parameters of interpolation; layer and viewport are also that.
fn is_parameter(slot: Slot) -> bool {
    !matches!(
        slot,
        Slot::Position
            | Slot::PointSize
            | Slot::EdgeFlag
            | Slot::ClipDistance(_)
            | Slot::CullDistance(_)
    )
}
