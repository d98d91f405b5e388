//! Floating point: modes, and the operations of the vector ALU on singles and doubles.

/// MODE that a wave starts with: singles flushed, doubles and halves kept, DX10_CLAMP.
pub(crate) const INITIAL_MODE: u32 = 0x1c0;

/// Fields of the MODE register that floating point depends on. Rounding is to the nearest even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatMode {
    pub flush_input: bool,
    pub flush_output: bool,
    pub flush_input64: bool,
    pub flush_output64: bool,
    pub clamp_nan: bool,
}

impl FloatMode {
    /// The mode that a wave starts with.
    pub(crate) const DEFAULT: FloatMode = FloatMode::of(INITIAL_MODE);

    /// The mode of the register: denormals of singles in bits 5:4, of doubles in bits 7:6 (bit 0
    /// keeps inputs, bit 1 outputs), DX10_CLAMP in bit 8.
    pub(crate) const fn of(mode: u32) -> FloatMode {
        FloatMode {
            flush_input: mode >> 4 & 1 == 0,
            flush_output: mode >> 5 & 1 == 0,
            flush_input64: mode >> 6 & 1 == 0,
            flush_output64: mode >> 7 & 1 == 0,
            clamp_nan: mode >> 8 & 1 != 0,
        }
    }

    /// A single source.
    #[inline(always)]
    pub(crate) fn single(self, bits: u64) -> f32 {
        let value = f32::from_bits(bits as u32);
        if self.flush_input { flush(value) } else { value }
    }

    /// A double source.
    #[inline(always)]
    pub(crate) fn double(self, bits: u64) -> f64 {
        let value = f64::from_bits(bits);
        if self.flush_input64 { flush64(value) } else { value }
    }

    /// Bits of a single result.
    #[inline(always)]
    pub(crate) fn of_single(self, value: f32) -> u64 {
        let value = if self.flush_output { flush(value) } else { value };
        u64::from(value.to_bits())
    }

    /// Bits of a double result.
    #[inline(always)]
    pub(crate) fn of_double(self, value: f64) -> u64 {
        let value = if self.flush_output64 { flush64(value) } else { value };
        value.to_bits()
    }
}

/// A denormal becomes a zero of its sign.
#[inline(always)]
fn flush(value: f32) -> f32 {
    let bits = value.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// [`flush`] of doubles.
#[inline(always)]
fn flush64(value: f64) -> f64 {
    let (bits, exponent) = (value.to_bits(), 0x7ff << 52);
    f64::from_bits(if bits & exponent == 0 { bits & 1 << 63 } else { bits })
}

/// The smaller operand; the other one if one is not a number; -0 is below +0.
#[inline(always)]
pub(crate) fn min32(a: f32, b: f32) -> f32 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || a == b && a.is_sign_negative() {
        a
    } else {
        b
    }
}

/// The larger operand; the other one if one is not a number; -0 is below +0.
#[inline(always)]
pub(crate) fn max32(a: f32, b: f32) -> f32 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a > b || a == b && a.is_sign_positive() {
        a
    } else {
        b
    }
}

/// [`min32`] of doubles.
#[inline(always)]
pub(crate) fn min64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a < b || a == b && a.is_sign_negative() {
        a
    } else {
        b
    }
}

/// [`max32`] of doubles.
#[inline(always)]
pub(crate) fn max64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() || a > b || a == b && a.is_sign_positive() {
        a
    } else {
        b
    }
}

/// The middle of three; the smallest if one is not a number.
#[inline(always)]
pub(crate) fn med32(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min32(min32(a, b), c);
    }
    max32(min32(a, b), min32(max32(a, b), c))
}

/// Bit of the mask of `v_cmp_class` that a single is in.
pub(crate) fn class32(bits: u32) -> u32 {
    let value = f32::from_bits(bits);
    class(value.classify(), value.is_sign_negative(), bits >> 22 & 1 != 0)
}

/// Bit of the mask of `v_cmp_class` that a half is in.
pub(crate) fn class16(bits: u16) -> u32 {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    let category = match (bits >> 10 & 31, bits & 0x3ff) {
        (0, 0) => Zero,
        (0, _) => Subnormal,
        (31, 0) => Infinite,
        (31, _) => Nan,
        _ => Normal,
    };
    class(category, bits >> 15 != 0, bits >> 9 & 1 != 0)
}

/// Bit of the mask of `v_cmp_class` that a double is in.
pub(crate) fn class64(bits: u64) -> u32 {
    let value = f64::from_bits(bits);
    class(value.classify(), value.is_sign_negative(), bits >> 51 & 1 != 0)
}

fn class(category: std::num::FpCategory, negative: bool, quiet: bool) -> u32 {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    let bit = match (category, negative) {
        (Nan, _) => u32::from(quiet),
        (Infinite, true) => 2,
        (Normal, true) => 3,
        (Subnormal, true) => 4,
        (Zero, true) => 5,
        (Zero, false) => 6,
        (Subnormal, false) => 7,
        (Normal, false) => 8,
        (Infinite, false) => 9,
    };
    1 << bit
}

/// Face, major axis and coordinates of a direction.
pub(crate) struct Cube {
    pub face: f32,
    pub sc: f32,
    pub tc: f32,
    pub ma: f32,
}

/// Selects the face of a cube: the axis of the largest magnitude; z before y before x.
pub(crate) fn cube(x: f32, y: f32, z: f32) -> Cube {
    let sign = |value: f32| if value < 0.0 { -1.0_f32 } else { 1.0 };
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        let face = if z < 0.0 { 5.0 } else { 4.0 };
        Cube { face, sc: sign(z) * x, tc: -y, ma: 2.0 * z }
    } else if y.abs() >= x.abs() {
        let face = if y < 0.0 { 3.0 } else { 2.0 };
        Cube { face, sc: x, tc: sign(y) * z, ma: 2.0 * y }
    } else {
        let face = if x < 0.0 { 1.0 } else { 0.0 };
        Cube { face, sc: -sign(x) * z, tc: -y, ma: 2.0 * x }
    }
}

/// Sine or cosine of a number of turns.
pub(crate) fn turns(value: f32, function: fn(f64) -> f64) -> f32 {
    if !value.is_finite() {
        return f32::NAN;
    }
    let fraction = f64::from(value) - libm::floor(f64::from(value));
    // Exact at quarters.
    let quarters = fraction * 4.0;
    let angle = if quarters == libm::floor(quarters) {
        let index = quarters as usize & 3;
        let sine = [0.0, 1.0, 0.0, -1.0];
        let is_sine = function(0.0) == 0.0;
        return sine[if is_sine { index } else { (index + 1) & 3 }] as f32;
    } else {
        fraction * std::f64::consts::TAU
    };
    function(angle) as f32
}
