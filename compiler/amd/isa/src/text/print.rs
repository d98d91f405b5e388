//! Instruction to text.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::names::{
    COUNTERS, GS_OPERATIONS, HARDWARE_REGISTERS, MESSAGES, PERMUTATIONS, ROW_SHIFTS, SELECTIONS,
    UNUSED, scalar_text, target_text, tuple_text,
};
use super::operands::inline_constant;
use crate::chip::Chip;
use crate::encoding::Located;
use crate::format::Format;
use crate::instruction::{Dpp, FLAGS, Instruction, Lanes, Sdwa};
use crate::opcode::Kind;
use crate::operand::{InlineFloat, Operand};
use crate::slot::{Place, Row, Slot, source_index};

/// The text of an instruction, in one line without indentation. Jumps have numbers.
pub fn print_instruction(chip: Chip, instruction: &Instruction) -> String {
    Printer { chip, instruction, row: chip.row(instruction.format, instruction.opcode) }.print(None)
}

/// The text of a program, with labels where jumps lead to. Jumps to other places have numbers.
pub fn print_program(chip: Chip, program: &[Located]) -> String {
    program_rows(chip, program).into_iter().map(|(_, text)| text + "\n").collect()
}

/// The lines of [`print_program`], each with the offset of its instruction in dwords.
pub fn program_rows(chip: Chip, program: &[Located]) -> Vec<(usize, String)> {
    let starts: BTreeSet<usize> = program.iter().map(|located| located.offset).collect();
    let target = |located: &Located| {
        let jump = located.instruction.operands.iter().find_map(|operand| match operand {
            Operand::Jump(distance) => Some(isize::from(*distance)),
            _ => None,
        })?;
        let end = isize::try_from(located.offset + located.dwords).ok()?;
        usize::try_from(end + jump).ok().filter(|target| starts.contains(target))
    };
    let targets: BTreeSet<usize> = program.iter().filter_map(target).collect();
    let label = |offset: usize| format!("L{:04x}", offset * 4);
    let mut rows = Vec::new();
    for located in program {
        if targets.contains(&located.offset) {
            rows.push((located.offset, format!("{}:", label(located.offset))));
        }
        let instruction = &located.instruction;
        let row = chip.row(instruction.format, instruction.opcode);
        let text = Printer { chip, instruction, row }.print(target(located).map(label));
        rows.push((located.offset, format!("    {text}")));
    }
    rows
}

struct Printer<'a> {
    chip: Chip,
    instruction: &'a Instruction,
    row: Option<&'static Row>,
}

