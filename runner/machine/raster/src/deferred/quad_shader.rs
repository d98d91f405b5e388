//! Batches of quads of one draw.

use program::Stage;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::recorded_draw::{DrawContext, DrawItem, ShadedFragment};
use super::target_surfaces::TargetSurfaces;
use super::undefined_pixels::ALL_VALUES;
use crate::device::{
    Batch, Device, DeviceError, DrawState, FragmentBatch, FragmentOutputs, MAX_LANES, Quad, Steps,
};
use crate::primitive::PrimitiveSetup;

/// Quad that waits for its batch.
struct PendingQuad {
    x: i32,
    y: i32,
    setup: usize,
    /// Bit i: pixel (i & 1, i >> 1) is covered.
    coverage: u8,
    /// See [`DrawItem::fetching`](super::recorded_draw::DrawItem).
    fetching: Option<usize>,
}

/// All values that decide the results of a quad that reads the framebuffer: number of the inputs,
/// coverage, and the colors at its pixels.
type FetchKey = (usize, u8, SmallVec<[[u32; 4]; 4]>);

/// Results of the pixels of a quad: fragments, and the pixels that are undefined.
type QuadResults = ([Option<ShadedFragment>; 4], u8);

/// Number of quads of a full batch.
const QUADS: usize = MAX_LANES / 4;

/// Maximum number of quads whose results are kept.
const MAX_FETCHED: usize = 4096;

/// Collects quads of one draw into batches.
pub(super) struct QuadShader<'d> {
    pub(super) steps: Steps,
    quads: Vec<PendingQuad>,
    /// Number of quads to collect before they are shaded; a multiple of a batch's.
    capacity: usize,
    /// Of each pending quad the key under which its results are kept.
    keys: Vec<Option<FetchKey>>,
    /// Results of quads that read the framebuffer.
    fetched: FxHashMap<FetchKey, QuadResults>,
    device: &'d mut dyn Device,
}

