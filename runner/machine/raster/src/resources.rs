//! Buffer and texture objects, and shader I/O over them.
//!
//! Contents are shared until written: a recorded draw keeps the contents of the time it was issued.

use std::sync::Arc;

use crate::shader_io::{
    AtomicOp, BufferRef, ImageOp, ImageRef, ShaderIo, ShaderIoError, TextureOp, TextureRef,
};
use crate::texture::image::ImageView;
use crate::texture::texels::Faces;
use crate::texture::{DepthMode, Texture, image, sample};

/// A buffer object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

/// A texture object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextureId(pub u32);

/// All buffer and texture objects of a machine.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    /// Buffers by [`BufferId`].
    pub buffers: Vec<Arc<Vec<u8>>>,
    /// Textures by [`TextureId`].
    pub textures: Vec<Arc<Texture>>,
    /// Number of reads of the clock.
    pub clock: u64,
}

impl Objects {
    /// Creates a new buffer of `size` zero bytes.
    pub fn create_buffer(&mut self, size: usize) -> BufferId {
        self.buffers.push(Arc::new(vec![0; size]));
        BufferId(self.buffers.len() as u32 - 1)
    }

    /// Returns the bytes of a buffer.
    pub fn buffer(&self, id: BufferId) -> &[u8] {
        self.buffers.get(id.0 as usize).map_or(&[], |b| b.as_slice())
    }

    /// Writes bytes at an offset; those past the end are dropped.
    pub fn write(&mut self, id: BufferId, offset: usize, bytes: &[u8]) {
        if let Some(buffer) = self.buffers.get_mut(id.0 as usize) {
            write_clipped(buffer, offset, bytes);
        }
    }
}

/// Copies the bytes that fit.
pub fn write_clipped(buffer: &mut Arc<Vec<u8>>, offset: usize, bytes: &[u8]) {
    let len = buffer.len().saturating_sub(offset).min(bytes.len());
    if len > 0 {
        Arc::make_mut(buffer)[offset..offset + len].copy_from_slice(&bytes[..len]);
    }
}

/// A buffer, or a part of one, that is bound to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundBuffer {
    /// The buffer.
    pub buffer: BufferId,
    /// First byte of the part.
    pub offset: usize,
    /// Bytes of the part; `None`: all that follow.
    pub size: Option<usize>,
}

impl From<BufferId> for BoundBuffer {
    fn from(buffer: BufferId) -> BoundBuffer {
        BoundBuffer { buffer, offset: 0, size: None }
    }
}

impl BoundBuffer {
    /// Returns the bytes of the part, as far as the buffer has them.
    fn part(self, bytes: &[u8]) -> &[u8] {
        let rest = bytes.get(self.offset..).unwrap_or_default();
        &rest[..self.size.unwrap_or(rest.len()).min(rest.len())]
    }

    /// Returns the number of bytes of the part from an offset on, and the place in the buffer.
    fn rest(self, offset: usize) -> (usize, usize) {
        let left = self.size.map_or(usize::MAX, |size| size.saturating_sub(offset));
        (left, self.offset.saturating_add(offset))
    }
}

/// An image unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageUnit {
    /// Texture bound to the unit.
    pub texture: TextureId,
    /// Image of the texture.
    pub view: ImageView,
}

/// Colors of draw buffers at the pixels of some quads, as a shader reads them.
#[derive(Clone, Debug, Default)]
pub struct FramebufferColors {
    /// Lower left pixels of the quads.
    quads: Vec<(i32, i32)>,
    /// Number of draw buffers.
    buffers: usize,
    /// Of each pixel of each quad the color of each buffer.
    colors: Vec<[u32; 4]>,
}

impl FramebufferColors {
    /// Removes all quads. The next ones have the colors of this number of buffers.
    pub fn reset(&mut self, buffers: usize) {
        self.quads.clear();
        self.colors.clear();
        self.buffers = buffers;
    }

    /// Adds a quad: of its lower left, lower right, upper left and upper right pixel the color of
    /// each buffer.
    pub fn add(&mut self, x: i32, y: i32, colors: &[[u32; 4]]) {
        self.quads.push((x, y));
        self.colors.extend_from_slice(colors);
        self.colors.resize(self.quads.len() * 4 * self.buffers, [0; 4]);
    }

