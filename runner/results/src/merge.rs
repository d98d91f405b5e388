//! Merging shards into the run that they are parts of.

use std::collections::BTreeMap;

use super::{Header, Run};
use crate::verdict::TestResult;

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
    /// Results are missing although all shards are present.
    #[error("{found} of {rows} results: a shard did not finish; `runner resume` completes it")]
    Unfinished {
        /// Number of results.
        found: u64,
        /// Expected number of results.
        rows: u64,
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
            ("selections of tests", whole.selection == shard.selection && whole.rows == shard.rows),
        ];
        if let Some((what, _)) = checks.into_iter().find(|(_, same)| !same) {
            return Err(MergeError::Different { first: name(first), second: name(run), what });
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
    let mut rows: BTreeMap<(&str, &str, &str), (&Run, &TestResult)> = BTreeMap::new();
    for &run in by_index.values() {
        for row in &run.rows {
            if let Some((other, _)) = rows.insert(row.key(), (run, row)) {
                let (test, generation) = (row.test.clone(), row.generation.clone());
                return Err(MergeError::Doubled {
                    first: name(other),
                    second: name(run),
                    test,
                    generation,
                });
            }
        }
    }
    let found = rows.len() as u64;
    if found != whole.rows {
        return Err(MergeError::Unfinished { found, rows: whole.rows });
    }
    let rows = rows.into_values().map(|(_, row)| row.clone()).collect();
    Ok((Header { shard: None, ..first.header.clone() }, rows))
}
