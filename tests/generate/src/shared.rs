//! Types, evaluation helpers and GLSL snippets that the families share.

use crate::accept::Accept;
use crate::format::Format;
use crate::value::{Component, MATRICES, Scalar, Type};

/// `int`.
pub const INT: Type = Type::vector(Scalar::Int, 1);
/// `float`.
pub const FLOAT: Type = Type::vector(Scalar::Float, 1);
/// `float16_t`.
pub const HALF: Type = halves(1);
/// `float16_t`, `f16vec2`, `f16vec3`, `f16vec4`.
pub const HALF_VECTORS: [Type; 4] = vectors(Scalar::Half);
/// Component types of the 16-bit suite.
pub const SCALARS_16: [Scalar; 3] = [Scalar::Half, Scalar::Int16, Scalar::Uint16];

/// A vector of halves, or `float16_t`.
pub const fn halves(rows: usize) -> Type {
    Type::vector(Scalar::Half, rows)
}

/// A scalar and its vectors.
pub const fn vectors(scalar: Scalar) -> [Type; 4] {
    [
        Type::vector(scalar, 1),
        Type::vector(scalar, 2),
        Type::vector(scalar, 3),
        Type::vector(scalar, 4),
    ]
}

/// A matrix of halves.
pub const fn half_matrix(columns: usize, rows: usize) -> Type {
    Type::matrix(columns, rows).with_scalar(Scalar::Half)
}

/// The nine matrices of a format.
pub fn matrices<F: Format>() -> [Type; 9] {
    MATRICES.map(|ty| ty.with_scalar(F::SCALAR))
}

/// All thirteen types of a format.
pub fn all_types<F: Format>() -> impl Iterator<Item = Type> {
    vectors(F::SCALAR).into_iter().chain(matrices::<F>())
}

/// Accepts exactly this component.
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

/// A function of one floating-point operand.
pub fn of_one<F: Format, T>(f: impl Fn(F) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(F::of(x[0]))
}

/// A function of two floating-point operands.
pub fn of_two<F: Format, T>(f: impl Fn(F, F) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(F::of(x[0]), F::of(x[1]))
}

/// A function of three floating-point operands.
pub fn of_three<F: Format, T>(
    f: impl Fn(F, F, F) -> T + Copy,
) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(F::of(x[0]), F::of(x[1]), F::of(x[2]))
}
