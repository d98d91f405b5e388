//! Fields of the state that draws read, and state that is decoded once for each draw.

pub(crate) mod clears;
pub(crate) mod clip;
pub(crate) mod fields;
pub(crate) mod raster;
pub(crate) mod stages;
pub(crate) mod vertices;

use crate::context::HardwareContext;
use crate::facts::Facts;
use clears::Special;
use clip::ClipState;
use fields::Fields;
use raster::RasterState;
use stages::Stages;
use vertices::VertexState;

/// Decoded state of a draw.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) vertices: VertexState,
    pub(crate) stages: Stages,
    pub(crate) clip: ClipState,
    pub(crate) raster: RasterState,
    /// Effect of rectangles; `None` if they are shaded.
    pub(crate) special: Option<Special>,
}

impl State {
    /// Decodes the state of a context.
    pub(crate) fn decode(fields: &Fields, facts: Facts, context: &HardwareContext) -> State {
        let stages = Stages::decode(fields, context);
        State {
            vertices: VertexState::decode(fields, context),
            clip: ClipState::decode(fields, context, stages.distances),
            stages,
            raster: RasterState::decode(fields, facts, context),
            special: Special::decode(fields, context),
        }
    }
}
