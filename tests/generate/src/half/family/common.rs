//! The common functions (GLSL 4.60 section 8.3) of halves, as GL_AMD_gpu_shader_half_float adds them, with `min3`, `max3` and `mid3` of
//! GL_AMD_shader_trinary_minmax.
//!
//! Results of 0 are accepted with either sign, as the specification's formulas do not settle it. Functions of NaN are not tested:
//! section 4.7.1 does not require any result. `isnan` and `isinf` are exact.

use super::{VECTORS, of_one, of_three, of_two};
use crate::bounded::Bounded;
use crate::half::float16::Half;
use crate::half::ieee;
use crate::half::ieee::{any_zero, number};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::common::{self, with_scalars};
use crate::value::{Accept, Scalar, Type};

const GROUP: &str = "common";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        list.extend(roundings(ty));
        list.extend(signs(ty));
        list.extend(common::classes(ty));
        list.extend(common::extremes(ty));
        list.extend(trinary(ty));
        list.extend(blends(ty));
        list.extend(common::step(ty));
        list.extend(smoothsteps(ty));
        list.extend(remainders(ty));
        list.extend(exponents(ty, Scalar::Int));
        list.extend(exponents(ty, Scalar::Int16));
        list.push(fused(ty));
    }
    list
}

/// f applied by component to values that are not NaN.
pub fn unary(
    group: &'static str,
    name: &str,
    ty: Type,
    pool: Pool,
    expression: String,
    f: impl Fn(Half) -> Option<Accept> + Copy + 'static,
) -> Signature {
    let evaluate = of_one(move |x: Half| if x.is_nan() { None } else { f(x) });
    Signature::elementwise(group, name, &[(ty, pool)], ty, expression, evaluate)
}

/// An integer-valued function: infinities stay, zeros have either sign.
fn integral(x: Half, f: impl Fn(&Real) -> Real) -> Option<Accept> {
    Some(if x.is_infinite() { Accept::half(x) } else { number(Half::nearest(&f(&x.real()), false)) })
}

fn roundings(ty: Type) -> Vec<Signature> {
    let function = |name: &str, f: fn(&Real) -> Real| {
        unary(GROUP, name, ty, Pool::Rounding, format!("{name}(a)"), move |x| integral(x, f))
    };
    vec![
        function("floor", Real::floor),
        function("ceil", Real::ceil),
        function("trunc", Real::trunc),
        function("roundEven", Real::round_even),
        // The specification leaves the direction of halves open.
        unary(GROUP, "round", ty, Pool::Rounding, "round(a)".to_string(), |x| {
            let tie = x.is_finite() && x.real().scaled(1).is_integer() && !x.real().is_integer();
            if tie { None } else { integral(x, Real::round_even) }
        }),
        unary(GROUP, "fract", ty, Pool::Rounding, "fract(a)".to_string(), fract),
    ]
}

/// x − floor(x), one rounding. Where that rounds up to 1, implementations may keep the result below.
fn fract(x: Half) -> Option<Accept> {
    let exact = x.is_finite().then(|| x.real())?;
    let value = Half::nearest(&exact.sub(&exact.floor()), false);
    Some(if value == Half::ONE { ieee::hull(Half::ONE.next_down(), Half::ONE) } else { number(value) })
}

fn signs(ty: Type) -> Vec<Signature> {
    vec![
        unary(GROUP, "abs", ty, Pool::Any, "abs(a)".to_string(), |x| Some(number(x.abs()))),
        unary(GROUP, "sign", ty, Pool::Any, "sign(a)".to_string(), |x| {
            Some(number(if x.is_zero() { x } else { Half::ONE.with_sign_of(x) }))
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
            sorted.iter().all(|x| !x.is_nan()).then(|| number(sorted[i]))
        });
        Signature::elementwise(GROUP, name, &arguments, ty, format!("{name}(a, b, c)"), evaluate)
            .require("GL_AMD_shader_trinary_minmax")
    })
}

