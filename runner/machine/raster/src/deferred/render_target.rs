//! Color and depth surfaces with the operations recorded for them.

use smallvec::SmallVec;

use super::quad_shader::{PendingQuad, QuadShader};
use super::recorded_draw::{DrawContext, DrawItem, RecordedDraw, ShadedFragment, SharedResult};
use super::result_cache::ResultCache;
use super::samples::FirstSample;
use super::tile_progress::{TileProgress, clear_quads, quad_positions, quads_of};
use super::undefined_pixels::UndefinedPixels;
use crate::device::{Device, DeviceError, FragmentOutputs, Steps};
use crate::format::{Format, Texel};
use crate::primitive::PrimitiveSetup;
use crate::rasterize::Rect;
use crate::surface::{Pixels, Surface};

#[derive(Clone, Debug)]
enum Operation {
    Clear { color: Option<Vec<Texel>>, depth: Option<Texel> },
    Draw(Box<RecordedDraw>),
}

/// Color and depth surfaces of one size, with recorded operations.
#[derive(Clone, Debug)]
pub struct RenderTarget {
    colors: Vec<Option<Surface>>,
    depth: Option<Surface>,
    rect: Rect,
    operations: Vec<Operation>,
    /// Operations before this one are overwritten: it writes every pixel.
    overwritten: u32,
    progress: Vec<TileProgress>,
    /// Surface with the tiles of all others.
    tiles: Surface,
    result_cache: ResultCache,
    pub(super) undefined: UndefinedPixels,
}

impl RenderTarget {
    /// Creates a target over surfaces of equal size.
    pub fn new(
        width: u32,
        height: u32,
        colors: Vec<Option<Surface>>,
        depth: Option<Surface>,
    ) -> RenderTarget {
        let tiles = Surface::new(width, height, Format::R8);
        RenderTarget {
            colors,
            depth,
            rect: tiles.rect(),
            operations: Vec::new(),
            overwritten: 0,
            progress: vec![TileProgress::default(); tiles.tile_count()],
            undefined: UndefinedPixels::new(tiles.rect()),
            tiles,
            result_cache: ResultCache::default(),
        }
    }

    /// Returns all pixels.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// Returns the format of a color attachment.
    pub fn color_format(&self, attachment: usize) -> Option<Format> {
        Some(self.colors.get(attachment)?.as_ref()?.format())
    }

    /// Returns the pixels of a rectangle, after reading it, with an undefined value: their numbers,
    /// row by row from the bottom.
    pub fn undefined_in(&self, rect: &Rect) -> Vec<u32> {
        self.undefined.within(rect)
    }

    /// True if a pixel of a rectangle has an undefined value, after reading it.
    pub fn has_undefined(&self, rect: &Rect) -> bool {
        self.undefined.has_any(rect)
    }

    /// Returns the number of color attachment points.
    pub fn attachments(&self) -> usize {
        self.colors.len()
    }

    /// Returns the format of the depth attachment.
    pub fn depth_format(&self) -> Option<Format> {
        self.depth.as_ref().map(Surface::format)
    }

    /// Records a clear of the given buffers.
    pub fn clear(&mut self, color: Option<[f32; 4]>, depth: Option<f64>) {
        let color = color.map(|c| {
            // `glClear` of integers is undefined; piglit's tests expect the bits, clamped.
            let texel = |s: &Option<Surface>| {
                s.as_ref().map_or([0; 4], |s| s.format().quantize(c.map(f32::to_bits)))
            };
            self.colors.iter().map(texel).collect::<Vec<Texel>>()
        });
        let depth = depth.and_then(|d| {
            let format = self.depth.as_ref()?.format();
            Some(format.quantize_numbers([d, 0.0, 0.0, 0.0]))
        });
        let everything = color.is_some() && (depth.is_some() || self.depth.is_none());
        match color {
            Some(texels) if everything => self.reset(&texels, depth),
            None if depth.is_none() => {}
            color => self.operations.push(Operation::Clear { color, depth }),
        }
    }

    /// Fills every surface with one value and drops all operations.
    fn reset(&mut self, texels: &[Texel], depth: Option<Texel>) {
        for (surface, texel) in self.colors.iter_mut().zip(texels) {
            if let Some(surface) = surface {
                surface.fill(*texel);
            }
        }
        if let (Some(surface), Some(texel)) = (&mut self.depth, depth) {
            surface.fill(texel);
        }
        self.undefined.clear();
        self.drop_operations();
    }

