//! Packing: where a slot for every variable would be more slots than there are, several share one.
//!
//! Limits on varyings count components (OpenGL 4.6 section 11.1.2.1). Between the last vertex stage
//! and the fragment stage scalars, vectors and arrays of scalars of one interpolation follow one
//! another, arrays element by element.

use super::outgoing::Outgoing;
use crate::layout::varying_slots;
use crate::resource::{Placement, Slot};
use crate::shader::Shader;
use crate::types::{ArrayLength, Type, TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Interpolation, InterpolationMode, Storage};

/// An output to pack.
struct Item {
    output: GlobalId,
    interpolation: Interpolation,
    /// 32-bit components.
    size: u32,
    array: bool,
}

/// Places the outputs that the fragment stage reads if whole slots for each would be more than
/// `limit`.
pub(crate) fn place(producer: &mut Shader, fragment: &Shader, types: &TypeTable, limit: u32) {
    let inputs = fragment.globals.values().filter(|g| g.storage == Storage::Input && g.active);
    let outgoing = Outgoing::new(producer, types);
    let read: Vec<(&Global, GlobalId)> = inputs
        .filter(|input| input.builtin.is_none())
        .filter_map(|input| Some((input, outgoing.find(input, types)?.0)))
        .collect();
    let slots: u32 = read.iter().map(|(input, _)| varying_slots(types, input.ty)).sum();
    let explicit = producer.globals.values().any(|g| g.storage == Storage::Output && has_place(g));
    if slots <= limit || explicit {
        return;
    }
    let mut items: Vec<Item> =
        read.iter().filter_map(|&(input, output)| item(producer, input, output, types)).collect();
    items.sort_by_key(|item| (item.interpolation, !item.array, std::cmp::Reverse(item.size)));
    let mut next = 0;
    let mut group = None;
    for Item { output, interpolation, size, array } in items {
        let fits = array || next % 4 + size <= 4;
        if group != Some(interpolation) || !fits {
            next = u32::next_multiple_of(next, 4);
        }
        group = Some(interpolation);
        let Ok(slot) = u8::try_from(next / 4) else { return };
        let global = &mut producer.globals[output];
        global.placement =
            Placement::Varying { slot: Slot::Var(slot), component: (next % 4) as u8 };
        global.packed = array;
        next += size;
    }
}

fn has_place(global: &Global) -> bool {
    global.layout.location.is_some() || global.layout.xfb_offset.is_some()
}

/// An output that can share slots; none for other types than scalars, vectors and arrays of scalars
/// of 32 bits.
fn item(producer: &Shader, input: &Global, output: GlobalId, types: &TypeTable) -> Option<Item> {
    let global = &producer.globals[output];
    if global.block.is_some() || has_place(global) {
        return None;
    }
    let scalar = types.scalar_of(types.without_arrays(input.ty)).filter(|s| s.bits() == 32)?;
    let (size, array) = packed_size(types, input.ty)?;
    let mut interpolation = input.interpolation;
    if !scalar.is_float() {
        interpolation.mode = InterpolationMode::Flat;
    }
    Some(Item { output, interpolation, size, array })
}

fn packed_size(types: &TypeTable, ty: TypeId) -> Option<(u32, bool)> {
    match *types.get(ty) {
        Type::Scalar(_) => Some((1, false)),
        Type::Vector { size, .. } => Some((size.into(), false)),
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            matches!(types.get(element), Type::Scalar(_)).then_some((n, true))
        }
        _ => None,
    }
}

/// Slots that a variable takes, from that of its placement on.
pub(crate) fn slots(types: &TypeTable, global: &Global, ty: TypeId) -> u32 {
    match (global.packed, global.placement, types.array_of(ty)) {
        (true, Placement::Varying { component, .. }, Some((_, ArrayLength::Fixed(n)))) => {
            (u32::from(component) + n).div_ceil(4)
        }
        _ => varying_slots(types, ty),
    }
}
