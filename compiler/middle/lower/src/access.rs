//! Accesses to places: reads, writes, addresses.

use ir::Value;
use program::expression::SwizzleMask;
use program::layout::{OpaqueKind, Rules, opaque_slots};
use program::types::MatrixOrder;
use program::{
    ArrayLength, ExprId, ExprKind, GlobalId, Placement, Scalar, Stage, Storage as Qualifier, Type,
    TypeId,
};
use smallvec::SmallVec;

use crate::error::LowerError;
use crate::lowerer::{Binding, Lowerer};
use crate::place::{Base, Index, InputPlace, MemoryPlace, Place, Space, blocks_in};
use crate::storage::{Storage, StorageId};
use crate::value::Val;

impl Lowerer<'_, '_> {
    /// index × n.
    pub(crate) fn scale(&mut self, index: Index, n: u32) -> Index {
        let dynamic = index.dynamic.map(|d| {
            if n == 1 {
                return d;
            }
            let factor = self.builder.imm(n);
            self.builder.imul(d, factor)
        });
        Index { constant: index.constant.wrapping_mul(n), dynamic }
    }

    /// a + b.
    pub(crate) fn add_index(&mut self, a: Index, b: Index) -> Index {
        let dynamic = match (a.dynamic, b.dynamic) {
            (Some(x), Some(y)) => Some(self.builder.iadd(x, y)),
            (x, y) => x.or(y),
        };
        Index { constant: a.constant.wrapping_add(b.constant), dynamic }
    }

    /// The whole index as an SSA value.
    pub(crate) fn index_value(&mut self, index: Index) -> Value {
        match index.dynamic {
            None => self.builder.imm(index.constant),
            Some(d) if index.constant == 0 => d,
            Some(d) => {
                let constant = self.builder.imm(index.constant);
                self.builder.iadd(d, constant)
            }
        }
    }

    /// Evaluates an index expression; literals stay constants.
    pub(crate) fn eval_index(&mut self, id: ExprId) -> Result<Index, LowerError> {
        let value = self.eval(id)?.leaf()?;
        Ok(match self.builder.shader.as_const_u64(value) {
            Some(constant) => Index { constant: constant as u32, dynamic: None },
            None => Index { constant: 0, dynamic: Some(value) },
        })
    }

    /// The place an expression denotes; `None` when it is a plain value.
    pub(crate) fn place(&mut self, id: ExprId) -> Result<Option<Place>, LowerError> {
        let shader = self.shader;
        match &shader.exprs[id].kind {
            ExprKind::Local(local) => {
                let binding = self.frame()?.locals[*local].clone();
                Ok(Some(match binding {
                    Some(Binding::Alias(place)) => place,
                    Some(Binding::Variable(storage)) => {
                        Place::new(Base::Variable(storage), self.expr_type(id))
                    }
                    None => {
                        let ty = self.expr_type(id);
                        let storage = self.new_storage(ty, "undeclared");
                        self.frame()?.locals[*local] = Some(Binding::Variable(storage));
                        Place::new(Base::Variable(storage), ty)
                    }
                }))
            }
            ExprKind::Global(global) => Ok(Some(self.global_place(*global))),
            ExprKind::Member { base, member } => {
                let Some(mut place) = self.place(*base)? else { return Ok(None) };
                self.member_place(&mut place, *member)?;
                Ok(Some(place))
            }
            ExprKind::Index { base, index } => {
                let Some(mut place) = self.place(*base)? else { return Ok(None) };
                let index = self.eval_index(*index)?;
                self.element_place(&mut place, index)?;
                Ok(Some(place))
            }
            ExprKind::Swizzle { base, components } => {
                let Some(mut place) = self.place(*base)? else { return Ok(None) };
                place.swizzle = Some(compose(place.swizzle.as_deref(), components));
                Ok(Some(place))
            }
            _ => Ok(None),
        }
    }

