//! Bindings of dotted names: attributes, results, parameters and state, as GLSL expressions of type
//! vec4.

use crate::arb::target::ProgramTarget;

/// A part of a dotted name: a word, possibly with an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The word.
    pub name: String,
    /// `[n]`
    pub index: Option<u32>,
    /// The `m` of `[n..m]`.
    pub last: Option<u32>,
}

/// Destination of a result and its source, a swizzle of the written vec4.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ResultTarget {
    /// GLSL variable.
    pub glsl: String,
    /// Swizzle of the assembly result that it receives.
    pub components: &'static str,
}

/// Maximum number of texture coordinate sets and texture units.
pub(super) const MAX_TEXTURES: u32 = 32;
/// Texture coordinate sets of the compatibility profile.
const MAX_COORDINATES: u32 = 8;
/// Colors of ARB_draw_buffers.
const MAX_DRAW_BUFFERS: u32 = 8;
/// Number of program matrices, which are always the identity.
const MAX_MATRICES: u32 = 8;
/// Generic vertex attributes.
const MAX_ATTRIBUTES: u32 = 16;

/// The words of a name and its indices, matched together.
fn words(parts: &[Part]) -> Vec<&str> {
    parts.iter().map(|p| p.name.as_str()).collect()
}

/// Rule for the index of a part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Index {
    Never,
    Optional,
    Required,
    /// Required, and a range where an array is declared.
    Range,
}

/// The grammars' rule for the part at a place of a name.
fn index_rule(first: &str, place: usize, name: &str) -> Index {
    match (first, place, name) {
        ("program", 1, "env" | "local") => Index::Range,
        ("state", 3.., "row") => Index::Range,
        ("vertex", 1, "attrib") => Index::Required,
        ("state", 1, "light" | "lightprod" | "texgen" | "clip") | ("state", 2, "program") => {
            Index::Required
        }
        ("vertex" | "fragment" | "result", 1, "texcoord") | ("result", 1, "color") => {
            Index::Optional
        }
        ("state", 1, "texenv") | ("state", 2, "modelview" | "texture") => Index::Optional,
        _ => Index::Never,
    }
}

/// Returns whether all indices follow the grammars' rules.
#[must_use]
pub(super) fn indices_fit(parts: &[Part]) -> bool {
    let Some(first) = parts.first() else { return false };
    parts.iter().enumerate().all(|(place, part)| {
        match (index_rule(&first.name, place, &part.name), part.index, part.last) {
            (Index::Never | Index::Optional, None, _) | (Index::Range, Some(_), _) => true,
            (Index::Optional | Index::Required, Some(_), last) => last.is_none(),
            _ => false,
        }
    })
}

/// The generic attribute that aliases a conventional one (ARB_vertex_program).
#[must_use]
pub(super) fn generic_alias(parts: &[Part]) -> Option<u32> {
    Some(match words(parts)[..] {
        ["vertex", "position"] => 0,
        ["vertex", "normal"] => 2,
        ["vertex", "color"] | ["vertex", "color", "primary"] => 3,
        ["vertex", "color", "secondary"] => 4,
        ["vertex", "fogcoord"] => 5,
        ["vertex", "texcoord"] => 8 + parts.last()?.index.unwrap_or(0),
        _ => return None,
    })
}

fn below(index: Option<u32>, limit: u32) -> Option<u32> {
    index.or(Some(0)).filter(|&n| n < limit)
}

/// `vertex.…` in vertex programs.
#[must_use]
pub(super) fn vertex_attribute(parts: &[Part]) -> Option<String> {
    let index = parts.last()?.index;
    Some(match words(parts)[..] {
        ["vertex", "position"] => "gl_Vertex".into(),
        ["vertex", "normal"] => "vec4(gl_Normal, 1.0)".into(),
        ["vertex", "color"] | ["vertex", "color", "primary"] => "gl_Color".into(),
        ["vertex", "color", "secondary"] => "gl_SecondaryColor".into(),
        ["vertex", "fogcoord"] => "vec4(gl_FogCoord, 0.0, 0.0, 1.0)".into(),
        ["vertex", "texcoord"] => format!("gl_MultiTexCoord{}", below(index, MAX_COORDINATES)?),
        // Generic attribute 0 is the position.
        ["vertex", "attrib"] => match index? {
            0 => "gl_Vertex".into(),
            n if n < MAX_ATTRIBUTES => format!("arb_attrib{n}"),
            _ => return None,
        },
        _ => return None,
    })
}

