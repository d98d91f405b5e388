//! The common functions (GLSL 4.60 section 8.3) and the square roots (8.2).
//!
//! Results of 0 are accepted with either sign, as the specification's formulas do not settle it. Functions of NaN are not tested:
//! section 4.7.1 does not require any result. `isnan` and `isinf` are exact.

use super::{of_one, of_three, of_two};
use crate::bounded::{Bounded, INVERSE_SQRT_ULPS, SQRT_ULPS, within_ulps};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::{DOUBLE as BINARY64, Real, Rounding};
use crate::shared::common::{self, with_scalars};
use crate::value::{Accept, Component, Scalar, Type, VECTORS};

const GROUP: &str = "common";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        list.extend(roundings(ty));
        list.extend(signs(ty));
        list.extend(common::classes(ty));
        list.extend(common::extremes(ty));
        list.extend(blends(ty));
        list.extend(common::step(ty));
        list.extend(smoothsteps(ty));
        list.extend(remainders(ty));
        list.extend(exponents(ty));
        list.extend(roots(ty));
        list.push(fused(ty));
    }
    list
}

/// f applied by component to values that are not NaN.
fn unary(
    name: &str,
    ty: Type,
    pool: Pool,
    expression: String,
    f: impl Fn(f64) -> Option<Accept> + Copy + 'static,
) -> Signature {
    let evaluate = of_one(move |x: f64| if x.is_nan() { None } else { f(x) });
    Signature::elementwise(GROUP, name, &[(ty, pool)], ty, expression, evaluate)
}

/// An integer-valued function: infinities stay, zeros have either sign.
fn integral(x: f64, f: impl Fn(&Real) -> Real) -> Option<Accept> {
    if x.is_infinite() {
        return Some(Accept::double(x));
    }
    Some(Accept::number(f(&Real::from_f64(x)).round(BINARY64, Rounding::Nearest, false)))
}

pub(super) fn floor(x: f64) -> Option<Accept> {
    integral(x, Real::floor)
}

/// What is accepted for an operand that is not NaN.
pub(super) type Unary = fn(f64) -> Option<Accept>;

/// Functions that are exact or round once.
pub(super) const ROUNDINGS: [(&str, Unary); 5] = [
    ("floor", floor),
    ("ceil", |x| integral(x, Real::ceil)),
    ("trunc", |x| integral(x, Real::trunc)),
    ("roundEven", |x| integral(x, Real::round_even)),
    ("fract", fract),
];

fn roundings(ty: Type) -> Vec<Signature> {
    let mut list: Vec<Signature> =
        ROUNDINGS.iter().map(|&(name, f)| unary(name, ty, Pool::Rounding, format!("{name}(a)"), f)).collect();
    list.extend([
        // The specification leaves the direction of halves open.
        unary("round", ty, Pool::Rounding, "round(a)".to_string(), |x| {
            let exact = x.is_finite().then(|| Real::from_f64(x));
            let tie = exact.is_some_and(|x| x.clone().scaled(1).is_integer() && !x.is_integer());
            if tie { None } else { integral(x, Real::round_even) }
        }),
        // So of halves only the distance is known: an exact difference.
        unary("round_distance", ty, Pool::Rounding, "abs(round(a) - a)".to_string(), |x| {
            let exact = x.is_finite().then(|| Real::from_f64(x))?;
            Some(Accept::number(exact.round_even().sub(&exact).abs().round(
                BINARY64,
                Rounding::Nearest,
                false,
            )))
        })
        .precise(),
    ]);
    list
}

/// x − floor(x), one rounding. Where that rounds up to 1, implementations may keep the result below.
fn fract(x: f64) -> Option<Accept> {
    let exact = x.is_finite().then(|| Real::from_f64(x))?;
    let value = exact.sub(&exact.floor()).round(BINARY64, Rounding::Nearest, false);
    Some(if value == 1.0 { Accept::hull(1f64.next_down(), 1.0) } else { Accept::number(value) })
}

fn signs(ty: Type) -> Vec<Signature> {
    vec![
        unary("abs", ty, Pool::Any, "abs(a)".to_string(), |x| Some(Accept::number(ieee::abs(x)))),
        unary("sign", ty, Pool::Any, "sign(a)".to_string(), |x| {
            let one = f64::from_bits(1f64.to_bits() | (x.to_bits() & 1 << 63));
            Some(Accept::number(if ieee::is_zero(x) { 0.0 } else { one }))
        }),
    ]
}

