//! Uniform and storage blocks, shared memory, atomics (GLSL 4.60 sections 4.3.9, 7.6.2.2 of OpenGL
//! 4.6).

use crate::interpreter::harness::{World, bytes, quad_in, words};

/// A block whose word i holds i.
fn counting(words: u32) -> Vec<u8> {
    bytes(&(0..words).collect::<Vec<u32>>())
}

fn uniform(globals: &str, expression: &str) -> [u32; 4] {
    let mut world = World {
        uniform_blocks: vec![counting(64)],
        default_block: counting(64),
        ..World::default()
    };
    let pixel = quad_in(globals, &format!("result = bits({expression});"), &mut world)[0];
    assert_eq!(pixel.undefined, [false; 4], "{globals}\n{expression}");
    pixel.value
}

fn storage(globals: &str, body: &str, before: Vec<u8>) -> (Vec<u32>, [u32; 4]) {
    let mut world = World { storage_blocks: vec![before], ..World::default() };
    let pixel = quad_in(globals, body, &mut world)[0];
    (words(&world.storage_blocks[0]), pixel.value)
}

#[test]
fn std140() {
    let block = "layout(std140) uniform B { int a; ivec2 b; ivec3 c; int d; int e[2]; ivec4 f; };";
    // a 0, b 8, c 16, d 28, e 32 and 48 (stride 16), f 64.
    assert_eq!(uniform(block, "ivec3(a, b)"), [0, 2, 3, 0]);
    assert_eq!(uniform(block, "ivec4(c, d)"), [4, 5, 6, 7]);
    assert_eq!(uniform(block, "ivec2(e[0], e[1])"), [8, 12, 0, 0]);
    assert_eq!(uniform(block, "f"), [16, 17, 18, 19]);
}

#[test]
fn std140_matrices() {
    // mat3 takes three columns of 16 bytes; mat2x3 two; row-major mat2x3 has three rows of 16
    // bytes.
    let block =
        "layout(std140) uniform B { int pad; mat3 a; layout(row_major) mat2x3 b; float c; };";
    let float = |n: u32| n; // The words are bit patterns: uniform() shows them as they are.
    assert_eq!(uniform(block, "a[1]"), [float(8), 9, 10, 0]);
    assert_eq!(uniform(block, "b[0]"), [16, 20, 24, 0]);
    assert_eq!(uniform(block, "b[1]"), [17, 21, 25, 0]);
    assert_eq!(uniform(block, "vec2(b[1][2], b[int(gl_FragCoord.x) - 10].y)"), [25, 20, 0, 0]);
    assert_eq!(uniform(block, "c"), [28, 0, 0, 0]);
    let block = "layout(std140, row_major) uniform B { mat4 m; layout(column_major) mat4 n; };";
    assert_eq!(uniform(block, "m[1]"), [1, 5, 9, 13]);
    assert_eq!(uniform(block, "m[2].wx"), [14, 2, 0, 0]);
    assert_eq!(uniform(block, "n[1]"), [20, 21, 22, 23]);
}

#[test]
fn std140_structures() {
    let block = "struct S { int a; ivec2 b; }; struct T { S s[2]; int c; }; layout(std140) uniform B { int x; T t[2]; } block;";
    // S is 16 bytes, T is 48 (rounded up), t starts at 16.
    assert_eq!(uniform(block, "ivec3(block.t[0].s[1].a, block.t[0].s[1].b)"), [8, 10, 11, 0]);
    assert_eq!(uniform(block, "block.t[1].c"), [24, 0, 0, 0]);
    assert_eq!(
        uniform(block, "block.t[int(gl_FragCoord.x) - 9].s[int(gl_FragCoord.y) - 20].b"),
        [18, 19, 0, 0]
    );
    let body = "T t = block.t[1]; S s = t.s[1]; result = uvec4(s.a, s.b, t.c);";
    let mut world = World { uniform_blocks: vec![counting(64)], ..World::default() };
    assert_eq!(quad_in(block, body, &mut world)[0].value, [20, 22, 23, 24]);
}

