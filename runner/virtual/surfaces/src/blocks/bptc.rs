//! BC6H and BC7: partitions into subsets, each with two end points, and an index for each texel.
//!
//! Source: Khronos Data Format Specification 1.3, section 20.

use std::sync::OnceLock;

use super::bits::{Texel, bits, low_mask};
use super::partitions::subset;
use vocabulary::half;

/// Weights of the second end point of 64, by index, for indices of 2, 3 and 4 bits.
const WEIGHTS: [&[u32]; 3] = [
    &[0, 21, 43, 64],
    &[0, 9, 18, 27, 37, 46, 55, 64],
    &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
];

/// A mode of BC7.
struct Mode {
    subsets: usize,
    partition_bits: usize,
    rotation_bits: usize,
    selection_bits: usize,
    color_bits: usize,
    alpha_bits: usize,
    /// Lowest bits of the end points: of each, of both of a subset, or none.
    low_bits: LowBits,
    index_bits: usize,
    second_index_bits: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LowBits {
    None,
    Each,
    Shared,
}

const fn mode(
    [subsets, partition_bits, rotation_bits, selection_bits]: [usize; 4],
    [color_bits, alpha_bits]: [usize; 2],
    low_bits: LowBits,
    [index_bits, second_index_bits]: [usize; 2],
) -> Mode {
    Mode {
        subsets,
        partition_bits,
        rotation_bits,
        selection_bits,
        color_bits,
        alpha_bits,
        low_bits,
        index_bits,
        second_index_bits,
    }
}

const MODES: [Mode; 8] = [
    mode([3, 4, 0, 0], [4, 0], LowBits::Each, [3, 0]),
    mode([2, 6, 0, 0], [6, 0], LowBits::Shared, [3, 0]),
    mode([3, 6, 0, 0], [5, 0], LowBits::None, [2, 0]),
    mode([2, 6, 0, 0], [7, 0], LowBits::Each, [2, 0]),
    mode([1, 0, 2, 1], [5, 6], LowBits::None, [2, 3]),
    mode([1, 0, 2, 0], [7, 8], LowBits::None, [2, 2]),
    mode([1, 0, 0, 0], [7, 7], LowBits::Each, [4, 0]),
    mode([2, 6, 0, 0], [5, 5], LowBits::Each, [2, 0]),
];

/// Reads the fields of a block in their order.
struct Reader {
    block: u128,
    position: usize,
}

impl Reader {
    fn next(&mut self, count: usize) -> u32 {
        let value = bits(self.block, self.position, count);
        self.position += count;
        value
    }
}

/// End points of the subsets, as bytes.
fn end_points(reader: &mut Reader, mode: &Mode) -> [[u32; 4]; 6] {
    let count = 2 * mode.subsets;
    let mut ends = [[0, 0, 0, 255]; 6];
    let widths = [mode.color_bits, mode.color_bits, mode.color_bits, mode.alpha_bits];
    let stored = widths.map(|width| width > 0);
    for component in (0..4).filter(|component| stored[*component]) {
        for end in &mut ends[..count] {
            end[component] = reader.next(widths[component]);
        }
    }
    let mut low = [0; 6];
    match mode.low_bits {
        LowBits::None => {}
        LowBits::Each => low[..count].iter_mut().for_each(|bit| *bit = reader.next(1)),
        LowBits::Shared => low[..count].chunks_mut(2).for_each(|pair| pair.fill(reader.next(1))),
    }
    for (end, low) in ends[..count].iter_mut().zip(low) {
        for component in (0..4).filter(|component| stored[*component]) {
            let (mut value, mut width) = (end[component], widths[component]);
            if mode.low_bits != LowBits::None {
                (value, width) = (value << 1 | low, width + 1);
            }
            // The highest bits fill the missing lowest.
            end[component] = value << (8 - width) | value >> (2 * width - 8);
        }
    }
    ends
}

/// Index of a texel; `start` is the position of the first. Anchors have one bit less.
fn index(
    block: u128,
    (start, width): (usize, usize),
    (subsets, partition): (usize, usize),
    texel: usize,
) -> u32 {
    let is_anchor = |texel| subset(subsets, partition, texel).1;
    let shorter = (0..texel).filter(|other| is_anchor(*other)).count();
    let count = width - usize::from(is_anchor(texel));
    bits(block, start + width * texel - shorter, count)
}

/// A texel of BC7.
pub(super) fn bytes(block: u128, texel: usize) -> [u8; 4] {
    let number = block.trailing_zeros() as usize;
    let Some(mode) = MODES.get(number) else { return [0; 4] };
    let mut reader = Reader { block, position: number + 1 };
    let partition = reader.next(mode.partition_bits) as usize;
    let rotation = reader.next(mode.rotation_bits) as usize;
    let selection = reader.next(mode.selection_bits);
    let ends = end_points(&mut reader, mode);
    let (subset, _) = subset(mode.subsets, partition, texel);
    let place = (mode.subsets, partition);
    let widths = [mode.index_bits, mode.second_index_bits];
    let first = (index(block, (reader.position, widths[0]), place, texel), widths[0]);
    let second = match widths[1] {
        0 => first,
        width => {
            let start = reader.position + 16 * widths[0] - mode.subsets;
            (index(block, (start, width), place, texel), width)
        }
    };
    let [color, alpha] = if selection == 1 { [second, first] } else { [first, second] };
    let mut result: [u8; 4] = std::array::from_fn(|component| {
        let (index, width) = if component == 3 { alpha } else { color };
        let weight = WEIGHTS[width - 2][index as usize];
        let [a, b] = [2 * subset, 2 * subset + 1].map(|end| ends[end][component]);
        ((a * (64 - weight) + b * weight + 32) >> 6) as u8
    });
    if rotation > 0 {
        result.swap(rotation - 1, 3);
    }
    result
}

/// A mode of BC6H.
struct FloatMode {
    /// Lowest bits of blocks in the mode, and their number.
    number: (u32, usize),
    subsets: usize,
    is_delta: bool,
    precision: usize,
    delta_bits: [usize; 3],
    /// Component, end point and bit, in the order of storage.
    fields: Vec<(usize, usize, usize)>,
}

/// Modes of BC6H.
fn float_modes() -> &'static [FloatMode] {
    static MODES: OnceLock<Vec<FloatMode>> = OnceLock::new();
    MODES.get_or_init(|| {
        let text = include_str!("bc6h.txt").replace("\n    ", " ");
        text.lines().filter(|line| !line.starts_with('#')).filter_map(parse_mode).collect()
    })
}

