//! Attachments of a graphics pipeline: images, render pass, framebuffer.

use ash::vk;
use vk_script::{BufferId, Pipeline};

use super::images::{Description, Image, Maker, format_of};
use super::store::ImageIndex;
use crate::arena::{Arena, Object};
use crate::device::failed;
use crate::format::aspects;
use crate::outcome::{Flow, simulate, skip};

/// Layouts of color and of depth attachments in a render pass.
pub(super) const LAYOUTS: [vk::ImageLayout; 2] =
    [vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL, vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL];

/// The attachments of a pipeline.
pub(super) struct Attachments {
    pub(super) render_pass: vk::RenderPass,
    pub(super) framebuffer: vk::Framebuffer,
    pub(super) size: vk::Extent2D,
    /// Images of the color attachments by location.
    pub(super) colors: Vec<ImageIndex>,
    /// Image of the depth and stencil attachment.
    pub(super) depth: Option<ImageIndex>,
    /// Images of the resolve targets.
    pub(super) resolves: Vec<ImageIndex>,
    pub(super) samples: vk::SampleCountFlags,
}

impl Attachments {
    /// Returns all images.
    pub(super) fn images(&self) -> impl Iterator<Item = ImageIndex> {
        self.colors.iter().chain(&self.depth).chain(&self.resolves).copied()
    }

    /// Creates the attachments of a pipeline.
    pub(super) fn make(
        maker: &Maker<'_>,
        arena: &mut Arena,
        images: &mut Vec<Image>,
        pipeline: &Pipeline,
    ) -> Flow<Attachments> {
        let [width, height] = pipeline.framebuffer;
        let limits = &maker.device.limits;
        if width > limits.max_framebuffer_width || height > limits.max_framebuffer_height {
            let (w, h) = (limits.max_framebuffer_width, limits.max_framebuffer_height);
            return Err(skip(format!("the driver has framebuffers of up to {w}x{h}")));
        }
        let colors = by_location(pipeline)?;
        if colors.len() > limits.max_color_attachments as usize {
            let most = limits.max_color_attachments;
            return Err(skip(format!("the driver has {most} color attachments")));
        }
        let mut parts = Parts { maker, arena, images, descriptions: Vec::new(), views: Vec::new() };
        let size = [width, height, 1];
        let mut color_images = Vec::new();
        for (buffer, level) in colors {
            let size = [width.checked_shl(level), height.checked_shl(level), Some(1)];
            let [Some(w), Some(h), Some(d)] = size else {
                return Err(simulate("the level of mipmaps is too large"));
            };
            color_images.push(parts.attach(buffer, [w, h, d], level)?);
        }
        let depth = pipeline.depth_stencil.map(|buffer| parts.attach(buffer, size, 0));
        let depth = depth.transpose()?;
        let mut resolves = Vec::new();
        for &buffer in &pipeline.resolves {
            resolves.push(parts.attach(buffer, size, 0)?);
        }
        let samples = parts.samples(&color_images);
        let (render_pass, framebuffer) =
            parts.finish(color_images.len(), depth.is_some(), resolves.len(), [width, height])?;
        let size = vk::Extent2D { width, height };
        Ok(Attachments {
            render_pass,
            framebuffer,
            size,
            colors: color_images,
            depth,
            resolves,
            samples,
        })
    }
}

/// Returns buffer and level of the color attachments by location.
fn by_location(pipeline: &Pipeline) -> Flow<Vec<(BufferId, u32)>> {
    let mut colors: Vec<_> = pipeline.colors.iter().collect();
    colors.sort_by_key(|color| color.location);
    let sequential = colors.iter().zip(0..).all(|(color, index)| color.location == index);
    if !sequential {
        return Err(simulate("the locations of color attachments are not 0, 1, …"));
    }
    Ok(colors.into_iter().map(|color| (color.buffer, color.base_mip_level)).collect())
}

/// Attachments that are being made.
struct Parts<'a> {
    maker: &'a Maker<'a>,
    arena: &'a mut Arena,
    images: &'a mut Vec<Image>,
    descriptions: Vec<vk::AttachmentDescription>,
    views: Vec<vk::ImageView>,
}

