//! Angle, trigonometric and exponential functions (GLSL 4.60 sections 8.1 and 8.2) of halves.
//!
//! Section 4.7.1 bounds `exp`, `exp2`, `log`, `log2`, `pow`, `sqrt` and `inversesqrt` in units of
//! the last place, which the extension adopts for halves; its absolute bound of logarithms near 1
//! is 2⁻²¹ for 24 bits of precision, hence 2⁻⁸ for 11. It leaves the trigonometric functions open:
//! for those the suite requires the bounds of the Vulkan specification ("Precision of individual
//! operations", 16 bits): 2⁻⁷ for sine and cosine between −π and π, 5 ULP for the arc tangent, the
//! others as their formulas inherit it.

use super::common::{roots, unary};
use crate::accept::Accept;
use crate::bounded::{Bounded, around, ulp, within_ulps};
use crate::format::Format;
use crate::functions;
use crate::half::Half;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::{HALF_VECTORS, halves, of_two};
use crate::value::Type;

const GROUP: &str = "elementary";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list: Vec<Signature> = Vec::new();
    for ty in HALF_VECTORS {
        list.extend(roots::<Half>(GROUP, ty));
        list.extend(exponentials(ty));
    }
    for ty in [halves(1), halves(2), halves(4)] {
        list.extend(angles(ty));
    }
    for ty in [halves(1), halves(3)] {
        list.extend(arcs(ty));
        list.extend(hyperbolics(ty));
    }
    list
}

/// A function of a finite number.
fn function(name: &str, ty: Type, pool: Pool, f: fn(Real) -> Option<Accept>) -> Signature {
    unary(GROUP, name, ty, pool, format!("{name}(a)"), move |x: Half| {
        x.is_finite().then(|| f(x.real())).flatten()
    })
}

fn integer(n: i64) -> Real {
    Real::integer(n)
}

/// 2ⁿ.
fn power(n: i32) -> Real {
    integer(1).scaled(n)
}

fn bounded(value: Real, error: Real) -> Bounded<Half> {
    Bounded::within(value, error)
}

/// The result is 0 for −ln 2 · 24 and less; it overflows above ln 65504.
fn within(x: &Real, low: i64, high: i64) -> bool {
    integer(low).less(x) && x.less(&integer(high))
}

/// (3 + 2·|x|) ULP.
fn exp_ulps(x: &Real) -> Real {
    integer(3).add(&x.clone().abs().scaled(1))
}

fn exponential(x: &Real, f: fn(&Real) -> Real) -> Bounded<Half> {
    let value = f(x);
    let error = ulp::<Half>(&value).mul(&exp_ulps(x));
    bounded(value, error)
}

/// The logarithm of a positive value with a bound on its error.
fn logarithm(x: &Bounded<Half>, f: fn(&Real) -> Real) -> Option<Bounded<Half>> {
    let smallest = x.value().sub(x.error());
    if smallest.is_zero() || smallest.is_negative() {
        return None;
    }
    let value = f(x.value());
    // The slope of log₂ is below 1.5 / x.
    let inherited = x.error().div(&smallest).mul(&integer(3)).scaled(-1);
    let near_one = power(-1).less(x.value()) && x.value().less(&integer(2));
    let own = if near_one { power(-8) } else { ulp::<Half>(&value).mul(&integer(3)) };
    Some(bounded(value, inherited.add(&own)).after(x))
}

fn exact(bounded: &Bounded<Half>) -> Accept {
    around::<Half>(bounded.value(), bounded.error())
}

fn exponentials(ty: Type) -> Vec<Signature> {
    let positive = |name: &'static str, f: fn(&Real) -> Real| {
        unary(GROUP, name, ty, Pool::Any, format!("{name}(abs(a))"), move |x: Half| {
            let x = x.magnitude();
            let defined = x.is_finite() && !x.is_zero();
            defined.then(|| Some(exact(&logarithm(&Bounded::exact(x), f)?))).flatten()
        })
    };
    let arguments = [(ty, Pool::Unit), (ty, Pool::Moderate)];
    vec![
        function("exp", ty, Pool::Moderate, |x| {
            within(&x, -9, 10).then(|| exact(&exponential(&x, functions::exp)))
        }),
        function("exp2", ty, Pool::Moderate, |x| {
            within(&x, -13, 15).then(|| exact(&exponential(&x, functions::exp2)))
        }),
        positive("log", functions::ln),
        positive("log2", functions::log2),
        Signature::elementwise(GROUP, "pow", &arguments, ty, "pow(abs(a), b)", of_two(pow)),
    ]
}