impl Printer<'_> {
    fn print(&self, label: Option<String>) -> String {
        let Some(row) = self.row else {
            return format!("{:?}", self.instruction);
        };
        let mut out = self.mnemonic();
        let mut separator = " ";
        for (index, slot) in row.slots.iter().enumerate() {
            if self.is_silent(index, slot) {
                continue;
            }
            let text = match (&label, slot.kind) {
                (Some(label), Kind::Label) => label.clone(),
                _ => self.operand(index, slot),
            };
            let formats = row.format == Format::Mtbuf && index == 3;
            if formats {
                let modifiers = &self.instruction.modifiers;
                let _ = write!(out, ", dfmt:{}, nfmt:{}", modifiers.dfmt, modifiers.nfmt);
            }
            out.push_str(separator);
            out.push_str(&text);
            separator = if slot.kind == Kind::Target { " " } else { ", " };
        }
        self.modifiers(row, &mut out);
        if self.instruction.residue != 0 {
            let _ = write!(out, " ; raw {:#x}", self.instruction.residue);
        }
        out
    }

    fn mnemonic(&self) -> String {
        let Instruction { opcode, format, modifiers, .. } = self.instruction;
        let name = opcode.mnemonic();
        let both =
            |a, b| self.chip.row(a, *opcode).is_some() && self.chip.row(b, *opcode).is_some();
        let suffix = match modifiers.lanes {
            Lanes::Dpp(_) => "_dpp",
            Lanes::Sdwa(_) => "_sdwa",
            Lanes::Own if *format == Format::Vop3 => {
                let short = [Format::Vop1, Format::Vop2, Format::Vopc, Format::Vintrp];
                if short.into_iter().any(|other| both(other, Format::Vop3)) { "_e64" } else { "" }
            }
            Lanes::Own if format.is_short_vector() && both(*format, Format::Vop3) => "_e32",
            Lanes::Own => "",
        };
        format!("{name}{suffix}")
    }

    /// True for the destination of an atomic without a returned value.
    fn is_silent(&self, index: usize, slot: &Slot) -> bool {
        self.instruction.operands[index] == Operand::Off && matches!(slot.place, Place::Vector(_))
    }

    fn operand(&self, index: usize, slot: &Slot) -> String {
        let modifiers = &self.instruction.modifiers;
        let operand = self.instruction.operands[index];
        let dwords = slot.dwords(modifiers, self.instruction.opcode);
        let bare = match operand {
            Operand::Off => "off".to_string(),
            Operand::Scalar(register) => scalar_text(self.chip, register, dwords),
            Operand::Vector(first) => tuple_text("v", first, dwords),
            Operand::Integer(value) => value.to_string(),
            Operand::Float(InlineFloat::InverseTwoPi) if dwords == 2 => {
                "0.15915494309189532".to_string()
            }
            Operand::Float(constant) => constant.text().to_string(),
            Operand::Status(status) => status.text().to_string(),
            Operand::Literal(value) => literal(self.chip, slot, value),
            Operand::Immediate(value) => self.immediate(slot.kind, value),
            Operand::Jump(distance) => distance.to_string(),
            Operand::Attribute { attribute, channel } => {
                format!("attr{attribute}.{}", ["x", "y", "z", "w"][usize::from(channel & 3)])
            }
            Operand::Param(param) => ["p10", "p20", "p0"][usize::from(param.min(2))].to_string(),
            Operand::Target(target) => target_text(target),
        };
        self.with_signs(slot, operand, bare)
    }

    /// Adds negation, absolute value and sign extension.
    fn with_signs(&self, slot: &Slot, operand: Operand, bare: String) -> String {
        let modifiers = &self.instruction.modifiers;
        let Some(index) = source_index(slot.place) else { return bare };
        let extended =
            matches!(modifiers.lanes, Lanes::Sdwa(sdwa) if sdwa.sext.get(index) == Some(&true));
        let bare = if extended { format!("sext({bare})") } else { bare };
        let absolute = modifiers.abs >> index & 1 != 0;
        let negated = modifiers.neg >> index & 1 != 0;
        let register = matches!(operand, Operand::Scalar(_) | Operand::Vector(_)) && !extended;
        match (negated, absolute) {
            (false, false) => bare,
            (false, true) => format!("|{bare}|"),
            (true, true) => format!("-|{bare}|"),
            (true, false) if register => format!("-{bare}"),
            (true, false) => format!("neg({bare})"),
        }
    }

    fn immediate(&self, kind: Kind, value: u32) -> String {
        let special = match kind {
            Kind::Wait => wait_text(value),
            Kind::HwReg => hardware_register(value),
            Kind::Message => message(value),
            Kind::ScalarOffset => Some(format!("{value:#x}")),
            Kind::Imm if self.instruction.format == Format::Sopk => Some(format!("{value:#x}")),
            _ => None,
        };
        special.unwrap_or_else(|| value.to_string())
    }

    fn modifiers(&self, row: &Row, out: &mut String) {
        let modifiers = &self.instruction.modifiers;
        let flags = |out: &mut String, early: bool| {
            for flag in FLAGS {
                let address = matches!(flag.text, "idxen" | "offen" | "addr64");
                if address == early && (flag.get)(modifiers) {
                    let _ = write!(out, " {}", flag.text);
                }
            }
        };
        flags(out, true);
        if row.opcode.has_two_offsets() {
            for (index, offset) in modifiers.offsets.iter().enumerate() {
                if *offset != 0 {
                    let _ = write!(out, " offset{index}:{offset}");
                }
            }
        } else if modifiers.offset != 0 {
            let _ = match swizzle_text(row, modifiers.offset) {
                Some(text) => write!(out, " offset:{text}"),
                None => write!(out, " offset:{}", modifiers.offset),
            };
        }
        if row.format == Format::Mimg {
            let _ = write!(out, " dmask:{:#x}", modifiers.dmask);
        }
        flags(out, false);
        let output = ["", " mul:2", " mul:4", " div:2"];
        out.push_str(output[usize::from(modifiers.omod & 3)]);
        match modifiers.lanes {
            Lanes::Own => {}
            Lanes::Dpp(dpp) => dpp_text(&dpp, out),
            Lanes::Sdwa(sdwa) => sdwa_text(&sdwa, row, out),
        }
    }
}

