//! Expressions: names, literals, members, swizzles, indexing, assignment.

use crate::checker::{Check, Checker, Reported};
use crate::scope::Entity;
use glsl_syntax::ast::{self, FloatType, IntType, Name, UnaryOp as AstUnary};
use glsl_syntax::intern::Symbol;
use glsl_syntax::source::Span;
use program::{
    ArrayLength, BuiltinVariable, ExprId, ExprKind, GlobalId, Literal, Scalar, Stage, Storage,
    SwizzleMask, Type, TypeId,
};
use vocabulary::half;

use crate::state::Root;

impl Checker<'_> {
    /// Checks an expression; its value may be void.
    pub(crate) fn expression(&mut self, id: ast::ExprId) -> Check<ExprId> {
        let expr = self.unit.exprs[id];
        let span = expr.span;
        match expr.kind {
            ast::ExprKind::Name(name) => self.name_expression(name, span),
            ast::ExprKind::Int(bits, ty) => self.int_literal(bits, ty, span),
            ast::ExprKind::Float(value, ty) => self.float_literal(value, ty, span),
            ast::ExprKind::Bool(value) => {
                Ok(self.literal(Literal::Bool(value), Scalar::Bool, span))
            }
            ast::ExprKind::Unary(op, a) => self.unary_expression(op, a, span),
            ast::ExprKind::Binary(..) => self.binary_expression(id),
            ast::ExprKind::Assign(op, a, b) => self.assignment(op, a, b, span),
            ast::ExprKind::Ternary(c, a, b) => self.ternary(c, a, b, span),
            ast::ExprKind::Comma(..) => self.sequence(id),
            ast::ExprKind::Index(base, index) => self.index_expression(base, index, span),
            ast::ExprKind::Field(base, name) => {
                let base = self.expression(base)?;
                self.field(base, name, span)
            }
            ast::ExprKind::Method(base, name, arguments) => {
                self.method(base, name, arguments, span)
            }
            ast::ExprKind::Call(callee, arguments) => self.call_expression(callee, arguments, span),
            ast::ExprKind::InitList(_) => {
                self.error(span, "an initializer list can only initialize a variable")
            }
        }
    }

    fn sequence(&mut self, id: ast::ExprId) -> Check<ExprId> {
        let mut chain = Vec::new();
        let mut first = id;
        while let ast::ExprKind::Comma(a, b) = self.unit.exprs[first].kind {
            chain.push((self.unit.exprs[first].span, b));
            first = a;
        }
        let mut value = self.operand_of_sequence(first)?;
        for (span, next) in chain.into_iter().rev() {
            let next = self.operand_of_sequence(next)?;
            value = self.push(ExprKind::Sequence(value, next), self.ty(next), span);
        }
        Ok(value)
    }

    /// Operands may be void, but not opaque (GLSL 4.60 section 5.9).
    fn operand_of_sequence(&mut self, id: ast::ExprId) -> Check<ExprId> {
        let value = self.expression(id)?;
        if self.types.contains_opaque(self.ty(value)) {
            return self.error(self.unit.exprs[id].span, "opaque values cannot be operands of `,`");
        }
        Ok(value)
    }

    /// Adds a literal.
    pub(crate) fn literal(&mut self, literal: Literal, scalar: Scalar, span: Span) -> ExprId {
        let ty = self.types.scalar(scalar);
        self.push(ExprKind::Literal(literal), ty, span)
    }

    fn int_literal(&mut self, bits: u64, ty: IntType, span: Span) -> Check<ExprId> {
        let (literal, scalar) = match ty {
            IntType::Int => (Literal::Int(i64::from(bits as u32 as i32)), Scalar::Int),
            IntType::Uint => (Literal::Uint(u64::from(bits as u32)), Scalar::Uint),
            IntType::Int16 => (Literal::Int(i64::from(bits as i16)), Scalar::Int16),
            IntType::Uint16 => (Literal::Uint(u64::from(bits as u16)), Scalar::Uint16),
            IntType::Int64 => (Literal::Int(bits as i64), Scalar::Int64),
            IntType::Uint64 => (Literal::Uint(bits), Scalar::Uint64),
        };
        let allowed = match ty {
            IntType::Int => true,
            IntType::Uint => self.language.has_integers(),
            IntType::Int16 | IntType::Uint16 => self.language.has_int16(),
            IntType::Int64 | IntType::Uint64 => self.language.has_int64(),
        };
        if !allowed {
            return self
                .error(span, "integer literals of this type are not available in this version");
        }
        Ok(self.literal(literal, scalar, span))
    }

    fn float_literal(&mut self, value: f64, ty: FloatType, span: Span) -> Check<ExprId> {
        match ty {
            FloatType::Float => Ok(self.literal(Literal::Float(value as f32), Scalar::Float, span)),
            FloatType::Double if self.language.has_doubles() => {
                Ok(self.literal(Literal::Double(value), Scalar::Double, span))
            }
            FloatType::Half if self.language.has_half_float() => {
                Ok(self.literal(Literal::Float16(half::from_f64(value)), Scalar::Float16, span))
            }
            _ => self.error(
                span,
                "floating-point literals of this type are not available in this version",
            ),
        }
    }

    fn name_expression(&mut self, name: Symbol, span: Span) -> Check<ExprId> {
        match self.scopes.find(name).cloned() {
            Some(Entity::Global(id)) => {
                Ok(self.push(ExprKind::Global(id), self.shader.globals[id].ty, span))
            }
            Some(Entity::Local(id)) => {
                let ty = self.function.as_ref().and_then(|f| f.locals.get(id)).map(|l| l.ty);
                match ty {
                    Some(ty) => Ok(self.push(ExprKind::Local(id), ty, span)),
                    None => self.undeclared(name, span),
                }
            }
            Some(Entity::BlockMember(id, member)) => {
                let block = self.push(ExprKind::Global(id), self.shader.globals[id].ty, span);
                let ty = self
                    .types
                    .members(self.ty(block))
                    .and_then(|m| m.get(member as usize))
                    .map(|m| m.ty);
                match ty {
                    Some(ty) => Ok(self.push(ExprKind::Member { base: block, member }, ty, span)),
                    None => self.undeclared(name, span),
                }
            }
            Some(Entity::Type(_) | Entity::SubroutineType) => {
                let text = self.text(name);
                self.error(span, format!("`{text}` is a type, not a value"))
            }
            Some(Entity::Functions(_)) => {
                let text = self.text(name);
                self.error(span, format!("`{text}` is a function, not a value"))
            }
            Some(Entity::Unknown) => Err(Reported),
            None => match self.builtin_name(name, span)? {
                Some(value) => Ok(value),
                None => self.undeclared(name, span),
            },
        }
    }

    fn undeclared(&mut self, name: Symbol, span: Span) -> Check<ExprId> {
        let text = self.text(name);
        self.error(span, format!("`{text}` is not declared"))
    }

    fn unary_expression(
        &mut self,
        op: AstUnary,
        operand: ast::ExprId,
        span: Span,
    ) -> Check<ExprId> {
        let value = self.expression(operand)?;
        let (decrement, post) = match op {
            AstUnary::PreInc => (false, false),
            AstUnary::PreDec => (true, false),
            AstUnary::PostInc => (false, true),
            AstUnary::PostDec => (true, true),
            _ => return self.unary(op, value, span),
        };
        let ty = self.ty(value);
        if self.types.scalar_of(ty).is_none_or(|s| s == Scalar::Bool) {
            let name = self.type_name(ty);
            return self.error(
                span,
                format!("a value of type {name} cannot be incremented or decremented"),
            );
        }
        self.check_place(value, self.unit.exprs[operand].span)?;
        self.check_readable(value, self.unit.exprs[operand].span)?;
        let kind = if post {
            ExprKind::PostIncrement { place: value, decrement }
        } else {
            ExprKind::PreIncrement { place: value, decrement }
        };
        Ok(self.push(kind, ty, span))
    }

    fn assignment(
        &mut self,
        op: Option<ast::BinaryOp>,
        place: ast::ExprId,
        value: ast::ExprId,
        span: Span,
    ) -> Check<ExprId> {
        let place_span = self.unit.exprs[place].span;
        let place = self.expression(place)?;
        let value = self.expression(value)?;
        self.check_place(place, place_span)?;
        if let Some(op) = op {
            self.check_readable(place, place_span)?;
            return self.compound_assign(op, place, value, span);
        }
        let ty = self.ty(place);
        if self.is_whole_array(ty) && !self.language.has_array_values() {
            return self.error(span, "arrays cannot be assigned in this version");
        }
        if let Some((_, length)) = self.types.array_of(ty) {
            let given = self.types.array_of(self.ty(value)).map_or(length, |(_, l)| l);
            if given != length && [given, length].contains(&ArrayLength::Unsized) {
                return self.error(place_span, "an array without a size cannot be assigned");
            }
        }
        let value = self.coerce(value, ty, span, "assignment")?;
        Ok(self.push(ExprKind::Assign { place, value }, ty, span))
    }

    fn ternary(
        &mut self,
        c: ast::ExprId,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
    ) -> Check<ExprId> {
        let condition = self.condition(c)?;
        self.change_flow(1);
        let operands = self.expression(a).and_then(|a| Ok((a, self.expression(b)?)));
        self.change_flow(-1);
        let (a, b) = operands?;
        let (ta, tb) = (self.ty(a), self.ty(b));
        let ty = if ta == tb {
            ta
        } else if self.conversion(ta, tb).is_some() {
            tb
        } else if self.conversion(tb, ta).is_some() {
            ta
        } else {
            let (x, y) = (self.type_name(ta), self.type_name(tb));
            return self.error(span, format!("the operands of ?: have types {x} and {y}"));
        };
        if self.types.contains_opaque(ty) {
            return self.error(span, "opaque values cannot be chosen by ?:");
        }
        if self.types.array_of(ty).is_some() && !self.language.has_array_values() {
            return self.error(span, "arrays cannot be chosen by ?: in this version");
        }
        let (if_true, if_false) = (self.convert(a, ty, span), self.convert(b, ty, span));
        Ok(self.push(ExprKind::Select { condition, if_true, if_false }, ty, span))
    }

    /// An expression that must be a `bool`.
    pub(crate) fn condition(&mut self, id: ast::ExprId) -> Check<ExprId> {
        let value = self.expression(id)?;
        let ty = self.ty(value);
        if *self.types.get(ty) != Type::Scalar(Scalar::Bool) {
            let name = self.type_name(ty);
            return self
                .error(self.unit.exprs[id].span, format!("a condition must be bool, not {name}"));
        }
        Ok(value)
    }

    /// `base.name`: a member or a swizzle.
    fn field(&mut self, base: ExprId, name: Name, span: Span) -> Check<ExprId> {
        let ty = self.ty(base);
        let text = self.text(name.symbol);
        match self.types.get(ty) {
            Type::Struct(s) => {
                let indices = self.member_indices.entry(ty).or_insert_with(|| {
                    s.members.iter().zip(0..).map(|(member, i)| (member.name.clone(), i)).collect()
                });
                match indices.get(text) {
                    Some(&member) => {
                        let member_ty = s.members[member as usize].ty;
                        Ok(self.push(ExprKind::Member { base, member }, member_ty, span))
                    }
                    None => {
                        let message = format!("{} has no member `{text}`", s.name);
                        self.error(name.span, message)
                    }
                }
            }
            Type::Vector { scalar, size } => {
                let (scalar, size) = (*scalar, *size);
                self.swizzle(base, scalar, size, text, name.span, span)
            }
            Type::Scalar(scalar) if self.language.has_matrix_vector_scalar_swizzle() => {
                let scalar = *scalar;
                self.swizzle(base, scalar, 1, text, name.span, span)
            }
            _ => {
                let type_name = self.type_name(ty);
                self.error(name.span, format!("a value of type {type_name} has no member `{text}`"))
            }
        }
    }

    fn swizzle(
        &mut self,
        base: ExprId,
        scalar: Scalar,
        size: u8,
        text: &str,
        name_span: Span,
        span: Span,
    ) -> Check<ExprId> {
        let set = ["xyzw", "rgba", "stpq"]
            .into_iter()
            .find(|set| text.bytes().all(|c| set.as_bytes().contains(&c)));
        let Some(set) = set.filter(|_| text.len() <= 4 && !text.is_empty()) else {
            return self.error(name_span, format!("`{text}` is not a swizzle"));
        };
        let components: Vec<u8> = text
            .bytes()
            .filter_map(|c| set.bytes().position(|s| s == c))
            .map(|i| i as u8)
            .collect();
        if components.iter().any(|&c| c >= size) {
            return self.error(
                name_span,
                format!("`{text}` selects a component that the value does not have"),
            );
        }
        let ty = self.types.vector(scalar, components.len() as u8);
        Ok(self.push(
            ExprKind::Swizzle { base, components: SwizzleMask::new(&components) },
            ty,
            span,
        ))
    }

    fn index_expression(
        &mut self,
        base: ast::ExprId,
        index: ast::ExprId,
        span: Span,
    ) -> Check<ExprId> {
        let base_value = self.expression(base)?;
        let index_span = self.unit.exprs[index].span;
        let index = self.expression(index)?;
        self.index(base_value, index, index_span, span)
    }

    /// `base[index]` of checked operands.
    pub(crate) fn index(
        &mut self,
        base: ExprId,
        index: ExprId,
        index_span: Span,
        span: Span,
    ) -> Check<ExprId> {
        let index_type = self.ty(index);
        // AMD_gpu_shader_int16, issue 7: 16-bit integers are not indices.
        if !matches!(self.types.get(index_type), Type::Scalar(s) if s.is_integer() && s.bits() >= 32)
        {
            let name = self.type_name(index_type);
            return self.error(index_span, format!("an index must be an integer, not {name}"));
        }
        let base_ty = self.ty(base);
        let (element, bound, unsized_array) = match *self.types.get(base_ty) {
            Type::Array { element, length } => match length {
                ArrayLength::Fixed(n) => (element, Some(n), false),
                length => (element, None, length == ArrayLength::Unsized),
            },
            Type::Vector { scalar, size } => {
                (self.types.scalar(scalar), Some(u32::from(size)), false)
            }
            Type::Matrix { scalar, columns, rows } => {
                (self.types.vector(scalar, rows), Some(u32::from(columns)), false)
            }
            _ => {
                let name = self.type_name(base_ty);
                return self.error(span, format!("a value of type {name} cannot be indexed"));
            }
        };
        let constant = self.evaluate_integer(index);
        if let Some(value) = constant {
            if value < 0 || bound.is_some_and(|n| value >= i64::from(n)) {
                let of = bound.map_or(String::new(), |n| format!(" of {n}"));
                return self.error(index_span, format!("index {value} is out of range{of}"));
            }
            let limit = self.builtin_of(base).and_then(|b| self.builtin_size_limit(b));
            if let Some(limit) = limit.filter(|&n| value >= i64::from(n)) {
                return self.error(index_span, format!("index {value} is out of range of {limit}"));
            }
        } else {
            self.check_dynamic_index(base, element, unsized_array, span)?;
        }
        if let (Some(value), true) = (constant, unsized_array) {
            self.record_index(base, value);
        }
        let index = match constant {
            // Linking sizes the array by its largest constant index and needs the number.
            Some(value) if unsized_array => {
                self.literal(Literal::Int(value), Scalar::Int, index_span)
            }
            _ => self.index_operand(index, index_span),
        };
        Ok(self.push(ExprKind::Index { base, index }, element, span))
    }

    /// Records a constant index of an array without a size: its later size must be larger.
    fn record_index(&mut self, array: ExprId, index: i64) {
        let root = match self.shader.exprs[array].kind {
            ExprKind::Global(id) => Root::Global(id),
            ExprKind::Local(id) => Root::Local(id),
            ExprKind::Member { base, member } => {
                if let Some(Root::Global(block)) = self.root(base) {
                    self.indexed_members.insert((block, member));
                }
                return;
            }
            _ => return,
        };
        let largest = self.largest_indices.entry(root).or_insert(index);
        *largest = index.max(*largest);
    }

    /// The built-in variable or member of `gl_PerVertex` of an expression.
    fn builtin_of(&self, id: ExprId) -> Option<BuiltinVariable> {
        match self.shader.exprs[id].kind {
            ExprKind::Global(id) => self.shader.globals[id].builtin,
            ExprKind::Member { base, member } => {
                self.types.members(self.ty(base))?.get(member as usize)?.builtin
            }
            _ => None,
        }
    }

    /// Indices of other widths become `int` or `uint`.
    fn index_operand(&mut self, index: ExprId, span: Span) -> ExprId {
        match self.types.scalar_of(self.ty(index)) {
            Some(Scalar::Int | Scalar::Uint) | None => index,
            Some(s) => {
                let scalar = if s.is_signed_integer() { Scalar::Int } else { Scalar::Uint };
                let ty = self.types.scalar(scalar);
                self.convert(index, ty, span)
            }
        }
    }

    fn check_dynamic_index(
        &mut self,
        base: ExprId,
        element: TypeId,
        unsized_array: bool,
        span: Span,
    ) -> Check<()> {
        let root = self.root(base);
        let global = match root {
            Some(Root::Global(id)) => Some(&self.shader.globals[id]),
            _ => None,
        };
        let stage = self.language.stage;
        let whole = matches!(self.shader.exprs[base].kind, ExprKind::Global(_));
        let per_vertex = whole && global.is_some_and(|g| g.storage.is_per_vertex(stage));
        if unsized_array && !per_vertex && global.is_none_or(|g| g.storage != Storage::Buffer) {
            return self.error(span, "an array without a size can only be indexed by constants");
        }
        let blocks = |storage: Storage| {
            global.is_some_and(|g| g.block.is_some() && g.storage == storage)
                && matches!(self.types.get(self.types.without_arrays(element)), Type::Struct(_))
                && self.is_element_of_global(base)
        };
        let block_array = blocks(Storage::Uniform);
        let opaque = self.types.get(self.types.without_arrays(element));
        let sampler = matches!(opaque, Type::Sampler(_));
        let fragment_output = whole
            && stage == Stage::Fragment
            && global.is_some_and(|g| g.storage == Storage::Output && g.builtin.is_none())
            && matches!(self.types.get(self.ty(base)), Type::Array { .. });
        // GLSL ES 3.20 sections 4.1.7.2, 4.3.6 and 4.3.9; OES_gpu_shader5 keeps these rules.
        let always_constant = if blocks(Storage::Buffer) {
            Some("storage blocks")
        } else if fragment_output {
            Some("fragment outputs")
        } else {
            matches!(opaque, Type::Image(_)).then_some("images")
        };
        if let Some(what) = always_constant.filter(|_| self.language.es) {
            let message = format!("an array of {what} can only be indexed by constants in GLSL ES");
            return self.error(span, message);
        }
        let dynamic = self.language.at_least(400, 320)
            || self.language.any_extension(&[
                "ARB_gpu_shader5",
                "EXT_gpu_shader5",
                "OES_gpu_shader5",
            ]);
        if block_array && !dynamic {
            return self.error(
                span,
                "an array of uniform blocks can only be indexed by constants in this version",
            );
        }
        let fixed = !dynamic && !self.language.has_handles();
        if sampler && fixed && self.language.at_least(130, 300) {
            return self.error(
                span,
                "an array of samplers can only be indexed by constants in this version",
            );
        }
        Ok(())
    }

    /// True if `id` is a global variable, or an element of it at any depth of arrays.
    fn is_element_of_global(&self, mut id: ExprId) -> bool {
        while let ExprKind::Index { base, .. } = self.shader.exprs[id].kind {
            id = base;
        }
        matches!(self.shader.exprs[id].kind, ExprKind::Global(_))
    }

    fn method(
        &mut self,
        base: ast::ExprId,
        name: Name,
        arguments: ast::List<ast::ExprId>,
        span: Span,
    ) -> Check<ExprId> {
        let value = self.expression(base)?;
        let text = self.text(name.symbol);
        if text != "length" || !arguments.is_empty() {
            return self
                .error(name.span, format!("`{text}` is not a method; `length()` is the only one"));
        }
        let ty = self.ty(value);
        let count = match *self.types.get(ty) {
            Type::Array { length: ArrayLength::Fixed(n), .. }
                if self.language.has_array_values() =>
            {
                n
            }
            Type::Array { .. } if self.language.has_array_values() => {
                return self.unsized_length(value, span);
            }
            Type::Vector { size, .. } if self.language.has_vector_length() => u32::from(size),
            Type::Matrix { columns, .. } if self.language.has_vector_length() => u32::from(columns),
            _ => {
                let name = self.type_name(ty);
                return self.error(span, format!("a value of type {name} has no length()"));
            }
        };
        Ok(self.literal(Literal::Int(i64::from(count)), Scalar::Int, span))
    }

    /// Returns whether a value is a whole array with an element per vertex that no layout has sized
    /// yet.
    fn is_unsized_per_vertex(&self, value: ExprId, id: GlobalId) -> bool {
        matches!(self.shader.exprs[value].kind, ExprKind::Global(_)) && self.is_per_vertex_array(id)
    }

    /// The length of an array whose size comes from linking or from the buffer.
    fn unsized_length(&mut self, value: ExprId, span: Span) -> Check<ExprId> {
        let linked = self.language.at_least(430, 310)
            || self.language.extension("ARB_shader_storage_buffer_object");
        let known = match self.root(value) {
            Some(Root::Global(id)) if self.shader.globals[id].storage == Storage::Buffer => true,
            // Linking sizes arrays outside of blocks (ARB_shader_storage_buffer_object, section
            // 4.1.9).
            Some(Root::Global(id)) => linked && !self.is_unsized_per_vertex(value, id),
            Some(Root::Local(_)) => linked,
            None => false,
        };
        if !known {
            return self.error(span, "the length of an array without a size is not known");
        }
        let int = self.types.scalar(Scalar::Int);
        Ok(self.push(ExprKind::RuntimeLength(value), int, span))
    }
}
