//! Operands of decoded instructions.

/// A scalar register, by its code in operand fields (0 to 127).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scalar(pub u8);

impl Scalar {
    /// Low half of the vector condition code.
    pub const VCC: Scalar = Scalar(106);
    /// Trap base address.
    pub const TBA: Scalar = Scalar(108);
    /// Trap memory address.
    pub const TMA: Scalar = Scalar(110);
    /// First register of the trap handler.
    pub const TTMP0: Scalar = Scalar(112);
    /// Memory register: index, clamp of the local data share, message.
    pub const M0: Scalar = Scalar(124);
    /// Low half of the execution mask.
    pub const EXEC: Scalar = Scalar(126);
    /// Base of scratch memory for flat accesses (vi).
    pub const FLAT_SCRATCH: Scalar = Scalar(102);
    /// Mask of lanes with a failed translation (vi).
    pub const XNACK_MASK: Scalar = Scalar(104);
}

/// A constant that an operand field encodes without a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InlineFloat {
    /// 0.5
    Half,
    /// -0.5
    MinusHalf,
    /// 1.0
    One,
    /// -1.0
    MinusOne,
    /// 2.0
    Two,
    /// -2.0
    MinusTwo,
    /// 4.0
    Four,
    /// -4.0
    MinusFour,
    /// 1/(2π), on vi
    InverseTwoPi,
}

impl InlineFloat {
    /// Every constant, from code 240 on.
    pub const ALL: [InlineFloat; 9] = [
        InlineFloat::Half,
        InlineFloat::MinusHalf,
        InlineFloat::One,
        InlineFloat::MinusOne,
        InlineFloat::Two,
        InlineFloat::MinusTwo,
        InlineFloat::Four,
        InlineFloat::MinusFour,
        InlineFloat::InverseTwoPi,
    ];

    /// The text in assembly.
    pub fn text(self) -> &'static str {
        match self {
            InlineFloat::Half => "0.5",
            InlineFloat::MinusHalf => "-0.5",
            InlineFloat::One => "1.0",
            InlineFloat::MinusOne => "-1.0",
            InlineFloat::Two => "2.0",
            InlineFloat::MinusTwo => "-2.0",
            InlineFloat::Four => "4.0",
            InlineFloat::MinusFour => "-4.0",
            InlineFloat::InverseTwoPi => "0.15915494",
        }
    }

    /// The bits as a single.
    pub fn single_bits(self) -> u32 {
        match self {
            InlineFloat::Half => 0x3f00_0000,
            InlineFloat::MinusHalf => 0xbf00_0000,
            InlineFloat::One => 0x3f80_0000,
            InlineFloat::MinusOne => 0xbf80_0000,
            InlineFloat::Two => 0x4000_0000,
            InlineFloat::MinusTwo => 0xc000_0000,
            InlineFloat::Four => 0x4080_0000,
            InlineFloat::MinusFour => 0xc080_0000,
            InlineFloat::InverseTwoPi => 0x3e22_f983,
        }
    }

    /// The bits as a double.
    pub fn double_bits(self) -> u64 {
        match self {
            InlineFloat::InverseTwoPi => 0x3fc4_5f30_6dc9_c882,
            other => f64::from(f32::from_bits(other.single_bits())).to_bits(),
        }
    }

    /// The bits as a half.
    pub fn half_bits(self) -> u16 {
        match self {
            InlineFloat::Half => 0x3800,
            InlineFloat::MinusHalf => 0xb800,
            InlineFloat::One => 0x3c00,
            InlineFloat::MinusOne => 0xbc00,
            InlineFloat::Two => 0x4000,
            InlineFloat::MinusTwo => 0xc000,
            InlineFloat::Four => 0x4400,
            InlineFloat::MinusFour => 0xc400,
            InlineFloat::InverseTwoPi => 0x3118,
        }
    }
}

/// A bit of the wave's state, read as 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// VCC is 0.
    Vccz,
    /// EXEC is 0.
    Execz,
    /// Scalar condition code.
    Scc,
    /// A value of the local data share, addressed by M0.
    LdsDirect,
}

impl Status {
    /// Every status, from code 251 on.
    pub const ALL: [Status; 4] = [Status::Vccz, Status::Execz, Status::Scc, Status::LdsDirect];

    /// The text in assembly.
    pub fn text(self) -> &'static str {
        match self {
            Status::Vccz => "src_vccz",
            Status::Execz => "src_execz",
            Status::Scc => "src_scc",
            Status::LdsDirect => "src_lds_direct",
        }
    }
}

/// An operand. How many registers it has depends on the opcode's [`Kind`](crate::Kind).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Operand {
    /// No operand, `off` in text.
    #[default]
    Off,
    /// First scalar register.
    Scalar(Scalar),
    /// First vector register.
    Vector(u8),
    /// An integer from -16 to 64.
    Integer(i8),
    /// A floating-point constant.
    Float(InlineFloat),
    /// A bit of the wave's state.
    Status(Status),
    /// The dword after the instruction.
    Literal(u32),
    /// The bits of a field for a constant.
    Immediate(u32),
    /// Distance of a jump in dwords, from the instruction after it.
    Jump(i16),
    /// Attribute (0 to 63) and channel (0 to 3) of interpolation.
    Attribute {
        /// Number of the attribute.
        attribute: u8,
        /// Channel.
        channel: u8,
    },
    /// Vertex parameter of `v_interp_mov_f32`: 0 is P10, 1 is P20, 2 is P0.
    Param(u8),
    /// Target of an export (0 to 63).
    Target(u8),
}

impl Operand {
    /// Scalar register `number`.
    pub fn s(number: u8) -> Operand {
        Operand::Scalar(Scalar(number))
    }

    /// Vector register `number`.
    pub fn v(number: u8) -> Operand {
        Operand::Vector(number)
    }

    /// The inline constant of an integer, or a literal.
    pub fn integer(value: i32) -> Operand {
        match i8::try_from(value) {
            Ok(small) if (-16..=64).contains(&small) => Operand::Integer(small),
            _ => Operand::Literal(value as u32),
        }
    }
}
