//! Every kind of texture lookup: simulator and interpreter ask the texture service for the same.

use shader_device::Cores;
use std::collections::BTreeMap;

use crate::common::{constant_setup, program, simulator, waves};
use interpreter_device::InterpreterDevice;
use program::{Stage, StageKey, TargetKind};
use raster::device::{
    Batch, Device, DrawState, FragmentBatch, FragmentOutputs, ProgramId, Quad, SoaTable,
    VertexBatch, first_lanes,
};
use raster::shader_io::{
    AtomicOp, BufferRef, ImageOp, ImageRef, Lod, ShaderIo, ShaderIoError, TextureOp, TextureRef,
};

/// Pixels of a run: one SIMD16 thread.
const LANES: usize = 16;

/// Answers each request with numbers that depend on everything in it.
#[derive(Default)]
struct Fingerprints {
    uniforms: Vec<u8>,
    /// Texels given, by request.
    answers: BTreeMap<String, [u32; 4]>,
    /// Result of size queries, unless it is a fingerprint.
    size: Option<[u32; 4]>,
    /// Levels of lookups that named theirs.
    levels: Vec<f32>,
}

impl Fingerprints {
    fn new(program: &program::Program) -> Fingerprints {
        Fingerprints {
            uniforms: vec![0; program.default_block_size as usize],
            ..Fingerprints::default()
        }
    }
}

impl ShaderIo for Fingerprints {
    fn buffer(&self, buffer: BufferRef) -> &[u8] {
        if buffer == BufferRef::Default { &self.uniforms } else { &[] }
    }
    fn store(&mut self, _: BufferRef, _: u32, _: &[u8]) {}
    fn atomic32(&mut self, _: BufferRef, _: u32, _: AtomicOp, _: [u32; 2]) -> u32 {
        0
    }
    fn atomic64(&mut self, _: BufferRef, _: u32, _: AtomicOp, _: [u64; 2]) -> u64 {
        0
    }
    fn texture(&mut self, texture: TextureRef, op: &TextureOp) -> Result<[u32; 4], ShaderIoError> {
        let TextureRef::Slot(slot) = texture else {
            return Err(ShaderIoError::Unsupported("handles"));
        };
        let request = format!("{slot} {:?}", relevant(slot, *op));
        let hash = blake3::hash(request.as_bytes());
        let byte = |c: usize| u32::from(hash.as_bytes()[c]);
        if let TextureOp::Sample { lod: Lod::Explicit(level), .. } = op {
            self.levels.push(*level);
        }
        let texel = match op {
            TextureOp::Size { .. } if self.size.is_some() => self.size.unwrap_or_default(),
            TextureOp::Levels | TextureOp::Size { .. } => std::array::from_fn(byte),
            _ => std::array::from_fn(|c| (1.0 + byte(c) as f32 / 256.0).to_bits()),
        };
        self.answers.insert(request, texel);
        Ok(texel)
    }
    fn image(
        &mut self,
        _: ImageRef,
        _: [i32; 3],
        _: u32,
        _: &ImageOp,
    ) -> Result<[u32; 4], ShaderIoError> {
        Err(ShaderIoError::Unsupported("images"))
    }
    fn checkpoint(&mut self) {}
    fn rollback(&mut self) {}
}

/// The samplers of the shader, in slot order, with the number of filtered axes.
const SAMPLERS: [(&str, usize); 10] = [
    ("sampler2D s2", 2),
    ("sampler3D s3", 3),
    ("samplerCube sc", 3),
    ("sampler1DArray s1a", 1),
    ("sampler2DArray s2a", 2),
    ("samplerCubeArray sca", 3),
    ("sampler2DShadow s2s", 2),
    ("sampler2DArrayShadow s2as", 2),
    ("isampler2DRect ir", 2),
    ("samplerCubeShadow scs", 3),
];

