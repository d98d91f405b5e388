//! Statements. Returns, loop tests and switches become the IR's ifs, infinite loops, breaks and
//! continues.

use ir::Jump;
use program::shader::Case;
use program::{ExprId, Function, Statement};

use crate::error::LowerError;
use crate::lowerer::{Binding, Breakable, Lowerer, Test};
use crate::place::{Base, Place};
use crate::storage::StorageId;

/// Longest chain of ifs that a switch becomes; each link is nested in the one before it.
const MAX_CHAIN: usize = 256;

impl Lowerer<'_, '_> {
    /// A function's body in the current frame.
    pub(crate) fn body(&mut self, body: &[Statement]) -> Result<(), LowerError> {
        // A flag is needed unless the only return is the last thing the body does.
        let early = match body.split_last() {
            Some((Statement::Return(_), before)) => before.iter().any(contains_return),
            _ => body.iter().any(contains_return),
        };
        if early {
            let flag = self.new_flag("returned")?;
            self.frame()?.returned = Some(flag);
        }
        self.statements(body)
    }

    /// A boolean variable, false at first.
    fn new_flag(&mut self, name: &str) -> Result<StorageId, LowerError> {
        let bool_type = self.types.find(&program::Type::Scalar(program::Scalar::Bool));
        let bool_type = bool_type.ok_or(LowerError::Malformed("no boolean type"))?;
        let flag = self.new_storage(bool_type, name);
        self.set_flag(flag, false)?;
        Ok(flag)
    }

    fn set_flag(&mut self, flag: StorageId, value: bool) -> Result<(), LowerError> {
        let value = self.builder.bool(value);
        let place = Place::new(Base::Variable(flag), program::TypeTable::VOID);
        self.store(&place, &value.into())
    }

    fn flag(&mut self, flag: StorageId) -> Result<ir::Value, LowerError> {
        self.load(&Place::new(Base::Variable(flag), program::TypeTable::VOID))?.leaf()
    }

    /// Fails before ifs and loops nest deeper than the IR allows.
    pub(crate) fn check_nesting(&self) -> Result<(), LowerError> {
        let limit = ir::MAX_NESTING - 8;
        if self.builder.nesting() > limit { Err(LowerError::TooDeep(limit)) } else { Ok(()) }
    }

    fn statements(&mut self, list: &[Statement]) -> Result<(), LowerError> {
        for (i, statement) in list.iter().enumerate() {
            if self.builder.is_terminated() {
                return Ok(());
            }
            let rest = &list[i + 1..];
            if let Statement::If { condition, then, otherwise } = statement
                && self.returns_on_one_side(then, otherwise)?
            {
                return self.if_with_rest(*condition, then, otherwise, rest);
            }
            self.statement(statement)?;
            if matches!(statement, Statement::Return(_)) {
                return Ok(());
            }
            // A return inside a loop or switch has only left that one: a loop around it must be
            // left too, even when nothing follows.
            let nested = matches!(statement, Statement::Loop { .. } | Statement::Switch { .. })
                && !self.frame()?.breakables.is_empty();
            if contains_return(statement)
                && (nested || !rest.is_empty())
                && !self.builder.is_terminated()
            {
                return self.rest_unless_returned(rest);
            }
        }
        Ok(())
    }

    /// Outside loops, an `if` of which exactly one side always returns and the other never does can
    /// take the statements after it into that other side.
    fn returns_on_one_side(
        &mut self,
        then: &[Statement],
        otherwise: &[Statement],
    ) -> Result<bool, LowerError> {
        let outside = self.frame()?.breakables.is_empty();
        let always = |list: &[Statement]| matches!(list.last(), Some(Statement::Return(_)));
        let never = |list: &[Statement]| !list.iter().any(contains_return);
        Ok(outside && (always(then) && never(otherwise) || always(otherwise) && never(then)))
    }

