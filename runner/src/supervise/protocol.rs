//! What supervisor and worker say to each other: JSON text sequences (RFC 7464) over standard input and output.
//!
//! Whatever else a test prints is told apart by the record separator, which JSON never contains.

use std::ffi::OsString;
use std::io::{self, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use execute::Trial;
use results::verdict::Verdict;
use vocabulary::Generation;

/// Begins a record.
const SEPARATOR: u8 = 0x1e;

/// A row to execute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Position in the plan.
    pub job: usize,
    /// The test's file.
    #[serde(with = "path")]
    pub path: OsString,
    /// The test's name.
    pub test: String,
    /// What it runs on.
    pub target: Generation,
    /// What is tried with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Trial>,
}

/// How a row ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Position in the plan.
    pub job: usize,
    /// How it ended.
    pub verdict: Verdict,
    /// Microseconds of work.
    pub duration_us: u64,
}

/// File names as text, those that are none as the system's bytes: lists of numbers take long to write and to read.
mod path {
    use std::ffi::{OsStr, OsString};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Name {
        Text(String),
        Bytes(OsString),
    }

    pub(super) fn serialize<S: Serializer>(path: &OsStr, serializer: S) -> Result<S::Ok, S::Error> {
        match path.to_str() {
            Some(text) => text.serialize(serializer),
            None => path.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<OsString, D::Error> {
        Ok(match Name::deserialize(deserializer)? {
            Name::Text(text) => text.into(),
            Name::Bytes(bytes) => bytes,
        })
    }
}

/// Writes a record at once.
///
/// # Errors
/// When the other side is gone.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut record = vec![SEPARATOR];
    serde_json::to_writer(&mut record, value)?;
    record.push(b'\n');
    out.write_all(&record)?;
    out.flush()
}

/// The record at the end of a line; `None` if the line is something else.
pub fn read<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let start = line.iter().rposition(|&byte| byte == SEPARATOR)? + 1;
    serde_json::from_slice(&line[start..]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::Phase;

    #[test]
    fn records_among_rubbish() {
        let answer =
            Answer { job: 7, verdict: Verdict::fail(Phase::Probe, "line 3\n\u{1e}\"é\""), duration_us: 5 };
        let mut text = b"\xff\x1erubbish".to_vec();
        write(&mut text, &answer).unwrap();
        assert_eq!(read::<Answer>(&text), Some(answer));
        for other in [&b""[..], b"rubbish\n", b"\x1e{}\n", b"\x1e", b"{\"job\":1}"] {
            assert_eq!(read::<Answer>(other), None);
        }
    }

    #[cfg(unix)]
    #[test]
    fn paths_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let path = OsString::from_vec(b"/caf\xe9\n\x1e".to_vec());
        let request = Request { job: 0, path, test: "a".into(), target: Generation::Reference, trial: None };
        let mut text = Vec::new();
        write(&mut text, &request).unwrap();
        assert_eq!(text.iter().filter(|&&b| b == b'\n').count(), 1);
        assert_eq!(read::<Request>(&text), Some(request));
    }
}
