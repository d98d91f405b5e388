//! Descriptor sets of a pipeline, and its layout.

use std::collections::BTreeMap;

use ash::vk;
use vk_script::{
    Binding, Buffer, BufferId, DescriptorKind, Filter, Pipeline, Place, Resource, Sampler, Script,
};

use super::images::{Description, Image, Maker};
use super::packing::{self, Packed};
use super::store::{ImageIndex, Store};
use crate::arena::{Arena, Object};
use crate::device::{Device, failed};
use crate::format::of_script;
use crate::outcome::{Flow, simulate, skip};

/// Descriptor sets, and the resources that a command must prepare and may change.
#[derive(Default)]
pub(super) struct Descriptors {
    pub(super) layout: vk::PipelineLayout,
    /// Sets with descriptors: number, handle, dynamic offsets in the order of bindings.
    pub(super) sets: Vec<(u32, vk::DescriptorSet, Vec<u32>)>,
    /// Images, each with its buffer's contents.
    pub(super) images: Vec<ImageIndex>,
    /// Images that shaders may write.
    pub(super) written_images: Vec<ImageIndex>,
    /// Buffers that shaders read or write.
    pub(super) buffers: Vec<BufferId>,
    /// Buffers that shaders may write.
    pub(super) written_buffers: Vec<BufferId>,
    /// Texel buffers whose texels the driver has in another layout, with the version of the
    /// buffer's contents; 0 before the first.
    pub(super) packed: Vec<(BufferId, Packed, u64)>,
    /// Bytes of push constants.
    pub(super) push_constants: Vec<u8>,
}

/// Everything that the descriptors of a pipeline are made of.
pub(super) struct Resources<'a> {
    pub(super) maker: &'a Maker<'a>,
    pub(super) arena: &'a mut Arena,
    pub(super) store: &'a mut Store,
    pub(super) images: &'a mut Vec<Image>,
    pub(super) pipeline: &'a Pipeline,
}

