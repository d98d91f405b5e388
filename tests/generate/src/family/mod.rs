//! The operations of both suites, a module per family. A family that both suites have is generic
//! over the format and lists the signatures of each suite.

pub mod access;
pub mod arithmetic;
pub mod attribute;
pub mod block;
pub mod common;
pub mod comparison;
pub mod control;
pub mod conversion;
pub mod derivative;
pub mod elementary;
pub mod feedback;
pub mod function;
pub mod geometric;
pub mod indexing;
pub mod integer;
pub mod interface;
pub mod limits;
pub mod matrix;
pub mod packing;
pub mod pressure;
pub mod storage;

use crate::operation::Signature;

/// All operations of the double-precision suite.
pub fn fp64() -> Vec<Signature> {
    [
        access::fp64::signatures(),
        arithmetic::fp64(),
        attribute::signatures(),
        block::fp64::signatures(),
        common::fp64(),
        comparison::fp64(),
        control::fp64::signatures(),
        conversion::fp64(),
        feedback::signatures(),
        function::fp64(),
        geometric::fp64(),
        indexing::signatures(),
        interface::fp64(),
        limits::signatures(),
        matrix::fp64(),
        packing::fp64::signatures(),
        storage::signatures(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// All operations of the 16-bit suite: `float16_t` and its vectors and matrices, `int16_t`,
/// `uint16_t` and theirs.
pub fn half() -> Vec<Signature> {
    [
        access::half::signatures(),
        arithmetic::half(),
        block::half::signatures(),
        common::half(),
        comparison::half(),
        control::half::signatures(),
        conversion::half(),
        derivative::signatures(),
        elementary::signatures(),
        function::half(),
        geometric::half(),
        integer::signatures(),
        interface::half(),
        matrix::half(),
        packing::half::signatures(),
        pressure::signatures(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
