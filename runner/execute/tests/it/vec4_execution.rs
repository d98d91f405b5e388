//! Vertex shaders compiled by the vec4 back end run on the simulator and agree bit for bit with the
//! evaluator of the IR: hand-written cases and random shaders under non-uniform control flow, with
//! and without spilling.

use crate::vec4_harness::{
    Data, GENS, Rng, agree, attribute, build, differences, output, uniform, wide_attribute,
};
use intel_codegen::{CodegenOptions, Quirk, QuirkSet};
use ir::{AluOp, Builder, Fields, IntrinsicOp, Jump, Shader, Slot, Src, Value};

#[test]
fn constant_position() {
    let shader = build(|b| {
        let position = b.constant(32, &[0x3f80_0000, 0, 0x4040_0000, 0x3f80_0000]);
        b.store_output(Slot::Position, 0, position);
    });
    for gen_name in GENS {
        agree(&shader, gen_name, &CodegenOptions::default(), &Data::new(1));
    }
}

/// Doubles under control flow in which the two vertices differ.
fn divergent_doubles() -> Shader {
    build(|b| {
        let a = wide_attribute(b, 0);
        let selector = attribute(b, 4, 1);
        let (one, two) = (b.imm(1), b.imm(2));
        let low = b.iand(selector, one);
        let zero = b.imm(0);
        let even = b.ieq(low, zero);
        let local = b.shader.create_local(64, 4, 1, "x");
        b.store_var(local, a);
        b.push_if(even);
        let doubled = b.fadd(a, a);
        let y = b.swizzle(doubled, &[1, 0, 3, 2]);
        b.store_var(local, y);
        b.push_else();
        let half = b.fconst(64, 0.3);
        let scaled = b.fmul(a, half);
        let pair = b.swizzle(scaled, &[2, 3]);
        let first = b.channel(pair, 0);
        let second = b.channel(pair, 1);
        let mixed = b.vec(&[first, second, first, first]);
        b.store_var(local, mixed);
        b.pop_if();
        let _ = two;
        let result = b.load_var(local);
        output(b, 0, result);
        let bigger = b.flt(a, result);
        let picked = b.bcsel(bigger, a, result);
        output(b, 2, picked);
        let narrowed = b.f2f32(picked);
        output(b, 4, narrowed);
        let back = b.f2f64(narrowed);
        output(b, 6, back);
        let whole = b.f2i32(result);
        output(b, 8, whole);
    })
}

#[test]
fn doubles_under_divergent_control_flow() {
    let mut shader = divergent_doubles();
    ir::passes::opt_promote_locals(&mut shader);
    for gen_name in GENS {
        for seed in 0..20 {
            agree(&shader, gen_name, &CodegenOptions::default(), &Data::moderate(seed));
        }
    }
}

