//! Control flow: successors of instructions, and the rules of jumps and ends.

use std::collections::HashMap;

use super::facts::Violation;
use crate::encoding::Located;
use crate::opcode::Opcode;
use crate::operand::Operand;

pub(super) const RULES: &[&str] = &["jump-target", "program-end", "unknown-jump"];

/// Neighbors of each instruction.
pub(super) struct Flow {
    pub successors: Vec<Vec<usize>>,
    pub predecessors: Vec<Vec<usize>>,
    /// True for instructions that the program can reach.
    pub reachable: Vec<bool>,
}

/// True for operations that end a program.
pub(super) fn ends(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::SEndpgm | Opcode::SEndpgmSaved)
}

impl Flow {
    /// The neighbors of all instructions; adds violations of the rules of jumps.
    pub(super) fn of(program: &[Located], violations: &mut Vec<Violation>) -> Flow {
        let starts: HashMap<usize, usize> =
            program.iter().enumerate().map(|(index, located)| (located.offset, index)).collect();
        let mut flow = Flow {
            successors: vec![Vec::new(); program.len()],
            predecessors: vec![Vec::new(); program.len()],
            reachable: vec![false; program.len()],
        };
        for (index, located) in program.iter().enumerate() {
            let mut add = |rule, message: &str| {
                let message = message.to_string();
                violations.push(Violation { offset: located.offset * 4, rule, message });
            };
            let opcode = located.instruction.opcode;
            let jump = located.instruction.operands.iter().find_map(|operand| match operand {
                Operand::Jump(distance) => Some(isize::from(*distance)),
                _ => None,
            });
            if let Some(distance) = jump {
                let target = (located.offset + located.dwords).checked_add_signed(distance);
                match target.and_then(|target| starts.get(&target)) {
                    Some(target) => flow.successors[index].push(*target),
                    None => add("jump-target", "the jump leads to no instruction"),
                }
            }
            if jumps_by_register(opcode) {
                add("unknown-jump", "the target of the jump is not in the program");
            }
            if ends(opcode) || opcode == Opcode::SBranch || jumps_by_register(opcode) {
                continue;
            }
            if index + 1 < program.len() {
                flow.successors[index].push(index + 1);
            } else {
                add("program-end", "execution goes past the end");
            }
        }
        flow.connect();
        flow
    }

    fn connect(&mut self) {
        for (index, successors) in self.successors.iter().enumerate() {
            for successor in successors {
                self.predecessors[*successor].push(index);
            }
        }
        let mut open = if self.reachable.is_empty() { Vec::new() } else { vec![0] };
        while let Some(index) = open.pop() {
            if !std::mem::replace(&mut self.reachable[index], true) {
                open.extend(&self.successors[index]);
            }
        }
    }
}

/// True for jumps whose target is in a register.
fn jumps_by_register(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        SSetpcB64 | SSwappcB64 | SRfeB64 | SCbranchGFork | SCbranchIFork | SCbranchJoin
    )
}
