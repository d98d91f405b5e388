//! Images: attachments of pipelines, and images of the descriptors of one pipeline.
//!
//! The contents of an image are those of a buffer of the script. They are copied to the image
//! before a command that uses it, and back before somebody reads the buffer, if the other one is
//! newer. All levels of mipmaps get the first bytes of the buffer, and the first level that is used
//! comes back, as in Amber. Images with several samples have no copies, so that nothing but a
//! resolve can read them.

use ash::vk;
use vk_script::{Buffer, BufferId, Dimension, Script};

use super::packing::{self, Packed};
use super::recording::Recording;
use super::store::Store;
use crate::arena::{Arena, Object};
use crate::device::{Device, failed};
use crate::format::{aspects, depth_bytes, of_script};
use crate::loader::Instance;
use crate::memory::allocate;
use crate::outcome::{Flow, simulate, skip};

/// An image.
pub(super) struct Image {
    pub(super) handle: vk::Image,
    pub(super) buffer: BufferId,
    pub(super) format: vk::Format,
    pub(super) aspects: vk::ImageAspectFlags,
    usage: vk::ImageUsageFlags,
    kind: vk::ImageType,
    extent: vk::Extent3D,
    /// Levels that are copied: the first one, and their number.
    levels: (u32, u32),
    pub(super) samples: u32,
    layout: vk::ImageLayout,
    /// Version of the buffer whose contents the image has; 0 if it has none.
    pub(super) version: u64,
    /// The texels, for formats whose buffers have another layout.
    staging: Option<Packed>,
}

/// Description of a new image.
#[derive(Clone, Copy)]
pub(super) struct Description {
    pub(super) buffer: BufferId,
    pub(super) usage: vk::ImageUsageFlags,
    /// Width, height and depth of level 0.
    pub(super) extent: [u32; 3],
    /// First level that is used, and their number; `None`: all from there.
    pub(super) levels: (u32, Option<u32>),
}

/// Everything that creates an image.
pub(super) struct Maker<'a> {
    pub(super) instance: &'a Instance,
    pub(super) physical: vk::PhysicalDevice,
    pub(super) device: &'a Device,
    pub(super) script: &'a Script,
}

