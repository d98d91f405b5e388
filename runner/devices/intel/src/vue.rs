//! Vertex entries of the URB: positions of the program's varyings.

use compiler::output::{Varying, VueMap};
use program::Slot;
use program::resource::Varying as InterfaceSlot;

/// Dwords of a VUE slot, and rows of a varying in a batch.
const SLOT_DWORDS: usize = 4;

/// Returns the position of a varying in an entry: its first dword and their number.
fn place(map: &VueMap, slot: Slot) -> Option<(usize, usize)> {
    // Fields of the header are scalars.
    let (varying, first, count) = match slot {
        Slot::Layer => (Varying::Header, 1, 1),
        Slot::ViewportIndex | Slot::ViewportMask => (Varying::Header, 2, 1),
        Slot::PointSize => (Varying::Header, 3, 1),
        other => (compiler::varying(other), 0, SLOT_DWORDS),
    };
    map.slot(varying).map(|slot| (slot * SLOT_DWORDS + first, count))
}

/// Iterates over the positions of varyings in an entry: the varying's row in a batch, then the
/// dword in the entry.
fn places<'a>(
    map: &'a VueMap,
    varyings: &'a [InterfaceSlot],
) -> impl Iterator<Item = (usize, usize)> + 'a {
    varyings.iter().enumerate().flat_map(|(index, varying)| {
        let (first, count) = place(map, varying.slot).unwrap_or_default();
        (0..count).map(move |c| (index * SLOT_DWORDS + c, first + c))
    })
}

/// Returns an entry with the values that `value` returns for the rows of the varyings; rows without
/// a value stay empty.
pub(crate) fn entry(
    map: &VueMap,
    varyings: &[InterfaceSlot],
    value: impl Fn(usize) -> Option<u32>,
) -> Vec<u32> {
    let mut entry = vec![0; map.slots.len() * SLOT_DWORDS];
    for (row, at) in places(map, varyings) {
        entry[at] = value(row).unwrap_or(0);
    }
    entry
}

/// Calls `take` with each row of the varyings and its value, except rows past the entry's end.
pub(crate) fn read(
    map: &VueMap,
    varyings: &[InterfaceSlot],
    entry: &[u32],
    mut take: impl FnMut(usize, u32),
) {
    for (row, at) in places(map, varyings) {
        if let Some(&value) = entry.get(at) {
            take(row, value);
        }
    }
}
