//! The math unit (MATH): single-precision transcendental functions and integer division.
//!
//! Results are correctly rounded: computed in double precision by the pinned `libm` and rounded
//! once to single. Real hardware is less accurate; [`MathMode::Worst`] moves each result by the
//! error the shading language allows (GLSL 4.60 section 4.7.1), in a direction that depends on the
//! operand only, so that runs stay reproducible.

/// How accurate the math unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MathMode {
    /// Correctly rounded.
    #[default]
    Exact,
    /// Off by the largest permitted error.
    Worst,
}

/// A single-precision function of the math unit, by its encoding in the instruction's function
/// field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// 1 / x.
    Inv,
    /// Base-2 logarithm.
    Log,
    /// Base-2 exponential.
    Exp,
    /// Square root.
    Sqrt,
    /// 1 / square root.
    Rsq,
    /// Sine of radians.
    Sin,
    /// Cosine of radians.
    Cos,
    /// x / y.
    Fdiv,
    /// x to the power y; x negative gives NaN.
    Pow,
}

/// The function's value, before flushing and saturation.
pub fn evaluate(function: Function, x: f32, y: f32, mode: MathMode) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let exact = match function {
        Function::Inv => 1.0 / a,
        Function::Log => libm::log2(a),
        Function::Exp => libm::exp2(a),
        Function::Sqrt => a.sqrt(),
        Function::Rsq => 1.0 / a.sqrt(),
        Function::Sin => libm::sin(a),
        Function::Cos => libm::cos(a),
        Function::Fdiv => a / b,
        Function::Pow if a < 0.0 => f64::NAN,
        Function::Pow => libm::pow(a, b),
    };
    let rounded = exact as f32;
    if mode == MathMode::Exact || !rounded.is_normal() {
        return rounded;
    }
    perturb(function, a, b, rounded)
}

/// Error in units in the last place, or an absolute one where the specification gives that.
fn perturb(function: Function, a: f64, b: f64, result: f32) -> f32 {
    let ulps = match function {
        Function::Inv | Function::Rsq | Function::Fdiv => 2.0,
        Function::Sqrt => 4.0,
        Function::Exp => 3.0 + 2.0 * a.abs().min(1000.0),
        Function::Log if (0.5..=2.0).contains(&a) => {
            return offset(result, f64::from(result), 2f64.powi(-21));
        }
        Function::Log => 3.0,
        Function::Sin | Function::Cos => return offset(result, f64::from(result), 2f64.powi(-11)),
        Function::Pow => 16.0f64.min(3.0 + 2.0 * (b * libm::log2(a)).abs()),
    };
    let ulp = f64::from(f32::from_bits(result.abs().to_bits() + 1)) - f64::from(result.abs());
    offset(result, f64::from(result), ulp * ulps.floor())
}

/// Adds or subtracts `error`, by a bit of the result itself.
fn offset(result: f32, value: f64, error: f64) -> f32 {
    let mixed = result.to_bits().wrapping_mul(0x9e37_79b9);
    (if mixed >> 31 == 0 { value + error } else { value - error }) as f32
}

/// Quotient and remainder of INT DIV on signed dwords, truncating. A zero divisor gives the extreme
/// of the dividend's sign and an all-ones remainder (the result is undefined in the shading
/// language).
pub fn divide_signed(x: i32, y: i32) -> (i32, i32) {
    if y == 0 {
        return (if x < 0 { i32::MIN } else { i32::MAX }, -1);
    }
    (x.wrapping_div(y), x.wrapping_rem(y))
}

/// Quotient and remainder of INT DIV on unsigned dwords; a zero divisor gives all ones in both.
pub fn divide_unsigned(x: u32, y: u32) -> (u32, u32) {
    (x.checked_div(y).unwrap_or(u32::MAX), x.checked_rem(y).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_functions_are_correctly_rounded() {
        let exact = |function, x, y| evaluate(function, x, y, MathMode::Exact);
        assert_eq!(exact(Function::Inv, 3.0, 0.0), 1.0 / 3.0);
        assert_eq!(exact(Function::Inv, -0.0, 0.0), f32::NEG_INFINITY);
        assert_eq!(exact(Function::Sqrt, 2.0, 0.0), std::f32::consts::SQRT_2);
        assert_eq!(exact(Function::Rsq, 4.0, 0.0), 0.5);
        assert_eq!(exact(Function::Log, 8.0, 0.0), 3.0);
        assert_eq!(exact(Function::Exp, -3.0, 0.0), 0.125);
        assert_eq!(exact(Function::Pow, 3.0, 4.0), 81.0);
        assert!(exact(Function::Pow, -1.0, 2.0).is_nan());
        assert_eq!(exact(Function::Fdiv, 1.0, 3.0), 1.0 / 3.0);
        assert_eq!(exact(Function::Cos, 0.0, 0.0), 1.0);
    }

    #[test]
    fn worst_mode_is_off_but_bounded() {
        for x in [0.3f32, 1.7, 42.0, 1e10] {
            let worst = evaluate(Function::Rsq, x, 0.0, MathMode::Worst);
            let exact = evaluate(Function::Rsq, x, 0.0, MathMode::Exact);
            assert_eq!(worst.to_bits().abs_diff(exact.to_bits()), 2, "rsq({x})");
        }
        assert_eq!(evaluate(Function::Inv, 0.0, 0.0, MathMode::Worst), f32::INFINITY);
    }

    #[test]
    fn division_truncates_and_survives_zero() {
        assert_eq!(divide_signed(-7, 2), (-3, -1));
        assert_eq!(divide_signed(i32::MIN, -1), (i32::MIN, 0));
        assert_eq!(divide_signed(-5, 0), (i32::MIN, -1));
        assert_eq!(divide_unsigned(7, 0), (u32::MAX, u32::MAX));
        assert_eq!(divide_unsigned(u32::MAX, 10), (429_496_729, 5));
    }
}
