//! Checks an allocation by following what each physical register holds, independently of liveness:
//! every read must find the register that it names, on every path.

use super::Allocation;
use crate::machine::{File, Inst, Program, Reg};
use amd_isa::slot::Role;

/// Content of a physical register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Nothing was written yet.
    Unset,
    /// A dword of a register.
    Dword(Reg, u8),
    /// Different things on different paths.
    Mixed,
}

impl Content {
    fn join(self, other: Content) -> Content {
        match (self, other) {
            (a, b) if a == b => a,
            (Content::Unset, other) | (other, Content::Unset) => other,
            _ => Content::Mixed,
        }
    }
}

/// Contents of the registers of a file.
type State = Vec<Content>;

/// Returns a description of the first read that finds something else, if there is one.
///
/// Reads of registers that some path leaves undefined are not judged.
pub fn check(program: &Program, allocation: &Allocation) -> Option<String> {
    let edges = [program.linear_successors(), program.logical_successors()];
    [File::Scalar, File::Vector].into_iter().find_map(|file| {
        let checker = Checker { program, allocation, file };
        checker.run(&edges[file as usize])
    })
}

struct Checker<'a> {
    program: &'a Program,
    allocation: &'a Allocation,
    file: File,
}

impl Checker<'_> {
    fn run(&self, successors: &[smallvec::SmallVec<[usize; 2]>]) -> Option<String> {
        let defined = self.defined(successors);
        let states = self.solve(successors);
        for (index, &label) in self.program.order.iter().enumerate() {
            let Some(mut state) = states[index].clone() else { continue };
            let mut known = defined[index].clone()?;
            for inst in &self.program.blocks[label].insts {
                if let Some(problem) = self.judge(inst, &state, &known) {
                    return Some(format!("{label}: {inst}: {problem}"));
                }
                self.step(inst, &mut state);
                self.define(inst, &mut known);
            }
        }
        None
    }

    fn start(&self) -> State {
        let mut state = vec![Content::Unset; self.program.limit(self.file).into()];
        for (reg, data) in self.program.regs.iter() {
            let first = self.allocation.first[reg].filter(|_| data.file == self.file);
            if let (Some(first), Some(_)) = (first, data.fixed) {
                for dword in 0..data.dwords {
                    state[usize::from(first) + usize::from(dword)] = Content::Dword(reg, dword);
                }
            }
        }
        state
    }

    fn solve(&self, successors: &[smallvec::SmallVec<[usize; 2]>]) -> Vec<Option<State>> {
        let mut states: Vec<Option<State>> = vec![None; self.program.order.len()];
        states[0] = Some(self.start());
        let mut open = std::collections::BTreeSet::from([0]);
        while let Some(index) = open.pop_first() {
            let Some(mut state) = states[index].clone() else { continue };
            for inst in &self.program.blocks[self.program.order[index]].insts {
                self.step(inst, &mut state);
            }
            for &succ in &successors[index] {
                let joined: State = match &states[succ] {
                    Some(known) => known.iter().zip(&state).map(|(a, b)| a.join(*b)).collect(),
                    None => state.clone(),
                };
                if states[succ].as_ref() != Some(&joined) {
                    states[succ] = Some(joined);
                    open.insert(succ);
                }
            }
        }
        states
    }

    /// Registers written on every path to each block.
    fn defined(&self, successors: &[smallvec::SmallVec<[usize; 2]>]) -> Vec<Option<Vec<bool>>> {
        let mut known: Vec<Option<Vec<bool>>> = vec![None; self.program.order.len()];
        let fixed = self.program.regs.values().map(|data| data.fixed.is_some());
        known[0] = Some(fixed.collect());
        let mut open = std::collections::BTreeSet::from([0]);
        while let Some(index) = open.pop_first() {
            let Some(mut here) = known[index].clone() else { continue };
            for inst in &self.program.blocks[self.program.order[index]].insts {
                self.define(inst, &mut here);
            }
            for &succ in &successors[index] {
                let joined: Vec<bool> = match &known[succ] {
                    Some(before) => before.iter().zip(&here).map(|(a, b)| *a && *b).collect(),
                    None => here.clone(),
                };
                if known[succ].as_ref() != Some(&joined) {
                    known[succ] = Some(joined);
                    open.insert(succ);
                }
            }
        }
        known
    }

    fn define(&self, inst: &Inst, known: &mut [bool]) {
        for used in self.program.uses(inst).iter().filter(|used| used.role != Role::Read) {
            known[used.part.reg.as_u32() as usize] = true;
        }
    }

    /// Physical registers of a use with the dwords of its register.
    fn physical(&self, used: &crate::machine::Use) -> impl Iterator<Item = (usize, u8)> + use<> {
        let data = self.program.regs[used.part.reg];
        let first = self.allocation.first[used.part.reg].filter(|_| data.file == self.file);
        let (from, count) = (used.part.dword, if first.is_some() { used.dwords } else { 0 });
        let end = data.dwords.min(from + count);
        (from..end).map(move |d| (usize::from(first.unwrap_or(0)) + usize::from(d), d))
    }

    fn step(&self, inst: &Inst, state: &mut State) {
        for used in self.program.uses(inst).iter().filter(|used| used.role != Role::Read) {
            for (physical, dword) in self.physical(used) {
                state[physical] = Content::Dword(used.part.reg, dword);
            }
        }
    }

    fn judge(&self, inst: &Inst, state: &State, known: &[bool]) -> Option<String> {
        for used in self.program.uses(inst).iter().filter(|used| used.role != Role::Write) {
            if !known[used.part.reg.as_u32() as usize] {
                continue;
            }
            for (physical, dword) in self.physical(used) {
                let wanted = Content::Dword(used.part.reg, dword);
                let found = state[physical];
                if found != wanted && found != Content::Unset {
                    return Some(format!("register {physical} has {found:?}, not {wanted:?}"));
                }
            }
        }
        None
    }
}
