//! The reference interpreter as a device.
//!
//! ```
//! use interpreter_device::InterpreterDevice;
//! use shader_device::{Cores, ShaderDevice};
//!
//! let device = InterpreterDevice::new(1_000_000, Cores::default());
//! assert_eq!(device.shaded(), 0, "no batch yet");
//! ```

mod consumption;
mod outputs;

pub use interpreter::default_block;

use interpreter::{
    AddressSpace, Code, Environment, Error, ImageRequest, InterpolateAt, Interpreter, LodRequest,
    Mask, Outputs, TextureRequest, Value,
};
use program::expression as expr;
use program::variable::{InterpolationMode, SampleLocation};
use program::{
    AtomicOp, BuiltinVariable as B, LinkedStage, Program, Scalar, Slot, Stage, StageKey,
};
use raster::device::{
    Batch, ComputeBatch, Device, DeviceError, DrawState, EmittedVertex, FragmentBatch,
    GeometryBatch, PrimitiveSetup, ProgramId, Steps, VertexBatch,
};
use raster::resources::Bindings;
use raster::shader_io::{
    BufferRef, ImageOp, ImageRef, Lod, ShaderIo, ShaderIoError, TextureOp, TextureRef,
};

use consumption::Consumer;
use outputs::{put_fragments, put_patches, put_varyings};

use shader_device::{Cores, ShaderDevice, Undefined};
use shader_device::{batches_at_once, distribute};

/// Runs stages on the reference interpreter.
#[derive(Debug)]
pub struct InterpreterDevice {
    /// The maximum number of statements of a batch.
    limit: u64,
    shaded: u64,
    undefined: Undefined,
    /// An undefined value was written to memory at any time.
    undefined_memory: bool,
    /// Code of recent programs.
    code: Vec<(ProgramId, Code)>,
    /// Cores of the process, of which idle ones help with heavy draws.
    cores: Cores,
    /// Number of statements of the last batch of fragments.
    fragment_steps: Steps,
    /// Devices of other threads, which keep code.
    forks: Vec<InterpreterDevice>,
}

/// Most programs whose code is kept.
const MAX_PROGRAMS: usize = 16;

impl InterpreterDevice {
    /// Returns a device that executes at most `limit` statements for a batch. Idle ones of `cores`
    /// help with heavy draws.
    pub fn new(limit: u64, cores: Cores) -> InterpreterDevice {
        InterpreterDevice {
            limit,
            shaded: 0,
            undefined: Undefined::default(),
            undefined_memory: false,
            code: Vec::new(),
            cores,
            fragment_steps: Steps(0),
            forks: Vec::new(),
        }
    }

    fn device_error(&self, stage: Stage, error: Error) -> DeviceError {
        match error {
            Error::StepLimit(limit) => {
                DeviceError::StepLimit { stage, limit, unit: "statements for a batch" }
            }
            Error::Unsupported(what) => DeviceError::Unsupported(what.to_string()),
            other => DeviceError::Execution(other.to_string()),
        }
    }

    /// Records undefined values that the rasterizer or the next stage reads, or transform feedback
    /// may capture.
    fn record_undefined(
        &mut self,
        program: &Program,
        stage: &LinkedStage,
        outputs: &Outputs,
        live: &Mask,
    ) {
        let consumer = Consumer::of(program, stage);
        let undefined = undefined_components(stage, outputs, live);
        let visible = outputs.undefined_control_flow.and(live).any()
            || live.any() && consumer.misses(stage)
            || stage
                .outputs
                .iter()
                .zip(undefined)
                .any(|(v, mask)| mask != 0 && consumer.reads(v.slot) & mask != 0);
        if visible || self.sees_undefined_memory(program) {
            self.undefined.inputs = true;
            self.undefined.batches.insert(self.shaded, !0);
            let writes =
                !program.feedback.is_empty() || program.stages.iter().any(|s| s.side_effects);
            self.record_memory(writes);
        }
    }

    fn record_memory(&mut self, undefined: bool) {
        self.undefined.memory |= undefined;
        self.undefined_memory |= undefined;
    }

