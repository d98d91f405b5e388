//! The command line.

mod anchors;
mod diff;
mod expect;
mod gens;
mod history;
mod import;
mod list;
mod merge;
mod options;
mod plan;
mod report;
mod resume;
mod run;
mod show;
mod summary;
mod tools;
mod worker;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::bundle::Keep;
use crate::execute::{self, Backend, DeviceOptions, Width};
use crate::shard::Shard;
use crate::target::Target;

/// Everything was as expected.
pub const EXPECTED: u8 = 0;
/// Unexpected results.
pub const UNEXPECTED: u8 = 1;
/// Usage or set-up error.
pub const USAGE: u8 = 2;
/// Nothing was selected.
pub const NOTHING: u8 = 3;

/// Compiles, executes and judges .shader_test files on simulated Intel hardware.
#[derive(Debug, Parser)]
#[command(name = "runner", version, args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
#[command(after_help = "A path named like a subcommand is reachable as ./list.\n\
    Exit codes: 0 as expected, 1 unexpected results, 2 usage or set-up error, 3 nothing selected.")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the tests under the paths, or count their command patterns.
    List(ListArgs),
    /// Show what each generation offers.
    Gens {
        /// Print limits and extensions of these generations in full.
        #[arg(value_name = "GEN", value_parser = targets)]
        full: Option<Targets>,
    },
    /// Show what becomes of a test's shaders: GLSL, IR, assembly, binaries, counts.
    Show(show::ShowArgs),
    /// Assemble text to raw instruction bytes on standard output.
    Asm(ToolArgs),
    /// Disassemble raw instruction bytes, one line per instruction.
    Disasm(ToolArgs),
    /// Compare two runs: what regressed, what became of the code.
    Diff(diff::DiffArgs),
    /// Show the statuses of several runs side by side.
    Summary(summary::SummaryArgs),
    /// Write a run as HTML: a table of all results, a page for each that is interesting.
    Report(report::ReportArgs),
    /// Show what became of tests over time, or record runs.
    History(history::HistoryArgs),
    /// Compare a run's instruction counts with another compiler's.
    Anchors(anchors::AnchorsArgs),
    /// Take over results of piglit or deqp-runner.
    Import(import::ImportArgs),
    /// Join the shards of a run.
    Merge(merge::MergeArgs),
    /// Go on with a run that was killed or interrupted.
    Resume(resume::ResumeArgs),
    /// Repeat what was not as expected in a run.
    Rerun(resume::RerunArgs),
    /// Work on expectation files.
    #[command(subcommand)]
    Expect(expect::ExpectCommand),
    /// Execute rows for a supervising process.
    #[command(name = "%worker", hide = true)]
    Worker(worker::WorkerArgs),
}

/// Which tests.
#[derive(Debug, Args)]
struct SelectArgs {
    /// Directories and .shader_test files.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Only tests whose name, ours or piglit's form, matches (repeatable).
    #[arg(short = 't', long = "include", value_name = "RE")]
    include: Vec<String>,
    /// No tests whose name matches (repeatable).
    #[arg(short = 'x', long = "exclude", value_name = "RE")]
    exclude: Vec<String>,
    /// Only tests named in this file, one per line.
    #[arg(long, value_name = "FILE")]
    test_list: Option<PathBuf>,
    /// Print names in piglit's form.
    #[arg(long)]
    piglit_names: bool,
}

#[derive(Debug, Args)]
struct ListArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Print pattern, files and lines of every command pattern instead of names.
    #[arg(long)]
    counts: bool,
}

