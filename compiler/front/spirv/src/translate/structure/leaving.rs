//! Values that leave a loop. A declaration ends what its local was for all invocations, those that
//! have left the loop among them: locals that are read behind it are declared where the function
//! begins.

use program::{ExprId, ExprKind, LocalId, Shader, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::translate::state::ShaderBuilder;

/// Loops of a function, with the locals that are declared and used in them. Loop 0 is the function.
#[derive(Default)]
struct Loops {
    /// The loop around each loop.
    around: Vec<usize>,
    declared: FxHashMap<LocalId, usize>,
    used: FxHashSet<(LocalId, usize)>,
}

impl ShaderBuilder<'_> {
    /// Statements of a function in which no declaration of a loop is used outside of it.
    pub(crate) fn with_leaving_values(&mut self, list: Vec<Statement>) -> Vec<Statement> {
        let mut loops = Loops { around: vec![0], ..Loops::default() };
        loops.statements(&self.shader, &list, 0);
        let leaving = loops.leaving();
        if leaving.is_empty() { list } else { self.hoisted(list, Some(&leaving)) }
    }
}

impl Loops {
    fn statements(&mut self, shader: &Shader, list: &[Statement], own: usize) {
        for statement in list {
            self.statement(shader, statement, own);
        }
    }

    fn statement(&mut self, shader: &Shader, statement: &Statement, own: usize) {
        match statement {
            Statement::Expression(value) => self.expression(shader, *value, own),
            Statement::Declare { local, value } => {
                self.declared.insert(*local, own);
                value.iter().for_each(|value| self.expression(shader, *value, own));
            }
            Statement::If { condition, then, otherwise } => {
                self.expression(shader, *condition, own);
                self.statements(shader, then, own);
                self.statements(shader, otherwise, own);
            }
            Statement::Switch { selector, cases } => {
                self.expression(shader, *selector, own);
                cases.iter().for_each(|case| self.statements(shader, &case.body, own));
            }
            Statement::Loop { init, condition_declaration, condition, step, body, .. } => {
                self.statements(shader, init, own);
                let inner = self.around.len();
                self.around.push(own);
                self.statements(shader, condition_declaration, inner);
                let parts = condition.iter().chain(step);
                parts.for_each(|value| self.expression(shader, *value, inner));
                self.statements(shader, body, inner);
            }
            Statement::Block(list) => self.statements(shader, list, own),
            Statement::Return(value) => {
                value.iter().for_each(|value| self.expression(shader, *value, own));
            }
            Statement::Break | Statement::Continue | Statement::Discard | Statement::Demote => {}
        }
    }

    fn expression(&mut self, shader: &Shader, value: ExprId, own: usize) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let kind = &shader.exprs[value].kind;
            if let ExprKind::Local(local) = kind {
                self.used.insert((*local, own));
            }
            kind.for_each_child(|child| open.push(child));
        }
    }

    /// Locals that are used outside of the loop of their declaration.
    fn leaving(&self) -> FxHashSet<LocalId> {
        let leaves = |(local, user): &(LocalId, usize)| {
            let home = self.declared.get(local).copied().unwrap_or(0);
            let mut at = *user;
            while at > home {
                at = self.around[at];
            }
            (at != home).then_some(*local)
        };
        self.used.iter().filter_map(leaves).collect()
    }
}