    /// Returns true if a program can reach memory with undefined values.
    fn sees_undefined_memory(&self, program: &Program) -> bool {
        let blocks = program.storage_blocks.len() + program.uniform_blocks.len();
        let others = program.atomic_buffers.len() + program.images.len() + program.samplers.len();
        self.undefined_memory && blocks + others > 0
    }
}

impl Device for InterpreterDevice {
    fn shade(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        let program = state.program;
        let linked = program
            .stage(stage)
            .ok_or_else(|| DeviceError::Execution(format!("no {stage} stage")))?;
        // Every lane of a control batch is a patch; for the interpreter each of its invocations is
        // a lane.
        let invocations = match batch {
            Batch::TessControl(_) => linked.shader.layout.vertices.unwrap_or(1).max(1) as usize,
            _ => 1,
        };
        let lanes = batch.lanes() * invocations;
        let mask = lane_mask(batch, lanes, invocations);
        let shared = vec![0; linked.shared_size as usize];
        let per_sample = linked.shades_samples();
        let mut world = World {
            linked,
            key: state.key,
            per_sample,
            integer_centers: integer_centers(linked),
            batch,
            invocations,
            io,
            shared,
            weights: Vec::new(),
        };
        let place = self.code.iter().position(|(id, _)| *id == state.program_id);
        let mut interpreter = match place.map(|place| self.code.swap_remove(place).1) {
            Some(code) => Interpreter::with_code(program, code),
            None => Interpreter::new(program),
        };
        let live = mask.clone();
        let outputs = interpreter.run(stage, lanes, mask, &mut world, self.limit);
        self.code.truncate(MAX_PROGRAMS - 1);
        self.code.push((state.program_id, interpreter.into_code()));
        let outputs = outputs.map_err(|error| self.device_error(stage, error))?;
        self.shaded += 1;
        if outputs.undefined_writes.any()
            || linked.side_effects && outputs.undefined_control_flow.and(&live).any()
        {
            self.record_memory(true);
            self.undefined.batches.insert(self.shaded, !0);
        }
        match batch {
            Batch::Vertex(vertices) => put_varyings(&mut vertices.outputs, &outputs),
            Batch::TessEval(points) => put_varyings(&mut points.outputs, &outputs),
            Batch::TessControl(patches) => put_patches(patches, linked, &outputs, invocations),
            Batch::Geometry(_) | Batch::Compute(_) => {}
            Batch::Fragment(fragments) => {
                put_fragments(fragments, &outputs);
                if self.sees_undefined_memory(program) {
                    fragments.outputs.undefined = fragments.live;
                }
                let undefined = fragments.outputs.any_undefined();
                if undefined != 0 {
                    *self.undefined.batches.entry(self.shaded).or_default() |= undefined;
                }
                self.fragment_steps = Steps(outputs.steps);
                return Ok(self.fragment_steps);
            }
        }
        self.record_undefined(program, linked, &outputs, &live);
        Ok(Steps(outputs.steps))
    }

    fn fragment_batches_at_once(&self) -> usize {
        batches_at_once(&self.cores, self.fragment_steps)
    }

    fn shade_fragments(
        &mut self,
        state: &DrawState<'_>,
        batches: &mut [Batch],
        bindings: &Bindings,
    ) -> Result<Steps, DeviceError> {
        let borrowed = self.cores.borrow(batches.len());
        let mut forks = std::mem::take(&mut self.forks);
        forks.resize_with(forks.len().max(borrowed.count() + 1), || {
            InterpreterDevice::new(self.limit, Cores::default())
        });
        let (undefined_memory, before) = (self.undefined_memory, self.shaded);
        let helpers = forks[..=borrowed.count()].iter_mut().map(|fork| {
            fork.undefined_memory = undefined_memory;
            let mut bindings = bindings.clone();
            move |number, batch: &mut Batch| {
                fork.shaded = before + number;
                fork.shade(Stage::Fragment, state, batch, &mut bindings)
            }
        });
        let result = distribute(batches, helpers);
        self.forks = forks;
        for fork in &mut self.forks {
            self.undefined.batches.append(&mut fork.undefined.batches);
        }
        let steps = result?;
        self.shaded += batches.len() as u64;
        Ok(steps)
    }
}

