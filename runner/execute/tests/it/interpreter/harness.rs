//! Compiles a shader and runs it on the interpreter and on the IR's evaluator, over plain tables.

use glsl::CompileOptions;
use interpreter::{
    Environment, Error, ImageRequest, InterpolateAt, Interpreter, Mask, Outputs, TextureRequest,
};
use ir::eval::{EvalError, EvalOptions, Io, Services};
use ir::{IntrinsicOp, Slot};
use program::link::{LinkOptions, link};
use program::resource::FragmentOutput;
use program::{
    Api, BuiltinVariable, Capabilities, CapabilityTable, Program, Stage, StageKey, TargetKind,
    TypeTable,
};

/// A context that offers everything.
pub(super) fn capabilities() -> Capabilities {
    Capabilities::from(CapabilityTable {
        generation: "reference".into(),
        api: Api::Compatibility,
        gl_version: 46,
        glsl_version: 460,
        extensions: Default::default(),
        limits: Default::default(),
    })
}

/// Compiles and links shaders, with every extension on offer.
pub(super) fn program(stages: &[(Stage, &str)]) -> Program {
    let capabilities = capabilities();
    let mut types = TypeTable::default();
    let mut shaders = Vec::new();
    for &(stage, source) in stages {
        let shader = glsl::compile(&[source], stage, CompileOptions::default(), &mut types)
            .unwrap_or_else(|e| panic!("{e}\n{source}"));
        shaders.push(shader);
    }
    let sources: Vec<&str> = stages.iter().map(|s| s.1).collect();
    link(shaders, types, &LinkOptions::new(&capabilities))
        .unwrap_or_else(|e| panic!("{e}\n{}", sources.join("\n---\n")))
}

/// Little-endian memory and the fragment quad at (10, 20): all a test shader can see.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    pub default_block: Vec<u8>,
    pub uniform_blocks: Vec<Vec<u8>>,
    pub storage_blocks: Vec<Vec<u8>>,
    pub counters: Vec<u8>,
    pub shared: Vec<u8>,
    /// Vertices emitted: lane, stream, the outputs' components.
    pub emitted: Vec<(usize, u32, Vec<[u32; 4]>)>,
    /// `gl_PatchVerticesIn`.
    pub patch_vertices: u32,
    /// Fragment inputs as planes over the window: value = a·x + b·y + c, by (slot, component).
    pub planes: std::collections::BTreeMap<(usize, usize), [f64; 3]>,
    /// Output of the IR's evaluator, by lane.
    pub stored: std::collections::BTreeMap<(usize, Io), u32>,
}

/// `float`s, ints and the like as bytes.
pub(super) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The 32-bit words of memory.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn pixel(lane: usize) -> [f32; 2] {
    [10.5 + (lane & 1) as f32, 20.5 + (lane >> 1 & 1) as f32]
}

impl World {
    /// The color that the evaluated code wrote in a lane.
    pub(super) fn color(&self, lane: usize) -> [u32; 4] {
        let slot = Slot::FragColor { location: 0, index: 0 };
        [0, 1, 2, 3].map(|component| {
            let io = Io { slot, offset: 0, component, vertex: None };
            self.stored.get(&(lane, io)).copied().unwrap_or(0)
        })
    }

    fn memory(&mut self, space: interpreter::AddressSpace) -> Option<&mut Vec<u8>> {
        use interpreter::AddressSpace;
        match space {
            AddressSpace::DefaultBlock => Some(&mut self.default_block),
            AddressSpace::UniformBlock(n) => self.uniform_blocks.get_mut(n as usize),
            AddressSpace::StorageBlock(n) => self.storage_blocks.get_mut(n as usize),
            AddressSpace::AtomicCounters(_) => Some(&mut self.counters),
            AddressSpace::Shared => Some(&mut self.shared),
        }
    }

    fn ir_memory(&mut self, space: ir::eval::Space) -> Option<&mut Vec<u8>> {
        use ir::eval::Space;
        match space {
            Space::Ubo(0) => Some(&mut self.default_block),
            Space::Ubo(n) => self.uniform_blocks.get_mut(n as usize - 1),
            Space::Ssbo(n) => self.storage_blocks.get_mut(n as usize),
            Space::Counter(_) => Some(&mut self.counters),
            Space::Shared => Some(&mut self.shared),
        }
    }
}

impl Environment for World {
    fn attribute(&mut self, _: usize, _: usize, _: usize) -> u32 {
        0
    }

    fn varying(&mut self, slot: usize, component: usize, vertex: u32, lane: usize) -> u32 {
        // Something that names its origin.
        (slot * 1000 + component * 100 + vertex as usize * 10 + lane) as u32
    }

