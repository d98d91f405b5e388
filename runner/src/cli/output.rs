//! Output of commands: standard output, and files of tests.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use results::replace_file;
use serde::Serialize;

/// Version of the documents that commands print as JSON, `format` in docs/json.md: additions leave
/// it as it is.
const JSON_FORMAT: u32 = 1;

/// Format of a command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For terminals.
    Terminal,
    /// For programs (docs/json.md).
    Json,
}

/// A command's output as JSON.
#[derive(Serialize)]
struct Document<'a, T> {
    format: u32,
    kind: &'static str,
    version: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

/// Writes a document of a kind to standard output. The content is an object, whose keys follow
/// those of the envelope; docs/schemas has the schema of each kind.
pub(super) fn print_json(kind: &'static str, content: &impl Serialize) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let document = Document { format: JSON_FORMAT, kind, version, content };
    print((serde_json::to_string_pretty(&document)? + "\n").as_bytes())
}

/// Writes text to standard output at once.
pub(super) fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(())
}

/// Writes a test, and the folders above it.
pub(super) fn write_test(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    Ok(replace_file(path, text)?)
}