    fn if_with_rest(
        &mut self,
        condition: ExprId,
        then: &[Statement],
        otherwise: &[Statement],
        rest: &[Statement],
    ) -> Result<(), LowerError> {
        self.check_nesting()?;
        let condition = self.eval(condition)?.leaf()?;
        self.builder.push_if(condition);
        self.statements(then)?;
        if !then.iter().any(contains_return) {
            self.statements(rest)?;
        }
        self.builder.push_else();
        self.statements(otherwise)?;
        if !otherwise.iter().any(contains_return) {
            self.statements(rest)?;
        }
        self.close_if();
        Ok(())
    }

    /// Statements after one that may have returned.
    fn rest_unless_returned(&mut self, rest: &[Statement]) -> Result<(), LowerError> {
        let flag = self.frame()?.returned.ok_or(LowerError::Malformed("return without a flag"))?;
        let returned = self.flag(flag)?;
        if !self.frame()?.breakables.is_empty() {
            // Inside a loop the return has left it already, or leaves it here.
            self.builder.push_if(returned);
            self.builder.jump(Jump::Break);
            self.close_if();
            return self.statements(rest);
        }
        self.check_nesting()?;
        let go_on = self.builder.inot(returned);
        self.builder.push_if(go_on);
        self.statements(rest)?;
        self.close_if();
        Ok(())
    }

    /// Closes an if; when neither side falls through, neither does what follows.
    pub(crate) fn close_if(&mut self) {
        let (then_end, else_end) = self.builder.pop_if();
        let ended = |l: &Self, block| l.builder.shader.blocks[block].jump.is_some();
        if ended(self, then_end) && ended(self, else_end) {
            self.builder.jump(Jump::Break);
        }
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), LowerError> {
        self.nested(|this| this.statement_here(statement))
    }

    fn statement_here(&mut self, statement: &Statement) -> Result<(), LowerError> {
        match statement {
            Statement::Expression(expr) => self.eval_statement(*expr),
            Statement::Declare { local, value } => {
                let function: &Function = &self.shader.functions[self.frame()?.function];
                let local_data =
                    function.locals.get(*local).ok_or(LowerError::Malformed("no such local"))?;
                let (ty, name) = (local_data.ty, &local_data.name);
                let value = value.map(|v| self.eval(v)).transpose()?;
                let storage = self.new_storage(ty, name);
                self.frame()?.locals[*local] = Some(Binding::Variable(storage));
                match value {
                    Some(value) => self.store(&Place::new(Base::Variable(storage), ty), &value),
                    None => Ok(()),
                }
            }
            Statement::If { condition, then, otherwise } => {
                self.check_nesting()?;
                let condition = self.eval(*condition)?.leaf()?;
                self.builder.push_if(condition);
                self.statements(then)?;
                if !otherwise.is_empty() {
                    self.builder.push_else();
                    self.statements(otherwise)?;
                }
                self.close_if();
                Ok(())
            }
            Statement::Loop { init, condition_declaration, condition, test_after, step, body } => {
                self.statements(init)?;
                self.run_loop(condition_declaration, *condition, *test_after, *step, body)
            }
            Statement::Switch { selector, cases } => self.switch(*selector, cases),
            Statement::Block(body) => self.statements(body),
            Statement::Break => {
                self.builder.jump(Jump::Break);
                Ok(())
            }
            Statement::Continue => self.continue_loop(),
            Statement::Return(value) => self.return_value(*value),
            Statement::Discard => {
                self.builder.intrinsic(ir::IntrinsicOp::Discard, &[], ir::Fields::default(), None);
                // Outside loops the lane may go on for its quad's derivatives. In a loop it might
                // never leave: it ends here.
                if self.is_in_loop() {
                    self.builder.jump(Jump::Halt);
                }
                Ok(())
            }
            Statement::Demote => {
                self.builder.intrinsic(ir::IntrinsicOp::Demote, &[], ir::Fields::default(), None);
                Ok(())
            }
        }
    }

    fn return_value(&mut self, value: Option<ExprId>) -> Result<(), LowerError> {
        if let Some(expr) = value {
            let value = self.eval(expr)?;
            if let Some(result) = self.frame()?.result {
                self.store(&Place::new(Base::Variable(result), self.expr_type(expr)), &value)?;
            }
        }
        if let Some(flag) = self.frame()?.returned {
            self.set_flag(flag, true)?;
        }
        if !self.frame()?.breakables.is_empty() {
            self.builder.jump(Jump::Break);
        }
        Ok(())
    }

