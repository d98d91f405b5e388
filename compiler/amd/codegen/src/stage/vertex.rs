//! Vertex stage: attributes from buffers.

use super::destination::Destination;
use crate::machine::{File, Part, ZERO};
use crate::output::{Resource, UserValue, VertexInterface};
use crate::select::control::StageSelection;
use crate::select::{Selection, Step};
use crate::stage_key::NextStage;
use amd_isa::{Format, Modifiers, Opcode};
use ir::{Intrinsic, IntrinsicOp, Slot, Value};

/// State of the vertex stage: the initial vector registers.
pub(crate) struct Vertex {
    number: Part,
    instance: Part,
    fetch: Part,
    destination: Destination,
}

impl Vertex {
    /// Lays out the initial registers; `next` is the first scalar register after the driver's.
    pub(crate) fn new(s: &mut Selection<'_>, next_stage: NextStage, next: u8) -> Vertex {
        let mut register = |number| s.e.fixed(File::Vector, number, 1);
        let number = register(0);
        let fetch = register(VertexInterface::FETCH_INDEX);
        let (instance, vertex) = match next_stage {
            NextStage::TessControl => (register(2), Some(register(1))),
            _ => (register(1), None),
        };
        let destination = Destination::new(s, next_stage, next, vertex);
        Vertex { number, instance, fetch, destination }
    }

    fn attribute(&self, s: &mut Selection<'_>, intrinsic: &Intrinsic, result: Value) -> Step {
        let offset = intrinsic.srcs.first().and_then(|&o| s.constant(o));
        let (Slot::Attribute(first), Some(offset)) = (intrinsic.fields.slot, offset) else {
            return s.unsupported("an attribute with a variable index");
        };
        let descriptor = s.descriptor(Resource::Attribute(u32::from(first) + offset))?;
        let component = intrinsic.fields.component;
        let count = component + s.shader.components(result);
        let opcode = match count {
            1 => Opcode::BufferLoadFormatX,
            2 => Opcode::BufferLoadFormatXy,
            3 => Opcode::BufferLoadFormatXyz,
            _ => Opcode::BufferLoadFormatXyzw,
        };
        let to = s.e.reg(File::Vector, count);
        let modifiers = Modifiers { idxen: true, ..Modifiers::default() };
        let args = [to.into(), self.fetch.into(), descriptor.into(), ZERO];
        s.e.push(Format::Mubuf, opcode, &args, modifiers);
        s.set_parts(result, to.at(component));
        Ok(())
    }

    /// Adds the code after the shader's.
    pub(crate) fn finish(&self, s: &mut Selection<'_>) -> Step<VertexInterface> {
        self.destination.finish(s)
    }
}

impl StageSelection for Vertex {
    fn intrinsic(
        &mut self,
        s: &mut Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        use IntrinsicOp::*;
        if intrinsic.op == StoreOutput {
            return s.store_output(intrinsic).map(|()| true);
        }
        let Some(result) = result else { return Ok(false) };
        match intrinsic.op {
            LoadInput => self.attribute(s, intrinsic, result)?,
            VertexIdZeroBase => s.set_parts(result, self.number),
            InstanceId => s.set_parts(result, self.instance),
            VertexId => {
                let base = s.user_value(UserValue::BaseVertex)?;
                let to = s.e.vector();
                s.add(to, base.into(), self.number.into());
                s.set_parts(result, to);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
