//! Integers of at most 32 bits.
//!
//! Most results need only the low dwords of the operands; [`Narrow`] computes them with wrapping
//! arithmetic. [`Exact`] has 64 bits, enough for every operand with modifiers, for saturation and
//! conditions.

use std::marker::PhantomData;

use intel_isa::{CondMod, Opcode, Type};

use super::condition;
use super::step::{Job, Step};
use crate::alu::{bitops, convert};
use crate::op::Exec;
use crate::regs::{Registers, mask};

/// An operation of one lane on the low dwords of its operands.
pub(super) trait NarrowOp {
    /// Number of operands.
    const SOURCES: usize;
    /// True if the result is the operand.
    const COPIES: bool = false;
    /// The low dword of the result.
    fn apply(x: [u32; 3]) -> u32;
}

/// MOV of dwords.
pub(super) struct Mov;

impl NarrowOp for Mov {
    const SOURCES: usize = 1;
    const COPIES: bool = true;
    #[inline(always)]
    fn apply(x: [u32; 3]) -> u32 {
        x[0]
    }
}

macro_rules! narrow_ops {
    ($($(#[$doc:meta])* $name:ident($sources:literal) |$x:ident| $value:expr;)*) => {$(
        $(#[$doc])*
        pub(super) struct $name;
        impl NarrowOp for $name {
            const SOURCES: usize = $sources;
            #[inline(always)]
            fn apply($x: [u32; 3]) -> u32 {
                $value
            }
        }
    )*};
}

narrow_ops! {
    /// NOT.
    Not(1) |x| !x[0];
    /// AND.
    And(2) |x| x[0] & x[1];
    /// OR.
    Or(2) |x| x[0] | x[1];
    /// XOR.
    Xor(2) |x| x[0] ^ x[1];
    /// SHL.
    Shl(2) |x| x[0] << (x[1] & 31);
    /// SHR, and ASR of unsigned values.
    Shr(2) |x| x[0] >> (x[1] & 31);
    /// ASR.
    Asr(2) |x| (x[0] as i32 >> (x[1] & 31)) as u32;
    /// ADD.
    Add(2) |x| x[0].wrapping_add(x[1]);
    /// MUL.
    Mul(2) |x| x[0].wrapping_mul(x[1]);
    /// MUL that sees the low word of a dword src1 (`gen7-dword-mul`).
    MulLowWord(2) |x| x[0].wrapping_mul(x[1] & 0xffff);
    /// MAD.
    Mad(3) |x| x[0].wrapping_add(x[1].wrapping_mul(x[2]));
    /// LZD.
    Lzd(1) |x| bitops::lzd(x[0]);
    /// FBH of a signed value.
    FbhSigned(1) |x| bitops::fbh_signed(x[0] as i32);
    /// FBH of an unsigned value.
    FbhUnsigned(1) |x| bitops::fbh_unsigned(x[0]);
    /// FBL.
    Fbl(1) |x| bitops::fbl(x[0]);
    /// CBIT.
    Cbit(1) |x| bitops::cbit(x[0]);
    /// BFREV.
    Bfrev(1) |x| bitops::bfrev(x[0]);
    /// BFI1.
    Bfi1(2) |x| bitops::bfi1(x[0], x[1]);
    /// BFI2.
    Bfi2(3) |x| bitops::bfi2(x[0], x[1], x[2]);
    /// BFE of signed values.
    BfeSigned(3) |x| bitops::bfe_signed(x[0], x[1], x[2] as i32) as u32;
    /// BFE of unsigned values.
    BfeUnsigned(3) |x| bitops::bfe_unsigned(x[0], x[1], x[2]);
    /// Quotient of signed dwords.
    QuotientSigned(2) |x| divide_signed(x[0] as i32, x[1] as i32).0 as u32;
    /// Quotient of unsigned dwords.
    QuotientUnsigned(2) |x| divide_unsigned(x[0], x[1]).0;
    /// Remainder of signed dwords.
    RemainderSigned(2) |x| divide_signed(x[0] as i32, x[1] as i32).1 as u32;
    /// Remainder of unsigned dwords.
    RemainderUnsigned(2) |x| divide_unsigned(x[0], x[1]).1;
}

/// As [`math::divide_signed`], in double precision: a quotient of dwords that is no integer is
/// farther from one than rounding moves it.
#[inline(always)]
fn divide_signed(x: i32, y: i32) -> (i32, i32) {
    let quotient = (f64::from(x) / f64::from(y)) as i32;
    let overflows = x == i32::MIN && y == -1;
    let quotient = if overflows { x } else { quotient };
    let remainder = x.wrapping_sub(quotient.wrapping_mul(y));
    let extreme = if x < 0 { i32::MIN } else { i32::MAX };
    if y == 0 { (extreme, -1) } else { (quotient, remainder) }
}

/// As [`math::divide_unsigned`], in double precision.
#[inline(always)]
fn divide_unsigned(x: u32, y: u32) -> (u32, u32) {
    let quotient = (f64::from(x) / f64::from(y)) as u32;
    let remainder = x.wrapping_sub(quotient.wrapping_mul(y));
    if y == 0 { (u32::MAX, u32::MAX) } else { (quotient, remainder) }
}

/// Operations on low dwords. The condition compares what the destination gets with zero.
pub(super) struct Narrow<O>(PhantomData<O>);

impl<O: NarrowOp> Job for Narrow<O> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.narrow::<N>(registers, 0);
        let b = if O::SOURCES > 1 { step.narrow(registers, 1) } else { a };
        let c = if O::SOURCES > 2 { step.narrow(registers, 2) } else { a };
        let mut results = [0; N];
        for lane in 0..N {
            results[lane] = O::apply([a[lane], b[lane], c[lane]]);
        }
        step.store(registers, &results);
        if step.op.writes_flag {
            step.narrow_flags(registers, &results);
        }
    }
}

