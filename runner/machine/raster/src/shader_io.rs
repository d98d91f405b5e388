//! Shader I/O: access of shaders to buffers, textures and images.
//!
//! Resources have the names of the *program* (block index, sampler slot, image slot); the machine
//! maps them to GL binding points and units. Filtering, format conversion and atomics are
//! implemented once, for all devices.

pub use crate::shader_ops::{AtomicOp, ImageOp, Lod, ShaderIoError, TextureOp};
use crate::texture::Texture;
use crate::texture::image::ImageView;

/// Buffer by its name in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BufferRef {
    /// The default uniform block, in the layout the program gives.
    Default,
    /// A uniform block, by its index among the program's uniform blocks (elements of block arrays
    /// count one each).
    Uniform(u32),
    /// A shader storage block, by its index among the program's storage blocks.
    Storage(u32),
    /// The buffer at an atomic counter binding point.
    AtomicCounter(u32),
}

/// Sampler by its name in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureRef {
    /// A sampler of the program, by its slot (elements of arrays count one each); the machine looks
    /// up the unit.
    Slot(u32),
    /// A cube sampler of the program, as an array of its faces.
    Faces(u32),
    /// A bindless handle.
    Handle(u64),
}

/// Image by its name in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageRef {
    /// An image variable of the program, by its slot; the machine looks up the unit.
    Slot(u32),
    /// A bindless handle.
    Handle(u64),
}

/// Memory, textures and images during the execution of a batch.
///
/// Loads outside a buffer return zero and stores there are dropped, whole elements at a time
/// (robust buffer access).
pub trait ShaderIo {
    /// Returns all bytes of a buffer; empty when nothing is bound. Little endian.
    fn buffer(&self, buffer: BufferRef) -> &[u8];

    /// Writes bytes at an offset; those past the end are dropped. Uniform buffers ignore writes.
    fn store(&mut self, buffer: BufferRef, offset: u32, bytes: &[u8]);

    /// Reads, modifies and writes one 32-bit location; returns the old value, zero out of bounds.
    fn atomic32(&mut self, buffer: BufferRef, offset: u32, op: AtomicOp, data: [u32; 2]) -> u32;

    /// Reads, modifies and writes one 64-bit location; returns the old value, zero out of bounds.
    fn atomic64(&mut self, buffer: BufferRef, offset: u32, op: AtomicOp, data: [u64; 2]) -> u64;

    /// Performs a texture operation for one lane: four raw components, floats or integers by the
    /// sampler's type.
    fn texture(&mut self, texture: TextureRef, op: &TextureOp) -> Result<[u32; 4], ShaderIoError>;

    /// Performs an image operation for one lane.
    fn image(
        &mut self,
        reference: ImageRef,
        coordinates: [i32; 3],
        sample: u32,
        op: &ImageOp,
    ) -> Result<[u32; 4], ShaderIoError>;

    /// Returns true if a sampler slot has nothing that texels can be fetched of.
    fn lacks_texels(&self, slot: u32) -> bool {
        let _ = slot;
        false
    }

    /// Returns the texture at a sampler slot, with its parameters; none without one.
    fn bound_texture(&self, slot: u32) -> Option<&Texture> {
        let _ = slot;
        None
    }

    /// Returns the texture of an image slot, and its image; none without one.
    fn bound_image(&self, slot: u32) -> Option<(&Texture, ImageView)> {
        let _ = slot;
        None
    }

    /// Returns the ticks of a clock, more at each call; always zero without a clock.
    fn clock(&mut self) -> u64 {
        0
    }

    /// Saves all memory that shaders can write, so that a batch can run again from the same state.
    /// Replaces an earlier checkpoint.
    fn checkpoint(&mut self);

    /// Restores the memory of the last [`ShaderIo::checkpoint`].
    fn rollback(&mut self);

    /// Returns the 32-bit word at `offset`, zero out of bounds.
    fn load32(&self, buffer: BufferRef, offset: u32) -> u32 {
        let start = offset as usize;
        match start.checked_add(4).and_then(|end| self.buffer(buffer).get(start..end)) {
            Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        }
    }
}
