//! Programs of a script's pipelines.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use program::{Api, Capabilities, CapabilityTable, LinkOptions, Program, TypeTable};
use shader_tools::{ShaderUse, ToolError, Tools, invalid_compilation, rewritten};
use spirv_front::{EntryPoint, Module, Specialization, assemble};
use vk_driver::unmet_extension;
use vk_script::{Pipeline, PipelineKind, PipelineStage, Script, ShaderLanguage};

use super::offer::Offer;
use results::verdict::{Phase, Verdict};

/// Makes the programs of a script.
pub(super) struct Programs<'s> {
    script: &'s Script,
    offer: &'s Offer,
    modules: HashMap<(usize, Vec<String>, vocabulary::Stage), Arc<Module>>,
}

impl<'s> Programs<'s> {
    pub(super) fn new(script: &'s Script, offer: &'s Offer) -> Programs<'s> {
        Programs { script, offer, modules: HashMap::new() }
    }

    /// Returns the program of each pipeline, `None` for those without stages.
    ///
    /// # Errors
    /// Returns the verdict that ends the test before its commands.
    pub(super) fn make(mut self) -> Result<Vec<Option<Arc<Program>>>, Verdict> {
        self.script.pipelines.iter().map(|pipeline| self.program(pipeline)).collect()
    }

    fn program(&mut self, pipeline: &'s Pipeline) -> Result<Option<Arc<Program>>, Verdict> {
        if pipeline.kind == PipelineKind::RayTracing {
            return Err(Verdict::skip("ray tracing is not supported"));
        }
        let pushed = pipeline.push_constants.map_or(0, |id| self.script.buffer(id).size());
        if let Some(reason) = self.offer.exceeded(pipeline, pushed.next_multiple_of(4)) {
            return Err(Verdict::skip(reason));
        }
        if pipeline.stages.is_empty() {
            return Ok(None);
        }
        let mut types = TypeTable::default();
        let mut shaders = Vec::new();
        for stage in &pipeline.stages {
            let checked = self.module(stage)?;
            let constants: Vec<Specialization> = stage
                .specializations
                .iter()
                .map(|constant| Specialization { id: constant.id, bits: constant.bits.into() })
                .collect();
            let entry = EntryPoint { stage: stage.stage, name: &stage.entry_point };
            let shader = checked.vulkan_shader(entry, &constants, &mut types);
            shaders.push(shader.map_err(|error| {
                let lines = self.lines(stage);
                self.failed(stage, &place(&lines, &error))
            })?);
        }
        let options = LinkOptions::new(capabilities());
        let linked = program::link(shaders, types, &options);
        linked.map(|program| Some(Arc::new(program))).map_err(|error| {
            Verdict::fail(Phase::Link, format!("pipeline `{}`: {error}", pipeline.name))
        })
    }

    fn failed(&self, stage: &PipelineStage, reason: &str) -> Verdict {
        let shader = &self.script.shader(stage.shader).name;
        Verdict::fail(Phase::Frontend, format!("shader `{shader}`: {reason}"))
    }

    fn skipped(&self, stage: &PipelineStage, reason: &str) -> Verdict {
        let shader = &self.script.shader(stage.shader).name;
        Verdict::skip(format!("shader `{shader}`: {reason}"))
    }

    fn module(&mut self, stage: &'s PipelineStage) -> Result<Arc<Module>, Verdict> {
        let key = (stage.shader.index(), stage.optimizations.clone(), stage.stage);
        if let Some(known) = self.modules.get(&key) {
            return Ok(known.clone());
        }
        let words = self.words(stage)?;
        if let Some((name, extension)) =
            unmet_extension(&words, self.offer.api_version(), &self.offer.extensions)
        {
            let shader = &self.script.shader(stage.shader).name;
            return Err(Verdict::skip(format!(
                "the target lacks extension {extension}: shader `{shader}` has {name}"
            )));
        }
        let module = Module::checked_of_script(&words).map_err(|error| {
            if let Some(reason) = invalid_compilation(&ShaderUse::of(self.script, stage)) {
                return self.skipped(stage, &reason);
            }
            let lines = self.lines(stage);
            self.failed(stage, &place(&lines, &error))
        })?;
        let checked = Arc::new(module);
        self.modules.insert(key, checked.clone());
        Ok(checked)
    }

    /// Returns the words of a stage's module: assembly is assembled here, other sources go to
    /// Khronos's programs.
    fn words(&self, stage: &'s PipelineStage) -> Result<Arc<[u32]>, Verdict> {
        let shader = self.script.shader(stage.shader);
        let source = ShaderUse::of(self.script, stage);
        if shader.language == ShaderLanguage::SpirvAssembly && stage.optimizations.is_empty() {
            let mut assembled = assemble(shader.source.as_bytes()).map_err(|error| {
                let line = (shader.first_line + error.line).saturating_sub(1);
                self.failed(
                    stage,
                    &format!("line {line}, column {}: {}", error.column, error.message),
                )
            })?;
            if let Some(version) = assembled.words.get_mut(1) {
                *version = source.version();
            }
            return self.made(stage, rewritten(assembled.words).map(Arc::from));
        }
        static TOOLS: OnceLock<Tools> = OnceLock::new();
        let made = TOOLS.get_or_init(|| Tools::new(false)).module(&source);
        self.made(stage, made)
    }

    fn made(
        &self,
        stage: &PipelineStage,
        made: Result<Arc<[u32]>, ToolError>,
    ) -> Result<Arc<[u32]>, Verdict> {
        made.map_err(|error| match error {
            ToolError::Refused(text) => self.failed(stage, &text),
            error => Verdict::skip(error.to_string()),
        })
    }

    /// Returns the lines of the instructions of an assembly text.
    fn lines(&self, stage: &PipelineStage) -> Lines {
        let shader = self.script.shader(stage.shader);
        let is_text = shader.language == ShaderLanguage::SpirvAssembly;
        let assembled = is_text.then(|| assemble(shader.source.as_bytes()).ok()).flatten();
        Lines {
            first: shader.first_line,
            assembled: assembled.filter(|_| stage.optimizations.is_empty()),
        }
    }
}

