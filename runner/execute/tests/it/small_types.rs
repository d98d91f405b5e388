//! 8- and 16-bit operations and conversions from the IR down: the compiled code computes what the
//! evaluator computes.

use crate::common::{constant_setup, program};
use compiler::Binary;
use compiler::passes::IrTarget;
use intel_device::{SimulatorDevice, SimulatorOptions};
use intel_isa::DevInfo;
use ir::eval::{EvalError, EvalOptions, Io, Services, Space};
use ir::ops::Class;
use ir::pass::{PassManager, PassOptions};
use ir::{AluOp, Builder, Fields, IntrinsicOp, Shader, Slot, Stage, Value};
use program::{StageKey, TargetKind};
use raster::device::{
    Batch, Device, DrawState, FragmentBatch, FragmentOutputs, ProgramId, Quad, first_lanes,
};
use shader_device::Cores;
use shader_device::OtherSources;

/// Pixels of a run: one SIMD16 thread, two SIMD8 threads.
const LANES: usize = 16;
/// Window corner of the pixels; quads go to the right.
const CORNER: [i32; 2] = [10, 20];
/// Operands of an operation.
const OPERANDS: usize = 3;
/// Bytes from one lane's operand to the next lane's.
const STEP: u32 = 8;

/// A small generator of operands (splitmix64).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Bits of an operand: small, near a power of two, of a moderate or special float, or any.
    fn operand(&mut self, class: Class, bits: u8) -> u64 {
        let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
        let sign = (self.next() & 1) << (bits - 1);
        let value = match (class, self.next() % 5) {
            (Class::Bool, _) => self.next() & 1,
            (Class::Float, 0) => {
                ir::fold::encode_float(bits, (self.next() % 2000) as f64 / 8.0) | sign
            }
            (Class::Float, 1) => {
                ir::fold::encode_float(bits, (self.next() % 200_000) as f64 / 3.0) | sign
            }
            // Around the smallest and largest halves.
            (Class::Float, 2) => {
                ir::fold::encode_float(bits, (self.next() % 4000) as f64 * 2f64.powi(-27)) | sign
            }
            (Class::Float, 3) => {
                ir::fold::encode_float(bits, 65_472.0 + (self.next() % 100) as f64) | sign
            }
            (_, 0) => self.next() % 8,
            (_, 1) => (self.next() % 8).wrapping_neg(),
            (_, 2) => (1u64 << (self.next() % u64::from(bits)))
                .wrapping_add(self.next() % 3)
                .wrapping_sub(1),
            _ => self.next(),
        };
        value & mask
    }
}

/// How operands reach the operation.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// One per lane.
    Lanes,
    /// Uniform data.
    Uniform,
}

/// Width of operand `index` of `op` applied to `bits`, with the class it has.
fn operand_shape(op: AluOp, index: usize, bits: u8) -> (Class, u8) {
    let operand = op.info().inputs[index];
    let width = match operand.bits {
        0 => bits,
        fixed => fixed,
    };
    (operand.class, width)
}

/// `op` on operands of the uniform block, its result to color 0 (and 64-bit results' upper halves
/// too).
fn shader_of(op: AluOp, bits: u8, sources: [Source; OPERANDS]) -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    shader.info.ubos = 1;
    shader.info.float_controls.flush_f32 = true;
    let mut b = Builder::new(&mut shader);
    b.exact = true;
    let coordinates = b.system_value(IntrinsicOp::FragCoord);
    let (x, y) = (b.channel(coordinates, 0), b.channel(coordinates, 1));
    let (x, y) = (b.f2i32(x), b.f2i32(y));
    let (left, bottom) = (b.iconst(32, -i64::from(CORNER[0])), b.iconst(32, -i64::from(CORNER[1])));
    let (x, y) = (b.iadd(x, left), b.iadd(y, bottom));
    let (row, count) = (b.imm(LANES as u32 / 2), b.imm(3));
    let y = b.imul(y, row);
    let lane = b.iadd(x, y);
    let place = b.ishl(lane, count);
    let operands: Vec<Value> = (0..op.info().inputs.len())
        .map(|i| {
            let (class, width) = operand_shape(op, i, bits);
            let start = b.imm(i as u32 * LANES as u32 * STEP);
            let offset = match sources[i] {
                Source::Lanes => b.iadd(place, start),
                Source::Uniform => start,
            };
            operand(&mut b, offset, class, width)
        })
        .collect();
    let result = b.alu(op, &operands);
    let (low, high) = dwords(&mut b, result);
    let color = b.vec(&[low, high, low, high]);
    b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, color);
    b.finish();
    ir::validate(&shader).unwrap_or_else(|e| panic!("{e}\n{shader}"));
    shader
}

