//! Render targets that shade what is observed.
//!
//! Clears and draws are recorded; reading a region executes them for the 2×2 quads it needs and no others. Draws of
//! fragment stages that write memory are executed at once, for all pixels.
//!
//! A primitive whose inputs are the same at every pixel is shaded once, in one quad: flat inputs, and interpolated
//! ones whose values at the three vertices are equal bit for bit (any weights that sum to one give that value).

use std::collections::HashMap;
use std::sync::Arc;

use program::{Program, Stage, StageKey};
use smallvec::SmallVec;

use crate::device::{
    Batch, Device, DeviceError, DrawState, FragmentBatch, FragmentOutputs, MAX_LANES, PrimitiveSetup,
    ProgramId, Quad, Steps,
};
use crate::format::{Format, Texel};
use crate::framebuffer::{Pixels, Surface, TILE};
use crate::interface::{FragmentInput, FragmentInterface};
use crate::multisample::Multisample;
use crate::raster::{Rect, Spans};
use crate::resources::Bindings;
use crate::texture::CompareFunction;

/// Quads in a row of a tile.
const TILE_QUADS: i32 = TILE / 2;

/// How much is shaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShadeMode {
    /// What can be observed.
    #[default]
    Observed,
    /// Every fragment of every draw, at once, nothing shared.
    All,
}

/// What the fragment stage of one draw sees besides its batch.
#[derive(Clone, Debug)]
pub struct DrawContext {
    /// The program.
    pub program: Arc<Program>,
    /// Its id.
    pub id: ProgramId,
    /// Draw-time state.
    pub key: StageKey,
    /// Facts about the fragment stage.
    pub fragment: Arc<FragmentInterface>,
    /// Mapping of the fragment stage's inputs.
    pub inputs: Arc<Vec<FragmentInput>>,
    /// Objects as they were when the draw was issued.
    pub bindings: Bindings,
    /// Depth test, when enabled.
    pub depth_test: Option<CompareFunction>,
    /// The sample that is drawn to.
    pub multisample: Multisample,
}

/// One primitive's coverage in a recorded draw.
#[derive(Clone, Debug)]
struct Item {
    setup: usize,
    spans: Spans,
    bounds: Rect,
    /// All pixels of the bounds are covered.
    solid: bool,
    /// Index of the shared result, for primitives with the same inputs at every pixel.
    constant: Option<usize>,
}

impl Item {
    /// Whether any pixel of a rectangle is covered.
    fn touches(&self, rect: &Rect) -> bool {
        !self.bounds.intersect(rect).is_empty() && (self.solid || self.spans.touches(rect))
    }

    /// Whether every pixel of a rectangle is covered.
    fn covers(&self, rect: &Rect) -> bool {
        self.bounds.contains(rect) && (self.solid || self.spans.covers(rect))
    }
}

/// A fragment shader's results for one pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fragment {
    /// Texel for each attachment, quantised; `None` where nothing is written.
    texels: SmallVec<[Option<Texel>; 1]>,
    depth: Option<u32>,
}

/// A result shared by all pixels of one or more items; shaded at the first need.
#[derive(Clone, Debug)]
struct Shared {
    setup: usize,
    quad: Quad,
    /// `None` inside: discarded.
    result: Option<Option<Fragment>>,
}

/// A recorded draw.
#[derive(Clone, Debug)]
pub struct DrawRecord {
    context: DrawContext,
    setups: Vec<PrimitiveSetup>,
    items: Vec<Item>,
    shared: Vec<Shared>,
}

#[derive(Clone, Debug)]
enum Operation {
    Clear { colour: Option<Vec<Texel>>, depth: Option<Texel> },
    Draw(Box<DrawRecord>),
}

/// Which operations a tile's quads have seen: all below `done`; some quads more, listed in `ahead`.
#[derive(Clone, Debug, Default)]
struct Progress {
    done: u32,
    ahead: Option<Box<[u32; 64]>>,
}

/// Colour and depth surfaces of one size with recorded operations.
#[derive(Clone, Debug)]
pub struct RenderTarget {
    colours: Vec<Option<Surface>>,
    depth: Option<Surface>,
    rect: Rect,
    operations: Vec<Operation>,
    progress: Vec<Progress>,
    /// A surface that has the geometry of all others.
    tiles: Surface,
}

impl DrawRecord {
    /// An empty record.
    pub fn new(context: DrawContext) -> DrawRecord {
        DrawRecord { context, setups: Vec::new(), items: Vec::new(), shared: Vec::new() }
    }

