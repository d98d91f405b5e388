//! BC1 to BC5: two end points and an index for each texel.
//!
//! Source: Khronos Data Format Specification 1.3, sections 18 and 19. Colors between the end points
//! are not rounded.

use super::bits::Texel;

/// A texel of a block of colors. `has_four`: blocks of three colors do not occur. `has_alpha`: the
/// fourth color of three-color blocks is transparent.
pub(super) fn color(block: u64, index: u32, has_four: bool, has_alpha: bool) -> Texel {
    let ends = [block as u16, (block >> 16) as u16];
    let rgb = ends.map(|end| {
        [
            f32::from(end >> 11) / 31.0,
            f32::from(end >> 5 & 0x3f) / 63.0,
            f32::from(end & 0x1f) / 31.0,
        ]
    });
    let mix = |first: f32, second: f32| {
        let sum = first + second;
        let part = |i: usize| (first * rgb[0][i] + second * rgb[1][i]) / sum;
        [part(0), part(1), part(2), 1.0]
    };
    let is_three = !has_four && ends[0] <= ends[1];
    match (block >> (32 + 2 * index) & 3, is_three) {
        (0, _) => mix(1.0, 0.0),
        (1, _) => mix(0.0, 1.0),
        (2, false) => mix(2.0, 1.0),
        (_, false) => mix(1.0, 2.0),
        (2, true) => mix(1.0, 1.0),
        (_, true) => [0.0, 0.0, 0.0, if has_alpha { 0.0 } else { 1.0 }],
    }
}

/// A texel of a block of one component.
pub(super) fn single(block: u64, index: u32, is_signed: bool) -> f32 {
    let ends = [block as u8, (block >> 8) as u8];
    let number = |end: u8| match is_signed {
        true => f32::from(end.cast_signed().max(-127)) / 127.0,
        false => f32::from(end) / 255.0,
    };
    let [first, second] = ends.map(number);
    let is_above = match is_signed {
        true => ends[0].cast_signed() > ends[1].cast_signed(),
        false => ends[0] > ends[1],
    };
    let code = (block >> (16 + 3 * index) & 7) as u8;
    let mix = |steps: u8| {
        let weight = f32::from(code - 1);
        (first * (f32::from(steps) - weight) + second * weight) / f32::from(steps)
    };
    match (code, is_above) {
        (0, _) => first,
        (1, _) => second,
        (_, true) => mix(7),
        (6, false) => {
            if is_signed {
                -1.0
            } else {
                0.0
            }
        }
        (7, false) => 1.0,
        (_, false) => mix(5),
    }
}
