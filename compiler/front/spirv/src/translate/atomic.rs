//! Atomic instructions on memory, texels and counters.

use program::expression::ImageCall;
use program::{
    AtomicOp, BuiltinFunction as F, ExprId, ExprKind, ImageOp, LocalId, Scalar, Statement, Type,
    TypeId, UnaryOp,
};
use rspirv::spirv::Op;

use super::arithmetic::{signed, unsigned};
use super::place::{Place, Root};
use super::state::{ShaderBuilder, Texel, Value};
use crate::error::Error;
use crate::module::Instruction;

/// The operation of an instruction, and how the place has to be declared for it.
fn operation(op: Op) -> Option<AtomicOp> {
    Some(match op {
        Op::AtomicIIncrement | Op::AtomicIDecrement | Op::AtomicIAdd | Op::AtomicISub => {
            AtomicOp::Add
        }
        Op::AtomicFAddEXT => AtomicOp::Add,
        Op::AtomicSMin | Op::AtomicUMin | Op::AtomicFMinEXT => AtomicOp::Min,
        Op::AtomicSMax | Op::AtomicUMax | Op::AtomicFMaxEXT => AtomicOp::Max,
        Op::AtomicAnd => AtomicOp::And,
        Op::AtomicOr => AtomicOp::Or,
        Op::AtomicXor => AtomicOp::Xor,
        Op::AtomicExchange => AtomicOp::Exchange,
        Op::AtomicCompareExchange => AtomicOp::CompareSwap,
        _ => return None,
    })
}

