//! Output of commands: standard output, and files of tests.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use results::replace_file;

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