/// `fragment.…` in fragment programs.
#[must_use]
pub(super) fn fragment_attribute(parts: &[Part]) -> Option<String> {
    let index = parts.last()?.index;
    Some(match words(parts)[..] {
        ["fragment", "position"] => "gl_FragCoord".into(),
        ["fragment", "color"] | ["fragment", "color", "primary"] => "gl_Color".into(),
        ["fragment", "color", "secondary"] => "gl_SecondaryColor".into(),
        ["fragment", "fogcoord"] => "vec4(gl_FogFragCoord, 0.0, 0.0, 1.0)".into(),
        ["fragment", "texcoord"] => format!("gl_TexCoord[{}]", below(index, MAX_COORDINATES)?),
        _ => return None,
    })
}

/// `result.…`
#[must_use]
pub(super) fn result(
    parts: &[Part],
    target: ProgramTarget,
    draw_buffers: bool,
) -> Option<ResultTarget> {
    let index = parts.last()?.index;
    let all = |glsl: &str| Some(ResultTarget { glsl: glsl.into(), components: "xyzw" });
    let one = |glsl: &str, components| Some(ResultTarget { glsl: glsl.into(), components });
    if target == ProgramTarget::Vertex
        && parts.get(1).is_some_and(|p| p.name == "color" && p.index.is_some())
    {
        return None;
    }
    match (target, &words(parts)[..]) {
        (ProgramTarget::Vertex, ["result", "position"]) => all("gl_Position"),
        (ProgramTarget::Vertex, ["result", "color", rest @ ..]) => {
            let (back, rest) = match rest {
                ["front", rest @ ..] => (false, rest),
                ["back", rest @ ..] => (true, rest),
                rest => (false, rest),
            };
            match (back, rest) {
                (false, [] | ["primary"]) => all("gl_FrontColor"),
                (false, ["secondary"]) => all("gl_FrontSecondaryColor"),
                (true, [] | ["primary"]) => all("gl_BackColor"),
                (true, ["secondary"]) => all("gl_BackSecondaryColor"),
                _ => None,
            }
        }
        (ProgramTarget::Vertex, ["result", "fogcoord"]) => one("gl_FogFragCoord", "x"),
        (ProgramTarget::Vertex, ["result", "pointsize"]) => one("gl_PointSize", "x"),
        (ProgramTarget::Vertex, ["result", "texcoord"]) => {
            all(&format!("gl_TexCoord[{}]", below(index, MAX_COORDINATES)?))
        }
        (ProgramTarget::Fragment, ["result", "color"]) => match index {
            None if !draw_buffers => all("gl_FragColor"),
            _ if !draw_buffers => None,
            index => all(&format!("gl_FragData[{}]", below(index, MAX_DRAW_BUFFERS)?)),
        },
        (ProgramTarget::Fragment, ["result", "depth"]) => one("gl_FragDepth", "z"),
        _ => None,
    }
}

