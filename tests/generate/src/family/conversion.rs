//! Conversions between component types, by constructor and implicitly.
//!
//! GLSL 4.60 section 4.7.1: conversions are correctly rounded, so that double → half rounds once.
//! Integers that become narrower keep their low bits. Floating-point values that do not fit an
//! integer type, or are negative for an unsigned one, are undefined and not used. Subnormal floats
//! may be flushed to 0 on either side of a conversion from or to double, so both are accepted;
//! subnormal doubles and halves are preserved.

use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::{BINARY32, Real, Rounding};
use crate::shared::{HALF, matrices};
use crate::value::{Component, MATRICES, Scalar, Type, VECTORS, integer, wrapped};

const GROUP: &str = "conversion";

/// Types to and from which doubles are converted.
const OTHERS: [Scalar; 4] = [Scalar::Float, Scalar::Int, Scalar::Uint, Scalar::Bool];

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        for scalar in OTHERS {
            list.push(from_double(ty, ty.with_scalar(scalar)));
            list.push(to_double(ty.with_scalar(scalar), ty));
            if scalar != Scalar::Bool {
                list.push(implicit_widening(ty.with_scalar(scalar), ty));
                list.push(implicit_operand(ty.with_scalar(scalar), ty));
            }
        }
        list.push(through_float(ty));
    }
    list.extend(MATRICES.map(through_float));
    list
}

fn double_pool(scalar: Scalar) -> Pool {
    match scalar {
        Scalar::Int => Pool::ToInt,
        Scalar::Uint => Pool::ToUint,
        Scalar::Float => Pool::ToFloat,
        _ => Pool::Any,
    }
}

