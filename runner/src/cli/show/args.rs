//! Arguments of `runner show`.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use intel_isa::DevInfo;

use crate::cli::args::{CompileArgs, DriverChoice, ModuleArgs};
use crate::cli::output::Format;
use crate::cli::values::one_generation;
use results::passes::parse_stage;
use shader_device::TracedPixel;
use vocabulary::{Stage, Target, nearest};

/// Forms of a shader that can be shown.
pub(in crate::cli) const FORMS: &str = "glsl, program, ir, ir=PASS, passes, eu, gcn, binary, payload, trace, stats, batch, state, \
     spirv";
/// Forms that a driver has.
pub(super) const DRIVER_FORMS: &str = "batch, state, eu, gcn, payload and trace";
/// Message for forms that only a driver has.
pub(in crate::cli) const WITHOUT_DRIVER: &str = "batch and state need --driver mesa";

#[derive(Debug, Args)]
pub(in crate::cli) struct ShowArgs {
    /// A .shader_test file, or a Vulkan script.
    #[arg(value_name = "TEST")]
    pub(in crate::cli) test: PathBuf,
    /// The generation.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    pub(in crate::cli) generation: Target,
    /// Only this stage (vertex, tessellation-control, tessellation-evaluation, geometry, fragment,
    /// compute).
    #[arg(long, value_parser = parse_stage)]
    pub(in crate::cli) stage: Option<Stage>,
    /// Show what Mesa's driver submits to a virtual GPU, and its kernels: batch, state, eu,
    /// payload, trace; of si and vi batch, state, gcn.
    #[arg(long, value_name = "mesa", value_parser = DriverChoice::parse)]
    pub(in crate::cli) driver: Option<DriverChoice>,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
    #[command(flatten)]
    pub(in crate::cli) modules: ModuleArgs,
    /// With ir, eu and gcn: before the instructions, comments with the source lines that they came
    /// from.
    #[arg(long)]
    pub(in crate::cli) lines: bool,
    /// With trace and payload: only the fragment shader's threads that shade this pixel, counted
    /// from the lower left corner.
    #[arg(long, value_name = "X,Y", value_parser = pixel)]
    pub(in crate::cli) pixel: Option<TracedPixel>,
    /// Format of `stats`.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    pub(in crate::cli) format: Format,
    /// Folder for `binary`, in the format that --binaries reads.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) out: Option<PathBuf>,
    /// glsl: input of the compiler; program: the linked program, all stages; ir: input of the back
    /// end; ir=PASS: after each run of a pass; passes: optional pass runs, numbered as in
    /// --pass-limit; eu: assembly; gcn: assembly of si and vi; binary: kernels (to --out, or raw
    /// bytes of the selected one); payload: initial registers of every thread of the test; trace:
    /// payloads and every executed instruction with the registers it changes; stats: counts; batch:
    /// commands of a driver; state: the same with all fields and the state in memory; spirv:
    /// modules of a Vulkan script, which has program, ir, passes, eu and gcn of each pipeline, too,
    /// and with --spirv a test with modules in place of its GLSL.
    #[arg(value_name = "WHAT", value_parser = what)]
    pub(in crate::cli) what: What,
}

impl ShowArgs {
    /// Fails if source lines are wanted of code that has none, or JSON of what has no numbers.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let has_lines = matches!(self.what, What::Ir(_) | What::Eu | What::Gcn);
        let is_ours = self.driver.is_none() && self.compile.compiler.is_none();
        anyhow::ensure!(
            !self.lines || has_lines && is_ours,
            "--lines is for ir, eu and gcn of this project's compiler"
        );
        anyhow::ensure!(
            self.format == Format::Terminal || self.what == What::Stats,
            "--format json is for stats"
        );
        let is_trace = matches!(self.what, What::Trace | What::Payload);
        anyhow::ensure!(
            self.pixel.is_none() || is_trace && self.driver.is_none(),
            "--pixel is for trace and payload of this project's compiler"
        );
        Ok(())
    }

    /// Returns the hardware facts of the generation.
    ///
    /// # Errors
    /// Fails if it is not one of Intel's.
    pub(super) fn devinfo(&self) -> anyhow::Result<&'static DevInfo> {
        execute::devinfo(self.generation)
            .ok_or_else(|| anyhow!("{} has no instruction set", self.generation))
    }
}

/// The requested output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum What {
    Glsl,
    Program,
    Ir(Option<String>),
    Eu,
    Gcn,
    Binary,
    Payload,
    Trace,
    Stats,
    Passes,
    Batch,
    State,
    Spirv,
}

impl What {
    /// True for forms that the programs of a Vulkan script have.
    pub(super) fn is_of_program(&self) -> bool {
        matches!(self, What::Program | What::Ir(_) | What::Passes | What::Eu | What::Gcn)
    }
}

fn pixel(text: &str) -> Result<TracedPixel, String> {
    let parse = || {
        let (x, y) = text.split_once(',')?;
        Some(TracedPixel { x: x.parse().ok()?, y: y.parse().ok()? })
    };
    parse().ok_or_else(|| "not a pixel such as 10,20".to_owned())
}

fn what(text: &str) -> Result<What, String> {
    Ok(match text {
        "glsl" => What::Glsl,
        "program" => What::Program,
        "ir" => What::Ir(None),
        "eu" => What::Eu,
        "gcn" => What::Gcn,
        "binary" => What::Binary,
        "payload" => What::Payload,
        "trace" => What::Trace,
        "stats" => What::Stats,
        "passes" => What::Passes,
        "batch" => What::Batch,
        "state" => What::State,
        "spirv" => What::Spirv,
        _ => match text.strip_prefix("ir=") {
            Some(pass) if !pass.is_empty() => What::Ir(Some(pass.to_owned())),
            _ => {
                return Err(match nearest(text, FORMS.split(", ")) {
                    Some(name) => format!("did you mean `{name}`? (known: {FORMS})"),
                    None => format!("known: {FORMS}"),
                });
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        assert_eq!(what("ir=opt_dce"), Ok(What::Ir(Some("opt_dce".into()))));
        assert!(what("ir=").is_err() && what("picture").is_err());
        assert_eq!(parse_stage("tessellation-control"), Ok(Stage::TessControl));
        assert_eq!(parse_stage("FS"), Ok(Stage::Fragment));
        assert!(parse_stage("pixel").is_err());
        assert_eq!(pixel("3,40"), Ok(TracedPixel { x: 3, y: 40 }));
        assert!(pixel("3").is_err() && pixel("3,").is_err() && pixel("3, 4").is_err());
    }
}
