//! What each optimisation does to small programs, and what it must leave alone.

use super::*;
use crate::lir::build::Builder;
use crate::lir::{CondMod, MessageKind, Op, Operand, Program, Type};
use crate::model::{Model, QuirkSet, model_for};
use eu::DevInfo;

fn ivb() -> Model {
    model_for(DevInfo::get("ivb").unwrap(), QuirkSet::default())
}

fn payload(nr: u8, ty: Type) -> Operand {
    Operand::grf(nr, ty)
}

/// Keeps `value` alive: a message reads it.
fn keep(b: &mut Builder<'_>, value: Operand) {
    let send = b.emit(Op::Send, Operand::null(Type::UD), &[value]);
    send.message = Some(crate::lir::Message {
        sfid: eu::Sfid::Null,
        control: 0,
        mlen: 1,
        rlen: 0,
        header: false,
        eot: false,
        kind: MessageKind::Memory,
    });
}

fn ops(p: &Program) -> Vec<Op> {
    p.insts.iter().map(|i| i.op).collect()
}

#[test]
fn modifiers_move_into_arithmetic_but_not_into_logic() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y, z) = (b.temp(Type::F), b.temp(Type::F), b.temp(Type::UD));
    b.mov(x, payload(2, Type::F).neg());
    b.emit(Op::Add, y, &[x, payload(3, Type::F)]);
    b.emit(Op::And, z, &[x.retype(Type::UD), payload(3, Type::UD)]);
    assert!(opt_copy_propagation(&mut p, &ivb()));
    assert_eq!(p.insts[1].src[0], payload(2, Type::F).neg());
    assert_eq!(p.insts[2].src[0], x.retype(Type::UD));
}

#[test]
fn abs_hides_an_inner_negation() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::F), b.temp(Type::F));
    b.mov(x, payload(2, Type::F).neg());
    b.emit(Op::Add, y, &[x.absolute().neg(), payload(3, Type::F)]);
    opt_copy_propagation(&mut p, &ivb());
    assert_eq!(p.insts[1].src[0], payload(2, Type::F).absolute().neg());
}

#[test]
fn a_copy_ends_where_either_side_is_written() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y, z) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
    b.mov(x, payload(2, Type::UD));
    b.mov(y, x);
    b.mov(x, payload(3, Type::UD));
    b.emit(Op::Not, z, &[y]);
    opt_copy_propagation(&mut p, &ivb());
    assert_eq!(p.insts[3].src[0].file, payload(2, Type::UD).file);
}

#[test]
fn copies_in_an_arm_do_not_reach_behind_it() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, z) = (b.temp(Type::UD), b.temp(Type::UD));
    b.control(Op::If).predicate(false);
    b.mov(x, payload(2, Type::UD));
    b.control(Op::Endif);
    b.emit(Op::Not, z, &[x]);
    opt_copy_propagation(&mut p, &ivb());
    assert_eq!(p.insts[3].src[0], x);
}

#[test]
fn halves_of_a_double_copy_are_read_from_its_source() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (d, x, y) = (b.temp(Type::DF), b.temp(Type::UD), b.temp(Type::UD));
    b.mov(d, payload(4, Type::DF));
    b.emit(Op::Not, x, &[d.subscript(Type::UD, 1)]);
    b.emit(Op::Not, y, &[Operand::ud(1)]);
    opt_copy_propagation(&mut p, &ivb());
    assert_eq!(p.insts[1].src[0], payload(4, Type::DF).subscript(Type::UD, 1));
}

#[test]
fn truth_tests_fold_into_the_comparison() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (c, r) = (b.temp(Type::F), b.temp(Type::UD));
    b.cmp(c, payload(2, Type::F), payload(3, Type::F), CondMod::L);
    b.mov(Operand::null(Type::D), c.retype(Type::D)).condition(CondMod::Nz);
    b.emit(Op::Sel, r, &[payload(4, Type::UD), payload(5, Type::UD)]).predicate(false);
    keep(&mut b, r);
    let model = ivb();
    assert!(opt_cmod_propagation(&mut p, &model));
    assert!(opt_dead_code(&mut p, &model));
    assert_eq!(ops(&p), [Op::Cmp, Op::Sel, Op::Send]);
    assert!(p.insts[0].dst.is_null());
}