    /// The context, with memory as the shaders left it.
    pub fn into_context(self) -> DrawContext {
        self.context
    }

    /// Whether nothing is covered.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// Collects the primitives of a draw.
pub struct Recorder {
    record: DrawRecord,
    mode: ShadeMode,
    known: HashMap<Vec<u32>, usize>,
}

impl Recorder {
    /// Starts a record.
    pub fn new(context: DrawContext, mode: ShadeMode) -> Recorder {
        Recorder { record: DrawRecord::new(context), mode, known: HashMap::new() }
    }

    /// Adds a primitive, complete with values.
    pub fn add(&mut self, setup: PrimitiveSetup, coverage: Vec<Spans>) {
        let key = if self.mode == ShadeMode::All { None } else { self.constant_key(&setup) };
        let index = self.record.setups.len();
        self.record.setups.push(setup);
        for spans in coverage {
            let constant = key.as_ref().map(|key| self.shared(key, index, &spans));
            self.push(index, spans, constant);
        }
    }

    /// The finished record.
    pub fn finish(mut self) -> DrawRecord {
        for item in &mut self.record.items {
            item.solid = item.spans.fills(&item.bounds);
        }
        self.record
    }

    /// The values that decide the result, if no input changes from pixel to pixel.
    fn constant_key(&self, setup: &PrimitiveSetup) -> Option<Vec<u32>> {
        let context = &self.record.context;
        let info = &context.fragment;
        if info.side_effects || info.reads_position {
            return None;
        }
        let mut key = vec![
            if info.reads_primitive_id { setup.primitive_id } else { 0 },
            if info.reads_facing { u32::from(setup.front_facing) } else { 0 },
            if info.reads_layer { setup.layer } else { 0 },
            if info.reads_layer { setup.viewport_index } else { 0 },
        ];
        for (slot, input) in context.inputs.iter().enumerate() {
            for c in (0..4).filter(|c| input.mask >> c & 1 == 1) {
                let values = setup.values[slot * 4 + c];
                let same = values.iter().all(|&v| v == values[0]);
                if !input.flat && !same {
                    return None;
                }
                key.push(if input.flat { values[setup.provoking] } else { values[0] });
            }
        }
        Some(key)
    }

    fn shared(&mut self, key: &[u32], setup: usize, spans: &Spans) -> usize {
        if let Some(&index) = self.known.get(key) {
            return index;
        }
        let index = self.record.shared.len();
        let first = (spans.y0..).zip(&spans.rows).find(|(_, (x0, x1))| x0 < x1);
        let (y, x) = first.map_or((0, 0), |(y, run)| (y, run.0));
        let quad = Quad { x: x & !1, y: y & !1, primitive: 0 };
        self.record.shared.push(Shared { setup, quad, result: None });
        self.known.insert(key.to_vec(), index);
        index
    }

    /// Appends coverage, joined with the item before it where that has the same result and depth does not matter.
    fn push(&mut self, setup: usize, spans: Spans, constant: Option<usize>) {
        let joinable = constant.is_some() && self.record.context.depth_test.is_none();
        let bounds = spans.bounds();
        if let Some(last) = self.record.items.last_mut()
            && joinable
            && last.constant == constant
            && let Some(union) = last.spans.union_disjoint(&spans)
        {
            last.bounds = last.bounds.hull(&bounds);
            last.spans = union;
            return;
        }
        self.record.items.push(Item { setup, spans, bounds, solid: false, constant });
    }
}

impl RenderTarget {
    /// A target over surfaces of equal size.
    pub fn new(
        width: u32,
        height: u32,
        colours: Vec<Option<Surface>>,
        depth: Option<Surface>,
    ) -> RenderTarget {
        let tiles = Surface::new(width, height, Format::R8);
        RenderTarget {
            colours,
            depth,
            rect: tiles.rect(),
            operations: Vec::new(),
            progress: vec![Progress::default(); tiles.tile_count()],
            tiles,
        }
    }

    /// All pixels.
    pub fn rect(&self) -> Rect {
        self.rect
    }

    /// Format of a colour attachment.
    pub fn colour_format(&self, attachment: usize) -> Option<Format> {
        Some(self.colours.get(attachment)?.as_ref()?.format())
    }

    /// Number of colour attachment points.
    pub fn attachments(&self) -> usize {
        self.colours.len()
    }

    /// Format of the depth attachment.
    pub fn depth_format(&self) -> Option<Format> {
        self.depth.as_ref().map(Surface::format)
    }

