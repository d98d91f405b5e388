//! The geometric functions (GLSL 4.60 section 8.5) of halves, by running error analysis of their formulas. Operands whose products
//! could overflow are not used.

use super::{HALF, VECTORS, halves};
use crate::bounded::{Bounded, DIVISION_ULPS, INVERSE_SQRT_ULPS, SQRT_ULPS};
use crate::half::float16::Half;
use crate::half::ieee::{any_zero, around, number};
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::value::{Accept, Component, Type};

const GROUP: &str = "geometric";

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in VECTORS {
        list.push(dot_product(ty));
        list.push(length(ty));
        list.push(distance(ty));
        list.push(normalize(ty));
        list.push(faceforward(ty));
        list.push(reflect(ty));
        list.push(refract(ty));
    }
    list.push(cross());
    list
}

/// Operands as values without error; nothing when one is not finite.
pub fn exact(x: &[Component]) -> Option<Vec<Bounded>> {
    x.iter().map(|x| x.half().is_finite().then(|| Bounded::half(x.half()))).collect()
}

fn constant(n: f64) -> Bounded {
    Bounded::half(Half::from_double(n))
}

/// Σ aᵢbᵢ.
pub fn dot(a: &[Bounded], b: &[Bounded]) -> Option<Bounded> {
    a.iter().zip(b).map(|(a, b)| a.mul(b)).reduce(|sum, product| sum.add(&product))
}

fn accept(list: Vec<Bounded>) -> Option<Vec<Accept>> {
    list.iter().map(Bounded::accept_half).collect()
}

fn dot_product(ty: Type) -> Signature {
    Signature::whole(GROUP, "dot", &[(ty, Pool::Wide), (ty, Pool::Wide)], HALF, "dot(a, b)", |x| {
        accept(vec![dot(&exact(&x[0])?, &exact(&x[1])?)?])
    })
}

/// √Σxᵢ² of the exact values and the error with which that is computed, for `changes` roundings in each xᵢ: the sum is off by n + 1
/// roundings at most, its root by half of that, then come the [`SQRT_ULPS`] of the root, two roundings each at most. Nothing when a
/// square may overflow or fall below the normal halves.
fn norm(x: &[Bounded], changes: i64) -> Option<(Real, Real)> {
    let sum = dot(x, x)?;
    sum.accept_half()?;
    let root = sum.value().sqrt();
    if root.less(&Real::integer(1).scaled(-5)) {
        return None;
    }
    let n = x.len() as i64 + 1 + 2 * SQRT_ULPS + changes;
    // A square that is subnormal is off by 2⁻²⁵ more, and the root then by 2⁻²¹.
    let error = root.mul(&Real::integer(n)).scaled(-11).add(&Real::integer(x.len() as i64).scaled(-21));
    Some((root, error))
}

fn length(ty: Type) -> Signature {
    Signature::whole(GROUP, "length", &[(ty, Pool::Wide)], HALF, "length(a)", |x| {
        let (root, error) = norm(&exact(&x[0])?, 0)?;
        Some(vec![around(&root, &error)])
    })
}

fn distance(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Moderate), (ty, Pool::Moderate)];
    Signature::whole(GROUP, "distance", &arguments, HALF, "distance(a, b)", |x| {
        let difference: Vec<Bounded> =
            exact(&x[0])?.iter().zip(exact(&x[1])?).map(|(a, b)| a.sub(&b)).collect();
        let (root, error) = norm(&difference, 2)?;
        Some(vec![around(&root, &error)])
    })
}

/// x / |x| or x · inversesqrt(x·x): the norm's error and that of a division or of an inverse root and a product.
fn normalize(ty: Type) -> Signature {
    Signature::whole(GROUP, "normalize", &[(ty, Pool::Wide)], ty, "normalize(a)", |x| {
        let x = exact(&x[0])?;
        let (root, error) = norm(&x, 0)?;
        let last = (2 * DIVISION_ULPS).max(2 * INVERSE_SQRT_ULPS + 1);
        let relative = error.div(&root).add(&Real::integer(last).scaled(-11));
        let unit = |x: &Bounded| {
            let value = x.value().div(&root);
            let error = value.clone().abs().mul(&relative).add(&Real::integer(1).scaled(-23));
            around(&value, &error)
        };
        Some(x.iter().map(unit).collect())
    })
}

