//! Programs: instructions, virtual registers, results of analyses.

use super::analyses::Analyses;
use super::{File, Inst, Op, Operand, REG_SIZE, Type, VReg};
use cranelift_entity::{PrimaryMap, SecondaryMap};
use std::any::Any;
use std::rc::Rc;
use vocabulary::SourceLine;

/// An analysis of a program.
pub trait Analysis: Any + PartialEq {
    /// Analyzes `program`.
    fn of(program: &Program) -> Self;
}

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
    analyses: Analyses,
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

    /// Copies source lines to instructions that a pass added, from those around them.
    pub fn spread_lines(&mut self) {
        SourceLine::spread(&mut self.insts, |inst| &mut inst.line);
    }

    /// Sets the source line of the instructions from index `first` on that have none. The program
    /// may have become shorter than that: selection takes unused code back.
    pub fn set_lines(&mut self, first: usize, line: SourceLine) {
        let added = self.insts.get_mut(first..).unwrap_or_default();
        let unknown = added.iter_mut().filter(|inst| inst.line.is_unknown());
        unknown.for_each(|inst| inst.line = line);
    }

    /// Removes `Nop`s that passes left.
    pub fn compact(&mut self) {
        self.insts.retain(|inst| inst.op != Op::Nop);
    }

    /// Returns the result of an analysis: the kept one, if the program has not changed since. The
    /// pass manager forgets results after each pass that changes something; a pass does not ask
    /// again after its first change, and other code that changes programs calls
    /// [`Program::forget_analyses`].
    ///
    /// Debug builds check that a kept result is that of the present program.
    #[must_use]
    pub fn analysis<A: Analysis>(&self) -> Rc<A> {
        if let Some(kept) = self.analyses.get::<A>() {
            debug_assert!(*kept == A::of(self), "an analysis was kept across a change");
            return kept;
        }
        let result = Rc::new(A::of(self));
        self.analyses.keep(result.clone());
        result
    }

    /// Forgets the results of analyses, after a change.
    pub fn forget_analyses(&mut self) {
        self.analyses = Analyses::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir::{self, Op, cfg::Cfg};
    use ir::{PassManager, PassOptions};

    const TEXT: &str = "program width=8 payload=20
  mov(8) g10<1>:F, g2<1>:F
  (+f0.0) if(8)
    mov(8) g11<1>:F, g2<1>:F
  endif(8)
";

    #[test]
    fn results_are_kept_until_a_pass_changes_something() {
        let mut program = lir::parse(TEXT).expect("a program");
        let mut manager = PassManager::new(PassOptions::default());
        let first = program.analysis::<Cfg>();
        let lower_nothing = |_: &mut Program| false;
        manager.run(&mut program, ir::pass!(lower_nothing)).expect("a pass");
        assert!(Rc::ptr_eq(&first, &program.analysis()), "kept");
        let lower_if = |program: &mut Program| {
            program.insts.retain(|inst| !matches!(inst.op, Op::If | Op::Endif));
            true
        };
        manager.run(&mut program, ir::pass!(lower_if)).expect("a pass");
        let second = program.analysis::<Cfg>();
        assert_eq!((first.blocks.len(), second.blocks.len()), (3, 1), "computed anew");
    }

    #[test]
    fn copies_and_renumbered_programs_start_without_results() {
        let mut program = lir::parse(TEXT).expect("a program");
        let kept = program.analysis::<Cfg>();
        assert!(!Rc::ptr_eq(&kept, &program.clone().analysis()));
        program.compact_registers();
        assert!(!Rc::ptr_eq(&kept, &program.analysis()));
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "kept across a change")]
    fn a_change_without_notice_is_noticed() {
        let mut program = lir::parse(TEXT).expect("a program");
        assert_eq!(program.analysis::<Cfg>().blocks.len(), 3);
        program.insts.truncate(1);
        let _ = program.analysis::<Cfg>();
    }
}