/// Each quirk's handling matters: with it off some result is wrong, or the code is refused.
#[test]
fn quirks_switched_off() {
    let mut divergent = divergent_doubles();
    ir::passes::opt_promote_locals(&mut divergent);
    let swizzles = build(|b| {
        let a = wide_attribute(b, 0);
        let constant = b.fconst(64, 0.3);
        for (slot, swizzle) in [[0, 0, 2, 2], [1, 0, 3, 2], [3, 1, 0, 2]].into_iter().enumerate() {
            let srcs = [Src::with_swizzle(a, swizzle), Src::splat(constant, 0)];
            let sum = b.alu_src(AluOp::Fmul, &srcs, 4);
            output(b, 2 * slot as u8, sum);
        }
        let pair = b.alu_src(AluOp::Fadd, &[Src::new(a), Src::new(a)], 2);
        let first = b.channel(pair, 0);
        let second = b.channel(pair, 1);
        let joined = b.vec(&[first, second, second, first]);
        output(b, 6, joined);
        let less = b.flt(a, constant);
        let picked = b.bcsel(less, a, joined);
        output(b, 8, picked);
        let offset = uniform(b, 64, 64, 2);
        let wide = b.swizzle(offset, &[0, 1, 0, 1]);
        let sum = b.fadd(wide, a);
        output(b, 10, sum);
        let narrow = attribute(b, 5, 4);
        let up = b.f2f64(narrow);
        output(b, 12, up);
        let ints = attribute(b, 4, 4);
        let product = b.imul(ints, narrow);
        output(b, 14, product);
        let lo = b.pack_64_2x32_split(narrow, ints);
        output(b, 16, lo);
    });
    let quirks: [(&str, &[Quirk]); 2] = [
        (
            "ivb",
            &[
                Quirk::IvbDfExecSize,
                Quirk::IvbDfRegions,
                Quirk::IvbAlign16DfWidth,
                Quirk::DfExecMask,
                Quirk::Align16DfSwizzle,
                Quirk::Align16DfWritemask,
                Quirk::Gen7SecondHalfControls,
                Quirk::Gen7TwoGrfSource,
                Quirk::Gen7DwordMul,
                Quirk::Gen7CmpSwitch,
            ],
        ),
        (
            "hsw",
            &[
                Quirk::DfExecMask,
                Quirk::Align16DfSwizzle,
                Quirk::Align16DfWritemask,
                Quirk::Gen7Align16DfSel,
                Quirk::Gen7SecondHalfControls,
                Quirk::Gen7TwoGrfSource,
                Quirk::Gen7Align16Vstride0,
                Quirk::Gen7DwordMul,
                Quirk::Gen7CmpSwitch,
            ],
        ),
    ];
    for (gen_name, list) in quirks {
        for &quirk in list {
            let options = CodegenOptions {
                disabled_quirks: QuirkSet::default().with(quirk),
                ..CodegenOptions::default()
            };
            let mut seeds = 0..12;
            let broken = seeds.any(|seed| {
                [&divergent, &swizzles].iter().any(|shader| {
                    !differences(shader, gen_name, &options, &Data::moderate(seed)).is_empty()
                })
            });
            assert!(broken, "{gen_name}: nothing depends on the handling of {}", quirk.name());
        }
    }
}

/// Doubles ordinary and special.
fn double(rng: &mut Rng) -> f64 {
    match rng.below(4) {
        0 => rng.below(100) as f64 / 8.0,
        1 => -(rng.next() as f64) / 3.0,
        2 => [0.0, -0.0, f64::INFINITY, f64::NAN, 5e-324, 1e308][rng.below(6)],
        _ => f64::from_bits(rng.next()),
    }
}

/// A random shader: values of every kind, branches, loops, arrays with variable indices.
struct Generator<'a, 'b> {
    b: &'a mut Builder<'b>,
    rng: Rng,
    pool: Vec<Value>,
    left: u32,
    in_loop: bool,
    doubles: bool,
}

impl Generator<'_, '_> {
    fn value(&mut self, bits: u8, n: u8) -> Value {
        for _ in 0..16 {
            let value = self.pool[self.rng.below(self.pool.len())];
            if self.b.shader.bits(value) == bits {
                let have = u32::from(self.b.shader.components(value));
                if have == u32::from(n) && self.rng.below(3) > 0 {
                    return value;
                }
                let swizzle: Vec<u8> =
                    (0..n).map(|_| self.rng.below(have as usize) as u8).collect();
                return self.b.swizzle(value, &swizzle);
            }
        }
        let data: Vec<u64> = (0..n)
            .map(|_| match bits {
                64 => double(&mut self.rng).to_bits(),
                32 => u64::from(self.rng.dword()),
                _ => self.rng.next() & 1,
            })
            .collect();
        self.b.constant(bits, &data)
    }

