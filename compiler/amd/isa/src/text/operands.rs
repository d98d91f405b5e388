//! Parser of operands.

use super::cursor::Cursor;
use super::failure::Failure;
use super::names::{
    COUNTERS, GS_OPERATIONS, HARDWARE_REGISTERS, MESSAGES, special_register, target_number,
};
use crate::chip::Chip;
use crate::opcode::Kind;
use crate::operand::{InlineFloat, Operand, Scalar, Status};
use crate::slot::{Place, Slot};

/// An operand as written.
#[derive(Clone, Debug, Default)]
pub(super) struct Parsed {
    pub operand: Operand,
    /// Number of registers, 0 for other operands.
    pub dwords: u32,
    pub negate: bool,
    pub absolute: bool,
    pub sign_extend: bool,
    /// Label of a jump.
    pub label: Option<String>,
}

impl From<Operand> for Parsed {
    fn from(operand: Operand) -> Parsed {
        Parsed { operand, ..Parsed::default() }
    }
}

/// The inline constant that the assembler uses for a number.
pub(super) fn inline_constant(chip: Chip, kind: Kind, value: u32) -> Option<Operand> {
    let wide = kind.dwords() == 2;
    match value as i32 {
        small @ 0..=64 => return Some(Operand::Integer(small as i8)),
        small @ -16..=-1 if !wide => return Some(Operand::Integer(small as i8)),
        _ if wide => return None,
        _ => {}
    }
    let constants = InlineFloat::ALL
        .into_iter()
        .filter(|constant| chip == Chip::Vi || *constant != InlineFloat::InverseTwoPi);
    let same = |constant: &InlineFloat| match kind {
        Kind::F16 => u32::from(constant.half_bits()) == value,
        _ => constant.single_bits() == value,
    };
    constants.into_iter().find(same).map(Operand::Float)
}

/// Parses the operand of a slot.
pub(super) fn operand(chip: Chip, slot: &Slot, cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    match slot.kind {
        Kind::Imm => constant(cursor, -0x8000, 0xffff, 0xffff),
        Kind::GprIndex => constant(cursor, 0, 0xffff, 0xffff),
        Kind::Probe => constant(cursor, 0, 0xff, 0xff),
        Kind::Label => label(cursor),
        Kind::Wait => wait(cursor),
        Kind::HwReg => hardware_register(cursor),
        Kind::Message => message(cursor),
        Kind::Literal => number(chip, slot, cursor),
        Kind::Target => {
            let start = *cursor;
            let target = target_number(cursor.word());
            let target = target.ok_or_else(|| Failure::at(&start, "no target of exports"))?;
            Ok(Operand::Target(target).into())
        }
        Kind::Param => {
            let start = *cursor;
            let names = ["p10", "p20", "p0"];
            let param = names.iter().position(|name| *name == start.clone_word());
            let param = param.ok_or_else(|| Failure::at(&start, "no vertex parameter"))?;
            cursor.word();
            Ok(Operand::Param(param as u8).into())
        }
        Kind::Attribute => attribute(cursor),
        Kind::ScalarOffset => match register(chip, cursor)? {
            Some(parsed) => Ok(parsed),
            None => constant(cursor, 0, 0xffff_ffff, 0xffff_ffff),
        },
        _ => value(chip, slot, cursor),
    }
}

impl<'a> Cursor<'a> {
    /// The next word without taking it.
    pub(super) fn clone_word(&self) -> &'a str {
        let mut ahead = *self;
        ahead.word()
    }
}

fn constant(cursor: &mut Cursor<'_>, least: i64, most: i64, mask: i64) -> Result<Parsed, Failure> {
    let start = *cursor;
    let value = cursor.integer().ok_or_else(|| Failure::at(&start, "no integer"))?;
    if !(least..=most).contains(&value) {
        return Err(Failure::at(&start, &format!("not within {least} to {most}")));
    }
    Ok(Operand::Immediate((value & mask) as u32).into())
}

fn label(cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let start = *cursor;
    if let Some(value) = cursor.integer() {
        let distance = i16::try_from(value)
            .or_else(|_| u16::try_from(value).map(|bits| bits as i16))
            .map_err(|_| Failure::at(&start, "not within 16 bits"))?;
        return Ok(Operand::Jump(distance).into());
    }
    let name = cursor.word();
    if name.is_empty() {
        return Err(Failure::at(&start, "no label"));
    }
    Ok(Parsed { label: Some(name.to_string()), ..Operand::Jump(0).into() })
}