    fn continue_loop(&mut self) -> Result<(), LowerError> {
        let innermost = self.frame()?.breakables.last().cloned();
        match innermost.ok_or(LowerError::Malformed("continue outside a loop"))? {
            Breakable::Loop { step, test } => {
                self.next_iteration(step, test.as_ref())?;
                self.builder.jump(Jump::Continue);
            }
            Breakable::Switch { continued } => {
                self.set_flag(continued, true)?;
                self.builder.jump(Jump::Break);
            }
        }
        Ok(())
    }

    /// Lowers the code between the body and the next iteration.
    fn next_iteration(
        &mut self,
        step: Option<ExprId>,
        test: Option<&Test>,
    ) -> Result<(), LowerError> {
        if let Some(step) = step {
            self.eval_statement(step)?;
        }
        match test {
            Some(test) => self.break_unless(&test.declaration, test.condition),
            None => Ok(()),
        }
    }

    fn break_unless(
        &mut self,
        declaration: &[Statement],
        condition: ExprId,
    ) -> Result<(), LowerError> {
        self.statements(declaration)?;
        let condition = self.eval(condition)?.leaf()?;
        if self.builder.shader.as_const_u64(condition) == Some(1) {
            return Ok(());
        }
        let stop = self.builder.inot(condition);
        self.builder.push_if(stop);
        self.builder.jump(Jump::Break);
        self.close_if();
        Ok(())
    }

    fn run_loop(
        &mut self,
        declaration: &[Statement],
        condition: Option<ExprId>,
        test_after: bool,
        step: Option<ExprId>,
        body: &[Statement],
    ) -> Result<(), LowerError> {
        self.check_nesting()?;
        let test = condition.map(|condition| Test { declaration: declaration.to_vec(), condition });
        self.builder.push_loop();
        let late = if test_after { test.clone() } else { None };
        self.frame()?.breakables.push(Breakable::Loop { step, test: late.clone() });
        if let (Some(test), false) = (&test, test_after) {
            self.break_unless(&test.declaration, test.condition)?;
        }
        self.statements(body)?;
        if !self.builder.is_terminated() {
            self.next_iteration(step, late.as_ref())?;
        }
        self.frame()?.breakables.pop();
        self.builder.pop_loop();
        Ok(())
    }

    fn switch(&mut self, selector: ExprId, cases: &[Case]) -> Result<(), LowerError> {
        self.check_nesting()?;
        let selector = self.eval(selector)?.leaf()?;
        if cases.iter().all(|case| ends_plainly(&case.body)) {
            return self.switch_as_ifs(selector, cases);
        }
        let continued = self.new_flag("continued")?;
        let entered = self.new_flag("entered")?;
        self.builder.push_loop();
        self.frame()?.breakables.push(Breakable::Switch { continued });
        for case in cases {
            if self.builder.is_terminated() {
                break;
            }
            let earlier = self.flag(entered)?;
            let here = self.matches(selector, case, cases)?;
            let enter = self.builder.ior(earlier, here);
            self.builder.push_if(enter);
            self.set_flag(entered, true)?;
            self.statements(&case.body)?;
            self.close_if();
        }
        self.builder.jump(Jump::Break);
        self.frame()?.breakables.pop();
        self.builder.pop_loop();
        if self.frame()?.breakables.is_empty() {
            return Ok(());
        }
        let flag = self.flag(continued)?;
        self.builder.push_if(flag);
        self.continue_loop()?;
        self.close_if();
        Ok(())
    }

    /// Returns true if the selector has one of a case's labels, or none of any when it is the
    /// default.
    fn matches(
        &mut self,
        selector: ir::Value,
        case: &Case,
        cases: &[Case],
    ) -> Result<ir::Value, LowerError> {
        let mut result = self.any_label(selector, &case.labels);
        if case.default {
            let all: Vec<u32> = cases.iter().flat_map(|c| c.labels.iter().copied()).collect();
            let some = self.any_label(selector, &all);
            let none = self.builder.inot(some);
            result = self.builder.ior(result, none);
        }
        Ok(result)
    }

