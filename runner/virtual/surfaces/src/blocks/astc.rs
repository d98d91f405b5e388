//! ASTC with a low dynamic range: weights on a grid, end points of up to four partitions.
//!
//! Source: Khronos Data Format Specification 1.3, section 23.

use super::bits::{Texel, bits};
use super::sequence::{COLOR_RANGES, Range, WEIGHT_RANGES};

/// Color of blocks that break the rules.
const ERROR: Texel = [1.0, 0.0, 1.0, 1.0];
/// Low bits of blocks of one color.
const VOID: u32 = 0x1fc;
/// Maximum number of weights of a block.
const MOST_WEIGHTS: usize = 64;

/// Grid of weights.
#[derive(Clone, Copy)]
struct Grid {
    width: u32,
    height: u32,
    range: Range,
    has_two_planes: bool,
}

impl Grid {
    /// Reads the mode of a block; `None` if it is reserved.
    fn of(block: u128) -> Option<Grid> {
        let field = |high: usize, low: usize| bits(block, low, high + 1 - low);
        let (a, b) = (field(6, 5), field(8, 7));
        let low = field(1, 0);
        let (range, size) = match low {
            0 => {
                let size = match (b, a) {
                    (0, _) => (12, a + 2),
                    (1, _) => (a + 2, 12),
                    (2, _) => (a + 6, field(10, 9) + 6),
                    (_, 0) => (6, 10),
                    (_, 1) => (10, 6),
                    _ => return None,
                };
                (field(3, 2) << 1 | field(4, 4), size)
            }
            _ => {
                let size = match (field(3, 2), field(8, 8)) {
                    (0, _) => (b + 4, a + 2),
                    (1, _) => (b + 8, a + 2),
                    (2, _) => (a + 2, b + 8),
                    (_, 0) => (a + 2, field(7, 7) + 6),
                    _ => (field(7, 7) + 2, a + 2),
                };
                (low << 1 | field(4, 4), size)
            }
        };
        let is_square = low == 0 && b == 2;
        let (is_precise, has_two_planes) =
            if is_square { (0, false) } else { (field(9, 9), field(10, 10) == 1) };
        let range = range.checked_sub(2)? + 6 * is_precise;
        let (width, height) = size;
        let range = *WEIGHT_RANGES.get(range as usize)?;
        let grid = Grid { width, height, range, has_two_planes };
        let fits = grid.count() <= MOST_WEIGHTS && (24..=96).contains(&range.length(grid.count()));
        fits.then_some(grid)
    }

    /// Number of weights.
    fn count(&self) -> usize {
        (self.width * self.height) as usize * if self.has_two_planes { 2 } else { 1 }
    }

    /// Weights of both planes at a texel, between those of the grid.
    fn weights(&self, block: u128, (x, y): (u32, u32), (width, height): (u32, u32)) -> [u32; 2] {
        // Weights are stored from the highest bit down.
        let values = self.range.read(block.reverse_bits(), 0, self.count());
        let place = |position: u32, size: u32, grid: u32| {
            let scale = (1024 + size / 2) / (size - 1);
            let place = (scale * position * (grid - 1) + 32) >> 6;
            (place >> 4, place & 0xf)
        };
        let (column, right) = place(x, width, self.width);
        let (row, down) = place(y, height, self.height);
        let both = (right * down + 8) >> 4;
        let shares = [16 + both - right - down, right - both, down - both, both];
        let planes = if self.has_two_planes { 2 } else { 1 };
        let mut result = [0; 2];
        for (plane, result) in result.iter_mut().enumerate() {
            let at = |dx: u32, dy: u32| {
                let index = ((row + dy) * self.width + column + dx) as usize * planes;
                let value = values.get(index + plane.min(planes - 1));
                value.map_or(0, |value| self.range.weight(*value))
            };
            let corners = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)];
            let sum: u32 = corners.iter().zip(shares).map(|(weight, share)| weight * share).sum();
            *result = (sum + 8) >> 4;
        }
        result
    }
}

