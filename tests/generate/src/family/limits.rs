//! Values where an implementation changes its method: around powers of two at which a significand
//! or a 32-bit integer ends, the smallest and largest numbers, multiples of the divisor. The bounds
//! are this project's own; GLSL allows less precise results.

use super::common::{Unary, floor, ldexp_double, modulo, rounding_functions};
use crate::accept::Accept;
use crate::bounded::within_ulps;
use crate::format::Format;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::{of_one, of_two};
use crate::value::{Scalar, Type, VECTORS, dvec};

const GROUP: &str = "limits";

/// Accepted error of quotients and square roots here, in ULPs of the exact result. GLSL 4.60
/// section 4.7.1 grants a quotient 2.5, and a root the error that `1.0 / inversesqrt(x)` inherits;
/// the families of these operations require no more than that.
const STATED_ULPS: i64 = 1;

/// Vectors of multiples per test of `mod`: four pairs each.
const MULTIPLES: usize = 840;
/// Draws of the other tests.
const DRAWS: usize = 24;

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        list.extend(rounding_functions().map(|(name, f)| rounded(name, f, ty)));
        list.push(to_integer_and_back(ty));
        list.push(scaled(ty));
        list.push(taken_apart(ty));
        list.push(quotient(ty));
        list.extend(roots(ty));
    }
    list.push(multiples());
    list
}

fn rounded(name: &str, f: Unary<f64>, ty: Type) -> Signature {
    let evaluate = of_one(move |x: f64| if x.is_nan() { None } else { f(x) });
    Signature::elementwise(GROUP, name, &[(ty, Pool::Limits)], ty, format!("{name}(a)"), evaluate)
        .draws(DRAWS)
}

/// floor(a) where it is an `int`, by way of one.
fn to_integer_and_back(ty: Type) -> Signature {
    let expression = format!("{0}({1}(floor(a)))", ty.glsl(), ty.with_scalar(Scalar::Int).glsl());
    let evaluate = of_one(|x: f64| {
        let value = x.is_finite().then(|| floor(x))??.high.double();
        let fits =
            !ieee::less(value, f64::from(i32::MIN)) && !ieee::less(f64::from(i32::MAX), value);
        // An integer has one zero.
        fits.then(|| Accept::of(if value.is_zero() { 0.0 } else { value }))
    });
    Signature::elementwise(GROUP, "floor_int", &[(ty, Pool::Limits)], ty, expression, evaluate)
        .draws(DRAWS)
}

fn scaled(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Edge), (ty.with_scalar(Scalar::Int), Pool::Edge)];
    Signature::elementwise(GROUP, "ldexp", &arguments, ty, "ldexp(a, b)", |x| {
        ldexp_double(x[0].double(), x[1].integer() as i32)
    })
    .draws(DRAWS)
}

/// `ldexp` of the results of `frexp`.
fn taken_apart(ty: Type) -> Signature {
    let ints = ty.with_scalar(Scalar::Int).glsl();
    let evaluate = of_one(|x: f64| {
        let usable = x.is_finite() && !x.is_subnormal();
        usable.then(|| Accept::number(x))
    });
    Signature::elementwise(
        GROUP,
        "frexp_ldexp",
        &[(ty, Pool::Edge)],
        ty,
        "ldexp(part, exponent)",
        evaluate,
    )
    .statements(format!("{ints} exponent;\n{} part = frexp(a, exponent);", ty.glsl()))
    .draws(DRAWS)
}

fn quotient(ty: Type) -> Signature {
    let evaluate = of_two(|a: f64, b: f64| {
        let exact = Real::from_f64(a).div(&Real::from_f64(b));
        // Between the limits of the divisor and of normal results.
        let usual = |x: &Real| (-1000..1000).contains(&x.exponent());
        (usual(&Real::from_f64(b)) && usual(&exact))
            .then(|| within_ulps::<f64>(&exact, STATED_ULPS))
    });
    Signature::elementwise(
        GROUP,
        "div",
        &[(ty, Pool::Coarse), (ty, Pool::Wide)],
        ty,
        "a / b",
        evaluate,
    )
    .draws(DRAWS)
}

fn roots(ty: Type) -> [Signature; 2] {
    let root = |name: &str, f: fn(&Real) -> Real| {
        let evaluate = of_one(move |x: f64| {
            Some(within_ulps::<f64>(&f(&Real::from_f64(x.magnitude())), STATED_ULPS))
        });
        let expression = format!("{name}(abs(a))");
        Signature::elementwise(GROUP, name, &[(ty, Pool::Wide)], ty, expression, evaluate)
            .draws(DRAWS)
    };
    [root("sqrt", Real::sqrt), root("inversesqrt", |x| Real::integer(1).div(&x.sqrt()))]
}

/// mod(k·y, y), which is 0 however the quotient is rounded: 10,080 random pairs in three stages.
fn multiples() -> Signature {
    let ty = dvec(4);
    let arguments = [(ty, Pool::Short), (ty, Pool::Multiple)];
    let evaluate =
        of_two(|y: f64, x| modulo(x, y).filter(|accept| *accept == Accept::any_zero::<f64>()));
    Signature::elementwise(GROUP, "mod", &arguments, ty, "mod(b, a)", evaluate)
        .types("multiples")
        .draws(MULTIPLES)
}
