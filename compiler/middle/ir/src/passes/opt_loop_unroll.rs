//! Full unrolling of loops with a small constant number of iterations.
//!
//! ```text
//! before:
//!   loop { v1 = phi 0, v2; if v1 >= 2 { break }; store_output v1; v2 = iadd v1, 1 }
//! after:
//!   store_output 0
//!   store_output 1
//! ```

use super::opt_constant_folding::fold_ctx;
use super::opt_dead_cf;
use crate::builder::Builder;
use crate::cfg::Cfg;
use crate::ids::{Block, Inst, Node, Value};
use crate::inst::{InstData, InstKind, Jump, PhiSrc};
use crate::intrinsics::{Intrinsic, IntrinsicOp};
use crate::ops::AluOp;
use crate::shader::{NodeData, Shader, Step};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;

/// Maximum number of iterations of an unrolled loop.
const MAX_TRIPS: usize = 64;
/// Maximum number of instructions of an unrolled loop in all.
const MAX_SIZE: usize = 1500;
/// Maximum number of iterations of a loop that is unrolled although it indexes no array of the
/// shader's own.
const MAX_CHEAP_TRIPS: usize = 32;
/// Maximum number of scalar operations of its iterations in all.
const MAX_COST: usize = 832;
/// Longest chain of arithmetic before an exit condition.
const MAX_DEPTH: usize = 32;

/// Unrolls loops whose only exit is an if at the top level of the body with a lone `break` in one
/// branch, whose condition folds to a constant in every iteration, and which have no `continue`.
///
/// Assumes SSA form: counters kept in locals are not seen. Unrolls one loop per call, innermost
/// first; run it again until it makes no progress.
pub fn opt_loop_unroll(shader: &mut Shader) -> bool {
    let cfg = Cfg::new(shader);
    let loops: Vec<Node> = shader
        .walk()
        .into_iter()
        .filter_map(|s| if let Step::EndLoop(n) = s { Some(n) } else { None })
        .collect();
    for node in loops {
        if let Some(plan) = Plan::find(shader, &cfg, node) {
            plan.apply(shader, node);
            return true;
        }
    }
    false
}

/// A loop that can be unrolled.
struct Plan {
    /// Body before the exit's if.
    head: Vec<Node>,
    /// The branch of the exit's if that stays in the loop, and the body after it.
    stay: Vec<Node>,
    tail: Vec<Node>,
    /// Block of the break.
    exit: Block,
    /// Header phis: the value defined, entry value, back-edge value.
    phis: Vec<(Inst, Value, Value, Value)>,
    trips: usize,
}

impl Plan {
    fn find(shader: &Shader, cfg: &Cfg, node: Node) -> Option<Plan> {
        let NodeData::Loop { body } = &shader.nodes[node] else { return None };
        let header = cfg.header[node]?;
        let [_, latch] = cfg.preds[header][..] else { return None };
        let (position, cond, stay_if, exit) = find_exit(shader, body)?;
        let jumps = count_jumps(shader, body);
        if jumps != 1 {
            return None;
        }
        let NodeData::If { then_body, else_body, .. } = &shader.nodes[body[position]] else {
            return None;
        };
        let stay = if stay_if { then_body.clone() } else { else_body.clone() };
        let mut phis = Vec::new();
        for &inst in &shader.blocks[header].insts {
            let data = &shader.insts[inst];
            let (InstKind::Phi(srcs), Some(result)) = (&data.kind, data.result) else { break };
            let back = srcs.iter().find(|s| s.pred == latch)?.value;
            let entry = srcs.iter().find(|s| s.pred != latch)?.value;
            phis.push((inst, result, entry, back));
        }
        let trips = count_trips(shader, &phis, cond, stay_if)?;
        let (head, tail) = (body[..position].to_vec(), body[position + 1..].to_vec());
        let parts = [&head, &stay, &tail];
        let size: usize = parts.iter().map(|l| list_size(shader, l)).sum();
        let cost: usize = parts.iter().map(|l| list_cost(shader, l)).sum();
        let is_cheap = trips <= MAX_CHEAP_TRIPS && cost * trips <= MAX_COST;
        let pays = is_cheap || parts.iter().any(|l| indexes_locals(shader, l));
        let fits = pays && size * (trips + 1) <= MAX_SIZE;
        fits.then_some(Plan { head, stay, tail, exit, phis, trips })
    }

