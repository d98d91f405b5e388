//! Arithmetic: fetch, compute, convert, write.
//!
//! [`generic`] handles every opcode, type and region one channel at a time and is the definition of
//! what an instruction does. [`fast`] repeats the common cases on whole registers; a property test
//! holds the two together.

pub mod bitops;
pub mod convert;
pub mod fast;
pub mod float;
pub mod generic;
pub mod integer;
pub mod math;
pub mod operands;

use intel_isa::Type;

use crate::regs::{CR0_ALT, CR0_DF_DENORM, CR0_F_DENORM, CR0_HF_DENORM, Registers};
use crate::soft_float::{self, Format, Round};
use math::MathMode;

/// The modes arithmetic depends on, read from cr0 for each instruction.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    /// Rounding.
    pub round: Round,
    /// Subnormal HF operands and results become zeros.
    pub flush_hf: bool,
    /// Subnormal F operands and results become zeros.
    pub flush_f: bool,
    /// Subnormal DF operands and results become zeros.
    pub flush_df: bool,
    /// ALT mode: no infinities, no NaNs.
    pub alt: bool,
    /// Accuracy of the math unit.
    pub math: MathMode,
}

impl Modes {
    /// The modes that `registers` hold.
    pub fn of(registers: &Registers, math: MathMode) -> Modes {
        let control = registers.control[0];
        Modes {
            round: registers.round(),
            flush_hf: control & CR0_HF_DENORM == 0,
            flush_f: control & CR0_F_DENORM == 0,
            flush_df: control & CR0_DF_DENORM == 0,
            alt: control & CR0_ALT != 0,
            math,
        }
    }

    /// Returns whether subnormals of `format` are flushed.
    pub fn flushes(&self, format: Format) -> bool {
        match format {
            soft_float::HF => self.flush_hf,
            soft_float::DF => self.flush_df,
            _ => self.flush_f,
        }
    }

    /// `bits`, flushed if the mode says so.
    pub fn flush(&self, format: Format, bits: u64) -> u64 {
        if self.flushes(format) { format.flush(bits) } else { bits }
    }
}

/// The floating-point format of a type.
pub fn format(ty: Type) -> Option<Format> {
    match ty {
        Type::HF => Some(soft_float::HF),
        Type::F | Type::VF => Some(soft_float::F),
        Type::DF => Some(soft_float::DF),
        _ => None,
    }
}

/// A result before it is converted to the destination's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// An exact integer, wider than any register.
    Int(i128),
    /// A float of the execution type.
    Float(Format, u64),
    /// Bits that reach the destination unchanged.
    Raw(u64),
}
