//! Random fragment shaders: every generation's code passes the allocation checker and the
//! instruction-set validator, with and without spilling, and with passes switched off. (That the
//! code computes the right values is tested where the simulator may be used.)

use intel_codegen::{CodegenOptions, StageKey, compile};
use intel_isa::DevInfo;
use ir::{AluOp, Builder, Fields, IntrinsicOp, Jump, Shader, Slot, Stage, Value, Varying};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use vocabulary::PassLimit;

/// The trials, with their names.
pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("every_generation_compiles_them", every_generation_compiles_them),
    ("everything_can_be_spilled", everything_can_be_spilled),
    ("passes_are_optional", passes_are_optional),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Int,
    Bool,
    Double,
}

struct Generator<'a, 'b> {
    rng: &'a mut Pcg64,
    b: Builder<'b>,
    pool: Vec<(Value, Kind)>,
    left: usize,
    depth: usize,
    array: ir::Local,
}

const FLOAT_OPS: &[AluOp] = &[
    AluOp::Fadd,
    AluOp::Fmul,
    AluOp::Fsub,
    AluOp::Fneg,
    AluOp::Fabs,
    AluOp::Fmin,
    AluOp::Fmax,
    AluOp::Fsat,
    AluOp::Fsign,
    AluOp::Frcp,
    AluOp::Frsq,
    AluOp::Fsqrt,
    AluOp::Fexp2,
    AluOp::Flog2,
    AluOp::Fsin,
    AluOp::Fpow,
    AluOp::Ffloor,
    AluOp::Fceil,
    AluOp::Ftrunc,
    AluOp::FroundEven,
    AluOp::Ffract,
    AluOp::Fdiv,
    AluOp::Ffma,
    AluOp::Flrp,
    AluOp::Fddx,
    AluOp::Fddy,
    AluOp::FddyFine,
];
const INT_OPS: &[AluOp] = &[
    AluOp::Iadd,
    AluOp::Isub,
    AluOp::Imul,
    AluOp::Ineg,
    AluOp::Iabs,
    AluOp::Isign,
    AluOp::Imin,
    AluOp::Umax,
    AluOp::Ishl,
    AluOp::Ishr,
    AluOp::Ushr,
    AluOp::Iand,
    AluOp::Ior,
    AluOp::Ixor,
    AluOp::Inot,
    AluOp::Bfm,
    AluOp::Bfi,
    AluOp::Ibfe,
    AluOp::Ubfe,
    AluOp::BitfieldReverse,
    AluOp::BitCount,
    AluOp::FindLsb,
    AluOp::UfindMsb,
    AluOp::IfindMsb,
    AluOp::ImulHigh,
    AluOp::UmulHigh,
    AluOp::UaddCarry,
    AluOp::Idiv,
    AluOp::Umod,
    AluOp::Imod,
];
const COMPARISONS: &[(AluOp, Kind)] = &[
    (AluOp::Feq, Kind::Float),
    (AluOp::Flt, Kind::Float),
    (AluOp::Fge, Kind::Double),
    (AluOp::Fneu, Kind::Double),
    (AluOp::Ilt, Kind::Int),
    (AluOp::Uge, Kind::Int),
    (AluOp::Ieq, Kind::Int),
    (AluOp::F2b, Kind::Double),
];
const DOUBLE_OPS: &[AluOp] = &[
    AluOp::Fadd,
    AluOp::Fmul,
    AluOp::Fsub,
    AluOp::Fneg,
    AluOp::Fabs,
    AluOp::Fmin,
    AluOp::Fmax,
    AluOp::Ffma,
];
const CONVERSIONS: &[(AluOp, Kind, Kind)] = &[
    (AluOp::F2f64, Kind::Float, Kind::Double),
    (AluOp::I2f64, Kind::Int, Kind::Double),
    (AluOp::U2f64, Kind::Int, Kind::Double),
    (AluOp::B2f64, Kind::Bool, Kind::Double),
    (AluOp::F2f32, Kind::Double, Kind::Float),
    (AluOp::F2i32, Kind::Double, Kind::Int),
    (AluOp::F2u32, Kind::Float, Kind::Int),
    (AluOp::I2f32, Kind::Int, Kind::Float),
    (AluOp::B2f32, Kind::Bool, Kind::Float),
    (AluOp::B2i32, Kind::Bool, Kind::Int),
    (AluOp::Unpack64X, Kind::Double, Kind::Int),
    (AluOp::Unpack64Y, Kind::Double, Kind::Int),
    (AluOp::Inot, Kind::Bool, Kind::Bool),
    (AluOp::UnpackHalfY, Kind::Int, Kind::Float),
];

