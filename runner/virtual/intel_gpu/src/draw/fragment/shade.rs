//! Fragment threads: payload, execution, messages.

use std::cell::{OnceCell, RefCell};
use std::collections::hash_map::Entry;
use std::rc::Rc;

use eu_simulator::host::{
    AtomicOp, Host, HostError, InterpolateAt, InterpolateRequest, RenderRead, RenderState,
    RenderWrite, Reply, SamplerRequest, Surface, Texels,
};
use eu_simulator::trace::Tracer;
use eu_simulator::{PlaneInput, TOGETHER, Thread};
use fixed_function::{Interpolation, Quad, QuadSlot, Samples};
use gpu_service::{CommandError, Outcome, not_modeled};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use vocabulary::{Stage, Width};

use super::attributes::Attributes;
use super::output::{Output, Work};
use super::quad::Primitive;
use crate::draw::command::Draw;
use crate::draw::kernels::Loaded;
use crate::draw::thread::BUDGET;
use crate::draw::thread::bindings::Resources;
use crate::draw::thread::messages::{Failure, memory_messages};
use crate::draw::thread::scratch::{self, Scratch};

/// Topology of lists of triangles, as payloads name it.
const TRIANGLES: u32 = 4;
/// Quads of which a payload has one group of registers.
const GROUP: usize = 4;
/// A value at a position of a primitive.
type Value = fn(&Interpolation, f64, f64) -> f32;

/// A kernel with the place of its setup data.
struct FragmentKernel {
    kernel: Rc<Loaded>,
    address: u64,
    /// Pixels of a thread.
    width: usize,
    /// First register of setup data.
    setup: usize,
}

/// Result of a thread.
struct Shaded {
    writes: Vec<RenderWrite>,
    /// Executed instructions.
    steps: u64,
}

/// Inputs that the results of the threads of a primitive depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dependence {
    /// All threads have the same result.
    None,
    /// Mask of the pixels that are drawn.
    Mask,
    /// Positions of the pixels.
    Position,
}

/// Values that payloads have.
#[derive(Clone, Copy, Debug)]
struct Payload {
    barycentrics: u64,
    depth: bool,
    w: bool,
    sample_offsets: bool,
    coverage: bool,
    per_sample: bool,
}

/// The fragment stage of a draw.
pub(crate) struct Fragments<'a> {
    draw: &'a Draw<'a>,
    kernel: Option<FragmentKernel>,
    constants: Vec<[u32; 8]>,
    resources: Resources<'a>,
    output: Output<'a>,
    payload: Payload,
    state: RenderState,
    tests_early: bool,
    /// Inputs, decoded when the first fragments are shaded.
    attributes: OnceCell<Attributes>,
    pub(crate) samples: Samples,
    /// Bytes of scratch space of a thread.
    scratch: usize,
    /// Threads for all primitives, as many as have run at once.
    threads: RefCell<Vec<Thread>>,
    /// Observer of the threads.
    tracer: Option<Tracer>,
}

