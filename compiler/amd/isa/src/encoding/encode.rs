//! Instruction to dwords.

use super::EncodeError;
use super::fields::{DPP, FormatLayout, SDWA, layout};
use crate::chip::Chip;
use crate::field::Field;
use crate::format::Format;
use crate::instruction::{FLAGS, Instruction, Lanes};
use crate::opcode::Kind;
use crate::operand::{InlineFloat, Operand, Scalar, Status};
use crate::slot::{Place, Row, Slot};

/// Code of a source whose value is the literal.
pub(super) const LITERAL: u32 = 255;
/// Code of a first source with sub-dword addressing.
pub(super) const SDWA_CODE: u32 = 249;
/// Code of a first source with data-parallel primitives.
pub(super) const DPP_CODE: u32 = 250;

/// The dwords of an instruction.
///
/// # Errors
/// The chip lacks the opcode, or a value does not fit its field.
pub fn encode(chip: Chip, instruction: &Instruction) -> Result<Vec<u32>, EncodeError> {
    Encoder::new(chip, instruction)?.encode()
}

struct Encoder<'a> {
    chip: Chip,
    instruction: &'a Instruction,
    row: &'static Row,
    layout: &'static FormatLayout,
    bits: u64,
    /// Second dword of data-parallel primitives or sub-dword addressing.
    lanes: u64,
    literal: Option<u32>,
}

impl<'a> Encoder<'a> {
    fn new(chip: Chip, instruction: &'a Instruction) -> Result<Encoder<'a>, EncodeError> {
        let unknown = || EncodeError::Opcode {
            mnemonic: instruction.opcode.mnemonic(),
            format: format!("{:?}", instruction.format),
            chip: chip.name(),
        };
        let row = chip.row(instruction.format, instruction.opcode).ok_or_else(unknown)?;
        let layout = layout(chip, instruction.format).ok_or_else(unknown)?;
        let bits = layout.prefix_bits.into();
        Ok(Encoder { chip, instruction, row, layout, bits, lanes: 0, literal: None })
    }

    fn mnemonic(&self) -> &'static str {
        self.row.opcode.mnemonic()
    }

    fn set(&mut self, field: Field, value: u32, what: &str) -> Result<(), EncodeError> {
        if self.layout.set(&mut self.bits, field, value) {
            Ok(())
        } else {
            let what = format!("{what} {value}");
            Err(EncodeError::Range { mnemonic: self.mnemonic(), what })
        }
    }

    fn encode(mut self) -> Result<Vec<u32>, EncodeError> {
        self.set(Field::Op, u32::from(self.row.number), "opcode")?;
        let slots = &self.row.slots;
        for (index, slot) in slots.iter().enumerate() {
            self.operand(index, slot)?;
        }
        if let Some(extra) =
            self.instruction.operands[slots.len()..].iter().find(|o| **o != Operand::Off)
        {
            return Err(self.operand_error(slots.len(), extra));
        }
        self.modifiers()?;
        self.lanes()?;
        let bits = self.bits ^ self.instruction.residue;
        let mut words = Vec::with_capacity(3);
        words.push(bits as u32);
        if self.layout.dwords == 2 {
            words.push((bits >> 32) as u32);
        } else if self.instruction.modifiers.lanes != Lanes::Own {
            words.push((self.lanes ^ self.instruction.residue >> 32) as u32);
        } else if self.instruction.residue >> 32 != 0 {
            let what = "residue of a second dword".to_string();
            return Err(EncodeError::Range { mnemonic: self.mnemonic(), what });
        }
        words.extend(self.literal);
        Ok(words)
    }

    fn operand_error(&self, index: usize, operand: &Operand) -> EncodeError {
        let what = format!("{operand:?}");
        EncodeError::Operand { mnemonic: self.mnemonic(), number: index + 1, what }
    }

