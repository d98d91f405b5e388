//! Translated kernels against the generic implementation, on random programs with branches.

use crate::fast::{RandomSource, difference, fill};
use eu_simulator::{Kernel, NoHost, Thread};
use intel_isa::{CondMod, DevInfo, Inst, Opcode, build};

/// Random programs of a device.
struct Programs<'s> {
    source: &'s mut RandomSource,
    device: &'static DevInfo,
    /// Channels of branches.
    width: u8,
}

impl Programs<'_> {
    fn jump(&self, opcode: Opcode, jip: usize, uip: usize) -> Inst {
        let unit = 16 / i32::from(self.device.jump_unit_bytes);
        build::inst(opcode).exec(self.width).jumps(jip as i32 * unit, uip as i32 * unit)
    }

    /// Arithmetic, most of it translated.
    fn arithmetic(&mut self) -> Vec<Inst> {
        let count = 1 + self.source.below(5);
        let mut all = Vec::new();
        while all.len() < count {
            let mut next = self.source.instruction(self.device);
            if !self.source.chance(4) {
                next.predicate = None;
            }
            let kernel = Kernel::from_insts(self.device, vec![next]).unwrap();
            if kernel.native_instructions() == 1 || self.source.chance(100) {
                all.push(next);
            }
        }
        all
    }

    /// A comparison that mostly differs by channel.
    fn comparison(&mut self) -> Inst {
        let cond = self.source.pick(&[CondMod::L, CondMod::Ge, CondMod::Nz, CondMod::Z]);
        let sources = [2 + self.source.below(12), 2 + self.source.below(12)];
        build::inst(Opcode::Cmp)
            .exec(self.width)
            .dst(build::null())
            .srcs(&sources.map(|nr| build::grf(nr as u8)))
            .cond(cond, 0, 0)
            .switch()
    }

    fn program(&mut self, depth: usize) -> Vec<Inst> {
        let mut all = self.arithmetic();
        if depth == 0 {
            return all;
        }
        let inverse = self.source.chance(2);
        let inner = self.program(depth - 1);
        match self.source.below(4) {
            0 => {
                all.push(self.comparison());
                let length = inner.len() + 1;
                all.push(self.jump(Opcode::If, length, length).pred(0, 0, inverse));
                all.extend(inner);
                all.push(self.jump(Opcode::Endif, 1, 0));
            }
            1 => {
                let other = self.program(depth - 1);
                let (first, second) = (inner.len() + 2, other.len() + 1);
                all.push(self.comparison());
                let jump = self.jump(Opcode::If, first, inner.len() + 1 + second);
                all.push(jump.pred(0, 0, inverse));
                all.extend(inner);
                all.push(self.jump(Opcode::Else, second, second));
                all.extend(other);
                all.push(self.jump(Opcode::Endif, 1, 0));
            }
            _ => {
                let turns = build::grf(20 + depth as u8 * 2);
                let opcode = |opcode| build::inst(opcode).exec(self.width).dst(turns);
                all.push(opcode(Opcode::Mov).srcs(&[build::imm_ud(0)]));
                let mut body = vec![opcode(Opcode::Add).srcs(&[turns, build::imm_ud(1)])];
                body.extend(inner);
                body.push(self.comparison());
                let rest = self.arithmetic();
                // To the comparison and the second BREAK, then the WHILE.
                let distance = rest.len() + 3;
                body.push(self.jump(Opcode::Break, distance, distance).pred(0, 0, inverse));
                body.extend(rest);
                let limit = build::imm_ud(3 + self.source.below(20) as u32);
                let end = build::inst(Opcode::Cmp).exec(self.width).dst(build::null());
                body.push(end.srcs(&[turns, limit]).cond(CondMod::Ge, 0, 0).switch());
                body.push(self.jump(Opcode::Break, 1, 1).pred(0, 0, false));
                let unit = 16 / i32::from(self.device.jump_unit_bytes);
                let back = -(body.len() as i32) * unit;
                body.push(build::inst(Opcode::While).exec(self.width).jumps(back, 0));
                all.extend(body);
            }
        }
        all.extend(self.arithmetic());
        all
    }
}

/// Number of random programs: `NATIVE_ROUNDS`, or so many that all operations are met.
fn rounds() -> u64 {
    std::env::var("NATIVE_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000)
}

#[test]
fn translated_programs_agree_with_the_generic_implementation() {
    let mut source = RandomSource::new(0x9a7e);
    let mut translated = 0;
    for round in 0..rounds() {
        let device = &DevInfo::all()[source.below(5)];
        let (depth, width) = (1 + source.below(3), source.pick(&[8, 16]));
        let program = Programs { source: &mut source, device, width }.program(depth);
        let text: String =
            program.iter().map(|inst| intel_isa::print_inst(device, inst) + "\n").collect();
        let kernel = Kernel::from_insts(device, program).unwrap();
        translated += kernel.native_instructions();
        let mut before = Thread::new(device, round);
        fill(&mut source, &mut before);
        if !source.chance(4) {
            before.regs.control[0] &= !0x31;
        }
        let budget = 40 + source.below(2000) as u64;
        let run = |kernel: &Kernel| {
            let mut thread = before.clone();
            let error = kernel.run(&mut thread, &mut NoHost, budget).unwrap_err();
            (error, thread.steps(), thread)
        };
        let hot = kernel.clone().hot_after(0);
        let native = hot.clone().native_after(0);
        // The first part translated, the rest by the loop of hot kernels, which relies on what is
        // known of registers.
        let both = || {
            let mut threads = [before.clone(), before.clone()];
            // Both kernels are to be hot already.
            for kernel in [&hot, &native] {
                kernel.run(&mut before.clone(), &mut NoHost, 1).unwrap_err();
            }
            native.run_ahead(&mut threads, budget / 2);
            let [mut thread, _] = threads;
            let error = hot.run(&mut thread, &mut NoHost, budget).unwrap_err();
            (error, thread.steps(), thread)
        };
        let generic = run(&kernel.generic());
        for (name, native) in [("translated", run(&native)), ("in part", both())] {
            let what = || {
                let difference = difference(&before, &native.2, &generic.2);
                format!("{} {name} round {round}\n{text}{difference}", device.name)
            };
            assert_eq!((&native.0, native.1), (&generic.0, generic.1), "{}", what());
            assert!(native.2.regs == generic.2.regs, "{}", what());
        }
    }
    assert!(translated > 10_000, "only {translated} instructions were translated");
}
