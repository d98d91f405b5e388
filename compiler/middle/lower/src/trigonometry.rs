//! Functions the machine has no instruction for, from those it has: inverse trigonometric,
//! hyperbolic.
//!
//! Coefficients are Abramowitz & Stegun's (4.4.45 to 4.4.49 families) refined to single precision
//! by a least-maximum fit on the interval.

use ir::Value;

use crate::error::LowerError;
use crate::lowerer::Lowerer;

/// atan(x) ≈ x · P(x²) on [0, 1], maximum relative error 1.0e-7: odd coefficients from x¹ on.
const ATAN: [f64; 8] = [
    0.999_999_901_0,
    -0.333_319_907_4,
    0.199_697_238_6,
    -0.140_194_807_0,
    0.099_142_923_3,
    -0.059_486_386_9,
    0.024_252_399_2,
    -0.004_693_275_1,
];

/// acos(x) ≈ √(1 − x) · P(x) on [0, 1], maximum relative error 1.0e-7.
const ACOS: [f64; 7] = [
    1.570_796_165_1,
    -0.214_584_709_8,
    0.088_749_054_7,
    -0.048_774_120_0,
    0.026_844_757_5,
    -0.011_096_889_3,
    0.002_279_449_8,
];

impl Lowerer<'_, '_> {
    /// A float constant as wide as `like`.
    pub(crate) fn constant_like(&mut self, like: Value, x: f64) -> Value {
        let bits = self.builder.shader.bits(like);
        self.builder.fconst(bits, x)
    }

    fn polynomial(&mut self, x: Value, coefficients: &[f64]) -> Value {
        let last = coefficients.last().copied().unwrap_or(0.0);
        let mut result = self.constant_like(x, last);
        for &c in coefficients.iter().rev().skip(1) {
            let c = self.constant_like(x, c);
            result = self.builder.ffma(result, x, c);
        }
        result
    }

    /// tan x.
    pub(crate) fn tan(&mut self, x: Value) -> Value {
        let (sin, cos) = (self.builder.fsin(x), self.builder.fcos(x));
        self.builder.fdiv(sin, cos)
    }

    /// atan of a magnitude in [0, 1].
    fn atan_unit(&mut self, x: Value) -> Value {
        let square = self.builder.fmul(x, x);
        let series = self.polynomial(square, &ATAN);
        self.builder.fmul(x, series)
    }

    /// atan x, by atan(1/x) = π/2 − atan x beyond 1.
    pub(crate) fn atan(&mut self, x: Value) -> Value {
        let magnitude = self.builder.fabs(x);
        let one = self.constant_like(x, 1.0);
        let large = self.builder.flt(one, magnitude);
        let inverse = self.builder.frcp(magnitude);
        let reduced = self.builder.bcsel(large, inverse, magnitude);
        let angle = self.atan_unit(reduced);
        let angle = self.complement_angle(large, angle);
        self.copy_sign(angle, x)
    }

    /// |a| with the sign of b, for b ≥ 0 or b < 0 (zeros keep a's sign as is when b is −0: flipped).
    fn copy_sign(&mut self, magnitude: Value, sign: Value) -> Value {
        let bits = self.builder.shader.bits(sign);
        let mask = self.builder.constant(bits, &[1 << (bits - 1)]);
        let sign = self.builder.iand(sign, mask);
        self.builder.ior(magnitude, sign)
    }

