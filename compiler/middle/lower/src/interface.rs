//! Stage inputs and outputs, and system values.

use ir::{Fields, IntrinsicOp, Location, Slot, Value};
use program::layout::varying_slots;
use program::resource::{FragmentOutput, Slot as ProgramSlot};
use program::variable::{InterpolationMode, SampleLocation};
use program::{
    BuiltinVariable as B, Global, GlobalId, Placement, Scalar, Stage, Storage as Qualifier, Type,
    TypeId, TypeTable,
};
use smallvec::SmallVec;
use vocabulary::SourceLine;

use crate::error::LowerError;
use crate::info;
use crate::lowerer::Lowerer;
use crate::place::{Base, Index, InputPlace, Place, builtin_slot};
use crate::value::Val;

/// Clip and cull distances together.
const MAX_DISTANCES: u32 = 8;

/// One scalar or vector of an interface variable and its slot.
#[derive(Clone, Copy, Debug)]
struct LeafSlot {
    slot: ProgramSlot,
    offset: u32,
    component: u8,
    scalar: Scalar,
    count: u8,
}

impl Lowerer<'_, '_> {
    /// Creates the storage of every global and runs initializers; inputs read once are read here.
    pub(crate) fn initialize_globals(&mut self) -> Result<(), LowerError> {
        let shader = self.shader;
        for (id, global) in shader.globals.iter() {
            match global.storage {
                Qualifier::Private | Qualifier::Const => {}
                Qualifier::Output if self.shader.stage == Stage::TessControl && global.active => {
                    continue;
                }
                Qualifier::Output => {}
                Qualifier::Input if self.is_copied_input(global) => {}
                _ => continue,
            }
            let storage = self.new_storage(global.ty, &global.name);
            self.globals[id] = Some(storage);
            let place = Place::new(Base::Variable(storage), global.ty);
            self.builder.line = self.declaration_line(global);
            if global.storage == Qualifier::Input {
                let value = self.read_input(global)?;
                self.store(&place, &value)?;
            } else if let Some(initializer) = global.initializer {
                let value = self.eval(initializer)?;
                self.store(&place, &value)?;
            }
        }
        Ok(())
    }

    /// The line of a global's declaration; none for those of the language.
    fn declaration_line(&self, global: &Global) -> SourceLine {
        let is_built_in = global.builtin.is_some();
        if is_built_in { SourceLine::NONE } else { self.shader.line(global.span) }
    }

    /// Returns true if an input is copied to a variable at the start: everything but per-vertex
    /// arrays and system values.
    fn is_copied_input(&self, global: &Global) -> bool {
        let arrayed =
            matches!(self.shader.stage, Stage::Geometry | Stage::TessControl | Stage::TessEval);
        let slots =
            matches!(global.placement, Placement::Varying { .. } | Placement::Attribute { .. });
        slots && global.active && (!arrayed || global.interpolation.patch)
    }

    fn read_input(&mut self, global: &Global) -> Result<Val, LowerError> {
        let mut leaves = self.leaf_slots(global, global.ty)?.into_iter();
        self.read_leaves(global, global.ty, &mut leaves)
    }

    fn read_leaves(
        &mut self,
        global: &Global,
        ty: TypeId,
        leaves: &mut impl Iterator<Item = LeafSlot>,
    ) -> Result<Val, LowerError> {
        let types = self.types;
        match types.get(ty) {
            Type::Struct(s) => {
                let members = s.members.iter().map(|m| self.read_leaves(global, m.ty, leaves));
                Ok(Val::List(members.collect::<Result<_, _>>()?))
            }
            Type::Array { .. } | Type::Matrix { .. } => {
                let (element, n) = self.element_of(ty)?;
                let elements = (0..n).map(|_| self.read_leaves(global, element, leaves));
                Ok(Val::List(elements.collect::<Result<_, _>>()?))
            }
            _ => {
                let leaf = leaves.next().ok_or(LowerError::Malformed("input without a slot"))?;
                Ok(self.read_leaf(global, leaf).into())
            }
        }
    }

    fn read_leaf(&mut self, global: &Global, leaf: LeafSlot) -> Value {
        let read = |l: &mut Self, offset: u32, component: u8, count: u8| match l.shader.stage {
            Stage::Vertex => {
                l.plain_input(info::attribute_slot(leaf_number(leaf) + offset), component, count)
            }
            _ => l.varying_input(global, leaf, offset, component, count),
        };
        self.join(leaf, read)
    }

