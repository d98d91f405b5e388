//! Random numbers that depend on a test's name only.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;

/// A generator of random numbers.
pub struct Random(Pcg64);

impl Random {
    /// The generator of a test: the same name produces the same numbers on every machine.
    pub fn named(name: &str) -> Random {
        Random(Pcg64::new(u128::from(fnv1a(name)), 0x6670_3634))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to n − 1.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// True in `percent` of all calls.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Brings a list in random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }

    /// A normal double with an exponent in the range, random in all of its 52 fraction bits or in
    /// the upper few.
    pub fn double(&mut self, exponents: (i32, i32)) -> f64 {
        let exponent = self.between(exponents.0.max(-1022), exponents.1.min(1023));
        let fraction = self.bits() >> 12;
        let fraction = if self.chance(30) { fraction & !0 << 42 } else { fraction };
        let sign = self.bits() & 1 << 63;
        f64::from_bits(sign | ((exponent + 1023) as u64) << 52 | fraction)
    }
}

/// The 64-bit FNV-1a hash.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_has_published_values() {
        // From the FNV reference vectors.
        assert_eq!(fnv1a(""), 0xcbf29ce484222325);
        assert_eq!(fnv1a("a"), 0xaf63dc4c8601ec8c);
        assert_eq!(fnv1a("foobar"), 0x85944171f73967e8);
    }

    #[test]
    fn doubles_stay_in_range() {
        let mut random = Random::named("range");
        for _ in 0..1000 {
            let x = random.double((-3, 4)).abs();
            assert!((0.125..32.0).contains(&x), "{x}");
        }
    }
}
