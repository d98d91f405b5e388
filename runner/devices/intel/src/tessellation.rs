//! Tessellation threads: payloads from the batch, results from the patch's and the vertices' URB
//! entries.

use compiler::output::{
    Interface, PatchMap, TessControlInterface, TessDomain, TessEvaluationInterface, Varying, Width,
};
use eu_simulator::Thread;
use program::{Program, Slot, Stage};
use raster::device::{DeviceError, SoaTable, TessControlBatch, TessEvaluationBatch};
use raster::shader_io::ShaderIo;
use vocabulary::Phase;

use crate::errors::rejected;
use crate::launch::{Launch, lanes};
use crate::memory::Memory;
use crate::threads::run_together;
use crate::urb::UrbHost;
use crate::vue;

/// Handle of the patch entry in control threads; those of the input vertices follow.
const PATCH_HANDLE: u32 = 0;
/// First register of a control thread's input handles, eight to a register.
const INPUT_HANDLES: usize = 1;
/// Maximum number of input vertices with handles in a control thread.
const MAX_INPUT_VERTICES: usize = 32;
/// Dwords of the patch header.
const HEADER_DWORDS: usize = 8;

/// Runs the control stage over a batch of patches and returns the number of executed instructions.
pub(crate) fn run_control(
    launch: &Launch<'_>,
    thread: &mut Thread,
    batch: &mut TessControlBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::TessControl(interface) = launch.prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "control binary without a control interface".into()));
    };
    let dwords = entry_dwords(&interface.outputs, interface.vertices_out as usize)?;
    let mut steps = 0;
    for lane in lanes(batch.lanes, batch.mask) {
        let memory = Memory::new(&launch.prepared.binary, launch.program, io, 0);
        let inputs = vertex_entries(launch.program, interface, batch, lane);
        let mut host = UrbHost::new(memory, vec![vec![0; dwords]], inputs);
        let mut threads = Vec::new();
        for number in 0..interface.threads {
            let mut thread = thread.clone();
            launch.reset(&mut thread);
            let low = launch.devinfo.tcs_thread_number_bit;
            let id = batch.primitive_id.get(lane).copied().unwrap_or(0);
            thread.set_register(0, &[PATCH_HANDLE, id, number << low, 0, 0, 0, 0, 0]);
            for vertex in 0..MAX_INPUT_VERTICES {
                // The handles past the last vertex are stale: they name another entry.
                let known = vertex < interface.vertices_in as usize;
                let handle = PATCH_HANDLE + if known { 1 + vertex as u32 } else { 1 };
                thread.set_dword(INPUT_HANDLES + vertex / 8, vertex % 8, handle);
            }
            launch.push_constants(&mut thread, host.memory.io);
            thread.set_dispatch_mask(0xff);
            threads.push(launch.waiting(thread));
        }
        let budget = launch.budget.after(steps);
        steps += run_together(
            launch.kernel,
            threads,
            &mut host,
            |host| &mut host.memory.scratch,
            budget,
        )?;
        if launch.devinfo.tcs_releases_inputs {
            check_releases(&host.completed, interface.vertices_in)?;
        }
        if let Some(entry) = host.outputs().first() {
            read_patch(launch.program, interface, entry, batch, lane);
        }
    }
    Ok(steps)
}

/// Fails if input entries are not released: the hardware would soon hang.
fn check_releases(completed: &[u16], vertices_in: u32) -> Result<(), DeviceError> {
    for handle in PATCH_HANDLE + 1..=PATCH_HANDLE + vertices_in {
        match completed.iter().filter(|&&h| u32::from(h) == handle).count() {
            1 => {}
            n => {
                let message = format!("input entry {handle} of a patch was released {n} times");
                return Err(rejected(Phase::Simulate, message));
            }
        }
    }
    Ok(())
}