impl Generator<'_, '_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.next_u32() as usize % n
    }

    fn value(&mut self, kind: Kind) -> Value {
        for _ in 0..8 {
            let at = self.below(self.pool.len());
            let (value, k) = self.pool[at];
            if k == kind {
                return value;
            }
        }
        let n = self.below(9) as i64 - 4;
        match kind {
            Kind::Float => self.b.fconst(32, n as f64 * 0.75),
            Kind::Int => self.b.iconst(32, n),
            Kind::Bool => self.b.bool(n > 0),
            Kind::Double => self.b.fconst(64, n as f64 * 0.1),
        }
    }

    fn operate(&mut self, op: AluOp, from: Kind, to: Kind) {
        let sources: Vec<Value> = (0..op.info().inputs.len()).map(|_| self.value(from)).collect();
        let value = self.b.alu(op, &sources);
        self.pool.push((value, to));
    }

    fn step(&mut self) {
        match self.below(12) {
            0..=2 => {
                let op = FLOAT_OPS[self.below(FLOAT_OPS.len())];
                self.operate(op, Kind::Float, Kind::Float);
            }
            3..=4 => {
                let op = INT_OPS[self.below(INT_OPS.len())];
                self.operate(op, Kind::Int, Kind::Int);
            }
            5 => {
                let (op, kind) = COMPARISONS[self.below(COMPARISONS.len())];
                self.operate(op, kind, Kind::Bool);
            }
            6..=7 => {
                let op = DOUBLE_OPS[self.below(DOUBLE_OPS.len())];
                self.operate(op, Kind::Double, Kind::Double);
            }
            8 => {
                let (op, from, to) = CONVERSIONS[self.below(CONVERSIONS.len())];
                self.operate(op, from, to);
            }
            9 => {
                let kind = [Kind::Float, Kind::Int, Kind::Double, Kind::Bool][self.below(4)];
                let (c, x, y) = (self.value(Kind::Bool), self.value(kind), self.value(kind));
                let value = self.b.bcsel(c, x, y);
                self.pool.push((value, kind));
            }
            10 => {
                let (low, high) = (self.value(Kind::Int), self.value(Kind::Int));
                let value = self.b.pack_64_2x32_split(low, high);
                self.pool.push((value, Kind::Double));
            }
            _ => {
                let (x, mask) = (self.value(Kind::Int), self.b.imm(3));
                let index = self.b.iand(x, mask);
                let stored = self.value(Kind::Double);
                self.b.store_element(self.array, index, stored, 1);
                let loaded = self.b.load_element(self.array, index);
                let block = self.b.imm(0);
                let fetched = self.b.load_ubo(block, index, 32, 3);
                let fetched = self.b.channel(fetched, 2);
                self.pool.extend([(loaded, Kind::Double), (fetched, Kind::Int)]);
            }
        }
    }

    fn code(&mut self) {
        for _ in 0..4 + self.below(8) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            match self.below(14) {
                0 if self.depth < 4 => self.branch(),
                1 if self.depth < 4 => self.repeat(),
                2 => {
                    let cond = self.value(Kind::Bool);
                    self.b.intrinsic(IntrinsicOp::DiscardIf, &[cond], Fields::default(), None);
                }
                _ => self.step(),
            }
        }
    }

    fn branch(&mut self) {
        self.depth += 1;
        let (cond, base) = (self.value(Kind::Bool), self.pool.len());
        self.b.push_if(cond);
        self.code();
        let x = self.value(Kind::Double);
        self.pool.truncate(base);
        self.b.push_else();
        self.code();
        let y = self.value(Kind::Double);
        self.pool.truncate(base);
        let ends = self.b.pop_if();
        let phi = self.b.if_phi(ends, x, y);
        self.pool.push((phi, Kind::Double));
        self.depth -= 1;
    }

    fn repeat(&mut self) {
        self.depth += 1;
        let (x, y, limit) =
            (self.value(Kind::Float), self.value(Kind::Float), self.value(Kind::Float));
        let (entry, base) = (self.b.block(), self.pool.len());
        self.b.push_loop();
        let (p, q) = (self.b.loop_phi(entry, x), self.b.loop_phi(entry, y));
        self.pool.extend([(p, Kind::Float), (q, Kind::Float)]);
        let done = self.b.fge(p, limit);
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
        self.code();
        let next = self.value(Kind::Float);
        let latch = self.b.pop_loop();
        // The two exchange roles, so that the copies at the end cross.
        self.b.add_phi_src(p, latch, q);
        self.b.add_phi_src(q, latch, next);
        self.pool.truncate(base);
        self.pool.push((p, Kind::Float));
        self.depth -= 1;
    }
}

