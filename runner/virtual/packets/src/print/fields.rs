//! Fields of a command, structure or register.

use super::Printer;
use crate::format::format_name;
use crate::layout::{Enumeration, Field, Item, Kind, PacketLayout};

/// Place in a layout while its fields are printed.
struct Cursor<'w> {
    layout_bits: u32,
    address: u64,
    words: &'w [u32],
    /// First bit of the structure in the first double word.
    shift: u32,
    last_word: Option<u32>,
    /// Value printed last; reserved fields repeat it.
    value: String,
}

impl Printer<'_> {
    /// Prints all fields of `layout`, whose double words are at `address`.
    pub(super) fn group(&mut self, layout: &PacketLayout, address: u64, words: &[u32], shift: u32) {
        let layout_bits = match layout.length {
            Some(_) => 32 * layout.length_of(words.first().copied().unwrap_or(0)),
            None => 32 * layout.words,
        };
        let mut cursor =
            Cursor { layout_bits, address, words, shift, last_word: None, value: String::new() };
        self.items(layout, &layout.items, 0, "", &mut cursor);
    }

    /// Prints `items`, moved by `base` bits. Returns false at the end of the command.
    fn items(
        &mut self,
        layout: &PacketLayout,
        items: &[Item],
        base: u32,
        index: &str,
        cursor: &mut Cursor<'_>,
    ) -> bool {
        for item in items {
            let more = match item {
                Item::Field { name, field, values } => {
                    let moved =
                        Field { start: base + field.start, end: base + field.end, ..*field };
                    let shown = index.is_empty() && layout.is_header(*field);
                    self.field(&format!("{name}{index}"), moved, values, !shown, cursor)
                }
                Item::Group { start, count, stride, items } => {
                    let mut i = 0;
                    loop {
                        let at = base + start + i * stride;
                        let index = format!("{index}[{i}]");
                        if !self.items(layout, items, at, &index, cursor) {
                            break false;
                        }
                        i += 1;
                        let rest = at + stride < cursor.layout_bits;
                        if (*count == 0 && !rest) || (*count > 0 && i >= *count) {
                            break true;
                        }
                    }
                }
            };
            if !more {
                return false;
            }
        }
        true
    }

    /// Prints a field. Returns false after the end of the command.
    fn field(
        &mut self,
        name: &str,
        field: Field,
        values: &Enumeration,
        shown: bool,
        cursor: &mut Cursor<'_>,
    ) -> bool {
        let first = field.start / 32;
        if 32 * first >= cursor.layout_bits {
            return false;
        }
        let last = field.end / 32;
        if cursor.last_word != Some(last) {
            for i in cursor.last_word.map_or(0, |word| word + 1)..=last {
                let word = cursor.words.get(i as usize).copied().unwrap_or(0);
                let address = cursor.address + 4 * u64::from(i);
                self.line(format_args!("0x{address:08x}:  0x{word:08x} : Dword {i}"));
            }
            cursor.last_word = Some(last);
        }
        let moved =
            Field { start: field.start + cursor.shift, end: field.end + cursor.shift, ..field };
        if field.kind != Kind::Ones {
            let value = moved.get(cursor.words);
            cursor.value = self.value(name, field.kind, value, values);
        }
        if shown {
            self.line(format_args!("    {name}: {}", cursor.value));
            if let Kind::Named(structure) = field.kind
                && let Some(layout) = self.table.structure(structure)
            {
                let (skip, shift) = ((moved.start / 32) as usize, moved.start % 32);
                let words = cursor.words.get(skip..).unwrap_or(&[]);
                self.group(layout, cursor.address + 4 * skip as u64, words, shift);
            }
        }
        true
    }

    /// Text of a value.
    #[allow(clippy::cast_precision_loss, reason = "as the driver's own text")]
    pub(super) fn value(&self, name: &str, kind: Kind, value: u64, values: &Enumeration) -> String {
        let low = u32::try_from(value & 0xffff_ffff).unwrap_or(0);
        let mut text = match kind {
            Kind::Bool => return if value == 0 { "false" } else { "true" }.to_string(),
            Kind::Float => return float(f32::from_bits(low)),
            Kind::Address | Kind::Offset => return format!("0x{value:08x}"),
            Kind::UnsignedFixed(fraction) => {
                return float(value as f32 / (1_u32 << fraction) as f32);
            }
            Kind::SignedFixed(integer, fraction) => {
                let unused = 64 - (integer + fraction + 1);
                let signed = (value << unused).cast_signed() >> unused;
                return float(signed as f32 / (1_u32 << fraction) as f32);
            }
            Kind::Named(structure) if self.table.structure(structure).is_some() => {
                return format!("<struct {structure}>");
            }
            _ => value.to_string(),
        };
        let known = match kind {
            Kind::Named(enumeration) => self.table.value_name(enumeration, value),
            _ => values.iter().find(|(v, _)| *v == value).map(|(_, name)| *name),
        };
        if let Some(known) = known {
            text.push_str(&format!(" ({known})"));
        } else if matches!(name, "Surface Format" | "Source Element Format")
            && let Some(format) = format_name(value)
        {
            text.push_str(&format!(" (ISL_FORMAT_{format})"));
        }
        text
    }
}

/// Text of a float with six decimals.
fn float(value: f32) -> String {
    match (value.is_nan(), value.is_sign_negative()) {
        (true, true) => "-nan".to_string(),
        (true, false) => "nan".to_string(),
        (false, _) => format!("{:.6}", f64::from(value)),
    }
}
