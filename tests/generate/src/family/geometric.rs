//! The geometric functions (GLSL 4.60 section 8.5). Their errors are those of their formulas; each bound below is derived from the
//! number of roundings on the way, in units of u = 2⁻⁵³, and holds for sums in any order and for fused multiply-adds. Operands
//! whose products would overflow or underflow are not used.

use crate::bounded::{Bounded, DIVISION_ULPS, INVERSE_SQRT_ULPS, SQRT_ULPS, around};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::value::{Accept, Component, DOUBLE, Scalar, Type, VECTORS, dvec};

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

fn reals(x: &[Component]) -> Vec<Real> {
    x.iter().map(|x| Real::from_f64(x.double())).collect()
}

/// Σ aᵢbᵢ, and how far n products and sums of them may be off: (n + 1)·u·Σ|aᵢbᵢ|.
pub fn dot(a: &[Real], b: &[Real]) -> (Real, Real) {
    let (mut sum, mut size) = (Real::integer(0), Real::integer(0));
    for (a, b) in a.iter().zip(b) {
        let product = a.mul(b);
        sum = sum.add(&product);
        size = size.add(&product.abs());
    }
    (sum, roundings(&size, a.len() as i64 + 1))
}

/// n · u · size, and a few of the smallest subnormals.
fn roundings(size: &Real, n: i64) -> Real {
    size.mul(&Real::integer(n)).scaled(-53).add(&Real::integer(1).scaled(-1070))
}

fn dot_product(ty: Type) -> Signature {
    Signature::whole(GROUP, "dot", &[(ty, Pool::Wide), (ty, Pool::Wide)], DOUBLE, "dot(a, b)", |x| {
        let (sum, error) = dot(&reals(&x[0]), &reals(&x[1]));
        Some(vec![around(&sum, &error)])
    })
}

/// √Σxᵢ². The sum is off by n + 1 roundings at most, its root by half of that; then come the [`SQRT_ULPS`] of the root, two roundings
/// each at most. `changes` more roundings are in each xᵢ.
fn norm(x: &[Real], changes: i64) -> Option<Accept> {
    let root = dot(x, x).0.sqrt();
    let n = x.len() as i64 + 1 + 2 * SQRT_ULPS + changes;
    (!root.is_zero()).then(|| around(&root, &roundings(&root, n)))
}

fn length(ty: Type) -> Signature {
    Signature::whole(GROUP, "length", &[(ty, Pool::Wide)], DOUBLE, "length(a)", |x| {
        Some(vec![norm(&reals(&x[0]), 0)?])
    })
}

fn distance(ty: Type) -> Signature {
    Signature::whole(
        GROUP,
        "distance",
        &[(ty, Pool::Moderate), (ty, Pool::Moderate)],
        DOUBLE,
        "distance(a, b)",
        |x| {
            let difference: Vec<Real> =
                reals(&x[0]).iter().zip(reals(&x[1])).map(|(a, b)| a.sub(&b)).collect();
            Some(vec![norm(&difference, 1)?])
        },
    )
}

/// x / |x| or x · inversesqrt(x·x): the norm's roundings and those of a division (6) or of an inverse root and a product.
fn normalize(ty: Type) -> Signature {
    Signature::whole(GROUP, "normalize", &[(ty, Pool::Wide)], ty, "normalize(a)", |x| {
        let x = reals(&x[0]);
        let root = dot(&x, &x).0.sqrt();
        if root.is_zero() {
            return None;
        }
        let by_division = 2 * SQRT_ULPS + 2 * DIVISION_ULPS;
        let by_product = 2 * INVERSE_SQRT_ULPS + 1;
        let n = x.len() as i64 + 1 + by_division.max(by_product);
        let unit = |x: &Real| {
            let value = x.div(&root);
            around(&value, &roundings(&value.clone().abs(), n))
        };
        Some(x.iter().map(unit).collect())
    })
}

/// The two products of each component, each rounded, and their difference: 3 roundings.
fn cross() -> Signature {
    let ty = dvec(3);
    Signature::whole(GROUP, "cross", &[(ty, Pool::Wide), (ty, Pool::Wide)], ty, "cross(a, b)", |x| {
        let (a, b) = (reals(&x[0]), reals(&x[1]));
        let component = |i: usize, j: usize| {
            let (left, right) = (a[i].mul(&b[j]), a[j].mul(&b[i]));
            around(&left.sub(&right), &roundings(&left.abs().add(&right.abs()), 3))
        };
        Some(vec![component(1, 2), component(2, 0), component(0, 1)])
    })
}

