//! The geometric functions (GLSL 4.60 section 8.5).
//!
//! The errors of doubles are those of the formulas: each bound is derived from the number of
//! roundings on the way, in units of u = 2⁻⁵³, and holds for sums in any order and for fused
//! multiply-adds. Those of halves come from running error analysis. Operands whose products would
//! overflow or underflow are not used.

use crate::accept::Accept;
use crate::bounded::{Bounded, DIVISION_ULPS, INVERSE_SQRT_ULPS, SQRT_ULPS, around};
use crate::format::Format;
use crate::half::Half;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::{FLOAT, HALF};
use crate::value::{Component, Type};

const GROUP: &str = "geometric";

/// The double-precision suite.
pub fn fp64() -> Vec<Signature> {
    // Every version of GLSL takes a float for the ratio of refraction; it is exact in double.
    signatures::<f64>(FLOAT)
}

/// The 16-bit suite.
pub fn half() -> Vec<Signature> {
    signatures::<Half>(HALF)
}

/// All functions; `ratio` is the type of the ratio of refraction.
fn signatures<F: Dot>(ratio: Type) -> Vec<Signature> {
    let mut list = Vec::new();
    for rows in 1..=4 {
        let ty = Type::vector(F::SCALAR, rows);
        list.push(dot_product::<F>(ty));
        list.push(length::<F>(ty));
        list.push(distance::<F>(ty));
        list.push(normalize::<F>(ty));
        list.push(faceforward::<F>(ty));
        list.push(reflect::<F>(ty));
        list.push(refract::<F>(ty, ratio));
    }
    list.push(cross::<F>());
    list
}

/// Results with the error that a format's analysis grants; `None` where it grants none.
pub trait Dot: Format {
    /// Σ aᵢbᵢ.
    fn dot(a: &[Component], b: &[Component]) -> Option<Accept>;

    /// √Σxᵢ².
    fn length(x: &[Component]) -> Option<Accept>;

    /// √Σ(aᵢ − bᵢ)².
    fn distance(a: &[Component], b: &[Component]) -> Option<Accept>;

    /// x / |x| or x · inversesqrt(x·x).
    fn normalize(x: &[Component]) -> Option<Vec<Accept>>;

    /// a × b.
    fn cross(a: &[Component], b: &[Component]) -> Option<Vec<Accept>>;

    /// I − 2·dot(N, I)·N.
    fn reflect(incident: &[Component], normal: &[Component]) -> Option<Vec<Accept>>;

    /// True if Σ aᵢbᵢ < 0; `None` where rounding could turn the sign.
    fn points_away(a: &[Component], b: &[Component]) -> Option<bool>;
}

/// Operands as values without error; `None` when one is not finite.
pub fn exact_operands<F: Format>(x: &[Component]) -> Option<Vec<Bounded<F>>> {
    x.iter().map(|&x| F::of(x)).map(|x| x.is_finite().then(|| Bounded::exact(x))).collect()
}

fn accept<F: Format>(list: Vec<Bounded<F>>) -> Option<Vec<Accept>> {
    list.iter().map(Bounded::accept).collect()
}

fn bounded_dot<F: Format>(a: &[Bounded<F>], b: &[Bounded<F>]) -> Option<Bounded<F>> {
    a.iter().zip(b).map(|(a, b)| a.mul(b)).reduce(|sum, product| sum.add(&product))
}

fn dot_product<F: Dot>(ty: Type) -> Signature {
    let (arguments, one) = ([(ty, Pool::Wide), (ty, Pool::Wide)], Type::vector(F::SCALAR, 1));
    Signature::whole(GROUP, "dot", &arguments, one, "dot(a, b)", |x| {
        Some(vec![F::dot(&x[0], &x[1])?])
    })
}

fn length<F: Dot>(ty: Type) -> Signature {
    let one = Type::vector(F::SCALAR, 1);
    Signature::whole(GROUP, "length", &[(ty, Pool::Wide)], one, "length(a)", |x| {
        Some(vec![F::length(&x[0])?])
    })
}

fn distance<F: Dot>(ty: Type) -> Signature {
    let (arguments, one) =
        ([(ty, Pool::Moderate), (ty, Pool::Moderate)], Type::vector(F::SCALAR, 1));
    Signature::whole(GROUP, "distance", &arguments, one, "distance(a, b)", |x| {
        Some(vec![F::distance(&x[0], &x[1])?])
    })
}

fn normalize<F: Dot>(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Wide)];
    Signature::whole(GROUP, "normalize", &arguments, ty, "normalize(a)", |x| F::normalize(&x[0]))
}

