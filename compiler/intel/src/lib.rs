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
pub mod isel;
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
pub mod sends;
pub mod surfaces;
pub mod timing;
pub mod vec4;
pub mod vue;

pub use error::CompileError;
pub use model::{Model, Quirk, QuirkSet};
pub use options::{Backend, Options, StageKey};

use codegen::CodeGenerator;
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
    let model = Model::new(devinfo, options.disabled_quirks);
    let stage = shader.info.stage;
    let backend = backend_for(devinfo, stage, options.backend);
    let compile_stage = match (backend, stage) {
        (Backend::Scalar, ir::Stage::Vertex) => scalar::vertex::compile,
        (Backend::Scalar, ir::Stage::TessControl) => scalar::tess_control::compile,
        (Backend::Scalar, ir::Stage::TessEval) => scalar::tess_eval::compile,
        (Backend::Scalar, ir::Stage::Geometry) => scalar::geometry::compile,
        (_, ir::Stage::Fragment) => scalar::fragment::compile,
        (_, ir::Stage::Compute) => scalar::compute::compile,
        (Backend::Vec4, ir::Stage::Vertex) => vec4::vertex::compile,
        (Backend::Vec4, ir::Stage::TessControl) => vec4::tess_control::compile,
        (Backend::Vec4, ir::Stage::TessEval) => vec4::tess_eval::compile,
        (Backend::Vec4, ir::Stage::Geometry) => vec4::geometry::compile,
    };
    compile_stage(shader, key, &CodeGenerator { model: &model, options })
}

/// The back end that compiles `stage`: the caller's choice where the generation has both, which those with scalar code
/// have for vertex shaders; else the only one.
#[must_use]
pub fn backend_for(devinfo: &'static DevInfo, stage: ir::Stage, choice: Option<Backend>) -> Backend {
    if matches!(stage, ir::Stage::Fragment | ir::Stage::Compute) {
        return Backend::Scalar;
    }
    match devinfo.has_simd8_urb {
        true if stage == ir::Stage::Vertex => choice.unwrap_or(Backend::Scalar),
        true => Backend::Scalar,
        false => Backend::Vec4,
    }
}
