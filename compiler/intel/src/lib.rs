//! IR to execution-unit code: models, payloads, sends, liveness, allocation, scalar and vec4 back ends.
//!
//! [`compile`] takes one shader of crate `ir` and gives machine code and the metadata that a device needs to run
//! it ([`output`]). Inside, both back ends select instructions of LIR ([`lir`]) and share everything
//! after that: [`passes`], [`allocate`], [`encode`].

mod access;
pub mod allocate;
mod barrier;
pub mod codegen;
pub mod encode;
mod error;
mod legalize;
pub mod lir;
pub mod liveness;
pub mod model;
mod opt;
mod options;
pub mod output;
pub mod passes;
pub mod patch;
pub mod pattern;
pub mod scalar;
pub mod schedule;
pub mod sends;
pub mod surfaces;
pub mod vec4;
pub mod vue;

pub use error::CompileError;
pub use model::{Model, Quirk, QuirkSet};
pub use options::{Backend, Options, StageKey};

use eu::DevInfo;
use output::Compiled;

/// Compiles one shader stage for `devinfo`.
///
/// # Errors
/// The layer that gave up and why.
pub fn compile(
    shader: &ir::Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Compiled, CompileError> {
    match (shader.info.stage, backend_for(devinfo, shader.info.stage, options.backend)) {
        (ir::Stage::Vertex, Backend::Vec4) => vec4::compile_vertex(shader, key, devinfo, options),
        (ir::Stage::Vertex, Backend::Scalar) => scalar::compile_vertex(shader, key, devinfo, options),
        (ir::Stage::Geometry, Backend::Vec4) => vec4::compile_geometry(shader, key, devinfo, options),
        (ir::Stage::Geometry, Backend::Scalar) => scalar::compile_geometry(shader, key, devinfo, options),
        (ir::Stage::TessControl, Backend::Vec4) => vec4::compile_tess_control(shader, key, devinfo, options),
        (ir::Stage::TessEval, Backend::Vec4) => vec4::compile_tess_eval(shader, key, devinfo, options),
        (ir::Stage::TessControl, Backend::Scalar) => {
            scalar::compile_tess_control(shader, key, devinfo, options)
        }
        (ir::Stage::TessEval, Backend::Scalar) => scalar::compile_tess_eval(shader, key, devinfo, options),
        (ir::Stage::Compute, _) => scalar::compile_compute(shader, key, devinfo, options),
        (ir::Stage::Fragment, _) => scalar::compile_fragment(shader, key, devinfo, options),
    }
}

/// The back end that compiles `stage`: the caller's choice where the generation has both, which those with scalar code
/// have for vertex shaders; else the only one.
#[must_use]
pub fn backend_for(devinfo: &'static DevInfo, stage: ir::Stage, choice: Option<Backend>) -> Backend {
    if matches!(stage, ir::Stage::Fragment | ir::Stage::Compute) {
        return Backend::Scalar;
    }
    match model::model_for(devinfo, QuirkSet::default()).scalar_geometry_stages() {
        true if stage == ir::Stage::Vertex => choice.unwrap_or(Backend::Scalar),
        true => Backend::Scalar,
        false => Backend::Vec4,
    }
}

/// Whether a device has a quirk that instruction selection handles.
#[must_use]
pub fn has_quirk(devinfo: &'static DevInfo, quirk: Quirk) -> bool {
    model::model_for(devinfo, QuirkSet::default()).has_quirk(quirk)
}

/// The sampler compares lookups with explicit gradients; else they must be lowered.
#[must_use]
pub fn has_shadow_gradients(devinfo: &'static DevInfo) -> bool {
    model::model_for(devinfo, QuirkSet::default()).has_shadow_gradients()
}