fn cross<F: Dot>() -> Signature {
    let ty = Type::vector(F::SCALAR, 3);
    let arguments = [(ty, Pool::Wide), (ty, Pool::Wide)];
    Signature::whole(GROUP, "cross", &arguments, ty, "cross(a, b)", |x| F::cross(&x[0], &x[1]))
}

/// N where dot(Nref, I) < 0, else −N.
fn faceforward<F: Dot>(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Any), (ty, Pool::Moderate), (ty, Pool::Moderate)];
    Signature::whole(GROUP, "faceforward", &arguments, ty, "faceforward(a, b, c)", |x| {
        let away = F::points_away(&x[2], &x[1])?;
        let normal: Vec<F> = x[0].iter().map(|&n| F::of(n)).collect();
        let face = |n: F| Accept::number(if away { n } else { n.negated() });
        normal.iter().all(|n| !n.is_nan()).then(|| normal.into_iter().map(face).collect())
    })
}

fn reflect<F: Dot>(ty: Type) -> Signature {
    let arguments = [(ty, Pool::Moderate), (ty, Pool::Moderate)];
    Signature::whole(GROUP, "reflect", &arguments, ty, "reflect(a, b)", |x| {
        F::reflect(&x[0], &x[1])
    })
}

/// k = 1 − η²(1 − d²) with d = dot(N, I); 0 for k < 0, else ηI − (ηd + √k)·N; by running error
/// analysis.
fn refract<F: Dot>(ty: Type, ratio: Type) -> Signature {
    let arguments = [(ty, Pool::Unit), (ty, Pool::Unit), (ratio, Pool::Unit)];
    Signature::whole(GROUP, "refract", &arguments, ty, "refract(a, b, c)", |x| {
        let (incident, normal) = (exact_operands::<F>(&x[0])?, exact_operands::<F>(&x[1])?);
        let eta = Bounded::exact(match x[2][0] {
            Component::Float(eta) => F::from_double(eta.value()),
            eta => F::of(eta),
        });
        let one = Bounded::exact(F::one());
        let d = bounded_dot(&normal, &incident)?;
        let k = one.sub(&eta.mul(&eta).mul(&one.sub(&d.mul(&d))));
        let doubled = k.error().clone().scaled(1);
        if doubled.less(&k.value().clone().negated()) {
            return Some(vec![Accept::any_zero::<F>(); incident.len()]);
        }
        if !doubled.less(k.value()) {
            return None;
        }
        let along = eta.mul(&d).add(&k.sqrt()?);
        accept(incident.iter().zip(&normal).map(|(i, n)| eta.mul(i).sub(&along.mul(n))).collect())
    })
}

/// Exact values of doubles.
fn reals(x: &[Component]) -> Vec<Real> {
    x.iter().map(|x| x.double().real()).collect()
}

