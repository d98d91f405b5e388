//! Transform feedback as declared by `xfb_*` layout qualifiers.

use super::varyings::{advance, builtin_slot, first_element};
use crate::layout::varying_slots;
use crate::link::declared::vertex_type;
use crate::link::errors::Errors;
use crate::program::{LinkedStage, Program};
use crate::resource::{FeedbackVarying, Placement, Slot};
use crate::stage::Stage;
use crate::types::{ArrayLength, Type, TypeId, TypeTable};
use crate::variable::{Global, Storage};

/// Buffers of transform feedback (`gl_MaxTransformFeedbackBuffers`).
const BUFFERS: u8 = 4;

/// Fills the program's feedback lists from the last vertex-processing stage.
pub(crate) fn place(stages: &mut [LinkedStage], program: &mut Program, errors: &mut Errors) {
    let Some(stage) = stages.iter().rev().find(|s| s.shader.stage < Stage::Fragment) else {
        return;
    };
    let shader = &stage.shader;
    let mut list = Vec::new();
    for global in shader.globals.values().filter(|g| g.storage == Storage::Output) {
        let Placement::Varying { slot, component } = global.placement else { continue };
        let ty = vertex_type(shader.stage, global, &program.types);
        let buffer = global.layout.xfb_buffer.unwrap_or(0);
        let stream = global.layout.stream.unwrap_or(0) as u8;
        let first = first_element(stage, global.storage, global.builtin);
        let start = Start {
            slot,
            component: component + first.unwrap_or(0) as u8,
            packed: first.is_some(),
            buffer: buffer as u8,
            stream,
        };
        if global.block.is_some() {
            capture_block(&program.types, stage, global, ty, start, &mut list);
        } else if let Some(offset) = global.layout.xfb_offset {
            capture(&program.types, ty, &global.name, offset, start, &mut list);
        }
    }
    check_overlap(&list, &program.types, errors);
    if let Some(varying) = list.iter().find(|v| v.buffer >= BUFFERS) {
        let FeedbackVarying { name, buffer, .. } = varying;
        errors.push(format!("`{name}` needs feedback buffer {buffer}; there are {BUFFERS}"));
        list.retain(|v| v.buffer < BUFFERS);
    }
    for buffer in 0..BUFFERS {
        let of_buffer = || list.iter().filter(|v| v.buffer == buffer);
        let end = of_buffer()
            .map(|v| v.offset.saturating_add(bytes(&program.types, v)))
            .max()
            .unwrap_or(0);
        let wide =
            of_buffer().any(|v| program.types.scalar_of(v.ty).is_some_and(|s| s.bits() == 64));
        let align = if wide { 8 } else { 4 };
        let declared = shader.layout.xfb_stride[usize::from(buffer)];
        if let Some(stride) = declared.filter(|stride| wide && stride % 8 != 0) {
            errors.push(format!(
                "xfb_stride {stride} of buffer {buffer}, which captures 64-bit values, is not a \
                 multiple of 8"
            ));
        }
        if let Some(stride) = declared
            && stride < end
        {
            errors.push(format!(
                "xfb_stride {stride} of buffer {buffer} is smaller than the {end} captured bytes"
            ));
        }
        program.feedback_strides[usize::from(buffer)] =
            declared.unwrap_or(end.div_ceil(align).saturating_mul(align));
    }
    list.sort_by_key(|v| (v.buffer, v.offset));
    program.feedback = list;
}

fn bytes(types: &TypeTable, varying: &FeedbackVarying) -> u32 {
    let scalar = types.scalar_of(varying.ty).map_or(4, |s| s.bytes());
    (scalar * u32::from(types.components(varying.ty))).saturating_mul(varying.array.unwrap_or(1))
}

fn check_overlap(list: &[FeedbackVarying], types: &TypeTable, errors: &mut Errors) {
    let end = |v: &FeedbackVarying| v.offset.saturating_add(bytes(types, v));
    let mut order: Vec<&FeedbackVarying> = list.iter().collect();
    order.sort_by_key(|v| (v.buffer, v.offset));
    // Of those before, the one that reaches farthest.
    let mut farthest: Option<&FeedbackVarying> = None;
    for next in order {
        let before = farthest.filter(|v| v.buffer == next.buffer);
        if let Some(before) = before {
            if end(before) > next.offset {
                errors.push(format!(
                    "captured varyings `{}` and `{}` overlap",
                    before.name, next.name
                ));
            }
            if before.stream != next.stream {
                errors
                    .push(format!("feedback buffer {} captures more than one stream", next.buffer));
            }
        }
        farthest = before.filter(|v| end(v) > end(next)).or(Some(next));
    }
}

