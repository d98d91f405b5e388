//! Opcode tables: per chip, which number an opcode has in which format.

mod numbers;
mod si;
mod vi;

use std::sync::LazyLock;

use crate::chip::Chip;
use crate::format::Format;
use crate::opcode::Opcode;
use crate::slot::Row;
use numbers::Numbers;

/// No row.
const NONE: u16 = u16::MAX;

/// The table of a chip, with its indices: for each format the row of each number and opcode.
struct Table {
    rows: Vec<Row>,
    by_number: Vec<Vec<u16>>,
    by_opcode: Vec<Vec<u16>>,
}

static SI: LazyLock<Table> = LazyLock::new(|| Table::new(Chip::Si, &si::NUMBERS));
static VI: LazyLock<Table> = LazyLock::new(|| Table::new(Chip::Vi, &vi::NUMBERS));

impl Chip {
    /// Every row of the opcode table.
    pub fn rows(self) -> &'static [Row] {
        &of(self).rows
    }

    /// The row of an opcode in a format.
    pub fn row(self, format: Format, opcode: Opcode) -> Option<&'static Row> {
        of(self).row(format, opcode)
    }

    /// The row of a number in a format.
    pub(crate) fn row_of_number(self, format: Format, number: u16) -> Option<&'static Row> {
        of(self).row_of_number(format, number)
    }

    /// The formats that an opcode has on this chip.
    pub fn formats(self, opcode: Opcode) -> impl Iterator<Item = Format> {
        Format::ALL.into_iter().filter(move |format| self.row(*format, opcode).is_some())
    }
}

/// The table of a chip.
fn of(chip: Chip) -> &'static Table {
    match chip {
        Chip::Si => &SI,
        Chip::Vi => &VI,
    }
}

/// Distance of the numbers in VOP3 from those of a format that it includes.
fn promotion(chip: Chip, format: Format) -> Option<u16> {
    match (format, chip) {
        (Format::Vopc, _) => Some(0),
        (Format::Vop2, _) => Some(0x100),
        (Format::Vop1, Chip::Si) => Some(0x180),
        (Format::Vop1, Chip::Vi) => Some(0x140),
        _ => None,
    }
}

impl Table {
    fn new(chip: Chip, numbers: &Numbers) -> Table {
        let mut table = Table { rows: Vec::new(), by_number: Vec::new(), by_opcode: Vec::new() };
        for &(format, rows) in numbers.formats {
            for &(number, opcode) in rows {
                table.add(format, number, opcode);
                let promoted =
                    promotion(chip, format).filter(|_| !numbers.unpromoted.contains(&opcode));
                if let Some(offset) = promoted {
                    table.add(Format::Vop3, offset + number, opcode);
                }
            }
        }
        table
    }

    fn add(&mut self, format: Format, number: u16, opcode: Opcode) {
        let index = self.rows.len() as u16;
        self.rows.push(Row::new(format, number, opcode));
        set(&mut self.by_number, format, number.into(), index);
        set(&mut self.by_opcode, format, opcode as usize, index);
    }

    fn row(&self, format: Format, opcode: Opcode) -> Option<&Row> {
        self.rows.get(usize::from(*self.by_opcode.get(format as usize)?.get(opcode as usize)?))
    }

    fn row_of_number(&self, format: Format, number: u16) -> Option<&Row> {
        let of_format = self.by_number.get(format as usize)?;
        self.rows.get(usize::from(*of_format.get(usize::from(number))?))
    }
}

/// Sets the row of a number in a format.
fn set(index: &mut Vec<Vec<u16>>, format: Format, number: usize, row: u16) {
    let count = index.len().max(format as usize + 1);
    index.resize(count, Vec::new());
    let of_format = &mut index[format as usize];
    let count = of_format.len().max(number + 1);
    of_format.resize(count, NONE);
    of_format[number] = row;
}
