//! `results.GEN.csv`: deqp-runner's format, `name,Status,seconds`.

use std::fmt::Write;

use crate::names::csv_field;
use crate::verdict::TestResult;

/// Renders the results in the given order.
pub(super) fn render<'a>(results: impl Iterator<Item = &'a TestResult>) -> Vec<u8> {
    let mut text = String::new();
    for result in results {
        let seconds = result.duration_us as f64 / 1e6;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{seconds:.6}",
            csv_field(&result.test),
            result.status.capitalized()
        );
    }
    text.into_bytes()
}
