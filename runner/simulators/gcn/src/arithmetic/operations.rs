//! Operations of the vector ALU that compute each lane alone: from up to three sources to a result.

use amd_isa::{Kind, Modifiers, Opcode};

use super::convert;
use super::float::{FloatMode, cube, max32, max64, med32, min32, min64, turns};
use super::integer;
use super::short;
use crate::quirks::Quirks;

/// Operations with one way to compute their results; `None` for others.
pub(crate) type Family = fn(Opcode, [u64; 3], FloatMode, &Quirks) -> Option<u64>;

/// The families, in the order of their precedence.
const FAMILIES: [Family; 5] = [
    |opcode, sources, _, _| integer::compute(opcode, sources),
    |opcode, sources, mode, _| convert::compute(opcode, sources, mode),
    single,
    double,
    |opcode, sources, mode, _| short::compute(opcode, sources, mode),
];

/// The family of an operation; `None` if no family has it.
pub(crate) fn family(opcode: Opcode, mode: FloatMode, quirks: &Quirks) -> Option<Family> {
    FAMILIES.into_iter().find(|family| family(opcode, [0; 3], mode, quirks).is_some())
}

/// Applies output modifier and clamp to a result of a kind.
#[inline(always)]
pub(crate) fn output(kind: Kind, modifiers: &Modifiers, result: u64, mode: FloatMode) -> u64 {
    let factor = [1.0, 2.0, 4.0, 0.5][usize::from(modifiers.omod & 3)];
    match kind {
        Kind::F32 => {
            let mut value = f32::from_bits(result as u32);
            if modifiers.omod != 0 {
                value = value * factor as f32 + 0.0;
            }
            if modifiers.clamp {
                value = clamp(f64::from(value), mode) as f32;
            }
            mode.of_single(value)
        }
        Kind::F64 => {
            let mut value = f64::from_bits(result);
            if modifiers.omod != 0 {
                value = value * factor + 0.0;
            }
            if modifiers.clamp {
                value = clamp(value, mode);
            }
            mode.of_double(value)
        }
        Kind::F16 => {
            let mut value = short::source(result, mode);
            if modifiers.omod != 0 {
                value = value * factor + 0.0;
            }
            if modifiers.clamp {
                value = clamp(value, mode);
            }
            short::result(value, mode)
        }
        _ => result,
    }
}

/// A value limited to 0 to 1.
#[inline(always)]
fn clamp(value: f64, mode: FloatMode) -> f64 {
    if value.is_nan() {
        if mode.clamp_nan { 0.0 } else { value }
    } else if value <= 0.0 {
        0.0
    } else {
        value.min(1.0)
    }
}

