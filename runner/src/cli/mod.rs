//! The command line.

mod asm;
mod bisect;
mod chain;
mod compare_codegen;
mod coverage;
mod diff;
mod expect;
mod fuzz;
mod gens;
mod git_bisect;
mod history;
mod import;
mod list;
mod manual;
mod merge;
mod options;
mod override_runner;
mod plan;
mod pressure;
mod reduce;
mod report;
mod resume;
mod run;
mod serve;
mod show;
mod suggest;
mod summary;
mod values;
mod worker;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand};

use crate::bundles::BundlePolicy;
use chain::chain;
use execute::DeviceOptions;
use execute::external::{CommandLine, ExternalCompiler};
use results::Junit;
use results::passes::PassLimit;
use results::shard::Shard;
use values::{Generations, generations, one_generation};
use vocabulary::Generation;
use vocabulary::{Backend, Width};

/// Maximum time for an answer of an external compiler; less if the time limit of test cases is
/// short.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// Everything was as expected.
pub const EXPECTED: u8 = 0;
/// Unexpected results.
pub const UNEXPECTED: u8 = 1;
/// Usage or set-up error.
pub const USAGE: u8 = 2;
/// Nothing was selected.
pub const NOTHING: u8 = 3;
/// Under `--git-bisect`: this revision cannot be tested.
pub const UNTESTABLE: u8 = 125;

/// Help that fits on a screen: commands by name, one line per option. Every command has its own
/// help.
const HELP: &str = "\
{about}

{usage-heading} {usage}

Look at tests:    list, show, gens, asm, disasm
Find a cause:     bisect, reduce
Find failures:    fuzz, coverage
Work with runs:   resume, rerun, merge, expect, import
Work on results:  diff, summary, history, report, compare-codegen, pressure
More:             serve-compiler, man, completions (runner COMMAND --help describes each)

{positionals}
{options}

A path named like a command is reachable as ./list.
Exit codes: 0 as expected, 1 unexpected results, 2 usage or set-up error, 3 nothing selected.
With --git-bisect: 0 good, 1 bad, 125 cannot be tested.";

/// Compiles, executes and judges .shader_test files on simulated Intel hardware.
#[derive(Debug, Parser)]
#[command(
    name = "runner",
    version,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
#[command(disable_help_flag = true, help_template = HELP)]
struct Cli {
    /// Print help.
    #[arg(short, long, action = ArgAction::HelpShort, global = true)]
    help: Option<bool>,
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
        #[arg(value_name = "GEN", value_parser = generations)]
        full: Option<Generations>,
    },
    /// Show the stages of a test's shaders: GLSL, IR, assembly, binaries, counts.
    Show(show::ShowArgs),
    /// Find the compiler pass run that changes the ending of a test.
    Bisect(bisect::BisectArgs),
    /// Reduce a failing test to a smaller one that fails in the same way.
    Reduce(reduce::ReduceArgs),
    /// Run random or damaged tests.
    Fuzz(fuzz::FuzzArgs),
    /// Show which parts of compiler and hardware tests exercise.
    Coverage(coverage::CoverageArgs),
    /// Assemble text to raw instruction bytes on standard output.
    Asm(ToolArgs),
    /// Disassemble raw instruction bytes, one line per instruction.
    Disasm(ToolArgs),
    /// Compare two runs: regressions and changes of the code.
    Diff(diff::DiffArgs),
    /// Show the statuses of several runs side by side.
    Summary(summary::SummaryArgs),
    /// Write a run as HTML: a table of all results, and a page for each interesting one.
    Report(report::ReportArgs),
    /// Show results over time, or record runs.
    History(history::HistoryArgs),
    /// Compare a run's instruction counts with another compiler's.
    #[command(alias = "anchors")]
    CompareCodegen(compare_codegen::CompareCodegenArgs),
    /// Compare register pressure and spills with coarser allocators.
    Pressure(pressure::PressureArgs),
    /// Import results of piglit or deqp-runner.
    Import(import::ImportArgs),
    /// Merge the shards of a run.
    Merge(merge::MergeArgs),
    /// Continue a run that was killed or interrupted.
    Resume(resume::ResumeArgs),
    /// Repeat the unexpected results of a run.
    Rerun(resume::RerunArgs),
    /// Work on expectation files.
    #[command(subcommand)]
    Expect(expect::ExpectCommand),
    /// Print the manual page, or write one for each command.
    Man(manual::ManArgs),
    /// Print a shell's completions.
    Completions(manual::CompletionsArgs),
    /// Compile for other programs by the protocol of docs/compiler-protocol.md.
    ServeCompiler,
    /// Execute test cases for a supervising process.
    #[command(name = "%worker", hide = true)]
    Worker(worker::WorkerArgs),
}

