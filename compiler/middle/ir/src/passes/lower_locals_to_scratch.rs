//! Lowering of local arrays to scratch memory.
//!
//! ```text
//! before:
//!   v1 = load_local v0 local=l0
//! after:
//!   v2 = umin v0, length - 1
//!   v3 = ishl v2, 2
//!   v1 = load_scratch v3
//! ```

use super::rewrite::{Action, rewrite};
use crate::ids::Local;
use crate::inst::InstKind;
use crate::intrinsics::{Fields, IntrinsicOp};
use crate::shader::Shader;
use cranelift_entity::SecondaryMap;

/// Allocates every local variable that is still accessed and has more than `dwords` of data, or is
/// to be in memory, in per-invocation scratch memory, and replaces the accesses by `load_scratch`
/// and `store_scratch`; sets `scratch_size`.
///
/// Components take a multiple of four bytes each (eight for 64 bits), elements are packed,
/// variables start at multiples of 32 bytes. Booleans are stored as 32-bit 0 or 1. Indices are
/// clamped to the array, so that no access leaves it. Run it last of the passes on locals: what
/// could be promoted should have been.
pub fn lower_locals_to_scratch(shader: &mut Shader, dwords: u32) -> bool {
    let mut places: SecondaryMap<Local, Option<u32>> = SecondaryMap::new();
    let mut size = shader.info.scratch_size;
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            let Some(local) = intrinsic.fields.local.filter(|_| is_access(intrinsic.op)) else {
                continue;
            };
            let bytes = element_size(shader, local).saturating_mul(shader.locals[local].length);
            let in_memory = shader.locals[local].in_memory || bytes > dwords.saturating_mul(4);
            if places[local].is_none() && in_memory {
                places[local] = Some(size);
                size = size.saturating_add(bytes).saturating_add(31) & !31;
            }
        }
    }
    shader.info.scratch_size = size;
    rewrite(shader, |b, inst| {
        let InstKind::Intrinsic(intrinsic) = &b.shader.insts[inst].kind else {
            return Action::Keep;
        };
        let Some((local, base)) = intrinsic
            .fields
            .local
            .filter(|_| is_access(intrinsic.op))
            .and_then(|l| places[l].map(|p| (l, p)))
        else {
            return Action::Keep;
        };
        let (srcs, write_mask) = (intrinsic.srcs.clone(), intrinsic.fields.write_mask);
        let is_load = intrinsic.op == IntrinsicOp::LoadLocal;
        let data = b.shader.locals[local].clone();
        let stored_bits = data.bits.max(32);
        let last = b.imm(data.length.saturating_sub(1));
        let index = b.umin(srcs[usize::from(!is_load)], last);
        let stride = b.imm(element_size(b.shader, local));
        let offset = b.imul(index, stride);
        let fields =
            Fields { base, align: u32::from(stored_bits) / 8, write_mask, ..Fields::default() };
        if is_load {
            let op = IntrinsicOp::LoadScratch;
            let value = b.load(op, &[offset], fields, stored_bits, data.components);
            return Action::Replace(match data.bits {
                1 => b.i2b(value),
                8 => b.u2u8(value),
                16 => b.u2u16(value),
                _ => value,
            });
        }
        let value = match data.bits {
            1 => b.b2i32(srcs[0]),
            8 | 16 => b.u2u32(srcs[0]),
            _ => srcs[0],
        };
        b.intrinsic(IntrinsicOp::StoreScratch, &[value, offset], fields, None);
        Action::Remove
    })
}

fn is_access(op: IntrinsicOp) -> bool {
    matches!(op, IntrinsicOp::LoadLocal | IntrinsicOp::StoreLocal)
}

/// Bytes of one element.
fn element_size(shader: &Shader, local: Local) -> u32 {
    let data = &shader.locals[local];
    u32::from(data.bits.max(32)) / 8 * u32::from(data.components)
}
