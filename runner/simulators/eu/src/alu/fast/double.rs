//! Doubles, and copies of 64-bit elements.

use std::marker::PhantomData;

use intel_isa::{CondMod, Opcode, Type};

use super::condition;
use super::formats::{canonical32, flush32};
use super::step::{Job, Step};
use crate::alu::{convert, float};
use crate::op::Exec;
use crate::regs::Registers;
use crate::soft_float;

/// An operation of one lane on flushed operands.
pub(super) trait DoubleOp {
    /// Number of operands.
    const SOURCES: usize;
    /// True for copies: a NaN keeps its payload.
    const KEEPS_NAN: bool = false;
    /// The result.
    fn apply(x: [f64; 3]) -> f64;
}

macro_rules! double_ops {
    ($($(#[$doc:meta])* $name:ident($sources:literal, $keeps:literal) |$x:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl DoubleOp for $name {
            const SOURCES: usize = $sources;
            const KEEPS_NAN: bool = $keeps;
            #[inline(always)]
            fn apply($x: [f64; 3]) -> f64 {
                $value
            }
        }
    )*};
}

double_ops! {
    /// MOV.
    Mov(1, true) |x| x[0];
    /// ADD.
    Add(2, false) |x| x[0] + x[1];
    /// MUL.
    Mul(2, false) |x| x[0] * x[1];
    /// MAD.
    Mad(3, false) |x| x[1].mul_add(x[2], x[0]);
}

/// Arithmetic with doubles as results.
pub(super) struct Double<O>(PhantomData<O>);

impl<O: DoubleOp> Job for Double<O> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.doubles::<N>(registers, 0);
        let b = if O::SOURCES > 1 { step.doubles(registers, 1) } else { a };
        let c = if O::SOURCES > 2 { step.doubles(registers, 2) } else { a };
        let mut results = [0; N];
        for lane in 0..N {
            let value = O::apply([a[lane], b[lane], c[lane]]);
            let canonical = !O::KEEPS_NAN && value.is_nan();
            results[lane] = if canonical { soft_float::DF.nan() } else { value.to_bits() };
        }
        step.finish_double(registers, results);
    }
}

/// MOV of doubles to singles and dwords.
pub(super) struct FromDouble;

impl Job for FromDouble {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let values = step.doubles::<N>(registers, 0);
        let bits = match step.operands.dst.ty {
            Type::D => values.map(|x| x as i32 as u32),
            Type::UD => values.map(|x| x as u32),
            _ => {
                // A NaN keeps its sign.
                let mut bits = values.map(|x| {
                    let sign = (x.to_bits() >> 32) as u32 & 0x8000_0000;
                    if x.is_nan() { canonical32(f32::NAN) | sign } else { (x as f32).to_bits() }
                });
                if step.modes.flush_f {
                    bits = bits.map(flush32);
                }
                if step.op.saturate {
                    bits = bits.map(|x| convert::saturate_float(soft_float::F, x.into()) as u32);
                }
                bits
            }
        };
        step.store(registers, &bits);
    }
}

/// MOV of singles or integers of at most 32 bits to doubles.
pub(super) struct ToDouble;

impl Job for ToDouble {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let results = if step.op.exec == Exec::F {
            step.floats::<N>(registers, 0).map(|x| {
                let sign = u64::from(x.to_bits() & 0x8000_0000) << 32;
                if x.is_nan() { soft_float::DF.nan() | sign } else { f64::from(x).to_bits() }
            })
        } else {
            step.exact::<N>(registers, 0).map(|x| (x as f64).to_bits())
        };
        step.finish_double(registers, results);
    }
}

/// CMP and CMPN.
pub(super) struct Compare;

impl Job for Compare {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.doubles::<N>(registers, 0), step.doubles::<N>(registers, 1));
        let mut truths = condition::compare(step.op.cond, &a, &b);
        if step.op.opcode == Opcode::Cmpn && step.op.cond != Some(CondMod::U) {
            truths |= condition::bits::<N>(|lane| b[lane].is_nan());
        }
        let masks = condition::masks::<N>(truths);
        if step.operands.dst.ty.size() == 8 {
            step.store_wide(registers, &masks.map(|bits| u64::from(bits) << 32 | u64::from(bits)));
        } else {
            step.store(registers, &masks);
        }
        step.store_flags(registers, truths);
    }
}

/// SEL with a condition.
pub(super) struct Select;

impl Job for Select {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.doubles::<N>(registers, 0), step.doubles::<N>(registers, 1));
        let results = std::array::from_fn(|lane| {
            float::select(soft_float::DF, step.op.cond, a[lane].to_bits(), b[lane].to_bits())
        });
        step.finish_double::<N>(registers, results);
    }
}

/// 64-bit elements copied, or selected by the predicate.
pub(super) struct CopyWide;

impl Job for CopyWide {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.raw_wide::<N>(registers, 0);
        if step.op.opcode == Opcode::Mov {
            return step.store_wide(registers, &a);
        }
        let b = step.raw_wide::<N>(registers, 1);
        let chosen =
            std::array::from_fn(
                |lane| {
                    if step.selected & 1 << lane != 0 { a[lane] } else { b[lane] }
                },
            );
        step.store_wide::<N>(registers, &chosen);
    }
}

impl Step<'_> {
    /// Source `index` as doubles, modified and flushed.
    #[inline(always)]
    fn doubles<const N: usize>(&self, registers: &Registers, index: usize) -> [f64; N] {
        let access = &self.operands.src[index];
        let sign = 1 << 63;
        let keep = if access.abs { !sign } else { u64::MAX };
        let flip = if access.negate { sign } else { 0 };
        let mut bits = self.raw_wide::<N>(registers, index).map(|bits| (bits & keep) ^ flip);
        if self.modes.flush_df {
            bits = bits.map(|bits| soft_float::DF.flush(bits));
        }
        bits.map(f64::from_bits)
    }

    /// Flushes, saturates, evaluates the condition, writes.
    #[inline(always)]
    fn finish_double<const N: usize>(&self, registers: &mut Registers, results: [u64; N]) {
        let mut bits = results;
        if self.modes.flush_df {
            bits = bits.map(|bits| soft_float::DF.flush(bits));
        }
        if self.op.saturate {
            bits = bits.map(|bits| convert::saturate_float(soft_float::DF, bits));
        }
        if self.op.writes_flag {
            let values = bits.map(f64::from_bits);
            self.store_flags(registers, condition::compare(self.op.cond, &values, &[0.0; N]));
        }
        self.store_wide(registers, &bits);
    }
}