/// As exp2(y · log2(x)) inherits it.
fn pow(x: Half, y: Half) -> Option<Accept> {
    if x.is_zero() || !x.is_finite() || !y.is_finite() {
        return None;
    }
    let scaled =
        Bounded::exact(y).mul(&logarithm(&Bounded::exact(x.magnitude()), functions::log2)?);
    if !within(scaled.value(), -13, 14) || !scaled.error().less(&power(-1)) {
        return None;
    }
    let result = exponential(scaled.value(), functions::exp2);
    // 2ᵈ − 1 < d for 0 < d < 1.
    let inherited = result.value().mul(scaled.error());
    Some(around::<Half>(result.value(), &result.error().add(&inherited).scaled(1)))
}

fn angles(ty: Type) -> Vec<Signature> {
    // The constant is a half too.
    let times = |x: Real, constant: Real| {
        let error = constant.clone().scaled(-11);
        bounded(x, integer(0)).mul(&bounded(constant, error)).accept()
    };
    let in_turn = |x: &Real| !functions::pi().less(&x.clone().abs());
    let radians = move |x: Half| {
        x.is_finite().then(|| times(x.real(), functions::pi().div(&integer(180)))).flatten()
    };
    let degrees = move |x: Half| {
        x.is_finite().then(|| times(x.real(), integer(180).div(functions::pi()))).flatten()
    };
    let circular = move |name: &str, f: fn(Real) -> Option<Accept>| {
        unary(GROUP, name, ty, Pool::Moderate, format!("{name}(a)"), move |x: Half| {
            (x.is_finite() && in_turn(&x.real())).then(|| f(x.real())).flatten()
        })
    };
    vec![
        unary(GROUP, "radians", ty, Pool::Any, "radians(a)".to_string(), radians),
        unary(GROUP, "degrees", ty, Pool::Any, "degrees(a)".to_string(), degrees),
        circular("sin", |x| Some(around::<Half>(&functions::sin(&x), &power(-7)))),
        circular("cos", |x| Some(around::<Half>(&functions::cos(&x), &power(-7)))),
        circular("tan", |x| {
            let cosine = bounded(functions::cos(&x), power(-7));
            bounded(functions::sin(&x), power(-7)).div(&cosine)?.accept()
        }),
    ]
}

fn arcs(ty: Type) -> Vec<Signature> {
    let arguments = [(ty, Pool::Moderate), (ty, Pool::Moderate)];
    vec![
        function("asin", ty, Pool::Unit, |x| arc(x, functions::atan2)),
        function("acos", ty, Pool::Unit, |x| arc(x, |x, y| functions::atan2(y, x))),
        function("atan", ty, Pool::Any, |x| Some(within_ulps::<Half>(&functions::atan(&x), 5))),
        Signature::elementwise(
            GROUP,
            "atan2",
            &arguments,
            ty,
            "atan(a, b)",
            of_two(|y: Half, x: Half| {
                // The quadrant of a zero depends on its sign.
                let defined = x.is_finite() && y.is_finite() && !y.is_zero();
                defined.then(|| within_ulps::<Half>(&functions::atan2(&y.real(), &x.real()), 5))
            }),
        ),
    ]
}

/// The angle of the point (√(1 − x²), x), or of that mirrored: the root's error changes the angle
/// by as much at most, as the point has a distance of 1.
fn arc(x: Real, angle: fn(&Real, &Real) -> Real) -> Option<Accept> {
    let one = bounded(integer(1), integer(0));
    let sine = bounded(x, integer(0));
    let cosine = one.sub(&sine.mul(&sine)).sqrt()?;
    let value = angle(sine.value(), &integer(1).sub(&sine.value().mul(sine.value())).sqrt());
    let error = cosine.error().clone().scaled(1).add(&ulp::<Half>(&value).mul(&integer(5)));
    Some(around::<Half>(&value, &error))
}

