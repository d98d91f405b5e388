//! Flat code of consecutive statements.

use program::{ExprId, Scalar, Shader, Statement, TypeTable};
use rustc_hash::FxHashSet;

use super::code::{Rows, Step, Tape, TapeBlock, Variable};
use super::compile::{Compiler, narrow};
use crate::effects::has_effects;
use crate::scalar_layout::ScalarLayout;

/// Rows of a block after which no further statement joins it: more do not stay in the cache.
const BLOCK_ROWS: usize = 192;

/// Returns the flat code of as many of the first statements as have some.
pub(crate) fn compile_block(
    types: &TypeTable,
    shader: &Shader,
    layout: &ScalarLayout,
    statements: &[Statement],
) -> Option<TapeBlock> {
    let mut compiler = Compiler::new(types, shader, layout);
    let mut exprs = Vec::new();
    for statement in statements {
        let Some(expr) = block_expr(statement) else { break };
        let (steps, rows) = (compiler.steps.len(), compiler.rows);
        if compiler.statement(statement).is_none() {
            compiler.steps.truncate(steps);
            compiler.rows = rows;
            break;
        }
        exprs.push(expr);
        // Later statements may run in fewer lanes.
        let calls =
            |step: &Step| matches!(step, Step::Evaluate { expr, .. } if has_effects(shader, *expr));
        if compiler.rows > BLOCK_ROWS || compiler.steps[steps..].iter().any(calls) {
            break;
        }
    }
    compiler.drop_overwritten_stores();
    let works = |step: &Step| !matches!(step, Step::Load { .. } | Step::Evaluate { .. });
    let Compiler { steps, rows, .. } = compiler;
    steps.iter().any(works).then(|| TapeBlock {
        tape: Tape { steps, rows, result: Rows::new(), scalar: Scalar::Uint },
        exprs,
    })
}

/// The expression of a statement that can be part of a block.
pub(crate) fn block_expr(statement: &Statement) -> Option<ExprId> {
    match statement {
        Statement::Expression(expr) | Statement::Declare { value: Some(expr), .. } => Some(*expr),
        _ => None,
    }
}

impl Compiler<'_> {
    /// Compiles a statement of a block.
    fn statement(&mut self, statement: &Statement) -> Option<()> {
        match *statement {
            Statement::Expression(expr) => self.root(expr).map(drop),
            Statement::Declare { local, value: Some(expr) } => {
                let signed = narrow(self.types, self.expr(expr).ty)? == Scalar::Int;
                let rows = self.root(expr)?;
                for (component, &row) in (0..).zip(&rows) {
                    self.loads.insert((Variable::Local(local), component), row);
                }
                self.steps.push(Step::Define { local, rows, signed });
                Some(())
            }
            _ => None,
        }
    }

    /// Removes stores of components that the same lanes overwrite before anything reads them.
    fn drop_overwritten_stores(&mut self) {
        let mut overwritten = FxHashSet::default();
        for step in self.steps.iter_mut().rev() {
            match step {
                Step::Evaluate { .. } | Step::Gather { .. } => overwritten.clear(),
                Step::Load { variable, component, count, .. } => {
                    for c in *component..*component + u32::from(*count) {
                        overwritten.remove(&(*variable, c));
                    }
                }
                Step::Store { variable, components, .. } => {
                    components.retain(|&mut (c, _)| overwritten.insert((*variable, c)));
                }
                Step::Define { .. }
                | Step::Scatter { .. }
                | Step::Row { .. }
                | Step::Dot { .. }
                | Step::Call { .. } => {}
            }
        }
        let empty =
            |step: &Step| matches!(step, Step::Store { components, .. } if components.is_empty());
        self.steps.retain(|step| !empty(step));
    }
}