fn operand(b: &mut Builder<'_>, offset: Value, class: Class, bits: u8) -> Value {
    let block = b.imm(0);
    let pair = b.load_ubo(block, offset, 32, 2);
    let (low, high) = (b.channel(pair, 0), b.channel(pair, 1));
    match (class, bits) {
        (Class::Bool, _) => b.i2b(low),
        (_, 8) => b.u2u8(low),
        (_, 16) => b.unpack_32_2x16_split_x(low),
        (_, 64) => b.pack_64_2x32_split(low, high),
        _ => low,
    }
}

fn dwords(b: &mut Builder<'_>, value: Value) -> (Value, Value) {
    let zero = b.imm(0);
    match b.shader.bits(value) {
        1 => (b.b2i32(value), zero),
        8 | 16 => (b.u2u32(value), zero),
        64 => (b.unpack_64_2x32_split_x(value), b.unpack_64_2x32_split_y(value)),
        _ => (value, zero),
    }
}

fn position(lane: usize) -> [i32; 2] {
    let x = CORNER[0] + lane as i32 / 4 * 2 + (lane as i32 & 1);
    [x, CORNER[1] + (lane as i32 >> 1 & 1)]
}

struct World<'a> {
    uniforms: &'a [u8],
    pixels: Vec<[u32; 4]>,
}

impl Services for World<'_> {
    fn system_value(
        &mut self,
        lane: usize,
        op: IntrinsicOp,
        _: &Fields,
    ) -> Result<[u64; 4], EvalError> {
        if op != IntrinsicOp::FragCoord {
            return Err(EvalError::Unsupported(op.name()));
        }
        let [x, y] = position(lane);
        Ok([x as f32 + 0.5, y as f32 + 0.5, 0.5, 1.0].map(|v| v.to_bits().into()))
    }

    fn store_output(&mut self, lane: usize, io: &Io, value: u32) -> Result<(), EvalError> {
        self.pixels[lane][usize::from(io.component)] = value;
        Ok(())
    }

    fn load(&mut self, _: Space, offset: u64, bytes: u8) -> Result<u64, EvalError> {
        let byte = |i: u64| self.uniforms.get((offset + i) as usize).copied().unwrap_or(0);
        Ok((0..u64::from(bytes)).fold(0, |value, i| value | u64::from(byte(i)) << (8 * i)))
    }
}

fn evaluate(shader: &Shader, uniforms: &[u8]) -> Vec<[u32; 4]> {
    let mut world = World { uniforms, pixels: vec![[0; 4]; LANES] };
    ir::eval::run(shader, LANES, &mut world, EvalOptions::default())
        .unwrap_or_else(|e| panic!("{e}"));
    world.pixels
}

