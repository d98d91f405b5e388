//! Instructions: what a block is made of.

use crate::ids::{Block, Value};
use crate::info::Dim;
use crate::intrinsics::Intrinsic;
use crate::names::named_enum;
use crate::ops::AluOp;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use vocabulary::SourceLine;

/// An ALU source: a value and which of its components to read. Component `i` of the operand is
/// `value[swizzle[i]]`; entries beyond the components the operation reads are meaningless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Src {
    /// The value read.
    pub value: Value,
    /// Component selection.
    pub swizzle: [u8; 4],
}

/// Swizzle that selects each component itself.
pub const IDENTITY: [u8; 4] = [0, 1, 2, 3];

impl Src {
    /// All components in order.
    pub fn new(value: Value) -> Self {
        Src { value, swizzle: IDENTITY }
    }

    /// One component for every component of the operand.
    pub fn splat(value: Value, component: u8) -> Self {
        Src { value, swizzle: [component; 4] }
    }

    /// With this swizzle.
    pub fn with_swizzle(value: Value, swizzle: [u8; 4]) -> Self {
        Src { value, swizzle }
    }
}

impl From<Value> for Src {
    fn from(value: Value) -> Self {
        Src::new(value)
    }
}

/// An ALU instruction.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Alu {
    /// The operation.
    pub op: AluOp,
    /// As many as the operation's table row has.
    pub srcs: SmallVec<[Src; 4]>,
    /// Neither fused, reassociated nor otherwise changed in value (`precise`).
    pub exact: bool,
}

impl Clone for Alu {
    fn clone(&self) -> Alu {
        // All sources at once; the vector's own `clone` takes them one by one.
        Alu { op: self.op, srcs: SmallVec::from_slice(&self.srcs), exact: self.exact }
    }
}

/// One incoming edge of a phi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhiSrc {
    /// Predecessor block.
    pub pred: Block,
    /// Value on that edge.
    pub value: Value,
}

named_enum! {
    /// Texture operation.
    pub enum TexOp {
        /// Sample with implicit derivatives.
        Tex = "tex",
        /// Sample with a level-of-detail bias.
        Txb = "txb",
        /// Sample at an explicit level.
        Txl = "txl",
        /// Sample with explicit derivatives.
        Txd = "txd",
        /// Fetch a texel by integer coordinates.
        Txf = "txf",
        /// Fetch a texel of a multisample texture.
        TxfMs = "txf_ms",
        /// Size of a level, integers; array layers in the last component.
        Txs = "txs",
        /// Levels of detail that `tex` would use: clamped, unclamped.
        Lod = "lod",
        /// Gather one component of four texels.
        Tg4 = "tg4",
        /// Number of mipmap levels.
        QueryLevels = "query_levels",
        /// Number of samples.
        TextureSamples = "texture_samples",
    }
}

named_enum! {
    /// Meaning of a texture source.
    pub enum TexSrcKind {
        /// Coordinates, array layer last; floats, integers for fetches.
        Coord = "coord",
        /// Level-of-detail bias, float.
        Bias = "bias",
        /// Level: float for `txl`, integer for `txf` and `txs`.
        Lod = "lod",
        /// Lowest level the sample may use (`ARB_sparse_texture_clamp`), float.
        MinLod = "min_lod",
        /// x derivatives of the coordinates.
        Ddx = "ddx",
        /// y derivatives of the coordinates.
        Ddy = "ddy",
        /// Shadow reference.
        Comparator = "comparator",
        /// Texel offset, integers.
        Offset = "offset",
        /// Sample number, integer.
        MsIndex = "ms_index",
        /// Added to the texture index, integer.
        TextureOffset = "texture_offset",
        /// Added to the sampler index, integer.
        SamplerOffset = "sampler_offset",
    }
}

/// A texture instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tex {
    /// The operation.
    pub op: TexOp,
    /// Sampler shape.
    pub dim: Dim,
    /// The texture is an array; the layer is the last coordinate.
    pub array: bool,
    /// Depth comparison.
    pub shadow: bool,
    /// Texture unit (plus the `TextureOffset` source).
    pub texture: u32,
    /// Sampler unit (plus the `SamplerOffset` source).
    pub sampler: u32,
    /// Component gathered by `tg4`.
    pub gather: u8,
    /// Four constant offsets of `textureGatherOffsets`.
    pub gather_offsets: Option<[[i8; 2]; 4]>,
    /// Sources, each kind at most once.
    pub srcs: SmallVec<[(TexSrcKind, Value); 4]>,
}

