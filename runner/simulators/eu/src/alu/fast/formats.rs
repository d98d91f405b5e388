//! Floating-point formats on whole arrays: flushing, saturation, half floats, fused operations.
//!
//! Everything is branchless integer or float code per lane, and equal to `soft_float` bit for bit.

/// A subnormal single becomes a zero of the same sign.
#[inline(always)]
pub(super) fn flush32(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// A subnormal half becomes a zero of the same sign.
#[inline(always)]
pub(super) fn flush16(bits: u32) -> u32 {
    if bits & 0x7c00 == 0 { bits & 0x8000 } else { bits }
}

/// Clamps a single to [0, 1]; NaN and negative values become +0.
#[inline(always)]
pub(super) fn saturate32(bits: u32) -> u32 {
    if bits > 0x7f80_0000 { 0 } else { bits.min(0x3f80_0000) }
}

/// Clamps a half to [0, 1]; NaN and negative values become +0.
#[inline(always)]
pub(super) fn saturate16(bits: u32) -> u32 {
    if bits > 0x7c00 { 0 } else { bits.min(0x3c00) }
}

/// The default NaN for every NaN.
#[inline(always)]
pub(super) fn canonical32(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

/// A half as single, exactly; a NaN becomes the default NaN of the same sign.
#[inline(always)]
pub(super) fn half_to_single(half: u32) -> u32 {
    let (sign, magnitude) = ((half & 0x8000) << 16, half & 0x7fff);
    // The exponent moves by the difference of the biases; subnormals become normal on the way.
    let scale = f32::from_bits((127 + 112) << 23);
    let finite = (f32::from_bits(magnitude << 13) * scale).to_bits();
    let special = if magnitude == 0x7c00 { 0x7f80_0000 } else { 0x7fc0_0000 };
    sign | if magnitude >= 0x7c00 { special } else { finite }
}

/// The half nearest to a single, ties to even; a NaN becomes the default NaN of the same sign.
#[inline(always)]
pub(super) fn single_to_half(single: u32) -> u32 {
    let (sign, magnitude) = (single >> 16 & 0x8000, single & 0x7fff_ffff);
    // Below 2^-14 the sum with one half has the unit of subnormal halves.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let odd = magnitude >> 13 & 1;
    let normal = magnitude.wrapping_add(0xfff + odd).wrapping_sub(112 << 23) >> 13;
    let finite = if magnitude < 0x3880_0000 { small } else { normal };
    let limited = if magnitude >= 0x4780_0000 { 0x7c00 } else { finite };
    sign | if magnitude > 0x7f80_0000 { 0x7e00 } else { limited }
}

/// `a · b + c` rounded once: the product is exact in double precision, the sum is rounded to odd
/// there, and the rounding to single then sees everything it needs.
#[inline(always)]
pub(super) fn fma32<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA {
        return a.mul_add(b, c);
    }
    let (product, addend) = (f64::from(a) * f64::from(b), f64::from(c));
    let sum = product + addend;
    let virtual_addend = sum - product;
    let error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
    let bits = sum.to_bits();
    let inexact = error.abs() > 0.0;
    let outward = (error > 0.0) == (sum > 0.0);
    let odd = if outward { bits | 1 } else { bits.wrapping_sub(1) | 1 };
    f64::from_bits(if inexact && bits & 1 == 0 { odd } else { bits }) as f32
}

/// `a · b + c` of halves, rounded to odd in single precision: rounding it to half is rounding once.
#[inline(always)]
pub(super) fn fma16(a: f32, b: f32, c: f32) -> f32 {
    let product = a * b;
    let sum = product + c;
    let virtual_addend = sum - product;
    let error = (product - (sum - virtual_addend)) + (c - virtual_addend);
    let bits = sum.to_bits();
    let inexact = error.abs() > 0.0;
    let outward = (error > 0.0) == (sum > 0.0);
    let odd = if outward { bits | 1 } else { bits.wrapping_sub(1) | 1 };
    f32::from_bits(if inexact && bits & 1 == 0 { odd } else { bits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soft_float::{self, Round};
    use rand_pcg::{Pcg64Mcg, rand_core::RngCore};

    #[test]
    fn halves_convert_as_soft_says() {
        for half in 0..0x1_0000u32 {
            let expected =
                soft_float::convert(soft_float::HF, soft_float::F, half.into(), Round::Even);
            assert_eq!(u64::from(half_to_single(half)), expected, "{half:#x}");
        }
        let mut rng = Pcg64Mcg::new(5);
        for round in 0..400_000u32 {
            let raw = rng.next_u64() as u32;
            // Half of them near the range of halves and near ties.
            let near = (raw & 0x8000_3fff) | (0x3300_0000 + (raw >> 3 & 0x17ff_c000));
            let single = if round % 2 == 0 { raw } else { near };
            let expected =
                soft_float::convert(soft_float::F, soft_float::HF, single.into(), Round::Even);
            assert_eq!(u64::from(single_to_half(single)), expected, "{single:#x}");
        }
    }

    #[test]
    fn fused_halves_are_rounded_once() {
        let mut rng = Pcg64Mcg::new(6);
        for _ in 0..400_000 {
            let raw = rng.next_u64();
            let pick = |shift: u64| {
                let bits = (raw >> shift) as u32 & 0xffff;
                if raw >> 60 & 1 == 0 { bits } else { bits & 0x8fff | 0x3000 }
            };
            let halves = [pick(0), pick(16), pick(32)];
            let [a, b, c] = halves.map(|half| f32::from_bits(half_to_single(half)));
            let fused = canonical32(fma16(b, c, a));
            let [x, y, z] = halves.map(u64::from);
            let expected = soft_float::fma(soft_float::HF, y, z, x, Round::Even);
            assert_eq!(u64::from(single_to_half(fused)), expected, "{halves:x?}");
        }
    }

    #[test]
    fn fma32_is_fused() {
        let mut rng = Pcg64Mcg::new(11);
        for _ in 0..300_000 {
            let raw = rng.next_u64();
            let sign = |bit: u32| if raw >> bit & 1 == 0 { 1.0f32 } else { -1.0 };
            // (1 + kε)(1 − kε) half units of the addend: a product just beside a tie, by less than
            // a double resolves.
            let addend = sign(60) * f32::from_bits(0x3f80_0000 | (raw as u32 & 0x7f_ffff));
            let k = f32::EPSILON * ((raw >> 24 & 7) as f32 - 3.0);
            let (factor, other) =
                (1.0 + k, sign(61) * (1.0 - k) * 2f32.powi(-24 - (raw >> 32 & 1) as i32));
            let scale = 2f32.powi((raw >> 40 & 0x7f) as i32 - 64);
            let (a, b, c) = (addend * scale, factor * scale, other);
            assert_eq!(
                fma32::<false>(b, c, a).to_bits(),
                b.mul_add(c, a).to_bits(),
                "{b:e} * {c:e} + {a:e}"
            );
            let [x, y, z] = [0; 3].map(|_| f32::from_bits(rng.next_u64() as u32));
            let (ours, host) = (fma32::<false>(x, y, z), x.mul_add(y, z));
            assert!(
                ours.to_bits() == host.to_bits() || ours.is_nan() && host.is_nan(),
                "{x:e} * {y:e} + {z:e}"
            );
        }
    }
}