/// Parses `NAME(COUNT)` for any counters, combined by `&`, a comma or blanks.
fn wait(cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let start = *cursor;
    if let Some(value) = cursor.integer() {
        let bits = u32::try_from(value).ok().filter(|bits| *bits <= 0xffff);
        let bits = bits.ok_or_else(|| Failure::at(&start, "not within 16 bits"))?;
        return Ok(Operand::Immediate(bits).into());
    }
    let mut bits = COUNTERS.iter().fold(0, |all, &(_, low, width)| all | ((1 << width) - 1) << low);
    let mut any = false;
    while !cursor.at_end() {
        let here = *cursor;
        let name = cursor.word();
        let row = COUNTERS.iter().find(|row| row.0 == name);
        let &(_, low, width) = row.ok_or_else(|| Failure::at(&here, "no counter"))?;
        let most = (1_u32 << width) - 1;
        if !cursor.eat("(") {
            return Err(Failure::at(cursor, "expected `(`"));
        }
        let count = *cursor;
        let value = cursor.integer().and_then(|value| u32::try_from(value).ok());
        let value = value.filter(|value| *value <= most);
        let value =
            value.ok_or_else(|| Failure::at(&count, &format!("{name} is within 0 to {most}")))?;
        if !cursor.eat(")") {
            return Err(Failure::at(cursor, "expected `)`"));
        }
        bits = bits & !(most << low) | value << low;
        any = true;
        let _ = cursor.eat("&") || cursor.eat(",");
    }
    if any { Ok(Operand::Immediate(bits).into()) } else { Err(Failure::at(&start, "no counter")) }
}

/// Parses `FUNCTION(A, B, …)` with at least one argument and at most three.
fn call<'a>(cursor: &mut Cursor<'a>, function: &str) -> Result<Option<Vec<Cursor<'a>>>, Failure> {
    if cursor.clone_word() != function {
        return Ok(None);
    }
    cursor.word();
    if !cursor.eat("(") {
        return Err(Failure::at(cursor, "expected `(`"));
    }
    let mut arguments = Vec::new();
    loop {
        arguments.push(*cursor);
        let word = cursor.word();
        if word.is_empty() || arguments.len() > 3 {
            return Err(Failure::at(cursor, "expected an argument"));
        }
        if cursor.eat(")") {
            return Ok(Some(arguments));
        }
        if !cursor.eat(",") {
            return Err(Failure::at(cursor, "expected `,` or `)`"));
        }
    }
}

/// Value of an argument: a name of the table or a number.
fn named(cursor: &Cursor<'_>, table: &[(&str, u32)], most: u32) -> Result<u32, Failure> {
    let mut ahead = *cursor;
    let named = table.iter().find(|row| row.0 == cursor.clone_word()).map(|row| row.1);
    named
        .or_else(|| ahead.integer().and_then(|value| u32::try_from(value).ok()))
        .filter(|value| *value <= most)
        .ok_or_else(|| Failure::at(cursor, "no valid argument"))
}

fn hardware_register(cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let Some(arguments) = call(cursor, "hwreg")? else {
        return constant(cursor, 0, 0xffff, 0xffff);
    };
    let id = named(&arguments[0], HARDWARE_REGISTERS, 63)?;
    let (offset, size) = match arguments.as_slice() {
        [_] => (0, 32),
        [_, offset, size] => (named(offset, &[], 31)?, named(size, &[], 32)?),
        _ => return Err(Failure::at(&arguments[1], "hwreg has one or three arguments:")),
    };
    if size == 0 {
        return Err(Failure::at(&arguments[2], "the size is within 1 to 32:"));
    }
    Ok(Operand::Immediate(id | offset << 6 | (size - 1) << 11).into())
}

fn message(cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let Some(arguments) = call(cursor, "sendmsg")? else {
        return constant(cursor, 0, 0xffff, 0xffff);
    };
    let mut bits = named(&arguments[0], MESSAGES, 15)?;
    if let Some(operation) = arguments.get(1) {
        bits |= named(operation, GS_OPERATIONS, 3)? << 4;
    }
    if let Some(stream) = arguments.get(2) {
        bits |= named(stream, &[], 3)? << 8;
    }
    Ok(Operand::Immediate(bits).into())
}

fn attribute(cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let start = *cursor;
    let parse = |text: &str| {
        let (number, channel) = text.strip_prefix("attr")?.split_once('.')?;
        let channel = ["x", "y", "z", "w"].iter().position(|name| *name == channel)? as u8;
        let attribute = number.parse().ok().filter(|number| *number < 64)?;
        Some(Operand::Attribute { attribute, channel })
    };
    let operand = parse(cursor.word());
    Ok(operand.ok_or_else(|| Failure::at(&start, "no attribute"))?.into())
}

