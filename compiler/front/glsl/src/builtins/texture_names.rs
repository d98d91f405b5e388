//! Parser of the names of texture built-ins: the spellings of all versions and extensions have the
//! same parts.

use crate::language::Language;
use program::types::Dim;
use program::{Stage, TextureOp};

/// Level-of-detail part of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LodPart {
    None,
    Lod,
    Grad,
}

/// Offset part of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OffsetPart {
    None,
    One,
    /// `textureGatherOffsets`: an array of four.
    Four,
}

/// Sampler shape in an older name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextureShape {
    pub dim: Dim,
    pub array: bool,
    pub shadow: bool,
}

/// A texture built-in's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TextureName {
    pub op: TextureOp,
    pub projective: bool,
    pub lod: LodPart,
    pub offset: OffsetPart,
    /// Set for names from before GLSL 1.30, which contain the sampler's shape.
    pub shape: Option<TextureShape>,
    /// `ARB` or `EXT` at the end; `AMD` for `texture4`.
    pub suffix: Option<&'static str>,
    /// `textureQueryLOD`, the extension's spelling.
    pub capital_lod: bool,
}

/// Parses a name; `None` if it is not of a texture built-in.
pub(crate) fn parse(name: &str) -> Option<TextureName> {
    let plain = |op| TextureName {
        op,
        projective: false,
        lod: LodPart::None,
        offset: OffsetPart::None,
        shape: None,
        suffix: None,
        capital_lod: false,
    };
    match name {
        "textureQueryLod" => return Some(plain(TextureOp::QueryLod)),
        "textureQueryLOD" => {
            return Some(TextureName { capital_lod: true, ..plain(TextureOp::QueryLod) });
        }
        "textureQueryLevels" => return Some(plain(TextureOp::QueryLevels)),
        "textureSamples" => return Some(plain(TextureOp::QuerySamples)),
        "texture4" => return Some(TextureName { suffix: Some("AMD"), ..plain(TextureOp::Gather) }),
        "textureGather" => return Some(plain(TextureOp::Gather)),
        "textureGatherOffset" => {
            return Some(TextureName { offset: OffsetPart::One, ..plain(TextureOp::Gather) });
        }
        "textureGatherOffsets" => {
            return Some(TextureName { offset: OffsetPart::Four, ..plain(TextureOp::Gather) });
        }
        _ => {}
    }
    let (op, shadow, rest) = if let Some(rest) = name.strip_prefix("texelFetch") {
        (TextureOp::Fetch, false, rest)
    } else if let Some(rest) = name.strip_prefix("textureSize") {
        (TextureOp::Size, false, rest)
    } else if let Some(rest) = name.strip_prefix("texture") {
        (TextureOp::Sample, false, rest)
    } else {
        (TextureOp::Sample, true, name.strip_prefix("shadow")?)
    };
    let (shape, mut rest) = shape(rest, shadow);
    if shadow && shape.is_none() {
        return None;
    }
    let mut take = |part: &str| match rest.strip_prefix(part) {
        Some(after) => {
            rest = after;
            true
        }
        None => false,
    };
    let projective = take("Proj");
    let lod = match () {
        () if take("Lod") => LodPart::Lod,
        () if take("Grad") => LodPart::Grad,
        () => LodPart::None,
    };
    let offset = if take("Offset") { OffsetPart::One } else { OffsetPart::None };
    let suffix = match rest {
        "" => None,
        "ARB" => Some("ARB"),
        "EXT" => Some("EXT"),
        _ => return None,
    };
    let odd =
        matches!(op, TextureOp::Fetch | TextureOp::Size) && (projective || lod != LodPart::None);
    (!odd && (suffix.is_none() || shape.is_some())).then_some(TextureName {
        op,
        projective,
        lod,
        offset,
        shape,
        suffix,
        capital_lod: false,
    })
}

fn shape(rest: &str, shadow: bool) -> (Option<TextureShape>, &str) {
    let known = [
        ("2DRect", Dim::Rect, false),
        ("1DArray", Dim::D1, true),
        ("2DArray", Dim::D2, true),
        ("1D", Dim::D1, false),
        ("2D", Dim::D2, false),
        ("3D", Dim::D3, false),
        ("Cube", Dim::Cube, false),
        ("Buffer", Dim::Buffer, false),
    ];
    for (text, dim, array) in known {
        if let Some(rest) = rest.strip_prefix(text) {
            return (Some(TextureShape { dim, array, shadow }), rest);
        }
    }
    (None, rest)
}

impl TextureName {
    /// Returns whether the version, stage and extensions have a function of this name.
    pub(crate) fn available(&self, language: &Language<'_>) -> bool {
        let v = |desktop, es| language.at_least(desktop, es);
        let ext = |names: &[&str]| language.any_extension(names);
        let gpu5 = ["ARB_gpu_shader5", "EXT_gpu_shader5", "OES_gpu_shader5"];
        match (self.op, self.shape) {
            (TextureOp::QueryLod, _) if self.capital_lod => {
                ext(&["ARB_texture_query_lod"]) || v(400, 0)
            }
            (TextureOp::QueryLod, _) => v(400, 0) || ext(&["EXT_texture_query_lod"]),
            (TextureOp::QueryLevels, _) => v(430, 0) || ext(&["ARB_texture_query_levels"]),
            (TextureOp::QuerySamples, _) => v(450, 0) || ext(&["ARB_shader_texture_image_samples"]),
            (TextureOp::Gather, _) if self.suffix == Some("AMD") => ext(&["AMD_texture_texture4"]),
            (TextureOp::Gather, _) => match self.offset {
                OffsetPart::Four => v(400, 320) || ext(&gpu5),
                _ => v(400, 310) || ext(&["ARB_texture_gather"]) || ext(&gpu5),
            },
            (TextureOp::Sample | TextureOp::Fetch | TextureOp::Size, None) => v(130, 300),
            (TextureOp::Fetch | TextureOp::Size, Some(_)) => ext(&["EXT_gpu_shader4"]),
            (TextureOp::Sample, Some(shape)) => self.older_available(shape, language),
        }
    }

    fn older_available(&self, shape: TextureShape, language: &Language<'_>) -> bool {
        let ext = |names: &[&str]| language.any_extension(names);
        let removed = if language.es { language.version >= 300 } else { language.version >= 420 };
        if removed && !language.compatibility {
            return false;
        }
        if language.es && shape.shadow && !ext(&["EXT_shadow_samplers"]) {
            return false;
        }
        let arrays = !shape.array || ext(&["EXT_texture_array", "EXT_gpu_shader4"]);
        let parts = match (self.lod, self.suffix) {
            (LodPart::Grad, None) => ext(&["EXT_gpu_shader4"]),
            (_, Some("ARB")) => ext(&["ARB_shader_texture_lod"]),
            (_, Some(_)) => ext(&["EXT_shader_texture_lod", "EXT_shadow_samplers"]),
            (LodPart::Lod, None) => {
                matches!(language.stage, Stage::Vertex | Stage::Geometry)
                    || language.at_least(130, 0)
                    || ext(&["ARB_shader_texture_lod", "EXT_gpu_shader4"])
            }
            (LodPart::None, None) => true,
        };
        let offset = self.offset == OffsetPart::None || ext(&["EXT_gpu_shader4"]);
        arrays && parts && offset
    }
}
