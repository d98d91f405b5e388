//! Insertion of `s_nop` where the hardware wants wait states between two instructions.

use super::{Physical, Placed};
use crate::machine::predecessors;
use amd_isa::access::{Access, accesses};
use amd_isa::hazards::{HAZARDS, Hazard, HazardView, wait_states};
use amd_isa::{Opcode, Row};
use smallvec::SmallVec;
use std::collections::HashSet;

/// Inserts the wait states that a program needs.
pub(crate) fn insert_wait_states(program: &mut Physical) -> bool {
    let mut changed = false;
    let predecessors = predecessors(&program.successors);
    let chip = program.chip;
    let known =
        |placed: &Placed| placed.row(chip).map(|row| (row, accesses(row, &placed.instruction)));
    let mut facts: Vec<Vec<Facts>> =
        program.blocks.iter().map(|block| block.iter().map(known).collect()).collect();
    for block in 0..program.blocks.len() {
        let mut index = 0;
        while index < program.blocks[block].len() {
            let missing = missing(program, &facts, &predecessors, block, index);
            if missing > 0 {
                let nop = Placed::control(Opcode::SNop, missing - 1);
                facts[block].insert(index, known(&nop));
                program.blocks[block].insert(index, nop);
                index += 1;
                changed = true;
            }
            index += 1;
        }
    }
    changed
}

/// Row and accesses of an instruction.
type Facts = Option<(&'static Row, Vec<Access>)>;

/// Number of wait states that are missing before an instruction.
fn missing(
    program: &Physical,
    facts: &[Vec<Facts>],
    predecessors: &[SmallVec<[usize; 2]>],
    block: usize,
    index: usize,
) -> u32 {
    let placed = &program.blocks[block][index];
    let Some((row, accesses)) = &facts[block][index] else { return 0 };
    let second = HazardView::of(row, &placed.instruction, accesses);
    let concerned = HAZARDS.iter().filter(|h| h.is_advised(program.chip) && h.concerns(&second));
    concerned
        .map(|hazard| {
            let mut search = Search {
                program,
                facts,
                predecessors,
                hazard,
                second: &second,
                seen: HashSet::new(),
            };
            search.before(block, index, 0)
        })
        .max()
        .unwrap_or(0)
}

struct Search<'a> {
    program: &'a Physical,
    facts: &'a [Vec<Facts>],
    predecessors: &'a [SmallVec<[usize; 2]>],
    hazard: &'static Hazard,
    second: &'a HazardView<'a>,
    /// Blocks searched from their ends, with the wait states passed before.
    seen: HashSet<(usize, u32)>,
}

impl Search<'_> {
    /// Number of missing wait states, for first instructions before `index` in `block`; `passed`
    /// have been found already.
    fn before(&mut self, block: usize, index: usize, mut passed: u32) -> u32 {
        let states = u32::from(self.hazard.states);
        let facts = &self.facts[block][..index];
        for (placed, facts) in self.program.blocks[block][..index].iter().zip(facts).rev() {
            if passed >= states {
                return 0;
            }
            let Some((row, accesses)) = facts else { continue };
            let first = HazardView::of(row, &placed.instruction, accesses);
            if self.hazard.conflicts(&first, self.second) {
                return states - passed;
            }
            passed += wait_states(&placed.instruction);
        }
        if passed >= states {
            return 0;
        }
        let mut most = 0;
        for &previous in &self.predecessors[block] {
            if self.seen.insert((previous, passed)) {
                let end = self.program.blocks[previous].len();
                most = most.max(self.before(previous, end, passed));
            }
        }
        most
    }
}