impl ShaderBuilder<'_> {
    /// Appends an atomic instruction; returns false for others.
    pub(crate) fn atomic_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<bool, Error> {
        let pointer = match i.op {
            Op::AtomicLoad | Op::AtomicStore => self.id(i, 0)?,
            op if operation(op).is_some() => self.id(i, 0)?,
            _ => return Ok(false),
        };
        if let Value::Texel(texel) = self.value_of(i, pointer)?.clone() {
            self.texel_atomic(i, &texel, out)?;
            return Ok(true);
        }
        let place = self.operand_place(i, 0)?;
        if matches!(place.root, Root::Choice(_)) {
            let mut result = None;
            if self.used.contains(&i.id) {
                let ty = self.result_type(i)?;
                let local = self.result_local(i.id, ty);
                out.push(Statement::Declare { local, value: None });
                self.values.insert(i.id, Value::Local(local));
                result = Some(local);
            }
            self.atomic_chosen(i, &place, result, out)?;
            return Ok(true);
        }
        let expr = self.place_expr(i, &place)?;
        if matches!(self.types.get(self.ty(expr)), Type::AtomicCounter) {
            self.counter_operation(i, expr, out)?;
            return Ok(true);
        }
        if i.op != Op::AtomicLoad {
            self.writable(i, &place)?;
        }
        let value = self.atomic_value(i, expr)?;
        match i.op {
            Op::AtomicLoad => self.define(i, value, false, out),
            Op::AtomicStore => out.push(Statement::Expression(value)),
            _ => self.atomic_result(i, value, out)?,
        }
        Ok(true)
    }

    /// The expression of an atomic instruction on a place.
    fn atomic_value(&mut self, i: &Instruction, place: ExprId) -> Result<ExprId, Error> {
        let ty = self.ty(place);
        match i.op {
            Op::AtomicLoad => return Ok(place),
            Op::AtomicStore => {
                let value = self.operand(i, 3)?;
                let value = self.cast_to(value, ty);
                return Ok(self.assign(place, value));
            }
            _ => {}
        }
        let ty = self.compared_type(i, ty);
        let (op, operands) = self.atomic_operands(i, ty)?;
        Ok(self.push(ExprKind::Atomic { op, place, operands }, ty))
    }

    /// The type of an atomic instruction on a place of a type: the operation says how integers
    /// compare, not the place.
    fn compared_type(&mut self, i: &Instruction, ty: TypeId) -> TypeId {
        let scalar = self.shape(ty).0;
        match i.op {
            Op::AtomicSMin | Op::AtomicSMax => self.with_scalar(ty, signed(scalar)),
            Op::AtomicUMin | Op::AtomicUMax => self.with_scalar(ty, unsigned(scalar)),
            _ => ty,
        }
    }

    /// An atomic instruction on one of two places.
    fn atomic_chosen(
        &mut self,
        i: &Instruction,
        place: &Place,
        result: Option<LocalId>,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let Root::Choice(choice) = &place.root else {
            if i.op != Op::AtomicLoad {
                self.writable(i, place)?;
            }
            let place = self.place_expr(i, place)?;
            let mut value = self.atomic_value(i, place)?;
            if let Some(result) = result {
                let to = self.local(result);
                let cast = self.cast_to(value, self.ty(to));
                value = self.assign(to, cast);
            }
            out.push(Statement::Expression(value));
            return Ok(());
        };
        let [mut then, mut otherwise] = [Vec::new(), Vec::new()];
        let [first, second] = choice.with_steps(&place.steps);
        self.atomic_chosen(i, &first, result, &mut then)?;
        self.atomic_chosen(i, &second, result, &mut otherwise)?;
        let condition = self.is_first(choice);
        out.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    fn atomic_result(
        &mut self,
        i: &Instruction,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let is_used = self.used.contains(&i.id);
        if !is_used {
            // A value that is used makes results depend on the order.
            out.push(Statement::Expression(value));
            return Ok(());
        }
        let ty = self.result_type(i)?;
        let value = self.cast_to(value, ty);
        self.define(i, value, false, out);
        Ok(())
    }

    /// The operation and operands of an atomic instruction on a place of a type.
    fn atomic_operands(
        &mut self,
        i: &Instruction,
        ty: TypeId,
    ) -> Result<(AtomicOp, Vec<ExprId>), Error> {
        let Some(op) = operation(i.op) else { return Err(self.unsupported(i, "the operation is")) };
        let (scalar, _) = self.shape(ty);
        if scalar.bytes() != 4 {
            return Err(self.unsupported(i, format!("an atomic of {} bytes is", scalar.bytes())));
        }
        let operands = match i.op {
            Op::AtomicIIncrement => vec![self.number(ty, 1)],
            Op::AtomicIDecrement => {
                let one = self.number(ty, 1);
                vec![self.unary(UnaryOp::Negate, one)]
            }
            Op::AtomicISub => {
                let value = self.operand(i, 3)?;
                let value = self.cast(value, scalar);
                vec![self.unary(UnaryOp::Negate, value)]
            }
            Op::AtomicCompareExchange => {
                let (value, compare) = (self.operand(i, 4)?, self.operand(i, 5)?);
                vec![self.cast(compare, scalar), self.cast(value, scalar)]
            }
            _ => {
                let value = self.operand(i, 3)?;
                vec![self.cast(value, scalar)]
            }
        };
        Ok((op, operands))
    }

    /// An operation on a counter; it gives the value before.
    fn counter_operation(
        &mut self,
        i: &Instruction,
        counter: ExprId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let uint = self.types.scalar(Scalar::Uint);
        let operand = |this: &mut Self, index| {
            let value = this.operand(i, index)?;
            Ok(this.cast(value, Scalar::Uint))
        };
        let (function, mut arguments) = match i.op {
            Op::AtomicLoad => (F::AtomicCounter, Vec::new()),
            Op::AtomicIIncrement => (F::AtomicCounterIncrement, Vec::new()),
            Op::AtomicIDecrement => (F::AtomicCounterDecrement, Vec::new()),
            Op::AtomicIAdd => (F::AtomicCounterAdd, vec![operand(self, 3)?]),
            Op::AtomicISub => (F::AtomicCounterSubtract, vec![operand(self, 3)?]),
            Op::AtomicUMin => (F::AtomicCounterMin, vec![operand(self, 3)?]),
            Op::AtomicUMax => (F::AtomicCounterMax, vec![operand(self, 3)?]),
            Op::AtomicAnd => (F::AtomicCounterAnd, vec![operand(self, 3)?]),
            Op::AtomicOr => (F::AtomicCounterOr, vec![operand(self, 3)?]),
            Op::AtomicXor => (F::AtomicCounterXor, vec![operand(self, 3)?]),
            Op::AtomicExchange => (F::AtomicCounterExchange, vec![operand(self, 3)?]),
            Op::AtomicCompareExchange => {
                (F::AtomicCounterCompSwap, vec![operand(self, 5)?, operand(self, 4)?])
            }
            _ => return Err(self.unsupported(i, "the operation on a counter is")),
        };
        arguments.insert(0, counter);
        let mut value = self.builtin(function, arguments, uint);
        if i.op == Op::AtomicIDecrement && self.used.contains(&i.id) {
            // The function gives the value after it.
            let one = self.number(uint, 1);
            value = self.binary(program::BinaryOp::Add, value, one);
        }
        self.atomic_result(i, value, out)
    }

    fn texel_atomic(
        &mut self,
        i: &Instruction,
        texel: &Texel,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let image = self.place_expr(i, &texel.image)?;
        let &Type::Image(image_type) = self.types.get(self.ty(image)) else {
            return Err(self.module.error(i, "the texel is of no storage image"));
        };
        let ty = self.types.scalar(image_type.result);
        let ty = self.compared_type(i, ty);
        let coordinate = self.operand_value(i, texel.coordinate)?;
        let coordinate = Some(self.cast(coordinate, Scalar::Int));
        let sample = match image_type.dim {
            program::types::Dim::D2Ms => {
                let sample = self.operand_value(i, texel.sample)?;
                Some(self.cast(sample, Scalar::Int))
            }
            _ => None,
        };
        let (op, data) = match i.op {
            Op::AtomicLoad => (ImageOp::Load, Vec::new()),
            Op::AtomicStore => {
                let value = self.operand(i, 3)?;
                let value = self.cast(value, image_type.result);
                (ImageOp::Store, vec![self.whole_texel(value)])
            }
            _ => {
                let (op, operands) = self.atomic_operands(i, ty)?;
                (ImageOp::Atomic(op), operands)
            }
        };
        let result = match op {
            ImageOp::Store => program::TypeTable::VOID,
            ImageOp::Load => self.types.vector(image_type.result, 4),
            _ => ty,
        };
        let call = ImageCall { op, image, coordinate, sample, data };
        let mut value = self.push(ExprKind::Image(Box::new(call)), result);
        match op {
            ImageOp::Store => {
                out.push(Statement::Expression(value));
                return Ok(());
            }
            ImageOp::Load => value = self.swizzle(value, &[0]),
            _ => {}
        }
        self.atomic_result(i, value, out)
    }
}
