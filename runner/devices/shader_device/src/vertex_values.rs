//! Values of fragment inputs at the vertices of a primitive.

use program::Slot;
use program::resource::Varying;
use raster::device::PrimitiveSetup;

/// Returns the raw values of a component of an input at the three vertices. `is_input` recognizes
/// the slot of the input. An input that no earlier stage writes is a scalar of the primitive, or 0.
pub fn vertex_values(
    inputs: &[Varying],
    setup: &PrimitiveSetup,
    component: usize,
    is_input: impl Fn(Slot) -> bool,
) -> [u32; 3] {
    if let Some(index) = inputs.iter().position(|varying| is_input(varying.slot)) {
        return setup.values.get(index * 4 + component).copied().unwrap_or([0; 3]);
    }
    let scalars = [
        (Slot::PrimitiveId, setup.primitive_id),
        (Slot::Layer, setup.layer),
        (Slot::ViewportIndex, setup.viewport_index),
    ];
    let scalar = scalars.into_iter().find(|(slot, _)| component == 0 && is_input(*slot));
    [scalar.map_or(0, |(_, value)| value); 3]
}
