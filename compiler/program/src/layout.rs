//! Memory layouts (std140, std430, explicit ones) and slot counts, shared by linking and both
//! executors.

pub use crate::explicit_layout::ExplicitLayout;
pub use crate::ids::LayoutId;
use crate::types::{ArrayLength, MatrixOrder, Member, Type, TypeId, TypeTable};
use crate::variable::Packing;

/// Rules a block is laid out by (GLSL 4.60 section 4.4.5; GL 4.6 section 7.6.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rules {
    /// Arrays and structures are rounded up to 16 bytes. Also the default block's and
    /// `shared`/`packed` blocks' rules.
    Std140,
    /// No such rounding.
    Std430,
    /// Offsets and strides are given with the type: these are those of the type at hand. Going to a
    /// part of it, [`Rules::of_member`] and [`Rules::of_element`] give those of the part.
    Explicit(LayoutId),
}

impl From<Packing> for Rules {
    fn from(packing: Packing) -> Rules {
        match packing {
            Packing::Std430 => Rules::Std430,
            Packing::Explicit(layout) => Rules::Explicit(layout),
            Packing::Shared | Packing::Packed | Packing::Std140 => Rules::Std140,
        }
    }
}

fn round_up(value: u32, multiple: u32) -> u32 {
    value.div_ceil(multiple).saturating_mul(multiple)
}

impl Rules {
    fn aggregate_alignment(self, alignment: u32) -> u32 {
        if self == Rules::Std140 { round_up(alignment, 16) } else { alignment }
    }

    /// The rules of a structure's member, given those of the structure.
    #[must_use]
    pub fn of_member(self, types: &TypeTable, member: u32) -> Rules {
        match self {
            Rules::Explicit(layout) => match types.layout(layout).parts.get(member as usize) {
                Some(&(_, part)) => Rules::Explicit(part),
                None => self,
            },
            rules => rules,
        }
    }

    /// The rules of an array's element, given those of the array.
    #[must_use]
    pub fn of_element(self, types: &TypeTable) -> Rules {
        self.of_member(types, 0)
    }

    /// Base alignment of a type, in bytes.
    pub fn alignment(self, types: &TypeTable, ty: TypeId, order: MatrixOrder) -> u32 {
        if matches!(self, Rules::Explicit(_)) {
            return 1;
        }
        match types.get(ty) {
            Type::Scalar(s) => s.bytes(),
            Type::Vector { scalar, size } => vector_alignment(scalar.bytes(), *size),
            Type::Matrix { scalar, columns, rows } => {
                let size = if order == MatrixOrder::ColumnMajor { *rows } else { *columns };
                self.aggregate_alignment(vector_alignment(scalar.bytes(), size))
            }
            Type::Array { element, .. } => {
                self.aggregate_alignment(self.alignment(types, *element, order))
            }
            Type::Struct(s) => {
                let members =
                    s.members.iter().map(|m| self.alignment(types, m.ty, m.order.or(order)));
                self.aggregate_alignment(members.max().unwrap_or(1))
            }
            // Counters are 32-bit words of their own buffers.
            Type::AtomicCounter => 4,
            _ => 1,
        }
    }

    /// Size of a type, in bytes; runtime-sized and unsized arrays count no elements.
    pub fn size(self, types: &TypeTable, ty: TypeId, order: MatrixOrder) -> u32 {
        if let Rules::Explicit(layout) = self {
            return types.layout(layout).size;
        }
        match types.get(ty) {
            Type::Scalar(s) => s.bytes(),
            Type::Vector { scalar, size } => scalar.bytes() * u32::from(*size),
            Type::Matrix { columns, rows, .. } => {
                let vectors = if order == MatrixOrder::ColumnMajor { *columns } else { *rows };
                u32::from(vectors) * self.matrix_stride(types, ty, order)
            }
            Type::Array { element, length } => match length {
                ArrayLength::Fixed(n) => {
                    n.saturating_mul(self.array_stride(types, *element, order))
                }
                ArrayLength::Unsized | ArrayLength::Runtime => 0,
            },
            Type::Struct(s) => {
                let end = self
                    .offsets(types, &s.members, order)
                    .last()
                    .map_or(0, |&(offset, size)| offset.saturating_add(size));
                round_up(end, self.alignment(types, ty, order))
            }
            Type::AtomicCounter => 4,
            _ => 0,
        }
    }

    /// Bytes between elements of an array of `element`; explicit rules are those of the array.
    pub fn array_stride(self, types: &TypeTable, element: TypeId, order: MatrixOrder) -> u32 {
        if let Rules::Explicit(layout) = self {
            return types.layout(layout).stride;
        }
        let alignment = self.aggregate_alignment(self.alignment(types, element, order));
        round_up(self.size(types, element, order), alignment)
    }