    fn arithmetic(&mut self) {
        use AluOp::*;
        const NARROW: &[AluOp] = &[
            Fadd,
            Fsub,
            Fmul,
            Fmin,
            Fmax,
            Fsat,
            Ffloor,
            Fceil,
            Ftrunc,
            FroundEven,
            Feq,
            Fneu,
            Flt,
            Fge,
            Ieq,
            Ine,
            Ilt,
            Ige,
            Ult,
            Uge,
            Iadd,
            Isub,
            Imul,
            Ineg,
            Iabs,
            Isign,
            Imin,
            Imax,
            Umin,
            Umax,
            ImulHigh,
            UmulHigh,
            UaddCarry,
            UsubBorrow,
            Ishl,
            Ishr,
            Ushr,
            Iand,
            Ior,
            Ixor,
            Inot,
            Bfm,
            Bfi,
            Ibfe,
            Ubfe,
            BitfieldReverse,
            BitCount,
            FindLsb,
            UfindMsb,
            IfindMsb,
            I2f32,
            U2f32,
            F2i32,
            F2u32,
            B2f32,
            B2i32,
            F2b,
            I2b,
            Bcsel,
            Vec2,
            Vec3,
            Vec4,
            Mov,
            BallFeq3,
            BanyFneu4,
            BallIeq2,
            BanyIne3,
            Idiv,
            Udiv,
            Umod,
            Irem,
            Imod,
        ];
        const WIDE: &[AluOp] = &[
            Fadd,
            Fsub,
            Fmul,
            Fneg,
            Fabs,
            Fmin,
            Fmax,
            Feq,
            Fneu,
            Flt,
            Fge,
            F2f32,
            F2i32,
            F2u32,
            F2f64,
            I2f64,
            U2f64,
            B2f64,
            Bcsel,
            Vec2,
            Vec3,
            Vec4,
            Mov,
            Pack64,
            Unpack64X,
            Unpack64Y,
            PackVec64,
            UnpackVec64,
            F2b,
            BallFeq2,
            BanyFneu3,
            Ffma,
        ];
        let wide = self.doubles && self.rng.below(2) == 0;
        let op = if wide {
            WIDE[self.rng.below(WIDE.len())]
        } else {
            NARROW[self.rng.below(NARROW.len())]
        };
        let info = op.info();
        let n = 1 + self.rng.below(4) as u8;
        let mut free = if wide { 64 } else { 32 };
        if matches!(op, Iand | Ior | Ixor | Inot | Bcsel | Mov | Vec4) && self.rng.below(3) == 0 {
            free = 1;
        }
        if matches!(op, F2f64 | I2f64 | U2f64) {
            free = 32;
        }
        let mut srcs: Vec<Src> = (0..info.inputs.len())
            .map(|i| {
                let bits = if info.inputs[i].bits == 0 { free } else { info.inputs[i].bits };
                let count = info.source_components(i, n);
                Src::new(self.value(bits, count))
            })
            .collect();
        if matches!(op, Idiv | Udiv | Umod | Irem | Imod) {
            // Division by zero is undefined.
            let one = self.b.imm(1);
            srcs[1] = Src::new(self.b.ior(srcs[1].value, one));
        }
        let count = if info.output.components == 0 { n } else { info.output.components };
        let result = self.b.alu_src(op, &srcs, count);
        self.pool.push(result);
    }

    fn access_array(&mut self, local: ir::Local) {
        let data = self.b.shader.locals[local].clone();
        let index = if self.rng.below(2) == 0 {
            let index = self.value(32, 1);
            let mask = self.b.imm(data.length - 1);
            self.b.iand(index, mask)
        } else {
            let index = self.rng.below(data.length as usize) as u32;
            self.b.imm(index)
        };
        if self.rng.below(2) == 0 {
            let value = self.b.load_element(local, index);
            self.pool.push(value);
        } else {
            let value = self.value(data.bits, data.components);
            let mask = 1 + self.rng.below((1 << data.components) - 1) as u8;
            self.b.store_element(local, index, value, mask);
        }
    }

    fn code(&mut self, depth: u32, locals: &[ir::Local]) {
        let count = 3 + self.rng.below(16);
        for _ in 0..count {
            if self.left == 0 || self.b.is_terminated() {
                return;
            }
            self.left -= 1;
            match self.rng.below(16) {
                0..=2 if !locals.is_empty() => {
                    let local = locals[self.rng.below(locals.len())];
                    self.access_array(local);
                }
                3 | 4 if depth < 4 => {
                    let cond = self.value(1, 1);
                    let size = self.pool.len();
                    self.b.push_if(cond);
                    self.code(depth + 1, locals);
                    self.pool.truncate(size);
                    if self.rng.below(2) == 0 {
                        self.b.push_else();
                        self.code(depth + 1, locals);
                        self.pool.truncate(size);
                    }
                    self.b.pop_if();
                }
                5 if depth < 3 => self.repeat(depth, locals),
                6 if self.in_loop && depth > 1 && self.rng.below(2) == 0 => {
                    let jump = [Jump::Break, Jump::Continue][self.rng.below(2)];
                    self.b.jump(jump);
                    return;
                }
                7 if depth > 0 && self.rng.below(12) == 0 => {
                    self.b.jump(Jump::Halt);
                    return;
                }
                _ => self.arithmetic(),
            }
        }
    }

