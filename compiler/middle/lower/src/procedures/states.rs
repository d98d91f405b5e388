//! Cuts structured bodies with calls into states.
//!
//! A state is a list of nodes without calls, and what comes after it. Only constructs that hold a
//! call are cut; others stay whole inside a state. Code of `main` before its first call and after
//! its last one is in no state.

use cranelift_entity::{EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use ir::{Block, Inst, InstKind, IntrinsicOp, Jump, Node, NodeData, Shader, Value};

use super::procedure::Procedure;
use vocabulary::{InternalError, Phase};

/// A state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Label(u32);
entity_impl!(Label, "state");

/// Successor of a state.
#[derive(Clone, Copy)]
pub(super) enum Exit {
    Goto(Label),
    Branch {
        condition: Value,
        then: Label,
        otherwise: Label,
    },
    /// Calls a procedure, from the call of it with this number.
    Call {
        callee: Procedure,
        site: u32,
    },
    /// Goes to the state after the call.
    Return(Procedure),
    /// Waits for the other invocations of the group.
    Barrier(Label),
}

pub(super) struct State {
    pub(super) body: Vec<Node>,
    pub(super) exit: Exit,
}

/// The states of a stage.
pub(super) struct Machine {
    /// The code before the states.
    pub(super) before: Vec<Node>,
    /// The code after the states.
    pub(super) after: Vec<Node>,
    pub(super) states: PrimaryMap<Label, State>,
    /// The states in the order of control flow without back edges: callees before callers, a
    /// branch before the merge, a loop before what follows it.
    pub(super) order: Vec<Label>,
    pub(super) start: Label,
    /// The state in which an invocation leaves the machine.
    pub(super) end: Label,
    pub(super) entries: PrimaryMap<Procedure, Label>,
    /// The states after the calls of each procedure.
    pub(super) sites: SecondaryMap<Procedure, Vec<Label>>,
    /// Blocks that end with a jump to a state: breaks and continues of loops that are cut.
    pub(super) jumps: Vec<(Block, Label)>,
}

/// Cuts `main` and the procedures that it calls into states.
pub(super) fn cut(
    shader: &mut Shader,
    main: Vec<Node>,
    bodies: &PrimaryMap<Procedure, Vec<Node>>,
    calls: &[(Inst, Procedure)],
) -> Result<Machine, InternalError> {
    let mut states = PrimaryMap::new();
    let mut new_label = || states.push(State { body: Vec::new(), exit: Exit::Goto(Label(0)) });
    let (start, end) = (new_label(), new_label());
    let mut cutter = Cutter {
        shader,
        calls,
        holds_call: EntitySet::new(),
        is_cut: EntitySet::new(),
        current: start,
        machine: Machine {
            before: Vec::new(),
            after: Vec::new(),
            states,
            order: Vec::new(),
            start,
            end,
            entries: PrimaryMap::new(),
            sites: SecondaryMap::new(),
            jumps: Vec::new(),
        },
    };
    cutter.find_calls(&main);
    for body in bodies.values() {
        cutter.find_calls(body);
    }
    let mut entries: SecondaryMap<Procedure, Option<Label>> = SecondaryMap::new();
    for procedure in callees_first(cutter.shader, bodies, calls) {
        let entry = cutter.new_label();
        entries[procedure] = Some(entry);
        cutter.open(entry);
        cutter.list(&bodies[procedure], Exit::Return(procedure), None);
    }
    let entry = |procedure| {
        entries[procedure]
            .ok_or_else(|| InternalError::new(Phase::Lower, "a procedure has no state"))
    };
    cutter.machine.entries = bodies.keys().map(entry).collect::<Result<_, _>>()?;
    let states = cutter.trim_main(main)?;
    cutter.open(start);
    cutter.list(&states, Exit::Goto(end), None);
    cutter.open(end);
    Ok(cutter.machine)
}

/// Where `break` and `continue` of a loop that is cut lead.
#[derive(Clone, Copy)]
struct Ends {
    exit: Label,
    latch: Label,
}

struct Cutter<'a> {
    shader: &'a mut Shader,
    calls: &'a [(Inst, Procedure)],
    /// Nodes with a call in them.
    holds_call: EntitySet<Node>,
    /// Nodes with a call or a barrier in them.
    is_cut: EntitySet<Node>,
    current: Label,
    machine: Machine,
}