    /// The place of an interpolant in the stage's input slots, where [`Lowerer::place`] gives a
    /// copy of the interpolated value.
    pub(crate) fn interpolant(&mut self, id: ExprId) -> Result<Place, LowerError> {
        let shader = self.shader;
        match &shader.exprs[id].kind {
            &ExprKind::Global(global) => {
                // System values have no slots.
                let placement = shader.globals[global].placement;
                if !matches!(placement, Placement::Varying { .. } | Placement::PerMember) {
                    return Ok(self.global_place(global));
                }
                let first = self.first_element(&shader.globals[global]);
                Ok(Place::new(Base::Input(InputPlace::new(global, first)), self.expr_type(id)))
            }
            ExprKind::Member { base, member } => {
                let mut place = self.interpolant(*base)?;
                self.member_place(&mut place, *member)?;
                Ok(place)
            }
            ExprKind::Index { base, index } => {
                let mut place = self.interpolant(*base)?;
                let index = self.eval_index(*index)?;
                self.element_place(&mut place, index)?;
                Ok(place)
            }
            ExprKind::Swizzle { base, components } => {
                let mut place = self.interpolant(*base)?;
                place.swizzle = Some(compose(place.swizzle.as_deref(), components));
                Ok(place)
            }
            _ => Err(LowerError::Malformed("interpolant is not an input")),
        }
    }

    fn global_place(&mut self, id: GlobalId) -> Place {
        let global = &self.shader.globals[id];
        let ty = global.ty;
        if let Some(storage) = self.globals[id] {
            return Place::new(Base::Variable(storage), ty);
        }
        let first = self.first_element(global);
        let rules = global.block.as_ref().map_or(Rules::Std140, |b| b.packing.into());
        // A block's own order is already in its members; structures inside inherit from those.
        let order = MatrixOrder::ColumnMajor;
        let memory = |space, offset| {
            let mut base = MemoryPlace::new(space, rules, order, global.memory);
            base.block_dimensions =
                if global.block.is_some() { array_dimensions(self.types, ty) } else { 0 };
            Place {
                index: Index { constant: offset, dynamic: None },
                ..Place::new(Base::Memory(base), ty)
            }
        };
        let at = |constant: u32| Index { constant, dynamic: None };
        match global.placement {
            Placement::Uniform { offset, sampler, image } if self.types.contains_opaque(ty) => {
                Place {
                    index: at(sampler.into()),
                    ..Place::new(Base::Opaque { image: at(image.into()), bytes: at(offset) }, ty)
                }
            }
            Placement::Uniform { offset, .. } => memory(Space::Uniform(at(0)), offset),
            Placement::UniformBlock { index } => {
                memory(Space::Uniform(at(u32::from(index) + 1)), 0)
            }
            Placement::StorageBlock { index } => memory(Space::Storage(at(index.into())), 0),
            Placement::Shared { offset } => {
                let rules = global.block.as_ref().map_or(Rules::Std430, |b| b.packing.into());
                let base = MemoryPlace::new(Space::Shared, rules, order, global.memory);
                Place { index: at(offset), ..Place::new(Base::Memory(base), ty) }
            }
            Placement::AtomicCounter { binding, offset } => {
                let base = MemoryPlace::new(
                    Space::Counter(binding.into()),
                    Rules::Std430,
                    order,
                    global.memory,
                );
                Place { index: at(offset), ..Place::new(Base::Memory(base), ty) }
            }
            // The index of the chosen function is a `uint` in the default block.
            Placement::Subroutine { offset, .. } => memory(Space::Uniform(at(0)), offset),
            Placement::System => Place::new(Base::System(id), ty),
            _ if global.storage == Qualifier::Input => {
                Place::new(Base::Input(InputPlace::new(id, first)), ty)
            }
            _ if global.storage == Qualifier::Output && self.shader.stage == Stage::TessControl => {
                Place::new(Base::Input(InputPlace::new(id, first)), ty)
            }
            _ => {
                // An interface variable without a place (inactive): a variable of its own.
                let storage = self.new_storage(ty, &global.name);
                self.globals[id] = Some(storage);
                Place::new(Base::Variable(storage), ty)
            }
        }
    }

