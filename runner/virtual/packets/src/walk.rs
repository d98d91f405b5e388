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
    /// The command after the last jump.
    after_jump: Option<u64>,
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
            after_jump: None,
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

    /// Continues after the last jump instead of at its target. For jumps under a predicate.
    pub fn ignore_jump(&mut self) {
        if let Some(address) = self.after_jump.take() {
            self.next = Some(address);
        }
    }

    /// Sets the place of the command after `command`, which ends at `end`.
    fn step(&mut self, command: &Command<'_>, end: u64) -> Result<(), WalkError> {
        self.after_jump = None;
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
            self.after_jump = Some(end);
            self.next = Some(self.target.get(&command.words) & 0xffff_ffff_ffff);
        }
        Ok(())
    }
}
