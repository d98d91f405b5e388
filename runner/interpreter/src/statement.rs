//! Statements: structured control flow under lane masks.

use program::shader::Case;
use program::{ExprId, Statement};

use crate::call::LoopMasks;
use crate::environment::Error;
use crate::invocation_group::InvocationGroup;
use crate::lanes::{Mask, Value};

impl InvocationGroup<'_> {
    /// Runs statements in order while any lane is active.
    pub(crate) fn statements(&mut self, statements: &[Statement]) -> Result<(), Error> {
        let mut rest = statements;
        while let Some((statement, others)) = rest.split_first() {
            if !self.active.any() {
                return Ok(());
            }
            if let Some(executed) = self.flat_block(rest)? {
                rest = rest.get(executed..).unwrap_or(&[]);
                continue;
            }
            self.budget.step()?;
            self.nested(|this| this.statement(statement))?;
            rest = others;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), Error> {
        match statement {
            Statement::Expression(expr) => self.eval(*expr).map(drop),
            Statement::Declare { local, value } => self.declare(*local, *value),
            Statement::If { condition, then, otherwise } => {
                self.run_if(*condition, then, otherwise)
            }
            Statement::Loop { init, condition_declaration, condition, test_after, step, body } => {
                self.statements(init)?;
                self.run_loop(condition_declaration, *condition, *test_after, *step, body)
            }
            Statement::Switch { selector, cases } => self.run_switch(*selector, cases),
            Statement::Block(body) => self.statements(body),
            Statement::Break => {
                let active = self.take_active();
                let loop_masks =
                    self.call.loops.last_mut().ok_or(Error::Malformed("break outside a loop"))?;
                loop_masks.broken = loop_masks.broken.or(&active);
                Ok(())
            }
            Statement::Continue => {
                let active = self.take_active();
                let continued = self.call.loops.iter_mut().rev().find_map(|j| j.continued.as_mut());
                let continued = continued.ok_or(Error::Malformed("continue outside a loop"))?;
                *continued = continued.or(&active);
                Ok(())
            }
            Statement::Return(value) => self.run_return(*value),
            Statement::Discard => {
                let active = self.take_active();
                self.killed = self.killed.or(&active);
                Ok(())
            }
            Statement::Demote => {
                self.killed = self.killed.or(&self.active);
                Ok(())
            }
        }
    }

    /// Deactivates all lanes; returns the mask of those that were active.
    fn take_active(&mut self) -> Mask {
        let none = Mask::none(self.lanes);
        std::mem::replace(&mut self.active, none)
    }

    fn declare(&mut self, local: program::LocalId, value: Option<ExprId>) -> Result<(), Error> {
        let ty = self.current_local_type(local)?;
        let value = match value {
            Some(expr) => self.eval(expr)?,
            None => Value::undefined(self.layout.component_count(ty), self.lanes),
        };
        // Inactive lanes may lose the value of an earlier pass through this declaration: they
        // cannot read it.
        self.call.frame.define(local, value);
        Ok(())
    }

    fn run_return(&mut self, value: Option<ExprId>) -> Result<(), Error> {
        if let Some(expr) = value {
            let value = self.eval(expr)?;
            let active = self.active.clone();
            if let Some(result) = self.call.result.as_mut() {
                for c in 0..result.components() {
                    result.copy_lanes(c, &active, &value, c);
                }
            }
        }
        let active = self.take_active();
        self.call.returned = self.call.returned.or(&active);
        Ok(())
    }

    /// Returns the active lanes where a condition holds. Control flow of lanes with an undefined
    /// condition is undefined from here on.
    fn test(&mut self, condition: ExprId) -> Result<Mask, Error> {
        if let Some((truth, undefined)) = self.flat_condition(condition)? {
            self.undefined.control_flow = self.undefined.control_flow.or(&undefined);
            return Ok(truth);
        }
        let value = self.eval(condition)?;
        if !value.all_defined() {
            for lane in self.active.clone().iter().filter(|&lane| value.is_undefined(0, lane)) {
                self.undefined.control_flow.set(lane, true);
            }
        }
        Ok(value.truth(&self.active))
    }

    fn run_if(
        &mut self,
        condition: ExprId,
        then: &[Statement],
        otherwise: &[Statement],
    ) -> Result<(), Error> {
        let truth = self.test(condition)?;
        let falsity = self.active.minus(&truth);
        self.active = truth;
        self.statements(then)?;
        let after_then = std::mem::replace(&mut self.active, falsity);
        self.statements(otherwise)?;
        self.active = self.active.or(&after_then);
        Ok(())
    }

    fn run_loop(
        &mut self,
        declaration: &[Statement],
        condition: Option<ExprId>,
        test_after: bool,
        step: Option<ExprId>,
        body: &[Statement],
    ) -> Result<(), Error> {
        let none = || Mask::none(self.lanes);
        let mut exited = none();
        self.call.loops.push(LoopMasks { broken: none(), continued: Some(none()) });
        let mut first = true;
        while self.active.any() {
            self.budget.step()?;
            if !(test_after && first) {
                self.statements(declaration)?;
                if let Some(condition) = condition {
                    let truth = self.test(condition)?;
                    exited = exited.or(&self.active.minus(&truth));
                    self.active = truth;
                }
            }
            first = false;
            self.statements(body)?;
            let none = Mask::none(self.lanes);
            if let Some(continued) = self.call.loops.last_mut().and_then(|j| j.continued.as_mut()) {
                self.active = self.active.or(&std::mem::replace(continued, none));
            }
            if let Some(step) = step
                && self.active.any()
                && !self.flat_effects(step)?
            {
                self.eval(step)?;
            }
        }
        if let Some(loop_masks) = self.call.loops.pop() {
            self.active = exited.or(&loop_masks.broken);
        }
        Ok(())
    }

    fn run_switch(&mut self, selector: ExprId, cases: &[Case]) -> Result<(), Error> {
        let value = self.eval(selector)?;
        let entry = self.active.clone();
        let labeled = |labels: &[u32], lane: usize| labels.contains(&(value.get(0, lane) as u32));
        let mut unmatched = Mask::none(self.lanes);
        for lane in entry.iter() {
            if value.is_undefined(0, lane) {
                self.undefined.control_flow.set(lane, true);
            }
            unmatched.set(lane, !cases.iter().any(|case| labeled(&case.labels, lane)));
        }
        let has_default = cases.iter().any(|case| case.default);
        self.call.loops.push(LoopMasks { broken: Mask::none(self.lanes), continued: None });
        self.active = Mask::none(self.lanes);
        for case in cases {
            for lane in entry.iter() {
                if labeled(&case.labels, lane) || (case.default && unmatched.contains(lane)) {
                    self.active.set(lane, true);
                }
            }
            self.statements(&case.body)?;
        }
        if let Some(loop_masks) = self.call.loops.pop() {
            self.active = self.active.or(&loop_masks.broken);
        }
        if !has_default {
            self.active = self.active.or(&unmatched);
        }
        Ok(())
    }
}
