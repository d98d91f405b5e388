//! The evaluator: runs a shader on concrete inputs, any number of invocations ("lanes") in lock
//! step.
//!
//! Lanes 4n to 4n + 3 form a quad for derivatives; all lanes together are the subgroup and the work
//! group, so barriers hold trivially. Undefined values are seeded garbage, never zero. Arithmetic
//! is that of [`fold`], with the shader's float controls.

mod error;
mod intrinsics;
mod services;

pub use error::EvalError;
pub use services::{Io, Services, Space, TestServices, TexRequest};

use crate::fold::{self, FoldCtx};
use crate::ids::{Block, Inst, Local, Node, Value};
use crate::inst::{Alu, InstKind, Jump, Tex};
use crate::ops::AluOp;
use crate::shader::{NodeData, Shader};
use cranelift_entity::{EntityRef, SecondaryMap};

/// Bounds and seed.
#[derive(Clone, Copy, Debug)]
pub struct EvalOptions {
    /// Instructions executed, counted once for all lanes.
    pub max_steps: u64,
    /// Seed of the garbage that undefined values hold.
    pub seed: u64,
}

impl Default for EvalOptions {
    fn default() -> Self {
        EvalOptions { max_steps: 10_000_000, seed: 0x9e37_79b9_7f4a_7c15 }
    }
}

/// How the lanes ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// Instructions executed, counted once for all lanes.
    pub steps: u64,
    /// Lanes that were discarded or demoted: their outputs do not count.
    pub discarded: Vec<bool>,
}

/// Runs `lanes` invocations of a valid shader.
///
/// # Errors
/// [`EvalError`]; the services may have been called for everything before it.
pub fn run(
    shader: &Shader,
    lanes: usize,
    services: &mut dyn Services,
    options: EvalOptions,
) -> Result<Evaluation, EvalError> {
    let size =
        shader.values.len().checked_mul(lanes).ok_or(EvalError::Malformed("too many lanes"))?;
    let mut machine = Machine {
        shader,
        lanes,
        services,
        options,
        steps: 0,
        values: vec![[0; 4]; size],
        locals: SecondaryMap::new(),
        scratch: vec![0; shader.info.scratch_size as usize * lanes],
        previous: vec![None; lanes],
        discarded: vec![false; lanes],
        loops: Vec::new(),
    };
    machine.check_nesting()?;
    machine.list(&shader.body, vec![true; lanes])?;
    Ok(Evaluation { steps: machine.steps, discarded: machine.discarded })
}

/// Set of lanes.
type Mask = Vec<bool>;

fn any(mask: &Mask) -> bool {
    mask.iter().any(|&m| m)
}

fn merge(into: &mut Mask, from: &Mask) {
    for (a, b) in into.iter_mut().zip(from) {
        *a |= b;
    }
}

struct LoopState {
    breaks: Mask,
    continues: Mask,
}

struct Machine<'a> {
    shader: &'a Shader,
    lanes: usize,
    services: &'a mut dyn Services,
    options: EvalOptions,
    steps: u64,
    /// Value-major, lane-minor.
    values: Vec<[u64; 4]>,
    /// Per local: lane-major, then element, then component; allocated at first use.
    locals: SecondaryMap<Local, Vec<u64>>,
    /// Per-invocation scratch bytes, lane-major.
    scratch: Vec<u8>,
    /// Block each lane comes from.
    previous: Vec<Option<Block>>,
    discarded: Vec<bool>,
    loops: Vec<LoopState>,
}

