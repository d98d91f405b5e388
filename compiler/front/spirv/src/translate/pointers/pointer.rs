//! Comparisons of pointers: places are equal if variables and steps are.

use program::{BinaryOp, ExprId, ExprKind, LocalId, Scalar, Statement, TypeId};
use rspirv::spirv::Op;

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::{Choice, Place, Root, Step};
use crate::translate::state::{ShaderBuilder, Value};

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
            Op::Select if self.is_variable_pointer(i.ty) => {
                let condition = self.operand(i, 0)?;
                let (first, second) = (self.operand(i, 1)?, self.operand(i, 2)?);
                let value = self.choose(condition, first, second);
                self.define(i, value, false, out);
                return Ok(true);
            }
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

    /// True for types of pointers.
    pub(crate) fn is_pointer(&self, ty: u32) -> bool {
        self.module.get(ty).is_some_and(|ty| ty.op == Op::TypePointer)
    }

    /// The value of a place, which may be one of two.
    pub(crate) fn read_any(
        &mut self,
        i: &Instruction,
        place: &Place,
        out: &mut Vec<Statement>,
    ) -> Result<ExprId, Error> {
        let Root::Choice(choice) = &place.root else { return self.read(i, place) };
        let pointer = self.id(i, 1)?;
        let pointer = self.definition(i, pointer)?.ty;
        let ty = self.pointee(i, pointer)?;
        let ty = self.type_id(i, ty)?;
        let result = self.declared("copied", ty, None, out);
        self.load_either(i, choice, &place.steps, result, out)?;
        Ok(self.local(result))
    }

    /// Loads from one of two places.
    pub(crate) fn load_chosen(
        &mut self,
        i: &Instruction,
        choice: &Choice,
        steps: &[Step],
        ty: TypeId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let result = self.result_local(i.id, ty);
        out.push(Statement::Declare { local: result, value: None });
        self.load_either(i, choice, steps, result, out)?;
        self.values.insert(i.id, Value::Local(result));
        Ok(())
    }

    fn load_either(
        &mut self,
        i: &Instruction,
        choice: &Choice,
        steps: &[Step],
        result: LocalId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let mut branches = [Vec::new(), Vec::new()];
        for (place, branch) in choice.with_steps(steps).iter().zip(&mut branches) {
            if let Root::Choice(choice) = &place.root {
                self.load_either(i, choice, &place.steps, result, branch)?;
                continue;
            }
            let value = self.read(i, place)?;
            let to = self.local(result);
            let value = self.cast_to(value, self.ty(to));
            branch.push(Statement::Expression(self.assign(to, value)));
        }
        let [then, otherwise] = branches;
        let condition = self.is_first(choice);
        out.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// Stores to one of two places.
    pub(crate) fn store_chosen(
        &mut self,
        i: &Instruction,
        choice: &Choice,
        steps: &[Step],
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let ty = self.ty(value);
        let kept = self.declared("stored", ty, Some(value), out);
        let mut branches = [Vec::new(), Vec::new()];
        for (place, branch) in choice.with_steps(steps).iter().zip(&mut branches) {
            let value = self.local(kept);
            self.store(i, place, value, branch)?;
        }
        let [then, otherwise] = branches;
        let condition = self.is_first(choice);
        out.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// True where two pointers are equal.
    fn same_place(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let ids = [self.id(i, 0)?, self.id(i, 1)?];
        if ids.into_iter().any(|id| self.is_pointer_value(id)) {
            let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
            let bool_type = self.types.scalar(Scalar::Bool);
            return Ok(self.push(ExprKind::Binary(BinaryOp::Equal, a, b), bool_type));
        }
        match (self.pointer(i, 0)?, self.pointer(i, 1)?) {
            (None, None) => Ok(self.bool(true)),
            (Some(a), Some(b)) => self.same(i, a, b),
            _ => Ok(self.bool(false)),
        }
    }

    /// True where two places are equal.
    fn same(&mut self, i: &Instruction, a: Place, b: Place) -> Result<ExprId, Error> {
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
        let mut ends = Vec::new();
        for index in 0..2 {
            let place = self.operand_place(i, index)?;
            ends.push(self.chosen(&place, &mut |this, place| match place.steps.last() {
                Some(&Step::Index(id)) => this.step_index(i, id),
                _ => Err(this.unsupported(i, "a pointer that is to no element is")),
            })?);
        }
        Ok(self.binary(BinaryOp::Sub, ends[0], ends[1]))
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
