//! Color and depth surfaces of a render target, and the writes of fragments to them.

use smallvec::SmallVec;

use super::recorded_draw::{DrawContext, DrawItem, ShadedFragment};
use super::tile_progress::{clear_quads, quad_positions};
use super::undefined_pixels::{ALL_VALUES, OTHER_VALUES, UndefinedPixels};
use crate::device::FragmentOutputs;
use crate::format::{Channel, Format, Texel};
use crate::primitive::PrimitiveSetup;
use crate::rasterize::Rect;
use crate::surface::Surface;

/// Color and depth surfaces of one size.
#[derive(Clone, Debug)]
pub(super) struct TargetSurfaces {
    pub(super) colors: Vec<Option<Surface>>,
    pub(super) depth: Option<Surface>,
    /// All pixels.
    pub(super) rect: Rect,
    /// Surface with the tiles of all others.
    pub(super) tiles: Surface,
    pub(super) undefined: UndefinedPixels,
}

impl TargetSurfaces {
    pub(super) fn new(
        width: u32,
        height: u32,
        colors: Vec<Option<Surface>>,
        depth: Option<Surface>,
    ) -> TargetSurfaces {
        let tiles = Surface::new(width, height, Format::R8);
        let rect = tiles.rect();
        TargetSurfaces { colors, depth, rect, tiles, undefined: UndefinedPixels::new(rect) }
    }

    /// Fills every surface with one value.
    pub(super) fn reset(&mut self, texels: &[Texel], depth: Option<Texel>) {
        for (surface, texel) in self.colors.iter_mut().zip(texels) {
            if let Some(surface) = surface {
                surface.fill(*texel);
            }
        }
        if let (Some(surface), Some(texel)) = (&mut self.depth, depth) {
            surface.fill(texel);
        }
        self.undefined.clear();
    }

    /// Clears the given buffers in some quads of some tiles.
    pub(super) fn clear(
        &mut self,
        work: &[(usize, u64)],
        color: Option<&[Texel]>,
        depth: Option<Texel>,
    ) {
        for &(tile, quads) in work {
            let rect = self.tiles.tile_rect(tile);
            let clears = color.unwrap_or_default().iter().zip(&mut self.colors);
            for (texel, surface) in clears.filter_map(|(t, s)| Some((*t, s.as_mut()?))) {
                clear_quads(surface, tile, &rect, quads, texel);
            }
            if let (Some(texel), Some(surface)) = (depth, &mut self.depth) {
                clear_quads(surface, tile, &rect, quads, texel);
            }
            if color.is_some() && self.undefined.may_have_any() {
                let pixels = quad_positions(&rect, quads)
                    .flat_map(|(x, y)| (0..4).map(move |i| (x + (i & 1), y + (i >> 1))));
                pixels.for_each(|(x, y)| self.undefined.set(x, y, 0));
            }
        }
    }

