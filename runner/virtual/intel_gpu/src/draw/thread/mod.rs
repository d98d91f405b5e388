//! Services to the threads of all stages: surfaces, samplers, messages, scratch space.

pub(crate) mod bindings;
pub(crate) mod messages;
pub(crate) mod sampler;
pub(crate) mod sampler_state;
pub(crate) mod scratch;

/// Maximum number of instructions of a thread.
pub(crate) const BUDGET: u64 = 100_000_000;
