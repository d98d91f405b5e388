//! Single and half floats. Halves are computed in single precision and rounded back: its 24 bits of
//! significand make the second rounding of a sum or product harmless, and the fused operation
//! rounds to odd first.

use std::marker::PhantomData;

use intel_isa::{CondMod, MathFn, Opcode, Type};

use super::condition;
use super::formats::{
    canonical32, flush16, flush32, fma16, fma32, half_to_single, saturate16, saturate32,
    single_to_half,
};
use super::step::{Job, Step};
use crate::alu::math::{self, Function, MathMode};
use crate::op::Exec;
use crate::regs::{Registers, mask};

/// An operation of one lane on flushed operands.
pub(super) trait FloatOp {
    /// Number of operands.
    const SOURCES: usize;
    /// True for copies: a NaN keeps its payload.
    const KEEPS_NAN: bool = false;
    /// True if a result is never subnormal if no operand is.
    const STAYS_NORMAL: bool = false;
    /// The result. `HALF`: operands are halves, and rounding to half follows.
    fn apply<const FMA: bool, const HALF: bool>(x: [f32; 3]) -> f32;
}

macro_rules! float_ops {
    ($($(#[$doc:meta])* $name:ident($sources:literal, $normal:literal)
        |$x:ident, $fma:ident, $half:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl FloatOp for $name {
            const SOURCES: usize = $sources;
            const STAYS_NORMAL: bool = $normal;
            #[inline(always)]
            fn apply<const $fma: bool, const $half: bool>($x: [f32; 3]) -> f32 {
                $value
            }
        }
    )*};
}

float_ops! {
    /// ADD.
    Add(2, false) |x, FMA, HALF| x[0] + x[1];
    /// MUL.
    Mul(2, false) |x, FMA, HALF| x[0] * x[1];
    /// MAD.
    Mad(3, false) |x, FMA, HALF| if HALF {
        fma16(x[1], x[2], x[0])
    } else {
        fma32::<FMA>(x[1], x[2], x[0])
    };
    /// LRP.
    Lrp(3, false) |x, FMA, HALF| {
        let [x, y, z] = x.map(f64::from);
        (x * y + (1.0 - x) * z) as f32
    };
    /// FRC. The fraction of a tiny negative number stays below one, after rounding to half too.
    Frc(1, true) |x, FMA, HALF| {
        let fraction = x[0] - x[0].floor();
        let (rounds_to_one, below_one) =
            if HALF { (0x3f7f_f000, 0x3f7f_e000) } else { (0x3f80_0000, 0x3f7f_ffff) };
        if fraction >= f32::from_bits(rounds_to_one) {
            f32::from_bits(below_one)
        } else {
            fraction
        }
    };
    /// RNDD.
    Rndd(1, true) |x, FMA, HALF| x[0].floor();
    /// RNDU.
    Rndu(1, true) |x, FMA, HALF| x[0].ceil();
    /// RNDE.
    Rnde(1, true) |x, FMA, HALF| x[0].round_ties_even();
    /// RNDZ.
    Rndz(1, true) |x, FMA, HALF| x[0].trunc();
}

/// MOV of floats.
pub(super) struct Mov;

impl FloatOp for Mov {
    const SOURCES: usize = 1;
    const KEEPS_NAN: bool = true;
    const STAYS_NORMAL: bool = true;
    #[inline(always)]
    fn apply<const FMA: bool, const HALF: bool>(x: [f32; 3]) -> f32 {
        x[0]
    }
}

/// Arithmetic, rounding and conversion.
pub(super) struct Float<O>(PhantomData<O>);

impl<O: FloatOp> Job for Float<O> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.floats::<N>(registers, 0);
        let b = if O::SOURCES > 1 { step.floats(registers, 1) } else { a };
        let c = if O::SOURCES > 2 { step.floats(registers, 2) } else { a };
        let mut results = [0.0; N];
        if step.op.exec == Exec::Hf {
            for lane in 0..N {
                results[lane] = O::apply::<FMA, true>([a[lane], b[lane], c[lane]]);
            }
        } else {
            for lane in 0..N {
                results[lane] = O::apply::<FMA, false>([a[lane], b[lane], c[lane]]);
            }
        }
        let bits = if O::KEEPS_NAN { results.map(f32::to_bits) } else { results.map(canonical32) };
        step.finish(registers, bits);
    }
}

/// MATH, but for integers.
pub(super) struct Math;

impl Job for Math {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.floats::<N>(registers, 0);
        let b = if step.op.sources > 1 { step.floats(registers, 1) } else { a };
        let exact = step.modes.math == MathMode::Exact;
        let wide = a.map(f64::from);
        let results = match step.op.math {
            Some(MathFn::Inv) if exact => wide.map(|x| (1.0 / x) as f32),
            Some(MathFn::Sqrt) if exact => wide.map(|x| x.sqrt() as f32),
            Some(MathFn::Rsq) if exact => wide.map(|x| (1.0 / x.sqrt()) as f32),
            function => {
                let function = math_function(function);
                let mut results = [0.0; N];
                for lane in 0..N {
                    if step.enabled & 1 << lane != 0 {
                        results[lane] = math::evaluate(function, a[lane], b[lane], step.modes.math);
                    }
                }
                results
            }
        };
        step.finish(registers, results.map(canonical32));
    }
}

