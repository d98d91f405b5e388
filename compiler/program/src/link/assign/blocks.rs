//! Uniform blocks, storage blocks and shared memory: indices, bindings, sizes, member lists.

use rustc_hash::FxHashMap;
use std::ops::Range;

use crate::layout::{Rules, block_instances};
use crate::link::errors::Errors;
use crate::link::merge::global_key;
use crate::link::options::LinkOptions;
use crate::program::{LinkedStage, Program};
use crate::resource::{ActiveBlock, BufferVariable, Placement, StageMask, Uniform};
use crate::stage::Stage;
use crate::types::{ArrayLength, MatrixOrder, Type, TypeId, TypeTable};
use crate::variable::{Global, Packing, Storage};

/// Places all blocks and shared variables, and lists the members of uniform blocks after the
/// default block's uniforms (which `uniforms::place` puts in front).
pub(crate) fn place(
    stages: &mut [LinkedStage],
    program: &mut Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let mut placements: FxHashMap<String, (Placement, Range<usize>)> = FxHashMap::default();
    for stage in stages.iter_mut() {
        place_shared(stage, &program.types);
        let mask = StageMask::of(stage.shader.stage);
        let mut used = [0u32; 2];
        for global in stage.shader.globals.values_mut() {
            // Members of std140, std430 and shared blocks are active even when unused (GL 4.6
            // section 7.6.2).
            let packed = global.block.as_ref().is_some_and(|b| b.packing == Packing::Packed);
            let is_block = global.block.is_some()
                && matches!(global.storage, Storage::Uniform | Storage::Buffer);
            if !is_block || global.builtin.is_some() || (packed && !global.active) {
                continue;
            }
            let key = global_key(global);
            let (placement, members) = placements.entry(key).or_insert_with(|| {
                let listed = |p: &Program| match global.storage {
                    Storage::Buffer => p.buffer_variables.len(),
                    _ => p.uniforms.len(),
                };
                let first = listed(program);
                let placement = new_block(program, global, options, errors);
                (placement, first..listed(program))
            });
            global.placement = *placement;
            let count = block_instances(&program.types, global.ty);
            let used = &mut used[usize::from(global.storage == Storage::Buffer)];
            *used = used.saturating_add(count);
            mark(program, *placement, count as usize, members.clone(), mask);
        }
        check_count(stage.shader.stage, used, options, errors);
    }
}

fn check_count(stage: Stage, used: [u32; 2], options: &LinkOptions<'_>, errors: &mut Errors) {
    let name = match stage {
        Stage::Vertex => "VERTEX",
        Stage::TessControl => "TESS_CONTROL",
        Stage::TessEval => "TESS_EVALUATION",
        Stage::Geometry => "GEOMETRY",
        Stage::Fragment => "FRAGMENT",
        Stage::Compute => "COMPUTE",
    };
    for (count, kind, default) in [(used[0], "UNIFORM", 14), (used[1], "SHADER_STORAGE", 16)] {
        let limit = format!("GL_MAX_{name}_{kind}_BLOCKS");
        if let Some(limit) = options.capabilities.limit_below(&limit, default, count) {
            errors.push(format!(
                "{stage} shader uses {count} {} blocks; {limit} are available",
                kind.to_lowercase()
            ));
        }
    }
}

/// Notes that a stage has `count` blocks from a placement on, and their members.
fn mark(
    program: &mut Program,
    placement: Placement,
    count: usize,
    members: Range<usize>,
    mask: StageMask,
) {
    let (blocks, index) = match placement {
        Placement::UniformBlock { index } => (&mut program.uniform_blocks, index),
        Placement::StorageBlock { index } => (&mut program.storage_blocks, index),
        _ => return,
    };
    let storage = matches!(placement, Placement::StorageBlock { .. });
    let range = usize::from(index)..usize::from(index) + count;
    for block in blocks.get_mut(range).unwrap_or_default() {
        block.stages.0 |= mask.0;
    }
    if storage {
        program.buffer_variables[members].iter_mut().for_each(|v| v.stages.0 |= mask.0);
    } else {
        program.uniforms[members].iter_mut().for_each(|u| u.stages.0 |= mask.0);
    }
}

/// Suffixes of the elements of an array of blocks in order; one empty suffix for a single block.
fn instances(types: &TypeTable, ty: TypeId) -> Vec<String> {
    match types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            let inner = instances(types, *element);
            (0..*n).flat_map(|i| inner.iter().map(move |s| format!("[{i}]{s}"))).collect()
        }
        _ => vec![String::new()],
    }
}

