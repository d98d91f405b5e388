//! The tables of layouts, parsed from text once for each generation.
//!
//! A line of a table begins with a keyword or with the generations that it is valid for, one letter
//! each in the order `ihbs` (ivb, hsw, bdw and chv, skl) or `-`.
//!
//! ```text
//! instruction NAME                             a command
//!   ihbs is LENGTH BIAS OPCODE MASK            length in double words (0: varies), opcode bits
//!   ihbs START..END TYPE NAME                  a field: first and last bit
//!     = VALUE NAME                             a named value of the field above
//!   ihbs [ START COUNT STRIDE                  a group of repeated fields up to `]`
//! struct NAME       is LENGTH OPCODE MASK
//! register NAME     is LENGTH OFFSET OPCODE MASK
//! registers NAME    is COUNT OFFSET DISTANCE; `#` in the name is the number of each
//! packet NAME       is OPCODE of a packet of type 3 of AMD's command processor
//! enum NAME         is, then its values
//! ```
//!
//! Tables of AMD's GPUs have the columns `sv`: si, vi.

use std::str::FromStr;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use vocabulary::{Generation, InternalError, Phase};

use crate::layout::{Enumeration, Field, Item, Kind, PacketLayout};

/// Tables of a vendor's generations.
struct Source {
    texts: &'static [&'static str],
    /// Columns of generations in front of each line.
    columns: usize,
}

const INTEL: Source = Source {
    texts: &[
        include_str!("tables/commands.txt"),
        include_str!("tables/structures.txt"),
        include_str!("tables/registers.txt"),
        include_str!("tables/enums.txt"),
    ],
    columns: 4,
};

const AMD: Source = Source {
    texts: &[
        include_str!("tables/amd_packets.txt"),
        include_str!("tables/amd_registers.txt"),
        include_str!("tables/amd_enums.txt"),
    ],
    columns: 2,
};

/// Number of tables: the columns of all vendors.
const TABLES: usize = INTEL.columns + AMD.columns;

/// Layouts of one generation.
#[derive(Debug, Default)]
pub struct Table {
    commands: Vec<PacketLayout>,
    /// Index of a command by name.
    by_name: FxHashMap<&'static str, usize>,
    /// Masks of opcodes, those with most bits first, each with its commands by opcode.
    by_opcode: Vec<(u32, FxHashMap<u32, usize>)>,
    structures: FxHashMap<&'static str, PacketLayout>,
    registers: FxHashMap<u32, PacketLayout>,
    /// Offset of a register by name.
    registers_by_name: FxHashMap<String, u32>,
    enumerations: FxHashMap<&'static str, Enumeration>,
}

/// Tables of a generation and its column in them; Cherryview shares that of Broadwell.
fn source(generation: Generation) -> (&'static Source, usize) {
    match generation {
        Generation::Ivb => (&INTEL, 0),
        Generation::Hsw => (&INTEL, 1),
        Generation::Bdw | Generation::Chv => (&INTEL, 2),
        Generation::Skl => (&INTEL, 3),
        Generation::Si => (&AMD, 0),
        Generation::Vi => (&AMD, 1),
    }
}

