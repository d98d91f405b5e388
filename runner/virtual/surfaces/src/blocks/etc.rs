//! ETC1, ETC2 and EAC: base colors with modifiers.
//!
//! Source: Khronos Data Format Specification 1.3, sections 21 and 22. Blocks are numbers whose
//! first byte is the highest; texels are counted by columns.

use super::bits::Texel;

/// Modifiers of subblocks: small and large distance, by table.
const MODIFIERS: [[i32; 2]; 8] =
    [[2, 8], [5, 17], [9, 29], [13, 42], [18, 60], [24, 80], [33, 106], [47, 183]];

/// Distances of the modes T and H.
const DISTANCES: [i32; 8] = [3, 6, 11, 16, 23, 32, 41, 64];

/// Modifiers of single components for indices 4 to 7, by table; 0 to 3 are their complements.
const SINGLE_MODIFIERS: [[i32; 4]; 16] = [
    [2, 5, 8, 14],
    [2, 6, 9, 12],
    [1, 4, 7, 12],
    [1, 3, 5, 12],
    [2, 5, 7, 11],
    [2, 6, 8, 10],
    [3, 6, 7, 10],
    [2, 4, 7, 10],
    [1, 5, 7, 9],
    [1, 4, 7, 9],
    [1, 3, 7, 9],
    [1, 4, 6, 9],
    [2, 3, 6, 9],
    [0, 1, 2, 9],
    [3, 5, 7, 8],
    [2, 4, 6, 8],
];

/// Bits of a block below and including bit `high`.
fn field(block: u64, high: u32, count: u32) -> i32 {
    (block >> (high + 1 - count) & ((1 << count) - 1)) as i32
}

/// Replicates the highest bits of a number of `width` bits to a byte.
fn widen(value: i32, width: i32) -> i32 {
    value << (8 - width) | value >> (2 * width - 8)
}

fn opaque(rgb: [i32; 3]) -> Texel {
    let [r, g, b] = rgb.map(|value| value.clamp(0, 255) as f32 / 255.0);
    [r, g, b, 1.0]
}

/// A texel of a block of colors. With `punch_through`, a bit of the block permits transparent
/// texels in place of the differences' flag.
pub(super) fn color(block: u64, x: u32, y: u32, punch_through: bool) -> Texel {
    let texel = 4 * x + y;
    let index = (block >> (16 + texel) & 1) << 1 | block >> texel & 1;
    let flag = field(block, 33, 1) == 1;
    let is_opaque = !punch_through || flag;
    let is_transparent = !is_opaque && index == 2;
    let is_difference = punch_through || flag;
    let starts = [63, 55, 47];
    let bases = if is_difference {
        let first = starts.map(|high| field(block, high, 5));
        let second: [i32; 3] =
            std::array::from_fn(|i| first[i] + (field(block, starts[i] - 5, 3) << 29 >> 29));
        // A sum that overflows selects another mode.
        match second.map(|value| !(0..32).contains(&value)) {
            [false, false, true] => return planar(block, x.cast_signed(), y.cast_signed()),
            _ if is_transparent => return [0.0; 4],
            [true, _, _] => return paint(&mode_t(block), index),
            [_, true, _] => return paint(&mode_h(block), index),
            _ => [first, second].map(|rgb| rgb.map(|value| widen(value, 5))),
        }
    } else {
        [0, 4].map(|skip| starts.map(|high| widen(field(block, high - skip, 4), 4)))
    };
    // Subblocks lie one above the other, or side by side.
    let is_flipped = field(block, 32, 1) == 1;
    let part = usize::from(if is_flipped { y } else { x } >= 2);
    let table = field(block, if part == 0 { 39 } else { 36 }, 3) as usize;
    let [small, large] = MODIFIERS[table];
    let modifier = match (index, is_opaque) {
        (0 | 2, false) => 0,
        (0, _) => small,
        (1, _) => large,
        (2, _) => -small,
        _ => -large,
    };
    opaque(bases[part].map(|value| value + modifier))
}

fn paint(colors: &[[i32; 3]; 4], index: u64) -> Texel {
    opaque(colors[index as usize & 3])
}

/// Colors of mode T: one alone, one with colors at a distance on both sides.
fn mode_t(block: u64) -> [[i32; 3]; 4] {
    let red = field(block, 60, 2) << 2 | field(block, 57, 2);
    let first = [red, field(block, 55, 4), field(block, 51, 4)].map(|value| widen(value, 4));
    let second = [47, 43, 39].map(|high| widen(field(block, high, 4), 4));
    let distance = DISTANCES[(field(block, 35, 2) << 1 | field(block, 32, 1)) as usize];
    [first, second.map(|v| v + distance), second, second.map(|v| v - distance)]
}

