//! Color and depth surfaces with the operations recorded for them.

use super::quad_shader::QuadShader;
use super::recorded_draw::{DrawContext, RecordedDraw, ShadedFragment, SharedResult};
use super::result_cache::ResultCache;
use super::samples::FirstSample;
use super::target_surfaces::TargetSurfaces;
use super::tile_progress::{TileProgress, quad_positions, quads_of};
use crate::device::{Device, DeviceError, Steps};
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
    surfaces: TargetSurfaces,
    operations: Vec<Operation>,
    /// Operations before this one are overwritten: it writes every pixel.
    overwritten: u32,
    progress: Vec<TileProgress>,
    result_cache: ResultCache,
}

impl RenderTarget {
    /// Creates a target over surfaces of equal size.
    pub fn new(
        width: u32,
        height: u32,
        colors: Vec<Option<Surface>>,
        depth: Option<Surface>,
    ) -> RenderTarget {
        let surfaces = TargetSurfaces::new(width, height, colors, depth);
        RenderTarget {
            operations: Vec::new(),
            overwritten: 0,
            progress: vec![TileProgress::default(); surfaces.tiles.tile_count()],
            surfaces,
            result_cache: ResultCache::default(),
        }
    }

    /// Returns all pixels.
    pub fn rect(&self) -> Rect {
        self.surfaces.rect
    }

    /// Returns the format of a color attachment.
    pub fn color_format(&self, attachment: usize) -> Option<Format> {
        Some(self.surfaces.colors.get(attachment)?.as_ref()?.format())
    }

    /// Returns the pixels of a rectangle, after reading it, with an undefined value: their numbers,
    /// row by row from the bottom, and the components of color attachment 0 (bits 0 to 3) and
    /// [other values](super::OTHER_VALUES).
    pub fn undefined_in(&self, rect: &Rect) -> Vec<(u32, u8)> {
        self.surfaces.undefined.within(rect)
    }

    /// True if a pixel of a rectangle has an undefined value, after reading it.
    pub fn has_undefined(&self, rect: &Rect) -> bool {
        self.surfaces.undefined.has_any(rect)
    }

    /// Returns the number of color attachment points.
    pub fn attachments(&self) -> usize {
        self.surfaces.colors.len()
    }

    /// Returns the format of the depth attachment.
    pub fn depth_format(&self) -> Option<Format> {
        self.surfaces.depth.as_ref().map(Surface::format)
    }

    /// Records a clear of the given buffers.
    pub fn clear(&mut self, color: Option<[f32; 4]>, depth: Option<f64>) {
        let color = color.map(|c| {
            // `glClear` of integers is undefined; piglit's tests expect the bits, clamped.
            let texel = |s: &Option<Surface>| {
                s.as_ref().map_or([0; 4], |s| s.format().quantize(c.map(f32::to_bits)))
            };
            self.surfaces.colors.iter().map(texel).collect::<Vec<Texel>>()
        });
        let depth = depth.and_then(|d| {
            let format = self.surfaces.depth.as_ref()?.format();
            Some(format.quantize_numbers([d, 0.0, 0.0, 0.0]))
        });
        let everything = color.is_some() && (depth.is_some() || self.surfaces.depth.is_none());
        match color {
            Some(texels) if everything => {
                self.surfaces.reset(&texels, depth);
                self.drop_operations();
            }
            None if depth.is_none() => {}
            color => self.operations.push(Operation::Clear { color, depth }),
        }
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
        let everything = self.surfaces.rect;
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
        let everything = self.surfaces.rect;
        let steps = self.resolve(&everything, device)?;
        if record.context.multisample.sample == 0 {
            let colors = &self.surfaces.colors;
            let tests_depth = record.context.tests_depth() && self.surfaces.depth.is_some();
            // Each sample has its own depth.
            *first = if tests_depth { None } else { FirstSample::before(&record, colors) };
            let result = self.execute_resolved(record, steps, device)?;
            // Copies would have to mark undefined pixels, too.
            first.take_if(|_| self.surfaces.undefined.may_have_any());
            if let Some(first) = first {
                first.complete(&self.surfaces.colors);
            }
            return Ok(result);
        }
        if let Some(first) = first
            && first.has_primitives_of(&record)
        {
            for tile in 0..self.progress.len() {
                let rect = self.surfaces.tiles.tile_rect(tile);
                let quads = first.copy_equal(&record.items, &mut self.surfaces.colors, tile, &rect);
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
        let everything = self.surfaces.rect;
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
        if region.contains(&self.surfaces.rect) {
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
                    self.surfaces.clear(&work, color.as_deref(), *depth)
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
                self.surfaces.all_mut().for_each(|s| s.compact(tile));
            }
        }
        Ok(steps)
    }

    /// Returns the tiles that overlap a region and have pending operations below `end`, with their
    /// quads in the region.
    fn pending_quads(&self, region: &Rect, end: u32) -> Vec<(usize, u64)> {
        let unfinished = |tile: &usize| self.progress[*tile].finished < end;
        if region.contains(&self.surfaces.rect) {
            return (0..self.progress.len()).filter(unfinished).map(|tile| (tile, !0)).collect();
        }
        let overlapped = self.surfaces.tiles.tiles_of(region).into_iter().filter(unfinished);
        overlapped
            .map(|tile| (tile, quads_of(&self.surfaces.tiles.tile_rect(tile), region)))
            .collect()
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
            self.surfaces
                .colors
                .iter()
                .zip(&fragment.texels)
                .all(|(surface, texel)| surface.is_none() || texel.is_some())
        };
        !self.uses_depth(operation)
            && record.context.output.replaces()
            && record.items.iter().any(|item| {
                let shared =
                    item.constant.and_then(|index| record.shared[index].result.as_ref()?.as_ref());
                shared.is_some_and(writes_all) && item.coverage.covers(&self.surfaces.rect)
            })
    }

