//! Pixels of triangles and thin lines.

use raster::clip::ClipVertex;
use raster::rasterize::{Rect, SnappedPosition, Spans, line, triangle};

use crate::interpolation::{Corner, Interpolation};
use crate::quads::{Samples, at_samples};
use crate::viewport::{Viewport, corner, snap_corner};

/// Size of a pixel in snapped positions.
const PIXEL: f64 = 256.0;

/// Spans of a shape by the bit of the sample.
pub type SampleSpans = Vec<(u16, Vec<Spans>)>;

/// The part of a triangle that clipping left, in the window.
#[derive(Clone, Debug)]
pub struct Polygon {
    corners: Vec<Corner>,
    snapped: Vec<SnappedPosition>,
}

impl Polygon {
    /// Transforms the corners that clipping left of a triangle.
    #[must_use]
    pub fn new(viewport: &Viewport, clipped: &[ClipVertex], positions: &[[f64; 4]; 3]) -> Polygon {
        let corners = clipped.iter().map(|vertex| corner(viewport, vertex, positions));
        let corners: Vec<Corner> = corners.collect();
        let snapped = corners.iter().map(snap_corner).collect();
        Polygon { corners, snapped }
    }

    /// Triangles that the polygon consists of, as numbers of corners.
    fn pieces(&self) -> impl Iterator<Item = [usize; 3]> {
        (2..self.corners.len()).map(|i| [0, i - 1, i])
    }

    /// Twice the area; its sign is that of a triangle with the same orientation.
    #[must_use]
    pub fn doubled_area(&self) -> i64 {
        self.pieces().map(|piece| triangle::doubled_area(&piece.map(|i| self.snapped[i]))).sum()
    }

    /// Rasterizes the triangles that have an area.
    pub fn rasterize(
        &self,
        samples: &Samples,
        bounds: &Rect,
    ) -> impl Iterator<Item = (SampleSpans, Interpolation)> {
        self.pieces().filter_map(move |piece| {
            let (snapped, corners) =
                (piece.map(|i| self.snapped[i]), piece.map(|i| self.corners[i]));
            snapped_triangle(snapped, corners, samples, bounds)
        })
    }
}

/// Rasterizes a triangle of either orientation whose corners were snapped, and returns its
/// interpolation from there; `None` without area.
fn snapped_triangle(
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A polygon of corners in a window of 8 by 8 pixels.
    fn polygon(corners: &[[f64; 2]]) -> (Polygon, Rect) {
        let bounds = Rect { x0: 0, y0: 0, x1: 8, y1: 8 };
        let (scale, offset) = ([4.0, 4.0, 1.0], [4.0, 4.0, 0.0]);
        let viewport = Viewport { scale, offset, guard: [1.0; 2], bounds, depths: [0.0, 1.0] };
        let positions = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]];
        let vertex = |&[x, y]: &[f64; 2]| ClipVertex {
            position: [x, y, 0.0, 1.0],
            weights: [1.0, 0.0, 0.0],
        };
        let clipped: Vec<ClipVertex> = corners.iter().map(vertex).collect();
        (Polygon::new(&viewport, &clipped, &positions), bounds)
    }

    #[test]
    fn polygons_are_drawn_in_triangles() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let (square, bounds) = polygon(&corners);
        // A pixel has 256 positions in each direction.
        assert_eq!(square.doubled_area(), 2 * (8 * 256) * (8 * 256));
        let samples = Samples { positions: vec![[0.5, 0.5]], mask: 1 };
        let pieces: Vec<SampleSpans> =
            square.rasterize(&samples, &bounds).map(|(spans, _)| spans).collect();
        assert_eq!(pieces.len(), 2);
        let spans = pieces.iter().flatten().flat_map(|(_, spans)| spans);
        let pixels: i32 =
            spans.flat_map(|spans| &spans.rows).map(|(x0, x1)| (x1 - x0).max(0)).sum();
        // The diagonal belongs to one of the two.
        assert_eq!(pixels, 64);
    }

    #[test]
    fn orientation_has_a_sign_and_lines_have_no_area() {
        let (turned, bounds) = polygon(&[[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0]]);
        assert_eq!(turned.doubled_area(), -(8 * 256) * (8 * 256));
        let (line, _) = polygon(&[[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0]]);
        let samples = Samples { positions: vec![[0.5, 0.5]], mask: 1 };
        assert_eq!(line.doubled_area(), 0);
        assert_eq!(line.rasterize(&samples, &bounds).count(), 0);
        assert_eq!(turned.rasterize(&samples, &bounds).count(), 1);
    }
}