/// Selection of tests.
#[derive(Debug, Args)]
struct SelectArgs {
    /// Directories and .shader_test files.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Only tests whose name, in either form, matches (repeatable).
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
    /// Generations: a comma list of ivb, hsw, bdw, chv, skl (default: all).
    #[arg(long = "gen", value_name = "LIST", default_value = "all", hide_default_value = true, value_parser = generations)]
    generations: Generations,
    /// Concurrent test cases (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Folder of the results (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only unexpected results in the JUnit report.
    #[arg(long)]
    junit_failures_only: bool,
    /// Stop after N unexpected results.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_fails: Option<u32>,
    /// Run every test case N times; different results make it a flake.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "1", hide_default_value = true)]
    repeat: u32,
    /// Run one test case at a time in each of several processes.
    #[arg(long)]
    isolate: bool,
    /// Run only part K of N; auto: as set by Bazel, GitLab, Slurm or Kubernetes.
    #[arg(long, value_name = "K/N|auto", value_parser = shard_choice)]
    shard: Option<ShardChoice>,
    /// Balance shards and order by the durations of an earlier run.
    #[arg(long, value_name = "FILE")]
    durations: Option<PathBuf>,
    /// Order of the test cases.
    #[arg(
        long,
        value_enum,
        value_name = "ORDER",
        default_value = "name",
        hide_default_value = true
    )]
    order: Order,
    /// Run only the interpreter, which has all capabilities.
    #[arg(long, conflicts_with_all = ["no_reference", "generations"])]
    reference_only: bool,
    #[command(flatten)]
    expect: expect::ExpectArgs,
    #[command(flatten)]
    execute: ExecuteArgs,
    /// Results that get a bundle in failures/ with an explanation.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        default_value = "failures",
        hide_default_value = true
    )]
    keep: BundlePolicy,
    /// An earlier run: results that differ from it get a bundle, too.
    #[arg(long, value_name = "RUN")]
    previous: Option<PathBuf>,
    /// Exit codes for `git bisect run`: 0 good, 1 bad, 125 cannot be tested.
    #[arg(long)]
    git_bisect: bool,
}

/// Options that decide the result of a test case, beside the test and the generation.
#[derive(Clone, Debug, Args)]
struct ExecuteArgs {
    /// Do not run the interpreter, nor any cross-check.
    #[arg(long)]
    no_reference: bool,
    #[command(flatten)]
    device: DeviceArgs,
    /// all: shade everything, without sharing equal work.
    #[arg(long, value_name = "WHAT", value_parser = ["observed", "all"], default_value = "observed", hide_default_value = true)]
    shade: String,
    /// Wall-clock limit of a test case (default: 300).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value = "300", hide_default_value = true)]
    timeout: u32,
    /// Memory limit of a worker (default: three quarters of the machine's).
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(64..))]
    memory_limit: Option<u32>,
    /// Only pretend to run tests, as their files say.
    #[arg(long, hide = true)]
    mock: bool,
}

impl RunArgs {
    /// Returns the generations of every test.
    fn generations(&self) -> Vec<Generation> {
        if self.reference_only { vec![Generation::Reference] } else { self.generations.0.clone() }
    }
}

/// The shard to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShardChoice {
    /// As set by the environment.
    Auto,
    /// As given.
    Given(Shard),
}

