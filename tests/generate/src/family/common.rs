//! The common functions (GLSL 4.60 section 8.3) and the square roots (8.2), for halves as
//! GL_AMD_gpu_shader_half_float adds them, with `min3`, `max3` and `mid3` of
//! GL_AMD_shader_trinary_minmax.
//!
//! Results of 0 are accepted with either sign, as the specification's formulas do not settle it.
//! Functions of NaN are not tested: section 4.7.1 does not require any result. `isnan` and `isinf`
//! are exact.

use crate::accept::Accept;
use crate::bounded::{Bounded, INVERSE_SQRT_ULPS, SQRT_ULPS, around, within_ulps};
use crate::format::Format;
use crate::half::Half;
use crate::ieee;
use crate::number;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::{HALF_VECTORS, boolean, exact, of_one, of_three, of_two};
use crate::value::{Component, Scalar, Type, VECTORS, integer};

const GROUP: &str = "common";

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        list.extend(functions::<f64>(ty));
        list.push(round_distance(ty));
        list.extend(exponents::<f64>(ty, Scalar::Int));
        list.push(scaling(ty.with_scalar(Scalar::Int), "ldexp", ty, Pool::Exponent, ldexp_double));
        list.extend(roots::<f64>(GROUP, ty));
    }
    list
}

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in HALF_VECTORS {
        list.extend(functions::<Half>(ty));
        list.extend(trinary(ty));
        for (scalar, name) in [(Scalar::Int, "ldexp"), (Scalar::Int16, "ldexp16")] {
            list.extend(exponents::<Half>(ty, scalar));
            list.push(scaling(ty.with_scalar(scalar), name, ty, Pool::Scaling, ldexp_half));
        }
    }
    list
}

/// The functions that both suites have.
fn functions<F: Format>(ty: Type) -> Vec<Signature> {
    let mut list = roundings::<F>(ty);
    list.extend(signs::<F>(ty));
    list.extend(classes(ty));
    list.extend(extremes(ty));
    list.extend(blends::<F>(ty));
    list.extend(step(ty));
    list.extend(smoothsteps::<F>(ty));
    list.extend(remainders::<F>(ty));
    list.push(fused::<F>(ty));
    list
}

/// Signatures with vector operands and, for vectors, with scalar ones in the places that are
/// marked.
fn with_scalars(
    name: &str,
    ty: Type,
    operands: &[(Pool, bool)],
    expression: &str,
    f: impl Fn(&[Component]) -> Option<Accept> + Copy + 'static,
) -> Vec<Signature> {
    let one = Type::vector(ty.scalar, 1);
    let signature = |mixed: bool| {
        let arguments: Vec<(Type, Pool)> = operands
            .iter()
            .map(|&(pool, scalar)| (if mixed && scalar { one } else { ty }, pool))
            .collect();
        Signature::elementwise(GROUP, name, &arguments, ty, expression, f)
    };
    if ty == one || operands.iter().all(|o| !o.1) {
        vec![signature(false)]
    } else {
        vec![signature(false), signature(true)]
    }
}

/// `min`, `max` and `clamp`. Of both zeros either may be the smaller; `clamp` is undefined for low
/// > high.
fn extremes(ty: Type) -> Vec<Signature> {
    let defined = |x: &[Component]| !x.iter().any(|&x| number::is_nan(x));
    let minimum = |a, b| if number::less(b, a) { b } else { a };
    let maximum = |a, b| if number::less(a, b) { b } else { a };
    let pair = [(Pool::Any, false), (Pool::Related, true)];
    let limits = [(Pool::Any, false), (Pool::Related, true), (Pool::Related, true)];
    let mut list = with_scalars("min", ty, &pair, "min(a, b)", move |x| {
        defined(x).then(|| number::accept(minimum(x[0], x[1])))
    });
    list.extend(with_scalars("max", ty, &pair, "max(a, b)", move |x| {
        defined(x).then(|| number::accept(maximum(x[0], x[1])))
    }));
    list.extend(with_scalars("clamp", ty, &limits, "clamp(a, b, c)", move |x| {
        let defined = defined(x) && !number::less(x[2], x[1]);
        defined.then(|| number::accept(minimum(maximum(x[0], x[1]), x[2])))
    }));
    list
}

/// `step`.
fn step(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Any, true), (Pool::Related, false)];
    let [zero, one] = [0.0, 1.0].map(|n| number::constant(ty.scalar, n));
    with_scalars("step", ty, &operands, "step(a, b)", move |x| {
        let defined = !number::is_nan(x[0]) && !number::is_nan(x[1]);
        defined.then(|| number::accept(if number::less(x[1], x[0]) { zero } else { one }))
    })
}

