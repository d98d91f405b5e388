//! The default uniform block, uniform locations, sampler and image slots, atomic counters,
//! subroutine uniforms.

use rustc_hash::{FxHashMap, FxHashSet};

use super::blocks::{MAX_LEAVES, collect};
use crate::layout::{OpaqueKind, Rules, opaque_slots};
use crate::link::errors::Errors;
use crate::link::options::LinkOptions;
use crate::program::{LinkedStage, Program};
use crate::resource::{
    OpaqueSlot, OpaqueSlots, Placement, SlotSource, StageMask, SubroutineUniform, Uniform,
};
use crate::types::{MatrixOrder, Type, TypeId, TypeTable};
use crate::variable::{Global, Storage};

/// Places every active uniform outside blocks.
pub(crate) fn place(
    stages: &mut [LinkedStage],
    program: &mut Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let mut default_block: Vec<Uniform> = Vec::new();
    let mut placed: FxHashMap<Box<str>, (Placement, usize, usize)> = FxHashMap::default();
    let mut locations =
        Locations::new(options.capabilities.limit("GL_MAX_UNIFORM_LOCATIONS", 1024).max(1024));
    reserve_explicit(stages, &program.types, &mut locations, errors);
    let mut next = 0u32;
    for stage in stages.iter_mut() {
        let mask = StageMask::of(stage.shader.stage);
        check_subroutines(&stage.shader, &program.types, options, errors);
        number_subroutines(&mut stage.shader, &program.types, &mut next);
        list_subroutines(&stage.shader, &program.types, &mut program.subroutine_uniforms, errors);
        for global in stage.shader.globals.values_mut() {
            let wanted =
                global.storage == Storage::Uniform && global.block.is_none() && global.active;
            if !wanted || matches!(global.placement, Placement::Subroutine { .. }) {
                continue;
            }
            let (placement, first, count) = match placed.get(&global.name) {
                Some(&known) => known,
                None => {
                    let first = default_block.len();
                    let placement = new_uniform(
                        program,
                        global,
                        &mut next,
                        &mut default_block,
                        &mut locations,
                        errors,
                    );
                    let known = (placement, first, default_block.len() - first);
                    placed.insert(global.name.clone(), known);
                    known
                }
            };
            global.placement = placement;
            for uniform in default_block.iter_mut().skip(first).take(count) {
                uniform.stages.0 |= mask.0;
            }
        }
    }
    program.default_block_size = next.div_ceil(16).saturating_mul(16);
    default_block.append(&mut program.uniforms);
    program.uniforms = default_block;
    atomic_buffers(program, errors);
}

/// Uniform locations in use.
struct Locations {
    taken: Vec<bool>,
    limit: u32,
    /// Where the search for so many free ones begins: locations are never given back.
    starts: FxHashMap<u32, usize>,
}

impl Locations {
    fn new(limit: u32) -> Locations {
        Locations { taken: Vec::new(), limit, starts: FxHashMap::default() }
    }

    /// Takes `count` locations from `first` on; false when one is taken already.
    fn reserve(&mut self, first: u32, count: u32) -> bool {
        let (first, end) = (first as usize, (first + count) as usize);
        if self.taken.len() < end {
            self.taken.resize(end, false);
        }
        let free = !self.taken[first..end].contains(&true);
        self.taken[first..end].fill(true);
        free
    }

    fn assign(&mut self, count: u32) -> u32 {
        let mut first = self.starts.get(&count).copied().unwrap_or(0);
        while let Some(blocked) =
            self.taken.iter().skip(first).take(count as usize).rposition(|&t| t)
        {
            first += blocked + 1;
        }
        self.reserve(first as u32, count);
        self.starts.insert(count, first + count as usize);
        first as u32
    }
}

/// Number of uniform locations a type takes: one per array element of basic type.
pub(crate) fn location_count(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Struct(s) => {
            s.members.iter().map(|m| location_count(types, m.ty)).fold(0, u32::saturating_add)
        }
        Type::Array { element, length: crate::ArrayLength::Fixed(n) } => {
            n.saturating_mul(location_count(types, *element))
        }
        _ => 1,
    }
}

/// Explicit locations count even when the uniform is not active.
fn reserve_explicit(
    stages: &[LinkedStage],
    types: &TypeTable,
    locations: &mut Locations,
    errors: &mut Errors,
) {
    let mut seen: FxHashMap<&str, ()> = FxHashMap::default();
    for stage in stages {
        for global in stage.shader.globals.values() {
            let plain = global.storage == Storage::Uniform && global.block.is_none();
            let subroutine =
                matches!(types.get(types.without_arrays(global.ty)), Type::Subroutine(_));
            let Some(location) = global.layout.location.filter(|_| plain && !subroutine) else {
                continue;
            };
            if seen.insert(&global.name, ()).is_some() {
                continue;
            }
            let count = location_count(types, global.ty);
            if location.saturating_add(count) > locations.limit {
                errors.push(format!(
                    "uniform `{}` exceeds the {} locations",
                    global.name, locations.limit
                ));
            } else if !locations.reserve(location, count) {
                errors.push(format!(
                    "uniform `{}` overlaps another at location {location}",
                    global.name
                ));
            }
        }
    }
}

