//! Operations that contribute to `precise` variables (GLSL 4.60 section 4.9.1).
//!
//! All operands of a precise variable become precise, through locals, private globals and called
//! functions. Marking more than the specification requires only forbids fusing.

use cranelift_entity::EntitySet;
use program::{
    Direction, ExprId, ExprKind, FunctionId, GlobalId, LocalId, Shader, Statement, Storage,
};
use rustc_hash::FxHashSet;

/// Marks the shader's expressions.
pub(crate) fn mark(shader: &mut Shader) {
    let mut state = State::default();
    for (id, global) in shader.globals.iter() {
        if global.precise {
            state.globals.insert(id);
        }
    }
    for (id, function) in shader.functions.iter() {
        state.locals.extend(
            function.locals.iter().filter(|(_, l)| l.precise).map(|(local, _)| (id, local)),
        );
    }
    if state.globals.is_empty() && state.locals.is_empty() {
        return;
    }
    let bodies: Vec<(FunctionId, Vec<ExprId>)> =
        shader.functions.keys().map(|id| (id, expressions(shader, id))).collect();
    loop {
        state.changed = false;
        for (function, exprs) in &bodies {
            for &expr in exprs {
                state.visit(shader, *function, expr);
            }
            for statement in shader.functions[*function].body.clone().unwrap_or_default() {
                state.statement(shader, *function, &statement);
            }
        }
        if !state.changed {
            return;
        }
    }
}

/// Every expression of a function.
fn expressions(shader: &Shader, function: FunctionId) -> Vec<ExprId> {
    let mut stack = Vec::new();
    for statement in shader.functions[function].body.iter().flatten() {
        statement.for_each_expr(&mut |e| stack.push(e));
    }
    let mut seen: EntitySet<ExprId> = EntitySet::new();
    let mut result = Vec::new();
    while let Some(expr) = stack.pop() {
        if !seen.contains(expr) {
            seen.insert(expr);
            result.push(expr);
            shader.exprs[expr].kind.for_each_child(|child| stack.push(child));
        }
    }
    result
}

#[derive(Default)]
struct State {
    globals: EntitySet<GlobalId>,
    locals: FxHashSet<(FunctionId, LocalId)>,
    /// Functions whose results are precise.
    results: EntitySet<FunctionId>,
    changed: bool,
}

impl State {
    fn is_precise(&self, shader: &Shader, function: FunctionId, mut place: ExprId) -> bool {
        loop {
            match &shader.exprs[place].kind {
                ExprKind::Global(id) => return self.globals.contains(*id),
                ExprKind::Local(id) => return self.locals.contains(&(function, *id)),
                ExprKind::Index { base, .. }
                | ExprKind::Member { base, .. }
                | ExprKind::Swizzle { base, .. } => {
                    place = *base;
                }
                _ => return false,
            }
        }
    }

    fn visit(&mut self, shader: &mut Shader, function: FunctionId, id: ExprId) {
        match shader.exprs[id].kind.clone() {
            ExprKind::Assign { place, value } | ExprKind::CompoundAssign { place, value, .. }
                if self.is_precise(shader, function, place) =>
            {
                shader.exprs[id].precise = true;
                self.contributes(shader, function, value);
            }
            ExprKind::PreIncrement { place, .. } | ExprKind::PostIncrement { place, .. }
                if self.is_precise(shader, function, place) =>
            {
                shader.exprs[id].precise = true;
            }
            ExprKind::Call { function: callee, arguments } => {
                let parameters = shader.functions[callee].parameters.clone();
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    let written = matches!(parameter.direction, Direction::Out | Direction::InOut);
                    if written && self.is_precise(shader, function, *argument) {
                        self.changed |= self.locals.insert((callee, parameter.local));
                    }
                    // The argument of a precise parameter must be precise too.
                    if self.locals.contains(&(callee, parameter.local))
                        && parameter.direction != Direction::Out
                    {
                        self.contributes(shader, function, *argument);
                    }
                }
            }
            ExprKind::Builtin { arguments, .. }
                if arguments.iter().skip(1).any(|&a| self.is_precise(shader, function, a)) =>
            {
                self.contributes(shader, function, id);
            }
            _ => {}
        }
    }

    fn statement(&mut self, shader: &mut Shader, function: FunctionId, statement: &Statement) {
        let each = |state: &mut State, shader: &mut Shader, list: &[Statement]| {
            list.iter().for_each(|s| state.statement(shader, function, s));
        };
        match statement {
            Statement::Declare { local, value: Some(value) }
                if self.locals.contains(&(function, *local)) =>
            {
                self.contributes(shader, function, *value);
            }
            Statement::Return(Some(value)) if self.results.contains(function) => {
                self.contributes(shader, function, *value);
            }
            Statement::If { then, otherwise, .. } => {
                each(self, shader, then);
                each(self, shader, otherwise);
            }
            Statement::Loop { init, condition_declaration, body, .. } => {
                each(self, shader, init);
                each(self, shader, condition_declaration);
                each(self, shader, body);
            }
            Statement::Switch { cases, .. } => {
                cases.iter().for_each(|c| each(self, shader, &c.body))
            }
            Statement::Block(body) => each(self, shader, body),
            _ => {}
        }
    }

    /// Marks an expression, its operands, and the variables and functions they read.
    fn contributes(&mut self, shader: &mut Shader, function: FunctionId, id: ExprId) {
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut shader.exprs[id].precise, true) {
                continue;
            }
            self.changed = true;
            let kind = &shader.exprs[id].kind;
            kind.for_each_child(|child| stack.push(child));
            match *kind {
                ExprKind::Local(local) => {
                    self.locals.insert((function, local));
                }
                ExprKind::Global(global) => {
                    let storage = shader.globals[global].storage;
                    if matches!(storage, Storage::Private | Storage::Output | Storage::Shared) {
                        self.globals.insert(global);
                    }
                }
                ExprKind::Call { function: callee, .. } => {
                    self.results.insert(callee);
                }
                _ => {}
            }
        }
    }
}
