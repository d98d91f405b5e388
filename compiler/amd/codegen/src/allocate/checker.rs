//! Checks an allocation by following what each physical register holds, independently of liveness:
//! every read must find the register that it names, on every path.

use super::Allocation;
use crate::machine::{File, Inst, Part, Program, Reg, Use, predecessors};
use amd_isa::slot::Role;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use vocabulary::{InternalError, Phase};

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

/// Blocks after a block.
type Edges = SmallVec<[usize; 2]>;

/// Use of a register by a block.
struct BlockAccess {
    reg: Reg,
    block: usize,
    /// The block reads it before it writes it.
    reads_first: bool,
    writes: bool,
}

/// Contents of the registers of a file.
type State = Vec<Content>;

/// Joins the state of a path with that of another one. True if it changes.
fn join(known: &mut State, other: &State) -> bool {
    let mut changed = false;
    for (content, other) in known.iter_mut().zip(other) {
        let joined = content.join(*other);
        changed |= std::mem::replace(content, joined) != joined;
    }
    changed
}

/// Returns the first read that finds something else than the register that it names, as an error.
///
/// Reads of registers that some path leaves undefined are not judged.
///
/// # Errors
/// The allocation is wrong.
pub fn check(program: &Program, allocation: &Allocation) -> Result<(), InternalError> {
    let edges = [program.linear_successors(), program.logical_successors()];
    for file in [File::Scalar, File::Vector] {
        Checker { program, allocation, file }.run(&edges[file as usize])?;
    }
    Ok(())
}

/// Returns the error of a wrong allocation.
#[track_caller]
fn refuse(problem: String) -> InternalError {
    InternalError::new(Phase::Allocate, format!("the checker refuses the allocation: {problem}"))
}

struct Checker<'a> {
    program: &'a Program,
    allocation: &'a Allocation,
    file: File,
}

