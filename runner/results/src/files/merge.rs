//! Merging shards into the run that they are parts of.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::bundle;
use super::jsonl::Header;
use super::read::Run;
use super::record::RunRecord;
use crate::file::WriteError;
use crate::repeat::without;
use crate::verdict::TestResult;

/// Options of a shard's run that the whole run does not have, and whether a value follows.
const SHARD_OPTIONS: [(&str, bool); 2] = [("--shard", true), ("--out", true)];

/// Reasons why runs are not the shards of one run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are no runs.
    #[error("no runs to merge")]
    Nothing,
    /// A run is not a shard.
    #[error("{0} is not a shard")]
    NotAShard(String),
    /// Two shards belong to different runs.
    #[error("{first} and {second} are of different runs: their {what} differ")]
    Different {
        /// One shard.
        first: String,
        /// The other shard.
        second: String,
        /// The property in which they differ.
        what: &'static str,
    },
    /// Two shards ran with different drivers.
    #[error("{first} and {second} are of different drivers: {} and {}", drivers[0], drivers[1])]
    Drivers {
        /// One shard.
        first: String,
        /// The other shard.
        second: String,
        /// Their drivers, in the same order.
        drivers: [String; 2],
    },
    /// Two runs are the same shard.
    #[error("{first} and {second} are both shard {index}")]
    Overlap {
        /// One shard.
        first: String,
        /// The other shard.
        second: String,
        /// Index of the shard.
        index: u32,
    },
    /// A test case occurs in two shards.
    #[error("{first} and {second} both have {test} [{generation}]")]
    Doubled {
        /// One shard.
        first: String,
        /// The other shard.
        second: String,
        /// Test name.
        test: String,
        /// Generation.
        generation: String,
    },
    /// Shards are missing.
    #[error("shards are missing: {0}")]
    Gap(String),
    /// A shard was killed or stopped.
    #[error("{run} is unfinished: {found} of {planned} results; `runner resume` completes it")]
    UnfinishedShard {
        /// The shard.
        run: String,
        /// Number of its results.
        found: usize,
        /// Number of its planned results.
        planned: u64,
    },
    /// Results are missing although all shards are present.
    #[error("{found} of {results} results: a shard did not finish; `runner resume` completes it")]
    Unfinished {
        /// Number of results.
        found: u64,
        /// Expected number of results.
        results: u64,
    },
}

/// Returns the header and the sorted results of the whole run.
///
/// # Errors
/// Fails if the runs are not exactly all shards of one complete run.
pub fn merge(runs: &[Run]) -> Result<(Header, Vec<TestResult>), MergeError> {
    let name = |run: &Run| run.path.display().to_string();
    let first = runs.first().ok_or(MergeError::Nothing)?;
    let whole = first.header.shard.clone().ok_or_else(|| MergeError::NotAShard(name(first)))?;
    let mut by_index: BTreeMap<u32, &Run> = BTreeMap::new();
    for run in runs {
        let shard = run.header.shard.as_ref().ok_or_else(|| MergeError::NotAShard(name(run)))?;
        let (a, b) = (&first.header, &run.header);
        let checks = [
            ("versions", a.version == b.version),
            ("revisions", a.revision == b.revision),
            ("generations", a.generations == b.generations),
            ("options", a.options == b.options),
            ("numbers of shards", whole.count == shard.count),
            ("files of durations", whole.durations == shard.durations),
            (
                "selections of tests",
                whole.selection == shard.selection && whole.results == shard.results,
            ),
        ];
        if let Some((what, _)) = checks.into_iter().find(|(_, same)| !same) {
            return Err(MergeError::Different { first: name(first), second: name(run), what });
        }
        if a.driver != b.driver {
            let drivers = [a, b].map(Header::driver_name);
            return Err(MergeError::Drivers { first: name(first), second: name(run), drivers });
        }
        if let (1.., Some(planned)) = (run.unfinished(), run.header.planned) {
            return Err(MergeError::UnfinishedShard {
                run: name(run),
                found: run.results.len(),
                planned,
            });
        }
        if let Some(other) = by_index.insert(shard.index, run) {
            return Err(MergeError::Overlap {
                first: name(other),
                second: name(run),
                index: shard.index,
            });
        }
    }
    let missing: Vec<String> = (1..=whole.count)
        .filter(|index| !by_index.contains_key(index))
        .map(|index| index.to_string())
        .collect();
    if !missing.is_empty() {
        return Err(MergeError::Gap(missing.join(", ")));
    }
    let mut results: BTreeMap<(&str, &str, &str), (&Run, &TestResult)> = BTreeMap::new();
    for &run in by_index.values() {
        for result in &run.results {
            if let Some((other, _)) = results.insert(result.key(), (run, result)) {
                let (test, generation) = (result.test.clone(), result.generation.clone());
                return Err(MergeError::Doubled {
                    first: name(other),
                    second: name(run),
                    test,
                    generation,
                });
            }
        }
    }
    let found = results.len() as u64;
    if found != whole.results {
        return Err(MergeError::Unfinished { found, results: whole.results });
    }
    let results = results.into_values().map(|(_, result)| result.clone()).collect();
    Ok((Header { shard: None, planned: None, ..first.header.clone() }, results))
}

/// Copies the failure bundles of the shards' results into the folder of the merged run and returns
/// their number.
///
/// # Errors
/// Fails if a bundle cannot be read or the folder is not writable.
pub fn copy_bundles(runs: &[Run], out: &Path) -> Result<usize, WriteError> {
    let mut count = 0;
    for run in runs {
        let folder = run.path.parent().unwrap_or(Path::new("."));
        if !bundle::any(folder) || folder.canonicalize().ok() == out.canonicalize().ok() {
            continue;
        }
        for result in &run.results {
            let from = bundle::folder(folder, &result.test, &result.generation);
            if from.is_dir() {
                let to = bundle::folder(out, &result.test, &result.generation);
                copy_files(&from, &to)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Replaces the folder `to` with the regular files of `from`.
fn copy_files(from: &Path, to: &Path) -> Result<(), WriteError> {
    match fs::remove_dir_all(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(WriteError::at(to)(error));
        }
        _ => fs::create_dir_all(to).map_err(WriteError::at(to))?,
    }
    for entry in fs::read_dir(from).map_err(WriteError::at(from))? {
        let entry = entry.map_err(WriteError::at(from))?;
        let file = to.join(entry.file_name());
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            fs::copy(entry.path(), &file).map_err(WriteError::at(&file))?;
        }
    }
    Ok(())
}

/// Returns the record of the whole run, from that of the first shard that has one. Paths are
/// relative to `directory` if the shard ran where its own directory does not exist here.
pub fn merged_record(runs: &[Run], directory: &Path) -> Option<RunRecord> {
    let read = |run: &Run| RunRecord::read(run.path.parent().unwrap_or(Path::new("."))).ok();
    let record = runs.iter().find_map(read)?;
    let here = record.directory.is_dir();
    Some(RunRecord {
        arguments: without(&record.arguments, &SHARD_OPTIONS),
        directory: if here { record.directory } else { directory.to_owned() },
        only: None,
        shard: None,
        paths: record.paths,
    })
}
