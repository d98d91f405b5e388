//! Instructions on subgroups, and what the built-in variables of subgroups decide.

use program::{
    BinaryOp, BuiltinFunction as F, BuiltinVariable, ExprId, ExprKind, Global, Scalar, Statement,
    Storage,
};
use rspirv::spirv::Op;

use crate::error::Error;
use crate::module::Instruction;
use crate::translate::place::Computed;
use crate::translate::state::ShaderBuilder;

impl ShaderBuilder<'_> {
    /// A built-in input of one unsigned integer.
    pub(crate) fn system_value(&mut self, builtin: BuiltinVariable) -> ExprId {
        self.system_value_of(builtin, Scalar::Uint)
    }

    fn system_value_of(&mut self, builtin: BuiltinVariable, scalar: Scalar) -> ExprId {
        let ty = self.types.scalar(scalar);
        let globals = &self.shader.globals;
        let known = globals.iter().find(|(_, g)| g.builtin == Some(builtin) && g.ty == ty);
        let id = known.map(|(id, _)| id).unwrap_or_else(|| {
            let mut global = Global::new(builtin.name(), ty, Storage::Input);
            global.builtin = Some(builtin);
            self.shader.globals.push(global)
        });
        self.push(ExprKind::Global(id), ty)
    }

    /// The value of a built-in variable. Subgroups have consecutive invocations of a work group.
    pub(crate) fn computed(
        &mut self,
        user: &Instruction,
        which: Computed,
    ) -> Result<ExprId, Error> {
        if which == Computed::Helper {
            let bool_type = self.types.scalar(Scalar::Bool);
            return Ok(self.builtin(F::HelperInvocation, Vec::new(), bool_type));
        }
        if let Computed::Mask(mask) = which {
            let mask = self.system_value_of(mask, Scalar::Uint64);
            return Ok(self.four_words(mask));
        }
        let size = self.system_value(BuiltinVariable::SubGroupSize);
        let of_group = match which {
            Computed::OwnSubgroup => self.system_value(BuiltinVariable::LocalInvocationIndex),
            _ => {
                let Some(sizes) = self.shader.layout.local_size else {
                    return Err(self.unsupported(user, "the number of subgroups is"));
                };
                let count = sizes.iter().fold(1u64, |all, &n| all.saturating_mul(n.into()));
                let below = self.scalar(Scalar::Uint, count.saturating_sub(1));
                self.binary(BinaryOp::Add, below, size)
            }
        };
        Ok(self.binary(BinaryOp::Div, of_group, size))
    }

    /// The result of an instruction on the invocations of a subgroup; `None` for others.
    pub(crate) fn subgroup_operation(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<Option<ExprId>, Error> {
        let bool_type = self.types.scalar(Scalar::Bool);
        Ok(Some(match i.op {
            Op::GroupNonUniformElect => {
                let own = self.system_value(BuiltinVariable::SubGroupInvocation);
                let first = self.first_of_subgroup(own);
                self.compared(BinaryOp::Equal, own, first)
            }
            Op::GroupNonUniformAll | Op::GroupNonUniformAny => {
                let condition = self.operand(i, 1)?;
                let is_all = i.op == Op::GroupNonUniformAll;
                let function = if is_all { F::AllInvocations } else { F::AnyInvocation };
                self.builtin(function, vec![condition], bool_type)
            }
            Op::GroupNonUniformAllEqual => {
                let value = self.operand(i, 1)?;
                let (scalar, size) = self.shape(self.ty(value));
                if scalar == Scalar::Bool && size == 1 {
                    self.builtin(F::AllInvocationsEqual, vec![value], bool_type)
                } else if size == 1 {
                    let value = self.shared("value", value, out);
                    let [value, own] = [self.local(value), self.local(value)];
                    let first = self.first_of_subgroup(own);
                    let equal = self.compared(BinaryOp::Equal, value, first);
                    self.builtin(F::AllInvocations, vec![equal], bool_type)
                } else {
                    return Err(self.unsupported(i, "a comparison of vectors is"));
                }
            }
            Op::GroupNonUniformBroadcastFirst => {
                let value = self.operand(i, 1)?;
                self.first_of_subgroup(value)
            }
            Op::GroupNonUniformBroadcast => {
                let (value, number) = (self.operand(i, 1)?, self.operand(i, 2)?);
                let number = self.cast(number, Scalar::Uint);
                let ty = self.ty(value);
                self.builtin(F::ReadInvocation, vec![value, number], ty)
            }
            Op::GroupNonUniformQuadBroadcast => {
                let (value, number) = (self.operand(i, 1)?, self.id(i, 2)?);
                if self.is_constant(number) {
                    let number = self.integer_constant(i, number)?;
                    self.of_quad(value, number & 3)
                } else {
                    let number = self.operand_value(i, number)?;
                    let number = self.cast(number, Scalar::Uint);
                    self.one_of_quad(value, number, out)
                }
            }
            Op::GroupNonUniformQuadSwap => {
                let (value, direction) = (self.operand(i, 1)?, self.id(i, 2)?);
                // Across, down, or both.
                let mask = self.integer_constant(i, direction)? + 1;
                let own = self.system_value(BuiltinVariable::SubGroupInvocation);
                let mask = self.scalar(Scalar::Uint, mask & 3);
                let number = self.binary(BinaryOp::BitXor, own, mask);
                self.one_of_quad(value, number, out)
            }
            Op::GroupNonUniformBallot => {
                let condition = self.operand(i, 1)?;
                self.ballot(condition)
            }
            _ => return self.ballot_operation(i, out),
        }))
    }

    /// The value of one invocation of a quad, whose number is constant.
    fn of_quad(&mut self, value: ExprId, number: u64) -> ExprId {
        let number = self.scalar(Scalar::Uint, number);
        let ty = self.ty(value);
        self.builtin(F::QuadBroadcast, vec![value, number], ty)
    }

    /// The value of one invocation of a quad.
    fn one_of_quad(&mut self, value: ExprId, number: ExprId, out: &mut Vec<Statement>) -> ExprId {
        let value = self.shared("value", value, out);
        let three = self.scalar(Scalar::Uint, 3);
        let number = self.binary(BinaryOp::BitAnd, number, three);
        let number = self.shared("number", number, out);
        let last = self.local(value);
        let mut result = self.of_quad(last, 3);
        for index in 0..3 {
            let (value, own) = (self.local(value), self.local(number));
            let index_value = self.scalar(Scalar::Uint, index);
            let is_meant = self.compared(BinaryOp::Equal, own, index_value);
            let of_index = self.of_quad(value, index);
            result = self.choose(is_meant, of_index, result);
        }
        result
    }

    fn first_of_subgroup(&mut self, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        self.builtin(F::ReadFirstInvocation, vec![value], ty)
    }
}
