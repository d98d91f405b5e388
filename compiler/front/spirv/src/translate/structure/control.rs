//! Structured control flow (SPIR-V 1.6 section 2.11.2) as statements.

use cranelift_entity::EntityRef;
use program::{BinaryOp, ExprId, ExprKind, LocalId, Scalar, Statement, UnaryOp};
use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Construct, ConstructKind, Position};
use crate::dominance::Dominance;
use crate::error::Error;
use crate::module::{Function, Instruction};
use crate::translate::state::ShaderBuilder;

/// Most constructs inside each other.
const MAX_DEPTH: usize = 200;

/// The block at which a region ends.
pub(crate) type Follow = Option<u32>;

impl ShaderBuilder<'_> {
    /// Appends the blocks of a function.
    pub(crate) fn control(
        &mut self,
        function: &Function,
        first: u32,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let blocks: FxHashMap<_, _> = function.blocks.iter().map(|b| (b.label, b)).collect();
        let mut position = Position {
            blocks,
            order: Dominance::new(self.module, function),
            constructs: Vec::new(),
            depth: 0,
            done: FxHashSet::default(),
        };
        self.region(first, None, &mut position, out)
    }

    /// Appends the blocks from one on until control leaves the constructs around or reaches
    /// `follow`.
    pub(crate) fn region(
        &mut self,
        first: u32,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let mut next = Some(first);
        while let Some(label) = next {
            next = self.one_block(label, follow, position, out)?;
        }
        Ok(())
    }

    /// Appends a block, and the construct that it is the header of. Returns the block after it.
    fn one_block(
        &mut self,
        label: u32,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<Follow, Error> {
        let module = self.module;
        let Some(&block) = position.blocks.get(&label) else {
            return Err(Error::new(
                0,
                format!("{} is no block of the function", module.name(label)),
            ));
        };
        let instructions = &module.instructions[block.body.clone()];
        let Some((terminator, rest)) = instructions.split_last() else { return Ok(None) };
        if !position.done.insert(label) {
            let message = format!("block {} is reached in two ways", module.name(label));
            return Err(module.error(terminator, message));
        }
        if position.constructs.len().max(position.depth) > MAX_DEPTH {
            return Err(self.unsupported(
                terminator,
                format!("more than {MAX_DEPTH} constructs in each other are"),
            ));
        }
        let merge = rest.last().filter(|i| matches!(i.op, Op::SelectionMerge | Op::LoopMerge));
        match merge {
            Some(merge) if merge.op == Op::LoopMerge => {
                let after = self.id(merge, 0)?;
                self.loop_construct(label, merge, instructions, follow, position, out)?;
                Ok(Some(after))
            }
            _ => {
                self.instructions(rest, out)?;
                self.terminator(label, merge, terminator, follow, position, out)
            }
        }
    }

    fn instructions(
        &mut self,
        list: &[Instruction],
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        list.iter().try_for_each(|instruction| self.instruction(instruction, out))
    }

    /// Appends a terminator. Returns the block after it.
    fn terminator(
        &mut self,
        label: u32,
        merge: Option<&Instruction>,
        terminator: &Instruction,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<Follow, Error> {
        match terminator.op {
            Op::Branch => {
                let target = self.id(terminator, 0)?;
                self.edge(label, target, out)?;
                let leaves = self.jump(target, follow, position, out);
                return Ok(if leaves { None } else { Some(target) });
            }
            Op::BranchConditional => {
                return match merge {
                    Some(merge) => {
                        let after = position.meeting(label, self.id(merge, 0)?, follow);
                        self.selection(label, after, terminator, follow, position, out)?;
                        Ok(Some(after))
                    }
                    None => self.conditional_exit(label, terminator, follow, position, out),
                };
            }
            Op::Switch => {
                let Some(merge) = merge else {
                    return Err(self.module.error(terminator, "a switch without OpSelectionMerge"));
                };
                let after = self.id(merge, 0)?;
                self.switch(label, after, terminator, follow, position, out)?;
                return Ok(Some(after));
            }
            Op::Return => out.push(Statement::Return(None)),
            Op::ReturnValue => {
                let value = self.id(terminator, 0)?;
                let value = self.operand_value(terminator, value)?;
                out.push(Statement::Return(Some(value)));
            }
            Op::Kill => out.push(Statement::Discard),
            Op::TerminateInvocation => {
                // The invocation takes no part in what the others do next.
                out.push(Statement::Discard);
                if self.body.is_entry {
                    out.push(Statement::Return(None));
                }
            }
            Op::Unreachable => {}
            _ => return Err(self.unsupported(terminator, "it is")),
        }
        Ok(None)
    }

    /// A selection with the block in which its ways meet.
    fn selection(
        &mut self,
        label: u32,
        merge: u32,
        terminator: &Instruction,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let condition = self.condition(terminator)?;
        position.constructs.push(Construct::new(ConstructKind::Selection, label, merge));
        let mut arms = [Vec::new(), Vec::new()];
        let targets = [self.id(terminator, 1)?, self.id(terminator, 2)?];
        // A block that both ways lead to is there once.
        let is_only = targets[0] == targets[1];
        for (arm, target) in arms.iter_mut().zip(targets).take(if is_only { 1 } else { 2 }) {
            self.arm(label, target, Some(merge), position, arm)?;
        }
        let condition = if is_only { self.bool(true) } else { condition };
        let [then, otherwise] = arms;
        let statement = self.if_statement(condition, then, otherwise);
        let Some(construct) = position.constructs.pop() else { return Ok(()) };
        self.close(construct, statement, follow, position, out);
        Ok(())
    }

    pub(crate) fn if_statement(
        &mut self,
        condition: ExprId,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    ) -> Statement {
        if !then.is_empty() || otherwise.is_empty() {
            return Statement::If { condition, then, otherwise };
        }
        let condition = self.unary(UnaryOp::LogicalNot, condition);
        Statement::If { condition, then: otherwise, otherwise: Vec::new() }
    }

    fn condition(&mut self, terminator: &Instruction) -> Result<ExprId, Error> {
        let condition = self.id(terminator, 0)?;
        self.operand_value(terminator, condition)
    }

    /// The way to a target and the blocks from it on, unless it is outside.
    pub(crate) fn arm(
        &mut self,
        label: u32,
        target: u32,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        self.edge(label, target, out)?;
        self.enter(target, follow, position, out)
    }

    /// The blocks from a target on, unless it is outside.
    pub(crate) fn enter(
        &mut self,
        target: u32,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        if self.jump(target, follow, position, out) {
            return Ok(());
        }
        position.depth += 1;
        let result = self.region(target, follow, position, out);
        position.depth -= 1;
        result
    }

    /// A conditional branch without merge block: at least one target is outside.
    fn conditional_exit(
        &mut self,
        label: u32,
        terminator: &Instruction,
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<Follow, Error> {
        let condition = self.condition(terminator)?;
        let (on_true, on_false) = (self.id(terminator, 1)?, self.id(terminator, 2)?);
        if on_true == on_false {
            self.edge(label, on_true, out)?;
            let leaves = self.jump(on_true, follow, position, out);
            return Ok(if leaves { None } else { Some(on_true) });
        }
        let exits = [on_true, on_false].map(|target| position.is_exit(target, follow));
        let falls = [on_true, on_false].map(|target| follow == Some(target));
        let mut arms = [Vec::new(), Vec::new()];
        // The code behind a jump out of the region needs no branch of its own.
        let goes_on = match (exits, falls) {
            ([true, false], [false, _]) => Some(1),
            ([false, true], [_, false]) => Some(0),
            ([false, false], _) => {
                return Err(self.module.error(terminator, "a selection without OpSelectionMerge"));
            }
            _ => None,
        };
        for (index, target) in [on_true, on_false].into_iter().enumerate() {
            if goes_on != Some(index) {
                self.arm(label, target, follow, position, &mut arms[index])?;
            }
        }
        let [then, otherwise] = arms;
        out.push(self.if_statement(condition, then, otherwise));
        let Some(index) = goes_on else { return Ok(None) };
        let target = if index == 0 { on_true } else { on_false };
        self.edge(label, target, out)?;
        Ok(Some(target))
    }

    fn loop_construct(
        &mut self,
        label: u32,
        merge: &Instruction,
        instructions: &[Instruction],
        follow: Follow,
        position: &mut Position<'_>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let (after, next) = (self.id(merge, 0)?, self.id(merge, 1)?);
        let Some((terminator, rest)) = instructions.split_last() else { return Ok(()) };
        position.constructs.push(Construct {
            continue_target: Some(next),
            ..Construct::new(ConstructKind::Loop, label, after)
        });
        let mut body = Vec::new();
        self.instructions(rest, &mut body)?;
        let inner = self.terminator(label, None, terminator, Some(next), position, &mut body)?;
        if let Some(inner) = inner {
            self.region(inner, Some(next), position, &mut body)?;
        }
        let statement = match next == label {
            true => plain_loop(body, None),
            false if position.done.contains(&next) => {
                let message = format!("{} is no continue construct", self.module.name(next));
                return Err(self.module.error(merge, message));
            }
            false => self.with_continue(label, after, next, body, position)?,
        };
        let Some(construct) = position.constructs.pop() else { return Ok(()) };
        self.close(construct, statement, follow, position, out);
        Ok(())
    }

    /// A loop whose continue construct is not the header.
    fn with_continue(
        &mut self,
        header: u32,
        merge: u32,
        next: u32,
        body: Vec<Statement>,
        position: &mut Position<'_>,
    ) -> Result<Statement, Error> {
        if let Some(step) = self.step_expression(header, merge, next, position)? {
            return Ok(Statement::Loop {
                init: Vec::new(),
                condition_declaration: Vec::new(),
                condition: step.condition,
                test_after: step.condition.is_some(),
                step: step.step,
                body,
            });
        }
        let mut between = Vec::new();
        // A jump to the continue target is none inside of the construct.
        if let Some(construct) = position.constructs.last_mut() {
            construct.continue_target = None;
        }
        self.region(next, Some(header), position, &mut between)?;
        // Where an iteration begins, values of the one before are still there.
        let mut body = self.hoisted(body, None);
        let bool = self.types.scalar(Scalar::Bool);
        let again = self.new_local("again", bool);
        let condition = self.local(again);
        let (place, yes) = (self.local(again), self.bool(true));
        let note = Statement::Expression(self.assign(place, yes));
        body.splice(
            0..0,
            [Statement::If { condition, then: between, otherwise: Vec::new() }, note],
        );
        let no = Some(self.bool(false));
        let mut statement = plain_loop(body, None);
        if let Statement::Loop { init, .. } = &mut statement {
            init.push(Statement::Declare { local: again, value: no });
        }
        Ok(statement)
    }

    /// Statements whose locals, or some of them, are declared where the function begins.
    pub(crate) fn hoisted(
        &mut self,
        list: Vec<Statement>,
        which: Option<&FxHashSet<LocalId>>,
    ) -> Vec<Statement> {
        let mut made = Vec::new();
        for mut statement in list {
            match &mut statement {
                &mut Statement::Declare { local, value }
                    if which.is_none_or(|which| which.contains(&local)) =>
                {
                    self.body.hoisted.push(local);
                    let Some(value) = value else { continue };
                    let place = self.local(local);
                    statement = Statement::Expression(self.assign(place, value));
                }
                Statement::If { then, otherwise, .. } => {
                    *then = self.hoisted(std::mem::take(then), which);
                    *otherwise = self.hoisted(std::mem::take(otherwise), which);
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        case.body = self.hoisted(std::mem::take(&mut case.body), which);
                    }
                }
                Statement::Loop { body, .. } | Statement::Block(body) => {
                    *body = self.hoisted(std::mem::take(body), which);
                }
                _ => {}
            }
            made.push(statement);
        }
        made
    }

    /// The continue construct as an expression, if it is one block; with the condition of a
    /// back-edge block that may leave the loop.
    fn step_expression(
        &mut self,
        header: u32,
        merge: u32,
        next: u32,
        position: &mut Position<'_>,
    ) -> Result<Option<Step>, Error> {
        let module = self.module;
        let Some(&block) = position.blocks.get(&next) else { return Ok(None) };
        let Some((terminator, rest)) = module.instructions[block.body.clone()].split_last() else {
            return Ok(None);
        };
        let targets = terminator.targets();
        let is_back_edge = match (terminator.op, targets.as_slice()) {
            (Op::Branch, [target]) => *target == header,
            (Op::BranchConditional, &[a, b]) => {
                (a, b) == (header, merge) || (a, b) == (merge, header)
            }
            _ => false,
        };
        if !is_back_edge || rest.last().is_some_and(|i| i.op == Op::SelectionMerge) {
            return Ok(None);
        }
        position.done.insert(next);
        let mut list = Vec::new();
        self.instructions(rest, &mut list)?;
        if terminator.op == Op::Branch {
            self.edge(next, header, &mut list)?;
            return Ok(Some(Step { step: self.sequence(list), condition: None }));
        }
        let condition = self.condition(terminator)?;
        let mut arms = Vec::new();
        for target in targets {
            let mut copies = Vec::new();
            self.edge(next, target, &mut copies)?;
            let (is_empty, value) = (copies.is_empty(), self.bool(target == header));
            copies.push(Statement::Expression(value));
            arms.push((is_empty, self.sequence(copies).unwrap_or(value)));
        }
        let condition = match arms.as_slice() {
            [(true, _), (true, _)] if terminator.id_at(1) == Some(header) => condition,
            [(true, _), (true, _)] => self.unary(UnaryOp::LogicalNot, condition),
            &[(_, if_true), (_, if_false)] => {
                let ty = self.types.scalar(Scalar::Bool);
                self.push(ExprKind::Select { condition, if_true, if_false }, ty)
            }
            _ => condition,
        };
        Ok(Some(Step { step: self.sequence(list), condition: Some(condition) }))
    }

    /// Expressions one after the other; `None` if there are none.
    fn sequence(&mut self, list: Vec<Statement>) -> Option<ExprId> {
        let mut result = None;
        for statement in list {
            let next = match statement {
                Statement::Expression(expr) => expr,
                Statement::Declare { local, value: Some(value) } => {
                    self.body.hoisted.push(local);
                    let place = self.local(local);
                    self.assign(place, value)
                }
                Statement::Declare { local, value: None } => {
                    self.body.hoisted.push(local);
                    continue;
                }
                _ => continue,
            };
            result = Some(match result {
                Some(first) => {
                    let ty = self.ty(next);
                    self.push(ExprKind::Sequence(first, next), ty)
                }
                None => next,
            });
        }
        result
    }

    /// Appends the values that a block's `OpPhi`s get from another block.
    pub(crate) fn edge(
        &mut self,
        from: u32,
        to: u32,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let module = self.module;
        let Some(first) = module.index_of(to) else { return Ok(()) };
        let phis = module.instructions[first + 1..]
            .iter()
            .take_while(|i| matches!(i.op, Op::Phi | Op::Line | Op::NoLine));
        let mut copies = Vec::new();
        for phi in phis.filter(|i| i.op == Op::Phi) {
            let pairs: Vec<u32> = phi.ids_from(0).collect();
            let Some(source) = pairs.chunks_exact(2).find(|pair| pair[1] == from) else {
                let message = format!("there is no value from {}", module.name(from));
                return Err(module.error(phi, message));
            };
            let is_undefined = module.get(source[0]).is_some_and(|i| i.op == Op::Undef);
            if source[0] == phi.id || is_undefined {
                continue;
            }
            let Some(&local) = self.body.phis.get(&phi.id) else { continue };
            copies.push((local, self.operand_value(phi, source[0])?));
        }
        let targets: Vec<_> = copies.iter().map(|&(local, _)| local).collect();
        for (index, copy) in copies.iter_mut().enumerate() {
            // A value that an earlier copy overwrites is kept before.
            let overwritten = match self.shader.exprs[copy.1].kind {
                ExprKind::Local(local) => targets[..index].contains(&local),
                _ => false,
            };
            if overwritten {
                let ty = self.ty(copy.1);
                let kept = self.new_local(&format!("kept {}", copy.0.index()), ty);
                out.push(Statement::Declare { local: kept, value: Some(copy.1) });
                copy.1 = self.local(kept);
            }
        }
        for (local, value) in copies {
            let place = self.local(local);
            out.push(Statement::Expression(self.assign(place, value)));
        }
        Ok(())
    }

    /// `a` and `b`, scalars or vectors of booleans.
    pub(crate) fn both(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if self.types.components(self.ty(a)) == 1 {
            return self.binary(BinaryOp::LogicalAnd, a, b);
        }
        let (first, ty) = (self.copy(a), self.ty(a));
        self.builtin(program::BuiltinFunction::Mix, vec![first, b, a], ty)
    }
}

/// A continue construct.
struct Step {
    step: Option<ExprId>,
    condition: Option<ExprId>,
}

fn plain_loop(body: Vec<Statement>, step: Option<ExprId>) -> Statement {
    Statement::Loop {
        init: Vec::new(),
        condition_declaration: Vec::new(),
        condition: None,
        test_after: false,
        step,
        body,
    }
}
