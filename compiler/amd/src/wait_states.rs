//! Insertion of `s_nop` where the hardware wants wait states between two instructions.

use crate::physical::{Physical, Placed};
use gcn::Opcode;
use gcn::hazards::{HAZARDS, Hazard, HazardView, wait_states};
use std::collections::HashSet;

/// Inserts the wait states that a program needs.
pub fn insert_wait_states(program: &mut Physical) {
    let predecessors = predecessors(program);
    for block in 0..program.blocks.len() {
        let mut index = 0;
        while index < program.blocks[block].len() {
            let missing = missing(program, &predecessors, block, index);
            if missing > 0 {
                let nop = Placed::control(Opcode::SNop, missing - 1);
                program.blocks[block].insert(index, nop);
                index += 1;
            }
            index += 1;
        }
    }
}

fn predecessors(program: &Physical) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); program.blocks.len()];
    for (index, successors) in program.successors.iter().enumerate() {
        for &succ in successors {
            all[succ].push(index);
        }
    }
    all
}

/// Number of wait states that are missing before an instruction.
fn missing(program: &Physical, predecessors: &[Vec<usize>], block: usize, index: usize) -> u32 {
    let placed = &program.blocks[block][index];
    let Some(row) = placed.row(program.chip) else { return 0 };
    let second = HazardView::new(row, &placed.instruction);
    let concerned = HAZARDS.iter().filter(|h| h.is_advised(program.chip) && h.concerns(&second));
    concerned
        .map(|hazard| {
            let mut search =
                Search { program, predecessors, hazard, second: &second, seen: HashSet::new() };
            search.before(block, index, 0)
        })
        .max()
        .unwrap_or(0)
}

struct Search<'a> {
    program: &'a Physical,
    predecessors: &'a [Vec<usize>],
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
        for placed in self.program.blocks[block][..index].iter().rev() {
            if passed >= states {
                return 0;
            }
            let Some(row) = placed.row(self.program.chip) else { continue };
            let first = HazardView::new(row, &placed.instruction);
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
