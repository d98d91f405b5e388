//! SPIR-V sections (ARB_gl_spirv).

use program::{Shader, Stage};
use shader_tools::rewritten;
use spirv_front::{EntryPoint, Error, Module, Specialization, assemble};

use super::FrontEnd;
use crate::capabilities::stage_available;
use results::verdict::{Phase, Verdict};

/// The entry point of a section, if it has several of its stage.
const ENTRY: &str = "main";

impl FrontEnd<'_> {
    /// Assembles and translates the section of a stage, whose header is at `line`.
    pub(super) fn spirv(&mut self, stage: Stage, text: &[u8], line: u32) -> Result<(), Verdict> {
        stage_available(stage, self.capabilities).map_err(Verdict::skip)?;
        let failed = |reason: String| {
            let what = format!("Failed to specialize {}: {reason}", stage.abbreviation());
            Verdict::fail(Phase::Frontend, what)
        };
        let assembled = assemble(&without_comments(text)).map_err(|error| {
            let place = format!("line {}, column {}", line + error.line, error.column);
            failed(format!("{place}: {}", error.message))
        })?;
        let of_stage = self.constants.iter().filter(|(of, _)| *of == stage);
        let constants: Vec<Specialization> = of_stage
            .flat_map(|(_, constants)| constants)
            .map(|constant| Specialization { id: constant.id, bits: constant.bits.into() })
            .collect();
        let words =
            rewritten(assembled.words.clone()).map_err(|error| Verdict::skip(error.to_string()))?;
        let shader = self.entry_point(stage, &words, &constants);
        let shader = shader.map_err(|error| match assembled.line_of(error.offset) {
            Some(own) => failed(format!("line {}: {}", line + own, error.message)),
            // Words have no lines, and the start of a module no instruction.
            None if error.offset > 0 => failed(error.to_string()),
            None => failed(error.message),
        })?;
        self.shaders.push(shader);
        Ok(())
    }

    fn entry_point(
        &mut self,
        stage: Stage,
        words: &[u32],
        constants: &[Specialization],
    ) -> Result<Shader, Error> {
        let is_file = self.script.test.is_none();
        let module =
            if is_file { Module::checked(words) } else { Module::checked_of_script(words) }?;
        let of_stage = || module.entry_points().into_iter().filter(|entry| entry.stage == stage);
        let named = of_stage().find(|entry| entry.name == ENTRY);
        let entry =
            named.or_else(|| of_stage().next()).unwrap_or(EntryPoint { stage, name: ENTRY });
        // Modules that are files of their own are compiled only.
        match is_file && module.is_for_vulkan() {
            true => module.vulkan_shader(entry, constants, &mut self.types),
            false => module.shader(entry, constants, &mut self.types),
        }
    }
}

/// The text with empty lines in place of those that start with `#`.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let kept = lines.map(|line| if line.starts_with(b"#") { b"\n".as_slice() } else { line });
    kept.flatten().copied().collect()
}
