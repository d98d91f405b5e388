//! Comparisons and logical instructions.

use program::{BinaryOp as B, BuiltinFunction as F, ExprId, ExprKind, Scalar, UnaryOp};
use rspirv::spirv::Op;

use super::arithmetic::As;
use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

/// Longest chain of `OpLogicalOr`s that is looked through.
const MAX_NEGATIONS: u32 = 8;

impl ShaderBuilder<'_> {
    /// The result of a comparison or logical instruction.
    pub(crate) fn comparison(&mut self, i: &Instruction) -> Result<Option<ExprId>, Error> {
        if let Some((op, taken, is_negated)) = relation(i.op) {
            let (a, b) = (self.taken(i, 0, taken)?, self.taken(i, 1, taken)?);
            let value = self.compare(op, a, b);
            return Ok(Some(if is_negated { self.not(value) } else { value }));
        }
        let value = match i.op {
            // With a NaN, neither holds.
            Op::FOrdNotEqual | Op::LessOrGreater => self.less_or_greater(i)?,
            Op::FUnordEqual => {
                let value = self.less_or_greater(i)?;
                self.not(value)
            }
            Op::Ordered | Op::Unordered => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let (a, b) = (self.is_number(a), self.is_number(b));
                let value = self.both(a, b);
                if i.op == Op::Unordered { self.not(value) } else { value }
            }
            Op::LogicalNot => {
                let a = self.operand(i, 0)?;
                self.not(a)
            }
            Op::LogicalAnd => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                self.both(a, b)
            }
            Op::LogicalOr => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                if self.is_negation(i, MAX_NEGATIONS) {
                    let (a, b) = (self.not(a), self.not(b));
                    let neither = self.both(a, b);
                    self.not(neither)
                } else {
                    self.either(a, b)
                }
            }
            Op::LogicalEqual | Op::LogicalNotEqual => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let op = if i.op == Op::LogicalEqual { B::Equal } else { B::NotEqual };
                self.compare(op, a, b)
            }
            Op::Any | Op::All => {
                let a = self.operand(i, 0)?;
                let is_any = i.op == Op::Any;
                let ty = self.types.scalar(Scalar::Bool);
                match self.compared_whole(a, is_any) {
                    Some(comparison) => self.push(comparison, ty),
                    None => self.builtin(if is_any { F::Any } else { F::All }, vec![a], ty),
                }
            }
            Op::IsNan | Op::IsInf => {
                let a = self.operand(i, 0)?;
                let function = if i.op == Op::IsNan { F::IsNan } else { F::IsInf };
                let ty = self.with_scalar(self.ty(a), Scalar::Bool);
                self.builtin(function, vec![a], ty)
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// True for results that code computes as the negation of another: of the equality of vectors.
    /// Either of two such is the negation of both.
    fn is_negation(&self, i: &Instruction, depth: u32) -> bool {
        let operand = |index| i.id_at(index).and_then(|id| self.module.get(id));
        match i.op {
            Op::Any => {
                operand(0).is_some_and(|a| matches!(a.op, Op::INotEqual | Op::FUnordNotEqual))
            }
            Op::LogicalOr if depth > 0 => [0, 1].into_iter().all(|index| {
                operand(index).is_some_and(|other| self.is_negation(other, depth - 1))
            }),
            _ => false,
        }
    }

    /// The comparison of whole vectors that some component of a comparison by component decides.
    fn compared_whole(&self, by_component: ExprId, is_any: bool) -> Option<ExprKind> {
        let (meant, op) = if is_any { (F::NotEqual, B::NotEqual) } else { (F::Equal, B::Equal) };
        match &self.shader.exprs[by_component].kind {
            ExprKind::Builtin { function, arguments } if *function == meant => {
                let &[a, b] = arguments.as_slice() else { return None };
                Some(ExprKind::Binary(op, a, b))
            }
            _ => None,
        }
    }

    /// A comparison of scalars, or of vectors by component.
    pub(crate) fn compare(&mut self, op: B, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.with_scalar(self.ty(a), Scalar::Bool);
        if self.types.components(ty) == 1 {
            return self.push(ExprKind::Binary(op, a, b), ty);
        }
        let function = match op {
            B::Less => F::LessThan,
            B::LessEqual => F::LessThanEqual,
            B::Greater => F::GreaterThan,
            B::GreaterEqual => F::GreaterThanEqual,
            B::NotEqual => F::NotEqual,
            _ => F::Equal,
        };
        self.builtin(function, vec![a, b], ty)
    }

    pub(crate) fn ordered_less(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.compare(B::Less, a, b)
    }

    pub(crate) fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.compare(B::Equal, a, b)
    }

    fn less_or_greater(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (a2, b2) = (self.copy(a), self.copy(b));
        let less = self.compare(B::Less, a, b);
        let greater = self.compare(B::Greater, a2, b2);
        Ok(self.either(less, greater))
    }

    fn is_number(&mut self, value: ExprId) -> ExprId {
        let other = self.copy(value);
        self.compare(B::Equal, value, other)
    }

    fn not(&mut self, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        match self.types.components(ty) {
            1 => self.unary(UnaryOp::LogicalNot, value),
            _ => self.builtin(F::Not, vec![value], ty),
        }
    }

    fn either(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let ty = self.ty(a);
        if self.types.components(ty) == 1 {
            return self.binary(B::LogicalOr, a, b);
        }
        let first = self.copy(a);
        self.builtin(F::Mix, vec![b, first, a], ty)
    }
}

/// The operator of a comparison, how it takes integers, and whether the result is its negation. An
/// unordered comparison is the negation of the opposite ordered one.
fn relation(op: Op) -> Option<(B, As, bool)> {
    Some(match op {
        Op::IEqual => (B::Equal, As::Unsigned, false),
        Op::INotEqual => (B::NotEqual, As::Unsigned, false),
        Op::ULessThan => (B::Less, As::Unsigned, false),
        Op::ULessThanEqual => (B::LessEqual, As::Unsigned, false),
        Op::UGreaterThan => (B::Greater, As::Unsigned, false),
        Op::UGreaterThanEqual => (B::GreaterEqual, As::Unsigned, false),
        Op::SLessThan => (B::Less, As::Signed, false),
        Op::SLessThanEqual => (B::LessEqual, As::Signed, false),
        Op::SGreaterThan => (B::Greater, As::Signed, false),
        Op::SGreaterThanEqual => (B::GreaterEqual, As::Signed, false),
        Op::FOrdEqual => (B::Equal, As::Signed, false),
        Op::FUnordNotEqual => (B::NotEqual, As::Signed, false),
        Op::FOrdLessThan => (B::Less, As::Signed, false),
        Op::FOrdLessThanEqual => (B::LessEqual, As::Signed, false),
        Op::FOrdGreaterThan => (B::Greater, As::Signed, false),
        Op::FOrdGreaterThanEqual => (B::GreaterEqual, As::Signed, false),
        Op::FUnordLessThan => (B::GreaterEqual, As::Signed, true),
        Op::FUnordLessThanEqual => (B::Greater, As::Signed, true),
        Op::FUnordGreaterThan => (B::LessEqual, As::Signed, true),
        Op::FUnordGreaterThanEqual => (B::Less, As::Signed, true),
        _ => return None,
    })
}