impl<'a> Fragments<'a> {
    /// Loads the state of a draw.
    pub(crate) fn load(draw: &'a Draw<'a>) -> Outcome<Fragments<'a>> {
        let samples = draw.samples()?;
        let (wm, extra, ps) = (draw.fields.wm, draw.fields.ps_extra, draw.fields.ps);
        let wm_words = draw.context.packet("3DSTATE_WM");
        let extra_words = draw.context.packet("3DSTATE_PS_EXTRA");
        let ps_words = draw.context.packet("3DSTATE_PS");
        let either =
            |old: packets::Field, new: packets::Field| old.flag(wm_words) || new.flag(extra_words);
        let is_multiple = samples.count() > 1;
        // Earlier generations name the dispatch for each pixel, not that for each sample.
        let per_sample = match extra.is_per_sample.exists() {
            true => extra.is_per_sample.flag(extra_words),
            false => !wm.per_pixel.flag(wm_words),
        };
        let payload = Payload {
            barycentrics: wm.barycentrics.get(wm_words),
            depth: either(wm.uses_depth, extra.uses_depth),
            w: either(wm.uses_w, extra.uses_w),
            sample_offsets: ps.offsets.get(ps_words) == 3,
            coverage: either(wm.uses_coverage, extra.uses_coverage)
                || extra.coverage.flag(extra_words),
            per_sample: per_sample && is_multiple,
        };
        if ps.offsets.get(ps_words) == 2 {
            return not_modeled("centroids as sample positions");
        }
        let state = RenderState {
            omask: ps.has_omask.flag(ps_words) || extra.has_omask.flag(extra_words),
            depth: wm.computed_depth.flag(wm_words) || extra.computed_depth.flag(extra_words),
            stencil: extra.computes_stencil.flag(extra_words),
        };
        let kernel = draw.fragment_kernel()?;
        Ok(Fragments {
            draw,
            tracer: kernel.as_ref().and_then(|kernel| draw.fragment_tracer(kernel)),
            kernel,
            constants: draw.constants("3DSTATE_CONSTANT_PS")?,
            resources: draw.resources(
                "3DSTATE_BINDING_TABLE_POINTERS_PS",
                "3DSTATE_SAMPLER_STATE_POINTERS_PS",
            ),
            output: Output::load(draw, samples.count())?,
            payload,
            state,
            tests_early: wm.early.get(wm_words) == 2,
            attributes: OnceCell::new(),
            samples,
            threads: RefCell::default(),
            scratch: scratch::bytes_of_stage(ps.scratch.get(ps_words)),
        })
    }

    fn attributes(&self) -> Outcome<&Attributes> {
        if let Some(attributes) = self.attributes.get() {
            return Ok(attributes);
        }
        let attributes = Attributes::decode(self.draw)?;
        Ok(self.attributes.get_or_init(|| attributes))
    }

    /// Stores its clear color in a layer of the first render target.
    pub(crate) fn clear_target(&self, layer: u32) -> Outcome<()> {
        self.output.clear(&self.resources, layer)
    }

    /// Shades quads of one primitive.
    pub(crate) fn shade(&self, primitive: &Primitive<'_>, quads: &[Quad]) -> Outcome<()> {
        self.draw.guard.check()?;
        let mut quads = quads.to_vec();
        let shades = self.kernel.is_some();
        if self.tests_early || !shades {
            for quad in &mut quads {
                let slot = QuadSlot { quad: *quad, sample: None };
                for (i, covered) in quad.samples.iter_mut().enumerate() {
                    let place = slot.pixel(i);
                    *covered = self.output.test_early(primitive, &self.samples, place, *covered)?;
                    if !shades {
                        self.output.count_passed(covered.count_ones());
                    }
                }
            }
            quads.retain(|quad| quad.samples != [0; 4]);
        }
        let Some(kernel) = self.kernel.as_ref().filter(|_| !quads.is_empty()) else {
            return Ok(());
        };
        let pixels = quads.iter().flat_map(|quad| quad.samples).filter(|covered| *covered != 0);
        self.draw.counts.add_shaded(pixels.count());
        let setup = self.attributes()?.setup(primitive, self.draw.primitive_id.get());
        let mut threads = self.threads.borrow_mut();
        let mut run = |slots: &[QuadSlot]| {
            let thread = &mut self.ready(&mut threads, 1)[0];
            self.start(kernel, thread, primitive, &setup, slots, kernel.width)?;
            self.finish(kernel, thread, primitive, slots)
        };
        let Fragments { output, resources, samples, .. } = self;
        let mut known: FxHashMap<u32, Shaded> = FxHashMap::default();
        let dependence = self.dependence(kernel, primitive, &setup);
        if dependence == Dependence::None {
            let slots: SmallVec<[QuadSlot; 4]> = self.slots(&quads[..1]).into();
            let width = kernel.width;
            let shaded = run(&slots)?;
            let rule = (width, self.tests_early);
            let is_single = samples.count() == 1;
            if is_single && output.flood(resources, primitive, &quads, &shaded.writes, rule)? {
                kernel.kernel.count(quads.len().div_ceil(width / 4), shaded.steps);
                return Ok(());
            }
            known.insert(0, shaded);
        }
        let merge = |slots: &[QuadSlot], shaded: &Shaded| {
            kernel.kernel.count(1, shaded.steps);
            let work = Work { primitive, samples, slots, is_tested: self.tests_early };
            output.merge(resources, &work, &shaded.writes)
        };
        let slots = self.slots(&quads);
        let groups = slots.chunks(kernel.width / 4);
        if dependence == Dependence::Position {
            let groups: Vec<&[QuadSlot]> = groups.collect();
            for groups in groups.chunks(TOGETHER) {
                let threads = self.ready(&mut threads, groups.len());
                for (thread, slots) in threads.iter_mut().zip(groups) {
                    self.start(kernel, thread, primitive, &setup, slots, 0)?;
                }
                kernel.kernel.kernel.run_ahead(threads.iter_mut(), BUDGET);
                for (thread, slots) in threads.iter_mut().zip(groups) {
                    merge(slots, &self.finish(kernel, thread, primitive, slots)?)?;
                }
            }
            return Ok(());
        }
        for slots in groups {
            let key = if dependence == Dependence::Mask { live_mask(slots) } else { 0 };
            let shaded = match known.entry(key) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(run(slots)?),
            };
            merge(slots, shaded)?;
        }
        Ok(())
    }

    /// Returns the inputs that the results of the threads of a primitive depend on.
    fn dependence(
        &self,
        kernel: &FragmentKernel,
        primitive: &Primitive<'_>,
        setup: &[[[u32; 8]; 2]],
    ) -> Dependence {
        // Threads of 32 channels have two registers of positions and masks.
        let is_simple = !self.payload.per_sample && kernel.width <= 4 * GROUP;
        let inputs = kernel.kernel.inputs(kernel.width).filter(|_| is_simple);
        let Some(inputs) = inputs else { return Dependence::Position };
        let differs = |register: usize| (2..kernel.setup).contains(&register);
        if (2..kernel.setup).any(|register| inputs.dwords(register) != 0) {
            return Dependence::Position;
        }
        let finite = primitive.interpolation.is_none_or(|interpolation| interpolation.is_finite());
        let constants = self.constants.iter().chain(setup.iter().flatten());
        let registers: SmallVec<[&[u32; 8]; 16]> = constants.collect();
        let is_constant = |plane: &PlaneInput| {
            let register = plane.register.checked_sub(kernel.setup);
            let Some(register) = register.and_then(|i| registers.get(i)) else { return false };
            let at = |i: usize| f32::from_bits(register[(plane.dword + i) & 7]);
            // The sum of zeros has the sign of one that is added last, unless both are negative.
            let is_negative_zero = at(3).to_bits() == (-0.0_f32).to_bits();
            finite && at(0) == 0.0 && at(1) == 0.0 && !is_negative_zero
        };
        let planes = inputs.planes().iter();
        let mut varying = planes
            .filter(|plane| (plane.coordinates..plane.coordinates + plane.count).any(differs));
        if !varying.all(is_constant) {
            return Dependence::Position;
        }
        // The second register has positions in double words 2 to 5, the mask of pixels in the last.
        match inputs.dwords(1) {
            read if read & 0x3c != 0 => Dependence::Position,
            read if read & 0x80 != 0 => Dependence::Mask,
            _ => Dependence::None,
        }
    }

    /// Channels of all threads, four at a time.
    fn slots(&self, quads: &[Quad]) -> Vec<QuadSlot> {
        let of_quad = |quad: &Quad| {
            let quad = *quad;
            let samples = match self.payload.per_sample {
                true => (0..self.samples.count()).map(Some).collect(),
                false => vec![None],
            };
            samples.into_iter().map(move |sample| QuadSlot { quad, sample })
        };
        quads.iter().flat_map(of_quad).collect()
    }

    /// Some of the threads, which are made when they are first needed.
    fn ready<'t>(&self, threads: &'t mut Vec<Thread>, count: usize) -> &'t mut [Thread] {
        while threads.len() < count {
            let mut thread = Thread::new(self.draw.devinfo, 0);
            thread.tracer.clone_from(&self.tracer);
            threads.push(thread);
        }
        &mut threads[..count]
    }

    /// Writes the payload of a thread with the channels of `slots`, and at least `least`.
    fn start(
        &self,
        kernel: &FragmentKernel,
        thread: &mut Thread,
        primitive: &Primitive<'_>,
        setup: &[[[u32; 8]; 2]],
        slots: &[QuadSlot],
        least: usize,
    ) -> Outcome<()> {
        self.draw.guard.check()?;
        thread.reset(0);
        self.write_header(thread, slots, primitive);
        // Whole quads execute, so that differences between pixels are defined.
        thread.set_dispatch_mask(u32::MAX >> (32 - (4 * slots.len()).max(least)));
        // The values of sixteen pixels follow those of the sixteen before.
        let mut register = 1 + kernel.width.div_ceil(4 * GROUP);
        for slots in filled(slots, least).chunks(GROUP) {
            let width = kernel.width.min(4 * GROUP);
            register = self.write_interpolated(thread, (register, width), slots, primitive)?;
        }
        let registers = self.constants.iter().chain(setup.iter().flatten());
        for (i, register) in registers.enumerate() {
            thread.set_register(kernel.setup + i, register);
        }
        Ok(())
    }

    /// Executes a thread with its payload.
    fn finish(
        &self,
        kernel: &FragmentKernel,
        thread: &mut Thread,
        primitive: &Primitive<'_>,
        slots: &[QuadSlot],
    ) -> Outcome<Shaded> {
        let mut host = FragmentHost {
            stage: self,
            primitive,
            slots,
            scratch: Scratch::new(self.scratch),
            failure: Failure::default(),
            writes: Vec::new(),
        };
        let result = kernel.kernel.kernel.run(thread, &mut host, BUDGET);
        let FragmentHost { failure, writes, .. } = host;
        if let Some(error) = failure.0 {
            return Err(error);
        }
        match result.map_err(|error| CommandError::kernel(kernel.address, &error))? {
            eu_simulator::Outcome::Done { steps } => Ok(Shaded { writes, steps }),
            eu_simulator::Outcome::Barrier { .. } => not_modeled("barriers of fragment threads"),
        }
    }

    /// Writes the registers that every fragment thread has.
    fn write_header(&self, thread: &mut Thread, slots: &[QuadSlot], primitive: &Primitive<'_>) {
        // The viewport in bits 30:27, the layer of the render target in 26:16, bit 15 for the back,
        // and the topology (PRM, "PS Thread Payload for Normal Dispatch", R0.0). Drivers compute
        // the facing as the sign of the negated low half, which the topology keeps from being 0.
        let mut header = [0; 8];
        header[0] = TRIANGLES
            | (primitive.viewport & 0xf) << 27
            | (primitive.layer & 0x7ff) << 16
            | u32::from(!primitive.is_front) << 15;
        header[3] = self.resources.sampler_offset();
        if self.payload.per_sample && !self.draw.devinfo.sample_id_per_quad {
            // The number of the first pair of samples.
            let first = slots.iter().filter_map(|slot| slot.sample).min();
            header[0] |= ((first.unwrap_or(0) / 2) & 3) << 6;
        }
        thread.set_register(0, &header);
        // A register for each sixteen pixels.
        for (group, slots) in slots.chunks(GROUP).enumerate() {
            let mut positions = [0; 8];
            if self.payload.per_sample && self.draw.devinfo.sample_id_per_quad {
                let ids = slots.iter().map(|slot| slot.sample.unwrap_or(0) & 0xf);
                positions[0] = ids.enumerate().fold(0, |all, (i, id)| all | id << (4 * i));
            }
            for (i, slot) in slots.iter().enumerate() {
                positions[2 + i] = slot.quad.x | slot.quad.y << 16;
            }
            positions[7] = live_mask(slots);
            thread.set_register(1 + group, &positions);
        }
    }

    /// Position of a channel for a mode of interpolation: 0 pixel, 1 centroid, 2 sample.
    fn position(&self, slots: &[QuadSlot], channel: usize, mode: u64) -> (f64, f64) {
        let slot = &slots[channel / 4];
        let (x, y) = slot.pixel(channel % 4);
        let all = self.samples.mask
            & u16::try_from((1_u32 << self.samples.count()) - 1).unwrap_or(u16::MAX);
        let covered = slot.quad.samples[channel % 4];
        let sample = match (mode, slot.sample) {
            (0, _) => None,
            (2, Some(sample)) => Some(sample),
            (2, None) => Some(0),
            // A pixel that is covered in full has its centroid in the center.
            _ if covered == 0 || covered & all == all => None,
            _ => Some(covered.trailing_zeros()),
        };
        let [dx, dy] = sample.map_or([0.5; 2], |sample| self.samples.positions[sample as usize]);
        (f64::from(x) + dx, f64::from(y) + dy)
    }

    /// Writes the values that differ between at most sixteen pixels: weights of the corners, depth,
    /// W, positions of samples, coverage. Returns the register after them.
    fn write_interpolated(
        &self,
        thread: &mut Thread,
        (first, width): (usize, usize),
        slots: &[QuadSlot],
        primitive: &Primitive<'_>,
    ) -> Outcome<usize> {
        let Payload { barycentrics, depth, w, sample_offsets, coverage, per_sample } = self.payload;
        let mut register = first;
        if barycentrics != 0 || depth || w {
            let Some(interpolation) = primitive.interpolation else {
                return not_modeled("interpolated inputs of rectangles");
            };
            for mode in (0..6).filter(|mode| barycentrics >> mode & 1 != 0) {
                for channel in 0..4 * slots.len() {
                    let (x, y) = self.position(slots, channel, mode % 3);
                    let weights = interpolation.barycentric(x, y, mode < 3);
                    let register = register + 2 * (channel / 8);
                    thread.set_dword(register, channel % 8, weights[0].to_bits());
                    thread.set_dword(register + 1, channel % 8, weights[1].to_bits());
                }
                register += width / 4;
            }
            let mode = if per_sample { 2 } else { 0 };
            let values: [(bool, Value); 2] = [(depth, Interpolation::depth), (w, Interpolation::w)];
            for (_, value) in values.into_iter().filter(|(is_used, _)| *is_used) {
                for channel in 0..4 * slots.len() {
                    let (x, y) = self.position(slots, channel, mode);
                    let bits = value(&interpolation, x, y).to_bits();
                    thread.set_dword(register + channel / 8, channel % 8, bits);
                }
                register += width / 8;
            }
        }
        if sample_offsets {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 16")]
            let byte = |offset: f64| (offset * 16.0) as u8;
            let pair = |slot: &QuadSlot| {
                self.samples.positions[slot.sample.unwrap_or(0) as usize].map(byte)
            };
            let bytes: Vec<u8> = slots.iter().flat_map(|slot| pair(slot).repeat(4)).collect();
            thread.set_bytes(32 * register, &bytes);
            register += 1;
        }
        if coverage {
            for channel in 0..4 * slots.len() {
                let covered = slots[channel / 4].covered(channel % 4);
                thread.set_dword(register + channel / 8, channel % 8, u32::from(covered));
            }
            register += width / 8;
        }
        Ok(register)
    }
}

