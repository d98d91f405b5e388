//! Rules between stages: matching inputs and outputs, uniforms and blocks, and what a stage must
//! write.

use rustc_hash::FxHashMap;

use super::{locations, names};
use crate::builtin_variable::BuiltinVariable;
use crate::expression::{ExprId, ExprKind};
use crate::link::assign::outgoing::Outgoing;
use crate::link::declared::vertex_type;
use crate::link::errors::Errors;
use crate::link::matching::{Arrays, member_difference, same};
use crate::link::merge::{global_key, same_initializer, uses_per_vertex};
use crate::link::options::LinkOptions;
use crate::link::reach;
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::{TypeId, TypeTable};
use crate::variable::{Global, GlobalId, InterpolationMode, SampleLocation, Storage};

/// Checks every pair of neighbors and everything the program shares.
pub(crate) fn check(
    stages: &mut [Shader],
    types: &TypeTable,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    share_uniforms(stages, types, errors);
    if stages.iter().any(|shader| shader.nameless) {
        stages.iter().for_each(|shader| check_streams(shader, errors));
        return;
    }
    check_initializers(stages, errors);
    share_blocks(stages, types, errors);
    check_precisions(stages, errors);
    if !options.pipeline {
        names::check_members(stages, types, errors);
    }
    for i in (1..stages.len()).filter(|_| !options.pipeline) {
        let (producer, consumer) = (&stages[i - 1], &stages[i]);
        check_pair(producer, consumer, types, errors);
        check_per_vertex(producer, consumer, options.separable, errors);
    }
    for shader in stages.iter() {
        check_outputs(shader, errors);
        check_streams(shader, errors);
        locations::check(shader, types, errors);
    }
}

/// Same-named uniforms of all stages are one variable, except for subroutines, which each stage has
/// its own of (OpenGL 4.6 section 7.10).
fn share_uniforms(stages: &mut [Shader], types: &TypeTable, errors: &mut Errors) {
    let mut seen: FxHashMap<Box<str>, Global> = FxHashMap::default();
    for shader in stages.iter_mut() {
        for global in shader.globals.values_mut() {
            if global.storage != Storage::Uniform
                || global.block.is_some()
                || global.builtin.is_some()
                || types.is_subroutine(global.ty)
            {
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
                errors.push(format!(
                    "uniform `{}` is declared with different image formats",
                    global.name
                ));
            }
            first.layout.location = first.layout.location.or(global.layout.location);
            first.layout.binding = first.layout.binding.or(global.layout.binding);
        }
    }
    for shader in stages.iter_mut() {
        for global in shader.globals.values_mut() {
            if global.storage == Storage::Uniform
                && global.block.is_none()
                && !types.is_subroutine(global.ty)
                && let Some(first) = seen.get(&global.name)
            {
                global.layout.location = first.layout.location;
                global.layout.binding = first.layout.binding;
            }
        }
    }
}

/// All initializers of a uniform are the same (GLSL 4.60 section 4.3.5).
fn check_initializers(stages: &[Shader], errors: &mut Errors) {
    let mut seen: FxHashMap<&str, (&Shader, ExprId, &Global)> = FxHashMap::default();
    for shader in stages {
        for global in shader.globals.values().filter(|g| g.storage == Storage::Uniform) {
            let Some(value) = global.initializer else { continue };
            let &mut (first, other, twin) =
                seen.entry(&global.name).or_insert((shader, value, global));
            let same = match (&twin.initial, &global.initial) {
                (Some(a), Some(b)) => a == b,
                _ => std::ptr::eq(first, shader) || same_initializer(first, other, shader, value),
            };
            if !same {
                errors.push(format!("uniform `{}` has different initializers", global.name));
            }
        }
    }
}

