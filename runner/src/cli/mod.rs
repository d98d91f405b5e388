//! The command line: one file for each command.

mod args;
mod asm;
mod bisect;
mod chain;
mod choices;
mod command;
mod compare_codegen;
mod complete;
mod coverage;
mod defects;
mod diff;
mod driver;
mod exit;
mod expect;
mod export;
mod fuzz;
mod gens;
mod git_bisect;
mod gpu;
mod history;
mod import;
mod install;
mod list;
mod look_options;
mod manual;
mod merge;
mod options;
mod output;
mod override_runner;
mod piglit;
mod plan;
mod pressure;
mod radeonsi_counts;
mod reduce;
mod report;
mod resume;
mod revision;
mod run;
mod serve;
mod serve_compiler;
mod settings;
mod shader_counts;
mod show;
mod suggest;
mod summary;
mod values;
mod worker;
mod workers;
mod wrap;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::select::SelectError;
use chain::chain;
use command::{Cli, Command};
use exit::{EXPECTED, UNTESTABLE, USAGE};
use vocabulary::nearest;

/// Runs the command line of the process.
pub fn main() -> ExitCode {
    match complete::complete() {
        Ok(false) => {}
        Ok(true) => return ExitCode::from(EXPECTED),
        Err(error) => return usage(&error),
    }
    supervise::log::start();
    let words = match settings::expand(std::env::args_os().skip(1).collect()) {
        Ok(words) => words,
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            return ExitCode::from(usage_code());
        }
    };
    let program = OsString::from("runner");
    let cli = match Cli::try_parse_from(std::iter::once(&program).chain(&words)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    crate::console::style::choose(cli.color);
    let git_bisect = cli.command.is_none() && cli.run.git_bisect;
    let outcome = match cli.command {
        Some(Command::List(args)) => list::list(&args),
        Some(Command::Gens(args)) => gens::gens(&args),
        Some(Command::Show(args)) if args.driver.is_some() => show::driver::show(&args),
        Some(Command::Show(args)) => show::show(&args),
        Some(Command::Bisect(args)) => bisect::bisect(&args),
        Some(Command::Reduce(args)) => reduce::reduce(&args),
        Some(Command::Fuzz(args)) => fuzz::fuzz(&args),
        Some(Command::Wrap(args)) => wrap::wrap_shaders(&args),
        Some(Command::Coverage(args)) => coverage::coverage(&args),
        Some(Command::Defects(args)) => defects::defects(&args),
        Some(Command::Asm(args)) => asm::assemble(&args),
        Some(Command::Disasm(args)) => asm::disassemble(&args),
        Some(Command::Diff(args)) => diff::diff(&args),
        Some(Command::Summary(args)) => summary::summary(&args),
        Some(Command::Report(args)) => report::report(&args, resume::parse),
        Some(Command::Export(args)) => export::export(&args, resume::parse),
        Some(Command::History(args)) => history::history(&args),
        Some(Command::CompareCodegen(args)) => compare_codegen::compare_codegen(&args),
        Some(Command::Pressure(args)) => pressure::pressure(&args),
        Some(Command::Import(args)) => import::import(&args),
        Some(Command::Merge(args)) => merge::merge(&args, resume::parse),
        Some(Command::Resume(args)) => resume::resume(&args),
        Some(Command::Rerun(args)) => resume::rerun(&args),
        Some(Command::Expect(command)) => expect::expect(&command),
        Some(Command::Settings(args)) => settings::show(&args),
        Some(Command::Man(args)) => manual::man(&args),
        Some(Command::Completions(args)) => manual::completions(&args),
        Some(Command::Piglit(args)) => piglit::run(*args, &words),
        Some(Command::Gpu(args)) => gpu::gpu(&args),
        Some(Command::Serve(args)) => serve::serve(&args),
        Some(Command::ServeCompiler) => serve_compiler::serve(),
        Some(Command::Worker(args)) => worker::worker(&args),
        Some(Command::Driver(args)) => driver::describe(&args),
        Some(Command::Test(args)) => show::driver::test(&args),
        None => run::run(cli.run, &words),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(error) if is_broken_pipe(&error) => ExitCode::from(EXPECTED),
        Err(error) => {
            let hint = meant_command(&error).unwrap_or_default();
            let _ = writeln!(io::stderr(), "error: {}{hint}", chain(&error));
            ExitCode::from(if git_bisect { UNTESTABLE } else { USAGE })
        }
    }
}

/// Returns a hint if a missing path is a misspelled command.
fn meant_command(error: &anyhow::Error) -> Option<String> {
    let Some(SelectError::NotFound { path, hint, .. }) = error.downcast_ref() else { return None };
    let is_word = path.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    let command = Cli::command();
    let names = command.get_subcommands().filter(|command| !command.is_hide_set());
    let name = nearest(path, names.map(clap::Command::get_name))?;
    (is_word && hint.is_empty()).then(|| format!("; did you mean the command `{name}`?"))
}

/// Prints a usage error, or the requested help.
fn usage(error: &clap::Error) -> ExitCode {
    // A closed output is no error here.
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { usage_code() } else { EXPECTED })
}

/// Returns the exit code for words that are no command line.
fn usage_code() -> u8 {
    let git_bisect = std::env::args_os().any(|argument| argument == "--git-bisect");
    if git_bisect { UNTESTABLE } else { USAGE }
}

/// Returns true if the reader of the output has closed it, for example `head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}