#[derive(Debug, Args)]
struct RunArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generations: a comma list of ivb, hsw, bdw, chv, skl, or all.
    #[arg(long = "gen", value_name = "LIST", default_value = "all", value_parser = targets)]
    targets: Targets,
    /// Rows at a time (default: as many as there are cores).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Where the results go (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Stop after N unexpected results.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_fails: Option<u32>,
    /// Run every row N times; results that differ make it a flake.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "1", hide_default_value = true)]
    repeat: u32,
    /// One row at a time in each of several processes, which are replaced now and then.
    #[arg(long)]
    isolate: bool,
    /// Give a row up after this much wall-clock time, a guard behind the limits on steps.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value = "300")]
    timeout: u32,
    /// Give a row up that needs more memory (default: three quarters of the machine's).
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(64..))]
    memory_limit: Option<u32>,
    /// Run only part K of N of the tests; auto asks Bazel's, GitLab's, Slurm's or Kubernetes' variables.
    #[arg(long, value_name = "K/N|auto", value_parser = shard_choice)]
    shard: Option<ShardChoice>,
    /// Balance shards and order by the durations of an earlier run (results.jsonl or results.GEN.csv).
    #[arg(long, value_name = "FILE")]
    durations: Option<PathBuf>,
    /// What runs first.
    #[arg(long, value_enum, value_name = "ORDER", default_value = "name", hide_default_value = true)]
    order: Order,
    /// Only the interpreter, with what any generation offers.
    #[arg(long, conflicts_with_all = ["no_reference", "targets"])]
    reference_only: bool,
    /// No interpreter: no cross-check.
    #[arg(long)]
    no_reference: bool,
    #[command(flatten)]
    expect: expect::ExpectArgs,
    #[command(flatten)]
    device: DeviceArgs,
    /// Which results get a folder in failures/ that explains them.
    #[arg(long, value_enum, value_name = "WHICH", default_value = "failures", hide_default_value = true)]
    keep: Keep,
    /// An earlier run: results that differ from it are explained too, also when they pass.
    #[arg(long, value_name = "RUN")]
    previous: Option<PathBuf>,
    /// What is shaded: all turns off the sharing of equal work.
    #[arg(long, value_name = "WHAT", value_parser = ["observed", "all"], default_value = "observed", hide_default_value = true)]
    shade: String,
    /// Only pretend to run tests, as their files say.
    #[arg(long, hide = true)]
    mock: bool,
}

/// Which shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShardChoice {
    /// Whatever the engine says.
    Auto,
    /// This one.
    Given(Shard),
}

fn shard_choice(text: &str) -> Result<ShardChoice, String> {
    if text == "auto" { Ok(ShardChoice::Auto) } else { Shard::parse(text).map(ShardChoice::Given) }
}

/// What runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// By name.
    Name,
    /// What was not as expected in the latest run, then by name.
    LastFailed,
    /// The slowest first, by --durations or the latest run.
    SlowestFirst,
}

/// Options of compiler and simulator.
#[derive(Debug, Args)]
struct DeviceArgs {
    #[command(flatten)]
    compile: CompileArgs,
    /// Precision of the math unit: worst perturbs it to the documented bound.
    #[arg(long, value_name = "HOW", value_parser = ["exact", "worst"], default_value = "exact", hide_default_value = true)]
    math: String,
    /// Execute these binaries instead of compiling.
    #[arg(long, value_name = "DIR")]
    binaries: Option<PathBuf>,
}

/// Options of the compiler.
#[derive(Debug, Args)]
struct CompileArgs {
    /// Back end for stages that have a choice.
    #[arg(long, value_enum, value_name = "NAME")]
    backend: Option<Backend>,
    /// Compile and run only this width.
    #[arg(long, value_enum, value_name = "W")]
    width: Option<Width>,
    /// Run at most N optional compiler passes.
    #[arg(long, value_name = "N")]
    pass_limit: Option<u32>,
    /// Leave an optional compiler pass out (repeatable).
    #[arg(long, value_name = "PASS")]
    disable_pass: Vec<String>,
    /// Turn the compiler's handling of a hardware quirk off (repeatable).
    #[arg(long, value_name = "QUIRK")]
    disable_quirk: Vec<String>,
}

