//! Code generation options.

use crate::{Backend, Stage, Width};

/// Code generation options, from the command line to the pass that reads them.
///
/// The defaults compile every width with every pass and every quirk handled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CodegenOptions {
    /// Widths to compile, of those that a stage offers; empty means all.
    pub widths: Vec<Width>,
    /// Back end of the geometry pipeline's stages; `None` means the generation's default.
    pub backend: Option<Backend>,
    /// Most optional passes to run on each kernel: first on the IR of its stage, then in the back
    /// end.
    pub pass_limit: Option<u64>,
    /// Limits of single stages and kernels, which override [`CodegenOptions::pass_limit`].
    pub stage_limits: Vec<StageLimit>,
    /// Present names of optional passes to leave out, plain or of one representation
    /// (`lir:opt_dce`).
    pub disabled_passes: Vec<String>,
    /// Quirks whose handling is switched off.
    pub disabled_quirks: QuirkSet,
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
    /// Returns true if any limit on passes is set.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.pass_limit.is_some() || !self.stage_limits.is_empty()
    }

    /// Returns the most optional passes to run on a stage's IR.
    #[must_use]
    pub fn limit(&self, stage: Stage) -> Option<u64> {
        let own = self.stage_limits.iter().rfind(|l| l.stage == stage && l.width.is_none());
        own.map(|l| l.limit).or(self.pass_limit)
    }

    /// Returns the most optional passes to run on the kernel of a stage in one width, those on the
    /// stage's IR included.
    #[must_use]
    pub fn kernel_limit(&self, stage: Stage, width: Width) -> Option<u64> {
        let own = self.stage_limits.iter().rfind(|l| l.stage == stage && l.width == Some(width));
        own.map(|l| l.limit).or_else(|| self.limit(stage))
    }
}

/// A limit on the optional passes of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageLimit {
    /// The stage.
    pub stage: Stage,
    /// The width whose back-end passes are limited; `None` means the stage's IR and all of its
    /// kernels.
    pub width: Option<Width>,
    /// Most passes to run.
    pub limit: u64,
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
        let limit = |stage, width, limit| StageLimit { stage, width, limit };
        let options = CodegenOptions {
            pass_limit: Some(1),
            stage_limits: vec![
                limit(Stage::Fragment, None, 2),
                limit(Stage::Fragment, None, 3),
                limit(Stage::Fragment, Some(Width::Simd8), 4),
                limit(Stage::Fragment, Some(Width::Simd8), 5),
            ],
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
