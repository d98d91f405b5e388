//! Vertex entries of the URB: the slots of a stage's inputs and outputs, for both back ends.

use crate::error::CompileError;
use crate::output::{Varying, VertexInput, VueMap};
use crate::stage_key::StageKey;
use ir::{InstKind, Intrinsic, IntrinsicOp, Shader, Slot, Value};
use std::collections::BTreeSet;

/// Calls `f` with every intrinsic of a shader, in program order.
pub fn for_each_intrinsic(shader: &Shader, mut f: impl FnMut(&Intrinsic)) {
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            if let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind {
                f(intrinsic);
            }
        }
    }
}

/// Returns the number of attribute slots of a vertex shader, and its input slots: attributes by
/// dense number, then system values, then draw parameters.
#[must_use]
pub fn vertex_inputs(shader: &Shader) -> (u32, Vec<VertexInput>) {
    let mut attributes = 0;
    let (mut system, mut draw) = (false, false);
    for_each_intrinsic(shader, |intrinsic| match intrinsic.op {
        IntrinsicOp::LoadInput => {
            if let Slot::Attribute(n) = intrinsic.fields.slot {
                let offset =
                    intrinsic.srcs.first().and_then(|&o| shader.as_const_u64(o)).unwrap_or(0);
                attributes = attributes.max(u32::from(n) + offset.min(255) as u32 + 1);
            }
        }
        IntrinsicOp::VertexId
        | IntrinsicOp::VertexIdZeroBase
        | IntrinsicOp::InstanceId
        | IntrinsicOp::BaseInstance => system = true,
        IntrinsicOp::BaseVertex => {
            system = true;
            draw = true;
        }
        IntrinsicOp::DrawId => draw = true,
        _ => {}
    });
    let mut inputs: Vec<VertexInput> =
        (0..attributes).map(|location| VertexInput::Attribute { location }).collect();
    if system {
        inputs.push(VertexInput::SystemValues);
    }
    if draw {
        inputs.push(VertexInput::DrawParameters);
    }
    (attributes, inputs)
}

/// VUE slot and dword of a varying's first component. `None` for a varying that the next stage does
/// not get.
///
/// # Errors
/// The slot must be lowered to others first.
pub fn place(slot: Slot) -> Result<Option<(Varying, u8)>, CompileError> {
    Ok(Some(match slot {
        Slot::Position => (Varying::Position, 0),
        Slot::Layer => (Varying::Header, 1),
        Slot::Viewport => (Varying::Header, 2),
        Slot::PointSize => (Varying::Header, 3),
        Slot::ClipDistance(0) => (Varying::ClipDistance0, 0),
        Slot::ClipDistance(_) => (Varying::ClipDistance1, 0),
        Slot::ClipVertex => (Varying::ClipVertex, 0),
        Slot::Color(0) => (Varying::Color0, 0),
        Slot::Color(_) => (Varying::Color1, 0),
        Slot::BackColor(0) => (Varying::BackColor0, 0),
        Slot::BackColor(_) => (Varying::BackColor1, 0),
        Slot::TexCoord(n) => (Varying::TexCoord(n.into()), 0),
        Slot::FogCoord => (Varying::FogCoord, 0),
        Slot::Var(n) => (Varying::Generic(n.into()), 0),
        Slot::PrimitiveId => (Varying::PrimitiveId, 0),
        // Edge flags reach the clipper as a vertex attribute.
        Slot::EdgeFlag => return Ok(None),
        other => return Err(CompileError::internal(format!("varying {other} is not lowered"))),
    }))
}

/// The operands of a read of an input vertex.
pub(crate) struct PerVertexInput {
    /// Number of the vertex in the primitive or patch.
    pub vertex: Value,
    /// Slots after `slot`.
    pub offset: Value,
    /// Slot of the vertex.
    pub slot: u32,
    /// First component in that slot.
    pub first: u8,
}

impl PerVertexInput {
    /// Splits a `load_per_vertex_input`.
    ///
    /// # Errors
    /// It lacks sources, or the vertices have no such input.
    pub(crate) fn of(
        intrinsic: &Intrinsic,
        inputs: &VueMap,
    ) -> Result<PerVertexInput, CompileError> {
        let [vertex, offset] = intrinsic.srcs[..] else {
            return Err(CompileError::internal("load_per_vertex_input needs two sources"));
        };
        let (varying, first) = place(intrinsic.fields.slot)?
            .ok_or_else(|| CompileError::lower("this input does not reach the stage"))?;
        let slot = inputs.slot(varying);
        let slot = slot
            .ok_or_else(|| CompileError::internal("input is missing from the vertices"))?
            as u32;
        Ok(PerVertexInput { vertex, offset, slot, first: first + intrinsic.fields.component })
    }
}

