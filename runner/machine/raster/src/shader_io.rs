//! Shader I/O: access of shaders to buffers, textures and images.
//!
//! Resources have the names of the *program* (block index, sampler slot, image slot); the machine
//! maps them to GL binding points and units. Filtering, format conversion and atomics are
//! implemented once, for all devices.

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

/// Error of shader I/O. Out-of-bounds accesses are no errors: loads return zero and stores do
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShaderIoError {
    /// The feature is not implemented.
    #[error("unsupported: {0}")]
    Unsupported(&'static str),
    /// The request names a slot that the program does not have, or a bad size.
    #[error("bad request: {0}")]
    BadRequest(String),
}

/// Selection of the level of detail of a lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lod {
    /// From the derivatives of the coordinates over the quad (zero outside fragment shaders), per
    /// window step in x and y, in the units of the coordinates; plus a bias.
    Gradients {
        /// ∂(s, t, r)/∂x.
        dx: [f32; 3],
        /// ∂(s, t, r)/∂y.
        dy: [f32; 3],
        /// Added to the level.
        bias: f32,
    },
    /// Given directly.
    Explicit(f32),
}

/// Texture operation. Coordinates of projective lookups are already divided by q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextureOp {
    /// A filtered lookup.
    Sample {
        /// Coordinates: s, t, r, layer in the order of the GLSL coordinate vector without the
        /// reference value.
        coordinates: [f32; 4],
        /// The reference value of shadow samplers.
        reference: Option<f32>,
        /// Level selection.
        lod: Lod,
        /// Constant texel offset.
        offset: [i32; 3],
        /// `textureOffset`-style lower clamp on the level (ARB_sparse_texture_clamp).
        min_lod: f32,
    },
    /// `textureGather*`.
    Gather {
        /// As for sampling.
        coordinates: [f32; 4],
        /// The reference value of shadow samplers.
        reference: Option<f32>,
        /// Component to gather, after swizzling.
        component: u32,
        /// One offset for each of the four texels, in GLSL's order; all equal except for
        /// `textureGatherOffsets`.
        offsets: [[i32; 2]; 4],
    },
    /// `texelFetch*`.
    Fetch {
        /// Integer coordinates, layer last.
        coordinates: [i32; 3],
        /// Level of detail.
        lod: i32,
        /// Sample of multisample textures.
        sample: u32,
    },
    /// `textureSize`: the result is up to three integers.
    Size {
        /// Level of detail.
        lod: i32,
    },
    /// `textureQueryLevels`: one integer.
    Levels,
    /// `textureSamples`: one integer.
    Samples,
    /// `textureQueryLod`: two floats, the level accessed and the level computed.
    QueryLod {
        /// As for sampling, without layer.
        coordinates: [f32; 3],
        /// ∂(s, t, r)/∂x.
        dx: [f32; 3],
        /// ∂(s, t, r)/∂y.
        dy: [f32; 3],
    },
}

impl TextureOp {
    /// True if texels are compared with a reference value.
    pub fn compares(&self) -> bool {
        matches!(
            self,
            TextureOp::Sample { reference: Some(_), .. }
                | TextureOp::Gather { reference: Some(_), .. }
        )
    }
}

/// An image access. Coordinates: x, y, z or layer; cube images count faces as layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageOp {
    /// `imageLoad`: four components as the image's format has them.
    Load,
    /// `imageStore` of four components.
    Store([u32; 4]),
    /// `imageAtomic*`: the previous value in the first component.
    Atomic(AtomicOp, [u32; 2]),
    /// `imageSize`: up to three integers.
    Size,
    /// `imageSamples`: one integer.
    Samples,
}

/// Read-modify-write operations. Operands are raw values of the access's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Integer addition.
    Add,
    /// Integer subtraction.
    Sub,
    /// Signed minimum.
    MinSigned,
    /// Unsigned minimum.
    MinUnsigned,
    /// Signed maximum.
    MaxSigned,
    /// Unsigned maximum.
    MaxUnsigned,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The operand.
    Exchange,
    /// Second operand if the old value equals the first, which is the comparison value.
    CompareExchange,
    /// Addition of one, the operand ignored.
    Increment,
    /// Subtraction of one, the operand ignored. The old value is returned, unlike that of
    /// `atomicCounterDecrement`.
    Decrement,
    /// f32 addition.
    AddFloat,
    /// f32 minimum.
    MinFloat,
    /// f32 maximum.
    MaxFloat,
    /// f32 comparison of the old value with the first operand.
    CompareExchangeFloat,
}

/// Defines the operations on locations of one size.
macro_rules! apply {
    ($(#[$doc:meta])* $name:ident: $unsigned:ty, $signed:ty, $float:ty) => {
        $(#[$doc])*
        pub fn $name(self, old: $unsigned, data: [$unsigned; 2]) -> $unsigned {
            let [a, b] = data;
            let (old_float, a_float) = (<$float>::from_bits(old), <$float>::from_bits(a));
            let if_holds = |condition, new| if condition { new } else { old };
            match self {
                AtomicOp::Add => old.wrapping_add(a),
                AtomicOp::Sub => old.wrapping_sub(a),
                AtomicOp::MinSigned => (old as $signed).min(a as $signed) as $unsigned,
                AtomicOp::MinUnsigned => old.min(a),
                AtomicOp::MaxSigned => (old as $signed).max(a as $signed) as $unsigned,
                AtomicOp::MaxUnsigned => old.max(a),
                AtomicOp::And => old & a,
                AtomicOp::Or => old | a,
                AtomicOp::Xor => old ^ a,
                AtomicOp::Exchange => a,
                AtomicOp::CompareExchange => if_holds(old == a, b),
                AtomicOp::Increment => old.wrapping_add(1),
                AtomicOp::Decrement => old.wrapping_sub(1),
                AtomicOp::AddFloat => (old_float + a_float).to_bits(),
                // With a NaN on one side the result is the other side, as with IEEE 754-2008 minNum
                // and maxNum.
                AtomicOp::MinFloat => if_holds(a_float < old_float || old_float.is_nan(), a),
                AtomicOp::MaxFloat => if_holds(a_float > old_float || old_float.is_nan(), a),
                AtomicOp::CompareExchangeFloat => if_holds(old_float == a_float, b),
            }
        }
    };
}

impl AtomicOp {
    apply! {
        /// The new value of a 32-bit location; float operations act on f32. `data` is the operand;
        /// for compare-and-exchange the comparison value and then the replacement.
        apply32: u32, i32, f32
    }

    apply! {
        /// The new value of a 64-bit location; float operations act on f64.
        apply64: u64, i64, f64
    }
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
