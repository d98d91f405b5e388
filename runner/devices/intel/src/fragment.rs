//! Fragment threads: payload from quads and primitive setup, results from render-target writes.

use std::iter;

use compiler::output::{
    Barycentric, FragmentInput, FragmentInterface, Interface, Surface as Bound, Width,
};
use eu_simulator::host::{
    Host, HostError, InterpolateAt, InterpolateRequest, RenderState, RenderWrite, Reply,
};
use eu_simulator::{TOGETHER, Thread};
use program::Stage;
use program::resource::Varying as InputSlot;
use raster::device::{DeviceError, FragmentBatch, FragmentOutputs, PrimitiveSetup};
use raster::shader_io::ShaderIo;
use smallvec::SmallVec;
use vocabulary::Phase;

use crate::errors::rejected;
use crate::launch::Launch;
use crate::memory::{Memory, memory_requests};
use shader_device::vertex_values;

/// The quads of one thread: they all belong to one primitive.
struct Group {
    primitive: usize,
    quads: Vec<QuadSlot>,
}

/// One of a thread's places for quads.
#[derive(Clone, Copy)]
struct QuadSlot {
    /// Index of the quad in the batch.
    quad: usize,
    /// The sample that the quad runs for.
    sample: u32,
    /// True if the batch needs the results; other quads only serve their neighbors.
    wanted: bool,
}

/// Runs a batch of fragments and returns the number of executed instructions. Some threads run at
/// once, with the same results as one after the other.
pub(crate) fn run(
    launch: &Launch<'_>,
    (thread, companions): (&mut Thread, &mut Vec<Thread>),
    batch: &mut FragmentBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Fragment(interface) = launch.prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "fragment binary without a fragment interface".into()));
    };
    let mut outputs = std::mem::take(&mut batch.outputs);
    outputs.killed = 0;
    let dispatch = Dispatch { launch, interface, batch };
    let steps = dispatch.run(thread, companions, &mut outputs, io);
    batch.outputs = outputs;
    steps
}

/// The threads of a batch of fragments.
struct Dispatch<'a> {
    launch: &'a Launch<'a>,
    interface: &'a FragmentInterface,
    batch: &'a FragmentBatch,
}

impl Dispatch<'_> {
    fn run(
        &self,
        thread: &mut Thread,
        companions: &mut Vec<Thread>,
        outputs: &mut FragmentOutputs,
        io: &mut dyn ShaderIo,
    ) -> Result<u64, DeviceError> {
        let Dispatch { launch, interface, batch } = *self;
        let paired =
            interface.per_sample && batch.samples > 1 && !launch.devinfo.sample_id_per_quad;
        let groups = if paired {
            sample_pairs(batch)
        } else {
            groups(batch, usize::from(launch.width.channels()) / 4)
        };
        while companions.len() + 1 < groups.len().min(TOGETHER) {
            companions.push(thread.clone());
        }
        let mut threads: SmallVec<[&mut Thread; TOGETHER]> =
            iter::once(thread).chain(companions).collect();
        let mut steps = 0;
        for groups in groups.chunks(TOGETHER) {
            let started: Result<SmallVec<[Started<'_>; TOGETHER]>, DeviceError> = threads
                .iter_mut()
                .zip(groups)
                .map(|(thread, group)| self.start(thread, group, io))
                .collect();
            launch.run_ahead(
                threads.iter_mut().take(groups.len()).map(|thread| &mut **thread),
                steps,
            );
            for (thread, started) in threads.iter_mut().zip(&started?) {
                let mut host = FragmentHost {
                    memory: launch.memory(io),
                    written: 0,
                    started,
                    outputs,
                    interface,
                    samples: &batch.sample_positions,
                };
                launch.trace_pixels(thread, &started.positions, started.live);
                steps += launch.run(thread, &mut host, steps)?;
                let killed = started.live & !host.written;
                for (i, slot) in started.group.quads.iter().enumerate() {
                    outputs.killed |= u64::from(killed >> (i * 4) & 0xf) << (slot.quad * 4);
                }
            }
        }
        Ok(steps)
    }

    /// Writes the payload of a thread.
    fn start<'g>(
        &'g self,
        thread: &mut Thread,
        group: &'g Group,
        io: &dyn ShaderIo,
    ) -> Result<Started<'g>, DeviceError> {
        let Dispatch { launch, interface, batch } = *self;
        let setup = batch
            .primitives
            .get(group.primitive)
            .ok_or_else(|| DeviceError::Execution("quad without a primitive".into()))?;
        let inputs = launch.program.stage(Stage::Fragment).map_or(&[][..], |s| &s.inputs);
        let wanted = group.quads.iter().enumerate().filter(|(_, slot)| slot.wanted);
        let live = wanted.fold(0, |mask, (i, slot)| {
            mask | ((batch.live >> (slot.quad * 4) & 0xf) as u32) << (i * 4)
        });
        launch.reset(thread);
        let positions = pixel_positions(batch, group);
        let fixed = Fixed {
            setup,
            positions: &positions,
            live,
            interface,
            width: launch.width,
            batch,
            slots: &group.quads,
        };
        fixed.write(thread, launch.devinfo.sample_id_per_quad);
        let first = launch.push_constants(thread, io);
        for (i, input) in interface.inputs.iter().enumerate() {
            write_setup(thread, first + 2 * i, input, inputs, setup);
        }
        thread.set_dispatch_mask(all_lanes(group.quads.len() * 4));
        Ok(Started { group, setup, positions, live })
    }
}

