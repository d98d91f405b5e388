//! The driver of back-end passes: runs them by name, counts them, honours limits and switches.

use crate::bir::Program;
use crate::legalize;
use crate::model::Model;
use crate::opt;
use crate::options::Options;

/// A pass: returns whether it changed the program.
pub type Pass = fn(&mut Program, &dyn Model) -> bool;

/// A pass with its name.
pub type Named = (&'static str, Pass);

/// What runs in which order.
#[derive(Clone, Copy, Debug)]
pub struct PassList {
    /// Optional, repeated until nothing changes.
    pub optimise: &'static [Named],
    /// Required, once each: afterwards every instruction can be encoded.
    pub legalise: &'static [Named],
    /// Optional, repeated until nothing changes, keep the program encodable.
    pub clean_up: &'static [Named],
    /// Reorder the allocated program for latency (optional pass `schedule`).
    pub schedule: bool,
}

/// The scalar back end's passes.
pub static SCALAR: PassList = PassList {
    optimise: &[
        ("opt_copy_propagation", opt::opt_copy_propagation),
        ("opt_algebraic", opt::opt_algebraic),
        ("opt_common_subexpressions", opt::opt_common_subexpressions),
        ("opt_cmod_propagation", opt::opt_cmod_propagation),
        ("opt_flag_reuse", opt::opt_flag_reuse),
        ("opt_saturate_propagation", opt::opt_saturate_propagation),
        ("opt_dead_code", opt::opt_dead_code),
        ("opt_control_flow", opt::opt_control_flow),
        ("opt_destination", opt::opt_destination),
        ("opt_coalesce", opt::opt_coalesce),
    ],
    legalise: &[
        ("legalize_constants", legalize::legalize_constants),
        ("legalize_math", legalize::legalize_math),
        ("legalize_three_source", legalize::legalize_three_source),
        ("legalize_wide_regions", legalize::legalize_wide_regions),
        ("legalize_simd_width", legalize::legalize_simd_width),
    ],
    clean_up: &[("opt_dead_code", opt::opt_dead_code), ("opt_coalesce", opt::opt_coalesce)],
    schedule: true,
};

impl PassList {
    /// Names of the passes that can be switched off.
    pub fn optional(&self) -> impl Iterator<Item = &'static str> {
        let named = self.optimise.iter().chain(self.clean_up).map(|(name, _)| *name);
        named.chain(self.schedule.then_some("schedule"))
    }
}

/// Names of all passes of both back ends that can be switched off.
pub fn optional() -> impl Iterator<Item = &'static str> {
    SCALAR.optional().chain(crate::vec4::PASSES.optional())
}

/// Most rounds of a repeated list; each round of a useful pass shrinks the program, so this is never reached.
const MAX_ROUNDS: usize = 16;

/// Runs a pass list. Optional passes stop at [`Options::pass_limit`] and skip [`Options::disabled_passes`].
pub fn run(program: &mut Program, model: &dyn Model, options: &Options, list: &PassList) {
    let mut ran = 0;
    let mut optional = |program: &mut Program, (name, pass): &Named| {
        let allowed = options.pass_limit.is_none_or(|limit| ran < limit);
        if !allowed || options.disabled_passes.iter().any(|d| d == name) {
            return false;
        }
        ran += 1;
        pass(program, model)
    };
    let mut repeat = |program: &mut Program, passes: &[Named]| {
        // Until every pass has left the program as it was, one after the other.
        let mut unchanged = 0;
        for pass in passes.iter().cycle().take(MAX_ROUNDS * passes.len()) {
            unchanged = if optional(program, pass) { 0 } else { unchanged + 1 };
            if unchanged == passes.len() {
                break;
            }
        }
    };
    repeat(program, list.optimise);
    program.compact_registers();
    for (_, pass) in list.legalise {
        pass(program, model);
    }
    repeat(program, list.clean_up);
    program.compact_registers();
}
