//! Positions in shader source text.

use std::sync::Arc;

use vocabulary::SourceLine;

/// A byte range of one source string of one shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Index into [`Shader::sources`](crate::Shader::sources): the source string (0 unless
    /// includes, several strings or several shader objects are used).
    pub source: u16,
    /// First byte.
    pub start: u32,
    /// Number of bytes.
    pub len: u16,
}

/// The lines of a source string.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Number of the shader object among those of its stage.
    pub unit: usize,
    /// First bytes of the lines but the first; `None` if lines mean nothing to a user: text that
    /// was included or generated.
    pub line_starts: Option<Arc<[u32]>>,
}

impl SourceText {
    /// Returns the line of a byte.
    pub fn line(&self, byte: u32) -> SourceLine {
        match &self.line_starts {
            Some(starts) => {
                let before = starts.partition_point(|&start| start <= byte);
                SourceLine::new(self.unit, before as u32 + 1)
            }
            None => SourceLine::UNKNOWN,
        }
    }
}
