//! Shape of the list of opcodes: kinds of operands, and properties.

/// Nature of an operand: register type and size, or a special syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// 32 bits without a floating-point type.
    B32,
    /// 64 bits without a floating-point type.
    B64,
    /// 96 bits.
    B96,
    /// 128 bits.
    B128,
    /// 256 bits.
    B256,
    /// 512 bits.
    B512,
    /// Half in the low bits of a register.
    F16,
    /// Single.
    F32,
    /// Double.
    F64,
    /// One bit per lane: a pair of scalar registers, VCC where the format has no field.
    Mask,
    /// Constant of 16 bits.
    Imm,
    /// Bit field of a hardware register.
    HwReg,
    /// Target of a jump.
    Label,
    /// Counters to wait for.
    Wait,
    /// Message to send.
    Message,
    /// Operands that M0 indexes (vi).
    GprIndex,
    /// A literal that is always there.
    Literal,
    /// Address of scalar memory: two scalar registers.
    Base,
    /// Descriptor of a buffer: four scalar registers.
    Resource,
    /// Offset in scalar memory: constant or scalar register.
    ScalarOffset,
    /// Constant of `s_atc_probe`.
    Probe,
    /// Scalar register.
    Sgpr,
    /// Vector register.
    Vgpr,
    /// Number of a lane: scalar register or constant.
    Lane,
    /// Value for a lane: scalar register or constant.
    LaneValue,
    /// Vertex parameter.
    Param,
    /// Attribute and channel.
    Attribute,
    /// Address in vector registers.
    Address,
    /// Data of an image: as many registers as DMASK has channels.
    Image,
    /// Descriptor of an image.
    ImageResource,
    /// Descriptor of a sampler: four scalar registers.
    Sampler,
    /// Target of an export.
    Target,
}

impl Kind {
    /// Number of registers, where it does not depend on modifiers.
    #[inline]
    pub fn dwords(self) -> u8 {
        match self {
            Kind::B64 | Kind::F64 | Kind::Mask | Kind::Base => 2,
            Kind::B96 => 3,
            Kind::B128 | Kind::Resource | Kind::Sampler => 4,
            Kind::B256 | Kind::ImageResource => 8,
            Kind::B512 => 16,
            _ => 1,
        }
    }

    /// True if the operand is a floating-point number.
    #[inline]
    pub fn is_float(self) -> bool {
        matches!(self, Kind::F16 | Kind::F32 | Kind::F64)
    }
}

/// A property of an opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// It writes the scalar condition code.
    SetsScc,
    /// It reads the scalar condition code.
    ReadsScc,
    /// It copies EXEC and changes it.
    SavesExec,
    /// A comparison that writes EXEC, too.
    SetsExec,
    /// It reads memory, or samples an image, and changes none.
    Loads,
    /// It writes memory.
    Stores,
    /// It changes memory, and returns the old value if GLC is set.
    Atomic,
}

/// Names, operands and properties of an opcode.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// Name in assembly text, without the suffix of a format.
    pub mnemonic: &'static str,
    /// Destinations.
    pub destinations: &'static [Kind],
    /// Sources in the order of the text.
    pub sources: &'static [Kind],
    /// Properties.
    pub properties: &'static [Property],
}
