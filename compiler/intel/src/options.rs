//! Draw-time state that is compiled into stages, and compilation options.

use crate::model::QuirkSet;
use crate::output::{TessDomain, Varying, Width};
use crate::passes::PassSink;
use vocabulary::LivenessGranularity;
use vocabulary::PayloadInterference;

/// Draw-time state that is compiled into a stage. The defaults suit a plain draw.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StageKey {
    /// Slots of the next stage's inputs that this stage must provide even if it does not write
    /// them; order is irrelevant.
    pub outputs_needed: Vec<Varying>,
    /// Number of color buffers that are bound.
    pub render_targets: u32,
    /// One fragment color goes to all bound color buffers (`gl_FragColor`).
    pub replicate_color: bool,
    /// Clamp fragment colors to 0 … 1.
    pub clamp_color: bool,
    /// Samples per pixel of the framebuffer.
    pub samples: u32,
    /// Vertices per input patch of a tessellation shader.
    pub patch_vertices: u32,
    /// Domain of the patches that a tessellation control shader makes.
    pub tess_domain: TessDomain,
}

impl Default for StageKey {
    fn default() -> Self {
        StageKey {
            outputs_needed: Vec::new(),
            render_targets: 1,
            replicate_color: false,
            clamp_color: false,
            samples: 1,
            patch_vertices: 0,
            tess_domain: TessDomain::default(),
        }
    }
}

/// Compilation options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Widths wanted, of those that the stage and back end offer; empty means all.
    pub widths: Vec<Width>,
    /// Quirks whose handling is switched off.
    pub disabled_quirks: QuirkSet,
    /// Spill every virtual register that can be spilled (a test of the spill code).
    pub spill_all: bool,
    /// Re-prove each allocation by abstract interpretation.
    pub check_allocation: bool,
    /// Fill in [`Kernel::annotations`](crate::output::Kernel::annotations).
    pub annotate: bool,
    /// Run at most this many optional back-end passes on each kernel (for bisecting).
    pub pass_limit: Option<u64>,
    /// The same for the kernels of one width, in the place of [`Options::pass_limit`].
    pub width_limits: Vec<(Width, u64)>,
    /// Collector of the logs of optional passes.
    pub log: Option<PassSink>,
    /// Names of optional back-end passes to leave out.
    pub disabled_passes: Vec<String>,
    /// Force the vec4 back end where the scalar one is the default, or the other way round.
    pub backend: Option<Backend>,
    /// Granularity of the allocator's liveness analysis (for comparisons).
    pub liveness: LivenessGranularity,
    /// Interference of payload registers (for comparisons).
    pub payload_interference: PayloadInterference,
}

impl Options {
    /// Returns the most optional passes to run on a kernel of this width.
    #[must_use]
    pub fn kernel_limit(&self, width: Width) -> Option<u64> {
        let own = self.width_limits.iter().find(|(w, _)| *w == width).map(|(_, limit)| *limit);
        own.or(self.pass_limit)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            widths: Vec::new(),
            disabled_quirks: QuirkSet::default(),
            spill_all: false,
            check_allocation: cfg!(debug_assertions),
            annotate: false,
            pass_limit: None,
            width_limits: Vec::new(),
            log: None,
            disabled_passes: Vec::new(),
            backend: None,
            liveness: LivenessGranularity::default(),
            payload_interference: PayloadInterference::default(),
        }
    }
}

pub use vocabulary::Backend;