impl Maker<'_> {
    /// Creates an image.
    pub(super) fn image(&self, arena: &mut Arena, description: &Description) -> Flow<Image> {
        let buffer = self.script.buffer(description.buffer);
        let format = format_of(buffer)?;
        let aspects = aspects(format);
        let properties = buffer.image.unwrap_or(vk_script::Image {
            dimension: Dimension::Two,
            depth: 1,
            mip_levels: 1,
            samples: 1,
        });
        let kind = match properties.dimension {
            Dimension::One => vk::ImageType::TYPE_1D,
            Dimension::Two => vk::ImageType::TYPE_2D,
            Dimension::Three => vk::ImageType::TYPE_3D,
        };
        let [width, height, depth] = description.extent;
        let extent = vk::Extent3D { width, height, depth };
        let levels = properties.mip_levels;
        let samples = vk::SampleCountFlags::from_raw(properties.samples);
        let info = vk::ImageCreateInfo::default()
            .image_type(kind)
            .format(format)
            .extent(extent)
            .mip_levels(levels)
            .array_layers(1)
            .samples(samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(description.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        self.check(buffer, &info)?;
        // SAFETY: the device lives and supports such an image.
        let handle = unsafe { self.device.raw.create_image(&info, None) };
        let handle = handle.map_err(|error| failed("vkCreateImage", error))?;
        arena.add(Object::Image(handle));
        // SAFETY: the image is of this device.
        let needs = unsafe { self.device.raw.get_image_memory_requirements(handle) };
        use vk::MemoryPropertyFlags as Flags;
        let memory = allocate(self.device, arena, needs, Flags::empty(), Flags::DEVICE_LOCAL)?;
        // SAFETY: the memory is new and large enough.
        unsafe { self.device.raw.bind_image_memory(handle, memory, 0) }
            .map_err(|error| failed("vkBindImageMemory", error))?;
        let (first, count) = description.levels;
        if first >= levels {
            let name = &buffer.name;
            return Err(simulate(format!(
                "`{name}` has {levels} levels of mipmaps, no level {first}"
            )));
        }
        let levels = (first, count.unwrap_or(levels - first));
        let texels = u64::from(width) * u64::from(height) * u64::from(depth);
        let staging = self.staging(arena, buffer, (format, aspects), texels)?;
        let image = Image {
            handle,
            buffer: description.buffer,
            format,
            aspects,
            usage: description.usage,
            kind,
            extent,
            levels,
            samples: properties.samples,
            layout: vk::ImageLayout::UNDEFINED,
            version: 0,
            staging,
        };
        image.check_size(buffer)?;
        Ok(image)
    }

    /// Creates the staging buffer of an image whose copies have another layout than its buffer.
    fn staging(
        &self,
        arena: &mut Arena,
        buffer: &Buffer,
        (format, aspects): (vk::Format, vk::ImageAspectFlags),
        texels: u64,
    ) -> Flow<Option<Packed>> {
        let (steps, of_texel) = match aspects == vk::ImageAspectFlags::COLOR {
            true => match packing::steps(buffer)? {
                None => return Ok(None),
                Some(steps) => (Some(steps), steps[0] as u64),
            },
            false => (None, depth_bytes(format) + 1),
        };
        let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
        let size = texels.saturating_mul(of_texel);
        Packed::create(self.device, arena, size, usage, steps).map(Some)
    }

    /// Refuses an image that the device does not support.
    fn check(&self, buffer: &Buffer, info: &vk::ImageCreateInfo<'_>) -> Flow {
        let lacks = |what: String| {
            let format = &buffer.format.name;
            skip(format!(
                "the driver lacks {what} of format {format} for the use of `{}`",
                buffer.name
            ))
        };
        // SAFETY: the handle is one of this instance.
        let found = unsafe {
            self.instance.raw.get_physical_device_image_format_properties(
                self.physical,
                info.format,
                info.image_type,
                info.tiling,
                info.usage,
                info.flags,
            )
        };
        let limits = found.map_err(|_| lacks("images".to_owned()))?;
        if !limits.sample_counts.contains(info.samples) {
            return Err(lacks(format!("images with {} samples", info.samples.as_raw())));
        }
        let (most, wanted) = (limits.max_extent, info.extent);
        let fits = wanted.width <= most.width
            && wanted.height <= most.height
            && wanted.depth <= most.depth
            && info.mip_levels <= limits.max_mip_levels;
        if fits { Ok(()) } else { Err(lacks("images of this size".to_owned())) }
    }

    /// Creates a view of an image.
    pub(super) fn view(
        &self,
        arena: &mut Arena,
        image: &Image,
        aspects: vk::ImageAspectFlags,
        (first, count): (u32, u32),
    ) -> Flow<vk::ImageView> {
        let kind = match image.kind {
            vk::ImageType::TYPE_1D => vk::ImageViewType::TYPE_1D,
            vk::ImageType::TYPE_3D => vk::ImageViewType::TYPE_3D,
            _ => vk::ImageViewType::TYPE_2D,
        };
        let info = vk::ImageViewCreateInfo::default()
            .image(image.handle)
            .view_type(kind)
            .format(image.format)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: aspects,
                base_mip_level: first,
                level_count: count,
                base_array_layer: 0,
                layer_count: 1,
            });
        // SAFETY: the image is of this device and lives as long as the view.
        let view = unsafe { self.device.raw.create_image_view(&info, None) };
        let view = view.map_err(|error| failed("vkCreateImageView", error))?;
        arena.add(Object::ImageView(view));
        Ok(view)
    }
}

impl Image {
    /// Returns true if a description is that of this image.
    pub(super) fn serves(&self, description: &Description) -> bool {
        let Description { buffer, usage, extent: [width, height, depth], levels } = *description;
        (self.buffer, self.usage) == (buffer, usage)
            && self.extent == vk::Extent3D { width, height, depth }
            && (self.levels.0, Some(self.levels.1)) == levels
    }

    /// Refuses a buffer that is too small for the copies.
    fn check_size(&self, buffer: &Buffer) -> Flow {
        let is_color = self.aspects == vk::ImageAspectFlags::COLOR;
        if self.samples > 1 || !is_color {
            return Ok(());
        }
        let e = self.size_of_level(self.levels.0);
        let texels = u64::from(e.width) * u64::from(e.height) * u64::from(e.depth);
        let (wanted, has) = (texels * u64::from(buffer.format.size), buffer.size());
        if wanted > has {
            let name = &buffer.name;
            return Err(simulate(format!("`{name}` has {has} bytes, its image {wanted}")));
        }
        Ok(())
    }