/// `mix` by a boolean. No arithmetic: a NaN that is not selected does not matter.
fn selection(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty.with_scalar(Scalar::Bool), Pool::Plain)];
    Signature::elementwise(GROUP, "mix", &arguments, ty, "mix(a, b, c)", |x| {
        Some(exact(if x[2].boolean() { x[1] } else { x[0] }))
    })
}

/// `isnan` and `isinf`.
fn classes(ty: Type) -> [Signature; 2] {
    let class = |name: &str, f: fn(Component) -> bool| {
        let bools = ty.with_scalar(Scalar::Bool);
        Signature::elementwise(
            GROUP,
            name,
            &[(ty, Pool::Any)],
            bools,
            format!("{name}(a)"),
            move |x| boolean(f(x[0])),
        )
    };
    [class("isnan", number::is_nan), class("isinf", number::is_infinite)]
}

/// f applied by component to values that are not NaN.
pub fn unary<F: Format>(
    group: &'static str,
    name: &str,
    ty: Type,
    pool: Pool,
    expression: impl Into<String>,
    f: impl Fn(F) -> Option<Accept> + Copy + 'static,
) -> Signature {
    let evaluate = of_one(move |x: F| if x.is_nan() { None } else { f(x) });
    Signature::elementwise(group, name, &[(ty, pool)], ty, expression, evaluate)
}

/// An integer-valued function: infinities stay, zeros have either sign.
fn integral<F: Format>(x: F, f: impl Fn(&Real) -> Real) -> Option<Accept> {
    Some(if x.is_infinite() {
        Accept::of(x)
    } else {
        Accept::number(F::nearest(&f(&x.real()), false))
    })
}

/// `floor`.
pub fn floor<F: Format>(x: F) -> Option<Accept> {
    integral(x, Real::floor)
}

/// Accepted results for an operand that is not NaN.
pub type Unary<F> = fn(F) -> Option<Accept>;

/// Functions that are exact or round once.
pub fn rounding_functions<F: Format>() -> [(&'static str, Unary<F>); 5] {
    [
        ("floor", floor),
        ("ceil", |x| integral(x, Real::ceil)),
        ("trunc", |x| integral(x, Real::trunc)),
        ("roundEven", |x| integral(x, Real::round_even)),
        ("fract", fract),
    ]
}

fn roundings<F: Format>(ty: Type) -> Vec<Signature> {
    let function = |(name, f): (&str, Unary<F>)| {
        unary(GROUP, name, ty, Pool::Rounding, format!("{name}(a)"), f)
    };
    let mut list: Vec<Signature> = rounding_functions::<F>().into_iter().map(function).collect();
    // The specification leaves the direction of ties open.
    list.push(unary(GROUP, "round", ty, Pool::Rounding, "round(a)", |x: F| {
        let tie = x.is_finite() && x.real().scaled(1).is_integer() && !x.real().is_integer();
        if tie { None } else { integral(x, Real::round_even) }
    }));
    list
}

/// |round(a) − a|: of ties only the distance is known, an exact difference.
fn round_distance(ty: Type) -> Signature {
    unary(GROUP, "round_distance", ty, Pool::Rounding, "abs(round(a) - a)", |x: f64| {
        let exact = x.is_finite().then(|| x.real())?;
        Some(Accept::number(f64::nearest(&exact.round_even().sub(&exact).abs(), false)))
    })
    .precise()
}

/// x − floor(x), one rounding. Where that rounds up to 1, implementations may keep the result
/// below.
fn fract<F: Format>(x: F) -> Option<Accept> {
    let exact = x.is_finite().then(|| x.real())?;
    let (value, one) = (F::nearest(&exact.sub(&exact.floor()), false), F::one());
    Some(if value == one { Accept::hull(one.predecessor(), one) } else { Accept::number(value) })
}

fn signs<F: Format>(ty: Type) -> Vec<Signature> {
    vec![
        unary(GROUP, "abs", ty, Pool::Any, "abs(a)", |x: F| Some(Accept::number(x.magnitude()))),
        unary(GROUP, "sign", ty, Pool::Any, "sign(a)", |x: F| {
            Some(Accept::number(if x.is_zero() { x } else { F::one().with_sign_of(x) }))
        }),
    ]
}

/// `min3`, `mid3` and `max3`.
fn trinary(ty: Type) -> impl Iterator<Item = Signature> {
    let arguments = [(ty, Pool::Any), (ty, Pool::Related), (ty, Pool::Related)];
    ["min3", "mid3", "max3"].into_iter().enumerate().map(move |(i, name)| {
        let evaluate = of_three(move |a: Half, b, c| {
            let mut sorted = [a, b, c];
            sorted.sort_by_key(|x| x.order());
            sorted.iter().all(|x| !x.is_nan()).then(|| Accept::number(sorted[i]))
        });
        Signature::elementwise(GROUP, name, &arguments, ty, format!("{name}(a, b, c)"), evaluate)
            .require("GL_AMD_shader_trinary_minmax")
    })
}

/// x·(1 − a) + y·a. Compilers may also compute x + a·(y − x); the error of that is below
/// 4 · u · (|x|·(1 + |a|) + |y|·|a|) with the unit roundoff u: three roundings of |a|·(|x| + |y|)
/// and one of the result. Each of four steps on halves may also be off by half of the smallest
/// subnormal.
fn mix<F: Format>(x: F, y: F, a: F) -> Option<Accept> {
    let [x, y, a] = [x, y, a].map(F::real);
    let one = Real::integer(1);
    let value = x.mul(&one.sub(&a)).add(&y.mul(&a));
    let size = x.abs().mul(&one.add(&a.clone().abs())).add(&y.abs().mul(&a.abs()));
    let precision = F::BINARY.precision as i32;
    let underflow = match F::SCALAR {
        Scalar::Half => Real::integer(2).scaled(F::BINARY.min_exponent + 1 - precision),
        _ => Real::integer(0),
    };
    Some(around::<F>(&value, &size.scaled(2 - precision).add(&underflow)))
}

fn blends<F: Format>(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Moderate, false), (Pool::Moderate, false), (Pool::Unit, true)];
    let mut list = with_scalars("mix", ty, &operands, "mix(a, b, c)", of_three(mix::<F>));
    list.push(selection(ty));
    list
}

