//! Kernels that have executed many instructions: their most frequent ones are resolved further.

use intel_isa::Opcode;

use crate::alu::fast::{Predicate, Quick, Subnormals};
use crate::alu::math::MathMode;
use crate::decoded::DecodedInstruction;
use crate::jump::{Jump, is_structured};
use crate::op::{Unit, low_bits};
use crate::regs::{Effect, Registers};

/// An instruction of a hot kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HotStep {
    pub(crate) form: Form,
    /// True if waiting channels may resume here.
    pub(crate) join: bool,
    /// The resolved arithmetic from here on.
    pub(crate) block: HotBlock,
}

/// Resolved arithmetic without a place in between where waiting channels may resume.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HotBlock {
    /// Number of instructions; 0 if not all channels of the first one can be enabled.
    pub(crate) length: u32,
    /// Channels that must be active for all instructions to have all of theirs.
    pub(crate) required: u32,
    /// True if a result depends on the floating-point modes.
    floating: bool,
    /// Registers, a bit each, that must hold no subnormal single for the implementations that do
    /// not look for them.
    normal: u128,
    /// Registers that are written, a bit each.
    written: u128,
    /// The effect on subnormal singles if they are flushed and these implementations are taken.
    effect: Effect,
}

impl HotBlock {
    /// The block of an instruction with this one after it.
    fn after(self, quick: &Quick) -> HotBlock {
        let Some(required) = quick.required() else { return HotBlock::default() };
        let Subnormals { reads, written, copies, effect } = quick.subnormals();
        // If it matters to others that a copy holds none, its source must not either.
        let answers = copies && self.normal & written != 0;
        let effect = if answers { Effect { spoiled: 0, normal: written } } else { effect };
        let reads = if copies && !answers { 0 } else { reads };
        HotBlock {
            length: self.length + 1,
            required: self.required | required,
            floating: self.floating | quick.is_floating(),
            normal: self.normal & !effect.normal | reads,
            written: self.written | written,
            effect: effect.then(self.effect),
        }
    }

    /// True if the implementations that do not look for subnormal singles do for a thread.
    #[inline(always)]
    fn is_normal(&self, registers: &mut Registers) -> bool {
        registers.flushes() && registers.grf.are_normal(self.normal)
    }

    /// True if the modes are those that the instructions are made for.
    #[inline(always)]
    pub(crate) fn fits(&self, registers: &Registers) -> bool {
        !self.floating || Quick::fits_modes(registers)
    }
}

/// Form of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    /// Resolved arithmetic.
    Quick(Quick),
    /// A resolved branch.
    Branch(Branch),
    /// That of a cold kernel.
    Cold,
}

/// A branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    pub(crate) opcode: Opcode,
    pub(crate) jump: Jump,
    /// Channels, in positions of the execution mask.
    pub(crate) channels: u32,
    /// Bit of the first channel in the execution mask.
    pub(crate) group: u8,
    pub(crate) predicate: Option<Predicate>,
}

impl Branch {
    /// The value of the predicate, in positions of the execution mask.
    #[inline(always)]
    pub(crate) fn predicate(&self, flags: &[u32; 2]) -> u32 {
        self.predicate.map_or(u32::MAX, |predicate| predicate.channels(flags) << self.group)
    }

    /// The instruction after this branch at `index` if all active channels go there together.
    #[inline(always)]
    pub(crate) fn pass(&self, active: u32, flags: &[u32; 2], index: u32) -> Option<u32> {
        let channels = active & self.channels;
        let taken = channels & self.predicate(flags);
        let (together, next) = match self.opcode {
            Opcode::If => (taken == channels, index + 1),
            Opcode::While => (taken == active, self.jump.jip),
            Opcode::Else => (false, index),
            Opcode::Endif => (true, index + 1),
            _ => (taken == 0, index + 1),
        };
        (together && active != 0).then_some(next)
    }
}

