//! Conditions of several comparisons, which the flag takes one after the other.
//!
//! ```text
//! before:
//!   cmp.l.f0.0(8) v0<1>:F, v3<1>:F, v4<1>:F
//!   cmp.l.f0.0(8) v1<1>:F, v5<1>:F, v6<1>:F
//!   and.nz.f0.0(8) null<1>:D, v0<1>:D, v1<1>:D
//! after:
//!   cmp.l.f0.0(8) null<1>:F, v3<1>:F, v4<1>:F
//!   (+f0.0) cmp.l.f0.0(8) null<1>:F, v5<1>:F, v6<1>:F
//! ```
//!
//! A predicated comparison leaves the flag of the channels that do not execute it as it is: false
//! in a conjunction, true in a disjunction with the opposite predicate.

use crate::lir::cfg::Cfg;
use crate::lir::{CondMod, Inst, Op, Operand, Program, Type, VReg};
use crate::model::Model;
use cranelift_entity::SecondaryMap;

/// Maximum number of terms of a condition.
const MAX_TERMS: usize = 16;
/// Longest distance over which a comparison moves, in instructions.
const MAX_DISTANCE: usize = 256;

/// Replaces logic operations that only set the flag, where at least two of their operands are
/// comparisons without other uses. These move to the operation; other operands are tested there.
pub(crate) fn opt_predicated_comparisons(program: &mut Program, _model: &Model) -> bool {
    let is_candidate = |inst: &Inst| is_logic(inst) && inst.dst.is_null() && sets_flag(inst);
    if !program.insts.iter().any(is_candidate) {
        return false;
    }
    let cfg = program.analysis::<Cfg>();
    let values = Values::new(program);
    // The instructions in place of each operation.
    let mut conditions: Vec<(usize, Vec<Inst>)> = Vec::new();
    let mut moved = vec![false; program.insts.len()];
    for block in &cfg.blocks {
        for at in block.start..block.end {
            if !is_candidate(&program.insts[at]) {
                continue;
            }
            let first = block.start.max(at.saturating_sub(MAX_DISTANCE));
            let site = Site { program, values: &values, first, at };
            let mut terms = Vec::new();
            if !site.operands(at, &mut terms) {
                continue;
            }
            let comparisons = terms.iter().filter(|term| term.comparison.is_some()).count();
            if comparisons < 2 || terms.len() > MAX_TERMS {
                continue;
            }
            for def in terms.iter().flat_map(|term| &term.replaced) {
                moved[*def] = true;
            }
            let insts = terms.iter().enumerate().map(|(n, term)| site.inst(term, n > 0)).collect();
            conditions.push((at, insts));
        }
    }
    if conditions.is_empty() {
        return false;
    }
    let mut conditions = conditions.into_iter().peekable();
    for (at, inst) in program.take_insts().into_iter().enumerate() {
        if let Some((_, insts)) = conditions.next_if(|(place, _)| *place == at) {
            program.insts.extend(insts);
        } else if !moved[at] {
            program.insts.push(inst);
        }
    }
    true
}

fn is_logic(inst: &Inst) -> bool {
    let is_boolean = |src: &Operand| {
        src.vreg().is_some()
            && src.stride() == Some(1)
            && src.ty.is_integer()
            && src.ty.size() == 4
            && !src.is_modified()
    };
    matches!(inst.op, Op::And | Op::Or)
        && inst.predicate.is_none()
        && !inst.align16
        && !inst.no_mask
        && inst.src.iter().all(is_boolean)
}

fn sets_flag(inst: &Inst) -> bool {
    inst.cond == Some(CondMod::Nz)
}

/// The only definition of each register that has one, and its uses.
struct Values {
    defs: SecondaryMap<VReg, Option<usize>>,
    uses: SecondaryMap<VReg, u32>,
}

impl Values {
    fn new(program: &Program) -> Values {
        let mut values = Values { defs: program.vreg_table(), uses: program.vreg_table() };
        let mut writes = program.vreg_table::<u32>();
        for (at, inst) in program.insts.iter().enumerate() {
            inst.src.iter().filter_map(Operand::vreg).for_each(|v| values.uses[v] += 1);
            if let Some(v) = inst.dst.vreg() {
                writes[v] += 1;
                values.defs[v] = (writes[v] == 1).then_some(at);
            }
        }
        values
    }
}

/// A term of a condition.
struct Term {
    /// Operator that joins it to the terms before it.
    op: Op,
    /// Its comparison, which moves.
    comparison: Option<usize>,
    /// The boolean otherwise.
    operand: Operand,
    /// Instructions that go.
    replaced: Vec<usize>,
}