/// Colors of mode H: two, each with colors at a distance on both sides.
fn mode_h(block: u64) -> [[i32; 3]; 4] {
    let green = field(block, 58, 3) << 1 | field(block, 52, 1);
    let blue = field(block, 51, 1) << 3 | field(block, 49, 3);
    let first = [field(block, 62, 4), green, blue];
    let second = [46, 42, 38].map(|high| field(block, high, 4));
    let value = |rgb: [i32; 3]| rgb[0] << 8 | rgb[1] << 4 | rgb[2];
    let order = i32::from(value(first) >= value(second));
    let index = field(block, 34, 1) << 2 | field(block, 32, 1) << 1 | order;
    let distance = DISTANCES[index as usize];
    let [first, second] = [first, second].map(|rgb| rgb.map(|value| widen(value, 4)));
    let around = |rgb: [i32; 3], distance: i32| rgb.map(|value| value + distance);
    [
        around(first, distance),
        around(first, -distance),
        around(second, distance),
        around(second, -distance),
    ]
}

/// A color of a plane through three corners.
fn planar(block: u64, x: i32, y: i32) -> Texel {
    let origin = [
        widen(field(block, 62, 6), 6),
        widen(field(block, 56, 1) << 6 | field(block, 54, 6), 7),
        widen(field(block, 48, 1) << 5 | field(block, 44, 2) << 3 | field(block, 41, 3), 6),
    ];
    let right = [
        widen(field(block, 38, 5) << 1 | field(block, 32, 1), 6),
        widen(field(block, 31, 7), 7),
        widen(field(block, 24, 6), 6),
    ];
    let down = [
        widen(field(block, 18, 6), 6),
        widen(field(block, 12, 7), 7),
        widen(field(block, 5, 6), 6),
    ];
    opaque(std::array::from_fn(|i| {
        let [o, h, v] = [origin[i], right[i], down[i]];
        (x * (h - o) + y * (v - o) + 4 * o + 2) >> 2
    }))
}

/// Base, multiplier and modifier of a texel of a block of one component.
fn parts(block: u64, x: u32, y: u32) -> (i32, i32, i32) {
    let texel = 4 * x + y;
    let index = field(block, 47 - 3 * texel, 3) as usize;
    let table = SINGLE_MODIFIERS[field(block, 51, 4) as usize];
    let modifier = if index < 4 { -table[index] - 1 } else { table[index - 4] };
    (field(block, 63, 8), field(block, 55, 4), modifier)
}

/// Alpha of a texel.
pub(super) fn alpha(block: u64, x: u32, y: u32) -> f32 {
    let (base, multiplier, modifier) = parts(block, x, y);
    (base + modifier * multiplier).clamp(0, 255) as f32 / 255.0
}

/// A texel of a block of one component of 11 bits.
pub(super) fn single(block: u64, x: u32, y: u32, is_signed: bool) -> f32 {
    let (base, multiplier, modifier) = parts(block, x, y);
    // A multiplier of 0 means an eighth.
    let step = modifier * if multiplier == 0 { 1 } else { 8 * multiplier };
    if is_signed {
        let base = i32::from((base as u8).cast_signed()).max(-127);
        return (8 * base + step).clamp(-1023, 1023) as f32 / 1023.0;
    }
    (8 * base + 4 + step).clamp(0, 2047) as f32 / 2047.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four bits are a multiple of 17 as a byte.
    #[test]
    fn colors_of_mode_t() {
        let first = 2 << 59 | 1 << 56 | 3 << 52 | 1 << 48;
        let second = 2 << 44 | 4 << 40 | 6 << 36;
        // Table 5 of distances: 32.
        let block = first | second | 2 << 34 | 1 << 32;
        assert_eq!(mode_t(block), [[153, 51, 17], [66, 100, 134], [34, 68, 102], [2, 36, 70]]);
    }

    #[test]
    fn colors_of_mode_h() {
        let first = 1 << 59 | 2 << 56 | 1 << 52 | 1 << 51 | 2 << 47;
        let block = |red: u64| mode_h(first | red << 43 | 5 << 39 | 9 << 35 | 1 << 34);
        // The order of the colors is the lowest bit of the table: 5 and 4, 32 and 23.
        assert_eq!(block(1), [[49, 117, 202], [-15, 53, 138], [49, 117, 185], [-15, 53, 121]]);
        assert_eq!(block(2), [[40, 108, 193], [-6, 62, 147], [57, 108, 176], [11, 62, 130]]);
    }

    #[test]
    fn modifiers_of_single_components() {
        let of = |index: u64| parts(0x80_10 << 48 | index << 45, 0, 0);
        assert_eq!([0, 3, 4, 7].map(of), [-3, -15, 2, 14].map(|modifier| (128, 1, modifier)));
        // Texels are counted by columns.
        assert_eq!(parts(0x80_21 << 48 | 7 << (45 - 3 * 6), 1, 2), (128, 2, 12));
    }
}
