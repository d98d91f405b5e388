//! `runner show`: the stages of a test's shaders on the way to the hardware.

mod args;
pub(in crate::cli) mod driver;
mod gcn;
mod ir_runs;
mod spirv;
mod stats;

pub(in crate::cli) use args::{FORMS, ShowArgs};

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use compiler::{Binary, CodegenOptions};
use program::{Program, Stage, StageKey};
use script::{Content, Script};

use crate::cli::exit::{EXPECTED, UNEXPECTED};
use crate::cli::options::compile_options;
use crate::cli::output::{Format, print};
use crate::console::message::message;
use crate::console::style::Style;
use crate::select::located_test;
use args::{WITHOUT_DRIVER, What};
use execute::code_text;
use execute::diagnostics;
use execute::external;
use execute::{RunOptions, SourceTexts, StageKeys};
use gcn::ShownGcn;
use ir_runs::ir_runs;
use look::{linked, stage_ir, traced};
use results::names::test_name;
use results::passes::ScopePasses;
use results::verdict::Verdict;
use shader_device::BinarySource;
use shader_device::{TraceFilter, scope_passes};
use spirv::{is_vulkan, spirv, translated};
use stats::KernelCounts;

pub(in crate::cli) fn show(args: &ShowArgs) -> anyhow::Result<u8> {
    let path = located_test(&args.test)?;
    let name = path.display().to_string();
    args.check()?;
    args.modules.enter();
    if is_vulkan(&path) && args.what.is_of_program() {
        return pipelines(&path, args);
    }
    if is_vulkan(&path) {
        return spirv(&path, args);
    }
    let bytes = execute::read_script(&path).with_context(|| name.clone())?;
    let mut worst = EXPECTED;
    for text in programs(&path, bytes, args.stage) {
        worst = worst.max(program(&path, &text, args)?);
    }
    Ok(worst)
}

/// The texts of a file's programs, of which modules may have several; with a stage, those that have
/// it, if any has.
fn programs(path: &Path, text: Vec<u8>, stage: Option<Stage>) -> Vec<Vec<u8>> {
    if !execute::is_module(path) {
        return vec![text];
    }
    let mut programs = execute::module_programs(&text);
    let has_stage = |text: &Vec<u8>| {
        let header = stage.map_or(String::new(), |stage| format!("[{stage} shader spirv]"));
        text.windows(header.len().max(1)).any(|window| window.starts_with(header.as_bytes()))
    };
    if programs.iter().any(has_stage) {
        programs.retain(has_stage);
    }
    programs
}

