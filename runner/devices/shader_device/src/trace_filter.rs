//! Selection of the threads and waves that a trace shows.

use serde::{Deserialize, Serialize};
use vocabulary::{Stage, Width};

/// A pixel of a framebuffer, counted from its lower left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedPixel {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

/// Selection of the threads and waves of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceFilter {
    /// The only stage, if set.
    pub stage: Option<Stage>,
    /// The only width, if set.
    pub width: Option<Width>,
    /// Only threads that shade this pixel, if set: not as a helper of its neighbors.
    pub pixel: Option<TracedPixel>,
    /// True if only initial registers are traced.
    pub payloads_only: bool,
}

impl TraceFilter {
    /// True if threads of a stage and width may be traced.
    #[must_use]
    pub fn takes(&self, stage: Stage, width: Width) -> bool {
        self.stage.is_none_or(|only| only == stage)
            && self.width.is_none_or(|only| only == width)
            && (self.pixel.is_none() || stage == Stage::Fragment)
    }

    /// Returns the lane that shades the pixel: positions are those of the lower left corners of the
    /// lanes' pixels, and only the lanes of `live` count.
    #[must_use]
    pub fn lane_of_pixel(
        &self,
        positions: impl IntoIterator<Item = (f64, f64)>,
        live: u64,
    ) -> Option<usize> {
        let TracedPixel { x, y } = self.pixel?;
        let wanted = (f64::from(x), f64::from(y));
        let mut lanes = positions.into_iter().enumerate();
        lanes.find(|&(lane, at)| at == wanted && live >> lane & 1 != 0).map(|(lane, _)| lane)
    }

    /// Returns what the header of a thread says of the lane that shades the pixel; empty without
    /// one.
    #[must_use]
    pub fn note(&self, lane: Option<usize>) -> String {
        match (lane, self.pixel) {
            (Some(lane), Some(TracedPixel { x, y })) => {
                format!(", lane {lane} shades pixel ({x},{y})")
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_pixels() {
        let pixel = Some(TracedPixel { x: 3, y: 0 });
        let filter = TraceFilter { pixel, ..TraceFilter::default() };
        let quad = [(2.0, 0.0), (3.0, 0.0), (2.0, 1.0), (3.0, 1.0)];
        assert_eq!(filter.lane_of_pixel(quad, 0b1111), Some(1));
        assert_eq!(filter.lane_of_pixel(quad, 0b1101), None, "a helper");
        assert_eq!(filter.lane_of_pixel([(0.0, 0.0)], 1), None);
        assert_eq!(TraceFilter::default().lane_of_pixel(quad, 15), None);
    }

    #[test]
    fn stages_and_widths() {
        let all = TraceFilter::default();
        assert!(all.takes(Stage::Vertex, Width::Vec4));
        let one = TraceFilter { width: Some(Width::Simd8), ..all };
        assert!(one.takes(Stage::Vertex, Width::Simd8) && !one.takes(Stage::Vertex, Width::Vec4));
        let pixel = TraceFilter { pixel: Some(TracedPixel { x: 0, y: 0 }), ..all };
        let takes = |stage| pixel.takes(stage, Width::Simd8);
        assert!(takes(Stage::Fragment) && !takes(Stage::Vertex));
    }
}
