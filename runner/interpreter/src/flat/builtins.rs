//! Flat code of built-in functions.

use program::builtin_function::{
    CommonFunction, ExponentialFunction, GeometricFunction, MatrixFunction, RelationalFunction,
};
use program::{BuiltinFamily, BuiltinFunction, Expr, ExprId, Scalar, TypeId};

use super::code::{Row, RowOp, Rows, Step};
use super::compile::{Compiler, narrow};
use crate::scalar;

/// Type, component type and rows of an argument.
type Argument = (TypeId, Scalar, Rows);

impl Compiler<'_> {
    /// Built-in functions of values.
    pub(crate) fn builtin(
        &mut self,
        function: BuiltinFunction,
        arguments: &[ExprId],
        expr: &Expr,
    ) -> Option<Rows> {
        use BuiltinFamily as B;
        let ty = expr.ty;
        let family = function.family();
        if !matches!(
            family,
            B::Angle(_)
                | B::Exponential(_)
                | B::Common(_)
                | B::BitCast(_)
                | B::Relational(_)
                | B::Integer(_)
                | B::Packing(_)
                | B::Geometric(_)
                | B::Matrix(_)
        ) {
            return None;
        }
        narrow(self.types, ty)?;
        let mut values = Vec::new();
        for &argument in arguments {
            let argument_ty = self.expr(argument).ty;
            let scalar = narrow(self.types, argument_ty)?;
            values.push((argument_ty, scalar, self.value(argument)?));
        }
        self.precise = expr.precise;
        let count = self.layout.component_count(ty);
        if let Some(rows) = self.simple_builtin(family, &values, ty, count) {
            return Some(rows);
        }
        let to = self.row(count)?;
        let precise = self.precise;
        self.steps.push(Step::Call { to, function, arguments: values, ty, precise });
        Some((to..to + count as Row).collect())
    }

    /// Functions that are steps of their own.
    fn simple_builtin(
        &mut self,
        family: BuiltinFamily,
        values: &[Argument],
        ty: TypeId,
        count: usize,
    ) -> Option<Rows> {
        use BuiltinFamily as B;
        let (_, scalar, first) = values.first()?;
        let float = *scalar == Scalar::Float && narrow(self.types, ty)? == Scalar::Float;
        match family {
            B::BitCast(_) => Some(first.clone()),
            B::Common(CommonFunction::Mix) if values.get(2)?.1 == Scalar::Bool => {
                self.choose(values, float)
            }
            B::Common(function) if float => self.float_function(function, values, count),
            B::Common(function) => self.integer_function(function, values, count),
            B::Exponential(ExponentialFunction::Sqrt) if float => {
                self.each(RowOp::FloatSqrt, first)
            }
            B::Exponential(ExponentialFunction::InverseSqrt) if float => {
                self.each(RowOp::FloatInverseSqrt, first)
            }
            B::Geometric(GeometricFunction::Dot) if float => {
                let (a, b) = (first.clone(), values.get(1)?.2.clone());
                let to = self.row(1)?;
                let open = !self.precise;
                self.steps.push(Step::Dot { to, a, b, open });
                Some(smallvec::smallvec![to])
            }
            B::Relational(function) => self.relation(function, values),
            B::Matrix(MatrixFunction::MatrixCompMult) if float => {
                self.pairs(RowOp::FloatMul, first, &values.get(1)?.2)
            }
            _ => None,
        }
    }

    /// Common functions of `float`.
    fn float_function(
        &mut self,
        function: CommonFunction,
        values: &[Argument],
        count: usize,
    ) -> Option<Rows> {
        use CommonFunction as C;
        let first = &values.first()?.2;
        match function {
            C::Floor => self.each(RowOp::FloatFloor, first),
            C::Ceil => self.each(RowOp::FloatCeil, first),
            C::Trunc => self.each(RowOp::FloatTrunc, first),
            C::Round | C::RoundEven => self.each(RowOp::FloatRound, first),
            C::Fract => self.each(RowOp::FloatFract, first),
            C::Abs => self.each(RowOp::FloatAbs, first),
            C::Sign => self.each(RowOp::FloatSign, first),
            C::Min => self.combine(RowOp::FloatMin, values, count),
            C::Max => self.combine(RowOp::FloatMax, values, count),
            C::Mod => self.combine(RowOp::FloatMod, values, count),
            C::Step => self.combine(RowOp::FloatStep, values, count),
            C::Clamp => self.combine(RowOp::FloatClamp, values, count),
            C::Mix => self.combine(RowOp::FloatMix, values, count),
            _ => None,
        }
    }

    /// Common functions of `int` and `uint`.
    fn integer_function(
        &mut self,
        function: CommonFunction,
        values: &[Argument],
        count: usize,
    ) -> Option<Rows> {
        use CommonFunction as C;
        let (_, scalar, first) = values.first()?;
        match (function, scalar) {
            (C::Abs, Scalar::Int) => self.each(RowOp::SignedAbs, first),
            (C::Sign, Scalar::Int) => self.each(RowOp::SignedSign, first),
            (C::Min, Scalar::Int) => self.combine(RowOp::SignedMin, values, count),
            (C::Max, Scalar::Int) => self.combine(RowOp::SignedMax, values, count),
            (C::Clamp, Scalar::Int) => self.combine(RowOp::SignedClamp, values, count),
            (C::Min, Scalar::Uint) => self.combine(RowOp::UnsignedMin, values, count),
            (C::Max, Scalar::Uint) => self.combine(RowOp::UnsignedMax, values, count),
            (C::Clamp, Scalar::Uint) => self.combine(RowOp::UnsignedClamp, values, count),
            _ => None,
        }
    }

    /// `mix` of two values with a vector of booleans.
    fn choose(&mut self, values: &[Argument], float: bool) -> Option<Rows> {
        let [(_, _, a), (_, _, b), (_, _, c)] = values else { return None };
        if a.len() != c.len() || b.len() != c.len() {
            return None;
        }
        let mut rows = Rows::new();
        for ((&a, &b), &c) in a.iter().zip(b).zip(c) {
            rows.push(self.emit(RowOp::Choose, &[c, b, a])?);
            if let Some(Step::Row { open, .. }) = self.steps.last_mut() {
                *open = float && !self.precise;
            }
        }
        Some(rows)
    }

    /// Applies an operation to the components of the arguments; scalars take part in each.
    fn combine(&mut self, op: RowOp, values: &[Argument], count: usize) -> Option<Rows> {
        let operand =
            |c: usize, rows: &Rows| rows.get(if rows.len() == 1 { 0 } else { c }).copied();
        let each = |c: usize| {
            let operands = values.iter().map(|(_, _, rows)| operand(c, rows));
            self.emit(op, &operands.collect::<Option<Rows>>()?)
        };
        (0..count).map(each).collect()
    }

    /// Relational functions of vectors.
    fn relation(&mut self, function: RelationalFunction, values: &[Argument]) -> Option<Rows> {
        use RelationalFunction as F;
        let (ty, component, first) = values.first()?;
        match function {
            F::Equal | F::NotEqual => {
                let float = *component == Scalar::Float;
                let equal = if float { RowOp::FloatEqual } else { RowOp::Equal };
                let rows = self.pairs(equal, first, &values.get(1)?.2)?;
                if function == F::Equal { Some(rows) } else { self.each(RowOp::Not, &rows) }
            }
            F::Not => self.each(RowOp::Not, first),
            F::Any | F::All => {
                let op = if function == F::Any { RowOp::BitOr } else { RowOp::BitAnd };
                let mut result = *first.first()?;
                for &row in first.iter().skip(1) {
                    result = self.emit(op, &[result, row])?;
                }
                Some(smallvec::smallvec![result])
            }
            _ => {
                let (_, _, second) = values.get(1)?;
                self.binary(scalar::comparison(function)?, *ty, first, *ty, second)
            }
        }
    }
}
