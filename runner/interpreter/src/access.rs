//! Access to places: from expressions to places, reads and writes.

use program::layout::{OpaqueKind, Rules, opaque_slots};
use program::types::MatrixOrder;
use program::{
    ArrayLength, Expr, ExprId, ExprKind, GlobalId, Placement, Scalar, Type, TypeId, TypeTable,
};
use smallvec::{SmallVec, smallvec};

use crate::environment::{AddressSpace, Error};
use crate::invocation_group::InvocationGroup;
use crate::lanes::Value;
use crate::place::{MemoryAccess, Place, PlaceRoot};
use crate::scalar;
use crate::scalar_layout::{MemoryComponent, memory_components};
use crate::shared_storage::is_shared_output;

impl InvocationGroup<'_> {
    /// Returns the place that an expression denotes, or `None` when it is a plain value.
    pub(crate) fn place(&mut self, id: ExprId) -> Result<Option<Place>, Error> {
        let expr: &Expr = &self.shader.exprs[id];
        match &expr.kind {
            ExprKind::Local(local) => Ok(Some(match self.call.frame.alias(*local) {
                Some(place) => place.clone(),
                None => Place::new(PlaceRoot::Local(*local), expr.ty, self.lanes),
            })),
            ExprKind::Global(global) => Ok(Some(self.global_place(*global))),
            ExprKind::Member { base, member } => {
                let Some(mut place) = self.place(*base)? else { return Ok(None) };
                self.member_place(&mut place, *member)?;
                Ok(Some(place))
            }
            ExprKind::Index { base, index } => {
                let Some(mut place) = self.place(*base)? else { return Ok(None) };
                let index_ty = self.shader.exprs[*index].ty;
                let indices = self.eval(*index)?;
                let signed = self.types.scalar_of(index_ty).is_some_and(Scalar::is_signed_integer);
                self.index_place(&mut place, &indices, signed)?;
                Ok(Some(place))
            }
            ExprKind::Swizzle { base, components } => {
                let Some(mut place) = self.place(*base)? else { return Ok(None) };
                let outer = place.swizzle.take();
                let through =
                    |&c: &u8| outer.as_ref().map_or(c, |o| o.get(c as usize).copied().unwrap_or(0));
                place.swizzle = Some(components.as_slice().iter().map(through).collect());
                Ok(Some(place))
            }
            _ => Ok(None),
        }
    }

    fn global_place(&self, id: GlobalId) -> Place {
        self.place_at(id, self.shader.globals[id].placement)
    }

    /// Returns the place of a global with a given placement.
    pub(crate) fn place_at(&self, id: GlobalId, placement: Placement) -> Place {
        let global = &self.shader.globals[id];
        let memory = |space, offset, rules| {
            let mut place = Place::new(PlaceRoot::Memory, global.ty, self.lanes);
            place.offsets = smallvec![offset; self.lanes];
            // A block's order is already in its members, from which inner structures inherit it.
            place.access = Some(MemoryAccess {
                space,
                rules,
                order: MatrixOrder::ColumnMajor,
                component_stride: None,
            });
            place
        };
        let block_rules = global.block.as_ref().map_or(Rules::Std140, |b| b.packing.into());
        match placement {
            Placement::Uniform { sampler, image, offset }
                if self.types.contains_opaque(global.ty) =>
            {
                let mut place = Place::new(PlaceRoot::Opaque, global.ty, self.lanes);
                place.offsets = smallvec![u32::from(sampler); self.lanes];
                place.image_offsets = smallvec![u32::from(image); self.lanes];
                // A structure may mix opaque and plain members: `blocks` holds the offset of the
                // plain ones.
                place.blocks = smallvec![offset; self.lanes];
                place
            }
            Placement::Uniform { offset, .. } => {
                memory(AddressSpace::DefaultBlock, offset, Rules::Std140)
            }
            Placement::UniformBlock { index } => {
                memory(AddressSpace::UniformBlock(index.into()), 0, block_rules)
            }
            Placement::StorageBlock { index } => {
                memory(AddressSpace::StorageBlock(index.into()), 0, block_rules)
            }
            Placement::Shared { offset } => {
                let rules = global.block.as_ref().map_or(Rules::Std430, |b| b.packing.into());
                memory(AddressSpace::Shared, offset, rules)
            }
            Placement::AtomicCounter { binding, offset } => {
                memory(AddressSpace::AtomicCounters(binding.into()), offset, Rules::Std430)
            }
            // The index of the chosen function is a `uint` in the default block.
            Placement::Subroutine { offset, .. } => {
                memory(AddressSpace::DefaultBlock, offset, Rules::Std430)
            }
            _ => Place::new(PlaceRoot::Global(id), global.ty, self.lanes),
        }
    }

    fn member_place(&self, place: &mut Place, member: u32) -> Result<(), Error> {
        let types = self.types;
        let members =
            types.members(place.ty).ok_or(Error::Malformed("member of a non-structure"))?;
        let target = members.get(member as usize).ok_or(Error::Malformed("no such member"))?;
        let before = &members[..member as usize];
        match place.root {
            PlaceRoot::Memory => {
                let access =
                    place.access.as_mut().ok_or(Error::Malformed("memory without access"))?;
                let offset = access
                    .rules
                    .member_offset(types, place.ty, member, access.order)
                    .ok_or(Error::Malformed("no such member"))?;
                access.order = target.order.or(access.order);
                access.rules = access.rules.of_member(types, member);
                place.offsets.iter_mut().for_each(|o| *o = o.saturating_add(offset));
            }
            PlaceRoot::Opaque => {
                let skip =
                    |kind| before.iter().map(|m| opaque_slots(types, m.ty, kind)).sum::<u32>();
                let bytes = Rules::Std140
                    .member_offset(types, place.ty, member, MatrixOrder::ColumnMajor)
                    .ok_or(Error::Malformed("no such member"))?;
                place.offsets.iter_mut().for_each(|o| *o += skip(OpaqueKind::Sampler));
                place.image_offsets.iter_mut().for_each(|o| *o += skip(OpaqueKind::Image));
                place.blocks.iter_mut().for_each(|o| *o += bytes);
                if !types.contains_opaque(target.ty) {
                    self.move_to_default_block(place);
                }
            }
            PlaceRoot::Local(_) | PlaceRoot::Global(_) => {
                let offset: usize = before.iter().map(|m| self.layout.component_count(m.ty)).sum();
                place.offsets.iter_mut().for_each(|o| *o += offset as u32);
            }
        }
        place.ty = target.ty;
        Ok(())
    }

    /// Moves the place of a plain member to the default block, out of a structure that also holds
    /// samplers.
    fn move_to_default_block(&self, place: &mut Place) {
        place.root = PlaceRoot::Memory;
        place.offsets = std::mem::take(&mut place.blocks);
        place.image_offsets.clear();
        place.access = Some(MemoryAccess {
            space: AddressSpace::DefaultBlock,
            rules: Rules::Std140,
            order: MatrixOrder::ColumnMajor,
            component_stride: None,
        });
    }

    fn index_place(
        &mut self,
        place: &mut Place,
        indices: &Value,
        signed: bool,
    ) -> Result<(), Error> {
        if let Some(swizzle) = place.swizzle.take() {
            return self.index_swizzle(place, &swizzle, indices, signed);
        }
        let types = self.types;
        let (element, length) =
            element_type(types, place.ty).ok_or(Error::Malformed("indexing a scalar"))?;
        let is_block_array =
            place.access.is_some_and(|a| {
                matches!(a.space, AddressSpace::UniformBlock(_) | AddressSpace::StorageBlock(_))
            }) && matches!(types.get(types.without_arrays(place.ty)), Type::Struct(_))
                && self.is_block_array(place);
        let steps = self.index_strides(place, element, is_block_array)?;
        for lane in 0..self.lanes {
            let raw = indices.get(0, lane);
            let index = if signed { raw as i64 } else { raw as u32 as i64 };
            let limit = length.unwrap_or_else(|| self.runtime_length(place, lane, element));
            if index < 0 || index >= i64::from(limit) {
                place.outside.set(lane, true);
                continue;
            }
            if indices.is_undefined(0, lane) {
                place.undefined.set(lane, true);
            }
            let advance = |v: &mut SmallVec<[u32; 4]>, step: u32| {
                if let Some(o) = v.get_mut(lane) {
                    *o = o.saturating_add((index as u32).saturating_mul(step));
                }
            };
            advance(&mut place.offsets, steps.offset);
            advance(&mut place.image_offsets, steps.image);
            advance(&mut place.blocks, steps.block);
        }
        self.element_access(place, is_block_array);
        place.ty = element;
        Ok(())
    }

    /// True if the place is a whole array of blocks: no member was selected.
    fn is_block_array(&self, place: &Place) -> bool {
        self.block_array_types.contains(&place.ty)
    }

    fn index_strides(
        &self,
        place: &mut Place,
        element: TypeId,
        block_array: bool,
    ) -> Result<IndexStrides, Error> {
        let types = self.types;
        if block_array {
            if place.blocks.is_empty() {
                place.blocks = smallvec![0; self.lanes];
            }
            let inner = blocks_in(types, element);
            return Ok(IndexStrides { offset: 0, image: 0, block: inner });
        }
        Ok(match place.root {
            PlaceRoot::Memory => {
                let access = place.access.ok_or(Error::Malformed("memory without access"))?;
                IndexStrides {
                    offset: memory_stride(types, place.ty, element, &access),
                    image: 0,
                    block: 0,
                }
            }
            PlaceRoot::Opaque => IndexStrides {
                offset: opaque_slots(types, element, OpaqueKind::Sampler),
                image: opaque_slots(types, element, OpaqueKind::Image),
                block: Rules::Std140.array_stride(types, element, MatrixOrder::ColumnMajor),
            },
            _ => IndexStrides {
                offset: self.layout.component_count(element) as u32,
                image: 0,
                block: 0,
            },
        })
    }

    /// Sets the rules of an array's element and the stride of a column of a row-major matrix: its
    /// components are a row apart.
    fn element_access(&self, place: &mut Place, is_block_array: bool) {
        let Some(access) = place.access.as_mut() else { return };
        if !is_block_array && self.types.array_of(place.ty).is_some() {
            access.rules = access.rules.of_element(self.types);
        }
        if matches!(self.types.get(place.ty), Type::Matrix { .. })
            && access.order == MatrixOrder::RowMajor
        {
            access.component_stride =
                Some(access.rules.matrix_stride(self.types, place.ty, access.order));
        }
    }

    fn index_swizzle(
        &mut self,
        place: &mut Place,
        swizzle: &[u8],
        indices: &Value,
        signed: bool,
    ) -> Result<(), Error> {
        let chosen = (0..self.lanes).map(|lane| {
            let raw = indices.get(0, lane);
            let index = if signed { raw as i64 } else { raw as u32 as i64 };
            usize::try_from(index).ok().and_then(|i| swizzle.get(i).copied())
        });
        let chosen: Vec<Option<u8>> = chosen.collect();
        let mut through = Value::zero(1, self.lanes);
        for (lane, component) in chosen.into_iter().enumerate() {
            match component {
                Some(c) => through.set(0, lane, u64::from(c)),
                None => place.outside.set(lane, true),
            }
        }
        self.index_place(place, &through, false)
    }

    /// Returns the number of elements of a runtime-sized array at the end of a storage block.
    pub(crate) fn runtime_length(&mut self, place: &Place, lane: usize, element: TypeId) -> u32 {
        let (Some(access), Some(space)) = (place.access, place.space(lane)) else { return 0 };
        let stride = access.rules.array_stride(self.types, element, access.order).max(1);
        let start = place.offsets.get(lane).copied().unwrap_or(0);
        self.environment.size(space).saturating_sub(start) / stride
    }

    /// Reads a place.
    pub(crate) fn load(&mut self, place: &Place) -> Result<Value, Error> {
        let mut value = match place.root {
            PlaceRoot::Local(local) => {
                gather(self.call.frame.local(local), place, self.layout.component_count(place.ty))
            }
            PlaceRoot::Global(global) => {
                let count = self.layout.component_count(place.ty);
                let mut value = gather(&self.globals[global], place, count);
                if is_shared_output(self.shader, global) {
                    self.read_outputs(global, place, &mut value);
                }
                value
            }
            PlaceRoot::Memory => self.load_memory(place),
            PlaceRoot::Opaque => self.load_opaque(place)?,
        };
        for lane in place.outside.or(&place.undefined).iter() {
            (0..value.components()).for_each(|c| value.mark_undefined(c, lane));
        }
        Ok(match &place.swizzle {
            Some(swizzle) => value.select(swizzle),
            None => value,
        })
    }

    fn load_opaque(&mut self, place: &Place) -> Result<Value, Error> {
        let types = self.types;
        let mut parts = Vec::new();
        match types.get(place.ty) {
            Type::Struct(structure) => {
                for member in 0..structure.members.len() as u32 {
                    let mut part = place.clone();
                    self.member_place(&mut part, member)?;
                    parts.push(self.load(&part)?);
                }
            }
            Type::Array { length: ArrayLength::Fixed(count), .. } => {
                for index in 0..*count {
                    let mut part = place.clone();
                    self.index_place(&mut part, &Value::uniform(index.into(), self.lanes), false)?;
                    parts.push(self.load(&part)?);
                }
            }
            ty => {
                let slots = match ty {
                    Type::Image(_) => &place.image_offsets,
                    _ => &place.offsets,
                };
                let mut value = Value::zero(1, self.lanes);
                slots.iter().enumerate().for_each(|(l, &slot)| value.set(0, l, u64::from(slot)));
                return Ok(value);
            }
        }
        Ok(Value::concat(&parts, self.layout.component_count(place.ty), self.lanes))
    }

    fn place_components(&self, place: &Place) -> Vec<MemoryComponent> {
        let Some(access) = place.access else { return Vec::new() };
        if is_index(self.types.get(place.ty)) {
            return vec![MemoryComponent { offset: 0, scalar: Scalar::Uint }];
        }
        let mut cells = memory_components(self.types, access.rules, place.ty, access.order);
        if let Some(stride) = access.component_stride {
            cells.iter_mut().enumerate().for_each(|(i, cell)| cell.offset = i as u32 * stride);
        }
        cells
    }

    fn load_memory(&mut self, place: &Place) -> Value {
        let cells = self.place_components(place);
        let mut value = Value::zero(cells.len(), self.lanes);
        let same = place.same_in_all_lanes();
        for (c, cell) in cells.iter().enumerate() {
            if let Some((space, base)) = same {
                let offset = base.saturating_add(cell.offset);
                let bytes = cell.scalar.bytes();
                if let Some(bits) = self.environment.load(space, offset, bytes) {
                    value.fill(c, from_memory(cell.scalar, bits));
                    self.read_shared_together((space, offset, bytes), c, &mut value);
                    continue;
                }
            }
            for lane in self.active.clone().iter() {
                if place.outside.contains(lane) {
                    continue;
                }
                let (Some(space), Some(base)) = (place.space(lane), place.offsets.get(lane)) else {
                    continue;
                };
                let (offset, bytes) = (base.saturating_add(cell.offset), cell.scalar.bytes());
                let bits = self.environment.load(space, offset, bytes);
                if let Some(bits) = bits {
                    value.set(c, lane, from_memory(cell.scalar, bits));
                }
                if bits.is_none() || self.reads_open((space, offset, bytes), lane) {
                    value.mark_undefined(c, lane);
                }
            }
        }
        value
    }

    /// Writes the active lanes of a place.
    pub(crate) fn store(&mut self, place: &Place, value: &Value) -> Result<(), Error> {
        let active = self.active.minus(&place.outside);
        let astray = self.active.and(&place.outside.or(&place.undefined));
        let swizzle: SmallVec<[u8; 16]> = match &place.swizzle {
            Some(s) => SmallVec::from_slice(s),
            None => SmallVec::new(),
        };
        let target = |c: usize| if swizzle.is_empty() { c } else { swizzle[c] as usize };
        match place.root {
            PlaceRoot::Memory => {
                let cells = self.place_components(place);
                let writers = active.minus(&self.helpers).minus(&self.killed);
                for c in 0..value.components() {
                    let Some(cell) = cells.get(target(c)) else { continue };
                    let mut before = None;
                    for lane in writers.iter() {
                        let (Some(space), Some(base)) =
                            (place.space(lane), place.offsets.get(lane))
                        else {
                            continue;
                        };
                        let bits = value.get(c, lane);
                        let address = base.saturating_add(cell.offset);
                        let bytes = cell.scalar.bytes();
                        let undefined = value.is_undefined(c, lane);
                        let is_shared =
                            self.write_shared((space, address, bytes), lane, bits, undefined);
                        // Nothing orders the writes of two invocations to one place.
                        let other = before.replace((space, address, bits));
                        let differs =
                            other.is_some_and(|(s, a, b)| (s, a) == (space, address) && b != bits);
                        if place.undefined.contains(lane) || !is_shared && (undefined || differs) {
                            self.undefined.writes.set(lane, true);
                        }
                        self.environment.store(space, address, bytes, bits);
                    }
                }
                Ok(())
            }
            PlaceRoot::Opaque => Err(Error::Malformed("assignment to an opaque variable")),
            PlaceRoot::Local(_) | PlaceRoot::Global(_) => {
                if matches!(place.root, PlaceRoot::Global(id) if is_shared_output(self.shader, id))
                {
                    return self.store_outputs(place, value, &active, target);
                }
                let destination = match place.root {
                    PlaceRoot::Local(local) => self.call.frame.local_mut(local),
                    PlaceRoot::Global(global) => &mut self.globals[global],
                    _ => return Ok(()),
                };
                // A write to an element that is unknown, or none, may be one to any element.
                for lane in astray.iter() {
                    for c in 0..destination.components() {
                        destination.mark_undefined(c, lane);
                    }
                }
                let active = active.minus(&place.undefined);
                let first = place.offsets.first().copied().unwrap_or(0);
                if place.offsets.iter().all(|&offset| offset == first) {
                    for c in 0..value.components() {
                        destination.copy_lanes(first as usize + target(c), &active, value, c);
                    }
                    return Ok(());
                }
                for c in 0..value.components() {
                    for lane in active.iter() {
                        let to = place.offsets[lane] as usize + target(c);
                        destination.copy_component(to, lane, value, c);
                    }
                }
                Ok(())
            }
        }
    }
}