/// A texel of a block of `size` texels and rows. Values of sRGB have 8 bits.
pub(super) fn texel(block: u128, place: (u32, u32), size: (u32, u32), is_srgb: bool) -> Texel {
    let finish = |value: u32| match is_srgb {
        true => (value >> 8) as f32 / 255.0,
        false => value as f32 / 65535.0,
    };
    if bits(block, 0, 9) == VOID {
        let has_high_range = bits(block, 9, 1) == 1;
        let color = [64, 80, 96, 112].map(|start| finish(bits(block, start, 16)));
        return if has_high_range { ERROR } else { color };
    }
    let decoded = Grid::of(block).and_then(|grid| {
        let (ends, second) = end_points(block, &grid, place, size)?;
        Some((ends, second, grid.weights(block, place, size)))
    });
    let Some((ends, second, weights)) = decoded else { return ERROR };
    std::array::from_fn(|i| {
        let weight = weights[usize::from(second == Some(i))];
        let [a, b] =
            ends.map(|end| if is_srgb { end[i] << 8 | 0x80 } else { end[i] << 8 | end[i] });
        finish((a * (64 - weight) + b * weight + 32) >> 6)
    })
}

/// A pair of colors, of bytes.
type Ends = [[u32; 4]; 2];

/// End points of the partition of a texel, and the component of the second plane; `None` for
/// blocks that break the rules.
fn end_points(
    block: u128,
    grid: &Grid,
    (x, y): (u32, u32),
    (width, height): (u32, u32),
) -> Option<(Ends, Option<usize>)> {
    let count = bits(block, 11, 2) + 1;
    if count == 4 && grid.has_two_planes {
        return None;
    }
    // Below the weights: further modes of end points, component of the second plane.
    let mut end = 128 - grid.range.length(grid.count());
    let (partition, modes, start) = if count == 1 {
        (0, [bits(block, 13, 4); 4], 17)
    } else {
        let is_small = width * height < 31;
        let partition = select(bits(block, 13, 10), (x, y), count, is_small);
        let low = bits(block, 23, 6);
        let modes = if low & 3 == 0 {
            [low >> 2; 4]
        } else {
            let further = 3 * count as usize - 4;
            end = end.checked_sub(further)?;
            let all = low | bits(block, end, further) << 6;
            std::array::from_fn(|i| {
                let class = (low & 3) - 1 + (all >> (2 + i) & 1);
                4 * class + (all >> (2 + count as usize + 2 * i) & 3)
            })
        };
        (partition as usize, modes, 29)
    };
    let second = if grid.has_two_planes {
        end = end.checked_sub(2)?;
        Some(bits(block, end, 2) as usize)
    } else {
        None
    };
    let values_of = |mode: u32| 2 * (mode as usize / 4 + 1);
    let all: usize = modes[..count as usize].iter().map(|mode| values_of(*mode)).sum();
    let before: usize = modes[..partition].iter().map(|mode| values_of(*mode)).sum();
    let room = end.checked_sub(start)?;
    let range = COLOR_RANGES.iter().find(|range| range.length(all) <= room)?;
    if all > 18 {
        return None;
    }
    let mut values = [0; 8];
    let read = range.read(block, start, all);
    for (value, packed) in values.iter_mut().zip(read.get(before..)?) {
        *value = range.color(*packed).cast_signed();
    }
    Some((ends_of(modes[partition], values)?, second))
}

/// Colors of end points from their values; `None` for modes of high dynamic range.
fn ends_of(mode: u32, v: [i32; 8]) -> Option<Ends> {
    let ends = match mode {
        0 => [[v[0], v[0], v[0], 255], [v[1], v[1], v[1], 255]],
        1 => {
            let low = v[0] >> 2 | v[1] & 0xc0;
            let high = low + (v[1] & 0x3f);
            [[low, low, low, 255], [high, high, high, 255]]
        }
        4 => [[v[0], v[0], v[0], v[2]], [v[1], v[1], v[1], v[3]]],
        5 => {
            let ([l0, l1], [a0, a1]) = (transfer(v[0], v[1]), transfer(v[2], v[3]));
            [[l0, l0, l0, a0], [l0 + l1, l0 + l1, l0 + l1, a0 + a1]]
        }
        6 | 10 => {
            let scaled = [0, 1, 2].map(|i| (v[i] * v[3]) >> 8);
            let [a0, a1] = if mode == 6 { [255, 255] } else { [v[4], v[5]] };
            [[scaled[0], scaled[1], scaled[2], a0], [v[0], v[1], v[2], a1]]
        }
        8 | 12 => {
            let [a0, a1] = if mode == 8 { [255, 255] } else { [v[6], v[7]] };
            let (first, second) = ([v[0], v[2], v[4], a0], [v[1], v[3], v[5], a1]);
            let is_ordered = v[1] + v[3] + v[5] >= v[0] + v[2] + v[4];
            if is_ordered { [first, second] } else { [contract(second), contract(first)] }
        }
        9 | 13 => {
            let pairs = [0, 2, 4].map(|i| transfer(v[i], v[i + 1]));
            let [a0, a1] = if mode == 9 { [255, 0] } else { transfer(v[6], v[7]) };
            let first = [pairs[0][0], pairs[1][0], pairs[2][0], a0];
            let sum = |i: usize| pairs[i][0] + pairs[i][1];
            let second = [sum(0), sum(1), sum(2), a0 + a1];
            let is_ordered = pairs.iter().map(|pair| pair[1]).sum::<i32>() >= 0;
            if is_ordered { [first, second] } else { [contract(second), contract(first)] }
        }
        _ => return None,
    };
    Some(ends.map(|end| end.map(|value| value.clamp(0, 255).cast_unsigned())))
}

