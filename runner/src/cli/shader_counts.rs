//! Counts of compiled shaders, as other compilers report them.

use std::collections::{BTreeMap, BTreeSet};

/// The counts of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub instructions: u32,
    pub spills: u32,
    /// Waves that a SIMD holds at a time, on AMD's chips.
    pub waves: Option<u32>,
}

/// Test, generation, stage, width.
pub(super) type Key = (String, String, String, String);
/// Tests, and the counts of their shaders.
pub(super) type Table = (BTreeSet<String>, BTreeMap<Key, Counts>);