#[test]
fn std140_doubles() {
    let block = "layout(std140) uniform B { double a; int b; dvec3 c; double d; dmat2 e; };";
    // a 0, b 8, c 32, d 56, e 64 with columns of 16 bytes.
    assert_eq!(uniform(block, "c.yz"), [10, 11, 12, 13]);
    assert_eq!(uniform(block, "d"), [14, 15, 0, 0]);
    assert_eq!(uniform(block, "e[1]"), [20, 21, 22, 23]);
}

#[test]
fn arrays_of_blocks() {
    let globals = "layout(std140) uniform B { int a; } blocks[2];";
    let mut world = World {
        uniform_blocks: vec![bytes(&[5, 0, 0, 0]), bytes(&[6, 0, 0, 0])],
        ..World::default()
    };
    let body = "result = uvec4(blocks[0].a, blocks[1].a, blocks[int(gl_FragCoord.x) / 10].a, 0);";
    assert_eq!(quad_in(globals, body, &mut world)[0].value, [5, 6, 6, 0]);
}

#[test]
fn default_block() {
    let globals = "uniform int a; uniform ivec3 b[2]; struct S { float f; ivec2 v; }; uniform S s;";
    let mut world = World { default_block: counting(64), ..World::default() };
    let pixel = quad_in(globals, "result = uvec4(a, b[1].z, s.v.y, s.f == 0.0);", &mut world)[0];
    assert_eq!(pixel.undefined, [false; 4]);
    // Where the parts lie is the linker's business; they must be different places.
    assert!(pixel.value[0] != pixel.value[1] && pixel.value[1] != pixel.value[2]);
}

#[test]
fn booleans_in_memory_are_true_when_not_zero() {
    let globals = "layout(std140) uniform B { bool a; bool b; bvec2 c; };";
    let mut world = World { uniform_blocks: vec![bytes(&[0, 7, u32::MAX, 0])], ..World::default() };
    let body = "result = uvec4(a, b, c);";
    assert_eq!(quad_in(globals, body, &mut world)[0].value, [0, 1, 1, 0]);
    let (after, _) = storage(
        "layout(std430) buffer B { bool a; bool b; };",
        "a = true; b = !b; result = uvec4(0);",
        bytes(&[0, 0]),
    );
    assert_eq!(after[0], 1);
}

#[test]
fn std430() {
    // a 0, b at 4 with stride 4, c 16, d 32 with stride 16 (vec3), e 64 with columns of 8 bytes.
    let globals = "layout(std430) buffer B { uint a; uint b[3]; uvec3 c; uvec3 d[2]; mat2 e; };";
    let (_, value) = storage(
        globals,
        "result = uvec4(b[2], c.z, d[1].y, floatBitsToUint(e[1][0]));",
        counting(20),
    );
    assert_eq!(value, [3, 6, 13, 18]);
}

#[test]
fn stores_touch_only_what_they_name() {
    let globals = "layout(std430) buffer B { uvec4 a; layout(row_major) mat2x3 m; uvec4 z; };";
    let (after, _) = storage(globals, "a.yw = uvec2(70u, 71u); result = uvec4(0);", counting(20));
    assert_eq!(after[..4], [0, 70, 2, 71]);
    // Row-major with two columns: rows of 8 bytes in std430.
    let body = "m[1] = uintBitsToFloat(uvec3(81u, 82u, 83u)); m[0].y = uintBitsToFloat(84u); result = uvec4(0);";
    let (after, _) = storage(globals, body, counting(20));
    assert_eq!(after[4..10], [4, 81, 84, 82, 8, 83]);
    assert_eq!(after[12..16], [12, 13, 14, 15]);
    let (after, _) = storage(
        "struct S { uint a; uint b[2]; }; layout(std430) buffer B { S s[2]; };",
        "s[1] = S(9u, uint[2](8u, 7u)); result = uvec4(0);",
        counting(6),
    );
    assert_eq!(after, [0, 1, 2, 9, 8, 7]);
}

#[test]
fn runtime_sized_arrays() {
    let globals = "struct S { uint a; uint b; }; layout(std430) buffer B { uint first; S s[]; };";
    let (after, value) =
        storage(globals, "result = uvec4(s.length(), s[1].b, 0, 0); s[2].a = 50u;", counting(8));
    // 32 bytes: 28 after the first word hold three elements of eight.
    assert_eq!(value[..2], [3, 4]);
    assert_eq!(after[5], 50);
    let (_, value) = storage(globals, "result = uvec4(s.length());", counting(1));
    assert_eq!(value[0], 0);
}

