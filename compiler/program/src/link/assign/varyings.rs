//! Slots between stages: built-ins have their own, user variables get `Slot::Var` by location or in
//! declaration order.

use cranelift_entity::{EntitySet, SecondaryMap};

use super::outgoing::Outgoing;
use super::packing;
use crate::builtin_variable::BuiltinVariable;
use crate::expression::ExprKind;
use crate::layout::varying_slots;
use crate::link::declared::{explicit_location, vertex_type};
use crate::link::errors::Errors;
use crate::link::options::LinkOptions;
use crate::program::LinkedStage;
use crate::resource::{Placement, Slot, Varying};
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::{ArrayLength, Scalar, Type, TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Interpolation, InterpolationMode, Storage};

/// Calls `f` with (slot relative to the first, mask of 32-bit components) for each slot of a type.
pub(crate) fn for_each_slot(types: &TypeTable, ty: TypeId, f: &mut dyn FnMut(u32, u8)) {
    fn walk(types: &TypeTable, ty: TypeId, next: &mut u32, f: &mut dyn FnMut(u32, u8)) {
        match types.get(ty) {
            Type::Scalar(s) => column(s.bits(), 1, next, f),
            Type::Vector { scalar, size } => column(scalar.bits(), *size, next, f),
            Type::Matrix { scalar, columns, rows } => {
                (0..*columns).for_each(|_| column(scalar.bits(), *rows, next, f));
            }
            Type::Array { element, length: ArrayLength::Fixed(n) } => {
                (0..*n).for_each(|_| walk(types, *element, next, f));
            }
            Type::Struct(s) => s.members.iter().for_each(|m| walk(types, m.ty, next, f)),
            _ => {}
        }
    }
    fn column(bits: u32, size: u8, next: &mut u32, f: &mut dyn FnMut(u32, u8)) {
        let words = if bits == 64 { 2 * size } else { size };
        f(*next, ((1u16 << words.min(4)) - 1) as u8);
        *next += 1;
        if words > 4 {
            f(*next, (1 << (words - 4)) - 1);
            *next += 1;
        }
    }
    walk(types, ty, &mut 0, f);
}

/// The slot of a built-in input or output, `None` for system values.
pub(crate) fn builtin_slot(
    stage: Stage,
    storage: Storage,
    builtin: BuiltinVariable,
) -> Option<Slot> {
    use BuiltinVariable as V;
    let fragment = stage == Stage::Fragment;
    Some(match builtin {
        V::Position | V::PositionIn => Slot::Position,
        V::PointSize | V::PointSizeIn => Slot::PointSize,
        V::ClipVertex | V::ClipVertexIn => Slot::ClipVertex,
        V::ClipDistance | V::CullDistance => Slot::ClipDistance(0),
        V::FrontColor | V::FrontColorIn => Slot::Color(0),
        V::FrontSecondaryColor | V::FrontSecondaryColorIn => Slot::Color(1),
        V::BackColor | V::BackColorIn => Slot::BackColor(0),
        V::BackSecondaryColor | V::BackSecondaryColorIn => Slot::BackColor(1),
        V::Color if fragment => Slot::Color(0),
        V::SecondaryColor if fragment => Slot::Color(1),
        V::TexCoord | V::TexCoordIn => Slot::TexCoord(0),
        V::FogFragCoord | V::FogFragCoordIn => Slot::Fog,
        V::Layer => Slot::Layer,
        V::ViewportIndex => Slot::ViewportIndex,
        V::ViewportMask => Slot::ViewportMask,
        V::PrimitiveId if storage == Storage::Output => Slot::PrimitiveId,
        V::PointCoord => Slot::PointCoord,
        V::TessLevelOuter => Slot::TessLevelOuter,
        V::TessLevelInner => Slot::TessLevelInner,
        _ => return None,
    })
}

