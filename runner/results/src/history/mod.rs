//! History of runs in one SQLite file: results of every test over time, first failures,
//! instability.
//!
//! A `run` is one results file, identified by the hash of its bytes: recording it again changes
//! nothing. A `subject` is a test on a generation with a variant; a `result` is its result in a
//! run. Results of different OpenGL drivers are not compared with each other.

mod record;

pub use record::Recorded;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OpenFlags, Row as SqlRow, params};

use crate::files::jsonl::{DriverHeader, uses_driver};
use crate::names::{names_test, piglit_name};
use crate::verdict::{Phase, Status};

/// Default file of the history.
pub const HISTORY_FILE: &str = "results/history.sqlite";

/// Version of the tables.
const FORMAT: i64 = 2;
/// Version of tables without drivers.
const FORMAT_WITHOUT_DRIVERS: i64 = 1;
/// Time to wait for another process's lock on the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

const TABLES: &str = "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, name TEXT NOT NULL, time INTEGER NOT NULL,
        version TEXT NOT NULL, revision TEXT, options TEXT NOT NULL,
        skip INTEGER NOT NULL, warn INTEGER NOT NULL, pass INTEGER NOT NULL, fail INTEGER NOT NULL,
        crash INTEGER NOT NULL, timeout INTEGER NOT NULL, duration_us INTEGER NOT NULL, instructions INTEGER NOT NULL,
        driver_renderer TEXT, driver_vendor TEXT, driver_version TEXT
    ) STRICT;
    CREATE TABLE subject (
        id INTEGER PRIMARY KEY, test TEXT NOT NULL, gen TEXT NOT NULL, variant TEXT NOT NULL,
        UNIQUE (test, gen, variant)
    ) STRICT;
    CREATE TABLE result (
        subject INTEGER NOT NULL REFERENCES subject, run INTEGER NOT NULL REFERENCES run,
        status TEXT NOT NULL, layer TEXT, flake INTEGER NOT NULL, duration_us INTEGER NOT NULL,
        instructions INTEGER NOT NULL, PRIMARY KEY (subject, run)
    ) STRICT, WITHOUT ROWID;
";

/// Adds the drivers to the tables of format 1; those of its runs stay unknown.
const ADD_DRIVERS: &str = "
    ALTER TABLE run ADD COLUMN driver_renderer TEXT;
    ALTER TABLE run ADD COLUMN driver_vendor TEXT;
    ALTER TABLE run ADD COLUMN driver_version TEXT;
";

/// A history that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// There is no file.
    #[error("{path}: no run is recorded yet")]
    Missing {
        /// Path of the file.
        path: String,
    },
    /// An error of SQLite.
    #[error("{path}: {source}")]
    Sqlite {
        /// Path of the file.
        path: String,
        /// The error.
        source: rusqlite::Error,
    },
    /// The file was written by a newer version of the runner or by another program.
    #[error("{path}: format {format} is not one this runner knows (it knows {FORMAT})")]
    Format {
        /// Path of the file.
        path: String,
        /// Format of the file.
        format: i64,
    },
    /// The folder of a new file cannot be created.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Path of the folder.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A results file cannot be read.
    #[error(transparent)]
    Read(#[from] crate::ReadError),
}

/// An open history.
#[derive(Debug)]
pub struct History {
    connection: Connection,
    path: PathBuf,
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEntry {
    /// Row id in the history.
    pub id: i64,
    /// Name of the run's folder.
    pub name: String,
    /// Time of writing the results, in seconds since 1970.
    pub time: i64,
    /// Version of the runner.
    pub version: String,
    /// Source revision, if known.
    pub revision: Option<String>,
    /// Options that differ from the defaults.
    pub options: String,
    /// Counts by status, in the order of [`Status::ALL`].
    pub counts: [u64; 6],
    /// Total execution time in microseconds.
    pub duration_us: u64,
    /// Total instructions of the generated code.
    pub instructions: u64,
    /// The OpenGL driver, if one was used and the history knows it.
    pub driver: Option<Arc<DriverHeader>>,
}

/// The result of a subject in one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Index of the run in [`History::runs`].
    pub run: usize,
    /// Status of the test.
    pub status: Status,
    /// The phase that broke.
    pub phase: Option<Phase>,
    /// True if repetitions differed or the test is a known flake that failed.
    pub flake: bool,
    /// Execution time in microseconds.
    pub duration_us: u64,
    /// Instructions of the generated code.
    pub instructions: u64,
    /// The OpenGL driver that executed the test, if it is known.
    pub driver: Option<Arc<DriverHeader>>,
}

