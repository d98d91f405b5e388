//! Doubles that transform feedback captures.
//!
//! A probe of a captured value accepts what is closer than 0.01, so that all results are large enough for one unit in the last place
//! to be more than that.

use super::{of_one, of_two};
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::value::{Accept, Component, DOUBLE, MATRICES, Scalar, Type, VECTORS, all_types};

const GROUP: &str = "feedback";
/// Exponent from which neighbours are 4 apart.
const COARSE: i32 = 54;

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in all_types() {
        let copied = of_one(coarse);
        list.push(Signature::elementwise(GROUP, "copy", &[(ty, Pool::Coarse)], ty, "a", copied).feedback());
        let negated = of_one(|a| coarse(ieee::neg(a)));
        list.push(Signature::elementwise(GROUP, "neg", &[(ty, Pool::Coarse)], ty, "-a", negated).feedback());
    }
    for ty in VECTORS.into_iter().chain([MATRICES[1], MATRICES[6]]) {
        let arguments = [(ty, Pool::Coarse), (ty, Pool::Coarse)];
        let sum = of_two(|a, b| coarse(ieee::add(a, b)));
        list.push(Signature::elementwise(GROUP, "add", &arguments, ty, "a + b", sum).feedback());
    }
    list.push(from_words());
    list
}

fn coarse(x: f64) -> Option<Accept> {
    let large = x.is_finite() && !ieee::is_zero(x) && Real::from_f64(x).exponent() >= COARSE;
    large.then(|| Accept::double(x))
}

/// A double built from its halves.
fn from_words() -> Signature {
    let arguments = [(Type::vector(Scalar::Uint, 2), Pool::Plain)];
    Signature::whole(GROUP, "pack", &arguments, DOUBLE, "packDouble2x32(a)", |x: &[Vec<Component>]| {
        let bits = (x[0][1].integer() as u64) << 32 | x[0][0].integer() as u64;
        Some(vec![coarse(f64::from_bits(bits))?])
    })
    .feedback()
}
