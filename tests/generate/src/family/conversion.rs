//! Conversions between double and every other component type, by constructor and implicitly.
//!
//! GLSL 4.60 section 4.7.1: conversions are correctly rounded. Results that do not fit an integer type are undefined and not used.
//! Subnormal floats may be flushed to 0 on either side, so both are accepted; subnormal doubles are preserved.

use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::{DOUBLE as BINARY64, Real, Rounding, SINGLE};
use crate::value::{Accept, Component, MATRICES, Scalar, Type, VECTORS};

const GROUP: &str = "conversion";

const OTHERS: [Scalar; 4] = [Scalar::Float, Scalar::Int, Scalar::Uint, Scalar::Bool];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        for scalar in OTHERS {
            list.push(from_double(ty, ty.with_scalar(scalar)));
            list.push(to_double(ty.with_scalar(scalar), ty));
            if scalar != Scalar::Bool {
                list.push(implicit(ty.with_scalar(scalar), ty));
                list.push(implicit_operand(ty.with_scalar(scalar), ty));
            }
        }
        list.push(through_float(ty));
    }
    list.extend(MATRICES.map(through_float));
    list
}

fn pool(scalar: Scalar) -> Pool {
    match scalar {
        Scalar::Int => Pool::ToInt,
        Scalar::Uint => Pool::ToUint,
        Scalar::Float => Pool::ToFloat,
        _ => Pool::Any,
    }
}

