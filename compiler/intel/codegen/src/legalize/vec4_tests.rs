//! Lowering of single 64-bit instructions: what becomes of every swizzle and writemask.

use super::splitting::picked;
use super::swizzle_class::SwizzleClass;
use crate::lir::{
    CondMod, File, Inst, Op, Operand, Program, Swizzle, Type, VReg, WRITEMASK_XYZW, acts_on_dwords,
};
use crate::model::{Model, QuirkSet};
use crate::passes::VEC4;
use cranelift_entity::EntityRef;
use intel_isa::DevInfo;

fn model(name: &str) -> Model {
    Model::new(DevInfo::get(name).expect("a device"), QuirkSet::default())
}

/// `dst.mask = src.swizzle` and a use of all of `dst`, with registers of their own or the same one.
fn moved(swizzle: Swizzle, mask: u8, in_place: bool) -> Program {
    let mut program = Program::new(8);
    let (src, other) = (program.vreg(2), program.vreg(2));
    let dst = if in_place { src } else { other };
    let mut inst = Inst::new(
        Op::Mov,
        8,
        Operand::vgrf(dst, Type::DF).masked(mask),
        &[Operand::vgrf(src, Type::DF).swizzled(swizzle)],
    );
    inst.align16 = true;
    program.insts.push(inst);
    program
}

fn lower(program: &mut Program, model: &Model, passes: &[&str]) {
    for pass in VEC4.legalize.iter().filter(|pass| passes.contains(&pass.name)) {
        (pass.run)(program, model);
    }
}

const SWIZZLE_AND_MASK: [&str; 2] = ["lower_df_swizzle", "lower_df_writemask"];
const ALL: [&str; 3] = ["lower_df_swizzle", "lower_df_writemask", "lower_simd_width"];

fn swizzles() -> impl Iterator<Item = Swizzle> {
    (0..=255).map(Swizzle)
}

/// Pieces as the class table says before widths are lowered; afterwards as many on hsw, twice as
/// many on ivb, and on bdw those twice that repeat an oword.
#[test]
fn numbers_of_pieces() {
    let mut whole_on_bdw = 0;
    for swizzle in swizzles() {
        let expected = match SwizzleClass::of(swizzle) {
            SwizzleClass::APlus => 1,
            SwizzleClass::AMinus
            | SwizzleClass::B
            | SwizzleClass::CPlus(_)
            | SwizzleClass::DPlus => 2,
            SwizzleClass::CMinus(_) | SwizzleClass::DMinus(_) => 3,
            SwizzleClass::E => 4,
        };
        let mut repeated = 0;
        for (gen_name, factor) in [("ivb", 2), ("hsw", 1), ("bdw", 1)] {
            let model = model(gen_name);
            let mut program = moved(swizzle, WRITEMASK_XYZW, false);
            lower(&mut program, &model, &SWIZZLE_AND_MASK);
            assert_eq!(program.insts.len(), expected, "{gen_name} {swizzle:?}");
            let repeats =
                |inst: &&Inst| needs_repeated_oword(inst.src[0].swizzle, inst.dst.writemask);
            repeated = program.insts.iter().filter(repeats).count();
            let mut program = moved(swizzle, WRITEMASK_XYZW, false);
            lower(&mut program, &model, &ALL);
            let doubled = if gen_name == "bdw" { repeated } else { 0 };
            assert_eq!(program.insts.len(), expected * factor + doubled, "{gen_name} {swizzle:?}");
        }
        whole_on_bdw += usize::from(repeated == 0);
    }
    assert_eq!(whole_on_bdw, 16);
}

/// Some row reads another oword than the one of the same number.
fn needs_repeated_oword(swizzle: Swizzle, mask: u8) -> bool {
    (0..4).any(|c| mask >> c & 1 != 0 && swizzle.get(c) / 2 != c / 2)
}

