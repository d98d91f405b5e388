//! The shader: dense tables of values, instructions, blocks and control-flow nodes.

use crate::ids::{Block, Inst, Local, Node, Value};
use crate::info::{ShaderInfo, Stage};
use crate::inst::{Alu, InstData, InstKind, Jump};
use crate::intrinsics::Intrinsic;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use smallvec::SmallVec;
use vocabulary::SourceLine;

/// Deepest nesting of ifs and loops that any part of the crate accepts; the validator reports more.
pub const MAX_NESTING: usize = 1000;

/// Shape and definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueData {
    /// 1 (boolean), 8, 16, 32 or 64.
    pub bits: u8,
    /// 1 to 4.
    pub components: u8,
    /// The instruction that defines it.
    pub def: Inst,
}

/// A basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockData {
    /// Phis first.
    pub insts: Vec<Inst>,
    /// How it ends, if not by falling through. A block with a jump is the last of its list.
    pub jump: Option<Jump>,
}

/// A structured control-flow construct. Every list of nodes starts and ends with a block, and
/// between two other nodes is exactly one block, so a place for code and phis exists everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NodeData {
    /// Straight-line code.
    Block(Block),
    /// Two-way branch; the block after it in the list is the merge.
    If {
        /// 1-bit scalar.
        cond: Value,
        /// Taken when true.
        then_body: Vec<Node>,
        /// Taken when false.
        else_body: Vec<Node>,
    },
    /// Infinite loop, left by `break`; its first block is the header, the block after it the exit.
    Loop {
        /// The body.
        body: Vec<Node>,
    },
}

/// A local variable: `length` elements of `components` × `bits`. Length 1 is a plain variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocalData {
    /// Width of a component.
    pub bits: u8,
    /// Components of an element.
    pub components: u8,
    /// Number of elements.
    pub length: u32,
    /// Name for dumps, may be empty.
    pub name: String,
    /// Kept in memory, also where indices are constant: one of many variables that are live at
    /// once.
    pub in_memory: bool,
}

/// One shader stage in SSA form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shader {
    /// Everything but the code.
    pub info: ShaderInfo,
    /// Values by id.
    pub values: PrimaryMap<Value, ValueData>,
    /// Instructions by id.
    pub insts: PrimaryMap<Inst, InstData>,
    /// Blocks by id.
    pub blocks: PrimaryMap<Block, BlockData>,
    /// Control-flow nodes by id.
    pub nodes: PrimaryMap<Node, NodeData>,
    /// Local variables by id.
    pub locals: PrimaryMap<Local, LocalData>,
    /// The function body.
    pub body: Vec<Node>,
}

impl Shader {
    /// An empty shader: one empty block.
    pub fn new(stage: Stage) -> Self {
        let mut shader = Shader {
            info: ShaderInfo::new(stage),
            values: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            nodes: PrimaryMap::new(),
            locals: PrimaryMap::new(),
            body: Vec::new(),
        };
        let (_, node) = shader.create_block();
        shader.body.push(node);
        shader
    }

    /// Makes room for this many more instructions and their results.
    pub fn reserve(&mut self, insts: usize) {
        self.insts.reserve(insts);
        self.values.reserve(insts);
    }

    /// A new empty block and the node that holds it, in no list yet.
    pub fn create_block(&mut self) -> (Block, Node) {
        let block = self.blocks.push(BlockData::default());
        (block, self.nodes.push(NodeData::Block(block)))
    }

    /// A new instruction in no block yet; `shape` is (bits, components) of its result, `line` the
    /// source line that it is for.
    pub fn create_inst(
        &mut self,
        kind: InstKind,
        shape: Option<(u8, u8)>,
        line: SourceLine,
    ) -> Inst {
        let inst = self.insts.push(InstData { kind, result: None, line });
        if let Some((bits, components)) = shape {
            self.insts[inst].result =
                Some(self.values.push(ValueData { bits, components, def: inst }));
        }
        inst
    }

    /// A new local variable.
    pub fn create_local(
        &mut self,
        bits: u8,
        components: u8,
        length: u32,
        name: impl Into<String>,
    ) -> Local {
        self.locals.push(LocalData {
            bits,
            components,
            length,
            name: name.into(),
            in_memory: false,
        })
    }

    /// Width of a value in bits.
    pub fn bits(&self, value: Value) -> u8 {
        self.values[value].bits
    }

    /// Number of components of a value.
    pub fn components(&self, value: Value) -> u8 {
        self.values[value].components
    }

    /// The instruction that defines a value.
    pub fn def(&self, value: Value) -> &InstData {
        &self.insts[self.values[value].def]
    }

