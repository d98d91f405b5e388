//! Limits on what a short text can ask for.

/// Counts what a script copies: a text of some kilobytes could otherwise fill the memory.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    parts: usize,
    pipeline_entries: usize,
    decoded: usize,
    contents: usize,
}

/// Values in all element formats of a script.
const PARTS: usize = 1 << 20;
/// Stages, attachments, bindings and vertex buffers of all pipelines of a script.
const PIPELINE_ENTRIES: usize = 1 << 18;
/// Bytes of hexadecimal modules of a script.
const DECODED: usize = 1 << 28;
/// Bytes of contents and expected values of a script.
const CONTENTS: usize = 1 << 28;

impl Budget {
    /// Counts the values of a new format.
    pub(crate) fn parts(&mut self, count: usize) -> Result<(), String> {
        self.parts = self.parts.saturating_add(count);
        limit(self.parts, PARTS, "types of the script have")
    }

    /// Counts the bytes of a hexadecimal module.
    pub(crate) fn decoded(&mut self, bytes: usize) -> Result<(), String> {
        self.decoded = self.decoded.saturating_add(bytes);
        limit(self.decoded, DECODED, "modules of the script have")
    }

    /// Counts bytes of contents or of expected values.
    pub(crate) fn contents(&mut self, bytes: usize) -> Result<(), String> {
        self.contents = self.contents.saturating_add(bytes);
        limit(self.contents, CONTENTS, "contents of the script have")
    }

    /// Counts the entries of a new pipeline.
    pub(crate) fn pipeline(&mut self, entries: usize) -> Result<(), String> {
        self.pipeline_entries = self.pipeline_entries.saturating_add(entries);
        limit(self.pipeline_entries, PIPELINE_ENTRIES, "pipelines of the script have")
    }
}

fn limit(count: usize, limit: usize, subject: &str) -> Result<(), String> {
    if count <= limit { Ok(()) } else { Err(format!("{subject} more than {limit} entries")) }
}