    fn repeat(&mut self, depth: u32, locals: &[ir::Local]) {
        let counter = self.b.shader.create_local(32, 1, 1, "i");
        let zero = self.b.imm(0);
        self.b.store_var(counter, zero);
        let (size, outer) = (self.pool.len(), self.in_loop);
        // Vertices leave after different numbers of iterations.
        let three = self.b.imm(3);
        let limit = self.value(32, 1);
        let limit = self.b.iand(limit, three);
        self.b.push_loop();
        self.in_loop = true;
        let i = self.b.load_var(counter);
        let done = self.b.uge(i, limit);
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
        let one = self.b.imm(1);
        let next = self.b.iadd(i, one);
        self.b.store_var(counter, next);
        self.pool.push(i);
        self.code(depth + 1, locals);
        self.b.pop_loop();
        self.pool.truncate(size);
        self.in_loop = outer;
    }
}

fn random_shader(seed: u64, doubles: bool, size: u32) -> Shader {
    let mut shader = build(|b| {
        let mut rng = Rng::new(seed);
        let mut pool = Vec::new();
        for slot in 0..4 {
            pool.push(attribute(b, slot, 4));
        }
        pool.push(attribute(b, 4, 4));
        for i in 0..4 {
            let n = 1 + rng.below(4) as u8;
            // Some of it is past the pushed range.
            pool.push(uniform(b, 16 * i + if rng.below(3) == 0 { 384 } else { 0 }, 32, n));
        }
        let offset = b.load_input(Slot::Attribute(4), 0, 1);
        let bits = b.imm(0x70);
        let offset = b.iand(offset, bits);
        let block = b.imm(0);
        pool.push(b.load(IntrinsicOp::LoadUbo, &[block, offset], Fields::default(), 32, 3));
        if doubles {
            pool.push(wide_attribute(b, 0));
            pool.push(uniform(b, 64, 64, 3));
            pool.push(uniform(b, 8, 64, 1));
            pool.push(b.load(IntrinsicOp::LoadUbo, &[block, offset], Fields::default(), 64, 4));
        }
        let yes = b.bool(true);
        pool.push(yes);
        let mut locals = Vec::new();
        for i in 0..3u8 {
            let bits = if doubles && i == 1 { 64 } else { 32 };
            let n = 1 + rng.below(4) as u8;
            let local = b.shader.create_local(bits, n, if i == 2 { 1 } else { 4 }, "x");
            for index in 0..b.shader.locals[local].length {
                let index = b.imm(index);
                let zero = b.zero(bits, n);
                b.store_element(local, index, zero, (1 << n) - 1);
            }
            locals.push(local);
        }
        let mut g = Generator { b, rng, pool, left: size, in_loop: false, doubles };
        while g.left > 0 && !g.b.is_terminated() {
            g.code(0, &locals);
        }
        let mut values = Vec::new();
        for &local in &locals {
            for index in 0..g.b.shader.locals[local].length {
                let index = g.b.imm(index);
                values.push(g.b.load_element(local, index));
            }
        }
        values.extend(g.pool.iter().rev().copied());
        let mut slot = 0;
        for value in values {
            if slot + 2 > 28 {
                break;
            }
            let value = match g.b.shader.bits(value) {
                1 => g.b.b2i32(value),
                64 => {
                    // The payload of a NaN is not compared.
                    let ordered = g.b.feq(value, value);
                    let nan = g.b.fconst(64, f64::NAN);
                    g.b.bcsel(ordered, value, nan)
                }
                _ => value,
            };
            output(g.b, slot, value);
            slot += if g.b.shader.bits(value) == 64 { 2 } else { 1 };
        }
    });
    ir::passes::opt_promote_locals(&mut shader);
    ir::validate(&shader).unwrap_or_else(|e| panic!("{e}\n{shader}"));
    shader
}

fn random(doubles: bool, options: &CodegenOptions, seeds: std::ops::Range<u64>, size: u32) {
    for seed in seeds {
        let shader = random_shader(seed, doubles, size);
        for gen_name in GENS {
            for data in 0..2 {
                agree(&shader, gen_name, options, &Data::new(seed * 7 + data));
            }
        }
    }
}

#[test]
fn random_shaders() {
    random(false, &CodegenOptions::default(), 0..60, 60);
}

#[test]
fn random_shaders_with_doubles() {
    random(true, &CodegenOptions::default(), 0..60, 60);
}

#[test]
fn random_shaders_that_spill() {
    let options = CodegenOptions { spill_all: true, ..CodegenOptions::default() };
    random(true, &options, 100..115, 40);
}
