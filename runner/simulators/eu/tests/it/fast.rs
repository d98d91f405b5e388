//! The specialized implementations against the generic one, on random instructions.

use eu_simulator::{Kernel, MathMode, NoHost, Thread};
use intel_isa::build::{grf, imm, inst, null};
use intel_isa::{CondMod, DevInfo, Inst, MathFn, Opcode, Operand, Region, Swizzle, Type};
use rand_pcg::{Pcg64Mcg, rand_core::RngCore};
use std::collections::BTreeMap;

const BIT_OPERATIONS: &[Opcode] = &[
    Opcode::Lzd,
    Opcode::Fbh,
    Opcode::Fbl,
    Opcode::Cbit,
    Opcode::Bfrev,
    Opcode::Bfi1,
    Opcode::Bfi2,
    Opcode::Bfe,
];

/// Opcodes with specialized implementations; common ones more than once.
const OPCODES: &[Opcode] = &[
    Opcode::Mov,
    Opcode::Mov,
    Opcode::Mov,
    Opcode::Add,
    Opcode::Add,
    Opcode::Mul,
    Opcode::Mul,
    Opcode::Mad,
    Opcode::Mad,
    Opcode::Pln,
    Opcode::Line,
    Opcode::Sel,
    Opcode::Sel,
    Opcode::Sel,
    Opcode::Csel,
    Opcode::Cmp,
    Opcode::Cmp,
    Opcode::Cmpn,
    Opcode::And,
    Opcode::Or,
    Opcode::Xor,
    Opcode::Not,
    Opcode::Shl,
    Opcode::Shr,
    Opcode::Asr,
    Opcode::Avg,
    Opcode::Rndd,
    Opcode::Rnde,
    Opcode::Rndz,
    Opcode::Rndu,
    Opcode::Frc,
    Opcode::Lrp,
    Opcode::Math,
    Opcode::Math,
    Opcode::F32To16,
    Opcode::F16To32,
    Opcode::Dp2,
    Opcode::Dp3,
    Opcode::Dp4,
    Opcode::Dph,
    Opcode::Lzd,
    Opcode::Fbh,
    Opcode::Fbl,
    Opcode::Cbit,
    Opcode::Bfrev,
    Opcode::Bfi1,
    Opcode::Bfi2,
    Opcode::Bfe,
];

const FUNCTIONS: &[MathFn] = &[
    MathFn::Inv,
    MathFn::Log,
    MathFn::Exp,
    MathFn::Sqrt,
    MathFn::Rsq,
    MathFn::Sin,
    MathFn::Cos,
    MathFn::Fdiv,
    MathFn::Pow,
    MathFn::IntDiv,
    MathFn::IntMod,
    MathFn::IntDivMod,
];

/// Opcodes that hot kernels resolve.
const HOT: &[&str] = &[
    "mov", "add", "mul", "mad", "lrp", "sel", "cmp", "and", "or", "xor", "not", "shl", "shr",
    "asr", "rndd", "rnde", "rndz", "rndu", "frc", "math",
];

pub(crate) struct RandomSource(Pcg64Mcg);

impl RandomSource {
    pub(crate) fn new(seed: u128) -> RandomSource {
        RandomSource(Pcg64Mcg::new(seed))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub(crate) fn chance(&mut self, one_in: usize) -> bool {
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
            let swizzle = self.0.next_u64() as u8;
            operand.swizzle = if self.chance(3) { Swizzle(0xe4) } else { Swizzle(swizzle) };
        } else if self.chance(3) {
            operand = operand.subreg(self.below(4) as u8);
        }
        operand.negate = self.chance(5);
        operand.abs = self.chance(7);
        operand
    }

    /// Types of an instruction's sources: mostly one, sometimes several of one family.
    fn types(&mut self, opcode: Opcode) -> [Type; 3] {
        let dwords = [Type::D, Type::UD];
        let integers = [Type::D, Type::UD, Type::D, Type::UD, Type::W, Type::UW, Type::B, Type::UB];
        let floats = [Type::F, Type::F, Type::F, Type::HF, Type::DF];
        let info = opcode.info();
        let float_only = matches!(opcode, Opcode::Pln | Opcode::Line | Opcode::Lrp | Opcode::Frc)
            || matches!(opcode, Opcode::Rndd | Opcode::Rnde | Opcode::Rndz | Opcode::Rndu)
            || matches!(opcode, Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph)
            || opcode == Opcode::F32To16;
        let integer_only = opcode.is_logic()
            || matches!(opcode, Opcode::Shl | Opcode::Shr | Opcode::Asr | Opcode::Avg)
            || BIT_OPERATIONS.contains(&opcode)
            || opcode == Opcode::F16To32;
        let family: &[Type] = if BIT_OPERATIONS.contains(&opcode) {
            &dwords
        } else if integer_only || !float_only && self.chance(2) {
            &integers
        } else {
            &floats
        };
        let first = self.pick(family);
        let mixed = info.sources > 1 && self.chance(3) && first != Type::DF;
        std::array::from_fn(|_| {
            let other = self.pick(family);
            if mixed && other != Type::DF { other } else { first }
        })
    }