/// The request without what its kind of texture never looks at.
fn relevant(slot: u32, op: TextureOp) -> TextureOp {
    let axes = SAMPLERS.get(slot as usize).map_or(3, |s| s.1);
    let cut = |v: [f32; 3]| std::array::from_fn(|i| if i < axes { v[i] + 0.0 } else { 0.0 });
    let coordinates = |v: [f32; 4]| {
        let array = SAMPLERS.get(slot as usize).is_some_and(|s| s.0.contains("Array"));
        std::array::from_fn(|i| match i.cmp(&axes) {
            std::cmp::Ordering::Less => v[i],
            // Layers are rounded, by the machine or by the program.
            std::cmp::Ordering::Equal if array => v[i].round_ties_even(),
            _ => 0.0,
        })
    };
    match op {
        TextureOp::Sample { coordinates: c, reference, lod, offset, min_lod } => {
            let lod = match lod {
                // Without neighbors the level is the base level.
                Lod::Gradients { dx: [0.0, 0.0, 0.0], dy: [0.0, 0.0, 0.0], bias } => {
                    Lod::Explicit(bias)
                }
                Lod::Gradients { dx, dy, bias } => {
                    Lod::Gradients { dx: cut(dx), dy: cut(dy), bias }
                }
                explicit => explicit,
            };
            TextureOp::Sample { coordinates: coordinates(c), reference, lod, offset, min_lod }
        }
        TextureOp::Gather { coordinates: c, reference, component, offsets } => {
            // Comparisons have one component.
            let component = if reference.is_some() { 0 } else { component };
            TextureOp::Gather { coordinates: coordinates(c), reference, component, offsets }
        }
        TextureOp::QueryLod { coordinates: c, dx, dy } => {
            TextureOp::QueryLod { coordinates: cut(c), dx: cut(dx), dy: cut(dy) }
        }
        other => other,
    }
}

/// Lookups, with the generations from which on (as an index into [`GENERATIONS`]) they compile.
const LOOKUPS: &[(&str, usize)] = &[
    ("texture(s2, p.xy)", 0),
    ("texture(s2, p.xy, 1.5)", 0),
    ("textureOffset(s2, p.xy, ivec2(-8, 7))", 0),
    ("textureLod(s2, p.xy, p.z)", 0),
    ("textureLodOffset(s2, p.xy, 2.0, ivec2(3, -4))", 0),
    ("textureProj(s2, vec3(p.xy, 2.0))", 0),
    ("textureGrad(s2, p.xy, p.zw, p.yx)", 0),
    ("textureGradOffset(s2, p.xy, p.zw, p.yx, ivec2(1, -2))", 0),
    ("texelFetch(s2, ivec2(p.xy), 3)", 0),
    ("texelFetchOffset(s2, ivec2(p.xy), 1, ivec2(-3, 5))", 0),
    ("textureGather(s2, p.xy)", 0),
    ("textureGather(s2, p.xy, 2)", 0),
    ("textureGatherOffset(s2, p.xy, ivec2(4, -5), 1)", 0),
    ("textureGatherOffset(s2, p.xy, ivec2(p.x, -9), 3)", 0),
    (
        "textureGatherOffsets(s2, p.xy, ivec2[4](ivec2(1, 2), ivec2(-3, 4), ivec2(-32, 31), ivec2(0, 0)), 1)",
        0,
    ),
    ("vec4(textureQueryLod(s2, p.xy), vec2(0.0))", 0),
    ("vec4(textureQueryLod(s1a, p.x), vec2(0.0))", 0),
    ("vec4(textureQueryLod(s2a, p.xy), vec2(0.0))", 0),
    ("vec4(textureQueryLod(sca, p.xyz), vec2(0.0))", 0),
    ("vec4(textureSize(s2, 2), textureQueryLevels(s2), 0.0)", 0),
    ("texture(s3, p.xyz)", 0),
    ("textureOffset(s3, p.xyz, ivec3(-1, 2, -3))", 0),
    ("textureGrad(s3, p.xyz, p.zwx, p.yxw)", 0),
    ("texelFetch(s3, ivec3(p.xyz), 2)", 0),
    ("vec4(textureSize(s3, 1), 0.0)", 0),
    ("texture(sc, p.xyz)", 0),
    ("textureLod(sc, p.xyz, 1.0)", 0),
    ("textureGather(sc, p.xyz, 2)", 0),
    ("texture(s1a, p.xy)", 0),
    ("texelFetch(s1a, ivec2(p.xy), 1)", 0),
    ("vec4(textureSize(s1a, 1), vec2(0.0))", 0),
    ("texture(s2a, p.xyz)", 0),
    ("textureLod(s2a, p.xyz, 0.5)", 0),
    ("textureGradOffset(s2a, p.xyz, p.zw, p.yx, ivec2(1, -2))", 0),
    ("texelFetch(s2a, ivec3(p.xyz), 1)", 0),
    ("textureGather(s2a, p.xyz, 3)", 0),
    ("texture(sca, p.xyzw)", 0),
    ("textureLod(sca, p.xyzw, 2.0)", 0),
    ("vec4(textureSize(sca, 1), 0.0)", 0),
    ("vec4(texture(s2s, p.xyz))", 0),
    ("vec4(texture(s2s, p.xyz, 0.5))", 0),
    ("vec4(textureLod(s2s, p.xyz, 1.5))", 0),
    ("vec4(textureGrad(s2s, p.xyz, p.zw, p.yx))", 1),
    ("textureGather(s2s, p.xy, p.z)", 0),
    ("textureGatherOffset(s2s, p.xy, p.z, ivec2(p.x, 9))", 0),
    ("vec4(texture(s2as, p.xyzw))", 0),
    ("intBitsToFloat(texture(ir, p.xy))", 0),
    ("intBitsToFloat(texelFetch(ir, ivec2(p.xy)))", 0),
];

