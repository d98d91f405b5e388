//! The lines of a script that generated code came from.

use program::Stage;
use script::{Content, ProgramTarget, Script};

/// The texts of a script's shaders, by stage in the order in which they are linked.
pub struct SourceTexts<'a> {
    units: Vec<Unit<'a>>,
}

struct Unit<'a> {
    stage: Stage,
    /// Line of the file where the text begins.
    first_line: u32,
    /// `None` for text that is not in the file.
    text: Option<&'a [u8]>,
}

impl<'a> SourceTexts<'a> {
    /// Returns the texts of a script.
    pub fn new(script: &Script<'a>) -> SourceTexts<'a> {
        let units = script.sections.iter().filter_map(|section| match &section.content {
            Content::Shader(shader) => {
                let (stage, first_line) = (shader.stage, shader.first_line);
                Some(Unit { stage, first_line, text: Some(shader.source) })
            }
            Content::Passthrough(_) => {
                Some(Unit { stage: Stage::Vertex, first_line: section.line, text: None })
            }
            Content::Program { target, .. } => {
                let stage = match target {
                    ProgramTarget::Vertex => Stage::Vertex,
                    ProgramTarget::Fragment => Stage::Fragment,
                };
                Some(Unit { stage, first_line: section.line, text: None })
            }
            _ => None,
        });
        SourceTexts { units: units.collect() }
    }

    /// Returns a line of a stage's shader object, from 1 in its own text: its number in the file,
    /// and its text without space around it.
    pub fn line(&self, stage: Stage, unit: u32, line: u32) -> Option<(u32, String)> {
        let unit = self.units.iter().filter(|u| u.stage == stage).nth(unit as usize)?;
        let index = line.checked_sub(1)?;
        let text = unit.text?.split(|&byte| byte == b'\n').nth(index as usize)?;
        let text = String::from_utf8_lossy(text).trim().to_owned();
        Some((unit.first_line.saturating_add(index), text))
    }
}