impl Tex {
    /// A texture instruction without sources.
    pub fn new(op: TexOp, dim: Dim, texture: u32, sampler: u32) -> Self {
        Tex {
            op,
            dim,
            array: false,
            shadow: false,
            texture,
            sampler,
            gather: 0,
            gather_offsets: None,
            srcs: SmallVec::new(),
        }
    }

    /// The source of this kind.
    pub fn src(&self, kind: TexSrcKind) -> Option<Value> {
        self.srcs.iter().find(|(k, _)| *k == kind).map(|&(_, value)| value)
    }

    /// Components of the coordinate, layer included.
    pub fn coord_components(&self) -> u8 {
        self.dim.coord_components() + u8::from(self.array)
    }
}

/// The kind of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InstKind {
    /// Arithmetic.
    Alu(Alu),
    /// Constant components, in the low bits; zero beyond the value's components.
    Const([u64; 4]),
    /// Any value, the same at every use.
    Undef,
    /// Value by the edge taken into the block; only at the start of blocks.
    Phi(SmallVec<[PhiSrc; 2]>),
    /// Memory, interface, system value or side effect.
    Intrinsic(Intrinsic),
    /// Texture access.
    Tex(Box<Tex>),
}

impl InstKind {
    /// Calls `f` with every value read (phi sources included).
    pub fn for_each_src(&self, mut f: impl FnMut(Value)) {
        match self {
            InstKind::Alu(alu) => alu.srcs.iter().for_each(|s| f(s.value)),
            InstKind::Const(_) | InstKind::Undef => {}
            InstKind::Phi(srcs) => srcs.iter().for_each(|s| f(s.value)),
            InstKind::Intrinsic(intrinsic) => intrinsic.srcs.iter().for_each(|&v| f(v)),
            InstKind::Tex(tex) => tex.srcs.iter().for_each(|&(_, v)| f(v)),
        }
    }

    /// Calls `f` with every value read, for replacement (phi sources included).
    pub fn for_each_src_mut(&mut self, mut f: impl FnMut(&mut Value)) {
        match self {
            InstKind::Alu(alu) => alu.srcs.iter_mut().for_each(|s| f(&mut s.value)),
            InstKind::Const(_) | InstKind::Undef => {}
            InstKind::Phi(srcs) => srcs.iter_mut().for_each(|s| f(&mut s.value)),
            InstKind::Intrinsic(intrinsic) => intrinsic.srcs.iter_mut().for_each(f),
            InstKind::Tex(tex) => tex.srcs.iter_mut().for_each(|(_, v)| f(v)),
        }
    }

    /// Does something besides giving a result, so it must stay.
    pub fn has_side_effects(&self) -> bool {
        match self {
            InstKind::Intrinsic(intrinsic) => intrinsic.op.info().has_side_effects(),
            _ => false,
        }
    }

    /// Returns true if the result depends on nothing but the sources, for the same
    /// invocations active.
    pub fn is_pure(&self) -> bool {
        match self {
            InstKind::Alu(_) | InstKind::Const(_) | InstKind::Undef | InstKind::Tex(_) => true,
            InstKind::Phi(_) => false,
            InstKind::Intrinsic(intrinsic) => intrinsic.op.info().is_pure(),
        }
    }

    /// The result depends on which other invocations are active: it must not move across control
    /// flow.
    pub fn is_convergent(&self) -> bool {
        match self {
            InstKind::Alu(alu) => alu.op.info().is_derivative(),
            InstKind::Tex(tex) => matches!(tex.op, TexOp::Tex | TexOp::Txb | TexOp::Lod),
            InstKind::Intrinsic(intrinsic) => intrinsic.op.info().is_convergent(),
            _ => false,
        }
    }
}

/// An instruction and the value it defines. The line is an annotation: instructions that differ in
/// it alone are equal, and no pass depends on it.
#[derive(Clone, Debug)]
pub struct InstData {
    /// The operation.
    pub kind: InstKind,
    /// The value it defines.
    pub result: Option<Value>,
    /// The source line that it came from.
    pub line: SourceLine,
}

impl PartialEq for InstData {
    fn eq(&self, other: &InstData) -> bool {
        let InstData { kind, result, line: _ } = self;
        *kind == other.kind && *result == other.result
    }
}

impl Eq for InstData {}

impl Hash for InstData {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let InstData { kind, result, line: _ } = self;
        kind.hash(state);
        result.hash(state);
    }
}

named_enum! {
    /// How a block ends other than by falling through.
    pub enum Jump {
        /// Leaves the innermost loop.
        Break = "break",
        /// Starts the next iteration of the innermost loop.
        Continue = "continue",
        /// Ends the invocation; outputs stored so far count.
        Halt = "halt",
    }
}
