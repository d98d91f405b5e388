//! Sums and differences with carry.

use std::marker::PhantomData;

use amd_isa::Opcode;

use super::call::{Call, Job, Row, mask};
use super::machine::Runner;
use crate::arithmetic::integer::carry;
use crate::register::LANES;

/// An operation of one lane: result and carry.
trait SumOp {
    fn apply(x: u32, y: u32, carry: bool) -> (u32, bool);
}

struct Sum<O>(PhantomData<O>);

impl<O: SumOp> Job for Sum<O> {
    #[inline(always)]
    fn run(call: &Call, vectors: &mut [Row]) -> u64 {
        let (mut first, mut second, mut third) = (None, None, None);
        let a = call.row(vectors, 0, &mut first);
        let b = call.row(vectors, 1, &mut second);
        let c = call.row(vectors, 2, &mut third);
        let (mut results, mut carries) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let (result, carry) = O::apply(a[lane], b[lane], c[lane] != 0);
            results[lane] = result;
            carries[lane] = carry.into();
        }
        call.store(vectors, &results);
        mask(&carries) & call.lanes
    }
}

macro_rules! operations {
    ($($opcode:ident)*) => {
        $(
            struct $opcode;
            impl SumOp for $opcode {
                #[inline(always)]
                fn apply(x: u32, y: u32, incoming: bool) -> (u32, bool) {
                    carry(Opcode::$opcode, x, y, incoming).unwrap_or_default()
                }
            }
        )*

        /// The implementation of an operation; `None` for others.
        pub(super) fn runner(opcode: Opcode) -> Option<Runner> {
            Some(match opcode {
                $(Opcode::$opcode => Runner::of::<Sum<$opcode>>(),)*
                _ => return None,
            })
        }
    };
}

operations! {
    VAddI32 VAddU32 VSubI32 VSubU32 VSubrevI32 VSubrevU32 VAddcU32 VSubbU32 VSubbrevU32
}