    /// Replaces the loop by ifs with a true condition, one per iteration, which `opt_dead_cf`
    /// splices. The original head is the last iteration's, so that uses after the loop stay as they
    /// are.
    fn apply(self, shader: &mut Shader, node: Node) {
        let mut current: Vec<Value> = self.phis.iter().map(|p| p.2).collect();
        let mut iterations: Vec<Vec<Node>> = Vec::new();
        for _ in 0..self.trips {
            let mut copy = Copy::default();
            for (phi, value) in self.phis.iter().zip(&current) {
                copy.values.insert(phi.1, *value);
                copy.dropped.push(phi.0);
            }
            let mut list = copy.list(shader, &self.head);
            let stay = copy.list(shader, &self.stay);
            list.push(true_if(shader, stay));
            list.extend(copy.list(shader, &self.tail));
            copy.fix_sources(shader);
            current = self.phis.iter().map(|p| copy.value(p.3)).collect();
            iterations.push(list);
        }
        // The last head reads the final values instead of the phis.
        let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
        for (phi, value) in self.phis.iter().zip(&current) {
            map[phi.1] = Some(*value);
        }
        let dropped: Vec<Inst> = self.phis.iter().map(|p| p.0).collect();
        for block in shader.blocks.values_mut() {
            block.insts.retain(|i| !dropped.contains(i));
        }
        let last_block = self.head.last().and_then(|&n| match shader.nodes[n] {
            NodeData::Block(block) => Some(block),
            _ => None,
        });
        iterations.push(self.head);
        let mut replacement = Vec::new();
        for list in iterations {
            replacement.push(true_if(shader, list));
            replacement.push(shader.create_block().1);
        }
        replacement.pop();
        splice(shader, node, &replacement);
        if let Some(last) = last_block {
            rename_pred(shader, self.exit, last);
        }
        shader.replace_uses(&map);
        opt_dead_cf(shader);
    }
}

/// An if that always takes the list; the condition is a constant at the start of the shader.
fn true_if(shader: &mut Shader, then_body: Vec<Node>) -> Node {
    let entry = shader.body.iter().find_map(|&n| match shader.nodes[n] {
        NodeData::Block(block) => Some(block),
        _ => None,
    });
    let entry = entry.unwrap_or_else(|| shader.create_block().0);
    let cond = Builder::at(shader, entry, 0).bool(true);
    let (_, empty) = shader.create_block();
    shader.nodes.push(NodeData::If { cond, then_body, else_body: vec![empty] })
}

/// Replaces a node by several in its list.
fn splice(shader: &mut Shader, node: Node, replacement: &[Node]) {
    let replace = |list: &mut Vec<Node>| {
        if let Some(at) = list.iter().position(|&n| n == node) {
            list.splice(at..=at, replacement.iter().copied());
        }
    };
    replace(&mut shader.body);
    for data in shader.nodes.values_mut() {
        match data {
            NodeData::Block(_) => {}
            NodeData::If { then_body, else_body, .. } => {
                replace(then_body);
                replace(else_body);
            }
            NodeData::Loop { body } => replace(body),
        }
    }
}

fn rename_pred(shader: &mut Shader, from: Block, to: Block) {
    for block in shader.block_order() {
        for i in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[i];
            let InstKind::Phi(srcs) = &mut shader.insts[inst].kind else { break };
            srcs.iter_mut().filter(|s| s.pred == from).for_each(|s| s.pred = to);
        }
    }
}