fn math_function(function: Option<MathFn>) -> Function {
    match function {
        Some(MathFn::Log) => Function::Log,
        Some(MathFn::Exp) => Function::Exp,
        Some(MathFn::Sqrt) => Function::Sqrt,
        Some(MathFn::Rsq) => Function::Rsq,
        Some(MathFn::Sin) => Function::Sin,
        Some(MathFn::Cos) => Function::Cos,
        Some(MathFn::Fdiv) => Function::Fdiv,
        Some(MathFn::Pow) => Function::Pow,
        _ => Function::Inv,
    }
}

/// CMP and CMPN.
pub(super) struct Compare;

impl Job for Compare {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.floats::<N>(registers, 0), step.floats::<N>(registers, 1));
        let mut truths = condition::compare(step.op.cond, &a, &b);
        if step.op.opcode == Opcode::Cmpn && step.op.cond != Some(CondMod::U) {
            truths |= condition::bits::<N>(|lane| b[lane].is_nan());
        }
        step.store_truths::<N>(registers, truths);
    }
}

/// SEL with a condition, of singles. The chosen bits are kept: a NaN that wins keeps its payload.
pub(super) struct Select;

impl Job for Select {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.floats::<N>(registers, 0), step.floats::<N>(registers, 1));
        // A number wins over a NaN.
        let choose = |compare: fn(f32, f32) -> bool| {
            let mut results = [0; N];
            for lane in 0..N {
                let (x, y) = (a[lane], b[lane]);
                let first = compare(x, y) | (y.is_nan() & !x.is_nan());
                results[lane] = if first { x.to_bits() } else { y.to_bits() };
            }
            results
        };
        let results = match step.op.cond {
            Some(CondMod::L) => choose(|x, y| x < y),
            Some(CondMod::Ge) => choose(|x, y| x >= y),
            Some(CondMod::Le) => choose(|x, y| x <= y),
            Some(CondMod::G) => choose(|x, y| x > y),
            cond => {
                let first = condition::masks::<N>(condition::compare(cond, &a, &b));
                std::array::from_fn(|lane| {
                    if first[lane] != 0 { a[lane].to_bits() } else { b[lane].to_bits() }
                })
            }
        };
        step.finish(registers, results);
    }
}

/// CSEL of singles: compares the third source with zero.
pub(super) struct ConditionalSelect;

impl Job for ConditionalSelect {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.floats::<N>(registers, 0), step.floats::<N>(registers, 1));
        let c = step.floats::<N>(registers, 2);
        let first = condition::masks::<N>(condition::compare(step.op.cond, &c, &[0.0; N]));
        let results: [u32; N] = std::array::from_fn(|lane| {
            if first[lane] != 0 { a[lane].to_bits() } else { b[lane].to_bits() }
        });
        step.finish(registers, results);
    }
}

/// SEL by predicate of singles, with modifiers or saturation. A source without them is copied.
pub(super) struct PredicatedSelect;

impl Job for PredicatedSelect {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let source = |index: usize| -> [u32; N] {
            let access = &step.operands.src[index];
            if !access.negate && !access.abs && !step.op.saturate {
                return step.raw(registers, index);
            }
            let bits = step.floats::<N>(registers, index).map(f32::to_bits);
            if step.op.saturate { bits.map(saturate32) } else { bits }
        };
        let (a, b) = (source(0), source(1));
        let first = condition::masks::<N>(step.selected);
        let chosen = std::array::from_fn(|lane| a[lane] & first[lane] | b[lane] & !first[lane]);
        step.store::<N>(registers, &chosen);
    }
}

/// F32TO16: half subnormals are kept.
pub(super) struct ToHalf;

impl Job for ToHalf {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let bits = step.floats::<N>(registers, 0).map(f32::to_bits);
        let bits = if step.op.saturate { bits.map(saturate32) } else { bits };
        step.store::<N>(registers, &bits.map(single_to_half));
    }
}

/// F16TO32: the half is in the low word of the source element.
pub(super) struct FromHalf;

impl Job for FromHalf {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let access = &step.operands.src[0];
        let (keep, flip) = modifier_masks(access.negate, access.abs, 0x8000);
        let halves = step.raw::<N>(registers, 0).map(|bits| (bits & 0xffff & keep) ^ flip);
        let singles = halves.map(half_to_single);
        step.finish(registers, singles);
    }
}

#[inline(always)]
fn modifier_masks(negate: bool, abs: bool, sign: u32) -> (u32, u32) {
    (if abs { !sign } else { u32::MAX }, if negate { sign } else { 0 })
}

