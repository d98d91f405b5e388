//! Operations of shaders on memory, textures and images.

/// Error of shader I/O. Out-of-bounds accesses are not errors: loads return zero and stores do
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
