//! Hot kernels as the host's code.
//!
//! The resolved arithmetic of a hot kernel and the branches between are translated once the kernel
//! has executed many more instructions. Everything else, and branches where channels part, stay
//! with the loop of [hot kernels](crate::hot): the code ends before them.

use ::native::{BranchTarget, Code, End, Region, RegionBlock, State, Step, Test, Variants};
use intel_isa::Opcode;

use crate::alu::fast::{Quick, Subnormals};
use crate::decoded::DecodedInstruction;
use crate::hot::{Branch, Form, HotStep};
use crate::jump::bit;
use crate::regs::Effect;
use crate::thread::Thread;

/// Kernels with more instructions are not translated.
const LONGEST: usize = 4096;
/// An instruction where no block begins.
const NONE: u32 = u32::MAX;

/// A kernel to be translated, or translated.
#[derive(Debug)]
pub(crate) struct Native {
    region: Region,
    variants: Variants<Code>,
    /// RegionBlock that begins at each instruction, or [`NONE`].
    blocks: Vec<u32>,
    /// Channels that must be active for all instructions to have all of theirs.
    required: u32,
}

/// A block of the region to come.
struct Part {
    start: u32,
    join: bool,
    steps: Vec<Step>,
    quick: Vec<Quick>,
    /// The instruction after the block, and the branch that it is.
    end: u32,
    branch: Option<Branch>,
}

/// Division of the instructions into blocks.
fn parts(steps: &[HotStep], arithmetic: &[Option<Step>]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut index = 0;
    while let Some(first) = steps.get(index) {
        let start = index;
        let mut part = Part {
            start: start as u32,
            join: first.join,
            steps: Vec::new(),
            quick: Vec::new(),
            end: 0,
            branch: None,
        };
        let is_inside = |index: usize| index == start || !steps[index].join;
        while index < steps.len()
            && is_inside(index)
            && let (Form::Quick(quick), Some(step)) = (&steps[index].form, arithmetic[index])
        {
            part.steps.push(step);
            part.quick.push(*quick);
            index += 1;
        }
        part.end = index as u32;
        if index < steps.len()
            && is_inside(index)
            && let Form::Branch(branch) = steps[index].form
        {
            part.branch = Some(branch);
            index += 1;
        }
        if index == start {
            index += 1;
        } else {
            parts.push(part);
        }
    }
    parts
}

/// A branch as the translator takes it.
fn branch(branch: &Branch, place: u32, target: impl Fn(u32) -> BranchTarget) -> ::native::Branch {
    let (jip, next) = (branch.jump.jip, place + 1);
    // Channels that all go to JIP resume there, unless others wait there or at the next one.
    let jump = Some((target(jip), bit(next) | bit(jip)));
    let (test, next, otherwise) = match branch.opcode {
        Opcode::If => (Test::All, next, jump),
        Opcode::Else => (Test::Never, next, jump),
        Opcode::While => (Test::AllActive, jip, Some((target(next), 0))),
        Opcode::Endif => (Test::Always, next, None),
        _ => (Test::None, next, None),
    };
    ::native::Branch {
        place,
        channels: branch.channels,
        group: branch.group,
        predicate: branch.predicate.map(|predicate| predicate.native()),
        test,
        next: target(next),
        otherwise,
    }
}

impl Native {
    /// A hot kernel for threads that flush subnormal singles, or do not; `None` if no instruction
    /// can be translated.
    pub(crate) fn of<'a>(
        steps: &[HotStep],
        instructions: impl Iterator<Item = &'a DecodedInstruction>,
        flushes: bool,
        partial_after: u64,
    ) -> Option<Native> {
        if steps.len() > LONGEST {
            return None;
        }
        let arithmetic: Vec<Option<Step>> = steps
            .iter()
            .zip(instructions)
            .map(|(step, decoded)| match &step.form {
                Form::Quick(quick) => quick.required().and_then(|_| quick.native(&decoded.op)),
                _ => None,
            })
            .collect();
        let parts = parts(steps, &arithmetic);
        if parts.iter().all(|part| part.steps.is_empty()) {
            return None;
        }
        let mut blocks = vec![NONE; steps.len()];
        for (number, part) in parts.iter().enumerate() {
            blocks[part.start as usize] = number as u32;
        }
        let target = |place: u32| match blocks.get(place as usize) {
            Some(&block) if block != NONE => BranchTarget::RegionBlock(block as usize),
            _ => BranchTarget::Leave(place),
        };
        let mut region = Region { blocks: Vec::new(), flushes };
        let mut required = 0;
        for part in parts {
            let mut effect = Effect::default();
            for quick in &part.quick {
                required |= quick.required().unwrap_or(0);
                let Subnormals { written, effect: own, .. } = quick.subnormals();
                effect = effect.then(if flushes { own } else { Effect::unknown(written) });
            }
            region.blocks.push(RegionBlock {
                place: part.start,
                join: part.join.then(|| bit(part.start)),
                steps: part.steps,
                effect: ::native::Effect { spoiled: effect.spoiled, normal: effect.normal },
                end: match &part.branch {
                    Some(own) => End::Branch(branch(own, part.end, target)),
                    None => End::Go(target(part.end)),
                },
            });
        }
        Some(Native { region, variants: Variants::new(partial_after), blocks, required })
    }

    /// Number of instructions of arithmetic.
    pub(crate) fn instructions(&self) -> usize {
        self.region.blocks.iter().map(|block| block.steps.len()).sum()
    }

    /// The code for a thread with some active channels that begins with a block.
    #[inline]
    fn code(&self, active: u32, block: u32) -> Option<&Code> {
        let steps = || self.region.blocks.get(block as usize).map_or(0, |block| block.steps.len());
        let is_full = active & self.required == self.required;
        self.variants.get(is_full, steps, |full| Code::translate(&self.region, full))
    }

    /// Executes a thread from an instruction on, until it has executed `limit` instructions since
    /// its reset at most; returns the next instruction. `None` if nothing was executed.
    #[inline]
    pub(crate) fn run(
        &self,
        thread: &mut Thread,
        step: &HotStep,
        index: u32,
        limit: u64,
    ) -> Option<u32> {
        let block = *self.blocks.get(index as usize)?;
        if block == NONE {
            return None;
        }
        if step.join {
            thread.join(index);
        }
        if thread.active == 0 || !Quick::fits_modes(&thread.regs) {
            return None;
        }
        if thread.regs.flushes() != self.region.flushes {
            return None;
        }
        let code = self.code(thread.active, block)?;
        let registers = &mut thread.regs;
        let left = limit.saturating_sub(thread.steps);
        let (file, normal) = registers.grf.parts();
        let mut state = State {
            flags: registers.flags,
            active: thread.active,
            awaited: if thread.dispatch & !thread.active == 0 { 0 } else { thread.awaited },
            left,
            normal: [*normal as u64, (*normal >> 64) as u64],
        };
        let next = code.run(block, file, &mut state);
        if state.left == left {
            return None;
        }
        *normal = u128::from(state.normal[0]) | u128::from(state.normal[1]) << 64;
        registers.flags = state.flags;
        thread.steps += left - state.left;
        Some(next)
    }

    /// Instructions that begin a block.
    pub(crate) fn begins(&self, index: u32) -> bool {
        self.blocks.get(index as usize).is_some_and(|&block| block != NONE)
    }
}
