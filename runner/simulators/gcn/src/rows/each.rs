//! Operations that compute each lane alone.

use std::marker::PhantomData;

use amd_isa::{Kind, Opcode};

use super::call::{Call, Job, Row, WideRow};
use super::machine::Runner;
use crate::arithmetic::float::FloatMode;
use crate::arithmetic::{convert, integer, operations};
use crate::quirks::Quirks;
use crate::register::LANES;

/// An operation of one lane in the default mode.
trait LaneOp {
    fn apply(sources: [u64; 3], quirks: &Quirks) -> u64;
}

/// Operations with sources and results of at most 32 bits.
struct Narrow<O>(PhantomData<O>);

#[inline(always)]
fn narrow<O: LaneOp, const SIGNED: bool>(call: &Call, vectors: &[Row]) -> Row {
    let (mut first, mut second, mut third) = (None, None, None);
    let a = call.row(vectors, 0, &mut first);
    let b = call.row(vectors, 1, &mut second);
    let c = call.row(vectors, 2, &mut third);
    let signs = call.operands.sources.map(|source| (source.keep as u32, source.flip as u32));
    let mut results = [0; LANES];
    for lane in 0..LANES {
        let mut sources = [a[lane], b[lane], c[lane]];
        if SIGNED {
            for (source, (keep, flip)) in sources.iter_mut().zip(signs) {
                *source = (*source & keep) ^ flip;
            }
        }
        results[lane] = O::apply(sources.map(u64::from), call.quirks) as u32;
    }
    results
}

impl<O: LaneOp> Job for Narrow<O> {
    #[inline(always)]
    fn run(call: &Call, vectors: &mut [Row]) -> u64 {
        let mut results = if call.operands.signed {
            narrow::<O, true>(call, vectors)
        } else {
            narrow::<O, false>(call, vectors)
        };
        if call.operands.kind == Kind::F32 {
            // Without an early end, which would keep the loop from becoming vector instructions.
            let nan = |bits: &u32| f32::from_bits(*bits).is_nan();
            if results.iter().fold(false, |any, bits| any | nan(bits)) {
                correct(call, vectors, &mut results);
            }
        }
        if call.operands.output.is_some() {
            for result in &mut results {
                *result = call.output(u64::from(*result)) as u32;
            }
        }
        call.store(vectors, &results);
        0
    }
}

/// Computes the lanes again whose results are not numbers.
#[inline(never)]
fn correct(call: &Call, vectors: &[Row], results: &mut Row) {
    for (lane, result) in results.iter_mut().enumerate() {
        if f32::from_bits(*result).is_nan() && call.lanes >> lane & 1 != 0 {
            *result = call.again(vectors, lane, (*result).into()) as u32;
        }
    }
}

/// Operations with a source or result of 64 bits.
struct Wide<O>(PhantomData<O>);

impl<O: LaneOp> Job for Wide<O> {
    #[inline(always)]
    fn run(call: &Call, vectors: &mut [Row]) -> u64 {
        let a = call.wide_row(vectors, 0);
        let b = call.wide_row(vectors, 1);
        let c = call.wide_row(vectors, 2);
        let mut results = [0; LANES];
        for lane in 0..LANES {
            results[lane] = O::apply([a[lane], b[lane], c[lane]], call.quirks);
        }
        correct_wide(call, vectors, &mut results);
        if call.operands.kind.dwords() == 2 {
            call.store_wide(vectors, &results);
        } else {
            call.store(vectors, &results.map(|result| result as u32));
        }
        0
    }
}

/// Computes the lanes again whose results are not numbers; applies the modifiers of the output.
#[inline(always)]
fn correct_wide(call: &Call, vectors: &[Row], results: &mut WideRow) {
    let is_nan = |result: u64| match call.operands.kind {
        Kind::F64 => f64::from_bits(result).is_nan(),
        Kind::F32 => f32::from_bits(result as u32).is_nan(),
        _ => false,
    };
    for (lane, result) in results.iter_mut().enumerate() {
        if is_nan(*result) && call.lanes >> lane & 1 != 0 {
            *result = call.again(vectors, lane, *result);
        }
        *result = call.output(*result);
    }
}

#[inline(always)]
fn integers(opcode: Opcode, sources: [u64; 3], _: FloatMode, _: &Quirks) -> Option<u64> {
    integer::compute(opcode, sources)
}