/// Moves the highest bit of an offset to its base; the offset has a sign.
fn transfer(base: i32, offset: i32) -> [i32; 2] {
    let base = base >> 1 | offset & 0x80;
    let offset = offset >> 1 & 0x3f;
    [base, if offset & 0x20 == 0 { offset } else { offset - 0x40 }]
}

/// Moves red and green halfway to blue.
fn contract([r, g, b, a]: [i32; 4]) -> [i32; 4] {
    [(r + b) >> 1, (g + b) >> 1, b, a]
}

/// Partition of a texel.
fn select(number: u32, (x, y): (u32, u32), count: u32, is_small: bool) -> u32 {
    let (x, y) = if is_small { (x << 1, y << 1) } else { (x, y) };
    let number = number + (count - 1) * 1024;
    let random = hash(number);
    let seed = |start: u32| {
        let value = random.rotate_right(start) & 0xf;
        value * value
    };
    let wide = if count == 3 { 6 } else { 5 };
    let narrow = if number & 2 == 0 { 5 } else { 4 };
    let [odd, even] = if number & 1 == 1 { [narrow, wide] } else { [wide, narrow] };
    let slope = |start: u32| {
        (seed(start) >> odd) * x + (seed(start + 4) >> even) * y + (random >> (14 - start / 2))
    };
    let mut scores = [slope(0), slope(8), slope(16), slope(24)].map(|score| score & 0x3f);
    // Partitions that do not exist never win.
    (count as usize..4).filter(|i| *i >= 2).for_each(|i| scores[i] = 0);
    let mut best = 0;
    for (i, score) in (0..4).zip(scores) {
        if score > scores[best] {
            best = i;
        }
    }
    best as u32
}

