//! Bindings of the program of a draw or dispatch.

use std::sync::Arc;

use raster::resources::{Bindings, BoundBuffer, BufferId, ImageUnit, Objects, TextureId};
use raster::surface::Surface;
use raster::texture::image::ImageView;
use raster::texture::{DepthMode, SamplerParameters, Texture, TextureTarget};
use vk_script::{Buffer, DescriptorKind, Dimension, Pipeline, Place, Resource};

use crate::error::{Flow, invalid, lacks};
use crate::slots::{BlockSource, Slot, Slots, TextureSource};
use crate::state::sampler_parameters;
use crate::store::{Store, read_surface, write_changes};
use crate::texels::Codec;

/// Bindings of a draw or dispatch, and the images that it may write.
pub(crate) struct Bound {
    pub(crate) bindings: Bindings,
    written: Vec<Written>,
}

/// An image that shaders may write.
struct Written {
    buffer: vk_script::BufferId,
    texture: TextureId,
    level: usize,
    /// The image before the command.
    before: Arc<Texture>,
}

/// Binds the resources of a pipeline to the slots of its program.
pub(crate) fn bind(store: &mut Store<'_>, pipeline: &Pipeline, slots: &Slots) -> Flow<Bound> {
    for resource in pipeline.bindings.iter().flat_map(|binding| &binding.resources) {
        resource.buffer.into_iter().for_each(|buffer| store.update(buffer));
    }
    pipeline.push_constants.into_iter().for_each(|buffer| store.update(buffer));
    let script = store.script();
    let ids = (0..script.buffers.len() as u32).map(vk_script::BufferId);
    let buffers = ids.map(|id| store.bytes(id).clone()).collect();
    let objects = Objects { buffers, ..Objects::default() };
    let bindings = Bindings { objects, scalar_shadows: true, ..Bindings::default() };
    let bound = Bound { bindings, written: Vec::new() };
    let mut binder = Binder { store, pipeline, bound };
    binder.blocks(slots)?;
    binder.textures(slots)?;
    binder.images(slots)?;
    Ok(binder.bound)
}

impl Bound {
    /// Takes the contents of memory after a command.
    pub(crate) fn store(&self, objects: &Objects, store: &mut Store<'_>) {
        let count = store.script().buffers.len();
        for (index, bytes) in (0..).zip(objects.buffers.iter().take(count)) {
            store.set_bytes(vk_script::BufferId(index), bytes.clone());
        }
        for image in &self.written {
            let texture = objects.textures.get(image.texture.0 as usize);
            let Some(texture) = texture else { continue };
            let format = &store.script().buffer(image.buffer).format;
            let Some(codec) = Codec::of(format) else { continue };
            store.change(image.buffer, |bytes| {
                let layers = layers_of(texture, image.level).iter();
                let before = layers_of(&image.before, image.level);
                for (layer, (new, old)) in layers.zip(before).enumerate() {
                    let texels = (new.width() * new.height()) as usize;
                    write_changes(&codec, (old, new), bytes, layer * texels);
                }
            });
        }
    }
}

/// The layers of a texture's level.
fn layers_of(texture: &Texture, level: usize) -> &[Surface] {
    texture.levels.get(level).and_then(Option::as_ref).map_or(&[], |level| &level.layers)
}

struct Binder<'a, 's> {
    store: &'a Store<'s>,
    pipeline: &'a Pipeline,
    bound: Bound,
}

impl Binder<'_, '_> {
    /// The kind and the resource of a descriptor of one of some kinds; `None` for an element of an
    /// array that has none. Descriptors that a shader uses must be bound (Vulkan 1.3, section 14.2,
    /// VUID-vkCmdDraw-None-08600).
    fn resource(
        &self,
        slot: Slot,
        kinds: &[DescriptorKind],
    ) -> Flow<Option<(DescriptorKind, Resource)>> {
        let Slot { set, binding, element } = slot;
        let place = Place::Slot { set, binding };
        let mut here = self.pipeline.bindings.iter().filter(|binding| binding.place == place);
        let Some(first) = here.clone().next() else {
            return Err(invalid(format!("descriptor set {set} binding {binding} is not bound")));
        };
        let fits = here.find(|binding| kinds.contains(&binding.kind)).ok_or_else(|| {
            let (is, wanted) = (first.kind, kinds[0]);
            invalid(format!(
                "descriptor set {set} binding {binding} is bound as {is:?}, the shader has {wanted:?}"
            ))
        })?;
        Ok(fits.resources.get(element as usize).map(|resource| (fits.kind, *resource)))
    }

