//! Operations of the vector ALU on halves and integers of 16 bits (vi). Results have zeros in the
//! upper half of their register.

use amd_isa::Opcode;

use super::float::{FloatMode, max64, min64, turns};
use super::half;

/// Largest half below 1.
const BELOW_ONE: f64 = 1.0 - 1.0 / 2048.0;
/// Exponents beyond those of halves.
const MOST_EXPONENT: i32 = 64;

/// A half as a double. Denormals of halves are kept or flushed as those of doubles.
pub(crate) fn source(bits: u64, mode: FloatMode) -> f64 {
    let half = bits as u16;
    let is_denormal = half & 0x7c00 == 0;
    let half = if mode.flush_input64 && is_denormal { half & 0x8000 } else { half };
    f64::from(half::to_single(half))
}

/// Bits of a result.
pub(crate) fn result(value: f64, mode: FloatMode) -> u64 {
    let half = half::of_double(value);
    let is_denormal = half & 0x7c00 == 0;
    u64::from(if mode.flush_output64 && is_denormal { half & 0x8000 } else { half })
}

/// Result of an operation on halves or on integers of 16 bits; `None` for others.
pub(crate) fn compute(opcode: Opcode, sources: [u64; 3], mode: FloatMode) -> Option<u64> {
    integer(opcode, sources).or_else(|| float(opcode, sources, mode))
}

fn float(opcode: Opcode, sources: [u64; 3], mode: FloatMode) -> Option<u64> {
    use Opcode::*;
    let [a, b, c] = sources.map(|bits| source(bits, mode));
    // The product is rounded before the sum.
    let product = || source(result(a * b, mode), mode);
    let value = match opcode {
        VAddF16 => a + b,
        VSubF16 => a - b,
        VSubrevF16 => b - a,
        VMulF16 => a * b,
        VMacF16 | VMadF16 => product() + c,
        VFmaF16 => a * b + c,
        VMinF16 => min64(a, b),
        VMaxF16 => max64(a, b),
        VRcpF16 => 1.0 / a,
        VSqrtF16 => libm::sqrt(a),
        VRsqF16 => 1.0 / libm::sqrt(a),
        VLogF16 => libm::log2(a),
        VExpF16 => libm::exp2(a),
        VFloorF16 => libm::floor(a),
        VCeilF16 => libm::ceil(a),
        VTruncF16 => libm::trunc(a),
        VRndneF16 => libm::rint(a),
        VFractF16 => {
            let fraction = a - libm::floor(a);
            if fraction > BELOW_ONE { BELOW_ONE } else { fraction }
        }
        VSinF16 => f64::from(turns(a as f32, libm::sin)),
        VCosF16 => f64::from(turns(a as f32, libm::cos)),
        VFrexpMantF16 => {
            if a.is_finite() {
                libm::frexp(a).0
            } else {
                a
            }
        }
        VLdexpF16 => {
            let exponent = i32::from(sources[1] as u16 as i16);
            libm::ldexp(a, exponent.clamp(-MOST_EXPONENT, MOST_EXPONENT))
        }
        VCvtF16U16 => f64::from(sources[0] as u16),
        VCvtF16I16 => f64::from(sources[0] as u16 as i16),
        // Conversions truncate and stay in the range of the type.
        VCvtU16F16 => return Some(u64::from(a as u16)),
        VCvtI16F16 => return Some(u64::from((a as i16).cast_unsigned())),
        VFrexpExpI16F16 => {
            let exponent = if a.is_finite() && a != 0.0 { libm::frexp(a).1 } else { 0 };
            return Some(u64::from((exponent as i16).cast_unsigned()));
        }
        _ => return None,
    };
    Some(result(value, mode))
}

fn integer(opcode: Opcode, sources: [u64; 3]) -> Option<u64> {
    use Opcode::*;
    let [x, y, z] = sources.map(|value| value as u16);
    let [i, j, _] = [x, y, z].map(u16::cast_signed);
    Some(u64::from(match opcode {
        VAddU16 => x.wrapping_add(y),
        VSubU16 => x.wrapping_sub(y),
        VSubrevU16 => y.wrapping_sub(x),
        VMulLoU16 => x.wrapping_mul(y),
        VMadU16 | VMadI16 => x.wrapping_mul(y).wrapping_add(z),
        VLshlrevB16 => y << (x & 15),
        VLshrrevB16 => y >> (x & 15),
        VAshrrevI16 => (j >> (x & 15)).cast_unsigned(),
        VMaxU16 => x.max(y),
        VMinU16 => x.min(y),
        VMaxI16 => i.max(j).cast_unsigned(),
        VMinI16 => i.min(j).cast_unsigned(),
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(opcode: Opcode, sources: [u64; 3]) -> u64 {
        compute(opcode, sources, FloatMode::DEFAULT).expect("an operation")
    }

    #[test]
    fn integers_of_16_bits() {
        use Opcode::*;
        assert_eq!(of(VAddU16, [0xffff_ffff, 3, 0]), 2);
        assert_eq!(of(VMadU16, [0x100, 0x100, 7]), 7);
        assert_eq!(of(VAshrrevI16, [4, 0x8000, 0]), 0xf800);
        assert_eq!((of(VMaxI16, [0xffff, 1, 0]), of(VMaxU16, [0xffff, 1, 0])), (1, 0xffff));
    }

    #[test]
    fn halves() {
        use Opcode::*;
        // 1 + 2^-11 rounds to 1, to the nearest even.
        assert_eq!(of(VAddF16, [0x3c00, 0x1000, 0]), 0x3c00);
        assert_eq!(of(VMulF16, [0x7bff, 0x4000, 0]), 0x7c00);
        assert_eq!(of(VMulF16, [1, 0x3800, 0]), 0, "half of the least denormal");
        assert_eq!(of(VRcpF16, [0, 0, 0]), 0x7c00);
        assert_eq!(of(VFractF16, [0x8001, 0, 0]), 0x3bff);
        assert_eq!((of(VCvtI16F16, [0xc500, 0, 0]), of(VCvtU16F16, [0xc500, 0, 0])), (0xfffb, 0));
        assert_eq!(of(VLdexpF16, [0x3c00, 0xffff, 0]), 0x3800);
        let kept = FloatMode::of(0x1c0);
        let flushed = FloatMode::of(0x100);
        assert_eq!((source(1, kept) > 0.0, source(1, flushed)), (true, 0.0));
    }
}
