//! Translation of a region to the code generator's form.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;

use super::frame::offsets;
use super::region::{CONDITIONS, EXEC, WaveBlock, WaveEnd, WaveRegion, WaveStep, WaveTest};
use super::run::Run;
use super::translation::{Treatment, Variables, Wave, frame_access};
use crate::jumps;
use crate::lanes::Builder;
use crate::region::BranchTarget;

/// Translates a region to the body of a function of the vector registers, the frame and the number
/// of the first block, whose result is the place where it ends. `full`: for waves in which all
/// lanes are active.
pub(super) fn emit(mut f: FunctionBuilder, region: &WaveRegion, treatment: Treatment, full: bool) {
    let start = f.create_block();
    f.append_block_params_for_function_params(start);
    f.switch_to_block(start);
    let parameters = f.block_params(start);
    let (vectors, frame, entry) = (parameters[0], parameters[1], parameters[2]);
    let pointer = f.func.dfg.value_type(vectors);
    let scalars = f.ins().load(pointer, frame_access(), frame, offsets::SCALARS as i32);
    let is_idle = f.ins().load(I32, frame_access(), frame, offsets::IS_IDLE as i32);
    let mut variable = |ty, offset: usize| {
        let variable = f.declare_var(ty);
        let value = f.ins().load(ty, frame_access(), frame, offset as i32);
        f.def_var(variable, value);
        variable
    };
    let variables = Variables {
        scc: variable(I32, offsets::SCC),
        conditions_zero: variable(I32, offsets::CONDITIONS_ZERO),
        left: variable(I64, offsets::LEFT),
        count: variable(I64, offsets::COUNT),
    };
    let leave = f.create_block();
    f.append_block_param(leave, I32);
    let labels: Vec<ir::Block> = region.blocks.iter().map(|_| f.create_block()).collect();
    jumps::enter(&mut f, entry, labels.iter().copied(), leave);
    let Treatment { subnormals, hosts_nans } = treatment;
    let b = Builder { f: &mut f, subnormals };
    let tracks_conditions = region.tracks_conditions;
    let mut wave = Wave {
        b,
        full,
        hosts_nans,
        variables,
        vectors,
        scalars,
        frame,
        is_idle,
        labels,
        leave,
        tracks_conditions,
    };
    for (index, block) in region.blocks.iter().enumerate() {
        wave.block(index, block);
    }
    wave.end();
    f.seal_all_blocks();
    f.finalize();
}

impl Wave<'_, '_> {
    /// Goes on in a new block if a truth holds; else ends the function before a place.
    fn demand(&mut self, truth: Value, place: u32) {
        jumps::demand(self.b.f, truth, self.leave, place);
    }

    /// Saves the state and returns.
    fn end(&mut self) {
        self.b.f.switch_to_block(self.leave);
        let saved = [
            (self.variables.scc, offsets::SCC),
            (self.variables.conditions_zero, offsets::CONDITIONS_ZERO),
            (self.variables.left, offsets::LEFT),
            (self.variables.count, offsets::COUNT),
        ];
        for (variable, offset) in saved {
            let value = self.b.f.use_var(variable);
            self.b.f.ins().store(frame_access(), value, self.frame, offset as i32);
        }
        let place = self.b.f.block_params(self.leave)[0];
        self.b.f.ins().return_(&[place]);
    }

    fn block(&mut self, index: usize, block: &WaveBlock) {
        self.b.f.switch_to_block(self.labels[index]);
        self.check(block);
        self.note(index, block);
        let mut run = Run::default();
        for step in &block.steps {
            if run.conflicts(step) {
                self.finish(std::mem::take(&mut run));
            }
            match step {
                WaveStep::Vector(step) => self.add(&mut run, step),
                WaveStep::Scalar(step) => self.scalar(step),
            }
        }
        self.finish(run);
        match block.end {
            WaveEnd::Go(target) | WaveEnd::Jump(target) => self.go(target),
            WaveEnd::Branch(test, next, otherwise) => self.branch(test, next, otherwise),
        }
    }

