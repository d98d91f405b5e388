//! Translation of a region to the code generator's form.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64};
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, MemFlags, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

use crate::jumps;
use crate::lanes::{Builder, Lanes, Subnormals, is_normal};
use crate::plan::{Operand, Piece, Plan};
use crate::region::{
    Branch, BranchTarget, End, Order, Predicate, Region, RegionBlock, Step, StepSource, Test,
};
use crate::state::offsets;
use crate::{CHUNK, FILE};

/// Blocks of a region in the code generator's form.
#[derive(Clone, Copy)]
struct Labels {
    /// Where other blocks go to, and where execution begins.
    arrive: ir::Block,
    enter: ir::Block,
}

/// State in registers of the host.
struct Variables {
    flags: [Variable; 2],
    normal: [Variable; 2],
    left: Variable,
}

/// A translation in progress.
struct Emitter<'a, 'f> {
    b: Builder<'a, 'f>,
    /// True if all channels of all instructions are active.
    full: bool,
    labels: Vec<Labels>,
    variables: Variables,
    file: Value,
    active: Value,
    awaited: Value,
    leave: ir::Block,
}

/// Access to the register file.
fn access() -> MemFlags {
    MemFlags::new().with_notrap()
}

/// Translates a region to the body of a function of the file, the state and the number of the first
/// block, whose result is the place where it ends.
pub(crate) fn emit(mut f: FunctionBuilder, region: &Region, subnormals: Subnormals, full: bool) {
    let start = f.create_block();
    f.append_block_params_for_function_params(start);
    f.switch_to_block(start);
    let parameters = f.block_params(start);
    let (file, state, entry) = (parameters[0], parameters[1], parameters[2]);
    let mut variable = |ty, offset: usize| {
        let variable = f.declare_var(ty);
        let value = f.ins().load(ty, MemFlags::trusted(), state, offset as i32);
        f.def_var(variable, value);
        variable
    };
    let variables = Variables {
        flags: [variable(I32, offsets::FLAGS), variable(I32, offsets::FLAGS + 4)],
        normal: [variable(I64, offsets::NORMAL), variable(I64, offsets::NORMAL + 8)],
        left: variable(I64, offsets::LEFT),
    };
    let active = f.ins().load(I32, MemFlags::trusted(), state, offsets::ACTIVE as i32);
    let awaited = f.ins().load(I64, MemFlags::trusted(), state, offsets::AWAITED as i32);
    let leave = f.create_block();
    f.append_block_param(leave, I32);
    let labels: Vec<Labels> = region
        .blocks
        .iter()
        .map(|block| {
            let enter = f.create_block();
            Labels { arrive: if block.join.is_some() { f.create_block() } else { enter }, enter }
        })
        .collect();
    jumps::enter(&mut f, entry, labels.iter().map(|labels| labels.enter), leave);
    let b = Builder { f: &mut f, subnormals };
    let mut emitter = Emitter { b, full, labels, variables, file, active, awaited, leave };
    for (index, block) in region.blocks.iter().enumerate() {
        emitter.block(index, block);
    }
    emitter.end(state);
    f.seal_all_blocks();
    f.finalize();
}

/// Values of a block in translation.
struct Body<'a> {
    block: &'a RegionBlock,
    plan: Plan,
    values: Vec<Option<Lanes>>,
    /// Enabled lanes of instructions, unless all are.
    enabled: Vec<Option<Option<Value>>>,
    /// Truths of comparisons so far.
    truths: Vec<Option<Value>>,
}

fn low_bits(count: u8) -> u32 {
    if count >= 32 { u32::MAX } else { (1 << count) - 1 }
}

impl Emitter<'_, '_> {
    fn constant(&mut self, dword: u32) -> Value {
        self.b.f.ins().iconst(I32, i64::from(dword))
    }

    /// Ends the function before a place.
    fn leave(&mut self, place: u32) {
        let place = self.constant(place);
        self.b.f.ins().jump(self.leave, &[BlockArg::Value(place)]);
    }

    /// Goes on in a new block if a truth holds; else ends the function before a place.
    fn demand(&mut self, truth: Value, place: u32) {
        jumps::demand(self.b.f, truth, self.leave, place);
    }

    /// Saves the state and returns.
    fn end(&mut self, state: Value) {
        let Emitter { b, variables, leave, .. } = self;
        b.f.switch_to_block(*leave);
        let saved = [
            (variables.flags[0], offsets::FLAGS),
            (variables.flags[1], offsets::FLAGS + 4),
            (variables.normal[0], offsets::NORMAL),
            (variables.normal[1], offsets::NORMAL + 8),
            (variables.left, offsets::LEFT),
        ];
        for (variable, offset) in saved {
            let value = b.f.use_var(variable);
            b.f.ins().store(MemFlags::trusted(), value, state, offset as i32);
        }
        let place = b.f.block_params(*leave)[0];
        b.f.ins().return_(&[place]);
    }