/// A subject's results, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// Test name.
    pub test: String,
    /// Generation.
    pub generation: String,
    /// Options.
    pub variant: String,
    /// Results in the runs; never empty.
    pub points: Vec<Point>,
}

impl Series {
    /// Returns the first failure of the current series of failures, and the last result before it,
    /// among the results of the latest driver.
    pub fn failing_since(&self) -> Option<(&Point, Option<&Point>)> {
        let latest = self.points.last()?;
        let points: Vec<&Point> =
            self.points.iter().filter(|point| point.driver == latest.driver).collect();
        let good = |point: &&Point| !is_bad(point.status);
        let first = points.iter().rposition(good).map_or(0, |last_good| last_good + 1);
        let before = first.checked_sub(1).and_then(|index| points.get(index));
        Some((points.get(first)?, before.copied()))
    }

    /// Returns the number of results whose status differs from the one before with the same driver.
    pub fn changes(&self) -> usize {
        let mut before: BTreeMap<Option<&DriverHeader>, Status> = BTreeMap::new();
        let mut changes = 0;
        for point in &self.points {
            let old = before.insert(point.driver.as_deref(), point.status);
            changes += usize::from(old.is_some_and(|old| old != point.status));
        }
        changes
    }

    /// Returns the number of results that were reported as flakes.
    pub fn flakes(&self) -> usize {
        self.points.iter().filter(|point| point.flake).count()
    }

    /// Returns true if results are of different drivers.
    pub fn has_several_drivers(&self) -> bool {
        self.points.windows(2).any(|pair| pair[0].driver != pair[1].driver)
    }

    /// Returns true if the subject was reported as a flake, or ended differently in two runs of one
    /// revision and driver with the same options.
    pub fn is_flaky(&self, runs: &[RunEntry]) -> bool {
        let mut seen: BTreeMap<_, Status> = BTreeMap::new();
        self.points.iter().any(|point| {
            let differs = runs.get(point.run).is_some_and(|run| {
                let Some(revision) = &run.revision else { return false };
                let alike = (revision, &run.version, &run.options, &point.driver);
                *seen.entry(alike).or_insert(point.status) != point.status
            });
            point.flake || differs
        })
    }
}

fn is_bad(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Crash | Status::Timeout)
}

