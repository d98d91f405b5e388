//! Pixels of triangles and thin lines.

use raster::rasterize::{Rect, SnappedPosition, Spans, line, triangle};

use crate::interpolation::{Corner, Interpolation};
use crate::quads::{Samples, at_samples};

/// Size of a pixel in snapped positions.
const PIXEL: f64 = 256.0;

/// Spans of a shape by the bit of the sample.
pub type SampleSpans = Vec<(u16, Vec<Spans>)>;

/// Rasterizes a triangle of either orientation whose corners were snapped, and returns its
/// interpolation from there; `None` without area.
#[must_use]
pub fn snapped_triangle(
    snapped: [SnappedPosition; 3],
    mut corners: [Corner; 3],
    samples: &Samples,
    bounds: &Rect,
) -> Option<(SampleSpans, Interpolation)> {
    let doubled = triangle::doubled_area(&snapped);
    if doubled == 0 {
        return None;
    }
    let oriented = if doubled > 0 { snapped } else { [snapped[0], snapped[2], snapped[1]] };
    let spans = at_samples(samples, |moved| {
        let corners = oriented.map(moved);
        vec![triangle::rasterize(&corners, bounds)]
    });
    for (corner, snapped) in corners.iter_mut().zip(snapped) {
        #[allow(clippy::cast_precision_loss, reason = "positions have few bits")]
        let window = snapped.map(|at| at as f64 / PIXEL);
        corner.window[..2].copy_from_slice(&window);
    }
    Some((spans, Interpolation::triangle(corners)))
}

/// Pixels of a line without antialiasing. A wide one is a line of width 1, repeated in the
/// direction of less change.
#[must_use]
pub fn line_copies(
    ends: [SnappedPosition; 2],
    copies: u32,
    samples: &Samples,
    bounds: &Rect,
) -> SampleSpans {
    let [from, to] = ends;
    let is_flat = (to[0] - from[0]).abs() >= (to[1] - from[1]).abs();
    at_samples(samples, |moved| {
        let copy = |i: u32| {
            let shift = 256 * i64::from(i) - 128 * i64::from(copies - 1);
            let [from, to] = ends.map(|p| match is_flat {
                true => moved([p[0], p[1] + shift]),
                false => moved([p[0] + shift, p[1]]),
            });
            line::rasterize(from, to, bounds)
        };
        (0..copies).map(copy).collect()
    })
}