    /// Returns all surfaces.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Surface> {
        self.colors.iter_mut().flatten().chain(&mut self.depth)
    }

    /// Writes one shared result to the covered pixels.
    pub(super) fn fill(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        item: &DrawItem,
        work: &[(usize, u64)],
        fragment: &ShadedFragment,
    ) {
        let tests_depth = context.tests_depth() && self.depth.is_some();
        let one_by_one = tests_depth
            || !context.output.replaces()
            || fragment.undefined != 0
            || self.undefined.may_have_any();
        let everywhere =
            work.len() == self.tiles.tile_count() && work.iter().all(|&(_, quads)| quads == !0);
        if everywhere && !one_by_one && item.coverage.covers(&self.rect) {
            self.fill_colors(fragment, |surface, texel| surface.fill(texel));
            return;
        }
        for &(tile, quads) in work {
            let rect = self.tiles.tile_rect(tile);
            if !item.coverage.overlaps(&rect) {
                continue;
            }
            if quads != !0 || one_by_one {
                self.fill_quads(context, setup, item, &rect, quads, fragment);
            } else if item.coverage.covers(&rect) {
                self.fill_colors(fragment, |surface, texel| surface.fill_tile(tile, texel));
            } else {
                let spans = item.coverage.spans();
                self.fill_colors(fragment, |surface, texel| surface.fill_spans(tile, spans, texel));
            }
        }
    }

    /// Fills the surfaces to which a fragment writes.
    fn fill_colors(&mut self, fragment: &ShadedFragment, fill: impl Fn(&mut Surface, Texel)) {
        for (surface, texel) in self.colors.iter_mut().zip(&fragment.texels) {
            if let (Some(surface), Some(texel)) = (surface, texel) {
                fill(surface, *texel);
            }
        }
    }

    /// Writes one shared result to the covered pixels of some quads of a tile.
    fn fill_quads(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        item: &DrawItem,
        rect: &Rect,
        quads: u64,
        fragment: &ShadedFragment,
    ) {
        for (x, y) in quad_positions(rect, quads) {
            for (px, py) in (0..4).map(|i| (x + (i & 1), y + (i >> 1))) {
                if item.coverage.contains(px, py) {
                    self.write(context, setup, px, py, fragment);
                }
            }
        }
    }

    /// Tests the depth and stencil of one fragment, and writes theirs. `depth` is that of its
    /// shader, as the bits of a float. Returns true if the fragment passes.
    pub(super) fn test(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        x: i32,
        y: i32,
        depth: Option<u32>,
    ) -> bool {
        let Some(surface) = &mut self.depth else { return true };
        let z = match depth {
            Some(bits) => f64::from(f32::from_bits(bits)),
            None => setup.depth.at(f64::from(x) + 0.5, f64::from(y) + 0.5),
        };
        let (old, front) = (surface.get(x, y), setup.front_facing);
        let output = &context.output;
        let (new, passes) = output.test(context.depth_test, surface.format(), old, z, front);
        surface.set(x, y, new);
        passes
    }

    /// Writes one fragment, unless a test comes after its shader and fails.
    pub(super) fn write(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        x: i32,
        y: i32,
        fragment: &ShadedFragment,
    ) {
        let tests_depth = context.tests_depth() && self.depth.is_some();
        // Undefined depth stays: it decides later depth tests.
        if tests_depth {
            self.undefined.add(x, y, fragment.undefined);
        } else {
            self.undefined.set(x, y, fragment.undefined);
        }
        let tests_late = tests_depth && !context.tests_early();
        if tests_late && !self.test(context, setup, x, y, fragment.depth) {
            return;
        }
        for (surface, texel) in self.colors.iter_mut().zip(&fragment.texels) {
            if let (Some(surface), Some(texel)) = (surface, texel) {
                let (format, old) = (surface.format(), surface.get(x, y));
                surface.set(x, y, context.output.merge(format, *texel, old));
            }
        }
    }

    /// The colors at the pixels of a quad, as a shader reads them; zeros outside.
    pub(super) fn quad_colors(&self, x: i32, y: i32) -> SmallVec<[[u32; 4]; 4]> {
        let mut colors = SmallVec::new();
        for (x, y) in (0..4).map(|i| (x + (i & 1), y + (i >> 1))) {
            let inside = self.is_inside(x, y);
            for surface in &self.colors {
                colors.push(match surface {
                    Some(surface) if inside => surface.format().to_raw(surface.get(x, y)),
                    _ => [0; 4],
                });
            }
        }
        colors
    }

    fn is_inside(&self, x: i32, y: i32) -> bool {
        x < self.rect.x1 && y < self.rect.y1
    }

    /// True if a fragment covers the draw's sample.
    fn covers(&self, context: &DrawContext, outputs: &FragmentOutputs, lane: usize) -> bool {
        let alpha = || {
            let format = self.colors.first()?.as_ref()?.format();
            let location = context.fragment.source(0).filter(|_| !format.is_integer())?;
            Some(f32::from_bits(outputs.color.get(location * 4 + 3, lane)))
        };
        let mask = if context.fragment.writes_sample_mask { outputs.sample_mask[lane] } else { !0 };
        context.multisample.covers(mask, alpha())
    }

    /// Quantizes the outputs of one lane. Returns `None` when it was discarded or does not cover
    /// the draw's sample.
    pub(super) fn fragment(
        &self,
        context: &DrawContext,
        outputs: &FragmentOutputs,
        lane: usize,
    ) -> Option<ShadedFragment> {
        let DrawContext { fragment: info, multisample, .. } = context;
        if outputs.killed >> lane & 1 == 1 {
            return None;
        }
        if multisample.is_enabled() && !self.covers(context, outputs, lane) {
            return None;
        }
        let texel = |(attachment, surface): (usize, &Option<Surface>)| {
            let location = info.source(attachment)?;
            let raw = std::array::from_fn(|c| outputs.color.get(location * 4 + c, lane));
            let format = surface.as_ref()?.format();
            let raw = multisample.color(format, raw);
            let is_blended = context.output.blends(format);
            Some(if is_blended { raw } else { format.quantize(raw) })
        };
        let texels = self.colors.iter().enumerate().map(texel).collect();
        let depth = info.writes_depth.then(|| outputs.depth[lane]);
        Some(ShadedFragment { texels, depth, undefined: self.undefined(context, outputs, lane) })
    }

    /// The mark of a lane's pixel.
    fn undefined(&self, context: &DrawContext, outputs: &FragmentOutputs, lane: usize) -> u8 {
        if outputs.undefined >> lane & 1 == 1 {
            return ALL_VALUES;
        }
        let mut mark = 0;
        for (attachment, surface) in self.colors.iter().enumerate() {
            let Some(surface) = surface else { continue };
            let Some(location) = context.fragment.source(attachment) else {
                // OpenGL 4.6 section 15.2.3: beside others, an output without a value is undefined.
                if context.fragment.writes_colors() {
                    mark |= if attachment == 0 { 0xf } else { OTHER_VALUES };
                }
                continue;
            };
            let rows = outputs.undefined_colors.iter().skip(location * 4);
            for (c, (lanes, channel)) in rows.zip(surface.format().channels()).enumerate() {
                if lanes >> lane & 1 == 1 && channel != Channel::None {
                    mark |= if attachment == 0 { 1 << c } else { OTHER_VALUES };
                }
            }
            // Alpha decides about the other components, or the coverage.
            if mark != 0
                && (context.output.blends(surface.format()) || context.multisample.is_enabled())
            {
                return ALL_VALUES;
            }
        }
        mark
    }
}
