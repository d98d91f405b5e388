//! Vertex stage: attributes from buffers, exports of positions and parameters.

use crate::error::CompileError;
use crate::machine::{Arg, File, Part, ZERO};
use crate::output::{PositionExport, Resource, UserValue, VertexInterface};
use crate::select::control::StageSelection;
use crate::select::{Selection, Step};
use gcn::{Format, Modifiers, Opcode, Operand};
use ir::{Intrinsic, IntrinsicOp, Slot, Value};

/// Targets of the exports.
const POSITION: u8 = 12;
const PARAMETER: u8 = 32;
/// Most parameters.
const MAX_PARAMETERS: usize = 32;

/// State of the vertex stage: the initial vector registers.
pub(crate) struct Vertex {
    number: Part,
    instance: Part,
    fetch: Part,
}

impl Vertex {
    pub(crate) fn new(s: &mut Selection<'_>) -> Vertex {
        let mut register = |number| s.e.fixed(File::Vector, number, 1);
        Vertex {
            number: register(0),
            instance: register(1),
            fetch: register(VertexInterface::FETCH_INDEX),
        }
    }

    /// The driver's values that the shader wants.
    pub(crate) fn user_values(used: &[IntrinsicOp]) -> Vec<UserValue> {
        use IntrinsicOp::*;
        let wanted = |ops: &[IntrinsicOp]| used.iter().any(|op| ops.contains(op));
        let mut values = Vec::new();
        if wanted(&[BaseVertex, VertexId]) {
            values.push(UserValue::BaseVertex);
        }
        if wanted(&[BaseInstance]) {
            values.push(UserValue::BaseInstance);
        }
        if wanted(&[DrawId]) {
            values.push(UserValue::DrawId);
        }
        values
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

    /// Exports the outputs.
    pub(crate) fn finish(&self, s: &mut Selection<'_>) -> Step<VertexInterface> {
        s.start_epilogue();
        let slots: Vec<Slot> = {
            let mut slots: Vec<Slot> = s.outputs.keys().map(|(slot, _)| *slot).collect();
            slots.dedup();
            slots
        };
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
        s.e.sopp(Opcode::SEndpgm, &[]);
        let positions = exports.into_iter().map(|(export, _)| export).collect();
        Ok(VertexInterface { parameters, positions })
    }
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
            BaseVertex | BaseInstance | DrawId => {
                let value = match intrinsic.op {
                    BaseVertex => UserValue::BaseVertex,
                    BaseInstance => UserValue::BaseInstance,
                    _ => UserValue::DrawId,
                };
                let part = s.user_value(value)?;
                s.set_parts(result, part);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}
