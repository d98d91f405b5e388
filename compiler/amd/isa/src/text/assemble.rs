//! Text to instructions.

use std::collections::HashMap;

use thiserror::Error;

use super::cursor::Cursor;
use super::failure::Failure;
use super::mnemonic::{Reading, readings};
use super::operands::{Parsed, operand};
use super::parse_modifiers::modifier;
use crate::chip::Chip;
use crate::encoding::encode;
use crate::format::Format;
use crate::instruction::{Instruction, Lanes, Modifiers};
use crate::opcode::Kind;
use crate::operand::{Operand, Scalar};
use crate::slot::{Place, Role, Slot, source_index};

/// Error in assembly text, with its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {message}")]
pub struct AsmError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Message with the offending text.
    pub message: String,
}

/// The dwords of a program.
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn assemble(chip: Chip, text: &str) -> Result<Vec<u32>, AsmError> {
    let lines = parse(chip, text)?;
    Ok(lines.into_iter().flat_map(|line| line.words).collect())
}

/// The instructions of a program.
///
/// # Errors
/// The first thing that is wrong with the text.
pub fn assemble_instructions(chip: Chip, text: &str) -> Result<Vec<Instruction>, AsmError> {
    Ok(parse(chip, text)?.into_iter().map(|line| line.instruction).collect())
}

/// An instruction of the text.
struct Line {
    number: usize,
    instruction: Instruction,
    words: Vec<u32>,
    /// Operand that is a label: its number, name and column.
    jump: Option<(usize, String, usize)>,
}

fn parse(chip: Chip, text: &str) -> Result<Vec<Line>, AsmError> {
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut offset = 0;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let mut cursor = Cursor::new(line);
        while let Some(name) = label(&mut cursor) {
            if labels.insert(name, offset).is_some() {
                let message = format!("label `{name}` is there twice");
                return Err(AsmError { line: number, column: 1, message });
            }
        }
        if cursor.at_end() {
            continue;
        }
        let located = |failure: Failure| AsmError {
            line: number,
            column: failure.column,
            message: failure.message,
        };
        let mut parsed = statement(chip, &mut cursor).map_err(located)?;
        parsed.number = number;
        offset += parsed.words.len();
        lines.push(parsed);
    }
    resolve(chip, &labels, &mut lines)?;
    Ok(lines)
}

/// Takes `NAME:` if it comes next.
fn label<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut ahead = *cursor;
    let name = ahead.word();
    if name.is_empty() || !ahead.eat(":") {
        return None;
    }
    *cursor = ahead;
    Some(name)
}

/// Sets the distances of jumps to labels.
fn resolve(chip: Chip, labels: &HashMap<&str, usize>, lines: &mut [Line]) -> Result<(), AsmError> {
    let mut offset = 0;
    for line in lines {
        let end = offset + line.words.len();
        if let Some((index, name, column)) = &line.jump {
            let error = |message| AsmError { line: line.number, column: *column, message };
            let target = labels
                .get(name.as_str())
                .ok_or_else(|| error(format!("there is no label `{name}`")))?;
            let distance = i16::try_from(*target as i64 - end as i64)
                .map_err(|_| error(format!("label `{name}` is too far away")))?;
            line.instruction.operands[*index] = Operand::Jump(distance);
            line.words =
                encode(chip, &line.instruction).map_err(|error_| error(error_.to_string()))?;
        }
        offset = end;
    }
    Ok(())
}

fn statement(chip: Chip, cursor: &mut Cursor<'_>) -> Result<Line, Failure> {
    cursor.skip();
    let start = *cursor;
    let mnemonic = cursor.word();
    let readings = readings(chip, mnemonic);
    let mut failure: Option<Failure> = None;
    for reading in &readings {
        match instruction(chip, reading, &start, *cursor) {
            Ok(line) => return Ok(line),
            Err(other) if failure.as_ref().is_none_or(|best| best.column <= other.column) => {
                failure = Some(other);
            }
            Err(_) => {}
        }
    }
    let name = if mnemonic.is_empty() { start.offending() } else { mnemonic };
    Err(failure.unwrap_or_else(|| Failure {
        column: start.column(),
        message: format!("`{name}` is not an instruction of {chip}"),
    }))
}