/// A thread with its payload.
struct Started<'a> {
    group: &'a Group,
    setup: &'a PrimitiveSetup,
    /// Window positions of the lower left corners of its pixels.
    positions: Vec<(f64, f64)>,
    /// Lanes that are no helpers.
    live: u32,
}

fn all_lanes(lanes: usize) -> u32 {
    if lanes >= 32 { !0 } else { (1 << lanes) - 1 }
}

/// Distributes quads to threads of at most `per_thread`, each thread within one primitive.
fn groups(batch: &FragmentBatch, per_thread: usize) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, quad) in batch.quads.iter().enumerate() {
        let primitive = quad.primitive as usize;
        let slot = QuadSlot { quad: i, sample: batch.sample_id.unwrap_or(0), wanted: true };
        match groups.last_mut() {
            Some(group) if group.primitive == primitive && group.quads.len() < per_thread => {
                group.quads.push(slot)
            }
            _ => groups.push(Group { primitive, quads: vec![slot] }),
        }
    }
    groups
}

/// Returns a thread for every quad, with both samples of the pair that the batch's sample is in:
/// where the payload has one pair number for the whole thread, neighboring quads are neighboring
/// samples.
fn sample_pairs(batch: &FragmentBatch) -> Vec<Group> {
    let sample = batch.sample_id.unwrap_or(0);
    let slots = |quad| {
        let of_pair = |i| QuadSlot { quad, sample: (sample & !1) + i, wanted: sample & 1 == i };
        vec![of_pair(0), of_pair(1)]
    };
    let quads = batch.quads.iter().enumerate();
    quads.map(|(i, quad)| Group { primitive: quad.primitive as usize, quads: slots(i) }).collect()
}

/// Returns the window position of each pixel's lower left corner.
fn pixel_positions(batch: &FragmentBatch, group: &Group) -> Vec<(f64, f64)> {
    let pixels = group.quads.iter().flat_map(|slot| (0..4).map(move |i| (slot.quad, i)));
    pixels
        .map(|(q, i)| {
            let quad = &batch.quads[q];
            (f64::from(quad.x + (i & 1)), f64::from(quad.y + (i >> 1)))
        })
        .collect()
}

/// The fixed-function part of the payload.
struct Fixed<'a> {
    setup: &'a PrimitiveSetup,
    positions: &'a [(f64, f64)],
    live: u32,
    interface: &'a FragmentInterface,
    width: Width,
    batch: &'a FragmentBatch,
    slots: &'a [QuadSlot],
}

