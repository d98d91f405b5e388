//! Sequences of integers of ASTC: each has some bits and, in common with its neighbors, a trit or a
//! quint.
//!
//! Source: Khronos Data Format Specification 1.3, section 23.12.

use super::bits::bits;

/// Range of the integers of a sequence: a trit, a quint or neither above a number of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    trits: bool,
    quints: bool,
    bits: usize,
}

const fn range(trits: bool, quints: bool, bits: usize) -> Range {
    Range { trits, quints, bits }
}

/// Ranges of weights, by their code: six without and six with high precision.
pub(super) const WEIGHT_RANGES: [Range; 12] = [
    range(false, false, 1),
    range(true, false, 0),
    range(false, false, 2),
    range(false, true, 0),
    range(true, false, 1),
    range(false, false, 3),
    range(false, true, 1),
    range(true, false, 2),
    range(false, false, 4),
    range(false, true, 2),
    range(true, false, 3),
    range(false, false, 5),
];

/// Ranges of colors, the largest first.
pub(super) const COLOR_RANGES: [Range; 17] = [
    range(false, false, 8),
    range(true, false, 6),
    range(false, true, 5),
    range(false, false, 7),
    range(true, false, 5),
    range(false, true, 4),
    range(false, false, 6),
    range(true, false, 4),
    range(false, true, 3),
    range(false, false, 5),
    range(true, false, 3),
    range(false, true, 2),
    range(false, false, 4),
    range(true, false, 2),
    range(false, true, 1),
    range(false, false, 3),
    range(true, false, 1),
];

impl Range {
    /// Bits of a sequence of `count` integers.
    pub(super) fn length(self, count: usize) -> usize {
        let shared = match (self.trits, self.quints) {
            (true, _) => (8 * count).div_ceil(5),
            (_, true) => (7 * count).div_ceil(3),
            _ => 0,
        };
        self.bits * count + shared
    }

    /// Reads `count` integers: the bits, and the trit or quint.
    pub(super) fn read(self, block: u128, start: usize, count: usize) -> Vec<(u32, u32)> {
        // Sizes of the pieces of the common number, one after each integer's bits.
        let pieces: &[usize] = match (self.trits, self.quints) {
            (true, _) => &[2, 2, 1, 2, 1],
            (_, true) => &[3, 2, 2],
            _ => &[0],
        };
        // Bits after the sequence count as 0.
        let end = start + self.length(count);
        let block = if end < 128 { block & ((1 << end) - 1) } else { block };
        let mut values = Vec::with_capacity(count + pieces.len());
        let mut at = start;
        while values.len() < count {
            let (mut common, mut shift) = (0, 0);
            let mut low = [0; 5];
            for (piece, low) in pieces.iter().zip(&mut low) {
                *low = field(block, at, self.bits);
                common |= field(block, at + self.bits, *piece) << shift;
                at += self.bits + piece;
                shift += piece;
            }
            let high = match (self.trits, self.quints) {
                (true, _) => trits(common),
                (_, true) => quints(common),
                _ => [0; 5],
            };
            values.extend(low.into_iter().zip(high).take(pieces.len()));
        }
        values.truncate(count);
        values
    }

    /// A color of the range as a byte.
    pub(super) fn color(self, (low, high): (u32, u32)) -> u32 {
        if !self.trits && !self.quints {
            return replicate(low, self.bits, 8);
        }
        let b = |i: usize| low >> i & 1;
        let (scale, offset) = match (self.trits, self.bits) {
            (true, 1) => (204, 0),
            (true, 2) => (93, b(1) * 0b1_0001_0110),
            (true, 3) => (44, (b(2) * 0b1_0000_1010) | (b(1) * 0b0_1000_0101)),
            (true, 4) => {
                (22, (b(3) * 0b1_0000_0100) | (b(2) * 0b0_1000_0010) | (b(1) * 0b0_0100_0001))
            }
            (true, 5) => (11, (low >> 1) << 5 | low >> 3),
            (true, _) => (5, (low >> 1) << 4 | low >> 5),
            (false, 1) => (113, 0),
            (false, 2) => (54, b(1) * 0b1_0000_1100),
            (false, 3) => (26, (b(2) * 0b1_0000_0101) | (b(1) * 0b0_1000_0010)),
            (false, 4) => (13, (low >> 1) << 6 | low >> 2),
            (false, _) => (6, (low >> 1) << 5 | low >> 4),
        };
        let sign = if b(0) == 1 { 0x1ff } else { 0 };
        let value = (high * scale + offset) ^ sign;
        sign & 0x80 | value >> 2
    }

