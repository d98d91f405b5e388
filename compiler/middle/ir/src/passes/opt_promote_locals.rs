//! Promotion of local variables to SSA values ("mem2reg").
//!
//! ```text
//! before:
//!   store_local v0 local=l0
//!   v1 = load_local local=l0
//!   v2 = fadd v1, v1
//! after:
//!   v2 = fadd v0, v0
//! ```

use super::rewrite::resolve;
use crate::builder::Builder;
use crate::cfg::Cfg;
use crate::ids::{Block, Inst, Local, Value};
use crate::inst::{InstKind, PhiSrc, Src};
use crate::intrinsics::{Intrinsic, IntrinsicOp};
use crate::ops::AluOp;
use crate::shader::{Shader, Step};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Variables handled at once are bounded so that the table of values at block ends stays below this
/// many entries.
const MAX_TABLE: usize = 4_000_000;

/// Replaces every local variable and array that is only accessed at constant indices by SSA values,
/// with phis at merges, loop headers and loop exits.
///
/// Loads before any store give an undefined value, as do loads beyond the array; stores beyond it
/// disappear. Arrays with an access at run time and variables in memory stay; see
/// `lower_locals_to_select_chain` and `lower_locals_to_scratch`. Superfluous phis are left for
/// `opt_copy_propagation` and `opt_dce`.
pub fn opt_promote_locals(shader: &mut Shader) -> bool {
    let variables = promotable(shader);
    if variables.is_empty() {
        return false;
    }
    let blocks = shader.block_order().len();
    for batch in variables.chunks((MAX_TABLE / blocks.max(1)).max(1)) {
        promote(shader, batch);
    }
    remove_stray_accesses(shader);
    true
}

/// An element of a promotable local.
type Element = (Local, u32);

fn local_access(kind: &InstKind) -> Option<(&Intrinsic, Local)> {
    match kind {
        InstKind::Intrinsic(i)
            if matches!(i.op, IntrinsicOp::LoadLocal | IntrinsicOp::StoreLocal) =>
        {
            i.fields.local.map(|local| (i, local))
        }
        _ => None,
    }
}

/// The index source of a local access.
fn index_of(intrinsic: &Intrinsic) -> Option<Value> {
    intrinsic.srcs.get(usize::from(intrinsic.op == IntrinsicOp::StoreLocal)).copied()
}

/// Accessed elements of the locals that are only accessed at constant indices, in order of first
/// access.
fn promotable(shader: &Shader) -> Vec<Element> {
    let mut dynamic: SecondaryMap<Local, bool> = SecondaryMap::new();
    let mut elements: Vec<Element> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let Some((intrinsic, local)) = local_access(&shader.insts[inst].kind) else { continue };
            match index_of(intrinsic).and_then(|v| shader.as_const_u64(v)) {
                Some(index) => {
                    let index = index as u32;
                    if index < shader.locals[local].length && seen.insert((local, index)) {
                        elements.push((local, index));
                    }
                }
                None => dynamic[local] = true,
            }
        }
    }
    elements.retain(|&(local, _)| !dynamic[local] && !shader.locals[local].in_memory);
    elements
}

struct Promoter<'a> {
    numbers: rustc_hash::FxHashMap<Element, usize>,
    elements: &'a [Element],
    /// Values at the end of each block processed so far.
    ends: SecondaryMap<Block, Option<Vec<Option<Value>>>>,
    map: SecondaryMap<Value, Option<Value>>,
    /// Header phis that lack the sources of back edges.
    open: Vec<(Block, usize, Value)>,
    /// One undefined value per variable, made at first need in the entry block.
    undefs: Vec<Option<Value>>,
    entry: Block,
}

fn promote(shader: &mut Shader, elements: &[Element]) {
    let cfg = Cfg::new(shader);
    let Some(&entry) = cfg.order.first() else { return };
    let stored = stored_in_loops(shader, &cfg, elements);
    let mut promoter = Promoter {
        numbers: elements.iter().enumerate().map(|(i, &e)| (e, i)).collect(),
        elements,
        ends: SecondaryMap::new(),
        map: SecondaryMap::new(),
        open: Vec::new(),
        undefs: vec![None; elements.len()],
        entry,
    };
    for &block in &cfg.order {
        let mut values = promoter.start(shader, &cfg, block, stored.get(&block));
        promoter.block(shader, block, &mut values);
        promoter.ends[block] = Some(values);
    }
    promoter.close(shader, &cfg);
    shader.replace_uses(&promoter.map);
}