    /// Bytes between the column vectors (row vectors when row-major) of a matrix; 0 for other
    /// types.
    pub fn matrix_stride(self, types: &TypeTable, ty: TypeId, order: MatrixOrder) -> u32 {
        if let Rules::Explicit(layout) = self {
            return types.layout(layout).stride;
        }
        if matches!(types.get(ty), Type::Matrix { .. }) {
            self.alignment(types, ty, order)
        } else {
            0
        }
    }

    /// (offset, size) of each member, in bytes, honoring `offset` and `align` qualifiers.
    pub fn offsets(
        self,
        types: &TypeTable,
        members: &[Member],
        order: MatrixOrder,
    ) -> Vec<(u32, u32)> {
        if let Rules::Explicit(layout) = self {
            let parts = types.layout(layout).parts.iter();
            return parts.map(|&(offset, part)| (offset, types.layout(part).size)).collect();
        }
        let mut next = 0u32;
        let mut result = Vec::with_capacity(members.len());
        for member in members {
            let order = member.order.or(order);
            let alignment =
                self.alignment(types, member.ty, order).max(member.align.unwrap_or(1)).max(1);
            let offset = round_up(member.offset.unwrap_or(next), alignment);
            let size = self.size(types, member.ty, order);
            result.push((offset, size));
            next = offset.saturating_add(size);
            // A structure's or array's end is padded to its alignment before what follows.
            if matches!(
                types.get(member.ty),
                Type::Struct(_) | Type::Array { .. } | Type::Matrix { .. }
            ) {
                next = round_up(next, alignment);
            }
        }
        result
    }

    /// Byte offset of one member of a structure type; `None` if the type has no such member.
    pub fn member_offset(
        self,
        types: &TypeTable,
        ty: TypeId,
        member: u32,
        order: MatrixOrder,
    ) -> Option<u32> {
        let offsets = self.offsets(types, types.members(ty)?, order);
        Some(offsets.get(member as usize)?.0)
    }
}

impl MatrixOrder {
    /// A nested member is row-major when it or what contains it says so.
    pub fn or(self, outer: MatrixOrder) -> MatrixOrder {
        if self == MatrixOrder::RowMajor { self } else { outer }
    }
}

fn vector_alignment(component: u32, size: u8) -> u32 {
    component * if size == 3 { 4 } else { u32::from(size) }
}

/// Number of 16-byte varying slots a type takes (see [`crate::resource::Slot`]).
pub fn varying_slots(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Scalar(_) => 1,
        Type::Vector { scalar, size } => vector_slots(scalar.bits(), *size),
        Type::Matrix { scalar, columns, rows } => {
            u32::from(*columns) * vector_slots(scalar.bits(), *rows)
        }
        Type::Array { element, length } => match length {
            ArrayLength::Fixed(n) => n.saturating_mul(varying_slots(types, *element)),
            ArrayLength::Unsized | ArrayLength::Runtime => 0,
        },
        Type::Struct(s) => {
            s.members.iter().map(|m| varying_slots(types, m.ty)).fold(0, u32::saturating_add)
        }
        _ => 0,
    }
}

fn vector_slots(bits: u32, size: u8) -> u32 {
    if bits == 64 && size > 2 { 2 } else { 1 }
}

/// Number of vertex attribute locations a type takes: one per column of any width.
pub fn attribute_locations(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Matrix { columns, .. } => u32::from(*columns),
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(attribute_locations(types, *element))
        }
        Type::Struct(s) => {
            s.members.iter().map(|m| attribute_locations(types, m.ty)).fold(0, u32::saturating_add)
        }
        _ => 1,
    }
}

/// Opaque leaves to count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpaqueKind {
    /// Samplers.
    Sampler,
    /// Images.
    Image,
    /// Atomic counters.
    AtomicCounter,
    /// Subroutine uniforms.
    Subroutine,
}

/// Number of opaque leaves of one kind inside a type; element i of an array starts at i × the
/// element's count, a member after the counts of the members before it.
pub fn opaque_slots(types: &TypeTable, ty: TypeId, kind: OpaqueKind) -> u32 {
    match types.get(ty) {
        Type::Sampler(_) => u32::from(kind == OpaqueKind::Sampler),
        Type::Image(_) => u32::from(kind == OpaqueKind::Image),
        Type::AtomicCounter => u32::from(kind == OpaqueKind::AtomicCounter),
        Type::Subroutine(_) => u32::from(kind == OpaqueKind::Subroutine),
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(opaque_slots(types, *element, kind))
        }
        Type::Struct(s) => {
            s.members.iter().map(|m| opaque_slots(types, m.ty, kind)).fold(0, u32::saturating_add)
        }
        _ => 0,
    }
}

/// Number of blocks an array of blocks (of any dimension) declares, or of bindings an array of
/// opaque variables takes; 1 for anything else.
pub fn block_instances(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(block_instances(types, *element))
        }
        _ => 1,
    }
}