/// Bits copied, of at most 32.
pub(super) struct Copy;

impl Job for Copy {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let bits = step.raw::<N>(registers, 0);
        step.store(registers, &bits);
        if step.op.writes_flag {
            step.single_flags(registers, &bits);
        }
    }
}

/// SEL by predicate of low dwords or bits.
pub(super) struct Pick;

impl Job for Pick {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.narrow::<N>(registers, 0), step.narrow::<N>(registers, 1));
        let first = condition::masks::<N>(step.selected);
        let mut chosen = [0; N];
        for lane in 0..N {
            chosen[lane] = a[lane] & first[lane] | b[lane] & !first[lane];
        }
        step.store(registers, &chosen);
    }
}

/// CMP and SEL of values that fit `i32` (`SIGNED`) or `u32`.
pub(super) struct Order<const SIGNED: bool, const SELECT: bool>;

impl<const SIGNED: bool, const SELECT: bool> Job for Order<SIGNED, SELECT> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let (a, b) = (step.narrow::<N>(registers, 0), step.narrow::<N>(registers, 1));
        let cond = step.op.cond;
        if !SELECT {
            let truths = if SIGNED {
                condition::compare(cond, &a.map(|x| x as i32), &b.map(|x| x as i32))
            } else {
                condition::compare(cond, &a, &b)
            };
            return step.store_truths::<N>(registers, truths);
        }
        let key = |x: u32| if SIGNED { x ^ 0x8000_0000 } else { x };
        let choose = |first: fn(u32, u32) -> bool| {
            let mut results = [0; N];
            for lane in 0..N {
                results[lane] = if first(key(a[lane]), key(b[lane])) { a[lane] } else { b[lane] };
            }
            results
        };
        let results = match cond {
            Some(CondMod::L) => choose(|x, y| x < y),
            Some(CondMod::Le) => choose(|x, y| x <= y),
            Some(CondMod::G) => choose(|x, y| x > y),
            Some(CondMod::Ge) => choose(|x, y| x >= y),
            Some(CondMod::Nz) => choose(|x, y| x != y),
            Some(CondMod::Z) => choose(|x, y| x == y),
            _ => b,
        };
        step.store(registers, &results);
    }
}

