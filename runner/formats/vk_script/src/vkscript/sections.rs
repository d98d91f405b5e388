//! Sections: a line that begins with `[` begins one.

use vocabulary::Stage;

use crate::error::Span;
use crate::model::ShaderLanguage;
use crate::text::{Fault, Step, saturate};

/// A section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub(super) kind: SectionKind,
    /// The header line.
    pub(super) header: Span,
    /// The text from the line after the header to the next header.
    pub(super) body: Span,
}

/// Kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    Comment,
    Require,
    Shader { stage: Stage, language: ShaderLanguage },
    Passthrough,
    VertexData,
    Indices,
    Test,
}

/// Splits a text into its sections.
pub(super) fn split(text: &str) -> Step<Vec<Section>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let span = Span { start: saturate(start), end: saturate(start + line.trim_end().len()) };
        if line.starts_with('[') {
            let kind = header(line).ok_or_else(|| Fault::at(span, "unknown section"))?;
            let body = Span { start: saturate(at), end: saturate(at) };
            sections.push(Section { kind, header: span, body });
        } else if let Some(section) = sections.last_mut() {
            section.body.end = saturate(at);
        } else if !matches!(line.trim_start().chars().next(), None | Some('#')) {
            return Err(Fault::at(span, "text before the first section"));
        }
    }
    Ok(sections)
}

fn header(line: &str) -> Option<SectionKind> {
    let (name, _) = line.strip_prefix('[')?.split_once(']')?;
    Some(match name {
        "comment" => SectionKind::Comment,
        "require" => SectionKind::Require,
        "vertex data" => SectionKind::VertexData,
        "indices" => SectionKind::Indices,
        "test" => SectionKind::Test,
        "vertex shader passthrough" => SectionKind::Passthrough,
        _ => {
            let (stage, language) = name.split_once(" shader")?;
            SectionKind::Shader { stage: stage_named(stage)?, language: language_named(language)? }
        }
    })
}

/// The stage with a name of VkScript.
pub(super) fn stage_named(name: &str) -> Option<Stage> {
    Stage::ALL.into_iter().find(|stage| stage.name() == name)
}

fn language_named(words: &str) -> Option<ShaderLanguage> {
    Some(match words {
        "" => ShaderLanguage::Glsl,
        " spirv" => ShaderLanguage::SpirvAssembly,
        " spirv hex" | " binary" => ShaderLanguage::SpirvHex,
        _ => return None,
    })
}
