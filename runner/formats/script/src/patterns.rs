//! The command patterns of `[test]`, in the order in which they are tried.
//!
//! A *prefix* pattern matches when the line, after its leading blanks, starts with the literal,
//! even inside a word. A *scan* pattern is matched like C's `scanf`; see [`crate::scan`].

use std::fmt;

/// Kind of comparison of a pattern with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// Literal prefix; the command reads the rest of the line.
    Prefix,
    /// `scanf` conversions: `D` signed, `U` unsigned, `F` floating, `W` word, `W31` word of at most
    /// 31 bytes, `0xX` hexadecimal.
    Scan,
}

macro_rules! patterns {
    ($($name:ident $kind:ident $text:literal,)*) => {
        /// Identity of a command pattern. The discriminant is the position in the order of trial,
        /// from 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Pattern {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Pattern {
            /// Every pattern in the order of trial.
            pub const ALL: &'static [Pattern] = &[$(Pattern::$name,)*];
            const KINDS: &'static [MatchKind] = &[$(MatchKind::$kind,)*];
            const TEXTS: &'static [&'static str] = &[$($text,)*];
        }
    };
}

patterns! {
    ActiveShaderProgram Scan "active shader program W",
    AtomicCounterBuffer Scan "atomic counter buffer U U",
    AtomicCounters Scan "atomic counters D",
    AtomicCounter Scan "atomic counter U U U",
    ClearColor Prefix "clear color ",
    ClearDepth Prefix "clear depth ",
    Clear Prefix "clear",
    ClipPlane Scan "clip plane D F F F F",
    Color Prefix "color ",
    Compute Scan "compute D D D",
    ComputeGroupSize Scan "compute group size D D D D D D",
    DrawRectTex Prefix "draw rect tex ",
    DrawRectOrthoPatch Prefix "draw rect ortho patch ",
    DrawRectOrtho Prefix "draw rect ortho ",
    DrawRectPatch Prefix "draw rect patch ",
    DrawRect Prefix "draw rect ",
    DrawInstancedRectOrthoPatch Prefix "draw instanced rect ortho patch ",
    DrawInstancedRectOrtho Prefix "draw instanced rect ortho ",
    DrawInstancedRect Prefix "draw instanced rect ",
    DrawArraysInstanced Scan "draw arrays instanced W31 D D D",
    DrawArraysInstancedBase Scan "draw arrays instanced base W31 D D D D",
    DrawArrays Scan "draw arrays W31 D D",
    DrawElements Scan "draw elements W31 D D",
    MultidrawArrays Prefix "multidraw arrays ",
    Disable Prefix "disable ",
    Enable Prefix "enable ",
    Depthfunc Scan "depthfunc W31",
    Fb Prefix "fb ",
    Blit Prefix "blit ",
    FrontfaceCw Prefix "frontface cw",
    FrontfaceCcw Prefix "frontface ccw",
    Frustum Prefix "frustum",
    Hint Prefix "hint",
    ImageTexture Scan "image texture D W31",
    MemoryBarrier Scan "memory barrier W",
    BlendBarrier Prefix "blend barrier",
    FbfetchBarrier Prefix "fbfetch barrier",
    OrthoBounds Scan "ortho F F F F",
    Ortho Prefix "ortho",
    ViewportIndexed Scan "viewport indexed U F F F F",
    ProbeRgba Prefix "probe rgba ",
    ProbeDepth Prefix "probe depth ",
    ProbeAtomicCounterBuffer Scan "probe atomic counter buffer U U W U",
    ProbeAtomicCounter Scan "probe atomic counter U W U",
    ProbeSsboUintHex Scan "probe ssbo uint D D W 0xX",
    ProbeSsboUint Scan "probe ssbo uint D D W D",
    ProbeSsboUint64 Scan "probe ssbo uint64 D D W U",
    ProbeSsboInt Scan "probe ssbo int D D W D",
    ProbeSsboInt64 Scan "probe ssbo int64 D D W D",
    ProbeSsboDouble Scan "probe ssbo double D D W F",
    ProbeSsboFloat Scan "probe ssbo float D D W F",
    RelativeProbeRgba Scan "relative probe rgba ( F , F ) ( F , F , F , F )",
    ProbeRgb Prefix "probe rgb ",
    RelativeProbeRgb Scan "relative probe rgb ( F , F ) ( F , F , F )",
    ProbeRectRgba Scan "probe rect rgba ( D , D , D , D ) ( F , F , F , F )",
    RelativeProbeRectRgb Scan "relative probe rect rgb ( F , F , F , F ) ( F , F , F )",
    RelativeProbeRectRgba Scan "relative probe rect rgba ( F , F , F , F ) ( F , F , F , F )",
    RelativeProbeRectRgbaInt Scan "relative probe rect rgba int ( F , F , F , F ) ( D , D , D , D )",
    PolygonMode Prefix "polygon mode ",
    ProbeAllRgba Prefix "probe all rgba ",
    ProbeWarnAllRgba Prefix "probe warn all rgba ",
    ProbeAllRgb Prefix "probe all rgb",
    Tolerance Prefix "tolerance",
    ShadeModelSmooth Prefix "shade model smooth",
    ShadeModelFlat Prefix "shade model flat",
    Ssbo Scan "ssbo D D",
    XfbBufferObject Scan "xfb buffer object U U",
    XfbDrawArrays Scan "xfb draw arrays W31 D D",
    ProbeXfbBufferFloat Scan "probe xfb buffer float U U F",
    ProbeXfbBufferDouble Scan "probe xfb buffer double U U F",
    SsboSubdataFloat Scan "ssbo D subdata float D F",
    SsboSubdataDouble Scan "ssbo D subdata double D W",
    SsboSubdataInt64 Scan "ssbo D subdata int64 D W",
    SsboSubdataUint64 Scan "ssbo D subdata uint64 U W",
    SsboSubdataInt Scan "ssbo D subdata int D W",
    TextureRgbw Scan "texture rgbw D ( D",
    ResidentTexture Scan "resident texture D",
    ResidentTexture1D Scan "resident texture 1D D",
    ResidentImageTexture Scan "resident image texture D W31",
    TextureInteger Prefix "texture integer ",
    TextureMiptree Scan "texture miptree D",
    TextureCheckerboard Scan "texture checkerboard D D ( D , D ) ( F , F , F , F ) ( F , F , F , F )",
    TextureQuads Scan "texture quads D D ( D , D ) ( D , D ) ( F , F , F , F ) ( F , F , F , F ) ( F , F , F , F ) ( F , F , F , F )",
    TextureJunk2DArray Scan "texture junk 2DArray D ( D , D , D )",
    TextureStorage Prefix "texture storage ",
    TextureRgbw1D Scan "texture rgbw 1D D",
    TextureRgbw3D Scan "texture rgbw 3D D",
    TextureRgbw2DArray Scan "texture rgbw 2DArray D ( D , D , D )",
    TextureRgbw1DArray Scan "texture rgbw 1DArray D ( D , D )",
    TextureShadow2D Scan "texture shadow2D D ( D , D )",
    TextureShadowRect Scan "texture shadowRect D ( D , D )",
    TextureShadow1D Scan "texture shadow1D D ( D )",
    TextureShadow1DArray Scan "texture shadow1DArray D ( D , D )",
    TextureShadow2DArray Scan "texture shadow2DArray D ( D , D , D )",
    Texcoord Scan "texcoord D ( F , F , F , F )",
    Texparameter Prefix "texparameter ",
    Uniform Prefix "uniform ",
    Subuniform Prefix "subuniform ",
    Parameter Prefix "parameter ",
    PatchParameter Prefix "patch parameter ",
    ProgramBinarySaveRestore Prefix "program binary save restore",
    ProvokingVertex Prefix "provoking vertex ",
    LinkError Prefix "link error",
    LinkSuccess Prefix "link success",
    UboArrayIndex Prefix "ubo array index ",
    BlockArrayIndex Prefix "block array index ",
    BlockBinding Prefix "block binding ",
    BlockOffset Prefix "block offset ",
    BlockMatrixStride Prefix "block matrix stride",
    BlockRowMajor Prefix "block row major",
    ActiveUniform Prefix "active uniform ",
    VerifyProgramQuery Prefix "verify program_query",
    VerifyProgramInterfaceQuery Prefix "verify program_interface_query ",
    VerifyQueryObject Prefix "verify query_object",
    VertexAttrib Prefix "vertex attrib ",
    Newlist Prefix "newlist ",
    Endlist Prefix "endlist",
    Calllist Prefix "calllist",
    Deletelist Prefix "deletelist",
    ViewportSwizzle Prefix "viewport swizzle ",
    Light Prefix "light ",
}