/// Places inputs and outputs of all stages and lists their slots.
pub(crate) fn place(
    stages: &mut [LinkedStage],
    types: &TypeTable,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    for i in 0..stages.len() {
        if stages[i].shader.stage != Stage::Fragment {
            let next = stages.get(i + 1).filter(|_| !options.pipeline);
            let read =
                next.map_or(Vec::new(), |c| outputs_read(&stages[i].shader, &c.shader, types));
            if let [producer, fragment, ..] = &mut stages[i..]
                && fragment.shader.stage == Stage::Fragment
                && !options.pipeline
            {
                packing::place(&mut producer.shader, &fragment.shader, types, slot_limit(options));
            }
            place_side(&mut stages[i].shader, Storage::Output, &read, types, options, errors);
        }
        if stages[i].shader.stage == Stage::Vertex {
            place_builtins(&mut stages[i].shader, Storage::Input, false);
            continue;
        }
        let (before, rest) = stages.split_at_mut(i);
        let Some(current) = rest.first_mut() else { continue };
        if options.pipeline {
            place_side(&mut current.shader, Storage::Input, &[], types, options, errors);
        }
        if let Some(previous) = before.last() {
            copy_slots(&previous.shader, &mut current.shader, types);
        }
        let primitive_id = before.last().is_some_and(|p| p.shader.stage == Stage::Geometry);
        place_builtins(&mut current.shader, Storage::Input, primitive_id);
        place_side(&mut current.shader, Storage::Input, &[], types, options, errors);
    }
    let mut clip_distances = None;
    for stage in stages.iter_mut() {
        count_distances(stage, types, errors);
        let own = || distances(&stage.shader, types, Storage::Input, BuiltinVariable::ClipDistance);
        stage.input_clip_distances = clip_distances.unwrap_or_else(|| own().min(8) as u8);
        clip_distances = Some(stage.clip_distances);
        stage.inputs = if stage.shader.stage == Stage::Vertex {
            Vec::new()
        } else {
            list(stage, Storage::Input, types)
        };
        stage.outputs = if stage.shader.stage == Stage::Fragment {
            Vec::new()
        } else {
            list(stage, Storage::Output, types)
        };
    }
}

/// Maximum number of slots between two stages.
fn slot_limit(options: &LinkOptions<'_>) -> u32 {
    options.capabilities.limit("GL_MAX_VARYING_COMPONENTS", 128).max(64) / 4
}

/// Inputs take the slots of the outputs they match.
fn copy_slots(producer: &Shader, consumer: &mut Shader, types: &TypeTable) {
    let outgoing = Outgoing::new(producer, types);
    for global in consumer.globals.values_mut() {
        if global.storage == Storage::Input && global.builtin.is_none() {
            let output = outgoing.find(global, types).map(|(_, output)| output);
            global.packed = output.is_some_and(|output| output.packed);
            let member = || find_member(producer, global, types);
            global.placement =
                output.map(|output| output.placement).or_else(member).unwrap_or(global.placement);
        }
    }
}

/// Returns the placement of the block member that has a variable's location: separate programs
/// match them.
fn find_member(producer: &Shader, input: &Global, types: &TypeTable) -> Option<Placement> {
    let location = input.layout.location.filter(|_| input.block.is_none())?;
    let outputs =
        producer.globals.values().filter(|g| g.storage == Storage::Output && g.block.is_some());
    outputs.filter(|g| g.builtin.is_none()).find_map(|block| {
        let Placement::Varying { slot, .. } = block.placement else { return None };
        let members = types.members(types.without_arrays(block.ty))?;
        let index = members.iter().position(|m| m.location == Some(location))?;
        let before = members[..index].iter().map(|m| varying_slots(types, m.ty)).sum();
        let component = members[index].component.unwrap_or(0) as u8;
        Some(Placement::Varying { slot: advance(slot, before), component })
    })
}

/// Returns true if a variable may take any free place: those of users, and the bounding box, which
/// hardware of these generations does not ask for, so that only the shader that writes it can read
/// it.
fn takes_free_slots(global: &Global) -> bool {
    global.builtin.is_none_or(|b| b == BuiltinVariable::BoundingBox && global.active)
}

