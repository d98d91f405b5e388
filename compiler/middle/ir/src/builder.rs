//! Builds code: instructions at a cursor, structured control flow, constants and common helpers.
//!
//! Every ALU operation is a method (`b.fadd(x, y)`), generated from the operation table. Mistakes
//! such as a wrong source count are programming errors, caught by assertions here or by the
//! validator.

use crate::fold::encode_float;
use crate::ids::{Block, Inst, Local, Node, Value};
use crate::inst::{Alu, IDENTITY, InstKind, Jump, PhiSrc, Src, Tex};
use crate::intrinsics::{Fields, Intrinsic, IntrinsicOp};
use crate::ops::{AluOp, alu_table};
use crate::shader::{NodeData, Shader};
use crate::slot::Slot;
use cranelift_entity::EntitySet;
use smallvec::{SmallVec, smallvec};
use vocabulary::{InternalError, Phase, SourceLine};

/// An open construct and the list being filled when it was opened.
enum Frame {
    Then { outer: Vec<Node>, cond: Value, entry_dead: bool },
    Else { outer: Vec<Node>, cond: Value, then_body: Vec<Node>, then_end: Block },
    Loop { outer: Vec<Node>, breaks: bool },
}

/// Inserts code into a shader.
///
/// [`Builder::new`] writes a whole body with control flow and must be closed with
/// [`Builder::finish`]; [`Builder::at`] and [`Builder::at_end`] insert straight-line code into an
/// existing block.
pub struct Builder<'a> {
    /// The shader under construction.
    pub shader: &'a mut Shader,
    /// Marks ALU instructions created from now on as exact.
    pub exact: bool,
    /// Source line of the instructions created from now on.
    pub line: SourceLine,
    block: Block,
    position: usize,
    frames: Vec<Frame>,
    list: Vec<Node>,
    whole_body: bool,
    /// Blocks that nothing leads to.
    dead: EntitySet<Block>,
}

impl<'a> Builder<'a> {
    /// Replaces the shader's body by what is built.
    pub fn new(shader: &'a mut Shader) -> Self {
        let (block, node) = match shader.body[..] {
            [node] => match shader.nodes[node] {
                NodeData::Block(block) if shader.blocks[block].insts.is_empty() => (block, node),
                _ => shader.create_block(),
            },
            _ => shader.create_block(),
        };
        shader.body.clear();
        Builder {
            shader,
            exact: false,
            line: SourceLine::UNKNOWN,
            block,
            position: 0,
            frames: Vec::new(),
            list: vec![node],
            whole_body: true,
            dead: EntitySet::new(),
        }
    }

    /// Inserts straight-line code at a position of a block. It has the source line of the
    /// instruction there, or else of the one before.
    pub fn at(shader: &'a mut Shader, block: Block, position: usize) -> Self {
        let insts = &shader.blocks[block].insts;
        let neighbor = insts.get(position).or(insts.last());
        let line = neighbor.map_or(SourceLine::UNKNOWN, |&inst| shader.insts[inst].line);
        Builder {
            shader,
            exact: false,
            line,
            block,
            position,
            frames: Vec::new(),
            list: Vec::new(),
            whole_body: false,
            dead: EntitySet::new(),
        }
    }

    /// Appends straight-line code to a block.
    pub fn at_end(shader: &'a mut Shader, block: Block) -> Self {
        let position = shader.blocks[block].insts.len();
        Builder::at(shader, block, position)
    }

    /// Removes what was built in this block since the builder stood at `position`.
    pub(crate) fn rewind(&mut self, position: usize) {
        self.shader.blocks[self.block].insts.drain(position..self.position);
        self.position = position;
    }

    /// Writes the body. All constructs must be closed.
    pub fn finish(self) {
        assert!(self.whole_body && self.frames.is_empty(), "finish() with open control flow");
        self.shader.body = self.list;
    }

    /// Takes the list of nodes built so far, of which all constructs must be closed, and starts
    /// another with an empty block: one shader is then made of several bodies.
    pub fn take_body(&mut self) -> Vec<Node> {
        assert!(self.whole_body && self.frames.is_empty(), "take_body() with open control flow");
        let body = std::mem::take(&mut self.list);
        self.start_block(false);
        body
    }

