//! Runs single stages on both executors, without the GL machine.

// Each test crate uses its own part of this module.
#![allow(dead_code, reason = "not every module uses every function")]

pub(crate) mod compare;
pub(crate) mod executors;
pub(crate) mod generator;
pub(crate) mod operand;
pub(crate) mod operations;
pub(crate) mod random;
pub(crate) mod source_tree;

use amd_device::{WaveDevice, WaveOptions};
use glsl::CompileOptions;
use intel_device::{SimulatorDevice, SimulatorOptions};
use interpreter_device::InterpreterDevice;
use program::link::{LinkOptions, link};
use program::{
    Api, Capabilities, CapabilityTable, Program, Stage, StageKey, TargetKind, TypeTable,
};
use raster::device::{
    Batch, Device, DrawState, EmittedVertices, FragmentBatch, FragmentOutputs, GeometryBatch,
    PlaneEquation, PrimitiveKind, PrimitiveSetup, ProgramId, Quad, SoaTable, VertexBatch,
    first_lanes,
};
use raster::shader_io::{
    AtomicOp, BufferRef, ImageOp, ImageRef, ShaderIo, ShaderIoError, TextureOp, TextureRef,
};
use shader_device::Cores;

/// ShaderIo with a default uniform block only.
pub(crate) struct Uniforms(pub Vec<u8>);

impl ShaderIo for Uniforms {
    fn buffer(&self, buffer: BufferRef) -> &[u8] {
        if buffer == BufferRef::Default { &self.0 } else { &[] }
    }
    fn store(&mut self, _: BufferRef, _: u32, _: &[u8]) {}
    fn atomic32(&mut self, _: BufferRef, _: u32, _: AtomicOp, _: [u32; 2]) -> u32 {
        0
    }
    fn atomic64(&mut self, _: BufferRef, _: u32, _: AtomicOp, _: [u64; 2]) -> u64 {
        0
    }
    fn texture(&mut self, _: TextureRef, _: &TextureOp) -> Result<[u32; 4], ShaderIoError> {
        Err(ShaderIoError::Unsupported("textures"))
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

/// A context that offers everything.
pub(crate) fn capabilities() -> Capabilities {
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: Api::Compatibility,
        gl_version: 46,
        glsl_version: 460,
        extensions: [
            "GL_AMD_gpu_shader_half_float",
            "GL_AMD_gpu_shader_int16",
            "GL_ARB_gpu_shader_int64",
            "GL_ARB_shader_ballot",
            "GL_ARB_shader_group_vote",
            "GL_INTEL_shader_atomic_float_minmax",
        ]
        .map(String::from)
        .into_iter()
        .collect(),
        limits: Default::default(),
    })
}

/// Compiles and links shaders.
pub(crate) fn program(stages: &[(Stage, &str)]) -> Program {
    try_program(stages).unwrap_or_else(|e| panic!("{e}"))
}

/// Compiles and links shaders; the front end's message if it refuses.
pub(crate) fn try_program(stages: &[(Stage, &str)]) -> Result<Program, String> {
    let capabilities = capabilities();
    let mut types = TypeTable::default();
    let mut shaders = Vec::new();
    for &(stage, source) in stages {
        let options = CompileOptions::new(&capabilities);
        shaders
            .push(glsl::compile(&[source], stage, options, &mut types).map_err(|e| e.to_string())?);
    }
    link(shaders, types, &LinkOptions::new(&capabilities)).map_err(|e| e.to_string())
}

fn key() -> StageKey {
    StageKey {
        targets: [TargetKind::Float].into_iter().collect(),
        samples: 1,
        ..StageKey::default()
    }
}

/// A primitive without varyings.
pub(crate) fn constant_setup() -> PrimitiveSetup {
    PrimitiveSetup {
        kind: PrimitiveKind::Triangle,
        values: Vec::new(),
        provoking: 0,
        linear: [
            PlaneEquation::constant(1.0),
            PlaneEquation::constant(0.0),
            PlaneEquation::constant(0.0),
        ],
        perspective: [
            PlaneEquation::constant(1.0),
            PlaneEquation::constant(0.0),
            PlaneEquation::constant(0.0),
        ],
        one_over_w: PlaneEquation::constant(1.0),
        depth: PlaneEquation::constant(0.5),
        front_facing: true,
        primitive_id: 0,
        layer: 0,
        viewport_index: 0,
        point_coord: [PlaneEquation::constant(0.0); 2],
    }
}

/// Runs the fragment stage on one 2×2 quad at (10, 20); the four pixels' colors as raw bits.
pub(crate) fn fragment(
    device: &mut dyn Device,
    program: &Program,
    uniforms: &[u8],
) -> Vec<[u32; 4]> {
    fragment_quads(device, program, uniforms, 1).unwrap_or_else(|e| panic!("{e}"))
}