impl Parts<'_> {
    /// Creates the image of an attachment.
    fn attach(&mut self, buffer: BufferId, extent: [u32; 3], level: u32) -> Flow<ImageIndex> {
        use vk::ImageUsageFlags as Usage;
        let declared = self.maker.script.buffer(buffer);
        let is_color = aspects(format_of(declared)?) == vk::ImageAspectFlags::COLOR;
        let [color, depth] = LAYOUTS;
        let (usage, layout) = match is_color {
            true => (Usage::COLOR_ATTACHMENT, color),
            false => (Usage::DEPTH_STENCIL_ATTACHMENT, depth),
        };
        let samples = declared.image.map_or(1, |image| image.samples);
        let copies = Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
        let usage = if samples > 1 { usage } else { usage | copies };
        let description = Description { buffer, usage, extent, levels: (level, Some(1)) };
        // Pipelines with the same attachment share its image, and with it the samples and the
        // stencil values, which the buffer may have no room for.
        let known = self.images.iter().position(|image| image.serves(&description));
        let index = match known {
            Some(index) => index,
            None => {
                self.images.push(self.maker.image(self.arena, &description)?);
                self.images.len() - 1
            }
        };
        let image = &self.images[index];
        let view = self.maker.view(self.arena, image, image.aspects, (level, 1))?;
        self.descriptions.push(
            vk::AttachmentDescription::default()
                .format(image.format)
                .samples(vk::SampleCountFlags::from_raw(samples))
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE)
                .stencil_load_op(vk::AttachmentLoadOp::LOAD)
                .stencil_store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(layout)
                .final_layout(layout),
        );
        self.views.push(view);
        Ok(index)
    }

    /// Returns the number of samples of the color attachments.
    fn samples(&self, colors: &[ImageIndex]) -> vk::SampleCountFlags {
        let of = |&index: &ImageIndex| self.images[index].samples;
        vk::SampleCountFlags::from_raw(colors.iter().map(of).max().unwrap_or(1))
    }

    /// Creates render pass and framebuffer.
    fn finish(
        self,
        colors: usize,
        has_depth: bool,
        resolves: usize,
        [width, height]: [u32; 2],
    ) -> Flow<(vk::RenderPass, vk::Framebuffer)> {
        let [color_layout, depth_layout] = LAYOUTS;
        let reference = |index: usize, layout| {
            let attachment = u32::try_from(index).unwrap_or(vk::ATTACHMENT_UNUSED);
            vk::AttachmentReference { attachment, layout }
        };
        let color: Vec<_> = (0..colors).map(|index| reference(index, color_layout)).collect();
        let depth = reference(colors, depth_layout);
        let first = colors + usize::from(has_depth);
        // A pass resolves all color attachments or none.
        let unused = vk::AttachmentReference {
            attachment: vk::ATTACHMENT_UNUSED,
            layout: vk::ImageLayout::UNDEFINED,
        };
        let resolve =
            |index| if index < resolves { reference(first + index, color_layout) } else { unused };
        let resolve: Vec<_> = (0..colors).map(resolve).collect();
        let mut subpass = vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&color);
        if has_depth {
            subpass = subpass.depth_stencil_attachment(&depth);
        }
        if resolves > 0 {
            subpass = subpass.resolve_attachments(&resolve);
        }
        let subpasses = [subpass];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&self.descriptions)
            .subpasses(&subpasses);
        let raw = &self.maker.device.raw;
        // SAFETY: the device lives; the references are those of the attachments.
        let render_pass = unsafe { raw.create_render_pass(&info, None) }
            .map_err(|error| failed("vkCreateRenderPass", error))?;
        self.arena.add(Object::RenderPass(render_pass));
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(render_pass)
            .attachments(&self.views)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: the views are those of the render pass's attachments.
        let framebuffer = unsafe { raw.create_framebuffer(&info, None) }
            .map_err(|error| failed("vkCreateFramebuffer", error))?;
        self.arena.add(Object::Framebuffer(framebuffer));
        Ok((render_pass, framebuffer))
    }
}