fn place_builtins(shader: &mut Shader, storage: Storage, primitive_id_written: bool) {
    let stage = shader.stage;
    for global in shader.globals.values_mut().filter(|g| g.storage == storage) {
        let Some(builtin) = global.builtin else { continue };
        if global.placement != Placement::None || takes_free_slots(global) {
            continue;
        }
        let conventional = stage == Stage::Vertex && storage == Storage::Input;
        global.placement =
            if matches!(builtin, BuiltinVariable::PerVertexIn | BuiltinVariable::PerVertexOut) {
                Placement::PerMember
            } else if stage == Stage::Fragment
                && builtin == BuiltinVariable::PrimitiveId
                && primitive_id_written
            {
                Placement::Varying { slot: Slot::PrimitiveId, component: 0 }
            } else {
                match builtin_slot(stage, storage, builtin) {
                    Some(slot) if !conventional => Placement::Varying { slot, component: 0 },
                    _ => Placement::System,
                }
            };
    }
}

/// Outputs that the next stage reads.
fn outputs_read(producer: &Shader, consumer: &Shader, types: &TypeTable) -> Vec<GlobalId> {
    let inputs = consumer.globals.values().filter(|g| g.storage == Storage::Input && g.active);
    let outgoing = Outgoing::new(producer, types);
    inputs.filter_map(|input| outgoing.find(input, types)).map(|(id, _)| id).collect()
}

/// Assigns slots to the variables of one side that have none yet, to those in `first` before the
/// others.
fn place_side(
    shader: &mut Shader,
    storage: Storage,
    first: &[GlobalId],
    types: &TypeTable,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    place_builtins(shader, storage, false);
    let stage = shader.stage;
    let limit = slot_limit(options);
    // Slots taken, by patch or not.
    let mut taken: [Vec<bool>; 2] = [Vec::new(), Vec::new()];
    let mark = |taken: &mut Vec<bool>, first: u32, count: u32| {
        let end = (first + count) as usize;
        if taken.len() < end {
            taken.resize(end, false);
        }
        taken[first as usize..end].fill(true);
    };
    let mut sizes: SecondaryMap<GlobalId, u32> = SecondaryMap::new();
    for (id, global) in shader.globals.iter() {
        if global.storage != storage || !takes_free_slots(global) {
            continue;
        }
        sizes[id] = packing::slots(types, global, vertex_type(stage, global, types));
        let patch = usize::from(global.interpolation.patch);
        if let Placement::Varying { slot: Slot::Var(n) | Slot::Patch(n), .. } = global.placement {
            mark(&mut taken[patch], u32::from(n), sizes[id]);
        } else if let Some(location) = global.layout.location {
            if location.saturating_add(sizes[id]) > limit {
                errors.push(format!(
                    "`{}` at location {location} exceeds the {limit} locations",
                    global.name
                ));
                return;
            }
            mark(&mut taken[patch], location, sizes[id]);
        }
    }
    let mut order: Vec<GlobalId> = shader.globals.keys().collect();
    if options.pipeline {
        // The same order in programs that know nothing of each other.
        let name = |g: &Global| g.block.as_ref().map_or_else(|| g.name.clone(), |b| b.name.clone());
        order.sort_by_key(|&id| name(&shader.globals[id]));
    } else {
        let mut preferred: EntitySet<GlobalId> = EntitySet::new();
        preferred.extend(first.iter().copied());
        order.sort_by_key(|id| !preferred.contains(*id));
    }
    for id in order {
        let global = &mut shader.globals[id];
        if global.storage != storage
            || !takes_free_slots(global)
            || global.placement != Placement::None
        {
            continue;
        }
        let patch = global.interpolation.patch;
        let explicit = explicit_location(types, global);
        let start = match explicit {
            Some(location) => location,
            None => {
                let taken = &mut taken[usize::from(patch)];
                if sizes[id] > 255 {
                    errors.push(format!(
                        "too many varyings: `{}` takes {} slots",
                        global.name, sizes[id]
                    ));
                    return;
                }
                let start = first_free(taken, sizes[id]);
                mark(taken, start, sizes[id]);
                start
            }
        };
        if start.saturating_add(sizes[id]) > 255 {
            errors.push(format!("too many varyings: no slot for `{}`", global.name));
            return;
        }
        let slot = if patch { Slot::Patch(start as u8) } else { Slot::Var(start as u8) };
        let component = global.layout.component.unwrap_or(0) as u8;
        global.placement = Placement::Varying { slot, component };
    }
}

pub(crate) fn first_free(taken: &[bool], count: u32) -> u32 {
    let count = count as usize;
    let mut first = 0;
    while let Some(blocked) = taken.iter().skip(first).take(count).rposition(|&t| t) {
        first += blocked + 1;
    }
    first as u32
}

