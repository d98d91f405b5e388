//! Positions in shader text: the byte space that all source strings share, spans in it, and their
//! resolution.
//!
//! Every source string, every included string and every token made by `##` is appended to one
//! buffer, so that a position is one `u32`. Line continuations are spliced out on the way in (GLSL
//! 4.60 section 3.1 requires this before any other processing); the map remembers where, and
//! resolves to the text the user wrote.

use std::fmt;
use std::sync::OnceLock;

/// A half-open byte range in a [`SourceMap`]'s buffer. Nodes from a macro expansion have the range
/// of the macro's name at the expansion site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte; never below `start`.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end: end.max(start) }
    }

    /// From the start of `self` to the end of `other`; `self` alone if `other` ends before it.
    pub fn to(self, other: Span) -> Span {
        Span::new(self.start, other.end.max(self.end))
    }
}

/// Position in the user's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Index of the file in the order it was added: source strings first (from 0), then included
    /// strings.
    pub file: u32,
    /// Byte offset in that file as the user wrote it, line continuations included.
    pub offset: u32,
    /// Physical line in that file, from 1; `#line` does not move it.
    pub physical_line: u32,
    /// Source string number as compilers report it: the file's index unless a `#line` directive set
    /// it.
    pub string: u32,
    /// Line number as compilers report it, from 1, as moved by `#line`.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    /// `string:line:column`, the form GL info logs use.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.string, self.line, self.column)
    }
}

/// One `#line` directive, which changes the numbers of the physical lines after it.
#[derive(Clone, Debug)]
struct LineChange {
    /// Buffer position of the first byte after the directive's line.
    from: u32,
    line: u32,
    string: u32,
}

/// A line continuation that was removed.
#[derive(Clone, Debug)]
struct Splice {
    /// Buffer position before which bytes are missing.
    at: u32,
    /// Bytes removed in this file up to here, this splice included.
    removed: u32,
}

#[derive(Clone, Debug)]
struct File {
    start: u32,
    end: u32,
    name: String,
    string: u32,
    splices: Vec<Splice>,
    changes: Vec<LineChange>,
    /// Starts of physical lines but the first; computed on first use.
    lines: OnceLock<Vec<u32>>,
}

/// Id of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileId(pub u32);

/// All text of one compilation, and the mapping from positions to lines.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    text: Vec<u8>,
    files: Vec<File>,
}

impl SourceMap {
    /// Maximum size of a compilation's text, macros' and includes' text included.
    pub const MAX_BYTES: usize = 1 << 30;

