//! Elementary functions of exact numbers, to about 250 bits: series after a reduction of the
//! operand.

use std::sync::OnceLock;

use crate::real::Real;

/// Fractional bits that are kept.
const BITS: i32 = 300;
/// Terms of a series below 2^this are left out.
const NEGLIGIBLE: i32 = -280;

/// x rounded down at 2⁻³⁰⁰, lest fractions grow.
fn shortened(x: &Real) -> Real {
    x.clone().scaled(BITS).floor().scaled(-BITS)
}

fn is_negligible(x: &Real) -> bool {
    x.is_zero() || x.exponent() < NEGLIGIBLE
}

/// Σ termₙ with term₀ and termₙ₊₁ = termₙ · factor(n).
fn series(first: Real, factor: impl Fn(i64) -> Real) -> Real {
    let (mut sum, mut term, mut n) = (first.clone(), first, 0);
    loop {
        term = shortened(&term.mul(&factor(n)));
        // A negative term is at least one unit below 0 when rounded down.
        if is_negligible(&term.clone().abs()) {
            return sum;
        }
        sum = sum.add(&term);
        n += 1;
    }
}

fn ratio(n: i64, d: i64) -> Real {
    Real::integer(n).div(&Real::integer(d))
}

/// eˣ.
pub fn exp(x: &Real) -> Real {
    const HALVINGS: i32 = 10;
    let reduced = shortened(&x.clone().scaled(-HALVINGS));
    let mut result = series(Real::integer(1), |n| reduced.div(&Real::integer(n + 1)));
    for _ in 0..HALVINGS {
        result = shortened(&result.mul(&result));
    }
    result
}

/// 2 · artanh(z) = ln((1 + z) / (1 − z)) for small z.
fn twice_artanh(z: &Real) -> Real {
    let square = shortened(&z.mul(z));
    series(z.clone().scaled(1), |n| square.mul(&ratio(2 * n + 1, 2 * n + 3)))
}

fn ln_2() -> &'static Real {
    static VALUE: OnceLock<Real> = OnceLock::new();
    VALUE.get_or_init(|| twice_artanh(&shortened(&ratio(1, 3))))
}

/// ln x for x > 0.
pub fn ln(x: &Real) -> Real {
    let one = Real::integer(1);
    let exponent = x.exponent();
    let significand = x.clone().scaled(-exponent);
    let z = shortened(&significand.sub(&one).div(&significand.add(&one)));
    let fraction = if z.is_zero() { Real::integer(0) } else { twice_artanh(&z) };
    fraction.add(&ln_2().mul(&Real::integer(exponent.into())))
}

/// log₂ x for x > 0.
pub fn log2(x: &Real) -> Real {
    shortened(&ln(x).div(ln_2()))
}

/// 2ˣ.
pub fn exp2(x: &Real) -> Real {
    exp(&shortened(&x.mul(ln_2())))
}

/// artan z for small z.
fn small_atan(z: &Real) -> Real {
    if z.is_zero() {
        return Real::integer(0);
    }
    let square = shortened(&z.mul(z).negated());
    series(z.clone(), |n| square.mul(&ratio(2 * n + 1, 2 * n + 3)))
}

/// π, by Machin's formula.
pub fn pi() -> &'static Real {
    static VALUE: OnceLock<Real> = OnceLock::new();
    VALUE.get_or_init(|| {
        let term = |n: i64, d: i64| small_atan(&shortened(&ratio(1, d))).mul(&Real::integer(n));
        term(16, 5).sub(&term(4, 239))
    })
}

/// artan x.
pub fn atan(x: &Real) -> Real {
    let one = Real::integer(1);
    if x.is_negative() {
        return atan(&x.clone().negated()).negated();
    }
    if one.less(x) {
        return pi().clone().scaled(-1).sub(&atan(&one.div(x)));
    }
    // Each turn halves the angle.
    let mut z = shortened(x);
    for _ in 0..3 {
        z = shortened(&z.div(&one.add(&shortened(&one.add(&z.mul(&z)).sqrt()))));
    }
    small_atan(&z).scaled(3)
}

/// The angle of a point other than the origin, −π to π; positive for y = 0 and x < 0.
pub fn atan2(y: &Real, x: &Real) -> Real {
    if x.is_zero() {
        let right = pi().clone().scaled(-1);
        return if y.is_negative() { right.negated() } else { right };
    }
    let angle = atan(&y.div(x));
    match (x.is_negative(), y.is_negative()) {
        (false, _) => angle,
        (true, false) => angle.add(pi()),
        (true, true) => angle.sub(pi()),
    }
}

/// sin x for |x| below about 10.
pub fn sin(x: &Real) -> Real {
    let x = shortened(x);
    let square = shortened(&x.mul(&x).negated());
    if x.is_zero() {
        return x;
    }
    series(x, |n| square.div(&Real::integer((2 * n + 2) * (2 * n + 3))))
}

/// cos x for |x| below about 10.
pub fn cos(x: &Real) -> Real {
    let square = shortened(&shortened(x).mul(&shortened(x)).negated());
    series(Real::integer(1), |n| square.div(&Real::integer((2 * n + 1) * (2 * n + 2))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::random::Random;

    fn double(x: &Real) -> f64 {
        f64::nearest(x, false)
    }

    fn near(name: &str, x: f64, exact: &Real, host: f64) {
        let value = double(exact);
        let error = (value - host).abs();
        assert!(
            error <= 4.0 * f64::EPSILON * host.abs().max(f64::EPSILON),
            "{name} {x:e}: {value:e} {host:e}"
        );
    }

    /// The host's mathematical functions are good to an ULP or two of a double.
    #[test]
    fn functions_agree_with_the_host() {
        let mut random = Random::named("functions");
        for _ in 0..300 {
            let x = random.double((-6, 2));
            let real = Real::from_f64(x);
            near("exp", x, &exp(&real), x.exp());
            near("exp2", x, &exp2(&real), x.exp2());
            near("atan", x, &atan(&real), x.atan());
            near("cos", x, &cos(&real), x.cos());
            near("sin", x, &sin(&real), x.sin());
            let positive = real.abs();
            near("ln", x, &ln(&positive), x.abs().ln());
            near("log2", x, &log2(&positive), x.abs().log2());
            let y = random.double((-6, 2));
            near("atan2", y, &atan2(&Real::from_f64(y), &Real::from_f64(x)), y.atan2(x));
        }
        near("pi", 0.0, pi(), std::f64::consts::PI);
    }

    /// Identities hold far beyond a double's precision.
    #[test]
    fn functions_are_precise() {
        let tiny = |x: Real| x.is_zero() || x.exponent() < -230;
        let x = Real::from_f64(1.7);
        assert!(tiny(ln(&exp(&x)).sub(&x)));
        assert!(tiny(sin(&x).mul(&sin(&x)).add(&cos(&x).mul(&cos(&x))).sub(&Real::integer(1))));
        assert!(tiny(atan(&sin(&x).div(&cos(&x))).add(pi()).sub(&x)));
        assert!(tiny(sin(pi())));
    }
}