    /// Puts a value together from 32-bit reads of (slot offset, component, count).
    fn join(
        &mut self,
        leaf: LeafSlot,
        mut read: impl FnMut(&mut Self, u32, u8, u8) -> Value,
    ) -> Value {
        if leaf.scalar.bits() != 64 {
            let value = read(self, leaf.offset, leaf.component, leaf.count);
            return self.unpack_slot(leaf.scalar, value);
        }
        let mut dwords = SmallVec::<[Value; 8]>::new();
        let (mut offset, mut component, mut left) = (leaf.offset, leaf.component, leaf.count * 2);
        while left > 0 {
            let count = left.min(4 - component);
            let part = read(self, offset, component, count);
            dwords.extend(self.builder.channels(part));
            (offset, component, left) = (offset + 1, 0, left - count);
        }
        let low: SmallVec<[Value; 4]> = dwords.iter().copied().step_by(2).collect();
        let high: SmallVec<[Value; 4]> = dwords.iter().copied().skip(1).step_by(2).collect();
        let (low, high) = (self.builder.vec(&low), self.builder.vec(&high));
        self.builder.pack_64_2x32_split(low, high)
    }

    /// Narrows 32-bit slot contents to the component type.
    pub(crate) fn unpack_slot(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Bool => self.builder.i2b(value),
            Scalar::Float16 => self.builder.f2f16(value),
            Scalar::Int8 | Scalar::Uint8 => self.builder.u2u8(value),
            Scalar::Int16 | Scalar::Uint16 => self.builder.u2u16(value),
            _ => value,
        }
    }

    fn pack_slot(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::Bool => self.builder.b2i32(value),
            Scalar::Float16 => self.builder.f2f32(value),
            Scalar::Int8 | Scalar::Int16 => self.builder.i2i32(value),
            Scalar::Uint8 | Scalar::Uint16 => self.builder.u2u32(value),
            _ => value,
        }
    }

    fn plain_input(&mut self, slot: Slot, component: u8, count: u8) -> Value {
        self.builder.load_input(slot, component, count)
    }

    fn varying_input(
        &mut self,
        global: &Global,
        leaf: LeafSlot,
        offset: u32,
        component: u8,
        count: u8,
    ) -> Value {
        let slot = info::slot(leaf.slot, offset);
        let integer = !matches!(leaf.scalar, Scalar::Float | Scalar::Float16);
        // Members of a block have qualifiers of their own; the linked slot has the one that counts.
        let linked = self.linked.inputs.iter().find(|v| info::slot(v.slot, 0) == slot);
        let interpolation = linked.map_or(global.interpolation, |v| v.interpolation);
        let mode = info::interpolation_mode(self.key, interpolation.mode, leaf.slot);
        if self.shader.stage != Stage::Fragment || integer || mode == InterpolationMode::Flat {
            return self.plain_input(slot, component, count);
        }
        let location = match interpolation.location {
            SampleLocation::Center => Location::Pixel,
            SampleLocation::Centroid => Location::Centroid,
            SampleLocation::Sample => Location::Sample,
        };
        let linear = mode == InterpolationMode::NoPerspective;
        let fields = Fields { location, linear, ..Fields::default() };
        let barycentric = self.builder.load(IntrinsicOp::LoadBarycentric, &[], fields, 32, 2);
        self.interpolated(barycentric, slot, component, count)
    }

    /// Reads an interpolated input at given barycentric coordinates.
    pub(crate) fn interpolated(
        &mut self,
        barycentric: Value,
        slot: Slot,
        component: u8,
        count: u8,
    ) -> Value {
        let zero = self.builder.imm(0);
        let fields = Fields { slot, component, ..Fields::default() };
        self.builder.load(
            IntrinsicOp::LoadInterpolatedInput,
            &[barycentric, zero],
            fields,
            32,
            count,
        )
    }

    /// Number of the first element of a variable whose elements are components of its slots.
    pub(crate) fn first_element(&self, global: &Global) -> u32 {
        match global.placement {
            Placement::Varying { component, .. } if global.packed => component.into(),
            _ => self.first_distance(global.storage, global.builtin),
        }
    }

    /// Cull distances follow the clip distances in their slots.
    pub(crate) fn first_distance(&self, storage: Qualifier, builtin: Option<B>) -> u32 {
        match builtin {
            Some(B::CullDistance) => self.linked.first_cull_distance(storage).into(),
            _ => 0,
        }
    }

    /// Every scalar and vector of a variable with its slot, in order.
    fn leaf_slots(&self, global: &Global, ty: TypeId) -> Result<Vec<LeafSlot>, LowerError> {
        let (slot, component) = match global.placement {
            Placement::Varying { slot, component } => {
                let first = self.first_distance(global.storage, global.builtin) as u8;
                (slot, component + first)
            }
            // Vertex inputs count dense slots; the stage distinguishes them.
            Placement::Attribute { first, component } => (ProgramSlot::Var(first as u8), component),
            Placement::FragmentOutput { component, .. } => (ProgramSlot::Var(0), component),
            _ => return Err(LowerError::Malformed("interface variable without slots")),
        };
        let packs = global.packed || packs_elements(slot);
        Ok(leaf_slots_of(self.types, ty, slot, component, packs))
    }

    /// Goes to an element of an interface array.
    pub(crate) fn input_element(
        &mut self,
        input: &mut InputPlace,
        ty: TypeId,
        element: TypeId,
        index: Index,
    ) -> Result<(), LowerError> {
        let global = &self.shader.globals[input.global];
        let arrayed = !global.interpolation.patch
            && !matches!(self.shader.stage, Stage::Vertex | Stage::Fragment);
        if arrayed && !input.vertex_taken && matches!(self.types.get(ty), Type::Array { .. }) {
            input.vertex = Some(self.index_value(index));
            input.vertex_taken = true;
            return Ok(());
        }
        let slot = input.slot.or(match global.placement {
            Placement::Varying { slot, .. } => Some(slot),
            _ => None,
        });
        if global.packed || slot.is_some_and(packs_elements) {
            let first = Index { constant: input.first, dynamic: None };
            input.element = Some(self.add_index(index, first));
            return Ok(());
        }
        let step = self.scale(index, varying_slots(self.types, element).max(1));
        input.offset = self.add_index(input.offset, step);
        Ok(())
    }

    pub(crate) fn input_slot(&self, input: &InputPlace) -> Result<(ProgramSlot, u8), LowerError> {
        if let Some(slot) = input.slot {
            return Ok((slot, 0));
        }
        match self.shader.globals[input.global].placement {
            Placement::Varying { slot, component } => Ok((slot, component)),
            _ => Err(LowerError::Malformed("interface variable without slots")),
        }
    }

    /// Reads a scalar or vector of an interface variable.
    pub(crate) fn load_input(&mut self, input: &InputPlace, ty: TypeId) -> Result<Val, LowerError> {
        let (slot, component) = self.input_slot(input)?;
        let scalar = self.types.scalar_of(ty).ok_or(LowerError::Malformed("opaque input"))?;
        let count = self.types.components(ty);
        let (extra, component, dynamic_component) = match input.element {
            Some(Index { constant, dynamic: None }) => (constant / 4, (constant % 4) as u8, None),
            Some(index) => (0, 0, Some(self.index_value(index))),
            None => (0, component, None),
        };
        let leaf =
            LeafSlot { slot, offset: input.offset.constant + extra, component, scalar, count };
        let output = self.shader.globals[input.global].storage == Qualifier::Output;
        let dynamic = input.offset.dynamic;
        let vertex = input.vertex;
        let read = |l: &mut Self, offset: u32, component: u8, count: u8| {
            let fields = Fields { slot: info::slot(slot, offset), component, ..Fields::default() };
            let offset = match dynamic {
                Some(value) => value,
                None => l.builder.imm(0),
            };
            match (vertex, output) {
                (Some(v), false) => {
                    l.builder.load(IntrinsicOp::LoadPerVertexInput, &[v, offset], fields, 32, count)
                }
                (Some(v), true) => l.builder.load(
                    IntrinsicOp::LoadPerVertexOutput,
                    &[v, offset],
                    fields,
                    32,
                    count,
                ),
                (None, false) => {
                    l.builder.load(IntrinsicOp::LoadInput, &[offset], fields, 32, count)
                }
                (None, true) => {
                    l.builder.load(IntrinsicOp::LoadOutput, &[offset], fields, 32, count)
                }
            }
        };
        let Some(component) = dynamic_component else { return Ok(self.join(leaf, read).into()) };
        // A computed element of a packed array: read both slots it may be in.
        let mut all = SmallVec::<[Value; 8]>::new();
        for offset in 0..2 {
            let part = read(self, leaf.offset + offset, 0, 4);
            all.extend(self.builder.channels(part));
        }
        let mut result = all[7];
        for (i, value) in all.iter().enumerate().take(7).rev() {
            let number = self.builder.imm(i as u32);
            let hit = self.builder.ieq(component, number);
            result = self.builder.bcsel(hit, *value, result);
        }
        Ok(result.into())
    }

    /// Writes an output of the control stage, which other invocations can read.
    pub(crate) fn store_control_output(
        &mut self,
        input: &InputPlace,
        ty: TypeId,
        value: Value,
        mask: u8,
    ) -> Result<(), LowerError> {
        let (slot, component) = self.input_slot(input)?;
        let scalar = self.types.scalar_of(ty).ok_or(LowerError::Malformed("opaque output"))?;
        let (extra, component) = match input.element {
            Some(Index { constant, dynamic: None }) => (constant / 4, (constant % 4) as u8),
            Some(element) => return self.store_computed_element(input, element, ty, value, mask),
            None => (0, component),
        };
        let leaf = LeafSlot {
            slot,
            offset: input.offset.constant + extra,
            component,
            scalar,
            count: self.types.components(ty),
        };
        for (offset, component, part, part_mask) in self.split(leaf, value, mask) {
            let fields = Fields {
                slot: info::slot(slot, offset),
                component,
                write_mask: part_mask,
                ..Fields::default()
            };
            let offset = match input.offset.dynamic {
                Some(value) => value,
                None => self.builder.imm(0),
            };
            match input.vertex {
                Some(v) => self.builder.intrinsic(
                    IntrinsicOp::StorePerVertexOutput,
                    &[part, v, offset],
                    fields,
                    None,
                ),
                None => {
                    self.builder.intrinsic(IntrinsicOp::StoreOutput, &[part, offset], fields, None)
                }
            };
        }
        Ok(())
    }

    /// Writes a tessellation level or distance whose number is only known at run time: each in a
    /// branch of its own, and nothing when there is no such element.
    fn store_computed_element(
        &mut self,
        input: &InputPlace,
        element: Index,
        ty: TypeId,
        value: Value,
        mask: u8,
    ) -> Result<(), LowerError> {
        let count = match self.input_slot(input)?.0 {
            ProgramSlot::TessLevelInner => 2,
            ProgramSlot::TessLevelOuter => 4,
            _ => MAX_DISTANCES,
        };
        let number = self.index_value(element);
        for constant in 0..count {
            self.check_nesting()?;
            let this = self.builder.imm(constant);
            let hit = self.builder.ieq(number, this);
            self.builder.push_if(hit);
            let place =
                InputPlace { element: Some(Index { constant, dynamic: None }), ..input.clone() };
            self.store_control_output(&place, ty, value, mask)?;
            self.builder.pop_if();
        }
        Ok(())
    }

    /// Cuts a value into 32-bit writes of (slot offset, component, value, mask).
    fn split(&mut self, leaf: LeafSlot, value: Value, mask: u8) -> Vec<(u32, u8, Value, u8)> {
        if leaf.scalar.bits() != 64 {
            let value = self.pack_slot(leaf.scalar, value);
            return vec![(leaf.offset, leaf.component, value, mask)];
        }
        let low = self.builder.unpack_64_2x32_split_x(value);
        let high = self.builder.unpack_64_2x32_split_y(value);
        let mut dwords = SmallVec::<[Value; 8]>::new();
        for c in 0..leaf.count {
            dwords.push(self.builder.channel(low, c));
            dwords.push(self.builder.channel(high, c));
        }
        let wide: u32 =
            (0..leaf.count).filter(|c| mask & 1 << c != 0).map(|c| 3u32 << (2 * c)).sum();
        let mut parts = Vec::new();
        let (mut offset, mut component, mut first) = (leaf.offset, leaf.component, 0usize);
        while first < dwords.len() {
            let count = (dwords.len() - first).min(usize::from(4 - component));
            let part_mask = (wide >> first) as u8 & ((1 << count) - 1);
            if part_mask != 0 {
                let part = self.builder.vec(&dwords[first..first + count]);
                parts.push((offset, component, part, part_mask));
            }
            (offset, component, first) = (offset + 1, 0, first + count);
        }
        parts
    }

    /// Writes every output variable to its slots: at the end of `main`, or at a vertex's emission.
    pub(crate) fn store_outputs(&mut self) -> Result<(), LowerError> {
        let shader = self.shader;
        if shader.stage == Stage::Geometry && self.builder.is_terminated() {
            return Ok(());
        }
        self.store_outputs_of_stream(None)
    }

    /// As [`Self::store_outputs`], for one geometry stream.
    pub(crate) fn store_outputs_of_stream(
        &mut self,
        stream: Option<u32>,
    ) -> Result<(), LowerError> {
        let shader = self.shader;
        if shader.stage == Stage::TessControl
            || (shader.stage == Stage::Geometry && stream.is_none())
        {
            return Ok(());
        }
        for (id, global) in
            shader.globals.iter().filter(|(_, g)| g.storage == Qualifier::Output && g.active)
        {
            let Some(storage) = self.globals[id] else { continue };
            if stream.is_some_and(|s| global.layout.stream.unwrap_or(0) != s) {
                continue;
            }
            let place = Place::new(Base::Variable(storage), global.ty);
            if stream.is_none() {
                self.builder.line = self.declaration_line(global);
            }
            match global.placement {
                Placement::Varying { .. } => {
                    let leaves = self.leaf_slots(global, global.ty)?;
                    self.store_leaves(&place, &leaves, |leaf, offset| {
                        info::slot(leaf.slot, offset)
                    })?;
                }
                Placement::PerMember => self.store_members(&place, global.ty)?,
                Placement::FragmentOutput { output, .. } => {
                    self.store_fragment_output(&place, global, output)?
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn store_members(&mut self, place: &Place, ty: TypeId) -> Result<(), LowerError> {
        let members =
            self.types.members(ty).ok_or(LowerError::Malformed("block without members"))?;
        let parts = self.parts(place)?.ok_or(LowerError::Malformed("block without members"))?;
        for (member, part) in members.iter().zip(parts) {
            let Some(slot) = member.builtin.and_then(builtin_slot) else { continue };
            let written = self.linked.outputs.iter().any(|o| o.slot == slot);
            if written {
                let first = self.first_distance(Qualifier::Output, member.builtin) as u8;
                let packs = packs_elements(slot);
                let leaves = leaf_slots_of(self.types, member.ty, slot, first, packs);
                self.store_leaves(&part, &leaves, |leaf, offset| info::slot(leaf.slot, offset))?;
            }
        }
        Ok(())
    }

    fn store_leaves(
        &mut self,
        place: &Place,
        leaves: &[LeafSlot],
        slot_of: impl Fn(LeafSlot, u32) -> Slot,
    ) -> Result<(), LowerError> {
        let values = self.load(place)?.leaves();
        let zero = self.builder.imm(0);
        for (&leaf, value) in leaves.iter().zip(values) {
            let mask = (1u8 << leaf.count) - 1;
            for (offset, component, part, write_mask) in self.split(leaf, value, mask) {
                let fields = Fields {
                    slot: slot_of(leaf, offset),
                    component,
                    write_mask,
                    ..Fields::default()
                };
                self.builder.intrinsic(IntrinsicOp::StoreOutput, &[part, zero], fields, None);
            }
        }
        Ok(())
    }

    fn store_fragment_output(
        &mut self,
        place: &Place,
        global: &Global,
        output: FragmentOutput,
    ) -> Result<(), LowerError> {
        let leaves = self.leaf_slots(global, global.ty)?;
        match output {
            FragmentOutput::AllColors => {
                // At least one write: it also ends the thread.
                for location in 0..self.key.targets.len().max(1) as u8 {
                    self.store_leaves(place, &leaves, |_, _| Slot::FragColor {
                        location,
                        index: 0,
                    })?;
                }
                Ok(())
            }
            FragmentOutput::Color { location, index } => {
                self.store_leaves(place, &leaves, |_, offset| Slot::FragColor {
                    location: location.saturating_add(offset as u8),
                    index,
                })
            }
            FragmentOutput::Depth => self.store_leaves(place, &leaves, |_, _| Slot::FragDepth),
            FragmentOutput::Stencil => self.store_leaves(place, &leaves, |_, _| Slot::FragStencil),
            FragmentOutput::SampleMask => {
                self.store_leaves(place, &leaves[..1], |_, _| Slot::FragSampleMask)
            }
        }
    }

    /// Reads a system value.
    pub(crate) fn load_system(&mut self, id: GlobalId, ty: TypeId) -> Result<Val, LowerError> {
        let global = &self.shader.globals[id];
        let variable =
            global.builtin.ok_or(LowerError::Malformed("system value without a name"))?;
        let op = match variable {
            B::VertexId => IntrinsicOp::VertexId,
            B::InstanceId => IntrinsicOp::InstanceId,
            B::BaseVertex => IntrinsicOp::BaseVertex,
            B::BaseInstance => IntrinsicOp::BaseInstance,
            B::DrawId => IntrinsicOp::DrawId,
            B::FrontFacing => IntrinsicOp::FrontFace,
            B::FragCoord => IntrinsicOp::FragCoord,
            B::PointCoord => IntrinsicOp::PointCoord,
            B::SampleId => IntrinsicOp::SampleId,
            B::SamplePosition => IntrinsicOp::SamplePos,
            B::SampleMaskIn => IntrinsicOp::SampleMaskIn,
            B::NumSamples => IntrinsicOp::NumSamples,
            B::HelperInvocation => IntrinsicOp::HelperInvocation,
            B::PrimitiveId | B::PrimitiveIdIn if self.shader.stage == Stage::Fragment => {
                return Ok(self.plain_input(Slot::PrimitiveId, 0, 1).into());
            }
            B::PrimitiveId | B::PrimitiveIdIn => IntrinsicOp::PrimitiveId,
            B::Layer => return Ok(self.plain_input(Slot::Layer, 0, 1).into()),
            B::ViewportIndex => return Ok(self.plain_input(Slot::Viewport, 0, 1).into()),
            B::InvocationId => IntrinsicOp::InvocationId,
            B::PatchVerticesIn => IntrinsicOp::PatchVerticesIn,
            B::TessCoord => IntrinsicOp::TessCoord,
            B::TessLevelOuter => IntrinsicOp::TessLevelOuter,
            B::TessLevelInner => IntrinsicOp::TessLevelInner,
            B::WorkGroupId => IntrinsicOp::WorkgroupId,
            B::NumWorkGroups => IntrinsicOp::NumWorkgroups,
            B::LocalInvocationId => IntrinsicOp::LocalInvocationId,
            B::LocalInvocationIndex => IntrinsicOp::LocalInvocationIndex,
            B::LocalGroupSize => IntrinsicOp::WorkgroupSize,
            B::SubGroupSize => IntrinsicOp::SubgroupSize,
            B::SubGroupInvocation => IntrinsicOp::SubgroupInvocation,
            B::SubGroupEqMask
            | B::SubGroupGeMask
            | B::SubGroupGtMask
            | B::SubGroupLeMask
            | B::SubGroupLtMask => {
                return Ok(self.subgroup_mask(variable).into());
            }
            B::WorkGroupSize => {
                let size = self.stage_layout().local_size.unwrap_or([1; 3]);
                return Ok(self.builder.constant(32, &size.map(u64::from)).into());
            }
            B::GlobalInvocationId => return Ok(self.global_invocation_id().into()),
            other => return Err(LowerError::Unsupported(other.name())),
        };
        let mut value = self.builder.system_value(op);
        if variable == B::FragCoord && self.key.samples > 1 && self.linked.shades_samples() {
            value = self.moved_to_sample(value);
        }
        if variable == B::FragCoord && self.key.upper_left_height > 0 {
            value = self.measured_from_top(value, global.layout.pixel_center_integer);
        }
        Ok(match self.types.get(ty) {
            // gl_SampleMaskIn, gl_TessLevel*: one component per element.
            Type::Array { .. } => {
                Val::List(self.builder.channels(value).into_iter().map(Val::Leaf).collect())
            }
            _ => value.into(),
        })
    }

    /// Window coordinates of the sample that the invocation runs for (OpenGL 4.6, section 14.6.2;
    /// Vulkan 1.3, section 15.9.1).
    fn moved_to_sample(&mut self, coord: Value) -> Value {
        let mut channels = self.builder.channels(coord);
        let position = self.builder.system_value(IntrinsicOp::SamplePos);
        let position = self.builder.channels(position);
        let half = self.builder.constant(32, &[(-0.5f32).to_bits().into()]);
        for (channel, position) in channels.iter_mut().zip(position) {
            let from_center = self.builder.fadd(position, half);
            *channel = self.builder.fadd(*channel, from_center);
        }
        self.builder.vec(&channels)
    }

    /// Window coordinates counted from the upper left corner: y becomes the height less y, less one
    /// when pixel centers are integers.
    fn measured_from_top(&mut self, coord: Value, integer_centers: bool) -> Value {
        let top = self.key.upper_left_height as f32 - if integer_centers { 1.0 } else { 0.0 };
        let mut channels = self.builder.channels(coord);
        let top = self.builder.constant(32, &[top.to_bits().into()]);
        let down = self.builder.fneg(channels[1]);
        channels[1] = self.builder.fadd(top, down);
        self.builder.vec(&channels)
    }

    /// The invocations of the subgroup whose numbers compare with this one's as the variable's name
    /// says.
    fn subgroup_mask(&mut self, variable: program::BuiltinVariable) -> Value {
        use program::BuiltinVariable as B;
        let number = self.builder.system_value(IntrinsicOp::SubgroupInvocation);
        let one = self.builder.iconst(64, 1);
        let own = self.builder.ishl(one, number);
        if variable == B::SubGroupEqMask {
            return own;
        }
        let minus_one = self.builder.iconst(64, -1);
        let below = self.builder.iadd(own, minus_one);
        let up_to = self.builder.ior(below, own);
        let excluded = match variable {
            B::SubGroupLtMask => return below,
            B::SubGroupLeMask => return up_to,
            B::SubGroupGtMask => up_to,
            _ => below,
        };
        let size = self.builder.system_value(IntrinsicOp::SubgroupSize);
        let bits = self.builder.imm(64);
        let unused = self.builder.isub(bits, size);
        let all = self.builder.ushr(minus_one, unused);
        let rest = self.builder.inot(excluded);
        self.builder.iand(all, rest)
    }

    fn global_invocation_id(&mut self) -> Value {
        let group = self.builder.system_value(IntrinsicOp::WorkgroupId);
        let size = match self.stage_layout().local_size {
            Some(size) if !self.stage_layout().local_size_variable => {
                self.builder.constant(32, &size.map(u64::from))
            }
            _ => self.builder.system_value(IntrinsicOp::WorkgroupSize),
        };
        let local = self.builder.system_value(IntrinsicOp::LocalInvocationId);
        let first = self.builder.imul(group, size);
        self.builder.iadd(first, local)
    }
}

fn leaf_number(leaf: LeafSlot) -> u32 {
    match leaf.slot {
        ProgramSlot::Var(n) => n.into(),
        _ => 0,
    }
}

/// Every scalar and vector of a type with its slot; `packs`: they are single components that follow
/// one another.
fn leaf_slots_of(
    types: &TypeTable,
    ty: TypeId,
    slot: ProgramSlot,
    component: u8,
    packs: bool,
) -> Vec<LeafSlot> {
    let mut out = Vec::new();
    collect_leaf_slots(types, ty, slot, component, &mut 0, &mut out);
    if packs {
        for (i, leaf) in out.iter_mut().enumerate() {
            let i = i + usize::from(component);
            (leaf.offset, leaf.component) = (i as u32 / 4, (i % 4) as u8);
        }
    }
    out
}

fn collect_leaf_slots(
    types: &TypeTable,
    ty: TypeId,
    slot: ProgramSlot,
    component: u8,
    next: &mut u32,
    out: &mut Vec<LeafSlot>,
) {
    let mut leaf = |scalar: Scalar, count: u8| {
        out.push(LeafSlot { slot, offset: *next, component, scalar, count });
        let dwords = component + count * if scalar.bits() == 64 { 2 } else { 1 };
        *next += u32::from(dwords).div_ceil(4).max(1);
    };
    match types.get(ty) {
        Type::Scalar(scalar) => leaf(*scalar, 1),
        Type::Vector { scalar, size } => leaf(*scalar, *size),
        Type::Matrix { scalar, columns, rows } => (0..*columns).for_each(|_| leaf(*scalar, *rows)),
        Type::Struct(s) => s
            .members
            .iter()
            .for_each(|m| collect_leaf_slots(types, m.ty, slot, component, next, out)),
        Type::Array { element, length: program::ArrayLength::Fixed(n) } => {
            (0..*n).for_each(|_| collect_leaf_slots(types, *element, slot, component, next, out));
        }
        _ => {}
    }
}

/// Returns true if array elements at this slot are its components.
fn packs_elements(slot: ProgramSlot) -> bool {
    matches!(
        slot,
        ProgramSlot::ClipDistance(_) | ProgramSlot::TessLevelOuter | ProgramSlot::TessLevelInner
    )
}
