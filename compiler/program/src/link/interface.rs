//! Rules between stages: matching inputs and outputs, uniforms and blocks, and what a stage must write.

use rustc_hash::FxHashMap;

use super::matching::{Arrays, member_difference, same};
use super::merge::{global_key, is_per_vertex_array};
use super::{Errors, reach};
use crate::builtin_variable::BuiltinVariable;
use crate::expression::ExprKind;
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::{TypeId, TypeTable};
use crate::variable::{Global, GlobalId, InterpolationMode, Storage};

/// Checks every pair of neighbours and everything the program shares.
pub(super) fn check(stages: &mut [Shader], types: &TypeTable, errors: &mut Errors) {
    share_uniforms(stages, types, errors);
    share_blocks(stages, types, errors);
    for i in 1..stages.len() {
        let (producer, consumer) = (&stages[i - 1], &stages[i]);
        check_pair(producer, consumer, types, errors);
    }
    for shader in stages.iter() {
        check_outputs(shader, errors);
        check_locations(shader, types, errors);
    }
}

/// Same-named uniforms of all stages are one variable.
fn share_uniforms(stages: &mut [Shader], types: &TypeTable, errors: &mut Errors) {
    let mut seen: FxHashMap<Box<str>, Global> = FxHashMap::default();
    for shader in stages.iter_mut() {
        for global in shader.globals.values_mut() {
            if global.storage != Storage::Uniform || global.block.is_some() || global.builtin.is_some() {
                continue;
            }
            let Some(first) = seen.get_mut(&global.name) else {
                seen.insert(global.name.clone(), global.clone());
                continue;
            };
            if !same(types, first.ty, global.ty, Arrays::UnsizedMatchesAny) {
                let (a, b) = (types.name(first.ty), types.name(global.ty));
                errors.push(format!(
                    "uniform `{}` is declared with mismatching types {a} and {b}",
                    global.name
                ));
            }
            let pairs = [
                ("location", first.layout.location, global.layout.location),
                ("binding", first.layout.binding, global.layout.binding),
                ("offset", first.layout.offset, global.layout.offset),
            ];
            for (what, a, b) in pairs {
                if let (Some(a), Some(b)) = (a, b)
                    && a != b
                {
                    errors.push(format!(
                        "uniform `{}` is declared with different {what}s: {a} and {b}",
                        global.name
                    ));
                }
            }
            if let (Some(a), Some(b)) = (first.layout.image_format, global.layout.image_format)
                && a != b
            {
                errors.push(format!("uniform `{}` is declared with different image formats", global.name));
            }
            first.layout.location = first.layout.location.or(global.layout.location);
            first.layout.binding = first.layout.binding.or(global.layout.binding);
        }
    }
    for shader in stages.iter_mut() {
        for global in shader.globals.values_mut() {
            if global.storage == Storage::Uniform
                && global.block.is_none()
                && let Some(first) = seen.get(&global.name)
            {
                global.layout.location = first.layout.location;
                global.layout.binding = first.layout.binding;
            }
        }
    }
}

/// Same-named uniform or storage blocks of all stages are one block.
fn share_blocks(stages: &[Shader], types: &TypeTable, errors: &mut Errors) {
    let mut seen: FxHashMap<String, &Global> = FxHashMap::default();
    for shader in stages {
        for global in shader.globals.values() {
            let Some(block) = &global.block else { continue };
            if !matches!(global.storage, Storage::Uniform | Storage::Buffer) {
                continue;
            }
            let first: &Global = seen.entry(global_key(global)).or_insert(global);
            let Some(other) = &first.block else { continue };
            let (a, b) = (types.without_arrays(first.ty), types.without_arrays(global.ty));
            if let Some(difference) = member_difference(types, a, b) {
                errors.push(format!("block `{}` differs between stages: {difference}", block.name));
            } else if !same(types, first.ty, global.ty, Arrays::UnsizedMatchesAny) {
                errors.push(format!("block `{}` has different array sizes in different stages", block.name));
            }
            if block.packing != other.packing {
                errors.push(format!("block `{}` has different layouts in different stages", block.name));
            }
            if let (Some(a), Some(b)) = (first.layout.binding, global.layout.binding)
                && a != b
            {
                errors.push(format!("block `{}` has different bindings in different stages", block.name));
            }
            if block.has_instance != other.has_instance {
                errors.push(format!("block `{}` has an instance name in one stage only", block.name));
            }
        }
    }
}

