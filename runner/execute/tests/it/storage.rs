//! Storage blocks, shared memory, atomic operations and barriers: work groups leave the same memory
//! behind on the simulator, in both widths, as on the interpreter.

use crate::common::{program, reference, simulator};
use intel_device::SimulatorDevice;
use program::{Stage, StageKey};
use raster::device::{
    Batch, ComputeBatch, Device, DrawState, ProgramId, SoaTable, VertexBatch, first_lanes,
};
use raster::resources::{Bindings, Objects};

const GENERATIONS: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];
/// Bytes of each buffer.
const SIZE: usize = 512;

/// A compute shader that reads block `a` and writes block `b`, and the work groups it runs with.
struct Case {
    /// Further declarations of the shader.
    declarations: &'static str,
    local_size: [u32; 3],
    groups: [u32; 3],
    body: &'static str,
    /// Members of both blocks.
    members: &'static str,
}

const LINE: [u32; 3] = [16, 1, 1];
const ONE: [u32; 3] = [1; 3];

const CASES: &[Case] = &[
    // Each channel an address of its own; one, two, three and four components, and their parts.
    Case {
        declarations: "",
        local_size: LINE,
        groups: ONE,
        members: "vec4 v[16]; ivec3 i[8]; uvec2 u[8]; float f[4];",
        body: "uint n = gl_LocalInvocationIndex; b.v[n] = a.v[15u - n].wzyx; b.i[n & 7u].xz = a.i[(n + 3u) & 7u].zy; \
               if (n < 8u) b.u[n] = a.u[n ^ 5u]; if (n % 5u == 1u) b.f[n & 3u] = a.f[n >> 2];",
    },
    // Doubles: pairs of dwords, two messages for a dvec3 and more.
    Case {
        declarations: "",
        local_size: [11, 1, 1],
        groups: ONE,
        members: "dvec3 d[8]; double s[16]; dvec4 q;",
        body: "uint n = gl_LocalInvocationIndex; b.d[n & 7u] = a.d[7u - (n & 7u)]; b.s[n] = a.s[n + 1u] * 2.0LF; \
               if (n == 3u) b.q = a.q.yxwz;",
    },
    // Outside of the buffer: zero, and nothing.
    Case {
        declarations: "",
        local_size: LINE,
        groups: ONE,
        members: "uint u[];",
        body: "uint n = gl_LocalInvocationIndex; b.u[n * 31u] = a.u[n * 43u] + 1u; b.u[0xffffffffu / 4u] = 7u; \
               b.u[n + 100u] = uint(a.u.length()) + uint(b.u.length());",
    },
    // Row-major matrices: a component at a time.
    Case {
        declarations: "",
        local_size: [4, 1, 1],
        groups: ONE,
        members: "layout(row_major) mat3x4 m[4]; mat2 n;",
        body: "uint n = gl_LocalInvocationIndex; b.m[n] = a.m[3u - n]; b.m[n][1].z = a.n[n & 1u].y; b.n[n & 1u].x = 2.0;",
    },
    // Every operation; each invocation has its own location, so that old values do not depend on
    // the order.
    Case {
        declarations: "",
        local_size: LINE,
        groups: ONE,
        members: "uint u[64]; int i[64];",
        body: "uint n = gl_LocalInvocationIndex; uint x = a.u[n]; int y = a.i[n]; \
               b.u[n] = atomicAdd(a.u[n], x) ^ atomicAnd(a.u[n], ~3u); \
               b.u[n + 16u] = atomicOr(a.u[n], 5u) ^ atomicXor(a.u[n], n); \
               b.u[n + 32u] = atomicMin(a.u[n], x >> 1) + atomicMax(a.u[n], x << 1); \
               b.i[n] = atomicMin(a.i[n], -y) ^ atomicMax(a.i[n], y / 2); \
               b.i[n + 16u] = atomicExchange(a.i[n], y + 1) - atomicCompSwap(a.i[n], y + 1, 17); \
               b.i[n + 32u] = atomicCompSwap(a.i[n], 18, 19);",
    },
    // Old values unused: the sum is what counts.
    Case {
        declarations: "",
        local_size: [7, 3, 2],
        groups: [2, 1, 3],
        members: "uint u[16]; int i[16];",
        body: "atomicAdd(b.u[gl_LocalInvocationID.x], gl_GlobalInvocationID.x); \
               atomicMax(b.i[gl_LocalInvocationID.y], int(gl_WorkGroupID.z) - 1); atomicOr(b.u[8], 1u << gl_LocalInvocationIndex);",
    },
    // Shared memory across threads.
    Case {
        declarations: "shared uvec2 s[40]; shared uint sum;",
        local_size: [5, 4, 2],
        groups: ONE,
        members: "uvec2 u[40]; uint total;",
        body: "uint n = gl_LocalInvocationIndex; if (n == 0u) sum = 0u; s[n] = a.u[n]; barrier(); \
               atomicAdd(sum, s[39u - n].x & 0xffffu); b.u[n] = s[39u - n].yx; barrier(); if (n == 7u) b.total = sum;",
    },
    // Barriers in uniform loops.
    Case {
        declarations: "shared int s[32];",
        local_size: [32, 1, 1],
        groups: [2, 1, 1],
        members: "int i[64];",
        body: "uint n = gl_LocalInvocationIndex; s[n] = a.i[gl_GlobalInvocationID.x]; \
               for (uint step = 16u; step > 0u; step >>= 1) { barrier(); int x = n < step ? s[n + step] : 0; barrier(); s[n] += x; } \
               b.i[gl_GlobalInvocationID.x] = s[n];",
    },
    // Numbers of everything.
    Case {
        declarations: "",
        local_size: [3, 2, 5],
        groups: [2, 3, 1],
        members: "uvec4 v[32];",
        body: "uint n = gl_LocalInvocationIndex; uvec3 g = gl_WorkGroupID; \
               if (g == uvec3(1u, 2u, 0u)) b.v[n] = uvec4(gl_LocalInvocationID * 100u + gl_NumWorkGroups * 10u, gl_GlobalInvocationID.y); \
               if (n == 0u) b.v[31].x = gl_GlobalInvocationID.z;",
    },
    // Early returns and divergent control flow around accesses.
    Case {
        declarations: "",
        local_size: [13, 1, 1],
        groups: ONE,
        members: "uint u[64];",
        body: "uint n = gl_LocalInvocationIndex; if (n > 9u) return; uint x = 0u; \
               for (uint i = 0u; i < n; i++) { if ((a.u[i] & 1u) != 0u) continue; x += a.u[i]; if (i == 6u) break; } b.u[n] = x;",
    },
    // A block of an array of blocks, chosen per invocation where the language allows it.
    Case {
        declarations: "layout(std430, binding = 2) buffer C { uint u[32]; } c[2]; uniform uint which;",
        local_size: LINE,
        groups: ONE,
        members: "uint u[64];",
        body: "uint n = gl_LocalInvocationIndex; c[which].u[n] = a.u[n]; b.u[n] = c[1u - which].u[n] + c[which].u[n]; \
               atomicAdd(c[1u - which].u[n & 3u], 1u);",
    },
    // Votes of a work group that is one subgroup in every width, all of it and a part.
    Case {
        declarations: "bvec4 votes(uint n) { return bvec4(anyInvocationARB(n == 5u), allInvocationsARB(n < 8u), \
                       allInvocationsEqualARB(n < 4u), allInvocationsEqualARB(n < 9u)); }",
        local_size: [8, 1, 1],
        groups: ONE,
        members: "uvec4 u[16];",
        body: "uint n = gl_LocalInvocationIndex; b.u[n] = uvec4(votes(n)); if (n > 3u) b.u[n + 8u] = uvec4(votes(n - 4u));",
    },
    // An array too long for registers.
    Case {
        declarations: "",
        local_size: LINE,
        groups: ONE,
        members: "uint u[64];",
        body: "uint n = gl_LocalInvocationIndex; uvec2 x[150]; \
               for (uint i = 0u; i < 150u; i++) x[i] = uvec2(i * n, i + a.u[n]); \
               x[n * 7u].y = 1000u; b.u[n] = x[(a.u[n] + n * 7u) % 150u].y + x[n * 9u].x;",
    },
];

