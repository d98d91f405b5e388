//! Inputs of a report and lines of its table.

use std::fs;
use std::io;
use std::path::Path;

use crate::diff::{Change, Pair};
use crate::history::{RunEntry, Series};
use crate::verdict::Status;
use crate::{Repeat, ResultRef, RunFile, RunResults};

/// A report that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Path of the file or folder.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// The folder holds other files.
    #[error("{0} holds something else than a report; name an empty or new folder")]
    Occupied(String),
    /// A template cannot be rendered.
    #[error("cannot write a page: {0}")]
    Template(#[from] minijinja::Error),
}

/// The inputs of a report.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// File of the run.
    pub file: &'a RunFile,
    /// Results of the run.
    pub run: &'a RunResults<'a>,
    /// Commands of the run's test cases, for results without a bundle.
    pub repeat: &'a Repeat,
    /// The previous run, for comparison.
    pub previous: Option<(&'a RunFile, &'a RunResults<'a>)>,
    /// Past runs, oldest first.
    pub runs: &'a [RunEntry],
    /// Past results, sorted by test, generation and variant.
    pub series: &'a [Series],
}

/// A line of the table.
pub(super) struct Entry<'a> {
    pub pair: Pair<'a, 'a>,
    /// Change since the previous run; `None` without one.
    pub change: Option<Change>,
    /// Number of its page, from 1.
    pub page: Option<usize>,
}

impl<'a> Entry<'a> {
    /// Returns the name of the test.
    pub(super) fn test(&self) -> &'a str {
        self.result().map_or("", |result| &result.test)
    }

    /// Returns the generation, with the variant if a test has several.
    pub(super) fn label(&self) -> String {
        let Some(result) = self.result() else { return String::new() };
        let variant = if self.pair.several { &*result.variant } else { "" };
        format!("{} {variant}", result.generation).trim_end().to_owned()
    }

    fn result(&self) -> Option<&'a ResultRef<'a>> {
        self.pair.new.or(self.pair.old)
    }

    /// Returns the status; `None` means no result.
    pub(super) fn status(&self) -> Option<Status> {
        self.pair.new.and_then(|result| result.known_status())
    }

    /// Returns the rank in the order of rendering; `None` means no page.
    pub(super) fn rank(&self) -> Option<u8> {
        let unexpected = self.pair.new.is_some_and(|result| !result.is_good());
        Some(match (self.change, self.status()) {
            (Some(Change::Regression), _) => 0,
            (Some(Change::NewFailure), _) => 1,
            _ if unexpected => 2,
            (Some(Change::Fix | Change::Other), _) => 3,
            (_, Some(Status::Fail | Status::Crash | Status::Timeout | Status::Warn)) => 4,
            _ => return None,
        })
    }
}

/// Writes a file of the report.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<(), ReportError> {
    fs::write(path, bytes)
        .map_err(|source| ReportError::Write { path: path.display().to_string(), source })
}

/// Returns the name of a status; `missing` means no result.
pub(super) fn status_name(status: Option<Status>) -> &'static str {
    status.map_or("missing", Status::name)
}
