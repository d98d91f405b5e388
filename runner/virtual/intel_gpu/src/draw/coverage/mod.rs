//! Places of primitives in the window: viewports, samples, shapes, interpolation.

pub(crate) mod interpolation;
pub(crate) mod samples;
pub(crate) mod shape;
pub(crate) mod viewport;