const GENERATIONS: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];

/// A shader whose `p` follows from where it runs.
fn source(lookup: &str, place: &str) -> String {
    let samplers: String = SAMPLERS.iter().map(|(s, _)| format!("uniform {s};\n")).collect();
    // Every sampler is used, so that slots are the same in all shaders.
    let uses = ["s2", "s3", "sc", "s1a", "s2a", "sca"].map(|s| format!("textureSize({s}, 0).x"));
    let uses = format!(
        "{} + textureSize(s2s, 0).x + textureSize(s2as, 0).x + textureSize(ir).x",
        uses.join(" + ")
    );
    let uses = format!("{uses} + textureSize(scs, 0).x");
    format!(
        "#version 430\n{samplers}uniform bool never;\nout vec4 color;\nvoid main() {{\n\
         vec4 place = {place};\nvec4 p = floor(place) * vec4(0.5, 0.25, 1.0, 1.0) + vec4(0.0, 0.0, place.x, 3.0);\n\
         color = {lookup};\nif (never) color += vec4({uses});\n}}\n"
    )
}

fn run(device: &mut dyn Device, program: &program::Program) -> (Vec<[u32; 4]>, Vec<String>) {
    let key = StageKey {
        targets: [TargetKind::Float].into_iter().collect(),
        samples: 1,
        ..StageKey::default()
    };
    let state = DrawState { program, program_id: ProgramId(0), key: &key };
    let mut batch = Batch::Fragment(FragmentBatch {
        quads: (0..LANES as i32 / 4).map(|i| Quad { x: 8 + 2 * i, y: 20, primitive: 0 }).collect(),
        live: first_lanes(LANES),
        primitives: vec![constant_setup()],
        samples: 1,
        sample_positions: vec![[0.5; 2]],
        sample_id: None,
        sample_mask_in: vec![1; LANES],
        outputs: FragmentOutputs::new(1, LANES),
    });
    let mut services = Fingerprints::new(program);
    device
        .shade(Stage::Fragment, &state, &mut batch, &mut services)
        .unwrap_or_else(|e| panic!("{e}"));
    let Batch::Fragment(batch) = batch else { unreachable!("the batch keeps its kind") };
    let color = &batch.outputs.color;
    let pixels = (0..LANES).map(|lane| std::array::from_fn(|c| color.get(c, lane))).collect();
    (pixels, services.answers.into_keys().collect())
}

