//! Keeps values from one state to another: in local variables, since no state dominates another.
//! Phis at the starts of states become variables, too.

use cranelift_entity::SecondaryMap;
use ir::{
    Block, Fields, Inst, InstKind, Intrinsic, IntrinsicOp, Local, Node, NodeData, Shader, Value,
};
use rustc_hash::FxHashMap;
use vocabulary::SourceLine;

use super::states::{Exit, Label, Machine, nodes};

/// A part of the body in which dominance holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    /// The code before the states, which dominates everything.
    Before,
    State(Label),
    After,
}

/// Makes variables of the values that one state defines and another reads.
pub(super) fn keep(shader: &mut Shader, machine: &mut Machine) {
    let mut regions: Vec<(Region, Vec<Node>)> = vec![(Region::Before, machine.before.clone())];
    for &label in &machine.order {
        regions.push((Region::State(label), machine.states[label].body.clone()));
    }
    regions.push((Region::After, machine.after.clone()));
    let mut keeper = ValueStorage {
        homes: SecondaryMap::new(),
        variables: SecondaryMap::new(),
        region: Region::Before,
        start: Vec::new(),
        read: FxHashMap::default(),
        shader,
    };
    regions[1..].iter().for_each(|(_, list)| keeper.replace_phis(list));
    for (region, list) in &regions {
        keeper.note_definitions(*region, list);
    }
    for (region, list) in &regions {
        keeper.region = *region;
        keeper.read.clear();
        keeper.rewrite_reads(list);
        if let Region::State(label) = *region
            && let Exit::Branch { condition, .. } = &mut machine.states[label].exit
        {
            *condition = keeper.read(*condition);
        }
        keeper.put_start(list);
    }
    for (_, list) in &regions {
        keeper.store_definitions(list);
    }
}

struct ValueStorage<'a> {
    shader: &'a mut Shader,
    /// Definitions of values.
    homes: SecondaryMap<Value, Option<Region>>,
    /// The variables of values that are kept.
    variables: SecondaryMap<Value, Option<Local>>,
    /// The region being rewritten.
    region: Region,
    /// Instructions to put at its start.
    start: Vec<Inst>,
    /// Values that it reads instead of those of other regions.
    read: FxHashMap<Value, Value>,
}

