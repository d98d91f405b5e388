//! Positions in shader source text.

/// A byte range of one source string of one shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Index of the source string (0 unless includes or several strings are used).
    pub source: u16,
    /// First byte.
    pub start: u32,
    /// Number of bytes.
    pub len: u16,
}
