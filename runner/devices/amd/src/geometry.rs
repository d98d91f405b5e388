//! Waves of primitives: vertices in the ring of inputs, emitted vertices by messages and from the
//! ring of outputs, through the program that exports them.

use compiler::amd_codegen::output::{GeometryInterface, Interface, Resource};
use gcn_simulator::{Host, LANES, Message};
use program::resource::Varying;
use raster::device::{DeviceError, EmittedVertex, GeometryBatch, SoaTable};
use raster::shader_io::ShaderIo;

use crate::exports::{VertexHost, take};
use crate::launch::Launch;
use crate::memory::{Memory, StageBuffer, set_dword};

/// Offset of the wave's part of a ring of outputs.
const OUTPUT_OFFSET: usize = 256;
/// Number of the wave, which its messages have in M0.
const WAVE: u32 = 5;
/// Lanes whose dwords are side by side in a ring of outputs.
const GROUP: usize = 16;

/// Runs a batch of primitives and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    batch: &mut GeometryBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let (Interface::Geometry(interface), Some(copy)) = (&output.interface, &launch.prepared.copy)
    else {
        return Err(DeviceError::Execution("no geometry program".into()));
    };
    let mut wave = launch.wave(batch.mask);
    let dwords = 4 * interface.inputs.len();
    for lane in 0..batch.lanes.min(LANES) {
        for (vertex, &register) in GeometryInterface::VERTICES.iter().enumerate() {
            if vertex < interface.vertices_in as usize {
                wave.vector[usize::from(register)][lane] = (vertex * dwords * LANES + lane) as u32;
            }
        }
        let set = |values: &[u32]| values.get(lane).copied().unwrap_or(0);
        wave.vector[usize::from(GeometryInterface::PRIMITIVE)][lane] = set(&batch.primitive_id);
        wave.vector[usize::from(GeometryInterface::INVOCATION)][lane] = set(&batch.invocation_id);
    }
    launch.set_user_data(&mut wave, |_| [0; 3]);
    let registers = usize::from(interface.ring_offset);
    wave.scalar[registers] = OUTPUT_OFFSET as u32;
    wave.scalar[registers + 1] = WAVE;
    let mut buffers = output_rings(interface);
    buffers.push(input_ring(launch, interface, batch));
    let memory = Memory::new(&mut *io, launch, &|_, _, _| 0, buffers);
    memory.set_descriptors(launch, &mut wave);
    let mut host =
        GeometryHost { memory, lanes: vec![Vec::new(); LANES], done: false, problem: None };
    let steps = launch.run(&mut wave, &mut host, 0)?;
    if let Some(problem) = host.problem {
        return Err(DeviceError::Execution(problem));
    }
    if !host.done {
        return Err(DeviceError::Execution("a geometry wave ended without GS_DONE".into()));
    }
    let emitted = host.lanes;
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.outputs);
    let rows = 4 * varyings.len();
    for (place, emissions) in batch.outputs.iter_mut().zip(&emitted) {
        let vertex = |emission: &Emission| EmittedVertex {
            stream: emission.stream,
            ends_primitive: emission.ends_primitive,
            values: vec![0; rows],
        };
        place.vertices = emissions.iter().map(vertex).collect();
    }
    read_streams(interface, &host.memory, varyings, &emitted, batch);
    let vertices: Vec<(usize, usize)> = emitted
        .iter()
        .enumerate()
        .flat_map(|(lane, all)| (0..all.len()).map(move |index| (lane, index)))
        .filter(|&(lane, index)| emitted[lane][index].stream == 0 && lane < batch.outputs.len())
        .collect();
    let Some(ring) = host.memory.stage_buffer(Resource::OutputRing(0)) else { return Ok(steps) };
    let bytes = ring.bytes.get(OUTPUT_OFFSET..).unwrap_or_default().to_vec();
    let stride = ring.stride;
    drop(host.memory);
    let copy = Launch { prepared: copy, ..*launch };
    let mut total = steps;
    for group in vertices.chunks(LANES) {
        let offsets: Vec<usize> = group
            .iter()
            .map(|&(lane, index)| vertex_offset(lane, emitted[lane][index].number, stride))
            .collect();
        let buffer = StageBuffer::new(Resource::CopyRing, bytes.clone());
        let mut table = SoaTable::new(rows, group.len());
        total += copy_vertices(&copy, &offsets, buffer, &mut table, total, &mut *io)?;
        for (column, &(lane, index)) in group.iter().enumerate() {
            batch.outputs[lane].vertices[index].values = table.lane(column).collect();
        }
    }
    Ok(total)
}

/// Returns the dword of a ring of outputs where a vertex of a lane begins.
fn vertex_offset(lane: usize, number: u32, stride: u32) -> usize {
    lane % GROUP + GROUP * number as usize + lane / GROUP * stride as usize * GROUP / 4
}

