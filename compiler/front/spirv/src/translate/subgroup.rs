//! Instructions on subgroups, and what the built-in variables of subgroups decide.

use program::{
    BinaryOp, BuiltinFunction as F, BuiltinVariable, ExprId, ExprKind, Global, Scalar, Storage,
};
use rspirv::spirv::Op;

use super::place::Subgroups;
use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// A built-in input of one unsigned integer.
    fn system_value(&mut self, builtin: BuiltinVariable) -> ExprId {
        let uint = self.types.scalar(Scalar::Uint);
        let globals = &self.shader.globals;
        let known = globals.iter().find(|(_, g)| g.builtin == Some(builtin) && g.ty == uint);
        let id = known.map(|(id, _)| id).unwrap_or_else(|| {
            let mut global = Global::new(builtin.name(), uint, Storage::Input);
            global.builtin = Some(builtin);
            self.shader.globals.push(global)
        });
        self.push(ExprKind::Global(id), uint)
    }

    /// The number of the invocation's subgroup, or of subgroups: subgroups have consecutive
    /// invocations of a work group.
    pub(crate) fn subgroups(
        &mut self,
        user: &Instruction,
        which: Subgroups,
    ) -> Result<ExprId, Error> {
        let size = self.system_value(BuiltinVariable::SubGroupSize);
        let of_group = match which {
            Subgroups::Own => self.system_value(BuiltinVariable::LocalInvocationIndex),
            Subgroups::Count => {
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
    pub(crate) fn subgroup_operation(&mut self, i: &Instruction) -> Result<Option<ExprId>, Error> {
        let bool_type = self.types.scalar(Scalar::Bool);
        Ok(Some(match i.op {
            Op::GroupNonUniformElect => {
                let own = self.system_value(BuiltinVariable::SubGroupInvocation);
                let first = self.first_of_subgroup(own);
                self.push(ExprKind::Binary(BinaryOp::Equal, own, first), bool_type)
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
                    let first = self.first_of_subgroup(value);
                    let equal = ExprKind::Binary(BinaryOp::Equal, value, first);
                    let equal = self.push(equal, bool_type);
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
            Op::GroupNonUniformBallot => {
                let condition = self.operand(i, 1)?;
                self.ballot(i, condition)?
            }
            _ => return Ok(None),
        }))
    }

    fn first_of_subgroup(&mut self, value: ExprId) -> ExprId {
        let ty = self.ty(value);
        self.builtin(F::ReadFirstInvocation, vec![value], ty)
    }
}