impl Step<'_> {
    /// Source `index` as singles, modified and flushed.
    #[inline(always)]
    pub(super) fn floats<const N: usize>(&self, registers: &Registers, index: usize) -> [f32; N] {
        let access = &self.operands.src[index];
        let raw = self.raw::<N>(registers, index);
        if access.ty == Type::HF {
            return self.halves(index, raw);
        }
        let (keep, flip) = modifier_masks(access.negate, access.abs, 0x8000_0000);
        let mut values = [0.0; N];
        if self.modes.flush_f {
            for lane in 0..N {
                values[lane] = f32::from_bits(flush32((raw[lane] & keep) ^ flip));
            }
        } else {
            for lane in 0..N {
                values[lane] = f32::from_bits((raw[lane] & keep) ^ flip);
            }
        }
        values
    }

    /// Raw halves of source `index` as singles, modified and flushed.
    #[inline(never)]
    fn halves<const N: usize>(&self, index: usize, raw: [u32; N]) -> [f32; N] {
        let access = &self.operands.src[index];
        let (keep, flip) = modifier_masks(access.negate, access.abs, 0x8000);
        let halves = raw.map(|bits| (bits & keep) ^ flip);
        let halves = if self.modes.flush_hf { halves.map(flush16) } else { halves };
        halves.map(|bits| f32::from_bits(half_to_single(bits)))
    }

    /// Rounds to the execution type, flushes, converts, saturates, evaluates the condition, writes.
    #[inline(always)]
    pub(super) fn finish<const N: usize>(&self, registers: &mut Registers, results: [u32; N]) {
        if self.operands.dst.ty == Type::F && self.op.exec != Exec::Hf {
            return self.finish_single(registers, results);
        }
        self.finish_other(registers, results);
    }

    /// As [`Step::finish`], unless all is in single precision.
    #[inline(never)]
    fn finish_other<const N: usize>(&self, registers: &mut Registers, results: [u32; N]) {
        let mut results = results;
        if self.op.exec == Exec::Hf {
            let halves = self.rounded_to_half(results);
            if self.operands.dst.ty == Type::HF {
                return self.finish_half(registers, halves);
            }
            results = halves.map(half_to_single);
        }
        match self.operands.dst.ty {
            Type::F => self.finish_single(registers, results),
            Type::HF => {
                let halves = self.rounded_to_half(results);
                self.finish_half(registers, halves);
            }
            ty => {
                let values = results.map(f32::from_bits);
                let integers: [i64; N] = match ty {
                    Type::D => values.map(|x| i64::from(x as i32)),
                    Type::UD => values.map(|x| i64::from(x as u32)),
                    Type::W => values.map(|x| i64::from(x as i16)),
                    Type::UW => values.map(|x| i64::from(x as u16)),
                    Type::B => values.map(|x| i64::from(x as i8)),
                    _ => values.map(|x| i64::from(x as u8)),
                };
                if self.op.writes_flag {
                    let truths = condition::compare(self.op.cond, &integers, &[0; N]);
                    self.store_flags(registers, truths);
                }
                self.store(registers, &integers.map(|x| x as u32));
            }
        }
    }

    #[inline(always)]
    fn rounded_to_half<const N: usize>(&self, results: [u32; N]) -> [u32; N] {
        let halves = results.map(single_to_half);
        if self.modes.flush_hf { halves.map(flush16) } else { halves }
    }

    #[inline(always)]
    fn finish_single<const N: usize>(&self, registers: &mut Registers, results: [u32; N]) {
        let mut bits = results;
        if self.modes.flush_f {
            bits = bits.map(flush32);
        }
        if self.op.saturate {
            bits = bits.map(saturate32);
        }
        if self.op.writes_flag {
            self.single_flags(registers, &bits);
        }
        self.store(registers, &bits);
    }

    /// Writes the flags of singles compared with zero.
    #[inline(never)]
    pub(super) fn single_flags<const N: usize>(&self, registers: &mut Registers, bits: &[u32; N]) {
        let values = bits.map(f32::from_bits);
        self.store_flags(registers, condition::compare(self.op.cond, &values, &[0.0; N]));
    }

    #[inline(always)]
    fn finish_half<const N: usize>(&self, registers: &mut Registers, halves: [u32; N]) {
        let halves = if self.op.saturate { halves.map(saturate16) } else { halves };
        if self.op.writes_flag {
            let values = halves.map(|bits| f32::from_bits(half_to_single(bits)));
            self.store_flags(registers, condition::compare(self.op.cond, &values, &[0.0; N]));
        }
        self.store(registers, &halves);
    }

    /// Writes a comparison's masks and flags.
    #[inline(always)]
    pub(super) fn store_truths<const N: usize>(&self, registers: &mut Registers, truths: u32) {
        let ones = mask(self.op.exec.bytes().into()) as u32;
        self.store(registers, &condition::masks::<N>(truths).map(|bits| bits & ones));
        self.store_flags(registers, truths);
    }
}