/// Shows a program of a file.
fn program(path: &Path, bytes: &[u8], args: &ShowArgs) -> anyhow::Result<u8> {
    let name = path.display().to_string();
    let mut script = match script::parse(bytes) {
        Ok(script) => script,
        Err(error) => {
            message!(
                "{}",
                diagnostics::script_error(&name, bytes, &error, Style::of_errors().is_colored())
            );
            return Ok(UNEXPECTED);
        }
    };
    if args.modules.spirv {
        script.require.translate();
    }
    if matches!(args.what, What::Batch | What::State) {
        bail!(WITHOUT_DRIVER);
    }
    if args.what == What::Glsl {
        print(glsl(&script, args.stage)?.as_bytes())?;
        return Ok(EXPECTED);
    }
    if args.what == What::Spirv {
        return match translated(&script, args)? {
            Ok(text) => print(text.as_bytes()).map(|()| EXPECTED),
            Err(verdict) => Ok(refused(verdict)),
        };
    }
    let program = match linked(&script, args.generation) {
        Ok(program) => program,
        Err(verdict) => return Ok(refused(verdict)),
    };
    let stages: Vec<Stage> = program
        .stages
        .iter()
        .map(|s| s.shader.stage)
        .filter(|&s| args.stage.is_none_or(|only| only == s))
        .collect();
    if stages.is_empty() {
        bail!("{name} has no such stage");
    }
    if args.what == What::Program {
        print(program.to_string().as_bytes())?;
        return Ok(EXPECTED);
    }
    let real = path.canonicalize().with_context(|| name.clone())?;
    let test = test_name(&real, real.parent().unwrap_or(&real));
    let chip = execute::chip(args.generation);
    if matches!(args.what, What::Payload | What::Trace) {
        return trace(args, &script, &test);
    }
    let keys = StageKeys::new(&program, &script, &test, args.generation, false);
    let sources = SourceTexts::new(&script);
    let execution = compile_options(&args.compile)?;
    let external = execution.compiler.as_ref().map(|compiler| {
        external::source(compiler, &test, args.generation, &script, &execution.codegen.widths)
    });
    if let Some(chip) = chip {
        let mut text = Vec::new();
        let mut kernels = Vec::new();
        for stage in stages {
            let (options, key) = (execution.codegen.clone(), keys.get(stage));
            let external = external.as_deref();
            let sources = args.lines.then_some(&sources);
            let shown =
                ShownGcn { args, program: &program, chip, options, external, stage, key, sources };
            match args.format {
                Format::Terminal => text.extend(shown.text()?),
                Format::Json => kernels.push(KernelCounts::amd(stage, &shown.output()?)),
            }
        }
        match args.format {
            Format::Terminal => print(&text)?,
            Format::Json => stats::print(&kernels)?,
        }
        return Ok(EXPECTED);
    }
    let sources = args.lines.then_some(&sources);
    let shown = Shown { args, program: &program, options: execution.codegen, external, sources };
    if args.format == Format::Json {
        let mut kernels = Vec::new();
        for stage in stages {
            let binary = shown.binary(stage, keys.get(stage))?;
            kernels.extend(binary.compiled.kernels.iter().map(|k| KernelCounts::intel(stage, k)));
        }
        stats::print(&kernels)?;
        return Ok(EXPECTED);
    }
    let (mut text, mut refused) = (Vec::new(), Vec::new());
    for stage in stages {
        let (shown, reason) = shown.stage(stage, keys.get(stage))?;
        text.extend(shown);
        refused.extend(reason);
    }
    print(&text)?;
    refused.iter().for_each(|reason| message!("{reason}"));
    Ok(if refused.is_empty() { EXPECTED } else { UNEXPECTED })
}

/// Prints the programs or the code of a Vulkan script's pipelines, with the state of plain draws.
fn pipelines(path: &Path, args: &ShowArgs) -> anyhow::Result<u8> {
    let has_own = args.compile.compiler.is_none() && !args.lines;
    anyhow::ensure!(has_own, "a Vulkan script has neither --compiler nor --lines");
    let name = path.display().to_string();
    let bytes = execute::read_script(path).with_context(|| name.clone())?;
    let programs = execute::vk_programs(&bytes, path, args.generation);
    let programs = programs.map_err(|reason| anyhow!("{name}: {reason}"))?;
    let options = compile_options(&args.compile)?.codegen;
    let mut refused = Vec::new();
    for (pipeline, program) in &programs {
        print(format!("; pipeline {pipeline}\n").as_bytes())?;
        if args.what == What::Program {
            print(program.to_string().as_bytes())?;
            continue;
        }
        let key = &execute::default_key(program);
        let stages = program.stages.iter().map(|stage| stage.shader.stage);
        for stage in stages.filter(|&stage| args.stage.is_none_or(|only| only == stage)) {
            let (external, sources, options) = (None, None, options.clone());
            if let Some(chip) = execute::chip(args.generation) {
                let shown =
                    ShownGcn { args, program, chip, options, external, stage, key, sources };
                print(&shown.text()?)?;
                continue;
            }
            let external = None;
            let shown = Shown { args, program, options, external, sources };
            let (text, reason) = shown.stage(stage, key)?;
            print(&text)?;
            refused.extend(reason);
        }
    }
    refused.iter().for_each(|reason| message!("{reason}"));
    Ok(if refused.is_empty() { EXPECTED } else { UNEXPECTED })
}

