//! Values that depend on the order of invocations are marked (GLSL 4.60 sections 4.3.6 and 8.16).

use interpreter::{Outputs, Value};
use program::Stage;

use crate::interpreter::harness::{World, bytes, interpret, program, words};

/// Invocations of the tests: one patch, or a work group.
const LANES: usize = 4;

/// Runs a work group of which each invocation writes `result`; the values, and the marks of those
/// that are undefined.
fn work_group(globals: &str, body: &str) -> ([u32; LANES], [bool; LANES]) {
    let source = format!(
        "#version 460
#extension GL_AMD_gpu_shader_int16 : enable
layout(local_size_x = {LANES}) in;
layout(std430, binding = 0) buffer Results {{ uint results[{LANES}]; }};
{globals}
void main() {{
    uint id = gl_LocalInvocationIndex, next = (id + 1u) % {LANES}u;
    uint result;
    {body}
    results[id] = result;
}}"
    );
    let program = program(&[(Stage::Compute, &source)]);
    let shared = program.stage(Stage::Compute).map_or(0, |stage| stage.shared_size as usize);
    let mut world = World {
        storage_blocks: vec![bytes(&[0; LANES])],
        shared: vec![0; shared],
        ..World::default()
    };
    let outputs = interpret(&program, Stage::Compute, LANES, &mut world)
        .unwrap_or_else(|e| panic!("interpreter: {e}\n{source}"));
    assert!(!outputs.undefined_control_flow.any());
    let values = words(&world.storage_blocks[0]);
    (
        std::array::from_fn(|lane| values[lane]),
        std::array::from_fn(|lane| outputs.undefined_writes.contains(lane)),
    )
}

const ALL: [bool; LANES] = [true; LANES];
const NONE: [bool; LANES] = [false; LANES];
const EACH: &str = "shared uint each[4];";
const ONE: &str = "shared uint one;";

fn marks(globals: &str, body: &str) -> [bool; LANES] {
    work_group(globals, body).1
}

#[test]
fn shared_variables_of_others_need_a_barrier() {
    assert_eq!(marks(EACH, "each[id] = id; result = each[next];"), ALL);
    assert_eq!(marks(EACH, "each[id] = id; memoryBarrierShared(); result = each[next];"), ALL);
    let (values, undefined) = work_group(EACH, "each[id] = id; barrier(); result = each[next];");
    assert_eq!((values, undefined), ([1, 2, 3, 0], NONE));
    assert_eq!(marks(EACH, "each[id] = id; result = each[id];"), NONE);
    let first = "if (id == 0u) one = 7u;";
    assert_eq!(marks(ONE, &format!("{first} result = one;")), [false, true, true, true]);
    assert_eq!(marks(ONE, &format!("{first} barrier(); result = one;")), NONE);
}

#[test]
fn shared_variables_without_a_value() {
    assert_eq!(marks(ONE, "result = one;"), ALL);
    assert_eq!(marks(ONE, "barrier(); result = one;"), ALL);
    assert_eq!(marks(EACH, "if (id < 2u) each[id] = 1u; result = each[id];")[..2], [false; 2]);
    assert_eq!(marks(EACH, "if (id < 2u) each[id] = 1u; result = each[id];")[2..], [true; 2]);
    let unknown = "uint x; if (id == 0u) one = 1u; barrier(); if (id == 1u) one = x;";
    assert_eq!(marks(ONE, &format!("{unknown} barrier(); result = one;")), ALL);
    // Nothing reads the undefined value.
    assert_eq!(marks(ONE, &format!("{unknown} result = id;")), NONE);
}

/// Of several writers the last one is unknown, unless all write the same.
#[test]
fn shared_variables_of_several_writers() {
    assert_eq!(marks(ONE, "one = id; barrier(); result = one;"), ALL);
    assert_eq!(marks(ONE, "one = 5u; barrier(); result = one;"), NONE);
    assert_eq!(marks(ONE, "one = 5u; result = one;"), NONE);
    assert_eq!(marks(ONE, "if (id > 0u) one = 5u; result = one;"), [true, false, false, false]);
    assert_eq!(marks(ONE, "one = id; one = 5u; barrier(); result = one;"), NONE);
    let late = "one = 5u; if (id == 2u) { one = 6u; }";
    assert_eq!(marks(ONE, &format!("{late} barrier(); result = one;")), ALL);
    assert_eq!(marks(ONE, "one = id; barrier(); one = 5u; barrier(); result = one;"), NONE);
}