/// ES shaders must agree on a uniform's precision; in ES 1.00 only when both use it.
fn check_precisions(stages: &[Shader], errors: &mut Errors) {
    let mut seen: FxHashMap<&str, Vec<(&Shader, GlobalId)>> = FxHashMap::default();
    for shader in stages.iter().filter(|s| s.es) {
        for (id, global) in shader.globals.iter() {
            if global.storage != Storage::Uniform
                || global.block.is_some()
                || global.builtin.is_some()
            {
                continue;
            }
            let twins = seen.entry(&global.name).or_default();
            for &(other, twin) in twins.iter() {
                let counts = shader.version >= 300 || (global.active && other.globals[twin].active);
                if counts && shader.precisions[id] != other.precisions[twin] {
                    errors.push(format!(
                        "uniform `{}` is declared with different precisions",
                        global.name
                    ));
                }
            }
            twins.push((shader, id));
        }
    }
}

/// True if members of two blocks have the same memory qualifiers (GLSL ES 3.20 section 9.2.1).
fn same_memory(types: &TypeTable, a: TypeId, b: TypeId) -> bool {
    let memory = |ty| types.members(ty).unwrap_or_default().iter().map(|member| member.memory);
    memory(a).eq(memory(b))
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
            if shader.es && (first.memory != global.memory || !same_memory(types, a, b)) {
                errors.push(format!("block `{}` has different memory qualifiers", block.name));
            }
            if let Some(difference) = member_difference(types, a, b) {
                errors.push(format!("block `{}` differs between stages: {difference}", block.name));
            } else if !same(types, first.ty, global.ty, Arrays::UnsizedMatchesAny) {
                errors.push(format!(
                    "block `{}` has different array sizes in different stages",
                    block.name
                ));
            }
            if block.packing != other.packing {
                errors.push(format!(
                    "block `{}` has different layouts in different stages",
                    block.name
                ));
            }
            if let (Some(a), Some(b)) = (first.layout.binding, global.layout.binding)
                && a != b
            {
                errors.push(format!(
                    "block `{}` has different bindings in different stages",
                    block.name
                ));
            }
            if block.has_instance != other.has_instance {
                errors
                    .push(format!("block `{}` has an instance name in one stage only", block.name));
            }
        }
    }
}