impl Resources<'_> {
    fn device(&self) -> &Device {
        self.maker.device
    }

    fn script(&self) -> &Script {
        self.maker.script
    }

    /// Creates the sets and the layout of the pipeline.
    pub(super) fn make(mut self) -> Flow<Descriptors> {
        let mut made = Descriptors::default();
        let mut sets: BTreeMap<u32, Vec<(u32, &Binding)>> = BTreeMap::new();
        for binding in &self.pipeline.bindings {
            let Place::Slot { set, binding: number } = binding.place else {
                return Err(simulate("a binding has no set"));
            };
            sets.entry(set).or_default().push((number, binding));
        }
        let most = self.device().limits.max_bound_descriptor_sets;
        let count = sets.keys().next_back().map_or(0, |last| last.saturating_add(1));
        if count > most {
            return Err(skip(format!("the driver has {most} descriptor sets, not {count}")));
        }
        let mut layouts = Vec::new();
        for set in 0..count {
            let mut bindings = sets.remove(&set).unwrap_or_default();
            bindings.sort_by_key(|(number, _)| *number);
            let layout = self.set_layout(&bindings)?;
            layouts.push(layout);
            if !bindings.is_empty() {
                let handle = self.allocate(layout, &bindings)?;
                for (number, binding) in &bindings {
                    self.write(handle, *number, binding, &mut made)?;
                }
                let offsets = bindings.iter().filter(|(_, b)| is_dynamic(b.kind));
                let offsets =
                    offsets.flat_map(|(_, b)| b.resources.iter().map(|r| r.dynamic_offset));
                made.sets.push((set, handle, offsets.collect()));
            }
        }
        let range = self.push_constants(&mut made)?;
        let ranges = range.as_slice();
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts)
            .push_constant_ranges(ranges);
        // SAFETY: the layouts are of this device.
        let layout = unsafe { self.device().raw.create_pipeline_layout(&info, None) };
        made.layout = layout.map_err(|error| failed("vkCreatePipelineLayout", error))?;
        self.arena.add(Object::PipelineLayout(made.layout));
        Ok(made)
    }

    /// Returns the range of push constants, which all stages see.
    fn push_constants(&self, made: &mut Descriptors) -> Flow<Option<vk::PushConstantRange>> {
        let Some(buffer) = self.pipeline.push_constants else { return Ok(None) };
        let size = self.script().buffer(buffer).size().next_multiple_of(4);
        let most = self.device().limits.max_push_constants_size;
        if size > u64::from(most) {
            return Err(skip(format!("the driver has {most} bytes of push constants, not {size}")));
        }
        made.push_constants = vec![0; usize::try_from(size).unwrap_or(0)];
        let size = u32::try_from(size).unwrap_or(0);
        let range = vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::ALL)
            .offset(0)
            .size(size);
        Ok((size > 0).then_some(range))
    }

    fn set_layout(&mut self, bindings: &[(u32, &Binding)]) -> Flow<vk::DescriptorSetLayout> {
        let bindings: Vec<_> = bindings
            .iter()
            .map(|(number, binding)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(*number)
                    .descriptor_type(kind_of(binding.kind))
                    .descriptor_count(u32::try_from(binding.resources.len()).unwrap_or(u32::MAX))
                    .stage_flags(vk::ShaderStageFlags::ALL)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the device lives; the bindings are different.
        let layout = unsafe { self.device().raw.create_descriptor_set_layout(&info, None) };
        let layout = layout.map_err(|error| failed("vkCreateDescriptorSetLayout", error))?;
        self.arena.add(Object::SetLayout(layout));
        Ok(layout)
    }

    fn allocate(
        &mut self,
        layout: vk::DescriptorSetLayout,
        bindings: &[(u32, &Binding)],
    ) -> Flow<vk::DescriptorSet> {
        let sizes: Vec<_> = bindings
            .iter()
            .map(|(_, binding)| {
                vk::DescriptorPoolSize::default()
                    .ty(kind_of(binding.kind))
                    .descriptor_count(u32::try_from(binding.resources.len()).unwrap_or(u32::MAX))
            })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        // SAFETY: the device lives.
        let pool = unsafe { self.device().raw.create_descriptor_pool(&info, None) };
        let pool = pool.map_err(|error| failed("vkCreateDescriptorPool", error))?;
        self.arena.add(Object::DescriptorPool(pool));
        let layouts = [layout];
        let info =
            vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool is new and has room for the set.
        let sets = unsafe { self.device().raw.allocate_descriptor_sets(&info) };
        Ok(sets.map_err(|error| failed("vkAllocateDescriptorSets", error))?[0])
    }

    /// Fills the descriptors of a binding.
    fn write(
        &mut self,
        set: vk::DescriptorSet,
        number: u32,
        binding: &Binding,
        made: &mut Descriptors,
    ) -> Flow {
        let (mut images, mut buffers, mut views) = (Vec::new(), Vec::new(), Vec::new());
        for resource in &binding.resources {
            match binding.kind {
                DescriptorKind::Sampler => images.push(self.sampler_info(resource)?),
                DescriptorKind::CombinedImageSampler
                | DescriptorKind::SampledImage
                | DescriptorKind::StorageImage => {
                    images.push(self.image_info(binding.kind, resource, made)?);
                }
                DescriptorKind::UniformTexelBuffer | DescriptorKind::StorageTexelBuffer => {
                    views.push(self.texel_view(binding.kind, resource, made)?);
                }
                DescriptorKind::Uniform
                | DescriptorKind::Storage
                | DescriptorKind::UniformDynamic
                | DescriptorKind::StorageDynamic => {
                    buffers.push(self.buffer_info(binding.kind, resource, made)?);
                }
                DescriptorKind::Kernel => return Err(simulate("a binding of an OpenCL kernel")),
            }
        }
        let mut write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(number)
            .descriptor_type(kind_of(binding.kind));
        if !images.is_empty() {
            write = write.image_info(&images);
        } else if !buffers.is_empty() {
            write = write.buffer_info(&buffers);
        } else if !views.is_empty() {
            write = write.texel_buffer_view(&views);
        } else {
            return Ok(());
        }
        // SAFETY: the set is new, so that nothing uses it; the resources live as long as it.
        unsafe { self.device().raw.update_descriptor_sets(&[write], &[]) };
        Ok(())
    }

    fn sampler_info(&mut self, resource: &Resource) -> Flow<vk::DescriptorImageInfo> {
        let id = resource.sampler.ok_or_else(|| simulate("a binding has no sampler"))?;
        let info = sampler_info(self.script().sampler(id));
        // SAFETY: the device lives.
        let sampler = unsafe { self.device().raw.create_sampler(&info, None) };
        let sampler = sampler.map_err(|error| failed("vkCreateSampler", error))?;
        self.arena.add(Object::Sampler(sampler));
        Ok(vk::DescriptorImageInfo::default().sampler(sampler))
    }

    fn image_info(
        &mut self,
        kind: DescriptorKind,
        resource: &Resource,
        made: &mut Descriptors,
    ) -> Flow<vk::DescriptorImageInfo> {
        let id = buffer_of(resource)?;
        let mut info = match kind {
            DescriptorKind::CombinedImageSampler => self.sampler_info(resource)?,
            _ => vk::DescriptorImageInfo::default(),
        };
        let index = self.image_of(id, resource, made)?;
        let image = &self.images[index];
        let levels = match kind {
            DescriptorKind::StorageImage => 1,
            _ => vk::REMAINING_MIP_LEVELS,
        };
        // A view for shaders has one aspect.
        let depth = vk::ImageAspectFlags::DEPTH;
        let aspect = if image.aspects.contains(depth) { depth } else { image.aspects };
        let view = self.maker.view(self.arena, image, aspect, (resource.base_mip_level, levels))?;
        if kind == DescriptorKind::StorageImage {
            push_once(&mut made.written_images, index);
        }
        info.image_view = view;
        info.image_layout = vk::ImageLayout::GENERAL;
        Ok(info)
    }

    /// Returns the image of a buffer for the descriptors of this pipeline.
    fn image_of(
        &mut self,
        id: BufferId,
        resource: &Resource,
        made: &mut Descriptors,
    ) -> Flow<ImageIndex> {
        if let Some(&index) = made.images.iter().find(|&&index| self.images[index].buffer == id) {
            return Ok(index);
        }
        let buffer = self.script().buffer(id);
        let depth = buffer.image.map_or(1, |image| image.depth);
        let description = Description {
            buffer: id,
            usage: self.image_usage(id),
            extent: [buffer.width, buffer.height, depth],
            levels: (resource.base_mip_level, None),
        };
        let image = self.maker.image(self.arena, &description)?;
        self.images.push(image);
        made.images.push(self.images.len() - 1);
        Ok(self.images.len() - 1)
    }

    /// Returns the usages of a buffer's image in the descriptors of this pipeline.
    fn image_usage(&self, id: BufferId) -> vk::ImageUsageFlags {
        use vk::ImageUsageFlags as Usage;
        let samples = self.script().buffer(id).image.map_or(1, |image| image.samples);
        let copies = Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
        let mut usage = if samples > 1 { Usage::empty() } else { copies };
        for binding in &self.pipeline.bindings {
            if binding.resources.iter().any(|resource| resource.buffer == Some(id)) {
                usage |= match binding.kind {
                    DescriptorKind::StorageImage => Usage::STORAGE,
                    _ => Usage::SAMPLED,
                };
            }
        }
        usage
    }

    fn texel_view(
        &mut self,
        kind: DescriptorKind,
        resource: &Resource,
        made: &mut Descriptors,
    ) -> Flow<vk::BufferView> {
        let id = buffer_of(resource)?;
        let buffer = self.script().buffer(id);
        let format = texel_format(buffer)?;
        let feature = match kind {
            DescriptorKind::StorageTexelBuffer => vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER,
            _ => vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER,
        };
        let maker = self.maker;
        // SAFETY: the handle is one of this instance.
        let found = unsafe {
            maker.instance.raw.get_physical_device_format_properties(maker.physical, format)
        };
        if !found.buffer_features.contains(feature) {
            let name = &buffer.format.name;
            return Err(skip(format!("the driver lacks texel buffers of format {name}")));
        }
        let handle = self.texels(kind, id, made)?;
        let info =
            vk::BufferViewCreateInfo::default().buffer(handle).format(format).range(vk::WHOLE_SIZE);
        // SAFETY: the buffer is of this device and lives as long as the view.
        let view = unsafe { maker.device.raw.create_buffer_view(&info, None) };
        let view = view.map_err(|error| failed("vkCreateBufferView", error))?;
        self.arena.add(Object::BufferView(view));
        Ok(view)
    }

    /// Returns the driver's buffer for a view of texels.
    fn texels(
        &mut self,
        kind: DescriptorKind,
        id: BufferId,
        made: &mut Descriptors,
    ) -> Flow<vk::Buffer> {
        let (buffer, device) = (self.maker.script.buffer(id), self.maker.device);
        let is_written = kind == DescriptorKind::StorageTexelBuffer;
        let Some(steps @ [packed, padded]) = packing::steps(buffer)? else {
            note(made, id, is_written);
            return self.store.mapped(id, device, self.arena);
        };
        if is_written {
            let name = &buffer.format.name;
            return Err(skip(format!("storage texel buffers of format {name} are not supported")));
        }
        let size = buffer.size() / padded as u64 * packed as u64;
        let usage = vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        let packed = Packed::create(device, self.arena, size, usage, Some(steps))?;
        let handle = packed.texels.handle;
        made.packed.push((id, packed, 0));
        Ok(handle)
    }

    fn buffer_info(
        &mut self,
        kind: DescriptorKind,
        resource: &Resource,
        made: &mut Descriptors,
    ) -> Flow<vk::DescriptorBufferInfo> {
        let id = buffer_of(resource)?;
        let buffer = self.script().buffer(id);
        let size = buffer.size().max(1);
        // The range of a dynamic descriptor begins at its dynamic offset.
        let start = resource.offset.saturating_add(u64::from(resource.dynamic_offset));
        let rest = size.checked_sub(start).filter(|&rest| rest > 0);
        let fits = |range: u64| rest.is_some_and(|rest| range > 0 && range <= rest);
        if rest.is_none() || !resource.range.is_none_or(fits) {
            let name = &buffer.name;
            return Err(simulate(format!("a descriptor is outside of `{name}`")));
        }
        let range = match resource.range {
            Some(range) => range,
            None if is_dynamic(kind) => rest.unwrap_or(0),
            None => vk::WHOLE_SIZE,
        };
        let handle = self.store.mapped(id, self.maker.device, self.arena)?;
        let writes = matches!(kind, DescriptorKind::Storage | DescriptorKind::StorageDynamic);
        note(made, id, writes);
        Ok(vk::DescriptorBufferInfo::default().buffer(handle).offset(resource.offset).range(range))
    }
}

