//! The operations of the 16-bit suite, a module per family.

pub mod access;
pub mod arithmetic;
pub mod block;
pub mod common;
pub mod comparison;
pub mod control;
pub mod conversion;
pub mod derivative;
pub mod elementary;
pub mod function;
pub mod geometric;
pub mod integer;
pub mod interface;
pub mod matrix;
pub mod packing;
pub mod pressure;

use crate::half::float16::Half;
use crate::operation::Signature;
use crate::value::{Component, MATRICES, Scalar, Type};

/// All of them, in the order of files.
pub fn signatures() -> Vec<Signature> {
    [
        access::signatures(),
        arithmetic::signatures(),
        block::signatures(),
        common::signatures(),
        comparison::signatures(),
        control::signatures(),
        conversion::signatures(),
        derivative::signatures(),
        elementary::signatures(),
        function::signatures(),
        geometric::signatures(),
        integer::signatures(),
        interface::signatures(),
        matrix::signatures(),
        packing::signatures(),
        pressure::signatures(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// `float16_t`.
pub const HALF: Type = halves(1);

/// `float16_t`, `f16vec2`, `f16vec3`, `f16vec4`.
pub const VECTORS: [Type; 4] = vectors(Scalar::Half);

/// A vector of halves, or `float16_t`.
pub const fn halves(rows: usize) -> Type {
    Type::vector(Scalar::Half, rows)
}

/// A scalar and its vectors.
pub const fn vectors(scalar: Scalar) -> [Type; 4] {
    [Type::vector(scalar, 1), Type::vector(scalar, 2), Type::vector(scalar, 3), Type::vector(scalar, 4)]
}

/// A matrix of halves.
pub const fn matrix_of(columns: usize, rows: usize) -> Type {
    Type::matrix(columns, rows).with_scalar(Scalar::Half)
}

/// The nine matrices of halves.
pub fn matrices() -> [Type; 9] {
    MATRICES.map(|ty| ty.with_scalar(Scalar::Half))
}

/// A square one, a high one and a wide one, where all nine would say no more.
pub fn some_matrices() -> [Type; 3] {
    [matrix_of(2, 2), matrix_of(3, 4), matrix_of(4, 3)]
}

/// All thirteen types of halves.
pub fn all_types() -> impl Iterator<Item = Type> {
    VECTORS.into_iter().chain(matrices())
}

/// A function of one half operand.
fn of_one<T>(f: impl Fn(Half) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(x[0].half())
}

/// A function of two half operands.
fn of_two<T>(f: impl Fn(Half, Half) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(x[0].half(), x[1].half())
}

/// A function of three half operands.
fn of_three<T>(f: impl Fn(Half, Half, Half) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(x[0].half(), x[1].half(), x[2].half())
}