/// For each loop header the variables that the loop stores.
fn stored_in_loops(
    shader: &Shader,
    cfg: &Cfg,
    elements: &[Element],
) -> rustc_hash::FxHashMap<Block, Vec<usize>> {
    let numbers: rustc_hash::FxHashMap<Element, usize> =
        elements.iter().enumerate().map(|(i, &e)| (e, i)).collect();
    let mut result = rustc_hash::FxHashMap::default();
    // Open loops: header and the set stored so far.
    let mut open: Vec<(Block, Vec<bool>)> = Vec::new();
    for step in shader.walk() {
        match step {
            Step::Loop(node) => {
                if let Some(header) = cfg.header[node] {
                    open.push((header, vec![false; elements.len()]));
                }
            }
            Step::EndLoop(_) => {
                let Some((header, set)) = open.pop() else { continue };
                if let Some((_, outer)) = open.last_mut() {
                    outer.iter_mut().zip(&set).for_each(|(o, s)| *o |= s);
                }
                let list = set.iter().enumerate().filter(|(_, s)| **s).map(|(i, _)| i);
                result.insert(header, list.collect());
            }
            Step::Block(block) => {
                let Some((_, set)) = open.last_mut() else { continue };
                for &inst in &shader.blocks[block].insts {
                    if let Some((intrinsic, local)) = local_access(&shader.insts[inst].kind)
                        && intrinsic.op == IntrinsicOp::StoreLocal
                        && let Some(index) =
                            index_of(intrinsic).and_then(|v| shader.as_const_u64(v))
                        && let Some(&number) = numbers.get(&(local, index as u32))
                    {
                        set[number] = true;
                    }
                }
            }
            _ => {}
        }
    }
    result
}

