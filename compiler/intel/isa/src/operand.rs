//! Decoded operands: register file, region, swizzle, modifiers, immediates.

use crate::types::Type;

/// The file an operand lives in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegFile {
    /// Architecture registers: null, a0, acc, flags, control, state…
    Arf,
    /// General registers r0–r127.
    Grf,
    /// Immediate.
    Imm,
}

macro_rules! architecture_registers {
    ($($(#[$doc:meta])* $variant:ident $(($index:ident: $ty:ty))? = $high:literal $name:literal,)*) => {
        /// An architecture register. The high nibble of its encoded number is its kind, the low
        /// nibble its index (ignored for null and ip).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Arf {
            $($(#[$doc])* $variant $(($ty))?,)*
        }

        impl Arf {
            /// The encoded register number.
            pub const fn number(self) -> u8 {
                match self {
                    $(Arf::$variant $(($index))? => $high << 4 $(| ($index & 0xf))?,)*
                }
            }

            /// The register with encoded number `number`; `None` if the number's kind is reserved.
            pub const fn from_number(number: u8) -> Option<Arf> {
                match number >> 4 {
                    $($high => Some(Arf::$variant $(({ let $index: $ty = number & 0xf; $index }))?),)*
                    _ => None,
                }
            }

            /// Prefix of the name in assembly text; the index follows (not for null and ip).
            pub const fn prefix(self) -> &'static str {
                match self {
                    $(Arf::$variant { .. } => $name,)*
                }
            }

            /// Register `index` of the kind with this prefix.
            pub fn from_prefix(prefix: &str, index: u8) -> Option<Arf> {
                let kind = match prefix {
                    $($name => $high,)*
                    _ => return None,
                };
                Arf::from_number(kind << 4 | index & 0xf)
            }
        }
    };
}

architecture_registers! {
    /// Reads as undefined, swallows writes.
    Null = 0x0 "null",
    /// Address register a0.
    Address(index: u8) = 0x1 "a",
    /// Accumulators acc0, acc1.
    Accumulator(index: u8) = 0x2 "acc",
    /// Flag registers f0, f1 of 32 bits.
    Flag(index: u8) = 0x3 "f",
    /// Channel enables (ce0, `mask0`).
    Mask(index: u8) = 0x4 "mask",
    /// Mask stack.
    MaskStack(index: u8) = 0x5 "ms",
    /// Mask stack depth.
    MaskStackDepth(index: u8) = 0x6 "msd",
    /// State register sr0.
    State(index: u8) = 0x7 "sr",
    /// Control register cr0.
    Control(index: u8) = 0x8 "cr",
    /// Notification counts n0.
    Notification(index: u8) = 0x9 "n",
    /// Instruction pointer.
    Ip = 0xa "ip",
    /// Thread dependency register.
    Tdr(index: u8) = 0xb "tdr",
    /// Time stamp register tm0.
    Timestamp(index: u8) = 0xc "tm",
}

/// How a register operand is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// By register number and subregister.
    Direct,
    /// By `a0.subreg + offset` (register-indirect); the operand's `nr` and `subnr` are unused.
    Indirect {
        /// Word subregister of a0.
        subreg: u8,
        /// Signed byte offset, −512…511; a multiple of 16 in Align16.
        offset: i16,
    },
}

/// A region `<vstride;width,hstride>`, in elements of the operand's type.
///
/// Destinations use only `hstride`; Align16 sources only `vstride` (with width 4, hstride 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Elements between rows: 0, 1, 2, 4, 8, 16, 32 or [`Region::VXH`].
    pub vstride: u8,
    /// Elements per row: 1, 2, 4, 8 or 16.
    pub width: u8,
    /// Elements between elements of a row: 0, 1, 2 or 4.
    pub hstride: u8,
}

impl Region {
    /// The vertical stride of indirect Vx1 and VxH regions: each row has its own address.
    pub const VXH: u8 = 0xff;
    /// `<0;1,0>`: one element for all channels.
    pub const SCALAR: Region = Region::new(0, 1, 0);
    /// `<8;8,1>`.
    pub const PACKED8: Region = Region::new(8, 8, 1);
    /// `<4>` of an Align16 source.
    pub const ALIGN16: Region = Region::new(4, 4, 1);

    /// The region `<vstride;width,hstride>`.
    pub const fn new(vstride: u8, width: u8, hstride: u8) -> Region {
        Region { vstride, width, hstride }
    }

