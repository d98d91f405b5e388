//! VkRunner's scripts among piglit's: both have the ending `.shader_test`.

use super::sections::{Section, SectionKind, split};
use crate::error::Span;
use crate::model::ShaderLanguage;

/// The first version of GLSL that Vulkan takes (`GL_KHR_vulkan_glsl`).
const FIRST_VERSION: u32 = 140;

/// Returns true if a text is a script for Vulkan: it requires no version of OpenGL or GLSL, which
/// piglit's tests must, and its shaders are in SPIR-V or in a version of GLSL that Vulkan takes.
pub(crate) fn is_script(text: &str) -> bool {
    let Ok(sections) = split(text) else { return false };
    let body = |span: Span| text.get(span.range()).unwrap_or("");
    let mut shaders = sections.iter().filter(|section| is_shader(section)).peekable();
    shaders.peek().is_some()
        && shaders.all(|section| has_language_of_vulkan(section, body(section.body)))
        && sections.iter().any(|section| section.kind == SectionKind::Test)
        && !sections
            .iter()
            .filter(|section| section.kind == SectionKind::Require)
            .any(|section| requires_opengl(body(section.body)))
}

fn is_shader(section: &Section) -> bool {
    matches!(section.kind, SectionKind::Shader { .. } | SectionKind::Passthrough)
}

fn has_language_of_vulkan(section: &Section, text: &str) -> bool {
    match section.kind {
        SectionKind::Shader { language: ShaderLanguage::Glsl, .. } => {
            version(text).is_some_and(|version| version >= FIRST_VERSION)
        }
        _ => true,
    }
}

/// The version that a shader states.
fn version(text: &str) -> Option<u32> {
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("#version"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// True if a line names a version of OpenGL or GLSL, or one of their extensions.
fn requires_opengl(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("GL"))
}
