//! Flat memory: addresses of 64 bits in vector registers (vi).
//!
//! Addresses are those of memory; the windows of data share and scratch space are not modeled.

use amd_isa::{Kind, Operand, Register};

use super::buffer::Access;
use crate::buffer_form::BufferForm;
use crate::error::Reason;
use crate::pending;
use crate::register::LANES;
use crate::run::Step;

impl Step<'_> {
    /// Executes an access by address.
    pub(crate) fn flat(&mut self, form: BufferForm) -> Result<(), Reason> {
        let BufferForm { stores, is_atomic, unit, .. } = form;
        if self.instruction.modifiers.tfe {
            return Err(self.not_modeled());
        }
        let address = self.position(Kind::Address).map(|slot| self.operand(slot));
        let Some(Operand::Vector(address)) = address else { return Err(self.not_modeled()) };
        let data = (stores || is_atomic).then(|| self.row.slots.len() - 1);
        let exec = self.wave.exec();
        // Registers that are loaded; an atomic returns its old value.
        let count = if stores { 0 } else { self.flat_dwords(0) };
        let mut loaded = vec![[0; LANES]; count];
        for lane in (0..LANES).filter(|lane| exec >> lane & 1 != 0) {
            let register =
                |index: u8| u64::from(self.wave.vector[usize::from(address + index)][lane]);
            let access = Access { address: register(0) | register(1) << 32, room: i64::MAX };
            let mut values = match data {
                Some(slot) => self.flat_data(slot, lane),
                None => vec![0; count],
            };
            let result = match is_atomic {
                true => self.atomic(&access, &values)?,
                false => {
                    self.plain(&access, &mut values, unit, stores)?;
                    values
                }
            };
            for (register, value) in loaded.iter_mut().zip(result) {
                register[lane] = value;
            }
        }
        self.finish_flat(stores || is_atomic && !self.instruction.modifiers.glc, loaded);
        Ok(())
    }

    fn flat_dwords(&self, slot: usize) -> usize {
        usize::from(self.slot(slot).dwords(&self.instruction.modifiers, self.opcode()))
    }

    fn flat_data(&self, slot: usize, lane: usize) -> Vec<u32> {
        let Operand::Vector(first) = self.operand(slot) else { return Vec::new() };
        let value = |index: usize| self.wave.vector[usize::from(first) + index][lane];
        (0..self.flat_dwords(slot)).map(value).collect()
    }

    /// Records what completes later. An access counts in VMCNT and LGKMCNT, because it could be one
    /// of the data share; what memory returns is there when VMCNT says so, and LLVM waits for that
    /// alone.
    fn finish_flat(&mut self, is_silent: bool, loaded: Vec<[u32; LANES]>) {
        let mut writes = Vec::new();
        if let (Operand::Vector(first), false) = (self.operand(0), is_silent) {
            let registers = (0..loaded.len()).map(|index| Register::Vector(first + index as u8));
            writes = registers.zip(loaded).collect();
        }
        self.pend(pending::Kind::Vector, writes, Vec::new());
        self.pend(pending::Kind::Message, Vec::new(), Vec::new());
    }
}
