//! Accesses to patches: positions of interface variables, levels of the header.

use super::patch::{self, Level, Place};
use super::slot_access::{SlotAccess, SlotOffset};
use crate::error::CompileError;
use crate::isel::Selection;
use crate::lir::Operand;
use crate::output::{PatchMap, TessDomain};
use ir::{Intrinsic, Value};

/// Returns the position in a patch of an access to a slot other than a level, and the dword of its
/// first component: of `vertex`, or of the patch.
///
/// # Errors
/// The slot does not travel between the tessellation stages.
pub(super) fn place<T: SlotAccess>(
    isel: &mut Selection<'_, T>,
    map: &PatchMap,
    intrinsic: &Intrinsic,
    vertex: Option<Value>,
    offset: Value,
) -> Result<(SlotOffset, u8), CompileError> {
    let offset = T::slot_offset(isel, offset);
    let component = intrinsic.fields.component;
    match (patch::place(map, intrinsic.fields.slot)?, vertex) {
        (Place::Patch { slot, dword }, _) => Ok((offset.advance(slot), dword as u8 + component)),
        (Place::Vertex { slot, dword }, Some(vertex)) => {
            let slots = map.per_vertex.len() as u32;
            let offset = offset.advance(slot);
            let offset = match isel.constant(vertex) {
                Some(vertex) => offset.advance(vertex.min(patch::MAX_VERTICES) * slots),
                None => T::add_vertex(isel, offset, vertex, slots),
            };
            Ok((offset, dword as u8 + component))
        }
        (Place::Vertex { .. }, None) => Err(CompileError::internal("access to no vertex")),
    }
}

/// Defines `result` as levels from number `first` on, given both slots of the patch header. Levels
/// that the domain lacks are zero.
pub(super) fn define_levels<T: SlotAccess>(
    isel: &mut Selection<'_, T>,
    level: Level,
    domain: TessDomain,
    header: [T::Slot; 2],
    first: u8,
    result: Value,
) {
    let count = isel.shader.components(result);
    let dword = |n: u8| match level.place(domain, u32::from(n)) {
        Some((slot, dword)) => T::slot_dword(&header[slot as usize], dword),
        None => Operand::ud(0),
    };
    T::define_components(isel, result, (first..first + count).map(dword).collect());
}