/// Returns for each output slot of a stage the components (bit n: component n) that are undefined
/// in some vertex or patch.
fn undefined_components(stage: &LinkedStage, outputs: &Outputs, live: &Mask) -> Vec<u8> {
    if stage.shader.stage == Stage::Geometry {
        return outputs.emitted_undefined.clone();
    }
    let components = |value: &Value| value.undefined_components(live);
    let slot = |(index, slot): (usize, Slot)| {
        let of_vertices = stage.shader.stage == Stage::TessControl && !slot.is_per_patch();
        let places = if of_vertices {
            &outputs.vertices[..]
        } else {
            std::slice::from_ref(&outputs.varyings)
        };
        places
            .iter()
            .filter_map(|slots| slots.get(index))
            .map(components)
            .fold(0, |all, mask| all | mask)
    };
    stage.outputs.iter().map(|v| v.slot).enumerate().map(slot).collect()
}

/// Returns the live lanes, `invocations` of them for every lane of the batch.
fn lane_mask(batch: &Batch, lanes: usize, invocations: usize) -> Mask {
    let bits = match batch {
        Batch::Vertex(b) => b.mask,
        Batch::TessControl(b) => b.mask,
        Batch::TessEval(b) => b.mask,
        Batch::Geometry(b) => b.mask,
        // Helper invocations execute, too.
        Batch::Fragment(_) | Batch::Compute(_) => return Mask::all(lanes),
    };
    let mut mask = Mask::none(lanes);
    let runs = |lane: usize| lane / invocations < 64 && bits >> (lane / invocations) & 1 != 0;
    (0..lanes).filter(|&lane| runs(lane)).for_each(|lane| mask.set(lane, true));
    mask
}

/// True if the stage declares `pixel_center_integer`.
fn integer_centers(linked: &LinkedStage) -> bool {
    let mut globals = linked.shader.globals.values();
    let coordinate = globals.find(|g| g.builtin == Some(B::FragCoord));
    coordinate.is_some_and(|g| g.layout.pixel_center_integer)
}

/// Barycentric coordinates of all lanes: whether they are linear in window space, the place in the
/// pixel, and the coordinates.
type LaneWeights = (bool, [f64; 2], Vec<[f64; 3]>);

/// The interpreter's environment over a batch and the machine's shader I/O.
struct World<'a> {
    linked: &'a LinkedStage,
    key: &'a StageKey,
    /// True if fragments run once per sample.
    per_sample: bool,
    /// True if `gl_FragCoord` has integers at pixel centers.
    integer_centers: bool,
    batch: &'a mut Batch,
    /// Number of invocations per lane of the batch.
    invocations: usize,
    io: &'a mut dyn ShaderIo,
    shared: Vec<u8>,
    /// Barycentric coordinates used so far.
    weights: Vec<LaneWeights>,
}

fn io_error(error: ShaderIoError) -> Error {
    match error {
        ShaderIoError::Unsupported(what) => Error::Unsupported(what),
        other => Error::Environment(other.to_string()),
    }
}

fn buffer_of(space: AddressSpace) -> Option<BufferRef> {
    Some(match space {
        AddressSpace::DefaultBlock => BufferRef::Default,
        AddressSpace::UniformBlock(n) => BufferRef::Uniform(n),
        AddressSpace::StorageBlock(n) => BufferRef::Storage(n),
        AddressSpace::AtomicCounters(n) => BufferRef::AtomicCounter(n),
        AddressSpace::Shared => return None,
    })
}

