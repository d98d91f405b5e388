//! The instruction set: operands and meaning as GLSL.

use crate::arb::target::ProgramTarget;

/// Syntax of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Four components.
    Vector,
    /// One component, selected by a single-letter suffix.
    Scalar,
}

/// An instruction: operands, target, and a GLSL expression of type vec4 in which `$0`, `$1`, `$2`
/// are the operands (scalars are floats). `unspecified` is a float without a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    /// Mnemonic.
    pub name: &'static str,
    /// Operands.
    pub operands: &'static [Form],
    /// Only for this target.
    pub only: Option<ProgramTarget>,
    /// The result.
    pub glsl: &'static str,
}

const fn op(name: &'static str, operands: &'static [Form], glsl: &'static str) -> Operation {
    Operation { name, operands, only: None, glsl }
}

const fn fragment(name: &'static str, operands: &'static [Form], glsl: &'static str) -> Operation {
    Operation { name, operands, only: Some(ProgramTarget::Fragment), glsl }
}

const fn vertex(name: &'static str, operands: &'static [Form], glsl: &'static str) -> Operation {
    Operation { name, operands, only: Some(ProgramTarget::Vertex), glsl }
}

const V1: &[Form] = &[Form::Vector];
const V2: &[Form] = &[Form::Vector; 2];
const V3: &[Form] = &[Form::Vector; 3];
const S1: &[Form] = &[Form::Scalar];
const S2: &[Form] = &[Form::Scalar; 2];

/// ALU instructions; `ARL`, `KIL`, `SWZ` and the texture instructions have a special syntax.
pub(super) const OPERATIONS: &[Operation] = &[
    op("ABS", V1, "abs($0)"),
    op("ADD", V2, "($0 + $1)"),
    fragment(
        "CMP",
        V3,
        "vec4($0.x < 0.0 ? $1.x : $2.x, $0.y < 0.0 ? $1.y : $2.y, $0.z < 0.0 ? $1.z : $2.z, $0.w < 0.0 ? $1.w : $2.w)",
    ),
    fragment("COS", S1, "vec4(cos($0))"),
    op("DP3", V2, "vec4(dot($0.xyz, $1.xyz))"),
    op("DP4", V2, "vec4(dot($0, $1))"),
    op("DPH", V2, "vec4(dot($0.xyz, $1.xyz) + $1.w)"),
    op("DST", V2, "vec4(1.0, $0.y * $1.y, $0.z, $1.w)"),
    op("EX2", S1, "vec4(exp2($0))"),
    vertex("EXP", S1, "vec4(exp2(floor($0)), $0 - floor($0), exp2($0), 1.0)"),
    op("FLR", V1, "floor($0)"),
    op("FRC", V1, "fract($0)"),
    op("LG2", S1, "vec4(log2($0))"),
    op(
        "LIT",
        V1,
        "vec4(1.0, max($0.x, 0.0), $0.x > 0.0 ? pow(max($0.y, 0.0), clamp($0.w, -127.99, 127.99)) : 0.0, 1.0)",
    ),
    vertex(
        "LOG",
        S1,
        "vec4(floor(log2(abs($0))), abs($0) * exp2(-floor(log2(abs($0)))), log2(abs($0)), 1.0)",
    ),
    fragment("LRP", V3, "($0 * $1 + (1.0 - $0) * $2)"),
    op("MAD", V3, "($0 * $1 + $2)"),
    op("MAX", V2, "max($0, $1)"),
    op("MIN", V2, "min($0, $1)"),
    op("MOV", V1, "$0"),
    op("MUL", V2, "($0 * $1)"),
    op("POW", S2, "vec4(pow($0, $1))"),
    op("RCP", S1, "vec4(1.0 / $0)"),
    op("RSQ", S1, "vec4(inversesqrt(abs($0)))"),
    fragment("SCS", S1, "vec4(cos($0), sin($0), unspecified, unspecified)"),
    op("SGE", V2, "vec4(greaterThanEqual($0, $1))"),
    fragment("SIN", S1, "vec4(sin($0))"),
    op("SLT", V2, "vec4(lessThan($0, $1))"),
    op("SUB", V2, "($0 - $1)"),
    op("XPD", V2, "vec4(cross($0.xyz, $1.xyz), unspecified)"),
];

