//! Reading `results.jsonl` back: of a finished run, of one that was killed, and of whatever else was given.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::jsonl::{FORMAT, Header, RESULTS_FILE};
use crate::verdict::TestResult;

/// A results file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// It was written by a later version of the runner.
    #[error("{path}: format {format} is newer than this runner, which reads format {FORMAT}")]
    Newer {
        /// The file.
        path: String,
        /// The format of the file.
        format: u64,
    },
    /// A line that is not what it should be.
    #[error("{path}:{line}: {message}")]
    Line {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

/// A run read back.
#[derive(Clone, Debug)]
pub struct Run {
    /// The file it came from.
    pub path: PathBuf,
    /// What the run was.
    pub header: Header,
    /// Its rows, sorted, one per key.
    pub rows: Vec<TestResult>,
    /// Whether the last line was cut short, as after a kill or on a full disk; it is left out.
    pub truncated: bool,
    /// Rows that were there more than once, the same each time (durations aside).
    pub repeated: usize,
}

impl Run {
    /// Reads a run's folder, or its `results.jsonl`.
    ///
    /// # Errors
    /// A file that cannot be read, is of a later format or damaged other than by being cut short, and one that holds
    /// two different results of one row.
    pub fn read(path: &Path) -> Result<Run, ReadError> {
        let path = if path.is_dir() { path.join(RESULTS_FILE) } else { path.to_owned() };
        let bytes = std::fs::read(&path)
            .map_err(|source| ReadError::Read { path: path.display().to_string(), source })?;
        Run::parse(&bytes, path)
    }

    /// Reads the bytes of a `results.jsonl`.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn parse(bytes: &[u8], path: PathBuf) -> Result<Run, ReadError> {
        let error = |line: usize, message: String| ReadError::Line {
            path: path.display().to_string(),
            line,
            message,
        };
        let complete = bytes.is_empty() || bytes.ends_with(b"\n");
        let mut lines = bytes.split(|&b| b == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
        let Some((_, first)) = lines.next() else {
            return Err(error(1, "no header: the file is empty".to_owned()));
        };
        let header = header(first, &path)?;
        let mut rows: BTreeMap<(String, String, String), TestResult> = BTreeMap::new();
        let (mut truncated, mut repeated) = (false, 0);
        let mut lines = lines.peekable();
        while let Some((index, line)) = lines.next() {
            let row: TestResult = match serde_json::from_slice(line) {
                Ok(row) => row,
                Err(_) if lines.peek().is_none() && !complete => {
                    truncated = true;
                    break;
                }
                Err(e) => return Err(error(index + 1, format!("not a result: {e}"))),
            };
            let key = (row.test.clone(), row.target.clone(), row.variant.clone());
            match rows.get(&key) {
                Some(other) if !same_result(other, &row) => {
                    let message = format!("a second, different result of {} [{}]", row.test, row.target);
                    return Err(error(index + 1, message));
                }
                Some(_) => repeated += 1,
                None => {
                    rows.insert(key, row);
                }
            }
        }
        let rows = rows.into_values().collect();
        Ok(Run { path, header, rows, truncated, repeated })
    }
}

/// Whether two rows say the same, durations aside.
pub fn same_result(a: &TestResult, b: &TestResult) -> bool {
    let untimed = |row: &TestResult| TestResult { duration_us: 0, ..row.clone() };
    untimed(a) == untimed(b)
}

fn header(line: &[u8], path: &Path) -> Result<Header, ReadError> {
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    let path = path.display().to_string();
    match serde_json::from_slice::<Version>(line) {
        Ok(Version { format }) if format > u64::from(FORMAT) => {
            return Err(ReadError::Newer { path, format });
        }
        _ => {}
    }
    serde_json::from_slice(line).map_err(|e| ReadError::Line {
        path,
        line: 1,
        message: format!("not the header of a run: {e}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "{\"format\":1,\"version\":\"0\",\"gens\":[\"ivb\"],\"options\":{},\"revision\":null}\n";

    fn row(test: &str, status: &str, duration: u32) -> String {
        format!(
            "{{\"test\":\"{test}\",\"gen\":\"ivb\",\"variant\":\"\",\"status\":\"{status}\",\"layer\":null,\"reason\":null,\
             \"outcome\":\"expected\",\"duration_us\":{duration},\"stages\":[],\"subtests\":[]}}\n"
        )
    }

    fn parse(text: &str) -> Result<Run, String> {
        Run::parse(text.as_bytes(), "f".into()).map_err(|e| e.to_string())
    }

    #[test]
    fn whole_cut_and_doubled() {
        let text = [HEADER, &row("b", "pass", 1), &row("a", "pass", 1), &row("b", "pass", 2)].concat();
        let run = parse(&text).unwrap();
        assert_eq!(run.rows.iter().map(|r| &*r.test).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((run.truncated, run.repeated), (false, 1));
        let cut = parse(&text[..text.len() - 30]).unwrap();
        assert_eq!((cut.rows.len(), cut.truncated), (2, true));
        assert!(parse(HEADER.trim_end()).unwrap().rows.is_empty());
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        for (text, message) in [
            (String::new(), "f:1: no header"),
            ("nonsense\n".to_owned(), "f:1: not the header of a run"),
            (HEADER.replace(":1,", ":2,"), "f: format 2 is newer"),
            (format!("{HEADER}{{}}\n"), "f:2: not a result"),
            (
                [HEADER, &row("a", "pass", 1), &row("a", "fail", 1)].concat(),
                "f:3: a second, different result of a [ivb]",
            ),
        ] {
            let error = parse(&text).unwrap_err();
            assert!(error.starts_with(message), "{message}: {error}");
        }
        let mut bytes = HEADER.as_bytes().to_vec();
        bytes.extend(b"\"caf\xe9\"\n");
        assert!(Run::parse(&bytes, "f".into()).unwrap_err().to_string().starts_with("f:2: "));
    }
}