    fn block(&mut self, index: usize, block: &RegionBlock) {
        let Labels { arrive, enter } = self.labels[index];
        if let Some(bit) = block.join {
            self.b.f.switch_to_block(arrive);
            let place = self.constant(block.place);
            let some = self.may_wait(bit);
            let leave = self.leave;
            self.b.f.ins().brif(some, leave, &[BlockArg::Value(place)], enter, &[]);
        }
        self.b.f.switch_to_block(enter);
        self.check(block);
        self.body(block);
        self.note(block);
        match &block.end {
            End::Go(target) => self.go(*target),
            End::Branch(branch) => self.branch(branch),
        }
    }

    /// Nonzero if channels may wait at places, a bit each.
    fn may_wait(&mut self, bits: u64) -> Value {
        let bits = self.b.f.ins().iconst(I64, bits as i64);
        self.b.f.ins().band(self.awaited, bits)
    }

    /// Ends the function before a block whose conditions do not hold.
    fn check(&mut self, block: &RegionBlock) {
        let cost = block.steps.len() + usize::from(matches!(block.end, End::Branch(_)));
        let left = self.b.f.use_var(self.variables.left);
        let truth = self.b.f.ins().icmp_imm(IntCC::UnsignedGreaterThanOrEqual, left, cost as i64);
        self.demand(truth, block.place);
    }

    /// Notes what is known of registers after a block, and its instructions.
    fn note(&mut self, block: &RegionBlock) {
        let (spoiled, normal) = (words(block.effect.spoiled), words(block.effect.normal));
        for (index, variable) in self.variables.normal.into_iter().enumerate() {
            if spoiled[index] == 0 && normal[index] == 0 {
                continue;
            }
            let mut value = self.b.f.use_var(variable);
            if spoiled[index] != 0 {
                let kept = self.b.f.ins().iconst(I64, !spoiled[index] as i64);
                value = self.b.f.ins().band(value, kept);
            }
            if normal[index] != 0 {
                let normal = self.b.f.ins().iconst(I64, normal[index] as i64);
                value = self.b.f.ins().bor(value, normal);
            }
            self.b.f.def_var(variable, value);
        }
        self.count(block.steps.len());
    }

    /// Counts executed instructions.
    fn count(&mut self, steps: usize) {
        let left = self.b.f.use_var(self.variables.left);
        let left = self.b.f.ins().iadd_imm(left, -(steps as i64));
        self.b.f.def_var(self.variables.left, left);
    }

    fn go(&mut self, target: BranchTarget) {
        match target {
            BranchTarget::RegionBlock(index) => {
                let label = self.labels[index].arrive;
                self.b.f.ins().jump(label, &[]);
            }
            BranchTarget::Leave(place) => self.leave(place),
        }
    }

    fn branch(&mut self, branch: &Branch) {
        let channels = self.constant(branch.channels);
        let channels = self.b.f.ins().band(self.active, channels);
        let mut taken = channels;
        if let Some(predicate) = branch.predicate {
            let bits = self.predicate(predicate);
            let bits = self.b.f.ins().ishl_imm(bits, i64::from(branch.group));
            taken = self.b.f.ins().band(channels, bits);
        }
        let truth = match branch.test {
            Test::All => self.b.f.ins().icmp(IntCC::Equal, taken, channels),
            Test::AllActive => self.b.f.ins().icmp(IntCC::Equal, taken, self.active),
            Test::None => self.b.f.ins().icmp_imm(IntCC::Equal, taken, 0),
            Test::Always => self.constant(1),
            Test::Never => self.constant(0),
        };
        if let Some((target, places)) = branch.otherwise {
            let (next, other) = (self.b.f.create_block(), self.b.f.create_block());
            self.b.f.ins().brif(truth, next, &[], other, &[]);
            self.b.f.switch_to_block(other);
            let mut none = self.b.f.ins().icmp(IntCC::Equal, channels, self.active);
            if branch.test != Test::Never {
                let untaken = self.b.f.ins().icmp_imm(IntCC::Equal, taken, 0);
                none = self.b.f.ins().band(none, untaken);
            }
            if places != 0 {
                let some = self.may_wait(places);
                let nobody = self.b.f.ins().icmp_imm(IntCC::Equal, some, 0);
                none = self.b.f.ins().band(none, nobody);
            }
            self.demand(none, branch.place);
            self.count(1);
            self.go(target);
            self.b.f.switch_to_block(next);
        } else {
            self.demand(truth, branch.place);
        }
        self.count(1);
        self.go(branch.next);
    }

