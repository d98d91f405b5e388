//! Operand types of the execution unit as the back-end IR sees them.

/// Data type of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// Unsigned byte.
    UB,
    /// Signed byte.
    B,
    /// Unsigned word.
    UW,
    /// Signed word.
    W,
    /// Unsigned doubleword.
    UD,
    /// Signed doubleword.
    D,
    /// Unsigned quadword (gen8+).
    UQ,
    /// Signed quadword (gen8+).
    Q,
    /// Half float (gen8+).
    HF,
    /// Float.
    F,
    /// Double float.
    DF,
    /// Immediate of eight signed 4-bit integers, word elements.
    V,
    /// Immediate of eight unsigned 4-bit integers, word elements.
    UV,
    /// Immediate of four restricted 8-bit floats, F elements.
    VF,
}

impl Type {
    /// Bytes of one element (an immediate vector's element counts as what it expands to).
    #[must_use]
    pub fn size(self) -> u32 {
        match self {
            Type::UB | Type::B => 1,
            Type::UW | Type::W | Type::HF | Type::V | Type::UV => 2,
            Type::UD | Type::D | Type::F | Type::VF => 4,
            Type::UQ | Type::Q | Type::DF => 8,
        }
    }

    /// Floating point of any size.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Type::HF | Type::F | Type::DF | Type::VF)
    }

    /// Signed integer.
    #[must_use]
    pub fn is_signed_int(self) -> bool {
        matches!(self, Type::B | Type::W | Type::D | Type::Q | Type::V)
    }

    /// Integer of any size.
    #[must_use]
    pub fn is_int(self) -> bool {
        !self.is_float()
    }

    /// Unsigned integer of `bits` bits (8, 16, 32 or 64).
    #[must_use]
    pub fn uint(bits: u32) -> Type {
        match bits {
            8 => Type::UB,
            16 => Type::UW,
            64 => Type::UQ,
            _ => Type::UD,
        }
    }

    /// Signed integer of `bits` bits (8, 16, 32 or 64).
    #[must_use]
    pub fn int(bits: u32) -> Type {
        match bits {
            8 => Type::B,
            16 => Type::W,
            64 => Type::Q,
            _ => Type::D,
        }
    }

    /// Float of `bits` bits (16, 32 or 64).
    #[must_use]
    pub fn float(bits: u32) -> Type {
        match bits {
            16 => Type::HF,
            64 => Type::DF,
            _ => Type::F,
        }
    }

    /// Name in dumps.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Type::UB => "UB",
            Type::B => "B",
            Type::UW => "UW",
            Type::W => "W",
            Type::UD => "UD",
            Type::D => "D",
            Type::UQ => "UQ",
            Type::Q => "Q",
            Type::HF => "HF",
            Type::F => "F",
            Type::DF => "DF",
            Type::V => "V",
            Type::UV => "UV",
            Type::VF => "VF",
        }
    }
}
