//! Results of runs: test cases and their verdicts, the files that hold them, and everything that is
//! computed from results alone (comparison, history, reports, expectations, imports, merges).
//!
//! The crate depends on no compiler and executes nothing.
//!
//! ```
//! use results::verdict::{Counts, Status, TestResult};
//!
//! let result = TestResult::plain("fp64/add", "ivb", Status::Pass);
//! let mut counts = Counts::default();
//! counts.add(result.status);
//! assert!(result.is_good());
//! assert_eq!(counts.to_string(), "pass: 1");
//! ```

pub mod bundle;
pub mod coverage;
pub mod diff;
pub mod event;
pub mod expect;
pub mod history;
pub mod names;
pub mod passes;
pub mod report;
pub mod shard;
pub mod threads;
pub mod verdict;

mod csv;
mod folder;
mod import;
mod jsonl;
mod junit;
mod merge;
mod read;
mod record;
mod row;

pub use folder::RunFolder;
pub use import::{ImportError, decompress, import};
pub use jsonl::{Header, RESULTS_FILE};
pub use junit::Junit;
pub use merge::{MergeError, merge};
pub use read::{ReadError, Run, RunFile, RunRows};
pub use record::RunRecord;
pub use row::{Code, Part, Row, Text};

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use crate::event::{Reporter, TestEvent};
use crate::threads::joined;
use crate::verdict::TestResult;

/// Name of the JUnit report.
pub const JUNIT_FILE: &str = "junit.xml";

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {reason}")]
pub struct WriteError {
    /// Path of the file or folder.
    pub path: String,
    /// The system's error.
    pub reason: io::Error,
}

impl WriteError {
    fn at(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
        |reason| WriteError { path: path.display().to_string(), reason }
    }
}

/// Writer of a run's files: results as they finish; at the end the sorted results and all other
/// files.
#[derive(Debug)]
pub struct ResultsWriter {
    folder: PathBuf,
    header: Header,
    log: jsonl::Log,
    rows: Vec<TestResult>,
    junit: Junit,
    /// Receiver of the file of a complete run.
    reader: Option<Sender<RunFile>>,
}

impl ResultsWriter {
    /// Creates the files of a run in an existing folder.
    ///
    /// # Errors
    /// Fails if the folder is not writable.
    pub fn create(folder: &Path, header: Header) -> Result<ResultsWriter, WriteError> {
        let log = jsonl::Log::create(&folder.join(RESULTS_FILE), &header)?;
        Ok(ResultsWriter {
            folder: folder.to_owned(),
            header,
            log,
            rows: Vec::new(),
            junit: Junit::All,
            reader: None,
        })
    }

    /// Continues a run that was read back: keeps its results and drops a truncated line.
    ///
    /// # Errors
    /// Fails if the folder is not writable.
    pub fn resume(folder: &Path, run: Run) -> Result<ResultsWriter, WriteError> {
        let file = folder.join(RESULTS_FILE);
        jsonl::replace(&file, &run.header, &run.rows)?;
        let log = jsonl::Log::reopen(&file)?;
        Ok(ResultsWriter {
            folder: folder.to_owned(),
            header: run.header,
            log,
            rows: run.rows,
            junit: Junit::All,
            reader: None,
        })
    }

    /// Selects the results of the JUnit report.
    #[must_use]
    pub fn with_junit(self, junit: Junit) -> ResultsWriter {
        ResultsWriter { junit, ..self }
    }

    /// Sends the file of a complete run to a receiver, before the file is on the disk.
    pub fn read_by(&mut self, reader: Sender<RunFile>) {
        self.reader = Some(reader);
    }

    /// Returns the results so far, including those of a resumed run.
    pub fn rows(&self) -> &[TestResult] {
        &self.rows
    }

    /// Returns true if every result so far is as expected, including those of a resumed run.
    pub fn all_good(&self) -> bool {
        self.rows.iter().all(|row| row.is_good())
    }

    /// Writes all files of a complete run.
    ///
    /// # Errors
    /// Fails if the folder is not writable.
    pub fn write_all(
        folder: &Path,
        header: &Header,
        rows: &mut [TestResult],
        junit: Junit,
    ) -> Result<(), WriteError> {
        rows.sort_by(|a, b| a.key().cmp(&b.key()));
        let log = jsonl::render(&folder.join(RESULTS_FILE), header, rows)?;
        write_files(folder, header, rows, &log, junit)
    }

    fn finish(&mut self, interrupted: bool) -> Result<(), WriteError> {
        self.rows.sort_by(|a, b| a.key().cmp(&b.key()));
        let path = self.folder.join(RESULTS_FILE);
        let log = Arc::new(jsonl::render(&path, &self.header, &self.rows)?);
        if let (false, Some(reader)) = (interrupted, self.reader.take()) {
            // The receiver may have ended.
            let _ = reader.send(RunFile::new(path, log.clone()));
        }
        write_files(&self.folder, &self.header, &self.rows, &log, self.junit)
    }
}

/// Writes all files of sorted results; `log` is the content of `results.jsonl`.
fn write_files(
    folder: &Path,
    header: &Header,
    rows: &[TestResult],
    log: &[u8],
    junit: Junit,
) -> Result<(), WriteError> {
    // The files are written concurrently, since each waits for the disk.
    std::thread::scope(|scope| {
        let log = scope.spawn(|| replace_file(&folder.join(RESULTS_FILE), log));
        let report = scope.spawn(|| write_junit(folder, rows, junit));
        for generation in &header.generations {
            let rows = rows.iter().filter(|row| row.generation == *generation);
            let path = folder.join(format!("results.{generation}.csv"));
            replace_file(&path, &csv::render(rows))?;
        }
        joined(log)?;
        joined(report)
    })
}

impl Reporter for ResultsWriter {
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match event {
            TestEvent::Finished { result, .. } => {
                self.log.append(result)?;
                self.rows.push((**result).clone());
            }
            TestEvent::RunFinished { interrupted, .. } => self.finish(*interrupted)?,
            TestEvent::RunStarted { .. } | TestEvent::Started { .. } | TestEvent::Tick => {}
        }
        Ok(())
    }
}

fn write_junit(folder: &Path, rows: &[TestResult], junit: Junit) -> Result<(), WriteError> {
    let path = folder.join(JUNIT_FILE);
    let report = junit::render(rows, junit).map_err(WriteError::at(&path))?;
    replace_file(&path, &report)
}

/// Replaces a file atomically: readers see the old or the new contents.
///
/// # Errors
/// Fails if the file cannot be written; the old contents remain.
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&temporary)?;
        io::Write::write_all(&mut file, contents)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(WriteError::at(path))
}

#[cfg(test)]
mod tests;
