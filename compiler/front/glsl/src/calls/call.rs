//! Calls: constructors, user functions, built-in functions, subroutines; overload resolution.

use crate::builtins::signature::{CallTarget, Candidate};
use crate::calls::construct::Argument;
use crate::calls::convert::{Rank, better};
use crate::checker::{Check, Checker, Reported};
use crate::scope::Entity;
use crate::state::Root;
use glsl_syntax::ast::{self, Callee, List};
use glsl_syntax::source::Span;
use program::{
    BuiltinFunction, Direction, ExprId, ExprKind, FunctionId, Literal, Scalar, Stage, Storage,
    Type, TypeId,
};
use smallvec::SmallVec;

impl Checker<'_> {
    pub(crate) fn call_expression(
        &mut self,
        callee: Callee,
        arguments: List<ast::ExprId>,
        span: Span,
    ) -> Check<ExprId> {
        let name = callee.name;
        let entity = self.scopes.find_callee(name.symbol).cloned();
        match entity {
            Some(Entity::Type(ty)) => {
                let ty = self.open_array_type(ty, callee.dims, span)?;
                let arguments = self.arguments(arguments)?;
                self.construct(ty, &arguments, span)
            }
            Some(Entity::Unknown) => Err(Reported),
            Some(Entity::Global(_) | Entity::Local(_)) => {
                self.call_variable(callee, arguments, span)
            }
            Some(Entity::BlockMember(..) | Entity::SubroutineType) => {
                let text = self.text(name.symbol);
                self.error(name.span, format!("`{text}` is not a function"))
            }
            Some(Entity::Functions(ids)) => self.call_named(callee, &ids, arguments, span),
            None => match self.builtin_type(name.symbol) {
                Some((ty, true)) => {
                    let ty = self.open_array_type(ty, callee.dims, span)?;
                    let arguments = self.arguments(arguments)?;
                    self.construct(ty, &arguments, span)
                }
                Some((_, false)) => {
                    let text = self.text(name.symbol);
                    self.error(name.span, format!("type `{text}` is not available in this version"))
                }
                None => self.call_named(callee, &[], arguments, span),
            },
        }
    }

    /// Calls one of the functions with a name, which is not an array.
    fn call_named(
        &mut self,
        callee: Callee,
        ids: &[FunctionId],
        arguments: List<ast::ExprId>,
        span: Span,
    ) -> Check<ExprId> {
        let name = callee.name;
        if !self.unit.list(callee.dims).is_empty() {
            let text = self.text(name.symbol);
            return self.error(name.span, format!("`{text}` is not an array of subroutines"));
        }
        let arguments = self.arguments(arguments)?;
        self.call_function(name, ids, &arguments, span)
    }

    fn arguments(&mut self, list: List<ast::ExprId>) -> Check<Vec<Argument>> {
        let mut result = Vec::with_capacity(list.len());
        for &id in self.unit.list(list) {
            let value = self.expression(id)?;
            let span = self.unit.exprs[id].span;
            if *self.types.get(self.ty(value)) == Type::Void {
                return self.error(span, "an argument cannot be void");
            }
            result.push(Argument { value, span });
        }
        Ok(result)
    }

    fn call_function(
        &mut self,
        name: ast::Name,
        ids: &[FunctionId],
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        let text = self.text(name.symbol);
        let exact = (name.symbol, arguments.iter().map(|a| self.ty(a.value)).collect());
        if let Some(&id) = self.signatures.get(&exact).filter(|_| !ids.is_empty()) {
            let candidate = self.user_candidate(id);
            return self.emit_call(&candidate, arguments, span);
        }
        let fitting = ids.iter().filter(|&&id| self.takes(id, arguments));
        let mut candidates: Vec<Candidate> = fitting.map(|&id| self.user_candidate(id)).collect();
        // The built-in functions are in a scope outside of the global one, where a user's function
        // hides all functions of its name (GLSL 4.60 section 4.2.2); in ES 1.00 it is one more
        // overload.
        let hidden = !ids.is_empty() && !self.language.es;
        if !hidden {
            self.builtin_candidates(text, arguments.len(), &mut candidates);
        }
        if let Some(candidate) = self.resolve(text, &candidates, arguments, span)? {
            return self.emit_call(&candidate, arguments, span);
        }
        if !hidden && let Some(value) = self.special_builtin(text, arguments, span)? {
            return Ok(value);
        }
        let types = self.argument_types(arguments);
        if self.broken_functions.contains(&name.symbol) {
            return Err(Reported);
        }
        let known = !ids.is_empty() || self.is_any_builtin_function(text);
        if known {
            self.error(name.span, format!("no overload of `{text}` takes ({types})"))
        } else {
            self.error(name.span, format!("function `{text}` is not declared"))
        }
    }

    /// Returns whether a user function accepts the arguments, converted or not.
    fn takes(&self, id: FunctionId, arguments: &[Argument]) -> bool {
        let function = &self.shader.functions[id];
        let parameters =
            function.parameters.iter().map(|p| (function.locals[p.local].ty, p.direction));
        function.parameters.len() == arguments.len()
            && parameters
                .zip(arguments)
                .all(|((ty, d), a)| self.rank(self.ty(a.value), ty, d).is_some())
    }

    fn user_candidate(&self, id: FunctionId) -> Candidate {
        let function = &self.shader.functions[id];
        let parameters =
            function.parameters.iter().map(|p| (function.locals[p.local].ty, p.direction));
        Candidate {
            target: CallTarget::User(id),
            parameters: parameters.collect(),
            result: function.result,
        }
    }

    /// Texture, image and atomic functions, which are chosen by their first argument's type.
    fn special_builtin(
        &mut self,
        name: &str,
        arguments: &[Argument],
        span: Span,
    ) -> Check<Option<ExprId>> {
        if let Some(value) = self.texture_call(name, arguments, span)? {
            return Ok(Some(value));
        }
        if let Some(value) = self.image_call(name, arguments, span)? {
            return Ok(Some(value));
        }
        self.atomic_call(name, arguments, span)
    }

    /// The best candidate (GLSL 4.60 section 6.1), `None` when none fits.
    fn resolve(
        &mut self,
        name: &str,
        candidates: &[Candidate],
        arguments: &[Argument],
        span: Span,
    ) -> Check<Option<Candidate>> {
        let mut viable: Vec<(&Candidate, SmallVec<[Rank; 5]>)> = Vec::new();
        for candidate in candidates {
            let ranks: Option<SmallVec<[Rank; 5]>> = candidate
                .parameters
                .iter()
                .zip(arguments)
                .map(|(&(ty, direction), argument)| {
                    self.rank(self.ty(argument.value), ty, direction)
                })
                .collect();
            if let Some(ranks) = ranks {
                if ranks.iter().all(|&r| r == Rank::Exact) {
                    return Ok(Some(candidate.clone()));
                }
                viable.push((candidate, ranks));
            }
        }
        match &*viable {
            [] => return Ok(None),
            [(one, _)] => return Ok(Some((*one).clone())),
            _ => {}
        }
        if !self.language.conversions.ranking {
            // Before GLSL 4.00 several matches through conversions are ambiguous among user
            // functions; among built-in overloads, implementations take the first in the
            // specification's order.
            let user = |c: &Candidate| matches!(c.target, CallTarget::User(_));
            if viable.iter().all(|(c, _)| user(c)) {
                return self.ambiguous(name, arguments, span);
            }
            let first = viable.first().map(|(c, _)| (*c).clone());
            return Ok(first);
        }
        let beats = |a: &[Rank], b: &[Rank]| {
            let worse = a.iter().zip(b).any(|(&x, &y)| better(y, x));
            let gains = a.iter().zip(b).any(|(&x, &y)| better(x, y));
            gains && !worse
        };
        let best = viable.iter().enumerate().find(|(i, (_, ranks))| {
            viable.iter().enumerate().all(|(j, (_, other))| *i == j || beats(ranks, other))
        });
        match best {
            Some((_, (candidate, _))) => Ok(Some((*candidate).clone())),
            None => self.ambiguous(name, arguments, span),
        }
    }

    fn ambiguous<T>(&mut self, name: &str, arguments: &[Argument], span: Span) -> Check<T> {
        let types = self.argument_types(arguments);
        self.error(span, format!("the call of `{name}` with ({types}) is ambiguous"))
    }

    /// The types of arguments for a message; of many, the first.
    pub(crate) fn argument_types(&self, arguments: &[Argument]) -> String {
        const SHOWN: usize = 16;
        let shown = arguments.iter().take(SHOWN).map(|a| self.type_name(self.ty(a.value)));
        let types: Vec<String> =
            shown.chain((arguments.len() > SHOWN).then(|| "…".to_owned())).collect();
        types.join(", ")
    }

    /// Rank of an argument for a parameter.
    fn rank(&self, argument: TypeId, parameter: TypeId, direction: Direction) -> Option<Rank> {
        if argument == parameter {
            return Some(Rank::Exact);
        }
        match direction {
            Direction::In => self.conversion(argument, parameter),
            Direction::Out => self.conversion(parameter, argument),
            Direction::InOut => {
                self.conversion(argument, parameter)?;
                self.conversion(parameter, argument)
            }
            Direction::Opaque => None,
        }
    }

    fn emit_call(
        &mut self,
        candidate: &Candidate,
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        let mut values = Vec::with_capacity(arguments.len());
        for (argument, &(ty, direction)) in arguments.iter().zip(&candidate.parameters) {
            values.push(self.pass(*argument, ty, direction)?);
        }
        if let CallTarget::User(function) = candidate.target {
            self.check_passed_memory(function, &values, arguments)?;
        }
        let kind = match candidate.target {
            CallTarget::User(function) => ExprKind::Call { function, arguments: values },
            CallTarget::Builtin(function) => {
                self.check_builtin_call(function, &values, span)?;
                if function == BuiltinFunction::Ftransform
                    && let Some(value) = self.fixed_function_position(candidate.result, span)?
                {
                    return Ok(value);
                }
                self.evaluate_stream(function, &mut values, span)?;
                ExprKind::Builtin { function, arguments: values }
            }
        };
        let dead = matches!(kind, ExprKind::Call { .. })
            && self.function.as_ref().is_some_and(|f| f.dead > 0);
        let call = self.push(kind, candidate.result, span);
        if dead {
            self.shader.dead_calls.push(call);
        }
        Ok(call)
    }

    /// Replaces the stream of a vertex by its value.
    fn evaluate_stream(
        &mut self,
        function: BuiltinFunction,
        values: &mut [ExprId],
        span: Span,
    ) -> Check<()> {
        use BuiltinFunction as F;
        if let (F::EmitStreamVertex | F::EndStreamPrimitive, [stream]) = (function, values) {
            let value = self.evaluate_integer(*stream).filter(|_| self.is_constant(*stream));
            let Some(value) = value else {
                return self.error(span, "a stream must be a constant expression");
            };
            *stream = self.literal(Literal::Int(value), Scalar::Int, span);
        }
        Ok(())
    }

    /// A parameter keeps the memory qualifiers of its image argument; `restrict` may be dropped
    /// (GLSL 4.60 section 4.10).
    fn check_passed_memory(
        &mut self,
        function: FunctionId,
        values: &[ExprId],
        arguments: &[Argument],
    ) -> Check<()> {
        for (i, (&value, argument)) in values.iter().zip(arguments).enumerate() {
            let known = self.parameter_qualifiers.get(&function).and_then(|list| list.get(i));
            let (Some(known), Type::Image(_)) = (known, self.types.get(self.ty(value))) else {
                continue;
            };
            let (wanted, given) = (known.memory, self.memory_of(value));
            // ARB_shader_image_load_store includes `restrict`.
            let keeps_restrict = !self.language.at_least(420, 310);
            let lost = keeps_restrict && given.restrict && !wanted.restrict
                || given.coherent && !wanted.coherent
                || given.volatile && !wanted.volatile
                || given.read_only && !wanted.read_only
                || given.write_only && !wanted.write_only;
            if lost {
                return self
                    .error(argument.span, "the parameter lacks a memory qualifier of this image");
            }
        }
        Ok(())
    }

    /// `ftransform()`: the position of fixed-function vertex processing, from the built-in state
    /// uniforms.
    fn fixed_function_position(&mut self, ty: TypeId, span: Span) -> Check<Option<ExprId>> {
        let matrix = self.builtin_variable("gl_ModelViewProjectionMatrix", span)?;
        let vertex = self.builtin_variable("gl_Vertex", span)?;
        let (Some(matrix), Some(vertex)) = (matrix, vertex) else { return Ok(None) };
        let matrix = self.push(ExprKind::Global(matrix), self.shader.globals[matrix].ty, span);
        let vertex = self.push(ExprKind::Global(vertex), self.shader.globals[vertex].ty, span);
        let product = ExprKind::Binary(program::BinaryOp::MatrixTimesVector, matrix, vertex);
        Ok(Some(self.push(product, ty, span)))
    }

    /// An argument prepared for its parameter: a converted value, or a checked place.
    fn pass(&mut self, argument: Argument, ty: TypeId, direction: Direction) -> Check<ExprId> {
        match direction {
            Direction::In => Ok(self.convert(argument.value, ty, argument.span)),
            Direction::Out | Direction::InOut => {
                self.check_place(argument.value, argument.span)?;
                Ok(argument.value)
            }
            Direction::Opaque => Ok(argument.value),
        }
    }

    /// True if a place selects a member of a structure or of a block with an instance name.
    fn selects_member(&self, mut place: ExprId) -> bool {
        loop {
            match self.shader.exprs[place].kind {
                ExprKind::Index { base, .. } => place = base,
                ExprKind::Member { base, .. } => {
                    let ExprKind::Global(id) = self.shader.exprs[base].kind else { return true };
                    let block = self.shader.globals[id].block.as_ref();
                    return block.is_none_or(|block| block.has_instance);
                }
                _ => return false,
            }
        }
    }

    fn check_builtin_call(
        &mut self,
        function: BuiltinFunction,
        values: &[ExprId],
        span: Span,
    ) -> Check<()> {
        use BuiltinFunction as F;
        match function {
            F::InterpolateAtCentroid | F::InterpolateAtSample | F::InterpolateAtOffset => {
                self.check_interpolant(values, span)?;
            }
            F::Barrier if self.language.stage == Stage::TessControl => {
                self.check_once_in_main("barrier()", span)?;
            }
            F::BeginInvocationInterlock => {
                self.check_interlock(0, "the beginning of a critical section", span)?
            }
            F::EndInvocationInterlock => {
                self.check_interlock(1, "the end of a critical section", span)?
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks the first argument of an interpolation function: an input, with members and elements.
    /// Components came with GLSL 4.40; GLSL ES has none (GLSL 4.60 section 8.13.2, GLSL ES 3.20
    /// section 8.14).
    fn check_interpolant(&mut self, values: &[ExprId], span: Span) -> Check<()> {
        let Some(&interpolant) = values.first() else { return Ok(()) };
        let input = match self.root(interpolant) {
            Some(Root::Global(id)) => self.shader.globals[id].storage == Storage::Input,
            _ => false,
        };
        if !input {
            return self.error(span, "an interpolant must be a fragment input");
        }
        if self.selects_component(interpolant) && !self.language.at_least(440, 0) {
            return self.error(span, "components of an interpolant need GLSL 4.40");
        }
        if self.selects_member(interpolant) && self.language.es {
            return self.error(span, "an interpolant of GLSL ES has no `.`");
        }
        Ok(())
    }

    /// True if an access selects components of a vector, by name or by number.
    fn selects_component(&self, mut id: ExprId) -> bool {
        loop {
            id = match self.shader.exprs[id].kind {
                ExprKind::Swizzle { .. } => return true,
                ExprKind::Index { base, .. } => {
                    if matches!(self.types.get(self.ty(base)), Type::Vector { .. }) {
                        return true;
                    }
                    base
                }
                ExprKind::Member { base, .. } => base,
                _ => return false,
            };
        }
    }

    /// Checks that every invocation reaches a call exactly once: barriers of a tessellation control
    /// shader (GLSL 4.60 section 8.16), and both ends of a critical section
    /// (ARB_fragment_shader_interlock).
    fn check_once_in_main(&mut self, what: &str, span: Span) -> Check<()> {
        let Some(function) = &self.function else { return Ok(()) };
        let message = if &*self.shader.functions[function.id].name != "main" {
            "must be in main() here"
        } else if function.flow > 0 {
            "cannot be within control flow here"
        } else if function.returned {
            "cannot follow a return here"
        } else {
            return Ok(());
        };
        self.error(span, format!("{what} {message}"))
    }

    /// Checks that there is at most one critical section; `passed` of its ends precede this one.
    fn check_interlock(&mut self, passed: u32, what: &str, span: Span) -> Check<()> {
        self.check_once_in_main(what, span)?;
        let Some(function) = &mut self.function else { return Ok(()) };
        if function.interlocks != passed {
            return self.error(
                span,
                format!("{what} is misplaced: a shader has one begin, followed by one end"),
            );
        }
        function.interlocks += 1;
        Ok(())
    }

    /// Calls through a subroutine uniform.
    fn call_variable(
        &mut self,
        callee: Callee,
        list: List<ast::ExprId>,
        span: Span,
    ) -> Check<ExprId> {
        let name = callee.name;
        let text = self.text(name.symbol);
        let mut place = match self.scopes.find(name.symbol) {
            Some(Entity::Global(id)) => {
                let id = *id;
                self.push(ExprKind::Global(id), self.shader.globals[id].ty, name.span)
            }
            _ => return self.error(name.span, format!("`{text}` is not a function")),
        };
        for &dim in self.unit.list(callee.dims) {
            let Some(index) = dim.expand() else {
                return self.error(span, "a subroutine array needs an index");
            };
            let index_span = self.unit.exprs[index].span;
            let index = self.expression(index)?;
            place = self.index(place, index, index_span, span)?;
        }
        let Some(ty) = self.subroutine_of(self.ty(place)) else {
            return self.error(name.span, format!("`{text}` is not a function"));
        };
        let arguments = self.arguments(list)?;
        if arguments.len() != ty.parameters.len() {
            let count = ty.parameters.len();
            return self.error(span, format!("`{text}` takes {count} arguments"));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (argument, &(parameter, direction)) in arguments.iter().zip(&ty.parameters) {
            if self.rank(self.ty(argument.value), parameter, direction).is_none() {
                let (a, b) = (self.type_name(self.ty(argument.value)), self.type_name(parameter));
                return self
                    .error(argument.span, format!("argument: cannot convert from {a} to {b}"));
            }
            values.push(self.pass(*argument, parameter, direction)?);
        }
        Ok(self.push(ExprKind::CallSubroutine { place, arguments: values }, ty.result, span))
    }
}
