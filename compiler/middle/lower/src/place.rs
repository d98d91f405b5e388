//! Places: the meaning of l-values.

use ir::Value;
use ir::intrinsics::{ACCESS_COHERENT, ACCESS_RESTRICT, ACCESS_VOLATILE};
use program::layout::{Rules, varying_slots};
use program::resource::Slot as ProgramSlot;
use program::types::{MatrixOrder, Member};
use program::variable::MemoryQualifiers;
use program::{ArrayLength, BuiltinVariable, GlobalId, Type, TypeId, TypeTable};
use smallvec::{SmallVec, smallvec};

use crate::storage::StorageId;

/// An index or offset: a constant plus, perhaps, a computed part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Index {
    /// Constant part.
    pub(crate) constant: u32,
    /// Computed 32-bit part.
    pub(crate) dynamic: Option<Value>,
}

/// The storage that holds a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Base {
    /// Variable storage; the index counts elements of the flattened locals.
    Variable(StorageId),
    /// Buffer or shared memory.
    Memory(MemoryPlace),
    /// Slots of the stage's interface, read where used.
    Input(InputPlace),
    /// System value.
    System(GlobalId),
    /// Sampler and image slots; the place's index counts samplers.
    Opaque {
        /// Image slot.
        image: Index,
        /// Byte offset of plain members beside the opaque ones.
        bytes: Index,
    },
}

/// A place of some type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    /// The storage that holds it.
    pub(crate) base: Base,
    /// Elements, bytes or slots from the start.
    pub(crate) index: Index,
    /// Type before `swizzle` and `component`.
    pub(crate) ty: TypeId,
    /// Components chosen of the vector.
    pub(crate) swizzle: Option<SmallVec<[u8; 4]>>,
    /// Component chosen by a computed index (after `swizzle`).
    pub(crate) component: Option<Value>,
}

impl Place {
    /// The start of something.
    pub(crate) fn new(base: Base, ty: TypeId) -> Place {
        Place { base, index: Index::default(), ty, swizzle: None, component: None }
    }

    /// The indices of an opaque place or one in memory, always as many for the same kind of place.
    pub(crate) fn indices_mut(&mut self) -> SmallVec<[&mut Index; 3]> {
        let mut indices = smallvec![&mut self.index];
        match &mut self.base {
            Base::Opaque { image, bytes } => indices.extend([image, bytes]),
            Base::Memory(MemoryPlace {
                space: Space::Uniform(block) | Space::Storage(block),
                ..
            }) => indices.push(block),
            Base::Memory(_) | Base::Variable(_) | Base::Input(_) | Base::System(_) => {}
        }
        indices
    }
}

/// The memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Space {
    /// Uniform block, numbered as the IR does: 0 is the default block.
    Uniform(Index),
    /// Storage block.
    Storage(Index),
    /// Shared memory.
    Shared,
    /// Atomic counter buffer of a binding.
    Counter(u32),
}

/// A place in memory; the place's index is the byte offset.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryPlace {
    /// The memory.
    pub(crate) space: Space,
    /// Layout rules.
    pub(crate) rules: Rules,
    /// Matrix order at this point.
    pub(crate) order: MatrixOrder,
    /// Bytes between a vector's components, when it is a column of a row-major matrix.
    pub(crate) component_stride: Option<u32>,
    pub(crate) access: u8,
    /// Dimensions of the array of blocks that are not indexed yet.
    pub(crate) block_dimensions: u32,
}

impl MemoryPlace {
    /// The start of a block.
    pub(crate) fn new(
        space: Space,
        rules: Rules,
        order: MatrixOrder,
        memory: MemoryQualifiers,
    ) -> MemoryPlace {
        let bit = |on, bit| if on { bit } else { 0 };
        let access = bit(memory.coherent, ACCESS_COHERENT)
            | bit(memory.volatile, ACCESS_VOLATILE)
            | bit(memory.restrict, ACCESS_RESTRICT);
        MemoryPlace { space, rules, order, component_stride: None, access, block_dimensions: 0 }
    }

    /// Takes one dimension of an array of blocks; `false` when the place is inside a block.
    pub(crate) fn enter_block_array(&mut self) -> bool {
        let outside = self.block_dimensions > 0;
        self.block_dimensions = self.block_dimensions.saturating_sub(1);
        outside
    }

    /// Index of the block.
    pub(crate) fn block(&self) -> Option<Index> {
        match self.space {
            Space::Uniform(index) | Space::Storage(index) => Some(index),
            _ => None,
        }
    }