fn shard_choice(text: &str) -> Result<ShardChoice, String> {
    if text == "auto" { Ok(ShardChoice::Auto) } else { Shard::parse(text).map(ShardChoice::Given) }
}

/// Order of the test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Order {
    /// By name.
    Name,
    /// Unexpected results of the latest run first, then by name.
    LastFailed,
    /// Slowest first, by --durations or the latest run.
    SlowestFirst,
}

/// Options of compiler and simulator.
#[derive(Clone, Debug, Args)]
struct DeviceArgs {
    #[command(flatten)]
    compile: CompileArgs,
    /// worst: the math unit has the maximum documented error.
    #[arg(long, value_name = "HOW", value_parser = ["exact", "worst"], default_value = "exact", hide_default_value = true)]
    math: String,
    /// Execute these binaries instead of compiling.
    #[arg(long, value_name = "DIR")]
    binaries: Option<PathBuf>,
}

/// Options of the compiler.
#[derive(Clone, Debug, Args)]
struct CompileArgs {
    /// Back end for stages with a choice.
    #[arg(long, value_parser = values::backend(), value_name = "NAME")]
    backend: Option<Backend>,
    /// Run only one width.
    #[arg(long, value_parser = values::width(), value_name = "W")]
    width: Option<Width>,
    /// Run at most N optional compiler passes, for example on fragment or fragment/SIMD8 only
    /// (repeatable).
    #[arg(long, value_name = "[SCOPE=]N", value_parser = PassLimit::parse)]
    pass_limit: Vec<PassLimit>,
    /// Leave an optional compiler pass out (repeatable).
    #[arg(long, value_name = "PASS")]
    disable_pass: Vec<String>,
    /// Compile with this command (docs/compiler-protocol.md).
    #[arg(long, value_name = "CMD", value_parser = CommandLine::parse)]
    compiler: Option<CommandLine>,
    /// Switch off the compiler's handling of a hardware quirk (repeatable).
    #[arg(long, value_name = "QUIRK")]
    disable_quirk: Vec<String>,
    /// Liveness in the allocator: byte is exact, whole is for comparison (partial writes define
    /// nothing).
    #[arg(long, value_name = "HOW", value_parser = ["byte", "whole"], default_value = "byte", hide_default_value = true, hide_short_help = true)]
    liveness: String,
    /// Interference of payload registers: last-use is exact, all is for comparison.
    #[arg(long, value_name = "WHAT", value_parser = ["last-use", "all"], default_value = "last-use", hide_default_value = true, hide_short_help = true)]
    payload_interference: String,
    /// Run binaries that break the instruction set's rules, for experiments.
    #[arg(long, hide_short_help = true)]
    no_validate: bool,
}

impl CompileArgs {
    /// Returns the options of the devices.
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
            pass_limits: self.pass_limit.clone(),
            disabled_passes: sorted(&self.disable_pass),
            disabled_quirks: sorted(&self.disable_quirk),
            compiler: self
                .compiler
                .clone()
                .map(|command| ExternalCompiler { command, response_timeout: RESPONSE_TIMEOUT }),
            whole_liveness: self.liveness == "whole",
            payload_interferes: self.payload_interference == "all",
            no_validate: self.no_validate,
            ..DeviceOptions::default()
        };
        let quirks: Vec<&str> = compiler::Quirk::ALL.iter().map(|quirk| quirk.name()).collect();
        suggest::known("quirk", &options.disabled_quirks, &quirks)?;
        let passes: Vec<&str> = compiler::passes::optional().into_iter().collect();
        let named: Vec<String> = options
            .disabled_passes
            .iter()
            .map(|name| compiler::passes::listed(name).to_owned())
            .collect();
        suggest::known("pass", &named, &passes)?;
        Ok(options)
    }
}