impl World<'_> {
    fn primitive(&self, lane: usize) -> Option<(&FragmentBatch, &PrimitiveSetup, f64, f64)> {
        let Batch::Fragment(batch) = &*self.batch else { return None };
        let quad = batch.quads.get(lane / 4)?;
        let setup = batch.primitives.get(quad.primitive as usize)?;
        let x = f64::from(quad.x + (lane as i32 & 1));
        let y = f64::from(quad.y + (lane as i32 >> 1 & 1));
        Some((batch, setup, x, y))
    }

    fn fragment_system(&self, variable: B, component: usize, lane: usize) -> Option<u32> {
        let (batch, setup, x, y) = self.primitive(lane)?;
        let (cx, cy) = (x + 0.5, y + 0.5);
        let float = |v: f64| (v as f32).to_bits();
        Some(match variable {
            B::FragCoord => match component {
                0 | 1 => {
                    let [dx, dy] = self.default_place(SampleLocation::Center);
                    float(self.window_coordinate([x + dx, y + dy][component], component))
                }
                2 => float(setup.depth.at(cx, cy)),
                _ => float(setup.one_over_w.at(cx, cy)),
            },
            B::FrontFacing => u32::from(setup.front_facing),
            B::PointCoord => float(setup.point_coord.get(component)?.at(cx, cy)),
            B::PrimitiveId | B::PrimitiveIdIn => setup.primitive_id,
            B::Layer => setup.layer,
            B::ViewportIndex => setup.viewport_index,
            B::SampleId => batch.sample_id.unwrap_or(0),
            B::SamplePosition => {
                let place = sample_position(batch, batch.sample_id.unwrap_or(0));
                float(place[component.min(1)])
            }
            B::SampleMaskIn => *batch.sample_mask_in.get(lane)?,
            B::NumSamples => batch.samples,
            B::HelperInvocation => u32::from(batch.live >> lane & 1 == 0),
            _ => return None,
        })
    }

    /// Returns a coordinate of `gl_FragCoord` by its declared conventions (GLSL 4.60 section
    /// 4.4.1.3).
    fn window_coordinate(&self, position: f64, axis: usize) -> f64 {
        let height = f64::from(self.key.upper_left_height);
        let position = if axis == 1 && height > 0.0 { height - position } else { position };
        if self.integer_centers { position - 0.5 } else { position }
    }

    fn vertex_system(batch: &VertexBatch, variable: B, lane: usize) -> Option<u32> {
        Some(match variable {
            B::VertexId => *batch.vertex_id.get(lane)?,
            B::InstanceId => *batch.instance_id.get(lane)?,
            B::BaseVertex => batch.base_vertex,
            B::BaseInstance => batch.base_instance,
            B::DrawId => batch.draw_id,
            _ => return None,
        })
    }

    fn geometry_system(batch: &GeometryBatch, variable: B, lane: usize) -> Option<u32> {
        Some(match variable {
            B::PrimitiveId | B::PrimitiveIdIn => *batch.primitive_id.get(lane)?,
            B::InvocationId => *batch.invocation_id.get(lane)?,
            _ => return None,
        })
    }

    fn compute_system(
        batch: &ComputeBatch,
        variable: B,
        component: usize,
        lane: usize,
    ) -> Option<u32> {
        let size = batch.local_size;
        let lane = lane as u32;
        let local = [lane % size[0], lane / size[0] % size[1], lane / (size[0] * size[1])];
        Some(match variable {
            B::NumWorkGroups => *batch.num_groups.get(component)?,
            B::WorkGroupId => *batch.group_id.get(component)?,
            B::WorkGroupSize | B::LocalGroupSize => *size.get(component)?,
            B::LocalInvocationId => *local.get(component)?,
            B::GlobalInvocationId => {
                batch.group_id.get(component)? * size[component] + local[component]
            }
            B::LocalInvocationIndex => lane,
            _ => return None,
        })
    }
}

impl World<'_> {
    /// Returns the place in a pixel where an input is interpolated by default.
    fn default_place(&self, location: SampleLocation) -> [f64; 2] {
        match &*self.batch {
            // A covered sample is inside the primitive, as a centroid must be.
            Batch::Fragment(batch) if location != SampleLocation::Center || self.per_sample => {
                sample_position(batch, batch.sample_id.unwrap_or(0))
            }
            _ => [0.5; 2],
        }
    }

    /// Returns the number of the barycentric coordinates of the first `lanes` lanes.
    fn lane_weights(&mut self, linear: bool, place: [f64; 2], lanes: usize) -> usize {
        let known =
            |(l, p, weights): &LaneWeights| (*l, *p) == (linear, place) && weights.len() == lanes;
        if let Some(number) = self.weights.iter().position(known) {
            return number;
        }
        let of_lane = |lane| {
            let Some((_, setup, x, y)) = self.primitive(lane) else { return [0.0; 3] };
            let (x, y) = (x + place[0], y + place[1]);
            if linear {
                setup.barycentric_linear(x, y)
            } else {
                setup.barycentric_perspective(x, y)
            }
        };
        let weights = (0..lanes).map(of_lane).collect();
        self.weights.push((linear, place, weights));
        self.weights.len() - 1
    }
}

