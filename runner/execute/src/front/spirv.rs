//! SPIR-V sections (ARB_gl_spirv).

use program::Stage;
use spirv_front::{EntryPoint, Specialization, assemble, compile};

use super::FrontEnd;
use crate::capabilities::stage_available;
use results::verdict::{Phase, Verdict};

/// The entry point of every section.
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
        let entry = EntryPoint { stage, name: ENTRY };
        let shader = compile(&assembled.words, entry, &constants, &mut self.types);
        let shader = shader.map_err(|error| match assembled.line_of(error.offset) {
            Some(own) => failed(format!("line {}: {}", line + own, error.message)),
            None => failed(error.message),
        })?;
        self.shaders.push(shader);
        Ok(())
    }
}

/// The text with empty lines in place of those that start with `#`.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let kept = lines.map(|line| if line.starts_with(b"#") { b"\n".as_slice() } else { line });
    kept.flatten().copied().collect()
}
