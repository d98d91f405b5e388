//! Forms of buffer instructions and flat ones, from their mnemonics.

use amd_isa::Opcode;

/// A unit of memory that is loaded or stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub bytes: usize,
    /// True if loads extend its sign.
    pub signed: bool,
}

impl Unit {
    /// The value of loaded bytes in a register.
    pub(crate) fn extended(self, value: u32) -> u32 {
        let shift = 32 - 8 * self.bytes as u32;
        if self.signed { ((value << shift) as i32 >> shift) as u32 } else { value }
    }
}

/// Form of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BufferForm {
    pub unit: Unit,
    pub stores: bool,
    /// True if values are converted.
    pub formatted: bool,
    pub is_atomic: bool,
    /// True for an atomic that returns half of its data.
    pub compares: bool,
    /// True for values of 16 bits that are packed.
    pub packs: bool,
}

impl BufferForm {
    pub(crate) fn of(opcode: Opcode) -> BufferForm {
        let name = opcode.mnemonic();
        let (bytes, signed) = match name.rsplit('_').next() {
            Some("ubyte" | "byte") => (1, false),
            Some("sbyte") => (1, true),
            Some("ushort" | "short") => (2, false),
            Some("sshort") => (2, true),
            _ => (4, false),
        };
        BufferForm {
            unit: Unit { bytes, signed },
            stores: name.contains("_store_"),
            formatted: name.contains("_format_"),
            is_atomic: opcode.is_atomic(),
            compares: name.contains("cmpswap"),
            packs: name.contains("_d16_"),
        }
    }
}
