//! Values of 8 and 16 bits that a module may store but not compute with.

use rspirv::spirv::{Capability, Op};
use rustc_hash::FxHashSet;

use super::view::{Kind, is_decoration, is_type};
use crate::error::Error;
use crate::module::Module;

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let stored = stored_types(module);
    if stored.is_empty() {
        return Ok(());
    }
    for i in &module.instructions {
        let is_conversion =
            matches!(i.op, Op::ConvertFToU | Op::ConvertFToS | Op::ConvertSToF | Op::ConvertUToF);
        let makes = is_conversion && stored.contains(&i.ty);
        module.demand(i, !makes, "the result has a type that is stored alone")?;
        let takes_any = is_type(i.op)
            || is_decoration(i.op)
            || matches!(
                i.op,
                Op::Name
                    | Op::MemberName
                    | Op::CopyObject
                    | Op::Store
                    | Op::FConvert
                    | Op::UConvert
                    | Op::SConvert
            );
        if takes_any {
            continue;
        }
        for id in i.ids_from(0) {
            let is_stored = module.get(id).is_some_and(|operand| stored.contains(&operand.ty));
            module.demand(i, !is_stored, "an operand has a type that is stored alone")?;
        }
    }
    Ok(())
}

/// Types of 8 and 16 bits without a capability for arithmetic, and those with such parts.
fn stored_types(module: &Module) -> FxHashSet<u32> {
    let has = |capability| module.capabilities.contains(&capability);
    let mut stored = FxHashSet::default();
    for i in module.globals().iter().filter(|i| is_type(i.op)) {
        let is_stored = match module.kind(i.id) {
            Kind::Int { bits: 8, .. } => !has(Capability::Int8),
            Kind::Int { bits: 16, .. } => !has(Capability::Int16),
            Kind::Float { bits: 16 } => !has(Capability::Float16),
            Kind::Pointer { .. } | Kind::Function => false,
            _ => i.ids_from(0).any(|part| stored.contains(&part)),
        };
        if is_stored {
            stored.insert(i.id);
        }
    }
    stored
}