fn smoothsteps<F: Format>(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Moderate, true), (Pool::Moderate, true), (Pool::Moderate, false)];
    with_scalars("smoothstep", ty, &operands, "smoothstep(a, b, c)", of_three(smoothstep::<F>))
}

/// t = clamp((x − low) / (high − low), 0, 1); t·t·(3 − 2t), by running error analysis. Undefined
/// for low ≥ high.
fn smoothstep<F: Format>(low: F, high: F, x: F) -> Option<Accept> {
    if !ieee::less(low, high) {
        return None;
    }
    let constant = |n: f64| Bounded::exact(F::from_double(n));
    let [low, high, x] = [low, high, x].map(Bounded::exact);
    let t = x.sub(&low).div(&high.sub(&low))?.clamp(0, 1);
    let factor = constant(3.0).sub(&constant(2.0).mul(&t));
    t.mul(&t).mul(&factor).accept()
}

fn remainders<F: Format>(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Composite, false), (Pool::Divisor, true)];
    let mut list = with_scalars("mod", ty, &operands, "mod(a, b)", of_two(modulo::<F>));
    let whole = |name: &str, expression: &str, f: fn(&Real) -> Real| {
        let statement = format!("{0} whole;\n{0} part = modf(a, whole);", ty.glsl());
        unary(GROUP, name, ty, Pool::Rounding, expression, move |x: F| {
            x.is_finite().then(|| integral(x, f)).flatten()
        })
        .statements(statement)
    };
    list.push(whole("modf_whole", "whole", Real::trunc));
    list.push(whole("modf_part", "part", |x| x.sub(&x.trunc())));
    list
}

/// Exponent of the largest quotient for which `mod` is tested.
fn largest_quotient<F: Format>() -> i32 {
    if F::SCALAR == Scalar::Double { 50 } else { 9 }
}

/// x − y·floor(x / y). The quotient may be off by 3 ULP: where that could reach another integer,
/// the result is not tested; but a multiple of y has to give 0. The product is rounded or fused.
pub fn modulo<F: Format>(x: F, y: F) -> Option<Accept> {
    if !x.is_finite() || !y.is_finite() || y.is_zero() || y.is_subnormal() {
        return None;
    }
    let (x, y) = (x.real(), y.real());
    let quotient = x.div(&y);
    let floor = quotient.floor();
    if Real::integer(1).scaled(largest_quotient::<F>()).less(&quotient.clone().abs()) {
        return None;
    }
    if quotient.sub(&floor).is_zero() {
        return Some(Accept::any_zero::<F>());
    }
    let wobble = quotient.clone().abs().scaled(3 - F::BINARY.precision as i32);
    let above = floor.add(&Real::integer(1)).sub(&quotient);
    if quotient.sub(&floor).less(&wobble) || above.less(&wobble) {
        return None;
    }
    let product = y.mul(&floor);
    let result = |product: &Real| F::nearest(&x.sub(product), false);
    let (fused, separate) = (result(&product), result(&F::nearest(&product, false).real()));
    if fused.is_zero() || separate.is_zero() { None } else { Some(Accept::hull(fused, separate)) }
}