    /// An instruction of one of the shapes that have specialized implementations, and many that
    /// have not.
    pub(crate) fn instruction(&mut self, device: &DevInfo) -> Inst {
        let opcode = self.pick(OPCODES);
        let info = opcode.info();
        let count = usize::from(info.sources);
        let dot = matches!(opcode, Opcode::Dp2 | Opcode::Dp3 | Opcode::Dp4 | Opcode::Dph);
        let align16 = count == 3 || dot || self.chance(4);
        let types = self.types(opcode);
        let destinations =
            [Type::F, Type::F, Type::D, Type::UD, Type::DF, Type::W, Type::UW, Type::HF, Type::UB];
        let dst_ty = match opcode {
            Opcode::F16To32 => Type::F,
            _ if self.chance(4) => self.pick(&destinations),
            _ => types[0],
        };
        let mut program = inst(opcode).exec(self.pick(&[1, 2, 4, 8, 8, 8, 16, 16, 16]));
        program = if align16 { program.align16() } else { program };
        let mut dst =
            if self.chance(6) { null() } else { grf(2 + self.below(12) as u8) }.typed(dst_ty);
        dst.region.hstride = if align16 { 1 } else { self.pick(&[1, 1, 1, 2]) };
        if !align16 && self.chance(6) {
            dst = dst.subreg(self.below(4) as u8);
        }
        dst.writemask =
            intel_isa::WriteMask(if align16 { self.pick(&[0xf, 0xf, 3, 5, 0xc, 9]) } else { 0xf });
        program = program.dst(dst);
        if opcode == Opcode::Math {
            program.math = Some(self.pick(FUNCTIONS));
        }
        for (index, &ty) in types.iter().enumerate().take(count) {
            program.src[index] = self.operand(ty, align16);
            if count == 3 {
                program.src[index].rep_ctrl = ty == Type::F && self.chance(3);
            } else if opcode == Opcode::Math && self.chance(2) {
                (program.src[index].negate, program.src[index].abs) = (false, false);
            }
            if count < 3 && index + 1 == count && self.chance(4) {
                program.src[index] = self.immediate(ty);
            }
        }
        if matches!(opcode, Opcode::Cmp | Opcode::Cmpn | Opcode::Csel) || self.chance(5) {
            let cond = self.pick(&[
                CondMod::Z,
                CondMod::Nz,
                CondMod::L,
                CondMod::Le,
                CondMod::G,
                CondMod::Ge,
                CondMod::U,
                CondMod::O,
            ]);
            program = program.cond(cond, self.below(2) as u8, self.below(2) as u8);
        }
        if self.chance(3) && (opcode != Opcode::Sel || program.cond_mod.is_none()) {
            let flag = program.flag;
            program = program.pred(flag.nr, flag.sub, self.chance(2));
        }
        program.saturate = info.saturate && self.chance(5);
        program.no_mask = self.chance(3);
        if device.name == "ivb" && self.chance(2) {
            program.exec_size = (program.exec_size * 2).min(16);
        }
        program.group(self.pick(&[0, 0, 8, 4]))
    }

