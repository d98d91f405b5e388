//! Recording a run.

use std::time::UNIX_EPOCH;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{History, HistoryError};
use crate::verdict::{Counts, Outcome, Status};
use crate::{ResultRef, RunFile, RunResults};

/// The effect of recording a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// The run is new; the number of its results.
    Added(usize),
    /// The same results file is already recorded.
    Known,
    /// A shard or an incomplete run: only whole runs are compared over time.
    Left(&'static str),
}

impl History {
    /// Records the run of a results file in one transaction.
    ///
    /// # Errors
    /// Fails if the results or the history cannot be used.
    pub fn record(&mut self, file: &RunFile) -> Result<Recorded, HistoryError> {
        let run = file.parse()?;
        if run.header.shard.is_some() {
            return Ok(Recorded::Left("a shard: merge the shards and record the whole run"));
        }
        if run.truncated || run.unfinished() > 0 {
            return Ok(Recorded::Left("a run that did not finish"));
        }
        let path = self.path.display().to_string();
        record(&mut self.connection, file, &run)
            .map_err(|source| HistoryError::Sqlite { path, source })
    }
}

fn record(
    connection: &mut Connection,
    file: &RunFile,
    run: &RunResults<'_>,
) -> rusqlite::Result<Recorded> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let Some(id) = add_run(&transaction, file, run)? else { return Ok(Recorded::Known) };
    {
        // Single lookups: a history may hold many more subjects than the run.
        let mut known = transaction
            .prepare("SELECT id FROM subject WHERE test = ?1 AND gen = ?2 AND variant = ?3")?;
        let mut subject =
            transaction.prepare("INSERT INTO subject (test, gen, variant) VALUES (?1, ?2, ?3)")?;
        let mut insert =
            transaction.prepare("INSERT INTO result VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?;
        for result in run.results.iter().filter(|result| result.known_status().is_some()) {
            let key = params![result.test, result.generation.to_string(), result.variant];
            let number = match known.query_row(key, |row| row.get(0)).optional()? {
                Some(number) => number,
                None => subject.insert(key)?,
            };
            insert.execute(params![
                number,
                id,
                result.status.name(),
                result.phase.map(|phase| phase.name()),
                result.outcome == Outcome::Flake,
                signed(result.duration_us),
                signed(instructions(result)),
            ])?;
        }
    }
    transaction.commit()?;
    Ok(Recorded::Added(run.results.len()))
}

/// Adds the run itself; `None` if it is already recorded.
fn add_run(
    transaction: &Transaction<'_>,
    file: &RunFile,
    run: &RunResults<'_>,
) -> rusqlite::Result<Option<i64>> {
    let digest = file.digest();
    let known: bool = transaction.query_row(
        "SELECT EXISTS (SELECT 1 FROM run WHERE digest = ?1)",
        [&digest],
        |row| row.get(0),
    )?;
    if known {
        return Ok(None);
    }
    let mut counts = Counts::default();
    run.results.iter().for_each(|result| counts.add(result.status));
    let [skip, warn, pass, fail, crash, timeout] =
        Status::ALL.map(|status| signed(counts.of(status) as u64));
    let folder = file.folder().canonicalize().unwrap_or_else(|_| file.folder().to_owned());
    let name =
        folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let modified = std::fs::metadata(&file.path).and_then(|meta| meta.modified()).ok();
    let time = modified
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |time| time.as_secs());
    let driver = run.header.driver.as_ref();
    transaction.execute(
        "INSERT INTO run (digest, name, time, version, revision, options, skip, warn, pass, fail, crash, timeout,
         duration_us, instructions, driver_renderer, driver_vendor, driver_version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        params![
            digest,
            name,
            signed(time),
            run.header.version,
            run.header.revision,
            run.header.variant(),
            skip,
            warn,
            pass,
            fail,
            crash,
            timeout,
            signed(run.results.iter().map(|result| result.duration_us).fold(0, u64::saturating_add)),
            signed(run.results.iter().map(instructions).sum()),
            driver.map(|driver| &driver.renderer),
            driver.map(|driver| &driver.vendor),
            driver.map(|driver| &driver.version),
        ],
    )?;
    Ok(Some(transaction.last_insert_rowid()))
}

fn instructions(result: &ResultRef<'_>) -> u64 {
    result.stages.iter().map(|code| u64::from(code.instructions)).sum()
}

/// Converts a number to SQLite's signed integers.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
