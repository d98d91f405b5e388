//! Evaluation of expectations: bytes of buffers against what a script expects.

mod buffers;
mod decode;
mod mismatch;
mod texels;
mod values;

pub use mismatch::Mismatch;

use mismatch::mismatch;

use crate::model::{BufferId, Expectation, Expected, Script};

impl Expectation {
    /// Returns the second buffer of a comparison of two.
    pub fn other(&self) -> Option<BufferId> {
        match self.expected {
            Expected::EqualBuffer { other }
            | Expected::RmseBuffer { other, .. }
            | Expected::HistogramEmdBuffer { other, .. } => Some(other),
            Expected::Values { .. } | Expected::Texels { .. } => None,
        }
    }

    /// Compares the contents of the buffer, and of [`Expectation::other`], with what is expected.
    /// Bytes of an image are those of level 0, rows without padding.
    ///
    /// # Errors
    ///
    /// The differences. Bytes that are missing count as a difference.
    pub fn check(
        &self,
        script: &Script,
        bytes: &[u8],
        other: Option<&[u8]>,
    ) -> Result<(), Mismatch> {
        let buffer = script.buffer(self.buffer);
        let second = self.other().map(|id| script.buffer(id)).zip(other);
        match (&self.expected, second) {
            (Expected::Values { offset, format, comparison, values, tolerances }, _) => {
                let wanted = values::Wanted { format, comparison: *comparison, values, tolerances };
                values::check(&wanted, *offset, bytes)
            }
            (Expected::Texels { area, color, alpha, tolerances }, _) => {
                let wanted =
                    texels::Wanted { color, alpha: *alpha, tolerances, rules: script.rules };
                texels::check(&wanted, *area, buffer, bytes)
            }
            (Expected::EqualBuffer { .. }, Some((second, other))) => {
                buffers::comparable(buffer, second)?;
                buffers::equal(bytes, other)
            }
            (Expected::RmseBuffer { tolerance, .. }, Some((second, other))) => {
                buffers::comparable(buffer, second)?;
                buffers::rmse(buffer, bytes, other, *tolerance)
            }
            (Expected::HistogramEmdBuffer { tolerance, .. }, Some((second, other))) => {
                buffers::comparable(buffer, second)?;
                buffers::histogram_emd(buffer, bytes, other, *tolerance)
            }
            (_, None) => Err(mismatch("the second buffer has no contents")),
        }
    }
}
