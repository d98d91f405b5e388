//! The validator: structure, dominance, operand counts and bit sizes. It reports every failure it
//! finds, never only the first, and never panics on a malformed shader whose ids are in range.

use crate::cfg::Cfg;
use crate::ids::{Block, Inst, Node, Value};
use crate::inst::{Alu, InstKind, Jump, PhiSrc, Tex, TexSrcKind};
use crate::intrinsics::{Field, Intrinsic, ValueShape};
use crate::ops::{Class, Operand};
use crate::pass::IrUnit;
use crate::print::InstText;
use crate::shader::{MAX_NESTING, NodeData, Shader, Step};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;
use std::fmt;
use vocabulary::Phase;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Block in which it is, if any.
    pub block: Option<Block>,
    /// The instruction's text, empty for structural failures.
    pub inst: String,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(block) = self.block {
            write!(f, "{block}: ")?;
        }
        if !self.inst.is_empty() {
            write!(f, "`{}`: ", self.inst)?;
        }
        write!(f, "{}", self.message)
    }
}

/// Every broken rule of a shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ValidationError {
    /// The failures, at least one, in program order.
    pub failures: Vec<Failure>,
}

impl IrUnit for Shader {
    const KIND: &'static str = "ir";
    const PHASE: Phase = Phase::Ir;
    type Failures = ValidationError;

    fn validate(&self) -> Result<(), ValidationError> {
        validate(self)
    }
}

impl fmt::Display for ValidationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.failures.iter().map(Failure::to_string).collect();
        write!(f, "{}", list.join("; "))
    }
}

/// Checks all rules.
///
/// # Errors
/// All failures, in program order.
pub fn validate(shader: &Shader) -> Result<(), ValidationError> {
    let mut validator = Validator { shader, failures: Vec::new(), block: None, inst: None };
    validator.structure();
    // Dominance means nothing in a broken tree.
    if validator.failures.is_empty() {
        validator.code();
    }
    if validator.failures.is_empty() {
        return Ok(());
    }
    Err(ValidationError { failures: validator.failures })
}

struct Validator<'a> {
    shader: &'a Shader,
    failures: Vec<Failure>,
    block: Option<Block>,
    inst: Option<Inst>,
}

