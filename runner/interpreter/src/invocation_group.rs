//! Group of invocations in execution: variables, masks, calls.

use cranelift_entity::SecondaryMap;
use program::resource::FragmentOutput;
use program::variable::SampleLocation;
use program::{
    Function, FunctionId, Global, GlobalId, LinkedStage, LocalId, Placement, Program, Scalar,
    Shader, Stage, Storage, Type, TypeId, TypeTable,
};
use rustc_hash::FxHashSet;

use crate::environment::{Environment, Error, InterpolateAt};
use crate::flat::{RowStack, Tapes};
use crate::lanes::{Mask, Value};
use crate::place::Place;
use crate::scalar;
use crate::scalar_layout::{
    ScalarLayout, SlotComponent, output_after, packs_elements, slot_after, slot_components,
};

/// Deepest nesting of expressions and statements, across calls: evaluation recurses through it.
const MAX_NESTING: usize = 4000;

/// Variables of one call.
#[derive(Debug, Default)]
pub(crate) struct CallFrame {
    locals: SecondaryMap<LocalId, Option<Value>>,
    aliases: SecondaryMap<LocalId, Option<Place>>,
    missing: Option<Value>,
}

impl CallFrame {
    /// Returns the value of a local, empty before its declaration.
    pub(crate) fn local(&self, id: LocalId) -> &Value {
        static EMPTY: std::sync::OnceLock<Value> = std::sync::OnceLock::new();
        self.locals[id]
            .as_ref()
            .or(self.missing.as_ref())
            .unwrap_or_else(|| EMPTY.get_or_init(|| Value::zero(0, 0)))
    }

    /// Returns the value of a local, for writing.
    pub(crate) fn local_mut(&mut self, id: LocalId) -> &mut Value {
        self.locals[id].get_or_insert_with(|| Value::zero(0, 0))
    }

    /// Sets the value of a local.
    pub(crate) fn define(&mut self, id: LocalId, value: Value) {
        self.locals[id] = Some(value);
    }

    /// Returns the place of the argument of an opaque parameter.
    pub(crate) fn alias(&self, id: LocalId) -> Option<&Place> {
        self.aliases[id].as_ref()
    }

    /// Binds an opaque parameter to a place.
    pub(crate) fn set_alias(&mut self, id: LocalId, place: Place) {
        self.aliases[id] = Some(place);
    }
}

/// Masks of lanes that left a loop or switch by a jump.
#[derive(Debug)]
pub(crate) struct LoopMasks {
    /// Lanes after `break`.
    pub(crate) broken: Mask,
    /// Lanes after `continue`; `None` for a switch.
    pub(crate) continued: Option<Mask>,
}

/// Invocations of one stage running in lockstep.
pub(crate) struct InvocationGroup<'a> {
    /// The program.
    pub(crate) program: &'a Program,
    /// Its types.
    pub(crate) types: &'a TypeTable,
    /// The stage's code.
    pub(crate) shader: &'a Shader,
    /// Component counts of all types.
    pub(crate) layout: &'a ScalarLayout,
    /// Types of globals that are arrays of blocks.
    pub(crate) block_array_types: FxHashSet<TypeId>,
    /// Environment.
    pub(crate) environment: &'a mut dyn Environment,
    /// Number of lanes.
    pub(crate) lanes: usize,
    /// Lanes executing now.
    pub(crate) active: Mask,
    /// Lanes that ran `discard` or `demote`.
    pub(crate) killed: Mask,
    /// Helper lanes of quads: their writes have no effect.
    pub(crate) helpers: Mask,
    /// Lanes whose control flow depended on an undefined value.
    pub(crate) undefined_control_flow: Mask,
    /// Lanes that wrote something undefined to memory.
    pub(crate) undefined_writes: Mask,
    /// Of each output slot the components with which some vertex was emitted undefined.
    pub(crate) emitted_undefined: Vec<u8>,
    /// Globals held by value.
    pub(crate) globals: SecondaryMap<GlobalId, Value>,
    /// Enclosing loops and switches, innermost last.
    pub(crate) loop_masks: Vec<LoopMasks>,
    /// Lanes that returned from the current call.
    pub(crate) returned: Mask,
    /// Return value of the current call.
    pub(crate) result: Option<Value>,
    /// Statements executed.
    pub(crate) steps: u64,
    /// Most statements that may be executed.
    pub(crate) limit: u64,
    /// Functions being executed, outermost first.
    pub(crate) functions: Vec<FunctionId>,
    pub(crate) frames: Vec<CallFrame>,
    /// Flat code of expressions, and the rows it works on.
    pub(crate) tapes: Tapes,
    pub(crate) rows: RowStack,
    /// Expressions and statements being executed, one inside the other.
    nesting: usize,
}