    /// Returns the color of a buffer at a pixel.
    pub fn get(&self, x: i32, y: i32, buffer: u32) -> Option<[u32; 4]> {
        let quad = self.quads.iter().position(|&quad| quad == (x & !1, y & !1))?;
        let pixel = quad * 4 + (x & 1) as usize + 2 * (y & 1) as usize;
        let colors = self.colors.get(pixel * self.buffers..(pixel + 1) * self.buffers)?;
        colors.get(buffer as usize).copied()
    }
}

/// Objects bound to the program of one draw or dispatch.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Object contents.
    pub objects: Objects,
    /// Contents of the default uniform block.
    pub default_block: Arc<Vec<u8>>,
    /// Buffer of each uniform block of the program.
    pub uniform: Vec<Option<BoundBuffer>>,
    /// Buffer of each storage block of the program.
    pub storage: Vec<Option<BoundBuffer>>,
    /// Buffer of each atomic counter binding.
    pub atomic: Vec<Option<BoundBuffer>>,
    /// Texture of each sampler slot of the program.
    pub samplers: Vec<Option<TextureId>>,
    /// Draw buffer of each sampler slot that reads the framebuffer instead of a texture.
    pub draw_buffers: Vec<Option<u32>>,
    /// Texels for those samplers, at the pixels of the batch.
    pub framebuffer: FramebufferColors,
    /// True if shadow lookups return one float, which the depth texture mode does not move to
    /// another component.
    pub scalar_shadows: bool,
    /// Image unit of each image slot of the program.
    pub images: Vec<Option<ImageUnit>>,
    /// Objects at the last checkpoint; `None` before the first.
    pub saved: Option<Objects>,
}

impl Bindings {
    fn bound(&self, buffer: BufferRef) -> Option<BoundBuffer> {
        let (table, index) = match buffer {
            BufferRef::Default => return None,
            BufferRef::Uniform(index) => (&self.uniform, index),
            BufferRef::Storage(index) => (&self.storage, index),
            BufferRef::AtomicCounter(index) => (&self.atomic, index),
        };
        table.get(index as usize).copied().flatten()
    }

    /// Fetches from the framebuffer; missing pixels are zero.
    fn framebuffer_texel(&self, buffer: u32, op: &TextureOp) -> [u32; 4] {
        let TextureOp::Fetch { coordinates: [x, y, _], .. } = *op else { return [0; 4] };
        self.framebuffer.get(x, y, buffer).unwrap_or([0; 4])
    }

    /// Returns the bytes of a writable buffer at `offset` if all of them exist.
    fn location<const N: usize>(&mut self, buffer: BufferRef, offset: u32) -> Option<&mut [u8; N]> {
        if matches!(buffer, BufferRef::Default | BufferRef::Uniform(_)) {
            return None;
        }
        let bound = self.bound(buffer)?;
        let bytes = Arc::make_mut(self.objects.buffers.get_mut(bound.buffer.0 as usize)?);
        let (left, start) = bound.rest(offset as usize);
        if left < N {
            return None;
        }
        bytes.get_mut(start..start.checked_add(N)?)?.try_into().ok()
    }
}

impl ShaderIo for Bindings {
    fn buffer(&self, buffer: BufferRef) -> &[u8] {
        match buffer {
            BufferRef::Default => &self.default_block,
            _ => self
                .bound(buffer)
                .map_or(&[], |bound| bound.part(self.objects.buffer(bound.buffer))),
        }
    }

    fn store(&mut self, buffer: BufferRef, offset: u32, bytes: &[u8]) {
        if matches!(buffer, BufferRef::Default | BufferRef::Uniform(_)) {
            return;
        }
        if let Some(bound) = self.bound(buffer) {
            let (left, start) = bound.rest(offset as usize);
            self.objects.write(bound.buffer, start, &bytes[..bytes.len().min(left)]);
        }
    }

    fn atomic32(&mut self, buffer: BufferRef, offset: u32, op: AtomicOp, data: [u32; 2]) -> u32 {
        let Some(bytes) = self.location::<4>(buffer, offset) else { return 0 };
        let old = u32::from_le_bytes(*bytes);
        *bytes = op.apply32(old, data).to_le_bytes();
        old
    }

    fn atomic64(&mut self, buffer: BufferRef, offset: u32, op: AtomicOp, data: [u64; 2]) -> u64 {
        let Some(bytes) = self.location::<8>(buffer, offset) else { return 0 };
        let old = u64::from_le_bytes(*bytes);
        *bytes = op.apply64(old, data).to_le_bytes();
        old
    }