impl Cutter<'_> {
    fn new_label(&mut self) -> Label {
        self.machine.states.push(State { body: Vec::new(), exit: Exit::Goto(self.machine.end) })
    }

    /// Starts a state, which is the next in order.
    fn open(&mut self, label: Label) {
        self.machine.order.push(label);
        self.current = label;
    }

    fn close(&mut self, exit: Exit) {
        self.machine.states[self.current].exit = exit;
    }

    fn append(&mut self, node: Node) {
        self.machine.states[self.current].body.push(node);
    }

    fn callee(&self, inst: Inst) -> Option<Procedure> {
        let found = self.calls.binary_search_by_key(&inst, |&(mark, _)| mark).ok()?;
        Some(self.calls[found].1)
    }

    fn is_barrier(&self, inst: Inst) -> bool {
        matches!(&self.shader.insts[inst].kind,
            InstKind::Intrinsic(intrinsic) if intrinsic.op == IntrinsicOp::Barrier)
    }

    /// Notes which nodes of a list hold calls and barriers. Returns what the list itself holds.
    fn find_calls(&mut self, list: &[Node]) -> (bool, bool) {
        let mut found = (false, false);
        for &node in list {
            let (calls, barriers) = match self.shader.nodes[node].clone() {
                NodeData::Block(block) => {
                    let insts = &self.shader.blocks[block].insts;
                    (
                        insts.iter().any(|&i| self.callee(i).is_some()),
                        insts.iter().any(|&i| self.is_barrier(i)),
                    )
                }
                NodeData::If { then_body, else_body, .. } => {
                    let (then, otherwise) =
                        (self.find_calls(&then_body), self.find_calls(&else_body));
                    (then.0 || otherwise.0, then.1 || otherwise.1)
                }
                NodeData::Loop { body } => self.find_calls(&body),
            };
            if calls {
                self.holds_call.insert(node);
            }
            if calls || barriers {
                self.is_cut.insert(node);
            }
            found = (found.0 || calls, found.1 || barriers);
        }
        found
    }

    /// Takes the code before the first and after the last call off `main`.
    fn trim_main(&mut self, main: Vec<Node>) -> Result<Vec<Node>, InternalError> {
        let holds = |this: &Self, node: &Node| this.holds_call.contains(*node);
        let no_call = || InternalError::new(Phase::Lower, "a block that holds a call has none");
        let Some(first) = main.iter().position(|node| holds(self, node)) else { return Ok(main) };
        let last = main.iter().rposition(|node| holds(self, node)).unwrap_or(first);
        let mut states = main[first..=last].to_vec();
        let (mut before, mut after) = (main[..first].to_vec(), main[last + 1..].to_vec());
        match self.shader.nodes[main[first]] {
            NodeData::Block(block) => {
                let insts = &self.shader.blocks[block].insts;
                let call = insts.iter().position(|&inst| self.callee(inst).is_some());
                before.push(self.split(block, call.ok_or_else(no_call)?));
            }
            _ => states.insert(0, self.shader.create_block().1),
        }
        match self.shader.nodes[main[last]] {
            NodeData::Block(block) => {
                let insts = &self.shader.blocks[block].insts;
                let call = insts.iter().rposition(|&inst| self.callee(inst).is_some());
                let calls = self.split(block, call.ok_or_else(no_call)? + 1);
                self.is_cut.insert(calls);
                after.insert(0, states.pop().unwrap_or(main[last]));
                states.push(calls);
            }
            _ => states.push(self.shader.create_block().1),
        }
        (self.machine.before, self.machine.after) = (before, after);
        Ok(states)
    }

    /// Moves the instructions of a block before a position to a new block. The old one stays the
    /// predecessor of what follows.
    fn split(&mut self, block: Block, position: usize) -> Node {
        let (new, node) = self.shader.create_block();
        let rest = self.shader.blocks[block].insts.split_off(position);
        self.shader.blocks[new].insts =
            std::mem::replace(&mut self.shader.blocks[block].insts, rest);
        node
    }

    /// Appends a list to the current state and cuts it; `exit` comes after it.
    fn list(&mut self, list: &[Node], exit: Exit, ends: Option<Ends>) {
        for &node in list {
            if !self.is_cut.contains(node) {
                self.redirect(&[node], ends);
                self.append(node);
                continue;
            }
            match self.shader.nodes[node].clone() {
                NodeData::Block(block) => self.block(node, block, ends),
                NodeData::If { cond, then_body, else_body } => {
                    self.branch(cond, &then_body, &else_body, ends);
                }
                NodeData::Loop { body } => self.cut_loop(&body),
            }
        }
        self.close(exit);
    }

    fn block(&mut self, node: Node, block: Block, ends: Option<Ends>) {
        loop {
            let insts = &self.shader.blocks[block].insts;
            let cut = |&inst: &Inst| self.callee(inst).is_some() || self.is_barrier(inst);
            let Some(position) = insts.iter().position(cut) else { break };
            let before = self.split(block, position);
            self.append(before);
            let inst = self.shader.blocks[block].insts.remove(0);
            let next = self.new_label();
            match self.callee(inst) {
                Some(callee) => {
                    let sites = &mut self.machine.sites[callee];
                    let site = sites.len() as u32;
                    sites.push(next);
                    self.close(Exit::Call { callee, site });
                }
                None => self.close(Exit::Barrier(next)),
            }
            self.open(next);
        }
        self.redirect(&[node], ends);
        self.append(node);
    }

    fn branch(
        &mut self,
        condition: Value,
        then_body: &[Node],
        else_body: &[Node],
        ends: Option<Ends>,
    ) {
        let (then, otherwise, merge) = (self.new_label(), self.new_label(), self.new_label());
        self.close(Exit::Branch { condition, then, otherwise });
        self.open(then);
        self.list(then_body, Exit::Goto(merge), ends);
        self.open(otherwise);
        self.list(else_body, Exit::Goto(merge), ends);
        self.open(merge);
    }

    fn cut_loop(&mut self, body: &[Node]) {
        let (header, latch, exit) = (self.new_label(), self.new_label(), self.new_label());
        self.close(Exit::Goto(header));
        self.open(header);
        self.list(body, Exit::Goto(latch), Some(Ends { exit, latch }));
        self.open(latch);
        let (_, empty) = self.shader.create_block();
        self.append(empty);
        self.close(Exit::Goto(header));
        self.open(exit);
    }

    /// Makes jumps of a loop that is cut lead to its states.
    fn redirect(&mut self, list: &[Node], ends: Option<Ends>) {
        for &node in list {
            match self.shader.nodes[node].clone() {
                NodeData::Block(block) => {
                    let jump = &mut self.shader.blocks[block].jump;
                    let to = match (&jump, ends) {
                        (None | Some(Jump::Halt), _) => continue,
                        (Some(Jump::Break), Some(ends)) => ends.exit,
                        (Some(Jump::Continue), Some(ends)) => ends.latch,
                        // Nothing leads here: both branches of an if ended the invocation.
                        (Some(Jump::Break | Jump::Continue), None) => {
                            *jump = Some(Jump::Halt);
                            continue;
                        }
                    };
                    *jump = Some(Jump::Continue);
                    self.machine.jumps.push((block, to));
                }
                NodeData::If { then_body, else_body, .. } => {
                    self.redirect(&then_body, ends);
                    self.redirect(&else_body, ends);
                }
                NodeData::Loop { .. } => {}
            }
        }
    }
}

