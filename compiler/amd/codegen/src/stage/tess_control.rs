//! Tessellation control stage: input patches from the local data share, output patches to the
//! buffer outside of the chip and, where the stage reads them, to the local data share.
//!
//! The invocations of a patch are in one wave: they execute in step, so that a barrier only waits
//! for memory.

use super::patch::{is_of_patch, scaled};
use crate::interfaces::offset_of;
use crate::machine::{Arg, EXEC, File, M0, Part, ZERO, bits, int};
use crate::output::{PatchLayout, Resource, TessControlInterface, UserValue};
use crate::select::control::StageSelection;
use crate::select::share::{read_all_from_share, read_from_share, write_all_to_share};
use crate::select::{BufferAddress, Selection, Step, runs};
use crate::stage_key::StageKey;
use amd_isa::Opcode;
use ir::{InstKind, Intrinsic, IntrinsicOp, Shader, Slot, Value};

/// First dword of the ring of tessellation factors: they are not those of the draw before.
const FACTORS_CONTROL: u32 = 0x8000_0000;

/// Resources of the stage.
pub(crate) const RESOURCES: &[Resource] = &[Resource::Patches, Resource::Factors];

/// State of the stage.
pub(crate) struct TessControl {
    interface: TessControlInterface,
    primitive: Part,
    /// Number of the patch in the work group.
    number: Part,
    invocation: Part,
    /// Offsets in bytes: of the input patch and the output patch in the local data share, of the
    /// output patch in the buffer.
    input: Part,
    shared: Part,
    buffer: Part,
    buffer_offset: Part,
    factor_offset: Part,
}

/// Slots of outputs that the shader reads, and the tessellation levels.
fn shared_slots(shader: &Shader) -> Vec<Slot> {
    let outputs = shader.info.outputs.iter().map(|output| output.slot);
    let is_level = |slot: &Slot| matches!(slot, Slot::TessLevelOuter | Slot::TessLevelInner);
    let mut slots: Vec<Slot> = outputs.clone().filter(is_level).collect();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            let offset = match intrinsic.op {
                IntrinsicOp::LoadOutput => intrinsic.srcs[0],
                IntrinsicOp::LoadPerVertexOutput => intrinsic.srcs[1],
                _ => continue,
            };
            match shader.as_const_u64(offset) {
                Some(offset) => slots.extend(intrinsic.fields.slot.advance(offset as u8)),
                None => slots.extend(outputs.clone()),
            }
        }
    }
    slots.sort_unstable();
    slots.dedup();
    slots
}

fn layout(slots: impl Iterator<Item = Slot>) -> PatchLayout {
    let (patch, vertex) = slots.partition(|&slot| is_of_patch(slot));
    PatchLayout { patch, vertex }
}

