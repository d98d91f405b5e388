//! Writer of a run's files.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use time::OffsetDateTime;

use super::jsonl::{Header, RESULTS_FILE};
use super::junit::{Junit, Report};
use super::read::{Run, RunFile};
use super::{csv, jsonl, junit};
use crate::event::{Reporter, TestEvent};
use crate::file::{WriteError, replace_file};
use crate::repeat::Repeat;
use crate::threads::joined;
use crate::verdict::TestResult;

/// Name of the JUnit report.
pub const JUNIT_FILE: &str = "junit.xml";

/// Writer of a run's files: results as they finish; at the end the sorted results and all other
/// files.
#[derive(Debug)]
pub struct ResultsWriter {
    folder: PathBuf,
    header: Header,
    log: jsonl::Log,
    results: Vec<TestResult>,
    junit: Junit,
    /// Start of the run, or of its continuation.
    started: OffsetDateTime,
    /// Commands of the test cases, for the JUnit report.
    repeat: Repeat,
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
            results: Vec::new(),
            junit: Junit::All,
            started: OffsetDateTime::now_utc(),
            repeat: Repeat::default(),
            reader: None,
        })
    }

    /// Continues a run of `planned` results that was read back: keeps its results and drops a
    /// truncated line.
    ///
    /// # Errors
    /// Fails if the folder is not writable.
    pub fn resume(
        folder: &Path,
        mut run: Run,
        planned: Option<u64>,
    ) -> Result<ResultsWriter, WriteError> {
        let file = folder.join(RESULTS_FILE);
        run.header.planned = planned;
        jsonl::replace(&file, &run.header, &run.results)?;
        let log = jsonl::Log::reopen(&file)?;
        Ok(ResultsWriter {
            folder: folder.to_owned(),
            header: run.header,
            log,
            results: run.results,
            junit: Junit::All,
            started: OffsetDateTime::now_utc(),
            repeat: Repeat::default(),
            reader: None,
        })
    }

    /// Selects the results of the JUnit report.
    #[must_use]
    pub fn with_junit(self, junit: Junit) -> ResultsWriter {
        ResultsWriter { junit, ..self }
    }

    /// Sets the commands of the test cases in the JUnit report.
    #[must_use]
    pub fn with_repeat(self, repeat: Repeat) -> ResultsWriter {
        ResultsWriter { repeat, ..self }
    }

    /// Sends the file of a complete run to a receiver, before the file is on the disk.
    pub fn read_by(&mut self, reader: Sender<RunFile>) {
        self.reader = Some(reader);
    }

    /// Returns the results so far, including those of a resumed run.
    pub fn results(&self) -> &[TestResult] {
        &self.results
    }

    /// Returns true if every result so far is as expected, including those of a resumed run.
    pub fn all_good(&self) -> bool {
        self.results.iter().all(|result| result.is_good())
    }

    /// Writes all files of a complete run.
    ///
    /// # Errors
    /// Fails if the folder is not writable.
    pub fn write_all(
        folder: &Path,
        header: &Header,
        results: &mut [TestResult],
        junit: Junit,
        repeat: &Repeat,
    ) -> Result<(), WriteError> {
        results.sort_by(|a, b| a.key().cmp(&b.key()));
        let log = jsonl::render(&folder.join(RESULTS_FILE), header, results)?;
        let report = Report {
            which: junit,
            started: OffsetDateTime::now_utc(),
            repeat,
            driver: header.driver.as_ref(),
        };
        write_files(folder, header, results, &log, &report)
    }

    fn finish(&mut self, interrupted: bool) -> Result<(), WriteError> {
        self.results.sort_by(|a, b| a.key().cmp(&b.key()));
        if !interrupted {
            self.header.planned = None;
        }
        let path = self.folder.join(RESULTS_FILE);
        let log = Arc::new(jsonl::render(&path, &self.header, &self.results)?);
        if let (false, Some(reader)) = (interrupted, self.reader.take()) {
            // The receiver may have ended.
            let _ = reader.send(RunFile::new(path, log.clone()));
        }
        let report = Report {
            which: self.junit,
            started: self.started,
            repeat: &self.repeat,
            driver: self.header.driver.as_ref(),
        };
        write_files(&self.folder, &self.header, &self.results, &log, &report)
    }
}

/// Writes all files of sorted results; `log` is the content of `results.jsonl`.
fn write_files(
    folder: &Path,
    header: &Header,
    results: &[TestResult],
    log: &[u8],
    report: &Report<'_>,
) -> Result<(), WriteError> {
    // The files are written concurrently, since each waits for the disk.
    std::thread::scope(|scope| {
        let log = scope.spawn(|| replace_file(&folder.join(RESULTS_FILE), log));
        let report = scope.spawn(|| write_junit(folder, results, report));
        for generation in &header.generations {
            let results = results.iter().filter(|result| result.generation == *generation);
            let path = folder.join(format!("results.{generation}.csv"));
            replace_file(&path, &csv::render(results))?;
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
                self.results.push((**result).clone());
            }
            TestEvent::RunFinished { interrupted, .. } => self.finish(*interrupted)?,
            TestEvent::Tick => self.log.check()?,
            TestEvent::RunStarted { .. } | TestEvent::Started { .. } => {}
        }
        Ok(())
    }
}

fn write_junit(
    folder: &Path,
    results: &[TestResult],
    report: &Report<'_>,
) -> Result<(), WriteError> {
    let path = folder.join(JUNIT_FILE);
    let text = junit::render(results, report).map_err(WriteError::at(&path))?;
    replace_file(&path, text.as_bytes())
}