    fn member_place(&mut self, place: &mut Place, member: u32) -> Result<(), LowerError> {
        let types = self.types;
        let members =
            types.members(place.ty).ok_or(LowerError::Malformed("member of a non-structure"))?;
        let target = members.get(member as usize).ok_or(LowerError::Malformed("no such member"))?;
        let before = &members[..member as usize];
        match &mut place.base {
            Base::Variable(storage) => match self.storages.get(*storage) {
                Storage::Members(list) => *storage = list[member as usize],
                Storage::Leaf { .. } => {
                    return Err(LowerError::Malformed("member of a vector variable"));
                }
            },
            Base::Memory(memory) => {
                let offset = memory
                    .rules
                    .member_offset(types, place.ty, member, memory.order)
                    .ok_or(LowerError::Malformed("no such member"))?;
                memory.order = target.order.or(memory.order);
                memory.rules = memory.rules.of_member(types, member);
                place.index.constant = place.index.constant.wrapping_add(offset);
            }
            Base::Input(input) => {
                let storage = self.shader.globals[input.global].storage;
                let first = self.first_distance(storage, target.builtin);
                input.select_member(types, target, before, first);
            }
            Base::System(_) => return Err(LowerError::Malformed("member of a system value")),
            Base::Opaque { image, bytes } => {
                let skip =
                    |kind| before.iter().map(|m| opaque_slots(types, m.ty, kind)).sum::<u32>();
                place.index.constant += skip(OpaqueKind::Sampler);
                image.constant += skip(OpaqueKind::Image);
                bytes.constant += Rules::Std140
                    .member_offset(types, place.ty, member, MatrixOrder::ColumnMajor)
                    .ok_or(LowerError::Malformed("no such member"))?;
                if !types.contains_opaque(target.ty) {
                    place.index = *bytes;
                    let space = Space::Uniform(Index::default());
                    let order = MatrixOrder::ColumnMajor;
                    place.base = Base::Memory(MemoryPlace::new(
                        space,
                        Rules::Std140,
                        order,
                        Default::default(),
                    ));
                }
            }
        }
        place.ty = target.ty;
        Ok(())
    }

    /// Goes to an array element, a matrix column or a vector component.
    pub(crate) fn element_place(
        &mut self,
        place: &mut Place,
        index: Index,
    ) -> Result<(), LowerError> {
        let types = self.types;
        if place.swizzle.is_some() || matches!(types.get(place.ty), Type::Vector { .. }) {
            return self.component_place(place, index);
        }
        let (element, length) = self.element_of(place.ty)?;
        match place.base.clone() {
            Base::Variable(_) => {
                let scaled = self.scale(place.index, length);
                place.index = self.add_index(scaled, index);
            }
            Base::Memory(mut memory) => {
                if memory.enter_block_array() {
                    let inner = blocks_in(types, element);
                    let step = self.scale(index, inner);
                    let block = memory.block();
                    let block = block.ok_or(LowerError::Malformed("array of blocks elsewhere"))?;
                    let block = self.add_index(block, step);
                    memory.set_block(block);
                } else {
                    let step = memory.step(types, place.ty, element);
                    let offset = self.scale(index, step);
                    place.index = self.add_index(place.index, offset);
                    memory.enter_part(types, place.ty);
                }
                place.base = Base::Memory(memory);
            }
            Base::Input(mut input) => {
                self.input_element(&mut input, place.ty, element, index)?;
                place.base = Base::Input(input);
            }
            Base::System(_) => {
                // Arrays of system values are one element, or read whole and indexed afterwards.
                place.component = match index.dynamic {
                    Some(d) => Some(d),
                    None => {
                        place.swizzle = Some(SmallVec::from_slice(&[index.constant as u8]));
                        None
                    }
                };
            }
            Base::Opaque { image, bytes } => {
                let index = self.inside_images(place.ty, index);
                let samplers = opaque_slots(types, element, OpaqueKind::Sampler);
                let step = self.scale(index, samplers);
                place.index = self.add_index(place.index, step);
                let step = self.scale(index, opaque_slots(types, element, OpaqueKind::Image));
                let image = self.add_index(image, step);
                let stride = Rules::Std140.array_stride(types, element, MatrixOrder::ColumnMajor);
                let step = self.scale(index, stride);
                let bytes = self.add_index(bytes, step);
                place.base = Base::Opaque { image, bytes };
            }
        }
        place.ty = element;
        Ok(())
    }

    /// A computed index of an array of images, kept inside: access to an invalid surface can hang
    /// the hardware, and OpenGL promises (4.6 section 7.10) that a wrong index at least does not
    /// end the program.
    fn inside_images(&mut self, array: TypeId, index: Index) -> Index {
        match *self.types.get(array) {
            Type::Array { length: ArrayLength::Fixed(length), .. }
                if index.dynamic.is_some()
                    && opaque_slots(self.types, array, OpaqueKind::Image) > 0 =>
            {
                let (value, last) =
                    (self.index_value(index), self.builder.imm(length.saturating_sub(1)));
                Index { constant: 0, dynamic: Some(self.builder.umin(value, last)) }
            }
            _ => index,
        }
    }

