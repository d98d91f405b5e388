//! Accepted values of results.

use crate::format::Format;
use crate::value::Component;

/// Accepted values of one result component: everything from `low` to `high`; one value, bit for
/// bit, when they are the same; any NaN when they are NaN.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Accept {
    /// Smallest value.
    pub low: Component,
    /// Largest value.
    pub high: Component,
}

impl Accept {
    /// Exactly one value.
    pub fn exactly(value: Component) -> Accept {
        Accept { low: value, high: value }
    }

    /// Exactly one floating-point number.
    pub fn of<F: Format>(value: F) -> Accept {
        Accept::exactly(value.component())
    }

    /// Exactly one floating-point number; for zero both.
    pub fn number<F: Format>(value: F) -> Accept {
        if value.is_zero() { Accept::any_zero::<F>() } else { Accept::of(value) }
    }

    /// Both zeros.
    pub fn any_zero<F: Format>() -> Accept {
        Accept { low: F::zero(true).component(), high: F::zero(false).component() }
    }

    /// Two numbers and all between.
    pub fn hull<F: Format>(x: F, y: F) -> Accept {
        let swapped = y.order() < x.order() || (x.is_zero() && y.is_zero() && y.sign_bit());
        let (low, high) = if swapped { (y, x) } else { (x, y) };
        Accept { low: low.component(), high: high.component() }
    }

    /// A value just outside: above the interval, below it when it ends in infinity; 1.0 for NaN;
    /// the other boolean. Subnormal floats are skipped, as a shader may flush them to 0.
    pub fn perturbed(self) -> Accept {
        Accept::exactly(match (self.low, self.high) {
            (Component::Double(low), Component::Double(high)) => outside(low, high),
            (Component::Half(low), Component::Half(high)) => outside(low, high),
            (Component::Float(low), Component::Float(high)) => match outside(low, high) {
                Component::Float(y) if y.is_subnormal() || y.to_bits() == 1 << 31 => {
                    Component::Float(f32::MIN_POSITIVE)
                }
                y => y,
            },
            (_, Component::Int64(x)) => Component::Int64(x.wrapping_add(1)),
            (_, Component::Uint64(x)) => Component::Uint64(x.wrapping_add(1)),
            (_, Component::Int16(x)) => Component::Int16(x.wrapping_add(1)),
            (_, Component::Uint16(x)) => Component::Uint16(x.wrapping_add(1)),
            (_, Component::Int(x)) => Component::Int(x.wrapping_add(1)),
            (_, Component::Uint(x)) => Component::Uint(x.wrapping_add(1)),
            (_, Component::Bool(x)) => Component::Bool(!x),
            (low, high) => panic!("{low:?} and {high:?} have different types"),
        })
    }

    /// True if a result passes the shaders' check.
    pub fn accepts(self, value: Component) -> bool {
        match (self.low, self.high, value) {
            (Component::Double(low), Component::Double(high), Component::Double(x)) => {
                inside(low, high, x)
            }
            (Component::Float(low), Component::Float(high), Component::Float(x)) => {
                inside(low, high, x)
            }
            (Component::Half(low), Component::Half(high), Component::Half(x)) => {
                inside(low, high, x)
            }
            (low, _, x) => low == x,
        }
    }
}

/// A number just outside an interval: above it, below it when it ends in infinity; 1 for NaN.
fn outside<F: Format>(low: F, high: F) -> Component {
    match () {
        () if high.is_nan() => F::one(),
        () if high.is_infinite() && !high.sign_bit() => low.predecessor(),
        () => high.successor(),
    }
    .component()
}

/// True if a number is in an interval, or is a NaN for NaN.
fn inside<F: Format>(low: F, high: F, x: F) -> bool {
    if low.is_nan() {
        x.is_nan()
    } else if low.bits() == high.bits() {
        x.bits() == low.bits()
    } else {
        !x.is_nan() && low.order() <= x.order() && x.order() <= high.order()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perturbed_is_outside() {
        let doubles =
            [0.0, -0.0, 1.0, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, 5e-324, -5e-324, f64::MIN];
        for x in doubles {
            for y in doubles {
                let accept = Accept::hull(x, y);
                if (accept.low.double(), accept.high.double()) == (f64::NEG_INFINITY, f64::INFINITY)
                {
                    continue;
                }
                assert!(accept.accepts(Component::Double(x)), "{x:e} {y:e}");
                let moved = accept.perturbed();
                assert!(!accept.accepts(moved.low), "{accept:?} {moved:?}");
                assert!(
                    !moved.accepts(Component::Double(x)) && !moved.accepts(Component::Double(y))
                );
            }
        }
        let nan = Accept::of(f64::NAN);
        assert!(
            nan.accepts(Component::Double(f64::NAN))
                && !nan.perturbed().accepts(Component::Double(f64::NAN))
        );
        let zero = Accept { low: Component::Float(-0.0), high: Component::Float(1e-40) };
        assert_eq!(zero.perturbed().low, Component::Float(f32::MIN_POSITIVE));
    }
}