/// Every swizzle and writemask, also onto the register that is read: the moves that come out do the
/// same.
#[test]
fn pieces_do_what_the_whole_did() {
    let model = model("hsw");
    for swizzle in swizzles() {
        for mask in 1..=WRITEMASK_XYZW {
            for in_place in [false, true] {
                let program = moved(swizzle, mask, in_place);
                let (src, dst) = (program.insts[0].src[0].vreg(), program.insts[0].dst.vreg());
                let mut lowered = program.clone();
                lower(&mut lowered, &model, &ALL);
                let [want, got] = [&program, &lowered].map(|p| run(p, dst.expect("a register")));
                for c in (0..4).filter(|c| mask >> c & 1 != 0) {
                    assert_eq!(got[c], want[c], "{swizzle:?} {mask:#x} {src:?}");
                }
                let masks = lowered.insts.iter().map(|inst| inst.dst.writemask);
                assert!(masks.into_iter().all(|mask| !acts_on_dwords(mask)));
            }
        }
    }
}

/// The components of a register after 64-bit moves over both vertices: (register, component) they
/// hold.
fn run(program: &Program, asked: VReg) -> [(usize, u8); 4] {
    let mut registers: Vec<[(usize, u8); 4]> =
        (0..program.vregs.len()).map(|r| [0, 1, 2, 3].map(|c| (r, c))).collect();
    for inst in &program.insts {
        let (File::Vgrf(dst), File::Vgrf(src)) = (inst.dst.file, inst.src[0].file) else {
            panic!("{inst}")
        };
        assert_eq!((inst.op, inst.exec_size), (Op::Mov, 8), "{inst}");
        let from = registers[src.index()];
        for c in (0..4).filter(|c| inst.dst.writemask >> c & 1 != 0) {
            registers[dst.index()][usize::from(c)] = from[usize::from(inst.src[0].swizzle.get(c))];
        }
    }
    registers[asked.index()]
}

/// With XY the components that nothing else ever writes are written too; if something does, X and Y
/// are written one by one.
#[test]
fn writemasks_of_dwords() {
    for (mask, swizzle) in
        [(0b0011, Swizzle::new([1, 0, 0, 0])), (0b1100, Swizzle::new([0, 0, 3, 2]))]
    {
        let mut program = moved(swizzle, mask, false);
        lower(&mut program, &model("hsw"), &ALL);
        let [inst] = &program.insts[..] else { panic!("{} instructions", program.insts.len()) };
        assert_eq!(inst.dst.writemask, WRITEMASK_XYZW);
        assert_eq!(picked(inst.src[0].swizzle, mask), picked(swizzle, mask));
        let mut program = moved(swizzle, mask, false);
        let whole =
            Inst { dst: program.insts[0].dst.masked(WRITEMASK_XYZW), ..program.insts[0].clone() };
        program.insts.insert(0, Inst { src: [Operand::df(1.0)].into_iter().collect(), ..whole });
        lower(&mut program, &model("hsw"), &ALL);
        let masks: Vec<u8> = program.insts.iter().map(|inst| inst.dst.writemask).collect();
        let low = mask & mask.wrapping_neg();
        assert_eq!(masks, [WRITEMASK_XYZW, low, mask & !low]);
    }
}

/// Every swizzle and writemask of a comparison for its flags: pieces leave each other's flags
/// alone.
#[test]
fn pieces_of_comparisons_set_the_flags_of_the_whole() {
    for swizzle in swizzles() {
        for mask in 1..=WRITEMASK_XYZW {
            let mut program = Program::new(8);
            let source = Operand::vgrf(program.vreg(2), Type::DF).swizzled(swizzle);
            let mut inst =
                Inst::new(Op::Cmp, 8, Operand::null(Type::DF).masked(mask), &[source, source]);
            (inst.align16, inst.cond) = (true, Some(CondMod::Ge));
            program.insts.push(inst);
            lower(&mut program, &model("hsw"), &SWIZZLE_AND_MASK);
            let mut flags = [None; 4];
            for inst in &program.insts {
                assert_eq!(inst.op, Op::Cmp, "{inst}");
                for c in (0..4u8).filter(|c| inst.dst.writemask >> c & 1 != 0) {
                    flags[usize::from(c)] = Some(inst.src[0].swizzle.get(c));
                }
            }
            for c in (0..4u8).filter(|c| mask >> c & 1 != 0) {
                assert_eq!(flags[usize::from(c)], Some(swizzle.get(c)), "{swizzle:?} {mask:#x}");
            }
        }
    }
}