/// Takes the vertices of the streams that only transform feedback reads from their rings.
fn read_streams(
    interface: &GeometryInterface,
    memory: &Memory<'_>,
    varyings: &[Varying],
    emitted: &[Vec<Emission>],
    batch: &mut GeometryBatch,
) {
    for (stream, places) in (0u8..).zip(&interface.outputs).skip(1) {
        let Some(ring) = memory.stage_buffer(Resource::OutputRing(stream)) else { continue };
        let slot = |wanted| varyings.iter().position(|v| compiler::ir_slot(v.slot, 0) == wanted);
        let rows: Vec<Option<usize>> = places
            .iter()
            .map(|&(wanted, component)| Some(4 * slot(wanted)? + usize::from(component)))
            .collect();
        for (lane, (place, emissions)) in batch.outputs.iter_mut().zip(emitted).enumerate() {
            for (vertex, emission) in place.vertices.iter_mut().zip(emissions) {
                if emission.stream != stream {
                    continue;
                }
                let first = vertex_offset(lane, emission.number, ring.stride);
                for (index, row) in rows.iter().enumerate() {
                    let at = first + GROUP * index * interface.max_vertices as usize;
                    if let Some(value) = row.and_then(|row| vertex.values.get_mut(row)) {
                        *value = ring.dword(OUTPUT_OFFSET + 4 * at);
                    }
                }
            }
        }
    }
}

/// Runs the program that exports vertices.
fn copy_vertices(
    launch: &Launch<'_>,
    offsets: &[usize],
    buffer: StageBuffer,
    table: &mut SoaTable,
    done: u64,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let Interface::Vertex(interface) = &output.interface else {
        return Err(DeviceError::Execution("no program behind the geometry program".into()));
    };
    let mut wave = launch.wave(raster::device::first_lanes(offsets.len()));
    for (lane, &offset) in offsets.iter().enumerate() {
        wave.vector[0][lane] = offset as u32;
    }
    launch.set_user_data(&mut wave, |_| [0; 3]);
    let memory = Memory::new(io, launch, &|_, _, _| 0, vec![buffer]);
    memory.set_descriptors(launch, &mut wave);
    let mut host = VertexHost { memory, exports: Vec::new() };
    let steps = launch.run(&mut wave, &mut host, done)?;
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.outputs);
    let lanes: Vec<(usize, usize)> = (0..offsets.len()).map(|lane| (lane, lane)).collect();
    take(interface, &host, &[], varyings, &lanes, table);
    Ok(steps)
}

/// The empty rings of outputs.
fn output_rings(interface: &GeometryInterface) -> Vec<StageBuffer> {
    let ring = |(stream, outputs): (usize, &Vec<_>)| {
        let stride = 4 * outputs.len() as u32 * interface.max_vertices;
        let bytes = vec![0; OUTPUT_OFFSET + LANES * stride as usize];
        StageBuffer { resource: Resource::OutputRing(stream as u8), stride, bytes }
    };
    interface.outputs.iter().enumerate().map(ring).collect()
}

/// The ring of inputs as waves of vertices before wrote it: a wave for each vertex of a primitive.
fn input_ring(
    launch: &Launch<'_>,
    interface: &GeometryInterface,
    batch: &GeometryBatch,
) -> StageBuffer {
    let dwords = 4 * interface.inputs.len();
    let mut bytes = vec![0; interface.vertices_in as usize * dwords * LANES * 4];
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.inputs);
    for (index, varying) in varyings.iter().enumerate() {
        let slot = compiler::ir_slot(varying.slot, 0);
        let Some(at) = interface.inputs.iter().position(|&s| s == slot) else { continue };
        for (vertex, table) in batch.inputs.iter().enumerate() {
            for component in 0..4 {
                let row = 4 * index + component;
                for lane in 0..table.lanes().min(LANES) {
                    let place = (vertex * dwords + 4 * at + component) * LANES + lane;
                    set_dword(&mut bytes, 4 * place, table.find(row, lane).unwrap_or(0));
                }
            }
        }
    }
    StageBuffer::new(Resource::InputRing, bytes)
}

/// An emitted vertex of a lane.
#[derive(Clone, Debug)]
struct Emission {
    stream: u8,
    /// Number in its stream.
    number: u32,
    ends_primitive: bool,
}

struct GeometryHost<'a> {
    memory: Memory<'a>,
    lanes: Vec<Vec<Emission>>,
    done: bool,
    problem: Option<String>,
}

impl Host for GeometryHost<'_> {
    fn memory(&mut self) -> &mut dyn gcn_simulator::Memory {
        &mut self.memory
    }

    fn message(&mut self, message: Message) {
        if message.m0 != WAVE {
            self.problem = Some(format!("a message of wave {} instead of {WAVE}", message.m0));
        }
        let (emits, cuts) = (message.bits >> 5 & 1 != 0, message.bits >> 4 & 1 != 0);
        match message.bits & 15 {
            2 => {}
            3 => {
                self.done = true;
                return;
            }
            other => {
                self.problem = Some(format!("message {other} of a geometry wave"));
                return;
            }
        }
        let stream = (message.bits >> 8 & 3) as u8;
        for (lane, vertices) in self.lanes.iter_mut().enumerate() {
            if message.exec >> lane & 1 == 0 {
                continue;
            }
            let mut of_stream = vertices.iter_mut().filter(|vertex| vertex.stream == stream);
            if emits {
                let number = of_stream.count() as u32;
                vertices.push(Emission { stream, number, ends_primitive: cuts });
            } else if let (true, Some(last)) = (cuts, of_stream.next_back()) {
                last.ends_primitive = true;
            }
        }
    }
}
