//! Back-end IR: instructions of the execution unit on virtual registers, shared by both back ends.
//!
//! A program is a flat list of instructions with structured control-flow markers (`If … Else …
//! Endif`, `Do … While`); [`cfg`] derives basic blocks from it. Execution sizes and regions are
//! logical: doubled DF sizes, 32-bit DF regions and physical swizzles appear in the encoder only.

mod analyses;
pub mod build;
pub mod cfg;
mod inst;
mod op;
mod operand;
mod parse;
mod print;
mod rows;
mod validate;

pub use analyses::Analysis;
pub use inst::{Inst, Message, MessageKind};
pub use intel_isa::{Arf, CondMod, PredMode, Predicate, Type};
pub use op::{Op, OpInfo};
pub use operand::{File, Operand, REG_SIZE, Region, Swizzle, VReg, WRITEMASK_XYZW};
pub use parse::{ParseError, parse};
pub use rows::{RowStep, Rows, acts_on_dwords};
pub use validate::Failures;

use cranelift_entity::{PrimaryMap, SecondaryMap};

/// A virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VRegData {
    /// Size in GRFs of 32 bytes.
    pub regs: u8,
}

/// A program of one kernel.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Instructions in order.
    pub insts: Vec<Inst>,
    /// Virtual registers.
    pub vregs: PrimaryMap<VReg, VRegData>,
    /// Channels per thread (8 for Align16 programs).
    pub width: u8,
    /// Number of registers that hold data at thread start: g0 … g(n−1).
    pub payload_regs: u8,
    analyses: analyses::Analyses,
}

impl Program {
    /// An empty program.
    #[must_use]
    pub fn new(width: u8) -> Program {
        Program { width, payload_regs: 1, ..Program::default() }
    }

    /// A new virtual register of `regs` GRFs (at least one).
    pub fn vreg(&mut self, regs: u32) -> VReg {
        self.vregs.push(VRegData { regs: regs.clamp(1, 127) as u8 })
    }

    /// A table with an entry for every virtual register.
    #[must_use]
    pub fn vreg_table<T: Clone + Default>(&self) -> SecondaryMap<VReg, T> {
        let mut table = SecondaryMap::new();
        table.resize(self.vregs.len());
        table
    }

    /// Registers that exactly one instruction writes and exactly one source reads.
    #[must_use]
    pub fn single_use_values(&self) -> SecondaryMap<VReg, bool> {
        let (mut reads, mut writes) = (self.vreg_table::<u32>(), self.vreg_table::<u32>());
        for inst in &self.insts {
            inst.src.iter().filter_map(|s| s.vreg()).for_each(|v| reads[v] += 1);
            if let Some(v) = inst.dst.vreg() {
                writes[v] += 1;
            }
        }
        let mut single = self.vreg_table();
        for v in self.vregs.keys() {
            single[v] = reads[v] == 1 && writes[v] == 1;
        }
        single
    }

    /// A new virtual register for `channels` elements of `ty`.
    pub fn vreg_for(&mut self, ty: Type, channels: u32) -> Operand {
        let reg = self.vreg((channels * ty.size()).div_ceil(REG_SIZE));
        Operand::vgrf(reg, ty)
    }

    /// Forgets virtual registers that no instruction mentions and renumbers the others in order.
    pub fn compact_registers(&mut self) {
        self.forget_analyses();
        let mut used = self.vreg_table::<bool>();
        let mut names = self.vreg_table::<Option<VReg>>();
        for inst in &self.insts {
            for v in inst.src.iter().chain([&inst.dst]).filter_map(Operand::vreg) {
                used[v] = true;
            }
        }
        let old = std::mem::take(&mut self.vregs);
        for (v, &data) in &old {
            if used[v] {
                names[v] = Some(self.vregs.push(data));
            }
        }
        for inst in &mut self.insts {
            for operand in inst.src.iter_mut().chain([&mut inst.dst]) {
                if let Some(name) = operand.vreg().and_then(|v| names[v]) {
                    operand.file = File::Vgrf(name);
                }
            }
        }
    }

    /// Takes the instructions out, for a pass that puts them back one by one with others between.
    pub fn take_insts(&mut self) -> Vec<Inst> {
        let room = Vec::with_capacity(self.insts.len() + self.insts.len() / 2);
        std::mem::replace(&mut self.insts, room)
    }

    /// Removes `Nop`s that passes left behind.
    pub fn compact(&mut self) {
        self.insts.retain(|inst| inst.op != Op::Nop);
    }
}
