//! Uniformity: values that are the same in all active lanes of a wave, and branches that all active
//! lanes take together.
//!
//! A value is divergent if it depends on a lane's number or inputs, if it is a phi after a
//! divergent branch, or if lanes leave a loop in different iterations and take it along.

use cranelift_entity::SecondaryMap;
use ir::{Block, InstKind, Intrinsic, IntrinsicOp, Jump, Node, NodeData, Shader, Step, Value};

/// Properties of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopFacts {
    /// Lanes can leave it in different iterations.
    pub divergent_exit: bool,
    /// Lanes can start an iteration from different places.
    pub divergent_continue: bool,
    /// Invocations can end inside.
    pub kills: bool,
}

/// Join that a block is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Join {
    #[default]
    None,
    Merge(Node),
    Header(Node),
    Exit(Node),
}

/// Result of the analysis.
#[derive(Clone, Debug)]
pub struct Uniformity {
    divergent: SecondaryMap<Value, bool>,
    escapes: SecondaryMap<Value, bool>,
    branches: SecondaryMap<Node, bool>,
    loops: SecondaryMap<Node, LoopFacts>,
}

impl Uniformity {
    /// Analyzes a shader.
    pub fn new(shader: &Shader) -> Uniformity {
        Analysis::new(shader).run()
    }

    /// Returns true if the value can differ between active lanes.
    pub fn is_divergent(&self, value: Value) -> bool {
        self.divergent[value]
    }

    /// Returns true if lanes take the value out of a loop in different iterations.
    pub fn escapes(&self, value: Value) -> bool {
        self.escapes[value]
    }

    /// Returns true if active lanes can take different arms of an if.
    pub fn is_divergent_branch(&self, node: Node) -> bool {
        self.branches[node]
    }

    /// Returns the properties of a loop.
    pub fn loop_facts(&self, node: Node) -> LoopFacts {
        self.loops[node]
    }
}

struct Analysis<'a> {
    shader: &'a Shader,
    joins: SecondaryMap<Block, Join>,
    /// Loops around a block, the innermost last.
    around: SecondaryMap<Block, Vec<Node>>,
    block_of: SecondaryMap<Value, Option<Block>>,
    result: Uniformity,
    changed: bool,
}

