//! Comparisons of pointers: places are equal if variables and steps are.

use program::{BinaryOp, ExprId, ExprKind, LocalId, Scalar, Statement, TypeId};
use rspirv::spirv::Op;

use super::place::{Choice, Place, Root, Step};
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
            Op::Select if self.is_pointer(i.ty) => {
                self.choose_place(i, out)?;
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

    /// Notes a pointer that is one of two.
    fn choose_place(&mut self, i: &Instruction, out: &mut Vec<Statement>) -> Result<(), Error> {
        let condition = self.operand(i, 0)?;
        let places = match (self.pointer(i, 1)?, self.pointer(i, 2)?) {
            (Some(a), Some(b)) => [a, b],
            // An access through the null pointer is undefined.
            (Some(only), None) | (None, Some(only)) => {
                self.values.insert(i.id, Value::Pointer(only));
                return Ok(());
            }
            (None, None) => return Err(self.unsupported(i, "a choice of null pointers is")),
        };
        let ty = self.ty(condition);
        let condition = self.declared("choice", ty, Some(condition), out);
        let root = Root::Choice(Box::new(Choice { condition, places }));
        self.values.insert(i.id, Value::Pointer(Place::new(root)));
        Ok(())
    }

    /// The value of a place, which may be one of two.
    pub(crate) fn read_any(
        &mut self,
        i: &Instruction,
        place: &Place,
        out: &mut Vec<Statement>,
    ) -> Result<ExprId, Error> {
        let Root::Choice(choice) = &place.root else { return self.read(i, place) };
        let places = choice.with_steps(&place.steps);
        let pointer = self.id(i, 1)?;
        let pointer = self.definition(i, pointer)?.ty;
        let ty = self.pointee(i, pointer)?;
        let ty = self.type_id(i, ty)?;
        let result = self.declared("copied", ty, None, out);
        self.load_either(i, choice.condition, &places, result, out)?;
        Ok(self.local(result))
    }

    /// Loads from one of two places.
    pub(crate) fn load_chosen(
        &mut self,
        i: &Instruction,
        condition: LocalId,
        places: [Place; 2],
        ty: TypeId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let result = self.result_local(i.id, ty);
        out.push(Statement::Declare { local: result, value: None });
        self.load_either(i, condition, &places, result, out)?;
        self.values.insert(i.id, Value::Local(result));
        Ok(())
    }

    fn load_either(
        &mut self,
        i: &Instruction,
        condition: LocalId,
        places: &[Place; 2],
        result: LocalId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let mut branches = [Vec::new(), Vec::new()];
        for (place, branch) in places.iter().zip(&mut branches) {
            if let Root::Choice(choice) = &place.root {
                let places = choice.with_steps(&place.steps);
                self.load_either(i, choice.condition, &places, result, branch)?;
                continue;
            }
            let value = self.read(i, place)?;
            let to = self.local(result);
            let value = self.cast_to(value, self.ty(to));
            branch.push(Statement::Expression(self.assign(to, value)));
        }
        let [then, otherwise] = branches;
        let condition = self.local(condition);
        out.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// Stores to one of two places.
    pub(crate) fn store_chosen(
        &mut self,
        i: &Instruction,
        condition: LocalId,
        places: &[Place; 2],
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let ty = self.ty(value);
        let kept = self.declared("stored", ty, Some(value), out);
        let mut branches = [Vec::new(), Vec::new()];
        for (place, branch) in places.iter().zip(&mut branches) {
            let value = self.local(kept);
            self.store(i, place, value, branch)?;
        }
        let [then, otherwise] = branches;
        let condition = self.local(condition);
        out.push(Statement::If { condition, then, otherwise });
        Ok(())
    }

    /// True where two pointers are equal.
    fn same_place(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        match (self.pointer(i, 0)?, self.pointer(i, 1)?) {
            (None, None) => Ok(self.bool(true)),
            (Some(a), Some(b)) => self.same(i, a, b),
            _ => Ok(self.bool(false)),
        }
    }

    /// True where two places are equal; a choice is as its place.
    fn same(&mut self, i: &Instruction, a: Place, b: Place) -> Result<ExprId, Error> {
        let (choice, other) = match (&a.root, &b.root) {
            (Root::Choice(choice), _) => (Some((choice, &a.steps)), &b),
            (_, Root::Choice(choice)) => (Some((choice, &b.steps)), &a),
            _ => (None, &b),
        };
        if let Some((choice, steps)) = choice {
            let condition = choice.condition;
            let [first, second] = choice.with_steps(steps);
            let first = self.same(i, first, other.clone())?;
            let second = self.same(i, second, other.clone())?;
            let condition = self.local(condition);
            return Ok(self.choose(condition, first, second));
        }
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
