//! Constants and specialization constants.

use program::{ExprId, ExprKind, Type, TypeId};
use rspirv::spirv::{Decoration, Op};

use super::state::ShaderBuilder;
use crate::entry::Specialization;
use crate::error::Error;
use crate::module::{Instruction, Operand};

impl ShaderBuilder<'_> {
    /// Notes the values of specialization constants.
    pub(crate) fn specialize(&mut self, list: &[Specialization]) -> Result<(), Error> {
        for specialization in list {
            let module = self.module;
            let globals = &module.instructions[..module.first_function];
            let is_meant = |i: &&Instruction| {
                i.id != 0 && module.literal(i.id, Decoration::SpecId) == Some(specialization.id)
            };
            let mut found = globals.iter().filter(is_meant).peekable();
            if found.peek().is_none() {
                let message =
                    format!("no specialization constant has SpecId {}", specialization.id);
                return Err(Error::new(0, message));
            }
            for constant in found {
                self.specialized.insert(constant.id, specialization.bits);
            }
        }
        Ok(())
    }

    /// True if an instruction's result is a constant.
    pub(crate) fn is_constant(&self, id: u32) -> bool {
        self.module.get(id).is_some_and(|definition| {
            matches!(
                definition.op,
                Op::Constant
                    | Op::ConstantTrue
                    | Op::ConstantFalse
                    | Op::ConstantComposite
                    | Op::ConstantNull
                    | Op::SpecConstant
                    | Op::SpecConstantTrue
                    | Op::SpecConstantFalse
                    | Op::SpecConstantComposite
                    | Op::SpecConstantOp
            )
        })
    }

    /// The bits of a scalar constant, after specialization.
    fn bits(&self, definition: &Instruction) -> Option<u64> {
        let own = match definition.op {
            Op::Constant | Op::SpecConstant => definition.bits_at(0)?,
            Op::ConstantTrue | Op::SpecConstantTrue => 1,
            Op::ConstantFalse | Op::SpecConstantFalse | Op::ConstantNull => 0,
            _ => return None,
        };
        Some(self.specialized.get(&definition.id).copied().unwrap_or(own))
    }

    /// The value of a constant, as a new expression.
    pub(crate) fn constant(&mut self, id: u32) -> Result<ExprId, Error> {
        let Some(definition) = self.module.get(id) else {
            return Err(Error::new(0, format!("%{id} has no definition")));
        };
        let ty = self.result_type(definition)?;
        match definition.op {
            Op::ConstantNull => Ok(self.zero(ty)),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts: Result<Vec<ExprId>, Error> =
                    definition.ids_from(0).map(|part| self.constant_part(part)).collect();
                Ok(self.composite(parts?, ty))
            }
            Op::SpecConstantOp => self.constant_operation(definition),
            _ => {
                let bits = self.bits(definition).unwrap_or(0);
                let (scalar, _) = self.shape(ty);
                Ok(self.scalar(scalar, bits))
            }
        }
    }

    fn constant_part(&mut self, id: u32) -> Result<ExprId, Error> {
        match self.module.get(id) {
            Some(definition) if definition.op == Op::Undef => {
                let ty = self.result_type(definition)?;
                Ok(self.zero(ty))
            }
            _ => self.constant(id),
        }
    }

    /// Zero of any type.
    pub(crate) fn zero(&mut self, ty: TypeId) -> ExprId {
        let parts: Vec<TypeId> = match self.types.get(ty) {
            Type::Struct(contents) => contents.members.iter().map(|member| member.ty).collect(),
            Type::Array { element, length: program::ArrayLength::Fixed(n) } => {
                vec![*element; (*n).min(1 << 16) as usize]
            }
            _ => return self.number(ty, 0),
        };
        let parts = parts.into_iter().map(|part| self.zero(part)).collect();
        self.push(ExprKind::Aggregate(parts), ty)
    }

    /// A vector, matrix, array or structure of its parts.
    pub(crate) fn composite(&mut self, parts: Vec<ExprId>, ty: TypeId) -> ExprId {
        let kind = match self.types.get(ty) {
            Type::Struct(_) | Type::Array { .. } => ExprKind::Aggregate(parts),
            _ => ExprKind::Compose(parts),
        };
        self.push(kind, ty)
    }

    /// The instruction that an `OpSpecConstantOp` applies, as one of its own.
    pub(crate) fn applied(&self, definition: &Instruction) -> Result<Instruction, Error> {
        let word = self.literal(definition, 0)?;
        let op = Op::from_u32(word).unwrap_or(Op::Nop);
        Ok(Instruction { op, operands: definition.operands[1..].to_vec(), ..definition.clone() })
    }

    fn constant_operation(&mut self, definition: &Instruction) -> Result<ExprId, Error> {
        let applied = self.applied(definition)?;
        match self.pure_operation(&applied)? {
            Some(value) => Ok(value),
            None => {
                Err(self.unsupported(definition, format!("Op{:?} of constants is", applied.op)))
            }
        }
    }

    /// The value of an integer constant: array lengths, indices, locations.
    pub(crate) fn integer_constant(&self, user: &Instruction, id: u32) -> Result<u64, Error> {
        let definition = self.definition(user, id)?;
        if let Some(bits) = self.bits(definition) {
            return Ok(bits);
        }
        let not_constant =
            || self.module.error(user, format!("{} is not constant", self.module.name(id)));
        if definition.op != Op::SpecConstantOp {
            return Err(not_constant());
        }
        let applied = self.applied(definition)?;
        let operand = |index| {
            let id = applied.id_at(index).ok_or_else(not_constant)?;
            self.integer_constant(user, id)
        };
        let is_wide = self.module.type_of(id).and_then(|ty| ty.literal_at(0)) == Some(64);
        if applied.op == Op::CompositeExtract {
            return self.extracted(user, &applied);
        }
        if applied.op == Op::Select {
            return operand(if operand(0)? != 0 { 1 } else { 2 });
        }
        let a = operand(0)?;
        let b = if applied.operands.len() > 1 { operand(1)? } else { 0 };
        let value = fold(applied.op, a, b, is_wide).ok_or_else(not_constant)?;
        Ok(if is_wide { value } else { value & 0xffff_ffff })
    }

    fn extracted(&self, user: &Instruction, applied: &Instruction) -> Result<u64, Error> {
        let mut id = self.id(applied, 0)?;
        for operand in &applied.operands[1..] {
            let Operand::Literal(index) = operand else { continue };
            let definition = self.definition(user, id)?;
            if definition.op == Op::ConstantNull {
                return Ok(0);
            }
            id = self.id(definition, *index as usize)?;
        }
        self.integer_constant(user, id)
    }
}