    fn interpolate(
        &mut self,
        slot: usize,
        component: usize,
        lane: usize,
        at: InterpolateAt,
    ) -> f64 {
        let [mut x, mut y] = pixel(lane).map(f64::from);
        if let InterpolateAt::Offset(dx, dy) = at {
            (x, y) = (x + f64::from(dx), y + f64::from(dy));
        }
        let [a, b, c] = self.planes.get(&(slot, component)).copied().unwrap_or_default();
        a * x + b * y + c
    }

    fn system_value(&mut self, variable: BuiltinVariable, component: usize, lane: usize) -> u32 {
        match variable {
            BuiltinVariable::FragCoord => {
                pixel(lane).get(component).copied().unwrap_or(1.0).to_bits()
            }
            BuiltinVariable::LocalInvocationIndex => lane as u32,
            BuiltinVariable::LocalInvocationId if component == 0 => lane as u32,
            BuiltinVariable::GlobalInvocationId if component == 0 => lane as u32,
            BuiltinVariable::InvocationId => lane as u32,
            BuiltinVariable::PatchVerticesIn => self.patch_vertices,
            _ => 0,
        }
    }

    fn load(&mut self, space: interpreter::AddressSpace, offset: u32, bytes: u32) -> Option<u64> {
        let memory = self.memory(space)?;
        let found = memory.get(offset as usize..offset as usize + bytes as usize)?;
        Some(found.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn store(
        &mut self,
        space: interpreter::AddressSpace,
        offset: u32,
        bytes: u32,
        value: u64,
    ) -> bool {
        let Some(memory) = self.memory(space) else { return false };
        let data = &value.to_le_bytes()[..bytes as usize];
        match memory.get_mut(offset as usize..offset as usize + data.len()) {
            Some(place) => {
                place.copy_from_slice(data);
                true
            }
            None => false,
        }
    }

    fn size(&mut self, space: interpreter::AddressSpace) -> u32 {
        self.memory(space).map_or(0, |m| m.len() as u32)
    }

    fn texture(&mut self, _: &TextureRequest) -> Result<[u32; 4], Error> {
        Err(Error::Unsupported("textures"))
    }

    fn image(&mut self, _: &ImageRequest) -> Result<[u32; 4], Error> {
        Err(Error::Unsupported("images"))
    }

    fn emit_vertex(&mut self, lane: usize, stream: u32, outputs: &[[u32; 4]]) {
        self.emitted.push((lane, stream, outputs.to_vec()));
    }

    fn end_primitive(&mut self, _: usize, _: u32) {}
}

impl Services for World {
    fn system_value(
        &mut self,
        lane: usize,
        op: IntrinsicOp,
        _: &ir::Fields,
    ) -> Result<[u64; 4], EvalError> {
        match op {
            IntrinsicOp::FragCoord => {
                let [x, y] = pixel(lane).map(|v| u64::from(v.to_bits()));
                let one = u64::from(1.0f32.to_bits());
                Ok([x, y, one, one])
            }
            IntrinsicOp::LocalInvocationIndex => Ok([lane as u64, 0, 0, 0]),
            IntrinsicOp::LocalInvocationId => Ok([lane as u64, 0, 0, 0]),
            IntrinsicOp::WorkgroupId => Ok([0; 4]),
            IntrinsicOp::HelperInvocation => Ok([0; 4]),
            IntrinsicOp::LoadBarycentric => {
                let [x, y] = pixel(lane);
                Ok([x.to_bits().into(), y.to_bits().into(), 0, 0])
            }
            _ => Err(EvalError::Unsupported(op.name())),
        }
    }

    fn barycentric(
        &mut self,
        lane: usize,
        op: IntrinsicOp,
        source: [u64; 4],
        _: bool,
    ) -> Result<[u64; 4], EvalError> {
        let [x, y] = pixel(lane);
        let offset = |i: usize| {
            if op == IntrinsicOp::LoadBarycentricAtOffset {
                f32::from_bits(source[i] as u32)
            } else {
                0.0
            }
        };
        Ok([(x + offset(0)).to_bits().into(), (y + offset(1)).to_bits().into(), 0, 0])
    }

    fn interpolate(&mut self, _: usize, at: [u32; 2], io: &Io) -> Result<u32, EvalError> {
        let Slot::Var(slot) = io.slot else {
            return Err(EvalError::Unsupported("built-in varyings"));
        };
        let [x, y] = at.map(|v| f64::from(f32::from_bits(v)));
        let key = (usize::from(slot) + io.offset as usize, usize::from(io.component));
        let [a, b, c] = self.planes.get(&key).copied().unwrap_or_default();
        Ok(((a * x + b * y + c) as f32).to_bits())
    }

    fn store_output(&mut self, lane: usize, io: &Io, value: u32) -> Result<(), EvalError> {
        self.stored.insert((lane, *io), value);
        Ok(())
    }

    fn load(&mut self, space: ir::eval::Space, offset: u64, bytes: u8) -> Result<u64, EvalError> {
        let memory = self.ir_memory(space).ok_or(EvalError::Unsupported("memory load"))?;
        let byte = |i: u64| memory.get((offset + i) as usize).copied().unwrap_or(0);
        Ok((0..u64::from(bytes)).fold(0, |value, i| value | u64::from(byte(i)) << (8 * i)))
    }

    fn store(
        &mut self,
        space: ir::eval::Space,
        offset: u64,
        bytes: u8,
        value: u64,
    ) -> Result<(), EvalError> {
        let memory = self.ir_memory(space).ok_or(EvalError::Unsupported("memory store"))?;
        for i in 0..u64::from(bytes) {
            if let Some(byte) = memory.get_mut((offset + i) as usize) {
                *byte = (value >> (8 * i)) as u8;
            }
        }
        Ok(())
    }

    fn buffer_size(&mut self, block: u32) -> Result<u32, EvalError> {
        let memory =
            self.storage_blocks.get(block as usize).ok_or(EvalError::Unsupported("ssbo_size"))?;
        Ok(memory.len() as u32)
    }
}

/// A default block in which every subroutine uniform selects the named function.
pub(super) fn select(program: &Program, function: &str) -> Vec<u8> {
    let mut block = vec![0; program.default_block_size as usize];
    for uniform in &program.subroutine_uniforms {
        let index = uniform.compatible.iter().find(|(name, _)| name == function).map_or(0, |f| f.1);
        for element in 0..uniform.array.unwrap_or(1) {
            let at = (uniform.offset + 4 * element) as usize;
            block[at..at + 4].copy_from_slice(&index.to_le_bytes());
        }
    }
    block
}

/// Runs a stage on the interpreter.
pub(super) fn interpret(
    program: &Program,
    stage: Stage,
    lanes: usize,
    world: &mut World,
) -> Result<Outputs, Error> {
    Interpreter::new(program).run(stage, lanes, Mask::all(lanes), world, 100_000)
}

/// Lowers a stage, checks the IR and evaluates it; the lanes that were discarded.
pub(super) fn evaluate(
    program: &Program,
    stage: Stage,
    lanes: usize,
    world: &mut World,
) -> Vec<bool> {
    let key = StageKey {
        targets: [TargetKind::Uint].into_iter().collect(),
        samples: 1,
        ..StageKey::default()
    };
    let shader =
        lower::lower(program, stage, &key, None).unwrap_or_else(|e| panic!("lowering: {e}"));
    ir::validate(&shader).unwrap_or_else(|e| {
        panic!(
            "{e}
{shader}"
        )
    });
    let options = EvalOptions { max_steps: 1_000_000, ..EvalOptions::default() };
    ir::eval::run(&shader, lanes, world, options)
        .unwrap_or_else(|e| panic!("evaluator: {e}\n{shader}"))
        .discarded
}

/// Functions every test shader has: `bits` shows any value's representation, `lane` tells the
/// quad's pixels apart.
const PRELUDE: &str = "#version 460 compatibility
#extension GL_ARB_shader_group_vote : enable
#extension GL_ARB_shader_ballot : enable
#extension GL_ARB_gpu_shader_int64 : enable
#extension GL_ARB_gpu_shader_fp64 : enable
#extension GL_AMD_gpu_shader_half_float : enable
#extension GL_AMD_gpu_shader_int16 : enable
#extension GL_INTEL_shader_integer_functions2 : enable
#extension GL_AMD_shader_trinary_minmax : enable
#extension GL_EXT_demote_to_helper_invocation : enable
uvec4 bits(float x) { return uvec4(floatBitsToUint(x), 0u, 0u, 0u); }
uvec4 bits(vec2 x) { return uvec4(floatBitsToUint(x), 0u, 0u); }
uvec4 bits(vec3 x) { return uvec4(floatBitsToUint(x), 0u); }
uvec4 bits(vec4 x) { return floatBitsToUint(x); }
uvec4 bits(mat2 m) { return floatBitsToUint(vec4(m[0], m[1])); }
uvec4 bits(int x) { return uvec4(x, 0, 0, 0); }
uvec4 bits(ivec2 x) { return uvec4(x, 0, 0); }
uvec4 bits(ivec3 x) { return uvec4(x, 0); }
uvec4 bits(ivec4 x) { return uvec4(x); }
uvec4 bits(uint x) { return uvec4(x, 0, 0, 0); }
uvec4 bits(uvec2 x) { return uvec4(x, 0, 0); }
uvec4 bits(uvec3 x) { return uvec4(x, 0); }
uvec4 bits(uvec4 x) { return x; }
uvec4 bits(bool x) { return uvec4(x, 0, 0, 0); }
uvec4 bits(bvec2 x) { return uvec4(x, 0, 0); }
uvec4 bits(bvec3 x) { return uvec4(x, 0); }
uvec4 bits(bvec4 x) { return uvec4(x); }
uvec4 bits(double x) { return uvec4(unpackDouble2x32(x), 0u, 0u); }
uvec4 bits(dvec2 x) { return uvec4(unpackDouble2x32(x.x), unpackDouble2x32(x.y)); }
uvec4 bits(int64_t x) { return uvec4(unpackUint2x32(uint64_t(x)), 0u, 0u); }
uvec4 bits(uint64_t x) { return uvec4(unpackUint2x32(x), 0u, 0u); }
uvec4 bits(float16_t x) { return uvec4(float16BitsToUint16(x), 0u, 0u, 0u); }
uvec4 bits(f16vec2 x) { return uvec4(float16BitsToUint16(x), 0u, 0u); }
uvec4 bits(f16vec3 x) { return uvec4(float16BitsToUint16(x), 0u); }
uvec4 bits(int16_t x) { return uvec4(x, 0, 0, 0); }
uvec4 bits(i16vec2 x) { return uvec4(x, 0, 0); }
uvec4 bits(i16vec4 x) { return uvec4(x); }
uvec4 bits(uint16_t x) { return uvec4(x, 0u, 0u, 0u); }
uvec4 bits(u16vec2 x) { return uvec4(x, 0u, 0u); }
uvec4 bits(u16vec3 x) { return uvec4(x, 0u); }
int lane() { return int(gl_FragCoord.x) - 10 + 2 * (int(gl_FragCoord.y) - 20); }
layout(location = 0) out uvec4 result;
#line 1
";

/// A test's shader: global declarations and the body of `main`, which assigns `result`.
pub(super) fn shader(globals: &str, body: &str) -> String {
    format!("{PRELUDE}{globals}\nvoid main() {{\n{body}\n}}\n")
}

/// One pixel's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pixel {
    /// The four components.
    pub value: [u32; 4],
    /// True for values that depend on an undefined value.
    pub undefined: [bool; 4],
    /// Discarded.
    pub killed: bool,
    /// True if control flow depended on an undefined value.
    pub undefined_control_flow: bool,
}

/// The quad's pixels as the interpreter shades them.
pub(super) fn interpreted(source: &str, world: &mut World) -> Vec<Pixel> {
    let program = program(&[(Stage::Fragment, source)]);
    let outputs = interpret(&program, Stage::Fragment, 4, world)
        .unwrap_or_else(|e| panic!("interpreter: {e}\n{source}"));
    pixels(&outputs)
}

/// Returns the output of a fragment stage with one color.
pub(super) fn pixels(outputs: &Outputs) -> Vec<Pixel> {
    let color = FragmentOutput::Color { location: 0, index: 0 };
    let value =
        &outputs.fragment.iter().find(|(o, _)| *o == color).expect("the shader writes a color").1;
    (0..4)
        .map(|lane| Pixel {
            value: std::array::from_fn(|c| value.get(c, lane) as u32),
            undefined: std::array::from_fn(|c| value.is_undefined(c, lane)),
            killed: outputs.killed.contains(lane),
            undefined_control_flow: outputs.undefined_control_flow.contains(lane),
        })
        .collect()
}

/// The quad's pixels as the lowered code shades them.
pub(super) fn evaluated(source: &str, world: &mut World) -> Vec<([u32; 4], bool)> {
    let program = program(&[(Stage::Fragment, source)]);
    let discarded = evaluate(&program, Stage::Fragment, 4, world);
    (0..4).map(|lane| (world.color(lane), discarded[lane])).collect()
}

/// Shades the quad on both executors; they must agree wherever the value is defined.
pub(super) fn quad(globals: &str, body: &str) -> Vec<Pixel> {
    quad_in(globals, body, &mut World::default())
}

/// As [`quad`], with memory. The memory afterwards must agree too.
pub(super) fn quad_in(globals: &str, body: &str, world: &mut World) -> Vec<Pixel> {
    let source = shader(globals, body);
    let mut other = world.clone();
    let pixels = interpreted(&source, world);
    let lowered = evaluated(&source, &mut other);
    for (lane, (pixel, (value, discarded))) in pixels.iter().zip(lowered).enumerate() {
        assert_eq!(pixel.killed, discarded, "lane {lane} discarded\n{globals}\n{body}");
        if pixel.killed || pixel.undefined_control_flow {
            continue;
        }
        for c in (0..4).filter(|&c| !pixel.undefined[c]) {
            assert_eq!(
                pixel.value[c], value[c],
                "component {c} of lane {lane}: interpreter {:#x}, lowered code {:#x}\n{globals}\n{body}",
                pixel.value[c], value[c]
            );
        }
    }
    assert_eq!(world.storage_blocks, other.storage_blocks, "memory\n{globals}\n{body}");
    assert_eq!(world.counters, other.counters, "counters\n{globals}\n{body}");
    pixels
}

/// The defined result of `main` in pixel 0.
pub(super) fn result(globals: &str, body: &str) -> [u32; 4] {
    let pixel = quad(globals, body)[0];
    assert_eq!(pixel.undefined, [false; 4], "undefined\n{globals}\n{body}");
    assert!(!pixel.undefined_control_flow, "undefined_control_flow\n{globals}\n{body}");
    pixel.value
}

/// The first component of every pixel; all must be defined.
pub(super) fn lanes(globals: &str, body: &str) -> [u32; 4] {
    let pixels = quad(globals, body);
    for pixel in &pixels {
        assert_eq!(
            (pixel.undefined, pixel.undefined_control_flow),
            ([false; 4], false),
            "undefined\n{globals}\n{body}"
        );
    }
    std::array::from_fn(|lane| pixels[lane].value[0])
}

/// Representations that start an expected value's components.
pub(super) trait Expected {
    fn words(&self) -> Vec<u32>;
}

macro_rules! expected {
    ($($ty:ty: |$x:ident| $words:expr),* $(,)?) => {
        $(impl Expected for $ty {
            fn words(&self) -> Vec<u32> {
                let $x = *self;
                $words
            }
        })*
    };
}

expected! {
    f32: |x| vec![x.to_bits()],
    i32: |x| vec![x as u32],
    u32: |x| vec![x],
    bool: |x| vec![x.into()],
    f64: |x| vec![x.to_bits() as u32, (x.to_bits() >> 32) as u32],
    i64: |x| vec![x as u32, (x >> 32) as u32],
    u64: |x| vec![x as u32, (x >> 32) as u32],
}

impl<T: Expected, const N: usize> Expected for [T; N] {
    fn words(&self) -> Vec<u32> {
        self.iter().flat_map(T::words).collect()
    }
}

/// Both executors give exactly this value.
#[track_caller]
pub(super) fn check(expression: &str, expected: impl Expected) {
    check_with("", expression, expected);
}

/// As [`check`], with declarations.
#[track_caller]
pub(super) fn check_with(globals: &str, expression: &str, expected: impl Expected) {
    let value = result(globals, &format!("result = bits({expression});"));
    let words = expected.words();
    assert_eq!(value[..words.len()], words[..], "`{expression}`: {value:x?}, expected {words:x?}");
}

/// `main`'s result is exactly this value.
#[track_caller]
pub(super) fn check_body(globals: &str, body: &str, expected: impl Expected) {
    let value = result(globals, body);
    let words = expected.words();
    assert_eq!(value[..words.len()], words[..], "{body}: {value:x?}, expected {words:x?}");
}

/// Interpreter only: the value is within one unit in the last place of a correctly rounded one.
#[track_caller]
pub(super) fn close(expression: &str, expected: f32) {
    let source = shader("", &format!("result = bits({expression});"));
    let pixel = interpreted(&source, &mut World::default())[0];
    assert!(!pixel.undefined[0], "`{expression}` is undefined");
    let got = f32::from_bits(pixel.value[0]);
    let distance = (i64::from(pixel.value[0] as i32) - i64::from(expected.to_bits() as i32)).abs();
    assert!(distance <= 1, "`{expression}`: {got}, expected {expected}");
}

/// The interpreter marks the first component as undefined.
#[track_caller]
pub(super) fn undefined(globals: &str, body: &str) {
    let source = shader(globals, body);
    let pixel = interpreted(&source, &mut World::default())[0];
    assert!(pixel.undefined[0], "defined as {:x?}: {globals}\n{body}", pixel.value);
}