/// Type of an interface variable without the dimension that counts vertices.
pub(super) fn vertex_type(stage: Stage, global: &Global, types: &TypeTable) -> TypeId {
    if is_per_vertex_array(stage, global, types) {
        types.array_of(global.ty).map_or(global.ty, |(element, _)| element)
    } else {
        global.ty
    }
}

/// The output of the previous stage that an input reads.
pub(super) fn find_output<'a>(producer: &'a Shader, input: &Global) -> Option<(GlobalId, &'a Global)> {
    let mut outputs =
        producer.globals.iter().filter(|(_, g)| g.storage == Storage::Output && g.builtin.is_none());
    if let (Some(location), None) = (input.layout.location, &input.block) {
        let component = input.layout.component.unwrap_or(0);
        let by_location = outputs.find(|(_, g)| {
            g.block.is_none()
                && g.layout.location == Some(location)
                && g.layout.component.unwrap_or(0) == component
                && g.interpolation.patch == input.interpolation.patch
        });
        return by_location;
    }
    outputs.find(|(_, g)| match (&g.block, &input.block) {
        (Some(a), Some(b)) => a.name == b.name,
        (None, None) => g.name == input.name && g.layout.location.is_none(),
        _ => false,
    })
}

fn check_pair(producer: &Shader, consumer: &Shader, types: &TypeTable, errors: &mut Errors) {
    let version = producer.version.max(consumer.version);
    for input in consumer.globals.values() {
        if input.storage != Storage::Input || input.builtin.is_some() {
            continue;
        }
        let Some((_, output)) = find_output(producer, input) else {
            check_missing(producer, consumer, input, errors);
            continue;
        };
        let name = input.block.as_ref().map_or(&input.name, |b| &b.name);
        let (a, b) = (vertex_type(producer.stage, output, types), vertex_type(consumer.stage, input, types));
        if !same(types, a, b, Arrays::UnsizedMatchesAny) {
            let message = match member_difference(types, types.without_arrays(a), types.without_arrays(b)) {
                Some(difference) => format!(
                    "block or structure `{name}` of the {} shader differs in the {} shader: {difference}",
                    producer.stage, consumer.stage
                ),
                None => format!(
                    "output `{name}` of the {} shader has type {}, the input of the {} shader has type {}",
                    producer.stage,
                    types.name(a),
                    consumer.stage,
                    types.name(b)
                ),
            };
            errors.push(message);
        }
        check_qualifiers(version, producer, consumer, output, input, errors);
    }
}

fn check_qualifiers(
    version: u16,
    producer: &Shader,
    consumer: &Shader,
    output: &Global,
    input: &Global,
    errors: &mut Errors,
) {
    let name = input.block.as_ref().map_or(&input.name, |b| &b.name);
    let mut differ = |what: &str| {
        errors.push(format!(
            "`{name}` is {what} in only one of the {} and {} shaders",
            producer.stage, consumer.stage
        ))
    };
    let es = consumer.es;
    let mode = |g: &Global| match g.interpolation.mode {
        InterpolationMode::Default if es => InterpolationMode::Smooth,
        mode => mode,
    };
    // From GLSL 4.40 on only the consumer's interpolation qualifier counts.
    if version < 440 && mode(output) != mode(input) && consumer.stage == Stage::Fragment {
        differ("differently interpolated");
    }
    if output.interpolation.patch != input.interpolation.patch {
        differ("patch");
    }
    // From GLSL 4.20 and ES 3.00 on only outputs are declared invariant.
    if output.invariant != input.invariant && version < if es { 300 } else { 420 } {
        differ("invariant");
    }
    if let (Some(_), Some(_)) = (&output.block, &input.block)
        && output.layout.location != input.layout.location
    {
        differ("at a different location");
    }
}

/// An input that nothing writes is an error when it is statically used.
fn check_missing(producer: &Shader, consumer: &Shader, input: &Global, errors: &mut Errors) {
    if !input.active {
        return;
    }
    let name = input.block.as_ref().map_or(&input.name, |b| &b.name);
    errors.push(format!(
        "{} shader input `{name}` has no matching output in the {} shader",
        consumer.stage, producer.stage
    ));
}

