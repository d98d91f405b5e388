//! Compiled implementations, for one machine and one number of lanes.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Simd};

use super::super::machine::Machine;
use super::call::Call;
use crate::regs::Registers;

/// An implementation of a family of instructions.
pub(super) trait Job {
    /// Executes an instruction on `N` lanes. `FMA`: the machine multiplies and adds in one
    /// instruction.
    fn run<const N: usize, const FMA: bool>(call: &Call, registers: &mut Registers);
}

/// A compiled implementation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runner {
    Baseline(fn(&Call, &mut Registers)),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, fn(Avx2, &Call, &mut Registers)),
}

impl Runner {
    /// The implementation of `J` on 8 or 16 lanes.
    pub(super) fn of<J: Job>(machine: Machine, lanes: usize) -> Runner {
        match (machine, lanes) {
            (Machine::Baseline, 8) => Runner::Baseline(J::run::<8, false>),
            (Machine::Baseline, _) => Runner::Baseline(J::run::<16, false>),
            #[cfg(target_arch = "x86_64")]
            (Machine::Avx2(token), 8) => Runner::Avx2(token, avx2::<J, 8>),
            #[cfg(target_arch = "x86_64")]
            (Machine::Avx2(token), _) => Runner::Avx2(token, avx2::<J, 16>),
        }
    }

    /// Executes one instruction.
    #[inline(always)]
    pub(super) fn run(self, call: &Call, registers: &mut Registers) {
        match self {
            Runner::Baseline(run) => run(call, registers),
            #[cfg(target_arch = "x86_64")]
            Runner::Avx2(token, run) => run(token, call, registers),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn avx2<J: Job, const N: usize>(token: Avx2, call: &Call, registers: &mut Registers) {
    token.vectorize(
        #[inline(always)]
        || J::run::<N, true>(call, registers),
    );
}