/// `state.…` other than matrices: some for vertex programs, some for fragment programs.
#[must_use]
pub(super) fn state(parts: &[Part], target: ProgramTarget) -> Option<String> {
    let names = words(parts);
    let index = |n: usize| parts[n].index;
    Some(match names[..] {
        ["state", "material", ref rest @ ..] => {
            let (face, rest) = face(rest);
            let (field, point) = match rest {
                ["ambient"] => ("ambient", false),
                ["diffuse"] => ("diffuse", false),
                ["specular"] => ("specular", false),
                ["emission"] => ("emission", false),
                ["shininess"] => ("shininess", true),
                _ => return None,
            };
            let value = format!("gl_{face}Material.{field}");
            if point { format!("vec4({value}, 0.0, 0.0, 1.0)") } else { value }
        }
        ["state", "light", field] => {
            let light = format!("gl_LightSource[{}]", below(index(1), 8)?);
            match field {
                "ambient" | "diffuse" | "specular" | "position" => format!("{light}.{field}"),
                "attenuation" => format!(
                    "vec4({light}.constantAttenuation, {light}.linearAttenuation, {light}.quadraticAttenuation, \
                     {light}.spotExponent)"
                ),
                "half" => format!("{light}.halfVector"),
                _ => return None,
            }
        }
        ["state", "light", "spot", "direction"] => {
            let light = format!("gl_LightSource[{}]", below(index(1), 8)?);
            format!("vec4({light}.spotDirection, {light}.spotCosCutoff)")
        }
        ["state", "lightmodel", "ambient"] => "gl_LightModel.ambient".into(),
        ["state", "lightmodel", ref rest @ ..] => match face(rest) {
            (face, ["scenecolor"]) => format!("gl_{face}LightModelProduct.sceneColor"),
            _ => return None,
        },
        ["state", "lightprod", ref rest @ ..] => match face(rest) {
            (face, [field @ ("ambient" | "diffuse" | "specular")]) => {
                format!("gl_{face}LightProduct[{}].{field}", below(index(1), 8)?)
            }
            _ => return None,
        },
        ["state", "fog", "color"] => "gl_Fog.color".into(),
        ["state", "fog", "params"] => {
            "vec4(gl_Fog.density, gl_Fog.start, gl_Fog.end, gl_Fog.scale)".into()
        }
        ["state", "clip", "plane"] if target == ProgramTarget::Vertex => {
            format!("gl_ClipPlane[{}]", below(index(1), 8)?)
        }
        ["state", "point", "size"] if target == ProgramTarget::Vertex => {
            "vec4(gl_Point.size, gl_Point.sizeMin, gl_Point.sizeMax, gl_Point.fadeThresholdSize)"
                .into()
        }
        ["state", "texgen", plane @ ("eye" | "object"), axis @ ("s" | "t" | "r" | "q")]
            if target == ProgramTarget::Vertex =>
        {
            let plane = if plane == "eye" { "Eye" } else { "Object" };
            format!(
                "gl_{plane}Plane{}[{}]",
                axis.to_ascii_uppercase(),
                below(index(1), MAX_COORDINATES)?
            )
        }
        ["state", "point", "attenuation"] if target == ProgramTarget::Vertex => {
            "vec4(gl_Point.distanceConstantAttenuation, gl_Point.distanceLinearAttenuation, \
             gl_Point.distanceQuadraticAttenuation, 1.0)"
                .into()
        }
        ["state", "texenv", "color"] if target == ProgramTarget::Fragment => {
            format!("gl_TextureEnvColor[{}]", below(index(1), MAX_COORDINATES)?)
        }
        ["state", "depth", "range"] if target == ProgramTarget::Fragment => {
            "vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0)".into()
        }
        _ => return None,
    })
}

fn face<'a>(rest: &'a [&'a str]) -> (&'static str, &'a [&'a str]) {
    match rest {
        ["back", rest @ ..] => ("Back", rest),
        ["front", rest @ ..] => ("Front", rest),
        rest => ("Front", rest),
    }
}

/// Rows of `state.matrix.…`: all four, or those of `row[n]` or `row[n..m]`.
#[must_use]
pub(super) fn matrix_rows(parts: &[Part]) -> Option<Vec<String>> {
    let [state, matrix, which, rest @ ..] = parts else { return None };
    if (state.name.as_str(), matrix.name.as_str()) != ("state", "matrix") {
        return None;
    }
    let identity = which.name == "program" && which.index? < MAX_MATRICES;
    let (stem, index) = match which.name.as_str() {
        "modelview" if which.index.unwrap_or(0) == 0 => ("ModelView", String::new()),
        "projection" => ("Projection", String::new()),
        "mvp" => ("ModelViewProjection", String::new()),
        "program" if identity => ("", String::new()),
        "texture" => ("Texture", format!("[{}]", below(which.index, MAX_COORDINATES)?)),
        _ => return None,
    };
    // GLSL indexes columns: rows are columns of the transpose.
    let (suffix, rest) = match rest {
        [form, rest @ ..] if form.name == "inverse" => ("InverseTranspose", rest),
        [form, rest @ ..] if form.name == "transpose" => ("", rest),
        [form, rest @ ..] if form.name == "invtrans" => ("Inverse", rest),
        rest => ("Transpose", rest),
    };
    let rows = match rest {
        [] => 0..4,
        [row] if row.name == "row" => {
            let first = row.index?;
            first..row.last.unwrap_or(first).checked_add(1)?
        }
        _ => return None,
    };
    if rows.is_empty() || rows.end > 4 {
        return None;
    }
    if identity {
        let row = |row| {
            format!(
                "vec4({})",
                (0..4).map(|n| if n == row { "1.0" } else { "0.0" }).collect::<Vec<_>>().join(", ")
            )
        };
        return Some(rows.map(row).collect());
    }
    Some(rows.map(|row| format!("gl_{stem}Matrix{suffix}{index}[{row}]")).collect())
}
