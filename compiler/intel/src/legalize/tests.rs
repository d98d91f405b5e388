//! What the legalising passes make of instructions that cannot be encoded.

use super::*;
use crate::lir::build::Builder;
use crate::lir::{CondMod, Op, Operand, Program, Type};
use crate::model::{Model, Quirk, QuirkSet, model_for};
use eu::DevInfo;

fn model(device: &str) -> Model {
    model_for(DevInfo::get(device).unwrap(), QuirkSet::default())
}

/// (exec size, group) of each instruction.
fn pieces(p: &Program) -> Vec<(u8, u8)> {
    p.insts.iter().map(|i| (i.exec_size, i.group)).collect()
}

#[test]
fn widths_by_generation() {
    let single = |device: &str, width: u8, make: &dyn Fn(&mut Builder<'_>)| {
        let mut p = Program::new(width);
        make(&mut Builder::new(&mut p));
        legalize_simd_width(&mut p, &model(device));
        pieces(&p)
    };
    let double = |b: &mut Builder<'_>| {
        let d = b.temp(Type::DF);
        b.emit(Op::Add, d, &[d, d]);
    };
    assert_eq!(single("ivb", 8, &double), [(4, 0), (4, 4)]);
    assert_eq!(single("hsw", 8, &double), [(8, 0)]);
    assert_eq!(single("ivb", 16, &double), [(4, 0), (4, 4), (4, 8), (4, 12)]);
    assert_eq!(single("skl", 16, &double), [(8, 0), (8, 8)]);
    let widen = |b: &mut Builder<'_>| {
        let (d, f) = (b.temp(Type::DF), b.temp(Type::F));
        b.mov(d, f);
    };
    assert_eq!(single("hsw", 8, &widen), [(4, 0), (4, 4)]);
    assert_eq!(single("bdw", 8, &widen), [(8, 0)]);
    let mad = |b: &mut Builder<'_>| {
        let f = b.temp(Type::F);
        b.emit(Op::Mad, f, &[f, f, f]);
    };
    assert_eq!(single("ivb", 16, &mad), [(8, 0), (8, 8)]);
    assert_eq!(single("hsw", 16, &mad), [(16, 0)]);
    let compare = |b: &mut Builder<'_>| {
        let f = b.temp(Type::F);
        b.cmp(f, f, f, CondMod::L);
    };
    assert_eq!(single("ivb", 16, &compare), [(8, 0), (8, 8)]);
    assert_eq!(single("hsw", 16, &compare), [(16, 0)]);
    let strided = |b: &mut Builder<'_>| {
        let (d, f) = (b.temp(Type::DF), b.temp(Type::DF));
        b.mov(d.subscript(Type::UD, 0), f.subscript(Type::UD, 1));
    };
    assert_eq!(single("ivb", 8, &strided), [(4, 0), (4, 4)]);
    assert_eq!(single("bdw", 8, &strided), [(8, 0)]);
}

#[test]
fn a_disabled_quirk_is_not_worked_around() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let d = b.temp(Type::DF);
    b.emit(Op::Add, d, &[d, d]);
    let disabled = QuirkSet::default().with(Quirk::IvbDfSecondHalf);
    legalize_simd_width(&mut p, &model_for(DevInfo::get("ivb").unwrap(), disabled));
    assert_eq!(pieces(&p), [(8, 0)]);
}

#[test]
fn pieces_do_not_read_what_earlier_pieces_wrote() {
    // Doubles widened in place from the same register's first half.
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let d = b.temp(Type::DF);
    b.mov(d, d.retype(Type::F));
    legalize_simd_width(&mut p, &model("ivb"));
    let reads_late = p.insts.iter().skip(1).any(|i| i.src[0].file == d.file && p.insts[0].dst.file == d.file);
    assert!(!reads_late, "{p}");
}