/// Result of an operation on singles; `None` for others.
#[inline(always)]
pub(crate) fn single(opcode: Opcode, s: [u64; 3], mode: FloatMode, quirks: &Quirks) -> Option<u64> {
    use Opcode::*;
    let [a, b, c] = s.map(|bits| mode.single(bits));
    let of = |value: f32| Some(mode.of_single(value));
    let exact = |value: f64| Some(mode.of_single(value as f32));
    // The product is rounded and flushed before the sum.
    let product = || f32::from_bits(mode.of_single(a * b) as u32);
    let legacy = || if a == 0.0 || b == 0.0 { 0.0 } else { product() };
    let wide = f64::from(a);
    let limit = |value: f32| if value.is_infinite() { f32::MAX.copysign(value) } else { value };
    match opcode {
        VAddF32 => of(a + b),
        VSubF32 => of(a - b),
        VSubrevF32 => of(b - a),
        VMulF32 => of(a * b),
        VMulLegacyF32 => of(legacy()),
        VMacF32 | VMadF32 | VMadakF32 | VMadmkF32 => of(product() + c),
        VMacLegacyF32 | VMadLegacyF32 => of(legacy() + c),
        VFmaF32 => of(a.mul_add(b, c)),
        VMinF32 => of(min32(a, b)),
        VMaxF32 => of(max32(a, b)),
        VMinLegacyF32 => of(if a < b { a } else { b }),
        VMaxLegacyF32 => of(if a >= b { a } else { b }),
        VMin3F32 => of(min32(min32(a, b), c)),
        VMax3F32 => of(max32(max32(a, b), c)),
        VMed3F32 => of(med32(a, b, c)),
        VFractF32 => {
            let fraction = a - a.floor();
            of(if fraction >= 1.0 { f32::from_bits(0x3f7f_ffff) } else { fraction })
        }
        VTruncF32 => of(a.trunc()),
        VCeilF32 => of(a.ceil()),
        VFloorF32 => of(a.floor()),
        VRndneF32 => of(a.round_ties_even()),
        VRcpF32 | VRcpIflagF32 => exact(1.0 / wide),
        VRcpClampF32 => of(limit((1.0 / wide) as f32)),
        VRcpLegacyF32 => of(if a == 0.0 { 0.0 } else { (1.0 / wide) as f32 }),
        VRsqF32 => exact(1.0 / libm::sqrt(wide)),
        VRsqClampF32 => of(limit((1.0 / libm::sqrt(wide)) as f32)),
        VRsqLegacyF32 => of(if a == 0.0 { 0.0 } else { (1.0 / libm::sqrt(wide)) as f32 }),
        VSqrtF32 => exact(libm::sqrt(wide)),
        VExpF32 | VExpLegacyF32 => exact(libm::exp2(wide)),
        VLogF32 | VLogLegacyF32 => exact(libm::log2(wide)),
        VLogClampF32 => of(limit(libm::log2(wide) as f32)),
        VSinF32 => of(turns(a, libm::sin)),
        VCosF32 => of(turns(a, libm::cos)),
        VLdexpF32 => exact(libm::ldexp(wide, (s[1] as u32 as i32).clamp(-1000, 1000))),
        VFrexpMantF32 => of(if a.is_finite() { libm::frexpf(a).0 } else { a }),
        VFrexpExpI32F32 => {
            let other = if quirks.frexp_infinite { u32::MAX } else { 0 };
            let exponent = if a == 0.0 { 0 } else { libm::frexpf(a).1 as u32 };
            Some(u64::from(if a.is_finite() { exponent } else { other }))
        }
        VCubeidF32 => of(cube(a, b, c).face),
        VCubescF32 => of(cube(a, b, c).sc),
        VCubetcF32 => of(cube(a, b, c).tc),
        VCubemaF32 => of(cube(a, b, c).ma),
        _ => None,
    }
}

/// Result of an operation on doubles; `None` for others.
#[inline(always)]
pub(crate) fn double(opcode: Opcode, s: [u64; 3], mode: FloatMode, quirks: &Quirks) -> Option<u64> {
    use Opcode::*;
    let [a, b, c] = s.map(|bits| mode.double(bits));
    let of = |value: f64| Some(mode.of_double(value));
    let limit = |value: f64| if value.is_infinite() { f64::MAX.copysign(value) } else { value };
    match opcode {
        VAddF64 => of(a + b),
        VMulF64 => of(a * b),
        VFmaF64 => of(a.mul_add(b, c)),
        VMinF64 => of(min64(a, b)),
        VMaxF64 => of(max64(a, b)),
        VTruncF64 => of(a.trunc()),
        VCeilF64 => of(a.ceil()),
        VFloorF64 => of(a.floor()),
        VRndneF64 => of(a.round_ties_even()),
        VFractF64 => {
            let fraction = a - a.floor();
            let below = f64::from_bits(0x3fef_ffff_ffff_ffff);
            of(if fraction >= 1.0 && !quirks.fract_f64 { below } else { fraction })
        }
        VRcpF64 => of(1.0 / a),
        VRcpClampF64 => of(limit(1.0 / a)),
        VRsqF64 => of(1.0 / libm::sqrt(a)),
        VRsqClampF64 => of(limit(1.0 / libm::sqrt(a))),
        VSqrtF64 => of(libm::sqrt(a)),
        VLdexpF64 => of(libm::ldexp(a, (s[1] as u32 as i32).clamp(-5000, 5000))),
        VFrexpMantF64 => of(if a.is_finite() { libm::frexp(a).0 } else { a }),
        VFrexpExpI32F64 => {
            let other = if quirks.frexp_infinite { u32::MAX } else { 0 };
            let exponent = if a == 0.0 { 0 } else { libm::frexp(a).1 as u32 };
            Some(u64::from(if a.is_finite() { exponent } else { other }))
        }
        _ => None,
    }
}
