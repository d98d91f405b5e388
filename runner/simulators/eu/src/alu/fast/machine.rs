//! Vector instructions of the host, chosen once at run time.
//!
//! Implementations are plain loops over arrays. They are compiled twice, for the baseline of the
//! target and with AVX2 and FMA; [`fearless_simd`] holds the proof that the machine has these.

use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Level, Simd};

use super::step::{Call, Job};
use crate::regs::Registers;

/// Instructions that implementations may use.
#[derive(Clone, Copy, Debug)]
pub enum Machine {
    /// Those of every machine of the target.
    Baseline,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Machine {
    /// The best of this machine.
    pub fn detect() -> Machine {
        static DETECTED: OnceLock<Machine> = OnceLock::new();
        *DETECTED.get_or_init(Machine::best)
    }

    #[cfg(target_arch = "x86_64")]
    fn best() -> Machine {
        Level::new().as_avx2().map_or(Machine::Baseline, Machine::Avx2)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn best() -> Machine {
        Machine::Baseline
    }
}

/// A compiled implementation, for one machine and one number of lanes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runner {
    Baseline(fn(&Call, &mut Registers)),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, fn(Avx2, &Call, &mut Registers)),
}

impl Runner {
    /// The implementation of `J` on `N` lanes.
    pub(super) fn of<J: Job, const N: usize>(machine: Machine) -> Runner {
        match machine {
            Machine::Baseline => Runner::Baseline(baseline::<J, N>),
            #[cfg(target_arch = "x86_64")]
            Machine::Avx2(token) => Runner::Avx2(token, avx2::<J, N>),
        }
    }

    /// Executes one instruction.
    #[inline(always)]
    pub(super) fn run(&self, call: &Call, registers: &mut Registers) {
        match self {
            Runner::Baseline(run) => run(call, registers),
            #[cfg(target_arch = "x86_64")]
            Runner::Avx2(token, run) => run(*token, call, registers),
        }
    }
}

fn baseline<J: Job, const N: usize>(call: &Call, registers: &mut Registers) {
    call.steps::<J, N, false>(registers);
}

#[cfg(target_arch = "x86_64")]
fn avx2<J: Job, const N: usize>(token: Avx2, call: &Call, registers: &mut Registers) {
    token.vectorize(|| call.steps::<J, N, true>(registers));
}
