//! Component-wise operators and conversions.

use ir::{AluOp, Class, Value};
use program::{BinaryOp, Scalar, TypeId};

use crate::error::LowerError;
use crate::lowerer::Lowerer;
use crate::value::Val;

fn class(scalar: Scalar) -> Class {
    match scalar {
        Scalar::Bool => Class::Bool,
        s if s.is_float() => Class::Float,
        s if s.is_signed_integer() => Class::Int,
        _ => Class::Uint,
    }
}

impl Lowerer<'_, '_> {
    /// Any binary operator but the short-circuiting ones.
    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        a_ty: TypeId,
        a: &Val,
        b_ty: TypeId,
        b: &Val,
    ) -> Result<Val, LowerError> {
        match op {
            BinaryOp::Equal => Ok(self.equal(a_ty, a, b)?.into()),
            BinaryOp::NotEqual => {
                let equal = self.equal(a_ty, a, b)?;
                Ok(self.builder.inot(equal).into())
            }
            BinaryOp::MatrixTimesMatrix
            | BinaryOp::MatrixTimesVector
            | BinaryOp::VectorTimesMatrix => self.linear(op, a, b, b_ty),
            _ => {
                let scalar = self.scalar_of(a_ty)?;
                let mut others = b.leaves().into_iter();
                a.try_map(&mut |x| {
                    let y = others.next().ok_or(LowerError::Malformed("operand shapes differ"))?;
                    self.componentwise(op, scalar, x, y)
                })
            }
        }
    }

    /// A component-wise operator on vectors.
    pub(crate) fn componentwise(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        a: Value,
        b: Value,
    ) -> Result<Value, LowerError> {
        use BinaryOp as B;
        use Class::{Float, Int, Uint};
        let class = class(scalar);
        if matches!(op, B::ShiftLeft | B::ShiftRight) {
            return self.shift(op, scalar, a, b);
        }
        // Comparisons the machine lacks are others with operands exchanged.
        let (op, a, b) = match op {
            B::Greater => (B::Less, b, a),
            B::LessEqual => (B::GreaterEqual, b, a),
            other => (other, a, b),
        };
        let alu = match (op, class) {
            (B::Add, Float) => AluOp::Fadd,
            (B::Add, _) => AluOp::Iadd,
            (B::Sub, Float) => AluOp::Fsub,
            (B::Sub, _) => AluOp::Isub,
            (B::Mul, Float) => AluOp::Fmul,
            (B::Mul, _) => AluOp::Imul,
            (B::Div, Float) => AluOp::Fdiv,
            (B::Div, Int) => AluOp::Idiv,
            (B::Div, _) => AluOp::Udiv,
            (B::Mod, Int) => AluOp::Irem,
            (B::Mod, Uint) => AluOp::Umod,
            (B::Less, Float) => AluOp::Flt,
            (B::Less, Int) => AluOp::Ilt,
            (B::Less, _) => AluOp::Ult,
            (B::GreaterEqual, Float) => AluOp::Fge,
            (B::GreaterEqual, Int) => AluOp::Ige,
            (B::GreaterEqual, _) => AluOp::Uge,
            (B::BitAnd, _) => AluOp::Iand,
            (B::BitOr, _) => AluOp::Ior,
            (B::BitXor | B::LogicalXor, _) => AluOp::Ixor,
            _ => return Err(LowerError::Malformed("operator does not take this type")),
        };
        Ok(self.builder.alu(alu, &[a, b]))
    }

    /// Shift counts are 32-bit in the IR.
    fn shift(
        &mut self,
        op: BinaryOp,
        scalar: Scalar,
        value: Value,
        count: Value,
    ) -> Result<Value, LowerError> {
        let count =
            if self.builder.shader.bits(count) == 32 { count } else { self.builder.u2u32(count) };
        Ok(match op {
            BinaryOp::ShiftLeft => self.builder.ishl(value, count),
            _ if scalar.is_signed_integer() => self.builder.ishr(value, count),
            _ => self.builder.ushr(value, count),
        })
    }

    /// `==` of two values of any type: one boolean.
    fn equal(&mut self, ty: TypeId, a: &Val, b: &Val) -> Result<Value, LowerError> {
        let mut scalars = Vec::new();
        self.leaf_scalars(ty, &mut scalars)?;
        let mut result: Option<Value> = None;
        for ((x, y), scalar) in a.leaves().into_iter().zip(b.leaves()).zip(scalars) {
            let equal = self.equal_leaves(scalar, x, y);
            result = Some(match result {
                Some(so_far) => self.builder.iand(so_far, equal),
                None => equal,
            });
        }
        result.ok_or(LowerError::Malformed("comparison of nothing"))
    }

    fn equal_leaves(&mut self, scalar: Scalar, a: Value, b: Value) -> Value {
        let float = scalar.is_float();
        let alu = match (self.builder.shader.components(a), float) {
            (1, true) => AluOp::Feq,
            (2, true) => AluOp::BallFeq2,
            (3, true) => AluOp::BallFeq3,
            (4, true) => AluOp::BallFeq4,
            (2, _) => AluOp::BallIeq2,
            (3, _) => AluOp::BallIeq3,
            (4, _) => AluOp::BallIeq4,
            _ => AluOp::Ieq,
        };
        self.builder.alu(alu, &[a, b])
    }

    /// Component type of every scalar or vector inside a type, in order.
    fn leaf_scalars(&self, ty: TypeId, out: &mut Vec<Scalar>) -> Result<(), LowerError> {
        match self.types.get(ty) {
            program::Type::Struct(s) => {
                s.members.iter().try_for_each(|m| self.leaf_scalars(m.ty, out))
            }
            program::Type::Array { .. } | program::Type::Matrix { .. } => {
                let (element, n) = self.element_of(ty)?;
                (0..n).try_for_each(|_| self.leaf_scalars(element, out))
            }
            _ => {
                out.push(self.scalar_of(ty)?);
                Ok(())
            }
        }
    }

    /// Converts component types (GLSL 4.60 section 5.4.1).
    pub(crate) fn convert(
        &mut self,
        from: Scalar,
        to: Scalar,
        value: Value,
    ) -> Result<Value, LowerError> {
        if from == to {
            return Ok(value);
        }
        let (a, b) = (class(from), class(to));
        // Signed and unsigned of one width are the same bits.
        if from.is_integer() && to.is_integer() && from.bits() == to.bits() {
            return Ok(value);
        }
        let alu = AluOp::conversion(a, b, to.bits() as u8)
            .ok_or(LowerError::Malformed("no such conversion"))?;
        Ok(self.builder.alu(alu, &[value]))
    }
}