fn new_block(
    program: &mut Program,
    global: &Global,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) -> Placement {
    let Some(qualifiers) = &global.block else { return Placement::None };
    let storage = global.storage == Storage::Buffer;
    let content = program.types.without_arrays(global.ty);
    let rules = Rules::from(qualifiers.packing);
    let size = rules.size(&program.types, content, MatrixOrder::ColumnMajor);
    let (limit_name, default) = if storage {
        ("GL_MAX_SHADER_STORAGE_BLOCK_SIZE", 1 << 27)
    } else {
        ("GL_MAX_UNIFORM_BLOCK_SIZE", 65536)
    };
    if let Some(limit) = options.capabilities.limit_below(limit_name, default, size) {
        errors.push(format!("block `{}` has {size} bytes; {limit} are available", qualifiers.name));
        return Placement::None;
    }
    let tail = runtime_tail(program, content, rules);
    let is_explicit = matches!(rules, Rules::Explicit(_));
    let placed = if storage { program.storage_blocks.len() } else { program.uniform_blocks.len() };
    if placed + block_instances(&program.types, global.ty) as usize > MAX_BLOCKS {
        errors.push(format!("too many blocks: no index for `{}`", qualifiers.name));
        return Placement::None;
    }
    let index = placed as u16;
    let members = leaves(&program.types, content, rules, storage);
    if members.len() > MAX_LEAVES {
        errors.push(format!("block `{}` has more than {MAX_LEAVES} members", qualifiers.name));
        return Placement::None;
    }
    for (i, suffix) in instances(&program.types, global.ty).into_iter().enumerate() {
        let block = ActiveBlock {
            name: format!("{}{suffix}", qualifiers.name),
            binding: global.layout.binding.map_or(0, |b| b.saturating_add(i as u32)),
            explicit_binding: global.layout.binding.is_some(),
            size: if storage && !is_explicit { size + tail } else { round_up_16(size + tail) },
            ty: content,
            packing: qualifiers.packing,
            active_variables: members.len() as u32,
            stages: StageMask::default(),
        };
        if storage { &mut program.storage_blocks } else { &mut program.uniform_blocks }.push(block);
    }
    let prefix =
        if qualifiers.has_instance { format!("{}.", qualifiers.name) } else { String::new() };
    for leaf in members {
        let name = format!("{prefix}{}", leaf.name);
        if storage {
            program.buffer_variables.push(leaf.buffer_variable(name, index));
        } else {
            program.uniforms.push(leaf.uniform(name, Some(index + 1)));
        }
    }
    if storage { Placement::StorageBlock { index } } else { Placement::UniformBlock { index } }
}

/// Maximum number of blocks of a kind that are listed, more than any context offers.
const MAX_BLOCKS: usize = 4096;

fn round_up_16(size: u32) -> u32 {
    size.div_ceil(16).saturating_mul(16)
}

/// Bytes of the first element of a runtime-sized last member.
fn runtime_tail(program: &Program, content: TypeId, rules: Rules) -> u32 {
    let last = program.types.members(content).and_then(|m| m.last());
    match last.map(|m| (program.types.array_of(m.ty), m.order)) {
        Some((Some((element, ArrayLength::Runtime)), order)) => {
            let last = program.types.members(content).map_or(0, |m| m.len().saturating_sub(1));
            rules.of_member(&program.types, last as u32).array_stride(
                &program.types,
                element,
                order,
            )
        }
        _ => 0,
    }
}

/// Maximum number of members listed of one block or uniform.
pub(crate) const MAX_LEAVES: usize = 1 << 16;

/// A leaf of basic type, or an array of one, inside a block or uniform.
pub(crate) struct Leaf {
    pub(crate) name: String,
    pub(crate) ty: TypeId,
    pub(crate) array: Option<u32>,
    pub(crate) offset: u32,
    pub(crate) array_stride: u32,
    pub(crate) matrix_stride: u32,
    pub(crate) order: MatrixOrder,
    top_level_size: u32,
    top_level_stride: u32,
}

impl Leaf {
    pub(crate) fn uniform(&self, name: String, block: Option<u16>) -> Uniform {
        Uniform {
            name,
            ty: self.ty,
            array: self.array,
            location: None,
            block,
            offset: self.offset,
            array_stride: self.array_stride,
            matrix_stride: self.matrix_stride,
            order: self.order,
            opaque: None,
            builtin: None,
            atomic_binding: None,
            stages: StageMask::default(),
        }
    }

    fn buffer_variable(&self, name: String, block: u16) -> BufferVariable {
        BufferVariable {
            name,
            ty: self.ty,
            array: self.array,
            block,
            offset: self.offset,
            array_stride: self.array_stride,
            matrix_stride: self.matrix_stride,
            order: self.order,
            top_level_size: self.top_level_size,
            top_level_stride: self.top_level_stride,
            stages: StageMask::default(),
        }
    }
}

