//! GLSL of any version as GLSL 4.50 of the core profile, as far as words can be exchanged. The
//! translation is piglit's (`gen_gl_spirv_tests.py`), and so are the limits.

use vocabulary::Stage;

/// Extensions whose functions are in core GLSL 4.50, but whose names Khronos's compiler does not
/// know.
const IN_CORE: &[&str] = &[
    "GL_ARB_arrays_of_arrays",
    "GL_ARB_cull_distance",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_fragment_layer_viewport",
    "GL_ARB_gpu_shader_fp64",
    "GL_ARB_shader_bit_encoding",
    "GL_ARB_shader_precision",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shading_language_packing",
    "GL_ARB_texture_query_levels",
    "GL_ARB_uniform_buffer_object",
    "GL_ARB_vertex_attrib_64bit",
    "GL_AMD_conservative_depth",
    "GL_EXT_shader_integer_mix",
];

/// Built-in names that a module for OpenGL can have (GLSL 4.50, sections 7.1 and 7.3).
const BUILTINS: &[&str] = &[
    "gl_NumWorkGroups",
    "gl_WorkGroupSize",
    "gl_WorkGroupID",
    "gl_LocalInvocationID",
    "gl_GlobalInvocationID",
    "gl_LocalInvocationIndex",
    "gl_PerVertex",
    "gl_VertexID",
    "gl_InstanceID",
    "gl_Position",
    "gl_PointSize",
    "gl_ClipDistance",
    "gl_CullDistance",
    "gl_in",
    "gl_PrimitiveIDIn",
    "gl_InvocationID",
    "gl_PrimitiveID",
    "gl_Layer",
    "gl_ViewportIndex",
    "gl_MaxPatchVertices",
    "gl_PatchVerticesIn",
    "gl_TessLevelOuter",
    "gl_TessLevelInner",
    "gl_TessCoord",
    "gl_out",
    "gl_FragCoord",
    "gl_FrontFacing",
    "gl_PointCoord",
    "gl_SampleID",
    "gl_SamplePosition",
    "gl_SampleMaskIn",
    "gl_HelperInvocation",
    "gl_FragDepth",
    "gl_SampleMask",
    "gl_MaxClipDistances",
    "gl_MaxCullDistances",
    "gl_MaxCombinedClipAndCullDistances",
    "gl_MaxGeometryInputComponents",
    "gl_MaxVertexOutputComponents",
    "gl_SubGroupInvocationARB",
    "gl_SubGroupSizeARB",
    "gl_SubGroupLtMaskARB",
    "gl_SubGroupGtMaskARB",
    "gl_SubGroupEqMaskARB",
    "gl_SubGroupLeMaskARB",
    "gl_SubGroupGeMaskARB",
    "gl_BaseVertexARB",
    "gl_BaseInstanceARB",
    "gl_DrawIDARB",
];

/// Names of earlier versions that are variables here, with their declarations.
const REPLACED: [(&str, &str, &str); 2] = [
    ("gl_Vertex", "piglit_vertex", "in vec4 piglit_vertex; "),
    ("gl_FragColor", "compat_fragcolor", "out vec4 compat_fragcolor; "),
];

/// Rewrites a shader of a stage. Lines stay where they are.
///
/// # Errors
/// The word that has no counterpart.
pub(super) fn core(stage: Stage, source: &str) -> Result<String, String> {
    let (mut text, mut declared) = (String::with_capacity(source.len()), [false; REPLACED.len()]);
    // The place of the first word that is no directive: declarations go there.
    let mut start = None;
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let at_line_start = text.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let length = match first {
            '#' if at_line_start => directive(rest),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, tail) = rest.split_at(length);
        rest = tail;
        match first {
            '#' if at_line_start => text.push_str(&kept_directive(token)),
            _ if is_word(first) => {
                start.get_or_insert(text.len());
                text.push_str(word(stage, token, &mut declared)?);
            }
            _ => text.push_str(token),
        }
    }
    let used = REPLACED.iter().zip(declared).filter(|(_, used)| *used);
    let declarations: String = used.map(|((_, _, declaration), _)| *declaration).collect();
    text.insert_str(start.unwrap_or(0), &declarations);
    Ok(text)
}

