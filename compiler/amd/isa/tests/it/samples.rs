//! One plain instruction of every row of the opcode tables.

use amd_isa::{Chip, Format, Instruction, Kind, Opcode, Operand, Place, Row, Scalar, Slot, encode};
use amd_isa::{EncodeError, print_instruction};

/// Name, text and dwords of an instruction of every row.
pub(crate) fn samples(chip: Chip) -> Result<Vec<(String, String, Vec<u32>)>, EncodeError> {
    let sample = |row| {
        let instruction = sample(chip, row);
        let words = encode(chip, &instruction)?;
        let name = format!("{:?} {}", row.format, row.opcode.mnemonic());
        Ok((name, print_instruction(chip, &instruction), words))
    };
    chip.rows().iter().map(sample).collect()
}

fn sample(chip: Chip, row: &Row) -> Instruction {
    let mut instruction = Instruction::new(row.format, row.opcode, &[]);
    let modifiers = &mut instruction.modifiers;
    let name = row.opcode.mnemonic();
    match row.format {
        Format::Mubuf | Format::Mtbuf if row.slots.len() == 4 => modifiers.idxen = true,
        Format::Mubuf if row.opcode == Opcode::BufferStoreLdsDword => modifiers.lds = true,
        Format::Mimg => {
            modifiers.dmask = image_channels(name);
            modifiers.address_dwords = row.opcode.usual_address_dwords();
        }
        Format::Ds if name.starts_with("ds_gws") || name.starts_with("ds_ordered") => {
            modifiers.gds = true;
        }
        Format::Exp => modifiers.done = true,
        _ => {}
    }
    if row.format == Format::Mtbuf {
        (modifiers.dfmt, modifiers.nfmt) = (4, 4);
    }
    for (index, slot) in row.slots.iter().enumerate() {
        instruction.operands[index] = operand(chip, &instruction, index as u8, slot);
    }
    instruction
}

/// Channels that make the size of the data right: compare and swap have two values.
fn image_channels(name: &str) -> u8 {
    match name {
        "image_atomic_cmpswap" | "image_atomic_fcmpswap" => 3,
        _ if name.contains("atomic") || name.contains("gather4") => 1,
        _ => 0xf,
    }
}

fn operand(chip: Chip, instruction: &Instruction, index: u8, slot: &Slot) -> Operand {
    let scalar = Operand::s(4 * index + 8);
    let vector = Operand::v(4 * index + 4);
    match (slot.kind, slot.place) {
        (Kind::Label, _) => Operand::Jump(5),
        (Kind::Literal, _) => Operand::Literal(0x1234_5678),
        (Kind::Message, _) => Operand::Immediate(0x12),
        (Kind::Wait, _) => Operand::Immediate(0x17f),
        (Kind::HwReg, _) => Operand::Immediate(0xf801),
        (Kind::Target, _) => Operand::Target(0),
        (Kind::Param, _) => Operand::Param(1),
        (Kind::Attribute, _) => Operand::Attribute { attribute: 1, channel: 2 },
        (Kind::Lane | Kind::LaneValue, _) => Operand::Integer(5),
        (Kind::Vgpr, _) => vector,
        (_, Place::Vcc) => Operand::Scalar(Scalar::VCC),
        (_, Place::Bits(_) | Place::ScalarOffset) => Operand::Immediate(2),
        (Kind::Mask, _) => scalar,
        (_, Place::Scalar(_) | Place::ScalarSource(_) | Place::Group(..)) => scalar,
        (Kind::B256 | Kind::B512, _) => Operand::s(16),
        (_, Place::Vector(_)) if instruction.opcode.is_flat() && index == 0 => {
            // An atomic without GLC returns nothing.
            let silent = instruction.opcode.is_atomic() && chip == Chip::Vi;
            if silent { Operand::Off } else { vector }
        }
        _ => vector,
    }
}
