//! What a user may ask of the compiler.

use intel::output::Width;
use intel::{Backend, Granularity, PayloadInterference, QuirkSet};

/// Compilation options; the defaults compile everything with everything on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// Widths wanted, of those a stage offers; empty means all.
    pub widths: Vec<Width>,
    /// Back end of the geometry pipeline's stages; `None` is the generation's own choice.
    pub backend: Option<Backend>,
    /// Number of optional passes (`opt_*`) to run at most, in the IR and then in the back end.
    pub pass_limit: Option<u64>,
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