impl CompileArgs {
    /// The options as the devices take them.
    fn device_options(&self) -> anyhow::Result<DeviceOptions> {
        let sorted = |list: &[String]| {
            let mut list = list.to_vec();
            list.sort();
            list.dedup();
            list
        };
        let options = DeviceOptions {
            backend: self.backend,
            width: self.width,
            pass_limit: self.pass_limit,
            disabled_passes: sorted(&self.disable_pass),
            disabled_quirks: sorted(&self.disable_quirk),
            ..DeviceOptions::default()
        };
        if let Some(name) = execute::unknown_quirks(&options).first() {
            let known: Vec<&str> = compiler::Quirk::ALL.iter().map(|quirk| quirk.name()).collect();
            anyhow::bail!("unknown quirk `{name}` (known: {})", known.join(", "));
        }
        Ok(options)
    }

    /// The options as the compiler takes them.
    fn compiler_options(&self) -> anyhow::Result<compiler::Options> {
        Ok(execute::compiler_options(&self.device_options()?))
    }
}

#[derive(Debug, Args)]
struct ToolArgs {
    /// The generation.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_target)]
    target: Target,
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// A parsed `--gen` list (a type of its own, because clap takes a plain vector for a repeatable option).
#[derive(Clone, Debug)]
struct Targets(Vec<Target>);

fn targets(text: &str) -> Result<Targets, String> {
    Target::parse_list(text).map(Targets)
}

fn one_target(text: &str) -> Result<Target, String> {
    match Target::parse_list(text)?.as_slice() {
        [target] => Ok(*target),
        _ => Err("one generation is needed".to_owned()),
    }
}

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        Some(Command::List(args)) => list::list(&args),
        Some(Command::Gens { full }) => gens::gens(full.map(|Targets(list)| list).as_deref()),
        Some(Command::Show(args)) => show::show(&args),
        Some(Command::Asm(args)) => tools::assemble(&args),
        Some(Command::Disasm(args)) => tools::disassemble(&args),
        Some(Command::Diff(args)) => diff::diff(&args),
        Some(Command::Summary(args)) => summary::summary(&args),
        Some(Command::Report(args)) => report::report(&args),
        Some(Command::History(args)) => history::history(&args),
        Some(Command::Anchors(args)) => anchors::anchors(&args),
        Some(Command::Import(args)) => import::import(&args),
        Some(Command::Merge(args)) => merge::merge(&args),
        Some(Command::Resume(args)) => resume::resume(&args),
        Some(Command::Rerun(args)) => resume::rerun(&args),
        Some(Command::Expect(command)) => expect::expect(&command),
        Some(Command::Worker(args)) => worker::worker(&args),
        None => run::run(&cli.run),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) if is_broken_pipe(&error) => ExitCode::from(EXPECTED),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error:#}");
            ExitCode::from(USAGE)
        }
    }
}

/// Whether the reader of our output has gone away, `head` for example.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}

/// Writes text to standard output at once.
fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn subcommands_and_paths() {
        let parse = |line: &str| Cli::try_parse_from(line.split(' '));
        assert!(matches!(parse("runner list x").unwrap().command, Some(Command::List(_))));
        let run = parse("runner ./list --gen ivb,skl -j 3 -t a -t b --shade all").unwrap();
        assert!(run.command.is_none());
        assert_eq!(run.run.select.paths, [PathBuf::from("./list")]);
        assert_eq!(run.run.targets.0, [Target::Ivb, Target::Skl]);
        assert_eq!((run.run.jobs, run.run.select.include.len()), (Some(3), 2));
        assert_eq!(parse("runner x --reference-only").unwrap().run.targets.0, Target::HARDWARE);
        for bad in [
            "runner",
            "runner x --gen ivy",
            "runner x -j 0",
            "runner x --reference-only --no-reference",
            "runner x --reference-only --gen ivb",
            "runner x --width 7",
            "runner x --repeat 0",
            "runner disasm x",
            "runner disasm --gen ivb,hsw x",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
