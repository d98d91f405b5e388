//! Pseudo-random numbers from a seed, a test's number and a stream.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;

/// A source of random choices, the same on every machine.
#[derive(Clone, Debug)]
pub struct Random(Pcg64);

impl Random {
    /// Returns the choices of one part (`stream`) of test `number` of a seed, equal on every
    /// machine.
    pub fn new(seed: u64, number: u64, stream: u64) -> Random {
        Random(Pcg64::new(u128::from(seed) << 64 | u128::from(number), u128::from(stream)))
    }

    /// Returns 32 random bits.
    pub fn bits(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Returns a number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.0.next_u64()) * n as u128) >> 64) as usize
    }

    /// Returns a number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Returns true in `percent` of a hundred calls.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Returns an element of a non-empty list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Returns `count` different elements of a list in random order.
    pub fn some_of<T: Copy>(&mut self, list: &[T], count: usize) -> Vec<T> {
        let mut left = list.to_vec();
        (0..count.min(list.len())).map(|_| left.swap_remove(self.below(left.len()))).collect()
    }
}
