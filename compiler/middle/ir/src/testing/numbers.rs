//! Random numbers for tests, weighted towards the values where arithmetic goes wrong.

use crate::fold::{encode_float, mask, sign_bit};

/// A small owned generator (splitmix64), the same everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// An integer of that many bits: small, near a power of two, or anything.
    pub(crate) fn int(&mut self, bits: u8) -> u64 {
        let value = match self.below(4) {
            0 => self.next() % 8,
            1 => (self.next() % 8).wrapping_neg(),
            2 => (1u64 << self.below(bits.into())).wrapping_add(self.next() % 3).wrapping_sub(1),
            _ => self.next(),
        };
        value & mask(bits)
    }

    /// A float of that many bits: special values, denormals, halfway cases, moderate numbers, any
    /// bits. NaN is canonical.
    pub(crate) fn float(&mut self, bits: u8) -> u64 {
        let exponent_bits = match bits {
            16 => 5,
            32 => 8,
            _ => 11,
        };
        let mantissa_bits = bits - 1 - exponent_bits;
        let infinity = mask(exponent_bits) << mantissa_bits;
        let sign = if self.below(2) == 0 { sign_bit(bits) } else { 0 };
        let magnitude = match self.below(10) {
            0 => 0,
            1 => infinity,
            2 => return encode_float(bits, f64::NAN),
            3 => self.next() & mask(mantissa_bits),
            4 => encode_float(bits, self.below(1000) as f64 / 2.0),
            5 => encode_float(bits, 1.0 + self.below(3) as f64)
                .wrapping_add(self.next() % 3)
                .wrapping_sub(1),
            6 => infinity - 1 - self.next() % 3,
            7 | 8 => encode_float(bits, (self.next() % 1_000_000) as f64 / 1024.0),
            _ => self.next() & mask(bits - 1),
        };
        let value = sign | magnitude & mask(bits - 1);
        if value & mask(bits - 1) > infinity { encode_float(bits, f64::NAN) } else { value }
    }
}
