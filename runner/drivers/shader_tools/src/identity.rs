//! Identities of programs: texts that tell two versions apart.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use crate::process::run;

/// Identities of programs, found once.
#[derive(Default)]
pub(crate) struct Identities(Mutex<BTreeMap<&'static str, Option<String>>>);

impl Identities {
    /// Returns a text that changes with each of some programs; none if one is missing.
    pub(crate) fn of(&self, programs: &[&'static str]) -> Option<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = String::new();
        for &program in programs {
            let identity = known.entry(program).or_insert_with(|| identity(program));
            all.push_str(identity.as_deref()?);
        }
        Some(all)
    }
}

/// File and version of a program. The file alone does not tell a script that starts another one.
fn identity(program: &str) -> Option<String> {
    let path = find(program)?;
    let file = fs::metadata(&path).ok()?;
    let changed = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let version = run(program, &[OsStr::new("--version")], None, b"").ok()?;
    let version = String::from_utf8_lossy(&version);
    Some(format!("{}\n{} {changed:?}\n{version}\n", path.display(), file.len()))
}

/// The file that a name starts.
fn find(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}
