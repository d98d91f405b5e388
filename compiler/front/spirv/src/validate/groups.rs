//! Instructions on the invocations of a subgroup: scopes and sizes of clusters.

use rspirv::spirv::{GroupOperation, Op, Scope};

use super::memory::scope_or_semantics;
use super::view::Kind;
use crate::error::Error;
use crate::module::{Instruction, Module};

pub(crate) fn check(module: &Module, i: &Instruction) -> Result<(), Error> {
    let numbers = Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32;
    if !numbers.contains(&(i.op as u32)) {
        return Ok(());
    }
    scope_or_semantics(module, i, 0)?;
    let scope = i.id_at(0).and_then(|id| module.fixed_integer(id));
    let fits = scope.is_none_or(|scope| {
        [Scope::Subgroup, Scope::Workgroup].into_iter().any(|own| scope == own as u64)
    });
    module.demand(i, fits, "the scope is neither a subgroup nor a work group")?;
    if i.literal_at(1) != Some(GroupOperation::ClusteredReduce as u32) || i.operands.len() < 4 {
        return Ok(());
    }
    let size = module.operand_shape(i, 3)?;
    let is_number = matches!(size.scalar, Kind::Int { signed: false, .. }) && size.count == 1;
    module.demand(i, is_number, "the size of clusters is no unsigned integer")
}