#[test]
fn both_executors_ask_for_the_same() {
    for &(lookup, first) in LOOKUPS {
        let program = program(&[(Stage::Fragment, &source(lookup, "gl_FragCoord"))]);
        let expected = run(&mut InterpreterDevice::new(1 << 20, Cores::default()), &program);
        for generation in &GENERATIONS[first..] {
            let (pixels, requests) = run(&mut simulator(generation), &program);
            assert_eq!(
                pixels, expected.0,
                "{generation}: {lookup}: {requests:#?}\nagainst {:#?}",
                expected.1
            );
        }
    }
}

/// True for lookups in cubes by direction: waves look up places on faces.
fn is_direction(lookup: &str) -> bool {
    ["(sc,", "(sca,", "(scs,"].iter().any(|cube| lookup.contains(cube)) && !lookup.contains("Size")
}

#[test]
fn waves_ask_for_the_same() {
    for &(lookup, _) in LOOKUPS.iter().filter(|(lookup, _)| !is_direction(lookup)) {
        let fragment = program(&[(Stage::Fragment, &source(lookup, "gl_FragCoord"))]);
        let expected = run(&mut InterpreterDevice::new(1 << 20, Cores::default()), &fragment);
        for chip in amd_isa::Chip::ALL {
            let (pixels, requests) = run(&mut waves(chip), &fragment);
            let asked = &expected.1;
            assert_eq!(pixels, expected.0, "{chip}: {lookup}: {requests:#?}\nagainst {asked:#?}");
        }
        if NEED_NEIGHBORS.iter().any(|part| lookup.contains(part)) {
            continue;
        }
        let vertex = program(&[(Stage::Vertex, &source(lookup, VERTEX_PLACE))]);
        let mut asked = Fingerprints::new(&vertex);
        let expected = run_vertices(
            &mut InterpreterDevice::new(1 << 20, Cores::default()),
            &vertex,
            &mut asked,
        );
        for chip in amd_isa::Chip::ALL {
            let mut services = Fingerprints::new(&vertex);
            let outputs = run_vertices(&mut waves(chip), &vertex, &mut services);
            let (got, asked) = (&services.answers, &asked.answers);
            assert_eq!(outputs, expected, "{chip}: {lookup}: {got:#?}\nagainst {asked:#?}");
        }
    }
}

/// A vertex shader's place: as many different ones as the vertices of a few threads.
const VERTEX_PLACE: &str = "vec4(gl_VertexID * 3 + 1, gl_VertexID * 5 + 2, 0.5, 1.0)";
/// Vertices of a run.
const VERTICES: usize = 5;

fn run_vertices(
    device: &mut dyn Device,
    program: &program::Program,
    services: &mut Fingerprints,
) -> Vec<Vec<u32>> {
    let key = StageKey::default();
    let state = DrawState { program, program_id: ProgramId(0), key: &key };
    let rows = program.stage(Stage::Vertex).expect("a vertex stage").outputs.len() * 4;
    let mut batch = Batch::Vertex(VertexBatch {
        lanes: VERTICES,
        mask: first_lanes(VERTICES),
        inputs: SoaTable::new(0, VERTICES),
        vertex_id: (0..VERTICES as u32).collect(),
        instance_id: vec![0; VERTICES],
        base_vertex: 0,
        base_instance: 0,
        draw_id: 0,
        outputs: SoaTable::new(rows, VERTICES),
    });
    device.shade(Stage::Vertex, &state, &mut batch, services).unwrap_or_else(|e| panic!("{e}"));
    let Batch::Vertex(batch) = batch else { unreachable!("the batch keeps its kind") };
    (0..VERTICES).map(|lane| batch.outputs.lane(lane).collect()).collect()
}

