//! Walk over the commands of a batch.

use crate::layout::{Field, PacketLayout};
use crate::memory::{Fault, Memory};
use crate::table::Table;

/// Jumps after which a batch counts as endless.
pub(crate) const JUMPS: u32 = 10_000;

/// Why a batch cannot be walked further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WalkError {
    /// No command of the generation has this opcode.
    #[error("unknown command {header:#010x} at {address:#x}")]
    Unknown {
        /// Address of the command.
        address: u64,
        /// First double word.
        header: u32,
    },
    /// The batch runs out of memory.
    #[error("batch at {at:#x}: {fault}")]
    Fault {
        /// Address of the command.
        at: u64,
        /// The failed read.
        fault: Fault,
    },
    /// A command is longer than the rest of its buffer.
    #[error("the command {header:#010x} at {address:#x} ends after its buffer")]
    Cut {
        /// Address of the command.
        address: u64,
        /// First double word.
        header: u32,
    },
    /// The batch jumps without end.
    #[error("more than {JUMPS} jumps, the last at {address:#x}")]
    Endless {
        /// Address of the jump.
        address: u64,
    },
}

/// A command of a batch.
#[derive(Clone, Debug)]
pub struct Command<'t> {
    /// Address of the first double word.
    pub address: u64,
    /// The layout of the command.
    pub layout: &'t PacketLayout,
    /// All double words.
    pub words: Vec<u32>,
}

impl Command<'_> {
    /// True for `MI_BATCH_BUFFER_END`.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.layout.name == "MI_BATCH_BUFFER_END"
    }

    /// True for `MI_BATCH_BUFFER_START`.
    #[must_use]
    pub fn is_jump(&self) -> bool {
        self.layout.name == "MI_BATCH_BUFFER_START"
    }
}

/// Follows a batch from its first command to its last, through jumps and second level batches.
pub struct Walker<'t, 'm> {
    table: &'t Table,
    memory: &'m dyn Memory,
    /// Address of the next command; `None` after the end.
    next: Option<u64>,
    /// Where to continue after each second level batch.
    returns: Vec<u64>,
    jumps: u32,
    target: Field,
    second_level: Field,
}

impl<'t, 'm> Walker<'t, 'm> {
    /// Begins a walk at an address.
    #[must_use]
    pub fn new(table: &'t Table, memory: &'m dyn Memory, address: u64) -> Self {
        let start = table.named("MI_BATCH_BUFFER_START");
        let field = |name| start.map_or(Field::ABSENT, |layout| layout.field(name));
        Walker {
            table,
            memory,
            next: Some(address),
            returns: Vec::new(),
            jumps: 0,
            target: field("Batch Buffer Start Address"),
            second_level: field("Second Level Batch Buffer"),
        }
    }

    /// Returns the next command, or `None` after the end of the batch.
    ///
    /// # Errors
    /// Fails on an unknown opcode, outside memory, and after too many jumps.
    pub fn advance(&mut self) -> Result<Option<Command<'t>>, WalkError> {
        let Some(address) = self.next else { return Ok(None) };
        let fault = |fault| WalkError::Fault { at: address, fault };
        let header = self.memory.read_u32(address).map_err(fault)?;
        let Some(layout) = self.table.command(header) else {
            return Err(WalkError::Unknown { address, header });
        };
        let length = layout.length_of(header);
        let words = self.memory.read_words(address, length as usize).map_err(fault)?;
        let command = Command { address, layout, words };
        self.step(&command, address + 4 * u64::from(length))?;
        Ok(Some(command))
    }

    /// Sets the place of the command after `command`, which ends at `end`.
    fn step(&mut self, command: &Command<'_>, end: u64) -> Result<(), WalkError> {
        self.next = Some(end);
        if command.is_end() {
            self.next = self.returns.pop();
        } else if command.is_jump() {
            self.jumps += 1;
            if self.jumps > JUMPS {
                return Err(WalkError::Endless { address: command.address });
            }
            if self.second_level.flag(&command.words) {
                self.returns.push(end);
            }
            self.next = Some(self.target.get(&command.words) & 0xffff_ffff_ffff);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Recording;
    use vocabulary::Generation;

    const BASE: u64 = 0x20_0000;
    const NO_OPERATION: u32 = 0;
    const END: u32 = 0x0500_0000;
    const JUMP: u32 = 0x1880_0001;
    const SECOND_LEVEL: u32 = 1 << 22;

    /// Names and places of the commands of a batch of skl.
    fn walk(words: &[u32]) -> Result<Vec<(&'static str, u64)>, WalkError> {
        let memory = Recording::of_words(BASE, words);
        let mut walker = Walker::new(Table::of(Generation::Skl), &memory, BASE);
        let mut found = Vec::new();
        while let Some(command) = walker.advance()? {
            found.push((command.layout.name, command.address - BASE));
        }
        Ok(found)
    }

    #[test]
    fn second_level_batches_return() {
        let call = [JUMP | SECOND_LEVEL, 0x20_0020, 0];
        let jump = [JUMP, 0x20_0028, 0];
        let words = [&[NO_OPERATION][..], &call, &[NO_OPERATION], &jump];
        let words = [&words.concat()[..], &[NO_OPERATION, END, END]].concat();
        let expected = [
            ("MI_NOOP", 0),
            ("MI_BATCH_BUFFER_START", 4),
            ("MI_NOOP", 0x20),
            ("MI_BATCH_BUFFER_END", 0x24),
            ("MI_NOOP", 0x10),
            ("MI_BATCH_BUFFER_START", 0x14),
            ("MI_BATCH_BUFFER_END", 0x28),
        ];
        assert_eq!(walk(&words), Ok(expected.to_vec()));
    }

    #[test]
    fn errors_name_the_place() {
        let endless = walk(&[NO_OPERATION, JUMP, 0x20_0004, 0]);
        assert_eq!(endless, Err(WalkError::Endless { address: BASE + 4 }));
        let unknown = walk(&[NO_OPERATION, 0x7fff_0000]);
        assert_eq!(unknown, Err(WalkError::Unknown { address: BASE + 4, header: 0x7fff_0000 }));
        let fault = crate::memory::Fault { address: 0x30_0000 };
        assert_eq!(walk(&[JUMP, 0x30_0000, 0]), Err(WalkError::Fault { at: 0x30_0000, fault }));
    }
}
