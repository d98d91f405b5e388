//! Variables: structures split into members, arrays and matrices into one indexable local per scalar or vector.

use cranelift_entity::{PrimaryMap, entity_impl};
use ir::Local;
use program::{ArrayLength, Scalar, Type, TypeId};

use crate::Lowerer;

/// Storage of a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageId(u32);
entity_impl!(StorageId, "storage");

/// What a variable of some type is made of. Arrays need no node of their own: all dimensions around a scalar or vector, matrix columns
/// included, are flattened into its local's length, outermost first.
#[derive(Clone, Debug)]
pub enum Storage {
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
pub struct Storages {
    nodes: PrimaryMap<StorageId, Storage>,
}

impl Storages {
    /// The storage of an id.
    pub fn get(&self, id: StorageId) -> &Storage {
        &self.nodes[id]
    }
}

/// Bits of a component in a local. Booleans in arrays are 32-bit so that arrays may live in memory.
pub fn local_bits(scalar: Scalar, length: u32) -> u8 {
    match scalar {
        Scalar::Bool if length == 1 => 1,
        other => other.bits() as u8,
    }
}

impl Lowerer<'_, '_> {
    /// Creates storage for a variable.
    pub fn new_storage(&mut self, ty: TypeId, name: &str) -> StorageId {
        self.new_storage_of(ty, 1, name)
    }

    fn new_storage_of(&mut self, ty: TypeId, length: u32, name: &str) -> StorageId {
        let types = self.types;
        let node = match types.get(ty) {
            Type::Scalar(scalar) => self.new_leaf(*scalar, 1, length, name),
            Type::Vector { scalar, size } => self.new_leaf(*scalar, *size, length, name),
            Type::Matrix { scalar, columns, rows } => {
                self.new_leaf(*scalar, *rows, length.saturating_mul(u32::from(*columns)), name)
            }
            Type::Array { element, length: ArrayLength::Fixed(n) } => {
                return self.new_storage_of(*element, length.saturating_mul(*n), name);
            }
            Type::Struct(s) => {
                let member = |l: &mut Self, m: &program::types::Member| {
                    l.new_storage_of(m.ty, length, &format!("{name}.{}", m.name))
                };
                Storage::Members(s.members.iter().map(|m| member(self, m)).collect())
            }
            // Opaque or empty: one slot number.
            _ => self.new_leaf(Scalar::Uint, 1, length, name),
        };
        self.storages.nodes.push(node)
    }

    fn new_leaf(&mut self, scalar: Scalar, components: u8, length: u32, name: &str) -> Storage {
        let local =
            self.builder.shader.create_local(local_bits(scalar, length), components, length.max(1), name);
        Storage::Leaf { local, scalar }
    }
}
