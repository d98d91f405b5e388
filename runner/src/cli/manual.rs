//! `runner man` and `runner completions`.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, EXPECTED, print};

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write a page for every command to this folder (default: print the main page).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

/// Writes the manual in roff.
pub(super) fn man(args: &ManArgs) -> anyhow::Result<u8> {
    match &args.out {
        Some(folder) => {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            clap_mangen::generate_to(Cli::command(), folder)
                .with_context(|| folder.display().to_string())?;
        }
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut text)?;
            print(&text)?;
        }
    }
    Ok(EXPECTED)
}

/// Prints the completions for a shell.
pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "runner", &mut text);
    print(&text)?;
    Ok(EXPECTED)
}
