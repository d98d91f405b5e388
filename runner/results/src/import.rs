//! Import of other runners' results: piglit's `results.json` (plain or bzip2) and deqp-runner's
//! `results.csv` and `failures.csv`. Runs on real GPUs can then be compared with runs of this
//! program.

use std::collections::BTreeMap;
use std::io::Read;

use serde::{Deserialize, Serialize};

use crate::expect::{Baseline, is_bad};
use crate::verdict::{Outcome, Status, Subtest, TestResult};

/// Results that cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// A malformed line of a CSV file.
    #[error("line {0}: not name,Status,seconds")]
    Line(usize),
    /// A line that contradicts an earlier line about the same test.
    #[error("line {line}: a second, different result of {test}")]
    Doubled {
        /// Line number.
        line: usize,
        /// Test name.
        test: String,
    },
    /// Malformed JSON of piglit.
    #[error("not piglit's results.json: {0}")]
    Json(String),
    /// Damaged compressed data.
    #[error("not a bzip2 file: {0}")]
    Compressed(String),
    /// Compressed data that expands beyond all measure.
    #[error("{compressed} compressed bytes expand to more than {limit}")]
    Bomb {
        /// Size of the compressed data in bytes.
        compressed: usize,
        /// Maximum size of the text in bytes.
        limit: u64,
    },
    /// Text in another encoding than UTF-8.
    #[error("invalid UTF-8 at byte {0}")]
    Encoding(usize),
}

/// Maximum length of the output of a test in bytes.
const OUTPUT_BYTES: usize = 16 << 10;
/// Maximum size of the text of a small compressed file.
const SMALL_BYTES: u64 = 64 << 20;
/// Maximum ratio of text to compressed data of larger files. That of piglit's results is below 50.
const RATIO: u64 = 200;
/// Maximum size of the text of any compressed file.
const MOST_BYTES: u64 = 4 << 30;

/// Returns the text of a file, decompressed if necessary.
///
/// # Errors
/// Fails if the file is damaged or not text.
pub fn decompress(bytes: Vec<u8>) -> Result<String, ImportError> {
    let mut text = bytes;
    if text.starts_with(b"BZh") {
        let mut plain = Vec::new();
        let limit = (text.len() as u64 * RATIO).clamp(SMALL_BYTES, MOST_BYTES);
        let mut decoder = bzip2::read::MultiBzDecoder::new(&*text).take(limit + 1);
        decoder
            .read_to_end(&mut plain)
            .map_err(|error| ImportError::Compressed(error.to_string()))?;
        if plain.len() as u64 > limit {
            return Err(ImportError::Bomb { compressed: text.len(), limit });
        }
        text = plain;
    }
    String::from_utf8(text).map_err(|error| ImportError::Encoding(error.utf8_error().valid_up_to()))
}

/// Reads results of either format, distinguished by the first character, as results of
/// `generation`. `known` maps piglit's form of test names to this project's names.
///
/// # Errors
/// Fails if the text has neither format.
pub fn import(
    text: &str,
    generation: &str,
    known: &BTreeMap<String, String>,
) -> Result<ImportedRun, ImportError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (results, origin) = if text.trim_start().starts_with('{') {
        piglit(text)?
    } else {
        (deqp_runner(text)?, Origin::of("deqp-runner"))
    };
    let mut run = ImportedRun { origin, results: Vec::new(), unmatched: Vec::new() };
    for (name, result) in results {
        let test = known.get(&name.to_lowercase()).cloned();
        if test.is_none() {
            run.unmatched.push(name.clone());
        }
        run.results.push(TestResult {
            reason: result.reason,
            outcome: result.outcome,
            duration_us: result.duration_us,
            subtests: result.subtests,
            ..TestResult::plain(test.unwrap_or(name), generation, result.status)
        });
    }
    Ok(run)
}

/// The run of another runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedRun {
    /// The runner and the driver that it was executed with.
    pub origin: Origin,
    /// Its results.
    pub results: Vec<TestResult>,
    /// Names that none of the known tests has, in the other runner's form.
    pub unmatched: Vec<String>,
}

/// The origin of an imported run, as its header holds it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The runner: `piglit` or `deqp-runner`.
    pub runner: String,
    /// Name that the run has there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Renderer and version of the driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Revision of the driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl Origin {
    fn of(runner: &str) -> Origin {
        Origin { runner: runner.to_owned(), ..Origin::default() }
    }
}

/// The result of one test of the other runner.
#[derive(Clone, Debug, PartialEq)]
struct Imported {
    status: Status,
    outcome: Outcome,
    /// The other runner's status word, where the translated status says less, and what the test
    /// printed, if it did not pass.
    reason: Option<String>,
    duration_us: u64,
    subtests: Vec<Subtest>,
}

