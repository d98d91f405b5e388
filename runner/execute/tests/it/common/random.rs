//! Random numbers for tests: pinned, and weighted towards the values where arithmetic goes wrong.

/// PCG32 (XSH RR 64/32), the generator O'Neill describes.
#[derive(Clone, Debug)]
pub(crate) struct Rng {
    state: u64,
}

impl Rng {
    /// A generator; each seed gives its own sequence.
    pub(crate) fn new(seed: u64) -> Rng {
        let mut rng = Rng { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) };
        rng.bits();
        rng.bits();
        rng
    }

    /// 32 random bits.
    pub(crate) fn bits(&mut self) -> u32 {
        let old = self.state;
        self.state =
            old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let shifted = ((old >> 18 ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }

    /// 64 random bits.
    pub(crate) fn long(&mut self) -> u64 {
        u64::from(self.bits()) << 32 | u64::from(self.bits())
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n.max(1)
    }

    /// True once in `n` times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// An element of a list.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A moderate number between about 2⁻⁶ and 2⁶, of either sign.
    pub(crate) fn moderate(&mut self) -> f64 {
        let magnitude = f64::from(1 + self.bits() % 65_535) / 1024.0;
        if self.one_in(2) { -magnitude } else { magnitude }
    }

    /// Any kind of `float`, as bits.
    pub(crate) fn float(&mut self) -> u32 {
        let sign = self.bits() & 0x8000_0000;
        let magnitude = match self.below(12) {
            0 => 0,
            1 => 0x7f80_0000,
            2 => return 0x7fc0_0000,
            3 => self.bits() & 0x7f_ffff,
            4 => (self.below(1000) as f32 / 2.0).to_bits(),
            5 => (1.0 + self.below(3) as f32).to_bits() + self.bits() % 3 - 1,
            6 => 0x7f7f_ffff - self.bits() % 3,
            7 => (0x3f80_0000u32 + ((20 + self.below(15) as u32) << 23)) | self.bits() & 0x7f_ffff,
            8 | 9 => (self.moderate() as f32).to_bits() & 0x7fff_ffff,
            10 => 0x0080_0000 + self.bits() % 3,
            _ => self.bits() & 0x7fff_ffff,
        };
        if magnitude > 0x7f80_0000 { 0x7fc0_0000 } else { sign | magnitude }
    }

    /// Any kind of `double`, as bits.
    pub(crate) fn double(&mut self) -> u64 {
        let sign = self.long() & 1 << 63;
        let magnitude = match self.below(13) {
            0 => 0,
            1 => 0x7ff0_0000_0000_0000,
            2 => return 0x7ff8_0000_0000_0000,
            3 => self.long() & 0xf_ffff_ffff_ffff,
            4 => (self.below(1000) as f64 / 2.0).to_bits(),
            5 => (1.0 + self.below(3) as f64).to_bits() + u64::from(self.bits() % 3) - 1,
            6 => 0x7fef_ffff_ffff_ffff - self.long() % 3,
            // Around the ends of the integer types and of the fraction.
            7 => {
                ((0x3ff + u64::from(self.pick(&[30u32, 31, 32, 51, 52, 53, 62, 63]))) << 52)
                    | (self.long() % 5)
            }
            8 => f64::from(f32::from_bits(self.float() & 0x7fff_ffff)).to_bits(),
            9 | 10 => self.moderate().abs().to_bits(),
            11 => 0x0010_0000_0000_0000 + self.long() % 3,
            _ => self.long() & i64::MAX as u64,
        };
        if magnitude > 0x7ff0_0000_0000_0000 { 0x7ff8_0000_0000_0000 } else { sign | magnitude }
    }

    /// Any kind of half-precision number, as bits.
    pub(crate) fn half(&mut self) -> u16 {
        let sign = self.bits() as u16 & 0x8000;
        let magnitude = match self.below(10) {
            0 => 0,
            1 => 0x7c00,
            2 => 0x7e00,
            3 => self.bits() as u16 & 0x3ff,
            4 => 0x3c00 + self.bits() as u16 % 3 - 1,
            5 => 0x7bff - self.bits() as u16 % 3,
            6 => 0x0400 + self.bits() as u16 % 3 - 1,
            7 | 8 => 0x2c00 + self.bits() as u16 % 0x3000,
            _ => self.bits() as u16 & 0x7fff,
        };
        if magnitude > 0x7c00 { 0x7e00 } else { sign | magnitude }
    }

    /// Any kind of integer of so many bits.
    pub(crate) fn integer(&mut self, bits: u32) -> u64 {
        let ones = u64::MAX >> (64 - bits);
        let value = match self.below(5) {
            0 => self.long() % 8,
            1 => (self.long() % 8).wrapping_neg(),
            2 => (1u64 << self.below(bits as usize)).wrapping_add(self.long() % 3).wrapping_sub(1),
            3 => self.pick(&[ones >> 1, (ones >> 1) + 1, ones, 0xff, 0x100, 0xffff, 0x1_0000]),
            _ => self.long(),
        };
        value & ones
    }

    /// Any kind of 32-bit integer.
    pub(crate) fn int(&mut self) -> u32 {
        match self.below(5) {
            0 => self.bits() % 8,
            1 => (self.bits() % 8).wrapping_neg(),
            2 => (1u32 << self.below(32)).wrapping_add(self.bits() % 3).wrapping_sub(1),
            3 => self.pick(&[0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff, 0x1_0000]),
            _ => self.bits(),
        }
    }
}
