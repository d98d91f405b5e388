//! Identifiers of procedures.

use cranelift_entity::entity_impl;

/// A function that is called rather than inlined, with the opaque arguments of its calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Procedure(u32);
entity_impl!(Procedure, "procedure");
