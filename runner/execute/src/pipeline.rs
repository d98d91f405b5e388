//! Separate shader objects: a program for each stage, together in one pipeline.
//!
//! Executors run one program. The stages are linked one by one for what belongs to each program, its uniform locations
//! and link errors, and once together for what runs, with every stage's own uniforms apart.

use std::collections::BTreeMap;

use program::link::{LinkError, LinkOptions};
use program::{Program, Shader, Stage, Storage, Type, TypeTable};

/// Uniform locations of the programs of a pipeline.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// From a program's stage and location to the location in the program that runs.
    locations: BTreeMap<(Stage, u32), u32>,
}

impl Pipeline {
    /// The location in the program that runs of a location in a stage's own program.
    pub fn location(&self, stage: Stage, location: u32) -> Option<u32> {
        self.locations.get(&(stage, location)).copied()
    }
}

/// Links each stage on its own, then all of them.
///
/// # Errors
/// The first stage's that does not link.
pub fn link(
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
            let (Some(from), Some(to)) = (uniform.location, twin.and_then(|t| t.location)) else { continue };
            for element in 0..uniform.array.unwrap_or(1) {
                pipeline.locations.insert((*stage, from + element), to + element);
            }
        }
    }
    Ok((whole, pipeline))
}

/// Gives the uniforms of a stage names of its own and leaves their locations to the linker.
fn separate_uniforms(shader: &mut Shader, types: &TypeTable) {
    let stage = shader.stage;
    for global in shader.globals.values_mut() {
        let shared =
            matches!(types.get(types.without_arrays(global.ty)), Type::AtomicCounter | Type::Subroutine(_));
        let own = global.storage == Storage::Uniform && global.block.is_none() && global.builtin.is_none();
        if own && !shared {
            global.name = own_name(stage, &global.name).into();
            global.layout.location = None;
        }
    }
}

/// A uniform's name in the program that runs: no name that a shader can write.
fn own_name(stage: Stage, name: &str) -> String {
    format!("{stage}:{name}")
}