    fn drop_operations(&mut self) {
        self.operations.clear();
        self.overwritten = 0;
        self.progress.fill(TileProgress::default());
    }

    /// Records a draw.
    pub fn record(&mut self, record: RecordedDraw) {
        if !record.is_empty() {
            self.operations.push(Operation::Draw(Box::new(record)));
        }
    }

    /// Executes a draw now, for every pixel. Returns its context with the memory that it wrote.
    pub fn execute(
        &mut self,
        record: RecordedDraw,
        device: &mut dyn Device,
    ) -> Result<(DrawContext, Steps), DeviceError> {
        let everything = self.rect;
        let steps = self.resolve(&everything, device)?;
        self.execute_resolved(record, steps, device)
    }

    /// Executes a draw to one sample like [`RenderTarget::execute`]. The first sample fills
    /// `first`, from which the others copy equal results.
    pub fn execute_sample(
        &mut self,
        record: RecordedDraw,
        first: &mut Option<FirstSample>,
        device: &mut dyn Device,
    ) -> Result<(DrawContext, Steps), DeviceError> {
        let everything = self.rect;
        let steps = self.resolve(&everything, device)?;
        if record.context.multisample.sample == 0 {
            *first = FirstSample::before(&record, &self.colors);
            let result = self.execute_resolved(record, steps, device)?;
            // Copies would have to mark undefined pixels, too.
            first.take_if(|_| self.undefined.may_have_any());
            if let Some(first) = first {
                first.complete(&self.colors);
            }
            return Ok(result);
        }
        if let Some(first) = first
            && first.has_primitives_of(&record)
        {
            for tile in 0..self.progress.len() {
                let rect = self.tiles.tile_rect(tile);
                let quads = first.copy_equal(&record.items, &mut self.colors, tile, &rect);
                self.progress[tile].advance(quads, 1);
            }
        }
        self.execute_resolved(record, steps, device)
    }

    /// Executes a draw when there are no other operations.
    fn execute_resolved(
        &mut self,
        record: RecordedDraw,
        mut steps: Steps,
        device: &mut dyn Device,
    ) -> Result<(DrawContext, Steps), DeviceError> {
        let everything = self.rect;
        self.operations.push(Operation::Draw(Box::new(record)));
        steps += self.execute_pending(&everything, device)?;
        match self.operations.pop() {
            Some(Operation::Draw(record)) => {
                self.drop_operations();
                Ok((record.into_context(), steps))
            }
            // The list does not change between push and pop.
            _ => Err(DeviceError::Execution(
                "the draw to execute is missing from the recorded operations".into(),
            )),
        }
    }

    /// Executes the pending operations of the pixels of `region`.
    pub fn resolve(
        &mut self,
        region: &Rect,
        device: &mut dyn Device,
    ) -> Result<Steps, DeviceError> {
        let steps = self.execute_pending(region, device)?;
        if region.contains(&self.rect) {
            self.drop_operations();
        }
        Ok(steps)
    }

    fn execute_pending(
        &mut self,
        region: &Rect,
        device: &mut dyn Device,
    ) -> Result<Steps, DeviceError> {
        let mut steps = Steps(0);
        let end = self.operations.len() as u32;
        let pending = self.pending_quads(region, end);
        self.find_overwritten();
        let start =
            pending.iter().map(|&(tile, _)| self.progress[tile].finished).min().unwrap_or(end);
        let start = start.max(self.overwritten);
        let mut operations = std::mem::take(&mut self.operations);
        for (index, operation) in (start..end).zip(operations.iter_mut().skip(start as usize)) {
            let work: Vec<(usize, u64)> = pending
                .iter()
                .map(|&(tile, quads)| (tile, quads & self.progress[tile].waiting(index)))
                .filter(|&(_, quads)| quads != 0)
                .collect();
            match operation {
                Operation::Clear { color, depth } => {
                    self.apply_clear(&work, color.as_deref(), *depth)
                }
                Operation::Draw(record) => match self.apply_draw(&work, record, device) {
                    Ok(more) => steps += more,
                    Err(error) => {
                        self.operations = operations;
                        return Err(error);
                    }
                },
            }
        }
        self.operations = operations;
        for (tile, quads) in pending {
            self.progress[tile].advance(quads, end);
            if self.progress[tile].read_ahead.is_none() {
                self.surfaces_mut().for_each(|s| s.compact(tile));
            }
        }
        Ok(steps)
    }