/// Length of a directive with its continued lines, without the end of the last line.
fn directive(text: &str) -> usize {
    let mut ends = text.match_indices('\n').map(|(place, _)| place);
    let is_last = |&end: &usize| !text[..end].trim_end_matches('\r').ends_with('\\');
    ends.find(is_last).unwrap_or(text.len())
}

/// A directive as it stays: nothing of the version, and of extensions that are in core.
fn kept_directive(line: &str) -> String {
    let words: Vec<&str> =
        line.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
    match words[..] {
        ["version", ..] => String::new(),
        ["extension", name, ..] if IN_CORE.contains(&name) => String::new(),
        _ => line.to_owned(),
    }
}

/// The word in place of another one.
fn word<'t>(stage: Stage, token: &'t str, declared: &mut [bool]) -> Result<&'t str, String> {
    let replaced = REPLACED.iter().zip(declared).find(|((name, ..), _)| *name == token);
    if let Some(((_, new, _), declared)) = replaced {
        *declared = true;
        return Ok(new);
    }
    match token {
        "attribute" => Ok("in"),
        "varying" if stage == Stage::Fragment => Ok("in"),
        "varying" => Ok("out"),
        "ftransform" => Err(token.to_owned()),
        _ if token.starts_with("gl_") && !BUILTINS.contains(&token) => Err(token.to_owned()),
        _ => lookup(token),
    }
}

/// The function of GLSL 1.30 for a lookup of an earlier version.
fn lookup(token: &str) -> Result<&str, String> {
    let Some((old, new)) = LOOKUPS.iter().find(|(old, _)| *old == token) else {
        return Ok(token);
    };
    match new.is_empty() {
        // Results of shadow lookups depended on GL_DEPTH_TEXTURE_MODE.
        true => Err((*old).to_owned()),
        false => Ok(new),
    }
}

/// Lookups of GLSL 1.20 and its extensions, with those of GLSL 1.30; empty where none is the same.
const LOOKUPS: &[(&str, &str)] = &[
    ("texture1D", "texture"),
    ("texture2D", "texture"),
    ("texture3D", "texture"),
    ("textureCube", "texture"),
    ("texture1DArray", "texture"),
    ("texture2DArray", "texture"),
    ("texture1DProj", "textureProj"),
    ("texture2DProj", "textureProj"),
    ("texture3DProj", "textureProj"),
    ("texture1DLod", "textureLod"),
    ("texture2DLod", "textureLod"),
    ("texture3DLod", "textureLod"),
    ("textureCubeLod", "textureLod"),
    ("texture1DArrayLod", "textureLod"),
    ("texture2DArrayLod", "textureLod"),
    ("texture1DProjLod", "textureProjLod"),
    ("texture2DProjLod", "textureProjLod"),
    ("texture3DProjLod", "textureProjLod"),
    ("shadow1D", ""),
    ("shadow2D", ""),
    ("shadow1DProj", ""),
    ("shadow2DProj", ""),
    ("shadow1DLod", ""),
    ("shadow2DLod", ""),
    ("shadow1DProjLod", ""),
    ("shadow2DProjLod", ""),
    ("shadow1DArray", ""),
    ("shadow2DArray", ""),
    ("shadow2DRect", ""),
    ("shadow2DRectProj", ""),
];

fn is_word(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_earlier_versions_are_exchanged() {
        let old = "#version 110\n#extension GL_ARB_cull_distance : enable\n\
                   attribute vec4 a; // gl_Color\n#define X gl_Foo \\\n gl_Bar\n\
                   void main() { /* ftransform */ gl_FragColor = texture2D(s, a.xy); }\n";
        let new = "\n\nout vec4 compat_fragcolor; in vec4 a; // gl_Color\n\
                   #define X gl_Foo \\\n gl_Bar\n\
                   void main() { /* ftransform */ compat_fragcolor = texture(s, a.xy); }\n";
        assert_eq!(core(Stage::Fragment, old).as_deref(), Ok(new));
    }

    #[test]
    fn words_without_counterpart_are_named() {
        for word in ["gl_Color", "ftransform", "shadow2D"] {
            let text = format!("void main() {{ x = {word}; }}");
            assert_eq!(core(Stage::Vertex, &text), Err(word.to_owned()));
        }
    }
}
