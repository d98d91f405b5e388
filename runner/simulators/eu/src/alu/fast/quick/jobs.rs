//! Implementations: an expression per lane, so that loops over lanes become vector instructions.

use std::marker::PhantomData;

use super::super::condition;
use super::super::float::FloatOp;
use super::super::formats::{canonical32, flush32, saturate32};
use super::super::integer::NarrowOp;
use super::call::Call;
use super::runner::Job;
use crate::regs::Registers;

/// An operation of one lane: from the bits of the sources, modified, to the bits of the result.
pub(super) trait LaneOp {
    /// Number of sources.
    const SOURCES: usize;
    /// True if the sources are singles, which can have modifiers.
    const SINGLES: bool;
    /// True if the result is a single, which can be saturated.
    const SINGLE: bool;
    /// True if a result is never subnormal if no source is.
    const STAYS_NORMAL: bool = false;
    /// True if the result is one of the sources.
    const COPIES: bool = false;
    /// The result. `FLUSH`: a subnormal becomes zero.
    fn apply<const FMA: bool, const FLUSH: bool>(x: [u32; 3]) -> u32;
}

/// An operation of each lane.
pub(super) struct Each<O>(PhantomData<O>);

/// Dwords of a source, modified; `None` outside of the register file. `FLUSH`: subnormal singles
/// become zeros. `NORMAL`: no row holds any.
#[inline(always)]
fn operand<
    const N: usize,
    const SINGLES: bool,
    const FLUSH: bool,
    const FULL: bool,
    const NORMAL: bool,
>(
    call: &Call,
    registers: &Registers,
    index: usize,
) -> Option<[u32; N]> {
    let source = &call.operands.sources[index];
    if !FULL && let Some(dword) = source.place.same(registers) {
        let dword = source.modified(SINGLES, dword);
        return Some([if SINGLES && FLUSH { flush32(dword) } else { dword }; N]);
    }
    let row = call.row::<N, FULL>(registers, index)?;
    let row = if FULL { row } else { row.map(|dword| source.modified(SINGLES, dword)) };
    Some(if SINGLES && FLUSH && !NORMAL { row.map(flush32) } else { row })
}

/// Results of all lanes; `None` if a source is outside of the register file.
#[inline(always)]
fn lanes<
    O: LaneOp,
    const N: usize,
    const FMA: bool,
    const FLUSH: bool,
    const FULL: bool,
    const NORMAL: bool,
>(
    call: &Call,
    registers: &Registers,
) -> Option<[u32; N]> {
    let read = |index| match O::SINGLES {
        true => operand::<N, true, FLUSH, FULL, NORMAL>(call, registers, index),
        false => operand::<N, false, FLUSH, FULL, NORMAL>(call, registers, index),
    };
    let a = read(0)?;
    let b = if O::SOURCES > 1 { read(1)? } else { a };
    let c = if O::SOURCES > 2 { read(2)? } else { a };
    let may_be_subnormal = !(NORMAL && O::STAYS_NORMAL);
    let mut results = [0; N];
    for lane in 0..N {
        let sources = [a[lane], b[lane], c[lane]];
        results[lane] = if FLUSH && may_be_subnormal {
            O::apply::<FMA, true>(sources)
        } else {
            O::apply::<FMA, false>(sources)
        };
    }
    if O::SINGLE && call.operands.saturate {
        results = results.map(saturate32);
    }
    Some(results)
}

/// Computes all lanes, then writes them.
#[inline(always)]
fn each<
    O: LaneOp,
    const N: usize,
    const FMA: bool,
    const FLUSH: bool,
    const FULL: bool,
    const NORMAL: bool,
>(
    call: &Call,
    registers: &mut Registers,
) {
    if let Some(results) = lanes::<O, N, FMA, FLUSH, FULL, NORMAL>(call, registers) {
        call.store::<N, FULL>(registers, &results);
    }
}

impl<O: LaneOp> Job for Each<O> {
    const MINDS_SUBNORMALS: bool = O::SINGLES || O::SINGLE;

    #[inline(always)]
    fn run<const N: usize, const FMA: bool, const FULL: bool, const NORMAL: bool>(
        call: &Call,
        registers: &mut Registers,
    ) {
        if NORMAL || Self::MINDS_SUBNORMALS && registers.flushes() {
            each::<O, N, FMA, true, FULL, NORMAL>(call, registers);
        } else {
            each::<O, N, FMA, false, FULL, NORMAL>(call, registers);
        }
    }
}

/// Arithmetic and rounding of singles.
pub(super) struct Singles<O>(PhantomData<O>);

impl<O: FloatOp> LaneOp for Singles<O> {
    const SOURCES: usize = O::SOURCES;
    const SINGLES: bool = true;
    const SINGLE: bool = true;
    const STAYS_NORMAL: bool = O::STAYS_NORMAL;
    #[inline(always)]
    fn apply<const FMA: bool, const FLUSH: bool>(x: [u32; 3]) -> u32 {
        let value = O::apply::<FMA, false>(x.map(f32::from_bits));
        let bits = if O::KEEPS_NAN { value.to_bits() } else { canonical32(value) };
        if FLUSH { flush32(bits) } else { bits }
    }
}

/// Operations on dwords.
pub(super) struct Integers<O>(PhantomData<O>);

impl<O: NarrowOp> LaneOp for Integers<O> {
    const SOURCES: usize = O::SOURCES;
    const SINGLES: bool = false;
    const SINGLE: bool = false;
    const COPIES: bool = O::COPIES;
    #[inline(always)]
    fn apply<const FMA: bool, const FLUSH: bool>(x: [u32; 3]) -> u32 {
        O::apply(x)
    }
}