/// Random bits of a number.
fn hash(mut p: u32) -> u32 {
    p ^= p >> 15;
    p = p.wrapping_sub(p << 17);
    p = p.wrapping_add(p << 7);
    p = p.wrapping_add(p << 4);
    p ^= p >> 5;
    p = p.wrapping_add(p << 16);
    p ^= p >> 7;
    p ^= p >> 3;
    p ^= p << 6;
    p ^ p >> 17
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes of grids by the bits of the mode (section 23.11): bits 0 and 1, 2 and 3, 5 and 6,
    /// 7 and 8.
    #[test]
    fn grids() {
        let size = |low: u128, form: u128, a: u128, b: u128| {
            Grid::of(low | form << 2 | a << 5 | b << 7).map(|grid| (grid.width, grid.height))
        };
        assert_eq!(size(1, 0, 3, 3), Some((7, 5)));
        assert_eq!(size(1, 1, 1, 2), Some((10, 3)));
        assert_eq!(size(1, 2, 1, 1), Some((3, 9)));
        assert_eq!(size(1, 3, 3, 1), Some((5, 7)));
        assert_eq!(size(2, 3, 3, 3), Some((3, 5)));
        assert_eq!(size(0, 1, 0, 0), Some((12, 2)));
        assert_eq!(size(0, 1, 0, 1), Some((2, 12)));
        assert_eq!(size(0, 1, 1, 2 | 1 << 2), Some((7, 7)));
        assert_eq!(size(0, 1, 0, 3), Some((6, 10)));
        assert_eq!(size(0, 1, 1, 3), Some((10, 6)));
        assert_eq!(size(0, 1, 2, 3), None);
        // Four by two weights of a bit are too few.
        assert_eq!(size(1, 0, 0, 0), None);
        let planes = Grid::of(1 | 1 << 5 | 3 << 7 | 1 << 10).expect("a grid");
        assert!(planes.has_two_planes && planes.count() == 2 * 7 * 3);
    }

    /// Values follow from the functions of section 23.17, which are given as C code.
    #[test]
    fn colors_of_each_mode() {
        let of = |mode, values: &[i32]| {
            let mut all = [0; 8];
            all[..values.len()].copy_from_slice(values);
            ends_of(mode, all)
        };
        assert_eq!(of(0, &[10, 20]), Some([[10, 10, 10, 255], [20, 20, 20, 255]]));
        assert_eq!(of(1, &[0x83, 0x45]), Some([[0x60, 0x60, 0x60, 255], [0x65, 0x65, 0x65, 255]]));
        assert_eq!(of(2, &[1, 2]), None);
        assert_eq!(of(4, &[10, 20, 30, 40]), Some([[10, 10, 10, 30], [20, 20, 20, 40]]));
        assert_eq!(of(5, &[0x20, 0x06, 0x40, 0x7e]), Some([[16, 16, 16, 32], [19, 19, 19, 31]]));
        let scaled = [100, 50, 200, 128, 7, 9];
        assert_eq!(of(6, &scaled), Some([[50, 25, 100, 255], [100, 50, 200, 255]]));
        assert_eq!(of(10, &scaled), Some([[50, 25, 100, 7], [100, 50, 200, 9]]));
        assert_eq!(of(8, &[1, 2, 3, 4, 5, 6]), Some([[1, 3, 5, 255], [2, 4, 6, 255]]));
        // The second color is darker: both are exchanged, and red and green move to blue.
        let darker = [20, 1, 30, 2, 40, 3, 7, 9];
        assert_eq!(of(8, &darker), Some([[2, 2, 3, 255], [30, 35, 40, 255]]));
        assert_eq!(of(12, &darker), Some([[2, 2, 3, 9], [30, 35, 40, 7]]));
        let offsets = [0x20, 6, 0x40, 4, 0x60, 2, 0x30, 4];
        assert_eq!(of(9, &offsets), Some([[16, 32, 48, 255], [19, 34, 49, 255]]));
        assert_eq!(of(13, &offsets), Some([[16, 32, 48, 24], [19, 34, 49, 26]]));
        let negative = [0x20, 0x7e, 0x40, 0x7e, 0x60, 0x7e];
        assert_eq!(of(9, &negative), Some([[31, 39, 47, 255], [32, 40, 48, 255]]));
        // The highest bit of an offset belongs to the base.
        assert_eq!(transfer(2, 0xff), [0x81, -1]);
        assert_eq!(transfer(0xff, 0x41), [0x7f, -0x20]);
    }

    /// Partitions by the C code of section 23.21, written down in Python.
    #[test]
    fn partitions() {
        assert_eq!([hash(1024), hash(0x555)], [0xbd3d_4343, 0xb8f9_cf35]);
        let rows = |number, count, is_small| {
            [0, 1, 2, 3].map(|y| [0, 1, 2, 3].map(|x| select(number, (x, y), count, is_small)))
        };
        let two = [[1, 1, 1, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 1, 0, 0]];
        assert_eq!(rows(37, 2, true), two);
        let three = [[1, 2, 2, 2], [2, 2, 2, 2], [2, 2, 2, 2], [1, 1, 1, 1]];
        assert_eq!(rows(612, 3, true), three);
        assert_eq!(rows(14, 3, false), [[0; 4], [1, 1, 2, 2], [1; 4], [1; 4]]);
        let four = [[0, 1, 1, 1], [1, 1, 2, 3], [3, 3, 2, 3], [3, 3, 2, 3]];
        assert_eq!(rows(905, 4, false), four);
    }

    /// Two partitions with modes of their own: bits 23 to 28 hold the class, the first mode is 0;
    /// the second one, 1, is below the weights. Each has two values of eight bits from bit 29 on.
    #[test]
    fn partitions_have_modes_of_their_own() {
        let values = 10 << 29 | 20 << 37 | 0x83 << 45 | 0x45 << 53;
        let block = 0x42 | 1 << 11 | 37 << 13 | 1 << 23 | values | 1 << 94_u128;
        let grid = Grid::of(block).expect("a grid");
        let of = |x| end_points(block, &grid, (x, 0), (4, 4));
        assert_eq!(of(3), Some(([[10, 10, 10, 255], [20, 20, 20, 255]], None)));
        let second = [[0x60, 0x60, 0x60, 255], [0x65, 0x65, 0x65, 255]];
        assert_eq!(of(0), Some((second, None)));
    }
}