    fn operand(&mut self, index: usize, slot: &Slot) -> Result<(), EncodeError> {
        let operand = self.instruction.operands[index];
        let error = || self.operand_error(index, &operand);
        self.check_tuple(index, slot)?;
        match (slot.place, operand) {
            (Place::Scalar(field), Operand::Scalar(Scalar(code))) => {
                self.set(field, u32::from(code), "register")
            }
            (Place::Vector(field), Operand::Vector(number)) => {
                self.set(field, u32::from(number), "register")
            }
            (Place::Vector(Field::Vdst), Operand::Off) if self.no_returned_value() => Ok(()),
            (Place::ScalarSource(_) | Place::Source(_), _) => self.source(index, slot),
            (Place::Group(field, unit), Operand::Scalar(Scalar(code))) if code % unit == 0 => {
                self.set(field, u32::from(code / unit), "register")
            }
            (Place::Bits(Field::Target), Operand::Target(target)) => {
                self.set(Field::Target, u32::from(target), "target")
            }
            (Place::Bits(field), Operand::Jump(distance)) if slot.kind == Kind::Label => {
                self.set(field, u32::from(distance as u16), "distance")
            }
            (Place::Bits(field), Operand::Param(param)) => {
                self.set(field, u32::from(param), "parameter")
            }
            (Place::Bits(field), Operand::Immediate(value)) => self.set(field, value, "constant"),
            (Place::Literal, Operand::Literal(value)) => self.literal(value),
            (Place::Vcc, Operand::Scalar(Scalar::VCC)) => Ok(()),
            (Place::ScalarOffset, Operand::Immediate(value)) => {
                self.set(Field::Imm, 1, "mode")?;
                self.set(Field::Offset, value, "offset")
            }
            (Place::ScalarOffset, Operand::Scalar(Scalar(code))) => {
                self.set(Field::Offset, u32::from(code), "register")
            }
            (Place::BufferAddress, Operand::Vector(number))
                if slot.dwords(&self.instruction.modifiers, self.row.opcode) > 0 =>
            {
                self.set(Field::Vaddr, u32::from(number), "register")
            }
            (Place::BufferAddress, Operand::Off)
                if slot.dwords(&self.instruction.modifiers, self.row.opcode) == 0 =>
            {
                Ok(())
            }
            (Place::Attribute, Operand::Attribute { attribute, channel }) => {
                self.set(Field::Attr, u32::from(attribute), "attribute")?;
                self.set(Field::Chan, u32::from(channel), "channel")
            }
            (Place::Export(channel), operand) => self.export(index, channel, operand),
            _ => Err(error()),
        }
    }

    /// True for an atomic of flat memory that returns nothing.
    fn no_returned_value(&self) -> bool {
        self.row.format == Format::Flat
            && self.row.opcode.is_atomic()
            && !self.instruction.modifiers.glc
    }

    /// Checks that the registers of an operand exist.
    fn check_tuple(&self, index: usize, slot: &Slot) -> Result<(), EncodeError> {
        let operand = &self.instruction.operands[index];
        let count = u32::from(slot.dwords(&self.instruction.modifiers, self.row.opcode));
        let fits = match *operand {
            Operand::Scalar(register) => scalar_tuple_exists(self.chip, register, count),
            Operand::Vector(first) => u32::from(first) + count <= 256,
            _ => true,
        };
        if fits { Ok(()) } else { Err(self.operand_error(index, operand)) }
    }

    fn source(&mut self, index: usize, slot: &Slot) -> Result<(), EncodeError> {
        let operand = self.instruction.operands[index];
        let (Place::ScalarSource(field) | Place::Source(field)) = slot.place else {
            return Err(self.operand_error(index, &operand));
        };
        let lanes = self.instruction.modifiers.lanes;
        if field == Field::Src0 && self.row.format.is_short_vector() && lanes != Lanes::Own {
            let Operand::Vector(number) = operand else {
                return Err(self.operand_error(index, &operand));
            };
            let (layout, code) = match lanes {
                Lanes::Sdwa(_) => (SDWA, SDWA_CODE),
                _ => (DPP, DPP_CODE),
            };
            layout.set(&mut self.lanes, Field::LaneSource, u32::from(number));
            return self.set(Field::Src0, code, "source");
        }
        let allowed = match (slot.kind, operand) {
            (Kind::Vgpr, operand) => matches!(operand, Operand::Vector(_)),
            (Kind::Mask, operand) => matches!(operand, Operand::Scalar(_)),
            (Kind::Lane | Kind::LaneValue, operand) => !matches!(operand, Operand::Vector(_)),
            (_, Operand::Literal(_)) => self.takes_literal(),
            _ => true,
        };
        let code = source_code(self.chip, operand).filter(|_| allowed);
        let Some(code) = code else { return Err(self.operand_error(index, &operand)) };
        if matches!(slot.place, Place::ScalarSource(_)) && code > 255 {
            return Err(self.operand_error(index, &operand));
        }
        if let Operand::Literal(value) = operand {
            self.literal(value)?;
        }
        self.set(field, code, "source")
    }

