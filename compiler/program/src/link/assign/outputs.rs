//! Fragment outputs: locations as declared or assigned.

use rustc_hash::FxHashSet;

use crate::builtin_variable::BuiltinVariable;
use crate::link::errors::Errors;
use crate::link::options::LinkOptions;
use crate::program::LinkedStage;
use crate::resource::{FragmentOutput, Placement};
use crate::stage::Stage;
use crate::types::{ArrayLength, TypeId, TypeTable};
use crate::variable::{GlobalId, Storage};

/// One placed output.
struct Placed {
    id: GlobalId,
    location: u32,
    count: u32,
    index: u32,
}

/// Places the fragment stage's outputs.
pub(crate) fn place(
    stages: &mut [LinkedStage],
    types: &TypeTable,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let Some(stage) = stages.iter_mut().find(|s| s.shader.stage == Stage::Fragment) else { return };
    let limit = options.capabilities.limit("GL_MAX_DRAW_BUFFERS", 8);
    let dual_limit = options.capabilities.limit("GL_MAX_DUAL_SOURCE_DRAW_BUFFERS", 1);
    let shader = &mut stage.shader;
    let mut placed: Vec<Placed> = Vec::new();
    let mut waiting = Vec::new();
    for (id, global) in shader.globals.iter_mut() {
        if global.storage != Storage::Output {
            continue;
        }
        if let Some(builtin) = global.builtin {
            global.placement = builtin_placement(builtin);
            continue;
        }
        let count = locations(types, global.ty);
        let index = global.layout.index.unwrap_or(0);
        match global.layout.location {
            Some(location) => placed.push(Placed { id, location, count, index }),
            None if global.active => waiting.push((id, count, index)),
            None => {}
        }
    }
    // GLSL ES 3.00 section 4.3.8.2; EXT_blend_func_extended leaves them to the linker.
    if shader.es && !shader.free_outputs && placed.len() + waiting.len() > 1 && !waiting.is_empty()
    {
        let names: Vec<&str> = waiting.iter().map(|w| &*shader.globals[w.0].name).collect();
        errors.push(format!(
            "of several fragment outputs each needs a location: `{}`",
            names.join("`, `")
        ));
    }
    let mut taken = FxHashSet::default();
    for p in &placed {
        taken.extend((0..p.count.min(limit)).map(|i| (p.index, p.location.saturating_add(i))));
    }
    for (id, count, index) in waiting {
        let free =
            |first: u32| (first..first.saturating_add(count)).all(|l| !taken.contains(&(index, l)));
        let location = (0..limit.max(1)).find(|&l| free(l)).unwrap_or(limit);
        taken.extend((0..count.min(limit)).map(|i| (index, location + i)));
        placed.push(Placed { id, location, count, index });
    }
    for p in placed {
        let global = &mut shader.globals[p.id];
        let limit = if p.index == 0 { limit } else { dual_limit };
        if p.location.saturating_add(p.count) > limit {
            errors.push(format!(
                "too many fragment outputs: `{}` exceeds the {limit} draw buffers",
                global.name
            ));
            continue;
        }
        let output = FragmentOutput::Color { location: p.location as u8, index: p.index as u8 };
        let component = global.layout.component.unwrap_or(0) as u8;
        global.placement = Placement::FragmentOutput { output, component };
    }
}

fn locations(types: &TypeTable, ty: TypeId) -> u32 {
    match types.array_of(ty) {
        Some((element, ArrayLength::Fixed(n))) => n.saturating_mul(locations(types, element)),
        _ => 1,
    }
}

fn builtin_placement(builtin: BuiltinVariable) -> Placement {
    use BuiltinVariable as V;
    let output = match builtin {
        V::FragColor => FragmentOutput::AllColors,
        V::FragData => FragmentOutput::Color { location: 0, index: 0 },
        V::SecondaryFragColor | V::SecondaryFragData => {
            FragmentOutput::Color { location: 0, index: 1 }
        }
        V::FragDepth => FragmentOutput::Depth,
        V::FragStencilRef => FragmentOutput::Stencil,
        V::SampleMask => FragmentOutput::SampleMask,
        _ => return Placement::System,
    };
    Placement::FragmentOutput { output, component: 0 }
}