/// The layout of a stage's outputs: those that it declares, those that it writes, those that the
/// next stage needs.
///
/// # Errors
/// An output that must be lowered to others first.
pub fn output_map(shader: &Shader, key: &StageKey) -> Result<VueMap, CompileError> {
    let mut used: BTreeSet<Varying> = key.outputs_needed.iter().copied().collect();
    let mut slots: Vec<Slot> = shader.info.outputs.iter().map(|v| v.slot).collect();
    for_each_intrinsic(shader, |intrinsic| {
        if intrinsic.op == IntrinsicOp::StoreOutput {
            let slot = intrinsic.fields.slot;
            let offset = intrinsic.srcs.get(1).and_then(|&o| shader.as_const_u64(o)).unwrap_or(0);
            slots.extend(u8::try_from(offset).ok().and_then(|n| slot.advance(n)));
        }
    });
    for slot in slots {
        if let Some((varying, _)) = place(slot)? {
            used.insert(varying);
        }
    }
    Ok(map_of(&used))
}

/// The layout of the vertices that a geometry shader reads: the inputs that it declares and those
/// that it loads.
///
/// # Errors
/// An input that must be lowered to others first.
pub fn input_map(shader: &Shader) -> Result<VueMap, CompileError> {
    let mut slots: Vec<Slot> = shader.info.inputs.iter().map(|v| v.slot).collect();
    for_each_intrinsic(shader, |intrinsic| {
        if intrinsic.op == IntrinsicOp::LoadPerVertexInput {
            slots.push(intrinsic.fields.slot);
        }
    });
    let mut used = BTreeSet::new();
    for slot in slots {
        if let Some((varying, _)) = place(slot)? {
            used.insert(varying);
        }
    }
    Ok(map_of(&used))
}

/// Header, position, clip distances as a pair, then the rest in order.
fn map_of(used: &BTreeSet<Varying>) -> VueMap {
    let mut map = VueMap { slots: vec![Varying::Header, Varying::Position] };
    if used.contains(&Varying::ClipDistance0) || used.contains(&Varying::ClipDistance1) {
        map.slots.extend([Varying::ClipDistance0, Varying::ClipDistance1]);
    }
    let apart = [
        Varying::Header,
        Varying::Position,
        Varying::ClipDistance0,
        Varying::ClipDistance1,
        Varying::PointCoord,
        Varying::Facing,
        Varying::Pad,
    ];
    map.slots.extend(used.iter().copied().filter(|v| !apart.contains(v)));
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shader(body: &str) -> Shader {
        let text = format!("shader vertex\nblock b0 {{\n  32x1 v0 = const 0x0\n{body}}}\n");
        ir::parse(&text).expect("a shader")
    }

    #[test]
    fn attributes_come_before_system_values_and_draw_parameters() {
        let shader = shader(
            "  32x1 v1 = const 0x2\n  32x4 v2 = load_input v1 slot=attribute1 component=0\n  \
             32x1 v3 = draw_id\n  32x1 v4 = instance_id\n",
        );
        let (attributes, inputs) = vertex_inputs(&shader);
        assert_eq!(attributes, 4, "attribute 1 and two slots after it");
        let first = (0..4).map(|location| VertexInput::Attribute { location });
        let rest = [VertexInput::SystemValues, VertexInput::DrawParameters];
        assert_eq!(inputs, first.chain(rest).collect::<Vec<_>>());
    }

    #[test]
    fn outputs_are_those_written_and_those_needed() {
        let shader = shader(
            "  store_output v0, v0 slot=clip_distance1 component=0 mask=1 stream=0\n  \
             store_output v0, v0 slot=var2 component=0 mask=1 stream=0\n",
        );
        let needed = vec![Varying::Generic(1)];
        let key = StageKey { outputs_needed: needed, ..StageKey::default() };
        let map = output_map(&shader, &key).expect("a map");
        let expected = [
            Varying::Header,
            Varying::Position,
            Varying::ClipDistance0,
            Varying::ClipDistance1,
            Varying::Generic(1),
            Varying::Generic(2),
        ];
        assert_eq!(map.slots, expected);
    }
}
