//! Vector instructions of the host, chosen once at run time.

#[cfg(target_arch = "x86_64")]
use fearless_simd::{Avx2, Avx512, Level, Simd};

use super::call::{Call, Job, Row};

/// A compiled implementation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Runner {
    /// With the instructions of every machine of the target.
    Baseline(fn(&Call, &mut [Row]) -> u64),
    /// With AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2, fn(Avx2, &Call, &mut [Row]) -> u64),
    /// With AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512, fn(Avx512, &Call, &mut [Row]) -> u64),
}

impl Runner {
    /// The implementation of a frequent job with the best instructions of this machine.
    pub(super) fn of<J: Job>() -> Runner {
        #[cfg(target_arch = "x86_64")]
        {
            let level = Level::new();
            if let Some(token) = level.as_avx512() {
                return Runner::Avx512(token, avx512::<J>);
            }
            if let Some(token) = level.as_avx2() {
                return Runner::Avx2(token, avx2::<J>);
            }
        }
        Runner::rare::<J>()
    }

    /// The implementation of a rare job, compiled for the baseline only.
    pub(super) fn rare<J: Job>() -> Runner {
        Runner::Baseline(J::run)
    }

    /// Executes an instruction.
    #[inline(always)]
    pub(super) fn run(&self, call: &Call, vectors: &mut [Row]) -> u64 {
        match self {
            Runner::Baseline(run) => run(call, vectors),
            #[cfg(target_arch = "x86_64")]
            Runner::Avx2(token, run) => run(*token, call, vectors),
            #[cfg(target_arch = "x86_64")]
            Runner::Avx512(token, run) => run(*token, call, vectors),
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn avx2<J: Job>(token: Avx2, call: &Call, vectors: &mut [Row]) -> u64 {
    token.vectorize(
        #[inline(always)]
        || J::run(call, vectors),
    )
}

#[cfg(target_arch = "x86_64")]
fn avx512<J: Job>(token: Avx512, call: &Call, vectors: &mut [Row]) -> u64 {
    token.vectorize(
        #[inline(always)]
        || J::run(call, vectors),
    )
}