#[test]
fn atomics_give_old_values() {
    let globals = "layout(std430) buffer B { uint a; int b; uint c; };";
    let atomic = |body: &str, before: [u32; 3]| {
        let (after, value) = storage(
            globals,
            &format!("if (lane() == 0) {{ {body} }} else result = uvec4(0);"),
            bytes(&before),
        );
        (after, value[0])
    };
    assert_eq!(atomic("result = uvec4(atomicAdd(a, 5u));", [7, 0, 0]), (vec![12, 0, 0], 7));
    assert_eq!(
        atomic("result = uvec4(atomicMin(b, -3));", [0, 2, 0]),
        (vec![0, -3i32 as u32, 0], 2)
    );
    assert_eq!(atomic("result = uvec4(atomicMax(b, -3));", [0, 2, 0]), (vec![0, 2, 0], 2));
    assert_eq!(
        atomic("result = uvec4(atomicMin(a, 3u));", [u32::MAX, 2, 0]),
        (vec![3, 2, 0], u32::MAX)
    );
    assert_eq!(atomic("result = uvec4(atomicAnd(c, 12u));", [0, 0, 10]), (vec![0, 0, 8], 10));
    assert_eq!(atomic("result = uvec4(atomicOr(c, 12u));", [0, 0, 10]), (vec![0, 0, 14], 10));
    assert_eq!(atomic("result = uvec4(atomicXor(c, 12u));", [0, 0, 10]), (vec![0, 0, 6], 10));
    assert_eq!(atomic("result = uvec4(atomicExchange(c, 12u));", [0, 0, 10]), (vec![0, 0, 12], 10));
    assert_eq!(
        atomic("result = uvec4(atomicCompSwap(c, 10u, 99u));", [0, 0, 10]),
        (vec![0, 0, 99], 10)
    );
    assert_eq!(
        atomic("result = uvec4(atomicCompSwap(c, 11u, 99u));", [0, 0, 10]),
        (vec![0, 0, 10], 10)
    );
}

#[test]
fn atomics_of_all_lanes_add_up() {
    let globals = "layout(std430) buffer B { uint total; uint seen[4]; };";
    let (after, _) = storage(
        globals,
        "seen[lane()] = atomicAdd(total, uint(lane() + 1)); result = uvec4(0);",
        bytes(&[0; 5]),
    );
    assert_eq!(after[0], 10);
    let mut seen = after[1..].to_vec();
    seen.sort_unstable();
    // In any order, the first sees 0 and each sees a partial sum.
    assert_eq!(seen[0], 0);
    assert!(seen.windows(2).all(|w| w[0] < w[1]));
}

#[test]
fn atomic_counters() {
    let globals = "layout(binding = 0, offset = 4) uniform atomic_uint c; layout(binding = 0, offset = 8) uniform atomic_uint d[2];";
    let run = |body: &str| {
        let mut world = World { counters: bytes(&[0, 5, 6, 7]), ..World::default() };
        let body = format!("if (lane() == 0) {{ {body} }} else result = uvec4(0);");
        let value = quad_in(globals, &body, &mut world)[0].value;
        (words(&world.counters), value)
    };
    assert_eq!(
        run("result = uvec4(atomicCounterIncrement(c), atomicCounter(c), 0, 0);"),
        (vec![0, 6, 6, 7], [5, 6, 0, 0])
    );
    assert_eq!(
        run("result = uvec4(atomicCounterDecrement(c), atomicCounter(c), 0, 0);"),
        (vec![0, 4, 6, 7], [4, 4, 0, 0])
    );
    assert_eq!(
        run("result = uvec4(atomicCounterAdd(d[1], 10u), atomicCounter(d[0]), 0, 0);"),
        (vec![0, 5, 6, 17], [7, 6, 0, 0])
    );
    assert_eq!(run("result = uvec4(atomicCounterCompSwap(d[0], 6u, 1u));").0, vec![0, 5, 1, 7]);
}
