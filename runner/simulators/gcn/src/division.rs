//! Helpers of exact division: scaling, the last step, special cases. The conditions are those of
//! AMD's manuals for later chips of the family.

use amd_isa::{Opcode, Scalar};

use crate::arithmetic::float::FloatMode;
use crate::error::Reason;
use crate::register::LANES;
use crate::run::Step;

/// Limits of a floating-point format.
struct Limits {
    /// Exponent of the factor.
    scale: i32,
    /// Difference of exponents from which on the quotient is near the largest number.
    gap: i32,
    /// Exponent up to which a numerator is tiny.
    tiny: i32,
    /// Smallest normal number.
    normal: f64,
    /// Bias of exponents.
    bias: i32,
}

const SINGLE: Limits =
    Limits { scale: 64, gap: 96, tiny: 23, normal: f32::MIN_POSITIVE as f64, bias: 127 };
const DOUBLE: Limits =
    Limits { scale: 128, gap: 768, tiny: 53, normal: f64::MIN_POSITIVE, bias: 1023 };

impl Limits {
    /// Exponent with bias, 0 for denormals.
    fn exponent(&self, value: f64) -> i32 {
        if value == 0.0 || !value.is_finite() || value.abs() < self.normal {
            return if value.is_finite() { 0 } else { 2 * self.bias + 1 };
        }
        libm::frexp(value).1 - 1 + self.bias
    }

    fn is_denormal(&self, value: f64) -> bool {
        value.abs() < self.normal
    }

    /// Scaled value of `value`, which is the denominator or the numerator; true if the quotient
    /// has to be scaled back.
    fn scaled(&self, value: f64, denominator: f64, numerator: f64) -> (f64, bool) {
        let up = |condition: bool| {
            if condition { libm::ldexp(value, self.scale) } else { value }
        };
        let reciprocal_denormal = self.is_denormal(1.0 / denominator);
        let quotient_denormal = self.is_denormal(numerator / denominator);
        if numerator == 0.0 || denominator == 0.0 {
            (f64::NAN, false)
        } else if self.exponent(numerator) - self.exponent(denominator) >= self.gap {
            (up(value == denominator), true)
        } else if self.is_denormal(denominator) {
            (up(true), false)
        } else if reciprocal_denormal && quotient_denormal {
            // The manuals scale up here, which would overflow.
            let down = if value == denominator { -self.scale } else { 0 };
            (libm::ldexp(value, down), true)
        } else if reciprocal_denormal {
            (libm::ldexp(value, -self.scale), false)
        } else if quotient_denormal {
            (up(value == numerator), true)
        } else {
            (up(self.exponent(numerator) <= self.tiny), false)
        }
    }

    /// The quotient, or the special result of its operands.
    fn fixed(&self, quotient: f64, denominator: f64, numerator: f64) -> f64 {
        let negative = denominator.is_sign_negative() != numerator.is_sign_negative();
        let signed = |value: f64| if negative { -value } else { value };
        if numerator.is_nan() || denominator.is_nan() {
            return f64::NAN;
        }
        let zeros = numerator == 0.0 && denominator == 0.0;
        if zeros || numerator.is_infinite() && denominator.is_infinite() {
            f64::NAN
        } else if denominator == 0.0 || numerator.is_infinite() {
            signed(f64::INFINITY)
        } else if denominator.is_infinite() || numerator == 0.0 {
            signed(0.0)
        } else if quotient.is_nan() {
            // The remainder of a quotient that overflowed.
            signed(f64::INFINITY)
        } else {
            signed(quotient.abs())
        }
    }
}

impl Step<'_> {
    /// Executes a helper of division.
    pub(crate) fn division(&mut self) -> Result<(), Reason> {
        use Opcode::*;
        let opcode = self.opcode();
        let (limits, wide) = match opcode {
            VDivScaleF32 | VDivFmasF32 | VDivFixupF32 => (SINGLE, false),
            VDivScaleF64 | VDivFmasF64 | VDivFixupF64 => (DOUBLE, true),
            _ => return Err(self.not_modeled()),
        };
        let mode = FloatMode::of(self.wave.mode);
        let scales = matches!(opcode, VDivScaleF32 | VDivScaleF64);
        let exec = self.wave.exec();
        let vcc = self.wave.pair(Scalar::VCC);
        let first = if scales { 2 } else { 1 };
        let mut mask = 0_u64;
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let source = |index: usize| {
                let bits = self.signed_value(first + index, lane);
                if wide { mode.double(bits) } else { f64::from(mode.single(bits)) }
            };
            let (a, b, c) = (source(0), source(1), source(2));
            let value = match opcode {
                VDivFmasF32 | VDivFmasF64 => {
                    let sum = if wide {
                        libm::fma(a, b, c)
                    } else {
                        f64::from(libm::fmaf(a as f32, b as f32, c as f32))
                    };
                    let back = match vcc >> lane & 1 {
                        0 => 0,
                        _ if limits.exponent(c) > limits.bias => limits.scale,
                        _ => -limits.scale,
                    };
                    libm::ldexp(sum, back)
                }
                VDivFixupF32 | VDivFixupF64 => limits.fixed(a, b, c),
                _ => {
                    let (value, back) = limits.scaled(a, b, c);
                    mask |= u64::from(back) << lane;
                    value
                }
            };
            let bits = if wide { mode.of_double(value) } else { mode.of_single(value as f32) };
            self.write_lane(0, lane, bits);
        }
        if scales {
            self.write_scalar(1, mask);
        }
        Ok(())
    }
}