#[test]
fn immediates_go_last_or_into_registers() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let x = b.temp(Type::F);
    b.emit(Op::Add, x, &[Operand::f(1.0), x]);
    b.cmp(Operand::null(Type::F), Operand::f(2.0), x, CondMod::L);
    b.emit(Op::Sel, x, &[Operand::f(3.0), x]).predicate(false);
    legalize_constants(&mut p, &model("ivb"));
    assert!(p.insts.iter().all(|i| !i.src[0].is_imm() && i.src[1].is_imm()));
    assert_eq!(p.insts[1].cond, Some(CondMod::G));
    assert!(p.insts[2].predicate.is_some_and(|p| p.inverse));
}

#[test]
fn double_constants_by_generation() {
    for (device, loads) in [("ivb", vec![Op::Mov, Op::Mov]), ("hsw", vec![Op::Dim]), ("bdw", vec![Op::Mov])] {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        let d = b.temp(Type::DF);
        b.emit(Op::Mul, d, &[d, Operand::df(-0.1)]);
        legalize_constants(&mut p, &model(device));
        let ops: Vec<Op> = p.insts.iter().map(|i| i.op).collect();
        assert_eq!(ops, [loads, vec![Op::Mul]].concat(), "{device}");
        // The sign stays a modifier, so that a constant and its opposite share a register.
        let last = p.insts.last().unwrap();
        assert!(last.src[1].negate && last.src[1].is_scalar());
    }
}

#[test]
fn three_source_operands_are_packed_or_replicated() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (d, f) = (b.temp(Type::DF), b.temp(Type::F));
    b.emit(Op::Mad, f, &[f, Operand::grf_scalar(100, Type::F), f]);
    b.emit(Op::Mad, d, &[d, Operand::grf_scalar(64, Type::DF), d]);
    legalize_three_source(&mut p, &model("ivb"));
    let ops: Vec<Op> = p.insts.iter().map(|i| i.op).collect();
    assert_eq!(ops, [Op::Mad, Op::Mov, Op::Mad]);
    assert_eq!(p.insts[2].src[1], Operand { ..p.insts[1].dst });
}

#[test]
fn sources_of_half_mads_start_registers_on_gen8() {
    let copies = |device: &str, disabled: QuirkSet| {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        let (dst, x) = (b.temp(Type::HF), Operand::vgrf(b.program.vreg(1), Type::HF));
        b.emit(Op::Mad, dst, &[x, x.byte_offset(16), x]);
        legalize_three_source(&mut p, &model_for(DevInfo::get(device).unwrap(), disabled));
        p.insts.len() - 1
    };
    let (on, off) = (QuirkSet::default(), QuirkSet::default().with(Quirk::BdwHfMadOffset));
    assert_eq!([copies("bdw", on), copies("chv", on), copies("skl", on)], [1, 1, 0]);
    assert_eq!(copies("bdw", off), 0);
}

#[test]
fn half_scalars_of_three_source_instructions_are_copied() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let x = b.temp(Type::HF);
    b.emit(Op::Mad, x, &[x, x.scalar(), x]);
    legalize_three_source(&mut p, &model("skl"));
    assert_eq!(p.insts.len(), 2, "replication picks dwords");
}

#[test]
fn math_reads_at_the_stride_it_writes() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (d, u) = (b.temp(Type::DF), b.temp(Type::UD));
    let high = d.subscript(Type::UD, 1);
    b.emit(Op::MathIntDivRemainder, u, &[high, high]);
    b.emit(Op::MathIntDivRemainder, u, &[u, u]);
    assert!(legalize_math(&mut p, &model("skl")));
    let ops: Vec<Op> = p.insts.iter().map(|i| i.op).collect();
    assert_eq!(ops, [Op::Mov, Op::Mov, Op::MathIntDivRemainder, Op::MathIntDivRemainder], "{p}");
    assert_eq!(p.insts[0].src[0], high);
    assert!(p.insts[2].src.iter().all(|src| src.stride() == Some(1)), "{p}");
    assert!(!legalize_math(&mut p, &model("skl")));
}
