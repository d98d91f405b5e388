//! Where the operands of an opcode are in a format.

use crate::field::Field;
use crate::format::Format;
use crate::instruction::{Lanes, Modifiers};
use crate::opcode::{Kind, Opcode, Property};

/// Where an operand is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A scalar register.
    Scalar(Field),
    /// A scalar register or constant: 8 bits.
    ScalarSource(Field),
    /// A register of either kind or a constant: 9 bits.
    Source(Field),
    /// A vector register.
    Vector(Field),
    /// An aligned group of scalar registers: its number divided by the second member.
    Group(Field, u8),
    /// Bits of a constant.
    Bits(Field),
    /// The dword after the instruction.
    Literal,
    /// VCC, which has no field.
    Vcc,
    /// Offset of scalar memory: constant or scalar register.
    ScalarOffset,
    /// Address of a buffer: none, one or two vector registers.
    BufferAddress,
    /// Attribute and channel.
    Attribute,
    /// The value of an export, by its channel.
    Export(u8),
}

/// How an instruction uses an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// It is read and written.
    Both,
}

/// An operand of an opcode in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Nature of the operand.
    pub kind: Kind,
    /// Where it is encoded.
    pub place: Place,
    /// How it is used.
    pub role: Role,
}

impl Slot {
    /// Number of the source in the masks of negation and absolute value.
    pub fn source_index(&self) -> Option<usize> {
        source_index(self.place)
    }

    /// Number of registers of the operand in an instruction with these modifiers.
    pub fn dwords(&self, modifiers: &Modifiers, opcode: Opcode) -> u8 {
        let failure = u8::from(modifiers.tfe || modifiers.lwe);
        match (self.kind, self.place) {
            (Kind::Image, _) => {
                let channels =
                    if opcode.gathers() { 4 } else { modifiers.dmask.count_ones().max(1) as u8 };
                channels + failure
            }
            (Kind::ImageResource, _) if modifiers.r128 => 4,
            (Kind::Address, Place::BufferAddress) => {
                let both = modifiers.idxen && modifiers.offen || modifiers.addr64;
                if both { 2 } else { u8::from(modifiers.idxen || modifiers.offen) }
            }
            (Kind::Address, Place::Vector(Field::Vaddr)) => modifiers.address_dwords.max(1),
            (Kind::Address, Place::Vector(Field::Addr)) if opcode.is_flat() => 2,
            (kind, Place::Vector(Field::Vdata)) => kind.dwords() + failure,
            (kind, _) => kind.dwords(),
        }
    }
}

/// Number of a source in the masks of negation and absolute value.
pub(crate) fn source_index(place: Place) -> Option<usize> {
    match place {
        Place::Source(Field::Src0) => Some(0),
        Place::Source(Field::Src1) | Place::Vector(Field::Vsrc1) => Some(1),
        Place::Source(Field::Src2) => Some(2),
        _ => None,
    }
}

/// A row of a chip's opcode table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The format.
    pub format: Format,
    /// The number in the format's OP field.
    pub number: u16,
    /// The operation.
    pub opcode: Opcode,
    /// The operands in the order of the text.
    pub slots: Vec<Slot>,
    signed_sources: u8,
    has_sdst: bool,
}

impl Row {
    pub(crate) fn new(format: Format, number: u16, opcode: Opcode) -> Row {
        let slots = slots(format, opcode);
        let index = |slot: &Slot| match (slot.place, slot.kind) {
            (_, Kind::Mask | Kind::Lane | Kind::LaneValue) => None,
            (place, _) => source_index(place),
        };
        let signed_sources = slots.iter().filter_map(index).fold(0, |mask, i| mask | 1 << i);
        let second = slots.iter().any(|slot| slot.place == Place::Scalar(Field::Sdst));
        let has_sdst = second && format == Format::Vop3;
        Row { format, number, opcode, slots, signed_sources, has_sdst }
    }

    /// True if the first source may be another lane's or a part of a register (vi).
    pub(crate) fn takes_lanes(&self) -> bool {
        self.format.is_short_vector() && self.slots.iter().all(|slot| slot.place != Place::Literal)
    }

    /// The sources that can have signs, one bit each.
    pub fn signed_sources(&self) -> u8 {
        self.signed_sources
    }

    /// True if VOP3 encodes a second destination instead of ABS.
    pub(crate) fn has_sdst(&self) -> bool {
        self.has_sdst
    }
}

