//! Tessellation evaluation stage: patches from the buffer outside of the chip.

use super::destination::Destination;
use super::patch::{is_of_patch, scaled};
use crate::machine::{Arg, File, Part, ZERO};
use crate::output::{PatchLayout, Resource, TessEvaluationInterface, UserValue};
use crate::select::control::StageSelection;
use crate::select::{BufferAddress, Held, Selection, Step};
use crate::stage_key::NextStage;
use amd_isa::Opcode;
use ir::info::Primitive;
use ir::{CompileError, Intrinsic, IntrinsicOp, Slot, Value};

/// State of the stage.
pub(crate) struct TessEvaluation {
    coordinates: [Part; 2],
    primitive: Part,
    /// Offset in bytes of the patch.
    patch: Part,
    layout: PatchLayout,
    offset: Part,
    register: u8,
    destination: Destination,
}

/// Resources of the stage.
pub(crate) fn resources(next_stage: NextStage) -> Vec<Resource> {
    let ring = (next_stage == NextStage::Geometry).then_some(Resource::VertexRing);
    std::iter::once(Resource::Patches).chain(ring).collect()
}

/// Number of system registers.
pub(crate) fn system_registers(next_stage: NextStage) -> u8 {
    if next_stage == NextStage::Geometry { 3 } else { 1 }
}

fn layout(s: &Selection<'_>, used: &[IntrinsicOp]) -> PatchLayout {
    let slots = s.shader.info.inputs.iter().map(|input| input.slot);
    let (mut patch, vertex): (Vec<Slot>, Vec<Slot>) = slots.partition(|&slot| is_of_patch(slot));
    for (op, slot) in [
        (IntrinsicOp::TessLevelOuter, Slot::TessLevelOuter),
        (IntrinsicOp::TessLevelInner, Slot::TessLevelInner),
    ] {
        if used.contains(&op) && !patch.contains(&slot) {
            patch.push(slot);
        }
    }
    PatchLayout { patch, vertex }
}

impl TessEvaluation {
    /// Lays out the initial registers; `next` is the first scalar register after the driver's.
    pub(crate) fn new(
        s: &mut Selection<'_>,
        used: &[IntrinsicOp],
        next_stage: NextStage,
        next: u8,
    ) -> Step<TessEvaluation> {
        let [u, v, number, primitive] = [0, 1, 2, 3].map(|n| s.e.fixed(File::Vector, n, 1));
        let offset = s.e.fixed(File::Scalar, next, 1);
        let destination = Destination::new(s, next_stage, next + 2, None);
        let stride = s.user_value(UserValue::PatchStride)?;
        let patch = s.e.valu1(Opcode::VMulLoU32, &[stride.into(), number.into()]);
        s.resident_descriptor(Resource::Patches)?;
        let layout = layout(s, used);
        let coordinates = [u, v];
        let register = next;
        Ok(TessEvaluation { coordinates, primitive, patch, layout, offset, register, destination })
    }

    /// Adds the code after the shader's.
    pub(crate) fn finish(self, s: &mut Selection<'_>) -> Step<TessEvaluationInterface> {
        let vertex = self.destination.finish(s)?;
        let (inputs, buffer_offset) = (self.layout, self.register);
        Ok(TessEvaluationInterface { vertex, inputs, buffer_offset })
    }

    /// Loads components from after an address.
    fn load(&self, s: &mut Selection<'_>, address: Part, at: u32, result: Value) -> Step {
        let descriptor = s.descriptor(Resource::Patches)?;
        let (lane, wave) = (Some(address), self.offset.into());
        s.load_buffer(&BufferAddress { descriptor, lane, wave, constant: at }, result, true);
        Ok(())
    }

    fn input(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let fields = &intrinsic.fields;
        let (address, offset) = match intrinsic.op {
            IntrinsicOp::LoadPerVertexInput => {
                let stride = self.layout.vertex_bytes();
                (scaled(s, self.patch, intrinsic.srcs[0], stride)?, intrinsic.srcs[1])
            }
            _ => ((self.patch, 0), intrinsic.srcs[0]),
        };
        let (address, vertex) = address;
        let (address, slots) = scaled(s, address, offset, 16)?;
        let first = match intrinsic.op {
            IntrinsicOp::LoadPerVertexInput => self.layout.vertex_slot(fields.slot),
            _ => self.layout.patch_slot(fields.slot),
        };
        let Some(first) = first else {
            s.set(result, (0..s.shader.components(result)).map(|_| ZERO).collect());
            return Ok(());
        };
        let at = first + vertex + slots + 4 * u32::from(fields.component);
        self.load(s, address, at, result)
    }

    /// Loads tessellation levels of the patch.
    fn level(&self, s: &mut Selection<'_>, slot: Slot, result: Value) -> Step {
        let at = self.layout.patch_slot(slot).ok_or_else(|| {
            CompileError::internal(format!("{slot:?} is not in the layout of the patch"))
        })?;
        self.load(s, self.patch, at, result)
    }

    fn coordinates(&self, s: &mut Selection<'_>, result: Value) {
        let [u, v] = self.coordinates;
        let third: Arg = if s.shader.info.tess.domain == Primitive::Triangles {
            let sum = s.e.valu1(Opcode::VAddF32, &[u.into(), v.into()]);
            let one = Arg::Fixed(amd_isa::Operand::Float(amd_isa::InlineFloat::One));
            s.e.valu1(Opcode::VSubF32, &[one.into(), sum.into()]).into()
        } else {
            ZERO
        };
        s.set(result, Held::from_slice(&[u.into(), v.into(), third]));
    }
}

impl StageSelection for TessEvaluation {
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        match (intrinsic.op, result) {
            (StoreOutput, _) => s.store_output(intrinsic)?,
            (LoadInput | LoadPerVertexInput, Some(result)) => self.input(s, intrinsic, result)?,
            (TessLevelOuter, Some(result)) => self.level(s, Slot::TessLevelOuter, result)?,
            (TessLevelInner, Some(result)) => self.level(s, Slot::TessLevelInner, result)?,
            (TessCoord, Some(result)) => self.coordinates(s, result),
            (PrimitiveId, Some(result)) => s.set_parts(result, self.primitive),
            (PatchVerticesIn, Some(result)) => {
                let part = s.user_value(UserValue::PatchVertices)?;
                let to = s.result(result);
                s.e.copy(to, part);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