/// Returns the number of dwords of a patch entry.
fn entry_dwords(map: &PatchMap, vertices: usize) -> Result<usize, DeviceError> {
    // The limit is two orders of magnitude above any shader's need.
    match map.slots(vertices) {
        slots if slots <= 1 << 20 => Ok(slots * 4),
        _ => Err(rejected(
            Phase::Encode,
            "tessellation metadata asks for an absurd patch entry".into(),
        )),
    }
}

/// Returns the entries of a patch's input vertices.
fn vertex_entries(
    program: &Program,
    interface: &TessControlInterface,
    batch: &TessControlBatch,
    lane: usize,
) -> Vec<Vec<u32>> {
    let slots = program.stage(Stage::TessControl).map_or(&[][..], |s| &s.inputs);
    let entry =
        |values: &SoaTable| vue::entry(&interface.inputs, slots, |row| values.find(row, lane));
    batch.inputs.iter().take(interface.vertices_in as usize).map(entry).collect()
}

/// Returns the position of an interface slot in a patch entry: its first dword and their number.
fn patch_position(map: &PatchMap, slot: Slot, vertex: usize) -> Option<(usize, usize)> {
    let in_vertex = |varying, dword, count| {
        let slot = map.vertex_slot(varying)? + vertex * map.per_vertex.len();
        Some((slot * 4 + dword, count))
    };
    match slot {
        Slot::Layer => in_vertex(Varying::Header, 1, 1),
        Slot::ViewportIndex | Slot::ViewportMask => in_vertex(Varying::Header, 2, 1),
        Slot::PointSize => in_vertex(Varying::Header, 3, 1),
        Slot::Patch(n) => map.patch_slot(Varying::Patch(n.into())).map(|slot| (slot * 4, 4)),
        other => in_vertex(compiler::varying(other), 0, 4),
    }
}

/// Reads the results of one patch from its entry.
fn read_patch(
    program: &Program,
    interface: &TessControlInterface,
    entry: &[u32],
    batch: &mut TessControlBatch,
    lane: usize,
) {
    let outputs = program.stage(Stage::TessControl).map_or(&[][..], |s| &s.outputs);
    let dword = |at: usize| entry.get(at).copied().unwrap_or(0);
    for (index, output) in outputs.iter().enumerate() {
        let of_patch = matches!(output.slot, Slot::Patch(_));
        let vertices = if of_patch { 1 } else { interface.vertices_out as usize };
        for vertex in 0..vertices {
            let Some((at, count)) = patch_position(&interface.outputs, output.slot, vertex) else {
                continue;
            };
            let channels = match of_patch {
                true => Some(&mut batch.patch_outputs),
                false => batch.outputs.get_mut(vertex),
            };
            if let Some(channels) = channels {
                (0..count).for_each(|c| channels.set(index * 4 + c, lane, dword(at + c)));
            }
        }
    }
    // Levels outside of the domain stay zero.
    let level = |at: Option<u32>| at.map_or(0, |at| dword(at as usize));
    for n in 0..4 {
        batch.outer.set(n, lane, level(interface.domain.outer_dword(n as u32)));
    }
    for n in 0..2 {
        batch.inner.set(n, lane, level(interface.domain.inner_dword(n as u32)));
    }
}

/// Runs the evaluation stage over points of one patch and returns the number of executed
/// instructions.
pub(crate) fn run_evaluation(
    launch: &Launch<'_>,
    thread: &mut Thread,
    batch: &mut TessEvaluationBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::TessEvaluation(interface) = launch.prepared.binary.interface() else {
        return Err(rejected(
            Phase::Encode,
            "evaluation binary without an evaluation interface".into(),
        ));
    };
    let per_thread = launch.vertices_per_thread();
    let outputs = launch.program.stage(Stage::TessEval).map_or(&[][..], |s| &s.outputs);
    let patch = patch_entry(launch.program, interface, batch)?;
    let entry_dwords = interface.outputs.slots.len().max(1) * 4;
    let mut steps = 0;
    for group in lanes(batch.lanes, batch.mask).chunks(per_thread) {
        let entries = vec![vec![0; entry_dwords]; per_thread];
        let mut host = UrbHost::new(launch.memory(io), entries, vec![patch.clone()]);
        launch.reset(thread);
        let inputs = launch.push_constants(thread, host.memory.io);
        let handle = per_thread as u32;
        if launch.width == Width::Vec4 {
            fill_vec4(thread, handle, batch, group);
        } else {
            fill_simd8(thread, handle, batch, group);
        }
        launch.enable(thread, group.len());
        for dword in 0..interface.pushed_slots as usize * 4 {
            let value = patch.get(dword).copied().unwrap_or(0);
            thread.set_dword(inputs + dword / 8, dword % 8, value);
        }
        steps += launch.run(thread, &mut host, steps)?;
        for (&lane, entry) in group.iter().zip(host.outputs()) {
            vue::read(&interface.outputs, outputs, entry, |row, value| {
                batch.outputs.set(row, lane, value)
            });
        }
    }
    Ok(steps)
}