    fn texture(&mut self, texture: TextureRef, op: &TextureOp) -> Result<[u32; 4], ShaderIoError> {
        let (slot, is_faces) = match texture {
            TextureRef::Slot(slot) => (slot, false),
            TextureRef::Faces(slot) => (slot, true),
            TextureRef::Handle(_) => return Err(ShaderIoError::Unsupported("bindless textures")),
        };
        if let Some(&Some(buffer)) = self.draw_buffers.get(slot as usize) {
            return Ok(self.framebuffer_texel(buffer, op));
        }
        let bound = self.samplers.get(slot as usize);
        let bound =
            bound.ok_or_else(|| ShaderIoError::BadRequest(format!("sampler slot {slot}")))?;
        match bound.and_then(|id| self.objects.textures.get(id.0 as usize)) {
            Some(texture) => {
                let mut parameters = texture.parameters;
                if self.scalar_shadows && op.compares() {
                    parameters.depth_mode = DepthMode::Red;
                }
                if is_faces {
                    return Ok(sample::look_up(
                        &Faces(texture.as_ref()),
                        &parameters.on_faces(),
                        op,
                    ));
                }
                sample::perform_with(texture, &parameters, op)
            }
            // Without a texture the result is that of an incomplete one.
            None => Ok([0, 0, 0, 1.0f32.to_bits()]),
        }
    }

    fn image(
        &mut self,
        reference: ImageRef,
        coordinates: [i32; 3],
        sample: u32,
        op: &ImageOp,
    ) -> Result<[u32; 4], ShaderIoError> {
        let slot = match reference {
            ImageRef::Slot(slot) => slot,
            ImageRef::Handle(_) => return Err(ShaderIoError::Unsupported("bindless images")),
        };
        if sample != 0 {
            return Err(ShaderIoError::Unsupported("multisample images"));
        }
        let unit = self.images.get(slot as usize);
        let unit = unit.ok_or_else(|| ShaderIoError::BadRequest(format!("image slot {slot}")))?;
        let Some(unit) = unit else { return Ok([0; 4]) };
        match self.objects.textures.get_mut(unit.texture.0 as usize) {
            Some(texture) => image::perform(Arc::make_mut(texture), &unit.view, coordinates, op),
            None => Ok([0; 4]),
        }
    }

    fn lacks_texels(&self, slot: u32) -> bool {
        let is_framebuffer = self.draw_buffers.get(slot as usize).is_some_and(Option::is_some);
        let base =
            |texture: &Texture| texture.image(texture.parameters.base_level as usize, 0).is_some();
        !is_framebuffer && !self.bound_texture(slot).is_some_and(base)
    }

    fn bound_texture(&self, slot: u32) -> Option<&Texture> {
        let id = self.samplers.get(slot as usize).copied().flatten()?;
        self.objects.textures.get(id.0 as usize).map(AsRef::as_ref)
    }

    fn bound_image(&self, slot: u32) -> Option<(&Texture, ImageView)> {
        let unit = self.images.get(slot as usize).copied().flatten()?;
        let texture = self.objects.textures.get(unit.texture.0 as usize)?;
        Some((texture, unit.view))
    }

    fn clock(&mut self) -> u64 {
        self.objects.clock += 1;
        self.objects.clock
    }

    fn checkpoint(&mut self) {
        self.saved = Some(self.objects.clone());
    }

