//! Completion by shells: the script of a shell runs the program with a variable set, and the
//! program prints the candidates for the word at the cursor.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;

use clap::{Arg, Command, CommandFactory};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{CompleteEnv, Shells};

use super::command::Cli;
use compiler::Quirk;
use results::RunFolder;
use results::passes::stage_word;
use vocabulary::{Stage, Target};

/// Variable by which scripts ask for candidates.
const VARIABLE: &str = "RUNNER_COMPLETE";
/// Name of the program, for shells.
const PROGRAM: &str = "runner";

/// Prints the candidates if a shell's script started the process; returns false if not.
///
/// # Errors
/// Fails on a shell that is not known.
pub(super) fn complete() -> clap::error::Result<bool> {
    let directory = std::env::current_dir().ok();
    CompleteEnv::with_factory(|| with_values(Cli::command()))
        .var(VARIABLE)
        .bin(PROGRAM)
        .completer(PROGRAM)
        .try_complete(std::env::args_os(), directory.as_deref())
}

/// Returns the script for a shell.
///
/// # Errors
/// Fails if there is none for the shell.
pub(super) fn script(shell: &str) -> anyhow::Result<Vec<u8>> {
    let shells = Shells::builtins();
    let shell = shells
        .completer(shell)
        .ok_or_else(|| anyhow::anyhow!("there is no completion for {shell}"))?;
    let mut text = Vec::new();
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut text)?;
    Ok(text)
}

/// Adds the values of options and arguments, for this command and its subcommands.
fn with_values(command: Command) -> Command {
    let names: Vec<String> =
        command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let command = command.mut_args(|arg| match completer(&arg) {
        Some(completer) => arg.add(completer),
        None => arg,
    });
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_values))
}

/// Returns the completer of an argument whose values clap does not know.
fn completer(arg: &Arg) -> Option<ArgValueCompleter> {
    let value = arg.get_value_names().and_then(<[_]>::first).map(|name| name.as_str());
    let list = |names: fn() -> Vec<String>| {
        Some(ArgValueCompleter::new(move |word: &OsStr| among(word, &names())))
    };
    match (arg.get_long(), value) {
        (Some("gen"), Some("LIST")) | (None, Some("GEN")) => {
            Some(ArgValueCompleter::new(generation_list))
        }
        (Some("gen"), _) => list(hardware),
        (Some("stage"), _) if arg.get_possible_values().is_empty() => list(stages),
        (Some("pass-limit"), _) => list(|| stages().iter().map(|s| format!("{s}=")).collect()),
        (_, Some("PASS")) => {
            list(|| compiler::passes::optional().into_iter().map(str::to_owned).collect())
        }
        (_, Some("QUIRK")) => list(|| Quirk::ALL.iter().map(|q| q.name().to_owned()).collect()),
        (_, Some("WHAT")) if arg.get_long().is_none() => list(shown),
        (_, Some("RUN" | "OLD" | "NEW")) => Some(ArgValueCompleter::new(runs)),
        _ => None,
    }
}

fn hardware() -> Vec<String> {
    let all = Target::INTEL.into_iter().chain(Target::AMD);
    all.map(|generation| generation.name().to_owned()).collect()
}

fn stages() -> Vec<String> {
    Stage::ALL.into_iter().map(stage_word).collect()
}

/// Forms of a shader that `runner show` prints.
fn shown() -> Vec<String> {
    let names = super::show::FORMS.split(", ").filter(|name| !name.contains("PASS"));
    names.map(str::to_owned).collect()
}

/// Returns the candidates that begin with the word.
fn among(word: &OsStr, names: &[String]) -> Vec<CompletionCandidate> {
    let Some(word) = word.to_str() else { return Vec::new() };
    let word = word.to_lowercase();
    names
        .iter()
        .filter(|name| name.to_lowercase().starts_with(&word))
        .map(CompletionCandidate::new)
        .collect()
}

/// Completes the last generation of a comma list with those that it lacks.
fn generation_list(word: &OsStr) -> Vec<CompletionCandidate> {
    let Some(word) = word.to_str() else { return Vec::new() };
    let (before, last) = match word.rsplit_once(',') {
        Some((before, last)) => (format!("{before},"), last),
        None => (String::new(), word),
    };
    let given: BTreeSet<&str> = before.split(',').collect();
    let mut names: Vec<String> =
        hardware().into_iter().filter(|name| !given.contains(name.as_str())).collect();
    if before.is_empty() {
        names.extend(["intel", "amd", "all", "gl", "vk"].map(str::to_owned));
    }
    among(OsStr::new(last), &names)
        .into_iter()
        .map(|candidate| candidate.add_prefix(OsString::from(&before)))
        .collect()
}

/// Completes a run: those below `results` first, then any path.
fn runs(word: &OsStr) -> Vec<CompletionCandidate> {
    let entries = fs::read_dir("results").into_iter().flatten().flatten();
    let runs = entries.filter(|entry| RunFolder::holds_run(&entry.path()));
    let mut names: Vec<String> =
        runs.map(|entry| entry.path().to_string_lossy().into_owned()).collect();
    names.sort();
    let mut candidates = among(word, &names);
    candidates.extend(PathCompleter::any().complete(word));
    candidates
}