/// N where dot(Nref, I) < 0, else −N; not tested where rounding could turn the sign.
fn faceforward(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Moderate), (ty, Pool::Moderate)];
    Signature::whole(GROUP, "faceforward", &arguments, ty, "faceforward(a, b, c)", |x| {
        let (sum, error) = dot(&reals(&x[2]), &reals(&x[1]));
        if !error.less(&sum.clone().abs()) || x[0].iter().any(|n| n.double().is_nan()) {
            return None;
        }
        let face = |n: &Component| if sum.is_negative() { n.double() } else { ieee::neg(n.double()) };
        Some(x[0].iter().map(|n| Accept::number(face(n))).collect())
    })
}

/// I − 2·dot(N, I)·N: n + 1 roundings of the dot product, two products and a difference.
fn reflect(ty: Type) -> Signature {
    Signature::whole(
        GROUP,
        "reflect",
        &[(ty, Pool::Moderate), (ty, Pool::Moderate)],
        ty,
        "reflect(a, b)",
        |x| {
            let (incident, normal) = (reals(&x[0]), reals(&x[1]));
            let (sum, _) = dot(&normal, &incident);
            let (absolute, _) = dot(
                &normal.iter().map(|x| x.clone().abs()).collect::<Vec<_>>(),
                &incident.iter().map(|x| x.clone().abs()).collect::<Vec<_>>(),
            );
            let component = |(i, n): (&Real, &Real)| {
                let value = i.sub(&sum.mul(n).scaled(1));
                let size = i.clone().abs().add(&absolute.mul(&n.clone().abs()).scaled(1));
                around(&value, &roundings(&size, normal.len() as i64 + 4))
            };
            Some(incident.iter().zip(&normal).map(component).collect())
        },
    )
}

/// k = 1 − η²(1 − d²) with d = dot(N, I); 0 for k < 0, else ηI − (ηd + √k)·N; by running error analysis. η is a float, which every
/// version of GLSL takes, and exact in double.
fn refract(ty: Type) -> Signature {
    let float = Type::vector(Scalar::Float, 1);
    let arguments = [(ty, Pool::Unit), (ty, Pool::Unit), (float, Pool::Unit)];
    Signature::whole(GROUP, "refract", &arguments, ty, "refract(a, b, c)", |x| {
        let exact = |x: &[Component]| x.iter().map(|x| Bounded::exact(x.double())).collect::<Vec<_>>();
        let (incident, normal) = (exact(&x[0]), exact(&x[1]));
        let eta = Bounded::exact(f64::from(x[2][0].float()));
        let one = Bounded::exact(1.0);
        let products = normal.iter().zip(&incident).map(|(n, i)| n.mul(i));
        let d = products.reduce(|sum, product| sum.add(&product))?;
        let k = one.sub(&eta.mul(&eta).mul(&one.sub(&d.mul(&d))));
        let doubled = k.error().clone().scaled(1);
        if doubled.less(&k.value().clone().negated()) {
            return Some(vec![Accept::any_zero(); incident.len()]);
        }
        if !doubled.less(k.value()) {
            return None;
        }
        let along = eta.mul(&d).add(&k.sqrt()?);
        Some(incident.iter().zip(&normal).map(|(i, n)| eta.mul(i).sub(&along.mul(n)).accept()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn doubles(list: &[f64]) -> Vec<Component> {
        list.iter().map(|&x| Component::Double(x)).collect()
    }

    fn vector(random: &mut Random, exponents: (i32, i32)) -> [f64; 3] {
        [(); 3].map(|()| random.double(exponents))
    }

    fn product(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// Host arithmetic is one of the implementations that have to be inside.
    #[test]
    fn host_results_are_inside() {
        let mut random = Random::named("geometric");
        for _ in 0..1000 {
            let (a, b) = (vector(&mut random, (-4, 4)), vector(&mut random, (-4, 4)));
            let inside = |signature: Signature, arguments: &[Vec<Component>], values: &[f64]| {
                let accept = signature.accept(arguments).expect("defined");
                for (accept, &value) in accept.iter().zip(values) {
                    assert!(accept.accepts(Component::Double(value)), "{} {a:?} {b:?}", signature.name);
                }
            };
            let (x, y) = (doubles(&a), doubles(&b));
            inside(dot_product(dvec(3)), &[x.clone(), y.clone()], &[product(a, b)]);
            let fused = a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
            inside(dot_product(dvec(3)), &[x.clone(), y.clone()], &[fused]);
            inside(length(dvec(3)), std::slice::from_ref(&x), &[product(a, a).sqrt()]);
            inside(normalize(dvec(3)), std::slice::from_ref(&x), &a.map(|x| x / product(a, a).sqrt()));
            inside(
                normalize(dvec(3)),
                std::slice::from_ref(&x),
                &a.map(|x| x * (1.0 / product(a, a).sqrt())),
            );
            let d = product(b, a);
            let reflected = [0, 1, 2].map(|i| a[i] - 2.0 * d * b[i]);
            inside(reflect(dvec(3)), &[x.clone(), y.clone()], &reflected);
            let crossed = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            inside(cross(), &[x, y], &crossed);
        }
    }
}
