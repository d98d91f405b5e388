//! Dwords to instruction.

use super::DecodeError;
use super::encode::{
    DPP_CODE, LITERAL, SDWA_CODE, encode, scalar_tuple_exists, source_operand, takes_literal,
};
use super::fields::{DPP, FormatLayout, SDWA, layouts};
use crate::chip::Chip;
use crate::field::Field;
use crate::format::Format;
use crate::instruction::{Dpp, FLAGS, Instruction, Lanes, MAX_OPERANDS, Modifiers, Sdwa};
use crate::opcode::{Kind, Opcode};
use crate::operand::{Operand, Scalar};
use crate::slot::{Place, Row, Slot};

/// An instruction of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// Offset in dwords.
    pub offset: usize,
    /// Length in dwords.
    pub dwords: usize,
    /// The instruction.
    pub instruction: Instruction,
}

/// Decodes all dwords of a program.
///
/// # Errors
/// The first instruction that cannot be decoded, with its place.
pub fn decode_program(chip: Chip, words: &[u32]) -> Result<Vec<Located>, DecodeError> {
    decode_all(chip, words, decode_with_length)
}

/// Decodes all dwords of a program without the bits that have no meaning: every residue is 0.
///
/// # Errors
/// The first instruction that cannot be decoded, with its place.
pub fn decode_meaning(chip: Chip, words: &[u32]) -> Result<Vec<Located>, DecodeError> {
    decode_all(chip, words, |chip, words| {
        decode_without_residue(chip, words).map(|(instruction, length, _)| (instruction, length))
    })
}

/// Decodes the program that the dwords begin with, as [`decode_meaning`] does. It ends with the
/// first `s_endpgm` or `s_branch` that no jump before it goes past. Returns its length in dwords,
/// too.
///
/// # Errors
/// The first instruction that cannot be decoded, with its place. There is none after the last
/// dword.
pub fn decode_first(chip: Chip, words: &[u32]) -> Result<(Vec<Located>, usize), DecodeError> {
    let mut program = Vec::new();
    let (mut offset, mut farthest) = (0, 0);
    loop {
        let rest = words.get(offset..).unwrap_or(&[]);
        let (instruction, dwords, _) = decode_without_residue(chip, rest)
            .map_err(|error| DecodeError::At { offset: offset * 4, error: Box::new(error) })?;
        program.push(Located { offset, dwords, instruction });
        offset += dwords;
        if let Operand::Jump(distance) = instruction.operands[0] {
            farthest = farthest.max(offset.saturating_add_signed(distance as isize));
        }
        let goes_on = !matches!(instruction.opcode, Opcode::SEndpgm | Opcode::SBranch);
        if !goes_on && offset > farthest {
            return Ok((program, offset));
        }
    }
}

fn decode_all(
    chip: Chip,
    words: &[u32],
    decode: impl Fn(Chip, &[u32]) -> Result<(Instruction, usize), DecodeError>,
) -> Result<Vec<Located>, DecodeError> {
    let mut program = Vec::with_capacity(words.len());
    let mut offset = 0;
    while offset < words.len() {
        let (instruction, dwords) = decode(chip, &words[offset..])
            .map_err(|error| DecodeError::At { offset: offset * 4, error: Box::new(error) })?;
        program.push(Located { offset, dwords, instruction });
        offset += dwords;
    }
    Ok(program)
}

/// The dwords of bytes in memory order.
///
/// # Errors
/// The bytes are no whole number of dwords.
pub fn words_of_bytes(bytes: &[u8]) -> Result<Vec<u32>, DecodeError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(DecodeError::Length { bytes: bytes.len() });
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// Decodes the first instruction of the dwords.
///
/// # Errors
/// The dwords are no instruction of the chip.
pub fn decode(chip: Chip, words: &[u32]) -> Result<Instruction, DecodeError> {
    decode_with_length(chip, words).map(|(instruction, _)| instruction)
}

fn decode_with_length(chip: Chip, words: &[u32]) -> Result<(Instruction, usize), DecodeError> {
    let (mut instruction, length, layout) = decode_without_residue(chip, words)?;
    instruction.residue = residue(chip, &instruction, layout, &words[..length]);
    Ok((instruction, length))
}

