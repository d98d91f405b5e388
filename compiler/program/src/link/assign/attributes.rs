//! Vertex attributes: locations as declared, bound or assigned, and the dense input slots.

use rustc_hash::FxHashMap;

use crate::builtin_variable::BuiltinVariable;
use crate::layout::attribute_locations;
use crate::link::errors::Errors;
use crate::link::options::LinkOptions;
use crate::program::{LinkedStage, Program};
use crate::resource::{Attribute, Placement};
use crate::stage::Stage;
use crate::types::{ArrayLength, Type, TypeId, TypeTable};
use crate::variable::{GlobalId, Storage};

/// Number of a conventional attribute: the generic attribute it aliases in ARB_vertex_program's
/// numbering.
fn conventional_number(builtin: BuiltinVariable) -> Option<u32> {
    use BuiltinVariable as V;
    Some(match builtin {
        V::Vertex => 0,
        V::Normal => 2,
        V::Color => 3,
        V::SecondaryColor => 4,
        V::FogCoord => 5,
        V::MultiTexCoord0 => 8,
        V::MultiTexCoord1 => 9,
        V::MultiTexCoord2 => 10,
        V::MultiTexCoord3 => 11,
        V::MultiTexCoord4 => 12,
        V::MultiTexCoord5 => 13,
        V::MultiTexCoord6 => 14,
        V::MultiTexCoord7 => 15,
        _ => return None,
    })
}

/// Places the vertex stage's active inputs.
pub(crate) fn place(
    stages: &mut [LinkedStage],
    program: &mut Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let Some(stage) = stages.iter_mut().find(|s| s.shader.stage == Stage::Vertex) else { return };
    let mut conventional: Vec<(u32, GlobalId)> = Vec::new();
    let mut generic: Vec<(u32, GlobalId)> = Vec::new();
    for (id, global) in stage.shader.globals.iter() {
        if global.storage == Storage::Input
            && global.active
            && let Some(number) = global.builtin.and_then(conventional_number)
        {
            conventional.push((number, id));
        }
    }
    assign(stage, &program.types, &mut generic, options, errors);
    conventional.sort_unstable();
    generic.sort_unstable();
    for (conv, (location, id)) in
        conventional.into_iter().map(|c| (true, c)).chain(generic.into_iter().map(|g| (false, g)))
    {
        let first = program.attributes.len() as u16;
        let global = &mut stage.shader.globals[id];
        let component = global.layout.component.unwrap_or(0) as u8;
        global.placement = Placement::Attribute { first, component };
        let builtin = global.builtin.filter(|_| conv);
        let mut columns = Vec::new();
        collect_columns(&mut program.types, global.ty, &mut columns);
        for (i, ty) in columns.into_iter().enumerate() {
            let location = location + i as u32;
            let attribute =
                Attribute { global: id, location, conventional: builtin, ty, upper: false };
            let wide = program.types.scalar_of(ty).is_some_and(|s| s.bits() == 64)
                && program.types.components(ty) > 2;
            program.attributes.push(attribute.clone());
            if wide {
                program.attributes.push(Attribute { upper: true, ..attribute });
            }
        }
    }
}

/// Types of the columns of an attribute in location order.
fn collect_columns(types: &mut TypeTable, ty: TypeId, result: &mut Vec<TypeId>) {
    match *types.get(ty) {
        Type::Matrix { scalar, columns, rows } => {
            let column = types.vector(scalar, rows);
            result.extend((0..columns).map(|_| column));
        }
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            (0..n).for_each(|_| collect_columns(types, element, result));
        }
        Type::Struct(_) => {
            let members: Vec<TypeId> =
                types.members(ty).unwrap_or_default().iter().map(|m| m.ty).collect();
            members.into_iter().for_each(|m| collect_columns(types, m, result));
        }
        _ => result.push(ty),
    }
}

fn assign(
    stage: &LinkedStage,
    types: &TypeTable,
    result: &mut Vec<(u32, GlobalId)>,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let shader = &stage.shader;
    let limit = options.capabilities.limit("GL_MAX_VERTEX_ATTRIBS", 16).clamp(1, 64);
    let mut taken: u64 = 0;
    // Aliasing is an error in ES 3 (GLSL ES 3.00 section 4.3.8.1); desktop versions allow it.
    let strict = shader.es && shader.version >= 300;
    let mut owners: FxHashMap<u32, &str> = FxHashMap::default();
    let mut waiting = Vec::new();
    let user = |(id, global): (GlobalId, _)| -> Option<(GlobalId, &crate::variable::Global)> {
        let global: &crate::variable::Global = global;
        (global.storage == Storage::Input && global.active && global.builtin.is_none())
            .then_some((id, global))
    };
    for (id, global) in shader.globals.iter().filter_map(user) {
        let count = attribute_locations(types, global.ty);
        if count > limit {
            errors.push(format!(
                "attribute `{}` takes {count} of the {limit} locations",
                global.name
            ));
            return;
        }
        let bound = options
            .attributes
            .iter()
            .find(|(name, _)| *name == &*global.name)
            .map(|&(_, location)| location);
        let Some(location) = global.layout.location.or(bound) else {
            waiting.push((count, id));
            continue;
        };
        if location.saturating_add(count) > limit {
            errors.push(format!(
                "attribute `{}` at location {location} exceeds the {limit} locations",
                global.name
            ));
            continue;
        }
        for at in location..location + count {
            let owner = *owners.entry(at).or_insert(&global.name);
            if strict && owner != &*global.name {
                errors.push(format!(
                    "attributes `{owner}` and `{}` overlap at location {at}",
                    global.name
                ));
            }
        }
        taken |= bits(count) << location;
        result.push((location, id));
    }
    // Larger ones first, so that fragmentation never makes a fitting set fail.
    waiting.sort_by_key(|&(count, id)| (std::cmp::Reverse(count), id));
    for (count, id) in waiting {
        let mask = bits(count);
        let Some(location) = (0..=limit - count).find(|&l| taken & (mask << l) == 0) else {
            errors.push(format!(
                "too many vertex attributes: no location for `{}`",
                shader.globals[id].name
            ));
            return;
        };
        taken |= mask << location;
        result.push((location, id));
    }
}

fn bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
