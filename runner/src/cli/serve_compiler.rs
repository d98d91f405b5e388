//! `runner serve-compiler`: this project's compiler behind the protocol of `--compiler`.

use std::io;

use super::exit::EXPECTED;

/// Answers requests on standard input until it ends.
pub(super) fn serve() -> anyhow::Result<u8> {
    execute::serve(&mut io::stdin().lock(), &mut io::stdout().lock())?;
    Ok(EXPECTED)
}