/// Parses the rest of a line as one reading of its mnemonic.
fn instruction(
    chip: Chip,
    &(row, lanes): &Reading,
    start: &Cursor<'_>,
    mut cursor: Cursor<'_>,
) -> Result<Line, Failure> {
    let mut modifiers = Modifiers { lanes, ..Modifiers::default() };
    let mut operands: Vec<(Cursor<'_>, Parsed)> = Vec::new();
    let mut any = false;
    let returns = cursor.rest().split_whitespace().any(|word| word == "glc");
    for slot in &row.slots {
        let silent = row.format == Format::Flat
            && row.opcode.is_atomic()
            && slot.role == Role::Write
            && !returns;
        if silent {
            operands.push((cursor, Parsed::default()));
            continue;
        }
        let target = operands.last().is_some_and(|(_, last)| is_target(last));
        if any && !target && !cursor.eat(",") {
            let implied = slot.place == Place::Vcc && slot.role == Role::Read;
            if implied {
                operands.push((cursor, Operand::Scalar(Scalar::VCC).into()));
                continue;
            }
            return Err(Failure::at(&cursor, "expected `,`"));
        }
        while row.format == Format::Mtbuf && matches!(cursor.clone_word(), "dfmt" | "nfmt") {
            modifier(&mut cursor, &mut modifiers)?;
            let _ = cursor.eat(",");
        }
        cursor.skip();
        let here = cursor;
        let parsed = operand(chip, slot, &mut cursor)?;
        operands.push((here, parsed));
        any = true;
    }
    while !cursor.at_end() {
        modifier(&mut cursor, &mut modifiers)?;
    }
    let mut instruction = Instruction::new(row.format, row.opcode, &[]);
    if row.format == Format::Mimg {
        modifiers.address_dwords = operands[1].1.dwords as u8;
    }
    let mut jump = None;
    for (index, (slot, (here, parsed))) in row.slots.iter().zip(&operands).enumerate() {
        signs(slot, here, parsed, &mut modifiers)?;
        check_registers(slot, here, parsed, &modifiers, row.opcode)?;
        instruction.operands[index] = parsed.operand;
        if let Some(name) = &parsed.label {
            jump = Some((index, name.clone(), here.column()));
        }
    }
    instruction.modifiers = modifiers;
    instruction.residue = residue(&cursor)?;
    let words = encode(chip, &instruction)
        .map_err(|error| Failure { column: start.column(), message: error.to_string() })?;
    Ok(Line { number: 0, instruction, words, jump })
}

/// True for the target of an export, which no comma follows.
fn is_target(parsed: &Parsed) -> bool {
    matches!(parsed.operand, Operand::Target(_))
}

/// Adds negation, absolute value and sign extension to the modifiers.
fn signs(
    slot: &Slot,
    here: &Cursor<'_>,
    parsed: &Parsed,
    modifiers: &mut Modifiers,
) -> Result<(), Failure> {
    if !parsed.negate && !parsed.absolute && !parsed.sign_extend {
        return Ok(());
    }
    let Some(index) = source_index(slot.place).filter(|_| slot.kind != Kind::Mask) else {
        return Err(Failure::at(here, "no signs are possible at"));
    };
    modifiers.neg |= u8::from(parsed.negate) << index;
    modifiers.abs |= u8::from(parsed.absolute) << index;
    if parsed.sign_extend {
        match &mut modifiers.lanes {
            Lanes::Sdwa(sdwa) if index < 2 => sdwa.sext[index] = true,
            _ => return Err(Failure::at(here, "no sign extension is possible at")),
        }
    }
    Ok(())
}

/// Checks that a register tuple has as many registers as the operand.
fn check_registers(
    slot: &Slot,
    here: &Cursor<'_>,
    parsed: &Parsed,
    modifiers: &Modifiers,
    opcode: crate::Opcode,
) -> Result<(), Failure> {
    let expected = u32::from(slot.dwords(modifiers, opcode));
    let registers = matches!(parsed.operand, Operand::Scalar(_) | Operand::Vector(_));
    if registers && parsed.dwords != 0 && parsed.dwords != expected {
        let message = format!("the operand has {expected} registers, not those of");
        return Err(Failure::at(here, &message));
    }
    Ok(())
}

/// The bits of `; raw 0x…`.
fn residue(cursor: &Cursor<'_>) -> Result<u64, Failure> {
    let mut ahead = *cursor;
    if !ahead.eat(";") || ahead.clone_word() != "raw" {
        return Ok(0);
    }
    ahead.word();
    let word = ahead.clone_word();
    let bits = word.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    bits.ok_or_else(|| Failure::at(&ahead, "no bits"))
}
