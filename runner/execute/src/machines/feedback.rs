//! State of transform feedback.

use raster::resources::BufferId;

/// State of transform feedback.
#[derive(Clone, Debug, Default)]
pub(super) struct FeedbackState {
    /// Buffers at the binding points; the same numbers on every executor.
    pub buffers: [Option<BufferId>; 4],
    /// Primitives generated and written by the last capture.
    pub counts: [u32; 2],
}
