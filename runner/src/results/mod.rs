//! Where a run lands: `results.jsonl`, `results.GEN.csv`, `junit.xml`, and the folder that holds them.

mod csv;
mod folder;
mod jsonl;
mod junit;
mod read;

pub use folder::RunFolder;
pub use jsonl::{Header, RESULTS_FILE};
pub use read::{ReadError, Run, same_result};

use std::io;
use std::path::{Path, PathBuf};

use crate::event::{Reporter, TestEvent};
use crate::verdict::TestResult;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}")]
pub struct WriteError {
    /// The file or folder.
    pub path: String,
    /// What the system says.
    pub source: io::Error,
}

impl WriteError {
    fn at(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
        |source| WriteError { path: path.display().to_string(), source }
    }
}

/// Writes a run's files: rows as they finish, everything else and the sorted rows at the end.
#[derive(Debug)]
pub struct ResultsWriter {
    folder: PathBuf,
    header: Header,
    log: jsonl::Log,
    rows: Vec<TestResult>,
}

impl ResultsWriter {
    /// Starts the files of a run in an existing folder.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn create(folder: &Path, header: Header) -> Result<ResultsWriter, WriteError> {
        let log = jsonl::Log::create(&folder.join(RESULTS_FILE), &header)?;
        Ok(ResultsWriter { folder: folder.to_owned(), header, log, rows: Vec::new() })
    }

    fn finish(&mut self) -> Result<(), WriteError> {
        self.rows.sort_by(|a, b| a.key().cmp(&b.key()));
        jsonl::replace(&self.folder.join(RESULTS_FILE), &self.header, &self.rows)?;
        for target in &self.header.targets {
            let rows = self.rows.iter().filter(|row| row.target == *target);
            let path = self.folder.join(format!("results.{target}.csv"));
            replace_file(&path, &csv::render(rows))?;
        }
        let path = self.folder.join("junit.xml");
        let report = junit::render(&self.rows).map_err(WriteError::at(&path))?;
        replace_file(&path, &report)
    }
}

impl Reporter for ResultsWriter {
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match event {
            TestEvent::Finished { result, .. } => {
                self.log.append(result)?;
                self.rows.push((**result).clone());
            }
            TestEvent::RunFinished { .. } => self.finish()?,
            TestEvent::RunStarted { .. } | TestEvent::Started { .. } | TestEvent::Tick => {}
        }
        Ok(())
    }
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