/// Reads `name,Status,seconds` lines; results that deqp-runner expected count as expected.
fn deqp_runner(text: &str) -> Result<BTreeMap<String, Imported>, ImportError> {
    let mut results = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, result) = csv_line(line).ok_or(ImportError::Line(index + 1))?;
        let again = results.get(&name).is_some_and(|other: &Imported| {
            (other.status, other.outcome) != (result.status, result.outcome)
        });
        if again {
            return Err(ImportError::Doubled { line: index + 1, test: name });
        }
        results.insert(name, result);
    }
    Ok(results)
}

fn csv_line(line: &str) -> Option<(String, Imported)> {
    let (rest, seconds) = line.rsplit_once(',')?;
    // Without durations (as in failures.csv), the last field is the status.
    let (name, word, seconds) = match seconds.trim().parse::<f64>() {
        Ok(seconds) => rest.rsplit_once(',').map(|(name, word)| (name, word, seconds))?,
        Err(_) => (rest, seconds, 0.0),
    };
    let word = word.trim();
    let (status, outcome) = match (word, Baseline::parse(word)?) {
        ("ExpectedFail", _) => (Status::Fail, Outcome::Expected),
        ("Flake" | "KnownFlake", _) => (Status::Fail, Outcome::Flake),
        (_, Baseline::Missing) => (Status::Skip, Outcome::Missing),
        (word, Baseline::Status(status)) if word.starts_with("UnexpectedImprovement") => {
            (status, Outcome::Improved)
        }
        (_, Baseline::Status(status)) => (status, plain(status)),
    };
    let name = match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => name.to_owned(),
    };
    // The conversion saturates on any duration.
    let duration_us = (seconds * 1e6) as u64;
    let result = Imported { status, outcome, reason: None, duration_us, subtests: Vec::new() };
    (!name.is_empty()).then_some((name, result))
}

fn plain(status: Status) -> Outcome {
    if is_bad(status) { Outcome::Unexpected } else { Outcome::Expected }
}

#[derive(Deserialize)]
struct PiglitFile {
    tests: BTreeMap<String, PiglitTest>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    info: serde_json::Value,
    /// Before version 10 of the format.
    #[serde(default)]
    glxinfo: serde_json::Value,
}

#[derive(Deserialize)]
struct PiglitTest {
    result: String,
    time: Option<PiglitTime>,
    #[serde(default)]
    subtests: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    out: serde_json::Value,
    #[serde(default)]
    err: serde_json::Value,
}

#[derive(Deserialize)]
struct PiglitTime {
    start: f64,
    end: f64,
}

fn piglit(text: &str) -> Result<(BTreeMap<String, Imported>, Origin), ImportError> {
    let file: PiglitFile =
        serde_json::from_str(text).map_err(|error| ImportError::Json(error.to_string()))?;
    let origin = piglit_origin(&file);
    let mut results = BTreeMap::new();
    for (name, test) in file.tests {
        let Some((status, word)) = piglit_status(&test.result) else { continue };
        let printed = if status == Status::Pass { None } else { printed(&test) };
        let reason = match (word, printed) {
            (Some(word), Some(printed)) => Some(format!("{word}\n{printed}")),
            (word, printed) => word.or(printed),
        };
        let seconds = test.time.map_or(0.0, |time| time.end - time.start);
        let subtests = test.subtests.iter().filter_map(|(name, status)| {
            let (status, _) = piglit_status(status.as_str()?)?;
            Some(Subtest { name: name.clone(), status })
        });
        let subtests = subtests.collect();
        // The conversion saturates on any duration.
        let duration_us = (seconds * 1e6) as u64;
        let outcome = if test.result == "incomplete" { Outcome::Missing } else { plain(status) };
        results.insert(name, Imported { status, outcome, reason, duration_us, subtests });
    }
    Ok((results, origin))
}

/// Returns the output of a test without its machine-readable lines, cut to [`OUTPUT_BYTES`].
fn printed(test: &PiglitTest) -> Option<String> {
    let lines = [&test.out, &test.err].into_iter().filter_map(|text| text.as_str());
    let lines = lines.flat_map(str::lines).filter(|line| !line.starts_with("PIGLIT: "));
    let mut text = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    if text.len() > OUTPUT_BYTES {
        let end =
            (0..=OUTPUT_BYTES).rev().find(|&end| text.is_char_boundary(end)).unwrap_or_default();
        let left = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("…\n[cut: {left} more bytes]"));
    }
    (!text.is_empty()).then_some(text)
}