/// Most distances of clipping and culling (`gl_MaxCombinedClipAndCullDistances`).
const MAX_DISTANCES: u32 = 8;

fn count_distances(stage: &mut LinkedStage, types: &TypeTable, errors: &mut Errors) {
    let shader = &stage.shader;
    let storage = if shader.stage == Stage::Fragment { Storage::Input } else { Storage::Output };
    let length = |wanted| distances(shader, types, storage, wanted);
    let (clip, cull) =
        (length(BuiltinVariable::ClipDistance), length(BuiltinVariable::CullDistance));
    if clip > 8 || cull > 8 || clip + cull > MAX_DISTANCES {
        errors.push(format!(
            "{} shader uses {clip} clip and {cull} cull distances; 8 are available",
            shader.stage
        ));
    }
    (stage.clip_distances, stage.cull_distances) = (clip.min(8) as u8, cull.min(8) as u8);
}

/// Returns the number of distances of a kind that one side of a stage has.
fn distances(shader: &Shader, types: &TypeTable, storage: Storage, wanted: BuiltinVariable) -> u32 {
    let size = |ty| array_length(types, ty);
    let globals = || shader.globals.values().filter(|g| g.storage == storage && g.active);
    let direct = globals().filter(|g| g.builtin == Some(wanted)).map(|g| size(g.ty));
    let is_block = |g: &&Global| {
        matches!(g.builtin, Some(BuiltinVariable::PerVertexIn | BuiltinVariable::PerVertexOut))
    };
    let members = globals()
        .filter(is_block)
        .flat_map(|g| types.members(types.without_arrays(g.ty)).unwrap_or_default())
        .filter(|m| m.builtin == Some(wanted))
        .map(|m| size(m.ty));
    direct.chain(members).max().unwrap_or(0)
}

/// `first` moved on by `by` slots.
pub(crate) fn advance(first: Slot, by: u32) -> Slot {
    let by = by as u8;
    match first {
        Slot::Var(n) => Slot::Var(n.saturating_add(by)),
        Slot::Patch(n) => Slot::Patch(n.saturating_add(by)),
        Slot::TexCoord(n) => Slot::TexCoord(n.saturating_add(by)),
        Slot::ClipDistance(n) => Slot::ClipDistance(n.saturating_add(by)),
        other => other,
    }
}

/// Dense list of the slots of one side, sorted by slot, components merged.
fn list(stage: &LinkedStage, storage: Storage, types: &TypeTable) -> Vec<Varying> {
    let shader = &stage.shader;
    let mut result: Vec<Varying> = Vec::new();
    let mut add = |slot: Slot, mask: u8, interpolation: Interpolation, integer: bool| match result
        .iter_mut()
        .find(|v| v.slot == slot)
    {
        Some(v) => v.mask |= mask,
        None => result.push(Varying { slot, mask, interpolation, integer }),
    };
    for global in shader.globals.values() {
        // Inputs count when used; outputs count when declared by the user (another stage may read
        // them) or used.
        let wanted = global.active || (storage == Storage::Output && global.builtin.is_none());
        if global.storage != storage || !wanted {
            continue;
        }
        match global.placement {
            Placement::Varying { slot, component } => {
                add_variable(types, stage, global, slot, component, &mut add);
            }
            Placement::PerMember => {
                for member in types.members(types.without_arrays(global.ty)).unwrap_or_default() {
                    let Some(slot) =
                        member.builtin.and_then(|b| builtin_slot(shader.stage, storage, b))
                    else {
                        continue;
                    };
                    let first = first_element(stage, storage, member.builtin);
                    // Modules declare distances that no code names, beside all that there are.
                    let length = array_length(types, member.ty);
                    let is_over = first.is_some_and(|first| first + length > MAX_DISTANCES);
                    if is_over && !names(shader, types, member.builtin) {
                        continue;
                    }
                    add_builtin(types, first, member.ty, slot, member.interpolation, &mut add);
                }
            }
            _ => {}
        }
    }
    result.sort_by_key(|v| v.slot);
    result
}