/// Orders procedures so that callees come before callers. Bodies list their callees in no order.
fn callees_first(
    shader: &Shader,
    bodies: &PrimaryMap<Procedure, Vec<Node>>,
    calls: &[(Inst, Procedure)],
) -> Vec<Procedure> {
    let callees: SecondaryMap<Procedure, Vec<Procedure>> = {
        let mut callees = SecondaryMap::new();
        for (procedure, body) in bodies.iter() {
            let marks = insts(shader, body).into_iter();
            let found = marks.filter_map(|inst| calls.binary_search_by_key(&inst, |c| c.0).ok());
            callees[procedure] = found.map(|found| calls[found].1).collect();
        }
        callees
    };
    let mut order = Vec::new();
    let mut seen: EntitySet<Procedure> = EntitySet::new();
    for start in bodies.keys() {
        let mut way = if seen.insert(start) { vec![(start, 0)] } else { Vec::new() };
        while let Some((procedure, next)) = way.last_mut() {
            let procedure = *procedure;
            match callees[procedure].get(*next) {
                Some(&callee) => {
                    *next += 1;
                    if seen.insert(callee) {
                        way.push((callee, 0));
                    }
                }
                None => {
                    order.push(procedure);
                    way.pop();
                }
            }
        }
    }
    order
}

/// All instructions of a list of nodes.
fn insts(shader: &Shader, list: &[Node]) -> Vec<Inst> {
    let blocks = nodes(shader, list).into_iter().filter_map(|node| match shader.nodes[node] {
        NodeData::Block(block) => Some(block),
        _ => None,
    });
    blocks.flat_map(|block| shader.blocks[block].insts.iter().copied()).collect()
}

/// The nodes of a list and of the constructs in it, in program order.
pub(super) fn nodes(shader: &Shader, list: &[Node]) -> Vec<Node> {
    let mut stack: Vec<Node> = list.iter().rev().copied().collect();
    let mut found = Vec::new();
    while let Some(node) = stack.pop() {
        found.push(node);
        match &shader.nodes[node] {
            NodeData::Block(_) => {}
            NodeData::If { then_body, else_body, .. } => {
                stack.extend(else_body.iter().rev());
                stack.extend(then_body.iter().rev());
            }
            NodeData::Loop { body } => stack.extend(body.iter().rev()),
        }
    }
    found
}
