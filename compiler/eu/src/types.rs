//! Operand types and their hardware codes.

use crate::devinfo::Gen;

/// The type of an operand. `UV`, `V` and `VF` are vector immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Unsigned 8-bit integer.
    Ub,
    /// Signed 8-bit integer.
    B,
    /// Unsigned 16-bit integer.
    Uw,
    /// Signed 16-bit integer.
    W,
    /// Unsigned 32-bit integer.
    Ud,
    /// Signed 32-bit integer.
    D,
    /// Unsigned 64-bit integer.
    Uq,
    /// Signed 64-bit integer.
    Q,
    /// 16-bit float.
    Hf,
    /// 32-bit float.
    F,
    /// 64-bit float.
    Df,
    /// Immediate of eight unsigned 4-bit integers, read as UW.
    Uv,
    /// Immediate of eight signed 4-bit integers, read as W.
    V,
    /// Immediate of four 8-bit restricted floats, read as F.
    Vf,
}

use Type::*;

/// Register types by hardware code; gen7 has the first eight.
const REGISTER_TYPES: [Type; 11] = [Ud, D, Uw, W, Ub, B, Df, F, Uq, Q, Hf];
/// Immediate types by hardware code; gen7 has the first eight.
const IMMEDIATE_TYPES: [Type; 12] = [Ud, D, Uw, W, Uv, Vf, V, F, Uq, Q, Df, Hf];
/// Types of three-source instructions by hardware code; gen7 has the first four.
const THREE_SOURCE_TYPES: [Type; 5] = [F, D, Ud, Df, Hf];
/// How many codes of the first two tables exist before gen8.
const GEN7_TYPES: usize = 8;
/// How many codes of the three-source table exist before gen8.
const GEN7_THREE_SOURCE_TYPES: usize = 4;

impl Type {
    /// Every type.
    pub const ALL: [Type; 14] = [Ub, B, Uw, W, Ud, D, Uq, Q, Hf, F, Df, Uv, V, Vf];

    /// Bytes of one element. Vector immediates count as the element they expand to.
    pub const fn size(self) -> u32 {
        match self {
            Ub | B => 1,
            Uw | W | Hf | Uv | V => 2,
            Ud | D | F | Vf => 4,
            Uq | Q | Df => 8,
        }
    }

    /// Whether values are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, Hf | F | Df | Vf)
    }

    /// Whether values are signed integers.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, B | W | D | Q | V)
    }

    /// Whether values are integers.
    pub const fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Whether this is one of the types only immediates have.
    pub const fn is_vector_immediate(self) -> bool {
        matches!(self, Uv | V | Vf)
    }

    /// The suffix in assembly text.
    pub const fn letters(self) -> &'static str {
        match self {
            Ub => "UB",
            B => "B",
            Uw => "UW",
            W => "W",
            Ud => "UD",
            D => "D",
            Uq => "UQ",
            Q => "Q",
            Hf => "HF",
            F => "F",
            Df => "DF",
            Uv => "UV",
            V => "V",
            Vf => "VF",
        }
    }

    /// The type with the suffix `letters`.
    pub fn from_letters(letters: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|ty| ty.letters() == letters)
    }

    /// Hardware code of this type for a register operand; `None` if the generation has no such register type.
    pub fn register_code(self, generation: Gen) -> Option<u8> {
        code_in(&REGISTER_TYPES, GEN7_TYPES, generation, self)
    }

    /// Hardware code of this type for an immediate operand.
    pub fn immediate_code(self, generation: Gen) -> Option<u8> {
        code_in(&IMMEDIATE_TYPES, GEN7_TYPES, generation, self)
    }

    /// Hardware code of this type in a three-source instruction.
    pub fn three_source_code(self, generation: Gen) -> Option<u8> {
        code_in(&THREE_SOURCE_TYPES, GEN7_THREE_SOURCE_TYPES, generation, self)
    }

    /// Register type with hardware code `code`.
    pub fn from_register_code(code: u64, generation: Gen) -> Option<Type> {
        type_at(&REGISTER_TYPES, GEN7_TYPES, generation, code)
    }

    /// Immediate type with hardware code `code`.
    pub fn from_immediate_code(code: u64, generation: Gen) -> Option<Type> {
        type_at(&IMMEDIATE_TYPES, GEN7_TYPES, generation, code)
    }

    /// Three-source type with hardware code `code`.
    pub fn from_three_source_code(code: u64, generation: Gen) -> Option<Type> {
        type_at(&THREE_SOURCE_TYPES, GEN7_THREE_SOURCE_TYPES, generation, code)
    }
}

/// The part of a code table that `generation` has.
fn available(table: &[Type], gen7_count: usize, generation: Gen) -> &[Type] {
    let count = if generation < Gen::Gen8 { gen7_count } else { table.len() };
    table.get(..count).unwrap_or(table)
}

fn code_in(table: &[Type], gen7_count: usize, generation: Gen, ty: Type) -> Option<u8> {
    let position = available(table, gen7_count, generation).iter().position(|&entry| entry == ty)?;
    u8::try_from(position).ok()
}

fn type_at(table: &[Type], gen7_count: usize, generation: Gen, code: u64) -> Option<Type> {
    available(table, gen7_count, generation).get(usize::try_from(code).ok()?).copied()
}