    /// atan2(y, x).
    pub(crate) fn atan2(&mut self, y: Value, x: Value) -> Value {
        let (ax, ay) = (self.builder.fabs(x), self.builder.fabs(y));
        let (small, large) = (self.builder.fmin(ax, ay), self.builder.fmax(ax, ay));
        // Infinite over infinite is 1 here; 0 over 0 is 0.
        let ratio = self.builder.fdiv(small, large);
        let one = self.constant_like(x, 1.0);
        let zero = self.constant_like(x, 0.0);
        let same = self.builder.feq(ax, ay);
        let ratio = self.builder.bcsel(same, one, ratio);
        let both_zero = self.builder.feq(large, zero);
        let ratio = self.builder.bcsel(both_zero, zero, ratio);
        let angle = self.atan_unit(ratio);
        let steep = self.builder.flt(ax, ay);
        let angle = self.complement_angle(steep, angle);
        let half = self.constant_like(x, std::f64::consts::PI);
        let mirrored = self.builder.fsub(half, angle);
        // The sign bit decides, so that −0 counts as negative.
        let left = self.sign_is_set(x);
        let angle = self.builder.bcsel(left, mirrored, angle);
        self.copy_sign(angle, y)
    }

    fn sign_is_set(&mut self, x: Value) -> Value {
        let zero = self.builder.zero(self.builder.shader.bits(x), 1);
        self.builder.ilt(x, zero)
    }

    /// asin x: atan of x / √((1 − x)(1 + x)), whose square root is not negative.
    pub(crate) fn asin(&mut self, x: Value) -> Value {
        let adjacent = self.complement_leg(x);
        let magnitude = self.builder.fabs(x);
        let small = self.builder.fmin(magnitude, adjacent);
        let large = self.builder.fmax(magnitude, adjacent);
        let ratio = self.builder.fdiv(small, large);
        let angle = self.atan_unit(ratio);
        let steep = self.builder.flt(adjacent, magnitude);
        let angle = self.complement_angle(steep, angle);
        self.copy_sign(angle, x)
    }

    /// acos x, by acos(−x) = π − acos x below 0.
    pub(crate) fn acos(&mut self, x: Value) -> Value {
        let magnitude = self.builder.fabs(x);
        let (zero, one) = (self.constant_like(x, 0.0), self.constant_like(x, 1.0));
        let rest = self.builder.fsub(one, magnitude);
        let root = self.builder.fsqrt(rest);
        let series = self.polynomial(magnitude, &ACOS);
        let angle = self.builder.fmul(root, series);
        let half = self.constant_like(x, std::f64::consts::PI);
        let mirrored = self.builder.fsub(half, angle);
        let left = self.builder.flt(x, zero);
        self.builder.bcsel(left, mirrored, angle)
    }

    /// π/2 − `angle` where `steep` is true.
    fn complement_angle(&mut self, steep: Value, angle: Value) -> Value {
        let quarter = self.constant_like(angle, std::f64::consts::FRAC_PI_2);
        let complement = self.builder.fsub(quarter, angle);
        self.builder.bcsel(steep, complement, angle)
    }

    fn complement_leg(&mut self, x: Value) -> Value {
        let one = self.constant_like(x, 1.0);
        let (below, above) = (self.builder.fsub(one, x), self.builder.fadd(one, x));
        let product = self.builder.fmul(below, above);
        self.builder.fsqrt(product)
    }

    /// eˣ.
    pub(crate) fn exp(&mut self, x: Value) -> Value {
        let scale = self.constant_like(x, std::f64::consts::LOG2_E);
        let scaled = self.builder.fmul(x, scale);
        self.builder.fexp2(scaled)
    }

    /// ln x.
    pub(crate) fn log(&mut self, x: Value) -> Value {
        let scale = self.constant_like(x, std::f64::consts::LN_2);
        let log = self.builder.flog2(x);
        self.builder.fmul(log, scale)
    }

    /// sinh x: the series near 0, where the exponentials cancel.
    pub(crate) fn sinh(&mut self, x: Value) -> Value {
        let square = self.builder.fmul(x, x);
        let series =
            self.polynomial(square, &[1.0, 1.0 / 6.0, 1.0 / 120.0, 1.0 / 5040.0, 1.0 / 362_880.0]);
        let small = self.builder.fmul(x, series);
        let (up, down) = self.half_exponentials(x);
        let large = self.builder.fsub(up, down);
        self.small_or_large(x, 1.0, small, large)
    }