/// Operations with 64 bits of intermediate precision.
pub(super) struct Exact;

impl Job for Exact {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let a = step.exact::<N>(registers, 0);
        let b = if step.op.sources > 1 { step.exact(registers, 1) } else { a };
        let Exec::Int { bytes, signed } = step.op.exec else { return };
        let cond = step.op.cond;
        let results: [i64; N] = match step.op.opcode {
            Opcode::Cmp | Opcode::Cmpn => {
                let truths = condition::compare(cond, &a, &b);
                return step.store_truths::<N>(registers, truths);
            }
            Opcode::Sel => {
                let first =
                    if cond.is_some() { condition::compare(cond, &a, &b) } else { step.selected };
                std::array::from_fn(|lane| if first & 1 << lane != 0 { a[lane] } else { b[lane] })
            }
            Opcode::Not => a.map(|x| extend(!x, bytes, signed)),
            Opcode::And => pairs(&a, &b, |x, y| extend(x & y, bytes, signed)),
            Opcode::Or => pairs(&a, &b, |x, y| extend(x | y, bytes, signed)),
            Opcode::Xor => pairs(&a, &b, |x, y| extend(x ^ y, bytes, signed)),
            Opcode::Shl => pairs(&a, &b, |x, y| x << (y & 31)),
            Opcode::Shr => pairs(&a, &b, |x, y| extend(x, bytes, false) >> (y & 31)),
            Opcode::Asr => pairs(&a, &b, |x, y| x >> (y & 31)),
            Opcode::Add => pairs(&a, &b, |x, y| x + y),
            Opcode::Avg => pairs(&a, &b, |x, y| (x + y + 1) >> 1),
            Opcode::Mul => {
                let low_word = step.op.shape.quirks.gen7_dword_mul
                    && step.op.src[0].ty.size() == 4
                    && step.op.src[1].ty.size() == 4;
                let keep = if low_word { 0xffff } else { -1 };
                pairs(&a, &b, |x, y| x.wrapping_mul(y & keep))
            }
            // MOV.
            _ => a,
        };
        step.finish_exact(registers, &results);
    }
}

#[inline(always)]
fn pairs<const N: usize>(a: &[i64; N], b: &[i64; N], f: impl Fn(i64, i64) -> i64) -> [i64; N] {
    std::array::from_fn(|lane| f(a[lane], b[lane]))
}

/// The low `bytes` (2 or 4) of `value`, extended.
#[inline(always)]
fn extend(value: i64, bytes: u8, signed: bool) -> i64 {
    match (bytes, signed) {
        (2, true) => i64::from(value as i16),
        (2, false) => i64::from(value as u16),
        (_, true) => i64::from(value as i32),
        (_, false) => i64::from(value as u32),
    }
}

/// MOV to a float, of values that fit `i32` (`SIGNED`) or `u32`, without modifiers.
pub(super) struct ToFloat<const SIGNED: bool>;

impl<const SIGNED: bool> Job for ToFloat<SIGNED> {
    #[inline(always)]
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers) {
        let values = step.narrow::<N>(registers, 0);
        let mut singles = [0; N];
        for lane in 0..N {
            let single = if SIGNED { values[lane] as i32 as f32 } else { values[lane] as f32 };
            singles[lane] = single.to_bits();
        }
        step.finish(registers, singles);
    }
}

