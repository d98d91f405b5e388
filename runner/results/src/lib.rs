//! Results of runs: test cases and their verdicts, the files that hold them, and everything that is
//! computed from results alone (comparison, history, reports, expectations, imports, merges).
//!
//! The crate knows no compiler and executes nothing.

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

/// The JUnit report's name.
pub const JUNIT_FILE: &str = "junit.xml";

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {reason}")]
pub struct WriteError {
    /// The file or folder.
    pub path: String,
    /// What the system says.
    pub reason: io::Error,
}

impl WriteError {
    fn at(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
        |reason| WriteError { path: path.display().to_string(), reason }
    }
}

/// Writes a run's files: rows as they finish, everything else and the sorted rows at the end.
#[derive(Debug)]
pub struct ResultsWriter {
    folder: PathBuf,
    header: Header,
    log: jsonl::Log,
    rows: Vec<TestResult>,
    junit: Junit,
    /// Who gets the file of a run that is complete.
    reader: Option<Sender<RunFile>>,
}

impl ResultsWriter {
    /// Starts the files of a run in an existing folder.
    ///
    /// # Errors
    /// When the folder cannot be written to.
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

    /// Goes on with a run that was read back: its rows are kept, a line that was cut short is dropped.
    ///
    /// # Errors
    /// When the folder cannot be written to.
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

    /// The same writer with another choice of rows for the JUnit report.
    #[must_use]
    pub fn with_junit(self, junit: Junit) -> ResultsWriter {
        ResultsWriter { junit, ..self }
    }

    /// When the run is complete, sends its file there, before that is on the disk.
    pub fn read_by(&mut self, reader: Sender<RunFile>) {
        self.reader = Some(reader);
    }

    /// The rows so far, those of a resumed run included.
    pub fn rows(&self) -> &[TestResult] {
        &self.rows
    }

    /// Whether every row so far was as expected, those of a resumed run included.
    pub fn all_good(&self) -> bool {
        self.rows.iter().all(|row| row.is_good())
    }

    /// Writes all files of a run that is complete.
    ///
    /// # Errors
    /// When the folder cannot be written to.
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
            // Who has gone does not want it.
            let _ = reader.send(RunFile::new(path, log.clone()));
        }
        write_files(&self.folder, &self.header, &self.rows, &log, self.junit)
    }
}

/// Writes all files of these rows, which are sorted; `log` is what `results.jsonl` holds.
fn write_files(
    folder: &Path,
    header: &Header,
    rows: &[TestResult],
    log: &[u8],
    junit: Junit,
) -> Result<(), WriteError> {
    // Each file waits for the disk.
    std::thread::scope(|scope| {
        let log = scope.spawn(|| replace_file(&folder.join(RESULTS_FILE), log));
        let report = scope.spawn(|| write_junit(folder, rows, junit));
        for target in &header.targets {
            let rows = rows.iter().filter(|row| row.target == *target);
            let path = folder.join(format!("results.{target}.csv"));
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

/// Replaces a file so that a reader sees the old or the new contents, never a part.
///
/// # Errors
/// When it cannot be written; the old contents are still there then.
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
