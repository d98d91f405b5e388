//! The options that settings may have: those of a run.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::cli::command::Cli;

/// Prefix of environment variables: `RUNNER_MAX_FAILS` is `--max-fails`.
const PREFIX: &str = "RUNNER_";
/// Options that select the settings, and so cannot be settings.
const SELECTORS: [&str; 2] = ["settings", "profile"];
/// Identifier of the paths of a run.
pub(super) const PATHS: &str = "paths";

/// Returns true unless the first word is a command.
pub(super) fn is_run(words: &[OsString]) -> bool {
    let command = Cli::command();
    words.first().is_none_or(|word| command.find_subcommand(word).is_none())
}

/// Returns the grammar of a run, in which settings may add the paths.
pub(super) fn grammar() -> Command {
    let mut command = Cli::command().mut_arg(PATHS, |paths| paths.required(false));
    command.build();
    command
}

/// Returns the options that settings may have: the paths of a run, and its long options.
pub(super) fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    let is_paths = |arg: &&Arg| arg.get_id() == PATHS;
    let paths = command.get_arguments().filter(is_paths);
    paths.chain(command.get_arguments().filter(move |arg| !is_paths(arg))).filter(|arg| {
        let is_option = arg.get_long().is_some() || arg.get_id() == PATHS;
        let is_help = matches!(
            arg.get_action(),
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
        );
        is_option && !is_help && !SELECTORS.contains(&arg.get_id().as_str())
    })
}

/// Returns the key of an option in settings.
pub(super) fn key(arg: &Arg) -> &str {
    arg.get_long().unwrap_or(PATHS)
}

/// Returns the variable of an option.
pub(super) fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('-', "_").to_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::TypeId;
    use std::path::PathBuf;

    /// Settings find paths by their placeholders.
    #[test]
    fn paths_have_the_placeholders_of_paths() {
        let command = grammar();
        let is_path = |arg: &&Arg| arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let paths: Vec<&Arg> = options(&command).filter(is_path).collect();
        assert!(paths.len() > 5, "{paths:?}");
        for arg in paths {
            let name = arg.get_value_names().and_then(<[_]>::first).map(|name| name.as_str());
            assert!(matches!(name, Some("PATH" | "FILE" | "DIR" | "RUN")), "{arg:?}");
        }
    }

    #[test]
    fn variables_are_named_after_options() {
        assert_eq!(variable("max-fails"), "RUNNER_MAX_FAILS");
    }
}