/// x·(1 − a) + y·a. Compilers may also compute x + a·(y − x); the error of that is below 4 · 2⁻¹¹ · (|x|·(1 + |a|) + |y|·|a|):
/// three roundings of |a|·(|x| + |y|) and one of the result. Each of four steps may also be off by half of the smallest subnormal.
fn mix(x: Half, y: Half, a: Half) -> Option<Accept> {
    let [x, y, a] = [x, y, a].map(Half::real);
    let one = Real::integer(1);
    let value = x.mul(&one.sub(&a)).add(&y.mul(&a));
    let size = x.abs().mul(&one.add(&a.clone().abs())).add(&y.abs().mul(&a.abs()));
    let error = size.scaled(-9).add(&Real::integer(2).scaled(-24));
    Some(ieee::around(&value, &error))
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
fn smoothstep(low: Half, high: Half, x: Half) -> Option<Accept> {
    if !ieee::less(low, high) {
        return None;
    }
    let constant = |n: f64| Bounded::half(Half::from_double(n));
    let [low, high, x] = [low, high, x].map(Bounded::half);
    let t = x.sub(&low).div(&high.sub(&low))?.clamp(0, 1);
    let factor = constant(3.0).sub(&constant(2.0).mul(&t));
    t.mul(&t).mul(&factor).accept_half()
}

fn remainders(ty: Type) -> Vec<Signature> {
    let operands = [(Pool::Composite, false), (Pool::Divisor, true)];
    let mut list = with_scalars("mod", ty, &operands, "mod(a, b)", of_two(modulo));
    let whole = |name: &str, expression: &str, f: fn(&Real) -> Real| {
        let statement = format!("{0} whole;\n{0} part = modf(a, whole);", ty.glsl());
        unary(GROUP, name, ty, Pool::Rounding, expression.to_string(), move |x| {
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
fn modulo(x: Half, y: Half) -> Option<Accept> {
    if !x.is_finite() || !y.is_finite() || y.is_zero() || y.is_subnormal() {
        return None;
    }
    let (x, y) = (x.real(), y.real());
    let quotient = x.div(&y);
    let floor = quotient.floor();
    if Real::integer(1 << 9).less(&quotient.clone().abs()) {
        return None;
    }
    if quotient.sub(&floor).is_zero() {
        return Some(any_zero());
    }
    let wobble = quotient.clone().abs().scaled(-8);
    let above = floor.add(&Real::integer(1)).sub(&quotient);
    if quotient.sub(&floor).less(&wobble) || above.less(&wobble) {
        return None;
    }
    let product = y.mul(&floor);
    let result = |product: &Real| Half::nearest(&x.sub(product), false);
    let (fused, separate) = (result(&product), result(&Half::nearest(&product, false).real()));
    if fused.is_zero() || separate.is_zero() { None } else { Some(ieee::hull(fused, separate)) }
}

/// `frexp` and `ldexp` with exponents of 32 or 16 bits.
fn exponents(ty: Type, scalar: Scalar) -> Vec<Signature> {
    let ints = ty.with_scalar(scalar);
    let suffix = if scalar == Scalar::Int { "" } else { "16" };
    let statement = format!("{} exponent;\n{} significand = frexp(a, exponent);", ints.glsl(), ty.glsl());
    let arguments = [(ty, Pool::Any)];
    let significand =
        unary(GROUP, &format!("frexp{suffix}_significand"), ty, Pool::Any, "significand".into(), |x| {
            split(x).map(|(significand, _)| number(significand))
        });
    let exponent = of_one(move |x: Half| {
        let (_, n) = split(x)?;
        crate::half::pool::integer(scalar, n.into()).map(Accept::exactly)
    });
    let name = format!("frexp{suffix}_exponent");
    let exponent = Signature::elementwise(GROUP, name, &arguments, ints, "exponent", exponent);
    let arguments = [(ty, Pool::Any), (ints, Pool::Scaling)];
    let name = format!("ldexp{suffix}");
    let scaled = Signature::elementwise(GROUP, name, &arguments, ty, "ldexp(a, b)", |x| {
        ldexp(x[0].half(), x[1].integer() as i32)
    });
    let mut list = vec![significand.statements(statement.clone()), exponent.statements(statement), scaled];
    if scalar == Scalar::Int16 {
        list[0] = list.remove(0).require("GL_AMD_gpu_shader_int16");
    }
    list
}

/// Significand from 0.5 to 1 and exponent; both 0 for 0.
fn split(x: Half) -> Option<(Half, i32)> {
    if !x.is_finite() {
        return None;
    }
    if x.is_zero() {
        return Some((x, 0));
    }
    let n = x.real().exponent() + 1;
    Some((Half::nearest(&x.real().scaled(-n), false), n))
}

/// x · 2ⁿ, correctly rounded. Undefined where it overflows.
fn ldexp(x: Half, n: i32) -> Option<Accept> {
    if !x.is_finite() {
        return None;
    }
    let value = Half::nearest(&x.real().scaled(n), x.is_negative());
    let value = if value.is_zero() { value.with_sign_of(x) } else { value };
    value.is_finite().then(|| number(value))
}

fn fused(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Any), (ty, Pool::Related)];
    Signature::elementwise(GROUP, "fma", &arguments, ty, "fma(a, b, c)", of_three(ieee::mul_add))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Component;

    fn half(x: f64) -> Half {
        Half::from_double(x)
    }

    /// All halves against the host's functions of doubles.
    #[test]
    fn functions_agree_with_the_host() {
        for bits in 0..=u16::MAX {
            let x = Half::from_bits(bits);
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
            assert!(x.is_zero() || (0.5..1.0).contains(&significand.abs().value()));
        }
    }

    #[test]
    fn modulo_of_multiples_is_zero() {
        assert_eq!(modulo(half(10.0), half(5.0)), Some(any_zero()));
        let accept = modulo(half(-10.0), half(3.0)).expect("an ordinary remainder");
        assert!(accept.accepts(Component::Half(half(2.0))));
        // The quotient of 0.3 and 0.1 as halves is near 3.
        assert_eq!(modulo(half(0.3), half(0.1)), None);
    }

    #[test]
    fn scaling_rounds_once() {
        assert_eq!(ldexp(half(3.0), -25), Some(Accept::half(Half::from_bits(2))));
        assert_eq!(ldexp(Half::ONE, -25), Some(any_zero()));
        assert_eq!(ldexp(Half::ONE, 16), None);
        assert_eq!(ldexp(Half::from_bits(1), 39), Some(Accept::half(half(32768.0))));
    }
}
