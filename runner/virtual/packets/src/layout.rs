//! Layouts of commands, structures and registers, and the handles that read their fields.

use rustc_hash::FxHashMap;

/// Interpretation of the bits of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned integer.
    Uint,
    /// Integer of two's complement.
    Int,
    /// One bit.
    Bool,
    /// 32-bit float.
    Float,
    /// Graphics address; bits below the field's first are 0.
    Address,
    /// Offset from a base address; bits below the field's first are 0.
    Offset,
    /// Unsigned fixed point number with this count of fraction bits.
    UnsignedFixed(u32),
    /// Signed fixed point number: integer bits without sign, fraction bits.
    SignedFixed(u32, u32),
    /// Bits that must be one.
    Ones,
    /// Bits that must be zero.
    Zeros,
    /// A structure or an enumeration of this name.
    Named(&'static str),
}

/// Values of an enumeration with their names.
pub type Enumeration = Vec<(u64, &'static str)>;

/// A member of a layout.
#[derive(Clone, Debug)]
pub enum Item {
    /// A field.
    Field {
        /// Name; empty for reserved bits.
        name: &'static str,
        /// Position and kind.
        field: Field,
        /// Names of values.
        values: Enumeration,
    },
    /// Repeated members.
    Group {
        /// First bit of the first repetition.
        start: u32,
        /// Repetitions; 0 if they fill the rest of the command.
        count: u32,
        /// Bits from one repetition to the next.
        stride: u32,
        /// Members, with positions within a repetition.
        items: Vec<Item>,
    },
}

/// Bits of a command or structure, resolved by name once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// First bit, counted from bit 0 of double word 0.
    pub start: u32,
    /// Last bit.
    pub end: u32,
    /// Interpretation.
    pub kind: Kind,
}

impl Field {
    /// A field that this generation does not have. It reads as 0.
    pub const ABSENT: Field = Field { start: 1, end: 0, kind: Kind::Zeros };

    /// True if the generation has the field.
    #[must_use]
    pub fn exists(self) -> bool {
        self.start <= self.end
    }

    /// Reads the value. Addresses and offsets keep their place: their low bits are 0. Bits beyond
    /// the end of `words` read as 0.
    #[must_use]
    pub fn get(self, words: &[u32]) -> u64 {
        if !self.exists() {
            return 0;
        }
        let first = (self.start / 32) as usize;
        let word = |i: usize| u64::from(words.get(first + i).copied().unwrap_or(0));
        let shift = self.start % 32;
        let all = u128::from(word(0)) | u128::from(word(1)) << 32 | u128::from(word(2)) << 64;
        let bits = self.end - self.start + 1;
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        #[allow(clippy::cast_possible_truncation, reason = "the mask keeps at most 64 bits")]
        let value = (all >> shift) as u64 & mask;
        match self.kind {
            Kind::Address | Kind::Offset => value << shift,
            _ => value,
        }
    }

    /// True if any bit of the field is set.
    #[must_use]
    pub fn flag(self, words: &[u32]) -> bool {
        self.get(words) != 0
    }

    /// Reads the low 32 bits of the value.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "documented")]
    pub fn get_u32(self, words: &[u32]) -> u32 {
        self.get(words) as u32
    }

    /// Reads an integer of two's complement.
    #[must_use]
    pub fn signed(self, words: &[u32]) -> i64 {
        if !self.exists() {
            return 0;
        }
        let unused = 63 - (self.end - self.start).min(63);
        (self.get(words) << unused).cast_signed() >> unused
    }

    /// Reads a number with a fraction: a float, a fixed point number, or an integer.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "fixed point fields have at most 24 bits")]
    pub fn number(self, words: &[u32]) -> f32 {
        match self.kind {
            Kind::Float => f32::from_bits(self.get_u32(words)),
            Kind::UnsignedFixed(fraction) => self.get(words) as f32 / (1_u32 << fraction) as f32,
            Kind::SignedFixed(_, fraction) => {
                self.signed(words) as f32 / (1_u32 << fraction) as f32
            }
            Kind::Int => self.signed(words) as f32,
            _ => self.get(words) as f32,
        }
    }
}