/// Returns whether a word is reserved.
#[must_use]
pub(super) fn is_reserved(word: &str, target: ProgramTarget) -> bool {
    const STATEMENTS: [&str; 7] = ["ALIAS", "ATTRIB", "END", "OPTION", "OUTPUT", "PARAM", "TEMP"];
    let (own, kind): (&[&str], &str) = match target {
        ProgramTarget::Vertex => (&["ADDRESS", "ARL"], "vertex"),
        ProgramTarget::Fragment => (&["KIL", "TEX", "TXB", "TXP", "texture"], "fragment"),
    };
    let plain =
        word.strip_suffix("_SAT").filter(|_| target == ProgramTarget::Fragment).unwrap_or(word);
    STATEMENTS.contains(&word)
        || ["SWZ"].contains(&plain)
        || own.contains(&plain)
        || [kind, "program", "result", "state"].contains(&word)
        || Operation::find(plain, target).is_some()
}

impl Operation {
    /// The operation called `name` (without `_SAT`) in programs of a target.
    #[must_use]
    pub(super) fn find(name: &str, target: ProgramTarget) -> Option<&'static Operation> {
        OPERATIONS.iter().find(|o| o.name == name && o.only.is_none_or(|only| only == target))
    }
}

/// Use of the coordinate by a texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// `TEX`
    Plain,
    /// `TXP`: divides by the fourth component.
    Projective,
    /// `TXB`: the fourth component is a bias.
    Biased,
}

/// A texture target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TextureTarget {
    /// `1D`
    D1,
    /// `2D`
    D2,
    /// `3D`
    D3,
    /// `CUBE`
    Cube,
    /// `RECT`
    Rectangle,
    /// `SHADOW1D`
    Shadow1d,
    /// `SHADOW2D`
    Shadow2d,
    /// `SHADOWRECT`
    ShadowRectangle,
}

/// GLSL types and functions of a texture target.
pub(super) struct TextureTargetInfo {
    /// Name in assembly.
    pub name: &'static str,
    /// The target.
    pub target: TextureTarget,
    /// Sampler type.
    pub sampler: &'static str,
    /// Lookup function, without a suffix.
    pub function: &'static str,
    /// Components of the coordinate.
    pub coordinate: &'static str,
    /// Components of the coordinate with the divisor last.
    pub projective: &'static str,
}

const fn target(
    name: &'static str,
    target: TextureTarget,
    sampler: &'static str,
    function: &'static str,
    coordinate: &'static str,
    projective: &'static str,
) -> TextureTargetInfo {
    TextureTargetInfo { name, target, sampler, function, coordinate, projective }
}

/// The texture targets.
pub(super) const TEXTURE_TARGETS: &[TextureTargetInfo] = &[
    target("1D", TextureTarget::D1, "sampler1D", "texture1D", "x", "xw"),
    target("2D", TextureTarget::D2, "sampler2D", "texture2D", "xy", "xyw"),
    target("3D", TextureTarget::D3, "sampler3D", "texture3D", "xyz", "xyzw"),
    // Division does not change a direction, except that its sign turns it around.
    target("CUBE", TextureTarget::Cube, "samplerCube", "textureCube", "xyz", ""),
    target("RECT", TextureTarget::Rectangle, "sampler2DRect", "texture2DRect", "xy", "xyw"),
    target("SHADOW1D", TextureTarget::Shadow1d, "sampler1DShadow", "shadow1D", "xyz", "xyzw"),
    target("SHADOW2D", TextureTarget::Shadow2d, "sampler2DShadow", "shadow2D", "xyz", "xyzw"),
    target(
        "SHADOWRECT",
        TextureTarget::ShadowRectangle,
        "sampler2DRectShadow",
        "shadow2DRect",
        "xyz",
        "xyzw",
    ),
];

impl TextureTarget {
    /// The row of the table.
    #[must_use]
    pub(super) fn info(self) -> &'static TextureTargetInfo {
        TEXTURE_TARGETS.iter().find(|t| t.target == self).unwrap_or(&TEXTURE_TARGETS[0])
    }
}
