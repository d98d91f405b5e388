//! Draw-time state that is compiled into stages.

/// Stage that takes the outputs of a vertex or tessellation evaluation stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NextStage {
    /// Rasterization: the stage exports.
    #[default]
    Rasterization,
    /// The geometry stage, which reads the ring between both.
    Geometry,
    /// The tessellation control stage, which reads the local data share.
    TessControl,
}

/// Domain of tessellation, which decides the number of levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TessDomain {
    /// Triangles: three outer levels, one inner level.
    #[default]
    Triangles,
    /// Quads: four outer levels, two inner levels.
    Quads,
    /// Isolines: two outer levels.
    Isolines,
}

impl TessDomain {
    /// Returns the numbers of the outer and of the inner levels, in the order in which the
    /// tessellator reads them.
    pub fn levels(self) -> (&'static [u8], &'static [u8]) {
        match self {
            TessDomain::Triangles => (&[0, 1, 2], &[0]),
            TessDomain::Quads => (&[0, 1, 2, 3], &[0, 1]),
            TessDomain::Isolines => (&[1, 0], &[]),
        }
    }
}

/// Draw-time state that is compiled into a stage. The defaults suit a plain draw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageKey {
    /// Number of color buffers that are bound.
    pub render_targets: u32,
    /// Samples per pixel of the framebuffer.
    pub samples: u32,
    /// Taker of the outputs of a vertex or tessellation evaluation stage.
    pub next: NextStage,
    /// Vertices of an input patch; of the control stage's inputs.
    pub patch_vertices: u32,
    /// Domain of tessellation.
    pub tess_domain: TessDomain,
}

impl Default for StageKey {
    fn default() -> Self {
        StageKey {
            render_targets: 1,
            samples: 1,
            next: NextStage::Rasterization,
            patch_vertices: 0,
            tess_domain: TessDomain::Triangles,
        }
    }
}