/// Notes a buffer that shaders use.
fn note(made: &mut Descriptors, id: BufferId, writes: bool) {
    push_once(&mut made.buffers, id);
    if writes {
        push_once(&mut made.written_buffers, id);
    }
}

fn push_once<T: PartialEq>(list: &mut Vec<T>, value: T) {
    if !list.contains(&value) {
        list.push(value);
    }
}

fn buffer_of(resource: &Resource) -> Flow<BufferId> {
    resource.buffer.ok_or_else(|| simulate("a binding has no buffer"))
}

/// Returns the format of a texel buffer.
fn texel_format(buffer: &Buffer) -> Flow<vk::Format> {
    let missing =
        || simulate(format!("`{}` has no format of texels: `{}`", buffer.name, buffer.format.name));
    buffer.format.vk.map(of_script).ok_or_else(missing)
}

fn is_dynamic(kind: DescriptorKind) -> bool {
    matches!(kind, DescriptorKind::UniformDynamic | DescriptorKind::StorageDynamic)
}

fn kind_of(kind: DescriptorKind) -> vk::DescriptorType {
    match kind {
        DescriptorKind::Sampler => vk::DescriptorType::SAMPLER,
        DescriptorKind::CombinedImageSampler => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        DescriptorKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        DescriptorKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        DescriptorKind::UniformTexelBuffer => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        DescriptorKind::StorageTexelBuffer => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        DescriptorKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        DescriptorKind::Storage | DescriptorKind::Kernel => vk::DescriptorType::STORAGE_BUFFER,
        DescriptorKind::UniformDynamic => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
        DescriptorKind::StorageDynamic => vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
    }
}

/// Returns the description of a sampler.
fn sampler_info(sampler: &Sampler) -> vk::SamplerCreateInfo<'static> {
    let filter = |filter: Filter| match filter {
        Filter::Nearest => vk::Filter::NEAREST,
        Filter::Linear => vk::Filter::LINEAR,
    };
    let [u, v, w] = sampler.address.map(|mode| vk::SamplerAddressMode::from_raw(mode as i32));
    let compare = sampler.compare.map(|op| vk::CompareOp::from_raw(op.value()));
    vk::SamplerCreateInfo::default()
        .mag_filter(filter(sampler.mag_filter))
        .min_filter(filter(sampler.min_filter))
        .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
        .address_mode_u(u)
        .address_mode_v(v)
        .address_mode_w(w)
        .compare_enable(compare.is_some())
        .compare_op(compare.unwrap_or(vk::CompareOp::NEVER))
        .min_lod(sampler.min_lod)
        .max_lod(sampler.max_lod)
        .border_color(vk::BorderColor::from_raw(sampler.border as i32))
        .unnormalized_coordinates(!sampler.normalized)
}
