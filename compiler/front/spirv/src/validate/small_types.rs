//! Values of 8 and 16 bits that a module may store but not compute with.

use rspirv::spirv::{Capability, Decoration, Op, StorageClass};
use rustc_hash::FxHashSet;

use super::decorations::innermost;
use super::view::{Kind, is_constant, is_decoration, is_type};
use crate::error::Error;
use crate::module::{Instruction, Module};

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let stored = stored_types(module);
    if stored.is_empty() {
        return Ok(());
    }
    for i in &module.instructions {
        made(module, i, &stored)?;
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

/// Such values are not made, but loaded, as scalars, vectors or matrices, from variables where the
/// module may have them.
fn made(module: &Module, i: &Instruction, stored: &FxHashSet<u32>) -> Result<(), Error> {
    match i.op {
        Op::Load | Op::CopyLogical => {
            let is_loaded = i.op == Op::Load
                && (module.shape(i.ty).is_some()
                    || matches!(module.kind(i.ty), Kind::Matrix { .. }));
            let fits = is_loaded || !stored.contains(&i.ty);
            module.demand(i, fits, "a composite has parts that are stored alone")
        }
        Op::CopyMemory => {
            let (_, pointee) = module.operand_pointer(i, 0)?;
            module.demand(i, !stored.contains(&pointee), "the copy is of a type stored alone")
        }
        Op::Variable => {
            let Kind::Pointer { class, pointee } = module.kind(i.ty) else { return Ok(()) };
            let bits =
                if stored.contains(&pointee) { small_bits(module, pointee) } else { [false; 2] };
            let fits = (!bits[0] || may_hold(module, class, pointee, 8))
                && (!bits[1] || may_hold(module, class, pointee, 16));
            module.demand(i, fits, "no capability offers values of the width here")
        }
        op if is_constant(op) || op == Op::Undef => {
            module.demand(i, !stored.contains(&i.ty), "the type is stored alone")
        }
        _ => Ok(()),
    }
}

/// Returns whether a type has parts of 8 and of 16 bits that a module may not compute with.
fn small_bits(module: &Module, ty: u32) -> [bool; 2] {
    let has = |capability| module.capabilities.contains(&capability);
    let (mut found, mut open, mut seen) = ([false; 2], vec![ty], FxHashSet::default());
    while let Some(ty) = open.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match module.kind(ty) {
            Kind::Int { bits: 8, .. } => found[0] |= !has(Capability::Int8),
            Kind::Int { bits: 16, .. } => found[1] |= !has(Capability::Int16),
            Kind::Float { bits: 16 } => found[1] |= !has(Capability::Float16),
            Kind::Pointer { .. } | Kind::Function => {}
            _ => open.extend(module.get(ty).into_iter().flat_map(|ty| ty.ids_from(0))),
        }
    }
    found
}

/// True if a variable of a storage class may have parts of a width.
fn may_hold(module: &Module, class: StorageClass, pointee: u32, bits: u32) -> bool {
    use Capability as C;
    let has = |narrow, wide| module.capabilities.contains(if bits == 8 { &narrow } else { &wide });
    let in_buffers = has(C::StorageBuffer8BitAccess, C::StorageBuffer16BitAccess);
    let in_both = has(C::UniformAndStorageBuffer8BitAccess, C::UniformAndStorageBuffer16BitAccess);
    match class {
        StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => in_buffers || in_both,
        StorageClass::Uniform => {
            let contents = innermost(module, pointee);
            in_both || in_buffers && module.has(contents, Decoration::BufferBlock)
        }
        StorageClass::PushConstant => has(C::StoragePushConstant8, C::StoragePushConstant16),
        StorageClass::Input | StorageClass::Output => {
            bits == 16 && module.capabilities.contains(&C::StorageInputOutput16)
        }
        StorageClass::Workgroup => has(
            C::WorkgroupMemoryExplicitLayout8BitAccessKHR,
            C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
        ),
        _ => false,
    }
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
