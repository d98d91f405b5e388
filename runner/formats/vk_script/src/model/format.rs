//! Formats of elements: positions and encodings of values in the bytes of a buffer.

/// A format of the Vulkan enumeration `VkFormat`, 0 to 130.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VkFormat(pub u32);

/// Encoding of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numeric {
    /// Unsigned integer.
    Uint,
    /// Two's complement integer.
    Sint,
    /// Binary floating point with a sign: 16, 32 or 64 bits.
    Float,
    /// Binary floating point without a sign: 10 or 11 bits.
    Ufloat,
    /// Unsigned integer, scaled to 0 to 1.
    Unorm,
    /// Signed integer, scaled to -1 to 1.
    Snorm,
    /// Unsigned integer that shaders read as a float.
    Uscaled,
    /// Signed integer that shaders read as a float.
    Sscaled,
    /// Like `Unorm`, with the sRGB curve on red, green and blue.
    Srgb,
}

/// One value of an element, the destination of one number of `DATA` or `EXPECT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// Byte offset from the start of the element.
    pub offset: u32,
    /// Size in bits: 8, 16, 32 or 64.
    pub bits: u32,
    /// The encoding.
    pub numeric: Numeric,
}

/// Name of a channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelName {
    /// Red.
    R,
    /// Green.
    G,
    /// Blue.
    B,
    /// Alpha.
    A,
    /// Depth.
    D,
    /// Stencil.
    S,
    /// Unused bits.
    X,
}

/// One channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// The name.
    pub name: ChannelName,
    /// Bit offset from bit 0 of byte 0 of the element, which is little-endian.
    pub offset: u32,
    /// Size in bits.
    pub bits: u32,
    /// The encoding.
    pub numeric: Numeric,
}

/// Rules by which vectors, matrices and arrays are padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryLayout {
    /// GLSL's std140.
    Std140,
    /// GLSL's std430.
    Std430,
}

/// The format of a buffer's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The Vulkan format; `None` for matrices and structures, which have none.
    pub vk: Option<VkFormat>,
    /// The name in the script (`vec3<float>`, `R8G8B8A8_UNORM`).
    pub name: String,
    /// The layout.
    pub layout: MemoryLayout,
    /// The values in the order in which `DATA` and `EXPECT` list them. A packed format has one,
    /// the whole word.
    pub parts: Vec<Part>,
    /// The channels of a texel, from low to high bits; empty for matrices and structures.
    pub channels: Vec<Channel>,
    /// Bytes from one element to the next, padding included.
    pub size: u32,
}