    /// Records a clear of the given buffers.
    pub fn clear(&mut self, colour: Option<[f32; 4]>, depth: Option<f64>) {
        let colour = colour.map(|c| {
            // What `glClear` does to integers is undefined; piglit's tests want the bits, clamped.
            let texel =
                |s: &Option<Surface>| s.as_ref().map_or([0; 4], |s| s.format().quantise(c.map(f32::to_bits)));
            self.colours.iter().map(texel).collect::<Vec<Texel>>()
        });
        let depth = depth.and_then(|d| {
            let format = self.depth.as_ref()?.format();
            Some(format.quantise_numbers([d, 0.0, 0.0, 0.0]))
        });
        let everything = colour.is_some() && (depth.is_some() || self.depth.is_none());
        match colour {
            Some(texels) if everything => self.reset(&texels, depth),
            None if depth.is_none() => {}
            colour => self.operations.push(Operation::Clear { colour, depth }),
        }
    }

    /// Gives every surface one value and forgets all operations.
    fn reset(&mut self, texels: &[Texel], depth: Option<Texel>) {
        for (surface, texel) in self.colours.iter_mut().zip(texels) {
            if let Some(surface) = surface {
                surface.fill(*texel);
            }
        }
        if let (Some(surface), Some(texel)) = (&mut self.depth, depth) {
            surface.fill(texel);
        }
        self.forget();
    }

    fn forget(&mut self) {
        self.operations.clear();
        self.progress.fill(Progress::default());
    }

    /// Records a draw.
    pub fn record(&mut self, record: DrawRecord) {
        if !record.is_empty() {
            self.operations.push(Operation::Draw(Box::new(record)));
        }
    }

    /// Executes a draw now, for every pixel, and gives back its context with what it wrote to memory.
    pub fn execute(
        &mut self,
        record: DrawRecord,
        device: &mut dyn Device,
    ) -> Result<(DrawContext, Steps), DeviceError> {
        let everything = self.rect;
        let mut steps = self.resolve(&everything, device)?;
        self.operations.push(Operation::Draw(Box::new(record)));
        steps += self.catch_up(&everything, device)?;
        match self.operations.pop() {
            Some(Operation::Draw(record)) => {
                self.forget();
                Ok((record.into_context(), steps))
            }
            // Nothing between push and pop changes the list.
            _ => Err(DeviceError::Execution("a draw vanished while it was executed".into())),
        }
    }

    /// Executes whatever the pixels of `region` still wait for.
    pub fn resolve(&mut self, region: &Rect, device: &mut dyn Device) -> Result<Steps, DeviceError> {
        let steps = self.catch_up(region, device)?;
        if region.contains(&self.rect) {
            self.forget();
        }
        Ok(steps)
    }