#[inline(always)]
fn conversions(opcode: Opcode, sources: [u64; 3], mode: FloatMode, _: &Quirks) -> Option<u64> {
    convert::compute(opcode, sources, mode)
}

/// Declares the operations by family, width and frequency.
macro_rules! operations {
    ($($family:path, $job:ident, $machine:ident: $($opcode:ident)*;)*) => {
        $($(
            struct $opcode;
            impl LaneOp for $opcode {
                #[inline(always)]
                fn apply(sources: [u64; 3], quirks: &Quirks) -> u64 {
                    $family(Opcode::$opcode, sources, FloatMode::DEFAULT, quirks).unwrap_or(0)
                }
            }
        )*)*

        /// The implementation of an operation; `None` for those that stay with single lanes.
        pub(super) fn runner(opcode: Opcode) -> Option<Runner> {
            Some(match opcode {
                $($(Opcode::$opcode => Runner::$machine::<$job<$opcode>>(),)*)*
                _ => return None,
            })
        }
    };
}

operations! {
    integers, Narrow, of:
        VMovB32 VCndmaskB32 VNotB32 VAndB32 VOrB32 VXorB32 VLshlB32 VLshrB32 VAshrI32 VLshlrevB32
        VLshrrevB32 VAshrrevI32 VMinI32 VMaxI32 VMinU32 VMaxU32 VMulLoU32 VMulLoI32 VMulHiU32
        VMulHiI32 VMulI32I24 VMulU32U24 VMadI32I24 VMadU32U24 VBfmB32 VBfiB32 VBfeU32 VBfeI32
        VAlignbitB32;
    integers, Narrow, rare:
        VMulHiI32I24 VMulHiU32U24 VMin3I32 VMax3I32 VMed3I32 VMin3U32 VMax3U32 VMed3U32 VBfrevB32
        VBcntU32B32 VFfbhU32 VFfbhI32 VFfblB32 VAlignbyteB32 VPermB32 VSadU8 VMsadU8 VSadHiU8
        VSadU16 VSadU32 VLerpU8 VCvtPkU16U32 VCvtPkI16I32;
    integers, Wide, rare:
        VLshlB64 VLshrB64 VAshrI64 VLshlrevB64 VLshrrevB64 VAshrrevI64;
    conversions, Narrow, of:
        VCvtI32F32 VCvtU32F32 VCvtF32I32 VCvtF32U32 VCvtFlrI32F32 VCvtRpiI32F32;
    conversions, Narrow, rare:
        VCvtF16F32 VCvtF32F16 VCvtPkrtzF16F32 VCvtF32Ubyte0 VCvtF32Ubyte1 VCvtF32Ubyte2
        VCvtF32Ubyte3 VCvtOffF32I4 VCvtPkU8F32 VCvtPknormI16F32 VCvtPknormU16F32;
    conversions, Wide, rare:
        VCvtI32F64 VCvtU32F64 VCvtF64I32 VCvtF64U32 VCvtF32F64 VCvtF64F32;
    operations::single, Narrow, of:
        VAddF32 VSubF32 VSubrevF32 VMulF32 VMulLegacyF32 VMacF32 VMadF32 VMadakF32 VMadmkF32
        VMacLegacyF32 VMadLegacyF32 VFmaF32 VMinF32 VMaxF32 VMinLegacyF32 VMaxLegacyF32 VMin3F32
        VMax3F32 VMed3F32 VFractF32 VTruncF32 VCeilF32 VFloorF32 VRndneF32 VRcpF32 VRcpIflagF32
        VRcpClampF32 VRcpLegacyF32 VRsqF32 VRsqClampF32 VRsqLegacyF32 VSqrtF32;
    operations::single, Narrow, rare:
        VExpF32 VExpLegacyF32 VLogF32 VLogLegacyF32 VLogClampF32 VSinF32 VCosF32 VLdexpF32
        VFrexpMantF32 VFrexpExpI32F32 VCubeidF32 VCubescF32 VCubetcF32 VCubemaF32;
    operations::double, Wide, of:
        VAddF64 VMulF64 VFmaF64 VMinF64 VMaxF64 VTruncF64 VCeilF64 VFloorF64 VRndneF64 VFractF64;
    operations::double, Wide, rare:
        VRcpF64 VRcpClampF64 VRsqF64 VRsqClampF64 VSqrtF64 VLdexpF64 VFrexpMantF64 VFrexpExpI32F64;
}