/// Minima and maxima of floats, quiet and signaling NaNs among them; a comparison that takes zeros
/// for equal. Only one generation has them.
const FLOAT_ATOMICS: Case = Case {
    declarations: "const uint odd[8] = uint[8](0x3f800000u, 0xbf800000u, 0x7fc00001u, 0xffc00002u, 0x7f800003u, \
                   0xff800004u, 0x80000000u, 0u); shared float s[16];",
    local_size: LINE,
    groups: [4, 1, 1],
    members: "float f[64]; uint u[64];",
    body: "uint n = gl_LocalInvocationIndex; uint m = n + gl_WorkGroupID.x * 16u; \
           b.u[m] = odd[m & 7u]; b.f[m] = uintBitsToFloat(odd[m & 7u]); s[n] = b.f[m]; \
           float x = uintBitsToFloat(odd[m >> 3]); \
           float old = (n & 1u) == 0u ? atomicMin(b.f[m], x) : atomicMax(b.f[m], x); \
           b.u[m] ^= floatBitsToUint(old); atomicCompSwap(s[n], x, 7.0); b.u[m] += floatBitsToUint(s[n]);",
};

fn source(case: &Case) -> String {
    let [x, y, z] = case.local_size;
    let Case { declarations, body, members, .. } = case;
    format!(
        "#version 430\n\
         #extension GL_ARB_shader_ballot : enable\n\
         #extension GL_ARB_shader_group_vote : enable\n\
         #extension GL_INTEL_shader_atomic_float_minmax : enable\n\
         #extension GL_ARB_gpu_shader_int64 : enable\n\
         layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;\n\
         layout(std430, binding = 0) buffer A {{ {members} }} a;\n\
         layout(std430, binding = 1) buffer B {{ {members} }} b;\n{declarations}\n\
         void main() {{ {body} }}\n"
    )
}

