//! Writes the dispatcher: a loop with a tree of ifs whose leaves are the states.
//!
//! Invocations that branch differently are in different states. Where no operation depends on
//! which invocations are active together, each goes its own way through the tree. Where one does (a
//! derivative, a vote), an iteration executes the first state, in the order of
//! [`Machine::order`], that any invocation is in, and the others wait: they decide at each branch
//! of the tree by a vote. In that order callees come before callers and branches before merges, so
//! invocations meet where they do in structured control flow.
//!
//! A barrier comes after an inner loop, which all invocations have left when one executes it:
//!
//! ```text
//! loop {
//!   loop { … if at a barrier { state = after it; break } … if state == end { break } }
//!   if state == end { break }
//!   barrier
//! }
//! ```

use cranelift_entity::SecondaryMap;
use ir::{Block, Builder, InstKind, IntrinsicOp, Jump, Local, Node, NodeData, Shader, Value};

use super::returns::ReturnPoints;
use super::states::{Exit, Label, Machine, nodes};

/// Writes the machine; returns the body of the stage.
pub(super) fn write(shader: &mut Shader, mut machine: Machine) -> Vec<Node> {
    let waits = has_convergent(shader, &machine);
    let numbers = number(shader, &machine);
    let state = shader.create_local(32, 1, 1, "state");
    let mut body = std::mem::take(&mut machine.before);
    let end_of_before = end(shader, &mut body);
    let mut b = Builder::at_end(shader, end_of_before);
    let start = b.imm(numbers.of[machine.start]);
    b.store_var(state, start);
    let returns = ReturnPoints::new(&mut b, &machine);
    let mut writer = Writer { shader, machine, numbers, state, returns, waits };
    writer.write_jumps();
    body.push(writer.loops());
    body.append(&mut writer.machine.after);
    body
}

/// The last block of a list, which is added if need be.
fn end(shader: &mut Shader, list: &mut Vec<Node>) -> Block {
    if let Some(&last) = list.last()
        && let NodeData::Block(block) = shader.nodes[last]
    {
        return block;
    }
    let (block, node) = shader.create_block();
    list.push(node);
    block
}

/// Returns true if some state's results depend on the invocations that are active together.
fn has_convergent(shader: &Shader, machine: &Machine) -> bool {
    machine.states.values().any(|state| {
        nodes(shader, &state.body).into_iter().any(|node| match shader.nodes[node] {
            NodeData::Block(block) => shader.blocks[block].insts.iter().any(|&inst| {
                let kind = &shader.insts[inst].kind;
                kind.is_convergent()
                    || matches!(kind, InstKind::Intrinsic(i)
                        if matches!(i.op, IntrinsicOp::BeginInterlock | IntrinsicOp::EndInterlock))
            }),
            _ => false,
        })
    })
}

/// The numbers of states.
struct Numbers {
    of: SecondaryMap<Label, u32>,
    /// The states by number.
    states: Vec<Label>,
}

/// Numbers the states in order. States that do nothing but go to a later one have its number.
/// Latches do nothing, but go back: where invocations wait for each other, all that are in a loop
/// meet there.
fn number(shader: &Shader, machine: &Machine) -> Numbers {
    let is_empty = |label: Label| {
        machine.states[label].body.iter().all(|&node| match shader.nodes[node] {
            NodeData::Block(block) => {
                shader.blocks[block].insts.is_empty() && shader.blocks[block].jump.is_none()
            }
            _ => false,
        })
    };
    let mut positions: SecondaryMap<Label, usize> = SecondaryMap::new();
    machine.order.iter().enumerate().for_each(|(i, &label)| positions[label] = i);
    let next = |label: Label| match machine.states[label].exit {
        Exit::Goto(to) if positions[to] > positions[label] && is_empty(label) => Some(to),
        _ => None,
    };
    let mut numbers = Numbers { of: SecondaryMap::new(), states: Vec::new() };
    for &label in machine.order.iter().filter(|&&label| next(label).is_none()) {
        numbers.of[label] = numbers.states.len() as u32;
        numbers.states.push(label);
    }
    for &label in machine.order.iter().rev() {
        if let Some(next) = next(label) {
            numbers.of[label] = numbers.of[next];
        }
    }
    numbers
}

struct Writer<'a> {
    shader: &'a mut Shader,
    machine: Machine,
    numbers: Numbers,
    /// The variable of the current state.
    state: Local,
    returns: ReturnPoints,
    /// Invocations wait for each other.
    waits: bool,
}