    /// Removes everything, keeping the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.files.clear();
    }

    /// Appends a file, splicing out line continuations, and with `last` a final newline if it has
    /// none (source strings run on into each other). `name` is its include path, or empty for a
    /// source string; `string` the source string number reported in it. `None` when the text would
    /// outgrow [`Self::MAX_BYTES`].
    pub fn add_file(
        &mut self,
        bytes: &[u8],
        name: &str,
        string: u32,
        last: bool,
    ) -> Option<FileId> {
        if self.text.len().checked_add(bytes.len())? > Self::MAX_BYTES {
            return None;
        }
        let start = self.text.len() as u32;
        let mut splices = Vec::new();
        let mut removed = 0;
        let mut rest = bytes;
        while let Some(i) = rest.iter().position(|&b| b == b'\\') {
            let skip = match &rest[i + 1..] {
                [b'\r', b'\n', ..] => 3,
                [b'\n', b'\r', ..] => 3,
                [b'\n' | b'\r', ..] => 2,
                _ => 0,
            };
            let keep = if skip == 0 { i + 1 } else { i };
            self.text.extend_from_slice(&rest[..keep]);
            if skip > 0 {
                removed += skip as u32;
                splices.push(Splice { at: self.text.len() as u32, removed });
            }
            rest = &rest[keep + skip..];
        }
        self.text.extend_from_slice(rest);
        if last && !matches!(self.text[start as usize..].last(), Some(b'\n' | b'\r')) {
            self.text.push(b'\n');
        }
        let end = self.text.len() as u32;
        self.files.push(File {
            start,
            end,
            name: name.to_owned(),
            string,
            splices,
            changes: Vec::new(),
            lines: OnceLock::new(),
        });
        Some(FileId(self.files.len() as u32 - 1))
    }

    /// Appends text outside of any file (a token made by `##`) and returns its range.
    pub fn add_text(&mut self, bytes: &[u8]) -> Option<Span> {
        if self.text.len().checked_add(bytes.len())? > Self::MAX_BYTES {
            return None;
        }
        let start = self.text.len() as u32;
        self.text.extend_from_slice(bytes);
        Some(Span::new(start, self.text.len() as u32))
    }

    /// Records a `#line` directive: the line that starts at buffer position `from` is line `line`
    /// of `string`.
    pub fn set_line(&mut self, from: u32, line: u32, string: u32) {
        if let Some(file) = self.file_index(from.saturating_sub(1)) {
            self.files[file].changes.push(LineChange { from, line, string });
        }
    }

    /// The buffer.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Range of a file in the buffer; empty for an unknown id.
    pub fn file_span(&self, file: FileId) -> Span {
        self.files.get(file.0 as usize).map_or(Span::default(), |f| Span::new(f.start, f.end))
    }

    /// Starts of the physical lines of a file but the first, counted in bytes from the start of its
    /// range; empty for an unknown id.
    pub fn line_starts(&self, file: FileId) -> Vec<u32> {
        let Some(file) = self.files.get(file.0 as usize) else { return Vec::new() };
        let lines = file.lines.get_or_init(|| self.find_lines(file));
        lines.iter().map(|&line| line - file.start).collect()
    }

    /// Include path of a file; empty for source strings.
    pub fn file_name(&self, file: FileId) -> &str {
        self.files.get(file.0 as usize).map_or("", |f| &f.name)
    }

    /// The text of a span, with replacement characters for invalid UTF-8; empty if out of range.
    pub fn text(&self, span: Span) -> String {
        let bytes = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    fn file_index(&self, pos: u32) -> Option<usize> {
        let i = self.files.partition_point(|f| f.start <= pos);
        let i = i.checked_sub(1)?;
        (pos <= self.files[i].end).then_some(i)
    }

    /// Source string number at `pos`.
    pub fn string_at(&self, pos: u32) -> u32 {
        self.file_index(pos).map_or(0, |i| {
            let file = &self.files[i];
            let n = file.changes.partition_point(|c| c.from <= pos);
            if n == 0 { file.string } else { file.changes[n - 1].string }
        })
    }

    /// Resolves a position.
    pub fn locate(&self, pos: u32) -> Location {
        let Some(index) = self.file_index(pos) else { return Location::default() };
        let file = &self.files[index];
        let removed = match file.splices.partition_point(|s| s.at <= pos) {
            0 => 0,
            n => file.splices[n - 1].removed,
        };
        let (physical_line, line_start) = self.physical_line(file, pos);
        let changes = file.changes.partition_point(|c| c.from <= pos);
        let (line, string) = match changes.checked_sub(1).map(|i| &file.changes[i]) {
            Some(change) => {
                let passed = physical_line - self.physical_line(file, change.from).0;
                (change.line.saturating_add(passed), change.string)
            }
            None => (physical_line, file.string),
        };
        Location {
            file: index as u32,
            offset: pos - file.start + removed,
            physical_line,
            string,
            line,
            column: pos - line_start + 1,
        }
    }

    /// Line of `pos`, from 1, and its start.
    fn physical_line(&self, file: &File, pos: u32) -> (u32, u32) {
        let lines = file.lines.get_or_init(|| self.find_lines(file));
        match lines.partition_point(|&start| start <= pos) {
            0 => (1, file.start),
            n => (n as u32 + 1, lines[n - 1]),
        }
    }

    /// Starts of lines: after LF, CR, CR LF or LF CR, and at every splice.
    fn find_lines(&self, file: &File) -> Vec<u32> {
        let text = &self.text[file.start as usize..file.end as usize];
        let mut lines: Vec<u32> = file.splices.iter().map(|s| s.at).collect();
        let mut i = 0;
        while i < text.len() {
            let length = match (text[i], text.get(i + 1)) {
                (b'\r', Some(b'\n')) | (b'\n', Some(b'\r')) => 2,
                (b'\r' | b'\n', _) => 1,
                _ => {
                    i += 1;
                    continue;
                }
            };
            i += length;
            lines.push(file.start + i as u32);
        }
        lines.sort_unstable();
        lines
    }
}
