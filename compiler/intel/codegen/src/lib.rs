//! Back end: from the IR of one shader to machine code and the metadata that a device needs.
//!
//! [`compile`] selects instructions of [`lir`] for one of two targets, scalar and vec4 ([`isel`]).
//! The stages that both targets have are in [`stages`]. Everything after that is shared and in one
//! function of [`codegen`]: the passes of [`passes`], [`allocate`], [`encode`].
//!
//! ```
//! let text = "shader vertex
//! input attribute0 mask=15 smooth pixel stream=0
//! output position mask=15 smooth pixel stream=0
//! block b0 {
//!   32x1 v0 = const 0x0
//!   32x4 v1 = load_input v0 slot=attribute0 component=0
//!   store_output v1, v0 slot=position component=0 mask=15 stream=0
//! }
//! ";
//! let shader = ir::parse(text)?;
//! let device = intel_isa::DevInfo::get("ivb").ok_or("no device")?;
//! let compiled = intel_codegen::compile(
//!     &shader,
//!     &intel_codegen::StageKey::default(),
//!     device,
//!     &intel_codegen::CodegenOptions::default(),
//! )?;
//! assert_eq!(compiled.kernels[0].statistics.instructions, 5);
//! assert_eq!(intel_isa::validate_program(device, &compiled.kernels[0].code), []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
pub mod output;
pub mod passes;
pub mod pattern;
mod restricted_float;
pub mod scalar;
pub mod sends;
mod stage_key;
pub mod stages;
pub mod surfaces;
pub mod timing;
pub mod vec4;

pub use error::CompileError;
pub use model::{Model, Quirk, QuirkSet};
pub use output::Output;
pub use stage_key::StageKey;
pub use vocabulary::{Backend, CodegenOptions};

use codegen::CodeGenerator;
use intel_isa::DevInfo;
use passes::PassRecord;
use scalar::Scalar;
use vec4::Vec4;

/// Compiles one shader stage for `devinfo`.
///
/// # Errors
/// The phase that failed and the reason.
pub fn compile(
    shader: &ir::Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
) -> Result<Output, CompileError> {
    compile_recorded(shader, key, devinfo, options, &PassRecord::default())
}

/// As [`compile`], after the runs of optional passes that `record` counts, and records those on
/// kernels there.
///
/// # Errors
/// As [`compile`]; the record is complete even then.
pub fn compile_recorded(
    shader: &ir::Shader,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
    record: &PassRecord,
) -> Result<Output, CompileError> {
    let model = Model::new(devinfo, options.disabled_quirks);
    let stage = shader.info.stage;
    let backend = backend_for(devinfo, stage, options.backend);
    let compile_stage = match (backend, stage) {
        (Backend::Scalar, ir::Stage::Vertex) => stages::vertex::compile::<Scalar>,
        (Backend::Scalar, ir::Stage::TessControl) => stages::tess_control::compile::<Scalar>,
        (Backend::Scalar, ir::Stage::TessEval) => stages::tess_evaluation::compile::<Scalar>,
        (Backend::Scalar, ir::Stage::Geometry) => scalar::geometry::compile,
        (_, ir::Stage::Fragment) => scalar::fragment::compile,
        (_, ir::Stage::Compute) => scalar::compute::compile,
        (Backend::Vec4, ir::Stage::Vertex) => stages::vertex::compile::<Vec4>,
        (Backend::Vec4, ir::Stage::TessControl) => stages::tess_control::compile::<Vec4>,
        (Backend::Vec4, ir::Stage::TessEval) => stages::tess_evaluation::compile::<Vec4>,
        (Backend::Vec4, ir::Stage::Geometry) => vec4::geometry::compile,
    };
    compile_stage(shader, key, &CodeGenerator { model: &model, options, stage, record })
}

/// Returns the back end that compiles `stage`. Only vertex shaders of generations with scalar code
/// have a choice.
#[must_use]
pub fn backend_for(
    devinfo: &'static DevInfo,
    stage: ir::Stage,
    choice: Option<Backend>,
) -> Backend {
    if matches!(stage, ir::Stage::Fragment | ir::Stage::Compute) {
        return Backend::Scalar;
    }
    if !devinfo.has_simd8_urb {
        return Backend::Vec4;
    }
    choice.filter(|_| stage == ir::Stage::Vertex).unwrap_or(Backend::Scalar)
}
