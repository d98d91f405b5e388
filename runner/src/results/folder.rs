//! The folder of a run: `--out DIR` itself, or `results/<date>-<n>` with `results/latest` pointing to it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use junit_report::OffsetDateTime;

use super::WriteError;

/// Where runs land without `--out`.
const RESULTS: &str = "results";
/// Points to the newest run.
const LATEST: &str = "latest";

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    /// The folder.
    pub path: PathBuf,
}

impl RunFolder {
    /// Creates the folder.
    ///
    /// # Errors
    /// When it cannot be created, or `--out` names a folder that holds a run already.
    pub fn create(out: Option<&Path>) -> Result<RunFolder, WriteError> {
        match out {
            Some(path) => {
                fs::create_dir_all(path).map_err(WriteError::at(path))?;
                Ok(RunFolder { path: path.to_owned() })
            }
            None => numbered(Path::new(RESULTS), &today()),
        }
    }
}

/// The date in UTC, `2026-11-20`.
fn today() -> String {
    let date = OffsetDateTime::now_utc();
    format!("{:04}-{:02}-{:02}", date.year(), u8::from(date.month()), date.day())
}

/// Creates the first free `<date>-<n>` and points `latest` to it.
fn numbered(results: &Path, date: &str) -> Result<RunFolder, WriteError> {
    fs::create_dir_all(results).map_err(WriteError::at(results))?;
    let mut number = 1u32;
    loop {
        let name = format!("{date}-{number}");
        let path = results.join(&name);
        match fs::create_dir(&path) {
            Ok(()) => {
                point_latest(results, &name).map_err(WriteError::at(&results.join(LATEST)))?;
                return Ok(RunFolder { path });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(WriteError::at(&path)(error)),
        }
    }
}

#[cfg(unix)]
fn point_latest(results: &Path, name: &str) -> io::Result<()> {
    // Made beside and renamed: `latest` always points somewhere, also with two runs at once.
    let temporary = results.join(format!(".{LATEST}-{name}"));
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::os::unix::fs::symlink(name, &temporary)?;
    fs::rename(&temporary, results.join(LATEST))
}

#[cfg(not(unix))]
fn point_latest(results: &Path, name: &str) -> io::Result<()> {
    // Where links need privileges, a text file names the folder.
    fs::write(results.join(LATEST), name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_in_turn_and_latest_follows() {
        let tree = tempfile::tempdir().unwrap();
        let results = tree.path().join("results");
        for expected in ["2026-11-20-1", "2026-11-20-2"] {
            let folder = numbered(&results, "2026-11-20").unwrap();
            assert_eq!(folder.path, results.join(expected));
            assert_eq!(fs::read_link(results.join("latest")).unwrap(), Path::new(expected));
        }
    }

    #[test]
    fn dates_have_ten_characters() {
        let date = today();
        assert!(date.len() == 10 && date.starts_with("20"), "{date}");
    }

    #[test]
    fn a_file_in_the_way_is_an_error() {
        let tree = tempfile::tempdir().unwrap();
        let results = tree.path().join("results");
        fs::write(&results, "").unwrap();
        let error = numbered(&results, "2026-11-20").unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        assert!(RunFolder::create(Some(&results)).is_err());
    }
}