    fn blocks(&mut self, slots: &Slots) -> Flow {
        use DescriptorKind::{Storage, StorageDynamic, Uniform, UniformDynamic};
        let sources = |list: &[Option<BlockSource>], kinds: &[DescriptorKind]| -> Flow<Vec<_>> {
            list.iter().map(|source| self.block(*source, kinds)).collect()
        };
        let uniform = sources(&slots.uniform, &[Uniform, UniformDynamic])?;
        let storage = sources(&slots.storage, &[Storage, StorageDynamic])?;
        (self.bound.bindings.uniform, self.bound.bindings.storage) = (uniform, storage);
        Ok(())
    }

    fn block(
        &self,
        source: Option<BlockSource>,
        kinds: &[DescriptorKind],
    ) -> Flow<Option<BoundBuffer>> {
        match source {
            None => Ok(None),
            Some(BlockSource::PushConstants) => {
                Ok(self.pipeline.push_constants.map(|id| BufferId(id.0).into()))
            }
            Some(BlockSource::Descriptor(slot)) => match self.resource(slot, kinds)? {
                None => Ok(None),
                Some((_, resource)) => self.part(&resource).map(Some),
            },
        }
    }

    /// The part of a buffer that a descriptor is.
    fn part(&self, resource: &Resource) -> Flow<BoundBuffer> {
        let id = buffer_of(resource)?;
        let buffer = self.store.script().buffer(id);
        let size = buffer.size().max(1);
        let start = resource.offset.saturating_add(u64::from(resource.dynamic_offset));
        let rest = size.checked_sub(start).filter(|&rest| rest > 0);
        let fits = |range: u64| rest.is_some_and(|rest| range > 0 && range <= rest);
        if rest.is_none() || !resource.range.is_none_or(fits) {
            return Err(invalid(format!("a descriptor is outside of `{}`", buffer.name)));
        }
        let size = resource.range.and_then(|range| usize::try_from(range).ok());
        Ok(BoundBuffer { buffer: BufferId(id.0), offset: start as usize, size })
    }

    fn textures(&mut self, slots: &Slots) -> Flow {
        let mut bound = Vec::with_capacity(slots.textures.len());
        for source in &slots.textures {
            let texture = match source {
                Some(source) => self.sampled(*source)?,
                None => None,
            };
            bound.push(texture.map(|texture| self.add(Arc::new(texture))));
        }
        self.bound.bindings.samplers = bound;
        Ok(())
    }

    /// The texture of a sampler slot, with its sampler.
    fn sampled(&self, source: TextureSource) -> Flow<Option<Texture>> {
        use DescriptorKind::{CombinedImageSampler, SampledImage, Sampler, UniformTexelBuffer};
        let kinds = [SampledImage, CombinedImageSampler, UniformTexelBuffer];
        let Some((kind, resource)) = self.resource(source.texture, &kinds)? else {
            return Ok(None);
        };
        let sampler = match source.sampler {
            Some(slot) => {
                let bound = self.resource(slot, &[Sampler, CombinedImageSampler])?;
                bound.and_then(|(_, resource)| resource.sampler)
            }
            None => resource.sampler,
        };
        let mut texture = self.texture(kind, &resource)?;
        if let Some(id) = sampler {
            let sampler = self.store.script().sampler(id);
            texture.parameters = sampler_parameters(sampler);
            if !sampler.normalized && texture.target == TextureTarget::D2 {
                texture.target = TextureTarget::Rect;
            }
        }
        texture.parameters.base_level = resource.base_mip_level;
        texture.parameters.depth_mode = DepthMode::Red;
        Ok(Some(texture))
    }

