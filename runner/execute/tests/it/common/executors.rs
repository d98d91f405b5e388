//! A fragment shader on the interpreter, the IR evaluator (before and after the passes) and the
//! simulator.

use interpreter::{
    AddressSpace, Environment, Error, ImageRequest, InterpolateAt, Interpreter, Mask,
    TextureRequest,
};
use ir::eval::{EvalError, EvalOptions, Io, Services};
use ir::intrinsics::{Fields, IntrinsicOp};
use program::{BuiltinVariable, FragmentOutput, Program, Stage, StageKey, TargetKind};
use raster::device::{
    Batch, Device, DeviceError, DrawState, FragmentBatch, FragmentOutputs, ProgramId, Quad,
};

use super::{Uniforms, constant_setup, program, try_program};

/// Pixels of a run: four quads of one primitive, so one SIMD16 thread or two SIMD8 threads.
pub(crate) const LANES: usize = 16;
/// Window corner of the first quad; the others follow to the right.
const CORNER: [i32; 2] = [10, 20];
/// Statements and instructions a run may take.
const BUDGET: u64 = 1 << 22;

/// Outputs as raw bits: `pixels[lane][location * 4 + component]`.
pub(crate) type Pixels = Vec<Vec<u32>>;

/// Results of the reference.
pub(crate) struct Reference {
    /// Outputs.
    pub bits: Pixels,
    /// The parts of them that GLSL leaves undefined.
    pub undefined: Vec<Vec<bool>>,
    /// Lanes discarded.
    pub killed: Vec<bool>,
}

/// A linked fragment shader whose outputs are `uvec4`s.
pub(crate) struct Shader {
    /// The typed program.
    pub program: Program,
    /// Number of outputs.
    pub targets: usize,
}

impl Shader {
    /// Compiles and links a source.
    pub(crate) fn new(source: &str, targets: usize) -> Shader {
        Shader { program: program(&[(Stage::Fragment, source)]), targets }
    }

    /// As [`Shader::new`], with the front end's message if it refuses.
    pub(crate) fn try_new(source: &str, targets: usize) -> Result<Shader, String> {
        Ok(Shader { program: try_program(&[(Stage::Fragment, source)])?, targets })
    }

    /// The draw-time state: integer targets.
    pub(crate) fn key(&self) -> StageKey {
        let targets = std::iter::repeat_n(TargetKind::Uint, self.targets).collect();
        StageKey { targets, samples: 1, ..StageKey::default() }
    }