impl TessControl {
    /// Lays out the initial registers; `next` is the first scalar register after the driver's.
    pub(crate) fn new(s: &mut Selection<'_>, key: &StageKey, next: u8) -> Step<TessControl> {
        let (outer, inner) = key.tess_domain.levels();
        let info = &s.shader.info;
        let interface = TessControlInterface {
            inputs: info.inputs.iter().map(|input| input.slot).collect(),
            vertices_in: key.patch_vertices,
            vertices_out: info.tess.vertices_out,
            outputs: layout(info.outputs.iter().map(|output| output.slot)),
            shared: layout(shared_slots(s.shader).into_iter()),
            outer: outer.to_vec(),
            inner: inner.to_vec(),
            offsets: next,
        };
        let primitive = s.e.fixed(File::Vector, 0, 1);
        let numbers = s.e.fixed(File::Vector, 1, 1);
        let buffer_offset = s.e.fixed(File::Scalar, next, 1);
        let factor_offset = s.e.fixed(File::Scalar, next + 1, 1);
        s.e.sop1(Opcode::SMovB32, M0, int(-1));
        let field = |s: &mut Selection<'_>, first: i32, count: i32| {
            let sources = [numbers.into(), int(first).into(), int(count).into()];
            s.e.valu1(Opcode::VBfeU32, &sources)
        };
        let (number, invocation) = (field(s, 0, 8), field(s, 8, 5));
        let times = |s: &mut Selection<'_>, bytes: u32| {
            let bytes = bits(s.chip(), bytes);
            s.e.valu1(Opcode::VMulU32U24, &[bytes.into(), number.into()])
        };
        let input = times(s, interface.input_bytes());
        let relative = times(s, interface.shared.patch_bytes(interface.vertices_out));
        let shared = s.e.vector();
        let first = s.user_value(UserValue::SharedOutputs)?;
        s.add(shared, first.into(), relative.into());
        let buffer = times(s, interface.outputs.patch_bytes(interface.vertices_out));
        RESOURCES.iter().try_for_each(|&resource| s.resident_descriptor(resource).map(drop))?;
        Ok(TessControl {
            interface,
            primitive,
            number,
            invocation,
            input,
            shared,
            buffer,
            buffer_offset,
            factor_offset,
        })
    }

    fn input(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let stride = self.interface.inputs.len() as u32 * 16;
        let (address, vertex) = scaled(s, self.input, intrinsic.srcs[0], stride)?;
        let (address, slots) = scaled(s, address, intrinsic.srcs[1], 16)?;
        let first = offset_of(&self.interface.inputs, intrinsic.fields.slot);
        self.read(s, address, first.map(|first| first + vertex + slots), intrinsic, result);
        Ok(())
    }

    /// Reads an output back.
    fn output(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let layout = &self.interface.shared;
        let slot = intrinsic.fields.slot;
        let (vertex, offset, first) = match intrinsic.op {
            IntrinsicOp::LoadPerVertexOutput => (Some(intrinsic.srcs[0]), intrinsic.srcs[1], true),
            _ => (None, intrinsic.srcs[0], false),
        };
        let (address, at) = place(s, layout, self.shared, vertex, offset)?;
        let slot = match s.constant(offset) {
            Some(offset) => slot.advance(offset as u8).unwrap_or(slot),
            None => slot,
        };
        let start = if first { layout.vertex_slot(slot) } else { layout.patch_slot(slot) };
        self.read(s, address, start.map(|start| start + at), intrinsic, result);
        Ok(())
    }

    fn read(
        &self,
        s: &mut Selection<'_>,
        address: Part,
        at: Option<u32>,
        intrinsic: &Intrinsic,
        result: Value,
    ) {
        let to = s.result(result);
        let count = s.shader.components(result);
        match at {
            Some(at) => {
                let at = at + 4 * u32::from(intrinsic.fields.component);
                read_all_from_share(s, address, at, to, count);
            }
            // Nothing writes it: any value.
            None => (0..count).for_each(|c| s.e.copy(to.at(c), ZERO)),
        }
    }

    fn store(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic) -> Step {
        let (fields, value) = (&intrinsic.fields, intrinsic.srcs[0]);
        let (vertex, offset) = match intrinsic.op {
            IntrinsicOp::StorePerVertexOutput => (Some(intrinsic.srcs[1]), intrinsic.srcs[2]),
            _ => (None, intrinsic.srcs[1]),
        };
        let known = s.constant(offset);
        let slot = known.and_then(|offset| fields.slot.advance(offset as u8));
        let slot = slot.unwrap_or(fields.slot);
        let slot_of = |layout: &PatchLayout| match vertex {
            Some(_) => layout.vertex_slot(slot),
            None => layout.patch_slot(slot),
        };
        let (in_buffer, in_share) =
            (slot_of(&self.interface.outputs), slot_of(&self.interface.shared));
        for (first, count) in runs(fields.write_mask, s.shader.components(value)) {
            let data = s.gather(value, first, count)?;
            let component = 4 * u32::from(fields.component + first);
            if let Some(start) = in_buffer {
                let layout = &self.interface.outputs;
                let (address, at) = place(s, layout, self.buffer, vertex, offset)?;
                let descriptor = s.descriptor(Resource::Patches)?;
                let wave = self.buffer_offset.into();
                let lane = Some(address);
                let address = BufferAddress { descriptor, lane, wave, constant: start + at };
                s.store_dwords(&address, data, component, count);
            }
            if let Some(start) = in_share {
                let layout = &self.interface.shared;
                let (address, at) = place(s, layout, self.shared, vertex, offset)?;
                let dword = |c: u8| (start + at + component + 4 * u32::from(c), data.at(c));
                let dwords: Vec<(u32, Part)> = (0..count).map(dword).collect();
                write_all_to_share(s, address, &dwords);
            }
        }
        Ok(())
    }

    /// Adds the code after the shader's: the first invocation of each patch writes the
    /// tessellation factors.
    pub(crate) fn finish(self, s: &mut Selection<'_>) -> Step<TessControlInterface> {
        s.start_epilogue();
        let first = s.e.compare(Opcode::VCmpEqU32, ZERO, self.invocation);
        s.e.sop2(Opcode::SAndB64, EXEC, EXEC, first);
        let levels = [
            (Slot::TessLevelOuter, &self.interface.outer),
            (Slot::TessLevelInner, &self.interface.inner),
        ];
        let mut factors = Vec::new();
        for (slot, numbers) in levels {
            let start = self.interface.shared.patch_slot(slot);
            for &number in numbers {
                let to = s.e.vector();
                match start {
                    Some(start) => {
                        read_from_share(s, self.shared, start + 4 * u32::from(number), to);
                    }
                    None => s.e.copy(to, ZERO),
                }
                factors.push(to);
            }
        }
        let descriptor = s.descriptor(Resource::Factors)?;
        let stride = int(4 * factors.len() as i32);
        let sources = [stride.into(), self.number.into()];
        let address = s.e.valu1(Opcode::VMulU32U24, &sources);
        let wave = self.factor_offset.into();
        let address = BufferAddress { descriptor, lane: Some(address), wave, constant: 4 };
        for (index, &factor) in factors.iter().enumerate() {
            s.store_dwords(&address, factor, 4 * index as u32, 1);
        }
        let first = s.e.compare(Opcode::VCmpEqU32, ZERO, self.number);
        s.e.sop2(Opcode::SAndB64, EXEC, EXEC, first);
        let control = bits(s.chip(), FACTORS_CONTROL);
        let control = s.e.in_vector(control);
        let first = BufferAddress { lane: None, constant: 0, ..address };
        s.store_dwords(&first, control, 0, 1);
        s.e.sopp(Opcode::SEndpgm, &[]);
        Ok(self.interface)
    }
}