impl Validator<'_> {
    #[cold]
    fn fail(&mut self, message: impl Into<String>) {
        let shader = self.shader;
        let inst = self.inst.map(|inst| InstText { shader, inst }.to_string()).unwrap_or_default();
        self.failures.push(Failure { block: self.block, inst, message: message.into() });
    }

    fn check(&mut self, condition: bool, message: impl FnOnce() -> String) {
        if !condition {
            self.fail(message());
        }
    }

    // Structure.

    /// Lists, nesting and jumps; nodes and blocks appear once.
    fn structure(&mut self) {
        let mut seen_nodes: SecondaryMap<Node, bool> = SecondaryMap::new();
        let mut seen_blocks: SecondaryMap<Block, bool> = SecondaryMap::new();
        // (list, depth, inside a loop)
        let mut lists: Vec<(&[Node], usize, bool)> = vec![(&self.shader.body, 0, false)];
        while let Some((list, depth, in_loop)) = lists.pop() {
            if depth > MAX_NESTING {
                self.fail(format!("control flow nested deeper than {MAX_NESTING}"));
                return;
            }
            self.list_shape(list);
            for (i, &node) in list.iter().enumerate() {
                if std::mem::replace(&mut seen_nodes[node], true) {
                    self.fail(format!("{node} is in two places"));
                    return;
                }
                match &self.shader.nodes[node] {
                    NodeData::Block(block) => {
                        let again = std::mem::replace(&mut seen_blocks[*block], true);
                        self.block = Some(*block);
                        self.check(!again, || "the block is in two places".into());
                        self.jump(*block, i + 1 == list.len(), in_loop);
                        self.block = None;
                    }
                    NodeData::If { then_body, else_body, .. } => {
                        lists.push((then_body, depth + 1, in_loop));
                        lists.push((else_body, depth + 1, in_loop));
                    }
                    NodeData::Loop { body } => lists.push((body, depth + 1, true)),
                }
            }
        }
    }

    fn list_shape(&mut self, list: &[Node]) {
        let is_block = |&n: &Node| matches!(self.shader.nodes[n], NodeData::Block(_));
        let alternates = list.iter().enumerate().all(|(i, n)| is_block(n) == (i % 2 == 0));
        self.check(alternates && list.len() % 2 == 1, || {
            "blocks and other nodes must alternate, from block to block".into()
        });
    }

    fn jump(&mut self, block: Block, last: bool, in_loop: bool) {
        if let Some(jump) = self.shader.blocks[block].jump {
            self.check(last, || format!("code after {jump}"));
            self.check(in_loop || jump == Jump::Halt, || format!("{jump} outside a loop"));
        }
    }

    // Code.

    fn code(&mut self) {
        let cfg = Cfg::new(self.shader);
        let mut place: SecondaryMap<Inst, Option<(Block, u32)>> = SecondaryMap::new();
        place.resize(self.shader.insts.len());
        for &block in &cfg.order {
            for (i, &inst) in self.shader.blocks[block].insts.iter().enumerate() {
                if place[inst].replace((block, i as u32)).is_some() {
                    self.block = Some(block);
                    self.inst = Some(inst);
                    self.fail("the instruction is in two places");
                }
            }
        }
        for step in self.shader.walk() {
            match step {
                Step::Block(block) => self.block_code(&cfg, &place, block),
                Step::If(node) => self.if_condition(&cfg, &place, node),
                _ => {}
            }
        }
    }

    fn if_condition(
        &mut self,
        cfg: &Cfg,
        place: &SecondaryMap<Inst, Option<(Block, u32)>>,
        node: Node,
    ) {
        let Some(cond) = self.shader.condition(node) else { return };
        self.inst = None;
        self.block = cfg.branch_block[node];
        let data = self.shader.values[cond];
        self.check(data.bits == 1 && data.components == 1, || {
            format!("if condition {cond} is no 1-bit scalar")
        });
        if let Some(block) = self.block {
            self.dominance(cfg, place, cond, block, u32::MAX);
        }
    }

    fn block_code(
        &mut self,
        cfg: &Cfg,
        place: &SecondaryMap<Inst, Option<(Block, u32)>>,
        block: Block,
    ) {
        self.block = Some(block);
        let mut phis_over = false;
        for (i, &inst) in self.shader.blocks[block].insts.iter().enumerate() {
            self.inst = Some(inst);
            let data = &self.shader.insts[inst];
            if let Some(value) = data.result {
                self.check(self.shader.values[value].def == inst, || {
                    format!("{value} has another definition")
                });
                self.value_shape(value);
            }
            let is_phi = matches!(data.kind, InstKind::Phi(_));
            self.check(!(is_phi && phis_over), || "phi after other instructions".into());
            phis_over |= !is_phi;
            match &data.kind {
                InstKind::Phi(srcs) => self.phi(cfg, place, block, srcs, data.result),
                kind => {
                    let mut sources: SmallVec<[Value; 4]> = SmallVec::new();
                    kind.for_each_src(|v| sources.push(v));
                    for source in sources {
                        self.dominance(cfg, place, source, block, i as u32);
                    }
                }
            }
            self.types(&data.kind, data.result);
        }
        self.inst = None;
    }

    fn value_shape(&mut self, value: Value) {
        let data = self.shader.values[value];
        self.check(matches!(data.bits, 1 | 8 | 16 | 32 | 64), || {
            format!("{value} has {} bits", data.bits)
        });
        self.check((1..=4).contains(&data.components), || {
            format!("{value} has {} components", data.components)
        });
    }

    /// The definition of `value` is available at `index` of `block`.
    fn dominance(
        &mut self,
        cfg: &Cfg,
        place: &SecondaryMap<Inst, Option<(Block, u32)>>,
        value: Value,
        block: Block,
        index: u32,
    ) {
        match place[self.shader.values[value].def] {
            None => self.fail(format!("{value} is used but its definition is in no block")),
            Some((def_block, def_index)) => {
                let ok = if def_block == block {
                    def_index < index
                } else {
                    cfg.dominates(def_block, block)
                };
                self.check(ok, || format!("the definition of {value} does not dominate its use"));
            }
        }
    }

    fn phi(
        &mut self,
        cfg: &Cfg,
        place: &SecondaryMap<Inst, Option<(Block, u32)>>,
        block: Block,
        srcs: &[PhiSrc],
        result: Option<Value>,
    ) {
        let preds = &cfg.preds[block];
        for pred in preds {
            let count = srcs.iter().filter(|s| s.pred == *pred).count();
            self.check(count == 1, || format!("{count} sources for predecessor {pred}"));
        }
        for src in srcs {
            self.check(preds.contains(&src.pred), || format!("{} is not a predecessor", src.pred));
            self.dominance(cfg, place, src.value, src.pred, u32::MAX);
            if let Some(result) = result {
                let (a, b) = (self.shader.values[src.value], self.shader.values[result]);
                self.check((a.bits, a.components) == (b.bits, b.components), || {
                    format!("{} differs in shape from the phi", src.value)
                });
            }
        }
    }

    fn types(&mut self, kind: &InstKind, result: Option<Value>) {
        let has_result = match kind {
            InstKind::Intrinsic(intrinsic) => intrinsic.op.info().result.is_some(),
            _ => true,
        };
        self.check(result.is_some() == has_result, || "result missing or superfluous".into());
        match kind {
            InstKind::Alu(alu) => {
                if let Some(result) = result {
                    self.alu(alu, result);
                }
            }
            InstKind::Const(data) => {
                if let Some(result) = result {
                    let shape = self.shader.values[result];
                    let fits = data.iter().enumerate().all(|(i, &c)| {
                        let limit = if i < shape.components.into() {
                            crate::fold::mask(shape.bits)
                        } else {
                            0
                        };
                        c & !limit == 0
                    });
                    self.check(fits, || "constant has bits beyond its size".into());
                }
            }
            InstKind::Undef | InstKind::Phi(_) => {}
            InstKind::Intrinsic(intrinsic) => self.intrinsic(intrinsic, result),
            InstKind::Tex(tex) => self.tex(tex),
        }
    }

    /// Operand counts, swizzles, and the bit-size rules of the operation table.
    fn alu(&mut self, alu: &Alu, result: Value) {
        let info = alu.op.info();
        let shape = self.shader.values[result];
        if alu.srcs.len() != info.inputs.len() {
            self.fail(format!("{} sources, {} expected", alu.srcs.len(), info.inputs.len()));
            return;
        }
        let fixed = info.output.components;
        self.check(fixed == 0 || fixed == shape.components, || {
            format!("result has {} components, {fixed} expected", shape.components)
        });
        // All unsized operands have one width.
        let mut width = 0;
        self.width(&info.output, shape.bits, &mut width, info.allows_bool(), "result");
        for (i, (src, input)) in alu.srcs.iter().zip(info.inputs).enumerate() {
            let source = self.shader.values[src.value];
            let what = format!("source {i}");
            self.width(input, source.bits, &mut width, info.allows_bool(), &what);
            let count = usize::from(info.source_components(i, shape.components)).min(4);
            for &c in &src.swizzle[..count] {
                self.check(c < source.components, || {
                    format!("{what} reads component {c} of {}", source.components)
                });
            }
        }
    }

    fn width(&mut self, rule: &Operand, bits: u8, width: &mut u8, allows_bool: bool, what: &str) {
        if rule.bits != 0 {
            self.check(rule.bits == bits, || {
                format!("{what} has {bits} bits, {} expected", rule.bits)
            });
            return;
        }
        let possible = match rule.class {
            Class::Float => matches!(bits, 16 | 32 | 64),
            _ => bits != 1 || allows_bool,
        };
        self.check(possible, || format!("{what} has {bits} bits, impossible for its class"));
        if *width == 0 {
            *width = bits;
        }
        let expected = *width;
        self.check(expected == bits, || {
            format!("{what} has {bits} bits, other unsized operands {expected}")
        });
    }

    fn shape(&mut self, rule: ValueShape, value: Value, what: &str) {
        let data = self.shader.values[value];
        self.check(rule.bits == 0 || rule.bits == data.bits, || {
            format!("{what} has {} bits, {} expected", data.bits, rule.bits)
        });
        self.check(rule.components == 0 || rule.components == data.components, || {
            format!("{what} has {} components, {} expected", data.components, rule.components)
        });
    }

    fn intrinsic(&mut self, intrinsic: &Intrinsic, result: Option<Value>) {
        let info = intrinsic.op.info();
        if intrinsic.srcs.len() != info.srcs.len() {
            self.fail(format!("{} sources, {} expected", intrinsic.srcs.len(), info.srcs.len()));
            return;
        }
        for (i, (&src, &rule)) in intrinsic.srcs.iter().zip(info.srcs).enumerate() {
            self.shape(rule, src, &format!("source {i}"));
        }
        if let (Some(rule), Some(result)) = (info.result, result) {
            self.shape(rule, result, "result");
        }
        let fields = &intrinsic.fields;
        if info.fields.contains(&Field::WriteMask) {
            let components = intrinsic.srcs.first().map_or(0, |&v| self.shader.components(v));
            let mask = u16::from(fields.write_mask);
            self.check(mask != 0 && mask < 1 << components, || {
                format!("write mask {mask} of {components} components")
            });
        }
        if info.fields.contains(&Field::Component) {
            let value =
                if info.result.is_some() { result } else { intrinsic.srcs.first().copied() };
            let count = value.map_or(0, |v| self.shader.components(v));
            self.check(fields.component + count <= 4, || {
                format!("{count} components from {} leave the slot", fields.component)
            });
        }
        self.check(fields.align == 0 || fields.align.is_power_of_two(), || {
            "alignment is not a power of two".into()
        });
        if info.fields.contains(&Field::Local) {
            self.local_access(intrinsic, result);
        }
    }

    fn local_access(&mut self, intrinsic: &Intrinsic, result: Option<Value>) {
        let Some(local) = intrinsic.fields.local.and_then(|l| self.shader.locals.get(l)) else {
            self.fail("no such local variable");
            return;
        };
        let rule = ValueShape { bits: local.bits, components: local.components };
        if let Some(value) = result.or(intrinsic.srcs.first().copied()) {
            self.shape(rule, value, "element");
        }
    }

    fn tex(&mut self, tex: &Tex) {
        for (i, &(kind, value)) in tex.srcs.iter().enumerate() {
            self.check(!tex.srcs[..i].iter().any(|s| s.0 == kind), || {
                format!("two {kind} sources")
            });
            let components = match kind {
                TexSrcKind::Coord => tex.coord_components(),
                TexSrcKind::Ddx | TexSrcKind::Ddy => tex.dim.coord_components(),
                TexSrcKind::Offset => 0,
                _ => 1,
            };
            self.shape(ValueShape { bits: 32, components }, value, kind.name());
        }
    }
}
