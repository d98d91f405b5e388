//! What a user may ask of the compiler.

use intel::output::Width;
use intel::{Backend, Granularity, PayloadInterference, QuirkSet};
use program::Stage;

/// Compilation options; the defaults compile everything with everything on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Widths wanted, of those a stage offers; empty means all.
    pub widths: Vec<Width>,
    /// Back end of the geometry pipeline's stages; `None` is the generation's own choice.
    pub backend: Option<Backend>,
    /// Number of optional passes to run at most on each kernel, first in the IR of its stage, then in the back end.
    pub pass_limit: Option<u64>,
    /// Limits of single stages and kernels, in the place of [`Options::pass_limit`].
    pub stage_limits: Vec<StageLimit>,
    /// Optional passes not to run.
    pub disabled_passes: Vec<String>,
    /// Quirks whose handling is switched off.
    pub disabled_quirks: QuirkSet,
    /// Spill every register that can be spilled.
    pub spill_all: bool,
    /// Run the IR validator after each pass and re-prove register allocations even in release builds.
    pub paranoid: bool,
    /// How finely the allocator's liveness tracks definitions (for comparisons).
    pub liveness: Granularity,
    /// What payload registers interfere with (for comparisons).
    pub payload_interference: PayloadInterference,
    /// Leave binaries that the EU validator refuses alone.
    pub no_validate: bool,
}

/// A limit on the optional passes of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StageLimit {
    /// The stage.
    pub stage: Stage,
    /// The one width whose back-end passes are meant; `None` means the stage's IR and all of its kernels.
    pub width: Option<Width>,
    /// Most passes.
    pub limit: u64,
}

impl Options {
    /// Whether passes are limited at all.
    pub fn is_limited(&self) -> bool {
        self.pass_limit.is_some() || !self.stage_limits.is_empty()
    }

    /// How many optional passes may run on a stage's IR and, where no [`Options::kernel_limits`] say otherwise, on
    /// its kernels.
    pub fn limit(&self, stage: Stage) -> Option<u64> {
        let own = self.stage_limits.iter().rfind(|l| l.stage == stage && l.width.is_none());
        own.map(|l| l.limit).or(self.pass_limit)
    }

    /// Limits of a stage's single kernels.
    pub fn kernel_limits(&self, stage: Stage) -> impl Iterator<Item = (Width, u64)> {
        let own = self.stage_limits.iter().rev().filter(move |l| l.stage == stage);
        own.filter_map(|l| l.width.map(|width| (width, l.limit)))
    }
}