fn hyperbolics(ty: Type) -> Vec<Signature> {
    vec![
        function("sinh", ty, Pool::Moderate, |x| Some(exact(&parts(&x)?.0))),
        function("cosh", ty, Pool::Moderate, |x| Some(exact(&parts(&x)?.1))),
        function("tanh", ty, Pool::Moderate, |x| {
            let (sine, cosine) = parts(&x)?;
            sine.div(&cosine)?.accept()
        }),
        function("asinh", ty, Pool::Moderate, |x| area(x, 1)),
        function(
            "acosh",
            ty,
            Pool::Moderate,
            |x| if integer(1).less(&x) { area(x, -1) } else { None },
        ),
        function("atanh", ty, Pool::Unit, |x| {
            let (one, x) = (bounded(integer(1), integer(0)), bounded(x, integer(0)));
            let quotient = one.add(&x).div(&one.sub(&x))?;
            logarithm(&quotient, functions::ln)?.mul(&bounded(power(-1), integer(0))).accept()
        }),
    ]
}

/// Hyperbolic sine and cosine: (eˣ ∓ e⁻ˣ) / 2.
fn parts(x: &Real) -> Option<(Bounded<Half>, Bounded<Half>)> {
    if !within(x, -9, 9) {
        return None;
    }
    let (up, down) =
        (exponential(x, functions::exp), exponential(&x.clone().negated(), functions::exp));
    let half = bounded(power(-1), integer(0));
    Some((up.sub(&down).mul(&half), up.add(&down).mul(&half)))
}

/// ln(x + √(x² + c)).
fn area(x: Real, c: i64) -> Option<Accept> {
    let x = bounded(x, integer(0));
    let root = x.mul(&x).add(&bounded(integer(c), integer(0))).sqrt()?;
    logarithm(&x.add(&root), functions::ln)?.accept()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Signature;
    use crate::value::Component;

    /// Host results, rounded to half, have to be inside, and something a little off outside.
    #[test]
    fn host_results_are_inside() {
        let all: Vec<Signature> =
            [|ty| roots::<Half>(GROUP, ty), exponentials, angles, arcs, hyperbolics]
                .into_iter()
                .flat_map(|f| f(halves(1)))
                .collect();
        type Host = fn(f64, f64) -> f64;
        let host: [(&str, Host); 22] = [
            ("sqrt", |x, _| x.abs().sqrt()),
            ("inversesqrt", |x, _| 1.0 / x.abs().sqrt()),
            ("exp", |x, _| x.exp()),
            ("exp2", |x, _| x.exp2()),
            ("log", |x, _| x.abs().ln()),
            ("log2", |x, _| x.abs().log2()),
            ("pow", |x, y| x.abs().powf(y)),
            ("radians", |x, _| x.to_radians()),
            ("degrees", |x, _| x.to_degrees()),
            ("sin", |x, _| x.sin()),
            ("cos", |x, _| x.cos()),
            ("tan", |x, _| x.tan()),
            ("asin", |x, _| x.asin()),
            ("acos", |x, _| x.acos()),
            ("atan", |x, _| x.atan()),
            ("atan2", f64::atan2),
            ("sinh", |x, _| x.sinh()),
            ("cosh", |x, _| x.cosh()),
            ("tanh", |x, _| x.tanh()),
            ("asinh", |x, _| x.asinh()),
            ("acosh", |x, _| x.acosh()),
            ("atanh", |x, _| x.atanh()),
        ];
        assert_eq!(all.len(), host.len());
        let mut random = crate::random::Random::named("elementary");
        for (signature, (name, f)) in all.iter().zip(host) {
            assert_eq!(signature.name, name);
            let mut used = 0;
            for _ in 0..400 {
                let [x, y] = [(); 2].map(|()| Half::from_double(random.double((-6, 4))));
                let arguments = [vec![Component::Half(x)], vec![Component::Half(y)]];
                let Some(accept) = signature.accept(&arguments[..signature.arguments.len()]) else {
                    continue;
                };
                used += 1;
                let value = f(x.value(), y.value());
                assert!(
                    accept[0].accepts(Component::Half(Half::from_double(value))),
                    "{name} {x:?} {y:?} {accept:?}"
                );
                let off = Component::Half(Half::from_double(value + 0.5 * value.abs() + 0.25));
                let (low, high) = (accept[0].low.half().value(), accept[0].high.half().value());
                assert!(
                    !accept[0].accepts(off) || high - low > 0.3 * value.abs().max(1.0),
                    "{name} {x:?} {y:?}"
                );
            }
            assert!(used >= 60, "{name}: {used}");
        }
    }
}
