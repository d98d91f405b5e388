//! Implementations: an expression per lane, so that loops over lanes become vector instructions.

use std::marker::PhantomData;

use super::super::condition;
use super::super::float::FloatOp;
use super::super::formats::{canonical32, flush32, saturate32};
use super::super::integer::NarrowOp;
use super::call::Call;
use super::runner::Job;
use crate::regs::{CR0_F_DENORM, Registers};

/// An operation of one lane: from the bits of the sources, modified, to the bits of the result.
pub(super) trait LaneOp {
    /// Number of sources.
    const SOURCES: usize;
    /// True if the sources are singles, which can have modifiers.
    const SINGLES: bool;
    /// True if the result is a single, which can be saturated.
    const SINGLE: bool;
    /// The result. `FLUSH`: subnormals become zeros.
    fn apply<const FMA: bool, const FLUSH: bool>(x: [u32; 3]) -> u32;
}

/// An operation of each lane.
pub(super) struct Each<O>(PhantomData<O>);

/// Dwords of a source, modified and flushed; `None` outside of the register file.
#[inline(always)]
fn operand<const N: usize, const SINGLES: bool, const FLUSH: bool, const FULL: bool>(
    call: &Call,
    registers: &Registers,
    index: usize,
) -> Option<[u32; N]> {
    let row = call.row::<N, FULL>(registers, index)?;
    let source = call.operands.sources[index];
    let row = if FULL { row } else { row.map(|dword| source.modified(SINGLES, dword)) };
    Some(if SINGLES && FLUSH { row.map(flush32) } else { row })
}

/// Results of all lanes; `None` if a source is outside of the register file.
#[inline(always)]
fn lanes<O: LaneOp, const N: usize, const FMA: bool, const FLUSH: bool, const FULL: bool>(
    call: &Call,
    registers: &Registers,
) -> Option<[u32; N]> {
    let read = |index| match O::SINGLES {
        true => operand::<N, true, FLUSH, FULL>(call, registers, index),
        false => operand::<N, false, FLUSH, FULL>(call, registers, index),
    };
    let a = read(0)?;
    let b = if O::SOURCES > 1 { read(1)? } else { a };
    let c = if O::SOURCES > 2 { read(2)? } else { a };
    let mut results = [0; N];
    for lane in 0..N {
        results[lane] = O::apply::<FMA, FLUSH>([a[lane], b[lane], c[lane]]);
    }
    if O::SINGLE && call.operands.saturate {
        results = results.map(saturate32);
    }
    Some(results)
}

/// Computes all lanes, then writes them.
#[inline(always)]
fn each<O: LaneOp, const N: usize, const FMA: bool, const FLUSH: bool, const FULL: bool>(
    call: &Call,
    registers: &mut Registers,
) {
    if let Some(results) = lanes::<O, N, FMA, FLUSH, FULL>(call, registers) {
        call.store::<N, FULL>(registers, &results);
    }
}

impl<O: LaneOp> Job for Each<O> {
    #[inline(always)]
    fn run<const N: usize, const FMA: bool, const FULL: bool>(
        call: &Call,
        registers: &mut Registers,
    ) {
        if (O::SINGLES || O::SINGLE) && registers.control[0] & CR0_F_DENORM == 0 {
            each::<O, N, FMA, true, FULL>(call, registers);
        } else {
            each::<O, N, FMA, false, FULL>(call, registers);
        }
    }
}

/// Arithmetic and rounding of singles.
pub(super) struct Singles<O>(PhantomData<O>);

impl<O: FloatOp> LaneOp for Singles<O> {
    const SOURCES: usize = O::SOURCES;
    const SINGLES: bool = true;
    const SINGLE: bool = true;
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
    #[inline(always)]
    fn apply<const FMA: bool, const FLUSH: bool>(x: [u32; 3]) -> u32 {
        O::apply(x)
    }
}

macro_rules! lane_ops {
    ($($(#[$doc:meta])* $name:ident($sources:literal, $singles:literal, $single:literal)
        |$x:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl LaneOp for $name {
            const SOURCES: usize = $sources;
            const SINGLES: bool = $singles;
            const SINGLE: bool = $single;
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
    Smaller(2, true, true) |x| choose(x, |a, b| a < b);
    /// SEL.ge.
    Larger(2, true, true) |x| choose(x, |a, b| a >= b);
    /// MOV of D to F.
    FromSigned(1, false, true) |x| (x[0] as i32 as f32).to_bits();
    /// MOV of UD to F.
    FromUnsigned(1, false, true) |x| (x[0] as f32).to_bits();
    /// MOV of F to D.
    ToSigned(1, true, false) |x| f32::from_bits(x[0]) as i32 as u32;
    /// MOV of F to UD.
    ToUnsigned(1, true, false) |x| f32::from_bits(x[0]) as u32;
}

lane_ops! {
    /// MATH inv.
    Inverse(1, true, true) |x| rounded(x[0], |x| 1.0 / x);
    /// MATH sqrt.
    SquareRoot(1, true, true) |x| rounded(x[0], f64::sqrt);
    /// MATH rsq.
    InverseRoot(1, true, true) |x| rounded(x[0], |x| 1.0 / x.sqrt());
}

/// SEL by predicate of dwords.
pub(super) struct Pick;

impl Job for Pick {
    #[inline(always)]
    fn run<const N: usize, const FMA: bool, const FULL: bool>(
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

/// Operands of a comparison; `None` outside of the register file.
#[inline(always)]
fn ordered<T: Ordered, const N: usize, const FULL: bool>(
    call: &Call,
    registers: &Registers,
    index: usize,
) -> Option<[T; N]> {
    let row = if !T::SINGLE {
        operand::<N, false, false, FULL>(call, registers, index)?
    } else if registers.control[0] & CR0_F_DENORM == 0 {
        operand::<N, true, true, FULL>(call, registers, index)?
    } else {
        operand::<N, true, false, FULL>(call, registers, index)?
    };
    Some(row.map(T::of))
}

impl<T: Ordered> Job for Compare<T> {
    #[inline(always)]
    fn run<const N: usize, const FMA: bool, const FULL: bool>(
        call: &Call,
        registers: &mut Registers,
    ) {
        let Some(a) = ordered::<T, N, FULL>(call, registers, 0) else { return };
        let Some(b) = ordered::<T, N, FULL>(call, registers, 1) else { return };
        let cond = call.operands.condition.and_then(|condition| condition.cond);
        let truths = condition::compare(cond, &a, &b);
        call.store::<N, FULL>(registers, &condition::masks::<N>(truths));
        call.store_flags(registers, truths);
    }
}