/// The two results of `frexp` with exponents of 32 or 16 bits.
fn exponents<F: Format>(ty: Type, scalar: Scalar) -> Vec<Signature> {
    let ints = ty.with_scalar(scalar);
    let suffix = if scalar == Scalar::Int { "" } else { "16" };
    let statement =
        format!("{} exponent;\n{} significand = frexp(a, exponent);", ints.glsl(), ty.glsl());
    let name = format!("frexp{suffix}_significand");
    let mut significand = unary(GROUP, &name, ty, Pool::Any, "significand", |x: F| {
        split(x).map(|(significand, _)| Accept::number(significand))
    });
    significand = significand.statements(statement.clone());
    if scalar == Scalar::Int16 {
        // The suite has no test of 16-bit exponents: `frexp16_exponent` would be a new one.
        return vec![significand.require("GL_AMD_gpu_shader_int16")];
    }
    let evaluate = of_one(move |x: F| integer(scalar, split(x)?.1.into()).map(Accept::exactly));
    let name = format!("frexp{suffix}_exponent");
    let exponent =
        Signature::elementwise(GROUP, name, &[(ty, Pool::Any)], ints, "exponent", evaluate);
    vec![significand, exponent.statements(statement)]
}

/// Significand from 0.5 to 1 and exponent; both 0 for 0. A subnormal double may be flushed to 0 and
/// is not tested.
fn split<F: Format>(x: F) -> Option<(F, i32)> {
    if !x.is_finite() || (F::SCALAR == Scalar::Double && x.is_subnormal()) {
        return None;
    }
    if x.is_zero() {
        return Some((x, 0));
    }
    let n = x.real().exponent() + 1;
    Some((F::nearest(&x.real().scaled(-n), false), n))
}

/// `ldexp` with exponents of type `ints`.
fn scaling<F: Format>(
    ints: Type,
    name: &str,
    ty: Type,
    pool: Pool,
    f: fn(F, i32) -> Option<Accept>,
) -> Signature {
    let arguments = [(ty, Pool::Any), (ints, pool)];
    Signature::elementwise(GROUP, name, &arguments, ty, "ldexp(a, b)", move |x| {
        f(F::of(x[0]), x[1].integer() as i32)
    })
}

/// x · 2ⁿ. Undefined where it overflows or n > 1024; may be 0 where it is subnormal.
pub fn ldexp_double(x: f64, n: i32) -> Option<Accept> {
    if !x.is_finite() || x.is_subnormal() || n > 1024 {
        return None;
    }
    if x.is_zero() {
        return Some(Accept::any_zero::<f64>());
    }
    // Every double becomes 0 long before this.
    let value = f64::nearest(&x.real().scaled(n.max(-4000)), false);
    if value.is_subnormal()
        || value.is_zero()
        || value.magnitude() == f64::MIN_POSITIVE
        || n < -1022
    {
        return Some(Accept::hull(f64::zero(x.sign_bit()), value.with_sign_of(x)));
    }
    value.is_finite().then(|| Accept::of(value))
}

/// x · 2ⁿ, correctly rounded. Undefined where it overflows.
fn ldexp_half(x: Half, n: i32) -> Option<Accept> {
    if !x.is_finite() {
        return None;
    }
    let value = Half::nearest(&x.real().scaled(n), x.sign_bit());
    let value = if value.is_zero() { value.with_sign_of(x) } else { value };
    value.is_finite().then(|| Accept::number(value))
}

/// `sqrt` and `inversesqrt`.
pub fn roots<F: Format>(group: &'static str, ty: Type) -> Vec<Signature> {
    vec![
        unary(group, "sqrt", ty, Pool::Any, "sqrt(abs(a))", |x: F| {
            let x = x.magnitude();
            Some(match () {
                () if x.is_infinite() => Accept::of(x),
                () if x.is_zero() => Accept::any_zero::<F>(),
                () => within_ulps::<F>(&x.real().sqrt(), SQRT_ULPS),
            })
        }),
        // Undefined for 0 and below.
        unary(group, "inversesqrt", ty, Pool::Any, "inversesqrt(abs(a))", |x: F| {
            let x = x.magnitude();
            match () {
                () if x.is_infinite() => Some(Accept::any_zero::<F>()),
                () if x.is_zero() => None,
                () => Some(within_ulps::<F>(
                    &Real::integer(1).div(&x.real().sqrt()),
                    INVERSE_SQRT_ULPS,
                )),
            }
        }),
    ]
}

