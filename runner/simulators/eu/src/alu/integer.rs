//! Integer operations on exact values: sources are extended to `i128`, so nothing overflows before
//! the destination.

use intel_isa::Opcode;

use super::bitops;
use crate::op::{Exec, Op};
use crate::regs::mask;

/// The bits of `value` in the execution width.
fn bits(value: i128, bytes: u8) -> u64 {
    value as u64 & mask(bytes.into())
}

/// A bit pattern of the execution width as a value again.
fn value(pattern: u64, bytes: u8, signed: bool) -> i128 {
    let unused = 64 - u32::from(bytes) * 8;
    if signed {
        i128::from(((pattern << unused) as i64) >> unused)
    } else {
        i128::from(pattern & mask(bytes.into()))
    }
}

/// Two-source and one-source operations without side effects. `None`: not an integer operation.
pub fn evaluate(op: &Op, a: i128, b: i128, c: i128) -> Option<i128> {
    let (bytes, signed) = match op.exec {
        Exec::Int { bytes, signed } => (bytes, signed),
        _ => return None,
    };
    let count = (b & if bytes == 8 { 63 } else { 31 }) as u32;
    let dword = |x: i128| x as u32;
    let logic = |pattern: u64| value(pattern, bytes, signed);
    Some(match op.opcode {
        Opcode::Mov => a,
        Opcode::Not => logic(!bits(a, bytes)),
        Opcode::And => logic(bits(a, bytes) & bits(b, bytes)),
        Opcode::Or => logic(bits(a, bytes) | bits(b, bytes)),
        Opcode::Xor => logic(bits(a, bytes) ^ bits(b, bytes)),
        // Nothing is cut here: saturation needs the bits beyond the destination.
        Opcode::Shl => a.wrapping_shl(count),
        Opcode::Shr => i128::from(bits(a, bytes).checked_shr(count).unwrap_or(0)),
        Opcode::Asr => a >> count,
        Opcode::Add => a.wrapping_add(b),
        Opcode::Avg => a.wrapping_add(b).wrapping_add(1) >> 1,
        Opcode::Mul => a.wrapping_mul(multiplier(op, b)),
        Opcode::Mad => a.wrapping_add(b.wrapping_mul(c)),
        Opcode::Lzd => bitops::lzd(dword(a)).into(),
        Opcode::Fbh if signed => bitops::fbh_signed(dword(a) as i32).into(),
        Opcode::Fbh => bitops::fbh_unsigned(dword(a)).into(),
        Opcode::Fbl => bitops::fbl(dword(a)).into(),
        Opcode::Cbit => bitops::cbit(dword(a)).into(),
        Opcode::Bfrev => bitops::bfrev(dword(a)).into(),
        Opcode::Bfi1 => bitops::bfi1(dword(a), dword(b)).into(),
        Opcode::Bfi2 => bitops::bfi2(dword(a), dword(b), dword(c)).into(),
        Opcode::Bfe if signed => bitops::bfe_signed(dword(a), dword(b), dword(c) as i32).into(),
        Opcode::Bfe => bitops::bfe_unsigned(dword(a), dword(b), dword(c)).into(),
        _ => return None,
    })
}

/// `gen7-dword-mul`: MUL of dwords sees only the low word of src1, without sign.
fn multiplier(op: &Op, b: i128) -> i128 {
    let dwords = op.src[0].ty.size() == 4 && op.src[1].ty.size() == 4;
    if op.shape.quirks.gen7_dword_mul && dwords { b & 0xffff } else { b }
}

/// MACH: completes a product begun by MUL with the high word of src1. Returns the new accumulator;
/// the destination gets its bits 63:32.
pub fn mach(a: i128, b: i128, acc: i128) -> i128 {
    acc.wrapping_add(a.wrapping_mul(b >> 16).wrapping_shl(16))
}

/// ADDC on dwords: sum and carry.
pub fn addc(a: i128, b: i128) -> (i128, i128) {
    let sum = (a & 0xffff_ffff) + (b & 0xffff_ffff);
    (sum & 0xffff_ffff, sum >> 32)
}

/// SUBB on dwords: difference and borrow.
pub fn subb(a: i128, b: i128) -> (i128, i128) {
    let difference = (a & 0xffff_ffff) - (b & 0xffff_ffff);
    (difference & 0xffff_ffff, i128::from(difference < 0))
}
