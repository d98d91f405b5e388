//! The interface of a translated shader, as the GLSL declares it.

use program::variable::LayoutQualifiers;
use program::{Global, Shader, Storage, TypeTable};

/// Sets the locations and bindings of a shader's interface to those that the GLSL of its stage
/// declares; the compiler chose others.
pub(super) fn adopt(shader: &mut Shader, written: &[Shader], types: &TypeTable) {
    for global in shader.globals.values_mut().filter(|global| global.builtin.is_none()) {
        let is_interface = matches!(
            global.storage,
            Storage::Input | Storage::Output | Storage::Uniform | Storage::Buffer
        );
        if is_interface {
            global.layout = layout(global, written, types);
        }
    }
}

fn layout(global: &Global, written: &[Shader], types: &TypeTable) -> LayoutQualifiers {
    let of_storage = written
        .iter()
        .flat_map(|shader| shader.globals.values())
        .filter(|declared| declared.builtin.is_none() && declared.storage == global.storage);
    let mut declared = of_storage.filter(|declared| is_like(global, declared));
    match declared.next() {
        Some(declared) if declared.block.is_some() && global.block.is_none() => {
            member_layout(global, declared, types)
        }
        Some(declared) => LayoutQualifiers {
            location: declared.layout.location,
            component: declared.layout.component,
            index: declared.layout.index,
            binding: declared.layout.binding,
            ..global.layout
        },
        None => LayoutQualifiers { location: None, binding: None, ..global.layout },
    }
}

/// The layout of a member of an interface block, which is a variable of its own.
fn member_layout(member: &Global, block: &Global, types: &TypeTable) -> LayoutQualifiers {
    let name = member.name.rsplit('.').next().unwrap_or_default();
    let members = types.members(types.without_arrays(block.ty)).unwrap_or_default();
    let given = members.iter().find(|m| *m.name == *name).and_then(|m| m.location);
    match given.or(block.layout.location) {
        Some(_) => member.layout,
        None => LayoutQualifiers { location: None, ..member.layout },
    }
}

/// True if a declaration is that of a variable, or of its block.
fn is_like(global: &Global, declared: &Global) -> bool {
    match (&global.block, &declared.block) {
        (Some(own), Some(block)) => own.name == block.name,
        (None, Some(block)) => {
            global.name.split_once(['.', '[']).is_some_and(|(first, _)| *first == *block.name)
        }
        (_, None) => declared.name == global.name,
    }
}