impl<'a> InvocationGroup<'a> {
    /// Creates a group that is ready to run a stage.
    pub(crate) fn new(
        program: &'a Program,
        shader: &'a Shader,
        layout: &'a ScalarLayout,
        environment: &'a mut dyn Environment,
        active: Mask,
        lanes: usize,
        limit: u64,
    ) -> InvocationGroup<'a> {
        let types = &program.types;
        let mut block_array_types = FxHashSet::default();
        for global in shader.globals.values().filter(|g| g.block.is_some()) {
            let mut ty = global.ty;
            while let Type::Array { element, .. } = *types.get(ty) {
                block_array_types.insert(ty);
                ty = element;
            }
        }
        InvocationGroup {
            program,
            types,
            shader,
            layout,
            block_array_types,
            environment,
            lanes,
            active,
            killed: Mask::none(lanes),
            helpers: Mask::none(lanes),
            undefined_control_flow: Mask::none(lanes),
            undefined_writes: Mask::none(lanes),
            emitted_undefined: Vec::new(),
            globals: SecondaryMap::with_default(Value::zero(0, lanes)),
            loop_masks: Vec::new(),
            returned: Mask::none(lanes),
            result: None,
            steps: 0,
            limit,
            functions: Vec::new(),
            frames: Vec::new(),
            tapes: Tapes::default(),
            rows: RowStack::default(),
            nesting: 0,
        }
    }

    /// Runs a recursive part of the execution.
    pub(crate) fn nested<T>(
        &mut self,
        part: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if self.nesting >= MAX_NESTING {
            return Err(Error::Nesting(MAX_NESTING));
        }
        self.nesting += 1;
        let result = part(self);
        self.nesting -= 1;
        result
    }

    /// Returns the variables of the current call.
    pub(crate) fn frame(&self) -> &CallFrame {
        static EMPTY: std::sync::OnceLock<CallFrame> = std::sync::OnceLock::new();
        self.frames.last().unwrap_or_else(|| EMPTY.get_or_init(CallFrame::default))
    }

    /// Returns the variables of the current call, for writing.
    pub(crate) fn frame_mut(&mut self) -> &mut CallFrame {
        if self.frames.is_empty() {
            self.frames.push(CallFrame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Runs `main` from global initializers to its end.
    pub(crate) fn run_main(&mut self) -> Result<(), Error> {
        let entry = self.shader.entry.ok_or(Error::Malformed("no entry point"))?;
        if self.shader.stage == Stage::Fragment {
            for lane in 0..self.lanes {
                let helper = self.environment.system_value(
                    program::BuiltinVariable::HelperInvocation,
                    0,
                    lane,
                );
                self.helpers.set(lane, helper != 0);
            }
        }
        self.frames.push(CallFrame::default());
        self.initialize_globals()?;
        self.frames.clear();
        self.functions.push(entry);
        self.call_body(entry, CallFrame::default())?;
        self.functions.pop();
        Ok(())
    }

    /// Evaluates the initializers of uniforms and stores their values.
    pub(crate) fn store_uniform_initializers(&mut self) -> Result<(), Error> {
        self.frames.push(CallFrame::default());
        self.initialize_globals()?;
        for (id, global) in self.shader.globals.iter() {
            if let (Storage::Uniform, Some(initializer)) = (global.storage, global.initializer) {
                let Some(placement) = self.uniform_placement(global) else { continue };
                let value = self.eval(initializer)?;
                let place = self.place_at(id, placement);
                self.store(&place, &value)?;
            }
        }
        self.frames.clear();
        Ok(())
    }

    /// Returns the placement of a uniform. A stage may initialize a uniform that only another stage
    /// uses.
    fn uniform_placement(&self, global: &Global) -> Option<Placement> {
        let same = |other: &&Global| {
            other.storage == Storage::Uniform
                && other.name == global.name
                && matches!(other.placement, Placement::Uniform { .. })
        };
        let all = self.program.stages.iter().flat_map(|stage| stage.shader.globals.values());
        std::iter::once(global).chain(all).find(same).map(|found| found.placement)
    }

    /// True if a lane's writes to memory and images have an effect.
    pub(crate) fn writes(&self, lane: usize) -> bool {
        !self.helpers.contains(lane) && !self.killed.contains(lane)
    }

    /// Runs a function's body in a prepared frame. Returns the frame, from which the caller copies
    /// out parameters.
    pub(crate) fn call_body(
        &mut self,
        id: FunctionId,
        frame: CallFrame,
    ) -> Result<(CallFrame, Option<Value>), Error> {
        let function: &'a Function = &self.shader.functions[id];
        let body =
            function.body.as_ref().ok_or(Error::Malformed("call of a function without body"))?;
        let components = self.layout.component_count(function.result);
        let result = (components > 0).then(|| Value::undefined(components, self.lanes));
        let outer_returned = std::mem::replace(&mut self.returned, Mask::none(self.lanes));
        let outer_result = std::mem::replace(&mut self.result, result);
        let outer_loop_masks = std::mem::take(&mut self.loop_masks);
        self.frames.push(frame);
        let outcome = self.statements(body);
        let frame = self.frames.pop().unwrap_or_default();
        self.loop_masks = outer_loop_masks;
        let returned = std::mem::replace(&mut self.returned, outer_returned);
        let result = std::mem::replace(&mut self.result, outer_result);
        outcome?;
        self.active = self.active.or(&returned);
        Ok((frame, result))
    }

    fn initialize_globals(&mut self) -> Result<(), Error> {
        for (id, global) in self.shader.globals.iter() {
            let value = match global.storage {
                Storage::Input => self.read_input(global),
                Storage::Private | Storage::Const | Storage::Output => match global.initializer {
                    Some(init) if global.storage != Storage::Output || global.active => {
                        self.eval(init)?
                    }
                    _ => Value::undefined(self.layout.component_count(global.ty), self.lanes),
                },
                Storage::Uniform | Storage::Buffer | Storage::Shared => continue,
            };
            self.globals[id] = value;
        }
        Ok(())
    }

    fn read_input(&mut self, global: &Global) -> Value {
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
        let mut scalars = Vec::new();
        crate::scalar_layout::scalars(self.types, global.ty, &mut scalars);
        let mut value = Value::zero(components, self.lanes);
        for (c, &ty) in scalars.iter().enumerate() {
            for lane in 0..self.lanes {
                let raw = self.environment.system_value(variable, c, lane);
                value.set(c, lane, scalar::wrap(ty, u64::from(raw)));
            }
        }
        value
    }

    /// Returns a variable of ARB_shader_ballot: all lanes (64 at most) are one subgroup.
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
        let vertices =
            if element.is_some() { self.layout.component_count(global.ty) / per_vertex } else { 1 };
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
                let first = component + self.first_distance(global.builtin);
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
                        let first = self.first_distance(m.builtin);
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
    fn first_distance(&self, builtin: Option<program::BuiltinVariable>) -> u8 {
        match (builtin, self.program.stage(self.shader.stage)) {
            (Some(program::BuiltinVariable::CullDistance), Some(stage)) => stage.clip_distances,
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

    /// Returns the lanes that share their outputs with a lane: the invocations of its patch in the
    /// tessellation control stage.
    pub(crate) fn patch_lanes(&self, lane: usize) -> std::ops::Range<usize> {
        let size = match self.shader.stage {
            Stage::TessControl => self.shader.layout.vertices.unwrap_or(1).max(1) as usize,
            _ => 1,
        };
        let first = lane / size * size;
        first..(first + size).min(self.lanes)
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