fn from_double(from: Type, to: Type) -> Signature {
    let scalar = to.scalar;
    let arguments = [(from, double_pool(scalar))];
    Signature::elementwise(
        GROUP,
        "convert",
        &arguments,
        to,
        format!("{}(a)", to.glsl()),
        move |x| narrowed(x[0].double(), scalar),
    )
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

fn to_double(from: Type, to: Type) -> Signature {
    let arguments = [(from, Pool::Plain)];
    Signature::elementwise(GROUP, "convert", &arguments, to, format!("{}(a)", to.glsl()), |x| {
        widened(x[0])
    })
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// Conversion by assignment.
fn implicit_widening(from: Type, to: Type) -> Signature {
    Signature::elementwise(GROUP, "implicit", &[(from, Pool::Plain)], to, "a", |x| widened(x[0]))
        .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// Conversion of an operand: `a * b` with a double b that is a power of two, so that one rounding
/// tells both apart.
fn implicit_operand(from: Type, to: Type) -> Signature {
    let arguments = [(from, Pool::Plain), (to, Pool::Moderate)];
    Signature::elementwise(GROUP, "implicit_operand", &arguments, to, "a * b", |x| {
        // A subnormal source may be flushed, and the product differs by more than an interval of
        // signs can say.
        let a = widened(x[0])?;
        (a.low.text() == a.high.text())
            .then(|| Accept::of(ieee::mul(a.low.double(), x[1].double())))
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
        let wide = |x: Component| f64::from_double(x.float().value()).component();
        Some(Accept { low: wide(accept.low), high: wide(accept.high) })
    })
}

/// A double as another type; `None` where that is undefined.
fn narrowed(x: f64, to: Scalar) -> Option<Accept> {
    match to {
        Scalar::Float => Some(to_single(x)),
        // Subnormals may count as 0 here.
        Scalar::Bool if x.is_subnormal() => None,
        _ => converted(x.component(), to),
    }
}

/// A double as a float, to nearest, ties to even. A magnitude below the smallest normal float may
/// become 0.
pub fn to_single(x: f64) -> Accept {
    let rounded = f32::from_double(x);
    let smallest = Real::integer(1).scaled(f32::BINARY.min_exponent);
    if !x.is_finite() || x.is_zero() || !x.real().abs().less(&smallest) {
        return Accept::of(rounded);
    }
    Accept::hull(f32::zero(!x.sign_bit()), rounded)
}

/// Another type as double. A subnormal float may have been flushed.
pub fn widened(x: Component) -> Option<Accept> {
    match x {
        Component::Float(x) if x.is_subnormal() => {
            Some(Accept::hull(f64::zero(x.sign_bit()), x.value()))
        }
        x => converted(x, Scalar::Double),
    }
}

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

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for (i, from) in SCALARS.into_iter().enumerate() {
        for (j, to) in SCALARS.into_iter().enumerate() {
            if i != j && (i < 3 || j < 3) {
                // Integers among themselves are simpler than halves.
                let sizes: &[usize] = if i == 0 || j == 0 { &[1, 2, 3, 4] } else { &[1, 3] };
                list.extend(
                    sizes.iter().map(|&n| explicit(Type::vector(from, n), Type::vector(to, n))),
                );
            }
        }
    }
    for (from, to) in IMPLICIT {
        list.extend([1, 3].map(|n| implicit(Type::vector(from, n), Type::vector(to, n))));
    }
    for ty in matrices::<Half>() {
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
    Signature::elementwise(
        GROUP,
        "convert",
        &arguments,
        to,
        format!("{}(a)", to.glsl()),
        move |x| converted(x[0], scalar),
    )
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
    Signature::elementwise(
        GROUP,
        "convert",
        &[(from, Pool::ToHalf)],
        to,
        format!("{}(a)", to.glsl()),
        |x| converted(x[0], Scalar::Half),
    )
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

fn to_double_matrix(from: Type) -> Signature {
    let to = from.with_scalar(Scalar::Double);
    Signature::elementwise(
        GROUP,
        "convert",
        &[(from, Pool::Any)],
        to,
        format!("{}(a)", to.glsl()),
        |x| converted(x[0], Scalar::Double),
    )
    .types(format!("{}-{}", from.glsl(), to.glsl()))
}

/// To a matrix of floats, which are negated, and back: matrices of floats have no bit patterns to
/// compare.
fn through_float_matrix(ty: Type) -> Signature {
    let single = ty.with_scalar(Scalar::Float).glsl();
    let expression = format!("{}(-{single}(a))", ty.glsl());
    Signature::elementwise(GROUP, "through_float", &[(ty, Pool::Any)], ty, expression, |x| {
        Some(Accept::of(x[0].half().negated()))
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
    Signature::elementwise(
        GROUP,
        "narrowed_sum",
        &arguments,
        HALF,
        "float16_t(a * 256.0 + b)",
        |x| {
            let sum = Real::from_f64(x[0].float().into())
                .scaled(8)
                .add(&Real::from_f64(x[1].float().into()));
            let rounded = sum.round(BINARY32, Rounding::Nearest, false);
            // Only sums that are exact as floats, not 0.
            let exact = Real::from_f64(rounded).sub(&sum).is_zero() && !sum.is_zero();
            exact.then(|| Accept::of(Half::nearest(&sum, false)))
        },
    )
}

/// A value between formats: a number, or one of the special values of floating point.
enum Value {
    Number { value: Real, negative: bool },
    Infinity { negative: bool },
    NotANumber,
}

impl Value {
    /// The value in a format, rounded once.
    fn rounded<F: Format>(&self) -> F {
        match self {
            Value::NotANumber => F::nan(),
            Value::Infinity { negative } => F::infinity(*negative),
            Value::Number { value, negative } => F::nearest(value, *negative),
        }
    }
}

fn value(x: Component) -> Value {
    fn floating<F: Format>(x: F) -> Value {
        match () {
            () if x.is_nan() => Value::NotANumber,
            () if x.is_infinite() => Value::Infinity { negative: x.sign_bit() },
            () => Value::Number { value: x.real(), negative: x.sign_bit() },
        }
    }
    let whole = |n: i64| Value::Number { value: Real::integer(n), negative: n < 0 };
    match x {
        Component::Double(x) => floating(x),
        Component::Float(x) => floating(x),
        Component::Half(x) => floating(x),
        Component::Uint64(n) => {
            let high = Real::integer((n >> 32) as i64).scaled(32);
            Value::Number {
                value: high.add(&Real::integer((n & 0xffff_ffff) as i64)),
                negative: false,
            }
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

/// A component as another type; `None` where that is undefined.
pub fn converted(x: Component, to: Scalar) -> Option<Accept> {
    match to {
        Scalar::Double => Some(Accept::of(value(x).rounded::<f64>())),
        Scalar::Float => Some(Accept::of(value(x).rounded::<f32>())),
        Scalar::Half => Some(Accept::of(value(x).rounded::<Half>())),
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
    use crate::random::Random;

    fn exactly(x: Component, to: Scalar) -> Component {
        let accept = converted(x, to).expect("defined");
        assert_eq!(accept.low, accept.high);
        accept.low
    }

    /// All halves to all types and back, by the host's conversions.
    #[test]
    fn halves_convert_as_on_the_host() {
        for bits in 0..=u16::MAX {
            let half = Half::new(bits);
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
            let uint64 =
                (fits(0.0, 65504.0) && !half.sign_bit()).then_some(Component::Uint64(x as u64));
            assert_eq!(converted(component, Scalar::Uint64).map(|a| a.low), uint64, "{x}");
        }
    }

    #[test]
    fn integers_convert_as_on_the_host() {
        for n in i16::MIN..=i16::MAX {
            let component = Component::Int16(n);
            assert_eq!(exactly(component, Scalar::Uint), Component::Uint(n as u32));
            assert_eq!(exactly(component, Scalar::Uint64), Component::Uint64(n as u64));
            assert_eq!(
                exactly(component, Scalar::Half),
                Component::Half(Half::from_double(n.into()))
            );
            let wide = Component::Int64(i64::from(n) + (1 << 40));
            assert_eq!(exactly(wide, Scalar::Int16), component);
        }
        assert_eq!(
            exactly(Component::Uint16(65520), Scalar::Half),
            Component::Half(Half::infinity(false))
        );
        assert_eq!(
            exactly(Component::Uint64(u64::MAX), Scalar::Half),
            Component::Half(Half::infinity(false))
        );
        assert_eq!(
            exactly(Component::Uint64(u64::MAX), Scalar::Uint16),
            Component::Uint16(u16::MAX)
        );
    }

    #[test]
    fn floats_agree_with_an_ieee_machine() {
        let mut random = Random::named("float");
        for _ in 0..5000 {
            let x = random.double((-152, 130));
            let accept = to_single(x);
            let narrow = x as f32;
            assert!(accept.accepts(Component::Float(narrow)), "{x:e} {narrow:e} {accept:?}");
            assert_eq!(narrow.value().to_bits(), f64::from(narrow).to_bits());
        }
        // Halfway between the largest float and its would-be successor: to even, hence infinity.
        assert_eq!(to_single(3.4028235677973366e38), Accept::of(f32::INFINITY));
        assert_eq!(to_single(3.4028235677973362e38), Accept::of(f32::MAX));
    }

    #[test]
    fn doubles_truncate() {
        assert_eq!(
            narrowed(-2147483648.999, Scalar::Int),
            Some(Accept::exactly(Component::Int(i32::MIN)))
        );
        assert_eq!(narrowed(2147483648.0, Scalar::Int), None);
        assert_eq!(
            narrowed(4294967295.999, Scalar::Uint),
            Some(Accept::exactly(Component::Uint(u32::MAX)))
        );
        assert_eq!(narrowed(-0.5, Scalar::Uint), None);
        assert_eq!(narrowed(f64::NAN, Scalar::Int), None);
    }
}