    fn any_label(&mut self, selector: ir::Value, labels: &[u32]) -> ir::Value {
        let mut result = self.builder.bool(false);
        for (i, &label) in labels.iter().enumerate() {
            let label = self.builder.imm(label);
            let equal = self.builder.ieq(selector, label);
            result = if i == 0 { equal } else { self.builder.ior(result, equal) };
        }
        result
    }

    /// A switch without fall-through whose breaks all stand at the ends of cases is a chain of ifs,
    /// or several chains one after the other: labels are distinct, so at most one case matches.
    fn switch_as_ifs(&mut self, selector: ir::Value, cases: &[Case]) -> Result<(), LowerError> {
        let labeled: Vec<&Case> = cases.iter().filter(|c| !c.default).collect();
        let default = cases.iter().find(|c| c.default);
        if labeled.len() <= MAX_CHAIN {
            return self.chain_of_ifs(selector, &labeled, default);
        }
        for chain in labeled.chunks(MAX_CHAIN) {
            self.chain_of_ifs(selector, chain, None)?;
        }
        let Some(default) = default else { return Ok(()) };
        let labels: Vec<u32> = labeled.iter().flat_map(|c| c.labels.iter().copied()).collect();
        let some = self.any_label(selector, &labels);
        let none = self.builder.inot(some);
        self.builder.push_if(none);
        self.statements(without_break(&default.body))?;
        self.close_if();
        Ok(())
    }

    /// Each case is the else-branch of the one before it, `default` that of the last.
    fn chain_of_ifs(
        &mut self,
        selector: ir::Value,
        cases: &[&Case],
        default: Option<&Case>,
    ) -> Result<(), LowerError> {
        for case in cases {
            self.check_nesting()?;
            let here = self.any_label(selector, &case.labels);
            self.builder.push_if(here);
            self.statements(without_break(&case.body))?;
            self.builder.push_else();
        }
        if let Some(default) = default {
            self.statements(without_break(&default.body))?;
        }
        cases.iter().for_each(|_| self.close_if());
        Ok(())
    }
}

/// Returns true if a statement may return from the function.
fn contains_return(statement: &Statement) -> bool {
    let any = |list: &[Statement]| list.iter().any(contains_return);
    match statement {
        Statement::Return(_) => true,
        Statement::If { then, otherwise, .. } => any(then) || any(otherwise),
        Statement::Loop { init, condition_declaration, body, .. } => {
            any(init) || any(condition_declaration) || any(body)
        }
        Statement::Switch { cases, .. } => cases.iter().any(|c| any(&c.body)),
        Statement::Block(body) => any(body),
        _ => false,
    }
}

/// Returns true if a case ends in a break, a return or the switch's end only, and jumps nowhere
/// else.
fn ends_plainly(body: &[Statement]) -> bool {
    match body.split_last() {
        Some((Statement::Break, before)) => !before.iter().any(|s| jumps(s) || contains_return(s)),
        _ => false,
    }
}

fn without_break(body: &[Statement]) -> &[Statement] {
    match body.split_last() {
        Some((Statement::Break, before)) => before,
        _ => body,
    }
}

/// Returns true if a statement breaks or continues something around it.
fn jumps(statement: &Statement) -> bool {
    match statement {
        Statement::Break | Statement::Continue => true,
        Statement::If { then, otherwise, .. } => {
            then.iter().any(jumps) || otherwise.iter().any(jumps)
        }
        Statement::Block(body) => body.iter().any(jumps),
        Statement::Switch { cases, .. } => cases.iter().any(|c| c.body.iter().any(continues)),
        _ => false,
    }
}

fn continues(statement: &Statement) -> bool {
    match statement {
        Statement::Continue => true,
        Statement::If { then, otherwise, .. } => {
            then.iter().any(continues) || otherwise.iter().any(continues)
        }
        Statement::Block(body) => body.iter().any(continues),
        Statement::Switch { cases, .. } => cases.iter().any(|c| c.body.iter().any(continues)),
        _ => false,
    }
}
