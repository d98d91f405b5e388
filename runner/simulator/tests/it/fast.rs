//! The specialized implementations against the generic one, on random instructions.

use eu::build::{grf, imm, inst, null};
use eu::{CondMod, DevInfo, Inst, Opcode, Operand, Region, Swizzle, Type};
use rand_pcg::{Pcg64Mcg, rand_core::RngCore};
use simulator::{Kernel, NoHost, Thread};

struct Source(Pcg64Mcg);

impl Source {
    fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn operand(&mut self, ty: Type, align16: bool) -> Operand {
        let mut operand = grf(2 + self.below(12) as u8).typed(ty);
        operand.region = self.pick(&[
            Region::new(8, 8, 1),
            Region::new(4, 4, 1),
            Region::new(0, 1, 0),
            Region::new(0, 1, 0),
            Region::new(8, 4, 2),
            Region::new(16, 8, 2),
            Region::new(0, 2, 1),
            Region::new(1, 2, 0),
            Region::new(2, 2, 0),
        ]);
        if align16 {
            operand.region = Region::new(self.pick(&[4, 4, 0]), 4, 1);
            operand.swizzle = Swizzle(self.0.next_u64() as u8);
        } else if self.chance(3) {
            operand = operand.subreg(self.below(4) as u8);
        }
        operand.negate = self.chance(5);
        operand.abs = self.chance(7);
        operand
    }

    /// An instruction of one of the shapes that have specialized implementations, and many that
    /// have not.
    fn instruction(&mut self, device: &DevInfo) -> Inst {
        let opcode = self.pick(&[
            Opcode::Mov,
            Opcode::Add,
            Opcode::Mul,
            Opcode::Mad,
            Opcode::Pln,
            Opcode::Sel,
            Opcode::Cmp,
            Opcode::And,
            Opcode::Or,
            Opcode::Xor,
            Opcode::Not,
            Opcode::Shl,
            Opcode::Shr,
            Opcode::Asr,
            Opcode::Rndd,
            Opcode::Rnde,
            Opcode::Rndz,
            Opcode::Rndu,
        ]);
        let align16 = opcode == Opcode::Mad || self.chance(4);
        let ty = self.pick(&[Type::F, Type::F, Type::D, Type::UD, Type::DF, Type::W]);
        let integer = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not)
            || matches!(opcode, Opcode::Shl | Opcode::Shr | Opcode::Asr);
        let ty = if integer && ty.is_float() { Type::D } else { ty };
        let ty = if opcode == Opcode::Mad && ty.is_integer() || opcode == Opcode::Pln {
            Type::F
        } else {
            ty
        };
        let dst_ty =
            if self.chance(4) { self.pick(&[Type::F, Type::D, Type::UD, Type::DF]) } else { ty };
        let mut program = inst(opcode).exec(self.pick(&[1, 2, 4, 8, 8, 8, 16, 16]));
        program = if align16 { program.align16() } else { program };
        let mut dst =
            if self.chance(6) { null() } else { grf(2 + self.below(12) as u8) }.typed(dst_ty);
        dst.region.hstride = if align16 { 1 } else { self.pick(&[1, 1, 1, 2]) };
        dst.writemask =
            eu::WriteMask(if align16 { self.pick(&[0xf, 0xf, 3, 5, 0xc, 9]) } else { 0xf });
        program = program.dst(dst);
        let count = usize::from(opcode.info().sources);
        for index in 0..count {
            let source_ty = if integer || ty.is_integer() {
                self.pick(&[ty, ty, Type::D, Type::UD])
            } else {
                ty
            };
            program.src[index] = self.operand(source_ty, align16);
            if opcode == Opcode::Mad {
                program.src[index].rep_ctrl = ty == Type::F && self.chance(3);
            } else if index + 1 == count && index > 0 && source_ty.size() == 4 && self.chance(3) {
                program.src[index] = imm(source_ty, u64::from(self.bits(source_ty)));
            }
        }
        if opcode == Opcode::Cmp || self.chance(5) {
            let cond = self.pick(&[
                CondMod::Z,
                CondMod::Nz,
                CondMod::L,
                CondMod::Le,
                CondMod::G,
                CondMod::Ge,
            ]);
            program = program.cond(cond, self.below(2) as u8, self.below(2) as u8);
        }
        if self.chance(3) && (opcode != Opcode::Sel || program.cond_mod.is_none()) {
            let flag = program.flag;
            program = program.pred(flag.nr, flag.sub, self.chance(2));
        }
        program.saturate = opcode.info().saturate && self.chance(5);
        program.no_mask = self.chance(3);
        if device.name == "ivb" && self.chance(2) {
            program.exec_size = (program.exec_size * 2).min(16);
        }
        program.group(self.pick(&[0, 0, 8, 4]))
    }

    /// Bits that are interesting as `ty`.
    fn bits(&mut self, ty: Type) -> u32 {
        let raw = self.0.next_u64() as u32;
        match (ty, self.below(6)) {
            (Type::F, 0) => self.pick(&[
                0,
                0x8000_0000,
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_1234,
                0x0000_0007,
                0x3f80_0000,
            ]),
            (Type::F, 1..=3) => (raw & 0x80ff_ffff) | 0x3f00_0000,
            (_, 0) => raw & 0x1f,
            (_, 1) => self.pick(&[0, 1, u32::MAX, 0x8000_0000, 0x7fff_ffff]),
            _ => raw,
        }
    }
}