/// Buffers full of numbers that are small as integers and ordinary as floats of both sizes.
fn bindings(blocks: usize, uniforms: usize) -> Bindings {
    let mut objects = Objects::default();
    let storage = (0..blocks)
        .map(|block| {
            let id = objects.create_buffer(SIZE);
            let bytes: Vec<u8> = (0..SIZE as u32 / 4)
                .flat_map(|i| {
                    let odd = i % 2 == 1;
                    let value = if odd { 0x4010_0000 + i * 0x1234 } else { i * 3 + block as u32 };
                    value.to_le_bytes()
                })
                .collect();
            objects.write(id, 0, &bytes);
            Some(id.into())
        })
        .collect();
    Bindings { objects, storage, default_block: vec![0; uniforms].into(), ..Bindings::default() }
}

/// All buffers after the shader ran.
fn run(device: &mut dyn Device, case: &Case) -> Vec<Vec<u8>> {
    let program = program(&[(Stage::Compute, &source(case))]);
    let key = StageKey { samples: 1, ..StageKey::default() };
    let state = DrawState { program: &program, program_id: ProgramId(0), key: &key };
    let mut services = bindings(program.storage_blocks.len(), program.default_block_size as usize);
    let [x, y, z] = case.groups;
    for group_id in (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]))) {
        let batch = ComputeBatch { num_groups: case.groups, group_id, local_size: case.local_size };
        device
            .shade(Stage::Compute, &state, &mut Batch::Compute(batch), &mut services)
            .unwrap_or_else(|e| panic!("{e}: {}", case.body));
    }
    services.objects.buffers.iter().map(|b| b.to_vec()).collect()
}

fn width(generation: &str, width: compiler::output::Width) -> SimulatorDevice {
    crate::common::simulator_with(
        generation,
        compiler::CodegenOptions { widths: vec![width], ..compiler::CodegenOptions::default() },
    )
}

#[test]
fn memory_is_what_the_interpreter_leaves() {
    use compiler::output::Width::{Simd8, Simd16};
    for case in CASES {
        let expected = run(&mut reference(), case);
        for generation in GENERATIONS {
            assert_eq!(
                run(&mut simulator(generation), case),
                expected,
                "{generation}: {}",
                case.body
            );
            for w in [Simd8, Simd16] {
                let got = run(&mut width(generation, w), case);
                assert_eq!(got, expected, "{generation} {}: {}", w.name(), case.body);
            }
        }
    }
}

#[test]
fn atomic_operations_on_floats() {
    let expected = run(&mut reference(), &FLOAT_ATOMICS);
    assert_eq!(run(&mut simulator("skl"), &FLOAT_ATOMICS), expected);
}

