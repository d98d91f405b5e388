//! Accesses of instructions to GRFs of virtual registers, as flat lists: analyses go over them
//! several times.

use crate::lir::{Analysis, Inst, Operand, Program, REG_SIZE};
use crate::pattern::{for_each_read, for_each_write};
use cranelift_entity::EntityRef;
use vocabulary::LivenessGranularity;

/// One GRF of a virtual register at an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteAccess {
    /// Dense number of the GRF: those of all virtual registers, one after the other.
    pub grf: usize,
    /// Of a source the bytes that may be read, of a destination those defined for all channels.
    pub bytes: u32,
}

/// The accesses of all instructions of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteAccesses {
    /// Number of each virtual register's first GRF, and after the last how many there are.
    base: Vec<usize>,
    /// Sources of an instruction, then its destination.
    all: Vec<ByteAccess>,
    /// Where an instruction's sources begin, and its destination; one more entry at the end.
    starts: Vec<(usize, usize)>,
}

impl Analysis for ByteAccesses {
    fn of(program: &Program) -> ByteAccesses {
        ByteAccesses::new(program, LivenessGranularity::Byte)
    }
}

impl ByteAccesses {
    /// The lists of `program`, with definitions as fine as asked.
    #[must_use]
    pub fn new(program: &Program, granularity: LivenessGranularity) -> ByteAccesses {
        let mut base = Vec::with_capacity(program.vregs.len() + 1);
        let mut count = 0;
        for data in program.vregs.values() {
            base.push(count);
            count += usize::from(data.regs);
        }
        base.push(count);
        let n = program.insts.len();
        let mut accesses = ByteAccesses {
            base,
            all: Vec::with_capacity(6 * n),
            starts: Vec::with_capacity(n + 1),
        };
        for inst in &program.insts {
            accesses.add(inst, granularity);
        }
        let end = accesses.all.len();
        accesses.starts.push((end, end));
        accesses
    }

    fn add(&mut self, inst: &Inst, granularity: LivenessGranularity) {
        let whole = granularity == LivenessGranularity::Register;
        let (start, count) = (self.all.len(), self.grf_count());
        for (index, src) in inst.src.iter().enumerate() {
            let Some(first) = self.grf(src) else { continue };
            for_each_read(inst, index, |reg, mask| {
                let grf = first + reg as usize;
                let bytes = if whole { u32::MAX } else { mask };
                if bytes != 0 && grf < count {
                    self.all.push(ByteAccess { grf, bytes });
                }
            });
        }
        self.starts.push((start, self.all.len()));
        let Some(first) = self.grf(&inst.dst) else { return };
        for_each_write(inst, |reg, mask| {
            let grf = first + reg as usize;
            let bytes = if whole && mask != u32::MAX { 0 } else { mask };
            if grf < count {
                self.all.push(ByteAccess { grf, bytes });
            }
        });
    }

    /// Number of the GRF at an operand's offset; `None` if it is not a virtual register.
    #[must_use]
    pub fn grf(&self, operand: &Operand) -> Option<usize> {
        Some(self.first_grf(operand.vreg()?.index()) + (operand.offset / REG_SIZE) as usize)
    }

    /// Number of GRFs of all virtual registers.
    #[must_use]
    pub fn grf_count(&self) -> usize {
        self.base.last().copied().unwrap_or(0)
    }

    /// Number of the first GRF of the virtual register with this index.
    #[must_use]
    pub fn first_grf(&self, vreg: usize) -> usize {
        self.base[vreg]
    }

    /// Reads by the sources of instruction `ip`.
    #[must_use]
    pub fn reads(&self, ip: usize) -> &[ByteAccess] {
        let (start, end) = self.starts[ip];
        &self.all[start..end]
    }

    /// Writes by the destination of instruction `ip`.
    #[must_use]
    pub fn writes(&self, ip: usize) -> &[ByteAccess] {
        &self.all[self.starts[ip].1..self.starts[ip + 1].0]
    }

    /// Turns what is live after instruction `ip` into what is live before it; masks by GRF.
    pub fn step_back(&self, ip: usize, live: &mut [u32]) {
        for access in self.writes(ip) {
            live[access.grf] &= !access.bytes;
        }
        for access in self.reads(ip) {
            live[access.grf] |= access.bytes;
        }
    }

    /// As [`ByteAccesses::step_back`] for an instruction that is no longer the one whose accesses
    /// were listed.
    pub fn step_over(&self, inst: &Inst, live: &mut [u32]) {
        if let Some(first) = self.grf(&inst.dst) {
            for_each_write(inst, |reg, mask| {
                live.get_mut(first + reg as usize).into_iter().for_each(|bytes| *bytes &= !mask);
            });
        }
        for (index, src) in inst.src.iter().enumerate() {
            let Some(first) = self.grf(src) else { continue };
            for_each_read(inst, index, |reg, mask| {
                live.get_mut(first + reg as usize).into_iter().for_each(|bytes| *bytes |= mask);
            });
        }
    }
}