    fn images(&mut self, slots: &Slots) -> Flow {
        use DescriptorKind::{StorageImage, StorageTexelBuffer};
        let mut bound = Vec::with_capacity(slots.images.len());
        for &source in &slots.images {
            let resource = match source {
                Some(slot) => self.resource(slot, &[StorageImage, StorageTexelBuffer])?,
                None => None,
            };
            bound.push(match resource {
                None => None,
                Some((kind, resource)) => {
                    let texture = self.texture(kind, &resource)?;
                    let layer = (texture.target != TextureTarget::D3).then_some(0);
                    let (level, format) = (resource.base_mip_level, texture.format);
                    let buffer = buffer_of(&resource)?;
                    // Descriptors of one image see what each other wrote.
                    let same = |w: &&Written| w.buffer == buffer && w.level == level as usize;
                    let known = self.bound.written.iter().find(same).map(|known| known.texture);
                    let texture = known.unwrap_or_else(|| {
                        let before = Arc::new(texture);
                        let texture = self.add(before.clone());
                        let level = level as usize;
                        self.bound.written.push(Written { buffer, texture, level, before });
                        texture
                    });
                    Some(ImageUnit { texture, view: ImageView { level, layer, format } })
                }
            });
        }
        self.bound.bindings.images = bound;
        Ok(())
    }

    fn add(&mut self, texture: Arc<Texture>) -> TextureId {
        let textures = &mut self.bound.bindings.objects.textures;
        textures.push(texture);
        TextureId(textures.len() as u32 - 1)
    }

    /// The texture of a descriptor: all levels from its first one have the first bytes of the
    /// buffer, as in Amber.
    fn texture(&self, kind: DescriptorKind, resource: &Resource) -> Flow<Texture> {
        let id = buffer_of(resource)?;
        let buffer = self.store.script().buffer(id);
        let name = &buffer.format.name;
        let codec = Codec::of(&buffer.format)
            .ok_or_else(|| lacks(format!("images and texel buffers of format {name}")))?;
        let is_buffer =
            matches!(kind, DescriptorKind::UniformTexelBuffer | DescriptorKind::StorageTexelBuffer);
        let shape = if is_buffer { Shape::of_texels(buffer) } else { Shape::of_image(buffer)? };
        let mut texture = Texture::new(shape.target, codec.format);
        let bytes = self.store.bytes(id);
        for level in resource.base_mip_level..shape.levels.max(resource.base_mip_level + 1) {
            let [width, height, depth] = shape.of_level(level);
            texture.define(level as usize, width, height, depth);
            for layer in 0..depth as usize {
                let texels = (width * height) as usize;
                if let Some(surface) = texture.image_mut(level as usize, layer) {
                    read_surface(&codec, bytes, layer * texels, surface);
                }
            }
        }
        texture.immutable = true;
        texture.parameters = SamplerParameters::default();
        Ok(texture)
    }
}

/// Extent of an image.
struct Shape {
    target: TextureTarget,
    extent: [u32; 3],
    levels: u32,
}

impl Shape {
    fn of_texels(buffer: &Buffer) -> Shape {
        Shape { target: TextureTarget::D1, extent: [buffer.elements, 1, 1], levels: 1 }
    }

    fn of_image(buffer: &Buffer) -> Flow<Shape> {
        let image = buffer.image;
        if image.is_some_and(|image| image.samples > 1) {
            return Err(lacks("multisampled images for shaders"));
        }
        let target = match image.map_or(Dimension::Two, |image| image.dimension) {
            Dimension::One => TextureTarget::D1,
            Dimension::Two => TextureTarget::D2,
            Dimension::Three => TextureTarget::D3,
        };
        let depth = image.map_or(1, |image| image.depth);
        let levels = image.map_or(1, |image| image.mip_levels);
        Ok(Shape { target, extent: [buffer.width, buffer.height, depth], levels })
    }

    fn of_level(&self, level: u32) -> [u32; 3] {
        self.extent.map(|size| size.checked_shr(level).unwrap_or(0).max(1))
    }
}

fn buffer_of(resource: &Resource) -> Flow<vk_script::BufferId> {
    resource.buffer.ok_or_else(|| invalid("a binding has no buffer"))
}