/// Decodes an instruction; returns its length in dwords and its layout, too.
fn decode_without_residue(
    chip: Chip,
    words: &[u32],
) -> Result<(Instruction, usize, &'static FormatLayout), DecodeError> {
    let &word = words.first().ok_or(DecodeError::Truncated { word: 0 })?;
    let unknown = || DecodeError::Opcode { chip: chip.name(), word };
    let layout = layouts(chip).iter().find(|layout| layout.matches(word)).ok_or_else(unknown)?;
    let number = layout.get(u64::from(word), Field::Op) as u16;
    let row = chip.row_of_number(layout.format, number).ok_or_else(unknown)?;
    let mut decoder =
        Decoder { chip, row, layout, words, bits: u64::from(word), used: layout.dwords.into() };
    if layout.dwords == 2 {
        decoder.bits |= u64::from(decoder.word(1)?) << 32;
    }
    let instruction = decoder.instruction()?;
    Ok((instruction, decoder.used, layout))
}

/// Difference of the dwords from those of the instruction without residue.
fn residue(chip: Chip, instruction: &Instruction, layout: &FormatLayout, words: &[u32]) -> u64 {
    let Ok(encoded) = encode(chip, instruction) else { return 0 };
    let first = u64::from(words[0] ^ encoded[0]);
    let second = layout.dwords == 2 || instruction.modifiers.lanes != Lanes::Own;
    match (words.get(1), encoded.get(1)) {
        (Some(a), Some(b)) if second => first | u64::from(a ^ b) << 32,
        _ => first,
    }
}

struct Decoder<'a> {
    chip: Chip,
    row: &'static Row,
    layout: &'static FormatLayout,
    words: &'a [u32],
    bits: u64,
    /// Number of dwords used.
    used: usize,
}