fn fused<F: Format>(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(
        GROUP,
        "fma",
        &arguments,
        ty,
        "fma(a, b, c)",
        of_three(ieee::mul_add::<F>),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn half(x: f64) -> Half {
        Half::from_double(x)
    }

    /// All halves against the host's functions of doubles.
    #[test]
    fn halves_agree_with_the_host() {
        for bits in 0..=u16::MAX {
            let x = Half::new(bits);
            if !x.is_finite() {
                continue;
            }
            let check = |name: &str, accept: Option<Accept>, host: f64| {
                let accept = accept.unwrap_or_else(|| panic!("{name} {x:?}"));
                assert!(accept.accepts(Component::Half(half(host))), "{name} {x:?} {accept:?}");
            };
            let v = x.value();
            check("floor", integral(x, Real::floor), v.floor());
            check("ceil", integral(x, Real::ceil), v.ceil());
            check("trunc", integral(x, Real::trunc), v.trunc());
            check("roundEven", integral(x, Real::round_even), v.round_ties_even());
            check("fract", fract(x), v - v.floor());
            let (significand, n) = split(x).expect("a finite operand");
            assert_eq!(significand.value() * 2f64.powi(n), v);
            assert!(x.is_zero() || (0.5..1.0).contains(&significand.magnitude().value()));
        }
    }

    #[test]
    fn modulo_of_multiples_of_halves_is_zero() {
        assert_eq!(modulo(half(10.0), half(5.0)), Some(Accept::any_zero::<Half>()));
        let accept = modulo(half(-10.0), half(3.0)).expect("an ordinary remainder");
        assert!(accept.accepts(Component::Half(half(2.0))));
        // The quotient of 0.3 and 0.1 as halves is near 3.
        assert_eq!(modulo(half(0.3), half(0.1)), None);
    }

    #[test]
    fn scaling_rounds_once() {
        assert_eq!(ldexp_half(half(3.0), -25), Some(Accept::of(Half::new(2))));
        assert_eq!(ldexp_half(Half::one(), -25), Some(Accept::any_zero::<Half>()));
        assert_eq!(ldexp_half(Half::one(), 16), None);
        assert_eq!(ldexp_half(Half::new(1), 39), Some(Accept::of(half(32768.0))));
    }

    #[test]
    fn doubles_agree_with_an_ieee_machine() {
        let mut random = Random::named("common");
        for _ in 0..3000 {
            let x = if random.chance(30) {
                random.double((0, 3)).round() / 2.0
            } else {
                random.double((-4, 55))
            };
            let exact = Real::from_f64(x);
            let check = |name: &str, exact: Real, machine: f64| {
                assert_eq!(f64::nearest(&exact, false), machine, "{name} {x:e}");
            };
            check("floor", exact.floor(), x.floor());
            check("ceil", exact.ceil(), x.ceil());
            check("trunc", exact.trunc(), x.trunc());
            check("roundEven", exact.round_even(), x.round_ties_even());
            assert!(
                fract(x).is_some_and(|accept| accept.accepts(Component::Double(x - x.floor())))
            );
            let root = within_ulps::<f64>(&exact.abs().sqrt(), 1);
            assert!(root.accepts(Component::Double(x.abs().sqrt())));
        }
    }

    #[test]
    fn modulo_of_multiples_of_doubles_is_zero() {
        assert_eq!(modulo(10.0, 5.0), Some(Accept::any_zero::<f64>()));
        let accept = modulo(10.0, 3.0).expect("an ordinary remainder");
        assert!(accept.accepts(Component::Double(1.0)));
        let accept = modulo(-10.0, 3.0).expect("an ordinary remainder");
        assert!(accept.accepts(Component::Double(2.0)));
        // The quotient of 0.1 + 0.1 + 0.1 by 0.1 is above 3 by less than the bound.
        assert_eq!(modulo(0.1 + 0.1 + 0.1, 0.1), None);
    }

    #[test]
    fn mix_holds_both_formulas() {
        let mut random = Random::named("mix");
        for _ in 0..2000 {
            let [x, y] = [(); 2].map(|()| random.double((-8, 8)));
            let a = random.double((-6, 0));
            let accept = mix(x, y, a).expect("finite operands");
            for value in [
                x * (1.0 - a) + y * a,
                x + a * (y - x),
                a.mul_add(y - x, x),
                x.mul_add(1.0 - a, y * a),
            ] {
                assert!(accept.accepts(Component::Double(value)), "{x:e} {y:e} {a:e}");
            }
        }
    }
}