impl History {
    /// Opens a history and creates it if necessary.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is damaged, or belongs to another program or a newer
    /// version.
    pub fn open(path: &Path) -> Result<History, HistoryError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|source| HistoryError::Write {
                path: folder.display().to_string(),
                source,
            })?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        History::with(path, flags, |history| history.create())
    }

    /// Opens an existing history for reading.
    ///
    /// # Errors
    /// Fails like [`History::open`], and if the file does not exist.
    pub fn read(path: &Path) -> Result<History, HistoryError> {
        if !path.exists() {
            return Err(HistoryError::Missing { path: path.display().to_string() });
        }
        History::with(path, OpenFlags::SQLITE_OPEN_READ_ONLY, |_| Ok(()))
    }

    fn with(
        path: &Path,
        flags: OpenFlags,
        prepare: impl FnOnce(&mut History) -> Result<(), HistoryError>,
    ) -> Result<History, HistoryError> {
        let error = |source| HistoryError::Sqlite { path: path.display().to_string(), source };
        let connection = Connection::open_with_flags(path, flags).map_err(error)?;
        connection.busy_timeout(LOCK_TIMEOUT).map_err(error)?;
        let mut history = History { connection, path: path.to_owned() };
        prepare(&mut history)?;
        match history.format()? {
            FORMAT | FORMAT_WITHOUT_DRIVERS => Ok(history),
            format => Err(HistoryError::Format { path: path.display().to_string(), format }),
        }
    }

    fn format(&self) -> Result<i64, HistoryError> {
        self.connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|e| self.error(e))
    }

    /// Creates the tables of an empty file and completes those of an older one; two processes may
    /// try at once.
    fn create(&mut self) -> Result<(), HistoryError> {
        if !matches!(self.format()?, 0 | FORMAT_WITHOUT_DRIVERS) {
            return Ok(());
        }
        let path = self.path.display().to_string();
        let create = |connection: &mut Connection| {
            let transaction =
                connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let made: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
            let change = match made {
                0 => Some(TABLES),
                FORMAT_WITHOUT_DRIVERS => Some(ADD_DRIVERS),
                _ => None,
            };
            if let Some(change) = change {
                transaction.execute_batch(change)?;
                transaction.pragma_update(None, "user_version", FORMAT)?;
            }
            transaction.commit()
        };
        create(&mut self.connection).map_err(|source| HistoryError::Sqlite { path, source })
    }

    fn error(&self, source: rusqlite::Error) -> HistoryError {
        HistoryError::Sqlite { path: self.path.display().to_string(), source }
    }

    /// Returns the runs, oldest first.
    ///
    /// # Errors
    /// Fails if the file is damaged.
    pub fn runs(&self) -> Result<Vec<RunEntry>, HistoryError> {
        // An older file that is only read stays as it is.
        let drivers = match self.format()? {
            FORMAT_WITHOUT_DRIVERS => "NULL, NULL, NULL",
            _ => "driver_renderer, driver_vendor, driver_version",
        };
        let read = || -> rusqlite::Result<Vec<RunEntry>> {
            let mut query = self.connection.prepare(&format!(
                "SELECT id, name, time, version, revision, options, skip, warn, pass, fail, crash, timeout,
                 duration_us, instructions, {drivers} FROM run ORDER BY time, id"
            ))?;
            let rows = query.query_map([], |row| {
                let mut counts = [0; 6];
                for (index, count) in counts.iter_mut().enumerate() {
                    *count = unsigned(row, 6 + index)?;
                }
                Ok(RunEntry {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    time: row.get(2)?,
                    version: row.get(3)?,
                    revision: row.get(4)?,
                    options: row.get(5)?,
                    counts,
                    duration_us: unsigned(row, 12)?,
                    instructions: unsigned(row, 13)?,
                    driver: driver(row, 14)?.map(Arc::new),
                })
            })?;
            rows.collect()
        };
        read().map_err(|e| self.error(e))
    }

    /// Returns the results of a test, by either form of its name, sorted by generation and variant.
    ///
    /// # Errors
    /// Fails if the file is damaged.
    pub fn test(&self, runs: &[RunEntry], name: &str) -> Result<Vec<Series>, HistoryError> {
        let mut series = self.of_test(runs, name)?;
        if series.is_empty() {
            for test in self.tests()?.iter().filter(|test| names_test(name, test)) {
                series.extend(self.of_test(runs, test)?);
            }
        }
        Ok(series)
    }

    /// Returns the results of the tests whose names, in either form, contain a text in any case: a
    /// part of a name, or a directory. Sorted by test, generation and variant.
    ///
    /// # Errors
    /// Fails if the file is damaged.
    pub fn matching(&self, runs: &[RunEntry], text: &str) -> Result<Vec<Series>, HistoryError> {
        let text = text.to_lowercase();
        let matches =
            |test: &str| test.to_lowercase().contains(&text) || piglit_name(test).contains(&text);
        let mut series = Vec::new();
        for test in self.tests()?.iter().filter(|test| matches(test)) {
            series.extend(self.of_test(runs, test)?);
        }
        Ok(series)
    }

    /// Returns the names of all tests in order.
    ///
    /// # Errors
    /// Fails if the file is damaged.
    pub fn tests(&self) -> Result<Vec<String>, HistoryError> {
        let read = || -> rusqlite::Result<Vec<String>> {
            let mut query =
                self.connection.prepare("SELECT DISTINCT test FROM subject ORDER BY test")?;
            query.query_map([], |row| row.get(0))?.collect()
        };
        read().map_err(|e| self.error(e))
    }

    fn of_test(&self, runs: &[RunEntry], test: &str) -> Result<Vec<Series>, HistoryError> {
        self.series(runs, "WHERE test = ?1", params![test])
    }

    /// Returns all results, sorted by test, generation and variant.
    ///
    /// # Errors
    /// Fails if the file is damaged.
    pub fn all(&self, runs: &[RunEntry]) -> Result<Vec<Series>, HistoryError> {
        self.series(runs, "", params![])
    }

    fn series(
        &self,
        runs: &[RunEntry],
        which: &str,
        parameters: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Series>, HistoryError> {
        let positions: BTreeMap<i64, usize> =
            runs.iter().enumerate().map(|(index, run)| (run.id, index)).collect();
        let read = || -> rusqlite::Result<Vec<Series>> {
            let mut query = self.connection.prepare(&format!(
                "SELECT test, gen, variant, run, status, layer, flake, duration_us, instructions
                 FROM subject JOIN result ON result.subject = subject.id {which} ORDER BY test, gen, variant"
            ))?;
            let mut all: Vec<Series> = Vec::new();
            let mut rows = query.query(parameters)?;
            while let Some(row) = rows.next()? {
                // A run may have been recorded after the list of runs was read.
                let Some(&run) = positions.get(&row.get(3)?) else { continue };
                let key = |index| row.get_ref(index)?.as_str().map_err(rusqlite::Error::from);
                let (test, generation, variant) = (key(0)?, key(1)?, key(2)?);
                let driver = runs.get(run).and_then(|run| run.driver.as_ref());
                let driver = driver.filter(|_| uses_driver(generation, variant)).cloned();
                let point = Point { driver, ..point(row, run)? };
                match all.last_mut() {
                    Some(s)
                        if (&*s.test, &*s.generation, &*s.variant)
                            == (test, generation, variant) =>
                    {
                        s.points.push(point);
                    }
                    _ => {
                        let [test, generation, variant] =
                            [test, generation, variant].map(str::to_owned);
                        all.push(Series { test, generation, variant, points: vec![point] });
                    }
                }
            }
            all.iter_mut().for_each(|series| series.points.sort_by_key(|point| point.run));
            Ok(all)
        };
        read().map_err(|e| self.error(e))
    }
}

fn point(row: &SqlRow<'_>, run: usize) -> rusqlite::Result<Point> {
    let status = Status::from_name(row.get_ref(4)?.as_str()?).ok_or(FromSqlError::InvalidType)?;
    let phase = row.get_ref(5)?.as_str_or_null()?.and_then(Phase::from_name);
    let (duration_us, instructions) = (unsigned(row, 7)?, unsigned(row, 8)?);
    let flake = row.get(6)?;
    Ok(Point { run, status, phase, flake, duration_us, instructions, driver: None })
}

/// Returns the names of a driver in three columns from `first`.
fn driver(row: &SqlRow<'_>, first: usize) -> rusqlite::Result<Option<DriverHeader>> {
    let names: [Option<String>; 3] = [row.get(first)?, row.get(first + 1)?, row.get(first + 2)?];
    let [Some(renderer), Some(vendor), Some(version)] = names else { return Ok(None) };
    Ok(Some(DriverHeader { renderer, vendor, version }))
}

fn unsigned(row: &SqlRow<'_>, index: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(index)?).unwrap_or(0))
}

#[cfg(test)]
mod tests;