    /// The block code goes to now.
    pub fn block(&self) -> Block {
        self.block
    }

    /// The position within the block.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Number of constructs open at the cursor, to be kept below
    /// [`MAX_NESTING`](crate::shader::MAX_NESTING).
    pub fn nesting(&self) -> usize {
        self.frames.len()
    }

    /// The block has ended with a jump or nothing leads to it: code put here never runs.
    pub fn is_terminated(&self) -> bool {
        !self.falls_through(self.block)
    }

    /// Control reaches the end of the block and goes on to what follows.
    fn falls_through(&self, block: Block) -> bool {
        self.shader.blocks[block].jump.is_none() && !self.dead.contains(block)
    }

    /// Inserts an existing instruction at the cursor and moves past it.
    pub fn insert(&mut self, inst: Inst) {
        self.shader.blocks[self.block].insts.insert(self.position, inst);
        self.position += 1;
    }

    /// Creates and inserts an instruction; `shape` is (bits, components) of the result.
    pub fn push(&mut self, kind: InstKind, shape: Option<(u8, u8)>) -> Option<Value> {
        let inst = self.shader.create_inst(kind, shape, self.line);
        self.insert(inst);
        self.shader.insts[inst].result
    }

    fn push_value(&mut self, kind: InstKind, bits: u8, components: u8) -> Value {
        let inst = self.shader.create_inst(kind, None, self.line);
        let value =
            self.shader.values.push(crate::shader::ValueData { bits, components, def: inst });
        self.shader.insts[inst].result = Some(value);
        self.insert(inst);
        value
    }

    // Arithmetic.

    /// An ALU instruction on whole values. Per-component operations take the largest component
    /// count of their per-component sources; one-component sources are broadcast.
    pub fn alu(&mut self, op: AluOp, srcs: &[Value]) -> Value {
        let info = op.info();
        let per_component = srcs.iter().zip(info.inputs).filter(|(_, input)| input.components == 0);
        let count = per_component.map(|(&v, _)| self.shader.components(v)).max().unwrap_or(1);
        let count = if info.output.components != 0 { info.output.components } else { count };
        let srcs: SmallVec<[Src; 4]> = srcs
            .iter()
            .map(|&v| if self.shader.components(v) == 1 { Src::splat(v, 0) } else { Src::new(v) })
            .collect();
        self.alu_src(op, &srcs, count)
    }

    /// An ALU instruction on swizzled sources with `components` result components.
    pub fn alu_src(&mut self, op: AluOp, srcs: &[Src], components: u8) -> Value {
        let info = op.info();
        assert_eq!(srcs.len(), info.inputs.len(), "source count of {}", info.name);
        let bits = if info.output.bits != 0 {
            info.output.bits
        } else {
            let first = info.inputs.iter().position(|i| i.bits == 0);
            first.map_or(32, |i| self.shader.bits(srcs[i].value))
        };
        let alu = Alu { op, srcs: srcs.into(), exact: self.exact };
        self.push_value(InstKind::Alu(alu), bits, components)
    }

    // Constants.

    /// A constant with these components, cut to the width.
    pub fn constant(&mut self, bits: u8, components: &[u64]) -> Value {
        let mut data = [0; 4];
        for (out, &component) in data.iter_mut().zip(components) {
            *out = component & crate::fold::mask(bits);
        }
        self.push_value(InstKind::Const(data), bits, components.len().clamp(1, 4) as u8)
    }

    /// A scalar integer constant.
    pub fn iconst(&mut self, bits: u8, value: i64) -> Value {
        self.constant(bits, &[value as u64])
    }

    /// A scalar 32-bit integer constant.
    pub fn imm(&mut self, value: u32) -> Value {
        self.constant(32, &[value.into()])
    }

    /// A scalar float constant, rounded to the width.
    pub fn fconst(&mut self, bits: u8, value: f64) -> Value {
        self.constant(bits, &[encode_float(bits, value)])
    }

    /// A boolean constant.
    pub fn bool(&mut self, value: bool) -> Value {
        self.constant(1, &[value.into()])
    }

    /// Zero in every component.
    pub fn zero(&mut self, bits: u8, components: u8) -> Value {
        self.constant(bits, &[0; 4][..usize::from(components.clamp(1, 4))])
    }

