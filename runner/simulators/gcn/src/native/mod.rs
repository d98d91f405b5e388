//! Hot programs as the host's code.
//!
//! Arithmetic and branches are translated once a program has executed many instructions. The
//! code ends before everything else, and the loop over instructions goes on from there.

mod flow;
mod heat;
mod scalar;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ::native::{BranchTarget, WaveBlock, WaveCode, WaveEnd, WaveRegion, WaveState, WaveStep};

use crate::decoded::Decoded;
use crate::quirks::Quirks;
use flow::{Flow, Origins};
pub(crate) use heat::Heat;

/// Programs with more instructions are not translated.
const LONGEST: usize = 4096;
/// An instruction where no block begins.
const NONE: u32 = u32::MAX;

/// A program to be translated, or translated.
#[derive(Debug)]
pub(crate) struct Native {
    region: WaveRegion,
    /// Code for waves in which all lanes are active, and for others.
    full: OnceLock<Option<WaveCode>>,
    partial: OnceLock<Option<WaveCode>>,
    /// Instructions after which the code for others is made, and those so far.
    partial_after: u64,
    executed_partly: AtomicU64,
    /// Block that begins at each instruction, or [`NONE`].
    blocks: Vec<u32>,
}

/// An instruction as the translator takes it; `None` if it has no translation.
fn step(program: &Decoded, index: usize) -> Option<WaveStep> {
    let facts = &program.facts[index];
    let step = match &facts.plan {
        Some(plan) => WaveStep::Vector(plan.native(facts.class)?),
        None => {
            let instruction = &program.instructions[index].instruction;
            WaveStep::Scalar(scalar::step(facts.class, facts.row, instruction)?)
        }
    };
    step.is_known().then_some(step)
}

/// Division of a program into blocks.
struct Division<'a> {
    program: &'a Decoded,
    flows: Vec<Flow>,
    origins: Origins,
    /// True for instructions that jumps go to.
    targets: Vec<bool>,
}

/// A block to come: its instructions, and the one after it.
struct Part {
    start: usize,
    steps: Vec<WaveStep>,
    end: usize,
    flow: Flow,
}

impl Division<'_> {
    fn of(program: &Decoded) -> Division<'_> {
        let count = program.instructions.len();
        let flows: Vec<Flow> = (0..count).map(|index| Flow::of(program, index)).collect();
        let origins = Origins::of(program, &flows);
        let mut targets = vec![false; count];
        for flow in &flows {
            if let Flow::Jump(target) | Flow::Branch(_, target) = *flow {
                targets[target] = true;
            }
        }
        Division { program, flows, origins, targets }
    }

    /// The step of an instruction that another one follows.
    fn step(&self, index: usize) -> Option<WaveStep> {
        let is_last = index + 1 >= self.flows.len();
        if is_last || self.flows[index] != Flow::Following {
            return None;
        }
        if !self.origins.is_safe(self.program, index) {
            return None;
        }
        step(self.program, index)
    }

    fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut index = 0;
        while index < self.flows.len() {
            let start = index;
            let mut part = Part { start, steps: Vec::new(), end: start, flow: Flow::Following };
            let is_inside = |index: usize| index == start || !self.targets[index];
            let mut is_open = true;
            while is_open
                && index < self.flows.len()
                && is_inside(index)
                && let Some(step) = self.step(index)
            {
                is_open = !step.writes_exec();
                part.steps.push(step);
                index += 1;
            }
            part.end = index;
            if is_open && index < self.flows.len() && is_inside(index) {
                let is_last = index + 1 >= self.flows.len();
                match self.flows[index] {
                    Flow::Branch(..) if is_last => {}
                    flow @ (Flow::Jump(_) | Flow::Branch(..)) => {
                        part.flow = flow;
                        index += 1;
                    }
                    Flow::Following | Flow::Other => {}
                }
            }
            if index == start {
                index += 1;
            } else {
                parts.push(part);
            }
        }
        parts
    }
}

impl Native {
    /// A program; `None` if no vector instruction can be translated.
    pub(crate) fn of(program: &Decoded, partial_after: u64) -> Option<Native> {
        if program.instructions.len() > LONGEST {
            return None;
        }
        let parts = Division::of(program).parts();
        let is_vector = |step: &WaveStep| matches!(step, WaveStep::Vector(_));
        if !parts.iter().any(|part| part.steps.iter().any(is_vector)) {
            return None;
        }
        let mut blocks = vec![NONE; program.instructions.len()];
        for (number, part) in parts.iter().enumerate() {
            blocks[part.start] = number as u32;
        }
        let target = |place: usize| match blocks.get(place) {
            Some(&block) if block != NONE => BranchTarget::RegionBlock(block as usize),
            _ => BranchTarget::Leave(place as u32),
        };
        let block = |part: Part| WaveBlock {
            place: part.start as u32,
            steps: part.steps,
            end: match part.flow {
                Flow::Jump(to) => WaveEnd::Jump(target(to)),
                Flow::Branch(test, to) => WaveEnd::Branch(test, target(to), target(part.end + 1)),
                Flow::Following | Flow::Other => WaveEnd::Go(target(part.end)),
            },
        };
        let region = WaveRegion {
            blocks: parts.into_iter().map(block).collect(),
            tracks_conditions: Quirks::of(program.chip).vccz_after_smrd,
        };
        Some(Native {
            region,
            full: OnceLock::new(),
            partial: OnceLock::new(),
            partial_after,
            executed_partly: AtomicU64::new(0),
            blocks,
        })
    }

    /// Number of translated instructions.
    pub(crate) fn instructions(&self) -> usize {
        self.region.blocks.iter().map(WaveBlock::instructions).sum()
    }

    /// The block that begins with an instruction.
    #[inline]
    pub(crate) fn block(&self, index: usize) -> Option<u32> {
        self.blocks.get(index).copied().filter(|block| *block != NONE)
    }

    /// The code for a wave with some active lanes that begins with a block.
    #[inline]
    pub(crate) fn code(&self, exec: u64, block: u32) -> Option<&WaveCode> {
        if exec == u64::MAX {
            return self.full.get_or_init(|| WaveCode::translate(&self.region, true)).as_ref();
        }
        if let Some(code) = self.partial.get() {
            return code.as_ref();
        }
        let own = self.region.blocks.get(block as usize);
        let steps = own.map_or(0, |block| block.instructions() as u64);
        if self.executed_partly.fetch_add(steps, Ordering::Relaxed) < self.partial_after {
            return None;
        }
        self.partial.get_or_init(|| WaveCode::translate(&self.region, false)).as_ref()
    }

    /// The instructions that a run executed last, the oldest first: the last eight at least.
    pub(crate) fn executed(&self, state: &WaveState) -> impl Iterator<Item = usize> {
        let blocks = state.trail().filter_map(|block| self.region.blocks.get(block));
        blocks.flat_map(|block| {
            let first = block.place as usize;
            let end = first + block.instructions();
            first.max(end.saturating_sub(8))..end
        })
    }
}