/// A folder with the binary of a shader for a generation.
fn compile(
    shader: &Shader,
    generation: &str,
    spill_all: bool,
) -> Result<tempfile::TempDir, String> {
    let devinfo = DevInfo::get(generation).expect("a known generation");
    let mut shader = shader.clone();
    let mut manager = PassManager::new(PassOptions { validate: true, ..PassOptions::default() });
    let passes = &mut manager;
    let target = IrTarget::of(devinfo, shader.info.stage, None, false);
    compiler::passes::early(passes, &mut shader)
        .and_then(|()| compiler::passes::late(passes, &mut shader, target))
        .map_err(|e| e.to_string())?;
    let options = vocabulary::CodegenOptions { spill_all, ..vocabulary::CodegenOptions::default() };
    let compiled =
        intel_codegen::compile(&shader, &intel_codegen::StageKey::default(), devinfo, &options)
            .map_err(|e| e.to_string())?;
    let binary = Binary { generation: generation.into(), compiled };
    compiler::validate(devinfo, &binary).map_err(|e| e.to_string())?;
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    binary.write(folder.path()).map_err(|e| e.to_string())?;
    Ok(folder)
}

fn simulate(folder: &tempfile::TempDir, generation: &str, uniforms: &[u8]) -> Vec<[u32; 4]> {
    let source =
        "#version 430\nuniform uint u;\nout uvec4 color;\nvoid main() { color = uvec4(u); }\n";
    let program = program(&[(program::Stage::Fragment, source)]);
    let mut device = SimulatorDevice::new(SimulatorOptions {
        devinfo: DevInfo::get(generation).expect("a known generation"),
        compiler: compiler::CodegenOptions::default(),
        cache: std::sync::Arc::default(),
        decoders: std::sync::Arc::default(),
        others: OtherSources { folder: Some(folder.path().into()), compiler: None },
        math: eu_simulator::MathMode::Exact,
        step_limit: 1 << 20,
        seed: 1,
        trace: None,
        cores: Cores::default(),
    });
    let key = StageKey {
        targets: [TargetKind::Uint].into_iter().collect(),
        samples: 1,
        ..StageKey::default()
    };
    let state = DrawState { program: &program, program_id: ProgramId(0), key: &key };
    let quads =
        (0..LANES as i32 / 4).map(|i| Quad { x: CORNER[0] + 2 * i, y: CORNER[1], primitive: 0 });
    let mut batch = Batch::Fragment(FragmentBatch {
        quads: quads.collect(),
        live: first_lanes(LANES),
        primitives: vec![constant_setup()],
        samples: 1,
        sample_positions: vec![[0.5; 2]],
        sample_id: None,
        sample_mask_in: vec![1; LANES],
        outputs: FragmentOutputs::new(1, LANES),
    });
    let mut services = crate::common::Uniforms(uniforms.to_vec());
    device
        .shade(program::Stage::Fragment, &state, &mut batch, &mut services)
        .unwrap_or_else(|e| panic!("{e}"));
    let Batch::Fragment(batch) = batch else { unreachable!("the batch keeps its kind") };
    (0..LANES).map(|lane| std::array::from_fn(|c| batch.outputs.color.get(c, lane))).collect()
}

/// Both are NaN of the given width.
fn both_nan(a: [u32; 4], b: [u32; 4], bits: u8) -> bool {
    let value = |v: [u32; 4]| ir::fold::decode_float(bits, u64::from(v[0]) | u64::from(v[1]) << 32);
    value(a).is_nan() && value(b).is_nan()
}

