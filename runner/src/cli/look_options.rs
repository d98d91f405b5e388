//! Options of looks: words of the command line that the page may set.

use anyhow::anyhow;
use clap::Parser;

use super::args::ExecuteArgs;
use super::options::{changed_options, command_options, simulation_options};
use execute::RunOptions;
use vocabulary::Target;

/// Options that start programs, read folders or are for the whole process: only who starts the
/// server sets them.
const RESERVED: [&str; 10] = [
    "binaries",
    "compiler",
    "driver",
    "gl-device",
    "gl-platform",
    "compile-only",
    "mock",
    "rewrite",
    "vk-device",
    "vk-validate",
];

#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    execute: ExecuteArgs,
}

/// Returns the options of a look on a target: those of the words, and of the server those that
/// words cannot set.
pub(super) fn look_options(
    words: &[String],
    server: &RunOptions,
    target: Target,
) -> anyhow::Result<RunOptions> {
    let Words { execute } = Words::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        anyhow!("{}", line.strip_prefix("error: ").unwrap_or(line))
    })?;
    let mut options = simulation_options(&execute, target == Target::REFERENCE)?;
    let changed = changed_options(&execute, &options.execution);
    if let Some(name) = RESERVED.iter().find(|name| changed.contains_key(**name)) {
        anyhow::bail!("--{name} can only be set where the page is served");
    }
    options.compile_only = server.compile_only;
    options.execution.binaries = server.execution.binaries.clone();
    options.execution.compiler = server.execution.compiler.clone();
    Ok(options)
}

/// Returns the words with which the page starts: those of the server's options that words can set.
pub(super) fn initial_words(args: &ExecuteArgs) -> anyhow::Result<Vec<String>> {
    let options = simulation_options(args, false)?;
    let mut changed = changed_options(args, &options.execution);
    changed.retain(|name, _| !RESERVED.contains(&&**name));
    let words = command_options(args, &changed).into_iter();
    Ok(words.flat_map(|(_, text)| text.split(' ').map(str::to_owned).collect::<Vec<_>>()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> anyhow::Result<RunOptions> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        look_options(&words, &RunOptions::default(), Target::IVB)
    }

    #[test]
    fn words() {
        let plain = options("").unwrap();
        assert!(plain.execution.codegen.disabled_passes.is_empty());
        let set = options("--disable-pass opt_dce --math worst --no-reference").unwrap();
        assert!(set.execution.worst_math && !set.execution.codegen.disabled_passes.is_empty());
        assert_eq!(set.executors, execute::ExecutorSelection::SimulatorOnly);
    }

    #[test]
    fn what_reaches_beyond_the_simulation_is_refused() {
        for line in ["--compiler sh", "--binaries /tmp", "--driver mesa", "--mock", "--gl-device 1"]
        {
            assert!(options(line).is_err(), "{line}");
        }
        let error = options("--disable-pass opt_nothing").unwrap_err().to_string();
        assert!(error.contains("opt_nothing"), "{error}");
        assert!(options("--width 7").is_err() && options("/etc/passwd").is_err());
    }
}
