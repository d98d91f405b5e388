//! `run.json`: how a run was started, for going on with it and for repeating parts of it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ReadError, WriteError, replace_file};

/// The file's name.
const RECORD_FILE: &str = "run.json";

/// How a run was started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Arguments after the program's name.
    pub arguments: Vec<String>,
    /// The working directory that relative paths among them start from.
    pub directory: PathBuf,
    /// Test and generation of the only rows that ran, if not all.
    pub only: Option<Vec<(String, String)>>,
    /// The shard that ran, `K/N`, also when the engine chose it.
    pub shard: Option<String>,
}

impl RunRecord {
    /// Writes it into the run's folder.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<(), WriteError> {
        let path = folder.join(RECORD_FILE);
        let text =
            serde_json::to_vec_pretty(self).map_err(std::io::Error::other).map_err(WriteError::at(&path))?;
        replace_file(&path, &text)
    }

    /// Reads it from the run's folder.
    ///
    /// # Errors
    /// When it is not there or not such a file.
    pub fn read(folder: &Path) -> Result<RunRecord, ReadError> {
        let path = folder.join(RECORD_FILE);
        let error = |source| ReadError::Read { path: path.display().to_string(), source };
        let bytes = std::fs::read(&path).map_err(error)?;
        serde_json::from_slice(&bytes).map_err(|e| ReadError::Line {
            path: path.display().to_string(),
            line: e.line(),
            message: format!("not the record of a run: {e}"),
        })
    }
}
