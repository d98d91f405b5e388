//! Rewriting of modules (`--rewrite`): all of the process in the same way.

use std::sync::OnceLock;

use spirv_rewrite::{RewriteError, Rewriting, rewrite};

use crate::ToolError;

static REWRITING: OnceLock<Rewriting> = OnceLock::new();

/// Has all modules of this process rewritten. Only the first call counts.
pub fn rewrite_modules(rewriting: Rewriting) {
    // A process has the options of its command line, so that later calls say the same.
    let _ = REWRITING.set(rewriting);
}

/// Returns a module as this process is to use it: rewritten, if it rewrites modules. Invalid ones
/// stay as they are: who takes them says why not.
///
/// # Errors
/// The library that reads modules does not know all of it.
pub fn rewritten(words: Vec<u32>) -> Result<Vec<u32>, ToolError> {
    let Some(rewriting) = REWRITING.get() else { return Ok(words) };
    match rewrite(&words, rewriting) {
        Ok(made) => Ok(made.words),
        Err(RewriteError::Invalid(_)) => Ok(words),
        Err(RewriteError::Unread(reason)) => Err(ToolError::Unread(reason)),
    }
}