    /// A destination's region.
    pub const fn dst(hstride: u8) -> Region {
        Region::new(0, 1, hstride)
    }

    /// Returns whether every channel reads the same element.
    pub const fn is_scalar(self) -> bool {
        self.vstride == 0 && self.width == 1 && self.hstride == 0
    }
}

/// Align16 component selection: two bits per component, x lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `xyzw`.
    pub const XYZW: Swizzle = Swizzle::new(0, 1, 2, 3);

    /// The swizzle that reads components `x`, `y`, `z`, `w` (each 0–3).
    pub const fn new(x: u8, y: u8, z: u8, w: u8) -> Swizzle {
        Swizzle((x & 3) | (y & 3) << 2 | (z & 3) << 4 | (w & 3) << 6)
    }

    /// The component (0–3) that component `index` (0–3) reads.
    pub const fn get(self, index: u8) -> u8 {
        self.0 >> ((index & 3) * 2) & 3
    }
}

/// Align16 destination channel enables: bit 0 is x, bit 3 is w.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WriteMask(pub u8);

impl WriteMask {
    /// All four components.
    pub const XYZW: WriteMask = WriteMask(0xf);

    /// Returns whether component `index` (0–3) is written.
    pub const fn contains(self, index: u8) -> bool {
        self.0 >> (index & 3) & 1 != 0
    }
}

/// A decoded operand, source or destination. Fields that do not apply hold the defaults of
/// [`Operand::NULL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Register file.
    pub file: RegFile,
    /// Type.
    pub ty: Type,
    /// Register number; for [`RegFile::Arf`] the encoded number (see [`Arf::number`]).
    pub nr: u8,
    /// Subregister, in bytes (0–31).
    pub subnr: u8,
    /// Direct or through a0.
    pub addressing: Addressing,
    /// Region (see [`Region`] for what destinations and Align16 use of it).
    pub region: Region,
    /// Align16 sources: component selection.
    pub swizzle: Swizzle,
    /// Align16 destinations: enabled components.
    pub writemask: WriteMask,
    /// Source modifier: negate (bitwise NOT for logic instructions on gen8+).
    pub negate: bool,
    /// Source modifier: absolute value.
    pub abs: bool,
    /// Three-source instructions: replicate one dword to all channels, the swizzle is ignored.
    pub rep_ctrl: bool,
    /// Immediates: the field's bits. 32 bits (a 16-bit value in both halves), or 64 for 64-bit
    /// types and DIM.
    pub imm: u64,
}

impl Operand {
    /// The null register as UD, every other field at its default.
    pub const NULL: Operand = Operand {
        file: RegFile::Arf,
        ty: Type::UD,
        nr: 0,
        subnr: 0,
        addressing: Addressing::Direct,
        region: Region::SCALAR,
        swizzle: Swizzle::XYZW,
        writemask: WriteMask::XYZW,
        negate: false,
        abs: false,
        rep_ctrl: false,
        imm: 0,
    };

    /// Returns whether this is the (directly addressed) null register.
    pub fn is_null(&self) -> bool {
        self.is_direct_arf() && self.nr & 0xf0 == Arf::Null.number()
    }

    /// The directly addressed architecture register, if this is one.
    pub fn arf(&self) -> Option<Arf> {
        if self.is_direct_arf() { Arf::from_number(self.nr) } else { None }
    }

    fn is_direct_arf(&self) -> bool {
        self.file == RegFile::Arf && self.addressing == Addressing::Direct
    }

    /// Returns whether this is an accumulator.
    pub fn is_accumulator(&self) -> bool {
        self.is_direct_arf() && self.nr & 0xf0 == Arf::Accumulator(0).number()
    }

    /// Returns whether this is an immediate.
    pub fn is_imm(&self) -> bool {
        self.file == RegFile::Imm
    }

    /// Returns whether this operand is addressed through a0.
    pub fn is_indirect(&self) -> bool {
        matches!(self.addressing, Addressing::Indirect { .. })
    }

    /// Byte address of a directly addressed general register: `nr * 32 + subnr`.
    pub fn byte_offset(&self) -> u32 {
        u32::from(self.nr) * 32 + u32::from(self.subnr)
    }

    /// The immediate as raw 32 bits.
    pub fn imm_bits(&self) -> u32 {
        self.imm as u32
    }
}