#[derive(Debug, Args)]
struct ToolArgs {
    /// The generation.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    generation: Generation,
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    crate::log::start();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let git_bisect = cli.command.is_none() && cli.run.git_bisect;
    let outcome = match cli.command {
        Some(Command::List(args)) => list::list(&args),
        Some(Command::Gens { full }) => gens::gens(full.map(|Generations(list)| list).as_deref()),
        Some(Command::Show(args)) => show::show(&args),
        Some(Command::Bisect(args)) => bisect::bisect(&args),
        Some(Command::Reduce(args)) => reduce::reduce(&args),
        Some(Command::Fuzz(args)) => fuzz::fuzz(&args),
        Some(Command::Coverage(args)) => coverage::coverage(&args),
        Some(Command::Asm(args)) => asm::assemble(&args),
        Some(Command::Disasm(args)) => asm::disassemble(&args),
        Some(Command::Diff(args)) => diff::diff(&args),
        Some(Command::Summary(args)) => summary::summary(&args),
        Some(Command::Report(args)) => report::report(&args),
        Some(Command::History(args)) => history::history(&args),
        Some(Command::CompareCodegen(args)) => compare_codegen::compare_codegen(&args),
        Some(Command::Pressure(args)) => pressure::pressure(&args),
        Some(Command::Import(args)) => import::import(&args),
        Some(Command::Merge(args)) => merge::merge(&args),
        Some(Command::Resume(args)) => resume::resume(&args),
        Some(Command::Rerun(args)) => resume::rerun(&args),
        Some(Command::Expect(command)) => expect::expect(&command),
        Some(Command::Man(args)) => manual::man(&args),
        Some(Command::Completions(args)) => manual::completions(&args),
        Some(Command::ServeCompiler) => serve::serve(),
        Some(Command::Worker(args)) => worker::worker(&args),
        None => run::run(&cli.run),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) if is_broken_pipe(&error) => ExitCode::from(EXPECTED),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {}", chain(&error));
            ExitCode::from(if git_bisect { UNTESTABLE } else { USAGE })
        }
    }
}

/// Prints a usage error, or the requested help.
fn usage(error: &clap::Error) -> ExitCode {
    // A closed output is no error here.
    let _ = error.print();
    let git_bisect = std::env::args_os().any(|argument| argument == "--git-bisect");
    ExitCode::from(match error.use_stderr() {
        true if git_bisect => UNTESTABLE,
        true => USAGE,
        false => EXPECTED,
    })
}

/// Returns true if the reader of the output has closed it, for example `head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}

/// Returns the selection of results for a JUnit report.
fn junit(failures_only: bool) -> Junit {
    if failures_only { Junit::FailuresOnly } else { Junit::All }
}

/// Returns the arguments of the process.
fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect()
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
    fn help_names_every_command_and_fits_on_a_screen() {
        let mut cli = Cli::command().term_width(100);
        cli.build();
        let help = cli.render_help().to_string();
        let fits = |name: &str, help: &str| {
            let lines = help.lines().count();
            assert!(lines <= 60, "{name}: {lines} lines\n{help}");
            assert!(help.lines().all(|line| line.chars().count() <= 100), "{name}: {help}");
        };
        fits("runner", &help);
        for command in cli.get_subcommands_mut().filter(|command| !command.is_hide_set()) {
            let name = command.get_name().to_owned();
            let listed = help.lines().any(|line| line.split([' ', ',']).any(|word| word == name));
            assert!(listed, "{name} in {help}");
            fits(&name, &command.clone().term_width(100).render_help().to_string());
        }
    }

    #[test]
    fn subcommands_and_paths() {
        let parse = |line: &str| Cli::try_parse_from(line.split(' '));
        assert!(matches!(parse("runner list x").unwrap().command, Some(Command::List(_))));
        let run = parse("runner ./list --gen ivb,skl -j 3 -t a -t b --shade all").unwrap();
        assert!(run.command.is_none());
        assert_eq!(run.run.select.paths, [PathBuf::from("./list")]);
        assert_eq!(run.run.generations.0, [Generation::Ivb, Generation::Skl]);
        assert_eq!((run.run.jobs, run.run.select.include.len()), (Some(3), 2));
        assert_eq!(
            parse("runner x --reference-only").unwrap().run.generations.0,
            Generation::HARDWARE
        );
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
