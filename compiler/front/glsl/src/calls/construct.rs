//! Constructors and initializer lists.

use crate::checker::{Check, Checker};
use glsl_syntax::ast;
use glsl_syntax::source::Span;
use program::{ArrayLength, ExprId, ExprKind, Literal, Scalar, SwizzleMask, Type, TypeId};

/// A checked argument with its span.
#[derive(Clone, Copy)]
pub(crate) struct Argument {
    pub value: ExprId,
    pub span: Span,
}

impl Checker<'_> {
    /// `ty(arguments)`.
    pub(crate) fn construct(
        &mut self,
        ty: TypeId,
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        match self.types.get(ty).clone() {
            Type::Scalar(_) | Type::Vector { .. } | Type::Matrix { .. } => {
                self.construct_numeric(ty, arguments, span)
            }
            Type::Struct(s) => {
                let members: Vec<TypeId> = s.members.iter().map(|m| m.ty).collect();
                if members.len() != arguments.len() {
                    let message = format!(
                        "{} has {} members, its constructor has {} arguments",
                        s.name,
                        members.len(),
                        arguments.len()
                    );
                    return self.error(span, message);
                }
                if self.contains_fixed_opaque(ty) {
                    return self
                        .error(span, "a structure with opaque members cannot be constructed");
                }
                self.aggregate(ty, &members, arguments, span)
            }
            Type::Array { element, length } => {
                self.construct_array(element, length, arguments, span)
            }
            Type::Sampler(_) | Type::Image(_) if self.language.has_handles() => {
                self.construct_handle(ty, arguments, span)
            }
            _ => {
                let name = self.type_name(ty);
                self.error(span, format!("{name} has no constructor"))
            }
        }
    }

    fn aggregate(
        &mut self,
        ty: TypeId,
        parts: &[TypeId],
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        let mut values = Vec::with_capacity(arguments.len());
        for (argument, &part) in arguments.iter().zip(parts) {
            values.push(self.coerce(
                argument.value,
                part,
                argument.span,
                "constructor argument",
            )?);
        }
        Ok(self.push(ExprKind::Aggregate(values), ty, span))
    }

    fn construct_array(
        &mut self,
        element: TypeId,
        length: ArrayLength,
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        if !self.language.has_array_values() {
            return self.error(span, "this version has no array constructors");
        }
        let count = arguments.len() as u32;
        if count == 0 || matches!(length, ArrayLength::Fixed(n) if n != count) {
            return self.error(
                span,
                format!("array constructor with {count} arguments does not fit the size"),
            );
        }
        // The elements of `float[][2](…)` or `float[][](…)` may complete the element type.
        let element = match self.types.array_of(element) {
            Some(_) => {
                let first = arguments[0];
                let value =
                    self.coerce(first.value, element, first.span, "constructor argument")?;
                self.ty(value)
            }
            None => element,
        };
        // Only bindless samplers and images are values (GLSL 4.60 section 4.1.7).
        if self.contains_fixed_opaque(element) {
            return self.error(span, "an array of opaque values cannot be constructed");
        }
        let ty = self.types.array(element, ArrayLength::Fixed(count));
        let parts = vec![element; arguments.len()];
        self.aggregate(ty, &parts, arguments, span)
    }

    /// A sampler or image from its handle, an `uvec2` (ARB_bindless_texture section 5.4.1).
    fn construct_handle(
        &mut self,
        ty: TypeId,
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        let &[argument] = arguments else {
            let name = self.type_name(ty);
            return self.error(span, format!("the constructor of {name} has one argument"));
        };
        let pair = self.types.vector(Scalar::Uint, 2);
        let handle = self.coerce(argument.value, pair, argument.span, "constructor argument")?;
        Ok(self.push(ExprKind::Convert(handle), ty, span))
    }

    /// Returns whether a type is one of samplers or images that have handles.
    pub(crate) fn is_handle(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Sampler(_) | Type::Image(_))
            && self.language.has_handles()
    }

    fn construct_numeric(
        &mut self,
        ty: TypeId,
        arguments: &[Argument],
        span: Span,
    ) -> Check<ExprId> {
        let Some(scalar) = self.types.scalar_of(ty) else {
            return self.error(span, "not a numeric type");
        };
        if let [argument] = arguments
            && self.is_handle(self.ty(argument.value))
            && ty == self.types.vector(Scalar::Uint, 2)
        {
            return Ok(self.push(ExprKind::Convert(argument.value), ty, span));
        }
        let matrix = matches!(self.types.get(ty), Type::Matrix { .. });
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let from = self.ty(argument.value);
            if self.types.scalar_of(from).is_none() {
                let (a, b) = (self.type_name(from), self.type_name(ty));
                return self.error(argument.span, format!("{b} cannot be constructed from {a}"));
            }
            let to = self.with_scalar(from, scalar);
            values.push(self.convert(argument.value, to, argument.span));
        }
        match *values {
            [] => self.error(span, "a constructor needs arguments"),
            [value] => self.construct_from_one(ty, value, span),
            _ => {
                if matrix
                    && values
                        .iter()
                        .any(|&v| matches!(self.types.get(self.ty(v)), Type::Matrix { .. }))
                {
                    return self.error(
                        span,
                        "a matrix cannot be constructed from a matrix and other values",
                    );
                }
                self.compose(ty, values, span)
            }
        }
    }

    fn construct_from_one(&mut self, ty: TypeId, value: ExprId, span: Span) -> Check<ExprId> {
        let from = self.ty(value);
        let (Some(source), Some(target)) = (self.types.shape(from), self.types.shape(ty)) else {
            return self.error(span, "not a numeric type");
        };
        let is_matrix = |t: &Self, ty| matches!(t.types.get(ty), Type::Matrix { .. });
        match (is_matrix(self, ty), is_matrix(self, from)) {
            (true, true) if !self.language.at_least(120, 100) => {
                self.error(span, "GLSL 1.10 cannot construct a matrix from a matrix")
            }
            _ if from == ty && self.root(value).is_none() => Ok(value),
            // A variable of the same type: a conversion to itself, so that the result cannot be
            // assigned.
            _ if from == ty => Ok(self.push(ExprKind::Convert(value), ty, span)),
            (true, true) => Ok(self.push(ExprKind::ResizeMatrix(value), ty, span)),
            (true, false) if source == (1, 1) => {
                Ok(self.push(ExprKind::DiagonalMatrix(value), ty, span))
            }
            (false, false) if source == (1, 1) => Ok(self.push(ExprKind::Splat(value), ty, span)),
            (false, true) if target == (1, 1) => {
                let zero = self.literal(Literal::Int(0), Scalar::Int, span);
                let scalar = self.types.scalar_of(from).unwrap_or(Scalar::Float);
                let column_type = self.types.vector(scalar, source.1);
                let column =
                    self.push(ExprKind::Index { base: value, index: zero }, column_type, span);
                Ok(self.first_component(column, ty, span))
            }
            (false, false) if target == (1, 1) => Ok(self.first_component(value, ty, span)),
            _ => self.compose(ty, vec![value], span),
        }
    }

    fn first_component(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        self.push(ExprKind::Swizzle { base: value, components: SwizzleMask::new(&[0]) }, ty, span)
    }

    /// A vector or matrix from components; every argument must contribute.
    fn compose(&mut self, ty: TypeId, values: Vec<ExprId>, span: Span) -> Check<ExprId> {
        let needed = usize::from(self.types.components(ty));
        let mut total = 0;
        for &value in &values {
            if total >= needed {
                let name = self.type_name(ty);
                return self
                    .error(span, format!("too many arguments for the constructor of {name}"));
            }
            total += usize::from(self.types.components(self.ty(value)));
        }
        if total < needed {
            let name = self.type_name(ty);
            return self.error(span, format!("too few components for the constructor of {name}"));
        }
        if needed == 1 {
            let first = values.first().copied();
            return match first {
                Some(value) => Ok(self.first_component(value, ty, span)),
                None => self.error(span, "a constructor needs arguments"),
            };
        }
        Ok(self.push(ExprKind::Compose(values), ty, span))
    }

    /// An initializer: an expression, or a list in braces with the type of the initialized
    /// variable. An unsized array type gets its size from the list.
    pub(crate) fn initializer(&mut self, id: ast::ExprId, ty: TypeId) -> Check<ExprId> {
        let expr = self.unit.exprs[id];
        let ast::ExprKind::InitList(items) = expr.kind else {
            let value = self.expression(id)?;
            if let Some((_, ArrayLength::Unsized)) = self.types.array_of(self.ty(value)) {
                return self.error(expr.span, "an array without a size cannot be a value");
            }
            return self.coerce(value, ty, expr.span, "initializer");
        };
        if !self.language.has_initializer_lists() {
            return self.error(expr.span, "initializer lists need GLSL 4.20");
        }
        let items = self.unit.list(items);
        let count = items.len();
        if count == 0 {
            return self.error(expr.span, "an initializer list cannot be empty");
        }
        let (parts, ty): (Vec<TypeId>, TypeId) = match self.types.get(ty).clone() {
            Type::Array { element, length } => {
                if matches!(length, ArrayLength::Fixed(n) if n as usize != count) {
                    return self.error(
                        expr.span,
                        format!("{count} initializers do not fit the array's size"),
                    );
                }
                let ty = self.types.array(element, ArrayLength::Fixed(count as u32));
                (vec![element; count], ty)
            }
            Type::Struct(s) => (s.members.iter().map(|m| m.ty).collect(), ty),
            Type::Vector { scalar, size } => {
                (vec![self.types.scalar(scalar); usize::from(size)], ty)
            }
            Type::Matrix { scalar, columns, rows } => {
                (vec![self.types.vector(scalar, rows); usize::from(columns)], ty)
            }
            _ => {
                let name = self.type_name(ty);
                return self
                    .error(expr.span, format!("a list cannot initialize a value of type {name}"));
            }
        };
        if parts.len() != count {
            let name = self.type_name(ty);
            return self.error(expr.span, format!("{count} initializers do not fit {name}"));
        }
        let mut values = Vec::with_capacity(count);
        let is_array = self.types.array_of(ty).is_some();
        for (&item, &part) in items.iter().zip(&parts) {
            // The first element of an array sets missing sizes of the others.
            let part = values.first().filter(|_| is_array).map_or(part, |&first| self.ty(first));
            values.push(self.initializer(item, part)?);
        }
        let ty = match (self.types.array_of(ty), values.first()) {
            (Some((_, length)), Some(&first)) => self.types.array(self.ty(first), length),
            _ => ty,
        };
        let kind = match (self.types.get(ty), &*values) {
            (Type::Vector { .. } | Type::Matrix { .. }, _) => ExprKind::Compose(values),
            _ => ExprKind::Aggregate(values),
        };
        Ok(self.push(kind, ty, expr.span))
    }
}
