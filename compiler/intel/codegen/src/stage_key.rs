//! Draw-time state that is compiled into stages.

use crate::output::{TessDomain, Varying};

/// Draw-time state that is compiled into a stage. The defaults suit a plain draw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageKey {
    /// Slots of the next stage's inputs that this stage must provide even if it does not write
    /// them; order is irrelevant.
    pub outputs_needed: Vec<Varying>,
    /// Number of color buffers that are bound.
    pub render_targets: u32,
    /// One fragment color goes to all bound color buffers (`gl_FragColor`).
    pub replicate_color: bool,
    /// Clamp fragment colors to 0 … 1.
    pub clamp_color: bool,
    /// Samples per pixel of the framebuffer.
    pub samples: u32,
    /// Vertices per input patch of a tessellation shader.
    pub patch_vertices: u32,
    /// Domain of the patches that a tessellation control shader makes.
    pub tess_domain: TessDomain,
}

impl Default for StageKey {
    fn default() -> Self {
        StageKey {
            outputs_needed: Vec::new(),
            render_targets: 1,
            replicate_color: false,
            clamp_color: false,
            samples: 1,
            patch_vertices: 0,
            tess_domain: TessDomain::default(),
        }
    }
}