/// The place of an operation that sets the flag, and the first instruction that may move there.
struct Site<'a> {
    program: &'a Program,
    values: &'a Values,
    first: usize,
    at: usize,
}

impl Site<'_> {
    /// Appends the terms of a logic operation, if the flag can take them one after the other.
    fn operands(&self, at: usize, terms: &mut Vec<Term>) -> bool {
        let inst = &self.program.insts[at];
        let [a, b] = [inst.src[0], inst.src[1]];
        // The first operand may be a tree; the second one must be a term, or a tree of the same
        // operation.
        let (tree, other) = match (self.inner(&a), self.inner(&b)) {
            (None, Some(inner)) => (Some((inner, b)), a),
            (inner, _) => (inner.map(|inner| (inner, a)), b),
        };
        match tree {
            None => {
                terms.push(self.term(&a, inst.op));
                terms.push(self.term(&b, inst.op));
                return true;
            }
            Some((inner, _)) => {
                let before = terms.len();
                if terms.len() > MAX_TERMS || !self.operands(inner, terms) {
                    return false;
                }
                terms[before].replaced.push(inner);
            }
        }
        match self.inner(&other) {
            None => terms.push(self.term(&other, inst.op)),
            Some(inner) => {
                let before = terms.len();
                if !self.operands(inner, terms)
                    || terms[before..].iter().any(|term| term.op != inst.op)
                {
                    return false;
                }
                terms[before].replaced.push(inner);
            }
        }
        true
    }

    /// The logic operation that defines an operand for this use only, and nothing else.
    fn inner(&self, operand: &Operand) -> Option<usize> {
        let def = self.definition(operand)?;
        let inst = &self.program.insts[def];
        (is_logic(inst) && inst.cond.is_none() && self.same_channels(inst)).then_some(def)
    }

    /// The definition of an operand for this use only.
    fn definition(&self, operand: &Operand) -> Option<usize> {
        let v = operand.vreg()?;
        let def = self.values.defs[v].filter(|def| (self.first..self.at).contains(def))?;
        let inst = &self.program.insts[def];
        let is_whole = inst.dst.offset == operand.offset
            && inst.dst.stride() == Some(1)
            && inst.dst.ty.size() == 4;
        (self.values.uses[v] == 1 && is_whole).then_some(def)
    }

    fn same_channels(&self, inst: &Inst) -> bool {
        let site = &self.program.insts[self.at];
        (inst.exec_size, inst.group, inst.no_mask) == (site.exec_size, site.group, site.no_mask)
    }

    fn term(&self, operand: &Operand, op: Op) -> Term {
        let comparison = self.definition(operand).filter(|&def| self.can_move(def));
        let replaced = comparison.into_iter().collect();
        Term { op, comparison, operand: *operand, replaced }
    }

    /// The instruction is a comparison of 32-bit values whose flag is not read, and whose operands
    /// are the same at the operation.
    fn can_move(&self, def: usize) -> bool {
        let inst = &self.program.insts[def];
        if inst.op != Op::Cmp
            || inst.cond.is_none()
            || inst.predicate.is_some()
            || inst.align16
            || inst.has_64bit()
            || inst.touches_accumulator()
            || !self.same_channels(inst)
        {
            return false;
        }
        let between = &self.program.insts[def + 1..self.at];
        let overwrites = |other: &Inst| {
            inst.src.iter().any(|src| match other.dst.vreg() {
                Some(v) => src.vreg() == Some(v),
                None => other.dst.is_reg() && src.file == other.dst.file,
            })
        };
        let until_flag = between.iter().position(|i| i.writes_flag() && i.predicate.is_none());
        let readers = &between[..until_flag.map_or(between.len(), |n| n + 1)];
        !between.iter().any(overwrites) && !readers.iter().any(Inst::reads_flag)
    }

    /// The instruction that joins a term with those before it.
    fn inst(&self, term: &Term, is_joined: bool) -> Inst {
        let site = &self.program.insts[self.at];
        let mut inst = match term.comparison {
            Some(def) => {
                let mut inst = self.program.insts[def].clone();
                inst.dst = Operand::null(inst.dst.ty);
                inst
            }
            None => {
                let null = Operand::null(Type::D);
                let test = term.operand.retype(Type::D);
                let mut inst = Inst::new(Op::Mov, site.exec_size, null, &[test]);
                inst.group = site.group;
                inst.cond = Some(CondMod::Nz);
                inst
            }
        };
        inst.flag = site.flag;
        if is_joined {
            inst.predicate(term.op == Op::Or);
        }
        inst
    }
}