impl Fixed<'_> {
    fn write(&self, thread: &mut Thread, sample_id_per_quad: bool) {
        let mut g0 = [0; 8];
        // Bit 15 of the first dword: back-facing.
        g0[0] = if self.setup.front_facing { 0 } else { 1 << 15 };
        if self.interface.per_sample && !sample_id_per_quad {
            // Bits 7:6: the first pair of samples.
            let pair = self.slots.first().map_or(0, |slot| slot.sample / 2);
            g0[0] |= (pair & 3) << 6;
        }
        thread.set_register(0, &g0);
        self.write_subspans(thread);
        if self.interface.per_sample && sample_id_per_quad {
            let nibbles = self.slots.iter().take(4).enumerate();
            thread.set_dword(
                1,
                0,
                nibbles.fold(0, |ids, (i, slot)| ids | (slot.sample & 0xf) << (4 * i)),
            );
        }
        let mut register = if self.width == Width::Simd32 { 3 } else { 2 };
        for &mode in &self.interface.barycentrics {
            register = self.write_barycentrics(thread, register, mode);
        }
        let center = |f: &dyn Fn(f64, f64) -> f64| -> Vec<u32> {
            self.positions.iter().map(|&(x, y)| (f(x + 0.5, y + 0.5) as f32).to_bits()).collect()
        };
        if self.interface.source_depth {
            register =
                self.write_channels(thread, register, &center(&|x, y| self.setup.depth.at(x, y)));
        }
        if self.interface.source_w {
            register = self.write_channels(
                thread,
                register,
                &center(&|x, y| 1.0 / self.setup.one_over_w.at(x, y)),
            );
        }
        if self.interface.sample_offsets {
            self.write_sample_positions(thread, register);
            register += 1;
        }
        if self.interface.input_coverage {
            let covered = |i: usize| (self.live >> i & 1) << self.slots[i / 4].sample;
            let coverage: Vec<u32> = (0..self.positions.len()).map(covered).collect();
            self.write_channels(thread, register, &coverage);
        }
    }

    /// Writes two bytes per channel: x and y of its sample in sixteenths of a pixel.
    fn write_sample_positions(&self, thread: &mut Thread, register: usize) {
        let sixteenths = |slot: &QuadSlot| self.sample_position(slot).map(|c| (c * 16.0) as u8);
        let bytes: Vec<u8> =
            self.slots.iter().flat_map(|slot| sixteenths(slot).repeat(4)).collect();
        thread.set_bytes(register * 32, &bytes);
    }

    fn sample_position(&self, slot: &QuadSlot) -> [f64; 2] {
        self.batch.sample_positions.get(slot.sample as usize).copied().unwrap_or([0.5; 2])
    }

    fn write_subspans(&self, thread: &mut Thread) {
        let mut words = [0u16; 16];
        for (n, corner) in self.positions.chunks(4).enumerate().take(4) {
            words[4 + 2 * n] = corner[0].0 as i32 as u16;
            words[5 + 2 * n] = corner[0].1 as i32 as u16;
        }
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        thread.set_bytes(32, &bytes);
        thread.set_dword(1, 7, self.live);
    }

    /// Writes one value per pixel, eight to a register, and returns the next register.
    fn write_channels(&self, thread: &mut Thread, first: usize, values: &[u32]) -> usize {
        let registers = usize::from(self.width.channels()) / 8;
        for (i, &value) in values.iter().enumerate() {
            thread.set_dword(first + i / 8, i % 8, value);
        }
        first + registers
    }

    /// Writes b1 and b2 of eight pixels, then of the next eight.
    fn write_barycentrics(&self, thread: &mut Thread, first: usize, mode: Barycentric) -> usize {
        for (i, &(x, y)) in self.positions.iter().enumerate() {
            let [dx, dy] = match mode {
                Barycentric::PerspectivePixel | Barycentric::LinearPixel => [0.5; 2],
                // A covered sample is inside the primitive, as a centroid must be.
                _ => self.sample_position(&self.slots[i / 4]),
            };
            let weights = weights(self.setup, is_linear(mode), x + dx, y + dy);
            let register = first + i / 8 * 2;
            thread.set_dword(register, i % 8, weights[0]);
            thread.set_dword(register + 1, i % 8, weights[1]);
        }
        first + usize::from(self.width.channels()) / 8 * 2
    }
}

fn is_linear(mode: Barycentric) -> bool {
    matches!(
        mode,
        Barycentric::LinearPixel | Barycentric::LinearCentroid | Barycentric::LinearSample
    )
}

/// Returns the coordinates of vertices 1 and 2, as the interpolator delivers them.
fn weights(setup: &PrimitiveSetup, linear: bool, x: f64, y: f64) -> [u32; 2] {
    let [_, b1, b2] =
        if linear { setup.barycentric_linear(x, y) } else { setup.barycentric_perspective(x, y) };
    [(b1 as f32).to_bits(), (b2 as f32).to_bits()]
}

