//! Replay of recorded batches: pixels that the driver's kernels draw.
//!
//! The batches clear a window of 250 by 250 pixels and draw a rectangle over its upper three
//! quarters (`recordings/rectangle.shader_test`).

use std::fs;
use std::path::PathBuf;

use intel_gpu::{Gpu, clock};
use packets::{Command, Memory, Recording, Table, Walker};
use surfaces::Tiling;
use vocabulary::Generation;

/// Bytes from row to row of the render target.
const PITCH: u64 = 1024;
/// Address of the render target where the kernel places objects, and where the driver does.
const TARGETS: [u64; 2] = [0x13_b000, 0xfffe_ffc4_0000];
/// The same in the recordings with fast clears.
const FAST_TARGETS: [u64; 2] = [0x13_b000, 0xfffe_ffa0_0000];

pub(crate) fn recording(name: &str) -> Recording {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let bytes = fs::read(folder.join(format!("{name}.exec"))).expect("a recording");
    Recording::parse(&bytes).expect("a recording")
}

#[test]
fn a_clear_and_a_rectangle() {
    for generation in Generation::INTEL {
        replay(generation, generation.name(), TARGETS);
    }
}

/// The driver clears the color by a fast clear and the depth by an operation on the hierarchical
/// depth buffer; the rectangle is drawn where its depth equals the clear value.
#[test]
fn fast_clears_and_a_rectangle() {
    replay(Generation::Ivb, "ivb-fast", FAST_TARGETS);
    replay(Generation::Skl, "skl-fast", FAST_TARGETS);
}

/// Executes a recorded batch and checks the pixels.
fn replay(generation: Generation, name: &str, targets: [u64; 2]) {
    let memory = recording(name);
    let mut gpu = Gpu::new(generation, clock(generation));
    let commands = gpu.execute(&memory, 1, memory.address);
    assert!(commands.is_ok_and(|count| count > 50), "{name}");
    let target = targets.into_iter().find(|target| memory.object(*target).is_some());
    let target = target.expect("the render target");
    let pixel = |x: u64, y: u64| {
        let mut bytes = [0; 4];
        let address = target + Tiling::Y.offset(4 * x, y, PITCH);
        memory.read(address, &mut bytes).expect("memory of the target");
        bytes
    };
    // The rectangle begins at 62.5 pixels; its left half has the color of a uniform variable.
    for x in [0, 124, 125, 249] {
        assert_eq!(pixel(x, 0), [64, 128, 191, 255], "{name} {x}");
        assert_eq!(pixel(x, 61), [64, 128, 191, 255], "{name} {x}");
        let color = if x < 125 { [51, 102, 153, 255] } else { [0, 255, 0, 255] };
        assert_eq!(pixel(x, 63), color, "{name} {x}");
        assert_eq!(pixel(x, 249), color, "{name} {x}");
    }
}

#[test]
fn unknown_commands_stop_the_batch() {
    let memory = recording(Generation::Ivb.name());
    memory.write(memory.address, &0x7bff_0000_u32.to_le_bytes()).expect("the batch");
    let mut gpu = Gpu::new(Generation::Ivb, clock(Generation::Ivb));
    let error = gpu.execute(&memory, 1, memory.address).expect_err("no such command");
    let expected = format!("unknown command 0x7bff0000 at {:#x}", memory.address);
    assert_eq!(error.to_string(), expected);
}

#[test]
fn commands_that_are_not_modeled_are_named() {
    let memory = recording(Generation::Ivb.name());
    memory.write(memory.address, &0x0180_0000_u32.to_le_bytes()).expect("the batch");
    let mut gpu = Gpu::new(Generation::Ivb, clock(Generation::Ivb));
    let error = gpu.execute(&memory, 1, memory.address).expect_err("not modeled");
    let expected = format!(
        "MI_WAIT_FOR_EVENT (0x01800000) at {:#x}: not modeled: the command",
        memory.address
    );
    assert_eq!(error.to_string(), expected);
}

/// Commands of a recorded batch.
pub(crate) fn commands(memory: &Recording, generation: Generation) -> Vec<Command<'static>> {
    let mut walker = Walker::new(Table::of(generation), memory, memory.address);
    std::iter::from_fn(|| walker.advance().expect("a known command")).collect()
}

/// Returns a GPU, and a batch whose last draw has the largest number in one of its words.
fn enormous(word: u64) -> (Gpu, Recording) {
    let generation = Generation::Ivb;
    let memory = recording(generation.name());
    let all = commands(&memory, generation);
    let draw = all.iter().rfind(|command| command.layout.name == "3DPRIMITIVE").expect("a draw");
    memory.write(draw.address + 4 * word, &u32::MAX.to_le_bytes()).expect("the batch");
    (Gpu::new(generation, clock(generation)), memory)
}

/// A batch that would take hours stops when its process has ended.
#[test]
fn abandoned_batches_stop() {
    // The number of instances.
    let (mut gpu, memory) = enormous(4);
    gpu.stop_if(|| true);
    let error = gpu.execute(&memory, 1, memory.address).expect_err("an end before the last one");
    assert!(error.to_string().ends_with(": stopped, because the process has ended"), "{error}");
}

#[test]
fn the_vertices_of_an_instance_are_limited() {
    let (mut gpu, memory) = enormous(2);
    let error = gpu.execute(&memory, 1, memory.address).expect_err("too many vertices");
    let expected = ": not modeled: instances of more than 2²² vertices";
    assert!(error.to_string().ends_with(expected), "{error}");
}
