//! Compiled implementations, for one machine and one number of lanes.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Avx512, Level, Simd};

use super::call::Call;
use crate::regs::Registers;

/// An implementation of a family of instructions.
pub(super) trait Job {
    /// True if subnormal singles are special.
    const MINDS_SUBNORMALS: bool;
    /// Executes an instruction on `N` lanes, 8 or 16. `FMA`: the machine multiplies and adds in one
    /// instruction. `FULL`: all lanes are enabled, all sources are rows without modifiers.
    /// `NORMAL`: subnormal singles are flushed, and no row of the sources holds any.
    fn run<const N: usize, const FMA: bool, const FULL: bool, const NORMAL: bool>(
        call: &Call,
        registers: &mut Registers,
    );
}

/// A compiled implementation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runner {
    Baseline(fn(&Call, &mut [&mut Registers])),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, fn(Avx2, &Call, &mut [&mut Registers])),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512, fn(Avx512, &Call, &mut [&mut Registers])),
}

impl Runner {
    /// The implementation of `J` on 8 or 16 lanes, with the best instructions of this machine.
    pub(super) fn of<J: Job, const FULL: bool, const NORMAL: bool>(lanes: usize) -> Runner {
        if lanes == 8 {
            Runner::on::<J, 8, FULL, NORMAL>()
        } else {
            Runner::on::<J, 16, FULL, NORMAL>()
        }
    }

    fn on<J: Job, const N: usize, const FULL: bool, const NORMAL: bool>() -> Runner {
        #[cfg(target_arch = "x86_64")]
        {
            let level = Level::new();
            if let Some(token) = level.as_avx512() {
                return Runner::Avx512(token, avx512::<J, N, FULL, NORMAL>);
            }
            if let Some(token) = level.as_avx2() {
                return Runner::Avx2(token, avx2::<J, N, FULL, NORMAL>);
            }
        }
        Runner::Baseline(all::<J, N, false, FULL, NORMAL>)
    }

    /// Executes one instruction in each of some threads.
    #[inline(always)]
    pub(super) fn run(&self, call: &Call, threads: &mut [&mut Registers]) {
        match self {
            Runner::Baseline(run) => run(call, threads),
            #[cfg(target_arch = "x86_64")]
            Runner::Avx2(token, run) => run(*token, call, threads),
            #[cfg(target_arch = "x86_64")]
            Runner::Avx512(token, run) => run(*token, call, threads),
        }
    }
}

/// Executes an instruction in all threads, one after the other.
#[inline(always)]
fn all<J: Job, const N: usize, const FMA: bool, const FULL: bool, const NORMAL: bool>(
    call: &Call,
    threads: &mut [&mut Registers],
) {
    // A copy, which no write to a register can change, is looked at once for all threads.
    let operands = *call.operands;
    let call = Call { operands: &operands, ..*call };
    for registers in threads {
        J::run::<N, FMA, FULL, NORMAL>(&call, registers);
    }
}

#[cfg(target_arch = "x86_64")]
fn avx2<J: Job, const N: usize, const FULL: bool, const NORMAL: bool>(
    token: Avx2,
    call: &Call,
    threads: &mut [&mut Registers],
) {
    token.vectorize(
        #[inline(always)]
        || all::<J, N, true, FULL, NORMAL>(call, threads),
    );
}

#[cfg(target_arch = "x86_64")]
fn avx512<J: Job, const N: usize, const FULL: bool, const NORMAL: bool>(
    token: Avx512,
    call: &Call,
    threads: &mut [&mut Registers],
) {
    token.vectorize(
        #[inline(always)]
        || all::<J, N, true, FULL, NORMAL>(call, threads),
    );
}