    fn component_place(&mut self, place: &mut Place, index: Index) -> Result<(), LowerError> {
        match index.dynamic {
            None => {
                let last = self.types.components(place.ty).saturating_sub(1);
                let mask = SwizzleMask::new(&[(index.constant as u8).min(last)]);
                place.swizzle = Some(compose(place.swizzle.as_deref(), &mask));
            }
            Some(_) => place.component = Some(self.index_value(index)),
        }
        Ok(())
    }

    /// Element type of an array or matrix and the number of elements (0 when runtime-sized).
    pub(crate) fn element_of(&self, ty: TypeId) -> Result<(TypeId, u32), LowerError> {
        match *self.types.get(ty) {
            Type::Array { element, length } => {
                Ok((element, if let ArrayLength::Fixed(n) = length { n } else { 0 }))
            }
            Type::Matrix { scalar, columns, rows } => {
                let column = self.types.find(&Type::Vector { scalar, size: rows });
                let column =
                    column.ok_or(LowerError::Malformed("matrix column type is not interned"))?;
                Ok((column, columns.into()))
            }
            _ => Err(LowerError::Malformed("indexing a type without elements")),
        }
    }

    /// Reads a place.
    pub(crate) fn load(&mut self, place: &Place) -> Result<Val, LowerError> {
        let whole = self.load_whole(place)?;
        let mut value = match &whole {
            Val::Leaf(value) => *value,
            Val::List(_) => return Ok(whole),
        };
        if let Some(swizzle) = &place.swizzle {
            value = self.builder.swizzle(value, swizzle);
        }
        if let Some(component) = place.component {
            value = self.builder.extract_dynamic(value, component);
        }
        Ok(value.into())
    }

    fn load_whole(&mut self, place: &Place) -> Result<Val, LowerError> {
        match &place.base {
            Base::System(global) => return self.load_system(*global, place.ty),
            Base::Opaque { image, .. } if !self.is_aggregate(place.ty) => {
                let is_image = matches!(self.types.get(place.ty), Type::Image(_));
                let index = if is_image { *image } else { place.index };
                return Ok(self.index_value(index).into());
            }
            _ => {}
        }
        if let Some(parts) = self.parts(place)? {
            return Ok(Val::List(
                parts.iter().map(|p| self.load_whole(p)).collect::<Result<_, _>>()?,
            ));
        }
        match &place.base {
            Base::Variable(storage) => self.load_variable(*storage, place.index),
            Base::Memory(memory) => self.load_memory(memory, place.index, place.ty),
            Base::Input(input) => self.load_input(input, place.ty),
            _ => Err(LowerError::Malformed("unreadable place")),
        }
    }