/// Runs the fragment stage on quads in a row from (10, 20) on; the pixels' colors as raw bits, quad
/// by quad.
pub(crate) fn fragment_quads(
    device: &mut dyn Device,
    program: &Program,
    uniforms: &[u8],
    quads: usize,
) -> Result<Vec<[u32; 4]>, raster::device::DeviceError> {
    let key = key();
    let state = DrawState { program, program_id: ProgramId(0), key: &key };
    let lanes = quads * 4;
    let mut batch = Batch::Fragment(FragmentBatch {
        quads: (0..quads).map(|i| Quad { x: 10 + 2 * i as i32, y: 20, primitive: 0 }).collect(),
        live: raster::device::first_lanes(lanes),
        primitives: vec![constant_setup()],
        samples: 1,
        sample_positions: vec![[0.5; 2]],
        sample_id: None,
        sample_mask_in: vec![1; lanes],
        outputs: FragmentOutputs::new(1, lanes),
    });
    let mut services = Uniforms(uniforms.to_vec());
    device.shade(Stage::Fragment, &state, &mut batch, &mut services)?;
    let Batch::Fragment(batch) = batch else { unreachable!("the batch keeps its kind") };
    Ok((0..lanes).map(|lane| std::array::from_fn(|c| batch.outputs.color.get(c, lane))).collect())
}

/// Runs the vertex stage; `attributes[vertex]` are the four dwords of every attribute slot. The
/// dwords of every output slot, by vertex.
pub(crate) fn vertex(
    device: &mut dyn Device,
    program: &Program,
    uniforms: &[u8],
    attributes: &[Vec<u32>],
) -> Vec<Vec<u32>> {
    let key = key();
    let state = DrawState { program, program_id: ProgramId(0), key: &key };
    let lanes = attributes.len();
    let mut inputs = SoaTable::new(program.attributes.len() * 4, lanes);
    for (lane, values) in attributes.iter().enumerate() {
        values.iter().enumerate().for_each(|(row, &value)| inputs.set(row, lane, value));
    }
    let rows = program.stage(Stage::Vertex).expect("a vertex stage").outputs.len() * 4;
    let mut batch = Batch::Vertex(VertexBatch {
        lanes,
        mask: first_lanes(lanes),
        inputs,
        vertex_id: (0..lanes as u32).map(|v| v + 7).collect(),
        instance_id: vec![3; lanes],
        base_vertex: 5,
        base_instance: 0,
        draw_id: 0,
        outputs: SoaTable::new(rows, lanes),
    });
    let mut services = Uniforms(uniforms.to_vec());
    device
        .shade(Stage::Vertex, &state, &mut batch, &mut services)
        .unwrap_or_else(|e| panic!("{e}"));
    let Batch::Vertex(batch) = batch else { unreachable!("the batch keeps its kind") };
    (0..lanes).map(|lane| batch.outputs.lane(lane).collect()).collect()
}

/// Runs the geometry stage on `lanes` invocations, three for each primitive; every dword of input
/// slot s, component c of vertex v of primitive p is the float 100·p + 10·v + c. Returns the
/// emitted vertices of each lane.
pub(crate) fn geometry(
    device: &mut dyn Device,
    program: &Program,
    uniforms: &[u8],
    lanes: usize,
    vertices: usize,
) -> Vec<EmittedVertices> {
    let key = key();
    let state = DrawState { program, program_id: ProgramId(0), key: &key };
    let slots = program.stage(Stage::Geometry).expect("a geometry stage").inputs.len();
    let invocations = 3;
    let input = |v: usize| {
        let mut channels = SoaTable::new(slots * 4, lanes);
        for row in 0..slots * 4 {
            for lane in 0..lanes {
                channels.set(
                    row,
                    lane,
                    ((100 * (lane / invocations) + 10 * v + row % 4) as f32).to_bits(),
                );
            }
        }
        channels
    };
    let mut batch = Batch::Geometry(GeometryBatch {
        lanes,
        mask: first_lanes(lanes),
        primitive_id: (0..lanes).map(|lane| (lane / invocations) as u32).collect(),
        invocation_id: (0..lanes).map(|lane| (lane % invocations) as u32).collect(),
        inputs: (0..vertices).map(input).collect(),
        outputs: vec![EmittedVertices::default(); lanes],
    });
    let mut services = Uniforms(uniforms.to_vec());
    device
        .shade(Stage::Geometry, &state, &mut batch, &mut services)
        .unwrap_or_else(|e| panic!("{e}"));
    let Batch::Geometry(batch) = batch else { unreachable!("the batch keeps its kind") };
    batch.outputs
}

/// A simulator of a generation.
pub(crate) fn simulator(generation: &str) -> SimulatorDevice {
    simulator_with(generation, compiler::CodegenOptions::default())
}

/// A simulator of a generation with compilation options.
pub(crate) fn simulator_with(
    generation: &str,
    compiler: compiler::CodegenOptions,
) -> SimulatorDevice {
    SimulatorDevice::new(SimulatorOptions {
        devinfo: intel_isa::DevInfo::get(generation).expect("a known generation"),
        compiler,
        cache: std::sync::Arc::default(),
        decoders: std::sync::Arc::default(),
        others: Default::default(),
        math: eu_simulator::MathMode::Exact,
        step_limit: 1 << 27,
        seed: 1,
        trace: None,
        cores: Cores::default(),
    })
}

/// A device of a chip of AMD's.
pub(crate) fn waves(chip: amd_isa::Chip) -> WaveDevice {
    WaveDevice::new(WaveOptions {
        chip,
        compiler: compiler::CodegenOptions::default(),
        step_limit: 1 << 27,
        seed: 1,
        others: Default::default(),
        cache: Default::default(),
        programs: Default::default(),
        cores: Cores::default(),
    })
}

/// The reference.
pub(crate) fn reference() -> InterpreterDevice {
    InterpreterDevice::new(1 << 30, Cores::default())
}