    /// An undefined value.
    pub fn undef(&mut self, bits: u8, components: u8) -> Value {
        self.push_value(InstKind::Undef, bits, components)
    }

    // Vectors.

    /// Components of a value in another order, as a new value.
    pub fn swizzle(&mut self, value: Value, components: &[u8]) -> Value {
        let mut swizzle = [0; 4];
        for (out, &c) in swizzle.iter_mut().zip(components) {
            *out = c;
        }
        let count = components.len().clamp(1, 4) as u8;
        if count == self.shader.components(value)
            && swizzle[..count.into()] == IDENTITY[..count.into()]
        {
            return value;
        }
        self.alu_src(AluOp::Mov, &[Src::with_swizzle(value, swizzle)], count)
    }

    /// One component of a value; the value itself if it has only one.
    pub fn channel(&mut self, value: Value, component: u8) -> Value {
        self.swizzle(value, &[component])
    }

    /// All components as scalars.
    pub fn channels(&mut self, value: Value) -> SmallVec<[Value; 4]> {
        (0..self.shader.components(value)).map(|c| self.channel(value, c)).collect()
    }

    /// A vector of one to four scalars.
    pub fn vec(&mut self, scalars: &[Value]) -> Value {
        match scalars {
            [single] => *single,
            _ => self.alu(AluOp::vec(scalars.len() as u8), scalars),
        }
    }

    /// Selects a component by a non-constant index; components beyond the last give the last.
    pub fn extract_dynamic(&mut self, vector: Value, index: Value) -> Value {
        let count = self.shader.components(vector);
        let mut result = self.channel(vector, count - 1);
        for c in (0..count - 1).rev() {
            let number = self.imm(c.into());
            let hit = self.ieq(index, number);
            let component = self.channel(vector, c);
            result = self.bcsel(hit, component, result);
        }
        result
    }

    /// Conjunction of the components of a boolean vector.
    pub fn all(&mut self, vector: Value) -> Value {
        let yes = self.bool(true);
        match self.shader.components(vector) {
            2 => self.ball_ieq2(vector, yes),
            3 => self.ball_ieq3(vector, yes),
            4 => self.ball_ieq4(vector, yes),
            _ => vector,
        }
    }

    /// Disjunction of the components of a boolean vector.
    pub fn any(&mut self, vector: Value) -> Value {
        let no = self.bool(false);
        match self.shader.components(vector) {
            2 => self.bany_ine2(vector, no),
            3 => self.bany_ine3(vector, no),
            4 => self.bany_ine4(vector, no),
            _ => vector,
        }
    }

    /// Dot product of vectors of equal length.
    pub fn fdot(&mut self, a: Value, b: Value) -> Value {
        match self.shader.components(a) {
            2 => self.fdot2(a, b),
            3 => self.fdot3(a, b),
            4 => self.fdot4(a, b),
            _ => self.fmul(a, b),
        }
    }

    // Intrinsics.

    /// An intrinsic; `shape` is (bits, components) of the result, needed when the table leaves it
    /// open and otherwise ignored.
    pub fn intrinsic(
        &mut self,
        op: IntrinsicOp,
        srcs: &[Value],
        fields: Fields,
        shape: Option<(u8, u8)>,
    ) -> Option<Value> {
        let shape = op.info().result.map(|rule| {
            let given = shape.unwrap_or((32, 1));
            let pick = |fixed, open| if fixed != 0 { fixed } else { open };
            (pick(rule.bits, given.0), pick(rule.components, given.1))
        });
        let kind =
            InstKind::Intrinsic(Intrinsic { op, srcs: srcs.into(), fields: Box::new(fields) });
        self.push(kind, shape)
    }

    /// An intrinsic that has a result.
    ///
    /// # Panics
    /// Raises an internal error if the intrinsic has none.
    pub fn load(
        &mut self,
        op: IntrinsicOp,
        srcs: &[Value],
        fields: Fields,
        bits: u8,
        components: u8,
    ) -> Value {
        match self.intrinsic(op, srcs, fields, Some((bits, components))) {
            Some(value) => value,
            None => InternalError::new(Phase::Ir, format!("{} has no result", op.name())).raise(),
        }
    }