/// A write after a read spoils it, too; what does not depend on the read stays defined.
#[test]
fn shared_variables_that_another_invocation_writes_later() {
    let before = "each[id] = id; barrier(); uint read = each[next];";
    let after = "each[id] = 9u;";
    let (values, undefined) = work_group(EACH, &format!("{before} {after} result = read;"));
    assert_eq!((values, undefined), ([1, 2, 3, 0], ALL));
    assert_eq!(marks(EACH, &format!("{before} barrier(); {after} result = read;")), NONE);
    assert_eq!(marks(EACH, &format!("{before} {after} result = id;")), NONE);
    let one = "if (id == 0u) one = 1u; barrier(); uint read = one; if (id == 0u) one = read + 1u;";
    assert_eq!(marks(ONE, &format!("{one} result = read;")), [false, true, true, true]);
    assert_eq!(marks(ONE, &format!("{one} barrier(); result = one;")), NONE);
    // Effects happen once.
    let counted = "shared uint one; layout(std430, binding = 1) buffer Count { uint count; };";
    let body = format!("{one} result = read;");
    let source = |body: &str| body.replace("result = read", "atomicAdd(results[0], 10u); return");
    assert_eq!(work_group(counted, &source(&body)).0, [40, 0, 0, 0]);
}

#[test]
fn atomic_operations_on_shared_variables() {
    let zero = "if (id == 0u) one = 0u; barrier();";
    assert_eq!(marks(ONE, &format!("{zero} atomicAdd(one, 1u); barrier(); result = one;")), NONE);
    assert_eq!(marks(ONE, &format!("{zero} result = atomicAdd(one, 1u);")), NONE);
    assert_eq!(marks(ONE, &format!("{zero} atomicAdd(one, 1u); result = one;")), ALL);
    assert_eq!(marks(ONE, "result = atomicAdd(one, 1u);"), ALL);
    assert_eq!(marks(ONE, "if (id == 0u) one = 0u; result = atomicAdd(one, 1u);")[1..], [true; 3]);
    let exchange = "if (id == 0u) atomicExchange(one, 0u); barrier(); atomicOr(one, 1u << id);";
    assert_eq!(marks(ONE, &format!("{exchange} barrier(); result = one;")), NONE);
    let unknown = "uint x; if (id == 1u) atomicAdd(one, x); barrier(); result = one;";
    assert_eq!(marks(ONE, &format!("{zero} {unknown}")), ALL);
    let read = format!("{zero} uint read = one;");
    assert_eq!(
        marks(ONE, &format!("{read} if (id == 0u) atomicAdd(one, 1u); result = read;")),
        [false, true, true, true]
    );
}

/// Variables are cells of their own, however small.
#[test]
fn neighbors_in_memory_do_not_matter() {
    let small = "shared uint16_t small[4];";
    assert_eq!(marks(small, "small[id] = uint16_t(id); result = uint(small[id]);"), NONE);
    assert_eq!(marks(small, "small[id] = uint16_t(id); result = uint(small[next]);"), ALL);
    let vector = "shared uvec4 vector;";
    assert_eq!(marks(vector, "vector[id] = id; result = vector[id];"), NONE);
    assert_eq!(
        marks(
            vector,
            "if (id == 0u) vector.x = 1u; else vector.y = 2u; result = id == 0u ? vector.x : 1u;"
        ),
        NONE
    );
    let wide = "shared double wide;";
    assert_eq!(marks(wide, "wide = 1.0LF; barrier(); result = uint(wide);"), NONE);
}