/// Returns the position of a sample in a pixel.
fn sample_position(batch: &FragmentBatch, sample: u32) -> [f64; 2] {
    batch.sample_positions.get(sample as usize).copied().unwrap_or([0.5; 2])
}

/// Returns the weighted sum of the values at the vertices: relative to vertex 0, so that equal
/// values stay exact.
fn interpolated(weights: &[f64; 3], value: impl Fn(usize) -> f64) -> f64 {
    let origin = value(0);
    origin + weights[1] * (value(1) - origin) + weights[2] * (value(2) - origin)
}

impl Environment for World<'_> {
    fn attribute(&mut self, slot: usize, component: usize, lane: usize) -> u32 {
        match &*self.batch {
            Batch::Vertex(batch) if slot * 4 + component < batch.inputs.rows() => {
                batch.inputs.get(slot * 4 + component, lane)
            }
            _ => 0,
        }
    }

    fn varying(&mut self, slot: usize, component: usize, vertex: u32, lane: usize) -> u32 {
        let row = slot * 4 + component;
        match &*self.batch {
            Batch::Fragment(_) => {
                let setup = self.primitive(lane).map(|(_, setup, ..)| setup);
                setup.and_then(|s| s.values.get(row).map(|v| v[s.provoking.min(2)])).unwrap_or(0)
            }
            Batch::Geometry(batch) => match batch.inputs.get(vertex as usize) {
                Some(channels) if row < channels.rows() => channels.get(row, lane),
                _ => 0,
            },
            Batch::TessControl(batch) => match batch.inputs.get(vertex as usize) {
                Some(channels) if row < channels.rows() => {
                    channels.get(row, lane / self.invocations)
                }
                _ => 0,
            },
            Batch::TessEval(batch) => {
                if self.linked.inputs.get(slot).is_some_and(|v| v.slot.is_per_patch()) {
                    return batch.patch_inputs.get(row).copied().unwrap_or(0);
                }
                batch.inputs.get(vertex as usize).and_then(|v| v.get(row)).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn interpolate(
        &mut self,
        slot: usize,
        component: usize,
        lane: usize,
        at: InterpolateAt,
    ) -> f64 {
        let Some((batch, setup, x, y)) = self.primitive(lane) else { return 0.0 };
        let Some(varying) = self.linked.inputs.get(slot) else { return 0.0 };
        let interpolation = varying.interpolation;
        let [dx, dy] = match at {
            InterpolateAt::Sample(n) => sample_position(batch, n),
            InterpolateAt::Offset(dx, dy) => [0.5 + f64::from(dx), 0.5 + f64::from(dy)],
            InterpolateAt::Default => self.default_place(interpolation.location),
            InterpolateAt::Centroid => sample_position(batch, batch.sample_id.unwrap_or(0)),
        };
        let weights = match interpolation.mode {
            InterpolationMode::NoPerspective => setup.barycentric_linear(x + dx, y + dy),
            _ => setup.barycentric_perspective(x + dx, y + dy),
        };
        let value = |vertex: usize| {
            let raw = setup.values.get(slot * 4 + component).map_or(0, |v| v[vertex]);
            f64::from(f32::from_bits(raw))
        };
        let color = matches!(varying.slot, Slot::Color(_));
        if color && interpolation.mode == InterpolationMode::Default && self.key.flat_shade {
            return value(setup.provoking);
        }
        interpolated(&weights, value)
    }

    fn interpolate_lanes(&mut self, slot: usize, component: usize, results: &mut [f64]) {
        let varying = self.linked.inputs.get(slot);
        let Some(varying) = varying.filter(|v| !matches!(v.slot, Slot::Color(_))) else {
            for (lane, result) in results.iter_mut().enumerate() {
                *result = self.interpolate(slot, component, lane, InterpolateAt::Default);
            }
            return;
        };
        let linear = varying.interpolation.mode == InterpolationMode::NoPerspective;
        let place = self.default_place(varying.interpolation.location);
        let number = self.lane_weights(linear, place, results.len());
        let Batch::Fragment(batch) = &*self.batch else { return };
        for (lane, (result, weights)) in results.iter_mut().zip(&self.weights[number].2).enumerate()
        {
            let primitive = batch.quads.get(lane / 4).map_or(0, |quad| quad.primitive as usize);
            let values = batch
                .primitives
                .get(primitive)
                .and_then(|setup| setup.values.get(slot * 4 + component));
            let value =
                |vertex: usize| values.map_or(0.0, |v| f64::from(f32::from_bits(v[vertex])));
            *result = interpolated(weights, value);
        }
    }

    fn system_value(&mut self, variable: B, component: usize, lane: usize) -> u32 {
        let value = match &*self.batch {
            Batch::Vertex(batch) => Self::vertex_system(batch, variable, lane),
            Batch::Geometry(batch) => Self::geometry_system(batch, variable, lane),
            Batch::Compute(batch) => Self::compute_system(batch, variable, component, lane),
            Batch::TessControl(batch) => match variable {
                B::InvocationId => Some((lane % self.invocations) as u32),
                B::PrimitiveId => batch.primitive_id.get(lane / self.invocations).copied(),
                B::PatchVerticesIn => Some(batch.inputs.len() as u32),
                _ => None,
            },
            Batch::TessEval(batch) => match variable {
                B::TessCoord => Some(batch.tess_coord.get(component, lane)),
                B::PrimitiveId => Some(batch.primitive_id),
                B::PatchVerticesIn => Some(batch.inputs.len() as u32),
                B::TessLevelOuter => batch.outer.get(component).map(|l| l.to_bits()),
                B::TessLevelInner => batch.inner.get(component).map(|l| l.to_bits()),
                _ => None,
            },
            _ => None,
        };
        value.or_else(|| self.fragment_system(variable, component, lane)).unwrap_or(0)
    }

    fn load(&mut self, space: AddressSpace, offset: u32, bytes: u32) -> Option<u64> {
        let memory = match buffer_of(space) {
            Some(buffer) => self.io.buffer(buffer),
            None => &self.shared,
        };
        let start = offset as usize;
        let found = memory.get(start..start.checked_add(bytes as usize)?)?;
        Some(found.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn store(&mut self, space: AddressSpace, offset: u32, bytes: u32, value: u64) -> bool {
        let data = &value.to_le_bytes()[..bytes.min(8) as usize];
        match buffer_of(space) {
            Some(buffer) => {
                let fits = self.io.buffer(buffer).len() >= offset as usize + data.len();
                self.io.store(buffer, offset, data);
                fits
            }
            None => match self.shared.get_mut(offset as usize..offset as usize + data.len()) {
                Some(place) => {
                    place.copy_from_slice(data);
                    true
                }
                None => false,
            },
        }
    }

    fn size(&mut self, space: AddressSpace) -> u32 {
        match buffer_of(space) {
            Some(buffer) => self.io.buffer(buffer).len() as u32,
            None => self.shared.len() as u32,
        }
    }

    fn clock(&mut self) -> u64 {
        self.io.clock()
    }

    fn texture(&mut self, request: &TextureRequest) -> Result<[u32; 4], Error> {
        let op = texture_op(request);
        self.io.texture(TextureRef::Slot(request.sampler), &op).map_err(io_error)
    }

    fn lacks_texels(&self, sampler: u32) -> bool {
        self.io.lacks_texels(sampler)
    }

    fn image(&mut self, request: &ImageRequest) -> Result<[u32; 4], Error> {
        let op = match request.op {
            expr::ImageOp::Load => ImageOp::Load,
            expr::ImageOp::Store => ImageOp::Store(request.data),
            expr::ImageOp::Atomic(op) => ImageOp::Atomic(
                image_atomic(op, request.scalar).ok_or(Error::Unsupported("image atomic"))?,
                [request.data[0], request.data[1]],
            ),
            expr::ImageOp::Size => ImageOp::Size,
            expr::ImageOp::Samples => ImageOp::Samples,
        };
        let [x, y, z, _] = request.coordinate;
        self.io
            .image(ImageRef::Slot(request.image), [x, y, z], request.sample, &op)
            .map_err(io_error)
    }

    fn emit_vertex(&mut self, lane: usize, stream: u32, outputs: &[[u32; 4]]) {
        // Vertices past the declared maximum are undefined; every executor drops them.
        let limit = self.linked.shader.layout.max_vertices.unwrap_or(0) as usize;
        if let Batch::Geometry(batch) = &mut *self.batch
            && let Some(emitted) = batch.outputs.get_mut(lane)
            && emitted.vertices.len() < limit
        {
            emitted.vertices.push(EmittedVertex {
                stream: stream as u8,
                ends_primitive: false,
                values: outputs.iter().flatten().copied().collect(),
            });
        }
    }

    fn end_primitive(&mut self, lane: usize, stream: u32) {
        if let Batch::Geometry(batch) = &mut *self.batch
            && let Some(emitted) = batch.outputs.get_mut(lane)
            && let Some(last) =
                emitted.vertices.iter_mut().rev().find(|v| u32::from(v.stream) == stream)
        {
            last.ends_primitive = true;
        }
    }
}

fn texture_op(request: &TextureRequest) -> TextureOp {
    let coordinates = request.coordinate.map(f32::from_bits);
    let lod = match request.lod {
        LodRequest::Implicit { dx, dy, bias } => Lod::Gradients { dx, dy, bias },
        LodRequest::Float(level) => Lod::Explicit(level),
        LodRequest::Int(level) => Lod::Explicit(level as f32),
    };
    let level = match request.lod {
        LodRequest::Int(level) => level,
        _ => 0,
    };
    let [a, b, c, _] = request.coordinate.map(|x| x as i32);
    match request.op {
        expr::TextureOp::Sample => TextureOp::Sample {
            coordinates,
            reference: request.compare,
            lod,
            offset: request.offset,
            min_lod: 0.0,
        },
        expr::TextureOp::Gather => TextureOp::Gather {
            coordinates,
            reference: request.compare,
            component: request.component,
            offsets: [[request.offset[0], request.offset[1]]; 4],
        },
        expr::TextureOp::Fetch => TextureOp::Fetch {
            coordinates: std::array::from_fn(|i| [a, b, c][i] + request.offset[i]),
            lod: level,
            sample: request.sample,
        },
        expr::TextureOp::Size => TextureOp::Size { lod: level },
        expr::TextureOp::QueryLevels => TextureOp::Levels,
        expr::TextureOp::QuerySamples => TextureOp::Samples,
        expr::TextureOp::QueryLod => {
            let (dx, dy) = match request.lod {
                LodRequest::Implicit { dx, dy, .. } => (dx, dy),
                _ => ([0.0; 3], [0.0; 3]),
            };
            TextureOp::QueryLod {
                coordinates: [coordinates[0], coordinates[1], coordinates[2]],
                dx,
                dy,
            }
        }
    }
}

fn image_atomic(op: AtomicOp, scalar: Scalar) -> Option<raster::shader_io::AtomicOp> {
    use raster::shader_io::AtomicOp as S;
    Some(match op {
        AtomicOp::Min if scalar == Scalar::Uint => S::MinUnsigned,
        AtomicOp::Max if scalar == Scalar::Uint => S::MaxUnsigned,
        AtomicOp::Add => S::Add,
        AtomicOp::Min => S::MinSigned,
        AtomicOp::Max => S::MaxSigned,
        AtomicOp::And => S::And,
        AtomicOp::Or => S::Or,
        AtomicOp::Xor => S::Xor,
        AtomicOp::Exchange => S::Exchange,
        AtomicOp::CompareSwap => S::CompareExchange,
        AtomicOp::IncrementWrap | AtomicOp::DecrementWrap => return None,
    })
}

impl ShaderDevice for InterpreterDevice {
    fn take_undefined(&mut self) -> Undefined {
        std::mem::take(&mut self.undefined)
    }

    fn shaded(&self) -> u64 {
        self.shaded
    }
}