#[test]
fn a_flag_written_in_between_keeps_the_test() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let c = b.temp(Type::F);
    b.cmp(c, payload(2, Type::F), payload(3, Type::F), CondMod::L);
    b.cmp(Operand::null(Type::F), payload(4, Type::F), payload(5, Type::F), CondMod::G);
    b.mov(Operand::null(Type::D), c.retype(Type::D)).condition(CondMod::Nz);
    assert!(!opt_cmod_propagation(&mut p, &ivb()));
}

#[test]
fn saturation_folds_unless_the_value_is_read_otherwise() {
    for other_use in [false, true] {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        let (x, y) = (b.temp(Type::F), b.temp(Type::F));
        b.emit(Op::Mul, x, &[payload(2, Type::F), payload(3, Type::F)]);
        b.mov(y, x).saturate = true;
        if other_use {
            keep(&mut b, x);
        }
        assert_eq!(opt_saturate_propagation(&mut p, &ivb()), !other_use);
        assert_eq!(p.insts[0].saturate, !other_use);
    }
}

#[test]
fn partial_writes_that_complete_a_value_are_its_definition() {
    // Both words of x are written, then all of it: the first two writes are dead.
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let x = b.temp(Type::UD);
    b.mov(x.subscript(Type::UW, 0), Operand::uw(1));
    b.mov(x.subscript(Type::UW, 1), Operand::uw(2));
    b.mov(x, Operand::ud(3));
    keep(&mut b, x);
    assert!(opt_dead_code(&mut p, &ivb()));
    assert_eq!(ops(&p), [Op::Mov, Op::Send]);
    // UD writes to two halves, then a 64-bit read: both live.
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (d, r) = (b.temp(Type::DF), b.temp(Type::DF));
    b.mov(d.subscript(Type::UD, 0), Operand::ud(1));
    b.mov(d.subscript(Type::UD, 1), Operand::ud(2));
    b.emit(Op::Add, r, &[d, d]);
    keep(&mut b, r);
    assert!(!opt_dead_code(&mut p, &ivb()));
}

#[test]
fn arms_compute_where_the_join_wants_the_value() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (join, x, y) = (b.temp(Type::UD), b.temp(Type::UD), b.temp(Type::UD));
    b.control(Op::If).predicate(false);
    b.emit(Op::Not, x, &[payload(2, Type::UD)]);
    b.mov(join, x);
    b.control(Op::Else);
    b.emit(Op::Not, y, &[payload(3, Type::UD)]);
    b.mov(join, y);
    b.control(Op::Endif);
    keep(&mut b, join);
    while opt_coalesce(&mut p, &ivb()) {}
    assert_eq!(ops(&p), [Op::If, Op::Not, Op::Else, Op::Not, Op::Endif, Op::Send]);
    assert_eq!(p.insts[1].dst.file, p.insts[3].dst.file);
}

/// A message with a response of four registers, of which each goes to a register of the next message's payload.
fn response_into_payload(read_again: bool) -> Program {
    let mut p = Program::new(8);
    let (response, next) = (p.vreg(4), p.vreg(5));
    let register = |v, index: u32| Operand { offset: index * 32, ..Operand::vgrf(v, Type::UD) };
    let mut b = Builder::new(&mut p);
    keep(&mut b, payload(2, Type::UD));
    b.mov(register(next, 0), payload(1, Type::UD));
    for index in 0..4 {
        b.mov(register(next, index + 1), register(response, index));
    }
    keep(&mut b, register(next, 0));
    if read_again {
        keep(&mut b, register(response, 2));
    }
    p.insts[0].dst = register(response, 0);
    for (inst, (mlen, rlen)) in [(0, (1, 4)), (6, (5, 0))] {
        let message = p.insts[inst].message.as_mut().expect("a send");
        (message.mlen, message.rlen) = (mlen, rlen);
    }
    p
}

