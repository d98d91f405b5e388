//! Reader of `results.jsonl`: of finished runs, killed runs and arbitrary other files.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::error::ReadError;
use super::jsonl::{FORMAT, Header, RESULTS_FILE};
use super::record::RunRecord;
use crate::file::{RESULTS_BYTES, read_regular};
use crate::result_ref::ResultRef;
use crate::threads::joined;
use crate::verdict::TestResult;

/// Files below this size are read by one thread.
const SMALL: usize = 1 << 20;
/// Minimum length of a line in bytes, for estimating the number of results.
const RESULT_BYTES: usize = 200;

/// The bytes of a `results.jsonl`.
#[derive(Clone, Debug)]
pub struct RunFile {
    /// Path of the file.
    pub path: PathBuf,
    bytes: Arc<Vec<u8>>,
}

/// A run whose results borrow from its [`RunFile`].
#[derive(Clone, Debug)]
pub struct RunResults<'a> {
    /// Header of the file.
    pub header: Header,
    /// Results, sorted, one per key.
    pub results: Vec<ResultRef<'a>>,
    /// True if the last line was truncated, as after a kill or on a full disk; it is left out.
    pub truncated: bool,
    /// Number of results that occurred more than once, identical except for durations.
    pub repeated: usize,
}

/// A run with owned results.
#[derive(Clone, Debug)]
pub struct Run {
    /// Path of its file.
    pub path: PathBuf,
    /// Header of the file.
    pub header: Header,
    /// Results, sorted, one per key.
    pub results: Vec<TestResult>,
    /// True if the last line was truncated, as after a kill or on a full disk; it is left out.
    pub truncated: bool,
    /// Number of results that occurred more than once, identical except for durations.
    pub repeated: usize,
}

impl RunResults<'_> {
    /// Returns the number of planned results that are missing: not 0 if the run was killed or
    /// stopped.
    pub fn unfinished(&self) -> usize {
        self.header.unfinished(self.results.len())
    }
}

impl Run {
    /// Returns the number of planned results that are missing: not 0 if the run was killed or
    /// stopped.
    pub fn unfinished(&self) -> usize {
        self.header.unfinished(self.results.len())
    }

    /// Returns descriptions of missing parts: a truncated line, results that were never reached.
    pub fn warnings(&self) -> Vec<String> {
        warnings(&self.path, &self.header, self.results.len(), self.truncated)
    }

    /// Reads a run's folder or its `results.jsonl`.
    ///
    /// # Errors
    /// Fails if the file cannot be read, has a newer format, is damaged other than by truncation,
    /// or holds two different results with one key.
    pub fn read(path: &Path) -> Result<Run, ReadError> {
        RunFile::read(path)?.into_run()
    }

    /// Parses the bytes of a `results.jsonl`.
    ///
    /// # Errors
    /// Fails like [`Run::read`].
    pub fn parse(bytes: &[u8], path: PathBuf) -> Result<Run, ReadError> {
        RunFile::new(path, Arc::new(bytes.to_owned())).into_run()
    }
}

/// Returns descriptions of the parts that a file with `found` results lacks.
fn warnings(path: &Path, header: &Header, found: usize, truncated: bool) -> Vec<String> {
    let path = path.display();
    let mut warnings = Vec::new();
    if truncated {
        warnings.push(format!("{path}: the last line was cut short and left out"));
    }
    if header.unfinished(found) > 0 {
        let planned = header.planned.unwrap_or_default();
        warnings.push(format!(
            "{path}: the run is unfinished: {found} of {planned} results; `runner resume` completes it"
        ));
    }
    warnings
}

impl RunFile {
    /// Returns descriptions of missing parts of the file's run: a truncated line, results that were
    /// never reached.
    pub fn warnings(&self, run: &RunResults<'_>) -> Vec<String> {
        warnings(&self.path, &run.header, run.results.len(), run.truncated)
    }