/// Σ aᵢbᵢ, and the error of n products and sums of them: (n + 1)·u·Σ|aᵢbᵢ|.
fn real_dot(a: &[Real], b: &[Real]) -> (Real, Real) {
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

/// √Σxᵢ². The sum is off by n + 1 roundings at most, its root by half of that; then come the
/// [`SQRT_ULPS`] of the root, two roundings each at most. `changes` more roundings are in each xᵢ.
fn real_norm(x: &[Real], changes: i64) -> Option<Accept> {
    let root = real_dot(x, x).0.sqrt();
    let n = x.len() as i64 + 1 + 2 * SQRT_ULPS + changes;
    (!root.is_zero()).then(|| around::<f64>(&root, &roundings(&root, n)))
}

impl Dot for f64 {
    fn dot(a: &[Component], b: &[Component]) -> Option<Accept> {
        let (sum, error) = real_dot(&reals(a), &reals(b));
        Some(around::<f64>(&sum, &error))
    }

    fn length(x: &[Component]) -> Option<Accept> {
        real_norm(&reals(x), 0)
    }

    fn distance(a: &[Component], b: &[Component]) -> Option<Accept> {
        let difference: Vec<Real> = reals(a).iter().zip(reals(b)).map(|(a, b)| a.sub(&b)).collect();
        real_norm(&difference, 1)
    }

    /// The norm's roundings and those of a division (6) or of an inverse root and a product.
    fn normalize(x: &[Component]) -> Option<Vec<Accept>> {
        let x = reals(x);
        let root = real_dot(&x, &x).0.sqrt();
        if root.is_zero() {
            return None;
        }
        let by_division = 2 * SQRT_ULPS + 2 * DIVISION_ULPS;
        let by_product = 2 * INVERSE_SQRT_ULPS + 1;
        let n = x.len() as i64 + 1 + by_division.max(by_product);
        let unit = |x: &Real| {
            let value = x.div(&root);
            around::<f64>(&value, &roundings(&value.clone().abs(), n))
        };
        Some(x.iter().map(unit).collect())
    }

    /// The two products of each component, each rounded, and their difference: 3 roundings.
    fn cross(a: &[Component], b: &[Component]) -> Option<Vec<Accept>> {
        let (a, b) = (reals(a), reals(b));
        let component = |i: usize, j: usize| {
            let (left, right) = (a[i].mul(&b[j]), a[j].mul(&b[i]));
            around::<f64>(&left.sub(&right), &roundings(&left.abs().add(&right.abs()), 3))
        };
        Some(vec![component(1, 2), component(2, 0), component(0, 1)])
    }

    /// n + 1 roundings of the dot product, two products and a difference.
    fn reflect(incident: &[Component], normal: &[Component]) -> Option<Vec<Accept>> {
        let (incident, normal) = (reals(incident), reals(normal));
        let (sum, _) = real_dot(&normal, &incident);
        let magnitudes = |list: &[Real]| list.iter().map(|x| x.clone().abs()).collect::<Vec<_>>();
        let (absolute, _) = real_dot(&magnitudes(&normal), &magnitudes(&incident));
        let component = |(i, n): (&Real, &Real)| {
            let value = i.sub(&sum.mul(n).scaled(1));
            let size = i.clone().abs().add(&absolute.mul(&n.clone().abs()).scaled(1));
            around::<f64>(&value, &roundings(&size, normal.len() as i64 + 4))
        };
        Some(incident.iter().zip(&normal).map(component).collect())
    }

    fn points_away(a: &[Component], b: &[Component]) -> Option<bool> {
        let (sum, error) = real_dot(&reals(a), &reals(b));
        error.less(&sum.clone().abs()).then(|| sum.is_negative())
    }
}

/// √Σxᵢ² of the exact values and the error with which that is computed, for `changes` roundings in
/// each xᵢ: the sum is off by n + 1 roundings at most, its root by half of that, then come the
/// [`SQRT_ULPS`] of the root, two roundings each at most. `None` when a square may overflow or fall
/// below the normal halves.
fn half_norm(x: &[Bounded<Half>], changes: i64) -> Option<(Real, Real)> {
    let sum = bounded_dot(x, x)?;
    sum.accept()?;
    let root = sum.value().sqrt();
    if root.less(&Real::integer(1).scaled(-5)) {
        return None;
    }
    let n = x.len() as i64 + 1 + 2 * SQRT_ULPS + changes;
    // A square that is subnormal is off by 2⁻²⁵ more, and the root then by 2⁻²¹.
    let error =
        root.mul(&Real::integer(n)).scaled(-11).add(&Real::integer(x.len() as i64).scaled(-21));
    Some((root, error))
}

impl Dot for Half {
    fn dot(a: &[Component], b: &[Component]) -> Option<Accept> {
        bounded_dot::<Half>(&exact_operands(a)?, &exact_operands(b)?)?.accept()
    }

    fn length(x: &[Component]) -> Option<Accept> {
        let (root, error) = half_norm(&exact_operands(x)?, 0)?;
        Some(around::<Half>(&root, &error))
    }

    fn distance(a: &[Component], b: &[Component]) -> Option<Accept> {
        let (a, b) = (exact_operands(a)?, exact_operands(b)?);
        let difference: Vec<Bounded<Half>> = a.iter().zip(&b).map(|(a, b)| a.sub(b)).collect();
        let (root, error) = half_norm(&difference, 2)?;
        Some(around::<Half>(&root, &error))
    }

    /// The norm's error and that of a division or of an inverse root and a product.
    fn normalize(x: &[Component]) -> Option<Vec<Accept>> {
        let x = exact_operands(x)?;
        let (root, error) = half_norm(&x, 0)?;
        let last = (2 * DIVISION_ULPS).max(2 * INVERSE_SQRT_ULPS + 1);
        let relative = error.div(&root).add(&Real::integer(last).scaled(-11));
        let unit = |x: &Bounded<Half>| {
            let value = x.value().div(&root);
            let error = value.clone().abs().mul(&relative).add(&Real::integer(1).scaled(-23));
            around::<Half>(&value, &error)
        };
        Some(x.iter().map(unit).collect())
    }

    fn cross(a: &[Component], b: &[Component]) -> Option<Vec<Accept>> {
        let (a, b) = (exact_operands::<Half>(a)?, exact_operands::<Half>(b)?);
        let component = |i: usize, j: usize| a[i].mul(&b[j]).sub(&a[j].mul(&b[i]));
        accept(vec![component(1, 2), component(2, 0), component(0, 1)])
    }

    fn reflect(incident: &[Component], normal: &[Component]) -> Option<Vec<Accept>> {
        let (incident, normal) =
            (exact_operands::<Half>(incident)?, exact_operands::<Half>(normal)?);
        let two = Bounded::exact(Half::from_double(2.0));
        let twice = bounded_dot(&normal, &incident)?.mul(&two);
        accept(incident.iter().zip(&normal).map(|(i, n)| i.sub(&twice.mul(n))).collect())
    }

    fn points_away(a: &[Component], b: &[Component]) -> Option<bool> {
        let sum = bounded_dot::<Half>(&exact_operands(a)?, &exact_operands(b)?)?;
        let sure = sum.error().clone().scaled(1).less(&sum.value().clone().abs());
        sure.then(|| sum.value().is_negative())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::value::{Scalar, dvec};

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
    fn host_doubles_are_inside() {
        let mut random = Random::named("geometric");
        for _ in 0..1000 {
            let (a, b) = (vector(&mut random, (-4, 4)), vector(&mut random, (-4, 4)));
            let inside = |signature: Signature, arguments: &[Vec<Component>], values: &[f64]| {
                let accept = signature.accept(arguments).expect("defined");
                for (accept, &value) in accept.iter().zip(values) {
                    assert!(
                        accept.accepts(Component::Double(value)),
                        "{} {a:?} {b:?}",
                        signature.name
                    );
                }
            };
            let (x, y) = (doubles(&a), doubles(&b));
            inside(dot_product::<f64>(dvec(3)), &[x.clone(), y.clone()], &[product(a, b)]);
            let fused = a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]));
            inside(dot_product::<f64>(dvec(3)), &[x.clone(), y.clone()], &[fused]);
            inside(length::<f64>(dvec(3)), std::slice::from_ref(&x), &[product(a, a).sqrt()]);
            inside(
                normalize::<f64>(dvec(3)),
                std::slice::from_ref(&x),
                &a.map(|x| x / product(a, a).sqrt()),
            );
            inside(
                normalize::<f64>(dvec(3)),
                std::slice::from_ref(&x),
                &a.map(|x| x * (1.0 / product(a, a).sqrt())),
            );
            let d = product(b, a);
            let reflected = [0, 1, 2].map(|i| a[i] - 2.0 * d * b[i]);
            inside(reflect::<f64>(dvec(3)), &[x.clone(), y.clone()], &reflected);
            let crossed =
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            inside(cross::<f64>(), &[x, y], &crossed);
        }
    }

    /// Host arithmetic, rounded to half at the end, is one of the implementations that have to be
    /// inside.
    #[test]
    fn host_halves_are_inside() {
        let mut random = Random::named("half geometric");
        for _ in 0..300 {
            let mut vector = || [(); 3].map(|()| Half::from_double(random.double((-3, 2))));
            let (a, b) = (vector(), vector());
            let arguments = [a, b].map(|v| v.map(Component::Half).to_vec());
            let inside = |signature: Signature, values: &[f64]| {
                let Some(accept) = signature.accept(&arguments[..signature.arguments.len()]) else {
                    return;
                };
                for (accept, &value) in accept.iter().zip(values) {
                    let value = Component::Half(Half::from_double(value));
                    assert!(
                        accept.accepts(value),
                        "{} {a:?} {b:?} {accept:?} {value:?}",
                        signature.name
                    );
                }
            };
            let (a, b) = (a.map(Half::value), b.map(Half::value));
            let product = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let ty = Type::vector(Scalar::Half, 3);
            inside(dot_product::<Half>(ty), &[product(a, b)]);
            inside(length::<Half>(ty), &[product(a, a).sqrt()]);
            inside(normalize::<Half>(ty), &a.map(|x| x / product(a, a).sqrt()));
            let difference = [0, 1, 2].map(|i| a[i] - b[i]);
            inside(distance::<Half>(ty), &[product(difference, difference).sqrt()]);
            inside(reflect::<Half>(ty), &[0, 1, 2].map(|i| a[i] - 2.0 * product(b, a) * b[i]));
            let crossed =
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
            inside(cross::<Half>(), &crossed);
        }
    }
}