impl<'d> QuadShader<'d> {
    pub(super) fn new(device: &'d mut dyn Device) -> QuadShader<'d> {
        QuadShader {
            steps: Steps(0),
            quads: Vec::new(),
            capacity: QUADS,
            keys: Vec::new(),
            fetched: FxHashMap::default(),
            device,
        }
    }

    /// Queues the quads of which an item covers a pixel.
    pub(super) fn push_covered(
        &mut self,
        quads: impl Iterator<Item = (i32, i32)>,
        item: &DrawItem,
        target: &mut TargetSurfaces,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<(), DeviceError> {
        for (x, y) in quads {
            let covered = |i: i32| item.coverage.contains(x + (i & 1), y + (i >> 1));
            let mut coverage = (0..4).fold(0, |mask, i| mask | u8::from(covered(i)) << i);
            if context.tests_early() {
                let setup = &setups[item.setup];
                coverage = (0..4).filter(|i| coverage >> i & 1 == 1).fold(0, |mask, i| {
                    let passes = target.test(context, setup, x + (i & 1), y + (i >> 1), None);
                    mask | u8::from(passes) << i
                });
            }
            if coverage != 0 {
                let fetching = item.fetching;
                let quad = PendingQuad { x, y, setup: item.setup, coverage, fetching };
                self.push(quad, target, context, setups)?;
            }
        }
        Ok(())
    }

    fn push(
        &mut self,
        quad: PendingQuad,
        target: &mut TargetSurfaces,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<(), DeviceError> {
        // A fragment reads the results of the fragments before it at its pixel.
        if context.is_ordered() && self.quads.iter().any(|q| (q.x, q.y) == (quad.x, quad.y)) {
            self.flush(target, context, setups)?;
        }
        let key =
            quad.fetching.map(|inputs| (inputs, quad.coverage, target.quad_colors(quad.x, quad.y)));
        if let Some(results) = key.as_ref().and_then(|key| self.fetched.get(key)) {
            write_quad(target, context, setups, &quad, results);
            return Ok(());
        }
        self.quads.push(quad);
        self.keys.push(key);
        if self.quads.len() >= self.capacity {
            self.flush(target, context, setups)?;
        }
        Ok(())
    }

    /// Shades the queued quads and writes their fragments in order.
    pub(super) fn flush(
        &mut self,
        target: &mut TargetSurfaces,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<(), DeviceError> {
        if self.quads.is_empty() {
            return Ok(());
        }
        let quads = std::mem::take(&mut self.quads);
        let keys = std::mem::take(&mut self.keys);
        if context.reads_framebuffer() {
            load_framebuffer(target, &quads, context);
        }
        let outputs = match quads.len() {
            ..=QUADS => vec![self.shade(&quads, context, setups)?],
            _ => self.shade_batches(&quads, context, setups)?,
        };
        for ((index, quad), key) in quads.iter().enumerate().zip(keys) {
            let (outputs, q) = (&outputs[index / QUADS], index % QUADS);
            let results = quad_results(target, context, outputs, q, quad.coverage);
            write_quad(target, context, setups, quad, &results);
            if let Some(key) = key.filter(|_| self.fetched.len() < MAX_FETCHED) {
                self.fetched.insert(key, results);
            }
        }
        let at_once =
            if context.is_any_order() { self.device.fragment_batches_at_once() } else { 1 };
        self.capacity = at_once.max(1) * QUADS;
        Ok(())
    }

    /// Shades one quad of a primitive with constant inputs, whose pixels are all equal.
    pub(super) fn shade_one(
        &mut self,
        target: &mut TargetSurfaces,
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
        setup: usize,
        quad: Quad,
    ) -> Result<Option<ShadedFragment>, DeviceError> {
        let quads = [PendingQuad { x: quad.x, y: quad.y, setup, coverage: 0b1111, fetching: None }];
        let outputs = self.shade(&quads, context, setups)?;
        let fragment = target.fragment(context, &outputs, 0);
        if fragment.is_none() && outputs.undefined & 1 == 1 {
            // It is unknown whether its pixels are written.
            target.undefined.fill();
        }
        Ok(fragment)
    }

    /// Shades the quads of at most one batch.
    fn shade(
        &mut self,
        quads: &[PendingQuad],
        context: &mut DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<FragmentOutputs, DeviceError> {
        let mut batch = fragment_batch(quads, context, setups);
        let state =
            DrawState { program: &context.program, program_id: context.id, key: &context.key };
        self.steps +=
            self.device.shade(Stage::Fragment, &state, &mut batch, &mut context.bindings)?;
        outputs_of(batch, context, quads.len() * 4)
    }

    /// Shades the quads of several batches, in any order.
    fn shade_batches(
        &mut self,
        quads: &[PendingQuad],
        context: &DrawContext,
        setups: &[PrimitiveSetup],
    ) -> Result<Vec<FragmentOutputs>, DeviceError> {
        let batches = quads.chunks(QUADS).map(|quads| fragment_batch(quads, context, setups));
        let mut batches: Vec<Batch> = batches.collect();
        let state =
            DrawState { program: &context.program, program_id: context.id, key: &context.key };
        self.steps += self.device.shade_fragments(&state, &mut batches, &context.bindings)?;
        let lanes = quads.chunks(QUADS).map(|quads| quads.len() * 4);
        batches
            .into_iter()
            .zip(lanes)
            .map(|(batch, lanes)| outputs_of(batch, context, lanes))
            .collect()
    }
}

/// Provides the colors at the quads' pixels to the shader of a draw.
fn load_framebuffer(target: &TargetSurfaces, quads: &[PendingQuad], context: &mut DrawContext) {
    let framebuffer = &mut context.bindings.framebuffer;
    framebuffer.reset(target.colors.len());
    for quad in quads {
        framebuffer.add(quad.x, quad.y, &target.quad_colors(quad.x, quad.y));
    }
}

/// Returns a batch of quads.
fn fragment_batch(
    quads: &[PendingQuad],
    context: &DrawContext,
    setups: &[PrimitiveSetup],
) -> Batch {
    let mut used: Vec<usize> = Vec::new();
    let mut live = 0;
    let mut batch_quads = Vec::with_capacity(quads.len());
    for (q, quad) in quads.iter().enumerate() {
        // Quads come primitive by primitive: the last one almost always matches.
        let primitive = used.iter().rposition(|&s| s == quad.setup).unwrap_or_else(|| {
            used.push(quad.setup);
            used.len() - 1
        });
        batch_quads.push(Quad { x: quad.x, y: quad.y, primitive: primitive as u32 });
        live |= u64::from(quad.coverage) << (q * 4);
    }
    let lanes = quads.len() * 4;
    let multisample = &context.multisample;
    Batch::Fragment(FragmentBatch {
        quads: batch_quads,
        live,
        primitives: used.iter().map(|&s| setups[s].clone()).collect(),
        samples: multisample.positions.len() as u32,
        sample_positions: multisample.positions.iter().map(|p| p.map(f64::from)).collect(),
        sample_id: multisample.sample_id(),
        sample_mask_in: (0..lanes)
            .map(|l| ((live >> l & 1) as u32) << multisample.sample)
            .collect(),
        outputs: FragmentOutputs::new(context.fragment.locations.len(), lanes),
    })
}

/// Returns the outputs of a shaded batch.
fn outputs_of(
    batch: Batch,
    context: &DrawContext,
    lanes: usize,
) -> Result<FragmentOutputs, DeviceError> {
    let rows = context.fragment.locations.len() * 4;
    match batch {
        Batch::Fragment(FragmentBatch { outputs, .. })
            if outputs.color.rows() >= rows
                && (rows == 0 || outputs.color.lanes() == lanes)
                && outputs.depth.len() == lanes
                && outputs.sample_mask.len() == lanes =>
        {
            Ok(outputs)
        }
        _ => Err(DeviceError::Execution("the device changed the size of a fragment batch".into())),
    }
}

/// The results of the covered pixels of quad `q` of a batch.
fn quad_results(
    target: &TargetSurfaces,
    context: &DrawContext,
    outputs: &FragmentOutputs,
    q: usize,
    coverage: u8,
) -> QuadResults {
    let covered = |i: usize| coverage >> i & 1 == 1;
    let fragments = std::array::from_fn(|i| {
        covered(i).then(|| target.fragment(context, outputs, q * 4 + i)).flatten()
    });
    (fragments, (outputs.undefined >> (q * 4)) as u8 & 0xf)
}

/// Writes the covered pixels of a quad.
fn write_quad(
    target: &mut TargetSurfaces,
    context: &DrawContext,
    setups: &[PrimitiveSetup],
    quad: &PendingQuad,
    (fragments, undefined): &QuadResults,
) {
    for (i, fragment) in (0..4).zip(fragments).filter(|(i, _)| quad.coverage >> i & 1 == 1) {
        let (x, y) = (quad.x + (i & 1), quad.y + (i >> 1));
        match fragment {
            Some(fragment) => target.write(context, &setups[quad.setup], x, y, fragment),
            None if undefined >> i & 1 == 1 => target.undefined.set(x, y, ALL_VALUES),
            None => {}
        }
    }
}
