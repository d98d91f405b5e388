//! Walk over the packets of AMD's command processor.

use crate::layout::{Field, PacketLayout};
use crate::memory::Memory;
use crate::table::Table;
use crate::walk::{Command, JUMPS, WalkError};

/// Packets that set registers, with the address in bytes of register 0 of each.
const SETTERS: [(&str, u32); 4] = [
    ("SET_CONFIG_REG", 0x8000),
    ("SET_SH_REG", 0xb000),
    ("SET_CONTEXT_REG", 0x28000),
    ("SET_UCONFIG_REG", 0x30000),
];

/// Part of a buffer that is still to be walked.
#[derive(Clone, Copy, Debug)]
struct Rest {
    next: u64,
    end: u64,
}

/// Follows an indirect buffer from its first packet to its last, through those that it calls or
/// continues with.
pub struct PacketWalker<'t, 'm> {
    table: &'t Table,
    memory: &'m dyn Memory,
    /// The innermost buffer is the last.
    open: Vec<Rest>,
    jumps: u32,
    call: Calls,
}

/// Fields of the packets that name another buffer.
struct Calls {
    address: Field,
    size: Field,
    chain: Field,
}

impl<'t, 'm> PacketWalker<'t, 'm> {
    /// Begins a walk of a buffer of this length in double words.
    #[must_use]
    pub fn new(table: &'t Table, memory: &'m dyn Memory, address: u64, words: u64) -> Self {
        let layout = table.named("INDIRECT_BUFFER");
        let field = |name| layout.map_or(Field::ABSENT, |layout| layout.field(name));
        let call = Calls { address: field("Address"), size: field("Size"), chain: field("Chain") };
        let mut walker = PacketWalker { table, memory, open: Vec::new(), jumps: 0, call };
        walker.enter(address, words);
        walker
    }

    fn enter(&mut self, address: u64, words: u64) {
        self.open
            .push(Rest { next: address, end: address.saturating_add(words.saturating_mul(4)) });
    }

    /// Returns the next packet, or `None` after the end of the buffer.
    ///
    /// # Errors
    /// Fails on an unknown opcode, outside memory, past the end of the buffer, and after too many
    /// jumps.
    pub fn advance(&mut self) -> Result<Option<Command<'t>>, WalkError> {
        let Some(Rest { next: address, end }) = self.current() else { return Ok(None) };
        let fault = |fault| WalkError::Fault { at: address, fault };
        let header = self.memory.read_u32(address).map_err(fault)?;
        let Some(layout) = self.table.command(header) else {
            return Err(WalkError::Unknown { address, header });
        };
        let length = layout.length_of(header);
        let after = address + 4 * u64::from(length);
        if after > end {
            return Err(WalkError::Cut { address, header });
        }
        let words = self.memory.read_words(address, length as usize).map_err(fault)?;
        let command = Command { address, layout, words };
        self.skip_to(after);
        if layout.name.starts_with("INDIRECT_BUFFER") && !layout.name.ends_with("SIZE") {
            self.jump(&command)?;
        }
        Ok(Some(command))
    }

    /// Leaves out the next double words of the current buffer.
    pub fn skip(&mut self, words: u64) {
        if let Some(Rest { next, .. }) = self.current() {
            self.skip_to(next.saturating_add(words.saturating_mul(4)));
        }
    }

    fn skip_to(&mut self, address: u64) {
        if let Some(rest) = self.open.last_mut() {
            rest.next = address;
        }
    }

    /// The innermost buffer that is not at its end.
    fn current(&mut self) -> Option<Rest> {
        while self.open.last().is_some_and(|rest| rest.next >= rest.end) {
            self.open.pop();
        }
        self.open.last().copied()
    }

    fn jump(&mut self, command: &Command<'_>) -> Result<(), WalkError> {
        self.jumps += 1;
        if self.jumps > JUMPS {
            return Err(WalkError::Endless { address: command.address });
        }
        let words = &command.words;
        if self.call.chain.flag(words) {
            self.open.pop();
        }
        self.enter(self.call.address.get(words), self.call.size.get(words));
        Ok(())
    }
}

/// Registers that a packet sets: address in bytes, value.
#[derive(Clone, Debug)]
pub struct RegisterWrites<'w> {
    next: u32,
    values: std::slice::Iter<'w, u32>,
}

impl<'w> RegisterWrites<'w> {
    /// The registers of a packet; `None` if it sets none.
    #[must_use]
    pub fn of(layout: &PacketLayout, words: &'w [u32]) -> Option<RegisterWrites<'w>> {
        let (_, base) = SETTERS.iter().find(|(name, _)| *name == layout.name)?;
        let first = words.get(1)? & 0xffff;
        Some(RegisterWrites { next: base + 4 * first, values: words.get(2..)?.iter() })
    }
}

impl Iterator for RegisterWrites<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<(u32, u32)> {
        let value = *self.values.next()?;
        let address = self.next;
        self.next += 4;
        Some((address, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Recording;
    use vocabulary::Generation;

    const BASE: u64 = 0x20_0000;

    fn names(words: &[u32], length: u64) -> Result<Vec<&'static str>, WalkError> {
        let memory = Recording::of_words(BASE, words);
        let mut walker = PacketWalker::new(Table::of(Generation::Vi), &memory, BASE, length);
        let mut names = Vec::new();
        while let Some(command) = walker.advance()? {
            names.push(command.layout.name);
        }
        Ok(names)
    }

    #[test]
    fn buffers_are_called_and_continued() {
        // A call of what begins at word 5, a filler; word 5 continues at word 9.
        let call = [0xc002_3f00, 0x20_0014, 0, 4];
        let chain = [0xc002_3f00, 0x20_0024, 0, 2 | 1 << 20];
        let words = [&call[..], &[0x8000_0000], &chain, &[0xc000_4200, 0]].concat();
        let found = names(&words, 5).expect("a walk");
        assert_eq!(found, ["INDIRECT_BUFFER", "INDIRECT_BUFFER", "PFP_SYNC_ME", "FILLER"]);
    }

    #[test]
    fn errors_name_the_place() {
        let cut = WalkError::Cut { address: BASE, header: 0xc004_6900 };
        assert_eq!(names(&[0xc004_6900], 2), Err(cut));
        let unknown = WalkError::Unknown { address: BASE, header: 0xc000_fe00 };
        assert_eq!(names(&[0xc000_fe00, 0], 2), Err(unknown));
        let endless = [0xc002_3f00, 0x20_0000, 0, 4 | 1 << 20];
        assert_eq!(names(&endless, 4), Err(WalkError::Endless { address: BASE }));
    }

    #[test]
    fn registers_of_a_packet() {
        let words = [0xc002_6900, 0x200, 7, 8];
        let layout = Table::of(Generation::Si).command(words[0]).expect("a packet");
        let writes: Vec<_> = RegisterWrites::of(layout, &words).expect("registers").collect();
        assert_eq!(writes, [(0x28800, 7), (0x28804, 8)]);
        let name = |offset| Table::of(Generation::Si).register(offset).map(|layout| layout.name);
        assert_eq!(name(0x28800), Some("DB_DEPTH_CONTROL"));
        let info = Table::of(Generation::Si).register_named("CB_COLOR7_INFO").expect("a register");
        assert_eq!((info.offset, info.index), (0x28c70, 7));
    }
}
