//! Places: storage that an l-value, or an expression that could be one, denotes in every lane.

use program::layout::Rules;
use program::types::MatrixOrder;
use program::{GlobalId, LocalId, TypeId};
use smallvec::{SmallVec, smallvec};

use crate::environment::AddressSpace;
use crate::lanes::Mask;

/// Storage of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlaceRoot {
    /// A local of the current function.
    Local(LocalId),
    /// A global held by value.
    Global(GlobalId),
    /// Memory, with a region for each lane.
    Memory,
    /// Opaque: sampler or image slots; the value is the slot number.
    Opaque,
}

/// Memory access of a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MemoryAccess {
    /// Region of block index 0; `Place::blocks` adds to it.
    pub(crate) space: AddressSpace,
    /// Layout rules.
    pub(crate) rules: Rules,
    /// Matrix order of what is accessed.
    pub(crate) order: MatrixOrder,
    /// Bytes between a vector's components when it is a column of a row-major matrix.
    pub(crate) component_stride: Option<u32>,
}

/// A place in every lane.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Storage.
    pub(crate) root: PlaceRoot,
    /// Type of the place before `swizzle`.
    pub(crate) ty: TypeId,
    /// Components (values), bytes (memory) or slots (opaque) from the root's start, per lane.
    pub(crate) offsets: SmallVec<[u32; 4]>,
    /// Index in an array of blocks, per lane; empty without one.
    pub(crate) blocks: SmallVec<[u32; 4]>,
    /// Image slots beside `offsets` (which count sampler slots) inside a structure of both.
    pub(crate) image_offsets: SmallVec<[u32; 4]>,
    /// Layout of the memory.
    pub(crate) access: Option<MemoryAccess>,
    /// Lanes whose indices are out of bounds: reads are undefined, writes are dropped.
    pub(crate) outside: Mask,
    /// Components selected of the vector.
    pub(crate) swizzle: Option<SmallVec<[u8; 4]>>,
    /// Lanes whose place depends on an undefined index.
    pub(crate) undefined: Mask,
}

impl Place {
    /// Returns a whole variable.
    pub(crate) fn new(root: PlaceRoot, ty: TypeId, lanes: usize) -> Place {
        Place {
            root,
            ty,
            offsets: smallvec![0; lanes],
            blocks: SmallVec::new(),
            image_offsets: SmallVec::new(),
            access: None,
            outside: Mask::none(lanes),
            swizzle: None,
            undefined: Mask::none(lanes),
        }
    }

    /// Returns the region and the offset, if all lanes have the same inside its bounds.
    pub(crate) fn same_in_all_lanes(&self) -> Option<(AddressSpace, u32)> {
        let same = |values: &[u32]| values.windows(2).all(|pair| pair[0] == pair[1]);
        let all = !self.outside.any() && same(&self.offsets) && same(&self.blocks);
        Some((self.space(0)?, *self.offsets.first()?)).filter(|_| all)
    }

    /// Returns the region a lane accesses.
    pub(crate) fn space(&self, lane: usize) -> Option<AddressSpace> {
        let extra = self.blocks.get(lane).copied().unwrap_or(0);
        Some(match self.access?.space {
            AddressSpace::UniformBlock(n) => AddressSpace::UniformBlock(n + extra),
            AddressSpace::StorageBlock(n) => AddressSpace::StorageBlock(n + extra),
            other => other,
        })
    }
}