impl Table {
    /// Returns the table of a generation.
    pub fn of(generation: Generation) -> &'static Table {
        static KNOWN: [OnceLock<Table>; TABLES] = [const { OnceLock::new() }; TABLES];
        let (source, column) = source(generation);
        let before = if std::ptr::eq(source, &AMD) { INTEL.columns } else { 0 };
        KNOWN[before + column].get_or_init(|| Table::parse(source, column))
    }

    /// Returns the command that begins with this double word.
    #[must_use]
    pub fn command(&self, header: u32) -> Option<&PacketLayout> {
        let find = |(mask, commands): &(u32, FxHashMap<u32, usize>)| {
            commands.get(&(header & mask)).map(|&i| &self.commands[i])
        };
        self.by_opcode.iter().find_map(find)
    }

    /// Returns a command or structure by name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&PacketLayout> {
        let command = self.by_name.get(name).map(|&i| &self.commands[i]);
        command.or_else(|| self.structures.get(name))
    }

    /// Returns a structure by name.
    #[must_use]
    pub fn structure(&self, name: &str) -> Option<&PacketLayout> {
        self.structures.get(name)
    }

    /// Returns a register by name.
    #[must_use]
    pub fn register_named(&self, name: &str) -> Option<&PacketLayout> {
        self.registers_by_name.get(name).and_then(|offset| self.registers.get(offset))
    }

    /// Returns the register at an MMIO offset in bytes.
    #[must_use]
    pub fn register(&self, offset: u32) -> Option<&PacketLayout> {
        self.registers.get(&offset)
    }

    /// Returns the name of a value of an enumeration.
    #[must_use]
    pub fn value_name(&self, enumeration: &str, value: u64) -> Option<&'static str> {
        let values = self.enumerations.get(enumeration)?;
        values.iter().find(|(v, _)| *v == value).map(|(_, name)| *name)
    }

    /// All registers, each of several of one form.
    pub fn registers(&self) -> impl Iterator<Item = &PacketLayout> {
        self.registers.values()
    }

    /// All commands.
    pub fn commands(&self) -> impl Iterator<Item = &PacketLayout> {
        self.commands.iter()
    }

    fn parse(source: &Source, column: usize) -> Table {
        let mut table = Table::default();
        source.texts.iter().for_each(|text| table.add_text(text, column, source.columns));
        table.index_opcodes();
        table
    }

    /// Adds the layouts of a text with this number of columns.
    fn add_text(&mut self, text: &'static str, column: usize, columns: usize) {
        let mut lines = Lines { column, columns, lines: text.lines().peekable() };
        while let Some((keyword, name)) = lines.heading() {
            if keyword == "enum" {
                lines.enumeration(name, self);
            } else {
                lines.layout(keyword, name, self);
            }
        }
    }

    fn add(&mut self, keyword: &str, mut layout: PacketLayout) {
        layout.index_names();
        match keyword {
            "struct" => {
                self.structures.insert(layout.name, layout);
            }
            "register" | "registers" => {
                for i in 0..layout.repeated.max(1) {
                    let offset = layout.offset + i * layout.distance;
                    let name = layout.name.replace('#', &i.to_string());
                    self.registers_by_name.insert(name, offset);
                    let mut copy = layout.clone();
                    copy.index = i;
                    self.registers.insert(offset, copy);
                }
            }
            _ => {
                self.by_name.insert(layout.name, self.commands.len());
                self.commands.push(layout);
            }
        }
    }

    fn index_opcodes(&mut self) {
        let mut masks: FxHashMap<u32, FxHashMap<u32, usize>> = FxHashMap::default();
        for (i, layout) in self.commands.iter().enumerate() {
            masks.entry(layout.mask).or_default().insert(layout.opcode, i);
        }
        self.by_opcode = masks.into_iter().collect();
        self.by_opcode.sort_by_key(|(mask, _)| std::cmp::Reverse((mask.count_ones(), *mask)));
    }
}

/// Lines of a table, read for one column.
struct Lines<I: Iterator<Item = &'static str>> {
    column: usize,
    columns: usize,
    lines: std::iter::Peekable<I>,
}