    fn immediate(&mut self, ty: Type) -> Operand {
        let bits = u64::from(self.bits(ty));
        match ty {
            Type::W if self.chance(2) => imm(Type::V, bits),
            Type::UW if self.chance(2) => imm(Type::UV, bits),
            Type::F if self.chance(4) => imm(Type::VF, bits),
            _ => imm(ty, bits & (u64::MAX >> (64 - 8 * ty.size().min(4)))),
        }
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

pub(crate) fn fill(source: &mut RandomSource, thread: &mut Thread) {
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

/// Describes the registers that differ after two runs of one instruction.
pub(crate) fn difference(before: &Thread, fast: &Thread, generic: &Thread) -> String {
    let mut report = String::new();
    for nr in 0..32 {
        if fast.register(nr) != generic.register(nr) {
            report += &format!(
                "r{nr}: before {:x?}\n fast   {:x?}\n generic {:x?}\n",
                before.register(nr),
                fast.register(nr),
                generic.register(nr)
            );
        }
    }
    report += &format!(
        "flags {:x?} {:x?} before {:x?} cr0 {:x} dispatch {:x}",
        fast.regs.flags,
        generic.regs.flags,
        before.regs.flags,
        before.regs.control[0],
        before.dispatch_mask()
    );
    for nr in 2..20 {
        report += &format!("\nr{nr} {:x?}", before.register(nr));
    }
    report
}

#[test]
fn fast_paths_agree_with_the_generic_path() {
    let mut source = RandomSource::new(0xfa57);
    // A second instruction makes a block of those that hot kernels resolve.
    let copy = inst(Opcode::Mov).no_mask().dst(grf(20)).srcs(&[grf(20)]);
    let mut fast_ones: BTreeMap<&str, usize> = BTreeMap::new();
    let mut hot_ones: BTreeMap<&str, usize> = BTreeMap::new();
    let mut native_ones: BTreeMap<&str, usize> = BTreeMap::new();
    for round in 0..200_000u64 {
        let device = &DevInfo::all()[source.below(5)];
        let program = source.instruction(device);
        let kernel = Kernel::from_insts(device, vec![program, copy]).unwrap();
        let mut thread = Thread::new(device, round);
        fill(&mut source, &mut thread);
        if kernel.fast_instructions() < 2 {
            continue;
        }
        *fast_ones.entry(program.opcode.mnemonic()).or_default() += 1;
        if program.opcode == Opcode::Math && source.chance(4) {
            thread.math = MathMode::Worst;
        }
        let before = thread.clone();
        let run = |kernel: &Kernel| {
            let mut thread = before.clone();
            kernel.run(&mut thread, &mut NoHost, 3).unwrap_err();
            thread
        };
        let generic = run(&kernel.clone().generic());
        let baseline = kernel.clone().baseline();
        let hot = kernel.clone().hot_after(0);
        if hot.hot_instructions() > 1 {
            *hot_ones.entry(program.opcode.mnemonic()).or_default() += 1;
        }
        let mut runs =
            vec![("vector", run(&kernel)), ("baseline", run(&baseline)), ("hot", run(&hot))];
        // Translation takes longer than everything else.
        if round % 3 == 0 && hot.native_instructions() > 1 {
            *native_ones.entry(program.opcode.mnemonic()).or_default() += 1;
            runs.push(("native", run(&hot.native_after(0))));
        }
        for (name, fast) in runs {
            let text = || intel_isa::print_inst(device, &program);
            assert!(
                fast.regs == generic.regs,
                "{} {name} round {round}: {}\n{}",
                device.name,
                text(),
                difference(&before, &fast, &generic)
            );
        }
    }
    for opcode in OPCODES {
        let seen = fast_ones.get(opcode.mnemonic()).copied().unwrap_or(0);
        assert!(seen > 200, "only {seen} instructions {} were specialized", opcode.mnemonic());
    }
    for mnemonic in HOT {
        let seen = hot_ones.get(mnemonic).copied().unwrap_or(0);
        assert!(seen > 50, "only {seen} instructions {mnemonic} were resolved");
        let seen = native_ones.get(mnemonic).copied().unwrap_or(0);
        assert!(seen > 5, "only {seen} instructions {mnemonic} were translated");
    }
}

/// Two blocks of instructions that hot kernels resolve, with the same instructions: knowledge about
/// subnormal numbers in registers does not change results.
#[test]
fn blocks_of_hot_kernels_agree_with_the_generic_path() {
    let mut source = RandomSource::new(0xb10c);
    let mut resolved = 0;
    for round in 0..20_000u64 {
        let device = &DevInfo::all()[source.below(5)];
        let count = 2 + source.below(10);
        let mut program = Vec::new();
        while program.len() < count {
            let mut next = source.instruction(device);
            if !source.chance(8) {
                next.predicate = None;
            }
            let kernel = Kernel::from_insts(device, vec![next]).unwrap();
            if kernel.hot_instructions() == 1 {
                program.push(next);
            }
        }
        resolved += count;
        let text = || -> String {
            program.iter().map(|inst| intel_isa::print_inst(device, inst) + "\n").collect()
        };
        // Something else ends a block.
        let nop = vec![inst(Opcode::Nop)];
        let steps = 2 * count as u64 + 1;
        let kernel = Kernel::from_insts(device, [&program[..], &nop, &program].concat()).unwrap();
        let mut before = Thread::new(device, round);
        fill(&mut source, &mut before);
        if source.chance(2) {
            before.set_dispatch_mask(u32::MAX);
        }
        let run = |kernel: &Kernel| {
            let mut thread = before.clone();
            kernel.run(&mut thread, &mut NoHost, steps + 1).unwrap_err();
            thread
        };
        let hot = kernel.clone().hot_after(0);
        let generic = run(&kernel.generic());
        let mut runs = vec![("hot", run(&hot))];
        // Translation takes longer than everything else.
        if round % 4 == 0 {
            runs.push(("native", run(&hot.native_after(0))));
        }
        for (name, fast) in runs {
            assert!(
                fast.regs == generic.regs,
                "{} {name} round {round}:\n{}{}",
                device.name,
                text(),
                difference(&before, &fast, &generic)
            );
        }
    }
    assert!(resolved > 100_000, "only {resolved} instructions");
}