    /// Ends the function before a block whose conditions do not hold.
    fn check(&mut self, block: &WaveBlock) {
        let left = self.b.f.use_var(self.variables.left);
        let cost = block.instructions() as i64;
        let enough = self.b.f.ins().icmp_imm(IntCC::UnsignedGreaterThanOrEqual, left, cost);
        self.demand(enough, block.place);
        self.check_awaited(block);
        let is_vector = |step: &WaveStep| matches!(step, WaveStep::Vector(_));
        if self.full && block.steps.iter().any(is_vector) {
            let exec = self.load_scalar(I64, EXEC);
            let all = self.b.f.ins().icmp_imm(IntCC::Equal, exec, -1);
            self.demand(all, block.place);
        }
    }

    /// Ends the function before a block with registers that memory has still to write or to read.
    fn check_awaited(&mut self, block: &WaveBlock) {
        let words = block.registers.0.iter().enumerate().filter(|(_, word)| **word != 0);
        if block.waits() {
            return self.demand(self.is_idle, block.place);
        }
        let [busy, next] = [0; 2].map(|_| self.b.f.create_block());
        self.b.f.ins().brif(self.is_idle, next, &[], busy, &[]);
        self.b.f.switch_to_block(busy);
        self.b.f.set_cold_block(busy);
        let mut any = self.b.f.ins().iconst(I64, 0);
        for (index, word) in words {
            let offset = offsets::AWAITED + 8 * index;
            let awaited = self.b.f.ins().load(I64, frame_access(), self.frame, offset as i32);
            let own = self.b.f.ins().band_imm(awaited, word.cast_signed());
            any = self.b.f.ins().bor(any, own);
        }
        let none = self.b.f.ins().icmp_imm(IntCC::Equal, any, 0);
        let place = self.b.f.ins().iconst(I32, i64::from(block.place));
        self.b.f.ins().brif(none, next, &[], self.leave, &[BlockArg::Value(place)]);
        self.b.f.switch_to_block(next);
    }

    /// Notes that a block is executed.
    fn note(&mut self, index: usize, block: &WaveBlock) {
        let left = self.b.f.use_var(self.variables.left);
        let left = self.b.f.ins().iadd_imm(left, -(block.instructions() as i64));
        self.b.f.def_var(self.variables.left, left);
        let count = self.b.f.use_var(self.variables.count);
        let slot = self.b.f.ins().band_imm(count, super::frame::TRAIL as i64 - 1);
        let slot = self.b.f.ins().ishl_imm(slot, 2);
        let place = self.b.f.ins().iadd(self.frame, slot);
        let number = self.b.f.ins().iconst(I32, index as i64);
        self.b.f.ins().store(frame_access(), number, place, offsets::TRAIL as i32);
        let count = self.b.f.ins().iadd_imm(count, 1);
        self.b.f.def_var(self.variables.count, count);
    }

    fn target(&mut self, target: BranchTarget) -> (ir::Block, Vec<BlockArg>) {
        match target {
            BranchTarget::RegionBlock(index) => (self.labels[index], Vec::new()),
            BranchTarget::Leave(place) => {
                let place = self.b.f.ins().iconst(I32, i64::from(place));
                (self.leave, vec![BlockArg::Value(place)])
            }
        }
    }

    fn go(&mut self, target: BranchTarget) {
        let (block, arguments) = self.target(target);
        self.b.f.ins().jump(block, &arguments);
    }

    fn branch(&mut self, test: WaveTest, next: BranchTarget, otherwise: BranchTarget) {
        let pair_is = |wave: &mut Self, register, zero| {
            let order = if zero { IntCC::Equal } else { IntCC::NotEqual };
            let pair = wave.load_scalar(I64, register);
            wave.b.f.ins().icmp_imm(order, pair, 0)
        };
        let flag_is = |wave: &mut Self, variable, set| {
            let order = if set { IntCC::NotEqual } else { IntCC::Equal };
            let flag = wave.b.f.use_var(variable);
            wave.b.f.ins().icmp_imm(order, flag, 0)
        };
        let truth = match test {
            WaveTest::Scc(value) => flag_is(self, self.variables.scc, value),
            WaveTest::ConditionsZero(zero) if self.tracks_conditions => {
                flag_is(self, self.variables.conditions_zero, zero)
            }
            WaveTest::ConditionsZero(zero) => pair_is(self, CONDITIONS, zero),
            WaveTest::ExecZero(zero) => pair_is(self, EXEC, zero),
        };
        let (next, next_arguments) = self.target(next);
        let (other, other_arguments) = self.target(otherwise);
        self.b.f.ins().brif(truth, next, &next_arguments, other, &other_arguments);
    }
}