/// A literal; marked where the assembler would use an inline constant for the number.
fn literal(chip: Chip, slot: &Slot, value: u32) -> String {
    let inline = slot.place != Place::Literal && inline_constant(chip, slot.kind, value).is_some();
    if inline { format!("lit({value:#x})") } else { format!("{value:#x}") }
}

fn wait_text(value: u32) -> Option<String> {
    let known = COUNTERS.iter().fold(0, |mask, &(_, low, bits)| mask | ((1 << bits) - 1) << low);
    if value & !known != 0 {
        return None;
    }
    let counts = COUNTERS.iter().filter_map(|&(name, low, bits)| {
        let most = (1 << bits) - 1;
        let count = value >> low & most;
        (count != most).then(|| format!("{name}({count})"))
    });
    let parts: Vec<String> = counts.collect();
    if parts.is_empty() { None } else { Some(parts.join(" & ")) }
}

fn hardware_register(value: u32) -> Option<String> {
    let (id, offset, size) = (value & 63, value >> 6 & 31, (value >> 11 & 31) + 1);
    if value >> 16 != 0 {
        return None;
    }
    let name = HARDWARE_REGISTERS
        .iter()
        .find(|row| row.1 == id)
        .map_or_else(|| id.to_string(), |row| row.0.to_string());
    let whole = offset == 0 && size == 32;
    Some(if whole { format!("hwreg({name})") } else { format!("hwreg({name}, {offset}, {size})") })
}

fn message(value: u32) -> Option<String> {
    let name = |table: &[(&str, u32)], number: u32| {
        table.iter().find(|row| row.1 == number).map(|row| row.0.to_string())
    };
    let (message, operation, stream) = (value & 15, value >> 4 & 3, value >> 8 & 3);
    let text = name(MESSAGES, message)?;
    let rest = value & !15;
    if !matches!(message, 2 | 3) {
        return (rest == 0).then(|| format!("sendmsg({text})"));
    }
    if value & !0x33f != 0 || (operation == 0 && rest != 0) {
        return None;
    }
    if message == 2 && operation == 0 {
        return None;
    }
    let operation = name(GS_OPERATIONS, operation)?;
    Some(if rest & 0x30 == 0 {
        format!("sendmsg({text}, {operation})")
    } else {
        format!("sendmsg({text}, {operation}, {stream})")
    })
}

/// The text of a permutation of quads by `ds_swizzle_b32`.
fn swizzle_text(row: &Row, offset: u32) -> Option<String> {
    let quad = row.opcode == crate::Opcode::DsSwizzleB32 && offset & 0xff00 == 0x8000;
    let lane = |index: u32| offset >> (2 * index) & 3;
    quad.then(|| format!("swizzle(QUAD_PERM,{},{},{},{})", lane(0), lane(1), lane(2), lane(3)))
}

fn dpp_text(dpp: &Dpp, out: &mut String) {
    let control = dpp.control;
    let named = PERMUTATIONS.iter().find(|row| row.1 == control);
    let shift = ROW_SHIFTS
        .iter()
        .find(|&&(_, base, first, last)| (base + first..=base + last).contains(&control));
    let _ = match (named, shift) {
        _ if control < 0x100 => {
            let lane = |index: u16| control >> (2 * index) & 3;
            write!(out, " quad_perm:[{},{},{},{}]", lane(0), lane(1), lane(2), lane(3))
        }
        (Some((text, _)), _) => write!(out, " {text}"),
        (_, Some((text, base, ..))) => write!(out, " {text}:{}", control - base),
        _ => write!(out, " dpp_ctrl:{control:#x}"),
    };
    let _ = write!(out, " row_mask:{:#x} bank_mask:{:#x}", dpp.row_mask, dpp.bank_mask);
    if dpp.bound_control {
        out.push_str(" bound_ctrl:1");
    }
}

fn sdwa_text(sdwa: &Sdwa, row: &Row, out: &mut String) {
    let name = |names: &[&str], number: u8| {
        names.get(usize::from(number)).map_or_else(|| number.to_string(), |n| (*n).to_string())
    };
    if row.format != Format::Vopc {
        let destination = name(SELECTIONS, sdwa.destination);
        let _ = write!(out, " dst_sel:{destination} dst_unused:{}", name(UNUSED, sdwa.unused));
    }
    for (index, selection) in sdwa.sources.iter().enumerate() {
        if row.slots.iter().any(|slot| source_index(slot.place) == Some(index)) {
            let _ = write!(out, " src{index}_sel:{}", name(SELECTIONS, *selection));
        }
    }
}