impl Step<'_> {
    /// True if negation of a source of this instruction is a bitwise NOT.
    #[inline(always)]
    fn negates_bits(&self) -> bool {
        self.op.shape.quirks.gen8_logic_not && self.op.opcode.is_logic()
    }

    /// The low dwords of integer source `index`, modified.
    #[inline(always)]
    pub(super) fn narrow<const N: usize>(&self, registers: &Registers, index: usize) -> [u32; N] {
        let access = &self.operands.src[index];
        let mut values = self.raw::<N>(registers, index);
        match access.ty {
            Type::W => values = values.map(|x| x as i16 as u32),
            Type::B => values = values.map(|x| x as i8 as u32),
            _ => {}
        }
        if access.negate || access.abs {
            self.modify_dwords(index, &mut values);
        }
        values
    }

    /// Writes the flags of results in the destination's type compared with zero.
    #[inline(never)]
    pub(super) fn narrow_flags<const N: usize>(
        &self,
        registers: &mut Registers,
        results: &[u32; N],
    ) {
        let (cond, ty) = (self.op.cond, self.operands.dst.ty);
        let unused = 32 - 8 * ty.size().min(4);
        let truths = if ty.is_signed_integer() {
            condition::compare(cond, &results.map(|x| (x << unused) as i32), &[0; N])
        } else {
            condition::compare(cond, &results.map(|x| x << unused), &[0; N])
        };
        self.store_flags(registers, truths);
    }

    /// Applies the modifiers of source `index`.
    #[inline(never)]
    fn modify_dwords<const N: usize>(&self, index: usize, dwords: &mut [u32; N]) {
        let access = &self.operands.src[index];
        let bitwise = self.negates_bits();
        for dword in dwords {
            if access.abs && !bitwise && access.ty.is_signed_integer() {
                *dword = (*dword as i32).wrapping_abs() as u32;
            }
            if access.negate {
                *dword = if bitwise { !*dword } else { dword.wrapping_neg() };
            }
            *dword = match access.ty {
                Type::W => *dword as i16 as u32,
                Type::B => *dword as i8 as u32,
                _ => *dword,
            };
        }
    }

    /// The exact values of integer source `index`, modified.
    #[inline(always)]
    pub(super) fn exact<const N: usize>(&self, registers: &Registers, index: usize) -> [i64; N] {
        let access = &self.operands.src[index];
        let raw = self.raw::<N>(registers, index);
        let values = match access.ty {
            Type::D => raw.map(|x| i64::from(x as i32)),
            Type::W => raw.map(|x| i64::from(x as i16)),
            Type::B => raw.map(|x| i64::from(x as i8)),
            _ => raw.map(i64::from),
        };
        if !access.negate && !access.abs {
            return values;
        }
        if self.negates_bits() {
            return if access.negate { values.map(|x| !x) } else { values };
        }
        let values = if access.abs { values.map(i64::abs) } else { values };
        let values = if access.negate { values.map(|x| -x) } else { values };
        match access.ty {
            Type::D => values.map(|x| i64::from(x as i32)),
            Type::W => values.map(|x| i64::from(x as i16)),
            Type::B => values.map(|x| i64::from(x as i8)),
            _ => values,
        }
    }

    /// Saturates, evaluates the condition, writes; or converts to a float and finishes that.
    #[inline(always)]
    fn finish_exact<const N: usize>(&self, registers: &mut Registers, results: &[i64; N]) {
        let ty = self.operands.dst.ty;
        if ty.is_float() {
            return self.finish(registers, results.map(|x| (x as f32).to_bits()));
        }
        let mut kept = results.map(|x| x as u32);
        if self.op.saturate {
            let (low, high) = convert::bounds(ty);
            kept = results.map(|x| x.clamp(low as i64, high as i64) as u32);
        }
        if self.op.writes_flag {
            self.narrow_flags(registers, &kept);
        }
        let keep = mask(ty.size() as usize) as u32;
        self.store(registers, &kept.map(|x| x & keep));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alu::math;

    #[test]
    fn divisions_are_exact() {
        let edges = [0, 1, 2, 3, 7, 10, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001];
        let mixed = (0..400u32).map(|index| index.wrapping_mul(0x9e37_79b9) >> (index % 31));
        let values: Vec<u32> = edges.into_iter().chain(edges.map(|x| !x)).chain(mixed).collect();
        for &x in &values {
            for &y in &values {
                let (a, b) = (x as i32, y as i32);
                assert_eq!(divide_signed(a, b), math::divide_signed(a, b), "{a} / {b}");
                assert_eq!(divide_unsigned(x, y), math::divide_unsigned(x, y), "{x} / {y}");
            }
        }
    }
}