    fn catch_up(&mut self, region: &Rect, device: &mut dyn Device) -> Result<Steps, DeviceError> {
        let mut steps = Steps(0);
        let end = self.operations.len() as u32;
        let wanted: Vec<(usize, u64)> = self
            .tiles
            .tiles_of(region)
            .into_iter()
            .map(|tile| (tile, quads_of(&self.tiles.tile_rect(tile), region)))
            .filter(|&(tile, _)| self.progress[tile].done < end)
            .collect();
        let start = wanted.iter().map(|&(tile, _)| self.progress[tile].done).min().unwrap_or(end);
        let mut operations = std::mem::take(&mut self.operations);
        for (index, operation) in (start..end).zip(operations.iter_mut().skip(start as usize)) {
            let work: Vec<(usize, u64)> = wanted
                .iter()
                .map(|&(tile, quads)| (tile, quads & self.progress[tile].waiting(index)))
                .filter(|&(_, quads)| quads != 0)
                .collect();
            match operation {
                Operation::Clear { colour, depth } => self.apply_clear(&work, colour.as_deref(), *depth),
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
        for (tile, quads) in wanted {
            self.progress[tile].advance(quads, end);
            if self.progress[tile].ahead.is_none() {
                self.surfaces_mut().for_each(|s| s.compact(tile));
            }
        }
        Ok(steps)
    }

    /// Reads a colour attachment after resolving; `None` when there is no such attachment.
    pub fn read(
        &mut self,
        attachment: usize,
        rect: &Rect,
        device: &mut dyn Device,
    ) -> Result<(Option<Pixels>, Steps), DeviceError> {
        let steps = self.resolve(rect, device)?;
        Ok((self.colours.get(attachment).and_then(|s| Some(s.as_ref()?.read(rect))), steps))
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

    /// Changes the colour surfaces directly, after everything was resolved.
    pub fn for_each_colour(&mut self, change: impl FnMut(&mut Surface)) {
        self.colours.iter_mut().flatten().for_each(change);
    }

    /// The surfaces after everything was resolved.
    pub fn into_surfaces(self) -> (Vec<Option<Surface>>, Option<Surface>) {
        (self.colours, self.depth)
    }

    fn surfaces_mut(&mut self) -> impl Iterator<Item = &mut Surface> {
        self.colours.iter_mut().flatten().chain(&mut self.depth)
    }

    fn apply_clear(&mut self, work: &[(usize, u64)], colour: Option<&[Texel]>, depth: Option<Texel>) {
        for &(tile, quads) in work {
            let rect = self.tiles.tile_rect(tile);
            let clears = colour.unwrap_or_default().iter().zip(&mut self.colours);
            for (texel, surface) in clears.filter_map(|(t, s)| Some((*t, s.as_mut()?))) {
                clear_quads(surface, tile, &rect, quads, texel);
            }
            if let (Some(texel), Some(surface)) = (depth, &mut self.depth) {
                clear_quads(surface, tile, &rect, quads, texel);
            }
        }
    }

    fn apply_draw(
        &mut self,
        work: &[(usize, u64)],
        record: &mut DrawRecord,
        device: &mut dyn Device,
    ) -> Result<Steps, DeviceError> {
        let mut shader = QuadShader { steps: Steps(0), quads: Vec::new(), device };
        let DrawRecord { context, setups, items, shared } = record;
        for item in items.iter() {
            for &(tile, quads) in work {
                let rect = self.tiles.tile_rect(tile);
                if !item.touches(&rect) {
                    continue;
                }
                let Some(constant) = item.constant else {
                    self.gather(&mut shader, context, setups, item, &rect, quads)?;
                    continue;
                };
                shader.flush(self, context, setups)?;
                let entry = &mut shared[constant];
                if entry.result.is_none() {
                    entry.result = Some(shader.shade_one(self, context, setups, entry.setup, entry.quad)?);
                }
                if let Some(Some(fragment)) = &entry.result {
                    self.fill_item(context, &setups[item.setup], item, tile, quads, fragment);
                }
            }
        }
        shader.flush(self, context, setups)?;
        Ok(shader.steps)
    }

    /// Queues the covered quads of one item in one tile.
    fn gather(
        &mut self,
        shader: &mut QuadShader<'_>,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
        item: &Item,
        rect: &Rect,
        quads: u64,
    ) -> Result<(), DeviceError> {
        for (x, y) in quad_positions(rect, quads) {
            let covered = |i: i32| item.spans.contains(x + (i & 1), y + (i >> 1));
            let coverage = (0..4).fold(0, |mask, i| mask | u8::from(covered(i)) << i);
            if coverage != 0 {
                // A fragment sees what the fragments before it wrote to its pixel.
                if reads_framebuffer(context) && shader.quads.iter().any(|q| (q.x, q.y) == (x, y)) {
                    shader.flush(self, context, setups)?;
                }
                shader.quads.push(PendingQuad { x, y, setup: item.setup, coverage });
                if shader.quads.len() * 4 == MAX_LANES {
                    shader.flush(self, context, setups)?;
                }
            }
        }
        Ok(())
    }

    /// Writes one shared result to the covered pixels of a tile.
    fn fill_item(
        &mut self,
        context: &DrawContext,
        setup: &PrimitiveSetup,
        item: &Item,
        tile: usize,
        quads: u64,
        fragment: &Fragment,
    ) {
        let rect = self.tiles.tile_rect(tile);
        let tests_depth = context.depth_test.is_some() && self.depth.is_some();
        if quads == !0 && !tests_depth && item.covers(&rect) {
            for (surface, texel) in self.colours.iter_mut().zip(&fragment.texels) {
                if let (Some(surface), Some(texel)) = (surface, texel) {
                    surface.fill_tile(tile, *texel);
                }
            }
            return;
        }
        for (x, y) in quad_positions(&rect, quads) {
            for (px, py) in (0..4).map(|i| (x + (i & 1), y + (i >> 1))) {
                if item.spans.contains(px, py) {
                    self.write(context, setup, px, py, fragment);
                }
            }
        }
    }

    /// Depth test and writes of one fragment.
    fn write(&mut self, context: &DrawContext, setup: &PrimitiveSetup, x: i32, y: i32, fragment: &Fragment) {
        if let (Some(function), Some(surface)) = (context.depth_test, &mut self.depth) {
            let z = match fragment.depth {
                Some(bits) => f64::from(f32::from_bits(bits)),
                None => setup.depth.at(f64::from(x) + 0.5, f64::from(y) + 0.5),
            };
            let new = surface.format().quantise_numbers([z.clamp(0.0, 1.0), 0.0, 0.0, 0.0]);
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
        for (surface, texel) in self.colours.iter_mut().zip(&fragment.texels) {
            if let (Some(surface), Some(texel)) = (surface, texel) {
                surface.set(x, y, *texel);
            }
        }
    }

    /// Lets the shader of a draw read the colours at the quads' pixels.
    fn expose(&self, quads: &[PendingQuad], context: &mut DrawContext) {
        let colour = |surface: &Option<Surface>, x: i32, y: i32| {
            surface.as_ref().map_or([0; 4], |s| s.format().to_raw(s.get(x, y)))
        };
        let pixels = quads.iter().flat_map(|q| (0..4).map(|i| (q.x + (i & 1), q.y + (i >> 1))));
        let inside = pixels.filter(|&(x, y)| x < self.rect.x1 && y < self.rect.y1);
        let read = |(x, y)| ((x, y), self.colours.iter().map(|s| colour(s, x, y)).collect());
        context.bindings.framebuffer = inside.map(read).collect();
    }

    /// Whether a fragment reaches the draw's sample.
    fn covers(&self, context: &DrawContext, outputs: &FragmentOutputs, lane: usize) -> bool {
        let alpha = || {
            let format = self.colours.first()?.as_ref()?.format();
            let location = context.fragment.source(0).filter(|_| !format.is_integer())?;
            Some(f32::from_bits(outputs.colour.get(location * 4 + 3, lane)))
        };
        let mask = if context.fragment.writes_sample_mask { outputs.sample_mask[lane] } else { !0 };
        context.multisample.covers(mask, alpha())
    }

    /// Quantises what one lane wrote; `None` when it was discarded or does not reach the draw's sample.
    fn fragment(&self, context: &DrawContext, outputs: &FragmentOutputs, lane: usize) -> Option<Fragment> {
        let DrawContext { fragment: info, multisample, .. } = context;
        if outputs.killed >> lane & 1 == 1 {
            return None;
        }
        if multisample.is_enabled() && !self.covers(context, outputs, lane) {
            return None;
        }
        let texel = |(attachment, surface): (usize, &Option<Surface>)| {
            let location = info.source(attachment)?;
            let raw = std::array::from_fn(|c| outputs.colour.get(location * 4 + c, lane));
            let format = surface.as_ref()?.format();
            Some(format.quantise(multisample.colour(format, raw)))
        };
        let texels = self.colours.iter().enumerate().map(texel).collect();
        Some(Fragment { texels, depth: info.writes_depth.then(|| outputs.depth[lane]) })
    }
}

/// Whether the fragment stage of a draw reads the framebuffer.
fn reads_framebuffer(context: &DrawContext) -> bool {
    context.bindings.draw_buffers.iter().any(Option::is_some)
}

struct PendingQuad {
    x: i32,
    y: i32,
    setup: usize,
    coverage: u8,
}

/// Collects quads of one draw into batches.
struct QuadShader<'d> {
    steps: Steps,
    quads: Vec<PendingQuad>,
    device: &'d mut dyn Device,
}

impl QuadShader<'_> {
    /// Shades the queued quads and writes their fragments in order.
    fn flush(
        &mut self,
        target: &mut RenderTarget,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<(), DeviceError> {
        if self.quads.is_empty() {
            return Ok(());
        }
        let quads = std::mem::take(&mut self.quads);
        if reads_framebuffer(context) {
            target.expose(&quads, context);
        }
        let outputs = self.shade(&quads, context, setups)?;
        for (q, quad) in quads.iter().enumerate() {
            for i in (0..4).filter(|i| quad.coverage >> i & 1 == 1) {
                let lane = q * 4 + i as usize;
                if let Some(fragment) = target.fragment(context, &outputs, lane) {
                    let (x, y) = (quad.x + (i & 1), quad.y + (i >> 1));
                    target.write(context, &setups[quad.setup], x, y, &fragment);
                }
            }
        }
        Ok(())
    }

    /// Shades one quad of a primitive with constant inputs; all its pixels are alike.
    fn shade_one(
        &mut self,
        target: &RenderTarget,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
        setup: usize,
        quad: Quad,
    ) -> Result<Option<Fragment>, DeviceError> {
        let quads = [PendingQuad { x: quad.x, y: quad.y, setup, coverage: 0b1111 }];
        let outputs = self.shade(&quads, context, setups)?;
        Ok(target.fragment(context, &outputs, 0))
    }

    fn shade(
        &mut self,
        quads: &[PendingQuad],
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<FragmentOutputs, DeviceError> {
        let mut used: Vec<usize> = Vec::new();
        let mut live = 0;
        let mut batch_quads = Vec::with_capacity(quads.len());
        for (q, quad) in quads.iter().enumerate() {
            // Quads come primitive by primitive: the last one is almost always the right one.
            let primitive = used.iter().rposition(|&s| s == quad.setup).unwrap_or_else(|| {
                used.push(quad.setup);
                used.len() - 1
            });
            batch_quads.push(Quad { x: quad.x, y: quad.y, primitive: primitive as u32 });
            live |= u64::from(quad.coverage) << (q * 4);
        }
        let lanes = quads.len() * 4;
        let multisample = &context.multisample;
        let mut batch = Batch::Fragment(FragmentBatch {
            quads: batch_quads,
            live,
            primitives: used.iter().map(|&s| setups[s].clone()).collect(),
            samples: multisample.positions.len() as u32,
            sample_positions: multisample.positions.iter().map(|p| p.map(f64::from)).collect(),
            sample_id: multisample.sample_id(),
            sample_mask_in: (0..lanes).map(|l| ((live >> l & 1) as u32) << multisample.sample).collect(),
            outputs: FragmentOutputs::new(context.fragment.locations.len(), lanes),
        });
        let state = DrawState { program: &context.program, program_id: context.id, key: &context.key };
        self.steps += self.device.shade(Stage::Fragment, &state, &mut batch, &mut context.bindings)?;
        let rows = context.fragment.locations.len() * 4;
        match batch {
            Batch::Fragment(FragmentBatch { outputs, .. })
                if outputs.colour.rows() >= rows
                    && (rows == 0 || outputs.colour.lanes() == lanes)
                    && outputs.depth.len() == lanes
                    && outputs.sample_mask.len() == lanes =>
            {
                Ok(outputs)
            }
            _ => Err(DeviceError::Execution("the device changed the shape of a fragment batch".into())),
        }
    }
}

impl Progress {
    /// Quads that have not seen operation `index`.
    fn waiting(&self, index: u32) -> u64 {
        match &self.ahead {
            None if self.done <= index => !0,
            None => 0,
            Some(ahead) => (0..64).fold(0, |mask, quad| mask | u64::from(ahead[quad] <= index) << quad),
        }
    }

    /// Notes that some quads have seen everything below `end`.
    fn advance(&mut self, quads: u64, end: u32) {
        if quads == !0 {
            *self = Progress { done: end, ahead: None };
            return;
        }
        let ahead = self.ahead.get_or_insert_with(|| Box::new([self.done; 64]));
        for quad in (0..64).filter(|quad| quads >> quad & 1 == 1) {
            ahead[quad] = end;
        }
    }
}

/// The quads of a tile that a region touches; all of them when it contains the tile.
fn quads_of(tile: &Rect, region: &Rect) -> u64 {
    if region.contains(tile) {
        return !0;
    }
    let part = region.intersect(tile);
    let mut mask = 0;
    for y in (part.y0 - tile.y0) / 2..=(part.y1 - 1 - tile.y0) / 2 {
        for x in (part.x0 - tile.x0) / 2..=(part.x1 - 1 - tile.x0) / 2 {
            mask |= 1 << (y * TILE_QUADS + x);
        }
    }
    mask
}

/// Lower left pixels of the quads in a mask that reach into the tile.
fn quad_positions(tile: &Rect, quads: u64) -> impl Iterator<Item = (i32, i32)> + use<> {
    let tile = *tile;
    (0..64)
        .filter(move |quad| quads >> quad & 1 == 1)
        .map(move |quad| (tile.x0 + quad % TILE_QUADS * 2, tile.y0 + quad / TILE_QUADS * 2))
        .filter(move |&(x, y)| x < tile.x1 && y < tile.y1)
}

fn clear_quads(surface: &mut Surface, tile: usize, rect: &Rect, quads: u64, texel: Texel) {
    if quads == !0 {
        surface.fill_tile(tile, texel);
        return;
    }
    for (x, y) in quad_positions(rect, quads) {
        (0..4).for_each(|i| surface.set(x + (i & 1), y + (i >> 1), texel));
    }
}
