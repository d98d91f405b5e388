//! Buffers and pipelines that have nothing yet, and the default color attachment.

use std::sync::Arc;

use crate::error::Span;
use crate::formats::format_by_number;
use crate::model::{
    Buffer, Contents, Dimension, Format, Image, Pipeline, PipelineKind, State, VkFormat,
};

/// A buffer without elements.
pub(crate) fn buffer(name: &str, format: Arc<Format>) -> Buffer {
    Buffer {
        name: name.to_owned(),
        span: Span::default(),
        format,
        elements: 0,
        width: 1,
        height: 1,
        image: None,
        contents: Contents::Zero,
    }
}

/// An image of one level and one sample.
pub(crate) const PLAIN_IMAGE: Image =
    Image { dimension: Dimension::Two, depth: 1, mip_levels: 1, samples: 1 };

/// Name of the color attachment that pipelines have by default.
pub(crate) const DEFAULT_COLOR: &str = "framebuffer";
/// Format of the default color attachment: `B8G8R8A8_UNORM`.
const DEFAULT_COLOR_FORMAT: VkFormat = VkFormat(44);

/// The default color attachment.
pub(crate) fn default_color() -> Buffer {
    let format = format_by_number(DEFAULT_COLOR_FORMAT);
    let format = format.unwrap_or_else(|| unreachable!("a format of the table"));
    let mut color = buffer(DEFAULT_COLOR, Arc::new(format));
    color.image = Some(PLAIN_IMAGE);
    color
}

/// A pipeline that has nothing yet.
pub(crate) fn pipeline(name: &str, kind: PipelineKind) -> Pipeline {
    Pipeline {
        name: name.to_owned(),
        span: Span::default(),
        kind,
        stages: Vec::new(),
        colors: Vec::new(),
        depth_stencil: None,
        resolves: Vec::new(),
        bindings: Vec::new(),
        push_constants: None,
        vertex_buffers: Vec::new(),
        indices: None,
        framebuffer: [250, 250],
        viewport: None,
        state: State::default(),
        kernel_arguments: Vec::new(),
    }
}
