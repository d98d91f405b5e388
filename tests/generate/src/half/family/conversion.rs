//! Conversions between 16-bit types and all others, by constructor and implicitly.
//!
//! GLSL 4.60 section 4.7.1: conversions are correctly rounded, so that double → half rounds once. Integers that become narrower keep
//! their low bits. Floating-point values that do not fit an integer type, or are negative for an unsigned one, are undefined and not
//! used. Subnormal halves are preserved.

use super::{HALF, matrices};
use crate::half::float16::Half;
use crate::half::pool::{integer, wrapped};
use crate::ieee as doubles;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::{DOUBLE, Real, Rounding, SINGLE};
use crate::value::{Accept, Component, Scalar, Type};

const GROUP: &str = "conversion";

/// Every component type; those of 16 bits first.
const SCALARS: [Scalar; 10] = [
    Scalar::Half,
    Scalar::Int16,
    Scalar::Uint16,
    Scalar::Float,
    Scalar::Double,
    Scalar::Int,
    Scalar::Uint,
    Scalar::Int64,
    Scalar::Uint64,
    Scalar::Bool,
];

/// Implicit conversions of GL_AMD_gpu_shader_half_float and GL_AMD_gpu_shader_int16.
const IMPLICIT: [(Scalar, Scalar); 12] = [
    (Scalar::Half, Scalar::Float),
    (Scalar::Half, Scalar::Double),
    (Scalar::Int16, Scalar::Int),
    (Scalar::Int16, Scalar::Uint),
    (Scalar::Int16, Scalar::Uint16),
    (Scalar::Int16, Scalar::Half),
    (Scalar::Int16, Scalar::Float),
    (Scalar::Int16, Scalar::Double),
    (Scalar::Uint16, Scalar::Uint),
    (Scalar::Uint16, Scalar::Half),
    (Scalar::Uint16, Scalar::Float),
    (Scalar::Uint16, Scalar::Double),
];

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for (i, from) in SCALARS.into_iter().enumerate() {
        for (j, to) in SCALARS.into_iter().enumerate() {
            if i != j && (i < 3 || j < 3) {
                // Integers among themselves are simpler than halves.
                let sizes: &[usize] = if i == 0 || j == 0 { &[1, 2, 3, 4] } else { &[1, 3] };
                list.extend(sizes.iter().map(|&n| explicit(Type::vector(from, n), Type::vector(to, n))));
            }
        }
    }
    for (from, to) in IMPLICIT {
        list.extend([1, 3].map(|n| implicit(Type::vector(from, n), Type::vector(to, n))));
    }
    for ty in matrices() {
        list.push(from_double_matrix(ty));
        list.push(to_double_matrix(ty));
        list.push(through_float_matrix(ty));
    }
    list.push(mixed_constructor());
    list.push(narrowed_sum());
    list
}

/// Where operands of a conversion come from.
fn pool(from: Scalar, to: Scalar) -> Pool {
    let floating = matches!(from, Scalar::Half | Scalar::Float | Scalar::Double);
    match to {
        Scalar::Half => Pool::ToHalf,
        Scalar::Int16 if floating => Pool::ToInt16,
        Scalar::Uint16 if floating => Pool::ToUint16,
        Scalar::Int | Scalar::Int64 if floating => Pool::ToInt,
        Scalar::Uint | Scalar::Uint64 if floating => Pool::ToUint,
        _ if floating => Pool::Any,
        _ => Pool::Narrow,
    }
}