    /// A system value or another intrinsic without sources whose shape the table fixes.
    pub fn system_value(&mut self, op: IntrinsicOp) -> Value {
        self.load(op, &[], Fields::default(), 32, 1)
    }

    /// Element 0 of a local variable.
    pub fn load_var(&mut self, local: Local) -> Value {
        let zero = self.imm(0);
        self.load_element(local, zero)
    }

    /// Element of a local array.
    pub fn load_element(&mut self, local: Local, index: Value) -> Value {
        let (bits, components) =
            (self.shader.locals[local].bits, self.shader.locals[local].components);
        let fields = Fields { local: Some(local), ..Fields::default() };
        self.load(IntrinsicOp::LoadLocal, &[index], fields, bits, components)
    }

    /// Stores all components of element 0 of a local variable.
    pub fn store_var(&mut self, local: Local, value: Value) {
        let zero = self.imm(0);
        self.store_element(local, zero, value, 0xf);
    }

    /// Stores the masked components of an element; the value has as many components as the element.
    pub fn store_element(&mut self, local: Local, index: Value, value: Value, write_mask: u8) {
        let all = (1u8 << self.shader.locals[local].components) - 1;
        let fields =
            Fields { local: Some(local), write_mask: write_mask & all, ..Fields::default() };
        self.intrinsic(IntrinsicOp::StoreLocal, &[value, index], fields, None);
    }

    /// Loads from an input slot, offset 0.
    pub fn load_input(&mut self, slot: Slot, component: u8, components: u8) -> Value {
        let zero = self.imm(0);
        let fields = Fields { slot, component, ..Fields::default() };
        self.load(IntrinsicOp::LoadInput, &[zero], fields, 32, components)
    }

    /// Stores all components of a value to an output slot, offset 0.
    pub fn store_output(&mut self, slot: Slot, component: u8, value: Value) {
        let zero = self.imm(0);
        let write_mask = (1u8 << self.shader.components(value)) - 1;
        let fields = Fields { slot, component, write_mask, ..Fields::default() };
        self.intrinsic(IntrinsicOp::StoreOutput, &[value, zero], fields, None);
    }

    /// Loads from a UBO at a byte offset.
    pub fn load_ubo(&mut self, block: Value, offset: Value, bits: u8, components: u8) -> Value {
        self.load(IntrinsicOp::LoadUbo, &[block, offset], Fields::default(), bits, components)
    }

    /// A texture instruction.
    pub fn tex(&mut self, tex: Tex, bits: u8, components: u8) -> Value {
        self.push_value(InstKind::Tex(Box::new(tex)), bits, components)
    }

    // Control flow.

    fn start_block(&mut self, dead: bool) {
        let (block, node) = self.shader.create_block();
        if dead {
            self.dead.insert(block);
        }
        self.block = block;
        self.position = 0;
        self.list.push(node);
    }

    fn open(&mut self) -> Vec<Node> {
        assert!(self.whole_body, "control flow needs Builder::new");
        std::mem::take(&mut self.list)
    }

    /// Opens an if on a 1-bit scalar; code goes to its then-branch.
    pub fn push_if(&mut self, cond: Value) {
        let outer = self.open();
        let entry_dead = self.is_terminated();
        self.frames.push(Frame::Then { outer, cond, entry_dead });
        self.start_block(entry_dead);
    }

    /// Switches to the else-branch.
    pub fn push_else(&mut self) {
        let then_body = std::mem::take(&mut self.list);
        match self.frames.pop() {
            Some(Frame::Then { outer, cond, entry_dead }) => {
                self.frames.push(Frame::Else { outer, cond, then_body, then_end: self.block });
                self.start_block(entry_dead);
            }
            _ => panic!("push_else without push_if"),
        }
    }

    /// Closes an if; code goes to the merge block. Returns the last blocks of the branches.
    pub fn pop_if(&mut self) -> (Block, Block) {
        if matches!(self.frames.last(), Some(Frame::Then { .. })) {
            self.push_else();
        }
        let else_body = std::mem::take(&mut self.list);
        let Some(Frame::Else { outer, cond, then_body, then_end }) = self.frames.pop() else {
            panic!("pop_if without push_if");
        };
        let ends = (then_end, self.block);
        self.list = outer;
        self.list.push(self.shader.nodes.push(NodeData::If { cond, then_body, else_body }));
        self.start_block(!self.falls_through(ends.0) && !self.falls_through(ends.1));
        ends
    }

