//! Parser of modifiers.

use super::cursor::Cursor;
use super::failure::Failure;
use super::names::{PERMUTATIONS, ROW_SHIFTS, SELECTIONS, UNUSED};
use crate::instruction::{Dpp, FLAGS, Lanes, Modifiers, Sdwa};

/// Parses one modifier.
pub(super) fn modifier(cursor: &mut Cursor<'_>, modifiers: &mut Modifiers) -> Result<(), Failure> {
    let start = *cursor;
    let unknown = || Failure::at(&start, "no modifier");
    for (text, code) in PERMUTATIONS {
        if cursor.eat(text) {
            dpp(modifiers).ok_or_else(unknown)?.control = *code;
            return Ok(());
        }
    }
    let name = cursor.word();
    if let Some(flag) = FLAGS.iter().find(|flag| flag.text == name) {
        (flag.set)(modifiers, true);
        return Ok(());
    }
    if name.is_empty() || !cursor.eat(":") {
        return Err(unknown());
    }
    match name {
        "offset" => modifiers.offset = swizzle(cursor, 0xffff_ffff)?,
        "offset0" => modifiers.offsets[0] = number(cursor, 0xff)? as u8,
        "offset1" => modifiers.offsets[1] = number(cursor, 0xff)? as u8,
        "dmask" => modifiers.dmask = number(cursor, 0xf)? as u8,
        "dfmt" => modifiers.dfmt = number(cursor, 0xf)? as u8,
        "nfmt" => modifiers.nfmt = number(cursor, 7)? as u8,
        "mul" => {
            modifiers.omod = match number(cursor, 4)? {
                2 => 1,
                4 => 2,
                _ => return Err(Failure::at(&start, "results are multiplied by 2 or 4:")),
            };
        }
        "div" if number(cursor, 2)? == 2 => modifiers.omod = 3,
        "row_mask" => dpp(modifiers).ok_or_else(unknown)?.row_mask = number(cursor, 0xf)? as u8,
        "bank_mask" => dpp(modifiers).ok_or_else(unknown)?.bank_mask = number(cursor, 0xf)? as u8,
        "bound_ctrl" => {
            number(cursor, 1)?;
            dpp(modifiers).ok_or_else(unknown)?.bound_control = true;
        }
        "dpp_ctrl" => dpp(modifiers).ok_or_else(unknown)?.control = number(cursor, 0x1ff)? as u16,
        "quad_perm" => {
            let control = quad(cursor, "[", "]")?;
            dpp(modifiers).ok_or_else(unknown)?.control = control as u16;
        }
        "dst_sel" => sdwa(modifiers).ok_or_else(unknown)?.destination = named(cursor, SELECTIONS)?,
        "dst_unused" => sdwa(modifiers).ok_or_else(unknown)?.unused = named(cursor, UNUSED)?,
        "src0_sel" => sdwa(modifiers).ok_or_else(unknown)?.sources[0] = named(cursor, SELECTIONS)?,
        "src1_sel" => sdwa(modifiers).ok_or_else(unknown)?.sources[1] = named(cursor, SELECTIONS)?,
        other => {
            let row = ROW_SHIFTS.iter().find(|row| row.0 == other).ok_or_else(unknown)?;
            let amount = number(cursor, u32::from(row.3))? as u16;
            if amount < row.2 {
                return Err(unknown());
            }
            dpp(modifiers).ok_or_else(unknown)?.control = row.1 + amount;
        }
    }
    Ok(())
}

fn dpp(modifiers: &mut Modifiers) -> Option<&mut Dpp> {
    match &mut modifiers.lanes {
        Lanes::Dpp(dpp) => Some(dpp),
        _ => None,
    }
}

fn sdwa(modifiers: &mut Modifiers) -> Option<&mut Sdwa> {
    match &mut modifiers.lanes {
        Lanes::Sdwa(sdwa) => Some(sdwa),
        _ => None,
    }
}

fn number(cursor: &mut Cursor<'_>, most: u32) -> Result<u32, Failure> {
    let start = *cursor;
    let value = cursor.integer().and_then(|value| u32::try_from(value).ok());
    value
        .filter(|value| *value <= most)
        .ok_or_else(|| Failure::at(&start, &format!("not within 0 to {most}")))
}

/// A name of the list, or its number.
fn named(cursor: &mut Cursor<'_>, names: &[&str]) -> Result<u8, Failure> {
    match names.iter().position(|name| *name == cursor.clone_word()) {
        Some(index) => {
            cursor.word();
            Ok(index as u8)
        }
        None => Ok(number(cursor, 7)? as u8),
    }
}

/// Four lanes of a quad.
fn quad(cursor: &mut Cursor<'_>, open: &str, close: &str) -> Result<u32, Failure> {
    let mut bits = 0;
    for index in 0..4 {
        let before = if index == 0 { open } else { "," };
        if !cursor.eat(before) {
            return Err(Failure::at(cursor, &format!("expected `{before}`")));
        }
        bits |= number(cursor, 3)? << (2 * index);
    }
    if cursor.eat(close) {
        Ok(bits)
    } else {
        Err(Failure::at(cursor, &format!("expected `{close}`")))
    }
}

/// A number, or `swizzle(QUAD_PERM,A,B,C,D)`.
fn swizzle(cursor: &mut Cursor<'_>, most: u32) -> Result<u32, Failure> {
    if cursor.eat("swizzle(QUAD_PERM") {
        return Ok(0x8000 | quad(cursor, ",", ")")?);
    }
    number(cursor, most)
}
