//! Function prototypes and definitions, subroutine types.

use crate::checker::{Check, Checker, CurrentFunction, Reported};
use crate::qualifiers::layout::Layout;
use crate::qualifiers::qualifier::{Qualifiers, StorageQualifier};
use crate::scope::Entity;
use crate::state::{ParameterQualifiers, Root, SubroutineType};
use cranelift_entity::PrimaryMap;
use glsl_syntax::ast;
use glsl_syntax::intern::words;
use glsl_syntax::source::Span;
use program::shader::Parameter;
use program::variable::MemoryQualifiers;
use program::{
    Direction, Function, FunctionId, Local, LocalId, Stage, Statement, Type, TypeId, TypeTable,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A declared parameter.
struct Declared {
    name: Option<ast::Name>,
    ty: TypeId,
    direction: Direction,
    /// Declared neither `out` nor `inout`.
    is_input: bool,
    parameter_qualifiers: ParameterQualifiers,
    precise: bool,
    span: Span,
}

impl Checker<'_> {
    pub(crate) fn function_declaration(&mut self, id: ast::FunctionId) -> Check<()> {
        let function = self.unit.functions[id];
        let Ok(declared) = self.function_header(function) else {
            self.broken_functions.insert(function.name.symbol);
            return Err(Reported);
        };
        match (declared, function.body.expand()) {
            (Some((id, parameters)), Some(body)) => {
                self.define_function(id, parameters, body, function.name)
            }
            _ => Ok(()),
        }
    }

    /// Declares a function or a subroutine type; `None` for the latter.
    fn function_header(
        &mut self,
        function: ast::Function,
    ) -> Check<Option<(FunctionId, Vec<Declared>)>> {
        let qualifiers = self.qualifiers(function.qualifiers)?;
        let result = self.type_spec(function.return_type)?;
        self.check_inner_sizes(result, function.header)?;
        let name = function.name;
        let text = self.text(name.symbol);
        if self.types.array_of(result).is_some() && !self.language.has_array_values() {
            return self.error(function.header, "functions cannot return arrays in this version");
        }
        if self.contains_fixed_opaque(result) {
            return self.error(function.header, "functions cannot return opaque values");
        }
        if (self.language.es, self.language.version) == (true, 100) && self.contains_array(result) {
            return self.error(
                function.header,
                "functions cannot return structures with arrays in ES 1.00",
            );
        }
        if let Some((_, program::ArrayLength::Unsized)) = self.types.array_of(result) {
            return self.error(function.header, "a returned array needs a size");
        }
        self.check_function_qualifiers(&qualifiers)?;
        if !self.scopes.is_global() && self.language.at_least(120, 100) {
            return self.error(function.header, "functions can only be declared at global scope");
        }
        let parameters = self.parameters(function.params)?;
        if text == "main" && (result != TypeTable::VOID || !parameters.is_empty()) {
            return self.error(function.header, "main must be `void main()`");
        }
        if qualifiers.subroutine.is_some_and(|types| types.is_empty()) {
            if function.body.is_some() {
                return self.error(function.header, "a subroutine type has no body");
            }
            return self.subroutine_type(name, &parameters, result).map(|()| None);
        }
        if qualifiers.subroutine.is_some() && function.body.is_none() {
            return self.error(function.header, "a subroutine function must have a body");
        }
        self.check_precision(result, &qualifiers, function.header)?;
        self.check_function_name(name)?;
        self.check_not_builtin(name, &parameters)?;
        let id = self.declare_function(&function, &qualifiers, result, &parameters)?;
        Ok(Some((id, parameters)))
    }

    /// Checks a function's qualifiers: a precision, `precise`, and those of subroutines (GLSL 4.60
    /// sections 6.1 and 4.4.4).
    fn check_function_qualifiers(&mut self, q: &Qualifiers) -> Check<()> {
        let mut layout = q.layout.clone();
        let index = layout.variable.index.take();
        layout.present = false;
        let others = q.storage.is_some()
            || q.constant
            || q.invariant
            || q.interpolation != Default::default()
            || q.memory != MemoryQualifiers::default()
            || layout != Layout::default();
        if others || (index.is_some() && q.subroutine.is_none()) {
            return self.error(q.span, "these qualifiers do not apply to functions");
        }
        if index.is_some()
            && !self.language.at_least(430, 0)
            && !self.language.extension("ARB_explicit_uniform_location")
        {
            return self.error(
                q.span,
                "the index of a subroutine needs GLSL 4.30 or ARB_explicit_uniform_location",
            );
        }
        Ok(())
    }

    fn subroutine_type(
        &mut self,
        name: ast::Name,
        parameters: &[Declared],
        result: TypeId,
    ) -> Check<()> {
        self.check_new_name(name)?;
        let text = self.text(name.symbol);
        let ty = SubroutineType {
            parameters: parameters.iter().map(|p| (p.ty, p.direction)).collect(),
            result,
        };
        self.subroutine_types.insert(text.into(), ty);
        self.scopes.declare(name.symbol, Entity::SubroutineType);
        Ok(())
    }

    fn parameters(&mut self, list: ast::List<ast::ParamId>) -> Check<Vec<Declared>> {
        let unit = self.unit;
        let mut result = Vec::new();
        for &id in unit.list(list) {
            let param = unit.params[id];
            let qualifiers = self.qualifiers(param.qualifiers)?;
            // GLSL ES 3.00 section 12.10, GLSL ES 3.10 section 13.10.
            if self.language.es && matches!(unit.types[param.ty].kind, ast::TypeKind::Struct(_)) {
                return self.error(param.span, "a parameter cannot define a structure in ES");
            }
            let base = match param.name {
                Some(_) => self.type_spec(param.ty)?,
                None => self.written_type(param.ty)?,
            };
            let ty = self.array_type(base, param.dims, param.span)?;
            if ty == TypeTable::VOID {
                return self.error(param.span, "a parameter cannot be void");
            }
            if let Some((_, program::ArrayLength::Unsized)) = self.types.array_of(ty) {
                return self.error(param.span, "an array parameter needs a size");
            }
            self.check_no_subroutine(ty, param.span)?;
            self.check_precision(ty, &qualifiers, param.span)?;
            let direction = self.direction(&qualifiers, ty, param.span)?;
            let is_input = matches!(qualifiers.storage, None | Some(StorageQualifier::In));
            let (name, span) = (param.name, param.span);
            let parameter_qualifiers = self.parameter_qualifiers(ty, &qualifiers);
            result.push(Declared {
                name,
                ty,
                direction,
                is_input,
                parameter_qualifiers,
                precise: qualifiers.precise,
                span,
            });
        }
        Ok(result)
    }

    fn parameter_qualifiers(&self, ty: TypeId, qualifiers: &Qualifiers) -> ParameterQualifiers {
        // Precisions matter in GLSL ES only, where a default precision equals a written one.
        let precision = if self.language.es {
            self.precision_of(self.types.without_arrays(ty), qualifiers)
        } else {
            Default::default()
        };
        ParameterQualifiers { constant: qualifiers.constant, precision, memory: qualifiers.memory }
    }

    fn direction(&mut self, qualifiers: &Qualifiers, ty: TypeId, span: Span) -> Check<Direction> {
        let direction = match qualifiers.storage {
            None | Some(StorageQualifier::In) => Direction::In,
            Some(StorageQualifier::Out) => Direction::Out,
            Some(StorageQualifier::InOut) => Direction::InOut,
            Some(_) => return self.error(span, "this qualifier does not apply to parameters"),
        };
        if direction != Direction::In
            && self.language.version == 110
            && self.types.array_of(ty).is_some()
        {
            return self.error(span, "an array cannot be out or inout in GLSL 1.10");
        }
        if direction != Direction::In && qualifiers.constant {
            return self.error(span, "a const parameter cannot be out or inout");
        }
        if qualifiers.interpolation != Default::default()
            || qualifiers.invariant
            || qualifiers.layout.present
            || qualifiers.subroutine.is_some()
            || self.has_misplaced_memory(qualifiers, ty)
        {
            return self.error(span, "these qualifiers do not apply to parameters");
        }
        if self.types.contains_opaque(ty) {
            if direction != Direction::In && self.contains_fixed_opaque(ty) {
                return self.error(span, "opaque parameters cannot be out or inout");
            }
            return Ok(Direction::Opaque);
        }
        Ok(direction)
    }

    /// Checks the name of a function: not reserved, not a variable's; built-in functions may be
    /// overloaded or hidden except in ES 3.00 and later.
    fn check_function_name(&mut self, name: ast::Name) -> Check<()> {
        self.check_new_name(name)?;
        let text = self.text(name.symbol);
        self.check_no_block_name(name)?;
        match self.scopes.find_global_function(name.symbol) {
            None | Some(Entity::Functions(_)) => {}
            Some(_) => {
                return self
                    .error(name.span, format!("`{text}` is already declared in this scope"));
            }
        }
        if self.language.es && self.language.version >= 300 && self.is_function_name(text) {
            return self.error(
                name.span,
                format!("built-in function `{text}` cannot be redefined in GLSL ES 3.00"),
            );
        }
        Ok(())
    }

    fn is_function_name(&self, text: &str) -> bool {
        self.is_builtin_function(text)
            || self.is_texture_function(text)
            || self.is_image_function(text)
            || self.is_atomic_function(text)
    }

    /// The built-in functions of ES 3.00 and later are in the global scope (GLSL ES 3.20, "Global
    /// Scope").
    pub(crate) fn check_not_function(&mut self, name: ast::Name) -> Check<()> {
        let text = self.text(name.symbol);
        let shared = self.language.es && self.language.version >= 300 && self.scopes.is_global();
        if shared && self.is_function_name(text) {
            return self.error(name.span, format!("`{text}` is a built-in function"));
        }
        Ok(())
    }

    /// GLSL ES 1.00 lets a built-in function be overloaded, not redefined (section 8).
    fn check_not_builtin(&mut self, name: ast::Name, parameters: &[Declared]) -> Check<()> {
        if !self.language.es || self.language.version != 100 {
            return Ok(());
        }
        let text = self.text(name.symbol);
        let mut candidates = Vec::new();
        self.builtin_candidates(text, parameters.len(), &mut candidates);
        let same = |c: &crate::builtins::signature::Candidate| {
            c.parameters.iter().map(|p| p.0).eq(parameters.iter().map(|p| p.ty))
        };
        if candidates.iter().any(same) {
            return self
                .error(name.span, format!("built-in function `{text}` cannot be redefined"));
        }
        Ok(())
    }

    fn declare_function(
        &mut self,
        function: &ast::Function,
        qualifiers: &Qualifiers,
        result: TypeId,
        parameters: &[Declared],
    ) -> Check<FunctionId> {
        let name = function.name;
        let text = self.text(name.symbol);
        let mut parameter_qualifiers: Vec<ParameterQualifiers> =
            parameters.iter().map(|p| p.parameter_qualifiers).collect();
        parameter_qualifiers.push(ParameterQualifiers {
            precision: self.parameter_qualifiers(result, qualifiers).precision,
            ..ParameterQualifiers::default()
        });
        let signature = (name.symbol, parameters.iter().map(|p| p.ty).collect());
        if let Some(&id) = self.signatures.get(&signature) {
            let old = &self.shader.functions[id];
            if old.result != result {
                return self
                    .error(name.span, format!("`{text}` is redeclared with another return type"));
            }
            let same_qualifiers = self
                .parameter_qualifiers
                .get(&id)
                .is_some_and(|known| *known == parameter_qualifiers);
            if !same_qualifiers
                || old.parameters.iter().zip(parameters).any(|(p, d)| p.direction != d.direction)
            {
                return self.error(
                    name.span,
                    format!("`{text}` is redeclared with other parameter qualifiers"),
                );
            }
            // One prototype and one definition (ES 1.00 section 4.2.6).
            if (self.language.es, self.language.version) == (true, 100) && function.body.is_none() {
                return self.error(name.span, format!("`{text}` is already declared"));
            }
            if old.body.is_some() && function.body.is_some() {
                return self.error(name.span, format!("`{text}` is already defined"));
            }
            return Ok(id);
        }
        // Subroutine functions have no overloads: checking the first is enough.
        let overloaded = self.overloads(name).next();
        if overloaded
            .is_some_and(|f| qualifiers.subroutine.is_some() || !f.subroutine_types.is_empty())
        {
            return self
                .error(name.span, format!("subroutine function `{text}` cannot be overloaded"));
        }
        let mut locals: PrimaryMap<LocalId, Local> = PrimaryMap::new();
        let parameters: Vec<Parameter> = parameters
            .iter()
            .map(|p| {
                let name = p.name.map_or("", |n| self.text(n.symbol));
                let local = Local {
                    name: name.into(),
                    ty: p.ty,
                    precise: p.precise,
                    span: self.span(p.span),
                };
                Parameter { local: locals.push(local), direction: p.direction }
            })
            .collect();
        let mut subroutine_types = Vec::new();
        if let Some(list) = qualifiers.subroutine {
            for &ty in self.unit.list(list) {
                let type_text = self.text(ty.symbol);
                let Some(wanted) = self.subroutine_types.get(type_text) else {
                    return self.error(ty.span, format!("`{type_text}` is not a subroutine type"));
                };
                let own = parameters
                    .iter()
                    .map(|&Parameter { local, direction }| (locals[local].ty, direction));
                if wanted.result != result || !own.eq(wanted.parameters.iter().copied()) {
                    return self.error(
                        ty.span,
                        format!("`{text}` differs from subroutine type `{type_text}`"),
                    );
                }
                subroutine_types.push(type_text.into());
            }
        }
        let id = self.shader.functions.push(Function {
            name: text.into(),
            result,
            parameters,
            locals,
            body: None,
            subroutine_types,
            subroutine_index: qualifiers.layout.variable.index,
            span: self.span(function.header),
        });
        self.signatures.insert(signature, id);
        self.parameter_qualifiers.insert(id, parameter_qualifiers);
        self.scopes.add_function(name.symbol, id);
        Ok(id)
    }

    /// The user's functions of a name.
    fn overloads(&self, name: ast::Name) -> impl Iterator<Item = &Function> {
        let ids = match self.scopes.find_global_function(name.symbol) {
            Some(Entity::Functions(ids)) => ids.as_slice(),
            _ => &[],
        };
        ids.iter().map(|&id| &self.shader.functions[id])
    }

    fn define_function(
        &mut self,
        id: FunctionId,
        parameters: Vec<Declared>,
        body: ast::StmtId,
        name: ast::Name,
    ) -> Check<()> {
        let result = self.shader.functions[id].result;
        let mut current = CurrentFunction {
            id,
            result,
            locals: PrimaryMap::new(),
            constants: FxHashMap::default(),
            loops: 0,
            switches: 0,
            dead: 0,
            flow: 0,
            returned: false,
            interlocks: 0,
            returns: false,
            memory: FxHashMap::default(),
            written: FxHashSet::default(),
            temporaries: Vec::new(),
        };
        self.largest_indices.retain(|root, _| matches!(root, Root::Global(_)));
        // A parameter and the body share one scope (GLSL 4.60 section 4.2.2), but not in ES 1.00
        // (section 4.2.2).
        self.scopes.enter();
        let mut outcome = Ok(());
        let mut list = Vec::new();
        let mut inputs = FxHashSet::default();
        for p in parameters {
            let text = p.name.map_or("", |n| self.text(n.symbol));
            let local =
                Local { name: text.into(), ty: p.ty, precise: p.precise, span: self.span(p.span) };
            let local = current.locals.push(local);
            list.push(Parameter { local, direction: p.direction });
            if p.is_input {
                inputs.insert(local);
            }
            if p.parameter_qualifiers.constant {
                current.constants.insert(local, None);
            }
            if p.direction == Direction::Opaque {
                current.memory.insert(local, p.parameter_qualifiers.memory);
            }
            if let Some(n) = p.name {
                if self.scopes.find_here(n.symbol).is_some() {
                    outcome = self.error(n.span, format!("parameter `{text}` is declared twice"));
                }
                if self.check_new_name(n).is_err() {
                    outcome = Err(Reported);
                }
                self.scopes.declare(n.symbol, Entity::Local(local));
            }
        }
        self.function = Some(current);
        let statements = match (self.language.es, self.language.version) {
            (true, 100) => self.scoped(body),
            _ => self.function_body(body),
        };
        self.scopes.leave();
        let Some(current) = self.function.take() else { return Ok(()) };
        outcome?;
        let mut statements = statements?;
        let declare = |&local| Statement::Declare { local, value: None };
        statements.splice(0..0, current.temporaries.iter().map(declare));
        if name.symbol == words::MAIN {
            self.shader.entry = Some(id);
        }
        if result != TypeTable::VOID && !current.returns && self.language.at_least(110, 100) {
            let text = self.text(name.symbol);
            return self.error(name.span, format!("function `{text}` must return a value"));
        }
        if current.interlocks == 1 {
            return self.error(name.span, "the critical section has no end");
        }
        // A structure with opaque members whose other members are written is a copy.
        for parameter in &mut list {
            let Parameter { local, direction } = parameter;
            if *direction == Direction::Opaque
                && inputs.contains(local)
                && current.written.contains(local)
            {
                *direction = Direction::In;
            }
        }
        let function = &mut self.shader.functions[current.id];
        function.parameters = list;
        function.locals = current.locals;
        function.body = Some(statements);
        Ok(())
    }

    /// Creates an unnamed local of the current function; `None` outside functions.
    pub(crate) fn temporary(&mut self, ty: TypeId, span: Span) -> Option<LocalId> {
        let span = self.span(span);
        let function = self.function.as_mut()?;
        let local = function.locals.push(Local { name: "".into(), ty, precise: false, span });
        function.temporaries.push(local);
        Some(local)
    }

    /// Returns whether the stage may call a function or use a statement.
    pub(crate) fn is_stage(&self, stage: Stage) -> bool {
        self.language.stage == stage
    }

    /// Only uniforms that are declared with `subroutine` are of a subroutine type (GLSL 4.60
    /// section 6.1.2).
    pub(crate) fn check_no_subroutine(&mut self, ty: TypeId, span: Span) -> Check<()> {
        match self.types.get(self.types.without_arrays(ty)) {
            Type::Subroutine(_) => {
                self.error(span, "only subroutine uniforms can have a subroutine type")
            }
            _ => Ok(()),
        }
    }

    /// The subroutine type of a type.
    pub(crate) fn subroutine_of(&self, ty: TypeId) -> Option<SubroutineType> {
        match self.types.get(ty) {
            Type::Subroutine(name) => self.subroutine_types.get(name).cloned(),
            _ => None,
        }
    }
}