fn check(op: AluOp, bits: u8, rng: &mut Rng, failures: &mut Vec<String>) {
    let uniforms: Vec<u8> = (0..OPERANDS)
        .flat_map(|i| (0..LANES).map(move |_| i))
        .flat_map(|i| {
            let (class, width) = operand_shape(op, i.min(op.info().inputs.len() - 1), bits);
            let value = rng.operand(class, width);
            // The result of a division by zero depends on the hardware.
            let divisor = i == 1 && matches!(op, Idiv | Udiv | Imod | Umod | Irem);
            // So is the sign of what is no number.
            let nothing = op == Fsign && ir::fold::decode_float(width, value).is_nan();
            if divisor {
                value.max(1)
            } else if nothing {
                0
            } else {
                value
            }
            .to_le_bytes()
        })
        .collect();
    let pick =
        |rng: &mut Rng| if rng.next().is_multiple_of(4) { Source::Uniform } else { Source::Lanes };
    let sources = [pick(rng), pick(rng), pick(rng)];
    let shader = shader_of(op, bits, sources);
    let expected = evaluate(&shader, &uniforms);
    let result_bits = match op.info().output.bits {
        0 => bits,
        fixed => fixed,
    };
    let float = op.info().output.class == Class::Float;
    let spill_all = rng.next().is_multiple_of(4);
    for generation in ["bdw", "chv", "skl"] {
        let name = format!(
            "{} of {bits} bits, {sources:?}, {generation}, spilled: {spill_all}",
            op.name()
        );
        let folder = match compile(&shader, generation, spill_all) {
            Ok(folder) => folder,
            Err(error) => {
                failures.push(format!("{name}: {error}"));
                continue;
            }
        };
        let got = simulate(&folder, generation, &uniforms);
        for (lane, (&want, &got)) in expected.iter().zip(&got).enumerate() {
            if want != got && !(float && both_nan(want, got, result_bits)) {
                let operands = [0, 1, 2].map(|i| {
                    let [x, y] = position(lane);
                    let place = (x - CORNER[0]) as usize + (y - CORNER[1]) as usize * (LANES / 2);
                    let lane = if matches!(sources[i], Source::Lanes) { place } else { 0 };
                    let at = (i * LANES + lane) * STEP as usize;
                    format!("{:02x?}", &uniforms[at..at + 8])
                });
                failures.push(format!("{name}: {operands:?}: {got:x?}, not {want:x?}"));
                break;
            }
        }
    }
}

/// Operations without operands of free width but of this one.
fn takes(op: AluOp, bits: u8) -> bool {
    let info = op.info();
    let free = info.inputs.first().is_some_and(|i| i.bits == 0);
    let float = info.inputs.first().is_some_and(|i| i.class == Class::Float);
    free && (!float || bits > 8)
}

fn run(ops: &[AluOp], widths: &[u8], seed: u64) {
    let mut rng = Rng(seed);
    let mut failures = Vec::new();
    for &op in ops {
        for &bits in widths.iter().filter(|&&bits| takes(op, bits)) {
            for _ in 0..3 {
                check(op, bits, &mut rng, &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

use AluOp::*;

#[test]
fn integers() {
    let ops = [
        Iadd, Isub, Imul, Ineg, Iabs, Isign, Imin, Imax, Umin, Umax, Ishl, Ishr, Ushr, Iand, Ior,
        Ixor, Inot, Ieq, Ine, Ilt, Ige, Ult, Uge, I2b, Idiv, Udiv, Imod, Umod, Irem, ImulHigh,
        UmulHigh, UaddCarry, UsubBorrow, BitCount, FindLsb, UfindMsb, Bcsel,
    ];
    run(&ops, &[8, 16], 1);
}

#[test]
fn halves() {
    let ops = [
        Fadd, Fsub, Fmul, Ffma, Fneg, Fabs, Fsign, Fsat, Fmin, Fmax, Ffloor, Fceil, Ftrunc, Ffract,
        FroundEven, Fdiv, Frcp, Feq, Fneu, Flt, Fge, F2b,
    ];
    run(&ops, &[16], 2);
}

#[test]
fn conversions() {
    let floats = [F2f16, F2f16Rtne, F2f16Rtz, F2f32, F2f64];
    run(&floats, &[16, 32, 64], 3);
    let to_int = [F2i16, F2i32, F2u16, F2u32, F2i64, F2u64];
    run(&to_int, &[16], 4);
    let from_int = [
        I2f16, U2f16, I2f32, U2f32, I2f64, U2f64, I2i8, I2i16, I2i32, I2i64, U2u8, U2u16, U2u32,
        U2u64,
    ];
    run(&from_int, &[8, 16, 32, 64], 5);
}

#[test]
fn booleans() {
    let mut rng = Rng(6);
    let mut failures = Vec::new();
    for op in [B2f16, B2i8, B2i16] {
        check(op, 1, &mut rng, &mut failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
