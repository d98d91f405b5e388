//! `runner man` and `runner completions`.

use anyhow::Context;
use clap::CommandFactory;

use super::args::{CompletionsArgs, ManArgs};
use super::command::Cli;
use super::complete;
use super::exit::EXPECTED;
use super::output::print;

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

/// Prints the script that makes a shell complete commands, options and values.
pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<u8> {
    print(&complete::script(&args.shell.to_string())?)?;
    Ok(EXPECTED)
}
