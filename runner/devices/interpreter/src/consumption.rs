//! Consumption: which outputs of a stage the rest of the pipeline reads.

use std::collections::BTreeSet;

use program::shader::LayoutPrimitive;
use program::{
    BuiltinVariable, Expr, ExprId, ExprKind, Global, GlobalId, LinkedStage, Placement, Program,
    Scalar, Shader, Slot, Stage, Type, TypeTable,
};
use raster::pipeline::feedback::captured_slots;

/// The part of the pipeline after a stage.
pub(crate) struct Consumer<'a> {
    types: &'a TypeTable,
    next: Option<&'a LinkedStage>,
    /// The stage feeds the rasterizer.
    rasterized: bool,
    /// Components of slots that transform feedback captures.
    captured: Vec<(Slot, u8)>,
}

impl Consumer<'_> {
    /// Returns the consumer of a stage.
    pub(crate) fn of<'a>(program: &'a Program, stage: &LinkedStage) -> Consumer<'a> {
        let next = program.stages.iter().find(|s| s.shader.stage > stage.shader.stage);
        let rasterized = next.is_none_or(|next| next.shader.stage == Stage::Fragment);
        let captured = if rasterized { captured_slots(program) } else { Vec::new() };
        Consumer { types: &program.types, next, rasterized, captured }
    }

    /// Returns the components of a slot that are read (bit n: component n).
    pub(crate) fn reads(&self, slot: Slot) -> u8 {
        if slot == Slot::Position && self.rasterized {
            return 0xf;
        }
        let captured = self.captured.iter().filter(|(of, _)| *of == slot);
        captured.fold(self.read_by_next(slot), |all, (_, components)| all | components)
    }

    fn read_by_next(&self, slot: Slot) -> u8 {
        let Some(next) = self.next else { return 0 };
        if !self.names(next, slot) {
            return 0;
        }
        let input = next.inputs.iter().find(|v| v.slot == slot);
        let declared = input.map_or(0, |v| v.mask);
        declared & self.read_by_fragments(next, slot) | levels_of(next, slot)
    }

    /// Returns true unless the slot is that of a member of `gl_in` that no expression names: the
    /// block has all of its members.
    fn names(&self, next: &LinkedStage, slot: Slot) -> bool {
        use BuiltinVariable as V;
        let wanted: &[BuiltinVariable] = match slot {
            Slot::Position => &[V::Position],
            Slot::PointSize => &[V::PointSize],
            Slot::ClipDistance(_) => &[V::ClipDistance, V::CullDistance],
            _ => return true,
        };
        let shader = &next.shader;
        let is_gl_in = |global: &Global| global.builtin == Some(V::PerVertexIn);
        let is_member = |expr: &Expr| {
            let ExprKind::Member { base, member } = expr.kind else { return false };
            let block = self.types.without_arrays(shader.exprs[base].ty);
            let members = self.types.members(block).unwrap_or_default();
            let builtin = members.get(member as usize).and_then(|member| member.builtin);
            builtin.is_some_and(|builtin| wanted.contains(&builtin))
                && root(shader, base).is_some_and(|global| is_gl_in(&shader.globals[global]))
        };
        !shader.globals.values().any(is_gl_in) || shader.exprs.values().any(is_member)
    }

    /// Returns the components of a slot that a fragment stage may read, as far as it reads vectors
    /// by their components.
    fn read_by_fragments(&self, next: &LinkedStage, slot: Slot) -> u8 {
        if next.shader.stage != Stage::Fragment {
            return 0xf;
        }
        let of_slot = |global: &program::Global| match global.placement {
            Placement::Varying { slot: first, component } => {
                (first == slot).then_some((component, global.ty))
            }
            _ => None,
        };
        let mut globals =
            next.shader.globals.iter().filter_map(|(id, global)| Some((id, of_slot(global)?)));
        let read = |(id, (component, ty)): (GlobalId, (u8, _))| match self.types.get(ty) {
            Type::Vector { scalar: Scalar::Float | Scalar::Int | Scalar::Uint, .. } => {
                components_of(&next.shader, id).map_or(0xf, |read| read << component)
            }
            _ => 0xf,
        };
        // A slot in which no variable begins is a part of a larger one.
        globals.next().map_or(0xf, |first| globals.fold(read(first), |all, next| all | read(next)))
    }

    /// Returns true if the next stage reads an output that a stage never writes, or the tessellator
    /// a level. Outputs that the pipeline supplies (layer, point coordinates, texture coordinates
    /// of point sprites) do not count.
    pub(crate) fn misses(&self, stage: &LinkedStage) -> bool {
        let supplied = |slot: Slot| match slot {
            Slot::TessLevelOuter | Slot::TessLevelInner | Slot::Patch(_) => {
                stage.shader.stage != Stage::TessControl
            }
            Slot::Position => self.rasterized,
            Slot::PointSize | Slot::ClipDistance(_) | Slot::Var(_) => false,
            _ => true,
        };
        let written = |slot: Slot| stage.outputs.iter().any(|v| v.slot == slot);
        let inputs = self.next.map_or(&[][..], |next| &next.inputs);
        let levels = [Slot::TessLevelOuter, Slot::TessLevelInner];
        let slots = inputs.iter().map(|v| v.slot).chain(levels);
        slots.filter(|&slot| !supplied(slot)).any(|slot| !written(slot) && self.reads(slot) != 0)
    }
}

/// Returns the variable of which an expression is an element, or a member.
fn root(shader: &Shader, mut id: ExprId) -> Option<GlobalId> {
    loop {
        match shader.exprs[id].kind {
            ExprKind::Global(global) => return Some(global),
            ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => id = base,
            _ => return None,
        }
    }
}

/// Returns the components of a vector that a shader names; `None` if it also reads all at once.
fn components_of(shader: &Shader, global: GlobalId) -> Option<u8> {
    let is_whole = |kind: &ExprKind| matches!(kind, ExprKind::Global(other) if *other == global);
    let whole = shader.exprs.iter().filter(|(_, expr)| is_whole(&expr.kind));
    let mut whole: BTreeSet<_> = whole.map(|(id, _)| id).collect();
    let mut components = 0;
    for expr in shader.exprs.values() {
        if let ExprKind::Swizzle { base, components: named } = &expr.kind
            && whole.remove(base)
        {
            components |= named.as_slice().iter().fold(0, |all, c| all | 1 << c);
        }
    }
    whole.is_empty().then_some(components)
}

/// Returns the components of the tessellation levels that the tessellator reads before an
/// evaluation stage (OpenGL 4.6, section 11.2.2).
fn levels_of(next: &LinkedStage, slot: Slot) -> u8 {
    let domain = next.shader.layout.input_primitive;
    if next.shader.stage != Stage::TessEval {
        return 0;
    }
    match (slot, domain) {
        (Slot::TessLevelOuter, Some(LayoutPrimitive::Isolines)) => 0b11,
        (Slot::TessLevelOuter, Some(LayoutPrimitive::Triangles)) => 0b111,
        (Slot::TessLevelOuter, _) => 0b1111,
        (Slot::TessLevelInner, Some(LayoutPrimitive::Isolines)) => 0,
        (Slot::TessLevelInner, Some(LayoutPrimitive::Triangles)) => 0b1,
        (Slot::TessLevelInner, _) => 0b11,
        _ => 0,
    }
}
