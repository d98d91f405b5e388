//! `OpSwitch` as a statement whose cases fall through in order.

use program::Statement;
use program::shader::Case;
use program::{BinaryOp, ExprId, ExprKind, Scalar};
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

use super::control::Follow;
use super::flow::{Construct, ConstructKind, Position};
use crate::error::Error;
use crate::module::{Instruction, Operand};
use crate::translate::state::ShaderBuilder;

/// A case in the making.
struct Target {
    block: u32,
    labels: Vec<u32>,
    default: bool,
    /// The case that control goes on to.
    next: Option<u32>,
}

/// The labels of a switch with their blocks.
fn labels(terminator: &Instruction) -> Vec<(u64, u32)> {
    let pairs = terminator.operands.get(2..).unwrap_or_default().chunks_exact(2);
    let label = |pair: &[Operand]| match pair {
        [Operand::Literal(literal), Operand::Id(block)] => Some((u64::from(*literal), *block)),
        [Operand::Wide(literal), Operand::Id(block)] => Some((*literal, *block)),
        _ => None,
    };
    pairs.filter_map(label).collect()
}

impl ShaderBuilder<'_> {
    pub(crate) fn switch(
        &mut self,
        label: u32,
        merge: u32,
        terminator: &Instruction,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let selector = self.selector(terminator, out)?;
        let targets = self.targets(terminator, merge, position)?;
        position.constructs.push(Construct::new(ConstructKind::Switch, label, merge));
        // A case that another one falls through to has two ways in: the values of the first are set
        // before the switch, since those of the second must not be overwritten.
        let reached: FxHashSet<u32> = targets.iter().filter_map(|target| target.next).collect();
        for target in targets.iter().filter(|target| reached.contains(&target.block)) {
            self.edge(label, target.block, out)?;
        }
        let mut cases = Vec::new();
        for target in targets {
            let mut body = Vec::new();
            if reached.contains(&target.block) {
                self.enter(target.block, target.next, position, &mut body)?;
            } else {
                self.arm(label, target.block, target.next, position, &mut body)?;
            }
            cases.push(Case { labels: target.labels, default: target.default, body });
        }
        let Some(construct) = position.constructs.pop() else { return Ok(()) };
        self.close(construct, Statement::Switch { selector, cases }, follow, position, out);
        Ok(())
    }

    fn selector(
        &mut self,
        terminator: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<ExprId, Error> {
        let selector = self.id(terminator, 0)?;
        let value = self.operand_value(terminator, selector)?;
        let (scalar, _) = self.shape(self.ty(value));
        match scalar {
            Scalar::Int64 | Scalar::Uint64 => Ok(self.long_selector(terminator, value, out)),
            Scalar::Int8 | Scalar::Int16 => Ok(self.cast(value, Scalar::Int)),
            Scalar::Uint8 | Scalar::Uint16 => Ok(self.cast(value, Scalar::Uint)),
            _ => Ok(value),
        }
    }

    /// The number of the label that a selector of 64 bits is, or that of labels: cases have 32
    /// bits.
    fn long_selector(
        &mut self,
        terminator: &Instruction,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> ExprId {
        let ty = self.ty(value);
        let (scalar, _) = self.shape(ty);
        let value = self.declared("selector", ty, Some(value), out);
        let (uint, bool_type) = (self.types.scalar(Scalar::Uint), self.types.scalar(Scalar::Bool));
        let labels = labels(terminator);
        let mut number = self.scalar(Scalar::Uint, labels.len() as u64);
        for (index, (bits, _)) in labels.iter().enumerate() {
            let (selector, label) = (self.local(value), self.scalar(scalar, *bits));
            let condition = ExprKind::Binary(BinaryOp::Equal, selector, label);
            let condition = self.push(condition, bool_type);
            let if_true = self.scalar(Scalar::Uint, index as u64);
            number = self.push(ExprKind::Select { condition, if_true, if_false: number }, uint);
        }
        number
    }

    /// The cases in an order in which each is before the one that it falls through to.
    fn targets(
        &self,
        terminator: &Instruction,
        merge: u32,
        position: &Position<'_>,
    ) -> Result<Vec<Target>, Error> {
        let mut list: Vec<Target> = Vec::new();
        let mut add = |block: u32, literal: Option<u32>| {
            let index = list.iter().position(|target| target.block == block).unwrap_or_else(|| {
                list.push(Target { block, labels: Vec::new(), default: false, next: None });
                list.len() - 1
            });
            match literal {
                Some(literal) => list[index].labels.push(literal),
                None => list[index].default = true,
            }
        };
        let is_long = matches!(terminator.operands.get(2), Some(Operand::Wide(_)));
        for (index, (bits, block)) in labels(terminator).into_iter().enumerate() {
            // Labels of 64 bits are counted.
            add(block, Some(if is_long { index as u32 } else { bits as u32 }));
        }
        add(self.id(terminator, 1)?, None);
        let blocks: FxHashSet<u32> = list.iter().map(|target| target.block).collect();
        for target in &mut list {
            target.next = self.falls_through(target.block, merge, &blocks, position);
        }
        let reached: FxHashSet<u32> = list.iter().filter_map(|target| target.next).collect();
        let mut order = Vec::new();
        let firsts: Vec<u32> = list
            .iter()
            .map(|target| target.block)
            .filter(|block| !reached.contains(block))
            .collect();
        for first in firsts {
            let mut next = Some(first);
            while let Some(index) =
                next.and_then(|block| list.iter().position(|t| t.block == block))
            {
                let target = list.remove(index);
                next = target.next;
                order.push(target);
            }
        }
        if !list.is_empty() {
            return Err(self.module.error(terminator, "cases that fall through in a circle"));
        }
        Ok(order)
    }

    /// The other case that blocks from a case's first one on reach.
    fn falls_through(
        &self,
        first: u32,
        merge: u32,
        cases: &FxHashSet<u32>,
        position: &Position<'_>,
    ) -> Option<u32> {
        let (mut seen, mut open) = (FxHashSet::default(), vec![first]);
        while let Some(label) = open.pop() {
            let outside = label == merge || position.is_exit(label, None);
            if outside || !seen.insert(label) {
                continue;
            }
            if label != first && cases.contains(&label) {
                return Some(label);
            }
            let Some(block) = position.blocks.get(&label) else { continue };
            let instructions = &self.module.instructions[block.body.clone()];
            // A merge block is in the case even if no branch leads to it.
            let merges = instructions.iter().rev().nth(1);
            let merges = merges.filter(|i| matches!(i.op, Op::SelectionMerge | Op::LoopMerge));
            open.extend(merges.and_then(|merge| merge.id_at(0)));
            open.extend(instructions.last().into_iter().flat_map(Instruction::targets));
        }
        None
    }
}
