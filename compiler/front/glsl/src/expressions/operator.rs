//! Types of operators: their operands, how those are converted and spread, and the result.

use crate::checker::{Check, Checker};
use glsl_syntax::ast;
use glsl_syntax::source::Span;
use program::{BinaryOp, ExprId, ExprKind, Scalar, Type, TypeId, UnaryOp};

/// A binary operator with its operands' types settled.
struct Typed {
    op: BinaryOp,
    /// Types the operands are converted to (before spreading).
    left: TypeId,
    right: TypeId,
    /// Shape to spread a scalar operand over.
    spread: Option<TypeId>,
    result: TypeId,
}

impl Checker<'_> {
    /// A chain of binary operators, walked along its left spine so that long sums do not nest.
    pub(crate) fn binary_expression(&mut self, id: ast::ExprId) -> Check<ExprId> {
        let mut spine = Vec::new();
        let mut left = id;
        while let ast::ExprKind::Binary(op, a, b) = self.unit.exprs[left].kind {
            spine.push((left, op, b));
            left = a;
        }
        let mut value = self.expression(left)?;
        for (id, op, right) in spine.into_iter().rev() {
            let right = self.expression(right)?;
            value = self.binary(op, value, right, self.unit.exprs[id].span)?;
        }
        Ok(value)
    }

    pub(crate) fn binary(
        &mut self,
        op: ast::BinaryOp,
        a: ExprId,
        b: ExprId,
        span: Span,
    ) -> Check<ExprId> {
        let typed = self.type_binary(op, self.ty(a), self.ty(b), span)?;
        let left = self.operand(a, typed.left, typed.spread, span);
        let right = self.operand(b, typed.right, typed.spread, span);
        Ok(self.push(ExprKind::Binary(typed.op, left, right), typed.result, span))
    }

    /// `place op= value`: the result must be of the place's own type.
    pub(crate) fn compound_assign(
        &mut self,
        op: ast::BinaryOp,
        place: ExprId,
        value: ExprId,
        span: Span,
    ) -> Check<ExprId> {
        let ty = self.ty(place);
        let typed = self.type_binary(op, ty, self.ty(value), span)?;
        if typed.result != ty || typed.left != ty {
            let (a, b) = (self.type_name(ty), self.type_name(self.ty(value)));
            return self.error(
                span,
                format!("cannot assign the result of this operator on {a} and {b} to {a}"),
            );
        }
        let value = self.operand(value, typed.right, typed.spread, span);
        Ok(self.push(ExprKind::CompoundAssign { op: typed.op, place, value }, ty, span))
    }

    fn operand(&mut self, value: ExprId, ty: TypeId, spread: Option<TypeId>, span: Span) -> ExprId {
        let value = self.convert(value, ty, span);
        match spread {
            Some(shape) if self.types.components(ty) == 1 => {
                let scalar = self.types.scalar_of(ty).unwrap_or(Scalar::Float);
                let ty = self.with_scalar(shape, scalar);
                if ty == self.ty(value) {
                    value
                } else {
                    self.push(ExprKind::Splat(value), ty, span)
                }
            }
            _ => value,
        }
    }

    fn bad_operands<T>(&mut self, op: ast::BinaryOp, a: TypeId, b: TypeId, span: Span) -> Check<T> {
        let (a, b) = (self.type_name(a), self.type_name(b));
        self.error(span, format!("operator {} cannot be applied to {a} and {b}", spelling(op)))
    }

    fn type_binary(&mut self, op: ast::BinaryOp, a: TypeId, b: TypeId, span: Span) -> Check<Typed> {
        use ast::BinaryOp as O;
        match op {
            O::Add | O::Sub | O::Mul | O::Div => self.type_arithmetic(op, a, b, span),
            O::Mod | O::BitAnd | O::BitOr | O::BitXor => {
                if !self.language.has_bit_operations() {
                    return self.error(
                        span,
                        format!("operator {} needs GLSL 1.30 or ES 3.00", spelling(op)),
                    );
                }
                let integers = |s: &Self, t| s.types.scalar_of(t).is_some_and(|s| s.is_integer());
                if !integers(self, a) || !integers(self, b) {
                    return self.bad_operands(op, a, b, span);
                }
                self.type_arithmetic(op, a, b, span)
            }
            O::Shl | O::Shr => self.type_shift(op, a, b, span),
            O::And | O::Or | O::Xor => {
                let bool = self.types.scalar(Scalar::Bool);
                if a != bool || b != bool {
                    return self.bad_operands(op, a, b, span);
                }
                let op = plain_op(op);
                Ok(Typed { op, left: bool, right: bool, spread: None, result: bool })
            }
            O::Eq | O::Ne => self.type_equality(op, a, b, span),
            O::Lt | O::Gt | O::Le | O::Ge => {
                let scalars =
                    self.types.shape(a) == Some((1, 1)) && self.types.shape(b) == Some((1, 1));
                let common = if scalars { self.common_scalar(a, b) } else { None };
                let Some(common) = common.filter(|&s| s != Scalar::Bool) else {
                    return self.bad_operands(op, a, b, span);
                };
                let ty = self.types.scalar(common);
                let result = self.types.scalar(Scalar::Bool);
                Ok(Typed { op: plain_op(op), left: ty, right: ty, spread: None, result })
            }
        }
    }

    /// The component type both operands convert to.
    fn common_scalar(&self, a: TypeId, b: TypeId) -> Option<Scalar> {
        let (a, b) = (self.types.scalar_of(a)?, self.types.scalar_of(b)?);
        let conversions = self.language.conversions;
        if conversions.allow(a, b) {
            Some(b)
        } else if conversions.allow(b, a) {
            Some(a)
        } else if (a.is_float() && b.is_integer() || b.is_float() && a.is_integer())
            && conversions.allow(a, Scalar::Float)
            && conversions.allow(b, Scalar::Float)
        {
            // A 32-bit integer and float16_t meet in float.
            Some(Scalar::Float)
        } else {
            // An unsigned operand converts to a signed type that has all its values, although there
            // is no such implicit conversion.
            match (a, b) {
                (Scalar::Uint16, signed @ (Scalar::Int | Scalar::Int64)) => Some(signed),
                (signed @ (Scalar::Int | Scalar::Int64), Scalar::Uint16) => Some(signed),
                _ => None,
            }
        }
    }

    fn type_arithmetic(
        &mut self,
        op: ast::BinaryOp,
        a: TypeId,
        b: TypeId,
        span: Span,
    ) -> Check<Typed> {
        let common = self.common_scalar(a, b).filter(|&s| s != Scalar::Bool);
        let Some(common) = common else { return self.bad_operands(op, a, b, span) };
        let (left, right) = (self.with_scalar(a, common), self.with_scalar(b, common));
        let (Some(sa), Some(sb)) = (self.types.shape(a), self.types.shape(b)) else {
            return self.bad_operands(op, a, b, span);
        };
        let is_matrix = |t: &Self, ty| matches!(t.types.get(ty), Type::Matrix { .. });
        let (ma, mb) = (is_matrix(self, a), is_matrix(self, b));
        let plain = plain_op(op);
        if sa == (1, 1) || sb == (1, 1) {
            let shape = if sa == (1, 1) { right } else { left };
            let spread = (sa != sb).then_some(shape);
            return Ok(Typed { op: plain, left, right, spread, result: shape });
        }
        if op == ast::BinaryOp::Mul && (ma || mb) {
            let (op, fits, result) = match (ma, mb) {
                (true, true) => {
                    let result = self.types.matrix(common, sb.0, sa.1);
                    (BinaryOp::MatrixTimesMatrix, sa.0 == sb.1, result)
                }
                (true, false) => {
                    (BinaryOp::MatrixTimesVector, sa.0 == sb.1, self.types.vector(common, sa.1))
                }
                _ => (BinaryOp::VectorTimesMatrix, sa.1 == sb.1, self.types.vector(common, sb.0)),
            };
            if !fits {
                return self.bad_operands(ast::BinaryOp::Mul, a, b, span);
            }
            return Ok(Typed { op, left, right, spread: None, result });
        }
        if sa != sb || ma != mb {
            return self.bad_operands(op, a, b, span);
        }
        Ok(Typed { op: plain, left, right, spread: None, result: left })
    }

    fn type_shift(&mut self, op: ast::BinaryOp, a: TypeId, b: TypeId, span: Span) -> Check<Typed> {
        if !self.language.has_bit_operations() {
            return self
                .error(span, format!("operator {} needs GLSL 1.30 or ES 3.00", spelling(op)));
        }
        let (Some(x), Some(y)) = (self.types.scalar_of(a), self.types.scalar_of(b)) else {
            return self.bad_operands(op, a, b, span);
        };
        let (sa, sb) = (self.types.components(a), self.types.components(b));
        if !x.is_integer() || !y.is_integer() || (sb != 1 && sa != sb) {
            return self.bad_operands(op, a, b, span);
        }
        // The shift count is converted to the operand's width, keeping its signedness.
        let count = match (x.bits(), y.is_signed_integer()) {
            (bits, _) if bits == y.bits() => y,
            (64, true) => Scalar::Int64,
            (64, false) => Scalar::Uint64,
            (16, true) => Scalar::Int16,
            (16, false) => Scalar::Uint16,
            (_, true) => Scalar::Int,
            (_, false) => Scalar::Uint,
        };
        let right = self.with_scalar(b, count);
        Ok(Typed { op: plain_op(op), left: a, right, spread: (sa != sb).then_some(a), result: a })
    }

    /// Returns whether a type is an array, or in GLSL ES a structure with one, which GLSL ES 1.00
    /// treats the same (section 5.7).
    pub(crate) fn is_whole_array(&self, ty: TypeId) -> bool {
        let within = |ty| self.types.members(ty).filter(|_| self.language.es).unwrap_or_default();
        self.types.array_of(ty).is_some() || within(ty).iter().any(|m| self.is_whole_array(m.ty))
    }

    fn type_equality(
        &mut self,
        op: ast::BinaryOp,
        a: TypeId,
        b: TypeId,
        span: Span,
    ) -> Check<Typed> {
        let result = self.types.scalar(Scalar::Bool);
        if self.types.contains_opaque(a) || *self.types.get(a) == Type::Void {
            return self.bad_operands(op, a, b, span);
        }
        if self.is_whole_array(a) && !self.language.has_array_values() {
            return self.error(span, "arrays cannot be compared in this version");
        }
        let common =
            self.common_scalar(a, b).filter(|_| self.types.shape(a) == self.types.shape(b));
        let ty = match common {
            _ if a == b => a,
            Some(scalar) => self.with_scalar(a, scalar),
            None => return self.bad_operands(op, a, b, span),
        };
        Ok(Typed { op: plain_op(op), left: ty, right: ty, spread: None, result })
    }

    /// `-x`, `+x`, `!x`, `~x`.
    pub(crate) fn unary(&mut self, op: ast::UnaryOp, value: ExprId, span: Span) -> Check<ExprId> {
        let ty = self.ty(value);
        let scalar = self.types.scalar_of(ty);
        let (kind, ok) = match op {
            ast::UnaryOp::Not => {
                (UnaryOp::LogicalNot, *self.types.get(ty) == Type::Scalar(Scalar::Bool))
            }
            ast::UnaryOp::BitNot => (
                UnaryOp::BitNot,
                scalar.is_some_and(|s| s.is_integer()) && self.language.has_bit_operations(),
            ),
            _ => (UnaryOp::Negate, scalar.is_some_and(|s| s != Scalar::Bool)),
        };
        if !ok {
            let name = self.type_name(ty);
            return self.error(span, format!("this operator cannot be applied to {name}"));
        }
        if op == ast::UnaryOp::Plus {
            // A conversion to its own type: the result cannot be assigned.
            return Ok(self.push(ExprKind::Convert(value), ty, span));
        }
        Ok(self.push(ExprKind::Unary(kind, value), ty, span))
    }
}

