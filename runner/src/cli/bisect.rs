//! `runner bisect`: search for the compiler pass run that changes the ending of a test.

use clap::Args;

use super::args::{ExecuteArgs, SelectArgs};
use super::exit::{EXPECTED, NOTHING, UNEXPECTED};
use super::options::{changed_options, command_options, execute_options};
use super::output::{Format, print};
use super::override_runner::OverrideRunner;
use super::values::{Generations, generations};
use super::{list, workers};
use crate::console::message::message;
use tools::bisect::{self, BisectOptions, Bisection};

#[derive(Debug, Args)]
pub(super) struct BisectArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generations: a comma list of names and groups (default: intel).
    #[arg(long = "gen", value_name = "LIST", default_value = "intel", hide_default_value = true, value_parser = generations)]
    pub(super) generations: Generations,
    /// Fewest passes to try.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u32,
    /// Most passes to try (default: all).
    #[arg(long, value_name = "N")]
    to: Option<u32>,
    /// Try every limit instead of bisecting, which finds all changes.
    #[arg(long)]
    every: bool,
    /// Do not try single passes and quirks.
    #[arg(long)]
    no_switches: bool,
    /// Format of the findings.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
    /// Concurrent executions (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
}

/// Bisects every selected test case; exit code 0 if a change was found for each.
pub(super) fn bisect(args: &BisectArgs) -> anyhow::Result<u8> {
    let compile = &args.execute.device.compile;
    anyhow::ensure!(
        args.generations.0.iter().all(|&target| execute::executor(target).runs_our_code()),
        "gl has no passes to bisect: `git bisect run` with --git-bisect finds a driver's revision"
    );
    anyhow::ensure!(
        !args.execute.device.driver.is_virtual(),
        "--driver mesa has no passes to bisect: its compiler is Mesa's"
    );
    super::choices::with_meaning(&args.execute.device, &args.generations.0)?;
    anyhow::ensure!(
        compile.compiler.is_none() && args.execute.device.binaries.is_none(),
        "only the passes of the compiler in here can be counted: --compiler and --binaries have others"
    );
    anyhow::ensure!(compile.pass_limit.is_empty(), "--from and --to say which limits are tried");
    anyhow::ensure!(args.to.is_none_or(|to| args.from < to), "--from must be less than --to");
    let selection = list::select(&args.select, args.execute.file_kinds())?;
    if selection.tests.is_empty() {
        message!("{}", selection.nothing());
        return Ok(NOTHING);
    }
    let options = bisect_options(args)?;
    let mut runner =
        OverrideRunner::start(&args.execute, &args.generations.0, workers::jobs(args.jobs))?;
    let mut all = Vec::new();
    for test in &selection.tests {
        for &generation in &args.generations.0 {
            let case = test.on(generation);
            let found = bisect::bisect(&case, &options, &mut runner)?;
            if args.format == Format::Terminal {
                let separator = if all.is_empty() { "" } else { "\n" };
                print(format!("{separator}{}", bisect::terminal(&found)).as_bytes())?;
            }
            all.push(found);
        }
    }
    if args.format == Format::Json {
        print(bisect::json(&all)?.as_bytes())?;
    }
    Ok(if all.iter().all(Bisection::is_found) { EXPECTED } else { UNEXPECTED })
}

fn bisect_options(args: &BisectArgs) -> anyhow::Result<BisectOptions> {
    let execution = execute_options(&args.execute, false)?.execution;
    let changed = changed_options(&args.execute, &execution);
    let compile = &args.execute.device.compile;
    Ok(BisectOptions {
        from: args.from,
        to: args.to,
        every: args.every,
        switches: !args.no_switches,
        disabled_passes: compile.disable_pass.clone(),
        disabled_quirks: compile.disable_quirk.clone(),
        options: command_options(&args.execute, &changed),
    })
}