/// Globals that some reachable expression may write.
pub(super) fn written(shader: &Shader) -> Vec<GlobalId> {
    let mut result = Vec::new();
    for id in reach::reachable_exprs(shader) {
        match &shader.exprs[id].kind {
            ExprKind::Assign { place, .. }
            | ExprKind::CompoundAssign { place, .. }
            | ExprKind::PreIncrement { place, .. }
            | ExprKind::PostIncrement { place, .. } => result.extend(reach::root_global(shader, *place)),
            ExprKind::Call { function, arguments } => {
                let parameters = &shader.functions[*function].parameters;
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    if matches!(parameter.direction, crate::Direction::Out | crate::Direction::InOut) {
                        result.extend(reach::root_global(shader, *argument));
                    }
                }
            }
            ExprKind::Builtin { arguments, .. } => {
                result.extend(arguments.iter().skip(1).filter_map(|&a| reach::root_global(shader, a)));
            }
            _ => {}
        }
    }
    result.sort_unstable();
    result.dedup();
    result
}

/// Rules about what one stage writes.
fn check_outputs(shader: &Shader, errors: &mut Errors) {
    let written = written(shader);
    let has =
        |builtin: BuiltinVariable| written.iter().any(|&id| shader.globals[id].builtin == Some(builtin));
    use BuiltinVariable as V;
    match shader.stage {
        Stage::Vertex | Stage::Geometry | Stage::TessEvaluation => {
            if has(V::ClipVertex) && (has(V::ClipDistance) || has(V::CullDistance)) {
                errors.push(format!("{} shader writes both gl_ClipVertex and gl_ClipDistance", shader.stage));
            }
            if shader.stage == Stage::Vertex && !shader.es && shader.version < 140 && !has(V::Position) {
                errors.push("vertex shader does not write gl_Position");
            }
        }
        Stage::Fragment => {
            let user = written.iter().any(|&id| {
                shader.globals[id].builtin.is_none() && shader.globals[id].storage == Storage::Output
            });
            let color = has(V::FragColor) || has(V::SecondaryFragColor);
            let data = has(V::FragData) || has(V::SecondaryFragData);
            if color && data {
                errors.push("fragment shader writes both gl_FragColor and gl_FragData");
            }
            if (color || data) && user {
                errors.push("fragment shader writes both built-in and user-defined colour outputs");
            }
        }
        _ => {}
    }
}

/// One occupied location of a stage's inputs or outputs.
struct Occupied<'a> {
    name: &'a str,
    location: u32,
    mask: u8,
    integer_or_wide: (bool, u32),
}

/// Explicit locations of one interface may share a slot only in different components with the same numeric type.
fn check_locations(shader: &Shader, types: &TypeTable, errors: &mut Errors) {
    for storage in [Storage::Input, Storage::Output] {
        let attribute = shader.stage == Stage::Vertex && storage == Storage::Input;
        let fragment_output = shader.stage == Stage::Fragment && storage == Storage::Output;
        if attribute || fragment_output {
            continue;
        }
        for patch in [false, true] {
            let mut occupied: Vec<Occupied<'_>> = Vec::new();
            for global in shader.globals.values() {
                let Some(location) = global.layout.location else { continue };
                if global.storage != storage || global.interpolation.patch != patch || global.block.is_some()
                {
                    continue;
                }
                let ty = vertex_type(shader.stage, global, types);
                let kind = types
                    .scalar_of(types.without_arrays(ty))
                    .map_or((false, 32), |s| (!s.is_float(), s.bits()));
                let component = global.layout.component.unwrap_or(0) as u8;
                super::varyings::for_each_slot(types, ty, &mut |slot, mask| {
                    occupied.push(Occupied {
                        name: &global.name,
                        location: location + slot,
                        mask: mask << component,
                        integer_or_wide: kind,
                    });
                });
            }
            for (i, a) in occupied.iter().enumerate() {
                for b in &occupied[i + 1..] {
                    if a.location != b.location || a.name == b.name {
                        continue;
                    }
                    let (x, y, location) = (a.name, b.name, a.location);
                    if a.mask & b.mask != 0 {
                        errors.push(format!("`{x}` and `{y}` overlap at location {location}"));
                    } else if a.integer_or_wide != b.integer_or_wide {
                        errors
                            .push(format!("`{x}` and `{y}` share location {location} with different types"));
                    }
                }
            }
        }
    }
}
