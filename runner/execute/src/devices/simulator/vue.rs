//! Vertex entries of the URB: where the program's varyings lie in them.

use compiler::output::{Varying, VueMap};
use program::Slot;
use program::resource::Varying as InterfaceSlot;

/// Dwords of a VUE slot, and rows that a batch keeps of a varying.
const SLOT_DWORDS: usize = 4;

/// Where a varying lies in an entry: its first dword, and how many follow each other.
fn place(map: &VueMap, slot: Slot) -> Option<(usize, usize)> {
    // Fields of the header are single.
    let (varying, first, count) = match slot {
        Slot::Layer => (Varying::Header, 1, 1),
        Slot::ViewportIndex | Slot::ViewportMask => (Varying::Header, 2, 1),
        Slot::PointSize => (Varying::Header, 3, 1),
        other => (compiler::varying(other), 0, SLOT_DWORDS),
    };
    map.slot(varying).map(|slot| (slot * SLOT_DWORDS + first, count))
}

/// Every place of an entry that a varying has: the varying's row in a batch, then the dword in the entry.
fn places<'a>(map: &'a VueMap, varyings: &'a [InterfaceSlot]) -> impl Iterator<Item = (usize, usize)> + 'a {
    varyings.iter().enumerate().flat_map(|(index, varying)| {
        let (first, count) = place(map, varying.slot).unwrap_or_default();
        (0..count).map(move |c| (index * SLOT_DWORDS + c, first + c))
    })
}

/// An entry that holds what `value` gives for the rows of the varyings; nothing for rows without a value.
pub(super) fn entry(
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

/// Calls `take` with each row of the varyings and its value; of rows past the entry's end not at all.
pub(super) fn read(
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
