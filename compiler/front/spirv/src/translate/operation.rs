//! Instructions whose result their operands alone decide.

use program::ExprId;
use rspirv::spirv::Op;

use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// The result of an instruction that reads no memory and has no effect; `None` for others.
    pub(crate) fn pure_operation(
        &mut self,
        instruction: &Instruction,
    ) -> Result<Option<ExprId>, Error> {
        let classes =
            [Self::arithmetic, Self::comparison, Self::conversion, Self::composite_operation];
        for class in classes {
            if let Some(value) = class(self, instruction)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// True if the expression of an instruction names operands more than once, so that these have to be
/// locals or constants.
pub(crate) fn repeats_operands(op: Op) -> bool {
    matches!(
        op,
        Op::FOrdNotEqual
            | Op::FUnordEqual
            | Op::LessOrGreater
            | Op::Ordered
            | Op::Unordered
            | Op::SRem
            | Op::SMod
            | Op::FRem
            | Op::LogicalAnd
            | Op::LogicalOr
            | Op::ExtInst
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::Bitcast
            | Op::GroupNonUniformQuadBroadcast
            | Op::GroupNonUniformQuadSwap
            | Op::OuterProduct
            | Op::QuantizeToF16
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::CompositeInsert
            | Op::VectorInsertDynamic
            | Op::VectorShuffle
            | Op::CopyLogical
            | Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
    )
}
