//! Places of primitives in the window: viewports, samples.

pub(crate) mod samples;
pub(crate) mod viewport;
