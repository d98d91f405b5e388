//! Statements.

use crate::checker::{Check, Checker, Reported};
use crate::scope::Entity;
use crate::state::Root;
use glsl_syntax::ast::{self, Condition, DeclKind, Declarator, StmtId, StmtKind};
use glsl_syntax::source::Span;
use program::shader::Case;
use program::{
    ArrayLength, ExprId, Local, Scalar, Stage, Statement, Storage, Type, TypeId, TypeTable,
};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// The statements of a function's body, in the scope of its parameters.
    pub(crate) fn function_body(&mut self, body: StmtId) -> Check<Vec<Statement>> {
        match self.unit.stmts[body].kind {
            StmtKind::Compound(_) => self.body(body),
            _ => self.scoped(body),
        }
    }

    /// Statements in order; the first error of each is recorded and the rest are still checked.
    fn statements(&mut self, list: ast::List<StmtId>) -> Check<Vec<Statement>> {
        let mut result = Vec::new();
        let mut outcome = Ok(());
        for &id in self.unit.list(list) {
            if self.statement(id, &mut result).is_err() {
                outcome = Err(Reported);
            }
        }
        outcome.map(|()| result)
    }

    /// A statement in a new scope.
    pub(crate) fn scoped(&mut self, id: StmtId) -> Check<Vec<Statement>> {
        self.scopes.enter();
        let result = self.body(id);
        self.scopes.leave();
        result
    }

    /// Enters or leaves code that may be skipped.
    pub(crate) fn change_flow(&mut self, by: i32) {
        if let Some(f) = &mut self.function {
            f.flow = f.flow.saturating_add_signed(by);
        }
    }

    /// A branch of a selection; `dead` when it is never taken.
    fn branch(&mut self, id: StmtId, dead: bool) -> Check<Vec<Statement>> {
        let count = |checker: &mut Self, by: i32| {
            if let Some(f) = checker.function.as_mut().filter(|_| dead) {
                f.dead = f.dead.saturating_add_signed(by);
            }
        };
        count(self, 1);
        self.change_flow(1);
        let result = self.scoped(id);
        self.change_flow(-1);
        count(self, -1);
        result
    }

    /// A statement's own statements, in the scope that is open.
    fn body(&mut self, id: StmtId) -> Check<Vec<Statement>> {
        let (float, int) = (self.defaults.float_precision, self.defaults.int_precision);
        let opaque = self.defaults.opaque_precision.len();
        let scope = std::mem::replace(&mut self.defaults.opaque_scope, opaque);
        let result = match self.unit.stmts[id].kind {
            StmtKind::Compound(list) => self.statements(list),
            _ => {
                let mut result = Vec::new();
                self.statement(id, &mut result).map(|()| result)
            }
        };
        (self.defaults.float_precision, self.defaults.int_precision) = (float, int);
        self.defaults.opaque_precision.truncate(opaque);
        self.defaults.opaque_scope = scope;
        result
    }

    fn statement(&mut self, id: StmtId, out: &mut Vec<Statement>) -> Check<()> {
        let statement = self.unit.stmts[id];
        let span = statement.span;
        match statement.kind {
            StmtKind::Empty => {}
            // `int;`, which the parser cannot distinguish from a variable's name.
            StmtKind::Expr(e)
                if matches!(self.unit.exprs[e].kind, ast::ExprKind::Name(name)
                    if self.is_type_name(ast::Name { symbol: name, span })) => {}
            StmtKind::Expr(e) => {
                let value = self.expression(e)?;
                out.push(Statement::Expression(value));
            }
            StmtKind::Decl(decl) => self.local_declaration(decl, out)?,
            StmtKind::Compound(_) => {
                let body = self.scoped(id)?;
                out.push(Statement::Block(body));
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.condition(condition)?;
                let known = self.evaluate_bool(condition);
                let then = self.branch(then, known == Some(false))?;
                let otherwise = match otherwise.expand() {
                    Some(id) => self.branch(id, known == Some(true))?,
                    None => Vec::new(),
                };
                out.push(Statement::If { condition, then, otherwise });
            }
            StmtKind::Switch { selector, body } => self.switch(selector, body, span, out)?,
            StmtKind::Case(_) | StmtKind::Default => {
                return self.error(span, "a case label must be directly in the body of a switch");
            }
            StmtKind::While { condition, body } => {
                self.for_loop(None, Some(condition), None, body, out)?;
            }
            StmtKind::DoWhile { body, condition } => {
                self.scopes.enter();
                let body = self.loop_body(body);
                self.scopes.leave();
                let (body, condition) = (body?, self.condition(condition)?);
                out.push(Statement::Loop {
                    init: Vec::new(),
                    condition_declaration: Vec::new(),
                    condition: Some(condition),
                    test_after: true,
                    step: None,
                    body,
                });
            }
            StmtKind::For { init, condition, step, body } => {
                self.for_loop(Some(init), condition, step.expand(), body, out)?;
            }
            StmtKind::Return(value) => self.return_statement(value.expand(), span, out)?,
            StmtKind::Break => {
                if self.function.as_ref().is_none_or(|f| f.loops + f.switches == 0) {
                    return self.error(span, "`break` outside of a loop or switch");
                }
                out.push(Statement::Break);
            }
            StmtKind::Continue => {
                if self.function.as_ref().is_none_or(|f| f.loops == 0) {
                    return self.error(span, "`continue` outside of a loop");
                }
                out.push(Statement::Continue);
            }
            StmtKind::Discard | StmtKind::Demote => {
                if !self.is_stage(Stage::Fragment) {
                    return self.error(span, "only fragment shaders can discard");
                }
                let demote = matches!(statement.kind, StmtKind::Demote);
                if demote && !self.language.extension("EXT_demote_to_helper_invocation") {
                    return self.error(span, "`demote` needs EXT_demote_to_helper_invocation");
                }
                out.push(if demote { Statement::Demote } else { Statement::Discard });
            }
        }
        Ok(())
    }

    /// The body of a loop, in the scope of the declarations in the loop's head (GLSL 4.60 section
    /// 4.2.2).
    fn loop_body(&mut self, body: StmtId) -> Check<Vec<Statement>> {
        if let Some(f) = &mut self.function {
            f.loops += 1;
        }
        self.change_flow(1);
        let result = self.body(body);
        self.change_flow(-1);
        if let Some(f) = &mut self.function {
            f.loops -= 1;
        }
        result
    }

    fn for_loop(
        &mut self,
        init: Option<StmtId>,
        condition: Option<Condition>,
        step: Option<ast::ExprId>,
        body: StmtId,
        out: &mut Vec<Statement>,
    ) -> Check<()> {
        self.scopes.enter();
        let result = self.for_parts(init, condition, step, body);
        self.scopes.leave();
        out.push(result?);
        Ok(())
    }

    fn for_parts(
        &mut self,
        init: Option<StmtId>,
        condition: Option<Condition>,
        step: Option<ast::ExprId>,
        body: StmtId,
    ) -> Check<Statement> {
        let mut first = Vec::new();
        if let Some(init) = init {
            self.statement(init, &mut first)?;
        }
        let mut condition_declaration = Vec::new();
        let condition = match condition {
            None => None,
            Some(Condition::Expr(e)) => Some(self.condition(e)?),
            Some(Condition::Decl(decl)) => {
                Some(self.condition_declaration(decl, &mut condition_declaration)?)
            }
        };
        let step = match step {
            Some(step) => Some(self.expression(step)?),
            None => None,
        };
        let body = self.loop_body(body)?;
        Ok(Statement::Loop {
            init: first,
            condition_declaration,
            condition,
            test_after: false,
            step,
            body,
        })
    }

    /// `while (bool b = f())`: the declaration, and the variable as the condition.
    fn condition_declaration(
        &mut self,
        decl: ast::DeclId,
        out: &mut Vec<Statement>,
    ) -> Check<ExprId> {
        let span = self.unit.decls[decl].span;
        self.local_declaration(decl, out)?;
        let Some(Statement::Declare { local, .. }) = out.last() else {
            return self.error(span, "a loop condition must declare one variable");
        };
        let local = *local;
        let ty = self
            .function
            .as_ref()
            .and_then(|f| f.locals.get(local))
            .map_or(TypeTable::VOID, |l| l.ty);
        if *self.types.get(ty) != Type::Scalar(Scalar::Bool) {
            return self.error(span, "a condition must be bool");
        }
        Ok(self.push(program::ExprKind::Local(local), ty, span))
    }

    fn return_statement(
        &mut self,
        value: Option<ast::ExprId>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Check<()> {
        let result = self.function.as_ref().map_or(TypeTable::VOID, |f| f.result);
        if let Some(f) = &mut self.function {
            f.returned = true;
        }
        let Some(value) = value else {
            if result != TypeTable::VOID {
                return self.error(span, "this function must return a value");
            }
            out.push(Statement::Return(None));
            return Ok(());
        };
        let value_span = self.unit.exprs[value].span;
        let value = self.expression(value)?;
        if result == TypeTable::VOID {
            return self.error(value_span, "a void function cannot return a value");
        }
        if let Some(f) = &mut self.function {
            f.returns = true;
        }
        // Conversions of returned values came with 4.20.
        let converts = self
            .language
            .any_extension(&["ARB_shading_language_420pack", "EXT_shader_implicit_conversions"]);
        if self.ty(value) != result && !self.language.at_least(420, 0) && !converts {
            let (a, b) = (self.type_name(self.ty(value)), self.type_name(result));
            return self.error(value_span, format!("return value: cannot convert from {a} to {b}"));
        }
        let value = self.coerce(value, result, value_span, "return value")?;
        out.push(Statement::Return(Some(value)));
        Ok(())
    }

    fn switch(
        &mut self,
        selector: ast::ExprId,
        body: ast::List<StmtId>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Check<()> {
        if !self.language.has_switch() {
            return self.error(span, "`switch` needs GLSL 1.30 or ES 3.00");
        }
        let selector_span = self.unit.exprs[selector].span;
        let selector = self.expression(selector)?;
        let selector_type = self.ty(selector);
        let wide = match *self.types.get(selector_type) {
            Type::Scalar(Scalar::Int | Scalar::Int16) => Scalar::Int,
            Type::Scalar(Scalar::Uint | Scalar::Uint16) => Scalar::Uint,
            _ => {
                let name = self.type_name(selector_type);
                return self.error(
                    selector_span,
                    format!("a switch needs an integer of at most 32 bits, not {name}"),
                );
            }
        };
        let wide = self.types.scalar(wide);
        let selector = self.convert(selector, wide, selector_span);
        if let Some(f) = &mut self.function {
            f.switches += 1;
        }
        self.change_flow(1);
        self.scopes.enter();
        let cases = self.cases(selector_type, body);
        self.scopes.leave();
        self.change_flow(-1);
        if let Some(f) = &mut self.function {
            f.switches -= 1;
        }
        out.push(Statement::Switch { selector, cases: cases? });
        Ok(())
    }

    fn cases(&mut self, selector: TypeId, body: ast::List<StmtId>) -> Check<Vec<Case>> {
        let mut cases: Vec<Case> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut has_default = false;
        if let Some(&last) = self.unit.list(body).last()
            && let StmtKind::Case(_) | StmtKind::Default = self.unit.stmts[last].kind
        {
            let span = self.unit.stmts[last].span;
            return self.error(span, "no statement follows the last case label");
        }
        for &id in self.unit.list(body) {
            let statement = self.unit.stmts[id];
            let label = match statement.kind {
                StmtKind::Case(value) => Some(Some(self.case_label(value, selector)?)),
                StmtKind::Default => Some(None),
                _ => None,
            };
            let Some(label) = label else {
                let mut list = Vec::new();
                self.statement(id, &mut list)?;
                match cases.last_mut() {
                    Some(case) => case.body.append(&mut list),
                    None => {
                        return self
                            .error(statement.span, "a statement before the first case label");
                    }
                }
                continue;
            };
            if cases.last().is_none_or(|c| !c.body.is_empty()) {
                cases.push(Case { labels: Vec::new(), default: false, body: Vec::new() });
            }
            match label {
                Some(value) if !seen.insert(value) => {
                    return self.error(statement.span, "duplicate case label");
                }
                None if has_default => {
                    return self.error(statement.span, "duplicate default label");
                }
                _ => {}
            }
            if let Some(case) = cases.last_mut() {
                case.labels.extend(label);
                case.default |= label.is_none();
            }
            has_default |= label.is_none();
        }
        Ok(cases)
    }

    fn case_label(&mut self, value: ast::ExprId, selector: TypeId) -> Check<u32> {
        let span = self.unit.exprs[value].span;
        let label = self.expression(value)?;
        let ty = self.ty(label);
        if ty != selector
            && self.conversion(ty, selector).is_none()
            && self.conversion(selector, ty).is_none()
        {
            let (a, b) = (self.type_name(ty), self.type_name(selector));
            return self.error(span, format!("a case label of type {a} in a switch over {b}"));
        }
        match self.evaluate_integer(label) {
            Some(value) => Ok(value as u32),
            None => self.error(span, "a case label must be an integer constant expression"),
        }
    }

    fn local_declaration(&mut self, id: ast::DeclId, out: &mut Vec<Statement>) -> Check<()> {
        let decl = self.unit.decls[id];
        match decl.kind {
            DeclKind::Variables { qualifiers, ty, declarators } => {
                let (qualifiers, base) = self.qualified_type(qualifiers, ty, declarators)?;
                let interface = qualifiers.storage.is_some()
                    || qualifiers.layout.present
                    || qualifiers.invariant
                    || qualifiers.subroutine.is_some()
                    || self.has_misplaced_memory(&qualifiers, base)
                    || qualifiers.interpolation != Default::default();
                if interface {
                    self.each_declarator(declarators, |_, _| Err(Reported)).ok();
                    return self.error(
                        qualifiers.span,
                        "these qualifiers do not apply to local variables",
                    );
                }
                if declarators.is_empty() {
                    return self.check_sized(Storage::Private, &qualifiers, base, decl.span);
                }
                self.each_declarator(declarators, |checker, declarator| {
                    checker.local_variable(&qualifiers, base, declarator, out)
                })
            }
            DeclKind::Precision(precision, ty) => self.precision_statement(precision, ty),
            DeclKind::Qualifiers(qualifiers, names) => {
                self.qualifier_declaration(qualifiers, names)
            }
            DeclKind::Function(_) if self.language.at_least(120, 100) => {
                self.error(decl.span, "functions can only be declared at global scope")
            }
            DeclKind::Function(id) => self.function_declaration(id),
            DeclKind::Block(_) => {
                self.error(decl.span, "interface blocks can only be declared at global scope")
            }
            DeclKind::Empty => Ok(()),
        }
    }

    fn local_variable(
        &mut self,
        qualifiers: &crate::qualifiers::qualifier::Qualifiers,
        base: TypeId,
        declarator: Declarator,
        out: &mut Vec<Statement>,
    ) -> Check<()> {
        let name = declarator.name;
        let text = self.text(name.symbol);
        let mut ty = self.variable_type(base, declarator)?;
        if ty == TypeTable::VOID {
            return self.error(name.span, format!("`{text}` cannot be void"));
        }
        if self.contains_fixed_opaque(ty) {
            return self.error(name.span, "a variable of opaque type must be uniform");
        }
        self.check_new_name(name)?;
        self.check_precision(ty, qualifiers, name.span)?;
        // The name is not in scope in its own initializer.
        let value = match declarator.init.expand() {
            Some(init) => {
                if self.types.array_of(ty).is_some() && !self.language.has_array_values() {
                    return self.error(name.span, "arrays cannot be initialized in this version");
                }
                Some((self.initializer(init, ty)?, self.unit.exprs[init].span))
            }
            None => None,
        };
        if let Some((value, _)) = value
            && self.types.array_of(ty).is_some()
        {
            ty = self.ty(value);
        }
        if qualifiers.constant && value.is_none() {
            return self.error(name.span, format!("constant `{text}` needs an initializer"));
        }
        self.check_sized(Storage::Private, qualifiers, ty, name.span)?;
        if let Some(known) = self.scopes.find_here(name.symbol).cloned() {
            return self.resize_local(known, ty, value.map(|(v, _)| v), declarator, out);
        }
        let constant = match value {
            Some((value, span)) if qualifiers.constant => {
                let constant = self.is_constant(value);
                self.remember_value(constant, Some(value));
                let may_vary = !self.language.es && self.language.has_420pack();
                if !constant && !may_vary {
                    let message =
                        format!("the initializer of `{text}` must be a constant expression");
                    return self.error(span, message);
                }
                Some(constant.then_some(value))
            }
            _ => None,
        };
        let local = Local {
            name: text.into(),
            ty,
            precise: qualifiers.precise,
            span: self.span(name.span),
        };
        let Some(function) = &mut self.function else {
            return self.error(name.span, "a local variable outside of a function");
        };
        let local = function.locals.push(local);
        if let Some(constant) = constant {
            function.constants.insert(local, constant);
        }
        self.scopes.declare(name.symbol, Entity::Local(local));
        out.push(Statement::Declare { local, value: value.map(|(v, _)| v) });
        Ok(())
    }

    /// The same local again: an unsized array may get its size, and a value.
    fn resize_local(
        &mut self,
        known: Entity,
        ty: TypeId,
        value: Option<ExprId>,
        declarator: Declarator,
        out: &mut Vec<Statement>,
    ) -> Check<()> {
        let name = declarator.name;
        if let Entity::Local(id) = known
            && let Some(local) = self.function.as_mut().and_then(|f| f.locals.get_mut(id))
            && let (Some((a, ArrayLength::Unsized)), Some((b, _))) =
                (self.types.array_of(local.ty), self.types.array_of(ty))
            && a == b
        {
            local.ty = ty;
            if let Some((_, ArrayLength::Fixed(n))) = self.types.array_of(ty) {
                self.check_indices_so_far(Root::Local(id), n, name.span)?;
            }
            if value.is_some() {
                out.push(Statement::Declare { local: id, value });
            }
            return Ok(());
        }
        let text = self.text(name.symbol);
        self.error(name.span, format!("`{text}` is already declared in this scope"))
    }
}