/// x·(1 − a) + y·a. Compilers may also compute x + a·(y − x); the error of that is below 4 · 2⁻⁵³ · (|x|·(1 + |a|) + |y|·|a|):
/// three roundings of |a|·(|x| + |y|) and one of the result.
fn mix(x: f64, y: f64, a: f64) -> Option<Accept> {
    let [x, y, a] = [x, y, a].map(Real::from_f64);
    let one = Real::integer(1);
    let value = x.mul(&one.sub(&a)).add(&y.mul(&a));
    let size = x.abs().mul(&one.add(&a.clone().abs())).add(&y.abs().mul(&a.abs()));
    Some(crate::bounded::around(&value, &size.scaled(-51)))
}

fn blends(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Moderate, false), (Pool::Moderate, false), (Pool::Unit, true)];
    let mut list = with_scalars("mix", ty, &operands, "mix(a, b, c)", of_three(mix));
    list.push(common::selection(ty));
    list
}

fn smoothsteps(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Moderate, true), (Pool::Moderate, true), (Pool::Moderate, false)];
    with_scalars("smoothstep", ty, &operands, "smoothstep(a, b, c)", of_three(smoothstep))
}

/// t = clamp((x − low) / (high − low), 0, 1); t·t·(3 − 2t), by running error analysis. Undefined for low ≥ high.
fn smoothstep(low: f64, high: f64, x: f64) -> Option<Accept> {
    if !ieee::less(low, high) {
        return None;
    }
    let [low, high, x] = [low, high, x].map(Bounded::exact);
    let t = x.sub(&low).div(&high.sub(&low))?.clamp(0, 1);
    let factor = Bounded::exact(3.0).sub(&Bounded::exact(2.0).mul(&t));
    Some(t.mul(&t).mul(&factor).accept())
}

fn remainders(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Composite, false), (Pool::Divisor, true)];
    let mut list = with_scalars("mod", ty, &operands, "mod(a, b)", of_two(modulo));
    let whole = |name: &str, expression: &str, f: fn(&Real) -> Real| {
        let statement = format!("{} whole;\n{} part = modf(a, whole);", ty.glsl(), ty.glsl());
        unary(name, ty, Pool::Rounding, expression.to_string(), move |x| {
            x.is_finite().then(|| integral(x, f)).flatten()
        })
        .statements(statement)
    };
    list.push(whole("modf_whole", "whole", Real::trunc));
    list.push(whole("modf_part", "part", |x| x.sub(&x.trunc())));
    list
}

/// x − y·floor(x / y). The quotient may be off by 3 ULP: where that could reach another integer, the result is not tested; but a
/// multiple of y has to give 0. The product is rounded or fused.
pub(super) fn modulo(x: f64, y: f64) -> Option<Accept> {
    if !x.is_finite() || !y.is_finite() || ieee::is_zero(y) || ieee::is_subnormal(y) {
        return None;
    }
    let (x, y) = (Real::from_f64(x), Real::from_f64(y));
    let quotient = x.div(&y);
    let floor = quotient.floor();
    let limit = Real::integer(1).scaled(50);
    if limit.less(&quotient.clone().abs()) {
        return None;
    }
    if quotient.sub(&floor).is_zero() {
        return Some(Accept::any_zero());
    }
    let wobble = quotient.clone().abs().scaled(-50);
    let above = floor.add(&Real::integer(1)).sub(&quotient);
    if quotient.sub(&floor).less(&wobble) || above.less(&wobble) {
        return None;
    }
    let product = y.mul(&floor);
    let rounded = Real::from_f64(product.round(BINARY64, Rounding::Nearest, false));
    let result = |product: &Real| x.sub(product).round(BINARY64, Rounding::Nearest, false);
    let (fused, separate) = (result(&product), result(&rounded));
    if ieee::is_zero(fused) || ieee::is_zero(separate) { None } else { Some(Accept::hull(fused, separate)) }
}