impl<'a> Analysis<'a> {
    fn new(shader: &'a Shader) -> Analysis<'a> {
        let result = Uniformity {
            divergent: SecondaryMap::new(),
            escapes: SecondaryMap::new(),
            branches: SecondaryMap::new(),
            loops: SecondaryMap::new(),
        };
        let mut analysis = Analysis {
            shader,
            joins: SecondaryMap::new(),
            around: SecondaryMap::new(),
            block_of: SecondaryMap::new(),
            result,
            changed: true,
        };
        analysis.structure();
        analysis
    }

    fn structure(&mut self) {
        let mut loops = Vec::new();
        let mut join = Join::None;
        for step in self.shader.walk() {
            match step {
                Step::Block(block) => {
                    self.joins[block] = std::mem::take(&mut join);
                    self.around[block] = loops.clone();
                    for &inst in &self.shader.blocks[block].insts {
                        if let Some(result) = self.shader.insts[inst].result {
                            self.block_of[result] = Some(block);
                        }
                    }
                }
                Step::Loop(node) => {
                    loops.push(node);
                    join = Join::Header(node);
                }
                Step::EndLoop(node) => {
                    loops.pop();
                    join = Join::Exit(node);
                }
                Step::EndIf(node) => join = Join::Merge(node),
                Step::If(_) | Step::Else(_) => {}
            }
        }
    }

    fn run(mut self) -> Uniformity {
        while std::mem::take(&mut self.changed) {
            self.pass();
        }
        self.result
    }

    fn pass(&mut self) {
        // Ifs and loops around the step, with the divergence of the ifs.
        let mut frames: Vec<(Node, bool, bool)> = Vec::new();
        for step in self.shader.walk() {
            match step {
                Step::Block(block) => self.block(block, &frames),
                Step::If(node) => {
                    let NodeData::If { cond, .. } = self.shader.nodes[node] else { continue };
                    let loops = frames.iter().filter(|frame| frame.1).map(|frame| frame.0);
                    let loops: Vec<Node> = loops.collect();
                    self.use_in(cond, &loops);
                    let divergent = self.result.divergent[cond];
                    self.changed |= self.result.branches[node] != divergent;
                    self.result.branches[node] = divergent;
                    frames.push((node, false, divergent));
                }
                Step::Loop(node) => frames.push((node, true, false)),
                Step::EndIf(_) | Step::EndLoop(_) => {
                    frames.pop();
                }
                Step::Else(_) => {}
            }
        }
    }

    fn block(&mut self, block: Block, frames: &[(Node, bool, bool)]) {
        for &inst in &self.shader.blocks[block].insts {
            let data = &self.shader.insts[inst];
            match &data.kind {
                // A phi reads its sources at the ends of its predecessors.
                InstKind::Phi(srcs) => {
                    for src in srcs {
                        let loops = self.around[src.pred].clone();
                        self.use_in(src.value, &loops);
                    }
                }
                kind => {
                    let loops = self.around[block].clone();
                    kind.for_each_src(|value| self.use_in(value, &loops));
                }
            }
            if let InstKind::Intrinsic(intrinsic) = &data.kind
                && ends_invocations(intrinsic)
            {
                self.kill(frames);
            }
            let Some(result) = data.result else { continue };
            if !self.result.divergent[result] && self.diverges(block, &data.kind) {
                self.result.divergent[result] = true;
                self.changed = true;
            }
        }
        let Some(jump) = self.shader.blocks[block].jump else { return };
        if jump == Jump::Halt {
            return self.kill(frames);
        }
        let inner = frames.iter().rev().take_while(|(_, is_loop, _)| !is_loop);
        let divergent = inner.clone().any(|(_, _, divergent)| *divergent);
        let depth = inner.count();
        let Some(&(node, ..)) = frames.iter().rev().nth(depth) else { return };
        let facts = &mut self.result.loops[node];
        let before = *facts;
        match jump {
            // Lanes that wait for the next iteration do not take part in a break.
            Jump::Break => facts.divergent_exit |= divergent || facts.divergent_continue,
            _ => facts.divergent_continue |= divergent,
        }
        self.changed |= *facts != before;
    }

    fn kill(&mut self, frames: &[(Node, bool, bool)]) {
        for (node, is_loop, _) in frames {
            if *is_loop && !self.result.loops[*node].kills {
                self.result.loops[*node].kills = true;
                self.changed = true;
            }
        }
    }

    /// Notes a use inside of these loops. A value used outside of a loop that lanes leave at
    /// different times is divergent there.
    fn use_in(&mut self, value: Value, loops: &[Node]) {
        let Some(block) = self.block_of[value] else { return };
        if self.result.escapes[value] {
            return;
        }
        let left = self.around[block].iter().filter(|node| !loops.contains(node));
        if left.into_iter().any(|node| self.result.loops[*node].divergent_exit) {
            self.result.escapes[value] = true;
            self.result.divergent[value] = true;
            self.changed = true;
        }
    }

    fn diverges(&self, block: Block, kind: &InstKind) -> bool {
        let mut any = false;
        kind.for_each_src(|value| any |= self.result.divergent[value]);
        match kind {
            InstKind::Const(_) | InstKind::Undef => false,
            InstKind::Alu(alu) => any || alu.op.info().is_derivative(),
            InstKind::Tex(_) => true,
            InstKind::Intrinsic(intrinsic) => intrinsic_diverges(intrinsic.op, any),
            InstKind::Phi(srcs) => {
                let several = srcs.len() > 1;
                any || match self.joins[block] {
                    Join::None => false,
                    Join::Merge(node) => several && self.result.branches[node],
                    Join::Header(node) => {
                        srcs.len() > 2 && self.result.loops[node].divergent_continue
                    }
                    Join::Exit(node) => self.result.loops[node].divergent_exit,
                }
            }
        }
    }
}

/// True for intrinsics that end invocations.
fn ends_invocations(intrinsic: &Intrinsic) -> bool {
    matches!(
        intrinsic.op,
        IntrinsicOp::Discard | IntrinsicOp::DiscardIf | IntrinsicOp::Demote | IntrinsicOp::DemoteIf
    )
}

/// True if the result can differ between lanes; `operands` is true if a source can.
fn intrinsic_diverges(op: IntrinsicOp, operands: bool) -> bool {
    use IntrinsicOp::*;
    match op {
        LoadUbo | SsboSize | ImageSize | ImageSamples => operands,
        BaseVertex | BaseInstance | DrawId | NumSamples | WorkgroupId | NumWorkgroups
        | WorkgroupSize | SubgroupSize | Ballot | VoteAny | VoteAll | VoteEq | PatchVerticesIn
        | ReadFirstInvocation => false,
        ReadInvocation => operands,
        _ => true,
    }
}
