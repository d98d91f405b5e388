//! Samples, and the quads of pixels that primitives cover.

use raster::rasterize::{Rect, SnappedPosition, Spans, snap};
use smallvec::SmallVec;

use crate::shape::SmoothShape;

/// A run of pixels: 1 in the lower row of quads and 0 in the upper, bit of the sample, columns.
type Run = (usize, u16, (i32, i32));

/// Four pixels of which some are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Quad {
    /// Left column.
    pub x: u32,
    /// Upper row.
    pub y: u32,
    /// Covered samples of the pixels: upper left, upper right, lower left, lower right.
    pub samples: [u16; 4],
}

/// Four channels of a thread.
#[derive(Clone, Copy, Debug)]
pub struct QuadSlot {
    /// The pixels.
    pub quad: Quad,
    /// Sample that the channels shade; `None` if they shade whole pixels.
    pub sample: Option<u32>,
}

impl QuadSlot {
    /// Samples of a pixel that a write reaches.
    #[must_use]
    pub fn covered(&self, pixel: usize) -> u16 {
        let all = self.quad.samples[pixel];
        self.sample.map_or(all, |sample| all & 1 << sample)
    }

    /// Column and row of a pixel.
    #[must_use]
    pub fn pixel(&self, pixel: usize) -> (u32, u32) {
        let pixel = u32::try_from(pixel).unwrap_or(0);
        (self.quad.x + (pixel & 1), self.quad.y + (pixel >> 1))
    }
}

/// Samples of a draw.
#[derive(Clone, Debug)]
pub struct Samples {
    /// Positions in a pixel, from its upper left corner.
    pub positions: Vec<[f64; 2]>,
    /// Samples that are drawn.
    pub mask: u16,
}

impl Samples {
    /// Number of samples.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.positions.len()).unwrap_or(1)
    }
}

/// Pixels of a shape: those that it touches, or with several samples those whose samples are in it.
#[must_use]
pub fn shape_spans(
    shape: &SmoothShape,
    samples: &Samples,
    bounds: &Rect,
) -> Vec<(u16, Vec<Spans>)> {
    if samples.count() == 1 {
        return vec![(samples.mask & 1, vec![shape.touched(bounds)])];
    }
    let bits = samples.positions.iter().enumerate();
    bits.filter(|(i, _)| samples.mask >> i & 1 != 0)
        .map(|(i, position)| (1 << i, vec![shape.at_sample(*position, bounds)]))
        .collect()
}

/// Rasterizes once for each sample: `rasterize` gets a function that moves positions so that the
/// sample is in the center of its pixel.
pub fn at_samples(
    samples: &Samples,
    rasterize: impl Fn(&dyn Fn(SnappedPosition) -> SnappedPosition) -> Vec<Spans>,
) -> Vec<(u16, Vec<Spans>)> {
    let bits = samples.positions.iter().enumerate();
    bits.filter(|(i, _)| samples.mask >> i & 1 != 0)
        .map(|(i, position)| {
            let [dx, dy] = position.map(|offset| snap(0.5 - offset));
            (1 << i, rasterize(&|p: SnappedPosition| [p[0] + dx, p[1] + dy]))
        })
        .collect()
}

/// Quads of all covered pixels, each once. `parts` has the bit and the spans of each sample.
#[must_use]
pub fn quads(parts: &[(u16, Vec<Spans>)]) -> Vec<Quad> {
    let all = parts.iter().flat_map(|(_, spans)| spans);
    let bounds = all.filter(|spans| !spans.is_empty()).map(Spans::bounds);
    let Some(bounds) = bounds.reduce(|a, b| a.hull(&b)) else { return Vec::new() };
    let mut quads = Vec::new();
    for y in (bounds.y0 & !1..bounds.y1).step_by(2) {
        // Runs of the two rows, with the bits of their samples.
        let runs: SmallVec<[Run; 8]> = parts
            .iter()
            .flat_map(|(bit, spans)| spans.iter().map(move |spans| (*bit, spans)))
            .flat_map(|(bit, spans)| [0, 1].map(|down| (down as usize, bit, spans.row(y + down))))
            .filter(|(_, _, (from, to))| from < to)
            .collect();
        let first = runs.iter().map(|(_, _, (from, _))| *from).min().unwrap_or(bounds.x1);
        let last = runs.iter().map(|(_, _, (_, to))| *to).max().unwrap_or(bounds.x0);
        for x in (first & !1..last).step_by(2) {
            let mut samples = [0; 4];
            for (down, bit, (from, to)) in &runs {
                for (right, at) in [(0, x), (1, x + 1)] {
                    if (*from..*to).contains(&at) {
                        samples[2 * down + right] |= bit;
                    }
                }
            }
            if samples != [0; 4] {
                quads.push(Quad { x: x.cast_unsigned(), y: y.cast_unsigned(), samples });
            }
        }
    }
    quads
}
