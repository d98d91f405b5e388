//! The folder of caches that outlive a process.

use std::path::PathBuf;

/// Returns the folder of this program's caches: below `XDG_CACHE_HOME`, else in `.cache` of `HOME`;
/// `None` if neither variable has an absolute path. The folder need not exist.
#[must_use]
pub fn user_folder() -> Option<PathBuf> {
    let of = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")))?;
    Some(caches.join("runner"))
}