    fn takes_literal(&self) -> bool {
        takes_literal(self.row.format)
    }

    fn literal(&mut self, value: u32) -> Result<(), EncodeError> {
        match self.literal {
            Some(first) if first != value => {
                Err(EncodeError::Literals { mnemonic: self.mnemonic(), first, second: value })
            }
            _ => {
                self.literal = Some(value);
                Ok(())
            }
        }
    }

    /// Sets the register and the enable bit of an exported value. With COMPR two channels share a
    /// register.
    fn export(&mut self, index: usize, channel: u8, operand: Operand) -> Result<(), EncodeError> {
        const FIELDS: [Field; 4] = [
            Field::ExportSource0,
            Field::ExportSource1,
            Field::ExportSource2,
            Field::ExportSource3,
        ];
        let number = match operand {
            Operand::Off => return Ok(()),
            Operand::Vector(number) => u32::from(number),
            _ => return Err(self.operand_error(index, &operand)),
        };
        self.bits |= 1 << channel;
        let compressed = self.instruction.modifiers.compr;
        let field = FIELDS[usize::from(if compressed { channel / 2 } else { channel })];
        let even = self.instruction.operands[index - usize::from(channel & 1)];
        if compressed && channel & 1 == 1 && even != Operand::Off {
            let same = even == operand;
            return if same { Ok(()) } else { Err(self.operand_error(index, &operand)) };
        }
        self.set(field, number, "register")
    }

    fn modifiers(&mut self) -> Result<(), EncodeError> {
        let modifiers = self.instruction.modifiers;
        for flag in FLAGS {
            let sub_dword = matches!(modifiers.lanes, Lanes::Sdwa(_));
            let elsewhere = flag.field == Field::Clamp && sub_dword;
            if !(flag.get)(&modifiers) || elsewhere {
                continue;
            }
            if self.row.format == Format::Vop3
                && flag.field == Field::High
                && !self.row.slots.iter().any(|slot| slot.kind == Kind::Attribute)
            {
                return Err(self.no_modifier(flag.text));
            }
            self.set(flag.field, 1, flag.text).map_err(|_| self.no_modifier(flag.text))?;
        }
        if (modifiers.neg | modifiers.abs) & !self.row.signed_sources() != 0 {
            return Err(self.no_modifier("neg and abs"));
        }
        let long = self.row.format == Format::Vop3;
        if long {
            self.set(Field::Neg, u32::from(modifiers.neg), "neg")?;
            self.set(Field::Omod, u32::from(modifiers.omod), "omod")?;
            if modifiers.abs != 0 && self.row.has_sdst() {
                return Err(self.no_modifier("abs"));
            }
            if modifiers.clamp && self.row.has_sdst() && self.chip == Chip::Si {
                return Err(self.no_modifier("clamp"));
            }
            self.set(Field::Abs, u32::from(modifiers.abs), "abs")?;
        } else if modifiers.omod != 0 {
            return Err(self.no_modifier("omod"));
        } else if modifiers.lanes == Lanes::Own && modifiers.neg | modifiers.abs != 0 {
            return Err(self.no_modifier("neg and abs"));
        }
        let two = self.row.format == Format::Ds && self.row.opcode.has_two_offsets();
        if two {
            self.set(Field::Offset0, u32::from(modifiers.offsets[0]), "offset0")?;
            self.set(Field::Offset1, u32::from(modifiers.offsets[1]), "offset1")?;
        }
        if self.row.format != Format::Smem && (!two || modifiers.offset != 0) {
            self.set(Field::Offset, modifiers.offset, "offset")?;
        }
        self.set(Field::Dmask, u32::from(modifiers.dmask), "dmask")?;
        self.set(Field::Dfmt, u32::from(modifiers.dfmt), "dfmt")?;
        self.set(Field::Nfmt, u32::from(modifiers.nfmt), "nfmt")
    }

    fn no_modifier(&self, what: &str) -> EncodeError {
        EncodeError::Range { mnemonic: self.mnemonic(), what: format!("modifier {what}") }
    }

