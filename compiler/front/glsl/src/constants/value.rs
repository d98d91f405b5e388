//! Values of constant expressions.

use program::Scalar;
use std::rc::Rc;
use vocabulary::half;

/// A scalar value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Bool(bool),
    /// Wide enough for the values of every integer type.
    Int(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn float(self) -> f64 {
        match self {
            Number::Bool(b) => f64::from(u8::from(b)),
            Number::Int(i) => i as f64,
            Number::Float(f) => f,
        }
    }

    pub(crate) fn int(self) -> i128 {
        match self {
            Number::Bool(b) => i128::from(b),
            Number::Int(i) => i,
            Number::Float(f) => f as i128,
        }
    }

    pub(crate) fn bool(self) -> bool {
        match self {
            Number::Bool(b) => b,
            Number::Int(i) => i != 0,
            Number::Float(f) => f != 0.0,
        }
    }

    /// The value as a value of a component type, wrapped or rounded.
    pub(crate) fn to(self, scalar: Scalar) -> Number {
        match scalar {
            Scalar::Bool => Number::Bool(self.bool()),
            Scalar::Int => Number::Int(i128::from(self.int() as i32)),
            Scalar::Uint => Number::Int(i128::from(self.int() as u32)),
            Scalar::Int8 => Number::Int(i128::from(self.int() as i8)),
            Scalar::Uint8 => Number::Int(i128::from(self.int() as u8)),
            Scalar::Int16 => Number::Int(i128::from(self.int() as i16)),
            Scalar::Uint16 => Number::Int(i128::from(self.int() as u16)),
            Scalar::Int64 => Number::Int(i128::from(self.int() as i64)),
            Scalar::Uint64 => Number::Int(i128::from(self.int() as u64)),
            Scalar::Float16 => Number::Float(half::to_f64(half::from_f64(self.float()))),
            Scalar::Float => Number::Float(f64::from(self.float() as f32)),
            Scalar::Double => Number::Float(self.float()),
        }
    }
}

/// A value: components of a scalar, vector or matrix, or elements of an array or structure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Components(Vec<Number>),
    Elements(Rc<[Value]>),
}

impl Value {
    pub(crate) fn components(&self) -> Option<&[Number]> {
        match self {
            Value::Components(numbers) => Some(numbers),
            Value::Elements(_) => None,
        }
    }

    /// Calls `f` with every component, in order.
    pub(crate) fn for_each(&self, f: &mut dyn FnMut(Number)) {
        match self {
            Value::Components(numbers) => numbers.iter().for_each(|&number| f(number)),
            Value::Elements(values) => values.iter().for_each(|value| value.for_each(f)),
        }
    }

    pub(crate) fn first(&self) -> Option<Number> {
        self.components()?.first().copied()
    }
}