impl Writer<'_> {
    fn write_jumps(&mut self) {
        for (block, to) in std::mem::take(&mut self.machine.jumps) {
            self.go_to(block, to);
        }
    }

    fn go_to(&mut self, block: Block, to: Label) {
        let mut b = Builder::at_end(self.shader, block);
        let to = b.imm(self.numbers.of[to]);
        b.store_var(self.state, to);
    }

    /// The loop, or the two loops where there is a barrier.
    fn loops(&mut self) -> Node {
        let inner = self.dispatcher();
        let is_barrier =
            |label: &Label| matches!(self.machine.states[*label].exit, Exit::Barrier(_));
        if !self.machine.order.iter().any(is_barrier) {
            return inner;
        }
        let (_, first) = self.shader.create_block();
        let (test, test_node) = self.shader.create_block();
        let mut b = Builder::at_end(self.shader, test);
        let state = b.load_var(self.state);
        let end = b.imm(self.numbers.of[self.machine.end]);
        let ended = b.ieq(state, end);
        let leave = self.jump(Jump::Break);
        let leave = self.branch(ended, vec![leave], Vec::new());
        let (barrier, barrier_node) = self.shader.create_block();
        let mut b = Builder::at_end(self.shader, barrier);
        b.intrinsic(IntrinsicOp::Barrier, &[], ir::Fields::default(), None);
        let body = vec![first, inner, test_node, leave, barrier_node];
        self.shader.nodes.push(NodeData::Loop { body })
    }

    /// The loop around the states.
    fn dispatcher(&mut self) -> Node {
        let (header, header_node) = self.shader.create_block();
        let state = Builder::at_end(self.shader, header).load_var(self.state);
        let mut body = vec![header_node];
        self.tree(&mut body, header, state, 0..self.numbers.states.len());
        self.shader.nodes.push(NodeData::Loop { body })
    }

    /// Appends the choice among a range of states to a list that ends with `block`.
    fn tree(
        &mut self,
        list: &mut Vec<Node>,
        block: Block,
        state: Value,
        range: std::ops::Range<usize>,
    ) {
        if range.len() <= 1 {
            return self.leaf(list, block, state, range.start);
        }
        let middle = range.start + range.len() / 2;
        let mut b = Builder::at_end(self.shader, block);
        let limit = b.imm(middle as u32);
        let mut condition = b.ult(state, limit);
        if self.waits {
            condition = b.load(IntrinsicOp::VoteAny, &[condition], ir::Fields::default(), 1, 1);
        }
        let (left, right) = (range.start..middle, middle..range.end);
        let sides = [left, right].map(|range| {
            let (block, node) = self.shader.create_block();
            let mut side = vec![node];
            self.tree(&mut side, block, state, range);
            side
        });
        let [then_body, else_body] = sides;
        list.push(self.branch(condition, then_body, else_body));
        list.push(self.shader.create_block().1);
    }

    fn leaf(&mut self, list: &mut Vec<Node>, block: Block, state: Value, number: usize) {
        let label = self.numbers.states[number];
        let mut code = self.code(label);
        if self.waits {
            let mut b = Builder::at_end(self.shader, block);
            let here = b.imm(number as u32);
            let hit = b.ieq(state, here);
            list.push(self.branch(hit, code, Vec::new()));
            list.push(self.shader.create_block().1);
            return;
        }
        // Two blocks must not meet.
        if let Some(&NodeData::Block(first)) = code.first().map(|&node| &self.shader.nodes[node]) {
            let insts = std::mem::take(&mut self.shader.blocks[block].insts);
            self.shader.blocks[first].insts.splice(0..0, insts);
            list.pop();
        }
        list.append(&mut code);
    }

    /// The nodes of a state with its exit.
    fn code(&mut self, label: Label) -> Vec<Node> {
        if label == self.machine.end {
            return vec![self.jump(Jump::Break)];
        }
        let state = &mut self.machine.states[label];
        let (mut body, exit) = (std::mem::take(&mut state.body), state.exit);
        let last = end(self.shader, &mut body);
        if self.shader.blocks[last].jump.is_some() {
            return body;
        }
        match exit {
            Exit::Goto(to) => self.go_to(last, to),
            Exit::Branch { condition, then, otherwise } => {
                let mut b = Builder::at_end(self.shader, last);
                let then = b.imm(self.numbers.of[then]);
                let otherwise = b.imm(self.numbers.of[otherwise]);
                let to = b.bcsel(condition, then, otherwise);
                b.store_var(self.state, to);
            }
            Exit::Call { callee, site } => {
                let after = self.machine.sites[callee][site as usize];
                let mut b = Builder::at_end(self.shader, last);
                self.returns.store(&mut b, callee, site, self.numbers.of[after]);
                self.go_to(last, self.machine.entries[callee]);
            }
            Exit::Return(procedure) => {
                let mut b = Builder::at_end(self.shader, last);
                let sites = &self.machine.sites[procedure];
                let to = self.returns.load(&mut b, procedure, sites, |l| self.numbers.of[l]);
                b.store_var(self.state, to);
            }
            Exit::Barrier(next) => {
                self.go_to(last, next);
                self.shader.blocks[last].jump = Some(Jump::Break);
            }
        }
        body
    }

    fn jump(&mut self, jump: Jump) -> Node {
        let (block, node) = self.shader.create_block();
        self.shader.blocks[block].jump = Some(jump);
        node
    }

    fn branch(&mut self, cond: Value, then_body: Vec<Node>, mut else_body: Vec<Node>) -> Node {
        if else_body.is_empty() {
            else_body.push(self.shader.create_block().1);
        }
        self.shader.nodes.push(NodeData::If { cond, then_body, else_body })
    }
}