fn explicit(from: Type, to: Type) -> Signature {
    let scalar = to.scalar;
    let arguments = [(from, pool(from.scalar, scalar))];
    Signature::elementwise(GROUP, "convert", &arguments, to, format!("{}(a)", to.glsl()), move |x| {
        converted(x[0], scalar)
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// Conversion by assignment.
fn implicit(from: Type, to: Type) -> Signature {
    let scalar = to.scalar;
    let arguments = [(from, pool(from.scalar, scalar))];
    Signature::elementwise(GROUP, "implicit", &arguments, to, "a", move |x| converted(x[0], scalar))
        .types(format!("{}-{}", from.glsl(), to.glsl()))
}

fn from_double_matrix(to: Type) -> Signature {
    let from = to.with_scalar(Scalar::Double);
    Signature::elementwise(GROUP, "convert", &[(from, Pool::ToHalf)], to, format!("{}(a)", to.glsl()), |x| {
        converted(x[0], Scalar::Half)
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

fn to_double_matrix(from: Type) -> Signature {
    let to = from.with_scalar(Scalar::Double);
    Signature::elementwise(GROUP, "convert", &[(from, Pool::Any)], to, format!("{}(a)", to.glsl()), |x| {
        converted(x[0], Scalar::Double)
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// To a matrix of floats, which are negated, and back: matrices of floats have no bit patterns to compare.
fn through_float_matrix(ty: Type) -> Signature {
    let single = ty.with_scalar(Scalar::Float).glsl();
    let expression = format!("{}(-{single}(a))", ty.glsl());
    Signature::elementwise(GROUP, "through_float", &[(ty, Pool::Any)], ty, expression, |x| {
        Some(Accept::half(x[0].half().negated()))
    })
}

/// A vector from components of other types.
fn mixed_constructor() -> Signature {
    let one = |scalar| Type::vector(scalar, 1);
    let arguments = [
        (one(Scalar::Double), Pool::ToHalf),
        (one(Scalar::Float), Pool::ToHalf),
        (one(Scalar::Int), Pool::ToHalf),
        (one(Scalar::Uint16), Pool::ToHalf),
    ];
    let ty = Type::vector(Scalar::Half, 4);
    Signature::whole(GROUP, "constructor", &arguments, ty, "f16vec4(a, b, c, d)", |x| {
        x.iter().map(|x| converted(x[0], Scalar::Half)).collect()
    })
}

/// float16_t(a + b) of floats whose sum is exact: a compiler that adds halves instead rounds twice.
fn narrowed_sum() -> Signature {
    let float = HALF.with_scalar(Scalar::Float);
    let arguments = [(float, Pool::Small), (float, Pool::Unit)];
    Signature::elementwise(GROUP, "narrowed_sum", &arguments, HALF, "float16_t(a * 256.0 + b)", |x| {
        let sum = Real::from_f64(x[0].float().into()).scaled(8).add(&Real::from_f64(x[1].float().into()));
        let rounded = sum.round(SINGLE, Rounding::Nearest, false);
        // Only sums that are exact as floats, not 0.
        let exact = Real::from_f64(rounded).sub(&sum).is_zero() && !sum.is_zero();
        exact.then(|| Accept::half(Half::nearest(&sum, false)))
    })
}

/// A value between formats: a number, or one of the special values of floating point.
enum Value {
    Number { value: Real, negative: bool },
    Infinity { negative: bool },
    NotANumber,
}

fn value(x: Component) -> Value {
    let floating = |x: f64| match () {
        () if x.is_nan() => Value::NotANumber,
        () if x.is_infinite() => Value::Infinity { negative: x.is_sign_negative() },
        () => Value::Number { value: Real::from_f64(x), negative: x.is_sign_negative() },
    };
    let whole = |n: i64| Value::Number { value: Real::integer(n), negative: n < 0 };
    match x {
        Component::Double(x) => floating(x),
        Component::Float(x) => floating(x.into()),
        Component::Half(x) => floating(x.value()),
        Component::Uint64(n) => {
            let high = Real::integer((n >> 32) as i64).scaled(32);
            Value::Number { value: high.add(&Real::integer((n & 0xffff_ffff) as i64)), negative: false }
        }
        Component::Bool(b) => whole(b.into()),
        other => whole(other.integer()),
    }
}

/// The low 64 bits of an integer or boolean.
fn bits(x: Component) -> Option<u64> {
    match x {
        Component::Double(_) | Component::Float(_) | Component::Half(_) => None,
        Component::Uint64(n) => Some(n),
        Component::Bool(b) => Some(b.into()),
        other => Some(other.integer() as u64),
    }
}

/// A component as another type; nothing where that is undefined.
pub fn converted(x: Component, to: Scalar) -> Option<Accept> {
    match to {
        Scalar::Double => Some(Accept::double(match value(x) {
            Value::NotANumber => f64::NAN,
            Value::Infinity { negative } => doubles::infinity(negative),
            Value::Number { value, negative } => value.round(DOUBLE, Rounding::Nearest, negative),
        })),
        Scalar::Float => Some(Accept::exactly(Component::Float(match value(x) {
            Value::NotANumber => f32::NAN,
            Value::Infinity { negative } => doubles::infinity(negative) as f32,
            // A float's value as a double: nothing is rounded again.
            Value::Number { value, negative } => value.round(SINGLE, Rounding::Nearest, negative) as f32,
        }))),
        Scalar::Half => Some(Accept::half(match value(x) {
            Value::NotANumber => Half::NAN,
            Value::Infinity { negative: false } => Half::INFINITY,
            Value::Infinity { negative: true } => Half::INFINITY.negated(),
            Value::Number { value, negative } => Half::nearest(&value, negative),
        })),
        Scalar::Bool => match value(x) {
            Value::Number { value, .. } => Some(Accept::exactly(Component::Bool(!value.is_zero()))),
            Value::Infinity { .. } => Some(Accept::exactly(Component::Bool(true))),
            Value::NotANumber => None,
        },
        _ => match (bits(x), value(x)) {
            (Some(bits), _) => Some(Accept::exactly(wrapped(to, bits))),
            (None, Value::Number { value, negative }) => truncated(&value, negative, to),
            (None, _) => None,
        },
    }
}

fn truncated(value: &Real, negative: bool, to: Scalar) -> Option<Accept> {
    let unsigned = matches!(to, Scalar::Uint | Scalar::Uint16 | Scalar::Uint64);
    if unsigned && negative {
        return None;
    }
    integer(to, value.truncated()?).map(Accept::exactly)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(x: Component, to: Scalar) -> Component {
        let accept = converted(x, to).expect("defined");
        assert_eq!(accept.low, accept.high);
        accept.low
    }

    /// All halves to all types and back, by the host's conversions.
    #[test]
    fn halves_convert_as_on_the_host() {
        for bits in 0..=u16::MAX {
            let half = Half::from_bits(bits);
            let x = half.value();
            let component = Component::Half(half);
            if half.is_nan() {
                assert_eq!(converted(component, Scalar::Int), None);
                continue;
            }
            assert_eq!(exactly(exactly(component, Scalar::Double), Scalar::Half), component);
            assert_eq!(exactly(component, Scalar::Float), Component::Float(x as f32));
            assert_eq!(exactly(component, Scalar::Bool), Component::Bool(x != 0.0));
            let fits = |low: f64, high: f64| x.is_finite() && x.trunc() >= low && x.trunc() <= high;
            let int16 = fits(-32768.0, 32767.0).then_some(Component::Int16(x as i16));
            assert_eq!(converted(component, Scalar::Int16).map(|a| a.low), int16, "{x}");
            let uint64 = (fits(0.0, 65504.0) && !half.is_negative()).then_some(Component::Uint64(x as u64));
            assert_eq!(converted(component, Scalar::Uint64).map(|a| a.low), uint64, "{x}");
        }
    }

    #[test]
    fn integers_convert_as_on_the_host() {
        for n in i16::MIN..=i16::MAX {
            let component = Component::Int16(n);
            assert_eq!(exactly(component, Scalar::Uint), Component::Uint(n as u32));
            assert_eq!(exactly(component, Scalar::Uint64), Component::Uint64(n as u64));
            assert_eq!(exactly(component, Scalar::Half), Component::Half(Half::from_double(n.into())));
            let wide = Component::Int64(i64::from(n) + (1 << 40));
            assert_eq!(exactly(wide, Scalar::Int16), component);
        }
        assert_eq!(exactly(Component::Uint16(65520), Scalar::Half), Component::Half(Half::INFINITY));
        assert_eq!(exactly(Component::Uint64(u64::MAX), Scalar::Half), Component::Half(Half::INFINITY));
        assert_eq!(exactly(Component::Uint64(u64::MAX), Scalar::Uint16), Component::Uint16(u16::MAX));
    }
}
