//! Constants and specialization constants.

use program::{ArrayLength, ExprId, ExprKind, Type, TypeId};
use rspirv::spirv::{Decoration, Op};

use super::state::ShaderBuilder;
use crate::entry::Specialization;
use crate::error::Error;
use crate::module::{Instruction, Operand};

/// Most parts of the constants that a shader names, each time counted.
const MAX_PARTS: u32 = 1 << 20;
/// Most constants inside each other.
const MAX_DEPTH: u32 = 100;

impl ShaderBuilder<'_> {
    /// Notes the values of specialization constants.
    pub(crate) fn specialize(&mut self, list: &[Specialization]) -> Result<(), Error> {
        for specialization in list {
            let module = self.module;
            let globals = module.globals();
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
        self.constant_at(id, 0)
    }

    fn constant_at(&mut self, id: u32, depth: u32) -> Result<ExprId, Error> {
        let Some(definition) = self.module.get(id) else {
            return Err(Error::new(0, format!("%{id} has no definition")));
        };
        self.constant_parts += 1;
        if self.constant_parts > MAX_PARTS || depth > MAX_DEPTH {
            return Err(self.unsupported(definition, "so large a constant is"));
        }
        let ty = self.result_type(definition)?;
        if let (Some(&bits), Type::Scalar(scalar)) = (self.integers.get(&id), self.types.get(ty)) {
            let scalar = *scalar;
            return Ok(self.scalar(scalar, bits));
        }
        match definition.op {
            Op::ConstantNull | Op::Undef => self.zero(definition, ty),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let parts: Result<Vec<ExprId>, Error> =
                    definition.ids_from(0).map(|part| self.constant_at(part, depth + 1)).collect();
                Ok(self.composite(parts?, ty))
            }
            Op::SpecConstantOp => self.constant_operation(definition),
            _ => Err(self.module.error(definition, "the value is not constant")),
        }
    }

    /// Zero of any type.
    pub(crate) fn zero(&mut self, user: &Instruction, ty: TypeId) -> Result<ExprId, Error> {
        let parts: Vec<TypeId> = match self.types.get(ty) {
            Type::Struct(contents) => contents.members.iter().map(|member| member.ty).collect(),
            Type::Array { element, length: ArrayLength::Fixed(n) } if *n <= MAX_PARTS => {
                vec![*element; *n as usize]
            }
            Type::Array { .. } => return Err(self.unsupported(user, "so large a constant is")),
            _ => return Ok(self.number(ty, 0)),
        };
        self.constant_parts = self.constant_parts.saturating_add(parts.len() as u32);
        if self.constant_parts > MAX_PARTS {
            return Err(self.unsupported(user, "so large a constant is"));
        }
        let parts: Result<Vec<ExprId>, Error> =
            parts.into_iter().map(|part| self.zero(user, part)).collect();
        Ok(self.push(ExprKind::Aggregate(parts?), ty))
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
        // An operation on operations nests, though operands are constants of their own.
        self.constant_depth += 1;
        if self.constant_depth > MAX_DEPTH {
            return Err(self.unsupported(definition, "so large a constant is"));
        }
        let value = self.applied_constant(definition);
        self.constant_depth -= 1;
        value
    }

    fn applied_constant(&mut self, definition: &Instruction) -> Result<ExprId, Error> {
        let applied = self.applied(definition)?;
        if applied.op == Op::CompositeInsert {
            let (object, base) = (self.operand(&applied, 0)?, self.operand(&applied, 1)?);
            let indices = 2..applied.operands.len();
            let path: Vec<u32> = indices.filter_map(|index| applied.literal_at(index)).collect();
            return self.with_part(&applied, base, &path, object);
        }
        match self.pure_operation(&applied)? {
            Some(value) => Ok(value),
            None => {
                Err(self.unsupported(definition, format!("Op{:?} of constants is", applied.op)))
            }
        }
    }

    /// A composite with the part at a path of indices replaced.
    fn with_part(
        &mut self,
        user: &Instruction,
        base: ExprId,
        path: &[u32],
        object: ExprId,
    ) -> Result<ExprId, Error> {
        let Some((&index, rest)) = path.split_first() else { return Ok(object) };
        let ty = self.ty(base);
        let count = self.part_count(user, ty)?;
        let mut parts = Vec::new();
        for k in 0..count {
            let part = self.part(user, base, k)?;
            let is_it = k == index;
            parts.push(if is_it { self.with_part(user, part, rest, object)? } else { part });
        }
        Ok(self.composite(parts, ty))
    }

    /// Number of the parts of a composite.
    fn part_count(&self, user: &Instruction, ty: TypeId) -> Result<u32, Error> {
        match self.types.get(ty) {
            Type::Struct(contents) => Ok(contents.members.len() as u32),
            Type::Array { length: ArrayLength::Fixed(n), .. } if *n <= MAX_PARTS => Ok(*n),
            Type::Vector { size, .. } => Ok((*size).into()),
            Type::Matrix { columns, .. } => Ok((*columns).into()),
            _ => Err(self.unsupported(user, "so large a constant is")),
        }
    }

    /// Computes the values of scalar constants, in order: operands are defined before.
    pub(crate) fn compute_constants(&mut self) {
        let module = self.module;
        for definition in module.globals() {
            if let Some(value) = self.value_of_constant(definition) {
                self.integers.insert(definition.id, value);
            }
        }
    }

    fn value_of_constant(&self, definition: &Instruction) -> Option<u64> {
        if let Some(bits) = self.bits(definition) {
            return Some(bits);
        }
        if definition.op != Op::SpecConstantOp {
            return None;
        }
        let applied = self.applied(definition).ok()?;
        if applied.op == Op::CompositeExtract {
            return self.extracted(&applied);
        }
        let operand = |index| self.integers.get(&applied.id_at(index)?).copied();
        if applied.op == Op::Select {
            return operand(if operand(0)? != 0 { 1 } else { 2 });
        }
        let is_wide = self.module.get(definition.ty).and_then(|ty| ty.literal_at(0)) == Some(64);
        let mut a = operand(0)?;
        if applied.op == Op::UConvert {
            // Narrow constants are kept with their signs.
            let from = self.module.get(applied.id_at(0)?)?;
            let bits = self.module.get(from.ty)?.literal_at(0)?.clamp(1, 64);
            a &= u64::MAX >> (64 - bits);
        }
        let b = if applied.operands.len() > 1 { operand(1)? } else { 0 };
        let value = fold(applied.op, a, b, is_wide)?;
        Some(if is_wide { value } else { value & 0xffff_ffff })
    }

    fn extracted(&self, applied: &Instruction) -> Option<u64> {
        let mut id = applied.id_at(0)?;
        for operand in &applied.operands[1..] {
            let Operand::Literal(index) = operand else { continue };
            let definition = self.module.get(id)?;
            if definition.op == Op::ConstantNull {
                return Some(0);
            }
            id = definition.id_at(*index as usize)?;
        }
        self.integers.get(&id).copied()
    }

    /// The value of an integer constant: array lengths, indices, locations.
    pub(crate) fn integer_constant(&self, user: &Instruction, id: u32) -> Result<u64, Error> {
        let not_constant = || {
            let message = format!("{} is not constant", self.module.name(id));
            self.module.error(user, message)
        };
        self.integers.get(&id).copied().ok_or_else(not_constant)
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
