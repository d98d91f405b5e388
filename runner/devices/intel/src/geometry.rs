//! Geometry threads: payload from the batch, emitted vertices from the URB.

use compiler::output::{GeometryDispatch, GeometryInterface, Interface, Width};
use eu_simulator::Thread;
use program::{Program, Stage};
use raster::device::{DeviceError, EmittedVertex, EmittedVertices, GeometryBatch};
use raster::shader_io::ShaderIo;
use vocabulary::Phase;

use crate::errors::rejected;
use crate::launch::{Launch, lanes};
use crate::urb::UrbHost;
use crate::vue;

/// Number of primitives of a SIMD8 thread.
const LANES: usize = 8;
/// Position of the instance number in a SIMD8 thread's handles.
const INSTANCE_SHIFT: u32 = 27;
/// Dwords of the unit that holds a vertex count, and of a unit of control data.
const UNIT_DWORDS: usize = 8;

/// Runs a batch of primitives and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    thread: &mut Thread,
    batch: &mut GeometryBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Geometry(interface) = launch.prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "geometry binary without a geometry interface".into()));
    };
    let entry_dwords = entry_dwords(interface)?;
    let mut steps = 0;
    for group in groups(interface, batch, &lanes(batch.lanes, batch.mask)) {
        let inputs = input_entries(launch.program, interface, batch, &group);
        let entries = vec![vec![0; entry_dwords]; LANES];
        let mut host = UrbHost::new(launch.memory(io), entries, inputs);
        launch.reset(thread);
        let next = launch.push_constants(thread, host.memory.io);
        if launch.width == Width::Vec4 {
            fill_vec4(thread, next, interface, batch, &group, &host.entries[LANES..]);
        } else {
            fill(thread, interface, batch, &group);
        }
        launch.enable(thread, group.len());
        steps += launch.run(thread, &mut host, steps)?;
        for (channel, (&lane, entry)) in group.iter().zip(host.outputs()).enumerate() {
            let (count, header) = match (launch.width, interface.static_vertex_count) {
                (Width::Vec4, _) => (host.counts.get(channel).copied().unwrap_or(0), 0),
                (_, Some(count)) => (count, 0),
                (_, None) => (entry.first().copied().unwrap_or(0), UNIT_DWORDS),
            };
            if let Some(place) = batch.outputs.get_mut(lane) {
                *place = emitted(launch.program, interface, entry, count, header)?;
            }
        }
    }
    Ok(steps)
}

/// Distributes lanes to threads: as many as the layout takes, with instances of one primitive
/// together where it requires that.
fn groups(
    interface: &GeometryInterface,
    batch: &GeometryBatch,
    lanes: &[usize],
) -> Vec<Vec<usize>> {
    // Instances of a primitive follow each other; primitives of different draws may share an id.
    let follows = |a: usize, b: usize| {
        batch.primitive_id.get(a) == batch.primitive_id.get(b)
            && batch.invocation_id.get(a) < batch.invocation_id.get(b)
    };
    let most = match interface.dispatch {
        GeometryDispatch::Single => 1,
        GeometryDispatch::DualInstance | GeometryDispatch::DualObject => 2,
        GeometryDispatch::Simd8 => LANES,
    };
    let together = match interface.dispatch {
        GeometryDispatch::Single | GeometryDispatch::DualObject => false,
        GeometryDispatch::DualInstance => true,
        GeometryDispatch::Simd8 => interface.invocations > 1,
    };
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &lane in lanes {
        match groups.last_mut() {
            Some(last)
                if last.len() < most
                    && (!together || last.first().is_some_and(|&l| follows(l, lane))) =>
            {
                last.push(lane);
            }
            _ => groups.push(vec![lane]),
        }
    }
    groups
}

/// Writes g0 with handles and instances, primitive ids, and handles of inputs, or input slots from
/// register `first` on.
fn fill_vec4(
    thread: &mut Thread,
    first: usize,
    interface: &GeometryInterface,
    batch: &GeometryBatch,
    group: &[usize],
    entries: &[Vec<u32>],
) {
    let of = |values: &[u32], half: usize| {
        group.get(half).and_then(|&lane| values.get(lane)).copied().unwrap_or(0)
    };
    let handle = |half: usize| half as u32 | of(&batch.invocation_id, half) << INSTANCE_SHIFT;
    // Dword 2 is not zero in geometry threads: it holds the primitive type and other fields.
    thread.set_register(0, &[handle(0), handle(1), 0x5a5a, 0, 0, 0, 0, 0]);
    if interface.primitive_id {
        let id = |half| of(&batch.primitive_id, half);
        thread.set_register(1, &[id(0), 0, 0, 0, id(1), 0, 0, 0]);
    }
    if interface.input_handles {
        let handles = std::array::from_fn(|vertex| input_handle(vertex, 0) as u32);
        thread.set_register(1 + usize::from(interface.primitive_id), &handles);
        return;
    }
    let slots = interface.inputs.slots.len();
    for vertex in 0..interface.vertices_in as usize {
        for slot in 0..slots {
            let index = vertex * slots + slot;
            let halves =
                if interface.dispatch == GeometryDispatch::DualObject { group.len() } else { 1 };
            for half in 0..halves {
                let Some(entry) = entries.get(vertex * LANES + half) else { continue };
                for c in 0..4 {
                    let value = entry.get(slot * 4 + c).copied().unwrap_or(0);
                    match interface.dispatch {
                        GeometryDispatch::DualObject => {
                            thread.set_dword(first + index, half * 4 + c, value);
                        }
                        // Two slots per register.
                        _ => thread.set_dword(first + index / 2, index % 2 * 4 + c, value),
                    }
                }
            }
        }
    }
}

