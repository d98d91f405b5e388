//! Variables: structures split into members, arrays and matrices into one indexable local per
//! scalar or vector.

use cranelift_entity::{PrimaryMap, entity_impl};
use ir::Local;
use program::Scalar;

/// Storage of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct StorageId(u32);
entity_impl!(StorageId, "storage");

/// Parts of a variable. Arrays need no node of their own: all dimensions around
/// a scalar or vector, matrix columns included, are flattened into its local's length, outermost
/// first.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    /// A scalar, a vector, or (flattened) arrays and matrices of them.
    Leaf {
        /// The local.
        local: Local,
        /// Component type.
        scalar: Scalar,
    },
    /// A structure, or arrays of it.
    Members(Vec<StorageId>),
}

/// All storage of a stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storages {
    pub(crate) nodes: PrimaryMap<StorageId, Storage>,
}

impl Storages {
    /// The storage of an id.
    pub(crate) fn get(&self, id: StorageId) -> &Storage {
        &self.nodes[id]
    }
}

/// Bits of a component in a local. Booleans in arrays are 32-bit so that arrays may live in memory.
pub(crate) fn local_bits(scalar: Scalar, length: u32) -> u8 {
    match scalar {
        Scalar::Bool if length == 1 => 1,
        other => other.bits() as u8,
    }
}