impl Checker<'_> {
    fn run(&self, successors: &[Edges]) -> Result<(), InternalError> {
        self.all_have_places()?;
        let undefined = self.undefined(successors);
        let states = self.solve(successors);
        for (index, &label) in self.program.order.iter().enumerate() {
            // No path leads to a block without a state.
            let Some(mut state) = states[index].clone() else { continue };
            let mut written: FxHashSet<Reg> = FxHashSet::default();
            for inst in &self.program.blocks[label].insts {
                let uses = self.program.uses(inst);
                for used in uses.iter().filter(|used| used.role != Role::Write) {
                    let reg = used.part.reg;
                    if written.contains(&reg) || !undefined.contains(&(index, reg)) {
                        self.judge(used, &state).map_err(|error| error.at(inst))?;
                    }
                }
                self.step(inst, &mut state);
                let writes = uses.iter().filter(|used| used.role != Role::Read);
                written.extend(writes.map(|used| used.part.reg));
            }
        }
        Ok(())
    }

    /// Fails if a register in use has no place, or one beyond the registers of the program.
    fn all_have_places(&self) -> Result<(), InternalError> {
        for &label in &self.program.order {
            for inst in &self.program.blocks[label].insts {
                for used in self.program.uses(inst) {
                    let Part { reg, dword } = used.part;
                    let data = self.program.regs[reg];
                    if data.file != self.file {
                        continue;
                    }
                    let Some(first) = self.allocation.first[reg] else {
                        return Err(refuse(format!("{reg} has no place")).at(inst));
                    };
                    let end = usize::from(first) + usize::from(data.dwords);
                    if end > self.registers() || dword >= data.dwords {
                        return Err(refuse(format!("{reg} exceeds its registers")).at(inst));
                    }
                }
            }
        }
        Ok(())
    }

    /// Number of registers of the file in use.
    fn registers(&self) -> usize {
        match self.file {
            File::Scalar => self.allocation.scalars.into(),
            File::Vector => self.allocation.vectors.into(),
        }
    }

    fn start(&self) -> State {
        let mut state = vec![Content::Unset; self.registers()];
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

    fn solve(&self, successors: &[Edges]) -> Vec<Option<State>> {
        let mut states: Vec<Option<State>> = vec![None; self.program.order.len()];
        states[0] = Some(self.start());
        let mut open = std::collections::BTreeSet::from([0]);
        while let Some(index) = open.pop_first() {
            let Some(mut state) = states[index].clone() else { continue };
            for inst in &self.program.blocks[self.program.order[index]].insts {
                self.step(inst, &mut state);
            }
            for &succ in &successors[index] {
                let changed = match &mut states[succ] {
                    Some(known) => join(known, &state),
                    unknown => {
                        *unknown = Some(state.clone());
                        true
                    }
                };
                if changed {
                    open.insert(succ);
                }
            }
        }
        states
    }

    /// Returns the blocks that read a register before they write it and that some path reaches
    /// without a write of it, with the register.
    ///
    /// Solved for one register after the other, so that time and memory grow with the blocks
    /// between its writes and its reads.
    fn undefined(&self, successors: &[Edges]) -> FxHashSet<(usize, Reg)> {
        let before = predecessors(successors);
        let count = successors.len();
        let mut undefined = FxHashSet::default();
        // The last register that each block writes, and that a block reads on the way from it.
        let mut written: Vec<Option<Reg>> = vec![None; count];
        let mut wanted: Vec<Option<Reg>> = vec![None; count];
        let mut open: Vec<usize> = Vec::new();
        for accesses in self.accesses().chunk_by(|a, b| a.reg == b.reg) {
            let reg = accesses[0].reg;
            for access in accesses {
                if access.writes {
                    written[access.block] = Some(reg);
                }
                if access.reads_first {
                    wanted[access.block] = Some(reg);
                    open.push(access.block);
                }
            }
            let mut want = |block: usize, open: &mut Vec<usize>| {
                if written[block] != Some(reg) && wanted[block] != Some(reg) {
                    wanted[block] = Some(reg);
                    open.push(block);
                }
            };
            while let Some(block) = open.pop() {
                before[block].iter().for_each(|&pred| want(pred, &mut open));
            }
            if wanted[0] != Some(reg) {
                continue;
            }
            // The way back from the start of the program.
            open.push(0);
            wanted[0] = None;
            while let Some(block) = open.pop() {
                undefined.insert((block, reg));
                if written[block] == Some(reg) {
                    continue;
                }
                for &succ in &successors[block] {
                    if wanted[succ] == Some(reg) {
                        wanted[succ] = None;
                        open.push(succ);
                    }
                }
            }
        }
        undefined
    }

    /// Returns the accesses of each block to the registers of the file that have no value at the
    /// start of the program, register by register.
    fn accesses(&self) -> Vec<BlockAccess> {
        let mut all: Vec<BlockAccess> = Vec::new();
        for (block, &label) in self.program.order.iter().enumerate() {
            let mut of_block: FxHashMap<Reg, BlockAccess> = FxHashMap::default();
            for inst in &self.program.blocks[label].insts {
                let uses = self.program.uses(inst);
                for used in uses.iter().filter(|used| used.role != Role::Write) {
                    let reg = used.part.reg;
                    let new = BlockAccess { reg, block, reads_first: true, writes: false };
                    of_block.entry(reg).or_insert(new);
                }
                for used in uses.iter().filter(|used| used.role != Role::Read) {
                    let reg = used.part.reg;
                    let new = BlockAccess { reg, block, reads_first: false, writes: true };
                    of_block.entry(reg).or_insert(new).writes = true;
                }
            }
            all.extend(of_block.into_values());
        }
        all.retain(|access| {
            let data = &self.program.regs[access.reg];
            data.file == self.file && data.fixed.is_none()
        });
        all.sort_unstable_by_key(|access| (access.reg, access.block));
        all
    }

    /// Physical registers of a use with the dwords of its register; none in the other file.
    fn physical(&self, used: &Use) -> impl Iterator<Item = (usize, u8)> + use<> {
        let data = self.program.regs[used.part.reg];
        let first = self.allocation.first[used.part.reg].filter(|_| data.file == self.file);
        let end = data.dwords.min(used.part.dword + used.dwords);
        let dwords = used.part.dword..end;
        first.into_iter().flat_map(move |first| {
            dwords.clone().map(move |dword| (usize::from(first) + usize::from(dword), dword))
        })
    }

    fn step(&self, inst: &Inst, state: &mut State) {
        for used in self.program.uses(inst).iter().filter(|used| used.role != Role::Read) {
            for (physical, dword) in self.physical(used) {
                state[physical] = Content::Dword(used.part.reg, dword);
            }
        }
    }

    fn judge(&self, used: &Use, state: &State) -> Result<(), InternalError> {
        for (physical, dword) in self.physical(used) {
            let wanted = Content::Dword(used.part.reg, dword);
            let found = state[physical];
            if found != wanted && found != Content::Unset {
                let problem = format!("register {physical} has {found:?}, not {wanted:?}");
                return Err(refuse(problem));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocate::allocate;
    use crate::machine::{Emitter, ZERO};
    use amd_isa::{Chip, Opcode};

    /// A program that reads `first` in a loop, in which it writes `second`. With `skips`, a path
    /// to the loop leaves `first` unwritten.
    fn program(skips: bool) -> (Program, [Part; 2]) {
        let mut e = Emitter::new(Chip::Si);
        let [start, header, exit] = [(); 3].map(|()| e.new_label());
        let [first, second] = [(); 2].map(|()| e.scalar());
        if skips {
            e.sopc(Opcode::SCmpEqU32, ZERO, ZERO);
            e.jump(Opcode::SCbranchScc0, header);
        }
        e.place(start);
        e.sop1(Opcode::SMovB32, first, ZERO);
        e.place(header);
        e.sop1(Opcode::SMovB32, second, first);
        e.sopc(Opcode::SCmpEqU32, second, ZERO);
        e.jump(Opcode::SCbranchScc0, header);
        e.place(exit);
        e.sopp(Opcode::SEndpgm, &[]);
        (e.program, [first, second])
    }

    /// Returns the verdict on a program, both of whose registers are in the same place.
    fn judge_clash(skips: bool) -> Result<(), InternalError> {
        let (program, registers) = program(skips);
        let mut allocation = allocate(&program).expect("enough registers");
        assert_eq!(check(&program, &allocation), Ok(()));
        registers.iter().for_each(|part| allocation.first[part.reg] = Some(0));
        check(&program, &allocation)
    }

    #[test]
    fn a_value_that_the_last_iteration_overwrote_is_a_problem() {
        let error = judge_clash(false).unwrap_err().to_string();
        assert!(error.contains("register 0 has Mixed, not Dword(r0, 0)"), "{error}");
        assert!(error.contains("at `s_mov_b32 r1.0, r0.0`"), "{error}");
    }

    #[test]
    fn a_register_that_a_path_leaves_undefined_is_not_judged() {
        assert_eq!(judge_clash(true), Ok(()));
    }

    #[test]
    fn a_register_without_a_place_is_a_problem() {
        let (program, [first, _]) = program(false);
        let mut allocation = allocate(&program).expect("enough registers");
        allocation.first[first.reg] = None;
        let error = check(&program, &allocation).unwrap_err().to_string();
        assert!(error.contains("r0 has no place"), "{error}");
        allocation.first[first.reg] = Some(200);
        let error = check(&program, &allocation).unwrap_err().to_string();
        assert!(error.contains("r0 exceeds its registers"), "{error}");
    }
}