fn from_double(from: Type, to: Type) -> Signature {
    let scalar = to.scalar;
    let arguments = [(from, pool(scalar))];
    Signature::elementwise(GROUP, "convert", &arguments, to, format!("{}(a)", to.glsl()), move |x| {
        narrowed(x[0].double(), scalar)
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

fn to_double(from: Type, to: Type) -> Signature {
    let arguments = [(from, Pool::Plain)];
    Signature::elementwise(GROUP, "convert", &arguments, to, format!("{}(a)", to.glsl()), |x| widened(x[0]))
        .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// Conversion by assignment.
fn implicit(from: Type, to: Type) -> Signature {
    Signature::elementwise(GROUP, "implicit", &[(from, Pool::Plain)], to, "a", |x| widened(x[0]))
        .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// Conversion of an operand: `a * b` with a double b that is a power of two, so that one rounding tells both apart.
fn implicit_operand(from: Type, to: Type) -> Signature {
    let arguments = [(from, Pool::Plain), (to, Pool::Moderate)];
    Signature::elementwise(GROUP, "implicit_operand", &arguments, to, "a * b", |x| {
        // A subnormal source may be flushed, and the product differs by more than an interval of signs can say.
        let a = widened(x[0])?;
        (a.low.text() == a.high.text()).then(|| Accept::double(ieee::mul(a.low.double(), x[1].double())))
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// To float and back: matrices of floats have no bit patterns to compare.
fn through_float(ty: Type) -> Signature {
    let single = match (ty.columns, ty.rows) {
        (1, 1) => "float".to_string(),
        (1, n) => format!("vec{n}"),
        _ => ty.glsl()[1..].to_string(),
    };
    let expression = format!("{}({single}(a))", ty.glsl());
    Signature::elementwise(GROUP, "through_float", &[(ty, Pool::ToFloat)], ty, expression, |x| {
        let accept = to_single(x[0].double());
        let wide = |x: Component| Component::Double(single_to_double(x.float()));
        Some(Accept { low: wide(accept.low), high: wide(accept.high) })
    })
}

/// A double as another type; nothing where that is undefined.
fn narrowed(x: f64, scalar: Scalar) -> Option<Accept> {
    match scalar {
        Scalar::Double => Some(Accept::double(x)),
        Scalar::Float => Some(to_single(x)),
        Scalar::Int => {
            to_integer(x).and_then(|n| i32::try_from(n).ok()).map(|n| Accept::exactly(Component::Int(n)))
        }
        Scalar::Uint => {
            // Negative numbers are undefined, even those that truncation would bring to 0.
            let n = to_integer(x).filter(|_| x.is_sign_positive())?;
            u32::try_from(n).ok().map(|n| Accept::exactly(Component::Uint(n)))
        }
        // 0.0 is false and the rest true; NaN is left open, and so are subnormals, which may count as 0 here.
        Scalar::Bool if x.is_nan() || ieee::is_subnormal(x) => None,
        Scalar::Bool => Some(Accept::exactly(Component::Bool(!ieee::is_zero(x)))),
        _ => None,
    }
}

fn to_integer(x: f64) -> Option<i64> {
    x.is_finite().then(|| Real::from_f64(x).truncated()).flatten()
}

/// To float, to nearest, ties to even. What is below the smallest normal float in magnitude may become 0.
pub fn to_single(x: f64) -> Accept {
    if !x.is_finite() || ieee::is_zero(x) {
        return Accept::exactly(Component::Float(representable(x)));
    }
    let rounded = representable(Real::from_f64(x).round(SINGLE, Rounding::Nearest, false));
    let smallest = Real::integer(1).scaled(-126);
    if !Real::from_f64(x).abs().less(&smallest) {
        return Accept::exactly(Component::Float(rounded));
    }
    if x.is_sign_negative() {
        Accept { low: Component::Float(rounded), high: Component::Float(0.0) }
    } else {
        Accept { low: Component::Float(-0.0), high: Component::Float(rounded) }
    }
}

/// The float that a double holds exactly.
fn representable(x: f64) -> f32 {
    if x.is_nan() {
        return f32::NAN;
    }
    let sign = ((x.to_bits() >> 63) as u32) << 31;
    let magnitude = ieee::abs(x);
    let bits = if magnitude.is_infinite() {
        0xff << 23
    } else if ieee::is_zero(x) {
        0
    } else {
        let exponent = Real::from_f64(magnitude).exponent();
        let unit = exponent.max(-126) - 23;
        let significand =
            Real::from_f64(magnitude).scaled(-unit).truncated().expect("a significand of 24 bits") as u32;
        if exponent < -126 {
            significand
        } else {
            ((exponent + 127) as u32) << 23 | (significand & 0x7f_ffff)
        }
    };
    f32::from_bits(sign | bits)
}

/// A float as a double, exactly.
fn single_to_double(x: f32) -> f64 {
    if !x.is_finite() {
        return if x.is_nan() { f64::NAN } else { ieee::infinity(x.is_sign_negative()) };
    }
    let bits = x.to_bits();
    let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, bits & 0x7f_ffff);
    let (significand, scale) =
        if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) };
    let magnitude = Real::integer(significand.into()).scaled(scale);
    let negative = x.is_sign_negative();
    let value = if negative { magnitude.negated() } else { magnitude };
    value.round(BINARY64, Rounding::Nearest, negative)
}

/// Another type as double. A subnormal float may have been flushed.
pub fn widened(x: Component) -> Option<Accept> {
    let value = match x {
        Component::Double(x) => x,
        Component::Float(x) if x.is_subnormal() => {
            let value = single_to_double(x);
            return Some(Accept::hull(ieee::zero(x.is_sign_negative()), value));
        }
        Component::Float(x) => single_to_double(x),
        Component::Int(n) => Real::integer(n.into()).round(BINARY64, Rounding::Nearest, false),
        Component::Uint(n) => Real::integer(n.into()).round(BINARY64, Rounding::Nearest, false),
        Component::Bool(b) => f64::from(u8::from(b)),
        _ => return None,
    };
    Some(Accept::double(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn floats_agree_with_an_ieee_machine() {
        let mut random = Random::named("float");
        for _ in 0..5000 {
            let x = random.double((-152, 130));
            let accept = to_single(x);
            let narrow = x as f32;
            assert!(accept.accepts(Component::Float(narrow)), "{x:e} {narrow:e} {accept:?}");
            assert_eq!(single_to_double(narrow).to_bits(), f64::from(narrow).to_bits());
        }
        // Halfway between the largest float and what would be the next one: to even, hence infinity.
        assert_eq!(to_single(3.4028235677973366e38), Accept::exactly(Component::Float(f32::INFINITY)));
        assert_eq!(to_single(3.4028235677973362e38), Accept::exactly(Component::Float(f32::MAX)));
    }

    #[test]
    fn integers_truncate() {
        assert_eq!(narrowed(-2147483648.999, Scalar::Int), Some(Accept::exactly(Component::Int(i32::MIN))));
        assert_eq!(narrowed(2147483648.0, Scalar::Int), None);
        assert_eq!(narrowed(4294967295.999, Scalar::Uint), Some(Accept::exactly(Component::Uint(u32::MAX))));
        assert_eq!(narrowed(-0.5, Scalar::Uint), None);
        assert_eq!(narrowed(f64::NAN, Scalar::Int), None);
    }
}
