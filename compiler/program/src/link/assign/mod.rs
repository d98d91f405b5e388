//! Assignment: locations, slots, offsets and indices.

pub(crate) mod attributes;
pub(crate) mod blocks;
pub(crate) mod feedback;
pub(crate) mod handle_values;
pub(crate) mod handles;
pub(crate) mod outgoing;
pub(crate) mod outputs;
pub(crate) mod packing;
pub(crate) mod uniforms;
pub(crate) mod varyings;