/// The result of an integer operation on constants.
fn fold(op: Op, a: u64, b: u64, is_wide: bool) -> Option<u64> {
    let signed = |value: u64| if is_wide { value as i64 } else { i64::from(value as u32 as i32) };
    let (sa, sb) = (signed(a), signed(b));
    let width = if is_wide { 64 } else { 32 };
    Some(match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b)?,
        Op::UMod => a.checked_rem(b)?,
        Op::SDiv => sa.checked_div(sb)? as u64,
        Op::SRem => sa.checked_rem(sb)? as u64,
        Op::SMod => (sa.checked_rem(sb)?.wrapping_add(sb)).checked_rem(sb)? as u64,
        Op::ShiftLeftLogical if b < width => a << b,
        Op::ShiftRightLogical if b < width => a >> b,
        Op::ShiftRightArithmetic if b < width => (sa >> b) as u64,
        Op::BitwiseAnd | Op::LogicalAnd => a & b,
        Op::BitwiseOr | Op::LogicalOr => a | b,
        Op::BitwiseXor | Op::LogicalNotEqual => a ^ b,
        Op::LogicalEqual => u64::from(a == b),
        Op::LogicalNot => u64::from(a == 0),
        Op::Not => !a,
        Op::SNegate => a.wrapping_neg(),
        Op::SConvert => sa as u64,
        Op::UConvert => a,
        Op::IEqual => u64::from(a == b),
        Op::INotEqual => u64::from(a != b),
        Op::ULessThan => u64::from(a < b),
        Op::ULessThanEqual => u64::from(a <= b),
        Op::UGreaterThan => u64::from(a > b),
        Op::UGreaterThanEqual => u64::from(a >= b),
        Op::SLessThan => u64::from(sa < sb),
        Op::SLessThanEqual => u64::from(sa <= sb),
        Op::SGreaterThan => u64::from(sa > sb),
        Op::SGreaterThanEqual => u64::from(sa >= sb),
        _ => return None,
    })
}
