//! The driver of back-end passes: runs them by name, counts them, honours limits and switches.

use std::sync::{Arc, Mutex, PoisonError};

use ir::PassLog;

use crate::legalize;
use crate::lir::Program;
use crate::model::Model;
use crate::opt;
use crate::options::Options;
use crate::output::Width;

/// A pass: returns whether it changed the program.
pub type Pass = fn(&mut Program, &Model) -> bool;

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

/// What the optional passes did on each kernel, those included that were given up. Clones collect in one place.
#[derive(Clone, Debug, Default)]
pub struct PassSink(Arc<Mutex<Vec<(Width, PassLog)>>>);

impl PassSink {
    /// What was collected, in the order of compilation.
    #[must_use]
    pub fn take(&self) -> Vec<(Width, PassLog)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Decides which optional passes run on a kernel: up to [`Options::pass_limit`] and without
/// [`Options::disabled_passes`].
pub struct PassManager<'a> {
    options: &'a Options,
    width: Width,
    limit: Option<u64>,
    ran: u64,
    log: PassLog,
}

impl<'a> PassManager<'a> {
    /// A driver for a kernel of this width.
    #[must_use]
    pub fn new(options: &'a Options, width: Width) -> PassManager<'a> {
        let own = options.width_limits.iter().find(|(w, _)| *w == width).map(|(_, limit)| *limit);
        PassManager { options, width, limit: own.or(options.pass_limit), ran: 0, log: PassLog::default() }
    }

    /// Runs a pass list, except scheduling.
    pub fn run(&mut self, program: &mut Program, model: &Model, list: &PassList) {
        self.repeat(program, model, list.optimise);
        program.compact_registers();
        for (_, pass) in list.legalise {
            pass(program, model);
        }
        self.repeat(program, model, list.clean_up);
        program.compact_registers();
    }

    /// Until every pass has left the program as it was, one after the other.
    fn repeat(&mut self, program: &mut Program, model: &Model, passes: &[Named]) {
        let mut unchanged = 0;
        for (name, pass) in passes.iter().cycle().take(MAX_ROUNDS * passes.len()) {
            let changed = self.optional(name, || pass(program, model));
            unchanged = if changed { 0 } else { unchanged + 1 };
            if unchanged == passes.len() {
                break;
            }
        }
    }

    /// Runs one pass, which says whether it changed anything, unless it is disabled or beyond the limit.
    pub fn optional(&mut self, name: &str, pass: impl FnOnce() -> bool) -> bool {
        if self.options.disabled_passes.iter().any(|d| d.strip_prefix("lir:").unwrap_or(d) == name) {
            return false;
        }
        if self.limit.is_some_and(|limit| self.ran >= limit) {
            if self.options.log.is_some() {
                self.log.refuse(name);
            }
            return false;
        }
        self.ran += 1;
        let changed = pass();
        if self.options.log.is_some() {
            self.log.ran(name, changed);
        }
        changed
    }
}

/// A kernel's log is complete when its driver is done with it, also when the kernel came to nothing.
impl Drop for PassManager<'_> {
    fn drop(&mut self) {
        if let Some(PassSink(logs)) = &self.options.log {
            let log = std::mem::take(&mut self.log);
            logs.lock().unwrap_or_else(PoisonError::into_inner).push((self.width, log));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What runs under a limit for all kernels and another for SIMD16.
    #[test]
    fn limits_count_and_logs_tell() {
        let log = PassSink::default();
        let options = Options {
            pass_limit: Some(2),
            width_limits: vec![(Width::Simd16, 3)],
            disabled_passes: vec!["b".into()],
            log: Some(log.clone()),
            ..Options::default()
        };
        for width in [Width::Simd8, Width::Simd16] {
            let mut driver = PassManager::new(&options, width);
            let ran = ["a", "b", "c", "d", "e"].map(|name| driver.optional(name, || true));
            assert_eq!(ran, [true, false, true, width == Width::Simd16, false]);
        }
        let told: Vec<(Width, Vec<String>, Option<String>)> = log
            .take()
            .into_iter()
            .map(|(width, log)| (width, log.runs.into_iter().map(|run| run.name).collect(), log.refused))
            .collect();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            told,
            [
                (Width::Simd8, names(&["a", "c"]), Some("d".into())),
                (Width::Simd16, names(&["a", "c", "d"]), Some("e".into()))
            ]
        );
    }
}