    fn is_aggregate(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Array { .. } | Type::Struct(_) | Type::Matrix { .. })
    }

    /// The places of an aggregate's elements, columns or members; `None` for scalars and vectors.
    pub(crate) fn parts(&mut self, place: &Place) -> Result<Option<Vec<Place>>, LowerError> {
        let types = self.types;
        match types.get(place.ty) {
            Type::Struct(s) => {
                let part = |l: &mut Self, i: u32| {
                    let mut part = place.clone();
                    l.member_place(&mut part, i)?;
                    Ok(part)
                };
                (0..s.members.len() as u32)
                    .map(|i| part(self, i))
                    .collect::<Result<_, _>>()
                    .map(Some)
            }
            Type::Array { .. } | Type::Matrix { .. } => {
                let (_, length) = self.element_of(place.ty)?;
                self.check_growth(length as usize)?;
                let part = |l: &mut Self, i: u32| {
                    let mut part = place.clone();
                    l.element_place(&mut part, Index { constant: i, dynamic: None })?;
                    Ok(part)
                };
                (0..length).map(|i| part(self, i)).collect::<Result<_, _>>().map(Some)
            }
            _ => Ok(None),
        }
    }

    fn load_variable(&mut self, storage: StorageId, index: Index) -> Result<Val, LowerError> {
        let Storage::Leaf { local, scalar } = *self.storages.get(storage) else {
            return Err(LowerError::Malformed("structure read as a vector"));
        };
        let index = self.index_value(index);
        let value = self.builder.load_element(local, index);
        Ok(self.boolean_of(scalar, value).into())
    }

    /// A boolean read from somewhere wider than one bit.
    pub(crate) fn boolean_of(&mut self, scalar: Scalar, value: Value) -> Value {
        if scalar == Scalar::Bool && self.builder.shader.bits(value) != 1 {
            self.builder.i2b(value)
        } else {
            value
        }
    }

    /// Writes a value to a place.
    pub(crate) fn store(&mut self, place: &Place, value: &Val) -> Result<(), LowerError> {
        if let Val::List(values) = value {
            let parts =
                self.parts(place)?.ok_or(LowerError::Malformed("aggregate stored to a vector"))?;
            for (part, value) in parts.iter().zip(values) {
                self.store(part, value)?;
            }
            return Ok(());
        }
        let value = value.leaf()?;
        let count = self.types.components(place.ty).max(1);
        if let Some(component) = place.component {
            return self.store_component(place, component, value);
        }
        // Spread the components to where they go; the mask says which are meant.
        let (value, mask) = match place.swizzle.as_deref() {
            None => (value, (1u8 << count) - 1),
            Some(swizzle) => {
                (self.spread(value, swizzle, count), swizzle.iter().fold(0, |m, c| m | 1 << c))
            }
        };
        self.store_leaf(place, value, mask)
    }

    fn spread(&mut self, value: Value, swizzle: &[u8], count: u8) -> Value {
        let source: SmallVec<[u8; 4]> =
            (0..count).map(|c| swizzle.iter().position(|&s| s == c).unwrap_or(0) as u8).collect();
        self.builder.swizzle(value, &source)
    }

    /// Writes one component chosen at run time: every candidate is written with the old or the new
    /// value.
    fn store_component(
        &mut self,
        place: &Place,
        component: Value,
        value: Value,
    ) -> Result<(), LowerError> {
        let whole = Place { component: None, ..place.clone() };
        if matches!(place.base, Base::Memory(_) | Base::Input(_)) {
            return self.store_shared_component(&whole, component, value);
        }
        let old = self.load(&whole)?.leaf()?;
        let channels = self.builder.channels(old);
        let mut result = SmallVec::<[Value; 4]>::new();
        for (c, channel) in channels.into_iter().enumerate() {
            let number = self.builder.imm(c as u32);
            let hit = self.builder.ieq(component, number);
            result.push(self.builder.bcsel(hit, value, channel));
        }
        let merged = self.builder.vec(&result);
        self.store(&whole, &merged.into())
    }

    /// Writes one component of memory that other invocations write too: a branch per candidate,
    /// since writing back what the others had would undo their writes.
    fn store_shared_component(
        &mut self,
        whole: &Place,
        component: Value,
        value: Value,
    ) -> Result<(), LowerError> {
        let count =
            whole.swizzle.as_ref().map_or(self.types.components(whole.ty), |s| s.len() as u8);
        for c in 0..count {
            let number = self.builder.imm(c.into());
            let hit = self.builder.ieq(component, number);
            self.builder.push_if(hit);
            let mask = SwizzleMask::new(&[c]);
            let swizzle = Some(compose(whole.swizzle.as_deref(), &mask));
            self.store(&Place { swizzle, ..whole.clone() }, &value.into())?;
            self.builder.pop_if();
        }
        Ok(())
    }

    fn store_leaf(&mut self, place: &Place, value: Value, mask: u8) -> Result<(), LowerError> {
        match &place.base {
            Base::Variable(storage) => {
                let Storage::Leaf { local, .. } = *self.storages.get(*storage) else {
                    return Err(LowerError::Malformed("vector stored to a structure"));
                };
                let bits = self.builder.shader.locals[local].bits;
                let value = if self.builder.shader.bits(value) == 1 && bits != 1 {
                    self.builder.b2i32(value)
                } else {
                    value
                };
                let index = self.index_value(place.index);
                self.builder.store_element(local, index, value, mask);
                Ok(())
            }
            Base::Memory(memory) => self.store_memory(memory, place.index, place.ty, value, mask),
            Base::Input(input) => self.store_control_output(input, place.ty, value, mask),
            Base::System(_) | Base::Opaque { .. } => {
                Err(LowerError::Malformed("write to a read-only place"))
            }
        }
    }
}

/// Swizzle of a swizzle.
fn compose(inner: Option<&[u8]>, outer: &SwizzleMask) -> SmallVec<[u8; 4]> {
    let through = |&c: &u8| inner.map_or(c, |i| i[usize::from(c)]);
    outer.as_slice().iter().map(through).collect()
}

fn array_dimensions(types: &program::TypeTable, mut ty: TypeId) -> u32 {
    let mut dimensions = 0;
    while let Type::Array { element, .. } = *types.get(ty) {
        ty = element;
        dimensions += 1;
    }
    dimensions
}
