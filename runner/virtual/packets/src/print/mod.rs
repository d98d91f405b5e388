//! Batches as text: each command with its fields, and the state, buffers and kernels it refers to.
//!
//! The text equals that of the driver's `INTEL_DEBUG=bat`, so that the two can be compared line by
//! line. Its peculiarities are kept, such as reserved fields that repeat the value before them.

mod fields;
mod packets;
mod state;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use crate::layout::PacketLayout;
use crate::memory::Memory;
use crate::table::Table;
use crate::walk::{Command, WalkError, Walker};

/// Prints the instructions of a kernel.
pub trait PrintKernel {
    /// Appends the kernel at an address, a line for each instruction.
    fn print(&mut self, memory: &dyn Memory, address: u64, out: &mut String);
}

/// Leaves kernels out.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoKernels;

impl PrintKernel for NoKernels {
    fn print(&mut self, _: &dyn Memory, _: u64, _: &mut String) {}
}

/// Bytes of the state at an address, where the writer of the batch knows them.
pub type StateSize<'a> = &'a dyn Fn(u64) -> Option<u32>;

/// Base addresses of state, which persist from batch to batch of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BaseAddresses {
    /// Of surface states and binding tables.
    pub surface: u64,
    /// Of dynamic state.
    pub dynamic: u64,
    /// Of kernels.
    pub instruction: u64,
}

/// Prints batches of one context.
pub struct Printer<'a> {
    table: &'a Table,
    memory: &'a dyn Memory,
    sizes: StateSize<'a>,
    kernels: &'a mut dyn PrintKernel,
    /// Base addresses, zero at first.
    pub bases: BaseAddresses,
    out: String,
}

impl<'a> Printer<'a> {
    /// Creates a printer. Where `sizes` knows nothing, the printer assumes usual counts.
    #[must_use]
    pub fn new(
        table: &'a Table,
        memory: &'a dyn Memory,
        sizes: StateSize<'a>,
        kernels: &'a mut dyn PrintKernel,
    ) -> Self {
        Printer {
            table,
            memory,
            sizes,
            kernels,
            bases: BaseAddresses::default(),
            out: String::new(),
        }
    }

    /// Returns the text of the batch at an address.
    ///
    /// # Errors
    /// Fails where the batch cannot be walked.
    pub fn batch(&mut self, address: u64) -> Result<String, WalkError> {
        // Addresses print in canonical form: bit 47 is repeated in the bits above.
        let canonical = |address: u64| (address << 16).cast_signed() >> 16;
        let mut walker = Walker::new(self.table, self.memory, address);
        while let Some(command) = walker.advance()? {
            self.command(&command, canonical(command.address).cast_unsigned());
        }
        Ok(std::mem::take(&mut self.out))
    }

    /// Prints a command and what it refers to.
    fn command(&mut self, command: &Command<'a>, address: u64) {
        let Command { layout, words, .. } = command;
        self.line(format_args!("0x{address:08x}:  0x{:08x}:  {:<80}", words[0], layout.name));
        self.group(layout, address, words, 0);
        self.references(layout, words);
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{text}");
    }

    /// Prints the structure at an address.
    fn structure(&mut self, layout: &PacketLayout, address: u64) {
        match self.memory.read_words(address, layout.words as usize) {
            Ok(words) => self.group(layout, address, &words, 0),
            Err(fault) => self.line(format_args!("  {}: {fault}", layout.name)),
        }
    }
}