    fn size_of_level(&self, level: u32) -> vk::Extent3D {
        let size = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
        let e = self.extent;
        vk::Extent3D { width: size(e.width), height: size(e.height), depth: size(e.depth) }
    }

    /// Returns the copies between the image and a buffer.
    fn regions(&self, (first, count): (u32, u32)) -> Vec<vk::BufferImageCopy> {
        let texels = u64::from(self.extent.width) * u64::from(self.extent.height);
        let stencil = texels * u64::from(self.extent.depth) * depth_bytes(self.format);
        let region = |level: u32, aspect, offset| {
            vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: aspect,
                    mip_level: level,
                    base_array_layer: 0,
                    layer_count: 1,
                })
                .image_extent(self.size_of_level(level))
        };
        let aspects = [
            (vk::ImageAspectFlags::COLOR, 0),
            (vk::ImageAspectFlags::DEPTH, 0),
            (vk::ImageAspectFlags::STENCIL, stencil),
        ];
        let aspects = aspects.into_iter().filter(|(aspect, _)| self.aspects.contains(*aspect));
        aspects
            .flat_map(|(aspect, offset)| {
                (first..first + count).map(move |level| region(level, aspect, offset))
            })
            .collect()
    }

    /// Records a change of the layout, if it is another one.
    pub(super) fn transition(
        &mut self,
        recording: &mut Recording<'_>,
        to: vk::ImageLayout,
    ) -> Flow {
        let from = std::mem::replace(&mut self.layout, to);
        if from == to {
            return Ok(());
        }
        recording.transition(self.handle, self.aspects, (from, to))
    }

    /// Brings the newest contents of the buffer into the image, if the buffer's bytes are newer.
    pub(super) fn upload(
        &mut self,
        recording: &mut Recording<'_>,
        device: &Device,
        arena: &mut Arena,
        store: &mut Store,
    ) -> Flow {
        if self.version == store.get(self.buffer).version || self.samples > 1 {
            return Ok(());
        }
        let mut regions = self.regions(self.levels);
        let is_first = self.version == 0;
        let source = match &mut self.staging {
            Some(staging) => {
                // Recorded commands may still read the staging buffer.
                recording.finish()?;
                let from = store.bytes(self.buffer);
                staging.fill(from);
                let is_whole =
                    staging.steps.is_some() || from.len() >= staging.texels.bytes().len();
                if !is_first && !is_whole {
                    // The buffer has no room for stencil values, which stay as they are.
                    let stencil = vk::ImageAspectFlags::STENCIL;
                    regions.retain(|region| region.image_subresource.aspect_mask != stencil);
                }
                staging.texels.handle
            }
            None => store.mapped(self.buffer, device, arena)?,
        };
        self.version = store.get(self.buffer).version;
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.transition(recording, layout)?;
        let commands = recording.commands()?;
        // SAFETY: image and buffer live until the end of the script; the regions are inside of
        // both, as `check_size` found.
        unsafe {
            device.raw.cmd_copy_buffer_to_image(commands, source, self.handle, layout, &regions);
        }
        Ok(())
    }

    /// Brings the contents of the image, which are the newest ones, into the buffer. Afterwards the
    /// device is idle.
    pub(super) fn download(
        &mut self,
        recording: &mut Recording<'_>,
        device: &Device,
        arena: &mut Arena,
        store: &mut Store,
    ) -> Flow {
        store.get_mut(self.buffer).newest = None;
        if self.samples > 1 {
            return recording.finish();
        }
        let target = match &self.staging {
            Some(staging) => staging.texels.handle,
            None => store.mapped(self.buffer, device, arena)?,
        };
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        self.transition(recording, layout)?;
        let commands = recording.commands()?;
        // SAFETY: as for `upload`.
        unsafe {
            device.raw.cmd_copy_image_to_buffer(
                commands,
                self.handle,
                layout,
                target,
                &self.regions((self.levels.0, 1)),
            );
        }
        recording.finish()?;
        if let Some(staging) = &self.staging {
            staging.empty_to(store.bytes_mut(self.buffer));
            self.version = store.get(self.buffer).version;
        }
        Ok(())
    }
}

/// Returns the format of a buffer's texels.
pub(super) fn format_of(buffer: &Buffer) -> Flow<vk::Format> {
    let missing =
        || simulate(format!("`{}` has no format of texels: `{}`", buffer.name, buffer.format.name));
    buffer.format.vk.map(of_script).ok_or_else(missing)
}