impl Machine<'_> {
    fn check_nesting(&self) -> Result<(), EvalError> {
        let mut depth = 0usize;
        for step in self.shader.walk() {
            match step {
                crate::shader::Step::If(_) | crate::shader::Step::Loop(_) => depth += 1,
                crate::shader::Step::EndIf(_) | crate::shader::Step::EndLoop(_) => depth -= 1,
                _ => {}
            }
            if depth > crate::shader::MAX_NESTING {
                return Err(EvalError::Malformed("nested too deeply"));
            }
        }
        Ok(())
    }

    fn get(&self, value: Value, lane: usize) -> [u64; 4] {
        self.values[value.index() * self.lanes + lane]
    }

    fn set(&mut self, value: Value, lane: usize, data: [u64; 4]) {
        let shape = self.shader.values[value];
        let mut cut = [0; 4];
        for (out, component) in cut.iter_mut().zip(data).take(shape.components.into()) {
            *out = component & fold::mask(shape.bits);
        }
        self.values[value.index() * self.lanes + lane] = cut;
    }

    /// Garbage that depends on the seed and `key` only (splitmix64's finalizer).
    fn garbage(&self, key: u64) -> u64 {
        let mut x = self.options.seed.wrapping_add(key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Runs a list; gives the lanes that reach its end. Depth is bounded by `check_nesting`.
    fn list(&mut self, list: &[Node], mut mask: Mask) -> Result<Mask, EvalError> {
        let shader = self.shader;
        for &node in list {
            if !any(&mask) {
                break;
            }
            match &shader.nodes[node] {
                NodeData::Block(block) => mask = self.block(*block, mask)?,
                NodeData::If { cond, then_body, else_body } => {
                    let taken: Mask =
                        (0..self.lanes).map(|l| mask[l] && self.get(*cond, l)[0] != 0).collect();
                    let other: Mask = (0..self.lanes).map(|l| mask[l] && !taken[l]).collect();
                    mask = self.list(then_body, taken)?;
                    merge(&mut mask, &self.list(else_body, other)?);
                }
                NodeData::Loop { body } => mask = self.run_loop(body, mask)?,
            }
        }
        Ok(mask)
    }

    fn run_loop(&mut self, body: &[Node], mut mask: Mask) -> Result<Mask, EvalError> {
        let none = vec![false; self.lanes];
        self.loops.push(LoopState { breaks: none.clone(), continues: none.clone() });
        while any(&mask) {
            self.count()?;
            mask = self.list(body, mask)?;
            if let Some(state) = self.loops.last_mut() {
                merge(&mut mask, &state.continues);
                state.continues.clone_from(&none);
            }
        }
        Ok(self.loops.pop().map_or(none, |state| state.breaks))
    }

    fn count(&mut self) -> Result<(), EvalError> {
        self.steps += 1;
        if self.steps > self.options.max_steps {
            Err(EvalError::Steps(self.options.max_steps))
        } else {
            Ok(())
        }
    }

    /// Runs a block; gives the lanes that fall through.
    fn block(&mut self, block: Block, mut mask: Mask) -> Result<Mask, EvalError> {
        let data = &self.shader.blocks[block];
        self.phis(&data.insts, &mask)?;
        for &inst in &data.insts {
            if matches!(self.shader.insts[inst].kind, InstKind::Phi(_)) {
                continue;
            }
            self.count()?;
            self.inst(inst, &mut mask)?;
        }
        for (lane, _) in mask.iter().enumerate().filter(|(_, active)| **active) {
            self.previous[lane] = Some(block);
        }
        let Some(jump) = data.jump else { return Ok(mask) };
        if let Some(state) = self.loops.last_mut() {
            match jump {
                Jump::Break => merge(&mut state.breaks, &mask),
                Jump::Continue => merge(&mut state.continues, &mask),
                Jump::Halt => {}
            }
        }
        Ok(vec![false; self.lanes])
    }

    /// All phis of a block at once: they read what was there before.
    fn phis(&mut self, insts: &[Inst], mask: &Mask) -> Result<(), EvalError> {
        let mut writes = Vec::new();
        for &inst in insts {
            let data = &self.shader.insts[inst];
            let (InstKind::Phi(srcs), Some(result)) = (&data.kind, data.result) else { break };
            self.count()?;
            for lane in (0..self.lanes).filter(|&l| mask[l]) {
                let src = srcs.iter().find(|s| Some(s.pred) == self.previous[lane]);
                let src =
                    src.ok_or(EvalError::Malformed("phi without source for its predecessor"))?;
                writes.push((result, lane, self.get(src.value, lane)));
            }
        }
        for (value, lane, data) in writes {
            self.set(value, lane, data);
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst, mask: &mut Mask) -> Result<(), EvalError> {
        let data = &self.shader.insts[inst];
        match (&data.kind, data.result) {
            (InstKind::Alu(alu), Some(result)) => self.alu(alu, result, mask),
            (InstKind::Const(constant), Some(result)) => {
                (0..self.lanes).for_each(|lane| self.set(result, lane, *constant));
                Ok(())
            }
            (InstKind::Undef, Some(result)) => {
                for lane in 0..self.lanes {
                    let key = 4 * u64::from(result.as_u32());
                    let data = [0, 1, 2, 3].map(|i| self.garbage(key + i));
                    self.set(result, lane, data);
                }
                Ok(())
            }
            (InstKind::Tex(tex), Some(result)) => self.tex(tex, result, mask),
            (InstKind::Intrinsic(intrinsic), result) => self.intrinsic(intrinsic, result, mask),
            _ => Err(EvalError::Malformed("instruction without result")),
        }
    }

    fn fold_ctx(&self, alu: &Alu) -> FoldCtx {
        let info = alu.op.info();
        let unsized_source = info.inputs.iter().position(|i| i.bits == 0).unwrap_or(0);
        let bits = alu.srcs.get(unsized_source).map_or(32, |s| self.shader.bits(s.value));
        FoldCtx { bits, flush_f32: self.shader.info.float_controls.flush_f32 }
    }

    /// A source's components after the swizzle.
    fn operand(&self, alu: &Alu, index: usize, lane: usize) -> [u64; 4] {
        let src = alu.srcs[index];
        let data = self.get(src.value, lane);
        src.swizzle.map(|c| data[usize::from(c & 3)])
    }

    fn alu(&mut self, alu: &Alu, result: Value, mask: &Mask) -> Result<(), EvalError> {
        let ctx = self.fold_ctx(alu);
        let shape = self.shader.values[result];
        if alu.op.info().is_derivative() {
            return self.derivative(alu, ctx, result, mask);
        }
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            let mut sources = [[0; 4]; 4];
            for (i, source) in sources.iter_mut().enumerate().take(alu.srcs.len()) {
                *source = self.operand(alu, i, lane);
            }
            let count = alu.srcs.len().min(4);
            let value = alu.op.evaluate(ctx, &sources[..count], shape.bits, shape.components);
            self.set(result, lane, value.ok_or(EvalError::Malformed("wrong number of sources"))?);
        }
        Ok(())
    }

    /// Differences within the quad: x between columns, y between rows. Coarse ones use the quad's
    /// first pixel.
    fn derivative(
        &mut self,
        alu: &Alu,
        ctx: FoldCtx,
        result: Value,
        mask: &Mask,
    ) -> Result<(), EvalError> {
        let shape = self.shader.values[result];
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            let (quad, pixel) = (lane & !3, lane & 3);
            let (from, to) = match alu.op {
                AluOp::FddxFine | AluOp::Fddx => (pixel & 2, pixel | 1),
                AluOp::FddyFine | AluOp::Fddy => (pixel & 1, pixel | 2),
                AluOp::FddxCoarse => (0, 1),
                _ => (0, 2),
            };
            if quad + to >= self.lanes {
                return Err(EvalError::Malformed("derivative outside a quad"));
            }
            let sources = [self.operand(alu, 0, quad + to), self.operand(alu, 0, quad + from)];
            let value = AluOp::Fsub.evaluate(ctx, &sources, shape.bits, shape.components);
            self.set(result, lane, value.unwrap_or_default());
        }
        Ok(())
    }

    fn tex(&mut self, tex: &Tex, result: Value, mask: &Mask) -> Result<(), EvalError> {
        let sources = tex.srcs.iter().map(|&(kind, value)| {
            (kind, (0..self.lanes).map(|lane| self.get(value, lane)).collect())
        });
        let request = TexRequest { tex, sources: sources.collect(), active: mask.clone() };
        let texels = self.services.tex(&request)?;
        for lane in (0..self.lanes).filter(|&l| mask[l]) {
            let texel = texels.get(lane).copied().ok_or(EvalError::Malformed("texel missing"))?;
            self.set(result, lane, texel);
        }
        Ok(())
    }
}
