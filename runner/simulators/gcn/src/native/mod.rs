//! Hot programs as the host's code.
//!
//! Arithmetic and branches are translated once a program has executed many instructions. The
//! code ends before everything else, and the loop over instructions goes on from there.

mod flow;
mod heat;
mod scalar;

use ::native::{
    BranchTarget, RegisterSet, Variants, WaveBlock, WaveCode, WaveEnd, WaveRegion, WaveState,
    WaveStep,
};
use amd_isa::Opcode;

use crate::decoded::Decoded;
use crate::pending;
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
    variants: Variants<WaveCode>,
    /// Block that begins at each instruction, if it is long enough to be called, or [`NONE`].
    entries: Vec<u32>,
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

/// True if a block takes longer than the call of translated code.
fn pays(block: &WaveBlock) -> bool {
    /// As long as the interpretation of so many scalar instructions; vector ones take twice that.
    const CALL: usize = 5;
    let goes_on = |target: BranchTarget| matches!(target, BranchTarget::RegionBlock(_));
    let continues = match block.end {
        WaveEnd::Go(target) | WaveEnd::Jump(target) => goes_on(target),
        WaveEnd::Branch(_, target, other) => goes_on(target) && goes_on(other),
    };
    let vectors = block.steps.iter().filter(|step| matches!(step, WaveStep::Vector(_))).count();
    continues || block.instructions() + vectors >= CALL
}

/// Division of a program into blocks.
struct Division<'a> {
    program: &'a Decoded,
    flows: Vec<Flow>,
    origins: Origins,
    /// True for instructions that jumps go to.
    targets: Vec<bool>,
}

/// A block to come: its instructions, the one after it, and a branch that it is.
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
            let part = self.part(index);
            let branches = usize::from(part.flow != Flow::Following);
            index = part.end + branches;
            if index == part.start {
                // An access of memory, mostly: the wait for it has something to do.
                index += 1;
                index += usize::from(self.is_wait(index));
            } else {
                parts.push(part);
            }
        }
        parts
    }

    /// The block from an instruction on; empty if there is none.
    fn part(&self, start: usize) -> Part {
        let mut steps: Vec<WaveStep> = Vec::new();
        let mut end = start;
        let mut is_open = true;
        while is_open
            && (end == start || !self.targets[end] && !self.is_wait(end))
            && let Some(step) = self.step(end)
        {
            // Those that interrupt translated code are blocks of their own.
            is_open = !step.writes_exec() && !self.is_wait(end);
            steps.push(step);
            end += 1;
        }
        let is_inside = end == start || end < self.flows.len() && !self.targets[end];
        let is_last = end + 1 >= self.flows.len();
        let flow = match self.flows.get(end) {
            Some(flow @ Flow::Branch(..)) if is_open && is_inside && !is_last => *flow,
            Some(flow @ Flow::Jump(_)) if is_open && is_inside => *flow,
            _ => Flow::Following,
        };
        Part { start, steps, end, flow }
    }

    fn is_wait(&self, index: usize) -> bool {
        let facts = self.program.facts.get(index);
        facts.is_some_and(|facts| facts.row.opcode == Opcode::SWaitcnt)
    }

    /// Registers of the instructions of a block.
    fn registers(&self, part: &Part) -> RegisterSet {
        let mut set = RegisterSet::default();
        for facts in &self.program.facts[part.start..part.end] {
            facts.accesses.iter().for_each(|access| pending::insert(&mut set, access.register));
        }
        set
    }
}

impl Native {
    /// A program; `None` if no vector instruction can be translated.
    pub(crate) fn of(program: &Decoded, partial_after: u64) -> Option<Native> {
        if program.instructions.len() > LONGEST {
            return None;
        }
        let division = Division::of(program);
        let parts = division.parts();
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
            registers: division.registers(&part),
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
        let mut entries = blocks;
        for block in region.blocks.iter().filter(|block| !pays(block)) {
            entries[block.place as usize] = NONE;
        }
        Some(Native { region, variants: Variants::new(partial_after), entries })
    }

    /// Number of translated instructions.
    pub(crate) fn instructions(&self) -> usize {
        self.region.blocks.iter().map(WaveBlock::instructions).sum()
    }

    /// The block that begins with an instruction.
    #[inline]
    pub(crate) fn block(&self, index: usize) -> Option<u32> {
        self.entries.get(index).copied().filter(|block| *block != NONE)
    }

    /// The code for a wave with some active lanes that begins with a block.
    #[inline]
    pub(crate) fn code(&self, exec: u64, block: u32) -> Option<&WaveCode> {
        let own = self.region.blocks.get(block as usize);
        let instructions = || own.map_or(0, WaveBlock::instructions);
        let translate = |full| WaveCode::translate(&self.region, full);
        self.variants.get(exec == u64::MAX, instructions, translate)
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