impl Lanes {
    /// Without the selections of operands that a row lacks.
    pub(crate) fn without_unused(self, row: &Row) -> Lanes {
        let Lanes::Sdwa(mut sdwa) = self else { return self };
        if row.signed_sources() & 2 == 0 {
            sdwa.sources[1] = 0;
            sdwa.sext[1] = false;
        }
        if row.format == Format::Vopc {
            (sdwa.destination, sdwa.unused) = (0, 0);
        }
        Lanes::Sdwa(sdwa)
    }
}

impl Opcode {
    /// True for flat memory.
    pub fn is_flat(self) -> bool {
        self.mnemonic().starts_with("flat_")
    }

    /// True for atomics, which return the old value if GLC is set.
    pub fn is_atomic(self) -> bool {
        self.has(Property::Atomic)
    }

    /// True for gathers of images, which have one channel and return four components.
    pub fn gathers(self) -> bool {
        self.mnemonic().starts_with("image_gather4")
    }

    /// True for operations that read their destination.
    pub fn reads_destination(self) -> bool {
        use Opcode::*;
        matches!(
            self,
            SCmovB32
                | SCmovB64
                | SCmovkI32
                | SAddkI32
                | SMulkI32
                | SBitset0B32
                | SBitset0B64
                | SBitset1B32
                | SBitset1B64
                | VMacF32
                | VMacLegacyF32
                | VMacF16
                | VInterpP2F32
                | VWritelaneB32
        )
    }
}

/// The operands of an opcode in a format.
fn slots(format: Format, opcode: Opcode) -> Vec<Slot> {
    let info = opcode.info();
    let write = if opcode.reads_destination() { Role::Both } else { Role::Write };
    let mut slots = Vec::new();
    let mut push = |kind, place, role| slots.push(Slot { kind, place, role });
    match format {
        Format::Sop2 | Format::Sop1 | Format::Sopc | Format::Sopk | Format::Sopp => {
            for &kind in info.destinations {
                push(kind, Place::Scalar(Field::Sdst), write);
            }
            let mut fields = [Field::Ssrc0, Field::Ssrc1].into_iter();
            for &kind in info.sources {
                push(kind, scalar_source(format, kind, &mut fields), Role::Read);
            }
        }
        Format::Smem => {
            for &kind in info.destinations {
                push(kind, Place::Scalar(Field::Sdst), Role::Write);
            }
            for &kind in info.sources {
                let place = match kind {
                    Kind::Base | Kind::Resource => Place::Group(Field::Sbase, 2),
                    Kind::ScalarOffset => Place::ScalarOffset,
                    Kind::Probe => Place::Bits(Field::Sdst),
                    _ => Place::Scalar(Field::Sdst),
                };
                push(kind, place, Role::Read);
            }
        }
        Format::Vop1 | Format::Vop2 | Format::Vopc => {
            for &kind in info.destinations {
                let place = match kind {
                    Kind::Mask => Place::Vcc,
                    Kind::Sgpr => Place::Scalar(Field::Vdst),
                    _ => Place::Vector(Field::Vdst),
                };
                push(kind, place, write);
            }
            let second = |kind| match kind {
                Kind::Lane => Place::ScalarSource(Field::Vsrc1),
                _ => Place::Vector(Field::Vsrc1),
            };
            let mut first = true;
            for &kind in info.sources {
                let place = match kind {
                    Kind::Mask => Place::Vcc,
                    Kind::Literal => Place::Literal,
                    _ if first => Place::Source(Field::Src0),
                    kind => second(kind),
                };
                first &= kind == Kind::Literal || kind == Kind::Mask;
                push(kind, place, Role::Read);
            }
        }
        Format::Vop3 => long_vector(opcode, write, &mut push),
        Format::Vintrp => {
            push(info.destinations[0], Place::Vector(Field::Vdst), write);
            for &kind in info.sources {
                let place = match kind {
                    Kind::Attribute => Place::Attribute,
                    Kind::Param => Place::Bits(Field::Vsrc),
                    _ => Place::Vector(Field::Vsrc),
                };
                push(kind, place, Role::Read);
            }
        }
        Format::Ds | Format::Flat => {
            for &kind in info.destinations {
                push(kind, Place::Vector(Field::Vdst), Role::Write);
            }
            let mut fields = [Field::Data0, Field::Data1].into_iter();
            for &kind in info.sources {
                let field = if kind == Kind::Address { Some(Field::Addr) } else { fields.next() };
                push(kind, Place::Vector(field.unwrap_or(Field::Data1)), Role::Read);
            }
        }
        Format::Mubuf | Format::Mtbuf => {
            if info.destinations.is_empty() && info.sources.is_empty() {
                if opcode == Opcode::BufferStoreLdsDword {
                    push(Kind::Resource, Place::Group(Field::Srsrc, 4), Role::Read);
                    push(Kind::B32, Place::ScalarSource(Field::Soffset), Role::Read);
                }
                return slots;
            }
            let (kind, role) = memory_data(opcode);
            push(kind, Place::Vector(Field::Vdata), role);
            push(Kind::Address, Place::BufferAddress, Role::Read);
            push(Kind::Resource, Place::Group(Field::Srsrc, 4), Role::Read);
            push(Kind::B32, Place::ScalarSource(Field::Soffset), Role::Read);
        }
        Format::Mimg => {
            let (kind, role) = memory_data(opcode);
            push(kind, Place::Vector(Field::Vdata), role);
            push(Kind::Address, Place::Vector(Field::Vaddr), Role::Read);
            push(Kind::ImageResource, Place::Group(Field::Srsrc, 4), Role::Read);
            if info.sources.contains(&Kind::Sampler) {
                push(Kind::Sampler, Place::Group(Field::Ssamp, 4), Role::Read);
            }
        }
        Format::Exp => {
            push(Kind::Target, Place::Bits(Field::Target), Role::Read);
            for channel in 0..4 {
                push(Kind::B32, Place::Export(channel), Role::Read);
            }
        }
    }
    slots
}

