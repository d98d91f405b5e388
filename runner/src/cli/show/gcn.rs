//! `runner show` on AMD's chips.

use std::fmt::Write;

use amd_isa::Chip;
use anyhow::{Context, bail};
use program::{Program, Stage, StageKey};
use vocabulary::CodegenOptions;

use super::args::{ShowArgs, WITHOUT_DRIVER, What};
use super::ir_runs::ir_runs;
use execute::{SourceTexts, code_text};
use look::stage_ir;
use results::passes::ScopePasses;
use shader_device::BinarySource;
use shader_device::scope_passes;

/// The forms of one stage.
pub(super) struct ShownGcn<'a> {
    pub args: &'a ShowArgs,
    pub program: &'a Program,
    pub chip: Chip,
    pub options: CodegenOptions,
    /// The external compiler, if any.
    pub external: Option<&'a dyn BinarySource>,
    pub stage: Stage,
    pub key: &'a StageKey,
    /// The texts of the shaders, if lines are shown.
    pub sources: Option<&'a SourceTexts<'a>>,
}

impl ShownGcn<'_> {
    pub(super) fn text(&self) -> anyhow::Result<Vec<u8>> {
        let mut text = String::new();
        match &self.args.what {
            What::Ir(pass) => {
                text += &ir_runs(self.stage, pass.as_deref(), self.sources, |hook| {
                    let ShownGcn { args, program, stage, key, options, .. } = self;
                    stage_ir(program, (*stage, key), args.generation, options, hook)
                })?;
            }
            What::Gcn => {
                let output = self.output()?;
                text += &match self.sources {
                    Some(sources) => code_text::gcn_with_lines(self.stage, &output, sources)?,
                    None => code_text::gcn(self.stage, &output)?,
                };
            }
            What::Stats => self.stats(&mut text)?,
            What::Passes => self.passes(&mut text)?,
            What::Binary => return self.binary(),
            What::Eu => bail!("{} has no execution units: show gcn", self.chip),
            What::Batch | What::State => bail!("{WITHOUT_DRIVER}"),
            What::Glsl | What::Program | What::Payload | What::Trace | What::Spirv => {}
        }
        Ok(text.into_bytes())
    }

    pub(super) fn output(&self) -> anyhow::Result<compiler::amd_codegen::Output> {
        let ShownGcn { program, stage, key, chip, options, external, .. } = self;
        let output = match external {
            Some(external) => external.amd_program(*stage, key).map_err(anyhow::Error::from),
            None => compiler::compile_amd(program, *stage, key, *chip, options)
                .map_err(anyhow::Error::from),
        };
        output.with_context(|| format!("{stage} shader"))
    }

    fn stats(&self, text: &mut String) -> anyhow::Result<()> {
        let output = self.output()?;
        let s = output.statistics;
        let folder = compiler::binary::stage_folder(self.stage);
        writeln!(
            text,
            "{folder} wave64: {} instructions ({} vector, {} scalar, {} memory), {} waits, \
             {} SGPRs, {} VGPRs, {} bytes of scratch, {}",
            s.instructions,
            s.vector,
            s.scalar,
            s.memory,
            s.waits,
            s.scalars,
            s.vectors,
            output.scratch_bytes,
            blake3::hash(&bytes(&output)).to_hex()
        )?;
        Ok(())
    }

    fn passes(&self, text: &mut String) -> anyhow::Result<()> {
        let ShownGcn { program, stage, key, chip, options, .. } = self;
        let (result, log) = compiler::compile_amd_logged(program, *stage, key, *chip, options);
        for (run, changed) in scope_passes(&log).iter().flat_map(ScopePasses::applications) {
            let effect = if changed { "" } else { "  no change" };
            let scope = run.scope.to_string();
            writeln!(text, "{:>4}  {scope:<22} {}{effect}", run.number, run.pass)?;
        }
        if let Err(error) = result {
            writeln!(text, "error: {error}")?;
        }
        Ok(())
    }

    fn binary(&self) -> anyhow::Result<Vec<u8>> {
        if let Some(folder) = &self.args.out {
            compiler::amd_binary::write(&self.output()?, self.stage, folder)?;
            return Ok(Vec::new());
        }
        if self.args.stage.is_none() && self.program.stages.len() > 1 {
            bail!("name one stage by --stage, or give --out DIR for all");
        }
        Ok(bytes(&self.output()?))
    }
}

pub(super) fn bytes(output: &compiler::amd_codegen::Output) -> Vec<u8> {
    output.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