    /// The source line of the instruction that defines a value.
    pub fn line_of(&self, value: Value) -> SourceLine {
        self.def(value).line
    }

    /// The components of a constant, if the value is one.
    pub fn as_const(&self, value: Value) -> Option<&[u64; 4]> {
        match &self.def(value).kind {
            InstKind::Const(components) => Some(components),
            _ => None,
        }
    }

    /// The first component of a constant as an unsigned number, if the value is one.
    pub fn as_const_u64(&self, value: Value) -> Option<u64> {
        self.as_const(value).map(|c| c[0])
    }

    /// The ALU instruction that defines a value, if one does.
    pub fn as_alu(&self, value: Value) -> Option<&Alu> {
        match &self.def(value).kind {
            InstKind::Alu(alu) => Some(alu),
            _ => None,
        }
    }

    /// The intrinsic that defines a value, if one does.
    pub fn as_intrinsic(&self, value: Value) -> Option<&Intrinsic> {
        match &self.def(value).kind {
            InstKind::Intrinsic(intrinsic) => Some(intrinsic),
            _ => None,
        }
    }

    /// All reachable blocks and conditions in program order, without recursion.
    pub fn walk(&self) -> Steps {
        // Constructs have up to three steps, and as many blocks as there are constructs lie between
        // them.
        let mut steps = Steps::with_capacity(2 * self.nodes.len());
        let mut stack: SmallVec<[Work; 8]> = SmallVec::with_capacity(self.nodes.len());
        push_list(&mut stack, &self.body);
        while let Some(work) = stack.pop() {
            let node = match work {
                Work::Step(step) => {
                    steps.push(step);
                    continue;
                }
                Work::Node(node) => node,
            };
            match &self.nodes[node] {
                NodeData::Block(block) => steps.push(Step::Block(*block)),
                NodeData::If { then_body, else_body, .. } => {
                    steps.push(Step::If(node));
                    stack.push(Work::Step(Step::EndIf(node)));
                    push_list(&mut stack, else_body);
                    stack.push(Work::Step(Step::Else(node)));
                    push_list(&mut stack, then_body);
                }
                NodeData::Loop { body } => {
                    steps.push(Step::Loop(node));
                    stack.push(Work::Step(Step::EndLoop(node)));
                    push_list(&mut stack, body);
                }
            }
        }
        steps
    }

    /// The blocks in program order: definitions come before uses except through loop-header phis.
    pub fn block_order(&self) -> Vec<Block> {
        self.walk()
            .into_iter()
            .filter_map(|s| if let Step::Block(b) = s { Some(b) } else { None })
            .collect()
    }

    /// Condition of an if node.
    pub fn condition(&self, node: Node) -> Option<Value> {
        match self.nodes[node] {
            NodeData::If { cond, .. } => Some(cond),
            _ => None,
        }
    }

    /// Replaces every use (conditions included) of a value that `map` maps to another; chains are
    /// followed.
    pub fn replace_uses(&mut self, map: &SecondaryMap<Value, Option<Value>>) {
        let resolve = |value: &mut Value| {
            // A chain longer than the table would be a cycle.
            for _ in 0..map.keys().len() {
                match map[*value] {
                    Some(next) => *value = next,
                    None => break,
                }
            }
        };
        for step in self.walk() {
            match step {
                Step::Block(block) => {
                    for i in 0..self.blocks[block].insts.len() {
                        let inst = self.blocks[block].insts[i];
                        self.insts[inst].kind.for_each_src_mut(resolve);
                    }
                }
                Step::If(node) => {
                    if let NodeData::If { cond, .. } = &mut self.nodes[node] {
                        resolve(cond);
                    }
                }
                _ => {}
            }
        }
    }

    /// Number of instructions in reachable blocks.
    pub fn instruction_count(&self) -> usize {
        self.block_order().into_iter().map(|b| self.blocks[b].insts.len()).sum()
    }
}

/// The steps of [`Shader::walk`]: few for most shaders.
pub type Steps = SmallVec<[Step; 8]>;

/// One step of [`Shader::walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A block.
    Block(Block),
    /// An if starts: its condition is read here; the then-list follows.
    If(Node),
    /// The else-list follows.
    Else(Node),
    /// The if is over.
    EndIf(Node),
    /// A loop starts.
    Loop(Node),
    /// The loop is over.
    EndLoop(Node),
}

enum Work {
    Step(Step),
    Node(Node),
}

fn push_list(stack: &mut SmallVec<[Work; 8]>, list: &[Node]) {
    stack.extend(list.iter().rev().map(|&n| Work::Node(n)));
}