fn cross() -> Signature {
    let ty = halves(3);
    Signature::whole(GROUP, "cross", &[(ty, Pool::Wide), (ty, Pool::Wide)], ty, "cross(a, b)", |x| {
        let (a, b) = (exact(&x[0])?, exact(&x[1])?);
        let component = |i: usize, j: usize| a[i].mul(&b[j]).sub(&a[j].mul(&b[i]));
        accept(vec![component(1, 2), component(2, 0), component(0, 1)])
    })
}

/// N where dot(Nref, I) < 0, else −N; not tested where rounding could turn the sign.
fn faceforward(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Moderate), (ty, Pool::Moderate)];
    Signature::whole(GROUP, "faceforward", &arguments, ty, "faceforward(a, b, c)", |x| {
        let sum = dot(&exact(&x[2])?, &exact(&x[1])?)?;
        let sure = sum.error().clone().scaled(1).less(&sum.value().clone().abs());
        if !sure || x[0].iter().any(|n| n.half().is_nan()) {
            return None;
        }
        let face = |n: Half| if sum.value().is_negative() { n } else { n.negated() };
        Some(x[0].iter().map(|n| number(face(n.half()))).collect())
    })
}

/// I − 2·dot(N, I)·N.
fn reflect(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Moderate), (ty, Pool::Moderate)];
    Signature::whole(GROUP, "reflect", &arguments, ty, "reflect(a, b)", |x| {
        let (incident, normal) = (exact(&x[0])?, exact(&x[1])?);
        let twice = dot(&normal, &incident)?.mul(&constant(2.0));
        accept(incident.iter().zip(&normal).map(|(i, n)| i.sub(&twice.mul(n))).collect())
    })
}

/// k = 1 − η²(1 − d²) with d = dot(N, I); 0 for k < 0, else ηI − (ηd + √k)·N.
fn refract(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Unit), (ty, Pool::Unit), (HALF, Pool::Unit)];
    Signature::whole(GROUP, "refract", &arguments, ty, "refract(a, b, c)", |x| {
        let (incident, normal) = (exact(&x[0])?, exact(&x[1])?);
        let eta = Bounded::half(x[2][0].half());
        let one = constant(1.0);
        let d = dot(&normal, &incident)?;
        let k = one.sub(&eta.mul(&eta).mul(&one.sub(&d.mul(&d))));
        let doubled = k.error().clone().scaled(1);
        if doubled.less(&k.value().clone().negated()) {
            return Some(vec![any_zero(); incident.len()]);
        }
        if !doubled.less(k.value()) {
            return None;
        }
        let along = eta.mul(&d).add(&k.sqrt()?);
        accept(incident.iter().zip(&normal).map(|(i, n)| eta.mul(i).sub(&along.mul(n))).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Host arithmetic, rounded to half at the end, is one of the implementations that have to be inside.
    #[test]
    fn host_results_are_inside() {
        let mut random = Random::named("half geometric");
        for _ in 0..300 {
            let mut vector = || [(); 3].map(|()| Half::from_double(random.double((-3, 2))));
            let (a, b) = (vector(), vector());
            let arguments = [a, b].map(|v| v.map(Component::Half).to_vec());
            let inside = |signature: Signature, values: &[f64]| {
                let Some(accept) = signature.accept(&arguments[..signature.arguments.len()]) else { return };
                for (accept, &value) in accept.iter().zip(values) {
                    let value = Component::Half(Half::from_double(value));
                    assert!(accept.accepts(value), "{} {a:?} {b:?} {accept:?} {value:?}", signature.name);
                }
            };
            let (a, b) = (a.map(Half::value), b.map(Half::value));
            let product = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let ty = halves(3);
            inside(dot_product(ty), &[product(a, b)]);
            inside(length(ty), &[product(a, a).sqrt()]);
            inside(normalize(ty), &a.map(|x| x / product(a, a).sqrt()));
            let difference = [0, 1, 2].map(|i| a[i] - b[i]);
            inside(distance(ty), &[product(difference, difference).sqrt()]);
            inside(reflect(ty), &[0, 1, 2].map(|i| a[i] - 2.0 * product(b, a) * b[i]));
            let crossed = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            inside(cross(), &crossed);
        }
    }
}
