//! Comparisons of pointers: places are equal if variables and steps are.

use program::{BinaryOp, ExprId, ExprKind, Scalar, Statement};
use rspirv::spirv::Op;

use super::place::{Place, Root, Step};
use super::state::{ShaderBuilder, Value};
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// Appends a comparison of pointers; returns false for others.
    pub(crate) fn pointer_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<bool, Error> {
        let value = match i.op {
            Op::PtrEqual => self.same_place(i)?,
            Op::PtrNotEqual => {
                let same = self.same_place(i)?;
                let bool_type = self.types.scalar(Scalar::Bool);
                self.push(ExprKind::Unary(program::UnaryOp::LogicalNot, same), bool_type)
            }
            Op::PtrDiff => self.distance(i)?,
            _ => return Ok(false),
        };
        let ty = self.result_type(i)?;
        let value = self.cast_to(value, ty);
        self.define(i, value, true, out);
        Ok(true)
    }

    /// The place of a pointer; none of the null pointer.
    fn pointer(&self, i: &Instruction, index: usize) -> Result<Option<Place>, Error> {
        let id = self.id(i, index)?;
        match self.values.get(&id) {
            Some(Value::Pointer(place)) => Ok(Some(place.clone())),
            _ if self.definition(i, id)?.op == Op::ConstantNull => Ok(None),
            _ => Err(self.unsupported(i, format!("{} as a pointer is", self.module.name(id)))),
        }
    }

    /// True where two pointers are equal.
    fn same_place(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (a, b) = match (self.pointer(i, 0)?, self.pointer(i, 1)?) {
            (None, None) => return Ok(self.bool(true)),
            (Some(a), Some(b)) => (a, b),
            _ => return Ok(self.bool(false)),
        };
        if !is_same_root(&a.root, &b.root) || a.steps.len() != b.steps.len() {
            return Ok(self.bool(false));
        }
        let mut same = self.bool(true);
        for (a, b) in a.steps.into_iter().zip(b.steps) {
            let equal = match (a, b) {
                (Step::Member(a), Step::Member(b)) if a == b => continue,
                (Step::Index(a), Step::Index(b)) if a == b => continue,
                (Step::Index(a), Step::Index(b)) => {
                    let (a, b) = (self.step_index(i, a)?, self.step_index(i, b)?);
                    let bool_type = self.types.scalar(Scalar::Bool);
                    self.push(ExprKind::Binary(BinaryOp::Equal, a, b), bool_type)
                }
                _ => return Ok(self.bool(false)),
            };
            let bool_type = self.types.scalar(Scalar::Bool);
            same = self.push(ExprKind::Binary(BinaryOp::LogicalAnd, same, equal), bool_type);
        }
        Ok(same)
    }

    /// The number of elements between two elements of an array.
    fn distance(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let last = |place: Option<Place>| match place?.steps.last() {
            Some(Step::Index(id)) => Some(*id),
            _ => None,
        };
        let (a, b) = (last(self.pointer(i, 0)?), last(self.pointer(i, 1)?));
        let (Some(a), Some(b)) = (a, b) else {
            return Err(self.unsupported(i, "a pointer that is to no element is"));
        };
        let (a, b) = (self.step_index(i, a)?, self.step_index(i, b)?);
        Ok(self.binary(BinaryOp::Sub, a, b))
    }

    fn step_index(&mut self, i: &Instruction, id: u32) -> Result<ExprId, Error> {
        let index = self.operand_value(i, id)?;
        Ok(self.cast(index, Scalar::Int))
    }
}

fn is_same_root(a: &Root, b: &Root) -> bool {
    match (a, b) {
        (Root::Global(a), Root::Global(b)) => a == b,
        (Root::Local(a), Root::Local(b)) => a == b,
        _ => false,
    }
}