/// Captures the members of a block; each element of an array of blocks has the next buffer (GLSL
/// 4.60 section 4.4.2.1).
fn capture_block(
    types: &TypeTable,
    stage: &LinkedStage,
    global: &Global,
    ty: TypeId,
    start: Start,
    list: &mut Vec<FeedbackVarying>,
) {
    if let Some((element, ArrayLength::Fixed(n))) = types.array_of(ty) {
        for i in 0..n.min(u32::from(BUFFERS) + 1) {
            let slot = advance(start.slot, i * varying_slots(types, element));
            let buffer = start.buffer.saturating_add(i as u8);
            capture_block(types, stage, global, element, Start { slot, buffer, ..start }, list);
        }
        return;
    }
    let prefix = global.block.as_ref().map_or("", |b| &b.name);
    let mut at = 0;
    for member in types.members(ty).unwrap_or_default() {
        if let Some(offset) = member.xfb_offset {
            let name = format!("{prefix}.{}", member.name);
            let builtin = |b| builtin_slot(stage.shader.stage, Storage::Output, b);
            let slot = match member.builtin.and_then(builtin) {
                Some(slot) => slot,
                None => advance(start.slot, at),
            };
            let first = first_element(stage, Storage::Output, member.builtin);
            let component = first.map_or(start.component, |first| first as u8);
            let start = Start { slot, component, packed: first.is_some(), ..start };
            capture(types, member.ty, &name, offset, start, list);
        }
        at += varying_slots(types, member.ty);
    }
}

#[derive(Clone, Copy)]
struct Start {
    slot: Slot,
    component: u8,
    /// See [`FeedbackVarying::packed`].
    packed: bool,
    buffer: u8,
    stream: u8,
}

fn capture(
    types: &TypeTable,
    ty: TypeId,
    name: &str,
    offset: u32,
    at: Start,
    list: &mut Vec<FeedbackVarying>,
) {
    let push = |ty, array| FeedbackVarying {
        name: name.to_owned(),
        ty,
        array,
        buffer: at.buffer,
        offset,
        slot: at.slot,
        component: at.component,
        packed: at.packed,
        stream: at.stream,
    };
    match types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            if !matches!(types.get(*element), Type::Array { .. } | Type::Struct(_)) {
                return list.push(push(*element, Some(*n)));
            }
            let mut offset = offset;
            for i in 0..*n {
                let slot = advance(at.slot, i * varying_slots(types, *element));
                capture(
                    types,
                    *element,
                    &format!("{name}[{i}]"),
                    offset,
                    Start { slot, ..at },
                    list,
                );
                offset = offset.saturating_add(packed_bytes(types, *element));
            }
        }
        Type::Struct(s) => {
            let (mut offset, mut slots) = (offset, 0);
            for member in &s.members {
                let slot = advance(at.slot, slots);
                let align = alignment(types, member.ty);
                offset = offset.div_ceil(align).saturating_mul(align);
                capture(
                    types,
                    member.ty,
                    &format!("{name}.{}", member.name),
                    offset,
                    Start { slot, ..at },
                    list,
                );
                offset = offset.saturating_add(packed_bytes(types, member.ty));
                slots += varying_slots(types, member.ty);
            }
        }
        _ => list.push(push(ty, None)),
    }
}

/// Captured size: components without padding, each aligned to its size (GLSL 4.60 section 4.4.2.1,
/// AMD_gpu_shader_half_float).
fn packed_bytes(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Array { element, length: ArrayLength::Fixed(n) } => {
            n.saturating_mul(packed_bytes(types, *element))
        }
        Type::Struct(s) => s.members.iter().fold(0, |end: u32, m| {
            let align = alignment(types, m.ty);
            end.div_ceil(align).saturating_mul(align).saturating_add(packed_bytes(types, m.ty))
        }),
        _ => types.scalar_of(ty).map_or(0, |s| s.bytes()) * u32::from(types.components(ty)),
    }
}

fn alignment(types: &TypeTable, ty: TypeId) -> u32 {
    match types.get(ty) {
        Type::Array { element, .. } => alignment(types, *element),
        Type::Struct(s) => s.members.iter().map(|m| alignment(types, m.ty)).max().unwrap_or(4),
        _ => types.scalar_of(ty).map_or(4, |s| s.bytes()),
    }
}
