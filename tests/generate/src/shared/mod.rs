//! Operations that both suites test alike, over whatever component type a suite is about: a module per family. What a family has
//! for one suite only, and which types it takes, is in [`crate::family`] and [`crate::half::family`].

pub mod access;
pub mod arithmetic;
pub mod common;
pub mod comparison;
pub mod control;
pub mod function;
pub mod interface;
pub mod matrix;

use crate::value::{Accept, Component, Scalar, Type};

/// `int`.
pub const INT: Type = Type::vector(Scalar::Int, 1);

/// The same component.
pub fn exact(x: Component) -> Accept {
    Accept::exactly(x)
}

/// A boolean, always defined.
pub fn boolean(value: bool) -> Option<Accept> {
    Some(Accept::exactly(Component::Bool(value)))
}

/// An operand that is an index.
pub fn index(x: &[Component]) -> usize {
    x[0].integer() as usize
}

/// GLSL for a scalar, or for the first component of a vector.
pub fn first(ty: Type, name: &str) -> String {
    if ty.components() == 1 { name.to_string() } else { format!("{name}.x") }
}
