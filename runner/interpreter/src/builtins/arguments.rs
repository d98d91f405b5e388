//! Arguments of built-in functions, and functions of real numbers on them.

use program::Scalar;

use crate::environment::Error;
use crate::lanes::Value;
use crate::scalar;

/// Evaluated arguments with their component types.
pub(super) struct Arguments {
    pub(super) values: Vec<Value>,
    pub(super) scalars: Vec<Option<Scalar>>,
}

impl Arguments {
    pub(super) fn value(&self, index: usize) -> Result<&Value, Error> {
        self.values.get(index).ok_or(Error::Malformed("too few arguments of a built-in function"))
    }

    pub(super) fn scalar(&self, index: usize) -> Result<Scalar, Error> {
        self.scalars
            .get(index)
            .copied()
            .flatten()
            .ok_or(Error::Malformed("argument is not numeric"))
    }

    /// Returns an argument, with a scalar widened to `components`.
    pub(super) fn widened(&self, index: usize, components: usize) -> Result<Value, Error> {
        let value = self.value(index)?;
        Ok(if value.components() == 1 && components > 1 {
            value.splat(components)
        } else {
            value.clone()
        })
    }

    pub(super) fn all(&self) -> Vec<&Value> {
        self.values.iter().collect()
    }
}

/// Applies a function of real numbers to every component, rounding its result once.
pub(super) fn real1(value: &Value, ty: Scalar, f: impl Fn(f64) -> f64) -> Value {
    if ty == Scalar::Float {
        return value.map(|x| scalar::of_f32(f(f64::from(scalar::f32_of(x))) as f32));
    }
    value.map(|x| scalar::from_f64(ty, f(scalar::to_f64(ty, x))))
}

/// Applies a function of two real numbers, as [`real1`].
pub(super) fn real2(a: &Value, b: &Value, ty: Scalar, f: impl Fn(f64, f64) -> f64) -> Value {
    if ty == Scalar::Float {
        let real = |x| f64::from(scalar::f32_of(x));
        return a.zip(b, |x, y| scalar::of_f32(f(real(x), real(y)) as f32));
    }
    a.zip(b, |x, y| scalar::from_f64(ty, f(scalar::to_f64(ty, x), scalar::to_f64(ty, y))))
}

/// Applies a function of three real numbers, as [`real1`].
pub(super) fn real3(
    a: &Value,
    b: &Value,
    c: &Value,
    ty: Scalar,
    f: impl Fn(f64, f64, f64) -> f64,
) -> Value {
    let real = |x| scalar::to_f64(ty, x);
    a.zip3(b, c, |x, y, z| scalar::from_f64(ty, f(real(x), real(y), real(z))))
}

/// Marks the components whose operand is outside the function's domain.
pub(super) fn undefined_where(
    mut result: Value,
    operand: &Value,
    ty: Scalar,
    bad: impl Fn(f64) -> bool,
) -> Value {
    for c in 0..result.components() {
        for lane in 0..result.lanes() {
            if bad(scalar::to_f64(ty, operand.get(c, lane))) {
                result.mark_undefined(c, lane);
            }
        }
    }
    result
}