    /// The value of a predicate for each channel.
    fn predicate(&mut self, predicate: Predicate) -> Value {
        let flag = self.b.f.use_var(self.variables.flags[usize::from(predicate.flag & 1)]);
        let bits = self.b.f.ins().rotr_imm(flag, i64::from(predicate.base));
        if predicate.inverse { self.b.f.ins().bnot(bits) } else { bits }
    }

    fn body(&mut self, block: &RegionBlock) {
        let plan = Plan::of(&block.steps);
        let count = block.steps.len();
        let mut body = Body {
            block,
            values: vec![None; plan.initial.len()],
            plan,
            enabled: vec![None; count],
            truths: vec![None; count],
        };
        for index in 0..body.plan.groups.len() {
            for piece in std::mem::take(&mut body.plan.groups[index].pieces) {
                self.piece(&mut body, &piece);
            }
            for (chunk, value) in std::mem::take(&mut body.plan.groups[index].stores) {
                let value = self.value(&mut body, value).value;
                self.b.f.ins().store(access(), value, self.file, (chunk * CHUNK) as i32);
            }
        }
        for (index, step) in block.steps.iter().enumerate() {
            self.write_flag(&mut body, index, step);
        }
    }

    /// A value of a chunk, loaded if the block finds it there.
    fn value(&mut self, body: &mut Body, id: usize) -> Lanes {
        if let Some(lanes) = body.values[id] {
            return lanes;
        }
        let chunk = body.plan.initial[id].unwrap_or(0);
        let offset = (chunk * CHUNK).min(FILE - CHUNK);
        let value = self.b.f.ins().load(I32X4, access(), self.file, offset as i32);
        let lanes = Lanes::any(value);
        body.values[id] = Some(lanes);
        lanes
    }

    /// Enabled lanes of an instruction; `None` if all are.
    fn enabled(&mut self, body: &mut Body, index: usize, step: &Step) -> Option<Value> {
        if let Some(enabled) = body.enabled[index] {
            return enabled;
        }
        let all = low_bits(step.lanes);
        let mut bits = None;
        if let Some(group) = step.group.filter(|_| !self.full) {
            bits = Some(self.b.f.ins().ushr_imm(self.active, i64::from(group)));
        }
        if let Some(predicate) = step.predicate.filter(|_| step.is_predicated()) {
            let own = self.predicate(predicate);
            bits = Some(match bits {
                Some(bits) => self.b.f.ins().band(bits, own),
                None => own,
            });
        }
        let enables = self.constant(step.enables & all);
        let enabled = match bits {
            Some(bits) => Some(self.b.f.ins().band(bits, enables)),
            None => (step.enables & all != all).then_some(enables),
        };
        body.enabled[index] = Some(enabled);
        enabled
    }

    fn piece(&mut self, body: &mut Body, piece: &Piece) {
        let step = &body.block.steps[piece.step];
        let first = piece.number * 4;
        let singles = step.operation.reads_singles();
        let mut sources = [self.source(body, &step.sources[0], piece.sources[0], singles); 3];
        for index in 1..step.operation.sources() {
            sources[index] = self.source(body, &step.sources[index], piece.sources[index], singles);
        }
        let picked = step.predicate.filter(|_| !step.is_predicated()).map(|predicate| {
            let bits = self.predicate(predicate);
            self.b.mask(bits, first)
        });
        let order = step.condition.map_or(Order::Never, |condition| condition.order);
        let mut result = self.b.apply(step.operation, sources, picked, order);
        if step.saturate {
            result = self.b.saturated(result);
        }
        let enabled = self.enabled(body, piece.step, step);
        if step.operation.compares() {
            self.add_truths(body, piece, result.value);
        }
        if let Some((before, after)) = piece.destination {
            if let Some(enabled) = enabled {
                let mask = self.b.mask(enabled, first);
                let old = self.value(body, before);
                result = self.b.either(mask, result, old);
            }
            body.values[after] = Some(result);
        }
        let flag = step.condition.and_then(|condition| condition.flag);
        if piece.is_last && flag.is_some_and(|flag| body.plan.sequential[usize::from(flag & 1)]) {
            self.write_flag(body, piece.step, step);
        }
    }