fn coordinate(
    batch: &TessEvaluationBatch,
    group: &[usize],
    channel: usize,
    component: usize,
) -> u32 {
    group.get(channel).map_or(0, |&lane| batch.tess_coord.get(component, lane))
}

/// Writes g0, coordinates and output handles.
fn fill_simd8(thread: &mut Thread, patch: u32, batch: &TessEvaluationBatch, group: &[usize]) {
    thread.set_register(0, &[patch, batch.primitive_id, 0, 0, 0, 0, 0, 0]);
    for c in 0..3 {
        thread.set_register(
            1 + c,
            &std::array::from_fn(|channel| coordinate(batch, group, channel, c)),
        );
    }
    thread.set_register(4, &std::array::from_fn(|channel| channel as u32));
}

/// Writes g0 with the output handles, coordinates, patch handle and primitive id.
fn fill_vec4(thread: &mut Thread, patch: u32, batch: &TessEvaluationBatch, group: &[usize]) {
    thread.set_register(0, &[0, 1, 0, 0, 0, 0, 0, 0]);
    let of = |half, c| coordinate(batch, group, half, c);
    let register =
        [of(0, 0), of(0, 1), of(0, 2), patch, of(1, 0), of(1, 1), of(1, 2), batch.primitive_id];
    thread.set_register(1, &register);
}

/// Returns the patch entry that the points share.
fn patch_entry(
    program: &Program,
    interface: &TessEvaluationInterface,
    batch: &TessEvaluationBatch,
) -> Result<Vec<u32>, DeviceError> {
    let slots = program.stage(Stage::TessEval).map_or(&[][..], |s| &s.inputs);
    let mut entry = vec![0; entry_dwords(&interface.inputs, batch.inputs.len())?];
    entry[..HEADER_DWORDS].copy_from_slice(&header(interface.domain, batch));
    for (index, input) in slots.iter().enumerate() {
        let of_patch = matches!(input.slot, Slot::Patch(_));
        let vertices = if of_patch { 1 } else { batch.inputs.len() };
        for vertex in 0..vertices {
            let Some((at, count)) = patch_position(&interface.inputs, input.slot, vertex) else {
                continue;
            };
            let values =
                if of_patch { Some(&batch.patch_inputs) } else { batch.inputs.get(vertex) };
            for c in 0..count {
                let value = values.and_then(|v| v.get(index * 4 + c)).copied().unwrap_or(0);
                if let Some(place) = entry.get_mut(at + c) {
                    *place = value;
                }
            }
        }
    }
    Ok(entry)
}

/// Returns the patch header with the tessellation levels of the domain.
fn header(domain: TessDomain, batch: &TessEvaluationBatch) -> [u32; HEADER_DWORDS] {
    let mut header = [0; HEADER_DWORDS];
    for (n, level) in (0..).zip(batch.outer) {
        if let Some(dword) = domain.outer_dword(n) {
            header[dword as usize] = level.to_bits();
        }
    }
    for (n, level) in (0..).zip(batch.inner) {
        if let Some(dword) = domain.inner_dword(n) {
            header[dword as usize] = level.to_bits();
        }
    }
    header
}