/// Runs a patch whose invocations execute `body`.
fn patch(body: &str) -> Outputs {
    let source = format!(
        "#version 460
#define id gl_InvocationID
layout(vertices = {LANES}) out;
out float each[];
patch out vec2 both;
void main() {{
    int next = (id + 1) % {LANES};
    {body}
}}"
    );
    let evaluation = "#version 460
layout(quads) in;
in float each[];
patch in vec2 both;
void main() { gl_Position = vec4(each[0], both, 1.0); }";
    let vertex = "#version 460
void main() { gl_Position = vec4(1.0); }";
    let program = program(&[
        (Stage::Vertex, vertex),
        (Stage::TessControl, &source),
        (Stage::TessEval, evaluation),
    ]);
    let mut world = World { patch_vertices: 3, ..World::default() };
    interpret(&program, Stage::TessControl, LANES, &mut world)
        .unwrap_or_else(|e| panic!("interpreter: {e}\n{source}"))
}

/// The marks of `each` of all vertices, and of the two components of `both`.
fn patch_marks(body: &str) -> ([bool; LANES], [bool; 2]) {
    let outputs = patch(body);
    assert!(!outputs.undefined_control_flow.any());
    // The patch's slots lack the vertices', and the other way round.
    let is_written = |value: &&Value| !(0..4).all(|c| value.get(c, 0) == 0);
    let of = |values: &[Value], c| {
        values.iter().filter(is_written).any(|value| value.is_undefined(c, 0))
    };
    (
        std::array::from_fn(|vertex| of(&outputs.vertices[vertex], 0)),
        std::array::from_fn(|c| of(&outputs.varyings, c)),
    )
}

const VALUES: &str = "each[id] = float(id + 1); if (id == 1) both = vec2(1.0, 2.0);";

#[test]
fn outputs_of_other_invocations_need_a_barrier() {
    let of_vertices = |body: &str| patch_marks(&format!("{VALUES} {body}")).0;
    assert_eq!(patch_marks(VALUES), (NONE, [false; 2]));
    let racing = "float read = each[next];";
    assert_eq!(of_vertices(&format!("{racing} barrier(); each[id] = read + 1.0;")), ALL);
    assert_eq!(
        of_vertices(&format!("barrier(); {racing} barrier(); each[id] = read + 1.0;")),
        NONE
    );
    // The write of the neighbor comes after the read.
    assert_eq!(of_vertices(&format!("barrier(); {racing} each[id] = read + 1.0;")), ALL);
    assert_eq!(of_vertices(&format!("barrier(); {racing} each[id] = float(id + 1);")), NONE);
    assert_eq!(of_vertices("each[id] += 1.0;"), NONE);
    assert_eq!(of_vertices("barrier(); each[id] += both.x;"), NONE);
    assert_eq!(of_vertices("each[id] += both.x;"), [true, false, true, true]);
}

#[test]
fn outputs_of_a_patch_with_several_writers() {
    let of_patch = |body: &str| patch_marks(&format!("each[id] = 1.0; {body}")).1;
    assert_eq!(of_patch("both = vec2(1.0);"), [false; 2]);
    assert_eq!(of_patch("both = vec2(1.0, id);"), [false, true]);
    assert_eq!(of_patch("both = vec2(id); both.x = 3.0;"), [false, true]);
    assert_eq!(
        of_patch("both = vec2(id + 1); barrier(); if (id == 2) both.y = 3.0;"),
        [true, false]
    );
    assert_eq!(of_patch("if (id == 0) both.x = 1.0; else if (id == 1) both.y = 1.0;"), [false; 2]);
    assert_eq!(of_patch("both = vec2(1.0); both += 1.0;"), [true; 2]);
    assert_eq!(of_patch("int i; if (id == 0) { both = vec2(1.0); both[i] = 1.0; }"), [true; 2]);
}

#[test]
fn vertices_that_a_patch_lacks() {
    let read = |index: &str| {
        let value = format!("each[id] = gl_in[{index}].gl_Position.x + 1.0; both = vec2(1.0);");
        patch_marks(&value).0
    };
    assert_eq!(read("2"), NONE);
    assert_eq!(read("3"), ALL);
    assert_eq!(read("id"), [false, false, false, true]);
}