impl Decoder<'_> {
    fn word(&self, index: usize) -> Result<u32, DecodeError> {
        self.words.get(index).copied().ok_or(DecodeError::Truncated { word: self.words[0] })
    }

    fn get(&self, field: Field) -> u32 {
        self.layout.get(self.bits, field)
    }

    fn instruction(&mut self) -> Result<Instruction, DecodeError> {
        let mut modifiers = self.modifiers();
        let mut operands = [Operand::Off; MAX_OPERANDS];
        modifiers.lanes = self.lanes(&mut modifiers)?.without_unused(self.row);
        modifiers.neg &= self.row.signed_sources();
        modifiers.abs &= self.row.signed_sources();
        let literal = self.literal(modifiers.lanes)?;
        for (slot, operand) in self.row.slots.iter().zip(&mut operands) {
            *operand = self.operand(slot, &modifiers, literal)?;
        }
        Ok(Instruction {
            opcode: self.row.opcode,
            format: self.row.format,
            operands,
            modifiers,
            residue: 0,
        })
    }

    fn modifiers(&self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        let attribute = self.row.slots.iter().any(|slot| slot.kind == Kind::Attribute);
        for flag in FLAGS {
            let absent = match flag.field {
                Field::High => !attribute,
                Field::Clamp => self.row.has_sdst() && self.chip == Chip::Si,
                Field::Addr64 | Field::Idxen | Field::Offen => self.row.slots.len() < 4,
                _ => false,
            };
            (flag.set)(&mut modifiers, !absent && self.get(flag.field) != 0);
        }
        modifiers.neg = self.get(Field::Neg) as u8;
        modifiers.omod = self.get(Field::Omod) as u8;
        if !self.row.has_sdst() {
            modifiers.abs = self.get(Field::Abs) as u8;
        }
        if self.row.format == Format::Ds && self.row.opcode.has_two_offsets() {
            modifiers.offsets = [self.get(Field::Offset0) as u8, self.get(Field::Offset1) as u8];
        } else if self.row.format != Format::Smem {
            modifiers.offset = self.get(Field::Offset);
        }
        modifiers.dmask = self.get(Field::Dmask) as u8;
        modifiers.dfmt = self.get(Field::Dfmt) as u8;
        modifiers.nfmt = self.get(Field::Nfmt) as u8;
        if self.row.format == Format::Mimg {
            modifiers.address_dwords = self.row.opcode.usual_address_dwords();
        }
        modifiers
    }

    /// Reads the second dword of data-parallel primitives or sub-dword addressing.
    fn lanes(&mut self, modifiers: &mut Modifiers) -> Result<Lanes, DecodeError> {
        if self.chip == Chip::Si || !self.row.takes_lanes() {
            return Ok(Lanes::Own);
        }
        let first = self.row.slots.iter().any(|slot| slot.place == Place::Source(Field::Src0));
        let layout = match self.get(Field::Src0) {
            SDWA_CODE if first => SDWA,
            DPP_CODE if first => DPP,
            _ => return Ok(Lanes::Own),
        };
        let bits = u64::from(self.word(1)?);
        self.used = 2;
        self.bits |= bits << 32;
        let get = |field| layout.get(bits, field);
        modifiers.neg = (get(Field::Neg0) | get(Field::Neg1) << 1) as u8;
        modifiers.abs = (get(Field::Abs0) | get(Field::Abs1) << 1) as u8;
        modifiers.clamp = get(Field::Clamp) != 0;
        Ok(if std::ptr::eq(layout, DPP) {
            Lanes::Dpp(Dpp {
                control: get(Field::DppControl) as u16,
                bound_control: get(Field::BoundControl) != 0,
                row_mask: get(Field::RowMask) as u8,
                bank_mask: get(Field::BankMask) as u8,
            })
        } else {
            Lanes::Sdwa(Sdwa {
                destination: get(Field::DestinationSelect) as u8,
                unused: get(Field::DestinationUnused) as u8,
                sources: [get(Field::Select0) as u8, get(Field::Select1) as u8],
                sext: [get(Field::Sext0) != 0, get(Field::Sext1) != 0],
            })
        })
    }

    fn literal(&mut self, lanes: Lanes) -> Result<Option<u32>, DecodeError> {
        let needs = |slot: &Slot| match slot.place {
            Place::Literal => true,
            Place::ScalarSource(field) | Place::Source(field) => {
                takes_literal(self.row.format) && self.get(field) == LITERAL
            }
            _ => false,
        };
        if lanes != Lanes::Own || !self.row.slots.iter().any(needs) {
            return Ok(None);
        }
        let literal = self.word(self.used)?;
        self.used += 1;
        Ok(Some(literal))
    }

    fn operand(
        &self,
        slot: &Slot,
        modifiers: &Modifiers,
        literal: Option<u32>,
    ) -> Result<Operand, DecodeError> {
        let count = slot.dwords(modifiers, self.row.opcode);
        let invalid = |code| DecodeError::Operand { mnemonic: self.row.opcode.mnemonic(), code };
        let operand = match slot.place {
            Place::Scalar(field) => {
                let code = self.get(field);
                let register = u8::try_from(code).ok().filter(|code| *code < 128);
                Operand::Scalar(Scalar(register.ok_or_else(|| invalid(code))?))
            }
            Place::Vector(Field::Vdst) if self.no_returned_value(modifiers) => Operand::Off,
            Place::Vector(field) => Operand::Vector(self.get(field) as u8),
            Place::ScalarSource(field) | Place::Source(field) => {
                self.source(field, slot, modifiers, literal)?
            }
            Place::Group(field, unit) => {
                let code = self.get(field) * u32::from(unit);
                let register = u8::try_from(code).ok().filter(|code| *code < 128);
                Operand::Scalar(Scalar(register.ok_or_else(|| invalid(code))?))
            }
            Place::Bits(field) => match slot.kind {
                Kind::Label => Operand::Jump(self.get(field) as u16 as i16),
                Kind::Target => Operand::Target(self.get(field) as u8),
                Kind::Param if self.get(field) < 3 => Operand::Param(self.get(field) as u8),
                Kind::Param => return Err(invalid(self.get(field))),
                _ => Operand::Immediate(self.get(field)),
            },
            Place::Literal => Operand::Literal(literal.unwrap_or(0)),
            Place::Vcc => Operand::Scalar(Scalar::VCC),
            Place::ScalarOffset if self.get(Field::Imm) != 0 => {
                Operand::Immediate(self.get(Field::Offset))
            }
            Place::ScalarOffset => {
                let code = self.get(Field::Offset);
                let register = u8::try_from(code).ok().filter(|code| *code < 128);
                Operand::Scalar(Scalar(register.ok_or_else(|| invalid(code))?))
            }
            Place::BufferAddress if count == 0 => Operand::Off,
            Place::BufferAddress => Operand::Vector(self.get(Field::Vaddr) as u8),
            Place::Attribute => Operand::Attribute {
                attribute: self.get(Field::Attr) as u8,
                channel: self.get(Field::Chan) as u8,
            },
            Place::Export(channel) => self.export(channel, modifiers),
        };
        let exists = match operand {
            Operand::Scalar(register) => scalar_tuple_exists(self.chip, register, count.into()),
            Operand::Vector(first) => usize::from(first) + usize::from(count) <= 256,
            _ => true,
        };
        let first = match operand {
            Operand::Scalar(register) => u32::from(register.0),
            Operand::Vector(first) => u32::from(first),
            _ => 0,
        };
        if exists {
            Ok(operand)
        } else {
            Err(DecodeError::Tuple { mnemonic: self.row.opcode.mnemonic(), first, count })
        }
    }

    fn no_returned_value(&self, modifiers: &Modifiers) -> bool {
        self.row.format == Format::Flat && self.row.opcode.is_atomic() && !modifiers.glc
    }

    fn source(
        &self,
        field: Field,
        slot: &Slot,
        modifiers: &Modifiers,
        literal: Option<u32>,
    ) -> Result<Operand, DecodeError> {
        let code = self.get(field);
        let invalid = || DecodeError::Operand { mnemonic: self.row.opcode.mnemonic(), code };
        if field == Field::Src0 && modifiers.lanes != Lanes::Own {
            // The first byte of the second dword in both layouts.
            return Ok(Operand::Vector((self.bits >> 32) as u8));
        }
        let operand = source_operand(self.chip, code, literal).ok_or_else(invalid)?;
        let allowed = match slot.kind {
            Kind::Vgpr => matches!(operand, Operand::Vector(_)),
            Kind::Mask => matches!(operand, Operand::Scalar(_)),
            Kind::Lane | Kind::LaneValue => {
                !matches!(operand, Operand::Vector(_) | Operand::Literal(_))
            }
            _ => true,
        };
        if allowed { Ok(operand) } else { Err(invalid()) }
    }

    fn export(&self, channel: u8, modifiers: &Modifiers) -> Operand {
        if self.get(Field::En) >> channel & 1 == 0 {
            return Operand::Off;
        }
        let index = if modifiers.compr { channel / 2 } else { channel };
        Operand::Vector((self.bits >> (32 + 8 * index)) as u8)
    }
}

