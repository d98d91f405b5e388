//! Random valid shaders for tests, and running them. Float and integer values never mix, and float
//! results are made canonical before they are stored, so that a pass may change the payload of a
//! NaN but nothing else.

use crate::eval::{EvalOptions, Io, Space, TestServices, run};
use crate::testing::numbers::Rng;
use crate::*;
use std::collections::BTreeMap;

/// Limits of a generated shader.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub instructions: usize,
    pub nesting: usize,
    pub max_bits: u8,
    pub arrays: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { instructions: 60, nesting: 4, max_bits: 64, arrays: true }
    }
}

struct Generator<'a, 'b> {
    rng: &'a mut Rng,
    b: Builder<'b>,
    limits: Limits,
    pool: Vec<(Value, Class)>,
    locals: Vec<(Local, Class)>,
    left: usize,
    in_loop: bool,
}

/// A random fragment shader: inputs var0–3 (floats) and var4–7 (integers), UBO 0, SSBO 0, outputs
/// frag_color0–7.
pub(crate) fn random_shader(rng: &mut Rng, limits: Limits) -> Shader {
    let mut shader = Shader::new(Stage::Fragment);
    let b = Builder::new(&mut shader);
    let left = limits.instructions;
    let mut g =
        Generator { rng, b, limits, pool: Vec::new(), locals: Vec::new(), left, in_loop: false };
    g.prologue();
    g.code(0);
    g.epilogue();
    g.b.finish();
    shader
}

impl Generator<'_, '_> {
    fn widths(&self, class: Class) -> Vec<u8> {
        let all: &[u8] = match class {
            Class::Float => &[16, 32, 64],
            Class::Bool => &[1],
            _ => &[8, 16, 32, 64],
        };
        all.iter().copied().filter(|&b| b <= self.limits.max_bits).collect()
    }

    fn prologue(&mut self) {
        for slot in 0..8 {
            let value = self.b.load_input(Slot::Var(slot), 0, 4);
            self.pool.push((value, if slot < 4 { Class::Float } else { Class::Int }));
        }
        for i in 0..4 {
            let class = [Class::Float, Class::Int, Class::Bool, Class::Int][i];
            let widths = self.widths(class);
            let bits = self.rng.pick(&widths);
            let components = 1 + self.rng.below(4) as u8;
            let length = if self.limits.arrays && i == 3 { 4 } else { 1 };
            let local = self.b.shader.create_local(bits, components, length, format!("x{i}"));
            for index in 0..length {
                let value = self.value(class, bits, components);
                let index = self.b.imm(index);
                self.b.store_element(local, index, value, 0xf);
            }
            self.locals.push((local, class));
        }
    }

    /// A value of this shape: from the pool, a component of something, or a constant.
    fn value(&mut self, class: Class, bits: u8, components: u8) -> Value {
        for _ in 0..12 {
            let (value, c) = self.pool[self.rng.below(self.pool.len())];
            let same_class =
                c == class || (c != Class::Float && class != Class::Float && bits != 1);
            if same_class && self.b.shader.bits(value) == bits && (bits == 1) == (c == Class::Bool)
            {
                let have = self.b.shader.components(value);
                if have == components && self.rng.below(3) > 0 {
                    return value;
                }
                let swizzle: Vec<u8> =
                    (0..components).map(|_| self.rng.below(have.into()) as u8).collect();
                return self.b.swizzle(value, &swizzle);
            }
        }
        let data: Vec<u64> = (0..components)
            .map(|_| match class {
                Class::Float => self.rng.float(bits),
                _ => self.rng.int(bits),
            })
            .collect();
        self.b.constant(bits, &data)
    }

    fn arithmetic(&mut self) {
        let op = self.rng.pick(AluOp::ALL);
        let info = op.info();
        if info.is_derivative() {
            return;
        }
        let components = 1 + self.rng.below(4) as u8;
        // Operations on raw bits take any one class.
        let raw = matches!(op, AluOp::Mov | AluOp::Bcsel) || op.is_vec();
        let raw_class = self.rng.pick(&[Class::Float, Class::Int, Class::Bool]);
        let class_of = |o: &Operand| if raw && o.bits == 0 { raw_class } else { o.class };
        let unsized_class = info.inputs.iter().find(|i| i.bits == 0).map_or(Class::Int, &class_of);
        let widths = self.widths(unsized_class);
        let width = self.rng.pick(&widths);
        if info.inputs.iter().chain([&info.output]).any(|o| o.bits > self.limits.max_bits) {
            return;
        }
        let mut srcs = Vec::new();
        for (i, input) in info.inputs.iter().enumerate() {
            let bits = if input.bits == 0 { width } else { input.bits };
            let count = info.source_components(i, components);
            let value = self.value(class_of(input), bits, count);
            srcs.push(Src::new(value));
        }
        let count = if info.output.components == 0 { components } else { info.output.components };
        self.b.exact = self.rng.below(3) == 0;
        let result = self.b.alu_src(op, &srcs, count);
        self.b.exact = false;
        self.pool.push((result, class_of(&info.output)));
    }

    fn memory(&mut self) {
        match self.rng.below(3) {
            0 => {
                let (block, offset) = (self.b.imm(0), self.rng.below(16) as u32 * 4);
                let offset = self.b.imm(offset);
                let value = self.b.load_ubo(block, offset, 32, 2);
                self.pool.push((value, Class::Int));
            }
            1 => {
                let value = self.value(Class::Int, 32, 1);
                let (block, offset) = (self.b.imm(0), self.rng.below(16) as u32 * 4);
                let offset = self.b.imm(offset);
                let fields = Fields { write_mask: 1, ..Fields::default() };
                self.b.intrinsic(IntrinsicOp::StoreSsbo, &[value, block, offset], fields, None);
            }
            _ => {
                let (block, offset) = (self.b.imm(0), self.rng.below(16) as u32 * 4);
                let offset = self.b.imm(offset);
                let value =
                    self.b.load(IntrinsicOp::LoadSsbo, &[block, offset], Fields::default(), 32, 1);
                self.pool.push((value, Class::Int));
            }
        }
    }