fn parse_mode(line: &str) -> Option<FloatMode> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let number = (u32::from_str_radix(name, 2).ok()?, name.len());
    let subsets = words.next()?.parse().ok()?;
    let is_delta = words.next()? == "delta";
    let mut size = || words.next()?.parse().ok();
    let precision = size()?;
    let delta_bits = [size()?, size()?, size()?];
    let mut fields = Vec::new();
    for word in words {
        let (place, range) = word.split_once(':')?;
        let component = "rgb".find(place.chars().next()?)?;
        let end = place[1..].parse().ok()?;
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        let mut add = |bit| fields.push((component, end, bit));
        if first <= last {
            (first..=last).for_each(&mut add);
        } else {
            (last..=first).rev().for_each(&mut add);
        }
    }
    Some(FloatMode { number, subsets, is_delta, precision, delta_bits, fields })
}

/// A texel of BC6H.
pub(super) fn floats(block: u128, texel: usize, is_signed: bool) -> Texel {
    let matches = |mode: &&FloatMode| bits(block, 0, mode.number.1) == mode.number.0;
    let Some(mode) = float_modes().iter().find(matches) else { return [0.0, 0.0, 0.0, 1.0] };
    let mut reader = Reader { block, position: mode.number.1 };
    let mut ends = [[0_u32; 3]; 4];
    for &(component, end, bit) in &mode.fields {
        ends[end][component] |= reader.next(1) << bit;
    }
    let partition = reader.next(if mode.subsets == 2 { 5 } else { 0 }) as usize;
    let (subset, _) = subset(mode.subsets, partition, texel);
    let width = if mode.subsets == 2 { 3 } else { 4 };
    let index = index(block, (reader.position, width), (mode.subsets, partition), texel);
    let weight = WEIGHTS[width - 2][index as usize].cast_signed();
    let color = |component: usize| {
        let precision = mode.precision;
        let end = |number: usize| {
            let value = ends[number][component];
            let value = match (mode.is_delta, number) {
                (true, 1..) => {
                    let delta = sign_extend(value, mode.delta_bits[component]).cast_unsigned();
                    ends[0][component].wrapping_add(delta) & low_mask(precision)
                }
                _ => value,
            };
            expand(value, precision, is_signed)
        };
        let (first, second) = (end(2 * subset), end(2 * subset + 1));
        half::to_f32(finish((first * (64 - weight) + second * weight + 32) >> 6, is_signed))
    };
    [color(0), color(1), color(2), 1.0]
}

fn sign_extend(value: u32, width: usize) -> i32 {
    let shift = 32 - width;
    (value << shift).cast_signed() >> shift
}

/// An end point as a number of 17 bits, from one of `precision` bits.
fn expand(value: u32, precision: usize, is_signed: bool) -> i32 {
    if !is_signed {
        return match value.cast_signed() {
            value if precision >= 15 => value,
            0 => 0,
            _ if value == low_mask(precision) => 0xffff,
            value => ((value << 15) + 0x4000) >> (precision - 1),
        };
    }
    let value = sign_extend(value, precision);
    if precision >= 16 {
        return value;
    }
    let magnitude = match value.abs() {
        0 => 0,
        most if most >= (1 << (precision - 1)) - 1 => 0x7fff,
        some => ((some << 15) + 0x4000) >> (precision - 1),
    };
    if value < 0 { -magnitude } else { magnitude }
}

/// Scales an interpolated value to the bits of a half float.
fn finish(value: i32, is_signed: bool) -> u16 {
    if !is_signed {
        return ((value * 31) >> 6) as u16;
    }
    let magnitude = ((value.abs() * 31) >> 5) as u16;
    if value < 0 { magnitude | 0x8000 } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values follow from the function of section 20.2.2 of the specification.
    #[test]
    fn end_points_of_seventeen_bits() {
        assert_eq!([0, 1, 1023].map(|value| expand(value, 10, false)), [0, 96, 0xffff]);
        assert_eq!(expand(0x8001, 16, false), 0x8001);
        // 5 and -5 of ten bits, the largest value, and a value of sixteen bits.
        assert_eq!([5, 0x3fb, 511].map(|value| expand(value, 10, true)), [352, -352, 0x7fff]);
        assert_eq!([0, 0x201].map(|value| expand(value, 10, true)), [0, -0x7fff]);
        assert_eq!(expand(0xfffe, 16, true), -2);
    }
}
