//! Decoded instructions.

use crate::format::Format;
use crate::opcode::Opcode;
use crate::operand::Operand;

/// Maximum number of operands of an instruction.
pub const MAX_OPERANDS: usize = 6;

/// A decoded instruction: plain data. Operands are in the order of the text;
/// [`Row::slots`](crate::Row::slots) says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Operation.
    pub opcode: Opcode,
    /// Format of the encoding.
    pub format: Format,
    /// Operands in the order of the text; the rest is [`Operand::Off`].
    pub operands: [Operand; MAX_OPERANDS],
    /// Everything beside the operands.
    pub modifiers: Modifiers,
    /// Bits of the first two dwords that differ from those of the other members: fields that the
    /// operation does not use. They have no meaning.
    pub residue: u64,
}

impl Instruction {
    /// An instruction with the operands of the text's order and no modifier.
    pub fn new(format: Format, opcode: Opcode, operands: &[Operand]) -> Instruction {
        let mut all = [Operand::Off; MAX_OPERANDS];
        for (to, from) in all.iter_mut().zip(operands) {
            *to = *from;
        }
        Instruction { opcode, format, operands: all, modifiers: Modifiers::default(), residue: 0 }
    }
}

/// Lanes and parts of registers a vector instruction of vi reads and writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// Each lane its own, whole registers.
    #[default]
    Own,
    /// Data-parallel primitives: the first source is another lane's.
    Dpp(Dpp),
    /// Sub-dword addressing.
    Sdwa(Sdwa),
}

/// Controls of data-parallel primitives (vi).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dpp {
    /// 9 bits: the permutation.
    pub control: u16,
    /// True if a lane without a source reads 0, instead of not being written.
    pub bound_control: bool,
    /// Rows of 16 lanes that are written.
    pub row_mask: u8,
    /// Banks of 4 lanes in each row that are written.
    pub bank_mask: u8,
}

/// Controls of sub-dword addressing (vi). A selection is 0 to 3 for a byte, 4 or 5 for a word, 6
/// for the dword.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sdwa {
    /// Part of the destination.
    pub destination: u8,
    /// Rest of the destination: 0 zero, 1 sign, 2 unchanged.
    pub unused: u8,
    /// Parts of the sources.
    pub sources: [u8; 2],
    /// True for sources that are sign-extended.
    pub sext: [bool; 2],
}

/// Declares the modifiers: those of one bit, with their text, and the others.
macro_rules! modifiers {
    ($($(#[$doc:meta])* $flag:ident $text:literal $field:ident;)*) => {
        /// Everything of an instruction beside its operands. The format decides which members
        /// count.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct Modifiers {
            $($(#[$doc])* pub $flag: bool,)*
            /// Sources to negate, one bit each.
            pub neg: u8,
            /// Sources to take the absolute value of, one bit each, before the negation.
            pub abs: u8,
            /// Output modifier: 0 none, 1 times 2, 2 times 4, 3 half.
            pub omod: u8,
            /// Offset in bytes (MUBUF, MTBUF, DS with one offset).
            pub offset: u32,
            /// First and second offset of a DS operation with two, in elements.
            pub offsets: [u8; 2],
            /// Channels of an image operation.
            pub dmask: u8,
            /// Data format of MTBUF.
            pub dfmt: u8,
            /// Number format of MTBUF.
            pub nfmt: u8,
            /// Number of vector registers of an image address; the encoding has no field for it.
            pub address_dwords: u8,
            /// Lanes and parts of registers.
            pub lanes: Lanes,
        }

        /// The modifiers of one bit: field, text, access.
        pub(crate) const FLAGS: &[Flag] = &[$(Flag {
            field: crate::field::Field::$field,
            text: $text,
            get: |modifiers| modifiers.$flag,
            set: |modifiers, value| modifiers.$flag = value,
        },)*];
    };
}

/// A modifier of one bit.
pub(crate) struct Flag {
    pub field: crate::field::Field,
    pub text: &'static str,
    pub get: fn(&Modifiers) -> bool,
    pub set: fn(&mut Modifiers, bool),
}

modifiers! {
    /// Clamp the result to 0 to 1.
    clamp "clamp" Clamp;
    /// Upper half of the attribute (`v_interp_*_f16`).
    high "high" High;
    /// VADDR has an index.
    idxen "idxen" Idxen;
    /// VADDR has an offset.
    offen "offen" Offen;
    /// VADDR has a 64-bit address (si).
    addr64 "addr64" Addr64;
    /// Image coordinates are not normalized.
    unorm "unorm" Unorm;
    /// Globally coherent; an atomic returns the old value.
    glc "glc" Glc;
    /// System-level coherent.
    slc "slc" Slc;
    /// The image descriptor has 4 dwords.
    r128 "r128" R128;
    /// Texture fail enable: one more dword of result.
    tfe "tfe" Tfe;
    /// LOD warning enable.
    lwe "lwe" Lwe;
    /// The image is an array.
    da "da" Da;
    /// 16-bit data (vi).
    d16 "d16" D16;
    /// Load to the local data share.
    lds "lds" Lds;
    /// Global data share.
    gds "gds" Gds;
    /// Last export of its kind.
    done "done" Done;
    /// Exported values are pairs of 16 bits.
    compr "compr" Compr;
    /// EXEC is the mask of valid lanes.
    vm "vm" Vm;
}
