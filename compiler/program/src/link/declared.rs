//! Types and locations of interface variables as declared.

use crate::ids::TypeId;
use crate::stage::Stage;
use crate::types::TypeTable;
use crate::variable::Global;

/// Returns the type of an interface variable without the dimension that counts vertices.
pub(super) fn vertex_type(stage: Stage, global: &Global, types: &TypeTable) -> TypeId {
    if global.is_per_vertex_array(stage, types) {
        types.array_of(global.ty).map_or(global.ty, |(element, _)| element)
    } else {
        global.ty
    }
}

/// Returns the declared location of a variable: its own, or that of a block's first member.
pub(super) fn explicit_location(types: &TypeTable, global: &Global) -> Option<u32> {
    global.layout.location.or_else(|| {
        global.block.as_ref()?;
        types.members(types.without_arrays(global.ty))?.first()?.location
    })
}
