//! SPIR-V in place of GLSL (`--spirv`): Khronos's compiler makes a module of each stage, whose code
//! runs with the interface that the GLSL declares.
//!
//! Where SPIR-V comes from GLSL, its interfaces match by name, so that locations and bindings that
//! the compiler chose do not matter and the commands of the script find everything.

mod driver;
mod interface;
mod listing;
mod places;
mod text;

use std::sync::{Arc, OnceLock};

use program::{Api, Shader, Stage};
use script::{Command, Script, Shader as Section, StateCommand, TestLine};
use shader_tools::{ToolError, Tools, validate_opengl};
use spirv_front::{EntryPoint, Error, Module};

pub(crate) use driver::for_driver;
pub use listing::translated_text;

use super::FrontEnd;
use results::verdict::{Phase, Verdict};

/// Version of GLSL that all shaders have for the compiler.
const VERSION: &str = "#version 450\n";

/// The programs, with the modules that they made.
fn tools() -> &'static Tools {
    static TOOLS: OnceLock<Tools> = OnceLock::new();
    TOOLS.get_or_init(|| Tools::new(false))
}

impl FrontEnd<'_> {
    /// Checks that the context takes SPIR-V.
    ///
    /// # Errors
    /// The skip that says why it does not.
    pub(super) fn may_translate(&self, script: &Script<'_>) -> Result<(), Verdict> {
        let is_plane = |line: &TestLine<'_>| {
            matches!(line.command, Command::State(StateCommand::ClipPlane { .. }))
        };
        let reason = if script.test.iter().flatten().any(is_plane) {
            "planes of clipping are none of core profiles"
        } else if self.capabilities.api() != Api::Core {
            "SPIR-V is for core profiles"
        } else if !self.capabilities.has("GL_ARB_gl_spirv") {
            "needs GL_ARB_gl_spirv"
        } else if !self.capabilities.glsl_at_least(450) {
            "GLSL for SPIR-V is of version 4.50"
        } else {
            return Ok(());
        };
        Err(Verdict::skip(reason))
    }

    /// Compiles a GLSL section for its interface, and keeps its text for the compiler of SPIR-V.
    /// `version` is the line that the section would have as GLSL.
    pub(super) fn translated_section(
        &mut self,
        section: &Section<'_>,
        version: Option<&str>,
    ) -> Result<(), Verdict> {
        let (stage, first_line) = (section.stage, section.first_line);
        let source = String::from_utf8_lossy(section.source);
        let text = text::core(stage, &source).map_err(|word| {
            Verdict::skip(format!("`{word}` has no translation to SPIR-V for OpenGL"))
        })?;
        let compiled = self.compile(stage, Some(VERSION), text.as_bytes(), first_line);
        if let Err(refused) = compiled {
            // An error of the test is one in its own version, too.
            self.compile(stage, version, section.source, first_line)?;
            let reason = refused.cause.map(|(_, text)| text).unwrap_or_default();
            return Err(Verdict::skip(format!("no GLSL of version 4.50: {reason}")));
        }
        self.texts.push((stage, format!("{VERSION}{text}")));
        Ok(())
    }

    /// Replaces the shaders of GLSL by those of their modules.
    pub(super) fn translate(&mut self) -> Result<(), Verdict> {
        let texts = std::mem::take(&mut self.texts);
        let has = |stage| texts.iter().any(|(of, _)| *of == stage);
        for stage in Stage::ALL.into_iter().filter(|&stage| has(stage)) {
            let of_stage: Vec<String> =
                texts.iter().filter(|(of, _)| *of == stage).map(|(_, text)| text.clone()).collect();
            let mut shader = self.translated_stage(stage, &of_stage)?;
            let (written, others): (Vec<Shader>, Vec<Shader>) =
                std::mem::take(&mut self.shaders).into_iter().partition(|s| s.stage == stage);
            interface::adopt(&mut shader, &written, &self.types);
            self.shaders = others;
            self.shaders.push(shader);
        }
        // A core profile has no fixed functions in front of a fragment shader.
        if self.shaders.iter().all(|shader| shader.stage == Stage::Fragment) && !texts.is_empty() {
            self.passthrough(VERSION, 0)?;
        }
        Ok(())
    }

    fn translated_stage(&mut self, stage: Stage, texts: &[String]) -> Result<Shader, Verdict> {
        let words = tools().opengl_module(stage, texts).map_err(|error| match error {
            ToolError::Refused(text) => Verdict::skip(refusal(&text)),
            error => Verdict::skip(error.to_string()),
        })?;
        self.modules.push((stage, Arc::clone(&words)));
        let failed = |error: Error| {
            let reason = format!("Failed to specialize {}: {error}", stage.abbreviation());
            Verdict::fail(Phase::Frontend, reason)
        };
        let module = Module::checked(&words).map_err(|error| match validate_opengl(&words) {
            // The compiler has defects, too.
            Err(ToolError::Refused(_)) => {
                Verdict::skip(format!("glslangValidator makes an invalid module: {error}"))
            }
            _ => failed(error),
        })?;
        module.named_shader(EntryPoint { stage, name: "main" }, &mut self.types).map_err(failed)
    }
}

/// The first error in what the compiler says.
fn refusal(text: &str) -> String {
    let error = text.lines().find_map(|line| line.split_once("ERROR: ").map(|(_, error)| error));
    format!("glslangValidator refuses it: {}", error.unwrap_or(text).trim())
}
