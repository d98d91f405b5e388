//! Operand types and their hardware codes.

use crate::devinfo::GfxVersion;

/// The type of an operand. `UV`, `V` and `VF` are vector immediates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Unsigned 8-bit integer.
    UB,
    /// Signed 8-bit integer.
    B,
    /// Unsigned 16-bit integer.
    UW,
    /// Signed 16-bit integer.
    W,
    /// Unsigned 32-bit integer.
    UD,
    /// Signed 32-bit integer.
    D,
    /// Unsigned 64-bit integer.
    UQ,
    /// Signed 64-bit integer.
    Q,
    /// 16-bit float.
    HF,
    /// 32-bit float.
    F,
    /// 64-bit float.
    DF,
    /// Immediate of eight unsigned 4-bit integers, read as UW.
    UV,
    /// Immediate of eight signed 4-bit integers, read as W.
    V,
    /// Immediate of four 8-bit restricted floats, read as F.
    VF,
}

use Type::*;

/// Register types by hardware code; gen7 has the first eight.
const REGISTER_TYPES: [Type; 11] = [UD, D, UW, W, UB, B, DF, F, UQ, Q, HF];
/// Immediate types by hardware code; gen7 has the first eight.
const IMMEDIATE_TYPES: [Type; 12] = [UD, D, UW, W, UV, VF, V, F, UQ, Q, DF, HF];
/// Types of three-source instructions by hardware code; gen7 has the first four.
const THREE_SOURCE_TYPES: [Type; 5] = [F, D, UD, DF, HF];
/// How many codes of the first two tables exist before gen8.
const GEN7_TYPES: usize = 8;
/// How many codes of the three-source table exist before gen8.
const GEN7_THREE_SOURCE_TYPES: usize = 4;

impl Type {
    /// Every type.
    pub const ALL: [Type; 14] = [UB, B, UW, W, UD, D, UQ, Q, HF, F, DF, UV, V, VF];

    /// Bytes of one element. Vector immediates count as the element they expand to.
    pub const fn size(self) -> u32 {
        match self {
            UB | B => 1,
            UW | W | HF | UV | V => 2,
            UD | D | F | VF => 4,
            UQ | Q | DF => 8,
        }
    }

    /// Whether values are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, HF | F | DF | VF)
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
        matches!(self, UV | V | VF)
    }

    /// The suffix in assembly text.
    pub const fn name(self) -> &'static str {
        match self {
            UB => "UB",
            B => "B",
            UW => "UW",
            W => "W",
            UD => "UD",
            D => "D",
            UQ => "UQ",
            Q => "Q",
            HF => "HF",
            F => "F",
            DF => "DF",
            UV => "UV",
            V => "V",
            VF => "VF",
        }
    }

    /// The type with the suffix `letters`.
    pub fn from_name(letters: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|ty| ty.name() == letters)
    }

    /// Hardware code of this type for a register operand; `None` if the generation has no such register type.
    pub fn register_code(self, version: GfxVersion) -> Option<u8> {
        code_in(&REGISTER_TYPES, GEN7_TYPES, version, self)
    }

    /// Hardware code of this type for an immediate operand.
    pub fn immediate_code(self, version: GfxVersion) -> Option<u8> {
        code_in(&IMMEDIATE_TYPES, GEN7_TYPES, version, self)
    }

    /// Hardware code of this type in a three-source instruction.
    pub fn three_source_code(self, version: GfxVersion) -> Option<u8> {
        code_in(&THREE_SOURCE_TYPES, GEN7_THREE_SOURCE_TYPES, version, self)
    }

    /// Register type with hardware code `code`.
    pub fn from_register_code(code: u64, version: GfxVersion) -> Option<Type> {
        type_at(&REGISTER_TYPES, GEN7_TYPES, version, code)
    }

    /// Immediate type with hardware code `code`.
    pub fn from_immediate_code(code: u64, version: GfxVersion) -> Option<Type> {
        type_at(&IMMEDIATE_TYPES, GEN7_TYPES, version, code)
    }

    /// Three-source type with hardware code `code`.
    pub fn from_three_source_code(code: u64, version: GfxVersion) -> Option<Type> {
        type_at(&THREE_SOURCE_TYPES, GEN7_THREE_SOURCE_TYPES, version, code)
    }
}

/// The part of a code table that `generation` has.
fn available(table: &[Type], gen7_count: usize, version: GfxVersion) -> &[Type] {
    let count = if version < GfxVersion::Gfx8 { gen7_count } else { table.len() };
    table.get(..count).unwrap_or(table)
}

fn code_in(table: &[Type], gen7_count: usize, version: GfxVersion, ty: Type) -> Option<u8> {
    let position = available(table, gen7_count, version).iter().position(|&entry| entry == ty)?;
    u8::try_from(position).ok()
}

fn type_at(table: &[Type], gen7_count: usize, version: GfxVersion, code: u64) -> Option<Type> {
    available(table, gen7_count, version).get(usize::try_from(code).ok()?).copied()
}
