//! Draw-time state that is compiled into stages.

/// Draw-time state that is compiled into a stage. The defaults suit a plain draw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageKey {
    /// Number of color buffers that are bound.
    pub render_targets: u32,
    /// Samples per pixel of the framebuffer.
    pub samples: u32,
}

impl Default for StageKey {
    fn default() -> Self {
        StageKey { render_targets: 1, samples: 1 }
    }
}