fn check_pair(producer: &Shader, consumer: &Shader, types: &TypeTable, errors: &mut Errors) {
    let version = producer.version.max(consumer.version);
    let written = written(producer);
    check_colors(producer, consumer, errors);
    check_invariant_builtins(producer, consumer, errors);
    let outgoing = Outgoing::new(producer, types);
    for input in consumer.globals.values() {
        if input.storage != Storage::Input || input.builtin.is_some() {
            continue;
        }
        let Some((id, output)) = outgoing.find(input, types) else {
            check_missing(producer, consumer, input, errors);
            continue;
        };
        if output.layout.stream.unwrap_or(0) != 0 && consumer.stage == Stage::Fragment {
            if input.active {
                errors.push(missing(producer, consumer, input));
            }
            continue;
        }
        // Up to GLSL 1.20 it is an error to read a varying that is declared but not written.
        if !consumer.es && version <= 120 && input.active && !written.contains(&id) {
            errors.push(format!(
                "{} shader input `{}` is not written by the {} shader",
                consumer.stage, input.name, producer.stage
            ));
        }
        let name = input.block.as_ref().map_or(&input.name, |b| &b.name);
        let (a, b) =
            (vertex_type(producer.stage, output, types), vertex_type(consumer.stage, input, types));
        // Variables matched by location may be of differently named structures.
        let by_location = input.layout.location.is_some();
        let same_members = by_location
            && types.members(a).is_some()
            && types.members(b).is_some()
            && member_difference(types, a, b).is_none();
        if !same_members && !same(types, a, b, Arrays::UnsizedMatchesAny) {
            let message = match member_difference(
                types,
                types.without_arrays(a),
                types.without_arrays(b),
            ) {
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

/// Neighbors redeclare `gl_PerVertex` alike or not at all; in separable programs both must (GLSL
/// 4.10 section 7.1, ARB_separate_shader_objects).
fn check_per_vertex(producer: &Shader, consumer: &Shader, separable: bool, errors: &mut Errors) {
    if consumer.stage == Stage::Fragment || producer.version.max(consumer.version) < 150 {
        return;
    }
    let out = &producer.redeclarations.per_vertex_out;
    let input = &consumer.redeclarations.per_vertex_in;
    let writes = uses_per_vertex(producer, Storage::Output);
    let reads = uses_per_vertex(consumer, Storage::Input);
    let wrong = match (out, input) {
        (Some(a), Some(b)) => a != b,
        (Some(_), None) => reads,
        (None, Some(_)) => writes,
        (None, None) => separable && reads && writes && !producer.es,
    };
    if wrong {
        let (a, b) = (producer.stage, consumer.stage);
        errors.push(format!("gl_PerVertex is not redeclared alike in the {a} and {b} shaders"));
    }
}

/// Colors that are read and written must be interpolated alike (GLSL 1.30 section 4.3.7).
fn check_colors(producer: &Shader, consumer: &Shader, errors: &mut Errors) {
    use BuiltinVariable as V;
    if consumer.stage != Stage::Fragment {
        return;
    }
    let find = |shader: &Shader, storage, builtin| {
        let found = shader
            .globals
            .values()
            .find(|g| g.builtin == Some(builtin) && g.storage == storage && g.active);
        found.map(|g| g.interpolation.mode)
    };
    let sets = [
        (V::Color, [V::FrontColor, V::BackColor]),
        (V::SecondaryColor, [V::FrontSecondaryColor, V::BackSecondaryColor]),
    ];
    for (input, outputs) in sets {
        let Some(mode) = find(consumer, Storage::Input, input) else { continue };
        for output in outputs {
            if find(producer, Storage::Output, output).is_some_and(|m| m != mode) {
                let (a, b) = (output.name(), input.name());
                errors.push(format!("`{a}` and `{b}` are differently interpolated"));
            }
        }
    }
}

/// ES 1.00 section 4.6.4: `gl_FragCoord` and `gl_PointCoord` are invariant only with what they come
/// from.
fn check_invariant_builtins(producer: &Shader, consumer: &Shader, errors: &mut Errors) {
    use BuiltinVariable as V;
    if !consumer.es || consumer.version != 100 || consumer.stage != Stage::Fragment {
        return;
    }
    let invariant = |shader: &Shader, builtin| {
        shader.globals.values().any(|g| g.builtin == Some(builtin) && g.invariant)
    };
    for (input, output) in [(V::FragCoord, V::Position), (V::PointCoord, V::PointSize)] {
        if invariant(consumer, input) && !invariant(producer, output) {
            errors.push(format!("`{}` is invariant, but `{}` is not", input.name(), output.name()));
        }
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
    let sample = |g: &Global| g.interpolation.location == SampleLocation::Sample;
    if version < 430 && sample(output) != sample(input) {
        differ("sample");
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

/// An input without an output is an error when it is statically used (GLSL 4.20 and GLSL ES,
/// section 4.3.4). Earlier versions demand an output only for inputs that are "actually read",
/// which GLSL from 1.30 on leaves to the shader: the value is undefined. Blocks and
/// locations have to match.
fn check_missing(producer: &Shader, consumer: &Shader, input: &Global, errors: &mut Errors) {
    let version = producer.version.max(consumer.version);
    let by_name = input.block.is_none() && input.layout.location.is_none();
    let may_be_missing = by_name && !consumer.es && (130..420).contains(&version);
    if !input.active || may_be_missing {
        return;
    }
    errors.push(missing(producer, consumer, input));
}

fn missing(producer: &Shader, consumer: &Shader, input: &Global) -> String {
    let name = input.block.as_ref().map_or(&input.name, |b| &b.name);
    format!(
        "{} shader input `{name}` has no matching output in the {} shader",
        consumer.stage, producer.stage
    )
}

/// Globals that some reachable expression may write.
pub(crate) fn written(shader: &Shader) -> Vec<GlobalId> {
    let mut result = Vec::new();
    for id in reach::reachable_exprs(shader) {
        match &shader.exprs[id].kind {
            ExprKind::Assign { place, .. }
            | ExprKind::CompoundAssign { place, .. }
            | ExprKind::PreIncrement { place, .. }
            | ExprKind::PostIncrement { place, .. } => {
                result.extend(reach::root_global(shader, *place))
            }
            ExprKind::Call { function, arguments } => {
                let parameters = &shader.functions[*function].parameters;
                for (argument, parameter) in arguments.iter().zip(parameters) {
                    if matches!(
                        parameter.direction,
                        crate::Direction::Out | crate::Direction::InOut
                    ) {
                        result.extend(reach::root_global(shader, *argument));
                    }
                }
            }
            ExprKind::Builtin { arguments, .. } => {
                result.extend(
                    arguments.iter().skip(1).filter_map(|&a| reach::root_global(shader, a)),
                );
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
    let has = |builtin: BuiltinVariable| {
        written.iter().any(|&id| shader.globals[id].builtin == Some(builtin))
    };
    use BuiltinVariable as V;
    match shader.stage {
        Stage::Vertex | Stage::Geometry | Stage::TessEval => {
            if has(V::ClipVertex) && (has(V::ClipDistance) || has(V::CullDistance)) {
                errors.push(format!(
                    "{} shader writes both gl_ClipVertex and gl_ClipDistance",
                    shader.stage
                ));
            }
            if shader.stage == Stage::Vertex
                && !shader.es
                && shader.version < 140
                && !has(V::Position)
            {
                errors.push("vertex shader does not write gl_Position");
            }
        }
        Stage::Fragment => {
            let user = written.iter().any(|&id| {
                shader.globals[id].builtin.is_none()
                    && shader.globals[id].storage == Storage::Output
            });
            let color = has(V::FragColor) || has(V::SecondaryFragColor);
            let data = has(V::FragData) || has(V::SecondaryFragData);
            if color && data {
                errors.push("fragment shader writes both gl_FragColor and gl_FragData");
            }
            if (color || data) && user {
                errors.push("fragment shader writes both built-in and user-defined color outputs");
            }
        }
        _ => {}
    }
}

/// Vertex streams: from 0 to 3, others than 0 only with points (GLSL 4.60 section 8.15).
fn check_streams(shader: &Shader, errors: &mut Errors) {
    if shader.stage != Stage::Geometry {
        return;
    }
    let declared = shader
        .globals
        .values()
        .filter(|g| g.storage == Storage::Output)
        .filter_map(|g| g.layout.stream);
    let mut largest = declared.map(i64::from).max().unwrap_or(0);
    for id in reach::reachable_exprs(shader) {
        let ExprKind::Builtin { function, arguments } = &shader.exprs[id].kind else { continue };
        use crate::BuiltinFunction as F;
        if !matches!(function, F::EmitStreamVertex | F::EndStreamPrimitive) {
            continue;
        }
        let stream = arguments.first().and_then(|&a| literal(shader, a)).unwrap_or(0);
        if !(0..4).contains(&stream) {
            errors.push(format!("vertex stream {stream} is out of range"));
        }
        largest = largest.max(stream);
    }
    if largest > 0 && shader.layout.output_primitive != Some(crate::shader::LayoutPrimitive::Points)
    {
        errors.push("vertex streams other than 0 need points as output primitive");
    }
}

/// The value of an integer literal, negated or converted ones included.
fn literal(shader: &Shader, id: crate::ExprId) -> Option<i64> {
    match shader.exprs[id].kind {
        ExprKind::Literal(crate::Literal::Int(v)) => Some(v),
        ExprKind::Literal(crate::Literal::Uint(v)) => i64::try_from(v).ok(),
        ExprKind::Convert(a) => literal(shader, a),
        ExprKind::Unary(crate::UnaryOp::Negate, a) => literal(shader, a).map(i64::wrapping_neg),
        _ => None,
    }
}
