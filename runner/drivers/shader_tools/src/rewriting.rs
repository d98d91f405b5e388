//! Rewriting of modules (`--rewrite`): all of the process in the same way.

use std::sync::OnceLock;

use spirv_rewrite::{Rewriting, rewrite};

static REWRITING: OnceLock<Rewriting> = OnceLock::new();

/// Has all modules of this process rewritten. Only the first call counts.
pub fn rewrite_modules(rewriting: Rewriting) {
    // A process has the options of its command line, so that later calls say the same.
    let _ = REWRITING.set(rewriting);
}

/// Returns a module as this process is to use it: rewritten, if it rewrites modules. Invalid ones,
/// and those of which the library that reads modules does not know all, stay as they are.
pub fn rewritten(words: Vec<u32>) -> Vec<u32> {
    let made = REWRITING.get().and_then(|rewriting| rewrite(&words, rewriting).ok());
    made.map_or(words, |made| made.words)
}
