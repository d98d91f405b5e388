//! Linking: checked shaders become a [`Program`].
//!
//! The order of work: merge the shaders of each stage ([`merge`]), drop what `main` cannot reach and reject recursion
//! ([`reach`]), size unsized arrays ([`sizes`]), check the interfaces between stages ([`interface`]), then place
//! attributes, varyings, outputs ([`varyings`], [`attributes`]), uniforms and blocks ([`uniforms`], [`blocks`]).

mod attributes;
mod blocks;
mod calls;
mod feedback;
mod fetch;
mod interface;
mod layouts;
mod limits;
mod locations;
mod matching;
mod merge;
mod names;
mod outgoing;
mod outputs;
mod packing;
mod reach;
mod sizes;
#[cfg(test)]
mod tests;
mod uniforms;
mod varyings;

pub use fetch::draw_buffer;

use crate::capabilities::Capabilities;
use crate::exactness;
use crate::program::{LinkedStage, Program};
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::TypeTable;
use std::fmt;

/// What a caller decides about linking.
#[derive(Clone, Copy, Debug)]
pub struct LinkOptions<'a> {
    /// Limits and extensions of the context.
    pub capabilities: &'a Capabilities,
    /// Whether the program is separable: unmatched interfaces at its ends are allowed.
    pub separable: bool,
    /// Whether the stages are separate programs of one pipeline: what does not match between them is undefined, not an
    /// error, and inputs find their outputs as in programs linked on their own.
    pub pipeline: bool,
    /// Attribute names bound to locations before linking (`glBindAttribLocation`).
    pub attributes: &'a [(&'a str, u32)],
    /// Geometry parameters set outside the shader (`glProgramParameteri`, ARB_geometry_shader4).
    pub geometry: GeometryParameters,
}

/// Geometry layout set by the API instead of the shader.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeometryParameters {
    /// Input primitive.
    pub input: Option<crate::shader::LayoutPrimitive>,
    /// Output primitive.
    pub output: Option<crate::shader::LayoutPrimitive>,
    /// Largest number of emitted vertices.
    pub max_vertices: Option<u32>,
}

impl<'a> LinkOptions<'a> {
    /// Attribute bindings that every script makes before linking.
    pub const SCRIPT_ATTRIBUTES: &'static [(&'static str, u32)] =
        &[("piglit_vertex", 0), ("piglit_texcoord", 1)];

    /// Options of an ordinary program.
    pub fn new(capabilities: &'a Capabilities) -> LinkOptions<'a> {
        LinkOptions {
            capabilities,
            separable: false,
            pipeline: false,
            attributes: LinkOptions::SCRIPT_ATTRIBUTES,
            geometry: GeometryParameters::default(),
        }
    }
}

/// Why shaders do not link: at least one message, in the order found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct LinkError {
    /// Messages without full stop.
    pub messages: Vec<String>,
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.messages.join("\n"))
    }
}

/// Collects messages; each step of linking runs only when the steps before it found nothing.
#[derive(Default, Debug)]
pub(crate) struct Errors(Vec<String>);

/// Most messages kept: many variables at one place make as many as there are pairs.
const MAX_MESSAGES: usize = 100;

impl Errors {
    pub(crate) fn push(&mut self, message: impl Into<String>) {
        let message = message.into();
        if self.0.len() < MAX_MESSAGES && !self.0.contains(&message) {
            self.0.push(message);
        }
    }

    fn check(&mut self) -> Result<(), LinkError> {
        if self.0.is_empty() { Ok(()) } else { Err(LinkError { messages: std::mem::take(&mut self.0) }) }
    }
}

/// Links shaders that share `types` into a program.
///
/// # Errors
/// Every violated rule of the first step that found one, as messages for the info log.
pub fn link(shaders: Vec<Shader>, types: TypeTable, options: &LinkOptions<'_>) -> Result<Program, LinkError> {
    let mut types = types;
    let mut errors = Errors::default();
    layouts::check_versions(&shaders, &mut errors);
    errors.check()?;
    let mut stages = Vec::new();
    for stage in Stage::ALL {
        let of_stage: Vec<Shader> = shaders.iter().filter(|s| s.stage == stage).cloned().collect();
        if !of_stage.is_empty() {
            stages.push(merge::merge(of_stage, &mut types, &mut errors));
        }
    }
    layouts::check_stage_set(&stages, options, &mut errors);
    errors.check()?;
    for shader in stages.iter_mut().filter(|s| s.stage == Stage::Fragment) {
        fetch::lower(shader, &mut types);
    }
    for shader in &mut stages {
        calls::resolve(shader, &types);
        reach::prune(shader, &types, &mut errors);
        layouts::resolve(shader, options, &mut errors);
    }
    errors.check()?;
    sizes::fix(&mut stages, &mut types, &mut errors);
    errors.check()?;
    interface::check(&mut stages, &types, options, &mut errors);
    errors.check()?;

    let mut linked: Vec<LinkedStage> = stages.into_iter().map(new_stage).collect();
    let mut program = empty_program(types);
    attributes::place(&mut linked, &mut program, options, &mut errors);
    outputs::place(&mut linked, &program.types, options, &mut errors);
    varyings::place(&mut linked, &program.types, options, &mut errors);
    feedback::place(&mut linked, &mut program, &mut errors);
    blocks::place(&mut linked, &mut program, options, &mut errors);
    uniforms::place(&mut linked, &mut program, options, &mut errors);
    errors.check()?;
    limits::check(&linked, &program, options, &mut errors);
    errors.check()?;
    for stage in &mut linked {
        let (shader, types) = (&stage.shader, &program.types);
        let reached = reach::reachable_exprs(shader);
        stage.side_effects = reach::has_side_effects(shader, &reached);
        stage.exact = exactness::is_exact(shader, types, &reached);
        stage.half_precision = exactness::has_half_precision(shader, types, &reached);
    }
    program.stages = linked;
    Ok(program)
}

fn new_stage(shader: Shader) -> LinkedStage {
    LinkedStage {
        shader,
        inputs: Vec::new(),
        outputs: Vec::new(),
        exact: false,
        half_precision: false,
        clip_distances: 0,
        cull_distances: 0,
        side_effects: false,
        shared_size: 0,
    }
}

fn empty_program(types: TypeTable) -> Program {
    Program {
        types,
        stages: Vec::new(),
        attributes: Vec::new(),
        uniforms: Vec::new(),
        uniform_blocks: Vec::new(),
        storage_blocks: Vec::new(),
        buffer_variables: Vec::new(),
        subroutine_uniforms: Vec::new(),
        default_block_size: 0,
        samplers: Vec::new(),
        images: Vec::new(),
        atomic_buffers: Vec::new(),
        feedback: Vec::new(),
        feedback_strides: [0; 4],
    }
}