    /// Phi of the two branches of the if just closed, at the start of the merge block.
    pub fn if_phi(&mut self, ends: (Block, Block), then_value: Value, else_value: Value) -> Value {
        let mut srcs = SmallVec::new();
        for (pred, value) in [(ends.0, then_value), (ends.1, else_value)] {
            if self.falls_through(pred) {
                srcs.push(PhiSrc { pred, value });
            }
        }
        let (bits, components) = (self.shader.bits(then_value), self.shader.components(then_value));
        self.phi(srcs, bits, components)
    }

    /// A phi after the phis of the current block.
    pub fn phi(&mut self, srcs: SmallVec<[PhiSrc; 2]>, bits: u8, components: u8) -> Value {
        let insts = &self.shader.blocks[self.block].insts;
        let is_phi = |&&i: &&Inst| matches!(self.shader.insts[i].kind, InstKind::Phi(_));
        let phis = insts.iter().take_while(is_phi).count();
        let saved = std::mem::replace(&mut self.position, phis);
        let value = self.push_value(InstKind::Phi(srcs), bits, components);
        self.position = if saved >= phis { saved + 1 } else { self.position };
        value
    }

    /// Opens an infinite loop; code goes to its header. Returns the header; phis there start with
    /// [`Builder::loop_phi`].
    pub fn push_loop(&mut self) -> Block {
        let outer = self.open();
        let dead = self.is_terminated();
        self.frames.push(Frame::Loop { outer, breaks: false });
        self.start_block(dead);
        self.block
    }

    /// A phi in the header just opened with its entry value; complete it with
    /// [`Builder::add_phi_src`] for each continue and for the end of the body.
    pub fn loop_phi(&mut self, entry: Block, value: Value) -> Value {
        let (bits, components) = (self.shader.bits(value), self.shader.components(value));
        self.phi(smallvec![PhiSrc { pred: entry, value }], bits, components)
    }

    /// Adds an incoming edge to a phi.
    pub fn add_phi_src(&mut self, phi: Value, pred: Block, value: Value) {
        let inst = self.shader.values[phi].def;
        if let InstKind::Phi(srcs) = &mut self.shader.insts[inst].kind {
            srcs.push(PhiSrc { pred, value });
        }
    }

    /// Closes the loop; code goes to the block after it. Returns the last block of the body, a
    /// predecessor of the header if it has no jump.
    pub fn pop_loop(&mut self) -> Block {
        let body = std::mem::take(&mut self.list);
        let Some(Frame::Loop { outer, breaks }) = self.frames.pop() else {
            panic!("pop_loop without push_loop");
        };
        let latch = self.block;
        self.list = outer;
        self.list.push(self.shader.nodes.push(NodeData::Loop { body }));
        self.start_block(!breaks);
        latch
    }

    /// Ends the current block with a jump; nothing may follow in its list. Ignored if it already
    /// ended.
    pub fn jump(&mut self, jump: Jump) {
        let runs = !self.is_terminated();
        let innermost = self.frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Loop { breaks, .. } => Some(breaks),
            _ => None,
        });
        if let Some(breaks) = innermost {
            *breaks |= runs && jump == Jump::Break;
        }
        self.shader.blocks[self.block].jump.get_or_insert(jump);
    }
}

/// Declares one method per ALU operation.
macro_rules! alu_methods {
    ($($(#[$meta:meta])* $variant:ident $name:ident ( $($arg:ident : $input:expr),* ) -> $output:expr,
       $props:expr, $fold:expr;)*) => {
        /// One method per ALU operation. Per-component operations broadcast one-component sources;
        /// see [`Builder::alu`].
        impl Builder<'_> {
            $($(#[$meta])* pub fn $name(&mut self, $($arg: Value),*) -> Value {
                self.alu(AluOp::$variant, &[$($arg),*])
            })*
        }
    };
}

alu_table!(alu_methods);
