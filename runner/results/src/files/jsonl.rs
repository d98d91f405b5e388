//! `results.jsonl`: a header line, then one line per result.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Origin;
use crate::file::{WriteError, replace_file};
use crate::verdict::TestResult;
use vocabulary::Target;

/// Name of the file.
pub const RESULTS_FILE: &str = "results.jsonl";

/// Version of the format.
pub(super) const FORMAT: u32 = 1;

/// The first line: the properties of a run that can change verdicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub format: u32,
    /// Version of the runner.
    pub version: String,
    /// Executed generations, `reference` among them.
    #[serde(rename = "gens")]
    pub generations: Vec<String>,
    /// Options that differ from the defaults and can change verdicts.
    pub options: BTreeMap<String, String>,
    /// Source revision of the runner, if known.
    pub revision: Option<String>,
    /// The OpenGL driver of generation `gl`, or of a virtual GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverHeader>,
    /// The part of a run that this file holds; absent for a whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardHeader>,
    /// Number of planned results; absent once all are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned: Option<u64>,
    /// Origin of an imported run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Origin>,
}

impl Header {
    /// Returns the number of planned results that a file with `found` results lacks: 0 unless the
    /// run was killed or stopped.
    pub fn unfinished(&self, found: usize) -> usize {
        let planned = self.planned.and_then(|planned| usize::try_from(planned).ok());
        planned.map_or(0, |planned| planned.saturating_sub(found))
    }

    /// Returns the options in the form of results: `backend=vec4,width=SIMD8`.
    pub fn variant(&self) -> String {
        let options = self.options.iter().map(|(name, value)| format!("{name}={value}"));
        options.collect::<Vec<_>>().join(",")
    }

    /// Returns the names of the driver in one line, or that there is none.
    pub fn driver_name(&self) -> String {
        self.driver.as_ref().map_or_else(|| "no driver".to_owned(), DriverHeader::describe)
    }

    /// Returns the header of a run of this program, which was built from a revision.
    pub fn new(
        generations: Vec<String>,
        options: BTreeMap<String, String>,
        revision: Option<&str>,
    ) -> Header {
        Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            generations,
            options,
            revision: revision.map(str::to_owned),
            driver: None,
            shard: None,
            planned: None,
            imported: None,
        }
    }
}

/// Names of an OpenGL driver, as it reports them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DriverHeader {
    /// `GL_RENDERER`.
    pub renderer: String,
    /// `GL_VENDOR`.
    pub vendor: String,
    /// `GL_VERSION`.
    pub version: String,
}

impl DriverHeader {
    /// Returns all names in one line.
    pub fn describe(&self) -> String {
        format!("{} ({}, {})", self.renderer, self.vendor, self.version)
    }
}

/// Returns true if the run's OpenGL driver executes the test cases of a generation with a variant:
/// on generation `gl`, and on a virtual GPU.
pub fn uses_driver(generation: &str, variant: &str) -> bool {
    Target::from_name(generation).is_some_and(Target::has_system_driver)
        || variant.split(',').any(|option| option.starts_with("driver="))
}

/// The part of a shard's header that lets a merge prove completeness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardHeader {
    /// Index of the shard, from 1.
    pub index: u32,
    /// Number of shards.
    pub count: u32,
    /// Number of results of the whole run.
    #[serde(rename = "rows")]
    pub results: u64,
    /// BLAKE3 hash of the names of all tests of the whole run, one per line.
    pub selection: String,
    /// BLAKE3 hash of the file of durations; `None` without one.
    pub durations: Option<String>,
}

/// The file during the run: each result is written as soon as it is available.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
}

impl Log {
    pub(super) fn create(path: &Path, header: &Header) -> Result<Log, WriteError> {
        // An atomic replacement: the file never holds a partial header.
        replace(path, header, &[])?;
        Log::reopen(path)
    }

    /// Opens a file that holds complete lines only.
    pub(super) fn reopen(path: &Path) -> Result<Log, WriteError> {
        let file = File::options().append(true).open(path).map_err(WriteError::at(path))?;
        Ok(Log { path: path.to_owned(), file })
    }

    pub(super) fn append(&mut self, result: &TestResult) -> Result<(), WriteError> {
        let mut line = serde_json::to_vec(result)
            .map_err(io::Error::other)
            .map_err(WriteError::at(&self.path))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(WriteError::at(&self.path))
    }

    /// Fails if the file was removed, where the system shows that: what is written is lost.
    pub(super) fn check(&self) -> Result<(), WriteError> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let metadata = self.file.metadata().map_err(WriteError::at(&self.path))?;
            if metadata.nlink() == 0 {
                let error = io::Error::new(io::ErrorKind::NotFound, "removed during the run");
                return Err(WriteError::at(&self.path)(error));
            }
        }
        Ok(())
    }
}

/// Replaces the file with a header and results in the given order.
pub(super) fn replace(
    path: &Path,
    header: &Header,
    results: &[TestResult],
) -> Result<(), WriteError> {
    replace_file(path, &render(path, header, results)?)
}

/// Renders the contents of the file `path`: the header and results in the given order.
pub(super) fn render(
    path: &Path,
    header: &Header,
    results: &[TestResult],
) -> Result<Vec<u8>, WriteError> {
    let lines = || -> serde_json::Result<Vec<u8>> {
        let mut text = serde_json::to_vec(header)?;
        text.push(b'\n');
        for result in results {
            serde_json::to_writer(&mut text, result)?;
            text.push(b'\n');
        }
        Ok(text)
    };
    lines().map_err(io::Error::other).map_err(WriteError::at(path))
}
