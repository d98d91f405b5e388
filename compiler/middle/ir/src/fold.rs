//! Arithmetic of the IR: what each ALU operation computes. Constant folding and the evaluator share
//! it.
//!
//! Values are carried in the low bits of `u64`, the rest zero. Float results are IEEE, rounded to
//! nearest even: add, subtract, multiply, divide and square root of 16- and 32-bit operands are
//! computed in f64 and rounded once more, which gives the correctly rounded result because 53 ≥
//! 2·24 + 2 bits; transcendental functions come from the pinned `libm`. NaN results are the
//! canonical quiet NaN, so that evaluation is deterministic.

/// Context of a folding function beside its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldCtx {
    /// Width of the instruction's unsized operands (of any operand if all are sized).
    pub bits: u8,
    /// 32-bit denormals count as zero in arithmetic; see
    /// [`FloatControls`](crate::info::FloatControls).
    pub flush_f32: bool,
}

/// How an operation folds.
#[derive(Clone, Copy, Debug)]
pub enum Fold {
    /// Component by component: operands to result. Bits above the result's width are cut
    /// afterwards.
    Scalar(fn(FoldCtx, &[u64; 4]) -> u64),
    /// All components at once, sources already swizzled.
    Vector(fn(FoldCtx, &[[u64; 4]]) -> [u64; 4]),
    /// Needs the other invocations of the quad: does not fold.
    Quad,
}

/// The low `bits` bits set.
pub fn mask(bits: u8) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// The highest of `bits` bits.
pub fn sign_bit(bits: u8) -> u64 {
    1 << (bits - 1)
}

/// The low `bits` bits as a signed number.
pub fn sext(bits: u8, value: u64) -> i64 {
    let shift = 64 - u32::from(bits);
    ((value << shift) as i64) >> shift
}

/// Shift count modulo the width.
pub(crate) fn count(ctx: FoldCtx, value: u64) -> u32 {
    (value & (u64::from(ctx.bits) - 1)) as u32
}

/// The bits of `value` in a float of `bits` bits, rounded to nearest even; NaN becomes canonical.
pub fn encode_float(bits: u8, value: f64) -> u64 {
    match bits {
        16 => f64_to_f16(value, false).into(),
        32 if value.is_nan() => 0x7fc0_0000,
        32 => (value as f32).to_bits().into(),
        _ if value.is_nan() => 0x7ff8_0000_0000_0000,
        _ => value.to_bits(),
    }
}

/// The value of a float of `bits` bits, exactly.
pub fn decode_float(bits: u8, value: u64) -> f64 {
    match bits {
        16 => f16_to_f64(value as u16),
        32 => f32::from_bits(value as u32).into(),
        _ => f64::from_bits(value),
    }
}

/// A 32-bit denormal becomes zero of the same sign.
fn flush(value: u64) -> u64 {
    if value & 0x7f80_0000 == 0 { value & 0x8000_0000 } else { value }
}

/// Decodes an unsized operand under the float controls.
pub(crate) fn decode(ctx: FoldCtx, value: u64) -> f64 {
    let value = if ctx.bits == 32 && ctx.flush_f32 { flush(value) } else { value };
    decode_float(ctx.bits, value)
}

fn encode(ctx: FoldCtx, bits: u8, value: f64) -> u64 {
    let encoded = encode_float(bits, value);
    if bits == 32 && ctx.flush_f32 { flush(encoded) } else { encoded }
}

pub(crate) fn float1(ctx: FoldCtx, s: &[u64; 4], f: impl Fn(f64) -> f64) -> u64 {
    encode(ctx, ctx.bits, f(decode(ctx, s[0])))
}

pub(crate) fn float2(ctx: FoldCtx, s: &[u64; 4], f: impl Fn(f64, f64) -> f64) -> u64 {
    encode(ctx, ctx.bits, f(decode(ctx, s[0]), decode(ctx, s[1])))
}

pub(crate) fn compare(ctx: FoldCtx, s: &[u64; 4], f: impl Fn(f64, f64) -> bool) -> u64 {
    f(decode(ctx, s[0]), decode(ctx, s[1])).into()
}

pub(crate) fn int2(ctx: FoldCtx, s: &[u64; 4], f: impl Fn(i64, i64) -> i64) -> u64 {
    f(sext(ctx.bits, s[0]), sext(ctx.bits, s[1])) as u64
}