impl Opcode {
    /// True for DS operations with two offsets in elements.
    pub fn has_two_offsets(self) -> bool {
        let name = self.mnemonic();
        ["ds_read2", "ds_write2", "ds_wrxchg2"].iter().any(|prefix| name.starts_with(prefix))
    }

    /// Number of registers that an image address has at least, in one dimension.
    pub fn least_address_dwords(self) -> u8 {
        let name = self.mnemonic();
        if name == "image_get_resinfo" {
            return 1;
        }
        let has = |part: &str| u8::from(name.split('_').any(|word| word == part));
        let derivatives = 2 * (has("d") + has("cd"));
        1 + has("o") + has("b") + has("c") + has("l") + has("cl") + has("mip") + derivatives
    }

    /// Number of registers of an image address in two dimensions. The encoding does not say it.
    pub fn usual_address_dwords(self) -> u8 {
        let name = self.mnemonic();
        if name == "image_get_resinfo" {
            return 1;
        }
        let parts: Vec<&str> = name.split('_').collect();
        let has = |part: &str| u8::from(parts.contains(&part));
        let derivatives = 4 * (has("d") + has("cd"));
        let dwords =
            2 + has("o") + has("b") + has("c") + has("l") + has("cl") + has("mip") + derivatives;
        if dwords > 8 { 16 } else { dwords }
    }
}