fn random_shader(seed: u64, size: usize) -> Shader {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut shader = Shader::new(Stage::Fragment);
    shader.info.ubos = 1;
    shader.info.inputs = vec![Varying::new(Slot::Var(0))];
    let array = shader.create_local(64, 1, 4, "a");
    let mut b = Builder::new(&mut shader);
    let block = b.imm(0);
    let offset = b.imm(32);
    let doubles = b.load_ubo(block, offset, 64, 2);
    let bary =
        b.intrinsic(IntrinsicOp::LoadBarycentric, &[], Fields::default(), Some((32, 2))).unwrap();
    let fields = Fields { slot: Slot::Var(0), ..Fields::default() };
    let zero = b.imm(0);
    let varying = b
        .intrinsic(IntrinsicOp::LoadInterpolatedInput, &[bary, zero], fields, Some((32, 2)))
        .unwrap();
    let (d, f) = (b.channels(doubles), b.channels(varying));
    let pool =
        vec![(d[0], Kind::Double), (d[1], Kind::Double), (f[0], Kind::Float), (f[1], Kind::Float)];
    let mut g = Generator { rng: &mut rng, b, pool, left: size, depth: 0, array };
    while g.left > 0 {
        g.code();
    }
    let color: Vec<Value> = (0..4).map(|_| g.value(Kind::Float)).collect();
    let low = g.value(Kind::Double);
    let depth = g.b.f2f32(low);
    let color = g.b.vec(&color);
    g.b.store_output(Slot::FragColor { location: 0, index: 0 }, 0, color);
    g.b.store_output(Slot::FragDepth, 0, depth);
    g.b.finish();
    ir::validate(&shader).unwrap();
    shader
}

fn check(shader: &Shader, device: &'static DevInfo, options: &CodegenOptions, what: &str) {
    let compiled = compile(shader, &StageKey::default(), device, options)
        .unwrap_or_else(|e| panic!("{what} on {}: {e}\n{shader}", device.name));
    for kernel in &compiled.kernels {
        let violations = intel_isa::validate_program(device, &kernel.code);
        assert!(
            violations.is_empty(),
            "{what} on {} {:?}: {:?}",
            device.name,
            kernel.width,
            violations[0]
        );
        let again = compile(shader, &StageKey::default(), device, options).unwrap();
        assert_eq!(again, compiled, "{what}: not deterministic");
    }
    let text = serde_json::to_string(&compiled).unwrap();
    assert_eq!(serde_json::from_str::<intel_codegen::output::Output>(&text).unwrap(), compiled);
}

fn every_generation_compiles_them() {
    for seed in 0..25 {
        let shader = random_shader(seed, 30 + 5 * seed as usize);
        for device in DevInfo::all() {
            let options = CodegenOptions { paranoid: true, ..CodegenOptions::default() };
            check(&shader, device, &options, &format!("seed {seed}"));
        }
    }
}

fn everything_can_be_spilled() {
    for seed in 100..112 {
        let shader = random_shader(seed, 60);
        for device in DevInfo::all() {
            let options =
                CodegenOptions { paranoid: true, spill_all: true, ..CodegenOptions::default() };
            check(&shader, device, &options, &format!("seed {seed}, spilling all"));
        }
    }
}

fn passes_are_optional() {
    let ivb = DevInfo::get("ivb").unwrap();
    for seed in 200..206 {
        let shader = random_shader(seed, 60);
        for limit in 0..10 {
            let options = CodegenOptions {
                paranoid: true,
                pass_limits: vec![PassLimit::all(limit)],
                ..CodegenOptions::default()
            };
            check(&shader, ivb, &options, &format!("seed {seed}, {limit} passes"));
        }
        for pass in intel_codegen::passes::SCALAR.optimize {
            let options = CodegenOptions {
                paranoid: true,
                disabled_passes: vec![pass.name.to_owned()],
                ..CodegenOptions::default()
            };
            check(&shader, ivb, &options, &format!("seed {seed} without {}", pass.name));
        }
    }
}