/// Position of the exit's if in the body, its condition, the condition's value while the loop goes
/// on, and the breaking block.
fn find_exit(shader: &Shader, body: &[Node]) -> Option<(usize, Value, bool, Block)> {
    for (i, &node) in body.iter().enumerate() {
        let NodeData::If { cond, then_body, else_body } = &shader.nodes[node] else { continue };
        for (list, stay_if) in [(then_body, false), (else_body, true)] {
            if let [only] = list[..]
                && let NodeData::Block(block) = shader.nodes[only]
                && shader.blocks[block].jump == Some(Jump::Break)
                && shader.blocks[block].insts.is_empty()
            {
                return Some((i, *cond, stay_if, block));
            }
        }
    }
    None
}

/// Jumps in a body, inner loops' own excluded.
fn count_jumps(shader: &Shader, body: &[Node]) -> usize {
    let mut work = body.to_vec();
    let mut count = 0;
    while let Some(node) = work.pop() {
        match &shader.nodes[node] {
            NodeData::Block(block) => count += usize::from(shader.blocks[*block].jump.is_some()),
            NodeData::If { then_body, else_body, .. } => {
                work.extend(then_body);
                work.extend(else_body);
            }
            NodeData::Loop { .. } => {}
        }
    }
    count
}

fn list_size(shader: &Shader, list: &[Node]) -> usize {
    blocks_of(shader, list).into_iter().map(|block| shader.blocks[block].insts.len()).sum()
}

/// The blocks of a list, nested ones included.
fn blocks_of(shader: &Shader, list: &[Node]) -> Vec<Block> {
    let mut work = list.to_vec();
    let mut blocks = Vec::new();
    while let Some(node) = work.pop() {
        match &shader.nodes[node] {
            NodeData::Block(block) => blocks.push(*block),
            NodeData::If { then_body, else_body, .. } => {
                work.extend(then_body);
                work.extend(else_body);
            }
            NodeData::Loop { body } => work.extend(body),
        }
    }
    blocks
}

/// The instructions of a list.
fn insts_of<'a>(shader: &'a Shader, list: &[Node]) -> impl Iterator<Item = &'a InstData> {
    let blocks = blocks_of(shader, list);
    blocks.into_iter().flat_map(|block| &shader.blocks[block].insts).map(|&i| &shader.insts[i])
}

/// Scalar operations and accesses of a list.
fn list_cost(shader: &Shader, list: &[Node]) -> usize {
    let cost = |data: &InstData| match &data.kind {
        InstKind::Alu(alu) if alu.op == AluOp::Mov || alu.op.is_vec() => 0,
        InstKind::Alu(_) => data.result.map_or(1, |v| usize::from(shader.components(v))),
        InstKind::Tex(_) | InstKind::Intrinsic(_) => 1,
        _ => 0,
    };
    insts_of(shader, list).map(cost).sum()
}

/// True if the list accesses elements of local arrays that only unrolling may know: the array then
/// becomes plain values.
fn indexes_locals(shader: &Shader, list: &[Node]) -> bool {
    insts_of(shader, list).any(|data| match &data.kind {
        InstKind::Intrinsic(Intrinsic { op, srcs, .. }) => {
            let index = match op {
                IntrinsicOp::LoadLocal => srcs.first(),
                IntrinsicOp::StoreLocal => srcs.get(1),
                _ => None,
            };
            index.is_some_and(|&index| shader.as_const(index).is_none())
        }
        _ => false,
    })
}

/// Iterations until the condition leaves the loop, by evaluating what it depends on.
fn count_trips(
    shader: &Shader,
    phis: &[(Inst, Value, Value, Value)],
    cond: Value,
    stay_if: bool,
) -> Option<usize> {
    let mut state: FxHashMap<Value, [u64; 4]> = FxHashMap::default();
    for &(_, phi, entry, _) in phis {
        if let Some(data) = shader.as_const(entry) {
            state.insert(phi, *data);
        }
    }
    for trip in 0..=MAX_TRIPS {
        let mut known = state.clone();
        let value = constant_value(shader, &mut known, cond, MAX_DEPTH)?;
        if (value[0] != 0) != stay_if {
            return Some(trip);
        }
        let mut next = FxHashMap::default();
        for &(_, phi, _, back) in phis {
            if let Some(data) = constant_value(shader, &mut known, back, MAX_DEPTH) {
                next.insert(phi, data);
            }
        }
        state = next;
    }
    None
}

