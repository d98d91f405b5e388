//! Explanation of a program's result.

use std::collections::BTreeMap;

/// Output of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramExplanation {
    /// Standard output and standard error.
    pub texts: BTreeMap<String, String>,
    /// PNG files that it named, by their names in bundles.
    pub images: BTreeMap<&'static str, Vec<u8>>,
}