fn fill(source: &mut Source, thread: &mut Thread) {
    for nr in 0..16 {
        // Half of the registers look like doubles of similar magnitude, the others like floats and
        // integers.
        let register = std::array::from_fn(|lane| {
            let bits = source.bits(if nr % 3 == 0 { Type::D } else { Type::F });
            if nr % 2 == 0 && lane % 2 == 1 { (bits & 0x800f_ffff) | 0x3ff0_0000 } else { bits }
        });
        thread.set_register(nr, &register);
    }
    thread.regs.flags = [source.0.next_u64() as u32, source.0.next_u64() as u32];
    thread.regs.control[0] = source.pick(&[0, 0x40, 0x80, 0xc0, 0x10, 0x30, 1]);
    let mask = if source.chance(2) { u32::MAX } else { source.0.next_u64() as u32 };
    thread.set_dispatch_mask(mask);
}

#[test]
fn fast_paths_agree_with_the_generic_path() {
    let mut source = Source(Pcg64Mcg::new(0xfa57));
    let mut fast_ones = 0;
    for round in 0..60_000u64 {
        let device = &DevInfo::all()[source.below(5)];
        let program = source.instruction(device);
        let kernel = Kernel::from_insts(device, vec![program]).unwrap();
        fast_ones += kernel.fast_instructions();
        let mut thread = Thread::new(device, round);
        fill(&mut source, &mut thread);
        let mut other = thread.clone();
        let before = thread.clone();
        kernel.run(&mut thread, &mut NoHost, 1).unwrap_err();
        kernel.clone().generic().run(&mut other, &mut NoHost, 1).unwrap_err();
        if thread.regs != other.regs {
            let text = eu::print_inst(device, &program);
            let mut report = format!("{} round {round}: {text}\n", device.name);
            for nr in 0..32 {
                if thread.register(nr) != other.register(nr) {
                    report += &format!(
                        "r{nr}: before {:x?}\n fast   {:x?}\n generic {:x?}\n",
                        before.register(nr),
                        thread.register(nr),
                        other.register(nr)
                    );
                }
            }
            report += &format!(
                "flags {:x?} {:x?} cr0 {:x}",
                thread.regs.flags, other.regs.flags, before.regs.control[0]
            );
            for nr in 2..15 {
                report += &format!("\nr{nr} {:x?}", before.register(nr));
            }
            panic!("{report}");
        }
    }
    assert!(fast_ones > 15_000, "only {fast_ones} instructions were specialized");
}
