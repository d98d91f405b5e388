//! The operations of the double-precision suite, a module per family.

pub mod access;
pub mod arithmetic;
pub mod attribute;
pub mod block;
pub mod common;
pub mod comparison;
pub mod control;
pub mod conversion;
pub mod feedback;
pub mod function;
pub mod geometric;
pub mod indexing;
pub mod interface;
pub mod limits;
pub mod matrix;
pub mod packing;
pub mod storage;

use crate::operation::Signature;
use crate::value::Component;

/// All of them, in the order of files.
pub fn signatures() -> Vec<Signature> {
    [
        access::signatures(),
        arithmetic::signatures(),
        attribute::signatures(),
        block::signatures(),
        common::signatures(),
        comparison::signatures(),
        control::signatures(),
        conversion::signatures(),
        feedback::signatures(),
        function::signatures(),
        geometric::signatures(),
        indexing::signatures(),
        interface::signatures(),
        limits::signatures(),
        matrix::signatures(),
        packing::signatures(),
        storage::signatures(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The same function for one double operand.
fn of_one<T>(f: impl Fn(f64) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(x[0].double())
}

/// The same function for two double operands.
fn of_two<T>(f: impl Fn(f64, f64) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(x[0].double(), x[1].double())
}

/// The same function for three double operands.
fn of_three<T>(f: impl Fn(f64, f64, f64) -> T + Copy) -> impl Fn(&[Component]) -> T + Copy {
    move |x| f(x[0].double(), x[1].double(), x[2].double())
}
