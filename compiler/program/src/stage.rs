//! Pipeline stages and the draw-time state that drivers compile into a stage.

use smallvec::SmallVec;
pub use vocabulary::Stage;

/// How a color attachment stores values, as far as a fragment shader's write message cares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum TargetKind {
    /// Normalized or floating point: the shader writes floats.
    #[default]
    Float,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// No attachment at this index.
    None,
}

/// Draw-time state that is compiled into a stage's binary; two draws with equal keys share a
/// binary.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StageKey {
    /// `glShadeModel(GL_FLAT)`: colors without an interpolation qualifier are flat.
    pub flat_shade: bool,
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`: the fragment stage selects back colors by facing.
    pub two_sided_color: bool,
    /// Bit i: user clip plane i is enabled (compatibility contexts; from `gl_ClipVertex` or
    /// `gl_Position`).
    pub clip_planes: u8,
    /// Vertices per patch; 0 outside tessellation.
    pub patch_vertices: u8,
    /// Color attachments of the draw framebuffer, by draw-buffer index.
    pub targets: SmallVec<[TargetKind; 8]>,
    /// Samples per pixel of the draw framebuffer; 0 or 1 means single-sampled.
    pub samples: u8,
    /// Bit i: texture coordinate i is replaced by the point coordinate.
    pub point_sprite: u8,
    /// Height of the draw framebuffer when the program's `gl_FragCoord` counts from the upper left
    /// corner, else 0.
    pub upper_left_height: u32,
}
