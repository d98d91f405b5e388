//! Interfaces between separate programs of one pipeline in OpenGL ES: anything but an exact match
//! makes the pipeline invalid (OpenGL ES 3.2 sections 7.4.1 and 11.1.3.11).

use crate::link::declared::vertex_type;
use crate::link::matching::{Arrays, same};
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::{StructType, Type, TypeTable};
use crate::variable::{Global, GlobalId, Interpolation, InterpolationMode, Storage};

/// A declared input or output of a stage.
#[derive(Clone, Copy)]
struct Declared<'a> {
    shader: &'a Shader,
    id: GlobalId,
    global: &'a Global,
}

/// Describes the first input or output that has no exact match in the neighboring stage.
pub(crate) fn mismatch(stages: &[Shader], types: &TypeTable) -> Option<String> {
    stages.windows(2).find_map(|pair| {
        let [producer, consumer] = pair else { return None };
        let (a, b) = (producer.stage, consumer.stage);
        if b == Stage::Compute {
            return None;
        }
        let outputs = declared(producer, Storage::Output);
        let inputs = declared(consumer, Storage::Input);
        let unmatched = |one: &[Declared<'_>], others: &[Declared<'_>]| {
            let lonely = |x: &&Declared<'_>| !others.iter().any(|y| is_exact_match(x, y, types));
            one.iter().find(lonely).map(|declared| name(declared.global).to_owned())
        };
        unmatched(&inputs, &outputs)
            .map(|name| format!("input `{name}` of the {b} shader has no match in the {a} shader"))
            .or_else(|| {
                unmatched(&outputs, &inputs).map(|name| {
                    format!("output `{name}` of the {a} shader has no match in the {b} shader")
                })
            })
    })
}

/// Returns the declarations of users, used or not.
fn declared(shader: &Shader, storage: Storage) -> Vec<Declared<'_>> {
    let is_meant = |global: &Global| global.storage == storage && global.builtin.is_none();
    let globals = shader.globals.iter().filter(|(_, global)| is_meant(global));
    globals.map(|(id, global)| Declared { shader, id, global }).collect()
}

/// Returns the name by which an input finds its output.
fn name(global: &Global) -> &str {
    global.block.as_ref().map_or(&global.name, |block| &block.name)
}

/// Returns true if an input and an output match in location or else in name, in type, and in the
/// qualifiers of GLSL ES 3.20 section 9.2: interpolation, precision and `patch`.
fn is_exact_match(x: &Declared<'_>, y: &Declared<'_>, types: &TypeTable) -> bool {
    let (a, b) = (x.global, y.global);
    let located = a.layout.location.is_some() && a.block.is_none();
    a.block.is_some() == b.block.is_some()
        && a.layout.location == b.layout.location
        && a.layout.component == b.layout.component
        && (located || name(a) == name(b))
        && same_qualifiers(a.interpolation, b.interpolation)
        && x.shader.precisions[x.id] == y.shader.precisions[y.id]
        && same_types(x, y, types)
}

/// Returns true if the variables have the same type, and the members of blocks the same
/// qualifiers.
fn same_types(x: &Declared<'_>, y: &Declared<'_>, types: &TypeTable) -> bool {
    let [a, b] = [x, y].map(|d| vertex_type(d.shader.stage, d.global, types));
    if !same(types, a, b, Arrays::Exact) {
        return false;
    }
    let is_block = x.global.block.is_some();
    let members = |ty| match types.get(types.without_arrays(ty)) {
        Type::Struct(StructType { members, .. }) if is_block => &members[..],
        _ => &[],
    };
    members(a)
        .iter()
        .zip(members(b))
        .all(|(m, n)| m.location == n.location && same_qualifiers(m.interpolation, n.interpolation))
}

/// Returns true if neighbors may be qualified like that: `smooth` is the default, `centroid` and
/// `sample` may differ.
fn same_qualifiers(a: Interpolation, b: Interpolation) -> bool {
    let mode = |interpolation: Interpolation| match interpolation.mode {
        InterpolationMode::Default => InterpolationMode::Smooth,
        mode => mode,
    };
    mode(a) == mode(b) && a.patch == b.patch
}