/// Returns name, driver and revision of a run. The driver is in the output of glxinfo, its revision
/// in the version of the driver: `Mesa 22.0.0 (git-0123456789)`.
fn piglit_origin(file: &PiglitFile) -> Origin {
    let info = file.info.pointer("/system/glxinfo").unwrap_or(&file.glxinfo);
    let lines = || info.as_str().unwrap_or_default().lines().map(str::trim);
    let line = |name: &str| lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let version =
        line("OpenGL core profile version string:").or_else(|| line("OpenGL version string:"));
    let driver: Vec<&str> =
        [line("OpenGL renderer string:"), version].into_iter().flatten().collect();
    let revision = version
        .and_then(|text| text.split_once("git-"))
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_hexdigit).collect::<String>());
    Origin {
        name: file.name.clone().filter(|name| !name.is_empty()),
        driver: Some(driver.join(", ")).filter(|driver| !driver.is_empty()),
        revision: revision.filter(|revision| !revision.is_empty()),
        ..Origin::of("piglit")
    }
}

/// Translates a status of piglit, with the original word where the translation says less; `None`
/// for tests that were not run. A test that was running when the run ended is a crash without a
/// result.
fn piglit_status(name: &str) -> Option<(Status, Option<String>)> {
    let status = match name {
        "pass" => Status::Pass,
        "warn" | "dmesg-warn" => Status::Warn,
        "fail" | "dmesg-fail" => Status::Fail,
        "crash" | "incomplete" => Status::Crash,
        "timeout" => Status::Timeout,
        "skip" => Status::Skip,
        _ => return None,
    };
    Some((status, (status.name() != name).then(|| name.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imported(text: &str) -> Result<Vec<(String, Status, Outcome, u64)>, ImportError> {
        let known = BTreeMap::from([("spec@a@foo".to_owned(), "tests/spec/a/Foo".to_owned())]);
        let run = import(text, "ivb", &known)?;
        Ok(run
            .results
            .into_iter()
            .map(|result| (result.test, result.status, result.outcome, result.duration_us))
            .collect())
    }

    #[test]
    fn deqp_runners_csv() {
        use Outcome::{Expected, Flake, Improved, Missing, Unexpected};
        let text = "spec@a@foo,Pass,0.5\nb,ExpectedFail,1\n\"c,d\",Crash,0\ne,UnexpectedImprovement(Pass)\nf,Flake,0\n\
                    g,Missing,0\nh,Skip,nan\n";
        let results = imported(text).unwrap();
        let expected = [
            ("b", Status::Fail, Expected, 1_000_000),
            ("c,d", Status::Crash, Unexpected, 0),
            ("e", Status::Pass, Improved, 0),
            ("f", Status::Fail, Flake, 0),
            ("g", Status::Skip, Missing, 0),
            ("h", Status::Skip, Expected, 0),
            ("tests/spec/a/Foo", Status::Pass, Expected, 500_000),
        ];
        assert_eq!(
            results,
            expected.map(|(name, status, outcome, us)| (name.to_owned(), status, outcome, us))
        );
        assert_eq!(imported("a,Pass,1\nb\n"), Err(ImportError::Line(2)));
        assert_eq!(imported("a,Broken,1\n"), Err(ImportError::Line(1)));
        assert_eq!(imported("a,Pass,1\na,Pass,2\n").unwrap().len(), 1);
        let doubled = ImportError::Doubled { line: 2, test: "a".to_owned() };
        assert_eq!(imported("a,Pass,1\na,Fail,1\n"), Err(doubled));
    }

    #[test]
    fn compressed_and_damaged_files() {
        use std::io::Write;
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all("{\"caf\u{e9}\"}".as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(decompress(packed.clone()).unwrap(), "{\"caf\u{e9}\"}");
        assert_eq!(decompress(b"plain".to_vec()).unwrap(), "plain");
        assert_eq!(decompress(b"ab\xff".to_vec()), Err(ImportError::Encoding(2)));
        let cut = decompress(packed[..packed.len() / 2].to_vec());
        assert!(matches!(cut, Err(ImportError::Compressed(_))), "{cut:?}");
    }

    #[test]
    fn piglits_json() {
        let text = r#"{"results_version": 10, "tests": {
            "spec@a@foo": {"result": "pass", "time": {"start": 2.0, "end": 2.5}, "subtests": {"x": "fail"}},
            "b": {"result": "dmesg-fail"}, "c": {"result": "incomplete"}, "d": {"result": "skip"}}}"#;
        let results = imported(text).unwrap();
        let expected = [
            ("b", Status::Fail, Outcome::Unexpected, 0),
            ("c", Status::Crash, Outcome::Missing, 0),
            ("d", Status::Skip, Outcome::Expected, 0),
            ("tests/spec/a/Foo", Status::Pass, Outcome::Expected, 500_000),
        ];
        assert_eq!(
            results,
            expected.map(|(name, status, outcome, us)| (name.to_owned(), status, outcome, us))
        );
        assert!(matches!(imported("{\"tests\": 1}"), Err(ImportError::Json(_))));
    }
}
