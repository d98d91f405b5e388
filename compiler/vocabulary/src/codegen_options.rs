//! Code generation options.

use crate::{Backend, PassLimit, Scope, Stage, Width};

/// Code generation options, from the command line to the pass that reads them.
///
/// The defaults compile every width with every pass and every quirk handled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// Widths to compile, of those that a stage offers; empty means all.
    pub widths: Vec<Width>,
    /// Back end of the geometry pipeline's stages; `None` means the generation's default.
    pub backend: Option<Backend>,
    /// Limits on the optional passes of each kernel: first those on the IR of its stage, then those
    /// in the back end. A limit with a scope overrides one without; of several limits on the same
    /// scope the last one counts.
    pub pass_limits: Vec<PassLimit>,
    /// Present names of optional passes to leave out, plain or of one representation
    /// (`lir:opt_dce`).
    pub disabled_passes: Vec<String>,
    /// Quirks whose handling is switched off.
    pub disabled_quirks: QuirkSet,
    /// Most expressions of a stage with every call inlined; beyond it, functions become procedures.
    /// `None` means a limit for real programs, 0 that no call is inlined.
    pub inline_limit: Option<u32>,
    /// Spill every register that can be spilled (a test of the spill code).
    pub spill_all: bool,
    /// Validate the IR after each pass and re-prove register allocations in release builds, too.
    pub paranoid: bool,
    /// Granularity of the register allocator's liveness analysis (for comparisons).
    pub liveness: LivenessGranularity,
    /// Interference of payload registers (for comparisons).
    pub payload_interference: PayloadInterference,
    /// Accept binaries that the EU validator refuses.
    pub no_validate: bool,
}

impl CodegenOptions {
    /// Returns the most optional passes to run on a stage's IR.
    #[must_use]
    pub fn limit(&self, stage: Stage) -> Option<u64> {
        let own = self.limit_of(Some(Scope { stage, width: None }));
        own.or_else(|| self.limit_of(None))
    }

    /// Returns the most optional passes to run on the kernel of a stage in one width, those on the
    /// stage's IR included.
    #[must_use]
    pub fn kernel_limit(&self, stage: Stage, width: Width) -> Option<u64> {
        let own = self.limit_of(Some(Scope { stage, width: Some(width) }));
        own.or_else(|| self.limit(stage))
    }

    fn limit_of(&self, scope: Option<Scope>) -> Option<u64> {
        let own = self.pass_limits.iter().rfind(|limit| limit.scope == scope);
        own.map(|limit| limit.limit.into())
    }
}

/// Granularity of the register allocator's liveness analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum LivenessGranularity {
    /// One bit per byte.
    #[default]
    Byte,
    /// One bit per register: a write that does not cover the whole register defines nothing.
    Register,
}

/// Interference of payload registers with virtual registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PayloadInterference {
    /// A payload register interferes with values that are live before its last use.
    #[default]
    LastUse,
    /// A payload register interferes with every value.
    All,
}

/// A set of hardware quirks, by their index in the instruction set's table of quirks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct QuirkSet(u64);

impl QuirkSet {
    /// Returns the set with `quirk` added.
    #[must_use]
    pub fn with(self, quirk: impl Into<u32>) -> QuirkSet {
        QuirkSet(self.0 | 1 << quirk.into())
    }

    /// Returns true if `quirk` is in the set.
    #[must_use]
    pub fn contains(self, quirk: impl Into<u32>) -> bool {
        self.0 >> quirk.into() & 1 != 0
    }
}

impl<Q: Into<u32>> FromIterator<Q> for QuirkSet {
    fn from_iter<I: IntoIterator<Item = Q>>(quirks: I) -> QuirkSet {
        quirks.into_iter().fold(QuirkSet::default(), QuirkSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_limit_of_a_stage_counts() {
        let limits = ["1", "fragment=2", "fragment=3", "fragment/8=4", "fragment/8=5"];
        let options = CodegenOptions {
            pass_limits: limits.map(|text| PassLimit::parse(text).unwrap()).to_vec(),
            ..CodegenOptions::default()
        };
        assert_eq!(options.limit(Stage::Vertex), Some(1));
        assert_eq!(options.limit(Stage::Fragment), Some(3));
        assert_eq!(options.kernel_limit(Stage::Fragment, Width::Simd8), Some(5));
        assert_eq!(options.kernel_limit(Stage::Fragment, Width::Simd16), Some(3));
        assert_eq!(options.kernel_limit(Stage::Vertex, Width::Simd8), Some(1));
    }

    #[test]
    fn sets_of_quirks() {
        let set: QuirkSet = [3u32, 40].into_iter().collect();
        assert!(set.contains(3u32) && set.contains(40u32) && !set.contains(4u32));
    }
}