/// A half float's value; every one is exact in f64.
pub fn f16_to_f64(half: u16) -> f64 {
    let sign = if half & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(half >> 10 & 0x1f);
    let mantissa = f64::from(half & 0x3ff);
    sign * match exponent {
        0 => mantissa * libm::exp2(-24.0),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => libm::scalbn(1024.0 + mantissa, exponent - 25),
    }
}

/// Rounds to half, to nearest even or towards zero. Overflow gives infinity to nearest, the largest
/// finite value towards zero.
pub fn f64_to_f16(value: f64, to_zero: bool) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.is_nan() {
        return 0x7e00;
    }
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return sign | 0x7c00;
    }
    // The result is an integer multiple of this quantum; scaling by a power of two is exact here,
    // because only magnitudes far below the smallest half could underflow.
    let exponent = if magnitude == 0.0 { -14 } else { libm::ilogb(magnitude).max(-14) };
    let scaled = libm::scalbn(magnitude, 10 - exponent);
    let rounded = if to_zero { scaled.trunc() } else { scaled.round_ties_even() };
    // For a normal number `rounded` is 1024..=2048, and adding it to the biased exponent field
    // carries right.
    let bits = ((exponent + 14).min(31) as u32) << 10;
    let bits = bits + rounded as u32;
    match (bits >= 0x7c00, to_zero) {
        (true, true) => sign | 0x7bff,
        (true, false) => sign | 0x7c00,
        _ => sign | bits as u16,
    }
}

pub(crate) fn vector(_: FoldCtx, s: &[[u64; 4]]) -> [u64; 4] {
    let mut result = [0; 4];
    for (out, source) in result.iter_mut().zip(s) {
        *out = source[0];
    }
    result
}

/// Fused multiply-add with a single rounding in any width.
pub(crate) fn ffma(ctx: FoldCtx, s: &[u64; 4]) -> u64 {
    let [a, b, c] = [decode(ctx, s[0]), decode(ctx, s[1]), decode(ctx, s[2])];
    let result = match ctx.bits {
        64 => libm::fma(a, b, c),
        32 => libm::fmaf(a as f32, b as f32, c as f32).into(),
        _ => fma_round_to_odd(a, b, c),
    };
    encode(ctx, ctx.bits, result)
}

