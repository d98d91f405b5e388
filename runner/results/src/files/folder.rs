//! The folder of a run: `--out DIR` itself, or `results/<date>-<n>` with `results/latest` pointing
//! to it.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use time::OffsetDateTime;

use super::jsonl::RESULTS_FILE;
use super::read::header;
use super::record::RunRecord;
use super::writer::JUNIT_FILE;
use crate::file::WriteError;
use crate::names::EXTENSION;

/// Maximum length of the first line of a results file.
const HEADER_BYTES: u64 = 1 << 20;
/// Maximum number of entries that are looked at in search of tests.
const ENTRIES: usize = 100_000;
/// Parent folder of runs without `--out`.
const RESULTS: &str = "results";
/// Time after which a locked folder counts as in use by another process.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// Link to the newest run.
const LATEST: &str = "latest";

/// The folder of one run. While the value lives, no other process can write results there.
#[derive(Clone, Debug)]
pub struct RunFolder {
    /// Path of the folder.
    pub path: PathBuf,
    /// Lock on the folder; released with the last clone or at the end of the process.
    _lock: Option<Arc<File>>,
}

impl RunFolder {
    /// Creates the folder.
    ///
    /// # Errors
    /// Fails if the folder cannot be created, another process writes results there, or it holds
    /// tests, or files of another program that a run would replace.
    pub fn create(out: Option<&Path>) -> Result<RunFolder, WriteError> {
        match out {
            Some(path) => {
                if let Some(test) = test_below(path, &mut ENTRIES.clone()) {
                    return refuse_tests(path, &test.display().to_string());
                }
                fs::create_dir_all(path).map_err(WriteError::at(path))?;
                let folder = RunFolder::open(path)?;
                foreign_file(path)?;
                Ok(folder)
            }
            None => numbered(Path::new(RESULTS), &today()),
        }
    }

    /// Opens an existing folder.
    ///
    /// # Errors
    /// Fails if another process writes results there.
    pub fn open(path: &Path) -> Result<RunFolder, WriteError> {
        Ok(RunFolder {
            path: path.to_owned(),
            _lock: lock(path).map_err(WriteError::at(path))?.map(Arc::new),
        })
    }

    /// Returns true if a folder is that of a run, finished or not.
    pub fn holds_run(path: &Path) -> bool {
        path.join(RESULTS_FILE).is_file() || RunRecord::read(path).is_ok()
    }

    /// Returns true if the folder holds results.
    pub fn has_results(&self) -> bool {
        self.path.join(RESULTS_FILE).exists()
    }

    /// Removes the results of an earlier run.
    ///
    /// # Errors
    /// Fails if a file cannot be removed.
    pub fn forget_results(&self) -> Result<(), WriteError> {
        let path = self.path.join(RESULTS_FILE);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(WriteError::at(&path)(error))
            }
            _ => Ok(()),
        }
    }
}

/// Fails because tests are in a folder: below a folder with results nothing counts as a test.
///
/// # Errors
/// Always; `tests` are the tests in the words of the user.
pub fn refuse_tests<T>(folder: &Path, tests: &str) -> Result<T, WriteError> {
    let reason = format!("the tests are there ({tests}); give --out another folder");
    Err(WriteError::at(folder)(io::Error::new(io::ErrorKind::AlreadyExists, reason)))
}

/// Returns a test in a folder or below it. Folders of runs are left out: their scripts are copies.
fn test_below(folder: &Path, entries: &mut usize) -> Option<PathBuf> {
    if RunFolder::holds_run(folder) {
        return None;
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).ok()?.flatten() {
        *entries = entries.checked_sub(1)?;
        let (path, kind) = (entry.path(), entry.file_type().ok()?);
        if kind.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
            return Some(path);
        }
    }
    folders.iter().find_map(|folder| test_below(folder, entries))
}

/// Fails if a folder holds a file that only looks like one of a run: a run there would replace it.
fn foreign_file(folder: &Path) -> Result<(), WriteError> {
    if RunRecord::read(folder).is_ok() {
        return Ok(());
    }
    let results = folder.join(RESULTS_FILE);
    let mut line = Vec::new();
    let read = |file| BufReader::new(file).take(HEADER_BYTES).read_until(b'\n', &mut line);
    // Opening a pipe would block.
    let is_run = results.is_file()
        && File::open(&results).and_then(read).is_ok()
        && header(&line, &results).is_ok();
    let refuse = |path: &Path, reason: &str| {
        let reason = format!("{reason}; give --out another folder, or remove the file");
        Err(WriteError::at(path)(io::Error::new(io::ErrorKind::AlreadyExists, reason)))
    };
    for path in [&results, &folder.join(JUNIT_FILE)] {
        if path.exists() && !is_run {
            return refuse(path, "it is there already, and not from a run of this program");
        }
    }
    Ok(())
}

/// Locks the folder itself, which leaves no file behind. Returns `None` where folders cannot be
/// locked.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    let begun = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::Error(_)) => return Ok(None),
            // A killed runner leaves its lock to a starting worker for a moment.
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {
                thread::sleep(LOCK_TIMEOUT / 50)
            }
            Err(TryLockError::WouldBlock) => {
                let message = "another runner is writing its results there";
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, message));
            }
        }
    }
}

/// Returns the date in UTC, `2026-11-20`.
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
                return RunFolder::open(&path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(WriteError::at(&path)(error)),
        }
    }
}

#[cfg(unix)]
fn point_latest(results: &Path, name: &str) -> io::Result<()> {
    // The link is created under another name and renamed: `latest` is always valid, even with two
    // concurrent runs.
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
    fn only_one_can_hold_a_folder() {
        let tree = tempfile::tempdir().unwrap();
        let first = RunFolder::create(Some(tree.path())).unwrap();
        let second = first.clone();
        drop(first);
        let error = RunFolder::open(tree.path()).unwrap_err().to_string();
        assert!(error.ends_with("another runner is writing its results there"), "{error}");
        drop(second);
        RunFolder::open(tree.path()).unwrap();
        assert_eq!(fs::read_dir(tree.path()).unwrap().count(), 0, "nothing stays behind");
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