impl<I: Iterator<Item = &'static str>> Lines<I> {
    /// Next heading: keyword and name.
    fn heading(&mut self) -> Option<(&'static str, &'static str)> {
        self.lines.find(|line| !line.starts_with(['#', ' '])).and_then(|line| line.split_once(' '))
    }

    /// Next indented line, without its generations if those include the column.
    fn member(&mut self) -> Option<Option<&'static str>> {
        let line = self.lines.next_if(|line| line.starts_with(' '))?.trim_start();
        if line.starts_with('=') {
            return Some(None);
        }
        let (generations, rest) = line.split_at(self.columns);
        let valid = generations.as_bytes()[self.column] != b'-';
        Some(valid.then(|| rest.trim_start()))
    }

    /// Values below a field or an enumeration.
    fn values(&mut self) -> Enumeration {
        let mut values = Enumeration::new();
        while let Some(line) = self.lines.next_if(|line| line.trim_start().starts_with('=')) {
            let row = line.trim_start()[1..].trim_start();
            let (value, name) = row.split_once(' ').unwrap_or((row, ""));
            values.push((decimal(value, line), name));
        }
        values
    }

    fn enumeration(&mut self, name: &'static str, table: &mut Table) {
        let valid = matches!(self.member(), Some(Some(_)));
        let values = self.values();
        if valid {
            table.enumerations.insert(name, values);
        }
    }

    fn layout(&mut self, keyword: &str, name: &'static str, table: &mut Table) {
        let mut layout = PacketLayout::new(name);
        let mut valid = false;
        // Members of the innermost open group. Open groups: start, count, stride, and the members
        // that stand before the group.
        let mut items = Vec::new();
        let mut groups = Vec::new();
        while let Some(member) = self.member() {
            let Some(text) = member else { continue };
            if let Some(head) = text.strip_prefix("is ") {
                set_head(keyword, &mut layout, head);
                valid = true;
            } else if let Some(shape) = text.strip_prefix("[ ") {
                let [start, count, stride] = columns(shape).map(|number| decimal(number, text));
                groups.push(([start, count, stride], std::mem::take(&mut items)));
            } else if text == "]" {
                let Some(([start, count, stride], outer)) = groups.pop() else { malformed(text) };
                let members = std::mem::replace(&mut items, outer);
                items.push(Item::Group { start, count, stride, items: members });
            } else {
                items.push(field(text, self.values()).unwrap_or_else(|| malformed(text)));
            }
        }
        if keyword == "packet" {
            items.splice(0..0, packet_header());
        }
        layout.items = items;
        if valid {
            table.add(keyword, layout);
        }
    }
}

/// Reads the numbers of an `is` line.
fn set_head(keyword: &str, layout: &mut PacketLayout, head: &str) {
    let hex = |text: &str| u32::from_str_radix(text, 16).unwrap_or_else(|_| malformed(head));
    let words = match keyword {
        "instruction" => {
            let [words, bias, opcode, mask] = columns(head);
            (layout.bias, layout.opcode, layout.mask) =
                (decimal(bias, head), hex(opcode), hex(mask));
            words
        }
        "packet" => {
            let opcode = hex(head) << 8;
            (layout.bias, layout.opcode, layout.mask) = (2, 0xc000_0000 | opcode, 0xc000_ff00);
            return;
        }
        "registers" => {
            let [count, offset, distance] = columns(head);
            (layout.repeated, layout.offset) = (decimal(count, head), hex(offset));
            layout.distance = decimal(distance, head);
            "1"
        }
        "register" => {
            let [words, offset, opcode, mask] = columns(head);
            (layout.offset, layout.opcode, layout.mask) = (hex(offset), hex(opcode), hex(mask));
            words
        }
        _ => {
            let [words, opcode, mask] = columns(head);
            (layout.opcode, layout.mask) = (hex(opcode), hex(mask));
            words
        }
    };
    layout.words = decimal(words, head);
}

/// Fields of the first double word of a packet of type 3.
fn packet_header() -> [Item; 4] {
    let field = |name, start, end| {
        let kind = if start == end { Kind::Bool } else { Kind::Uint };
        Item::Field { name, field: Field { start, end, kind }, values: Enumeration::new() }
    };
    [
        field("Predicate", 0, 0),
        field("Compute", 1, 1),
        field("Opcode", 8, 15),
        field("DWord Length", 16, 29),
    ]
}

/// Splits a text into exactly this number of columns.
fn columns<const N: usize>(text: &str) -> [&str; N] {
    let columns: Vec<&str> = text.split(' ').collect();
    columns.try_into().unwrap_or_else(|_| malformed(text))
}

/// Reads a decimal number of a line.
fn decimal<T: FromStr>(number: &str, line: &str) -> T {
    number.parse().unwrap_or_else(|_| malformed(line))
}

/// Raises an internal error: the tables are part of the program.
#[cold]
#[track_caller]
fn malformed(line: &str) -> ! {
    InternalError::new(Phase::Simulate, format!("malformed line of a table: {line}")).raise()
}