    /// Returns the tiles that overlap a region and have pending operations below `end`, with their
    /// quads in the region.
    fn pending_quads(&self, region: &Rect, end: u32) -> Vec<(usize, u64)> {
        let behind = |tile: &usize| self.progress[*tile].finished < end;
        if region.contains(&self.rect) {
            return (0..self.progress.len()).filter(behind).map(|tile| (tile, !0)).collect();
        }
        let overlapped = self.tiles.tiles_of(region).into_iter().filter(behind);
        overlapped.map(|tile| (tile, quads_of(&self.tiles.tile_rect(tile), region))).collect()
    }

    /// Finds the last operation that is known to overwrite all before it.
    fn find_overwritten(&mut self) {
        let from = self.overwritten as usize;
        let seen = &self.operations[from..];
        if let Some(last) = seen.iter().rposition(|operation| self.writes_everything(operation))
            && !seen[..last].iter().any(|operation| self.uses_depth(operation))
        {
            self.overwritten += last as u32;
        }
    }

    /// True if an operation is known to write every pixel of every color, independent of its old
    /// value.
    fn writes_everything(&self, operation: &Operation) -> bool {
        let record = match operation {
            Operation::Clear { color, depth } => return color.is_some() && depth.is_none(),
            Operation::Draw(record) => record,
        };
        let writes_all = |fragment: &ShadedFragment| {
            self.colors
                .iter()
                .zip(&fragment.texels)
                .all(|(surface, texel)| surface.is_none() || texel.is_some())
        };
        !self.uses_depth(operation)
            && record.items.iter().any(|item| {
                let shared =
                    item.constant.and_then(|index| record.shared[index].result.as_ref()?.as_ref());
                shared.is_some_and(writes_all) && item.coverage.covers(&self.rect)
            })
    }