/// `a * b + c` where the product is exact in f64: the sum rounded to odd, so that rounding once
/// more to a narrower format is rounding once (Boldo and Melquiond, 2008).
fn fma_round_to_odd(a: f64, b: f64, c: f64) -> f64 {
    let product = a * b;
    let sum = product + c;
    if !sum.is_finite() {
        return sum;
    }
    // The error of the sum, exactly (Knuth's two-sum).
    let part = sum - product;
    let error = (product - (sum - part)) + (c - part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

pub(crate) fn sign(a: f64) -> f64 {
    if a > 0.0 {
        1.0
    } else if a < 0.0 {
        -1.0
    } else if a.is_nan() {
        0.0
    } else {
        a
    }
}

pub(crate) fn saturate(a: f64) -> f64 {
    if a > 0.0 { a.min(1.0) } else { 0.0 }
}

pub(crate) fn min(a: f64, b: f64) -> f64 {
    if b.is_nan() || a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

pub(crate) fn max(a: f64, b: f64) -> f64 {
    if b.is_nan() || a > b || (a == b && a.is_sign_positive()) { a } else { b }
}

/// Reciprocal square root, one residual step beyond the naive quotient so that f64 is accurate too.
pub(crate) fn rsq(x: f64) -> f64 {
    let y = 1.0 / libm::sqrt(x);
    if !y.is_normal() || !x.is_normal() || !(1e-290..=1e300).contains(&x) {
        return y;
    }
    let product = y * x;
    let low = libm::fma(y, x, -product);
    let residual = libm::fma(-product, y, 1.0) - low * y;
    libm::fma(y * 0.5, residual, y)
}

/// GLSL `mod` step by step. Where the quotient of a multiple rounds below the integer the result
/// would be `b` itself: that is 0. A result that merely rounds to `b` (a tiny negative `a`) stays.
pub(crate) fn fmod(ctx: FoldCtx, s: &[u64; 4]) -> u64 {
    if ctx.bits == 16 { float2(ctx, s, floored_remainder) } else { remainder(ctx, s, libm::floor) }
}

/// `a - b * floor(a / b)` without any rounding but the last sum's; NaN where the definition gives
/// it.
fn floored_remainder(a: f64, b: f64) -> f64 {
    let rest = if b.is_infinite() { f64::NAN } else { libm::fmod(a, b) };
    if rest == 0.0 {
        // A difference of equal numbers, which is positive.
        0.0
    } else if (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

/// Remainder of the truncated quotient, step by step.
pub(crate) fn frem(ctx: FoldCtx, s: &[u64; 4]) -> u64 {
    remainder(ctx, s, libm::trunc)
}

fn remainder(ctx: FoldCtx, s: &[u64; 4], round: fn(f64) -> f64) -> u64 {
    let quotient = float2(ctx, s, |a, b| a / b);
    let whole = float1(ctx, &[quotient, 0, 0, 0], round);
    let product = float2(ctx, &[s[1], whole, 0, 0], |a, b| a * b);
    let result = float2(ctx, &[s[0], product, 0, 0], |a, b| a - b);
    let (a, b, next) = (decode(ctx, s[0]), decode(ctx, s[1]), decode(ctx, whole) + 1.0);
    let multiple = decode(ctx, result) == b && libm::fma(-b, next, a) == 0.0;
    if multiple { encode_float(ctx.bits, 0.0) } else { result }
}

pub(crate) fn flrp(ctx: FoldCtx, s: &[u64; 4]) -> u64 {
    let one = encode_float(ctx.bits, 1.0);
    let rest = float2(ctx, &[one, s[2], 0, 0], |a, b| a - b);
    let left = float2(ctx, &[s[0], rest, 0, 0], |a, b| a * b);
    let right = float2(ctx, &[s[1], s[2], 0, 0], |a, b| a * b);
    float2(ctx, &[left, right, 0, 0], |a, b| a + b)
}

pub(crate) fn fldexp(ctx: FoldCtx, s: &[u64; 4]) -> u64 {
    // Exact in f64 for narrower formats unless far beyond their range, so the only rounding is the
    // encoding's.
    let exponent = sext(32, s[1]).clamp(-5000, 5000) as i32;
    encode(ctx, ctx.bits, libm::scalbn(decode(ctx, s[0]), exponent))
}

pub(crate) fn frexp_exp(ctx: FoldCtx, s: &[u64; 4]) -> u64 {
    let a = decode(ctx, s[0]);
    if a == 0.0 || !a.is_finite() { 0 } else { i64::from(libm::frexp(a).1) as u64 }
}

pub(crate) fn imod(a: i64, b: i64) -> i64 {
    let remainder = a.checked_rem(b).unwrap_or(0);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder.wrapping_add(b) } else { remainder }
}

pub(crate) fn imul_high(ctx: FoldCtx, a: u64, b: u64) -> u64 {
    ((i128::from(sext(ctx.bits, a)) * i128::from(sext(ctx.bits, b))) >> ctx.bits) as u64
}

pub(crate) fn umul_high(ctx: FoldCtx, a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> ctx.bits) as u64
}

pub(crate) fn bfm(bits: u64, offset: u64) -> u64 {
    (((1 << (bits & 31)) - 1) << (offset & 31)) & 0xffff_ffff
}

pub(crate) fn bfi(mask: u64, insert: u64, base: u64) -> u64 {
    if mask == 0 {
        return base;
    }
    (base & !mask) | (insert << mask.trailing_zeros() & mask)
}

/// Signed extract of `bits` bits from `offset`; bits beyond the value are copies of its sign.
pub(crate) fn ibfe(value: u64, offset: u64, bits: u64) -> u64 {
    let field = sext(32, value) >> (offset & 63);
    if bits == 0 { 0 } else { sext(bits.min(64) as u8, field as u64) as u64 }
}

/// Unsigned extract of `bits` bits from `offset`.
pub(crate) fn ubfe(value: u64, offset: u64, bits: u64) -> u64 {
    (value >> (offset & 63)) & mask(bits.min(64) as u8)
}

pub(crate) fn bitfield_insert(base: u64, insert: u64, offset: u64, bits: u64) -> u64 {
    let mask = (mask(bits.min(64) as u8) << (offset & 63)) & 0xffff_ffff;
    (base & !mask) | (insert << (offset & 63) & mask)
}

pub(crate) fn ifind_msb(value: u64) -> u64 {
    let value = value as i32;
    let bits = if value < 0 { !value } else { value } as u32;
    u64::from(31u32.wrapping_sub(bits.leading_zeros()))
}

pub(crate) fn float_to(ctx: FoldCtx, s: &[u64; 4], bits: u8) -> u64 {
    encode(ctx, bits, decode(ctx, s[0]))
}

pub(crate) fn float_to_int(ctx: FoldCtx, s: &[u64; 4], bits: u8) -> u64 {
    // `as` truncates and saturates; NaN gives 0.
    let value = decode(ctx, s[0]) as i64;
    let limit = (mask(bits) >> 1) as i64;
    value.clamp(-limit - 1, limit) as u64
}

pub(crate) fn float_to_uint(ctx: FoldCtx, s: &[u64; 4], bits: u8) -> u64 {
    (decode(ctx, s[0]) as u64).min(mask(bits))
}

/// Integer to float with a single rounding; everything that fits no f64 overflows a half anyway.
pub(crate) fn int_to_float(value: i128, bits: u8) -> u64 {
    match bits {
        32 => (value as f32).to_bits().into(),
        bits => encode_float(bits, value as f64),
    }
}

pub(crate) fn pack_half(ctx: FoldCtx, lo: u64, hi: u64) -> u64 {
    let half = |v| u64::from(f64_to_f16(decode(FoldCtx { bits: 32, ..ctx }, v), false));
    half(lo) | half(hi) << 16
}

pub(crate) fn half_to_single(word: u64) -> u64 {
    encode_float(32, f16_to_f64(word as u16))
}

/// `round(clamp(c, lo, 1) * scale)` in 32-bit arithmetic for `n` components, packed into a dword.
pub(crate) fn pack_norm(s: &[u64; 4], n: usize, signed: bool) -> [u64; 4] {
    let width = 32 / n;
    let scale = mask((width - usize::from(signed)) as u8) as f32;
    let low = if signed { -1.0 } else { 0.0 };
    let mut packed = 0u64;
    for (i, &component) in s.iter().enumerate().take(n) {
        let value = f32::from_bits(component as u32);
        let clamped = max(min(value.into(), 1.0), low) as f32;
        let quantized = (clamped * scale).round_ties_even() as i64 as u64;
        packed |= (quantized & mask(width as u8)) << (i * width);
    }
    [packed, 0, 0, 0]
}

/// The fields of a dword divided by their scale, signed ones clamped to -1.
pub(crate) fn unpack_norm(packed: u64, n: usize, signed: bool) -> [u64; 4] {
    let width = 32 / n;
    let scale = mask((width - usize::from(signed)) as u8) as f32;
    let mut result = [0; 4];
    for (i, out) in result.iter_mut().enumerate().take(n) {
        let field = packed >> (i * width) & mask(width as u8);
        let value = if signed { sext(width as u8, field) as f32 } else { field as f32 };
        let value = value / scale;
        *out = (if signed { value.max(-1.0) } else { value }).to_bits().into();
    }
    result
}

pub(crate) fn dot(ctx: FoldCtx, s: &[[u64; 4]], n: usize) -> [u64; 4] {
    let mut sum = 0;
    for (i, (&a, &b)) in s[0].iter().zip(&s[1]).enumerate().take(n) {
        let product = float2(ctx, &[a, b, 0, 0], |a, b| a * b);
        sum = if i == 0 { product } else { float2(ctx, &[sum, product, 0, 0], |a, b| a + b) };
    }
    [sum, 0, 0, 0]
}

pub(crate) fn all_feq(ctx: FoldCtx, s: &[[u64; 4]], n: usize) -> [u64; 4] {
    [(0..n).all(|i| decode(ctx, s[0][i]) == decode(ctx, s[1][i])).into(), 0, 0, 0]
}

pub(crate) fn all_ieq(s: &[[u64; 4]], n: usize) -> [u64; 4] {
    [(s[0][..n] == s[1][..n]).into(), 0, 0, 0]
}

pub(crate) fn not(value: [u64; 4]) -> [u64; 4] {
    [value[0] ^ 1, 0, 0, 0]
}