/// Parses a register or a tuple, if one comes next.
pub(super) fn register(chip: Chip, cursor: &mut Cursor<'_>) -> Result<Option<Parsed>, Failure> {
    let start = *cursor;
    let mut ahead = *cursor;
    let word = ahead.word();
    if let Some((scalar, dwords)) = special_register(chip, word) {
        *cursor = ahead;
        let dwords = u32::from(dwords);
        return Ok(Some(Parsed { dwords, ..Operand::Scalar(scalar).into() }));
    }
    let letters = word.find(|c: char| c.is_ascii_digit()).unwrap_or(word.len());
    let (prefix, digits) = word.split_at(letters);
    if !matches!(prefix, "s" | "v" | "ttmp") {
        return Ok(None);
    }
    let missing = || Failure::at(&start, "no register");
    let (first, last) = if digits.is_empty() {
        if !ahead.eat("[") {
            return Ok(None);
        }
        let first = ahead.integer().ok_or_else(missing)?;
        let last = if ahead.eat(":") { ahead.integer().ok_or_else(missing)? } else { first };
        if !ahead.eat("]") || last < first {
            return Err(missing());
        }
        (first, last)
    } else {
        let number = digits.parse::<i64>().map_err(|_| missing())?;
        (number, number)
    };
    let (count, base) = match prefix {
        "v" => (256, 0),
        "s" => (i64::from(chip.scalar_registers()), 0),
        _ => (12, Scalar::TTMP0.0),
    };
    if first < 0 || last >= count {
        return Err(Failure::at(&start, &format!("{chip} has no such register:")));
    }
    let operand = match prefix {
        "v" => Operand::Vector(first as u8),
        _ => Operand::Scalar(Scalar(base + first as u8)),
    };
    *cursor = ahead;
    Ok(Some(Parsed { dwords: (last - first + 1) as u32, ..operand.into() }))
}

/// Parses a register or constant, with signs.
fn value(chip: Chip, slot: &Slot, cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let start = *cursor;
    for (open, close) in [("neg(", ")"), ("abs(", ")"), ("sext(", ")"), ("-|", "|"), ("|", "|")] {
        if !cursor.eat(open) {
            continue;
        }
        let mut parsed = value(chip, slot, cursor)?;
        if !cursor.eat(close) {
            return Err(Failure::at(cursor, &format!("expected `{close}`")));
        }
        parsed.negate |= open.starts_with("neg") || open.starts_with('-');
        parsed.absolute |= open.contains('|') || open.starts_with("abs");
        parsed.sign_extend |= open.starts_with("sext");
        return Ok(parsed);
    }
    if let Some(parsed) = register(chip, cursor)? {
        return Ok(parsed);
    }
    let mut ahead = *cursor;
    if ahead.eat("-")
        && let Some(parsed) = register(chip, &mut ahead)?
    {
        *cursor = ahead;
        return Ok(Parsed { negate: true, ..parsed });
    }
    if cursor.eat("lit(") {
        let number = cursor.integer().and_then(|value| u32::try_from(value).ok());
        let number = number.ok_or_else(|| Failure::at(&start, "no literal"))?;
        if !cursor.eat(")") {
            return Err(Failure::at(cursor, "expected `)`"));
        }
        return Ok(Operand::Literal(number).into());
    }
    let word = start.clone_word();
    let status = Status::ALL
        .into_iter()
        .find(|status| status.text() == word || status.text().strip_prefix("src_") == Some(word));
    if let Some(status) = status {
        cursor.word();
        return Ok(Operand::Status(status).into());
    }
    if word == "off" {
        cursor.word();
        return Ok(Operand::Off.into());
    }
    number(chip, slot, cursor)
}

/// Parses a number: an inline constant or a literal.
fn number(chip: Chip, slot: &Slot, cursor: &mut Cursor<'_>) -> Result<Parsed, Failure> {
    let start = *cursor;
    let literal = slot.place == Place::Literal;
    if let Some(value) = cursor.integer() {
        let bits = i32::try_from(value)
            .map(|value| value as u32)
            .or_else(|_| u32::try_from(value))
            .map_err(|_| Failure::at(&start, "not within 32 bits"))?;
        let wide = slot.kind.dwords() == 2;
        let operand = match i8::try_from(value) {
            _ if literal => Operand::Literal(bits),
            Ok(small) if (-16..=64).contains(&small) => Operand::Integer(small),
            _ if wide && value < 0 => {
                return Err(Failure::at(&start, "no literal of 64 bits can be negative"));
            }
            _ => inline_constant(chip, slot.kind, bits).unwrap_or(Operand::Literal(bits)),
        };
        return Ok(operand.into());
    }
    let negative = cursor.eat("-");
    let word = cursor.word();
    let value = word.parse::<f64>().ok().filter(|_| word.starts_with(|c: char| c.is_ascii_digit()));
    let value = value.ok_or_else(|| Failure::at(&start, "no operand"))?;
    let value = if negative { -value } else { value };
    let single = value as f32;
    let bits = match slot.kind {
        Kind::F64 | Kind::B64 => (value.to_bits() >> 32) as u32,
        _ => single.to_bits(),
    };
    let constant = InlineFloat::ALL
        .into_iter()
        .filter(|constant| chip == Chip::Vi || *constant != InlineFloat::InverseTwoPi)
        .find(|constant| constant.single_bits() == single.to_bits());
    match constant {
        _ if literal => Ok(Operand::Literal(bits).into()),
        Some(constant) => Ok(Operand::Float(constant).into()),
        None if value == 0.0 && !negative => Ok(Operand::Integer(0).into()),
        None if slot.kind == Kind::F16 => {
            Err(Failure::at(&start, "halves are inline constants or hexadecimal:"))
        }
        None if matches!(slot.kind, Kind::F64 | Kind::B64) && value.to_bits() as u32 != 0 => {
            Err(Failure::at(&start, "no literal holds all bits of"))
        }
        None => Ok(Operand::Literal(bits).into()),
    }
}
