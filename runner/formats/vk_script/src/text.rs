//! The text of a script: lines, and errors with their position.

use crate::error::{ParseError, Span};

/// An error before its line is computed.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn at(span: Span, message: impl Into<String>) -> Fault {
        Fault { start: span.start as usize, end: span.end as usize, message: message.into() }
    }
}

/// The result of a step of a parser.
pub(crate) type Step<T> = Result<T, Fault>;

/// Longest quotation of offending text in bytes.
const QUOTE_LIMIT: usize = 80;

/// The starts of the lines of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Lines {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let mut starts = vec![0];
        starts.extend(ends.map(|(at, _)| saturate(at + 1)));
        Lines { starts }
    }

    /// The line of an offset, from 1.
    pub(crate) fn number(&self, offset: u32) -> u32 {
        saturate(self.starts.partition_point(|start| *start <= offset))
    }

    pub(crate) fn locate(&self, text: &str, fault: Fault) -> ParseError {
        let end = fault.end.min(text.len());
        let start = fault.start.min(end);
        let line = self.number(saturate(start));
        let line_start = self.starts.get(line as usize - 1).map_or(0, |start| *start as usize);
        let before = text.as_bytes().get(line_start..start).unwrap_or_default();
        let column = before.iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 1;
        let found = String::from_utf8_lossy(text.as_bytes().get(start..end).unwrap_or_default());
        ParseError {
            span: Span { start: saturate(start), end: saturate(end) },
            line,
            column: saturate(column),
            message: fault.message,
            text: quote(&found),
        }
    }
}

fn quote(found: &str) -> String {
    let first_line = found.lines().next().unwrap_or("");
    match first_line.char_indices().find(|(at, _)| *at >= QUOTE_LIMIT) {
        Some((at, _)) => format!("{}…", &first_line[..at]),
        None => first_line.to_owned(),
    }
}

/// A count or offset as the 32 bits that spans use; larger texts are rejected before.
pub(crate) fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The text without bytes that are not UTF-8 and without NUL: each becomes a blank or a question
/// mark, so that offsets stay the same. Such bytes occur in comments.
pub(crate) fn clean(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    if text.contains('\0') { text.replace('\0', " ") } else { text }
}
