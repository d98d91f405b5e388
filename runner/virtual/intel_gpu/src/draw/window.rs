//! Transformation of positions to the window.

/// Data of a vertex: a slot of four components for each element.
pub(super) type Slots = Vec<[u32; 4]>;

/// Slot of the position.
const POSITION: usize = 1;

/// Position in clip coordinates.
pub(super) fn position(slots: &Slots) -> [f64; 4] {
    let position = slots.get(POSITION).copied().unwrap_or_default();
    position.map(|bits| f64::from(f32::from_bits(bits)))
}
