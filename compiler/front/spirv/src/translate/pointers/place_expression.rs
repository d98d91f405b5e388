//! Expressions that name places.

use program::{ExprId, ExprKind, Type, TypeId};

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::{Parts, Place, Root, Step};
use crate::translate::state::ShaderBuilder;

impl ShaderBuilder<'_> {
    /// The expression that names a place.
    pub(crate) fn place_expr(
        &mut self,
        user: &Instruction,
        place: &Place,
    ) -> Result<ExprId, Error> {
        let paired = self.paired(user, place, false)?;
        let (root, steps) = self.whole(user, &paired)?;
        let mut expr = match root {
            Root::Global(global) => {
                let ty = self.shader.globals[global].ty;
                self.push(ExprKind::Global(global), ty)
            }
            Root::Local(local) => {
                let ty = self.body.locals[local].ty;
                self.push(ExprKind::Local(local), ty)
            }
            Root::Computed(which) => self.computed(user, which)?,
            Root::Choice(_) => return Err(self.unsupported(user, "a choice of pointers is")),
            Root::Parts(_) | Root::Apart(..) => {
                return Err(self.unsupported(user, "the whole of an interface block is"));
            }
        };
        for step in steps {
            expr = self.step(user, expr, step)?;
        }
        Ok(expr)
    }

    /// A part of an expression.
    pub(crate) fn step(
        &mut self,
        user: &Instruction,
        base: ExprId,
        step: Step,
    ) -> Result<ExprId, Error> {
        let ty = self.ty(base);
        match step {
            Step::Member(member) => {
                let members = self.types.members(ty);
                let Some(part) = members.and_then(|m| m.get(member as usize)).map(|m| m.ty) else {
                    return Err(self.module.error(user, format!("there is no member {member}")));
                };
                Ok(self.push(ExprKind::Member { base, member }, part))
            }
            Step::Index(id) => {
                let index = self.index(user, id)?;
                self.element(user, base, index)
            }
            Step::Pair(texture, sampler, count) => {
                let index = self.pair_index(user, texture, sampler, count)?;
                self.element(user, base, index)
            }
        }
    }

    /// An element, column or component of an expression.
    pub(crate) fn element(
        &mut self,
        user: &Instruction,
        base: ExprId,
        index: ExprId,
    ) -> Result<ExprId, Error> {
        let Some(part) = self.part_type(self.ty(base)) else {
            return Err(self.module.error(user, "an index of a type without elements"));
        };
        Ok(self.push(ExprKind::Index { base, index }, part))
    }

    /// The type of elements, columns or components.
    pub(crate) fn part_type(&mut self, ty: TypeId) -> Option<TypeId> {
        match *self.types.get(ty) {
            Type::Array { element, .. } => Some(element),
            Type::Matrix { scalar, rows, .. } => Some(self.types.vector(scalar, rows)),
            Type::Vector { scalar, .. } => Some(self.types.scalar(scalar)),
            _ => None,
        }
    }

    /// An index as a value of 32 bits.
    fn index(&mut self, user: &Instruction, id: u32) -> Result<ExprId, Error> {
        let index = self.operand_value(user, id)?;
        let (scalar, _) = self.shape(self.ty(index));
        Ok(match scalar {
            s if s.bits() == 32 => index,
            s if s.is_signed_integer() => self.cast(index, program::Scalar::Int),
            _ => self.cast(index, program::Scalar::Uint),
        })
    }

    /// The number of a pair of texture and sampler.
    fn pair_index(
        &mut self,
        user: &Instruction,
        texture: Option<u32>,
        sampler: Option<u32>,
        count: u32,
    ) -> Result<ExprId, Error> {
        let mut part = |id: Option<u32>| match id {
            Some(id) => {
                let index = self.index(user, id)?;
                Ok(self.cast(index, program::Scalar::Int))
            }
            None => Ok(self.int(0)),
        };
        let (texture, sampler) = (part(texture)?, part(sampler)?);
        if count == 1 {
            return Ok(texture);
        }
        let count = self.int(count.try_into().unwrap_or(1));
        let row = self.binary(program::BinaryOp::Mul, texture, count);
        Ok(self.binary(program::BinaryOp::Add, row, sampler))
    }

    /// The variable that a place is in, with the steps inside it.
    fn whole(&self, user: &Instruction, place: &Place) -> Result<(Root, Vec<Step>), Error> {
        let Root::Parts(parts) = &place.root else {
            return Ok((place.root.clone(), place.steps.clone()));
        };
        let (mut parts, mut vertex) = (&**parts, Vec::new());
        let mut steps = place.steps.iter();
        loop {
            let missing = || self.unsupported(user, "the whole of an interface block is");
            let no_part = || self.module.error(user, "there is no such part");
            parts = match parts {
                Parts::Leaf(global) => {
                    vertex.extend(steps);
                    return Ok((Root::Global(*global), vertex));
                }
                Parts::PerVertex(inner) => {
                    vertex.push(*steps.next().ok_or_else(missing)?);
                    inner
                }
                Parts::Members(list) => match steps.next().ok_or_else(missing)? {
                    Step::Member(member) => list.get(*member as usize).ok_or_else(no_part)?,
                    Step::Index(_) | Step::Pair(..) => return Err(no_part()),
                },
                // Access chains lead to one of the elements.
                Parts::Elements(_) => return Err(missing()),
            };
        }
    }
}