/// Communication between a thread's channels: their number, their own number, a ballot's two
/// dwords, two reads.
const SUBGROUP: Case = Case {
    declarations: "",
    local_size: LINE,
    groups: ONE,
    members: "uint u[128];",
    body: "uint n = gl_LocalInvocationIndex, i = gl_SubGroupInvocationARB; uint64_t odd = ballotARB((n & 1u) != 0u); \
           b.u[n] = gl_SubGroupSizeARB; b.u[n + 16u] = i; \
           b.u[n + 32u] = uint(odd); b.u[n + 48u] = uint(odd >> 32); b.u[n + 64u] = readInvocationARB(n * 3u, 2u); \
           if (i >= 3u) b.u[n + 80u] = readFirstInvocationARB(n * 5u); \
           b.u[n + 96u] = uint(gl_SubGroupGtMaskARB) ^ uint(gl_SubGroupLeMaskARB << 16);",
};

/// A subgroup is a thread: 8 or 16 channels.
#[test]
fn subgroups_are_threads() {
    use compiler::output::Width::{Simd8, Simd16};
    for (w, size) in [(Simd8, 8u32), (Simd16, 16)] {
        for generation in ["bdw", "chv", "skl"] {
            let buffers = run(&mut width(generation, w), &SUBGROUP);
            let word = |i: u32| {
                u32::from_le_bytes(std::array::from_fn(|b| buffers[1][i as usize * 4 + b]))
            };
            for n in 0..16 {
                let i = n % size;
                let all = (1u32 << size) - 1;
                let up_to = (2 << i) - 1;
                let expected = [size, i, 0xaaaa & all, 0, (n - i + 2) * 3];
                let got = [word(n), word(n + 16), word(n + 32), word(n + 48), word(n + 64)];
                assert_eq!(got, expected, "{generation}: invocation {n}");
                if i >= 3 {
                    assert_eq!(word(n + 80), (n - i + 3) * 5, "{generation}: invocation {n}");
                }
                assert_eq!(
                    word(n + 96),
                    (all & !up_to) ^ up_to << 16,
                    "{generation}: invocation {n}"
                );
            }
        }
    }
}

/// Accesses of vertices: both back ends, doubles, parts of vectors, one atomic operation whose old
/// values show.
const VERTEX_SHADER: &str = "#version 430
layout(std430, binding = 0) buffer A { vec4 v[8]; dvec3 d[4]; uint old[8]; uint count, high, size, rest[]; } a;
layout(std430, binding = 1) buffer B { vec4 v[8]; dvec3 d[4]; uint old[8]; uint count, high, size, rest[]; } b;
void main() {
    uint n = uint(gl_VertexID);
    b.v[n] = a.v[7u - n].wzyx;
    if (n % 3u == 1u) b.v[n].yz = vec2(n, a.v[n].x);
    b.d[n & 3u] = a.d[3u - (n & 3u)].zxy;
    b.d[n & 3u].y = 2.0LF;
    b.old[n] = atomicAdd(b.count, n + 1u);
    if (n < 5u) atomicMax(b.high, n + 7u);
    b.size = uint(a.rest.length()) + atomicCompSwap(b.rest[n], a.rest[n], n);
    gl_Position = vec4(0.0);
}
";

/// All buffers after the vertex stage ran for eight vertices.
fn run_vertices(device: &mut dyn Device) -> Vec<Vec<u8>> {
    const LANES: usize = 8;
    let program = program(&[(Stage::Vertex, VERTEX_SHADER)]);
    let key = StageKey { samples: 1, ..StageKey::default() };
    let state = DrawState { program: &program, program_id: ProgramId(0), key: &key };
    let outputs = program.stage(Stage::Vertex).map_or(0, |s| s.outputs.len());
    let mut services = bindings(program.storage_blocks.len(), program.default_block_size as usize);
    let batch = VertexBatch {
        lanes: LANES,
        mask: first_lanes(LANES),
        inputs: SoaTable::new(program.attributes.len() * 4, LANES),
        vertex_id: (0..LANES as u32).collect(),
        instance_id: vec![0; LANES],
        base_vertex: 0,
        base_instance: 0,
        draw_id: 0,
        outputs: SoaTable::new(outputs * 4, LANES),
    };
    device
        .shade(Stage::Vertex, &state, &mut Batch::Vertex(batch), &mut services)
        .unwrap_or_else(|e| panic!("{e}"));
    services.objects.buffers.iter().map(|b| b.to_vec()).collect()
}

#[test]
fn vertices_access_memory_too() {
    let expected = run_vertices(&mut reference());
    for generation in GENERATIONS {
        assert_eq!(run_vertices(&mut simulator(generation)), expected, "{generation}");
    }
}