impl Draw<'_> {
    /// Decodes the kernel of 16 channels, or that of another width where there is none; `None` if
    /// no fragments are shaded.
    fn fragment_kernel(&self) -> Outcome<Option<FragmentKernel>> {
        let ps = self.fields.ps;
        let words = self.context.packet("3DSTATE_PS");
        let valid = match self.fields.ps_extra.is_valid.exists() {
            true => self.fields.ps_extra.is_valid.flag(self.context.packet("3DSTATE_PS_EXTRA")),
            false => self.fields.wm.dispatches.flag(self.context.packet("3DSTATE_WM")),
        };
        if !valid {
            return Ok(None);
        }
        let [is_8, is_16, is_32] = [ps.is_8, ps.is_16, ps.is_32].map(|field| field.flag(words));
        // A kernel that is alone has the first pointer; else the order is 8, 32, 16.
        let (width, pointer, setup) = match (is_8, is_16) {
            (_, true) if is_8 || is_32 => (16, ps.kernel_2, ps.setup_2),
            (false, true) => (16, ps.kernel_0, ps.setup_0),
            (true, _) => (8, ps.kernel_0, ps.setup_0),
            _ => (32, ps.kernel_0, ps.setup_0),
        };
        let address = self.context.instruction_base + pointer.get(words);
        let kernel = self.kernel(address)?;
        let setup = setup.get_u32(words) as usize;
        Ok(Some(FragmentKernel { kernel, address, width, setup }))
    }

    /// Reports the kernel and returns the observer of its threads.
    fn fragment_tracer(&self, kernel: &FragmentKernel) -> Option<Tracer> {
        let width = match kernel.width {
            8 => Width::Simd8,
            16 => Width::Simd16,
            _ => Width::Simd32,
        };
        self.tracer(&kernel.kernel, (Stage::Fragment, width), kernel.address)
    }

    /// Decodes the kernel at an address.
    pub(crate) fn kernel(&self, address: u64) -> Outcome<Rc<Loaded>> {
        self.kernels.load(self.devinfo, self.memory, address)
    }
}

