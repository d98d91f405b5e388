//! Places that execution can go to, as far as a program tells.

use amd_isa::hazards::wait_states;
use amd_isa::{Opcode, Operand};
use native::WaveTest;

use crate::class::Class;
use crate::decoded::Decoded;

/// Flow of execution after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// To the next one.
    Following,
    /// To an instruction.
    Jump(usize),
    /// To an instruction if a test holds, else to the next one.
    Branch(WaveTest, usize),
    /// Elsewhere.
    Other,
}

impl Flow {
    /// The flow after an instruction.
    pub(super) fn of(program: &Decoded, index: usize) -> Flow {
        use Opcode::*;
        let located = &program.instructions[index];
        let facts = &program.facts[index];
        if !matches!(facts.class, Class::Control | Class::ScalarSpecial) {
            return Flow::Following;
        }
        let target = match located.instruction.operands[0] {
            Operand::Jump(distance) => {
                let offset = (located.offset + located.dwords) as i64 + i64::from(distance);
                usize::try_from(offset).ok().and_then(|offset| program.at(offset))
            }
            _ => None,
        };
        let test = match facts.row.opcode {
            SBranch => return target.map_or(Flow::Other, Flow::Jump),
            SCbranchScc0 => WaveTest::Scc(false),
            SCbranchScc1 => WaveTest::Scc(true),
            SCbranchVccz => WaveTest::ConditionsZero(true),
            SCbranchVccnz => WaveTest::ConditionsZero(false),
            SCbranchExecz => WaveTest::ExecZero(true),
            SCbranchExecnz => WaveTest::ExecZero(false),
            SEndpgm | SEndpgmSaved | SSetpcB64 | SSwappcB64 => return Flow::Other,
            _ => return Flow::Following,
        };
        target.map_or(Flow::Other, |target| Flow::Branch(test, target))
    }
}

/// Instructions that can be executed just before each one.
pub(super) struct Origins {
    before: Vec<Vec<usize>>,
    /// True if a jump can go anywhere.
    anywhere: bool,
}

impl Origins {
    pub(super) fn of(program: &Decoded, flows: &[Flow]) -> Origins {
        let mut before = vec![Vec::new(); flows.len()];
        let mut anywhere = false;
        for (index, flow) in flows.iter().enumerate() {
            let (next, jump) = match *flow {
                Flow::Following => (Some(index + 1), None),
                Flow::Jump(target) => (None, Some(target)),
                Flow::Branch(_, target) => (Some(index + 1), Some(target)),
                Flow::Other => {
                    let opcode = program.facts[index].row.opcode;
                    anywhere |= matches!(opcode, Opcode::SSetpcB64 | Opcode::SSwappcB64);
                    // A branch to nowhere may not be taken.
                    (Some(index + 1), None)
                }
            };
            for to in [next, jump].into_iter().flatten() {
                if let Some(before) = before.get_mut(to) {
                    before.push(index);
                }
            }
        }
        Origins { before, anywhere }
    }

    /// True if no hazard of an instruction can be one, wherever execution comes from.
    pub(super) fn is_safe(&self, program: &Decoded, index: usize) -> bool {
        let hazards = &program.facts[index].hazards;
        hazards.is_empty()
            || !self.anywhere
                && !hazards
                    .iter()
                    .any(|(bit, hazard)| self.begins(program, index, *bit, hazard.states.into()))
    }

    /// True if an instruction that a hazard begins with can come less than some wait states before
    /// another.
    fn begins(&self, program: &Decoded, index: usize, bit: u32, states: u32) -> bool {
        // The instructions before the program are not known.
        index == 0
            || self.before[index].iter().any(|&before| {
                let own = wait_states(&program.instructions[before].instruction);
                program.facts[before].begins & bit != 0
                    || own < states && self.begins(program, before, bit, states - own)
            })
    }
}