impl Promoter<'_> {
    /// Values at the start of a block, with phis where predecessors differ or a loop may change
    /// them.
    fn start(
        &mut self,
        shader: &mut Shader,
        cfg: &Cfg,
        block: Block,
        stored: Option<&Vec<usize>>,
    ) -> Vec<Option<Value>> {
        let preds = &cfg.preds[block];
        let known: Vec<Block> = preds.iter().copied().filter(|&p| self.ends[p].is_some()).collect();
        let Some(mut values) = known.first().and_then(|&first| self.ends[first].clone()) else {
            return vec![None; self.elements.len()];
        };
        if known.len() > 1 {
            for (i, value) in values.iter_mut().enumerate() {
                let incoming: Vec<Option<Value>> =
                    known.iter().map(|&p| self.ends[p].as_ref().and_then(|e| e[i])).collect();
                if incoming.iter().any(|v| v != value) {
                    let srcs = known
                        .iter()
                        .zip(&incoming)
                        .map(|(&pred, v)| (pred, *v))
                        .collect::<Vec<_>>();
                    *value = Some(self.phi(shader, block, i, &srcs));
                }
            }
        }
        if known.len() < preds.len() {
            for &i in stored.map_or(&[][..], |s| s) {
                let incoming: Vec<_> =
                    known.iter().map(|&p| (p, self.ends[p].as_ref().and_then(|e| e[i]))).collect();
                let phi = self.phi(shader, block, i, &incoming);
                self.open.push((block, i, phi));
                values[i] = Some(phi);
            }
        }
        values
    }

    fn shape(&self, shader: &Shader, variable: usize) -> (u8, u8) {
        let data = &shader.locals[self.elements[variable].0];
        (data.bits, data.components)
    }

    fn undef(&mut self, shader: &mut Shader, variable: usize) -> Value {
        let (bits, components) = self.shape(shader, variable);
        let entry = self.entry;
        *self.undefs[variable]
            .get_or_insert_with(|| Builder::at(shader, entry, 0).undef(bits, components))
    }

    fn phi(
        &mut self,
        shader: &mut Shader,
        block: Block,
        variable: usize,
        incoming: &[(Block, Option<Value>)],
    ) -> Value {
        let mut srcs: SmallVec<[PhiSrc; 2]> = SmallVec::new();
        for &(pred, value) in incoming {
            let value = match value {
                Some(value) => value,
                None => self.undef(shader, variable),
            };
            srcs.push(PhiSrc { pred, value });
        }
        let (bits, components) = self.shape(shader, variable);
        let mut lines = srcs.iter().map(|src| shader.line_of(src.value));
        let line = lines.find(|line| !line.is_unknown()).unwrap_or_default();
        let mut b = Builder::at(shader, block, 0);
        b.line = line;
        b.phi(srcs, bits, components)
    }

    fn block(&mut self, shader: &mut Shader, block: Block, values: &mut [Option<Value>]) {
        let mut insts = std::mem::take(&mut shader.blocks[block].insts);
        // Undefined values made below go to the front of the entry block.
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts.drain(..) {
            shader.insts[inst].kind.for_each_src_mut(|v| *v = resolve(&self.map, *v));
            match self.access(shader, inst) {
                None => kept.push(inst),
                Some(variable) => self.replace(shader, inst, variable, values, &mut kept),
            }
        }
        let added = std::mem::take(&mut shader.blocks[block].insts);
        shader.blocks[block].insts = added.into_iter().chain(kept).collect();
    }

    /// The variable a load or store accesses, if it is one of this batch.
    fn access(&self, shader: &Shader, inst: Inst) -> Option<usize> {
        let (intrinsic, local) = local_access(&shader.insts[inst].kind)?;
        let index = shader.as_const_u64(index_of(intrinsic)?)?;
        self.numbers.get(&(local, index as u32)).copied()
    }

    fn replace(
        &mut self,
        shader: &mut Shader,
        inst: Inst,
        variable: usize,
        values: &mut [Option<Value>],
        kept: &mut Vec<Inst>,
    ) {
        if let Some(result) = shader.insts[inst].result {
            let value = match values[variable] {
                Some(value) => value,
                None => self.undef(shader, variable),
            };
            self.map[result] = Some(value);
            return;
        }
        let InstKind::Intrinsic(store) = &shader.insts[inst].kind else { return };
        let (new, write_mask) = (store.srcs[0], store.fields.write_mask);
        let (bits, components) = self.shape(shader, variable);
        if write_mask.count_ones() >= components.into() {
            values[variable] = Some(new);
            return;
        }
        let old = match values[variable] {
            Some(value) => value,
            None => self.undef(shader, variable),
        };
        let srcs = (0..components)
            .map(|c| Src::splat(if write_mask >> c & 1 != 0 { new } else { old }, c));
        let alu =
            crate::inst::Alu { op: AluOp::vec(components), srcs: srcs.collect(), exact: false };
        let line = shader.insts[inst].line;
        let merged = shader.create_inst(InstKind::Alu(alu), Some((bits, components)), line);
        values[variable] = shader.insts[merged].result;
        kept.push(merged);
    }

    /// Completes the header phis with the values at the ends of the loops.
    fn close(&mut self, shader: &mut Shader, cfg: &Cfg) {
        for (block, variable, phi) in std::mem::take(&mut self.open) {
            let inst = shader.values[phi].def;
            for &pred in &cfg.preds[block] {
                let present = matches!(&shader.insts[inst].kind, InstKind::Phi(s) if s.iter().any(|s| s.pred == pred));
                if present {
                    continue;
                }
                let value = match self.ends[pred].as_ref().and_then(|e| e[variable]) {
                    Some(value) => value,
                    None => self.undef(shader, variable),
                };
                if let InstKind::Phi(srcs) = &mut shader.insts[inst].kind {
                    srcs.push(PhiSrc { pred, value });
                }
            }
        }
    }
}

/// Accesses at constant indices beyond their array: loads become undefined, stores vanish.
fn remove_stray_accesses(shader: &mut Shader) {
    super::rewrite::rewrite(shader, |b, inst| {
        let Some((intrinsic, local)) = local_access(&b.shader.insts[inst].kind) else {
            return super::rewrite::Action::Keep;
        };
        let data = &b.shader.locals[local];
        let (bits, components, length) = (data.bits, data.components, data.length);
        let index = index_of(intrinsic).and_then(|v| b.shader.as_const_u64(v));
        match (index, b.shader.insts[inst].result) {
            (Some(index), result) if index >= u64::from(length) => match result {
                Some(_) => super::rewrite::Action::Replace(b.undef(bits, components)),
                None => super::rewrite::Action::Remove,
            },
            _ => super::rewrite::Action::Keep,
        }
    });
}