/// Reads a line `START..END TYPE NAME`.
fn field(text: &'static str, values: Enumeration) -> Option<Item> {
    let (position, rest) = text.split_once(' ')?;
    let (start, end) = position.split_once("..")?;
    let (kind, name) = rest.split_once(' ').unwrap_or((rest, ""));
    let field = Field { start: start.parse().ok()?, end: end.parse().ok()?, kind: kind_of(kind) };
    Some(Item::Field { name, field, values })
}

/// Reads a type.
fn kind_of(text: &'static str) -> Kind {
    match text {
        "uint" => return Kind::Uint,
        "int" => return Kind::Int,
        "bool" => return Kind::Bool,
        "float" => return Kind::Float,
        "address" => return Kind::Address,
        "offset" => return Kind::Offset,
        "mbo" => return Kind::Ones,
        "mbz" => return Kind::Zeros,
        _ => {}
    }
    let fixed = || {
        let (integer, fraction) = text.get(1..)?.split_once('.')?;
        let (integer, fraction) = (integer.parse().ok()?, fraction.parse().ok()?);
        match text.as_bytes()[0] {
            b'u' => Some(Kind::UnsignedFixed(fraction)),
            b's' => Some(Kind::SignedFixed(integer, fraction)),
            _ => None,
        }
    };
    fixed().unwrap_or(Kind::Named(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a table for ivb.
    fn parsed(text: &'static str) -> Result<Table, String> {
        let parse = || {
            let mut table = Table::default();
            table.add_text(text, 0, 4);
            table
        };
        InternalError::catch(parse).map_err(|error| error.message)
    }

    #[test]
    fn malformed_lines_are_errors() {
        let text = "struct S\n  ihbs is 1 0 0\n  ihbs [ 0 2 8\n  ihbs 0..7 uint A\n  ihbs ]\n";
        let table = parsed(text).expect("a table");
        assert_eq!(table.structure("S").expect("a layout").field("A[1]").start, 8);
        let message = |text| parsed(text).expect_err("an error");
        let of = |line: &str| format!("malformed line of a table: {line}");
        assert_eq!(message("struct S\n  ihbs is 1 x 0\n"), of("1 x 0"));
        assert_eq!(message("struct S\n  ihbs is 1 0\n"), of("1 0"));
        assert_eq!(message("struct S\n  ihbs [ 0 y 8\n"), of("[ 0 y 8"));
        assert_eq!(message("struct S\n  ihbs ]\n"), of("]"));
        assert_eq!(message("struct S\n  ihbs 0-7 uint A\n"), of("0-7 uint A"));
        assert_eq!(message("enum E\n  ihbs is\n  = z A\n"), of("  = z A"));
    }

    #[test]
    fn types_name_structures_or_enumerations() {
        for generation in Generation::ALL {
            let table = Table::of(generation);
            let layouts = table.commands.iter().chain(table.structures.values());
            for layout in layouts.chain(table.registers.values()) {
                check_types(table, &layout.items);
            }
        }
    }

    fn check_types(table: &Table, items: &[Item]) {
        for item in items {
            match item {
                Item::Group { items, .. } => check_types(table, items),
                Item::Field { field: Field { kind: Kind::Named(name), .. }, .. } => {
                    let known = table.structures.contains_key(name)
                        || table.enumerations.contains_key(name);
                    assert!(known, "{name}");
                }
                Item::Field { .. } => {}
            }
        }
    }

    #[test]
    fn opcodes_are_unique() {
        for generation in Generation::ALL {
            let table = Table::of(generation);
            for layout in table.commands() {
                let found = table.command(layout.opcode).map(|found| found.name);
                assert_eq!(found, Some(layout.name), "{generation}");
            }
        }
    }

    #[test]
    fn lengths_and_groups() {
        let table = Table::of(Generation::Ivb);
        let primitive = table.command(0x7b00_0005).expect("a draw");
        assert_eq!((primitive.name, primitive.length_of(0x7b00_0005)), ("3DPRIMITIVE", 7));
        let body = table.structure("3DSTATE_CONSTANT_BODY").expect("a structure");
        assert_eq!(body.field("Read Length[1]").start, 16);
        assert!(!body.field("Read Length[4]").exists());
    }
}