fn new_uniform(
    program: &mut Program,
    global: &Global,
    next: &mut u32,
    list: &mut Vec<Uniform>,
    locations: &mut Locations,
    errors: &mut Errors,
) -> Placement {
    let types = &program.types;
    let ty = global.ty;
    let rules = Rules::Std140;
    let innermost = types.without_arrays(ty);
    let mut leaves = Vec::new();
    if location_count(types, ty) > MAX_LEAVES as u32 {
        errors.push(format!("uniform `{}` takes too many locations", global.name));
        return Placement::None;
    }
    collect(types, ty, &global.name, 0, MatrixOrder::ColumnMajor, rules, &mut leaves);
    if matches!(types.get(innermost), Type::AtomicCounter) {
        let (binding, offset) =
            (global.layout.binding.unwrap_or(0), global.layout.offset.unwrap_or(0));
        let mut at = offset;
        for leaf in &leaves {
            let mut uniform = leaf.uniform(leaf.name.clone(), None);
            (uniform.offset, uniform.atomic_binding) = (at, Some(binding as u16));
            uniform.array_stride = if leaf.array.is_some() { 4 } else { 0 };
            at = at.saturating_add(4 * leaf.array.unwrap_or(1));
            list.push(uniform);
        }
        return Placement::AtomicCounter { binding: binding as u16, offset };
    }
    let offset = next
        .div_ceil(rules.alignment(types, ty, MatrixOrder::ColumnMajor).max(1))
        .saturating_mul(rules.alignment(types, ty, MatrixOrder::ColumnMajor).max(1));
    *next = offset.saturating_add(rules.size(types, ty, MatrixOrder::ColumnMajor));
    if matches!(types.get(ty), Type::Array { .. } | Type::Struct(_) | Type::Matrix { .. }) {
        *next = next.div_ceil(16).saturating_mul(16);
    }
    let (sampler, image) = (program.samplers.len() as u16, program.images.len() as u16);
    let mut location = match global.builtin {
        Some(_) => None,
        None => {
            let count = location_count(types, ty);
            Some(global.layout.location.unwrap_or_else(|| locations.assign(count)))
        }
    };
    let mut bound = 0;
    for leaf in &leaves {
        let mut uniform = leaf.uniform(leaf.name.clone(), Some(0));
        uniform.offset += offset;
        uniform.location = location;
        uniform.builtin = global.builtin;
        let elements = leaf.array.unwrap_or(1);
        location = location.map(|l| l + elements);
        let slots = match types.get(leaf.ty) {
            Type::Sampler(_) => Some((&mut program.samplers, true)),
            Type::Image(_) => Some((&mut program.images, false)),
            _ => None,
        };
        if let Some((slots, is_sampler)) = slots {
            (uniform.block, uniform.offset) = (None, 0);
            let first = slots.len() as u16;
            uniform.opaque = Some(if is_sampler {
                OpaqueSlots::Sampler(first)
            } else {
                OpaqueSlots::Image(first)
            });
            for element in 0..elements {
                let binding = global.layout.binding.map_or(0, |b| b.saturating_add(bound));
                bound += 1;
                let source = SlotSource::Unit(binding);
                slots.push(OpaqueSlot { uniform: list.len() as u32, element, source });
            }
            if slots.len() > 4096 {
                errors.push(format!("too many samplers or images: no slot for `{}`", global.name));
                return Placement::None;
            }
        }
        list.push(uniform);
    }
    debug_assert!(
        opaque_slots(types, ty, OpaqueKind::AtomicCounter) == 0 || global.layout.binding.is_some()
    );
    Placement::Uniform { offset, sampler, image }
}

/// Buffers of atomic counters with their sizes; overlapping counters are errors.
fn atomic_buffers(program: &mut Program, errors: &mut Errors) {
    let mut counters: Vec<(u16, u32, u32, &str)> = program
        .uniforms
        .iter()
        .filter_map(|u| {
            let end = u.offset.saturating_add(4 * u.array.unwrap_or(1));
            u.atomic_binding.map(|b| (b, u.offset, end, u.name.as_str()))
        })
        .collect();
    counters.sort_unstable();
    for pair in counters.windows(2) {
        if let [a, b] = pair
            && a.0 == b.0
            && b.1 < a.2
        {
            errors
                .push(format!("atomic counters `{}` and `{}` overlap at offset {}", a.3, b.3, b.1));
        }
    }
    let mut buffers: Vec<(u16, u32)> = Vec::new();
    for (binding, _, end, _) in counters {
        match buffers.last_mut() {
            Some((b, size)) if *b == binding => *size = (*size).max(end),
            _ => buffers.push((binding, end)),
        }
    }
    program.atomic_buffers = buffers;
}

