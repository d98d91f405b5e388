//! Wait states between the instructions of a hazard, by a search backward from the second.

use super::facts::Violation;
use super::program::Program;
use crate::hazards::{HAZARDS, Hazard, HazardView, wait_states};

pub(super) fn check(program: &Program<'_>, violations: &mut Vec<Violation>) {
    let views: Vec<Option<HazardView<'_>>> = program
        .instructions
        .iter()
        .map(|located| {
            let instruction = &located.instruction;
            let row = program.chip.row(instruction.format, instruction.opcode)?;
            Some(HazardView::new(row, instruction))
        })
        .collect();
    let search = Search { program, views: &views };
    for (index, view) in views.iter().enumerate() {
        let Some(view) = view else { continue };
        for hazard in HAZARDS {
            if hazard.is_required(program.chip)
                && hazard.concerns(view)
                && let Some(first) = search.first(hazard, index, view)
            {
                let name = program.instructions[first].instruction.opcode.mnemonic();
                let offset = program.instructions[first].offset * 4;
                let message = format!(
                    "{} wait states are needed after {name} at {offset:#06x}",
                    hazard.states
                );
                violations.push(program.violation(index, hazard.name, message));
            }
        }
    }
}

struct Search<'a> {
    program: &'a Program<'a>,
    views: &'a [Option<HazardView<'a>>],
}

impl Search<'_> {
    /// The first of a pair that is too close to the instruction `index`.
    fn first(&self, hazard: &Hazard, index: usize, second: &HazardView<'_>) -> Option<usize> {
        // States between, for each instruction on a path backward.
        let mut open = vec![(index, 0)];
        while let Some((at, states)) = open.pop() {
            for &before in &self.program.flow.predecessors[at] {
                let view = self.views[before].as_ref();
                if view.is_some_and(|first| hazard.conflicts(first, second)) {
                    return Some(before);
                }
                let states = states + wait_states(&self.program.instructions[before].instruction);
                if states < u32::from(hazard.states) {
                    open.push((before, states));
                }
            }
        }
        None
    }
}