/// Lookups that only fragments have.
const NEED_NEIGHBORS: [&str; 3] =
    ["QueryLod", "texture(s2, p.xy, 1.5)", "texture(s2s, p.xyz, 0.5)"];

/// The same in vertex shaders, which two generations run as vec4 code.
#[test]
fn vertices_ask_for_the_same() {
    for &(lookup, first) in
        LOOKUPS.iter().filter(|(l, _)| !NEED_NEIGHBORS.iter().any(|n| l.contains(n)))
    {
        let program = program(&[(Stage::Vertex, &source(lookup, VERTEX_PLACE))]);
        let mut asked = Fingerprints::new(&program);
        let expected = run_vertices(
            &mut InterpreterDevice::new(1 << 20, Cores::default()),
            &program,
            &mut asked,
        );
        for generation in &GENERATIONS[first..] {
            let mut services = Fingerprints::new(&program);
            let outputs = run_vertices(&mut simulator(generation), &program, &mut services);
            assert_eq!(
                outputs, expected,
                "{generation}: {lookup}: {:#?}\nagainst {:#?}",
                services.answers, asked.answers
            );
        }
    }
}

/// Texels that a step of `d` moves from `p` on the face of a cube of `size` texels that `p` hits.
fn cube_texels(p: [f64; 3], d: [f64; 3], size: f64) -> f64 {
    let major = if p[2].abs() >= p[0].abs().max(p[1].abs()) {
        2
    } else if p[1].abs() >= p[0].abs() {
        1
    } else {
        0
    };
    let step = 1e-6;
    let on_face = |t: f64| {
        let q: [f64; 3] = std::array::from_fn(|i| p[i] + t * d[i]);
        [(major + 1) % 3, (major + 2) % 3].map(|axis| size * (q[axis] / q[major] + 1.0) / 2.0)
    };
    let (from, to) = (on_face(0.0), on_face(step));
    ((to[0] - from[0]) / step).hypot((to[1] - from[1]) / step)
}

/// Where the sampler cannot compare with gradients, the level is that of the OpenGL specification.
#[test]
fn shadow_gradients_become_levels() {
    let size = [64, 16, 0, 0];
    let gradients = [[0.25, -0.5, 0.125], [-0.375, 0.0625, 0.75]];
    let vector = |v: [f64; 3], n: usize| {
        let parts: Vec<String> = v[..n].iter().map(f64::to_string).collect();
        format!("vec{n}({})", parts.join(", "))
    };
    let flat = |d: [f64; 3]| (d[0] * 64.0).hypot(d[1] * 16.0);
    let mut cases = Vec::new();
    for sampler in ["s2s, vec3(0.3)", "s2as, vec4(0.3)"] {
        cases.push((sampler.to_string(), 2, gradients.map(flat)));
    }
    for p in [[0.5, -0.25, 2.0], [0.5, -3.0, 0.75], [-2.0, 0.5, 1.5], [0.25, 0.5, -1.0]] {
        let sampler = format!("scs, vec4({}, 0.5)", vector(p, 3));
        cases.push((sampler, 3, gradients.map(|d| cube_texels(p, d, 64.0))));
    }
    for (sampler, n, texels) in cases {
        let [ddx, ddy] = gradients.map(|g| vector(g, n));
        let lookup = format!("vec4(textureGrad({sampler}, {ddx}, {ddy}))");
        let program = program(&[(Stage::Vertex, &source(&lookup, VERTEX_PLACE))]);
        let mut services = Fingerprints { size: Some(size), ..Fingerprints::new(&program) };
        run_vertices(&mut simulator("ivb"), &program, &mut services);
        let expected = texels[0].max(texels[1]).log2();
        assert!(!services.levels.is_empty(), "{lookup}");
        for level in services.levels {
            assert!(
                (f64::from(level) - expected).abs() < 1e-3,
                "{lookup}: {level} against {expected}"
            );
        }
    }
}
