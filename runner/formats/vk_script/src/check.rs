//! Rules that both formats share: sizes, attachments, complete pipelines.

use vocabulary::Stage;

use crate::error::Span;
use crate::model::{
    Buffer, BufferId, Command, CommandKind, DescriptorKind, Pipeline, PipelineKind, Place, Script,
    VkFormat,
};
use crate::text::{Fault, Step};
use crate::tokens::Token;

/// The product of sizes, if it fits into 32 bits.
pub(crate) fn product(sizes: &[u32]) -> Option<u32> {
    sizes.iter().try_fold(1_u32, |product, size| product.checked_mul(*size))
}

/// Demands that a buffer is not too large.
pub(crate) fn buffer_size(buffer: &Buffer, at: &Token<'_>) -> Step<()> {
    size(buffer).map_err(|message| at.fault(message))
}

fn size(buffer: &Buffer) -> Result<(), String> {
    let limit = Buffer::LIMIT;
    if buffer.size() > limit {
        return Err(format!("buffer of {} bytes, more than {limit}", buffer.size()));
    }
    Ok(())
}

/// Most vertex attributes or color attachments of a pipeline; drivers have 32 or fewer.
pub(crate) const ATTRIBUTE_LIMIT: usize = 256;

/// Entries of a pipeline, which a derived one copies.
pub(crate) fn entries(pipeline: &Pipeline) -> usize {
    let resources: usize = pipeline.bindings.iter().map(|binding| binding.resources.len()).sum();
    1 + pipeline.stages.len()
        + pipeline.colors.len()
        + pipeline.resolves.len()
        + pipeline.bindings.len()
        + pipeline.vertex_buffers.len()
        + pipeline.kernel_arguments.len()
        + resources
}

/// Sets the size of the attachments of a pipeline to that of its framebuffer.
pub(crate) fn attachment_sizes(
    pipeline: &Pipeline,
    buffers: &mut [Buffer],
    at: &Token<'_>,
) -> Step<()> {
    let colors = pipeline.colors.iter().map(|color| (color.buffer, color.base_mip_level));
    let others = pipeline.depth_stencil.iter().chain(&pipeline.resolves).map(|id| (*id, 0));
    for (id, level) in colors.chain(others) {
        let sized = resize(&mut buffers[id.index()], pipeline.framebuffer, level);
        sized.map_err(|message| at.fault(message))?;
    }
    Ok(())
}

fn resize(buffer: &mut Buffer, framebuffer: [u32; 2], level: u32) -> Result<(), String> {
    let [width, height] = framebuffer.map(|size| u64::from(size) << level.min(31));
    let sizes = (u32::try_from(width), u32::try_from(height));
    let (Ok(width), Ok(height)) = sizes else {
        return Err("too large framebuffer".to_owned());
    };
    buffer.width = width;
    buffer.height = height;
    buffer.elements =
        product(&[width, height]).ok_or_else(|| "too large framebuffer".to_owned())?;
    size(buffer)
}

/// Checks what needs the whole script.
pub(crate) fn script(script: &Script) -> Step<()> {
    buffers(script)?;
    for pipeline in &script.pipelines {
        complete(script, pipeline).map_err(|message| Fault::at(header(pipeline), message))?;
    }
    commands(script, &script.commands)
}

/// Demands that buffers are not too large together.
pub(crate) fn buffers(script: &Script) -> Step<()> {
    let total: u64 = script.buffers.iter().map(Buffer::size).sum();
    if total > TOTAL_LIMIT {
        let largest = script.buffers.iter().max_by_key(|buffer| buffer.size());
        let span = largest.map_or_else(Span::default, |buffer| buffer.span);
        return Err(Fault::at(span, format!("buffers of {total} bytes, more than {TOTAL_LIMIT}")));
    }
    Ok(())
}

/// Most bytes of all buffers of a script.
const TOTAL_LIMIT: u64 = 1 << 30;

/// The first bytes of a pipeline's declaration, for a message.
fn header(pipeline: &Pipeline) -> Span {
    Span { start: pipeline.span.start, end: pipeline.span.end.min(pipeline.span.start + 60) }
}

fn complete(script: &Script, pipeline: &Pipeline) -> Result<(), String> {
    match pipeline.kind {
        PipelineKind::RayTracing => return Ok(()),
        PipelineKind::Compute if pipeline.stages.is_empty() => {
            return Err("compute pipeline without a shader".to_owned());
        }
        PipelineKind::Compute => {}
        PipelineKind::Graphics => graphics(script, pipeline)?,
    }
    for binding in &pipeline.bindings {
        let placed = matches!(binding.place, Place::Slot { .. });
        if placed && binding.kind == DescriptorKind::Kernel && script.unsupported.is_empty() {
            return Err("binding without a kind: expected `AS`".to_owned());
        }
    }
    Ok(())
}

fn graphics(script: &Script, pipeline: &Pipeline) -> Result<(), String> {
    if !pipeline.stages.iter().any(|stage| stage.stage == Stage::Vertex) {
        return Err("graphics pipeline without a vertex shader".to_owned());
    }
    for color in &pipeline.colors {
        attachment(script, pipeline, color.buffer, color.base_mip_level)?;
        let buffer = script.buffer(color.buffer);
        let levels = buffer.image.map_or(1, |image| image.mip_levels);
        if buffer.width.min(buffer.height).checked_shr(levels - 1).unwrap_or(0) == 0 {
            return Err(format!("color attachment is too small for {levels} levels of mipmaps"));
        }
    }
    if let Some(depth) = pipeline.depth_stencil {
        attachment(script, pipeline, depth, 0)?;
    }
    Ok(())
}

/// Demands that an attachment, which pipelines share, still has the size of the framebuffer.
fn attachment(
    script: &Script,
    pipeline: &Pipeline,
    id: BufferId,
    level: u32,
) -> Result<(), String> {
    let buffer = script.buffer(id);
    let [width, height] = pipeline.framebuffer.map(|size| u64::from(size) << level.min(31));
    if u64::from(buffer.elements) != width * height {
        return Err(format!("attachment `{}` has another size in another pipeline", buffer.name));
    }
    let Some(VkFormat(_)) = buffer.format.vk else {
        return Err(format!("attachment `{}` has no format of Vulkan's", buffer.name));
    };
    Ok(())
}

/// Checks commands whose buffers may have changed their size after they were read.
fn commands(script: &Script, list: &[Command]) -> Step<()> {
    for command in list {
        match &command.kind {
            CommandKind::Repeat { commands: inner, .. } => commands(script, inner)?,
            CommandKind::Copy { from, to }
                if script.buffer(*from).size() != script.buffer(*to).size() =>
            {
                return Err(Fault::at(command.span, "copy between buffers of different size"));
            }
            _ => {}
        }
    }
    Ok(())
}