    fn local_access(&mut self) {
        let (local, class) = self.rng.pick(&self.locals);
        let data = self.b.shader.locals[local].clone();
        let dynamic = data.length > 1 && self.rng.below(2) == 0;
        let index = if dynamic {
            let index = self.value(Class::Int, 32, 1);
            let three = self.b.imm(3);
            self.b.iand(index, three)
        } else {
            let index = self.rng.below(data.length as usize) as u32;
            self.b.imm(index)
        };
        if self.rng.below(2) == 0 {
            let value = self.b.load_element(local, index);
            self.pool.push((value, class));
        } else {
            let value = self.value(class, data.bits, data.components);
            let mask = 1 + self.rng.below((1 << data.components) - 1) as u8;
            self.b.store_element(local, index, value, mask);
        }
    }

    fn code(&mut self, depth: usize) {
        let count = 2 + self.rng.below(self.limits.instructions / 2);
        for _ in 0..count {
            if self.left == 0 || self.b.is_terminated() {
                return;
            }
            self.left -= 1;
            match self.rng.below(20) {
                0 | 1 => self.memory(),
                2..=5 => self.local_access(),
                6 | 7 if depth < self.limits.nesting => self.branch(depth),
                8 if depth < self.limits.nesting => self.repeat(depth),
                9 if self.in_loop && depth > 1 && self.rng.below(2) == 0 => {
                    let jump = self.rng.pick(&[Jump::Break, Jump::Continue]);
                    self.b.jump(jump);
                    return;
                }
                _ => self.arithmetic(),
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.value(Class::Bool, 1, 1);
        let size = self.pool.len();
        self.b.push_if(cond);
        self.code(depth + 1);
        self.pool.truncate(size);
        if self.rng.below(2) == 0 {
            self.b.push_else();
            self.code(depth + 1);
            self.pool.truncate(size);
        }
        self.b.pop_if();
    }

    /// A loop of at most four iterations, counted by a local of its own at the top of the body.
    fn repeat(&mut self, depth: usize) {
        let counter = self.b.shader.create_local(32, 1, 1, "i");
        let zero = self.b.imm(0);
        self.b.store_var(counter, zero);
        let (size, outer) = (self.pool.len(), self.in_loop);
        self.b.push_loop();
        self.in_loop = true;
        let i = self.b.load_var(counter);
        let limit = 1 + self.rng.below(4) as u32;
        let limit = self.b.imm(limit);
        let done = self.b.uge(i, limit);
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
        let one = self.b.imm(1);
        let next = self.b.iadd(i, one);
        self.b.store_var(counter, next);
        self.pool.push((i, Class::Int));
        self.code(depth + 1);
        self.b.pop_loop();
        self.pool.truncate(size);
        self.in_loop = outer;
    }

    /// Stores a selection of values, all locals among them.
    fn epilogue(&mut self) {
        let mut values: Vec<(Value, Class)> = Vec::new();
        for (local, class) in self.locals.clone() {
            for index in 0..self.b.shader.locals[local].length {
                let index = self.b.imm(index);
                values.push((self.b.load_element(local, index), class));
            }
        }
        values.extend(self.pool.iter().rev().take(12).copied());
        let mut location = 0;
        for (value, class) in values {
            let value = match class {
                Class::Float => {
                    let ordered = self.b.feq(value, value);
                    let nan = self.b.fconst(self.b.shader.bits(value), f64::NAN);
                    self.b.bcsel(ordered, value, nan)
                }
                _ => value,
            };
            for part in self.b.channels(value) {
                let words: Vec<Value> = match self.b.shader.bits(part) {
                    64 => vec![
                        self.b.unpack_64_2x32_split_x(part),
                        self.b.unpack_64_2x32_split_y(part),
                    ],
                    32 => vec![part],
                    1 => vec![self.b.b2i32(part)],
                    _ => vec![self.b.u2u32(part)],
                };
                for word in words {
                    let slot = Slot::FragColor { location, index: 0 };
                    self.b.store_output(slot, 0, word);
                    location = location.wrapping_add(1);
                }
            }
        }
    }
}

/// Everything observable of a run with 4 lanes on random inputs.
pub(crate) type Observed = (BTreeMap<(usize, Io), u32>, Vec<u8>, Vec<bool>);

/// Runs a shader on inputs that depend on the seed.
pub(crate) fn observe(shader: &Shader, seed: u64) -> Observed {
    let mut rng = Rng::new(seed);
    let mut services = TestServices::default();
    for lane in 0..4 {
        for slot in 0..8 {
            let values: Vec<u32> = (0..4)
                .map(|_| if slot < 4 { rng.float(32) as u32 } else { rng.int(32) as u32 })
                .collect();
            services.set_input(lane, Slot::Var(slot), &values);
        }
    }
    for space in [Space::Ubo(0), Space::Ssbo(0)] {
        services.memory.insert(space, (0..128).map(|_| rng.next() as u8).collect());
    }
    let outcome = run(shader, 4, &mut services, EvalOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{shader}"));
    (
        services.outputs,
        services.memory.remove(&Space::Ssbo(0)).unwrap_or_default(),
        outcome.discarded,
    )
}