fn plain_op(op: ast::BinaryOp) -> BinaryOp {
    use ast::BinaryOp as O;
    match op {
        O::Add => BinaryOp::Add,
        O::Sub => BinaryOp::Sub,
        O::Mul => BinaryOp::Mul,
        O::Div => BinaryOp::Div,
        O::Mod => BinaryOp::Mod,
        O::Shl => BinaryOp::ShiftLeft,
        O::Shr => BinaryOp::ShiftRight,
        O::BitAnd => BinaryOp::BitAnd,
        O::BitOr => BinaryOp::BitOr,
        O::BitXor => BinaryOp::BitXor,
        O::And => BinaryOp::LogicalAnd,
        O::Or => BinaryOp::LogicalOr,
        O::Xor => BinaryOp::LogicalXor,
        O::Eq => BinaryOp::Equal,
        O::Ne => BinaryOp::NotEqual,
        O::Lt => BinaryOp::Less,
        O::Le => BinaryOp::LessEqual,
        O::Gt => BinaryOp::Greater,
        O::Ge => BinaryOp::GreaterEqual,
    }
}

/// The operator as written.
fn spelling(op: ast::BinaryOp) -> &'static str {
    use ast::BinaryOp as O;
    match op {
        O::Add => "+",
        O::Sub => "-",
        O::Mul => "*",
        O::Div => "/",
        O::Mod => "%",
        O::Shl => "<<",
        O::Shr => ">>",
        O::BitAnd => "&",
        O::BitOr => "|",
        O::BitXor => "^",
        O::And => "&&",
        O::Or => "||",
        O::Xor => "^^",
        O::Eq => "==",
        O::Ne => "!=",
        O::Lt => "<",
        O::Le => "<=",
        O::Gt => ">",
        O::Ge => ">=",
    }
}
