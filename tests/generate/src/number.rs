//! Arithmetic on components by the rules of their types: those of IEEE 754 for doubles and halves,
//! wrapping for integers.

use crate::accept::Accept;
use crate::format::Format;
use crate::half::Half;
use crate::ieee;
use crate::value::{Component, Scalar, wrapped};

/// a + b.
pub fn add(a: Component, b: Component) -> Component {
    match (a, b) {
        (Component::Double(a), Component::Double(b)) => Component::Double(ieee::add(a, b)),
        (Component::Half(a), Component::Half(b)) => Component::Half(ieee::add(a, b)),
        _ => wrapped(a.scalar(), a.integer().wrapping_add(b.integer()) as u64),
    }
}

/// a − b.
pub fn sub(a: Component, b: Component) -> Component {
    match (a, b) {
        (Component::Double(a), Component::Double(b)) => Component::Double(ieee::sub(a, b)),
        (Component::Half(a), Component::Half(b)) => Component::Half(ieee::sub(a, b)),
        _ => wrapped(a.scalar(), a.integer().wrapping_sub(b.integer()) as u64),
    }
}

/// a · b.
pub fn mul(a: Component, b: Component) -> Component {
    match (a, b) {
        (Component::Double(a), Component::Double(b)) => Component::Double(ieee::mul(a, b)),
        (Component::Half(a), Component::Half(b)) => Component::Half(ieee::mul(a, b)),
        _ => wrapped(a.scalar(), a.integer().wrapping_mul(b.integer()) as u64),
    }
}

/// a / b of floating-point numbers, within the error that GLSL grants.
pub fn div(a: Component, b: Component) -> Option<Accept> {
    match (a, b) {
        (Component::Half(a), Component::Half(b)) => ieee::div(a, b),
        _ => ieee::div(a.double(), b.double()),
    }
}

/// −a.
pub fn neg(a: Component) -> Component {
    match a {
        Component::Double(a) => Component::Double(a.negated()),
        Component::Half(a) => Component::Half(a.negated()),
        _ => wrapped(a.scalar(), a.integer().wrapping_neg() as u64),
    }
}

/// True if a < b: false when either is NaN.
pub fn less(a: Component, b: Component) -> bool {
    match (a, b) {
        (Component::Double(a), Component::Double(b)) => ieee::less(a, b),
        (Component::Half(a), Component::Half(b)) => ieee::less(a, b),
        _ => a.integer() < b.integer(),
    }
}

/// True if a = b: false when either is NaN, true for zeros of either sign.
pub fn equal(a: Component, b: Component) -> bool {
    match (a, b) {
        (Component::Double(a), Component::Double(b)) => ieee::equal(a, b),
        (Component::Half(a), Component::Half(b)) => ieee::equal(a, b),
        _ => a.integer() == b.integer(),
    }
}

/// True for a NaN.
pub fn is_nan(a: Component) -> bool {
    match a {
        Component::Double(a) => a.is_nan(),
        Component::Half(a) => a.is_nan(),
        _ => false,
    }
}

/// True for an infinity.
pub fn is_infinite(a: Component) -> bool {
    match a {
        Component::Double(a) => a.is_infinite(),
        Component::Half(a) => a.is_infinite(),
        _ => false,
    }
}

/// A floating-point number of a type, rounded to it.
pub fn constant(scalar: Scalar, x: f64) -> Component {
    match scalar {
        Scalar::Double => Component::Double(x),
        Scalar::Half => Component::Half(Half::from_double(x)),
        other => panic!("{other:?} is no type of the suites' numbers"),
    }
}

/// Exactly one floating-point number; for zero both.
pub fn accept(a: Component) -> Accept {
    match a {
        Component::Half(a) => Accept::number(a),
        a => Accept::number(a.double()),
    }
}