fn exponents(ty: Type) -> Vec<Signature> {
    let ints = ty.with_scalar(Scalar::Int);
    let statement = format!("{} exponent;\n{} significand = frexp(a, exponent);", ints.glsl(), ty.glsl());
    // A subnormal operand may be flushed to 0 and is not tested.
    let usable = |x: f64| x.is_finite() && !ieee::is_subnormal(x);
    let significand = of_one(move |x: f64| {
        let value = |e: i32| Real::from_f64(x).scaled(-e - 1).round(BINARY64, Rounding::Nearest, false);
        usable(x)
            .then(|| Accept::number(if ieee::is_zero(x) { 0.0 } else { value(Real::from_f64(x).exponent()) }))
    });
    let exponent = of_one(move |x: f64| {
        let value = if ieee::is_zero(x) { 0 } else { usable(x).then(|| Real::from_f64(x).exponent() + 1)? };
        Some(Accept::exactly(Component::Int(value)))
    });
    vec![
        Signature::elementwise(
            GROUP,
            "frexp_significand",
            &[(ty, Pool::Any)],
            ty,
            "significand",
            significand,
        )
        .statements(statement.clone()),
        Signature::elementwise(GROUP, "frexp_exponent", &[(ty, Pool::Any)], ints, "exponent", exponent)
            .statements(statement),
        Signature::elementwise(
            GROUP,
            "ldexp",
            &[(ty, Pool::Any), (ints, Pool::Exponent)],
            ty,
            "ldexp(a, b)",
            |x| ldexp(x[0].double(), x[1].integer() as i32),
        ),
    ]
}

/// x · 2ⁿ. Undefined where it overflows or n > 1024; may be 0 where it is subnormal.
pub(super) fn ldexp(x: f64, n: i32) -> Option<Accept> {
    if !x.is_finite() || ieee::is_subnormal(x) || n > 1024 {
        return None;
    }
    if ieee::is_zero(x) {
        return Some(Accept::any_zero());
    }
    // Nothing is left of any double long before this.
    let value = Real::from_f64(x).scaled(n.max(-4000)).round(BINARY64, Rounding::Nearest, false);
    if ieee::is_subnormal(value) || ieee::is_zero(value) || ieee::abs(value) == f64::MIN_POSITIVE || n < -1022
    {
        return Some(Accept::hull(ieee::zero(x.is_sign_negative()), ieee::abs_like(value, x)));
    }
    value.is_finite().then(|| Accept::double(value))
}

fn roots(ty: Type) -> Vec<Signature> {
    vec![
        unary("sqrt", ty, Pool::Any, "sqrt(abs(a))".to_string(), |x| {
            let x = ieee::abs(x);
            Some(match x {
                f64::INFINITY => Accept::double(x),
                _ if ieee::is_zero(x) => Accept::any_zero(),
                _ => within_ulps(&Real::from_f64(x).sqrt(), SQRT_ULPS),
            })
        }),
        // Undefined for 0 and below.
        unary("inversesqrt", ty, Pool::Any, "inversesqrt(abs(a))".to_string(), |x| {
            let x = ieee::abs(x);
            match x {
                f64::INFINITY => Some(Accept::any_zero()),
                _ if ieee::is_zero(x) => None,
                _ => Some(within_ulps(&Real::integer(1).div(&Real::from_f64(x).sqrt()), INVERSE_SQRT_ULPS)),
            }
        }),
    ]
}

fn fused(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(GROUP, "fma", &arguments, ty, "fma(a, b, c)", of_three(ieee::mul_add))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn functions_agree_with_an_ieee_machine() {
        let mut random = Random::named("common");
        for _ in 0..3000 {
            let x =
                if random.chance(30) { random.double((0, 3)).round() / 2.0 } else { random.double((-4, 55)) };
            let exact = Real::from_f64(x);
            let check = |name: &str, exact: Real, machine: f64| {
                assert_eq!(exact.round(BINARY64, Rounding::Nearest, false), machine, "{name} {x:e}");
            };
            check("floor", exact.floor(), x.floor());
            check("ceil", exact.ceil(), x.ceil());
            check("trunc", exact.trunc(), x.trunc());
            check("roundEven", exact.round_even(), x.round_ties_even());
            assert!(fract(x).is_some_and(|accept| accept.accepts(Component::Double(x - x.floor()))));
            let root = within_ulps(&exact.abs().sqrt(), 1);
            assert!(root.accepts(Component::Double(x.abs().sqrt())));
        }
    }

    #[test]
    fn modulo_of_multiples_is_zero() {
        assert_eq!(modulo(10.0, 5.0), Some(Accept::any_zero()));
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
            for value in
                [x * (1.0 - a) + y * a, x + a * (y - x), a.mul_add(y - x, x), x.mul_add(1.0 - a, y * a)]
            {
                assert!(accept.accepts(Component::Double(value)), "{x:e} {y:e} {a:e}");
            }
        }
    }
}