/// Address of an output's slots without that of its first slot: constant slots are not part of it.
fn place(
    s: &mut Selection<'_>,
    layout: &PatchLayout,
    base: Part,
    vertex: Option<Value>,
    offset: Value,
) -> Step<(Part, u32)> {
    let (address, at) = match vertex {
        Some(vertex) => scaled(s, base, vertex, layout.vertex_bytes())?,
        None => (base, 0),
    };
    match s.constant(offset) {
        Some(_) => Ok((address, at)),
        None => scaled(s, address, offset, 16).map(|(address, more)| (address, at + more)),
    }
}

impl StageSelection for TessControl {
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (StoreOutput | StorePerVertexOutput, _) => self.store(s, intrinsic)?,
            (LoadPerVertexInput, Some(result)) => self.input(s, intrinsic, result)?,
            (LoadOutput | LoadPerVertexOutput, Some(result)) => {
                self.output(s, intrinsic, result)?;
            }
            (InvocationId, Some(result)) => s.set_parts(result, self.invocation),
            (PrimitiveId, Some(result)) => s.set_parts(result, self.primitive),
            (PatchVerticesIn, Some(result)) => {
                let to = s.result(result);
                let count: Arg = bits(s.chip(), self.interface.vertices_in);
                s.e.copy(to, count);
            }
            (Barrier, _) => s.wait_for_memory(),
            _ => return Ok(false),
        }
        Ok(true)
    }
}