/// True if code of a shader names a member that is a built-in variable.
fn names(shader: &Shader, types: &TypeTable, builtin: Option<BuiltinVariable>) -> bool {
    shader.exprs.values().any(|expr| match expr.kind {
        ExprKind::Member { base, member } => {
            let members = types.members(shader.exprs[base].ty).unwrap_or_default();
            members.get(member as usize).is_some_and(|member| member.builtin == builtin)
        }
        _ => false,
    })
}

/// The number of elements of an array with a size.
fn array_length(types: &TypeTable, ty: TypeId) -> u32 {
    match types.array_of(ty) {
        Some((_, ArrayLength::Fixed(n))) => n,
        _ => 0,
    }
}

type Add<'a> = dyn FnMut(Slot, u8, Interpolation, bool) + 'a;

fn add_variable(
    types: &TypeTable,
    stage: &LinkedStage,
    global: &Global,
    slot: Slot,
    component: u8,
    add: &mut Add<'_>,
) {
    let ty = vertex_type(stage.shader.stage, global, types);
    if global.builtin.is_some() {
        let first = first_element(stage, global.storage, global.builtin);
        return add_builtin(types, first, ty, slot, global.interpolation, add);
    }
    if let (true, Some((_, ArrayLength::Fixed(n)))) = (global.packed, types.array_of(ty)) {
        let integer = types.scalar_of(types.without_arrays(ty)).is_some_and(is_not_interpolated);
        for i in u32::from(component)..u32::from(component) + n {
            add(advance(slot, i / 4), 1 << (i % 4), global.interpolation, integer);
        }
        return;
    }
    let mut members = Vec::new();
    collect_leaves(types, ty, global.interpolation, global.block.is_some(), &mut members);
    let mut next = 0;
    for (leaf, interpolation) in members {
        let integer = types.scalar_of(types.without_arrays(leaf)).is_some_and(is_not_interpolated);
        for_each_slot(types, leaf, &mut |offset, mask| {
            add(advance(slot, next + offset), mask << component, interpolation, integer);
        });
        next += varying_slots(types, leaf);
    }
}

/// Returns true if components of this type go to the fragment stage as they are: integers, doubles.
fn is_not_interpolated(scalar: Scalar) -> bool {
    !matches!(scalar, Scalar::Float | Scalar::Float16)
}

/// Leaves in slot order with their interpolation; a block member's own qualifier goes before the
/// block's.
fn collect_leaves(
    types: &TypeTable,
    ty: TypeId,
    outer: Interpolation,
    block: bool,
    result: &mut Vec<(TypeId, Interpolation)>,
) {
    match types.get(ty) {
        Type::Struct(s) => {
            for member in &s.members {
                let mut interpolation = outer;
                if block && member.interpolation != Interpolation::default() {
                    interpolation = member.interpolation;
                }
                collect_leaves(types, member.ty, interpolation, false, result);
            }
        }
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            (0..*n).for_each(|_| collect_leaves(types, *element, outer, block, result));
        }
        _ => result.push((ty, outer)),
    }
}

/// Returns the component of the first element of a built-in array whose elements are components of
/// its slots: distances and levels. Cull distances follow the clip distances.
pub(crate) fn first_element(
    stage: &LinkedStage,
    storage: Storage,
    builtin: Option<BuiltinVariable>,
) -> Option<u32> {
    use BuiltinVariable as V;
    match builtin? {
        V::ClipDistance | V::TessLevelOuter | V::TessLevelInner => Some(0),
        V::CullDistance => Some(stage.first_cull_distance(storage).into()),
        _ => None,
    }
}

fn add_builtin(
    types: &TypeTable,
    first: Option<u32>,
    ty: TypeId,
    slot: Slot,
    interpolation: Interpolation,
    add: &mut Add<'_>,
) {
    let integer = types.scalar_of(types.without_arrays(ty)).is_some_and(is_not_interpolated);
    let interpolation = if integer {
        Interpolation { mode: InterpolationMode::Flat, ..interpolation }
    } else {
        interpolation
    };
    let length = array_length(types, ty);
    let Some(first) = first else {
        return for_each_slot(types, ty, &mut |offset, mask| {
            add(advance(slot, offset), mask, interpolation, integer);
        });
    };
    for i in first..first + length {
        add(advance(slot, i / 4), 1 << (i % 4), interpolation, integer);
    }
}
