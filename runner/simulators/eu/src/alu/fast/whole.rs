//! Arithmetic between whole registers and single elements.
//!
//! Each lane goes from its operands to its result in one expression, so that the loops over lanes
//! become vector instructions without arrays in memory between them.

use std::marker::PhantomData;

use super::access::{Access, LaneLayout};
use super::float::FloatOp;
use super::formats::{canonical32, flush32, saturate32};
use super::integer::NarrowOp;
use super::step::{Job, Step};
use crate::regs::Registers;

/// A dword in every lane.
type Dwords<const N: usize> = [[u8; 4]; N];

impl Access {
    /// True if each lane has a dword of consecutive ones, or all lanes have the same.
    pub(super) fn is_whole(&self) -> bool {
        let same = matches!(self.layout, LaneLayout::Scalar | LaneLayout::Constant);
        self.ty.size() == 4 && (same || self.layout == LaneLayout::Packed)
    }

    /// The dword of all lanes, where they have the same.
    #[inline(always)]
    fn same(&self, registers: &Registers, step: usize) -> [u8; 4] {
        match self.layout {
            LaneLayout::Scalar => registers.dword(self.base[step].into()).to_le_bytes(),
            LaneLayout::Constant => (self.constant as u32).to_le_bytes(),
            _ => [0; 4],
        }
    }

    /// The dwords of the lanes; `same` where all lanes have the same.
    #[inline(always)]
    fn dwords<'r, const N: usize>(
        &self,
        registers: &'r Registers,
        step: usize,
        same: &'r Dwords<N>,
    ) -> &'r Dwords<N> {
        if self.layout != LaneLayout::Packed {
            return same;
        }
        let bytes = registers.grf.get(usize::from(self.base[step])..).unwrap_or(&[]);
        bytes.as_chunks::<4>().0.first_chunk().unwrap_or(same)
    }
}

/// Masks that give a single its modifiers: bits that stay, and bits that change.
#[inline(always)]
fn modifiers(access: &Access) -> (u32, u32) {
    let keep = if access.abs { 0x7fff_ffff } else { u32::MAX };
    (keep, if access.negate { 0x8000_0000 } else { 0 })
}

/// Results of `apply` to the `S` sources of a step.
#[inline(always)]
fn lanes<const N: usize, const S: usize>(
    step: &Step,
    registers: &Registers,
    apply: impl Fn([u32; S]) -> u32,
) -> [u32; N] {
    let sources = &step.operands.src;
    let same: [Dwords<N>; S] = std::array::from_fn(|i| [sources[i].same(registers, step.index); N]);
    let sources: [&Dwords<N>; S] =
        std::array::from_fn(|i| sources[i].dwords(registers, step.index, &same[i]));
    let mut results = [0; N];
    for lane in 0..N {
        results[lane] = apply(std::array::from_fn(|i| u32::from_le_bytes(sources[i][lane])));
    }
    results
}

/// Arithmetic and rounding of singles.
pub(super) struct Singles<O>(PhantomData<O>);

/// The operation on `S` sources.
#[inline(always)]
fn singles<O: FloatOp, const N: usize, const S: usize, const FMA: bool, const FLUSH: bool>(
    step: &Step,
    registers: &Registers,
) -> [u32; N] {
    let modifiers: [(u32, u32); S] = std::array::from_fn(|i| modifiers(&step.operands.src[i]));
    lanes::<N, S>(step, registers, |raw| {
        let mut x = [0.0; 3];
        for i in 0..S {
            let bits = (raw[i] & modifiers[i].0) ^ modifiers[i].1;
            x[i] = f32::from_bits(if FLUSH { flush32(bits) } else { bits });
        }
        let value = O::apply::<FMA, false>(x);
        let bits = if O::KEEPS_NAN { value.to_bits() } else { canonical32(value) };
        if FLUSH { flush32(bits) } else { bits }
    })
}

impl<O: FloatOp> Job for Singles<O> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let mut bits = match (O::SOURCES, step.modes.flush_f) {
            (1, true) => singles::<O, N, 1, FMA, true>(step, registers),
            (1, false) => singles::<O, N, 1, FMA, false>(step, registers),
            (2, true) => singles::<O, N, 2, FMA, true>(step, registers),
            (2, false) => singles::<O, N, 2, FMA, false>(step, registers),
            (_, true) => singles::<O, N, 3, FMA, true>(step, registers),
            (_, false) => singles::<O, N, 3, FMA, false>(step, registers),
        };
        if step.op.saturate {
            bits = bits.map(saturate32);
        }
        if step.op.writes_flag {
            step.single_flags(registers, &bits);
        }
        step.store(registers, &bits);
    }
}

/// Operations on dwords without modifiers.
pub(super) struct Integers<O>(PhantomData<O>);

impl<O: NarrowOp> Job for Integers<O> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let results = match O::SOURCES {
            1 => lanes::<N, 1>(step, registers, |[a]| O::apply([a, a, a])),
            2 => lanes::<N, 2>(step, registers, |[a, b]| O::apply([a, b, a])),
            _ => lanes::<N, 3>(step, registers, |[a, b, c]| O::apply([a, b, c])),
        };
        step.store(registers, &results);
        if step.op.writes_flag {
            step.narrow_flags(registers, &results);
        }
    }
}