/// Explicit indices of subroutine functions are unique and below the limit, explicit locations of
/// subroutine uniforms are below theirs (GLSL 4.60 sections 4.4.3 and 4.4.4).
fn check_subroutines(
    shader: &crate::Shader,
    types: &TypeTable,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let limit = |name: &str, default| options.capabilities.limit(name, default);
    let functions = limit("GL_MAX_SUBROUTINES", 256);
    let mut taken: FxHashMap<u32, &str> = FxHashMap::default();
    for function in shader.functions.values() {
        let Some(index) = function.subroutine_index else { continue };
        let name = &*function.name;
        if index >= functions {
            errors.push(format!("index {index} of subroutine `{name}` is not below {functions}"));
        }
        if let Some(other) = taken.insert(index, name) {
            errors.push(format!("subroutines `{other}` and `{name}` have the same index {index}"));
        }
    }
    let locations = limit("GL_MAX_SUBROUTINE_UNIFORM_LOCATIONS", 1024);
    for global in shader.globals.values() {
        let Some(location) = global.layout.location else { continue };
        let subroutine = matches!(types.get(types.without_arrays(global.ty)), Type::Subroutine(_));
        if subroutine && location.saturating_add(location_count(types, global.ty)) > locations {
            let name = &global.name;
            errors.push(format!("location {location} of `{name}` is not below {locations}"));
        }
    }
}

/// Assigns subroutine functions their indices and subroutine uniforms their locations and places in
/// the default block.
fn number_subroutines(shader: &mut crate::Shader, types: &TypeTable, next: &mut u32) {
    let taken: FxHashSet<u32> =
        shader.functions.values().filter_map(|f| f.subroutine_index).collect();
    let mut free = (0..).filter(|i| !taken.contains(i));
    for function in shader.functions.values_mut() {
        if !function.subroutine_types.is_empty() && function.subroutine_index.is_none() {
            function.subroutine_index = free.next();
        }
    }
    let is_subroutine =
        |g: &Global| matches!(types.get(types.without_arrays(g.ty)), Type::Subroutine(_));
    let mut locations = Locations::new(1024);
    let mut bytes = |count: u32| {
        let offset = next.div_ceil(4).saturating_mul(4);
        *next = offset.saturating_add(4 * count);
        offset
    };
    for global in shader.globals.values_mut().filter(|g| is_subroutine(g)) {
        if let Some(location) = global.layout.location.filter(|&l| l < 1024) {
            let count = location_count(types, global.ty).min(1024);
            locations.reserve(location, count);
            global.placement =
                Placement::Subroutine { location: location as u16, offset: bytes(count) };
        }
    }
    for global in shader.globals.values_mut().filter(|g| is_subroutine(g)) {
        if global.placement == Placement::None {
            let count = location_count(types, global.ty).min(1024);
            let location = locations.assign(count);
            global.placement =
                Placement::Subroutine { location: location as u16, offset: bytes(count) };
        }
    }
}

/// Lists a stage's subroutine uniforms.
fn list_subroutines(
    shader: &crate::Shader,
    types: &TypeTable,
    list: &mut Vec<SubroutineUniform>,
    errors: &mut Errors,
) {
    let mut functions: FxHashMap<&str, Vec<(String, u32)>> = FxHashMap::default();
    for function in shader.functions.values() {
        for ty in &function.subroutine_types {
            let entry = (function.name.to_string(), function.subroutine_index.unwrap_or(0));
            functions.entry(ty).or_default().push(entry);
        }
    }
    for global in shader.globals.values() {
        let Type::Subroutine(name) = types.get(types.without_arrays(global.ty)) else { continue };
        let Placement::Subroutine { location, offset } = global.placement else { continue };
        let compatible = functions.get(&**name).cloned().unwrap_or_default();
        if compatible.is_empty() && global.active {
            errors.push(format!(
                "no function can be selected for subroutine uniform `{}`",
                global.name
            ));
        }
        for (i, (name, array)) in
            array_names(types, global.ty, global.name.to_string()).into_iter().enumerate()
        {
            let first = i as u32 * array.unwrap_or(1);
            list.push(SubroutineUniform {
                stage: shader.stage,
                name,
                array,
                location: u32::from(location) + first,
                offset: offset + 4 * first,
                compatible: compatible.clone(),
            });
        }
    }
}

/// The names under which an array of arrays is listed (`a[0]`, `a[1]`, each an array) with the
/// innermost length.
fn array_names(types: &TypeTable, ty: TypeId, name: String) -> Vec<(String, Option<u32>)> {
    match types.array_of(ty) {
        Some((element, crate::ArrayLength::Fixed(n))) if types.array_of(element).is_some() => (0
            ..n.min(1024))
            .flat_map(|i| array_names(types, element, format!("{name}[{i}]")))
            .collect(),
        Some((_, crate::ArrayLength::Fixed(n))) => vec![(name, Some(n))],
        _ => vec![(name, None)],
    }
}
