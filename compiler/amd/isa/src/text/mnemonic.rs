//! Mnemonics with the suffixes of formats.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::chip::Chip;
use crate::format::Format;
use crate::instruction::{Dpp, Lanes, Sdwa};
use crate::opcode::Opcode;
use crate::slot::Row;

static OPCODES: LazyLock<HashMap<&'static str, Opcode>> =
    LazyLock::new(|| Opcode::ALL.iter().map(|opcode| (opcode.mnemonic(), *opcode)).collect());

/// A way to read a mnemonic: row of the opcode table, and the kind of lanes.
pub(super) type Reading = (&'static Row, Lanes);

/// The ways to read a mnemonic, short encodings first; none if the chip lacks the instruction.
pub(super) fn readings(chip: Chip, mnemonic: &str) -> Vec<Reading> {
    let rows = |opcode: Opcode| chip.formats(opcode).filter_map(move |f| chip.row(f, opcode));
    if let Some(opcode) = OPCODES.get(mnemonic) {
        return rows(*opcode).map(|row| (row, Lanes::Own)).collect();
    }
    let Some((base, suffix)) = mnemonic.rsplit_once('_') else { return Vec::new() };
    let Some(opcode) = OPCODES.get(base) else { return Vec::new() };
    let lanes = match suffix {
        "dpp" if chip == Chip::Vi => {
            Lanes::Dpp(Dpp { row_mask: 0xf, bank_mask: 0xf, ..Dpp::default() })
        }
        "sdwa" if chip == Chip::Vi => {
            Lanes::Sdwa(Sdwa { destination: 6, sources: [6, 6], ..Sdwa::default() })
        }
        "e32" | "e64" => Lanes::Own,
        _ => return Vec::new(),
    };
    let fits = |row: &&Row| (suffix == "e64") == (row.format == Format::Vop3);
    rows(*opcode)
        .filter(fits)
        .filter(|row| row.format.is_vector_alu())
        .map(|row| (row, lanes.without_unused(row)))
        .collect()
}