/// The data of a buffer or image operation; atomics read it, and write it if GLC is set.
fn memory_data(opcode: Opcode) -> (Kind, Role) {
    let info = opcode.info();
    let source = info.sources.iter().find(|kind| **kind != Kind::Sampler);
    match (info.destinations.first(), source) {
        (Some(kind), Some(_)) => (*kind, Role::Both),
        (Some(kind), None) => (*kind, Role::Write),
        (None, source) => (source.copied().unwrap_or(Kind::B32), Role::Read),
    }
}

fn scalar_source(format: Format, kind: Kind, fields: &mut impl Iterator<Item = Field>) -> Place {
    match kind {
        Kind::Imm | Kind::HwReg | Kind::Label | Kind::Wait | Kind::Message => {
            Place::Bits(Field::Simm16)
        }
        Kind::Literal => Place::Literal,
        Kind::GprIndex if format == Format::Sopp => Place::Bits(Field::Simm16),
        Kind::GprIndex => Place::Bits(Field::Ssrc1),
        _ if format == Format::Sopk => Place::Scalar(Field::Sdst),
        _ => Place::ScalarSource(fields.next().unwrap_or(Field::Ssrc1)),
    }
}

fn long_vector(opcode: Opcode, write: Role, push: &mut impl FnMut(Kind, Place, Role)) {
    let info = opcode.info();
    for (index, &kind) in info.destinations.iter().enumerate() {
        let place = match kind {
            _ if index > 0 => Place::Scalar(Field::Sdst),
            Kind::Mask | Kind::Sgpr => Place::Scalar(Field::Vdst),
            _ => Place::Vector(Field::Vdst),
        };
        push(kind, place, if index > 0 { Role::Write } else { write });
    }
    let interpolates = info.sources.contains(&Kind::Attribute);
    let fields = if interpolates {
        [Field::Src1, Field::Src2, Field::Src2]
    } else {
        [Field::Src0, Field::Src1, Field::Src2]
    };
    let mut fields = fields.into_iter();
    for &kind in info.sources {
        let place = match kind {
            Kind::Attribute => Place::Attribute,
            Kind::Param => Place::Bits(fields.next().unwrap_or(Field::Src2)),
            _ => Place::Source(fields.next().unwrap_or(Field::Src2)),
        };
        push(kind, place, Role::Read);
    }
}

#[cfg(test)]
mod tests {
    use super::{Format, slots};
    use crate::chip::Chip;
    use crate::instruction::MAX_OPERANDS;

    #[test]
    fn operands_fit_an_instruction() {
        for chip in Chip::ALL {
            for row in chip.rows() {
                assert!(row.slots.len() <= MAX_OPERANDS, "{:?}", row.opcode);
                assert_eq!(slots(row.format, row.opcode), row.slots);
            }
        }
    }

    #[test]
    fn numbers_of_rows() {
        assert_eq!(Chip::Si.rows().len(), 1107);
        assert_eq!(Chip::Vi.rows().len(), 1260);
        assert!(Chip::Si.rows().iter().all(|row| row.format != Format::Flat));
    }
}
