//! FXT1: blocks of 8 by 4 texels in two halves.
//!
//! Source: the extension `3DFX_texture_compression_FXT1`.

use super::bits::{Texel, bits};

/// A color with alpha, as bytes.
type Color = [u32; 4];

const TRANSPARENT: Color = [0; 4];

/// A number of five bits as a byte.
fn widen(value: u32) -> u32 {
    value << 3 | value >> 2
}

/// The color of 15 bits from bit `start` on: blue, green, red.
fn color(block: u128, start: usize) -> Color {
    let [b, g, r] = [0, 5, 10].map(|skip| widen(bits(block, start + skip, 5)));
    [r, g, b, 255]
}

/// `color` with a sixth, lowest bit of green.
fn with_green(block: u128, start: usize, low: u32) -> Color {
    let green = bits(block, start + 5, 5) << 1 | low;
    let mut color = color(block, start);
    color[1] = green << 2 | green >> 4;
    color
}

/// Color `index` of `count` steps from `first` to `second`.
fn step(first: Color, second: Color, index: u32, count: u32) -> Color {
    std::array::from_fn(|i| ((count - index) * first[i] + index * second[i] + count / 2) / count)
}

/// A texel of a block.
pub(super) fn texel(block: u128, x: u32, y: u32) -> Texel {
    let half = (x / 4) as usize;
    let texel = (4 * y + x % 4) as usize;
    let index = bits(block, 32 * half + 2 * texel, 2);
    let color = match bits(block, 125, 3) {
        0 | 1 => high(block, bits(block, 3 * (16 * half + texel), 3)),
        2 => color(block, 64 + 15 * index as usize),
        3 => with_alpha(block, half, index),
        _ => mixed(block, half, index),
    };
    color.map(|value| value as f32 / 255.0)
}

/// Seven colors on a line, and transparency.
fn high(block: u128, index: u32) -> Color {
    if index == 7 { TRANSPARENT } else { step(color(block, 96), color(block, 111), index, 6) }
}

/// Colors with alpha: three and transparency, or a line to a common color.
fn with_alpha(block: u128, half: usize, index: u32) -> Color {
    let get = |number: usize| {
        let mut color = color(block, 64 + 15 * number);
        color[3] = widen(bits(block, 109 + 5 * number, 5));
        color
    };
    let is_line = bits(block, 124, 1) == 1;
    if !is_line {
        return if index == 3 { TRANSPARENT } else { get(index as usize) };
    }
    let first = match half {
        0 => get(0),
        _ => {
            let mut color = color(block, 94);
            color[3] = widen(bits(block, 119, 5));
            color
        }
    };
    step(first, get(1), index, 3)
}

/// Two colors of each half, and those between them, or transparency.
fn mixed(block: u128, half: usize, index: u32) -> Color {
    let low = bits(block, 125 + half, 1);
    let (first, second) = (64 + 30 * half, 79 + 30 * half);
    let second = with_green(block, second, low);
    let has_transparent = bits(block, 124, 1) == 1;
    if !has_transparent {
        let select = bits(block, 32 * half + 1, 1);
        return step(with_green(block, first, low ^ select), second, index, 3);
    }
    let first = color(block, first);
    match index {
        0 => first,
        1 => std::array::from_fn(|i| (first[i] + second[i]) / 2),
        2 => second,
        _ => TRANSPARENT,
    }
}