/// Writes two registers of setup for one input: per component da/db1, da/db2, 0, a0.
fn write_setup(
    thread: &mut Thread,
    register: usize,
    input: &FragmentInput,
    inputs: &[InputSlot],
    setup: &PrimitiveSetup,
) {
    for component in 0..4 {
        let is_input = |slot| compiler::varying(slot) == input.varying;
        let values = vertex_values(inputs, setup, component, is_input);
        let quad = if input.flat {
            [0, 0, 0, values[setup.provoking.min(2)]]
        } else {
            let [a0, a1, a2] = values.map(f32::from_bits);
            [(a1 - a0).to_bits(), (a2 - a0).to_bits(), 0, a0.to_bits()]
        };
        for (i, value) in quad.into_iter().enumerate() {
            thread.set_dword(register + component / 2, component % 2 * 4 + i, value);
        }
    }
}

/// Shared functions of a fragment thread.
struct FragmentHost<'a> {
    memory: Memory<'a>,
    /// Pixels that a final render-target write reached.
    written: u32,
    started: &'a Started<'a>,
    outputs: &'a mut FragmentOutputs,
    interface: &'a FragmentInterface,
    /// Positions of the samples in a pixel.
    samples: &'a [[f64; 2]],
}

impl FragmentHost<'_> {
    fn batch_lane(&self, slot: usize) -> Option<usize> {
        Some(self.started.group.quads.get(slot / 4)?.quad * 4 + slot % 4)
    }
}

impl Host for FragmentHost<'_> {
    fn render_state(&self) -> RenderState {
        RenderState {
            omask: self.interface.writes_sample_mask,
            depth: self.interface.writes_depth,
            stencil: false,
        }
    }

    fn render_write(&mut self, write: &RenderWrite) -> Reply<()> {
        let location = match self.memory.bound(write.target) {
            Some(Bound::RenderTarget(n)) => Some(n as usize),
            Some(Bound::Null) => None,
            other => {
                return Err(HostError(format!(
                    "binding table entry {} ({other:?}) is no target",
                    write.target
                )));
            }
        };
        for element in (0..usize::from(write.count)).filter(|e| write.mask >> e & 1 != 0) {
            let slot = usize::from(write.first_slot) + element;
            let Some(lane) = self.batch_lane(slot) else { continue };
            if self.started.live >> slot & 1 == 0 {
                continue;
            }
            if write.last {
                self.written |= 1 << slot;
            }
            for c in 0..4 {
                if let Some(row) =
                    location.map(|l| l * 4 + c).filter(|&row| row < self.outputs.color.rows())
                {
                    self.outputs.color.set(row, lane, write.color[c][element]);
                }
                if let Some(color) = &write.color1
                    && c < self.outputs.dual_source.rows()
                {
                    self.outputs.dual_source.set(c, lane, color[c][element]);
                }
            }
            if let (Some(depth), Some(place)) = (&write.depth, self.outputs.depth.get_mut(lane)) {
                *place = depth[element];
            }
            if let (Some(omask), Some(place)) =
                (&write.omask, self.outputs.sample_mask.get_mut(lane))
            {
                *place = omask[element].into();
            }
            if let (Some(stencil), Some(place)) =
                (&write.stencil, self.outputs.stencil.get_mut(lane))
            {
                *place = stencil[element].into();
            }
        }
        Ok(())
    }

    fn interpolate(&mut self, request: &InterpolateRequest) -> Reply<[[u32; 16]; 2]> {
        let mut result = [[0; 16]; 2];
        let sample = |n: u32| self.samples.get(n as usize).map_or((0.5, 0.5), |&[x, y]| (x, y));
        for element in 0..usize::from(request.count) {
            let slot = usize::from(request.first_slot) + element;
            let Some(&(x, y)) = self.started.positions.get(slot) else { continue };
            let sixteenth = |raw: u32| 0.5 + f64::from(raw as i32) / 16.0;
            let (dx, dy) = match &request.at {
                InterpolateAt::Shared { x, y } => {
                    (0.5 + f64::from(*x) / 16.0, 0.5 + f64::from(*y) / 16.0)
                }
                InterpolateAt::PerSlot([xs, ys]) => {
                    (sixteenth(xs[element]), sixteenth(ys[element]))
                }
                InterpolateAt::Sample(n) => sample(u32::from(*n)),
                InterpolateAt::Centroid => sample(self.started.group.quads[slot / 4].sample),
            };
            let [b1, b2] = weights(self.started.setup, request.linear, x + dx, y + dy);
            result[0][element] = b1;
            result[1][element] = b2;
        }
        Ok(result)
    }

    memory_requests!();
}
