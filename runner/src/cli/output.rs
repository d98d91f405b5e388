//! Standard output of commands.

use std::io::{self, Write};

/// Writes text to standard output at once.
pub(super) fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    out.flush()?;
    Ok(())
}