/// Executes the test on the simulator alone and prints a trace of its threads or waves.
fn trace(args: &ShowArgs, script: &Script<'_>, name: &str) -> anyhow::Result<u8> {
    let options =
        RunOptions { execution: compile_options(&args.compile)?, ..RunOptions::default() };
    let payloads_only = args.what == What::Payload;
    let (stage, pixel) = (args.stage, args.pixel);
    let filter = TraceFilter { stage, pixel, payloads_only, ..TraceFilter::default() };
    let (verdict, text) = traced(script, (name, args.generation), &options, filter)?;
    print(text.as_bytes())?;
    if let Some((phase, reason)) = verdict.cause {
        message!("{}: {phase}: {reason}", verdict.status);
    }
    Ok(EXPECTED)
}

/// Returns the GLSL input of the compiler.
/// Writes the verdict of a test that has no program, and returns the exit code.
fn refused(verdict: Verdict) -> u8 {
    let (phase, reason) = verdict.cause.unzip();
    let phase = phase.map_or("", |phase| phase.name());
    message!("{}: {phase}: {}", verdict.status, reason.unwrap_or_default());
    UNEXPECTED
}

fn glsl(script: &Script<'_>, only: Option<Stage>) -> anyhow::Result<String> {
    let mut text = String::new();
    for section in &script.sections {
        let (stage, version, source) = match &section.content {
            Content::Shader(shader) => {
                let version =
                    script.version_line(shader).map(|v| v.to_string()).unwrap_or_default();
                (shader.stage, version, String::from_utf8_lossy(shader.source))
            }
            Content::Passthrough(version) => {
                (Stage::Vertex, version.to_string(), execute::PASSTHROUGH.into())
            }
            _ => continue,
        };
        if only.is_none_or(|only| only == stage) {
            writeln!(
                text,
                "// {stage} shader, line {}\n{version}{}",
                section.line,
                source.trim_end()
            )?;
        }
    }
    Ok(text)
}

struct Shown<'a> {
    args: &'a ShowArgs,
    program: &'a Program,
    options: CodegenOptions,
    /// The external compiler, if any.
    external: Option<Box<dyn BinarySource>>,
    /// The texts of the shaders, if lines are shown.
    sources: Option<&'a SourceTexts<'a>>,
}

