//! The grammar of the command line.

use clap::{ArgAction, Parser, Subcommand};

use super::args::{
    CompletionsArgs, ManArgs, RerunArgs, ResumeArgs, RunArgs, SettingsArgs, WorkerArgs,
};
use super::{
    asm, bisect, compare_codegen, coverage, defects, diff, expect, export, fuzz, gens, gpu,
    history, import, list, merge, piglit, pressure, reduce, report, serve, show, summary, wrap,
};
use crate::console::style::ColorChoice;

/// Help that fits on a screen: commands by name, one line per option. Every command has its own
/// help.
const HELP: &str = "\
{about}

{usage-heading} {usage}

Look at tests:    serve, list, show, gens, asm, disasm
Find a cause:     bisect, reduce
Find failures:    fuzz, wrap, coverage, defects
Work with runs:   piglit, resume, rerun, merge, expect, import
Work on results:  diff, summary, history, report, export, compare-codegen, pressure
More:             gpu, settings, completions, man, serve-compiler (COMMAND --help describes each)

{positionals}
{options}
A path named like a command is reachable as ./list.
Exit codes: 0 as expected, 1 unexpected results, 2 usage or set-up error, 3 nothing selected.";

/// Help of an option that has another default in `runner serve`.
const LOOK_LIMIT: &str = "Wall-clock limit of what the page executes (default: 2)";

/// Compiles, executes and judges .shader_test files on simulated hardware.
#[derive(Debug, Parser)]
#[command(
    name = "runner",
    version = env!("RUNNER_VERSION"),
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
#[command(disable_help_flag = true, help_template = HELP)]
pub(super) struct Cli {
    /// Print help.
    #[arg(short, long, action = ArgAction::HelpShort, global = true)]
    pub(super) help: Option<bool>,
    /// Colors of failures: auto (on terminals), always, never.
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", global = true)]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    pub(super) color: ColorChoice,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the tests under the paths, or count their command patterns.
    List(list::ListArgs),
    /// Show what each generation offers.
    Gens(gens::GensArgs),
    /// Show the stages of a test's shaders: GLSL, IR, assembly, binaries, counts.
    Show(show::ShowArgs),
    /// Find the compiler pass run that changes the ending of a test.
    Bisect(bisect::BisectArgs),
    /// Reduce a failing test to a smaller one that fails in the same way.
    Reduce(reduce::ReduceArgs),
    /// Run random or damaged tests.
    Fuzz(fuzz::FuzzArgs),
    /// Write tests that draw the fragment shaders of applications over a window.
    Wrap(wrap::WrapArgs),
    /// Show which parts of compiler and hardware tests exercise.
    Coverage(coverage::CoverageArgs),
    /// Execute the small tests of known defects on a driver.
    Defects(defects::DefectsArgs),
    /// Assemble text to raw instruction bytes on standard output.
    Asm(asm::ToolArgs),
    /// Disassemble raw instruction bytes, one line per instruction.
    Disasm(asm::ToolArgs),
    /// Compare two runs: regressions and changes of the code.
    Diff(diff::DiffArgs),
    /// Show the statuses of several runs side by side, or totals of their code.
    Summary(summary::SummaryArgs),
    /// Write a run as HTML: a table of all results, and a page for each interesting one.
    Report(report::ReportArgs),
    /// Print unexpected results as annotations for GitHub or a report for GitLab.
    Export(export::ExportArgs),
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
    Resume(ResumeArgs),
    /// Repeat the unexpected results of a run.
    Rerun(RerunArgs),
    /// Work on expectation files.
    #[command(subcommand)]
    Expect(expect::ExpectCommand),
    /// Print the options that a run would have, with their sources (docs/configuration.md).
    Settings(SettingsArgs),
    /// Print the manual page, or write one for each command.
    Man(ManArgs),
    /// Print a shell's completions.
    Completions(CompletionsArgs),
    /// Run the tests that profiles of piglit list.
    #[command(after_help = piglit::HELP)]
    Piglit(Box<RunArgs>),
    /// Run a program on a virtual GPU with the driver of the system's Mesa.
    Gpu(gpu::GpuArgs),
    /// Show what tests become on a local page: verdict, code, pixels, traces.
    #[command(mut_arg("timeout", |arg| arg.default_value("2").help(LOOK_LIMIT)))]
    Serve(Box<serve::ServeArgs>),
    /// Compile for other programs by the protocol of docs/compiler-protocol.md.
    ServeCompiler,
    /// Execute test cases for a supervising process.
    #[command(name = "%worker", hide = true)]
    Worker(WorkerArgs),
    /// Print the names of a driver.
    #[command(name = "%driver", hide = true)]
    Driver(super::driver::DescribeArgs),
    /// Execute a test on the OpenGL driver.
    #[command(name = "%test", hide = true)]
    Test(show::driver::TestArgs),
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::path::PathBuf;
    use vocabulary::Target;

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
        assert_eq!(run.run.generations.0, [Target::IVB, Target::SKL]);
        assert_eq!((run.run.jobs, run.run.select.include.len()), (Some(3), 2));
        assert_eq!(parse("runner x --reference-only").unwrap().run.generations.0, Target::INTEL);
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