/// The value in this iteration, if arithmetic on constants and known phis gives it.
fn constant_value(
    shader: &Shader,
    known: &mut FxHashMap<Value, [u64; 4]>,
    value: Value,
    depth: usize,
) -> Option<[u64; 4]> {
    if let Some(data) = known.get(&value) {
        return Some(*data);
    }
    let data = match &shader.def(value).kind {
        InstKind::Const(data) => *data,
        InstKind::Alu(alu) if depth > 0 && !alu.op.info().is_derivative() => {
            let mut sources = [[0; 4]; 4];
            for (out, src) in sources.iter_mut().zip(&alu.srcs) {
                let data = constant_value(shader, known, src.value, depth - 1)?;
                *out = src.swizzle.map(|c| data[usize::from(c & 3)]);
            }
            let shape = shader.values[value];
            let count = alu.srcs.len().min(4);
            alu.op.evaluate(
                fold_ctx(shader, alu),
                &sources[..count],
                shape.bits,
                shape.components,
            )?
        }
        _ => return None,
    };
    known.insert(value, data);
    Some(data)
}

/// A copy of part of the control-flow tree.
#[derive(Default)]
struct Copy {
    values: FxHashMap<Value, Value>,
    blocks: FxHashMap<Block, Block>,
    /// New instructions whose sources are still the originals'.
    created: Vec<Inst>,
    /// Instructions left out.
    dropped: Vec<Inst>,
    /// New ifs whose conditions are still the originals'.
    ifs: Vec<Node>,
}

impl Copy {
    fn value(&self, value: Value) -> Value {
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// Copies a list. Recursion is as deep as the nesting.
    fn list(&mut self, shader: &mut Shader, list: &[Node]) -> Vec<Node> {
        list.iter().map(|&node| self.node(shader, node)).collect()
    }

    fn node(&mut self, shader: &mut Shader, node: Node) -> Node {
        match shader.nodes[node].clone() {
            NodeData::Block(block) => self.block(shader, block),
            NodeData::If { cond, then_body, else_body } => {
                let then_body = self.list(shader, &then_body);
                let else_body = self.list(shader, &else_body);
                let copy = shader.nodes.push(NodeData::If { cond, then_body, else_body });
                self.ifs.push(copy);
                copy
            }
            NodeData::Loop { body } => {
                let body = self.list(shader, &body);
                shader.nodes.push(NodeData::Loop { body })
            }
        }
    }

    fn block(&mut self, shader: &mut Shader, block: Block) -> Node {
        let (copy, node) = shader.create_block();
        self.blocks.insert(block, copy);
        shader.blocks[copy].jump = shader.blocks[block].jump;
        for inst in shader.blocks[block].insts.clone() {
            if self.dropped.contains(&inst) {
                continue;
            }
            let data = shader.insts[inst].clone();
            let shape = data.result.map(|v| (shader.bits(v), shader.components(v)));
            let created = shader.create_inst(data.kind, shape, data.line);
            if let (Some(old), Some(new)) = (data.result, shader.insts[created].result) {
                self.values.insert(old, new);
            }
            shader.blocks[copy].insts.push(created);
            self.created.push(created);
        }
        node
    }

    /// Points the copies at each other once all exist.
    fn fix_sources(&self, shader: &mut Shader) {
        for &inst in &self.created {
            shader.insts[inst].kind.for_each_src_mut(|v| *v = self.value(*v));
            if let InstKind::Phi(srcs) = &mut shader.insts[inst].kind {
                for PhiSrc { pred, .. } in srcs.iter_mut() {
                    *pred = self.blocks.get(pred).copied().unwrap_or(*pred);
                }
            }
        }
        for &node in &self.ifs {
            if let NodeData::If { cond, .. } = &mut shader.nodes[node] {
                *cond = self.value(*cond);
            }
        }
    }
}