/// Returns the number of dwords of one output entry.
fn entry_dwords(interface: &GeometryInterface) -> Result<usize, DeviceError> {
    let vertices = interface.max_vertices as usize * interface.output_vertex_size as usize;
    let units = vertices + interface.control_header_size as usize + 1;
    // The limit is two orders of magnitude above any shader's need.
    match units.checked_mul(UNIT_DWORDS) {
        Some(dwords) if units <= 1 << 22 => Ok(dwords),
        _ => {
            Err(rejected(Phase::Encode, "geometry metadata asks for an absurd output entry".into()))
        }
    }
}

/// Writes g0, handles with instances, primitive ids, and handles of the input vertices.
fn fill(
    thread: &mut Thread,
    interface: &GeometryInterface,
    batch: &GeometryBatch,
    group: &[usize],
) {
    let of = |values: &[u32], channel: usize| {
        group.get(channel).and_then(|&lane| values.get(lane)).copied().unwrap_or(0)
    };
    thread.set_register(0, &[0; 8]);
    let handles = std::array::from_fn(|c| c as u32 | of(&batch.invocation_id, c) << INSTANCE_SHIFT);
    thread.set_register(1, &handles);
    let mut next = 2;
    if interface.primitive_id {
        thread.set_register(next, &std::array::from_fn(|c| of(&batch.primitive_id, c)));
        next += 1;
    }
    if interface.invocations > 1 {
        // All channels have the same primitive: a dword per vertex.
        let handles = std::array::from_fn(|vertex| input_handle(vertex, 0) as u32);
        thread.set_register(next, &handles);
        return;
    }
    for vertex in 0..interface.vertices_in as usize {
        thread
            .set_register(next + vertex, &std::array::from_fn(|c| input_handle(vertex, c) as u32));
    }
}

/// Handles of inputs follow those of outputs.
fn input_handle(vertex: usize, channel: usize) -> usize {
    LANES + vertex * LANES + channel
}

/// Returns the entries of all input vertices, by vertex and channel.
fn input_entries(
    program: &Program,
    interface: &GeometryInterface,
    batch: &GeometryBatch,
    group: &[usize],
) -> Vec<Vec<u32>> {
    let slots = program.stage(Stage::Geometry).map_or(&[][..], |s| &s.inputs);
    let mut entries =
        vec![vec![0; interface.inputs.slots.len() * 4]; interface.vertices_in as usize * LANES];
    for (vertex, values) in batch.inputs.iter().enumerate() {
        for (channel, &lane) in group.iter().enumerate() {
            if let Some(entry) = entries.get_mut(vertex * LANES + channel) {
                *entry = vue::entry(&interface.inputs, slots, |row| values.find(row, lane));
            }
        }
    }
    entries
}

/// Returns the `count` vertices of one output entry whose control data starts at dword `header`.
fn emitted(
    program: &Program,
    interface: &GeometryInterface,
    entry: &[u32],
    count: u32,
    header: usize,
) -> Result<EmittedVertices, DeviceError> {
    if count > interface.max_vertices {
        let message =
            format!("{count} vertices emitted, at most {} declared", interface.max_vertices);
        return Err(rejected(Phase::Simulate, message));
    }
    let control = |bits: usize, vertex: usize| {
        let at = vertex * bits;
        let dword = entry.get(header + at / 32).copied().unwrap_or(0);
        dword >> (at % 32) & ((1 << bits) - 1)
    };
    let start = header + interface.control_header_size as usize * UNIT_DWORDS;
    let size = interface.output_vertex_size as usize * UNIT_DWORDS;
    let vertices = (0..count as usize).map(|vertex| {
        let (stream, cut) = match (interface.control_header_size, interface.control_stream_ids) {
            (0, _) => (0, false),
            (_, true) => (control(2, vertex) as u8, false),
            (_, false) => (0, control(1, vertex) != 0),
        };
        let data = entry.get(start + vertex * size..).unwrap_or_default();
        EmittedVertex { stream, ends_primitive: cut, values: values(program, interface, data) }
    });
    Ok(EmittedVertices { vertices: vertices.collect() })
}

/// Returns a vertex in the order of the stage's outputs.
fn values(program: &Program, interface: &GeometryInterface, vertex: &[u32]) -> Vec<u32> {
    let outputs = program.stage(Stage::Geometry).map_or(&[][..], |s| &s.outputs);
    let mut values = vec![0; outputs.len() * 4];
    vue::read(&interface.outputs, outputs, vertex, |row, value| values[row] = value);
    values
}