/// Mask of the pixels of a thread that are drawn.
fn live_mask(slots: &[QuadSlot]) -> u32 {
    let of_slot = |slot: &QuadSlot| {
        (0..4).fold(0, |mask, pixel| mask | u32::from(slot.covered(pixel) != 0) << pixel)
    };
    slots.iter().enumerate().fold(0, |mask, (i, slot)| mask | of_slot(slot) << (4 * i))
}

/// Serves the messages of a fragment thread.
struct FragmentHost<'a> {
    stage: &'a Fragments<'a>,
    primitive: &'a Primitive<'a>,
    slots: &'a [QuadSlot],
    scratch: Scratch,
    failure: Failure,
    writes: Vec<RenderWrite>,
}

impl FragmentHost<'_> {
    fn resources(&self) -> &Resources<'_> {
        &self.stage.resources
    }
}

impl Host for FragmentHost<'_> {
    fn render_state(&self) -> RenderState {
        self.stage.state
    }

    fn render_write(&mut self, write: &RenderWrite) -> Reply<()> {
        self.writes.push(write.clone());
        Ok(())
    }

    fn render_read(&mut self, read: &RenderRead) -> Reply<Texels> {
        let Fragments { output, resources, .. } = self.stage;
        let result = output.read(resources, self.primitive.layer, self.slots, read);
        self.failure.answer(result)
    }

    fn interpolate(&mut self, request: &InterpolateRequest) -> Reply<[[u32; 16]; 2]> {
        let Some(interpolation) = self.primitive.interpolation else {
            return Err(HostError("interpolation over a rectangle".to_string()));
        };
        let mut result = [[0; 16]; 2];
        for i in 0..usize::from(request.count) {
            let channel = usize::from(request.first_slot) + i;
            let Some(slot) = self.slots.get(channel / 4) else { continue };
            let (x, y) = slot.pixel(channel % 4);
            let sixteenth = |raw: u32| 0.5 + f64::from(raw.cast_signed()) / 16.0;
            let positions = &self.stage.samples.positions;
            let (x, y) = match &request.at {
                InterpolateAt::Shared { x: dx, y: dy } => (
                    f64::from(x) + 0.5 + f64::from(*dx) / 16.0,
                    f64::from(y) + 0.5 + f64::from(*dy) / 16.0,
                ),
                InterpolateAt::PerSlot([xs, ys]) => {
                    (f64::from(x) + sixteenth(xs[i]), f64::from(y) + sixteenth(ys[i]))
                }
                InterpolateAt::Sample(n) => {
                    let [dx, dy] = positions.get(usize::from(*n)).copied().unwrap_or([0.5; 2]);
                    (f64::from(x) + dx, f64::from(y) + dy)
                }
                InterpolateAt::Centroid => self.stage.position(self.slots, channel, 1),
            };
            let weights = interpolation.barycentric(x, y, !request.linear);
            result[0][i] = weights[0].to_bits();
            result[1][i] = weights[1].to_bits();
        }
        Ok(result)
    }

    memory_messages!();
}

/// Returns slots for at least `least` channels: the last one is repeated. Channels without a pixel
/// that execute in place of others have coordinates that are finite, too.
fn filled(slots: &[QuadSlot], least: usize) -> SmallVec<[QuadSlot; 4]> {
    let mut filled = SmallVec::from_slice(slots);
    if let Some(last) = slots.last() {
        filled.resize(slots.len().max(least.div_ceil(4)), *last);
    }
    filled
}
