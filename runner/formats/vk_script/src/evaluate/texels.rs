//! Colors of texels.

use super::decode::texel;
use super::mismatch::{Mismatch, mismatch};
use super::values::{near, tolerance_of};
use crate::model::{Area, Buffer, Tolerance};
use crate::rules::Rules;

/// Expected colors.
pub(super) struct Wanted<'a> {
    pub(super) color: &'a [f64; 4],
    pub(super) alpha: bool,
    pub(super) tolerances: &'a [Tolerance],
    pub(super) rules: Rules,
}

/// Compares the texels of an area.
pub(super) fn check(
    wanted: &Wanted<'_>,
    area: Area,
    buffer: &Buffer,
    bytes: &[u8],
) -> Result<(), Mismatch> {
    let [x, y, width, height] = match area {
        Area::Whole => [0, 0, buffer.width, buffer.height],
        Area::Texels(texels) => texels,
    };
    let end = |start: u32, size: u32| u64::from(start) + u64::from(size);
    if end(x, width) > buffer.width.into() || end(y, height) > buffer.height.into() {
        return Err(mismatch(format!(
            "texels up to ({}, {}) are outside of an image of {} × {}",
            end(x, width),
            end(y, height),
            buffer.width,
            buffer.height
        )));
    }
    let size = buffer.format.size as usize;
    let mut first = None;
    let mut count = 0_u64;
    for row in y..y + height {
        for column in x..x + width {
            let index = row as usize * buffer.width as usize + column as usize;
            let Some(bytes) = bytes.get(index * size..(index + 1) * size) else {
                return Err(mismatch(format!("texel ({column}, {row}) is missing")));
            };
            let color = texel(&buffer.format, bytes, wanted.rules == Rules::Amber);
            if !holds(wanted, &color) {
                count += 1;
                first.get_or_insert((column, row, color));
            }
        }
    }
    let Some((column, row, color)) = first else {
        return Ok(());
    };
    let channels = if wanted.alpha { 4 } else { 3 };
    let texels = u64::from(width) * u64::from(height);
    let expected: Vec<String> = wanted.color.iter().take(channels).map(|v| rounded(*v)).collect();
    let actual: Vec<String> =
        color.iter().take(channels).map(|v| v.map_or_else(|| "–".to_owned(), rounded)).collect();
    Err(mismatch(format!(
        "texel ({column}, {row}) is {}, expected {}; {count} of {texels} texels differ",
        actual.join(" "),
        expected.join(" ")
    )))
}

/// At most six digits after the point, so that 1/255 and its neighbors differ.
fn rounded(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn holds(wanted: &Wanted<'_>, color: &[Option<f64>; 4]) -> bool {
    let channels = if wanted.alpha { 4 } else { 3 };
    color.iter().zip(wanted.color).take(channels).enumerate().all(|(index, (actual, expected))| {
        let actual = match (actual, wanted.rules) {
            (Some(actual), _) => *actual,
            // Amber does not compare channels that a format does not have; VkRunner takes black.
            (None, Rules::Amber) => return true,
            (None, Rules::VkRunner) => f64::from(u8::from(index == 3)),
        };
        tolerance_of(wanted.tolerances, index)
            .map_or(actual == *expected, |tolerance| near(actual, *expected, tolerance))
    })
}