    /// cosh x.
    pub(crate) fn cosh(&mut self, x: Value) -> Value {
        let (up, down) = self.half_exponentials(x);
        self.builder.fadd(up, down)
    }

    /// eˣ/2 and e⁻ˣ/2.
    fn half_exponentials(&mut self, x: Value) -> (Value, Value) {
        let half = self.constant_like(x, 0.5);
        let negative = self.builder.fneg(x);
        let (up, down) = (self.exp(x), self.exp(negative));
        (self.builder.fmul(up, half), self.builder.fmul(down, half))
    }

    /// tanh x = 1 − 2/(e²ˣ + 1), by sinh/cosh near 0.
    pub(crate) fn tanh(&mut self, x: Value) -> Value {
        let (sinh, cosh) = (self.sinh(x), self.cosh(x));
        let small = self.builder.fdiv(sinh, cosh);
        let (one, two) = (self.constant_like(x, 1.0), self.constant_like(x, 2.0));
        let magnitude = self.builder.fabs(x);
        let double = self.builder.fmul(magnitude, two);
        let power = self.exp(double);
        let denominator = self.builder.fadd(power, one);
        let part = self.builder.fdiv(two, denominator);
        let large = self.builder.fsub(one, part);
        let large = self.copy_sign(large, x);
        self.small_or_large(x, 1.0, small, large)
    }

    fn small_or_large(&mut self, x: Value, limit: f64, small: Value, large: Value) -> Value {
        let magnitude = self.builder.fabs(x);
        let limit = self.constant_like(x, limit);
        let is_small = self.builder.flt(magnitude, limit);
        self.builder.bcsel(is_small, small, large)
    }

    /// asinh x = ±ln(|x| + √(x² + 1)); the series near 0.
    pub(crate) fn asinh(&mut self, x: Value) -> Value {
        let one = self.constant_like(x, 1.0);
        let magnitude = self.builder.fabs(x);
        let square = self.builder.fmul(x, x);
        let series = self.polynomial(
            square,
            &[1.0, -1.0 / 6.0, 3.0 / 40.0, -15.0 / 336.0, 105.0 / 3456.0, -945.0 / 42240.0],
        );
        let small = self.builder.fmul(x, series);
        let above = self.builder.fadd(square, one);
        let root = self.builder.fsqrt(above);
        let sum = self.builder.fadd(magnitude, root);
        let log = self.log(sum);
        let large = self.copy_sign(log, x);
        self.small_or_large(x, 0.3, small, large)
    }

    /// acosh x = ln(x + √((x − 1)(x + 1))).
    pub(crate) fn acosh(&mut self, x: Value) -> Value {
        let one = self.constant_like(x, 1.0);
        let (below, above) = (self.builder.fsub(x, one), self.builder.fadd(x, one));
        let product = self.builder.fmul(below, above);
        let root = self.builder.fsqrt(product);
        let sum = self.builder.fadd(x, root);
        self.log(sum)
    }

    /// atanh x = ½ ln((1 + x)/(1 − x)); the series near 0.
    pub(crate) fn atanh(&mut self, x: Value) -> Value {
        let (one, half) = (self.constant_like(x, 1.0), self.constant_like(x, 0.5));
        let square = self.builder.fmul(x, x);
        let series = self.polynomial(
            square,
            &[1.0, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0],
        );
        let small = self.builder.fmul(x, series);
        let (above, below) = (self.builder.fadd(one, x), self.builder.fsub(one, x));
        let ratio = self.builder.fdiv(above, below);
        let log = self.log(ratio);
        let large = self.builder.fmul(log, half);
        self.small_or_large(x, 0.3, small, large)
    }

    /// Refuses doubles, for which GLSL has none of these functions.
    pub(crate) fn single_only(&self, x: Value, name: &'static str) -> Result<(), LowerError> {
        if self.builder.shader.bits(x) == 64 { Err(LowerError::Unsupported(name)) } else { Ok(()) }
    }
}
