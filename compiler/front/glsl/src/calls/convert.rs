//! Implicit conversions of operands and their ranking (GLSL 4.60 section 4.1.10 and 6.1).

use crate::checker::{Check, Checker};
use glsl_syntax::source::Span;
use program::{ArrayLength, ExprId, ExprKind, Scalar, Type, TypeId};

/// Quality of a conversion, best first. Only some pairs are ordered: see [`better`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rank {
    Exact,
    /// To a wider type of the same kind: `float` to `double`, `int16_t` to `int`.
    Widening,
    /// Integer to `float`.
    ToFloat,
    /// Integer to `double`.
    ToDouble,
    Other,
}

/// Returns whether conversion `a` is better than conversion `b` of the same argument.
pub(crate) fn better(a: Rank, b: Rank) -> bool {
    match (a, b) {
        (Rank::Exact, other) => other != Rank::Exact,
        (Rank::Widening, Rank::ToFloat | Rank::ToDouble | Rank::Other) => true,
        (Rank::ToFloat, Rank::ToDouble) => true,
        _ => false,
    }
}

impl Checker<'_> {
    /// The rank of the conversion from `from` to `to`; `None` if there is none.
    pub(crate) fn conversion(&self, from: TypeId, to: TypeId) -> Option<Rank> {
        if from == to {
            return Some(Rank::Exact);
        }
        let (a, b) = (self.types.get(from), self.types.get(to));
        let (sa, sb) = match (a, b) {
            (Type::Scalar(x), Type::Scalar(y)) => (*x, *y),
            (Type::Vector { scalar: x, size: m }, Type::Vector { scalar: y, size: n })
                if m == n =>
            {
                (*x, *y)
            }
            (
                Type::Matrix { scalar: x, columns: c, rows: r },
                Type::Matrix { scalar: y, columns: d, rows: s },
            ) if c == d && r == s => (*x, *y),
            _ => return None,
        };
        if !self.language.conversions.allow(sa, sb) {
            return None;
        }
        Some(match (sa, sb) {
            (x, y) if x.is_float() && y.is_float() => Rank::Widening,
            (x, y) if x.is_signed_integer() && y.is_signed_integer() => Rank::Widening,
            (x, y) if x.is_unsigned_integer() && y.is_unsigned_integer() => Rank::Widening,
            (_, Scalar::Float | Scalar::Float16) => Rank::ToFloat,
            (_, Scalar::Double) => Rank::ToDouble,
            _ => Rank::Other,
        })
    }

    /// `value` as type `to`, converted implicitly.
    pub(crate) fn coerce(
        &mut self,
        value: ExprId,
        to: TypeId,
        span: Span,
        what: &str,
    ) -> Check<ExprId> {
        let from = self.ty(value);
        match self.conversion(from, to) {
            Some(Rank::Exact) => Ok(value),
            Some(_) => Ok(self.convert(value, to, span)),
            None if self.same_array(from, to) => Ok(value),
            None => {
                let (a, b) = (self.type_name(from), self.type_name(to));
                self.error(span, format!("{what}: cannot convert from {a} to {b}"))
            }
        }
    }

    /// Returns whether an unsized array accepts a value of this sized array type.
    fn same_array(&self, from: TypeId, to: TypeId) -> bool {
        match (self.types.array_of(from), self.types.array_of(to)) {
            (Some((a, m)), Some((b, n))) => {
                (m == n || n == ArrayLength::Unsized)
                    && m != ArrayLength::Unsized
                    && (a == b || self.same_array(a, b))
            }
            _ => false,
        }
    }

    /// Component-type conversion of any kind; no node when the types are equal.
    pub(crate) fn convert(&mut self, value: ExprId, to: TypeId, span: Span) -> ExprId {
        if self.ty(value) == to { value } else { self.push(ExprKind::Convert(value), to, span) }
    }

    /// The type shaped like `ty` with another component type.
    pub(crate) fn with_scalar(&mut self, ty: TypeId, scalar: Scalar) -> TypeId {
        match *self.types.get(ty) {
            Type::Scalar(_) => self.types.scalar(scalar),
            Type::Vector { size, .. } => self.types.vector(scalar, size),
            Type::Matrix { columns, rows, .. } => self.types.matrix(scalar, columns, rows),
            _ => ty,
        }
    }
}