impl Form {
    /// The form of an instruction in threads of a math mode.
    fn of(decoded: &DecodedInstruction, jump: Jump, math: MathMode) -> Form {
        let DecodedInstruction { op, plan, .. } = decoded;
        if let Some(quick) = plan.as_ref().and_then(|plan| Quick::of(op, plan, math)) {
            return Form::Quick(quick);
        }
        let is_branch = op.unit == Unit::Control && is_structured(op.opcode) && op.group < 32;
        match Predicate::of(op).filter(|_| is_branch) {
            Some(predicate) => Form::Branch(Branch {
                opcode: op.opcode,
                jump,
                channels: low_bits(op.shape.channels) << op.group,
                group: op.group,
                predicate,
            }),
            None => Form::Cold,
        }
    }
}

/// Makes instructions look for subnormal singles if one before them, in the same block, may write
/// some to their sources.
fn look_for_spoiled(steps: &mut [HotStep]) {
    let mut spoiled = 0;
    for step in steps {
        let Form::Quick(quick) = &mut step.form else {
            spoiled = 0;
            continue;
        };
        if step.join {
            spoiled = 0;
        }
        let Subnormals { reads, written, copies, mut effect } = quick.subnormals();
        if reads & spoiled != 0 {
            quick.look_for_subnormals();
        } else if copies {
            effect = Effect { spoiled: 0, normal: written };
        }
        spoiled = spoiled & !effect.normal | effect.spoiled;
    }
}

/// The instructions of a hot kernel, in order.
#[derive(Debug)]
pub(crate) struct Hot {
    pub(crate) math: MathMode,
    steps: Vec<HotStep>,
}

impl Hot {
    /// Resolves instructions for threads of a math mode.
    pub(crate) fn new<'a>(
        math: MathMode,
        instructions: impl Iterator<Item = (&'a DecodedInstruction, Jump)>,
    ) -> Hot {
        let mut steps: Vec<HotStep> = instructions
            .map(|(decoded, jump)| {
                let form = Form::of(decoded, jump, math);
                HotStep { form, join: jump.join, block: HotBlock::default() }
            })
            .collect();
        look_for_spoiled(&mut steps);
        let mut rest = HotBlock::default();
        for step in steps.iter_mut().rev() {
            step.block = match &step.form {
                Form::Quick(quick) => rest.after(quick),
                _ => HotBlock::default(),
            };
            rest = if step.join { HotBlock::default() } else { step.block };
        }
        Hot { math, steps }
    }

    /// The instruction with this index.
    #[inline(always)]
    pub(crate) fn step(&self, index: u32) -> Option<&HotStep> {
        self.steps.get(index as usize)
    }

    /// Executes the block of arithmetic from an instruction on, which [fits](HotBlock::fits), in
    /// threads whose required channels are active.
    #[inline(always)]
    pub(crate) fn execute(&self, index: u32, block: &HotBlock, threads: &mut [&mut Registers]) {
        let normal = threads.iter_mut().all(|registers| block.is_normal(registers));
        for quick in self.block(index, block) {
            quick.execute_full(threads, normal);
        }
        let effect = if normal { block.effect } else { Effect::unknown(block.written) };
        for registers in threads {
            registers.grf.note(effect);
        }
    }

    /// As [`Hot::execute`], in one thread with other active channels.
    #[inline(always)]
    pub(crate) fn execute_partly(
        &self,
        index: u32,
        block: &HotBlock,
        registers: &mut Registers,
        active: u32,
    ) {
        for quick in self.block(index, block) {
            quick.execute(registers, active);
        }
    }

    /// The instructions of a block.
    #[inline(always)]
    fn block(&self, index: u32, block: &HotBlock) -> impl Iterator<Item = &Quick> {
        let start = index as usize;
        let steps = self.steps.get(start..start + block.length as usize).unwrap_or(&[]);
        steps.iter().filter_map(|step| match &step.form {
            Form::Quick(quick) => Some(quick),
            _ => None,
        })
    }

    /// The instructions.
    pub(crate) fn steps(&self) -> &[HotStep] {
        &self.steps
    }

    /// Number of resolved instructions.
    pub(crate) fn resolved(&self) -> usize {
        self.steps.iter().filter(|step| !matches!(step.form, Form::Cold)).count()
    }
}