    /// True if an operation reads or writes depth.
    fn uses_depth(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Clear { depth, .. } => depth.is_some(),
            Operation::Draw(record) => record.context.depth_test.is_some() && self.depth.is_some(),
        }
    }

    /// Reads a color attachment after resolving; `None` when there is no such attachment.
    pub fn read(
        &mut self,
        attachment: usize,
        rect: &Rect,
        device: &mut dyn Device,
    ) -> Result<(Option<Pixels>, Steps), DeviceError> {
        let steps = self.resolve(rect, device)?;
        Ok((self.colors.get(attachment).and_then(|s| Some(s.as_ref()?.read(rect))), steps))
    }

    /// Reads the depth attachment after resolving.
    pub fn read_depth(
        &mut self,
        rect: &Rect,
        device: &mut dyn Device,
    ) -> Result<(Option<Pixels>, Steps), DeviceError> {
        let steps = self.resolve(rect, device)?;
        Ok((self.depth.as_ref().map(|s| s.read(rect)), steps))
    }

    /// Changes the color surfaces directly, after everything was resolved.
    pub fn for_each_color(&mut self, change: impl FnMut(&mut Surface)) {
        self.colors.iter_mut().flatten().for_each(change);
    }

    /// Returns the surfaces after everything was resolved.
    pub fn into_surfaces(self) -> (Vec<Option<Surface>>, Option<Surface>) {
        (self.colors, self.depth)
    }

    fn surfaces_mut(&mut self) -> impl Iterator<Item = &mut Surface> {
        self.colors.iter_mut().flatten().chain(&mut self.depth)
    }

    fn apply_clear(
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
                pixels.for_each(|(x, y)| self.undefined.set(x, y, false));
            }
        }
    }

    fn apply_draw(
        &mut self,
        work: &[(usize, u64)],
        record: &mut RecordedDraw,
        device: &mut dyn Device,
    ) -> Result<Steps, DeviceError> {
        let mut shader = QuadShader::new(device);
        let RecordedDraw { context, setups, items, shared } = record;
        for item in items.iter() {
            let overlapped =
                work.iter().map(|&(tile, quads)| (tile, self.tiles.tile_rect(tile), quads));
            let mut overlapped =
                overlapped.filter(|(_, rect, _)| item.coverage.overlaps(rect)).peekable();
            let Some(constant) = item.constant else {
                let overlapped: Vec<_> = overlapped.collect();
                for (_, rect, quads) in overlapped {
                    self.queue_quads(&mut shader, context, setups, item, &rect, quads)?;
                }
                continue;
            };
            if overlapped.peek().is_none() {
                continue;
            }
            shader.flush(self, context, setups)?;
            let entry = &mut shared[constant];
            if entry.result.is_none() {
                entry.result = Some(self.shared_result(&mut shader, context, setups, entry)?);
            }
            if let Some(Some(fragment)) = &entry.result {
                self.fill(context, &setups[item.setup], item, work, fragment);
            }
        }
        shader.flush(self, context, setups)?;
        Ok(shader.steps)
    }

    /// Returns the result of a primitive with constant inputs, for all its pixels.
    fn shared_result(
        &mut self,
        shader: &mut QuadShader<'_>,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
        entry: &SharedResult,
    ) -> Result<Option<ShadedFragment>, DeviceError> {
        let cacheable = self.result_cache.bind(context);
        if cacheable && let Some(result) = self.result_cache.find(&entry.key) {
            return Ok(result);
        }
        let result = shader.shade_one(self, context, setups, entry.setup, entry.quad)?;
        if cacheable && !result.as_ref().is_some_and(|fragment| fragment.undefined) {
            self.result_cache.add(&entry.key, &result);
        }
        Ok(result)
    }

    /// Queues the covered quads of one item in one tile.
    fn queue_quads(
        &mut self,
        shader: &mut QuadShader<'_>,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
        item: &DrawItem,
        rect: &Rect,
        quads: u64,
    ) -> Result<(), DeviceError> {
        for (x, y) in quad_positions(rect, quads) {
            let covered = |i: i32| item.coverage.contains(x + (i & 1), y + (i >> 1));
            let coverage = (0..4).fold(0, |mask, i| mask | u8::from(covered(i)) << i);
            if coverage != 0 {
                shader.push(
                    PendingQuad { x, y, setup: item.setup, coverage, fetching: item.fetching },
                    self,
                    context,
                    setups,
                )?;
            }
        }
        Ok(())
    }

    /// Writes one shared result to the covered pixels.
    fn fill(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        item: &DrawItem,
        work: &[(usize, u64)],
        fragment: &ShadedFragment,
    ) {
        let tests_depth = context.depth_test.is_some() && self.depth.is_some();
        let one_by_one = tests_depth || fragment.undefined || self.undefined.may_have_any();
        let everywhere =
            work.len() == self.progress.len() && work.iter().all(|&(_, quads)| quads == !0);
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

    /// Tests the depth of one fragment and writes it.
    pub(super) fn write(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        x: i32,
        y: i32,
        fragment: &ShadedFragment,
    ) {
        let tests_depth = context.depth_test.is_some() && self.depth.is_some();
        if fragment.undefined || !tests_depth {
            // Undefined depth stays: it decides later depth tests.
            self.undefined.set(x, y, fragment.undefined);
        }
        if let (Some(function), Some(surface)) = (context.depth_test, &mut self.depth) {
            let z = match fragment.depth {
                Some(bits) => f64::from(f32::from_bits(bits)),
                None => setup.depth.at(f64::from(x) + 0.5, f64::from(y) + 0.5),
            };
            let new = surface.format().quantize_numbers([z.clamp(0.0, 1.0), 0.0, 0.0, 0.0]);
            let old = surface.get(x, y);
            let passes = if surface.format() == Format::Depth32f {
                function.passes(f32::from_bits(new[0]), f32::from_bits(old[0]))
            } else {
                function.passes(new[0], old[0])
            };
            if !passes {
                return;
            }
            surface.set(x, y, [new[0], old[1], 0, 0]);
        }
        for (surface, texel) in self.colors.iter_mut().zip(&fragment.texels) {
            if let (Some(surface), Some(texel)) = (surface, texel) {
                surface.set(x, y, *texel);
            }
        }
    }

    /// Provides the colors at the quads' pixels to the shader of a draw.
    pub(super) fn load_framebuffer(&self, quads: &[PendingQuad], context: &mut DrawContext) {
        let framebuffer = &mut context.bindings.framebuffer;
        framebuffer.reset(self.colors.len());
        for quad in quads {
            framebuffer.add(quad.x, quad.y, &self.quad_colors(quad));
        }
    }

    /// The colors at the pixels of a quad, as a shader reads them; zeros outside.
    pub(super) fn quad_colors(&self, quad: &PendingQuad) -> SmallVec<[[u32; 4]; 4]> {
        let mut colors = SmallVec::new();
        for (x, y) in (0..4).map(|i| (quad.x + (i & 1), quad.y + (i >> 1))) {
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
            Some(format.quantize(multisample.color(format, raw)))
        };
        let texels = self.colors.iter().enumerate().map(texel).collect();
        let depth = info.writes_depth.then(|| outputs.depth[lane]);
        Some(ShadedFragment { texels, depth, undefined: outputs.undefined >> lane & 1 == 1 })
    }
}
