//! Comparisons: a bit per lane.

use std::marker::PhantomData;

use super::call::{Call, Job, Row, mask};
use super::machine::Runner;
use crate::arithmetic::comparison::Type;
use crate::arithmetic::float::FloatMode;
use crate::register::LANES;

/// Operands of a type.
trait Operand: PartialOrd + Copy {
    fn of(bits: u64) -> Self;
}

macro_rules! operands {
    ($($ty:ty: |$bits:ident| $value:expr;)*) => {$(
        impl Operand for $ty {
            #[inline(always)]
            fn of($bits: u64) -> $ty {
                $value
            }
        }
    )*};
}

operands! {
    f32: |bits| FloatMode::DEFAULT.single(bits);
    f64: |bits| FloatMode::DEFAULT.double(bits);
    i32: |bits| bits as i32;
    u32: |bits| bits as u32;
    i64: |bits| bits as i64;
    u64: |bits| bits;
}

/// The result of a lane: 0 or 1.
#[inline(always)]
fn holds<T: Operand>(a: u64, b: u64, [less, equal, greater, unordered]: [u32; 4]) -> u32 {
    let (a, b) = (T::of(a), T::of(b));
    let select = |condition: bool, orders: u32| if condition { orders } else { 0 };
    let (is_less, is_equal, is_greater) = (a < b, a == b, a > b);
    select(is_less, less)
        | select(is_equal, equal)
        | select(is_greater, greater)
        | select(!(is_less | is_equal | is_greater), unordered)
}

/// Comparisons of 32 bits.
struct Narrow<T>(PhantomData<T>);

impl<T: Operand> Job for Narrow<T> {
    #[inline(always)]
    fn run(call: &Call, vectors: &mut [Row]) -> u64 {
        let (mut first, mut second) = (None, None);
        let a = call.row(vectors, 0, &mut first);
        let b = call.row(vectors, 1, &mut second);
        let signs = call.operands.sources.map(|source| (source.keep as u32, source.flip as u32));
        let mut truths = [0; LANES];
        for lane in 0..LANES {
            let a = (a[lane] & signs[0].0) ^ signs[0].1;
            let b = (b[lane] & signs[1].0) ^ signs[1].1;
            truths[lane] = holds::<T>(a.into(), b.into(), call.operands.orders);
        }
        mask(&truths) & call.lanes
    }
}

/// Comparisons of 64 bits.
struct Wide<T>(PhantomData<T>);

impl<T: Operand> Job for Wide<T> {
    #[inline(always)]
    fn run(call: &Call, vectors: &mut [Row]) -> u64 {
        let (a, b) = (call.wide_row(vectors, 0), call.wide_row(vectors, 1));
        let mut truths = [0; LANES];
        for lane in 0..LANES {
            truths[lane] = holds::<T>(a[lane], b[lane], call.operands.orders);
        }
        mask(&truths) & call.lanes
    }
}

/// The implementation of comparisons of a type; `None` for types of 16 bits.
pub(super) fn runner(ty: Type) -> Option<Runner> {
    Some(match ty {
        Type::F16 | Type::I16 | Type::U16 => return None,
        Type::F32 => Runner::of::<Narrow<f32>>(),
        Type::I32 => Runner::of::<Narrow<i32>>(),
        Type::U32 => Runner::of::<Narrow<u32>>(),
        Type::F64 => Runner::of::<Wide<f64>>(),
        Type::I64 => Runner::of::<Wide<i64>>(),
        Type::U64 => Runner::of::<Wide<u64>>(),
    })
}