    /// Goes to another block.
    pub(crate) fn set_block(&mut self, block: Index) {
        match &mut self.space {
            Space::Uniform(index) | Space::Storage(index) => *index = block,
            _ => {}
        }
    }

    /// Bytes between elements of an array or columns of a matrix.
    pub(crate) fn step(&self, types: &TypeTable, ty: TypeId, element: TypeId) -> u32 {
        match *types.get(ty) {
            Type::Array { .. } if is_index(types.get(types.without_arrays(element))) => {
                4 * blocks_in(types, element)
            }
            Type::Array { .. } => self.rules.array_stride(types, element, self.order),
            Type::Matrix { scalar, .. } if self.order == MatrixOrder::RowMajor => scalar.bytes(),
            _ => self.rules.matrix_stride(types, ty, self.order),
        }
    }

    /// Goes to an element or column. A column of a row-major matrix is strided.
    pub(crate) fn enter_part(&mut self, types: &TypeTable, ty: TypeId) {
        if types.array_of(ty).is_some() {
            self.rules = self.rules.of_element(types);
        }
        if matches!(types.get(ty), Type::Matrix { .. }) && self.order == MatrixOrder::RowMajor {
            self.component_stride = Some(self.rules.matrix_stride(types, ty, self.order));
        }
    }
}

/// A place in slots that are read (or, in the control stage, written) where used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InputPlace {
    /// Variable.
    pub(crate) global: GlobalId,
    /// Vertex of the primitive or patch.
    pub(crate) vertex: Option<Value>,
    /// True if the vertex dimension, if any, has been indexed.
    pub(crate) vertex_taken: bool,
    /// First slot, when a member of a per-vertex block decided it.
    pub(crate) slot: Option<ProgramSlot>,
    /// Slots after the first.
    pub(crate) offset: Index,
    /// Array elements that are components of one slot (`gl_ClipDistance`).
    pub(crate) element: Option<Index>,
    /// Component of the first element of such an array: cull distances follow the clip distances.
    pub(crate) first: u32,
}

impl InputPlace {
    /// The start of a variable.
    pub(crate) fn new(global: GlobalId, first: u32) -> InputPlace {
        InputPlace {
            global,
            vertex: None,
            vertex_taken: false,
            slot: None,
            offset: Index::default(),
            element: None,
            first,
        }
    }

    /// Goes to a member of a block or structure.
    pub(crate) fn select_member(
        &mut self,
        types: &TypeTable,
        member: &Member,
        before: &[Member],
        first: u32,
    ) {
        match member.builtin.and_then(builtin_slot) {
            Some(slot) => (self.slot, self.first) = (Some(slot), first),
            None => {
                self.offset.constant +=
                    before.iter().map(|m| varying_slots(types, m.ty)).sum::<u32>()
            }
        }
    }
}

/// Number of innermost elements of an array of arrays, 1 for anything else.
pub(crate) fn blocks_in(types: &TypeTable, ty: TypeId) -> u32 {
    match *types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(blocks_in(types, element))
        }
        _ => 1,
    }
}

/// Returns true if memory holds a plain `uint` for a value of this opaque type: atomic counters and
/// subroutine indices.
fn is_index(ty: &Type) -> bool {
    matches!(ty, Type::AtomicCounter | Type::Subroutine(_))
}

/// Returns the slot of a per-vertex built-in.
pub(crate) fn builtin_slot(builtin: BuiltinVariable) -> Option<ProgramSlot> {
    use BuiltinVariable as B;
    Some(match builtin {
        B::Position => ProgramSlot::Position,
        B::PointSize => ProgramSlot::PointSize,
        B::ClipDistance | B::CullDistance => ProgramSlot::ClipDistance(0),
        B::ClipVertex => ProgramSlot::ClipVertex,
        B::FrontColor | B::Color => ProgramSlot::Color(0),
        B::FrontSecondaryColor | B::SecondaryColor => ProgramSlot::Color(1),
        B::BackColor => ProgramSlot::BackColor(0),
        B::BackSecondaryColor => ProgramSlot::BackColor(1),
        B::TexCoord => ProgramSlot::TexCoord(0),
        B::FogFragCoord => ProgramSlot::Fog,
        B::Layer => ProgramSlot::Layer,
        B::ViewportIndex => ProgramSlot::ViewportIndex,
        B::PrimitiveId => ProgramSlot::PrimitiveId,
        _ => return None,
    })
}
