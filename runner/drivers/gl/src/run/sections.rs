//! Sections that are compiled but not linked yet.

use script::{GeometryLayout, Specialization, Stage};

use crate::bindings::gl;

/// Compiled shaders, and the sections that decide how they are linked.
#[derive(Default)]
pub(super) struct Sections<'a> {
    pub(super) shaders: Vec<(Stage, u32)>,
    /// Specialization constants by stage.
    pub(super) constants: Vec<(Stage, &'a [Specialization])>,
    pub(super) paths: Vec<&'a str>,
    pub(super) geometry: Option<GeometryLayout>,
    pub(super) assembly: bool,
}

/// Returns the enum of a stage.
pub(crate) fn stage_enum(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => gl::VERTEX_SHADER,
        Stage::TessControl => gl::TESS_CONTROL_SHADER,
        Stage::TessEval => gl::TESS_EVALUATION_SHADER,
        Stage::Geometry => gl::GEOMETRY_SHADER,
        Stage::Fragment => gl::FRAGMENT_SHADER,
        Stage::Compute => gl::COMPUTE_SHADER,
    }
}
