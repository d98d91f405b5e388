//! Construction of formats: Vulkan's by name, typed ones by the rules of std140 and std430.

mod layout;
mod names;
mod texel;
mod types;

pub(crate) use layout::{Structure, StructureMember, Type, typed_format};
pub(crate) use texel::{format_by_name, format_by_number};
pub(crate) use types::{amber_type, glsl_type, vertex_format};

/// The most values that an element may have.
pub(crate) const PART_LIMIT: usize = 4096;
