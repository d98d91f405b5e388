//! Diagnostics: errors and warnings with their resolved position.

use crate::source::{Location, SourceMap, Span};
use std::fmt;

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The shader compiles.
    Warning,
    /// The shader does not compile.
    Error,
}

/// One message about one position. It owns its data and outlives the source map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Description in one sentence without a full stop.
    pub message: String,
    /// Range in the source map's buffer.
    pub span: Span,
    /// Start of the range in the user's text.
    pub location: Location,
    /// The offending text, cut after 80 bytes.
    pub text: String,
}

impl Diagnostic {
    /// Longest offending text that is kept.
    const MAX_TEXT: u32 = 80;

    /// Builds a diagnostic, resolving `span`.
    pub fn new(
        sources: &SourceMap,
        severity: Severity,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        let cut = Span::new(span.start, span.end.min(span.start.saturating_add(Self::MAX_TEXT)));
        Self {
            severity,
            message: message.into(),
            span,
            location: sources.locate(span.start),
            text: sources.text(cut).trim_end().to_owned(),
        }
    }

    /// An error.
    #[cold]
    pub fn error(sources: &SourceMap, span: Span, message: impl Into<String>) -> Self {
        Self::new(sources, Severity::Error, span, message)
    }

    /// A warning.
    pub fn warning(sources: &SourceMap, span: Span, message: impl Into<String>) -> Self {
        Self::new(sources, Severity::Warning, span, message)
    }
}

impl Diagnostic {
    /// Returns the first line of the offending text, unless the message quotes it already.
    pub fn unquoted_text(&self) -> Option<&str> {
        self.text.lines().next().filter(|text| !self.message.contains(&format!("`{text}`")))
    }
}

impl fmt::Display for Diagnostic {
    /// ``string:line:column: error: message: `text` ``; the text only when there is some that the
    /// message does not quote.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, "{}: {severity}: {}", self.location, self.message)?;
        match self.unquoted_text() {
            Some(text) => write!(f, ": `{text}`"),
            None => Ok(()),
        }
    }
}

/// Errors of a shader that does not compile, in source order; warnings may precede them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            write!(f, "{}{diagnostic}", if i > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}