    fn rollback(&mut self) {
        if let Some(saved) = &self.saved {
            self.objects = saved.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings() -> Bindings {
        let mut objects = Objects::default();
        let buffer = objects.create_buffer(10);
        Bindings {
            objects,
            default_block: Arc::new(vec![1, 0, 0, 0]),
            uniform: vec![Some(buffer.into())],
            storage: vec![None, Some(buffer.into())],
            ..Bindings::default()
        }
    }

    #[test]
    fn accesses_outside_a_buffer_are_harmless() {
        let mut b = bindings();
        assert_eq!(b.load32(BufferRef::Default, 0), 1);
        for offset in [1, 4, u32::MAX] {
            assert_eq!(b.load32(BufferRef::Default, offset), 0);
        }
        b.store(BufferRef::Storage(1), 8, &[1, 2, 3, 4]);
        assert_eq!(b.buffer(BufferRef::Storage(1)), [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        b.store(BufferRef::Storage(0), 0, &[1]);
        b.store(BufferRef::Storage(7), u32::MAX, &[1]);
        assert_eq!(b.atomic32(BufferRef::Storage(1), 7, AtomicOp::Add, [1, 0]), 0);
        assert_eq!(b.buffer(BufferRef::Storage(1))[7], 0);
    }

    #[test]
    fn parts_of_buffers_end_where_they_end() {
        let mut b = bindings();
        let part = BoundBuffer { buffer: BufferId(0), offset: 2, size: Some(4) };
        b.storage[0] = Some(part);
        b.store(BufferRef::Storage(0), 2, &[1, 2, 3]);
        assert_eq!(b.buffer(BufferRef::Storage(1))[..7], [0, 0, 0, 0, 1, 2, 0]);
        assert_eq!(b.buffer(BufferRef::Storage(0)), [0, 0, 1, 2]);
        assert_eq!(b.atomic32(BufferRef::Storage(0), 0, AtomicOp::Add, [1, 0]), 0x0201_0000);
        assert_eq!(b.atomic32(BufferRef::Storage(0), 1, AtomicOp::Add, [1, 0]), 0);
        assert_eq!(b.buffer(BufferRef::Storage(0)), [1, 0, 1, 2]);
        b.storage[0] = Some(BoundBuffer { offset: 11, ..part });
        assert!(b.buffer(BufferRef::Storage(0)).is_empty());
    }

    #[test]
    fn framebuffer_colors_by_pixel_and_buffer() {
        let mut colors = FramebufferColors::default();
        colors.reset(2);
        let quad = |first: u32| (first..first + 8).map(|c| [c; 4]).collect::<Vec<_>>();
        colors.add(4, 2, &quad(0));
        colors.add(0, 0, &quad(10));
        assert_eq!(colors.get(5, 2, 1), Some([3; 4]));
        assert_eq!(colors.get(0, 1, 0), Some([14; 4]));
        assert_eq!((colors.get(2, 0, 0), colors.get(0, 0, 2)), (None, None));
        colors.reset(1);
        assert_eq!(colors.get(0, 0, 0), None);
    }

    #[test]
    fn uniform_buffers_are_read_only_and_alias_storage() {
        let mut b = bindings();
        b.store(BufferRef::Uniform(0), 0, &[9]);
        assert_eq!(b.buffer(BufferRef::Storage(1))[0], 0);
        b.store(BufferRef::Storage(1), 0, &[9]);
        assert_eq!(b.buffer(BufferRef::Uniform(0))[0], 9);
    }

    #[test]
    fn rollback_returns_to_the_checkpoint() {
        let mut b = bindings();
        b.store(BufferRef::Storage(1), 0, &[1]);
        b.checkpoint();
        assert_eq!(b.atomic32(BufferRef::Storage(1), 0, AtomicOp::Add, [4, 0]), 1);
        assert_eq!(b.load32(BufferRef::Storage(1), 0), 5);
        b.rollback();
        assert_eq!(b.load32(BufferRef::Storage(1), 0), 1);
        b.store(BufferRef::Storage(1), 0, &[7]);
        b.rollback();
        assert_eq!(b.load32(BufferRef::Storage(1), 0), 1);
    }

    #[test]
    fn atomics() {
        let bits = |f: f32| f.to_bits();
        for (op, old, data, new) in [
            (AtomicOp::Add, u32::MAX, [2, 0], 1),
            (AtomicOp::Sub, 1, [2, 0], u32::MAX),
            (AtomicOp::MinSigned, 5, [-3i32 as u32, 0], -3i32 as u32),
            (AtomicOp::MinUnsigned, 5, [-3i32 as u32, 0], 5),
            (AtomicOp::MaxSigned, 5, [-3i32 as u32, 0], 5),
            (AtomicOp::MaxUnsigned, 5, [-3i32 as u32, 0], -3i32 as u32),
            (AtomicOp::CompareExchange, 5, [5, 9], 9),
            (AtomicOp::CompareExchange, 5, [6, 9], 5),
            (AtomicOp::Increment, 5, [77, 0], 6),
            (AtomicOp::Decrement, 0, [77, 0], u32::MAX),
            (AtomicOp::AddFloat, bits(1.5), [bits(2.0), 0], bits(3.5)),
            (AtomicOp::MinFloat, bits(f32::NAN), [bits(2.0), 0], bits(2.0)),
            (AtomicOp::MaxFloat, bits(2.0), [bits(f32::NAN), 0], bits(2.0)),
            (AtomicOp::CompareExchangeFloat, bits(-0.0), [bits(0.0), 3], 3),
        ] {
            assert_eq!(op.apply32(old, data), new, "{op:?} {old}");
        }
        assert_eq!(AtomicOp::Add.apply64(u64::MAX, [2, 0]), 1);
        assert_eq!(AtomicOp::MinSigned.apply64(5, [-3i64 as u64, 0]), -3i64 as u64);
    }
}
