//! Random shaders with control flow: ifs and loops that lanes take differently, jumps out of them,
//! discards.

use crate::harness::*;
use crate::operations::shader;
use amd_isa::Chip;
use ir::eval::Space;
use ir::{AluOp, Builder, Fields, IntrinsicOp, Jump, Local, Shader, Slot, Value};

const INTEGER: &[AluOp] = &[
    AluOp::Iadd,
    AluOp::Isub,
    AluOp::Imul,
    AluOp::Iand,
    AluOp::Ior,
    AluOp::Ixor,
    AluOp::Imin,
    AluOp::Umax,
    AluOp::Ishl,
    AluOp::Ushr,
    AluOp::Bfm,
    AluOp::UaddCarry,
];
const COMPARISONS: &[AluOp] = &[AluOp::Ilt, AluOp::Uge, AluOp::Ieq, AluOp::Ine];

struct Generator<'a, 'b> {
    rng: &'a mut Rng,
    b: Builder<'b>,
    values: Vec<Value>,
    conditions: Vec<Value>,
    locals: Vec<Local>,
    left: usize,
    in_loop: bool,
    discards: bool,
}

impl Generator<'_, '_> {
    fn value(&mut self) -> Value {
        if self.rng.below(6) == 0 {
            let dword = self.rng.dword();
            return self.b.imm(dword);
        }
        let at = self.rng.below(self.values.len());
        self.values[at]
    }

    fn condition(&mut self) -> Value {
        let at = self.rng.below(self.conditions.len());
        self.conditions[at]
    }

    fn step(&mut self) {
        match self.rng.below(9) {
            0..=3 => {
                let op = self.rng.pick(INTEGER);
                let (x, y) = (self.value(), self.value());
                let value = self.b.alu(op, &[x, y]);
                self.values.push(value);
            }
            4 => {
                let op = self.rng.pick(COMPARISONS);
                let (x, y) = (self.value(), self.value());
                let value = self.b.alu(op, &[x, y]);
                self.conditions.push(value);
            }
            5 => {
                let (x, y) = (self.condition(), self.condition());
                let op = self.rng.pick(&[AluOp::Iand, AluOp::Ior, AluOp::Ixor]);
                let value = self.b.alu(op, &[x, y]);
                self.conditions.push(value);
            }
            6 => {
                let (c, x, y) = (self.condition(), self.value(), self.value());
                let value = self.b.bcsel(c, x, y);
                self.values.push(value);
            }
            7 => {
                let local = self.rng.pick(&self.locals.clone());
                if self.b.shader.locals[local].bits == 1 {
                    let value = self.condition();
                    self.b.store_var(local, value);
                } else {
                    let value = self.value();
                    self.b.store_var(local, value);
                }
            }
            _ => {
                let local = self.rng.pick(&self.locals.clone());
                let value = self.b.load_var(local);
                if self.b.shader.locals[local].bits == 1 {
                    self.conditions.push(value);
                } else {
                    self.values.push(value);
                }
            }
        }
    }

    fn load(&mut self) {
        let block = self.b.imm(0);
        let offset = if self.rng.below(2) == 0 {
            let offset = self.rng.below(16) as u32 * 4;
            self.b.imm(offset)
        } else {
            let (x, mask) = (self.value(), self.b.imm(0x3c));
            self.b.iand(x, mask)
        };
        let value = self.b.load_ubo(block, offset, 32, 1);
        self.values.push(value);
    }