    /// A weight of the range, from 0 to 64.
    pub(super) fn weight(self, (low, high): (u32, u32)) -> u32 {
        let b = |i: usize| low >> i & 1;
        let value = match (self.trits, self.quints, self.bits) {
            (false, false, bits) => replicate(low, bits, 6),
            (true, _, 0) => [0, 32, 63][high.min(2) as usize],
            (_, true, 0) => [0, 16, 32, 47, 63][high.min(4) as usize],
            (trits, _, bits) => {
                let (scale, offset) = match (trits, bits) {
                    (true, 1) => (50, 0),
                    (true, 2) => (23, b(1) * 0b100_0101),
                    (true, _) => (11, (b(2) * 0b100_0010) | (b(1) * 0b010_0001)),
                    (false, 1) => (28, 0),
                    (false, _) => (13, b(1) * 0b100_0010),
                };
                let sign = if b(0) == 1 { 0x7f } else { 0 };
                let value = (high * scale + offset) ^ sign;
                sign & 0x20 | value >> 2
            }
        };
        if value > 32 { value + 1 } else { value }
    }
}

/// Bits of a block; those after its end are 0.
fn field(block: u128, start: usize, count: usize) -> u32 {
    if start < 128 { bits(block, start, count) } else { 0 }
}

/// A number of `bits` bits, repeated from the highest of `width` bits down.
fn replicate(value: u32, bits: usize, width: usize) -> u32 {
    let mut result = 0;
    let mut left = width;
    while left > 0 {
        let count = bits.min(left);
        result = result << count | value >> (bits - count);
        left -= count;
    }
    result
}

/// Five trits of eight bits.
fn trits(packed: u32) -> [u32; 5] {
    let t = |high: u32, low: u32| packed >> low & ((1 << (high - low + 1)) - 1);
    let (rest, t3, t4) = match (t(4, 2), t(6, 5)) {
        (7, _) => (t(7, 5) << 2 | t(1, 0), 2, 2),
        (_, 3) => (t(4, 0), t(7, 7), 2),
        _ => (t(4, 0), t(6, 5), t(7, 7)),
    };
    let c = |high: u32, low: u32| rest >> low & ((1 << (high - low + 1)) - 1);
    let pair = |high: u32, low: u32| high << 1 | (low & !high & 1);
    let [t0, t1, t2] = match (c(1, 0), c(3, 2)) {
        (3, _) => [pair(c(3, 3), c(2, 2)), c(4, 4), 2],
        (_, 3) => [c(1, 0), 2, 2],
        _ => [pair(c(1, 1), c(0, 0)), c(3, 2), c(4, 4)],
    };
    [t0, t1, t2, t3, t4]
}

/// Three quints of seven bits.
fn quints(packed: u32) -> [u32; 5] {
    let q = |high: u32, low: u32| packed >> low & ((1 << (high - low + 1)) - 1);
    if q(2, 1) == 3 && q(6, 5) == 0 {
        let last = q(0, 0);
        return [4, 4, last << 2 | (q(4, 4) & !last & 1) << 1 | (q(3, 3) & !last & 1), 0, 0];
    }
    let (rest, q2) = match q(2, 1) {
        3 => (q(4, 3) << 3 | (!q(6, 5) & 3) << 1 | q(0, 0), 4),
        _ => (q(4, 0), q(6, 5)),
    };
    match rest & 7 {
        5 => [rest >> 3, 4, q2, 0, 0],
        low => [low, rest >> 3, q2, 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packings of the specification reach every combination.
    #[test]
    fn all_combinations_occur() {
        let mut all: Vec<_> = (0..256).map(trits).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 243);
        assert!(all.iter().flatten().all(|trit| *trit < 3));
        let mut all: Vec<_> = (0..128).map(quints).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 125);
        assert!(all.iter().flatten().all(|quint| *quint < 5));
    }

    /// Every range spreads over all bytes and weights, evenly and without a value twice.
    #[test]
    fn ranges_are_spread() {
        let values = |range: Range, value: &dyn Fn((u32, u32)) -> u32| {
            let count = if range.trits {
                3
            } else if range.quints {
                5
            } else {
                1
            };
            let mut all: Vec<u32> = (0..count)
                .flat_map(|high| (0..1 << range.bits).map(move |low| (low, high)))
                .map(value)
                .collect();
            all.sort_unstable();
            all
        };
        let check = |all: Vec<u32>, most: u32| {
            let step = f64::from(most) / (all.len() - 1) as f64;
            for (i, value) in all.iter().enumerate() {
                assert!((f64::from(*value) - step * i as f64).abs() <= 1.5, "{all:?}");
            }
        };
        for range in COLOR_RANGES {
            check(values(range, &|value| range.color(value)), 255);
        }
        for range in WEIGHT_RANGES {
            check(values(range, &|value| range.weight(value)), 64);
        }
    }

    /// One trit has two bits of the eight of five; the others are not its own.
    #[test]
    fn bits_after_a_sequence_count_as_zeros() {
        let trits = WEIGHT_RANGES[1];
        assert_eq!(trits.length(1), 2);
        assert_eq!(trits.read(u128::MAX, 0, 1), [(0, 0)]);
        assert_eq!(trits.read(u128::MAX, 0, 5), [(0, 2), (0, 1), (0, 2), (0, 2), (0, 2)]);
        assert_eq!(WEIGHT_RANGES[2].read(0b11_01_10, 2, 2), [(1, 0), (3, 0)]);
    }
}