/// Layout of a command, structure or register.
#[derive(Clone, Debug)]
pub struct PacketLayout {
    /// Name, such as `3DSTATE_VS`.
    pub name: &'static str,
    /// Double words; 0 if the length varies.
    pub words: u32,
    /// Difference between the length of a command and its length field, in double words.
    pub bias: u32,
    /// Fixed bits of a command's first double word.
    pub opcode: u32,
    /// Mask of the fixed bits.
    pub mask: u32,
    /// MMIO offset of a register; of several of one form that of the first.
    pub offset: u32,
    /// Number of a register among several of one form.
    pub index: u32,
    /// Registers of the form; 0 for one.
    pub repeated: u32,
    /// Bytes from each of several registers of one form to the next.
    pub distance: u32,
    /// Members in ascending order of their first bits.
    pub items: Vec<Item>,
    /// Field that holds the length of a command.
    pub length: Option<Field>,
    /// Fields by name; those of groups have an index for each level, such as `Read Length[1]`.
    by_name: FxHashMap<String, Field>,
}

impl PacketLayout {
    /// Creates a layout without members.
    pub(crate) fn new(name: &'static str) -> PacketLayout {
        PacketLayout {
            name,
            words: 0,
            bias: 1,
            opcode: 0,
            mask: 0,
            offset: 0,
            index: 0,
            repeated: 0,
            distance: 0,
            items: Vec::new(),
            length: None,
            by_name: FxHashMap::default(),
        }
    }

    /// Builds the map of names after all items were added.
    pub(crate) fn index_names(&mut self) {
        let items = std::mem::take(&mut self.items);
        let mut names = FxHashMap::default();
        collect(&items, 0, "", &mut names);
        self.length = names.get("DWord Length").copied();
        self.by_name = names;
        self.items = items;
    }

    /// Returns a field by name, or [`Field::ABSENT`].
    ///
    /// The name of a member of a group has its index, such as `Read Length[1]`. Of a group that
    /// fills the rest of the command only `[0]` is known.
    #[must_use]
    pub fn field(&self, name: &str) -> Field {
        self.by_name.get(name).copied().unwrap_or(Field::ABSENT)
    }

    /// Length in double words of a command that begins with `header`.
    #[must_use]
    pub fn length_of(&self, header: u32) -> u32 {
        match self.length {
            Some(field) => field.get_u32(&[header]) + self.bias,
            None => self.words.max(1),
        }
    }

    /// True if the field is part of what identifies the command.
    pub(crate) fn is_header(&self, field: Field) -> bool {
        field.end < 32 && Field { kind: Kind::Uint, ..field }.get(&[self.mask]) != 0
    }
}

/// Adds the fields of `items`, moved by `base` bits, to `names`.
fn collect(items: &[Item], base: u32, index: &str, names: &mut FxHashMap<String, Field>) {
    for item in items {
        match item {
            Item::Field { name, field, .. } => {
                let moved = Field { start: base + field.start, end: base + field.end, ..*field };
                names.entry(format!("{name}{index}")).or_insert(moved);
            }
            Item::Group { start, count, stride, items } => {
                for i in 0..(*count).max(1) {
                    let index = format!("{index}[{i}]");
                    collect(items, base + start + i * stride, &index, names);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_cross_double_words() {
        let field = Field { start: 12, end: 47, kind: Kind::Address };
        assert_eq!(field.get(&[0x1234_5678, 0xffff_9abc]), 0x9abc_1234_5000);
        assert_eq!(field.get(&[0x1234_5678]), 0x1234_5000);
        assert_eq!(Field::ABSENT.get(&[u32::MAX]), 0);
    }

    #[test]
    fn numbers() {
        let field = |start, end, kind| Field { start, end, kind };
        assert_eq!(field(4, 7, Kind::Int).signed(&[0xf0]), -1);
        assert_eq!(field(0, 7, Kind::SignedFixed(3, 4)).number(&[0xf8]), -0.5);
        assert_eq!(field(0, 7, Kind::UnsignedFixed(4)).number(&[0x18]), 1.5);
        assert_eq!(field(32, 63, Kind::Float).number(&[0, 0x3f80_0000]), 1.0);
    }
}