    /// Bytes of a uniform by name, from one pattern of `size` bytes per component (columns one
    /// after the other), written into the default block at array element `element`.
    pub(crate) fn put(
        &self,
        block: &mut [u8],
        name: &str,
        element: u32,
        size: usize,
        rows: usize,
        values: &[u64],
    ) {
        let Some(uniform) = self.program.uniforms.iter().find(|u| u.name == name) else { return };
        for (i, value) in values.iter().enumerate() {
            let column = (i / rows) as u32 * uniform.matrix_stride;
            let at = (uniform.offset + element * uniform.array_stride + column) as usize
                + i % rows * size;
            block[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        }
    }

    /// An empty default block.
    pub(crate) fn block(&self) -> Vec<u8> {
        vec![0; self.program.default_block_size as usize]
    }

    /// Runs the interpreter.
    pub(crate) fn interpret(&self, uniforms: &[u8]) -> Result<Reference, Error> {
        let mut world = World { uniforms };
        let mut interpreter = Interpreter::new(&self.program);
        let outputs =
            interpreter.run(Stage::Fragment, LANES, Mask::all(LANES), &mut world, BUDGET)?;
        let rows = self.targets * 4;
        let mut reference = Reference {
            bits: vec![vec![0; rows]; LANES],
            undefined: vec![vec![false; rows]; LANES],
            killed: (0..LANES).map(|lane| outputs.killed.contains(lane)).collect(),
        };
        for (output, value) in &outputs.fragment {
            let FragmentOutput::Color { location, .. } = *output else { continue };
            for (lane, c) in (0..LANES).flat_map(|lane| (0..4).map(move |c| (lane, c))) {
                let row = usize::from(location) * 4 + c;
                reference.bits[lane][row] = value.get(c, lane) as u32;
                reference.undefined[lane][row] =
                    value.is_undefined(c, lane) || outputs.undefined_control_flow.contains(lane);
            }
        }
        Ok(reference)
    }

    /// The IR as lowered, before any pass.
    pub(crate) fn lowered(&self) -> ir::Shader {
        lower::lower(&self.program, Stage::Fragment, &self.key(), None)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// The IR after the whole pass list of a generation.
    pub(crate) fn optimized(
        &self,
        generation: &str,
        options: &compiler::CodegenOptions,
    ) -> Result<ir::Shader, String> {
        let devinfo = intel_isa::DevInfo::get(generation).expect("a known generation");
        compiler::ir_after(
            &self.program,
            Stage::Fragment,
            &self.key(),
            devinfo,
            options,
            &mut |_, _| {},
        )
        .map_err(|e| e.to_string())
    }

    /// Runs a form of the IR; also gives the lanes discarded.
    pub(crate) fn evaluate(
        &self,
        ir: &ir::Shader,
        uniforms: &[u8],
    ) -> Result<(Pixels, Vec<bool>), EvalError> {
        let mut services = EvalWorld { uniforms, pixels: vec![vec![0; self.targets * 4]; LANES] };
        let options = EvalOptions { max_steps: BUDGET, ..EvalOptions::default() };
        let outcome = ir::eval::run(ir, LANES, &mut services, options)?;
        Ok((services.pixels, outcome.discarded))
    }

    /// Runs a device; also gives the lanes discarded.
    pub(crate) fn shade(
        &self,
        device: &mut dyn Device,
        uniforms: &[u8],
    ) -> Result<(Pixels, Vec<bool>), DeviceError> {
        let key = self.key();
        let state = DrawState { program: &self.program, program_id: ProgramId(0), key: &key };
        let quads = (0..LANES as i32 / 4).map(|i| Quad {
            x: CORNER[0] + 2 * i,
            y: CORNER[1],
            primitive: 0,
        });
        let mut batch = Batch::Fragment(FragmentBatch {
            quads: quads.collect(),
            live: (1 << LANES) - 1,
            primitives: vec![constant_setup()],
            samples: 1,
            sample_positions: vec![[0.5; 2]],
            sample_id: None,
            sample_mask_in: vec![1; LANES],
            outputs: FragmentOutputs::new(self.targets, LANES),
        });
        device.shade(Stage::Fragment, &state, &mut batch, &mut Uniforms(uniforms.to_vec()))?;
        let Batch::Fragment(batch) = batch else { unreachable!("the batch keeps its kind") };
        let color = &batch.outputs.color;
        let pixels =
            (0..LANES).map(|lane| (0..self.targets * 4).map(|row| color.get(row, lane)).collect());
        let killed = (0..LANES).map(|lane| batch.outputs.killed >> lane & 1 != 0);
        Ok((pixels.collect(), killed.collect()))
    }
}

/// `gl_FragCoord` of a lane.
fn frag_coord(lane: usize) -> [f32; 4] {
    let x = CORNER[0] + lane as i32 / 4 * 2 + (lane as i32 & 1);
    let y = CORNER[1] + (lane as i32 >> 1 & 1);
    [x as f32 + 0.5, y as f32 + 0.5, 0.5, 1.0]
}

fn read(bytes: &[u8], offset: u64, size: u64) -> u64 {
    let byte =
        |i: u64| usize::try_from(offset + i).ok().and_then(|i| bytes.get(i)).copied().unwrap_or(0);
    (0..size).fold(0, |value, i| value | u64::from(byte(i)) << (8 * i))
}

struct EvalWorld<'a> {
    uniforms: &'a [u8],
    pixels: Pixels,
}

impl Services for EvalWorld<'_> {
    fn system_value(
        &mut self,
        lane: usize,
        op: IntrinsicOp,
        _: &Fields,
    ) -> Result<[u64; 4], EvalError> {
        match op {
            IntrinsicOp::FragCoord => Ok(frag_coord(lane).map(|v| v.to_bits().into())),
            IntrinsicOp::HelperInvocation => Ok([0; 4]),
            _ => Err(EvalError::Unsupported(op.name())),
        }
    }

    fn store_output(&mut self, lane: usize, io: &Io, value: u32) -> Result<(), EvalError> {
        if let ir::Slot::FragColor { location, .. } = io.slot {
            let row = (usize::from(location) + io.offset as usize) * 4 + usize::from(io.component);
            self.pixels[lane][row] = value;
        }
        Ok(())
    }

    fn load(&mut self, space: ir::eval::Space, offset: u64, bytes: u8) -> Result<u64, EvalError> {
        match space {
            ir::eval::Space::Ubo(0) => Ok(read(self.uniforms, offset, bytes.into())),
            _ => Err(EvalError::Unsupported("memory")),
        }
    }
}

struct World<'a> {
    uniforms: &'a [u8],
}

impl Environment for World<'_> {
    fn attribute(&mut self, _: usize, _: usize, _: usize) -> u32 {
        0
    }
    fn varying(&mut self, _: usize, _: usize, _: u32, _: usize) -> u32 {
        0
    }
    fn interpolate(&mut self, _: usize, _: usize, _: usize, _: InterpolateAt) -> f64 {
        0.0
    }
    fn system_value(&mut self, variable: BuiltinVariable, component: usize, lane: usize) -> u32 {
        match variable {
            BuiltinVariable::FragCoord => frag_coord(lane)[component].to_bits(),
            _ => 0,
        }
    }
    fn load(&mut self, space: AddressSpace, offset: u32, bytes: u32) -> Option<u64> {
        let end = offset as usize + bytes as usize;
        (space == AddressSpace::DefaultBlock && end <= self.uniforms.len())
            .then(|| read(self.uniforms, offset.into(), bytes.into()))
    }
    fn store(&mut self, _: AddressSpace, _: u32, _: u32, _: u64) -> bool {
        false
    }
    fn size(&mut self, _: AddressSpace) -> u32 {
        self.uniforms.len() as u32
    }
    fn texture(&mut self, _: &TextureRequest) -> Result<[u32; 4], Error> {
        Err(Error::Unsupported("textures"))
    }
    fn image(&mut self, _: &ImageRequest) -> Result<[u32; 4], Error> {
        Err(Error::Unsupported("images"))
    }
    fn emit_vertex(&mut self, _: usize, _: u32, _: &[[u32; 4]]) {}
    fn end_primitive(&mut self, _: usize, _: u32) {}
}