macro_rules! lane_ops {
    ($($(#[$doc:meta])*
        $name:ident($sources:literal, $singles:literal, $single:literal, $normal:literal)
        |$x:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl LaneOp for $name {
            const SOURCES: usize = $sources;
            const SINGLES: bool = $singles;
            const SINGLE: bool = $single;
            const STAYS_NORMAL: bool = $normal;
            #[inline(always)]
            fn apply<const FMA: bool, const FLUSH: bool>($x: [u32; 3]) -> u32 {
                let bits = $value;
                if FLUSH && $single { flush32(bits) } else { bits }
            }
        }
    )*};
}

/// The first of two singles if `first` holds; a number wins over a NaN. The bits are kept.
#[inline(always)]
fn choose([x, y, _]: [u32; 3], first: fn(f32, f32) -> bool) -> u32 {
    let (a, b) = (f32::from_bits(x), f32::from_bits(y));
    if first(a, b) | (b.is_nan() & !a.is_nan()) { x } else { y }
}

/// The bits of a function in double precision, rounded.
#[inline(always)]
fn rounded(x: u32, function: impl Fn(f64) -> f64) -> u32 {
    canonical32(function(f64::from(f32::from_bits(x))) as f32)
}

lane_ops! {
    /// SEL.l.
    Smaller(2, true, true, true) |x| choose(x, |a, b| a < b);
    /// SEL.ge.
    Larger(2, true, true, true) |x| choose(x, |a, b| a >= b);
    /// MOV of D to F.
    FromSigned(1, false, true, true) |x| (x[0] as i32 as f32).to_bits();
    /// MOV of UD to F.
    FromUnsigned(1, false, true, true) |x| (x[0] as f32).to_bits();
    /// MOV of F to D.
    ToSigned(1, true, false, false) |x| f32::from_bits(x[0]) as i32 as u32;
    /// MOV of F to UD.
    ToUnsigned(1, true, false, false) |x| f32::from_bits(x[0]) as u32;
}

lane_ops! {
    /// MATH inv.
    Inverse(1, true, true, false) |x| rounded(x[0], |x| 1.0 / x);
    /// MATH sqrt.
    SquareRoot(1, true, true, true) |x| rounded(x[0], f64::sqrt);
    /// MATH rsq.
    InverseRoot(1, true, true, true) |x| rounded(x[0], |x| 1.0 / x.sqrt());
}

/// SEL by predicate of dwords.
pub(super) struct Pick;

impl Job for Pick {
    const MINDS_SUBNORMALS: bool = false;

    #[inline(always)]
    fn run<const N: usize, const FMA: bool, const FULL: bool, const NORMAL: bool>(
        call: &Call,
        registers: &mut Registers,
    ) {
        let Some(a) = call.row::<N, FULL>(registers, 0) else { return };
        let Some(b) = call.row::<N, FULL>(registers, 1) else { return };
        let chosen = condition::masks::<N>(call.selected);
        let mut results = [0; N];
        for lane in 0..N {
            results[lane] = a[lane] & chosen[lane] | b[lane] & !chosen[lane];
        }
        call.store::<N, FULL>(registers, &results);
    }
}

/// Operands of a comparison.
pub(super) trait Ordered: PartialOrd + Copy {
    /// True if sources can have modifiers and are flushed.
    const SINGLE: bool;
    /// The operand of these bits.
    fn of(bits: u32) -> Self;
}

macro_rules! ordered {
    ($($ty:ty, $single:literal: |$bits:ident| $value:expr;)*) => {$(
        impl Ordered for $ty {
            const SINGLE: bool = $single;
            #[inline(always)]
            fn of($bits: u32) -> $ty {
                $value
            }
        }
    )*};
}

ordered! {
    f32, true: |bits| f32::from_bits(bits);
    i32, false: |bits| bits as i32;
    u32, false: |bits| bits;
}

/// CMP: masks and flags.
pub(super) struct Compare<T>(PhantomData<T>);

/// Truth of a comparison by lane; `None` if a source is outside of the register file.
#[inline(always)]
fn compared<T: Ordered, const N: usize, const FLUSH: bool, const FULL: bool, const NORMAL: bool>(
    call: &Call,
    registers: &Registers,
) -> Option<u32> {
    let read = |index| match T::SINGLE {
        true => operand::<N, true, FLUSH, FULL, NORMAL>(call, registers, index),
        false => operand::<N, false, FLUSH, FULL, NORMAL>(call, registers, index),
    };
    let cond = call.operands.condition.and_then(|condition| condition.cond);
    Some(condition::compare(cond, &read(0)?.map(T::of), &read(1)?.map(T::of)))
}

impl<T: Ordered> Job for Compare<T> {
    const MINDS_SUBNORMALS: bool = T::SINGLE;

    #[inline(always)]
    fn run<const N: usize, const FMA: bool, const FULL: bool, const NORMAL: bool>(
        call: &Call,
        registers: &mut Registers,
    ) {
        let truths = if NORMAL || T::SINGLE && registers.flushes() {
            compared::<T, N, true, FULL, NORMAL>(call, registers)
        } else {
            compared::<T, N, false, FULL, NORMAL>(call, registers)
        };
        let Some(truths) = truths else { return };
        call.store::<N, FULL>(registers, &condition::masks::<N>(truths));
        call.store_flags(registers, truths);
    }
}