    /// Adds the truths of a piece to those of its comparison.
    fn add_truths(&mut self, body: &mut Body, piece: &Piece, mask: Value) {
        let bits = self.b.f.ins().vhigh_bits(I32, mask);
        let bits = self.b.f.ins().ishl_imm(bits, piece.number as i64 * 4);
        let truths = &mut body.truths[piece.step];
        *truths = Some(match *truths {
            Some(others) => self.b.f.ins().bor(others, bits),
            None => bits,
        });
    }

    /// Writes the truths of a comparison to its flag register, once.
    fn write_flag(&mut self, body: &mut Body, index: usize, step: &Step) {
        let Some(mut truths) = body.truths[index].take() else { return };
        let Some(condition) = step.condition else { return };
        let Some(flag) = condition.flag else { return };
        let enabled = match self.enabled(body, index, step) {
            Some(enabled) => {
                truths = self.b.f.ins().band(truths, enabled);
                enabled
            }
            None => self.constant(low_bits(step.lanes)),
        };
        let base = i64::from(condition.base);
        let written = self.b.f.ins().rotl_imm(enabled, base);
        let truths = self.b.f.ins().rotl_imm(truths, base);
        let variable = self.variables.flags[usize::from(flag & 1)];
        let before = self.b.f.use_var(variable);
        let kept = self.b.f.ins().band_not(before, written);
        let after = self.b.f.ins().bor(kept, truths);
        self.b.f.def_var(variable, after);
    }

    /// A source of a piece, modified.
    fn source(
        &mut self,
        body: &mut Body,
        source: &StepSource,
        operand: Operand,
        singles: bool,
    ) -> Lanes {
        match operand {
            Operand::Constant(dword) => return self.constant_source(source, dword, singles),
            Operand::Memory(offset) => {
                let offset = usize::from(offset).min(FILE - 4) as i32;
                let dword = self.b.f.ins().load(I32, access(), self.file, offset);
                return self.scalar_source(source, dword, singles);
            }
            Operand::Lane(value, lane) => {
                let value = self.value(body, value).value;
                let dword = self.b.f.ins().extractlane(value, lane);
                return self.scalar_source(source, dword, singles);
            }
            Operand::Chunk(_) | Operand::Across(..) => {}
        }
        let mut lanes = match operand {
            Operand::Across(first, second, byte) => {
                let (first, second) = (self.value(body, first), self.value(body, second));
                let bytes = std::array::from_fn(|index| byte + index as u8);
                let value = self.b.shuffle(first.value, second.value, bytes);
                let normal = first.normal && second.normal;
                Lanes::known(value, normal, first.canonical && second.canonical)
            }
            Operand::Chunk(value) => self.value(body, value),
            Operand::Constant(_) | Operand::Memory(_) | Operand::Lane(..) => {
                unreachable!("handled above")
            }
        };
        if source.keep != u32::MAX || source.flip != 0 {
            (lanes.canonical, lanes.same) = (false, None);
        }
        if source.keep != u32::MAX {
            let keep = self.b.splat(source.keep);
            lanes.value = self.b.f.ins().band(lanes.value, keep);
        }
        if source.flip != 0 {
            let flip = self.b.splat(source.flip);
            lanes.value = self.b.f.ins().bxor(lanes.value, flip);
        }
        if source.add != 0 && !singles {
            let add = self.b.splat(source.add);
            lanes.value = self.b.f.ins().iadd(lanes.value, add);
        }
        lanes
    }

    fn constant_source(&mut self, source: &StepSource, dword: u32, singles: bool) -> Lanes {
        let mut dword = dword & source.keep ^ source.flip;
        if !singles {
            dword = dword.wrapping_add(source.add);
        } else if self.b.subnormals != Subnormals::Keep && !is_normal(dword) {
            dword &= 0x8000_0000;
        }
        let (value, same) = (self.b.splat(dword), self.constant(dword));
        Lanes { value, normal: is_normal(dword), canonical: false, same: Some(same) }
    }

    fn scalar_source(&mut self, source: &StepSource, mut dword: Value, singles: bool) -> Lanes {
        if source.keep != u32::MAX {
            dword = self.b.f.ins().band_imm(dword, i64::from(source.keep));
        }
        if source.flip != 0 {
            dword = self.b.f.ins().bxor_imm(dword, i64::from(source.flip));
        }
        if source.add != 0 && !singles {
            dword = self.b.f.ins().iadd_imm(dword, i64::from(source.add));
        }
        self.b.spread(dword)
    }
}

/// The words of a mask.
fn words(mask: u128) -> [u64; 2] {
    [mask as u64, (mask >> 64) as u64]
}
