//! `results.GEN.csv`: deqp-runner's format, `name,Status,seconds`.

use std::fmt::Write;

use crate::names::printable;
use crate::verdict::TestResult;

/// The rows in the order given.
pub(super) fn render<'a>(rows: impl Iterator<Item = &'a TestResult>) -> Vec<u8> {
    let mut text = String::new();
    for row in rows {
        let seconds = row.duration_us as f64 / 1e6;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{},{},{seconds:.6}", field(&row.test), row.status.capitalised());
    }
    text.into_bytes()
}

/// A field, quoted only where it must be.
fn field(text: &str) -> String {
    let text = printable(text);
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}
