//! The command line: one file for each command.

mod args;
mod asm;
mod bisect;
mod chain;
mod choices;
mod command;
mod compare_codegen;
mod coverage;
mod diff;
mod exit;
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
mod output;
mod override_runner;
mod plan;
mod pressure;
mod reduce;
mod report;
mod resume;
mod revision;
mod run;
mod serve;
mod show;
mod suggest;
mod summary;
mod values;
mod worker;
mod workers;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use chain::chain;
use command::{Cli, Command};
use exit::{EXPECTED, UNTESTABLE, USAGE};
use values::Generations;

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
        Some(Command::Merge(args)) => merge::merge(&args, resume::parse),
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