/// Leaves of a block's contents.
fn leaves(types: &TypeTable, content: TypeId, rules: Rules, storage: bool) -> Vec<Leaf> {
    let mut result = Vec::new();
    let members = types.members(content).unwrap_or_default();
    let offsets = rules.offsets(types, members, MatrixOrder::ColumnMajor);
    for (index, (member, (offset, _))) in (0..).zip(members.iter().zip(offsets)) {
        let rules = rules.of_member(types, index);
        let first = result.len();
        // In a storage block a top-level array of structures is listed by its first element only.
        let top = types.array_of(member.ty).map(|(element, length)| {
            let n = if let ArrayLength::Fixed(n) = length { n } else { 0 };
            (n, rules.array_stride(types, element, member.order), element)
        });
        let aggregate = top.is_some_and(|(_, _, element)| {
            matches!(types.get(element), Type::Struct(_) | Type::Array { .. })
        });
        match top {
            Some((_, _, element)) if aggregate && storage => {
                let name = format!("{}[0]", member.name);
                let rules = rules.of_element(types);
                collect(types, element, &name, offset, member.order, rules, &mut result);
            }
            _ => collect(types, member.ty, &member.name, offset, member.order, rules, &mut result),
        }
        for leaf in &mut result[first..] {
            (leaf.top_level_size, leaf.top_level_stride) = match top {
                Some((n, stride, _)) => (n, stride),
                None => (1, 0),
            };
        }
    }
    result
}

/// Appends the leaves of `ty` at `offset` under `name`, in memory order.
pub(crate) fn collect(
    types: &TypeTable,
    ty: TypeId,
    name: &str,
    offset: u32,
    order: MatrixOrder,
    rules: Rules,
    result: &mut Vec<Leaf>,
) {
    if result.len() > MAX_LEAVES {
        return;
    }
    match types.get(ty) {
        Type::Struct(s) => {
            let offsets = rules.offsets(types, &s.members, order);
            for (index, (member, (inner, _))) in (0..).zip(s.members.iter().zip(offsets)) {
                let rules = rules.of_member(types, index);
                let name = format!("{name}.{}", member.name);
                collect(
                    types,
                    member.ty,
                    &name,
                    offset + inner,
                    member.order.or(order),
                    rules,
                    result,
                );
            }
        }
        Type::Array { element, length } => {
            let stride = rules.array_stride(types, *element, order);
            let n = if let ArrayLength::Fixed(n) = *length { n } else { 0 };
            let rules = rules.of_element(types);
            if matches!(types.get(*element), Type::Struct(_) | Type::Array { .. }) {
                for i in 0..n.max(1) {
                    let name = format!("{name}[{i}]");
                    let offset = offset.saturating_add(i.saturating_mul(stride));
                    collect(types, *element, &name, offset, order, rules, result);
                    if result.len() > MAX_LEAVES {
                        return;
                    }
                }
            } else {
                let mut leaf = leaf(types, *element, name, offset, order, rules);
                (leaf.array, leaf.array_stride) = (Some(n), stride);
                result.push(leaf);
            }
        }
        _ => result.push(leaf(types, ty, name, offset, order, rules)),
    }
}

fn leaf(
    types: &TypeTable,
    ty: TypeId,
    name: &str,
    offset: u32,
    order: MatrixOrder,
    rules: Rules,
) -> Leaf {
    Leaf {
        name: name.to_owned(),
        ty,
        array: None,
        offset,
        array_stride: 0,
        matrix_stride: rules.matrix_stride(types, ty, order),
        order,
        top_level_size: 1,
        top_level_stride: 0,
    }
}

/// Shared variables follow each other by std430 rules. Blocks with a layout of their own share the
/// memory from its start on (SPV_KHR_workgroup_memory_explicit_layout); there are no others then.
fn place_shared(stage: &mut LinkedStage, types: &TypeTable) {
    let mut next = 0u32;
    for global in stage.shader.globals.values_mut() {
        if global.storage != Storage::Shared || !global.active {
            continue;
        }
        let order = MatrixOrder::ColumnMajor;
        if let Some(block) = &global.block {
            global.placement = Placement::Shared { offset: 0 };
            let size = Rules::from(block.packing).size(types, global.ty, order);
            next = next.max(size.div_ceil(4).saturating_mul(4));
            continue;
        }
        let alignment = Rules::Std430.alignment(types, global.ty, order).max(4);
        let offset = next.div_ceil(alignment).saturating_mul(alignment);
        global.placement = Placement::Shared { offset };
        next = offset.saturating_add(Rules::Std430.size(types, global.ty, order));
    }
    stage.shared_size = next;
}