impl ValueStorage<'_> {
    fn blocks(&self, list: &[Node]) -> Vec<Block> {
        let block = |node| match self.shader.nodes[node] {
            NodeData::Block(block) => Some(block),
            _ => None,
        };
        nodes(self.shader, list).into_iter().filter_map(block).collect()
    }

    fn first_block(&self, list: &[Node]) -> Option<Block> {
        match self.shader.nodes[*list.first()?] {
            NodeData::Block(block) => Some(block),
            _ => None,
        }
    }

    fn variable_like(&mut self, value: Value) -> Local {
        let data = self.shader.values[value];
        self.shader.create_local(data.bits, data.components, 1, "kept")
    }

    fn constant_zero(&mut self) -> (Inst, Option<Value>) {
        let kind = InstKind::Const([0; 4]);
        let zero = self.shader.create_inst(kind, Some((32, 1)), SourceLine::UNKNOWN);
        (zero, self.shader.insts[zero].result)
    }

    /// The instructions of a load, without its result.
    fn load(&mut self, local: Local) -> (Inst, InstKind) {
        let (zero, index) = self.constant_zero();
        let fields = Fields { local: Some(local), ..Fields::default() };
        let srcs = index.into_iter().collect();
        let op = IntrinsicOp::LoadLocal;
        (zero, InstKind::Intrinsic(Intrinsic { op, srcs, fields: Box::new(fields) }))
    }

    /// The instructions of a store.
    fn store(&mut self, local: Local, value: Value) -> [Inst; 2] {
        let (zero, index) = self.constant_zero();
        let write_mask = (1u8 << self.shader.locals[local].components) - 1;
        let fields = Fields { local: Some(local), write_mask, ..Fields::default() };
        let srcs = [value].into_iter().chain(index).collect();
        let op = IntrinsicOp::StoreLocal;
        let kind = InstKind::Intrinsic(Intrinsic { op, srcs, fields: Box::new(fields) });
        [zero, self.shader.create_inst(kind, None, self.shader.line_of(value))]
    }

    /// Makes a variable of each phi at the start of a region: predecessors store, the phi loads.
    fn replace_phis(&mut self, list: &[Node]) {
        let Some(block) = self.first_block(list) else { return };
        let insts = std::mem::take(&mut self.shader.blocks[block].insts);
        let mut replaced = Vec::with_capacity(insts.len());
        for inst in insts {
            if let (InstKind::Phi(srcs), Some(result)) =
                (&self.shader.insts[inst].kind, self.shader.insts[inst].result)
            {
                let srcs = srcs.clone();
                let variable = self.variable_like(result);
                for src in srcs {
                    let store = self.store(variable, src.value);
                    self.shader.blocks[src.pred].insts.extend(store);
                }
                let (zero, load) = self.load(variable);
                self.shader.insts[inst].kind = load;
                replaced.push(zero);
            }
            replaced.push(inst);
        }
        // A block that leads to itself now ends with stores.
        let stores = std::mem::replace(&mut self.shader.blocks[block].insts, replaced);
        self.shader.blocks[block].insts.extend(stores);
    }

    fn note_definitions(&mut self, region: Region, list: &[Node]) {
        for block in self.blocks(list) {
            for &inst in &self.shader.blocks[block].insts {
                if let Some(result) = self.shader.insts[inst].result {
                    self.homes[result] = Some(region);
                }
            }
        }
    }

    fn rewrite_reads(&mut self, list: &[Node]) {
        for node in nodes(self.shader, list) {
            match self.shader.nodes[node] {
                NodeData::Block(block) => {
                    for i in 0..self.shader.blocks[block].insts.len() {
                        let inst = self.shader.blocks[block].insts[i];
                        let mut kind =
                            std::mem::replace(&mut self.shader.insts[inst].kind, InstKind::Undef);
                        kind.for_each_src_mut(|value| *value = self.read(*value));
                        self.shader.insts[inst].kind = kind;
                    }
                }
                NodeData::If { cond, .. } => {
                    let read = self.read(cond);
                    if let NodeData::If { cond, .. } = &mut self.shader.nodes[node] {
                        *cond = read;
                    }
                }
                NodeData::Loop { .. } => {}
            }
        }
    }

    /// Value that the current region reads for another: the value itself if its definition
    /// dominates the region or is inside it, else a copy made at the region's start.
    fn read(&mut self, value: Value) -> Value {
        match self.homes[value] {
            Some(home) if home != Region::Before && home != self.region => {}
            _ => return value,
        }
        if let Some(&copy) = self.read.get(&value) {
            return copy;
        }
        let data = self.shader.values[value];
        let kind = match &self.shader.insts[data.def].kind {
            constant @ (InstKind::Const(_) | InstKind::Undef) => constant.clone(),
            _ => {
                let variable = match self.variables[value] {
                    Some(variable) => variable,
                    None => self.variable_like(value),
                };
                self.variables[value] = Some(variable);
                let (zero, load) = self.load(variable);
                self.start.push(zero);
                load
            }
        };
        let line = self.shader.line_of(value);
        let inst = self.shader.create_inst(kind, Some((data.bits, data.components)), line);
        self.start.push(inst);
        let copy = self.shader.insts[inst].result.unwrap_or(value);
        self.read.insert(value, copy);
        copy
    }

    fn put_start(&mut self, list: &[Node]) {
        let start = std::mem::take(&mut self.start);
        if let (Some(block), false) = (self.first_block(list), start.is_empty()) {
            self.shader.blocks[block].insts.splice(0..0, start);
        }
    }

    /// Stores values that are kept where they are defined.
    fn store_definitions(&mut self, list: &[Node]) {
        for block in self.blocks(list) {
            let kept = |this: &Self, inst: Inst| {
                let result = this.shader.insts[inst].result?;
                Some((result, this.variables[result]?))
            };
            if !self.shader.blocks[block].insts.iter().any(|&inst| kept(self, inst).is_some()) {
                continue;
            }
            let insts = std::mem::take(&mut self.shader.blocks[block].insts);
            let mut all = Vec::with_capacity(insts.len() + 4);
            let mut of_phis = Vec::new();
            for inst in insts {
                let is_phi = matches!(self.shader.insts[inst].kind, InstKind::Phi(_));
                if !is_phi {
                    all.append(&mut of_phis);
                }
                all.push(inst);
                if let Some((value, variable)) = kept(self, inst) {
                    let store = self.store(variable, value);
                    if is_phi { &mut of_phis } else { &mut all }.extend(store);
                }
            }
            all.append(&mut of_phis);
            self.shader.blocks[block].insts = all;
        }
    }
}
