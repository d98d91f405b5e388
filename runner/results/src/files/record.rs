//! `run.json`: how a run was started, for resuming it and for repeating parts of it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::ReadError;
use crate::file::{OPTION_BYTES, WriteError, read_regular, replace_file};

/// Name of the file.
const RECORD_FILE: &str = "run.json";

/// The invocation of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Arguments after the program's name.
    pub arguments: Vec<String>,
    /// Working directory of relative paths among the arguments.
    pub directory: PathBuf,
    /// Tests and generations of a partial run; `None` means all test cases.
    pub only: Option<Vec<(String, String)>>,
    /// The executed shard, `K/N`, even if the environment chose it.
    pub shard: Option<String>,
    /// Paths of the tests, relative to `directory`; empty in records of older runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathBuf>,
}

impl RunRecord {
    /// Returns the record of a whole run.
    pub fn new(arguments: Vec<String>, directory: PathBuf) -> RunRecord {
        RunRecord { arguments, directory, only: None, shard: None, paths: Vec::new() }
    }

    /// Writes the record into the run's folder.
    ///
    /// # Errors
    /// Fails if the folder is not writable.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        let path = folder.join(RECORD_FILE);
        let text = serde_json::to_vec_pretty(self)
            .map_err(std::io::Error::other)
            .map_err(WriteError::at(&path))?;
        replace_file(&path, &text)
    }

    /// Reads the record from the run's folder.
    ///
    /// # Errors
    /// Fails if the file is missing or malformed.
    pub fn read(folder: &Path) -> Result<RunRecord, ReadError> {
        let path = folder.join(RECORD_FILE);
        let error = |source| ReadError::Read { path: path.display().to_string(), source };
        let bytes = read_regular(&path, OPTION_BYTES).map_err(error)?;
        serde_json::from_slice(&bytes).map_err(|e| ReadError::Line {
            path: path.display().to_string(),
            line: e.line(),
            message: format!("not the record of a run: {e}"),
        })
    }
}