struct IndexStrides {
    offset: u32,
    image: u32,
    block: u32,
}

/// Returns the type of an indexed element and, unless runtime-sized, the number of elements.
fn element_type(types: &TypeTable, ty: TypeId) -> Option<(TypeId, Option<u32>)> {
    match *types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => Some((element, Some(n))),
        Type::Array { element, .. } => Some((element, None)),
        Type::Matrix { scalar, columns, rows } => {
            types.find(&Type::Vector { scalar, size: rows }).map(|t| (t, Some(columns.into())))
        }
        Type::Vector { scalar, size } => {
            types.find(&Type::Scalar(scalar)).map(|t| (t, Some(size.into())))
        }
        _ => None,
    }
}

/// True if memory holds a plain `uint` for a value of this opaque type: atomic counters and
/// subroutine indices.
fn is_index(ty: &Type) -> bool {
    matches!(ty, Type::AtomicCounter | Type::Subroutine(_))
}

/// Returns the number of innermost elements of an array of arrays, 1 for other types.
fn blocks_in(types: &TypeTable, ty: TypeId) -> u32 {
    match *types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(blocks_in(types, element))
        }
        _ => 1,
    }
}

fn memory_stride(types: &TypeTable, ty: TypeId, element: TypeId, access: &MemoryAccess) -> u32 {
    match *types.get(ty) {
        Type::Array { .. } if is_index(types.get(types.without_arrays(element))) => {
            4 * blocks_in(types, element)
        }
        Type::Array { .. } => access.rules.array_stride(types, element, access.order),
        Type::Matrix { scalar, .. } if access.order == MatrixOrder::RowMajor => scalar.bytes(),
        Type::Matrix { .. } => access.rules.matrix_stride(types, ty, access.order),
        Type::Vector { scalar, .. } => access.component_stride.unwrap_or(scalar.bytes()),
        _ => 0,
    }
}

fn gather(from: &Value, place: &Place, components: usize) -> Value {
    let lanes = from.lanes();
    let first = place.offsets.first().copied().unwrap_or(0);
    if place.offsets.iter().all(|&o| o == first) {
        return from.slice(first as usize, components);
    }
    let mut value = Value::zero(components, lanes);
    for c in 0..components {
        for (lane, &offset) in place.offsets.iter().enumerate() {
            value.copy_component(c, lane, from, offset as usize + c);
        }
    }
    value
}

/// Converts a component read from memory: any non-zero integer is a true boolean.
fn from_memory(ty: Scalar, bits: u64) -> u64 {
    match ty {
        Scalar::Bool => scalar::of_bool(bits != 0),
        other => scalar::wrap(other, bits),
    }
}