impl Shown<'_> {
    /// Returns the shown bytes, and the reason why the validator refuses the code, if it does.
    fn stage(&self, stage: Stage, key: &StageKey) -> anyhow::Result<(Vec<u8>, Option<String>)> {
        let mut text = String::new();
        match &self.args.what {
            What::Batch | What::State => bail!(WITHOUT_DRIVER),
            What::Glsl | What::Program | What::Payload | What::Trace | What::Spirv => {}
            What::Ir(pass) => text = self.ir(stage, key, pass.as_deref())?,
            What::Gcn => bail!("{} does not execute GCN: show eu", self.args.generation),
            What::Eu => return self.eu(stage, key),
            What::Stats => self.stats(&mut text, &self.binary(stage, key)?)?,
            What::Passes => self.passes(&mut text, stage, key)?,
            What::Binary => return Ok((self.raw(&self.binary(stage, key)?)?, None)),
        }
        Ok((text.into_bytes(), None))
    }

    fn devinfo(&self) -> anyhow::Result<&'static intel_isa::DevInfo> {
        self.args.devinfo()
    }

    fn binary(&self, stage: Stage, key: &StageKey) -> anyhow::Result<Binary> {
        let binary = match &self.external {
            Some(external) => external.binary(stage, key).map_err(anyhow::Error::from),
            None => compiler::compile(self.program, stage, key, self.devinfo()?, &self.options)
                .map_err(anyhow::Error::from),
        };
        let binary = binary.with_context(|| format!("{stage} shader"))?;
        self.check_width(stage, &binary)?;
        Ok(binary)
    }

    /// Fails if the one shown stage has no kernel of the width, and prints a note if it is one of
    /// several stages.
    fn check_width(&self, stage: Stage, binary: &Binary) -> anyhow::Result<()> {
        let Some(width) = self.args.compile.width.filter(|width| binary.kernel(*width).is_none())
        else {
            return Ok(());
        };
        let kernels = &binary.compiled.kernels;
        let there = kernels.iter().map(|k| k.width.name()).collect::<Vec<_>>().join(", ");
        let (width, generation) = (width.name(), self.args.generation);
        let text = format!("the {stage} shader has no {width} kernel on {generation}, but {there}");
        if self.args.stage.is_some() || self.program.stages.len() == 1 {
            bail!("--width {width}: {text}");
        }
        message!("note: {text}");
        Ok(())
    }

    fn ir(&self, stage: Stage, key: &StageKey, pass: Option<&str>) -> anyhow::Result<String> {
        anyhow::ensure!(self.external.is_none(), "the compiler of --compiler does not show its IR");
        ir_runs(stage, pass, self.sources, |hook| {
            stage_ir(self.program, (stage, key), self.args.generation, &self.options, hook)
        })
    }

    /// Prints a line per optional pass run.
    fn passes(&self, text: &mut String, stage: Stage, key: &StageKey) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.external.is_none(),
            "the compiler of --compiler does not show its passes"
        );
        let devinfo = self.devinfo()?;
        let (binary, passes) =
            compiler::compile_logged(self.program, stage, key, devinfo, &self.options);
        for (run, changed) in scope_passes(&passes).iter().flat_map(ScopePasses::applications) {
            let effect = if changed { "" } else { "  no change" };
            writeln!(
                text,
                "{:>4}  {:<22} {}{effect}",
                run.number,
                run.scope.to_string(),
                run.pass
            )?;
        }
        if let Err(error) = binary {
            writeln!(text, "error: {error}")?;
        }
        Ok(())
    }

    /// Lists the code of a stage, also if the validator refuses it.
    fn eu(&self, stage: Stage, key: &StageKey) -> anyhow::Result<(Vec<u8>, Option<String>)> {
        let devinfo = self.devinfo()?;
        let options = CodegenOptions { no_validate: true, ..self.options.clone() };
        let binary = match &self.external {
            Some(external) => external.binary(stage, key).map_err(anyhow::Error::from),
            None => compiler::compile(self.program, stage, key, devinfo, &options)
                .map_err(anyhow::Error::from),
        };
        let binary = binary.with_context(|| format!("{stage} shader"))?;
        self.check_width(stage, &binary)?;
        let mut text = String::new();
        for kernel in &binary.compiled.kernels {
            let stage = binary.compiled.stage;
            text += &match self.sources {
                Some(sources) => code_text::eu_with_lines(devinfo, stage, kernel, sources)?,
                None => code_text::eu(devinfo, stage, kernel.width, &kernel.code)?,
            };
        }
        let refused = match self.options.no_validate {
            true => None,
            false => compiler::validate(devinfo, &binary).err(),
        };
        let reason =
            refused.map(|error| format!("fail: validate: {stage} shader: {}", error.reason()));
        Ok((text.into_bytes(), reason))
    }

    fn stats(&self, text: &mut String, binary: &Binary) -> anyhow::Result<()> {
        for kernel in &binary.compiled.kernels {
            let s = kernel.statistics;
            writeln!(
                text,
                "{} {}: {} instructions, {} loops, {} cycles, {}:{} spills:fills, {} sends, {} registers, {}",
                compiler::binary::stage_folder(binary.compiled.stage),
                kernel.width.name(),
                s.instructions,
                s.loops,
                s.cycles,
                s.spills,
                s.fills,
                s.sends,
                s.registers,
                blake3::hash(&kernel.code).to_hex()
            )?;
        }
        Ok(())
    }

    /// Writes the stage's folder, or returns the bytes of the one selected kernel.
    fn raw(&self, binary: &Binary) -> anyhow::Result<Vec<u8>> {
        if let Some(folder) = &self.args.out {
            binary.write(folder)?;
            return Ok(Vec::new());
        }
        match binary.compiled.kernels.as_slice() {
            [kernel] if self.args.stage.is_some() || self.program.stages.len() == 1 => {
                Ok(kernel.code.clone())
            }
            _ => bail!("name one kernel by --stage and --width, or give --out DIR for all"),
        }
    }
}