impl Pattern {
    /// The text of the pattern; a prefix pattern may end in a blank that the line must have.
    pub fn text(self) -> &'static str {
        Self::TEXTS[self as usize]
    }

    /// Returns the kind of comparison with a line.
    pub fn kind(self) -> MatchKind {
        Self::KINDS[self as usize]
    }

    /// Position in the order of trial, from 1.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// The patterns that start with `first`, in the order of trial. Every pattern starts with a
    /// lower-case letter that must be the line's first non-blank byte, so no other pattern can
    /// match such a line.
    pub(crate) fn starting_with(first: u8) -> impl Iterator<Item = Pattern> {
        let bucket = first.checked_sub(b'a').and_then(|letter| BUCKETS.get(letter as usize));
        let members: &[u8] = bucket.map_or(&[], |bucket| bucket.members.split_at(bucket.len).0);
        members.iter().map(|&index| Self::ALL[index as usize])
    }
}

/// The pattern as the format's documentation spells it: a required final blank is shown as `␠`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text().strip_suffix(' ') {
            Some(literal) => write!(f, "{literal}␠"),
            None => f.write_str(self.text()),
        }
    }
}

/// Patterns with one first letter, as indices into [`Pattern::ALL`].
#[derive(Clone, Copy)]
struct Bucket {
    members: [u8; 64],
    len: usize,
}

static BUCKETS: [Bucket; 26] = buckets();

const fn buckets() -> [Bucket; 26] {
    let mut buckets = [Bucket { members: [0; 64], len: 0 }; 26];
    let mut index = 0;
    while index < Pattern::TEXTS.len() {
        let letter = (Pattern::TEXTS[index].as_bytes()[0] - b'a') as usize;
        let len = buckets[letter].len;
        buckets[letter].members[len] = index as u8;
        buckets[letter].len = len + 1;
        index += 1;
    }
    buckets
}
