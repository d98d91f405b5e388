//! Files of profiles, and the entries of those that this process has read.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use piglit_profile::{Profile, Work};

use results::OPTION_BYTES;
use results::names::program_name;

/// A profile and the piglit that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileFile {
    /// Folder of the piglit, which holds `bin` and `tests`.
    pub piglit: PathBuf,
    /// The profile.
    pub profile: Profile,
}

/// A profile that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The file is no profile.
    #[error("{path}: {source}")]
    Content {
        /// Path of the file.
        path: String,
        /// The problem.
        source: piglit_profile::ProfileError,
    },
}

/// Reads the file of a profile. Its piglit is in the folder around `tests`, or else around the
/// file.
///
/// # Errors
/// Fails if the file cannot be read or is no profile.
pub fn read_profile(path: &Path) -> Result<ProfileFile, ProfileError> {
    let shown = || path.display().to_string();
    let failed = |source| ProfileError::File { path: shown(), source };
    let bytes = results::read_regular(path, OPTION_BYTES).map_err(failed)?;
    let profile = piglit_profile::decompress(bytes)
        .and_then(|text| Profile::parse(&text))
        .map_err(|source| ProfileError::Content { path: shown(), source })?;
    let real = path.canonicalize().map_err(failed)?;
    let folder = real.parent().unwrap_or(Path::new("/"));
    let is_tests = folder.file_name().is_some_and(|name| name == "tests");
    let piglit = folder.parent().filter(|_| is_tests).unwrap_or(folder).to_owned();
    Ok(ProfileFile { piglit, profile })
}

/// Entries by the names of their tests.
struct Entries {
    piglit: PathBuf,
    by_name: BTreeMap<String, Work>,
}

/// The entries of a file, or the reason why it cannot be read.
type Known = Result<Arc<Entries>, String>;

/// Returns the work of a test in a profile that this process may have read before, and the folder
/// of its piglit.
///
/// # Errors
/// Fails if the profile cannot be read, or if it does not list the test.
pub(crate) fn entry(path: &Path, test: &str) -> Result<(Work, PathBuf), String> {
    static KNOWN: Mutex<Option<HashMap<PathBuf, Known>>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let entries = known.entry(path.to_owned()).or_insert_with(|| entries(path)).clone()?;
    match entries.by_name.get(test) {
        Some(work) => Ok((work.clone(), entries.piglit.clone())),
        None => Err("the profile does not list this test".to_owned()),
    }
}

fn entries(path: &Path) -> Known {
    let ProfileFile { piglit, profile } = read_profile(path).map_err(|error| error.to_string())?;
    let tests = profile.tests.into_iter().map(|test| (program_name(&test.name), test.work));
    Ok(Arc::new(Entries { piglit, by_name: tests.collect() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const TEXT: &str = "<PiglitTestList><Test type=\"cl\" name=\"a@b\">\
        <option name=\"command\" value=\"['c']\"/></Test></PiglitTestList>";

    #[test]
    fn places_of_piglits() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("tests")).unwrap();
        for (file, piglit) in [("tests/a.xml", &*root), ("b.xml", &*root)] {
            fs::write(root.join(file), TEXT).unwrap();
            assert_eq!(read_profile(&root.join(file)).unwrap().piglit, piglit, "{file}");
        }
    }

    #[test]
    fn entries_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.xml");
        fs::write(&path, TEXT).unwrap();
        assert!(matches!(entry(&path, "programs/a/b"), Ok((Work::Program(_), _))));
        let missing = entry(&path, "programs/a/c").unwrap_err();
        assert_eq!(missing, "the profile does not list this test");
        let broken = folder.path().join("b.xml");
        fs::write(&broken, "<p/>").unwrap();
        assert!(entry(&broken, "programs/a/b").unwrap_err().contains("no profile of piglit"));
    }
}