    /// Sets the second dword of data-parallel primitives or sub-dword addressing.
    fn lanes(&mut self) -> Result<(), EncodeError> {
        let modifiers = self.instruction.modifiers;
        let bits = &mut self.lanes;
        let source = |index: u8| (modifiers.neg >> index & 1, modifiers.abs >> index & 1);
        let [(neg0, abs0), (neg1, abs1)] = [source(0), source(1)];
        let signs =
            [(Field::Neg0, neg0), (Field::Abs0, abs0), (Field::Neg1, neg1), (Field::Abs1, abs1)];
        let (layout, values) = match modifiers.lanes {
            Lanes::Own => return Ok(()),
            _ if self.chip == Chip::Si || !self.row.takes_lanes() => {
                return Err(self.no_modifier("of lanes"));
            }
            Lanes::Dpp(dpp) => (
                DPP,
                vec![
                    (Field::DppControl, u32::from(dpp.control)),
                    (Field::BoundControl, u32::from(dpp.bound_control)),
                    (Field::BankMask, u32::from(dpp.bank_mask)),
                    (Field::RowMask, u32::from(dpp.row_mask)),
                ],
            ),
            Lanes::Sdwa(sdwa) => (
                SDWA,
                vec![
                    (Field::DestinationSelect, u32::from(sdwa.destination)),
                    (Field::DestinationUnused, u32::from(sdwa.unused)),
                    (Field::Clamp, u32::from(modifiers.clamp)),
                    (Field::Select0, u32::from(sdwa.sources[0])),
                    (Field::Select1, u32::from(sdwa.sources[1])),
                    (Field::Sext0, u32::from(sdwa.sext[0])),
                    (Field::Sext1, u32::from(sdwa.sext[1])),
                ],
            ),
        };
        let fits = values.into_iter().all(|(field, value)| layout.set(bits, field, value))
            && signs.iter().all(|&(field, value)| layout.set(bits, field, u32::from(value)));
        if fits { Ok(()) } else { Err(self.no_modifier("of lanes")) }
    }
}

/// True if an instruction of the format may be followed by a literal.
pub(super) fn takes_literal(format: Format) -> bool {
    matches!(
        format,
        Format::Sop2 | Format::Sop1 | Format::Sopc | Format::Vop1 | Format::Vop2 | Format::Vopc
    )
}

/// True if a tuple of scalar registers stays within the registers of its kind.
pub(super) fn scalar_tuple_exists(chip: Chip, register: Scalar, count: u32) -> bool {
    let code = u32::from(register.0);
    let end = code + count;
    let groups: &[(u32, u32)] = match chip {
        Chip::Si => &[(0, 104), (106, 108), (108, 110), (110, 112), (112, 124)],
        Chip::Vi => {
            &[(0, 102), (102, 104), (104, 106), (106, 108), (108, 110), (110, 112), (112, 124)]
        }
    };
    let special = [(124, 125), (126, 128)];
    groups.iter().chain(&special).any(|&(first, last)| first <= code && end <= last)
}

/// The code of a source operand in a field of 9 bits.
fn source_code(chip: Chip, operand: Operand) -> Option<u32> {
    match operand {
        Operand::Scalar(Scalar(code)) if code < 128 => Some(u32::from(code)),
        Operand::Vector(number) => Some(256 + u32::from(number)),
        Operand::Integer(value @ 0..=64) => Some(128 + value as u32),
        Operand::Integer(value @ -16..=-1) => Some(192 + value.unsigned_abs() as u32),
        Operand::Float(InlineFloat::InverseTwoPi) if chip == Chip::Si => None,
        Operand::Float(constant) => {
            let index = InlineFloat::ALL.iter().position(|other| *other == constant)?;
            Some(240 + index as u32)
        }
        Operand::Status(status) => {
            let index = Status::ALL.iter().position(|other| *other == status)?;
            Some(251 + index as u32)
        }
        Operand::Literal(_) => Some(LITERAL),
        _ => None,
    }
}

/// The operand of a code in a field of 9 bits; literals have `literal`.
pub(super) fn source_operand(chip: Chip, code: u32, literal: Option<u32>) -> Option<Operand> {
    match code {
        0..=127 => Some(Operand::Scalar(Scalar(code as u8))),
        128..=192 => Some(Operand::Integer((code - 128) as i8)),
        193..=208 => Some(Operand::Integer(192_i32.wrapping_sub(code as i32) as i8)),
        248 if chip == Chip::Si => None,
        240..=248 => InlineFloat::ALL.get(code as usize - 240).map(|c| Operand::Float(*c)),
        251..=254 => Status::ALL.get(code as usize - 251).map(|s| Operand::Status(*s)),
        LITERAL => literal.map(Operand::Literal),
        256..=511 => Some(Operand::Vector((code - 256) as u8)),
        _ => None,
    }
}
