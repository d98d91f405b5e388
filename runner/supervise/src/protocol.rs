//! Protocol between supervisor and worker: JSON text sequences (RFC 7464) over standard input and
//! output.
//!
//! The record separator, which JSON never contains, distinguishes records from other output of a
//! test.

use std::ffi::OsString;
use std::io::{self, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use execute::CaseOverride;
use look::LookRequest;
use results::DriverHeader;
use results::verdict::{Phase, TestResult, Verdict};
use tools::Case;
use vocabulary::Target;

/// Start of a record.
const SEPARATOR: u8 = 0x1e;

/// A test case to execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Index of the test case in the plan.
    pub case: usize,
    /// File of the test.
    #[serde(with = "path")]
    pub path: OsString,
    /// Name of the test.
    pub test: String,
    /// Generation of the execution.
    pub generation: Target,
    /// Overrides of this execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_override: Option<CaseOverride>,
    /// The result to explain, instead of an execution for a verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Box<ExplanationRequest>>,
    /// Forms of the test to answer with, beside its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<Box<LookRequest>>,
}

impl Request {
    /// Returns the request to execute a test case.
    pub fn execution(number: usize, case: &Case, case_override: Option<CaseOverride>) -> Request {
        Request {
            case: number,
            path: case.path.clone().into(),
            test: case.name.clone(),
            generation: case.generation,
            case_override,
            explanation: None,
            look: None,
        }
    }

    /// Returns the request for a form of a test.
    pub fn look(number: usize, case: &Case, look: LookRequest) -> Request {
        Request { look: Some(Box::new(look)), ..Request::execution(number, case, None) }
    }
}

/// A result to explain in a bundle. The verdict of the answer is that of the explanation: `pass` if
/// the bundle was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExplanationRequest {
    /// The result.
    pub result: TestResult,
    /// The command that executes the test case again.
    pub command: Option<String>,
    /// The OpenGL driver that executed it.
    pub driver: Option<DriverHeader>,
    /// Folder of the run.
    #[serde(with = "path")]
    pub folder: OsString,
}

/// A question about a test case that takes too long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// Index of the test case in the plan.
    pub late: usize,
}

/// The answer to a [`Question`]: what the test case is at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Index of the test case in the plan.
    pub late: usize,
    /// Phase of the test's life.
    pub phase: Phase,
    /// Line and executor, if they are known.
    pub place: String,
}

/// The end of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Index of the test case in the plan.
    pub case: usize,
    /// Verdict of the test case.
    pub verdict: Verdict,
    /// Execution time in microseconds.
    pub duration_us: u64,
    /// The answer to a [`LookRequest`]: JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<String>,
}

/// A record on a worker's standard output.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Reply {
    /// A test case has ended.
    Answer(Box<Answer>),
    /// A test case goes on.
    Place(Place),
}

/// The end of a test case in a worker's standard error: what follows belongs to the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Index of the test case in the plan.
    pub case: usize,
}

/// Returns what a worker wrote to its standard error during a test case; `None` without its mark.
pub(crate) fn errors_of(case: usize, errors: &[u8]) -> Option<&[u8]> {
    let mut mark = Vec::new();
    write(&mut mark, &Mark { case }).ok()?;
    let end = errors.windows(mark.len()).rposition(|part| part == mark)?;
    Some(last_errors(&errors[..end]))
}

/// Returns what follows the last mark in a worker's standard error.
pub(crate) fn last_errors(errors: &[u8]) -> &[u8] {
    let Some(mark) = errors.iter().rposition(|&byte| byte == SEPARATOR) else { return errors };
    let end = errors[mark..].iter().position(|&byte| byte == b'\n');
    end.map_or(&[], |end| &errors[mark + end + 1..])
}

/// File names as text; names that are not UTF-8 as the system's bytes, since lists of numbers are
/// slow to write and read.
mod path {
    use std::ffi::{OsStr, OsString};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Name {
        Text(String),
        Bytes(OsString),
    }

    pub(crate) fn serialize<S: Serializer>(path: &OsStr, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(serializer),
            None => path.serialize(serializer),
        }
    }

    pub(crate) fn deserialize<'d, D: Deserializer<'d>>(
        deserializer: D,
    ) -> Result<OsString, D::Error> {
        Ok(match Name::deserialize(deserializer)? {
            Name::Text(text) => text.into(),
            Name::Bytes(bytes) => bytes,
        })
    }
}

/// Writes a record in one call.
///
/// # Errors
/// Fails if the other side has closed the stream.
pub(crate) fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut record = vec![SEPARATOR];
    serde_json::to_writer(&mut record, value)?;
    record.push(b'\n');
    out.write_all(&record)?;
    out.flush()
}

/// Returns the record at the end of a line; `None` for other lines.
pub(crate) fn read<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let start = line.iter().rposition(|&byte| byte == SEPARATOR)? + 1;
    serde_json::from_slice(&line[start..]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::Phase;

    #[test]
    fn records_among_rubbish() {
        let answer = Answer {
            case: 7,
            verdict: Verdict::fail(Phase::Probe, "line 3\n\u{1e}\"é\""),
            duration_us: 5,
            look: Some("{}".to_owned()),
        };
        let mut text = b"\xff\x1erubbish".to_vec();
        write(&mut text, &answer).unwrap();
        assert_eq!(read::<Answer>(&text), Some(answer));
        for other in [&b""[..], b"rubbish\n", b"\x1e{}\n", b"\x1e", b"{\"case\":1}"] {
            assert_eq!(read::<Answer>(other), None);
        }
    }

    #[test]
    fn marks_divide_standard_error() {
        let mut errors = b"first\n".to_vec();
        write(&mut errors, &Mark { case: 1 }).unwrap();
        errors.extend(b"second\nits end");
        assert_eq!(last_errors(&errors), b"second\nits end");
        assert_eq!(errors_of(12, &errors), None);
        write(&mut errors, &Mark { case: 12 }).unwrap();
        assert_eq!(errors_of(1, &errors), Some(&b"first\n"[..]));
        assert_eq!(errors_of(12, &errors), Some(&b"second\nits end"[..]));
        assert_eq!(last_errors(&errors), b"");
        assert_eq!(last_errors(&errors[..errors.len() - 2]), b"");
        // The mark before may be lost: only the end of standard error is kept.
        assert_eq!(errors_of(12, &errors[22..]), Some(&b"nd\nits end"[..]));
    }

    #[cfg(unix)]
    #[test]
    fn paths_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let path = OsString::from_vec(b"/caf\xe9\n\x1e".to_vec());
        let request = Request {
            case: 0,
            path,
            test: "a".into(),
            generation: Target::REFERENCE,
            case_override: None,
            explanation: None,
            look: None,
        };
        let mut text = Vec::new();
        write(&mut text, &request).unwrap();
        assert_eq!(text.iter().filter(|&&b| b == b'\n').count(), 1);
        assert_eq!(read::<Request>(&text), Some(request));
    }
}
