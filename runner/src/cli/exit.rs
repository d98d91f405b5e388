//! Exit codes of the command.

/// Everything was as expected.
pub(super) const EXPECTED: u8 = 0;
/// Unexpected results.
pub(super) const UNEXPECTED: u8 = 1;
/// Usage or set-up error.
pub(super) const USAGE: u8 = 2;
/// Nothing was selected.
pub(super) const NOTHING: u8 = 3;
/// Under `--git-bisect`: this revision cannot be tested.
pub(super) const UNTESTABLE: u8 = 125;