struct Lines {
    first: u32,
    assembled: Option<spirv_front::Assembled>,
}

/// Returns an error with its line.
fn place(lines: &Lines, error: &spirv_front::Error) -> String {
    let line = lines.assembled.as_ref().and_then(|assembled| assembled.line_of(error.offset));
    match line {
        Some(line) => format!("line {}: {}", (lines.first + line).saturating_sub(1), error.message),
        None => error.message.clone(),
    }
}

/// Limits of linking. Vulkan's own are checked elsewhere, or not exceeded by valid scripts.
fn capabilities() -> &'static Capabilities {
    static CAPABILITIES: OnceLock<Capabilities> = OnceLock::new();
    CAPABILITIES.get_or_init(|| {
        let stages =
            ["VERTEX", "TESS_CONTROL", "TESS_EVALUATION", "GEOMETRY", "FRAGMENT", "COMPUTE"];
        let of_stage = [
            ("UNIFORM_BLOCKS", 64),
            ("SHADER_STORAGE_BLOCKS", 64),
            ("TEXTURE_IMAGE_UNITS", 128),
            ("IMAGE_UNIFORMS", 64),
            ("UNIFORM_COMPONENTS", 1 << 20),
            ("INPUT_COMPONENTS", 128),
            ("OUTPUT_COMPONENTS", 128),
        ];
        let all = stages.iter().flat_map(|stage| {
            of_stage.map(|(name, limit)| (format!("GL_MAX_{stage}_{name}"), f64::from(limit)))
        });
        let own = [
            ("GL_MAX_TEXTURE_IMAGE_UNITS", 128),
            ("GL_MAX_UNIFORM_BLOCK_SIZE", 1 << 30),
            ("GL_MAX_SHADER_STORAGE_BLOCK_SIZE", 1 << 30),
            ("GL_MAX_COMPUTE_SHARED_MEMORY_SIZE", 1 << 16),
            ("GL_MAX_VERTEX_ATTRIBS", 32),
            ("GL_MAX_DRAW_BUFFERS", 8),
            ("GL_MAX_VARYING_COMPONENTS", 128),
        ];
        let own = own.map(|(name, limit)| (name.to_owned(), f64::from(limit)));
        CapabilityTable {
            generation: "vulkan".to_owned(),
            api: Api::Core,
            gl_version: 46,
            glsl_version: 460,
            extensions: Default::default(),
            limits: all.chain(own).collect(),
        }
        .into()
    })
}