    /// True if an operation reads or writes depth.
    fn uses_depth(&self, operation: &Operation) -> bool {
        match operation {
            Operation::Clear { depth, .. } => depth.is_some(),
            Operation::Draw(record) => {
                record.context.tests_depth() && self.surfaces.depth.is_some()
            }
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
        Ok((self.surfaces.colors.get(attachment).and_then(|s| Some(s.as_ref()?.read(rect))), steps))
    }

    /// Reads the depth attachment after resolving.
    pub fn read_depth(
        &mut self,
        rect: &Rect,
        device: &mut dyn Device,
    ) -> Result<(Option<Pixels>, Steps), DeviceError> {
        let steps = self.resolve(rect, device)?;
        Ok((self.surfaces.depth.as_ref().map(|s| s.read(rect)), steps))
    }

    /// Changes the color surfaces directly, after everything was resolved.
    pub fn for_each_color(&mut self, change: impl FnMut(&mut Surface)) {
        self.surfaces.colors.iter_mut().flatten().for_each(change);
    }

    /// Returns the surfaces after everything was resolved.
    pub fn into_surfaces(self) -> (Vec<Option<Surface>>, Option<Surface>) {
        (self.surfaces.colors, self.surfaces.depth)
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
            let overlapped = work
                .iter()
                .map(|&(tile, quads)| (tile, self.surfaces.tiles.tile_rect(tile), quads));
            let mut overlapped =
                overlapped.filter(|(_, rect, _)| item.coverage.overlaps(rect)).peekable();
            let Some(constant) = item.constant else {
                let overlapped: Vec<_> = overlapped.collect();
                for (_, rect, quads) in overlapped {
                    let quads = quad_positions(&rect, quads);
                    shader.push_covered(quads, item, &mut self.surfaces, context, setups)?;
                }
                continue;
            };
            if overlapped.peek().is_none() {
                continue;
            }
            shader.flush(&mut self.surfaces, context, setups)?;
            let entry = &mut shared[constant];
            if entry.result.is_none() {
                entry.result = Some(self.shared_result(&mut shader, context, setups, entry)?);
            }
            if let Some(Some(fragment)) = &entry.result {
                self.surfaces.fill(context, &setups[item.setup], item, work, fragment);
            }
        }
        shader.flush(&mut self.surfaces, context, setups)?;
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
        let result =
            shader.shade_one(&mut self.surfaces, context, setups, entry.setup, entry.quad)?;
        if cacheable && result.as_ref().is_none_or(|fragment| fragment.undefined == 0) {
            self.result_cache.add(&entry.key, &result);
        }
        Ok(result)
    }
}
