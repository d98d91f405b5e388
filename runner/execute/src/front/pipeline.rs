//! Separate shader objects: one program per stage, combined into one pipeline.
//!
//! Executors run one program. The stages are linked separately for the properties of each program
//! (uniform locations and link errors), and together for the executed program, with renamed
//! uniforms per stage.

use std::collections::BTreeMap;

use program::link::{LinkError, LinkOptions};
use program::{Program, Shader, Stage, Storage, Type, TypeTable};

/// Uniform locations of the programs of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// Map from a program's stage and location to the location in the executed program.
    locations: BTreeMap<(Stage, u32), u32>,
}

impl Pipeline {
    /// Returns the location in the executed program for a location in a stage's own program.
    pub fn location(&self, stage: Stage, location: u32) -> Option<u32> {
        self.locations.get(&(stage, location)).copied()
    }
}

/// Links each stage separately, then all of them together.
///
/// # Errors
/// Returns the error of the first stage that does not link.
pub(crate) fn link(
    shaders: &[Shader],
    types: &TypeTable,
    options: &LinkOptions<'_>,
) -> Result<(Program, Pipeline), LinkError> {
    let alone = LinkOptions { separable: true, ..*options };
    let together = LinkOptions { pipeline: true, ..alone };
    let mut apart = shaders.to_vec();
    apart.iter_mut().for_each(|shader| separate_uniforms(shader, types));
    let program = |list| program::link(list, types.clone(), &together);
    let mut pipeline = Pipeline::default();
    let mut programs = Vec::new();
    for stage in Stage::ALL {
        let of_stage: Vec<Shader> = shaders.iter().filter(|s| s.stage == stage).cloned().collect();
        if !of_stage.is_empty() {
            programs.push((stage, program::link(of_stage, types.clone(), &alone)?));
        }
    }
    let whole = program(apart)?;
    for (stage, own) in &programs {
        for uniform in &own.uniforms {
            let twin = whole.uniforms.iter().find(|u| u.name == own_name(*stage, &uniform.name));
            let (Some(from), Some(to)) = (uniform.location, twin.and_then(|t| t.location)) else {
                continue;
            };
            for element in 0..uniform.array.unwrap_or(1) {
                pipeline.locations.insert((*stage, from + element), to + element);
            }
        }
    }
    Ok((whole, pipeline))
}

/// Renames the uniforms of a stage and leaves their locations to the linker.
fn separate_uniforms(shader: &mut Shader, types: &TypeTable) {
    let stage = shader.stage;
    for global in shader.globals.values_mut() {
        let shared = matches!(
            types.get(types.without_arrays(global.ty)),
            Type::AtomicCounter | Type::Subroutine(_)
        );
        let own = global.storage == Storage::Uniform
            && global.block.is_none()
            && global.builtin.is_none();
        if own && !shared {
            global.name = own_name(stage, &global.name).into();
            global.layout.location = None;
        }
    }
}

/// Returns a uniform's name in the executed program, which no shader can write.
fn own_name(stage: Stage, name: &str) -> String {
    format!("{stage}:{name}")
}
