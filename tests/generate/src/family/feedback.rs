//! Doubles that transform feedback captures.
//!
//! A probe of a captured value accepts an error below 0.01, so all results are large enough for one
//! unit in the last place to exceed that.

use crate::accept::Accept;
use crate::format::Format;
use crate::ieee;
use crate::operation::Signature;
use crate::pool::Pool;
use crate::real::Real;
use crate::shared::{all_types, of_one, of_two};
use crate::value::{Component, DOUBLE, MATRICES, Scalar, Type, VECTORS};

const GROUP: &str = "feedback";
/// Exponent from which neighbors are 4 apart.
const COARSE: i32 = 54;

/// All signatures of this family.
pub fn signatures() -> Vec<Signature> {
    let mut list = Vec::new();
    for ty in all_types::<f64>() {
        let copied = of_one(coarse);
        list.push(
            Signature::elementwise(GROUP, "copy", &[(ty, Pool::Coarse)], ty, "a", copied)
                .feedback(),
        );
        let negated = of_one(|a: f64| coarse(a.negated()));
        list.push(
            Signature::elementwise(GROUP, "neg", &[(ty, Pool::Coarse)], ty, "-a", negated)
                .feedback(),
        );
    }
    for ty in VECTORS.into_iter().chain([MATRICES[1], MATRICES[6]]) {
        let arguments = [(ty, Pool::Coarse), (ty, Pool::Coarse)];
        let sum = of_two(|a: f64, b| coarse(ieee::add(a, b)));
        list.push(Signature::elementwise(GROUP, "add", &arguments, ty, "a + b", sum).feedback());
    }
    list.push(from_words());
    list
}

fn coarse(x: f64) -> Option<Accept> {
    let large = x.is_finite() && !x.is_zero() && Real::from_f64(x).exponent() >= COARSE;
    large.then(|| Accept::of(x))
}

/// A double built from its halves.
fn from_words() -> Signature {
    let arguments = [(Type::vector(Scalar::Uint, 2), Pool::Plain)];
    Signature::whole(
        GROUP,
        "pack",
        &arguments,
        DOUBLE,
        "packDouble2x32(a)",
        |x: &[Vec<Component>]| {
            let bits = (x[0][1].integer() as u64) << 32 | x[0][0].integer() as u64;
            Some(vec![coarse(f64::from_bits(bits))?])
        },
    )
    .feedback()
}
