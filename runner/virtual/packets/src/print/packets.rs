//! Buffers of packets of AMD's GPUs: each packet with its fields, or with the registers that it
//! sets, by their names and those of their fields.

use super::Printer;
use crate::layout::{Item, Kind, PacketLayout};
use crate::packet_walk::{PacketWalker, RegisterWrites};
use crate::walk::{Command, WalkError};

impl Printer<'_> {
    /// Returns the text of a buffer of packets of this length in bytes.
    ///
    /// # Errors
    /// Fails where the buffer cannot be walked.
    pub fn packets(&mut self, address: u64, length: u64) -> Result<String, WalkError> {
        let mut walker = PacketWalker::new(self.table, self.memory, address, length / 4);
        while let Some(command) = walker.advance()? {
            self.packet(&command);
        }
        Ok(std::mem::take(&mut self.out))
    }

    fn packet(&mut self, command: &Command<'_>) {
        let Command { address, layout, words } = command;
        let header = words.first().copied().unwrap_or(0);
        self.line(format_args!("0x{address:08x}:  0x{header:08x}:  {}", layout.name));
        match RegisterWrites::of(layout, words) {
            Some(writes) => writes.for_each(|(register, value)| self.set_register(register, value)),
            None => self.named_fields(layout, words, 1, "    "),
        }
    }

    /// Prints a register and its fields; one that is a single number has no line for it.
    fn set_register(&mut self, address: u32, value: u32) {
        let Some(layout) = self.table.register(address) else {
            self.line(format_args!("    {address:#07x} = 0x{value:08x}"));
            return;
        };
        let name = layout.name.replace('#', &layout.index.to_string());
        let only = match layout.items.as_slice() {
            [Item::Field { name, field, values }] if *name == "Value" => {
                Some(self.value(name, field.kind, value.into(), values))
            }
            _ => None,
        };
        let number = only.filter(|_| value != 0).map_or(String::new(), |text| format!(" ({text})"));
        self.line(format_args!("    {name} = 0x{value:08x}{number}"));
        if number.is_empty() && value != 0 {
            self.named_fields(layout, &[value], 0, "        ");
        }
    }

    /// Prints the fields that begin in a double word from `first` on and are not 0.
    fn named_fields(&mut self, layout: &PacketLayout, words: &[u32], first: u32, indent: &str) {
        for item in &layout.items {
            let Item::Field { name, field, values } = item else { continue };
            if field.start / 32 < first || field.kind == Kind::Ones {
                continue;
            }
            let value = field.get(words);
            if value != 0 {
                let text = self.value(name, field.kind, value, values);
                self.line(format_args!("{indent}{name}: {text}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Fault, Memory};
    use crate::print::NoKernels;
    use crate::table::Table;
    use std::ops::Range;
    use vocabulary::Generation;

    /// A buffer at address 0.
    struct Buffer(Vec<u8>);

    impl Memory for Buffer {
        fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
            let start = usize::try_from(address).map_err(|_| Fault { address })?;
            let range = start..start + bytes.len();
            bytes.copy_from_slice(self.0.get(range).ok_or(Fault { address })?);
            Ok(())
        }

        fn write(&self, address: u64, _: &[u8]) -> Result<(), Fault> {
            Err(Fault { address })
        }

        fn object(&self, _: u64) -> Option<Range<u64>> {
            Some(0..self.0.len() as u64)
        }
    }

    #[test]
    fn registers_and_packets_have_names() {
        let words: [u32; 8] = [
            // Two registers of the context from CB_COLOR0_VIEW on.
            0xc002_6900,
            0x28_c6c / 4 - 0x28_000 / 4,
            1 << 13,
            10 << 2,
            // A draw of three vertices.
            0xc001_2d00,
            3,
            2,
            0x8000_0000,
        ];
        let memory = Buffer(words.iter().flat_map(|word| word.to_le_bytes()).collect());
        let mut kernels = NoKernels;
        let table = Table::of(Generation::Vi);
        let mut printer = Printer::new(table, &memory, &|_| None, &mut kernels);
        let text = printer.packets(0, 32).expect("a buffer");
        let expected = "\
0x00000000:  0xc0026900:  SET_CONTEXT_REG
    CB_COLOR0_VIEW = 0x00002000
        SLICE_MAX: 1
    CB_COLOR0_INFO = 0x00000028
        FORMAT: 10 (COLOR_8_8_8_8)
0x00000010:  0xc0012d00:  DRAW_INDEX_AUTO
    Index Count: 3
    Initiator: 2
0x0000001c:  0x80000000:  FILLER
";
        assert_eq!(text, expected);
        assert!(printer.packets(0, 20).is_err(), "a packet that is cut");
    }
}
