//! Results that are not numbers.
//!
//! The result of operands that are not numbers has the bits of the first of them, quiet. How the
//! compiler orders operands, or which library rounds, must not decide on it.

use amd_isa::Opcode;

use super::float::FloatMode;

/// The result of an operation of numbers that is none.
const DEFAULT: u32 = 0xffc0_0000;
const DEFAULT64: u64 = 0xfff8 << 48;

/// Result of an operation with its own result, or the one instead if that is not a number.
#[inline]
pub(crate) fn settled(opcode: Opcode, sources: [u64; 3], mode: FloatMode, result: u64) -> u64 {
    use Opcode::*;
    let [a, b, c] = sources;
    let is_zero = |source| mode.single(source) == 0.0;
    match opcode {
        VAddF32 | VSubF32 | VMulF32 | VMulLegacyF32 => single(result, &[a, b]),
        VSubrevF32 => single(result, &[b, a]),
        VFmaF32 => single(result, &[a, b, c]),
        VMacLegacyF32 | VMadLegacyF32 if is_zero(a) || is_zero(b) => single(result, &[c]),
        VMacF32 | VMadF32 | VMadakF32 | VMadmkF32 | VMacLegacyF32 | VMadLegacyF32 => {
            // The product is an operand of the sum.
            let product = (mode.single(a) * mode.single(b)).to_bits();
            let product = single(u64::from(product), &[a, b]);
            single(result, &[product, c])
        }
        VAddF64 | VMulF64 => double(result, &[a, b]),
        VFmaF64 => double(result, &[a, b, c]),
        VFractF32 | VTruncF32 | VCeilF32 | VFloorF32 | VRndneF32 | VRcpF32 | VRcpIflagF32
        | VRsqF32 | VSqrtF32 => single(result, &[a]),
        VTruncF64 | VCeilF64 | VFloorF64 | VRndneF64 | VRcpF64 | VRsqF64 | VSqrtF64 => {
            double(result, &[a])
        }
        _ => result,
    }
}

fn single(result: u64, operands: &[u64]) -> u64 {
    let is_nan = |bits: u64| f32::from_bits(bits as u32).is_nan();
    if !is_nan(result) {
        return result;
    }
    let nan = operands.iter().find(|operand| is_nan(**operand));
    nan.map_or(u64::from(DEFAULT), |bits| bits & 0xffff_ffff | 1 << 22)
}

fn double(result: u64, operands: &[u64]) -> u64 {
    let is_nan = |bits: u64| f64::from_bits(bits).is_nan();
    if !is_nan(result) {
        return result;
    }
    operands.iter().find(|operand| is_nan(**operand)).map_or(DEFAULT64, |bits| bits | 1 << 51)
}
