//! Operand types and their hardware codes.

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

    /// Returns whether values are floating point.
    pub const fn is_float(self) -> bool {
        matches!(self, HF | F | DF | VF)
    }

    /// Returns whether values are signed integers.
    pub const fn is_signed_integer(self) -> bool {
        matches!(self, B | W | D | Q | V)
    }

    /// Returns whether values are integers.
    pub const fn is_integer(self) -> bool {
        !self.is_float()
    }

    /// Returns whether this is one of the types only immediates have.
    pub const fn is_vector_immediate(self) -> bool {
        matches!(self, UV | V | VF)
    }

    /// Unsigned integer of `bits` bits (8, 16, 32 or 64).
    pub const fn uint(bits: u32) -> Type {
        match bits {
            8 => UB,
            16 => UW,
            64 => UQ,
            _ => UD,
        }
    }

    /// Signed integer of `bits` bits (8, 16, 32 or 64).
    pub const fn int(bits: u32) -> Type {
        match bits {
            8 => B,
            16 => W,
            64 => Q,
            _ => D,
        }
    }

    /// Float of `bits` bits (16, 32 or 64).
    pub const fn float(bits: u32) -> Type {
        match bits {
            16 => HF,
            64 => DF,
            _ => F,
        }
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
}
