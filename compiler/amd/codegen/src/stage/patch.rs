//! Addresses in patches, which both tessellation stages have.

use crate::machine::{Part, bits};
use crate::select::{Selection, Step};
use amd_isa::Opcode;
use ir::{Slot, Value};

/// True for slots of a patch, false for those of each of its vertices.
pub(crate) fn is_of_patch(slot: Slot) -> bool {
    matches!(slot, Slot::Patch(_) | Slot::TessLevelOuter | Slot::TessLevelInner)
}

/// Adds an index, times its stride in bytes, to an address: the constant part comes back apart.
pub(crate) fn scaled(
    s: &mut Selection<'_>,
    address: Part,
    index: Value,
    stride: u32,
) -> Step<(Part, u32)> {
    if let Some(index) = s.constant(index) {
        return Ok((address, index.wrapping_mul(stride)));
    }
    let index = s.dword(index, 0)?;
    let index = s.e.in_vector(index);
    let stride = bits(s.chip(), stride);
    let product = s.e.valu1(Opcode::VMulU32U24, &[stride.into(), index.into()]);
    let sum = s.e.vector();
    s.add(sum, product.into(), address.into());
    Ok((sum, 0))
}
