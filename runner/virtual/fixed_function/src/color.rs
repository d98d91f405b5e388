//! Colors on their way into a target.

use raster::blend::{Colors, Equation, blend, logic};

/// Blends by the equations of color and alpha; the colors that do not come from the target are
/// clamped first. `None` if a number without a meaning takes part.
#[must_use]
pub fn clamp_and_blend(
    [of_color, of_alpha]: [Equation; 2],
    clamp: Option<[f32; 2]>,
    colors: Colors,
) -> Option<[u32; 4]> {
    let clamped = |color: [f32; 4]| match clamp {
        Some([low, high]) => color.map(|value| value.max(low).min(high)),
        None => color,
    };
    let colors = Colors {
        source: clamped(colors.source),
        second: clamped(colors.second),
        destination: colors.destination,
        constant: clamped(colors.constant),
    };
    Some(blend(of_color, of_alpha, &colors)?.map(f32::to_bits))
}

/// Joins the bytes of a texel with those that are stored: by a logic operation, then by a mask of
/// the bits that are written.
pub fn join_stored(
    texel: &mut [u8; 16],
    old: [u8; 16],
    operation: Option<u64>,
    mask: Option<&[u8]>,
) {
    if let Some(operation) = operation {
        texel.iter_mut().zip(old).for_each(|(new, old)| *new = logic(operation, *new, old));
    }
    for ((new, old), mask) in texel.iter_mut().zip(old).zip(mask.unwrap_or_default()) {
        *new = *new & mask | old & !mask;
    }
}