    fn code(&mut self, depth: usize) {
        for _ in 0..2 + self.rng.below(10) {
            if self.left == 0 || self.b.is_terminated() {
                return;
            }
            self.left -= 1;
            match self.rng.below(16) {
                0..=2 if depth < 4 => self.branch(depth),
                3 if depth < 4 => self.repeat(depth),
                4 if self.in_loop && depth > 1 => {
                    let jump = self.rng.pick(&[Jump::Break, Jump::Continue]);
                    self.b.jump(jump);
                    return;
                }
                5 if self.discards && self.rng.below(3) == 0 => {
                    let cond = self.condition();
                    self.b.intrinsic(IntrinsicOp::DiscardIf, &[cond], Fields::default(), None);
                }
                6 => self.load(),
                _ => self.step(),
            }
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.condition();
        let (values, conditions) = (self.values.len(), self.conditions.len());
        self.b.push_if(cond);
        self.code(depth + 1);
        self.values.truncate(values);
        self.conditions.truncate(conditions);
        if self.rng.below(2) == 0 {
            self.b.push_else();
            self.code(depth + 1);
            self.values.truncate(values);
            self.conditions.truncate(conditions);
        }
        self.b.pop_if();
    }

    /// A loop of at most five iterations; values made in its straight part are used after it.
    fn repeat(&mut self, depth: usize) {
        let counter = self.b.shader.create_local(32, 1, 1, "i");
        let zero = self.b.imm(0);
        self.b.store_var(counter, zero);
        let (values, conditions) = (self.values.len(), self.conditions.len());
        let outer = std::mem::replace(&mut self.in_loop, true);
        self.b.push_loop();
        let i = self.b.load_var(counter);
        let limit = self.b.imm(1 + self.rng.below(5) as u32);
        let mixed = self.value();
        let made = self.b.ixor(i, mixed);
        let odd = self.b.ilt(made, i);
        let done = self.b.uge(i, limit);
        self.b.push_if(done);
        self.b.jump(Jump::Break);
        self.b.pop_if();
        let one = self.b.imm(1);
        let next = self.b.iadd(i, one);
        self.b.store_var(counter, next);
        self.values.push(i);
        self.code(depth + 1);
        self.b.pop_loop();
        self.values.truncate(values);
        self.conditions.truncate(conditions);
        // Both dominate the exit: every break comes after them.
        self.values.push(made);
        self.conditions.push(odd);
        self.in_loop = outer;
    }
}

fn random_shader(rng: &mut Rng, size: usize, discards: bool) -> Shader {
    let mut shader = shader();
    shader.info.ubos = 1;
    let locals: Vec<Local> =
        [32, 32, 1, 1].into_iter().map(|bits| shader.create_local(bits, 1, 1, "x")).collect();
    let mut b = Builder::new(&mut shader);
    let mut values = Vec::new();
    for slot in 0..2 {
        let loaded = b.load_input(Slot::Var(slot), 0, 4);
        values.extend(b.channels(loaded));
    }
    let block = b.imm(0);
    for offset in [0, 16] {
        let offset = b.imm(offset);
        let uniform = b.load_ubo(block, offset, 32, 4);
        values.extend(b.channels(uniform));
    }
    let zero = b.imm(0);
    let conditions = vec![
        b.ilt(values[0], zero),
        b.uge(values[1], values[5]),
        b.ilt(values[8], zero),
        b.ult(values[9], values[10]),
    ];
    for (index, &local) in locals.iter().enumerate() {
        let value = if index < 2 { values[index] } else { conditions[index - 2] };
        b.store_var(local, value);
    }
    let mut g = Generator {
        rng,
        b,
        values,
        conditions,
        locals: locals.clone(),
        left: size,
        in_loop: false,
        discards,
    };
    while g.left > 0 {
        g.code(0);
    }
    let mut results: Vec<Value> = g.values.iter().rev().take(10).copied().collect();
    for local in locals {
        let value = g.b.load_var(local);
        results.push(if g.b.shader.bits(value) == 1 { g.b.b2i32(value) } else { value });
    }
    for (location, chunk) in results.chunks(4).enumerate() {
        let color = g.b.vec(chunk);
        g.b.store_output(Slot::FragColor { location: location as u8, index: 0 }, 0, color);
    }
    g.b.finish();
    ir::validate(&shader).expect("a valid shader");
    shader
}

fn check(chip: Chip, seed: u64, discards: bool) {
    let mut rng = Rng(seed);
    let original = random_shader(&mut rng, 20 + (seed % 7) as usize * 15, discards);
    let mut lowered = original.clone();
    lower(&mut lowered);
    let output = compiled(&lowered, chip);
    for round in 0..3 {
        let inputs = rng.inputs();
        let bytes: Vec<u8> = (0..16).flat_map(|_| rng.dword().to_le_bytes()).collect();
        let memory = vec![(Space::Ubo(0), bytes)];
        let lanes = if round == 2 { 20 } else { LANES };
        let (expected, _) = on_evaluator(&original, &inputs, &memory, lanes);
        let (got, _) = on_wave(&output, &inputs, &memory, lanes);
        for (place, value) in &expected {
            assert_eq!(
                got.get(place),
                Some(value),
                "{chip} seed {seed} round {round}: {place:?}\n{lowered}\n{}",
                text(&output)
            );
        }
        let lanes =
            |colors: &Colors| colors.keys().map(|k| k.0).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(lanes(&got), lanes(&expected), "{chip} seed {seed}: lanes that end");
    }
}

#[test]
fn control_flow() {
    for seed in 0..400 {
        check(if seed % 2 == 0 { Chip::Si } else { Chip::Vi }, seed, false);
    }
}

#[test]
fn control_flow_with_discards() {
    for seed in 1000..1300 {
        check(if seed % 2 == 0 { Chip::Si } else { Chip::Vi }, seed, true);
    }
}
