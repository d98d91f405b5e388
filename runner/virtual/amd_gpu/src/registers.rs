//! The register file, and handles of fields of registers.

use packets::{Field, Table};

/// First address of the file and the address after the last, in bytes.
const FIRST: u32 = 0x8000;
const END: u32 = 0x31000;

/// Values of all registers that packets set, by their addresses in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Registers(Vec<u32>);

impl Default for Registers {
    fn default() -> Registers {
        Registers(vec![0; ((END - FIRST) / 4) as usize])
    }
}

impl Registers {
    /// Reads a register; one outside of the file is 0.
    pub(crate) fn get(&self, address: u32) -> u32 {
        let place = address.checked_sub(FIRST).map(|offset| (offset / 4) as usize);
        place.and_then(|place| self.0.get(place)).copied().unwrap_or(0)
    }

    /// Writes a register of the file.
    pub(crate) fn set(&mut self, address: u32, value: u32) {
        let place = address.checked_sub(FIRST).map(|offset| (offset / 4) as usize);
        if let Some(register) = place.and_then(|place| self.0.get_mut(place)) {
            *register = value;
        }
    }

    /// Reads a number of registers from an address on.
    pub(crate) fn words(&self, address: u32, count: u32) -> Vec<u32> {
        (0..count).map(|i| self.get(address.wrapping_add(4 * i))).collect()
    }
}

/// A field of a register, or of each of several of one form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegisterField {
    address: u32,
    distance: u32,
    /// Registers of the form.
    count: u32,
    field: Field,
}

impl RegisterField {
    /// Finds the field of a register by their names. One that the generation does not have reads
    /// as 0.
    pub(crate) fn resolve(table: &Table, register: &str, field: &str) -> RegisterField {
        let layout = table.register_named(&register.replace('#', "0"));
        RegisterField {
            address: layout.map_or(0, |layout| layout.offset),
            distance: layout.map_or(0, |layout| layout.distance),
            count: layout.map_or(0, |layout| layout.repeated.max(1)),
            field: layout.map_or(Field::ABSENT, |layout| layout.field(field)),
        }
    }

    /// True if the generation has the field.
    pub(crate) fn exists(self) -> bool {
        self.field.exists()
    }

    /// Addresses of the register, and of the others of its form.
    pub(crate) fn addresses(self) -> impl Iterator<Item = u32> {
        let count = if self.exists() { self.count } else { 0 };
        (0..count).map(move |i| self.address + i * self.distance)
    }

    /// Reads the whole register.
    pub(crate) fn word(self, registers: &Registers) -> u32 {
        self.word_at(0, registers)
    }

    /// Reads one of several registers as a whole.
    pub(crate) fn word_at(self, index: u32, registers: &Registers) -> u32 {
        registers.get(self.address + index * self.distance)
    }

    /// Reads the field.
    pub(crate) fn get(self, registers: &Registers) -> u32 {
        self.at(0, registers)
    }

    /// Reads the field of one of several registers.
    pub(crate) fn at(self, index: u32, registers: &Registers) -> u32 {
        self.field.get_u32(&[registers.get(self.address + index * self.distance)])
    }

    /// Reads a register that follows one of several after this many others.
    pub(crate) fn word_beside(self, index: u32, beside: u32, registers: &Registers) -> u32 {
        registers.get(self.address + index * self.distance + 4 * beside)
    }

    /// True if any bit is set.
    pub(crate) fn flag(self, registers: &Registers) -> bool {
        self.get(registers) != 0
    }

    /// Reads a number with a fraction.
    pub(crate) fn number(self, registers: &Registers) -> f32 {
        self.number_at(0, registers)
    }

    /// Reads a number of one of several registers.
    pub(crate) fn number_at(self, index: u32, registers: &Registers) -> f32 {
        self.field.number(&[registers.get(self.address + index * self.distance)])
    }
}

/// Declares a structure of handles that are resolved by the names of register and field. `NAMES`
/// lists them, so that a test can show that each exists in some generation.
macro_rules! register_fields {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $register:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $field: $crate::registers::RegisterField,)*
        }

        impl $name {
            /// Registers and fields.
            #[cfg(test)]
            pub(crate) const NAMES: &'static [(&'static str, &'static str)] =
                &[$(($register, $text)),*];

            /// Addresses of the registers, of all of one form.
            pub(crate) fn addresses(&self, addresses: &mut Vec<u32>) {
                $(addresses.extend(self.$field.addresses());)*
            }

            /// Resolves the names in the table of a generation.
            pub(crate) fn resolve(table: &packets::Table) -> Self {
                let field = |register, name| {
                    $crate::registers::RegisterField::resolve(table, register, name)
                };
                Self { $($field: field($register, $text)),* }
            }
        }
    };
}

pub(crate) use register_fields;
