//! Scalar layout of types: components of values, and their places in memory and in slots.

use cranelift_entity::SecondaryMap;
use program::layout::Rules;
use program::resource::{FragmentOutput, Slot};
use program::types::MatrixOrder;
use program::{ArrayLength, Scalar, Type, TypeId, TypeTable};

/// Number of components of every type of a table.
#[derive(Clone, Debug)]
pub(crate) struct ScalarLayout {
    counts: SecondaryMap<TypeId, u32>,
}

impl ScalarLayout {
    /// Counts the components of every type.
    pub(crate) fn new(types: &TypeTable, ids: impl Iterator<Item = TypeId>) -> ScalarLayout {
        let mut counts = SecondaryMap::new();
        ids.for_each(|id| counts[id] = count(types, id));
        ScalarLayout { counts }
    }

    /// Returns the number of components of a type.
    pub(crate) fn component_count(&self, ty: TypeId) -> usize {
        self.counts[ty] as usize
    }
}

fn count(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Void => 0,
        Type::Scalar(_)
        | Type::Sampler(_)
        | Type::Image(_)
        | Type::AtomicCounter
        | Type::Subroutine(_) => 1,
        Type::Vector { size, .. } => u32::from(*size),
        Type::Matrix { columns, rows, .. } => u32::from(columns * rows),
        Type::Struct(s) => s.members.iter().map(|m| count(types, m.ty)).sum(),
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(count(types, *element))
        }
        Type::Array { .. } => 0,
    }
}

/// Appends the component type of every component of a value of type `ty`, in order.
pub(crate) fn scalars(types: &TypeTable, ty: TypeId, out: &mut Vec<Scalar>) {
    match types.get(ty) {
        Type::Void => {}
        Type::Scalar(s) => out.push(*s),
        Type::Vector { scalar, size } => out.extend(std::iter::repeat_n(*scalar, *size as usize)),
        Type::Matrix { scalar, columns, rows } => {
            out.extend(std::iter::repeat_n(*scalar, (columns * rows) as usize));
        }
        Type::Struct(s) => s.members.iter().for_each(|m| scalars(types, m.ty, out)),
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            (0..*n).for_each(|_| scalars(types, *element, out));
        }
        Type::Array { .. } => {}
        _ => out.push(Scalar::Uint),
    }
}

/// Component in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryComponent {
    /// Byte offset from the start of the value.
    pub(crate) offset: u32,
    /// Component type.
    pub(crate) scalar: Scalar,
}

/// Returns the places of the components of a value of type `ty` in memory, in order.
pub(crate) fn memory_components(
    types: &TypeTable,
    rules: Rules,
    ty: TypeId,
    order: MatrixOrder,
) -> Vec<MemoryComponent> {
    let mut out = Vec::new();
    memory_components_at(types, rules, ty, order, 0, &mut out);
    out
}

fn memory_components_at(
    types: &TypeTable,
    rules: Rules,
    ty: TypeId,
    order: MatrixOrder,
    base: u32,
    out: &mut Vec<MemoryComponent>,
) {
    match types.get(ty) {
        Type::Scalar(scalar) => out.push(MemoryComponent { offset: base, scalar: *scalar }),
        Type::Vector { scalar, size } => {
            let cell = |i| MemoryComponent {
                offset: base + u32::from(i) * scalar.bytes(),
                scalar: *scalar,
            };
            out.extend((0..*size).map(cell));
        }
        Type::Matrix { scalar, columns, rows } => {
            let stride = rules.matrix_stride(types, ty, order);
            for (c, r) in
                (0..u32::from(*columns)).flat_map(|c| (0..u32::from(*rows)).map(move |r| (c, r)))
            {
                let (major, minor) =
                    if order == MatrixOrder::ColumnMajor { (c, r) } else { (r, c) };
                out.push(MemoryComponent {
                    offset: base + major * stride + minor * scalar.bytes(),
                    scalar: *scalar,
                });
            }
        }
        Type::Struct(s) => {
            for (index, (member, (offset, _))) in
                (0..).zip(s.members.iter().zip(rules.offsets(types, &s.members, order)))
            {
                memory_components_at(
                    types,
                    rules.of_member(types, index),
                    member.ty,
                    member.order.or(order),
                    base + offset,
                    out,
                );
            }
        }
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            let stride = rules.array_stride(types, *element, order);
            let rules = rules.of_element(types);
            (0..*n).for_each(|i| {
                memory_components_at(types, rules, *element, order, base + i * stride, out)
            });
        }
        _ => {}
    }
}

/// Component in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SlotComponent {
    /// Slots after the variable's first one.
    pub(crate) slot: u32,
    /// Component in the slot: of the low half for 64-bit types (the high half follows).
    pub(crate) component: u8,
    /// Component type.
    pub(crate) scalar: Scalar,
}

/// Returns the places of the components of a value of type `ty` in consecutive slots, starting at a
/// component of the first.
pub(crate) fn slot_components(types: &TypeTable, ty: TypeId, component: u8) -> Vec<SlotComponent> {
    let mut out = Vec::new();
    let mut next = 0;
    slot_components_at(types, ty, component, &mut next, &mut out);
    out
}

fn slot_components_at(
    types: &TypeTable,
    ty: TypeId,
    component: u8,
    next: &mut u32,
    out: &mut Vec<SlotComponent>,
) {
    let mut column = |scalar: Scalar, size: u8| {
        let width = if scalar.bits() == 64 { 2 } else { 1 };
        let cell = |i: u8| {
            let at = component + i * width;
            SlotComponent { slot: *next + u32::from(at / 4), component: at % 4, scalar }
        };
        out.extend((0..size).map(cell));
        *next += u32::from(component + size * width).div_ceil(4).max(1);
    };
    match types.get(ty) {
        Type::Scalar(scalar) => column(*scalar, 1),
        Type::Vector { scalar, size } => column(*scalar, *size),
        Type::Matrix { scalar, columns, rows } => {
            (0..*columns).for_each(|_| column(*scalar, *rows))
        }
        Type::Struct(s) => {
            s.members.iter().for_each(|m| slot_components_at(types, m.ty, component, next, out))
        }
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            (0..*n).for_each(|_| slot_components_at(types, *element, component, next, out));
        }
        _ => {}
    }
}

/// Returns the slot `offset` after `first`. Distances and levels pack four array elements into a
/// slot instead (see [`packs_elements`]).
pub(crate) fn slot_after(first: Slot, offset: u32) -> Slot {
    let at = |n: u8| n.saturating_add(offset.min(255) as u8);
    match first {
        Slot::Var(n) => Slot::Var(at(n)),
        Slot::Patch(n) => Slot::Patch(at(n)),
        Slot::TexCoord(n) => Slot::TexCoord(at(n)),
        Slot::ClipDistance(n) => Slot::ClipDistance(at(n)),
        Slot::Color(n) => Slot::Color(at(n)),
        Slot::BackColor(n) => Slot::BackColor(at(n)),
        other => other,
    }
}

/// True if array elements of variables at this slot are its components (`gl_ClipDistance`,
/// `gl_TessLevelOuter`, …).
pub(crate) fn packs_elements(slot: Slot) -> bool {
    matches!(slot, Slot::ClipDistance(_) | Slot::TessLevelOuter | Slot::TessLevelInner)
}

/// Returns the fragment output `offset` array elements after `first`.
pub(crate) fn output_after(first: FragmentOutput, offset: u32) -> FragmentOutput {
    match first {
        FragmentOutput::Color { location, index } => FragmentOutput::Color {
            location: location.saturating_add(offset.min(255) as u8),
            index,
        },
        other => other,
    }
}
