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

/// A kind of architecture register: the high nibble of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arf {
    /// Reads as undefined, swallows writes.
    Null = 0x00,
    /// Address register a0.
    Address = 0x10,
    /// Accumulators acc0, acc1.
    Accumulator = 0x20,
    /// Flag registers f0, f1 of 32 bits.
    Flag = 0x30,
    /// Execution mask registers.
    Mask = 0x40,
    /// Mask stack.
    MaskStack = 0x50,
    /// Mask stack depth.
    MaskStackDepth = 0x60,
    /// State register sr0.
    State = 0x70,
    /// Control register cr0.
    Control = 0x80,
    /// Notification counts n0.
    Notification = 0x90,
    /// Instruction pointer.
    Ip = 0xa0,
    /// Thread dependency register.
    Tdr = 0xb0,
    /// Time stamp register tm0.
    Timestamp = 0xc0,
}

impl Arf {
    /// All kinds with the prefix of their assembly name.
    pub const NAMES: [(Arf, &'static str); 13] = [
        (Arf::Null, "null"),
        (Arf::Address, "a"),
        (Arf::Accumulator, "acc"),
        (Arf::Flag, "f"),
        (Arf::Mask, "mask"),
        (Arf::MaskStack, "ms"),
        (Arf::MaskStackDepth, "msd"),
        (Arf::State, "sr"),
        (Arf::Control, "cr"),
        (Arf::Notification, "n"),
        (Arf::Ip, "ip"),
        (Arf::Tdr, "tdr"),
        (Arf::Timestamp, "tm"),
    ];

    /// The encoded register number of register `index` of this kind.
    pub const fn number(self, index: u8) -> u8 {
        (self as u8) | (index & 0xf)
    }
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

    /// Whether every channel reads the same element.
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

    /// Whether component `index` (0–3) is written.
    pub const fn contains(self, index: u8) -> bool {
        self.0 >> (index & 3) & 1 != 0
    }
}

/// A decoded operand, source or destination. Fields that do not apply hold the defaults of [`Operand::NULL`].
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
    /// Immediates: the field's bits. 32 bits (a 16-bit value stands in both halves), or 64 for 64-bit types and DIM.
    pub imm: u64,
}

impl Operand {
    /// The null register as UD, every other field at its default.
    pub const NULL: Operand = Operand {
        file: RegFile::Arf,
        ty: Type::Ud,
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

    /// Whether this is the (directly addressed) null register.
    pub fn is_null(&self) -> bool {
        self.is_arf(Arf::Null)
    }

    /// Whether this is a directly addressed architecture register of kind `kind`.
    pub fn is_arf(&self, kind: Arf) -> bool {
        self.file == RegFile::Arf && self.addressing == Addressing::Direct && self.nr & 0xf0 == kind as u8
    }

    /// Whether this is an accumulator.
    pub fn is_accumulator(&self) -> bool {
        self.is_arf(Arf::Accumulator)
    }

    /// Whether this is an immediate.
    pub fn is_imm(&self) -> bool {
        self.file == RegFile::Imm
    }

    /// Whether this operand is addressed through a0.
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
