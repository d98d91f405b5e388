//! Results of a draw to the first sample of each pixel, taken over by the other samples.
//!
//! Every sample of a multisampled framebuffer is a render target. Inputs are interpolated at pixel
//! centers unless the shader tells samples apart, so that most quads have the same results at each
//! sample: those with the same coverage and the same colors before the draw.

use super::recorded_draw::{DrawContext, DrawItem, RecordedDraw};
use crate::primitive::PrimitiveSetup;
use crate::rasterize::Rect;
use crate::surface::Surface;

/// Color attachments of a sample.
type Colors = Vec<Option<Surface>>;

/// A draw to the first sample.
#[derive(Debug)]
pub struct FirstSample {
    setups: Vec<PrimitiveSetup>,
    items: Vec<DrawItem>,
    /// Colors before the draw.
    before: Colors,
    /// Colors after the draw.
    after: Colors,
}

impl FirstSample {
    /// Keeps what decides the results of a draw, before it is executed. Returns `None` if its
    /// results can differ between the samples of a pixel.
    pub(super) fn before(record: &RecordedDraw, colors: &Colors) -> Option<FirstSample> {
        let DrawContext { fragment, multisample, .. } = &record.context;
        let equal =
            multisample.is_enabled() && fragment.equal_samples && !multisample.alpha_to_coverage;
        equal.then(|| FirstSample {
            setups: record.setups.clone(),
            items: record.items.clone(),
            before: colors.clone(),
            after: Vec::new(),
        })
    }

    /// Keeps the results.
    pub(super) fn complete(&mut self, colors: &Colors) {
        self.after.clone_from(colors);
    }

    /// True if the primitives of a draw to another sample are those of the draw to the first.
    pub(super) fn has_primitives_of(&self, record: &RecordedDraw) -> bool {
        let fragment = &record.context.fragment;
        let sees_depth = fragment.reads_position && !fragment.position_only_fetches;
        let same_setup = |a: &PrimitiveSetup, b: &PrimitiveSetup| {
            // The depth of a sample is moved to the pixel's center.
            let depth = if sees_depth { a.depth } else { b.depth };
            *b == PrimitiveSetup { depth, ..a.clone() }
        };
        let same_item = |a: &DrawItem, b: &DrawItem| {
            (a.setup, a.constant, a.fetching) == (b.setup, b.constant, b.fetching)
        };
        self.setups.len() == record.setups.len()
            && self.items.len() == record.items.len()
            && self.setups.iter().zip(&record.setups).all(|(a, b)| same_setup(a, b))
            && self.items.iter().zip(&record.items).all(|(a, b)| same_item(a, b))
    }

    /// Copies the results of the quads of a tile that are the same in a draw to another sample.
    /// Returns these quads.
    pub(super) fn copy_equal(
        &self,
        items: &[DrawItem],
        colors: &mut Colors,
        tile: usize,
        rect: &Rect,
    ) -> u64 {
        let same_coverage = |rect: &Rect| {
            self.items.iter().zip(items).all(|(a, b)| a.coverage.is_same_in(&b.coverage, rect))
        };
        let old = |colors: &Colors, same: &dyn Fn(&Surface, &Surface) -> bool| {
            let pairs = self.before.iter().flatten().zip(colors.iter().flatten());
            pairs.into_iter().all(|(a, b)| same(a, b))
        };
        if same_coverage(rect) && old(colors, &|a, b| a.has_tile_of(b, tile)) {
            self.for_each_result(colors, |result, color| color.copy_tile(result, tile));
            return !0;
        }
        let mut copied = 0;
        for quad in 0..64 {
            let (x, y) = super::tile_progress::quad_position(rect, quad);
            let pixels = Rect { x0: x, y0: y, x1: x + 2, y1: y + 2 }.intersect(rect);
            if !pixels.is_empty()
                && same_coverage(&pixels)
                && old(colors, &|a, b| a.has_pixels_of(b, &pixels))
            {
                self.for_each_result(colors, |result, color| color.copy_pixels(result, &pixels));
                copied |= 1 << quad;
            }
        }
        copied
    }

    fn for_each_result(&self, colors: &mut Colors, copy: impl Fn(&Surface, &mut Surface)) {
        for (result, color) in self.after.iter().flatten().zip(colors.iter_mut().flatten()) {
            copy(result, color);
        }
    }
}
