//! Capabilities that instructions and enumerants need.

use rspirv::spirv::{Capability, Op};
use rustc_hash::FxHashSet;

use super::versions::Versions;
use super::view::Kind;
use crate::error::Error;
use crate::grammar::{self, OperandKind, row_of};
use crate::module::{Instruction, Module, Operand};

/// Capabilities with those that they declare.
fn declared(module: &Module) -> FxHashSet<Capability> {
    let mut all = FxHashSet::default();
    let mut open: Vec<Capability> = module.capabilities.iter().copied().collect();
    while let Some(capability) = open.pop() {
        if all.insert(capability) {
            open.extend(grammar::capabilities(OperandKind::Capability, capability as u32));
        }
    }
    all
}

pub(crate) fn check(module: &Module, versions: &Versions<'_>) -> Result<(), Error> {
    let all = declared(module);
    let has_any =
        |needed: &[Capability]| needed.is_empty() || needed.iter().any(|c| all.contains(c));
    for i in &module.instructions {
        versions.check(module, i)?;
        if i.op == Op::Capability {
            continue;
        }
        let needed = row_of(i.op as u32).map_or(&[][..], |row| row.capabilities);
        if !has_any(needed) {
            return Err(module.error(i, format!("needs one of the capabilities {needed:?}")));
        }
        for operand in &i.operands {
            let &Operand::Enumerant(kind, word) = operand else { continue };
            if is_free(kind, word) {
                continue;
            }
            let needed = grammar::capabilities(kind, word);
            if !has_any(&needed) {
                let message = format!("a {kind:?} needs one of the capabilities {needed:?}");
                return Err(module.error(i, message));
            }
        }
        widths(module, i, &all)?;
    }
    Ok(())
}

/// True for built-in variables that `gl_PerVertex` declares in any case: only their use needs a
/// capability.
fn is_free(kind: OperandKind, word: u32) -> bool {
    use rspirv::spirv::BuiltIn as B;
    let builtins = [B::PointSize, B::ClipDistance, B::CullDistance];
    kind == OperandKind::BuiltIn && builtins.iter().any(|&builtin| builtin as u32 == word)
}

fn widths(module: &Module, i: &Instruction, all: &FxHashSet<Capability>) -> Result<(), Error> {
    let has = |list: &[Capability]| list.iter().any(|c| all.contains(c));
    use Capability as C;
    let is_signed = matches!(module.kind(i.id), Kind::Int { signed: true, .. });
    module.demand(i, !(is_signed && has(&[C::Kernel])), "integers of kernels have no sign")?;
    let is_offered = match module.kind(i.id) {
        Kind::Int { bits: 64, .. } => has(&[C::Int64]),
        Kind::Int { bits: 16, .. } => has(&[
            C::Int16,
            C::StorageBuffer16BitAccess,
            C::UniformAndStorageBuffer16BitAccess,
            C::StoragePushConstant16,
            C::StorageInputOutput16,
        ]),
        Kind::Int { bits: 8, .. } => has(&[
            C::Int8,
            C::StorageBuffer8BitAccess,
            C::UniformAndStorageBuffer8BitAccess,
            C::StoragePushConstant8,
        ]),
        Kind::Int { bits, .. } => bits == 32,
        Kind::Float { bits: 64 } => has(&[C::Float64]),
        Kind::Float { bits: 16 } => has(&[
            C::Float16,
            C::Float16Buffer,
            C::StorageBuffer16BitAccess,
            C::UniformAndStorageBuffer16BitAccess,
            C::StoragePushConstant16,
            C::StorageInputOutput16,
        ]),
        Kind::Float { bits } => bits == 32,
        Kind::Vector { count, .. } => (2..=4).contains(&count),
        _ => true,
    };
    module.demand(i, is_offered, "no capability offers the type")
}
