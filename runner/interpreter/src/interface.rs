//! Inputs and outputs of a stage: variables, and the slots they are passed in.

use program::resource::FragmentOutput;
use program::variable::SampleLocation;
use program::{Global, LinkedStage, Placement, Scalar, Stage, Storage, TypeId};

use crate::environment::{Environment, InterpolateAt};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::scalar;
use crate::scalar_layout::{
    SlotComponent, output_after, packs_elements, scalars, slot_after, slot_components,
};

impl InvocationGroup<'_> {
    /// Returns the value of an input.
    pub(crate) fn read_input(&mut self, global: &Global) -> Value {
        let components = self.layout.component_count(global.ty);
        match global.placement {
            Placement::System => self.read_system(global, components),
            Placement::Attribute { first, component } => {
                let cells = slot_components(self.types, global.ty, component);
                self.read_slots(&cells, components, |env, cell, half, lane| {
                    env.attribute(
                        first as usize + cell.slot as usize,
                        (cell.component + half) as usize,
                        lane,
                    )
                })
            }
            Placement::Varying { .. } | Placement::PerMember => self.read_varying_input(global),
            _ => Value::undefined(components, self.lanes),
        }
    }

    fn read_system(&mut self, global: &Global, components: usize) -> Value {
        let Some(variable) = global.builtin else {
            return Value::undefined(components, self.lanes);
        };
        if let Some(value) = self.subgroup_variable(variable) {
            return value;
        }
        let mut types = Vec::new();
        scalars(self.types, global.ty, &mut types);
        let mut value = Value::zero(components, self.lanes);
        for (c, &ty) in types.iter().enumerate() {
            for lane in 0..self.lanes {
                let raw = self.environment.system_value(variable, c, lane);
                value.set(c, lane, scalar::wrap(ty, u64::from(raw)));
            }
        }
        value
    }

    /// Returns a variable of ARB_shader_ballot: 64 consecutive lanes are a subgroup.
    fn subgroup_variable(&self, variable: program::BuiltinVariable) -> Option<Value> {
        use program::BuiltinVariable as B;
        let of_lane = |lane: u32| {
            let own = 1u64 << (lane % 64);
            Some(match variable {
                B::SubGroupSize => 64,
                B::SubGroupInvocation => u64::from(lane % 64),
                B::SubGroupEqMask => own,
                B::SubGroupGeMask => !(own - 1),
                B::SubGroupGtMask => !(own - 1) & !own,
                B::SubGroupLeMask => own | (own - 1),
                B::SubGroupLtMask => own - 1,
                _ => return None,
            })
        };
        let mut value = Value::zero(1, self.lanes);
        for lane in 0..self.lanes {
            value.set(0, lane, of_lane(lane as u32)?);
        }
        Some(value)
    }

    /// Reads components through a function that returns 32-bit halves.
    fn read_slots(
        &mut self,
        cells: &[SlotComponent],
        components: usize,
        mut read: impl FnMut(&mut dyn Environment, &SlotComponent, u8, usize) -> u32,
    ) -> Value {
        let mut value = Value::zero(components, self.lanes);
        for (c, cell) in cells.iter().enumerate() {
            for lane in 0..self.lanes {
                let low = u64::from(read(self.environment, cell, 0, lane));
                let bits = match cell.scalar.bits() {
                    64 => low | u64::from(read(self.environment, cell, 1, lane)) << 32,
                    _ => bits_from_slot(cell.scalar, low),
                };
                value.set(c, lane, bits);
            }
        }
        value
    }

    fn read_varying_input(&mut self, global: &Global) -> Value {
        let arrayed =
            matches!(self.shader.stage, Stage::Geometry | Stage::TessControl | Stage::TessEval)
                && !is_per_patch(global);
        let element = if arrayed { self.types.array_of(global.ty).map(|(e, _)| e) } else { None };
        let ty = element.unwrap_or(global.ty);
        let per_vertex = self.layout.component_count(ty).max(1);
        let declared = self.layout.component_count(global.ty) / per_vertex;
        let vertices = if element.is_some() { declared.min(self.input_vertices()) } else { 1 };
        let varying_components = self.varying_components(global, ty);
        let mut value = Value::undefined(self.layout.component_count(global.ty), self.lanes);
        let mut interpolated = vec![0.0; self.lanes];
        for vertex in 0..vertices {
            for (c, source) in varying_components.iter().enumerate() {
                let Some(source) = source else { continue };
                if source.interpolated {
                    let component = source.component.into();
                    self.environment.interpolate_lanes(source.index, component, &mut interpolated);
                    for (lane, &number) in interpolated.iter().enumerate() {
                        let bits = scalar::from_f64(source.scalar, number);
                        value.set(vertex * per_vertex + c, lane, bits);
                    }
                    continue;
                }
                for lane in 0..self.lanes {
                    let bits = self.read_varying_component(
                        source,
                        vertex as u32,
                        lane,
                        InterpolateAt::Default,
                    );
                    value.set(vertex * per_vertex + c, lane, bits);
                }
            }
        }
        value
    }

    /// Returns the number of vertices that arrays of inputs have. Other elements are undefined: a
    /// patch may have fewer vertices than the array.
    fn input_vertices(&mut self) -> usize {
        match self.shader.stage {
            Stage::TessControl | Stage::TessEval => {
                let variable = program::BuiltinVariable::PatchVerticesIn;
                self.environment.system_value(variable, 0, 0) as usize
            }
            _ => usize::MAX,
        }
    }

    /// Reads one component of an input.
    pub(crate) fn read_varying_component(
        &mut self,
        source: &VaryingComponent,
        vertex: u32,
        lane: usize,
        at: InterpolateAt,
    ) -> u64 {
        if source.interpolated {
            let value =
                self.environment.interpolate(source.index, source.component as usize, lane, at);
            return scalar::from_f64(source.scalar, value);
        }
        let mut half = |i: u8| {
            u64::from(self.environment.varying(
                source.index,
                (source.component + i) as usize,
                vertex,
                lane,
            ))
        };
        let low = half(0);
        match source.scalar.bits() {
            64 => low | half(1) << 32,
            _ => bits_from_slot(source.scalar, low),
        }
    }

    /// Returns the stage whose outputs are the inputs of this one.
    fn producer(&self) -> Option<&LinkedStage> {
        self.program.stages.iter().rfind(|stage| stage.shader.stage < self.shader.stage)
    }

    /// Returns the slot component of each component of an input or output; `None` where no slot was
    /// assigned, and for an input without an output.
    pub(crate) fn varying_components(
        &self,
        global: &Global,
        ty: TypeId,
    ) -> Vec<Option<VaryingComponent>> {
        let input = global.storage == Storage::Input;
        match global.placement {
            Placement::Varying { slot, component } => {
                let first = component + self.first_distance(global.storage, global.builtin);
                self.slot_varying_components(
                    slot,
                    first,
                    ty,
                    input,
                    global.packed || packs_elements(slot),
                )
            }
            Placement::PerMember => {
                let Some(members) = self.types.members(ty) else { return Vec::new() };
                let member = |m: &program::types::Member| match m.builtin.and_then(builtin_slot) {
                    Some(slot) => {
                        let first = self.first_distance(global.storage, m.builtin);
                        self.slot_varying_components(slot, first, m.ty, input, packs_elements(slot))
                    }
                    None => vec![None; self.layout.component_count(m.ty)],
                };
                members.iter().flat_map(member).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the first component of a distance variable: cull distances follow the clip distances
    /// in their slots.
    fn first_distance(&self, storage: Storage, builtin: Option<program::BuiltinVariable>) -> u8 {
        match (builtin, self.program.stage(self.shader.stage)) {
            (Some(program::BuiltinVariable::CullDistance), Some(stage)) => {
                stage.first_cull_distance(storage)
            }
            _ => 0,
        }
    }

    fn slot_varying_components(
        &self,
        slot: program::Slot,
        component: u8,
        ty: TypeId,
        input: bool,
        packs: bool,
    ) -> Vec<Option<VaryingComponent>> {
        let stage = self.program.stage(self.shader.stage);
        let varyings = stage.map_or(&[][..], |s| if input { &s.inputs } else { &s.outputs });
        let fragment = self.shader.stage == Stage::Fragment && input;
        let mut cells = slot_components(self.types, ty, component);
        if packs {
            for (i, cell) in cells.iter_mut().enumerate() {
                let i = i + usize::from(component);
                (cell.slot, cell.component) = (i as u32 / 4, (i % 4) as u8);
            }
        }
        let producer = input.then(|| self.producer()).flatten();
        let source = |cell: &SlotComponent| {
            let wanted = slot_after(slot, cell.slot);
            if is_missing(producer, wanted) {
                return None;
            }
            let index = varyings.iter().position(|v| v.slot == wanted)?;
            let varying = &varyings[index];
            let flat = varying.integer
                || varying.interpolation.mode == program::variable::InterpolationMode::Flat
                || !matches!(cell.scalar, Scalar::Float | Scalar::Float16);
            Some(VaryingComponent {
                index,
                component: cell.component,
                scalar: cell.scalar,
                interpolated: fragment && !flat,
                sample: varying.interpolation.location,
            })
        };
        cells.iter().map(source).collect()
    }

    /// Returns the current outputs, one entry per slot of [`program::LinkedStage::outputs`]: in the
    /// tessellation control stage those of an output vertex, or, without one, of the patch.
    pub(crate) fn collect_varyings(&self, vertex: Option<usize>) -> Vec<Value> {
        let count = self.program.stage(self.shader.stage).map_or(0, |s| s.outputs.len());
        let mut slot = Value::undefined(4, self.lanes);
        slot.make_narrow(false);
        let mut slots = vec![slot; count];
        for (id, global) in self.shader.globals.iter().filter(|(_, g)| g.storage == Storage::Output)
        {
            let per_vertex = self.shader.stage == Stage::TessControl && !is_per_patch(global);
            if per_vertex != vertex.is_some() {
                continue;
            }
            let element =
                if per_vertex { self.types.array_of(global.ty).map(|(e, _)| e) } else { None };
            let ty = element.unwrap_or(global.ty);
            let first = vertex.unwrap_or(0) * self.layout.component_count(ty);
            let value = &self.globals[id];
            for (c, source) in self.varying_components(global, ty).iter().enumerate() {
                let Some(source) = source else { continue };
                let Some(slot) = slots.get_mut(source.index) else { continue };
                store_slot(slot, source.component, source.scalar, value, first + c, self.lanes);
            }
        }
        slots
    }

    /// Returns for each slot of [`program::LinkedStage::outputs`] the components (bit n: component
    /// n) that vertices of a stream have.
    pub(crate) fn stream_components(&self, stream: u32) -> Vec<u8> {
        let count = self.program.stage(self.shader.stage).map_or(0, |s| s.outputs.len());
        let mut masks = vec![0; count];
        let of_stream =
            |g: &&Global| g.storage == Storage::Output && g.layout.stream.unwrap_or(0) == stream;
        for global in self.shader.globals.values().filter(of_stream) {
            for source in self.varying_components(global, global.ty).into_iter().flatten() {
                let halves = if source.scalar.bits() == 64 { 0b11 } else { 0b1 };
                if let Some(mask) = masks.get_mut(source.index) {
                    *mask |= halves << source.component;
                }
            }
        }
        masks
    }

    /// Returns the current fragment outputs.
    pub(crate) fn collect_fragment_outputs(&self) -> Vec<(FragmentOutput, Value)> {
        let mut outputs: Vec<(FragmentOutput, Value)> = Vec::new();
        for (id, global) in self.shader.globals.iter().filter(|(_, g)| g.storage == Storage::Output)
        {
            let Placement::FragmentOutput { output, component } = global.placement else {
                continue;
            };
            for (c, cell) in slot_components(self.types, global.ty, component).iter().enumerate() {
                let target = output_after(output, cell.slot);
                let index = match outputs.iter().position(|(o, _)| *o == target) {
                    Some(index) => index,
                    None => {
                        let mut slot = Value::undefined(4, self.lanes);
                        slot.make_narrow(false);
                        outputs.push((target, slot));
                        outputs.len() - 1
                    }
                };
                let slot = &mut outputs[index].1;
                store_slot(slot, cell.component, cell.scalar, &self.globals[id], c, self.lanes);
            }
        }
        outputs
    }
}

/// True if an interface variable of a tessellation stage belongs to the patch, not to its vertices.
fn is_per_patch(global: &Global) -> bool {
    let slot = match global.placement {
        Placement::Varying { slot, .. } => Some(slot),
        _ => None,
    };
    global.interpolation.patch || slot.is_some_and(program::Slot::is_per_patch)
}

/// Converts a slot's component to a value of at most 32 bits. Slots hold 16-bit values as `float`
/// or `int`.
fn bits_from_slot(ty: Scalar, bits: u64) -> u64 {
    match ty {
        Scalar::Bool => scalar::of_bool(bits != 0),
        Scalar::Float16 => scalar::of_f16(f32::from_bits(bits as u32).into()),
        _ => scalar::wrap(ty, bits),
    }
}

/// Converts a value to slot components; 64-bit values fill two.
fn bits_to_slot(ty: Scalar, bits: u64) -> u64 {
    match ty {
        Scalar::Float16 => u64::from((scalar::f16_of(bits) as f32).to_bits()),
        _ => bits,
    }
}

fn store_slot(
    slot: &mut Value,
    component: u8,
    ty: Scalar,
    value: &Value,
    from: usize,
    lanes: usize,
) {
    if ty != Scalar::Float16 && ty.bits() <= 32 && slot.is_narrow(4, false) {
        slot.copy_row(component.into(), value, from);
        return;
    }
    for lane in 0..lanes {
        let bits = bits_to_slot(ty, value.get(from, lane));
        let undefined = value.is_undefined(from, lane);
        let halves = if ty.bits() == 64 { 2 } else { 1 };
        for half in 0..halves {
            let at = (component + half) as usize;
            slot.set(at, lane, bits >> (32 * half) & 0xffff_ffff);
            if undefined {
                slot.mark_undefined(at, lane);
            }
        }
    }
}

/// Returns true if an input of a user has no output in the stage before: its value is undefined
/// (GLSL 4.10 section 4.3.4).
fn is_missing(producer: Option<&LinkedStage>, input: program::Slot) -> bool {
    matches!(input, program::Slot::Var(_) | program::Slot::Patch(_))
        && producer.is_some_and(|stage| stage.outputs.iter().all(|output| output.slot != input))
}

/// Returns the slot of a per-vertex built-in.
pub(crate) fn builtin_slot(builtin: program::BuiltinVariable) -> Option<program::Slot> {
    use program::{BuiltinVariable as B, Slot};
    Some(match builtin {
        B::Position => Slot::Position,
        B::PointSize => Slot::PointSize,
        B::ClipDistance | B::CullDistance => Slot::ClipDistance(0),
        B::ClipVertex => Slot::ClipVertex,
        B::FrontColor | B::Color => Slot::Color(0),
        B::FrontSecondaryColor | B::SecondaryColor => Slot::Color(1),
        B::BackColor => Slot::BackColor(0),
        B::BackSecondaryColor => Slot::BackColor(1),
        B::TexCoord => Slot::TexCoord(0),
        B::FogFragCoord => Slot::Fog,
        B::Layer => Slot::Layer,
        B::ViewportIndex => Slot::ViewportIndex,
        B::PrimitiveId => Slot::PrimitiveId,
        _ => return None,
    })
}

/// Slot component of an interface variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct VaryingComponent {
    /// Index in the stage's list of slots.
    pub(crate) index: usize,
    /// Component in the slot.
    pub(crate) component: u8,
    /// Component type.
    pub(crate) scalar: Scalar,
    /// True if the fragment stage interpolates it.
    pub(crate) interpolated: bool,
    /// Default location in the pixel.
    pub(crate) sample: SampleLocation,
}
