//! Instructions of blocks: what each appends and the value of its result.

use program::{ExprId, Statement};
use rspirv::spirv::Op;

use super::place::{Place, Root};
use super::state::{ShaderBuilder, Value};
use crate::error::Error;
use crate::module::Instruction;

/// Deepest expression that a result is kept as.
const MAX_EXPRESSION: u32 = 24;

impl ShaderBuilder<'_> {
    /// Appends an instruction.
    pub(crate) fn instruction(
        &mut self,
        instruction: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        match instruction.op {
            Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::Variable
            | Op::Phi
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::Undef => return Ok(()),
            Op::FunctionCall => return self.function_call(instruction, out),
            Op::ExtInst => return self.extended_instruction(instruction, out),
            _ => {}
        }
        if !(instruction.op == Op::Select && self.is_pointer(instruction.ty))
            && let Some(value) = self.pure_operation(instruction)?
        {
            self.define(instruction, value, true, out);
            return Ok(());
        }
        let is_known = self.memory_operation(instruction, out)?
            || self.pointer_operation(instruction, out)?
            || self.atomic_operation(instruction, out)?
            || self.subgroup_loop(instruction, out)?
            || self.image_operation(instruction, out)?
            || self.query_operation(instruction, out)?;
        if is_known { Ok(()) } else { Err(self.unsupported(instruction, "the instruction is")) }
    }

    /// Notes the value of a result: an expression at its only use if it is free of effects,
    /// otherwise a local that is assigned here.
    pub(crate) fn define(
        &mut self,
        instruction: &Instruction,
        value: ExprId,
        is_pure: bool,
        out: &mut Vec<Statement>,
    ) {
        if is_pure
            && !self.is_pointer(instruction.ty)
            && self.body.single.contains(&instruction.id)
            && self.depth(value) < MAX_EXPRESSION
        {
            self.values.insert(instruction.id, Value::Expr(value));
            return;
        }
        let ty = self.ty(value);
        let local = self.result_local(instruction.id, ty);
        self.values.insert(instruction.id, Value::Local(local));
        out.push(Statement::Declare { local, value: Some(value) });
    }

    fn depth(&self, value: ExprId) -> u32 {
        let mut deepest = 0;
        self.shader.exprs[value]
            .kind
            .for_each_child(|child| deepest = deepest.max(self.depth(child)));
        deepest + 1
    }

    /// The value of an operand, as an expression of its own.
    pub(crate) fn operand_value(&mut self, user: &Instruction, id: u32) -> Result<ExprId, Error> {
        match self.values.get(&id) {
            Some(Value::Expr(expr)) => return Ok(*expr),
            Some(&Value::Local(local)) => return Ok(self.local(local)),
            Some(&Value::Component(local, component)) => {
                let pointer = self.local(local);
                return Ok(self.swizzle(pointer, &[component]));
            }
            Some(Value::Pointer(place)) if let Some(ty) = self.variable_pointer_type(id) => {
                let place = place.clone();
                return self.pointer_value(user, &place, ty);
            }
            Some(Value::Pointer(_) | Value::Opaque(_) | Value::Texel(_)) => {
                let message = format!("{} is no value but a place", self.module.name(id));
                return Err(self.module.error(user, message));
            }
            None => {}
        }
        if self.is_constant(id) {
            return self.constant(id);
        }
        let definition = self.definition(user, id)?;
        if definition.op != Op::Undef {
            let message = format!("{} has no value here", self.module.name(id));
            return Err(self.module.error(user, message));
        }
        let ty = self.result_type(definition)?;
        let local = self.new_local("undefined", ty);
        self.body.hoisted.push(local);
        Ok(self.local(local))
    }

    /// The value of the operand at an index.
    pub(crate) fn operand(
        &mut self,
        instruction: &Instruction,
        index: usize,
    ) -> Result<ExprId, Error> {
        let id = self.id(instruction, index)?;
        self.operand_value(instruction, id)
    }

    /// The place that a pointer, sampler or image is.
    pub(crate) fn operand_place(
        &mut self,
        instruction: &Instruction,
        index: usize,
    ) -> Result<Place, Error> {
        let id = self.id(instruction, index)?;
        match self.value_of(instruction, id)? {
            Value::Pointer(place) | Value::Opaque(place) => Ok(place.clone()),
            &Value::Local(local) if self.variable_pointer_type(id).is_some() => {
                self.place_of_pointer(instruction, id, local)
            }
            Value::Local(_) | Value::Component(..) | Value::Expr(_) | Value::Texel(_) => {
                Err(self
                    .unsupported(instruction, format!("{} as a pointer is", self.module.name(id))))
            }
        }
    }

    /// Appends an expression that has effects or reads what changes; its value is the result's.
    pub(crate) fn effect(
        &mut self,
        instruction: &Instruction,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) {
        if instruction.id == 0 || self.ty(value) == program::TypeTable::VOID {
            out.push(Statement::Expression(value));
        } else {
            self.define(instruction, value, false, out);
        }
    }

    /// A new local with a value, for results made in steps.
    pub(crate) fn kept(
        &mut self,
        instruction: &Instruction,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> Place {
        let ty = self.ty(value);
        let local = self.result_local(instruction.id, ty);
        self.values.insert(instruction.id, Value::Local(local));
        out.push(Statement::Declare { local, value: Some(value) });
        Place::new(Root::Local(local))
    }
}
