//! Observation of a running thread.

use eu::Inst;

use crate::regs::Registers;

/// One executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Index of the instruction in the kernel.
    pub index: usize,
    /// Its byte offset in the binary.
    pub offset: usize,
    /// The instruction.
    pub inst: &'a Inst,
    /// Channels of the instruction that were enabled (before predication).
    pub enabled: u32,
    /// Registers before it.
    pub before: &'a Registers,
    /// Registers after it.
    pub after: &'a Registers,
}

impl Step<'_> {
    /// Numbers of the general registers that changed, with their bytes before and after.
    pub fn changed(&self) -> impl Iterator<Item = (usize, [u32; 8], [u32; 8])> + '_ {
        (0..crate::regs::GRF_COUNT).filter_map(|nr| {
            let (before, after) = (self.before.register(nr), self.after.register(nr));
            (before != after).then_some((nr, before, after))
        })
    }
}

/// Receives every executed instruction. Running without one costs nothing.
pub trait Trace {
    /// Called after each instruction.
    fn step(&mut self, step: &Step);
}