#[test]
fn responses_arrive_in_the_payload_they_are_for() {
    let mut p = response_into_payload(false);
    assert!(opt_coalesce(&mut p, &ivb()));
    assert_eq!(ops(&p), [Op::Send, Op::Mov, Op::Send]);
    assert_eq!((p.insts[0].dst.file, p.insts[0].dst.offset), (p.insts[2].src[0].file, 32));
    let mut p = response_into_payload(true);
    assert!(!opt_coalesce(&mut p, &ivb()), "a register of the response is needed later");
}

#[test]
fn values_needed_together_are_not_merged() {
    // x is read after its copy y has changed.
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.emit(Op::Not, x, &[payload(2, Type::UD)]);
    b.mov(y, x);
    b.emit(Op::Add, y, &[y, Operand::ud(1)]);
    keep(&mut b, x);
    keep(&mut b, y);
    assert!(!opt_coalesce(&mut p, &ivb()));
}

#[test]
fn jumps_in_constructs_of_their_own_become_predicated() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    b.control(Op::Do);
    b.control(Op::If).predicate(true);
    b.control(Op::Break);
    b.control(Op::Endif);
    b.control(Op::While);
    assert!(opt_control_flow(&mut p, &ivb()));
    assert_eq!(ops(&p), [Op::Do, Op::Break, Op::While]);
    assert!(p.insts[1].predicate.is_some_and(|p| p.inverse));
}

#[test]
fn results_are_written_strided_at_once() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (d, x) = (b.temp(Type::DF), b.temp(Type::UD));
    b.emit(Op::Or, x, &[payload(2, Type::UD), Operand::ud(1)]);
    b.mov(d.subscript(Type::UD, 0), payload(3, Type::UD));
    b.mov(d.subscript(Type::UD, 1), x);
    keep(&mut b, d);
    assert!(opt_destination(&mut p, &ivb()));
    assert_eq!(ops(&p), [Op::Or, Op::Mov, Op::Send]);
    assert_eq!((p.insts[0].dst.offset, p.insts[0].dst.stride()), (4, Some(2)));
}

#[test]
fn equal_computations_are_done_once() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.emit(Op::Add, x, &[payload(2, Type::UD), payload(3, Type::UD)]);
    b.emit(Op::Add, y, &[payload(3, Type::UD), payload(2, Type::UD)]);
    assert!(opt_common_subexpressions(&mut p, &ivb()));
    assert_eq!(p.insts[1].op, Op::Mov);
    assert_eq!(p.insts[1].src[0], x);
}

#[test]
fn selects_of_equal_values_are_moves() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let x = b.temp(Type::UD);
    b.emit(Op::Sel, x, &[Operand::ud(7), Operand::ud(7)]).predicate(false);
    assert!(opt_algebraic(&mut p, &ivb()));
    assert_eq!((p.insts[0].op, p.insts[0].predicate), (Op::Mov, None));
}

#[test]
fn a_comparison_that_the_flag_still_holds_goes() {
    let build = |clobber: bool, other: CondMod| {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        let (x, result) = (b.temp(Type::DF), b.temp(Type::DF));
        b.mov(x, payload(2, Type::DF));
        b.cmp(result, x, payload(4, Type::DF), CondMod::L);
        let chosen = b.temp(Type::UD);
        b.emit(Op::Sel, chosen, &[payload(6, Type::UD), payload(7, Type::UD)]).predicate(false);
        if clobber {
            b.mov(x, payload(8, Type::DF));
        }
        b.cmp(Operand::null(Type::DF), x, payload(4, Type::DF), other);
        let second = b.temp(Type::UD);
        b.emit(Op::Sel, second, &[payload(7, Type::UD), payload(6, Type::UD)]).predicate(false);
        p
    };
    let mut p = build(false, CondMod::L);
    assert!(opt_flag_reuse(&mut p, &ivb()));
    assert_eq!(ops(&p), [Op::Mov, Op::Cmp, Op::Sel, Op::Sel]);
    for mut p in [build(true, CondMod::L), build(false, CondMod::Ge)] {
        assert!(!opt_flag_reuse(&mut p, &ivb()), "the flag is another one's");
    }
}