    /// Reads a run's folder or its `results.jsonl` without parsing it.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(path: &Path) -> Result<RunFile, ReadError> {
        let is_folder = path.is_dir();
        if is_folder && !path.join(RESULTS_FILE).exists() {
            let reason = match RunRecord::read(path) {
                Ok(_) => "the run was killed before its first result; `runner resume` continues it",
                Err(_) => "not the folder of a run: it has no results.jsonl",
            };
            return Err(ReadError::NoRun { path: path.display().to_string(), reason });
        }
        let path = if is_folder { path.join(RESULTS_FILE) } else { path.to_owned() };
        let bytes = read_regular(&path, RESULTS_BYTES)
            .map_err(|source| ReadError::Read { path: path.display().to_string(), source })?;
        Ok(RunFile::new(path, Arc::new(bytes)))
    }

    /// Returns the file at `path` with these contents, which may not be on the disk yet.
    pub(super) fn new(path: PathBuf, bytes: Arc<Vec<u8>>) -> RunFile {
        RunFile { path, bytes }
    }

    /// Returns the BLAKE3 hash of the file's bytes in hexadecimal.
    pub fn digest(&self) -> String {
        blake3::hash(self.bytes.as_slice()).to_hex().to_string()
    }

    /// Returns the folder of the file, which also holds the failure bundles.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    fn into_run(self) -> Result<Run, ReadError> {
        let RunResults { header, results, truncated, repeated } = self.parse()?;
        let results = results.iter().map(ResultRef::to_result).collect();
        Ok(Run { header, results, truncated, repeated, path: self.path.clone() })
    }

    /// Parses header and results on all cores.
    ///
    /// # Errors
    /// Fails like [`Run::read`].
    pub fn parse(&self) -> Result<RunResults<'_>, ReadError> {
        let first = self.bytes.iter().position(|&b| b == b'\n').unwrap_or(self.bytes.len());
        if self.bytes[..first].trim_ascii().is_empty() {
            return Err(self.line_error(0, "no header: the file is empty".to_owned()));
        }
        let header = header(&self.bytes[..first], &self.path)?;
        let body = self.bytes.get(first + 1..).unwrap_or_default();
        // Only the last line can be truncated.
        let whole = body.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let mut results = parse_lines(&body[..whole]).map_err(|(offset, error)| {
            self.line_error(first + 1 + offset, format!("not a result: {error}"))
        })?;
        let rest = body[whole..].trim_ascii();
        let last = (!rest.is_empty()).then(|| serde_json::from_slice(rest));
        let truncated = matches!(last, Some(Err(_)));
        results.extend(last.and_then(Result::ok));
        let repeated = self.sort(&mut results)?;
        Ok(RunResults { header, results, truncated, repeated })
    }

    /// Sorts results, drops repetitions and returns their number.
    fn sort(&self, results: &mut Vec<ResultRef<'_>>) -> Result<usize, ReadError> {
        if !results.is_sorted_by(|a, b| a.key() <= b.key()) {
            results.sort_by(|a, b| a.key().cmp(&b.key()));
        }
        let different = results
            .windows(2)
            .find(|pair| pair[0].key() == pair[1].key() && !pair[0].same_result(&pair[1]));
        if let Some([result, _]) = different {
            let message =
                format!("a second, different result of {} [{}]", result.test, result.generation);
            return Err(self.line_error(self.second_line_of(result), message));
        }
        let before = results.len();
        results.dedup_by(|a, b| a.key() == b.key());
        Ok(before - results.len())
    }

    /// Returns the offset of the second line with a result's key.
    fn second_line_of(&self, result: &ResultRef<'_>) -> usize {
        let mut offset = 0;
        let starts = self.bytes.split(|&b| b == b'\n').filter_map(|line| {
            let start = offset;
            offset += line.len() + 1;
            let found = serde_json::from_slice::<ResultRef<'_>>(line)
                .is_ok_and(|found| found.key() == result.key());
            found.then_some(start)
        });
        starts.take(2).last().unwrap_or(0)
    }

    fn line_error(&self, offset: usize, message: String) -> ReadError {
        let line = 1 + self.bytes[..offset].iter().filter(|&&b| b == b'\n').count();
        ReadError::Line { path: self.path.display().to_string(), line, message }
    }
}

/// Parses results from complete lines; an error carries the offset of its line.
fn parse_lines(bytes: &[u8]) -> Result<Vec<ResultRef<'_>>, (usize, serde_json::Error)> {
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let parts = split_lines(bytes, if bytes.len() < SMALL { 1 } else { threads });
    let parsed: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = parts
            .iter()
            .map(|&(start, part)| scope.spawn(move || parse_part(start, part)))
            .collect();
        handles.into_iter().map(joined).collect()
    });
    let mut results = Vec::new();
    for part in parsed {
        results.append(&mut part?);
    }
    Ok(results)
}

fn parse_part(start: usize, part: &[u8]) -> Result<Vec<ResultRef<'_>>, (usize, serde_json::Error)> {
    let mut results = Vec::with_capacity(part.len() / RESULT_BYTES);
    let mut offset = start;
    for line in part.split(|&b| b == b'\n') {
        if !line.trim_ascii().is_empty() {
            results.push(serde_json::from_slice(line).map_err(|error| (offset, error))?);
        }
        offset += line.len() + 1;
    }
    Ok(results)
}

/// Splits bytes at line ends into parts of about equal size, each with its offset.
fn split_lines(bytes: &[u8], count: usize) -> Vec<(usize, &[u8])> {
    let mut parts = Vec::with_capacity(count);
    let mut start = 0;
    for index in 1..=count {
        let goal = (bytes.len() * index / count).max(start);
        let end = bytes[goal..]
            .iter()
            .position(|&b| b == b'\n')
            .map_or(bytes.len(), |end| goal + end + 1);
        parts.push((start, &bytes[start..end]));
        start = end;
    }
    parts
}

/// Parses the first line of a results file.
pub(super) fn header(line: &[u8], path: &Path) -> Result<Header, ReadError> {
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

    fn result(test: &str, status: &str, duration: u32) -> String {
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
        let text =
            [HEADER, &result("b", "pass", 1), &result("a", "pass", 1), &result("b", "pass", 2)]
                .concat();
        let run = parse(&text).unwrap();
        assert_eq!(run.results.iter().map(|r| &*r.test).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((run.truncated, run.repeated), (false, 1));
        let cut = parse(&text[..text.len() - 30]).unwrap();
        assert_eq!((cut.results.len(), cut.truncated), (2, true));
        assert!(parse(HEADER.trim_end()).unwrap().results.is_empty());
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        for (text, message) in [
            (String::new(), "f:1: no header"),
            ("nonsense\n".to_owned(), "f:1: not the header of a run"),
            (HEADER.replace(":1,", ":2,"), "f: format 2 is newer"),
            (format!("{HEADER}{{}}\n"), "f:2: not a result"),
            (
                [HEADER, &result("a", "pass", 1), &result("a", "fail", 1)].concat(),
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
