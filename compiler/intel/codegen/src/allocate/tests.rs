//! Allocation of random programs, re-proved by the checker; faults that the checker must find.

use super::graph::{Extent, GRF_COUNT};
use super::*;
use crate::lir::build::Builder;
use crate::lir::{CondMod, File, Inst, Op, Operand, Type};
use crate::model::{Model, QuirkSet};
use intel_isa::DevInfo;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::{RngCore, SeedableRng};
use vocabulary::InternalError;

fn ivb() -> Model {
    Model::new(DevInfo::get("ivb").unwrap(), QuirkSet::default())
}

/// The program with its registers in place.
fn rewritten(program: &Program, starts: &[Option<u8>]) -> Program {
    let mut out = program.clone();
    rewrite(&mut out, starts);
    out
}

fn below(rng: &mut Pcg64, n: usize) -> usize {
    rng.next_u32() as usize % n
}

/// Random reads and writes of registers of one to four GRFs, partial and predicated ones among
/// them, in nested IFs and loops, with reads of payload registers everywhere.
fn random_program(rng: &mut Pcg64, registers: usize, length: usize) -> Program {
    let mut p = Program::new(8);
    p.payload_regs = 20;
    let vregs: Vec<(VReg, u32)> = (0..registers)
        .map(|_| {
            let size = 1 + below(rng, 4) as u32;
            (p.vreg(size), size)
        })
        .collect();
    for &(v, size) in &vregs {
        for r in 0..size {
            Builder::new(&mut p)
                .mov(Operand::vgrf(v, Type::UD).byte_offset(r * REG_SIZE), Operand::ud(r));
        }
    }
    let operand = |rng: &mut Pcg64| {
        let (v, size) = vregs[below(rng, vregs.len())];
        let mut op = Operand::vgrf(v, Type::UD);
        op.offset = below(rng, size as usize) as u32 * REG_SIZE;
        op
    };
    let mut open: Vec<Op> = Vec::new();
    for _ in 0..length {
        let mut b = Builder::new(&mut p);
        match below(rng, 16) {
            0 if open.len() < 4 => {
                b.control(Op::If).predicate(false);
                open.push(Op::If);
            }
            1 if open.len() < 4 => {
                b.control(Op::Do);
                open.push(Op::Do);
            }
            2 | 3 => match open.pop() {
                Some(Op::If) => {
                    b.control(Op::Else);
                    open.push(Op::Else);
                }
                Some(Op::Else) => {
                    b.control(Op::Endif);
                }
                Some(_) => {
                    b.control(Op::While).predicate(false);
                }
                None => {}
            },
            4 if open.contains(&Op::Do) => {
                b.control(Op::Break).predicate(false);
            }
            5 => {
                let (to, from) = (operand(rng), operand(rng));
                let part = to.retype(Type::UW).strided(2).byte_offset(2 * below(rng, 2) as u32);
                b.mov(part, from.retype(Type::UW).strided(2));
            }
            6 => {
                let (to, from) = (operand(rng), operand(rng));
                b.mov(to, from).predicate(below(rng, 2) == 0);
            }
            7 => {
                let (to, from) = (operand(rng), Operand::grf(below(rng, 20) as u8, Type::UD));
                b.mov(to, from);
            }
            8 => {
                let from = operand(rng);
                b.cmp(Operand::null(Type::UD), from, Operand::ud(1), CondMod::Z);
            }
            _ => {
                let (to, x, y) = (operand(rng), operand(rng), operand(rng));
                b.emit(Op::Add, to, &[x, y]);
            }
        }
    }
    while let Some(op) = open.pop() {
        let mut b = Builder::new(&mut p);
        match op {
            Op::Do => b.control(Op::While).predicate(false),
            _ => b.control(Op::Endif),
        };
    }
    p
}

#[test]
fn random_programs_pass_the_checker() {
    let model = ivb();
    let mut spilled = 0;
    for seed in 0..150 {
        let mut rng = Pcg64::seed_from_u64(seed);
        let registers = 4 + below(&mut rng, 60);
        let length = 20 + below(&mut rng, 300);
        let program = random_program(&mut rng, registers, length);
        // Beyond the reach of scratch block messages there are headers.
        for (spill_all, base) in
            [(false, 0), (true, 0), (true, (crate::sends::SCRATCH_BLOCK_REGS - 9) * REG_SIZE)]
        {
            let mut p = program.clone();
            let settings =
                Settings { allow_spill: true, spill_all, check: true, ..Settings::default() };
            let allocation = allocate(&mut p, &model, settings, base);
            let allocation = allocation.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{program}"));
            spilled += u32::from(!spill_all && allocation.spills > 0);
            let virtual_left = p
                .insts
                .iter()
                .any(|i| i.dst.vreg().is_some() || i.src.iter().any(|s| s.vreg().is_some()));
            assert!(!virtual_left);
        }
    }
    assert!(spilled > 5, "only {spilled} programs needed spilling");
}

/// Moves the definitions at the start of a random program to the first use of what they define, or
/// before the outermost construct around it.
fn define_late(p: &mut Program) {
    let body = p.insts.iter().position(|inst| inst.op != Op::Mov || inst.src[0].is_reg());
    let body = p.insts.split_off(body.unwrap_or(p.insts.len()));
    let mut definitions = std::mem::take(&mut p.insts);
    let mut construct: Vec<Inst> = Vec::new();
    let mut nesting = 0;
    for inst in body {
        match inst.op {
            Op::If | Op::Do => nesting += 1,
            Op::Endif | Op::While => nesting -= 1,
            _ => {}
        }
        construct.push(inst);
        if nesting == 0 {
            let place = |operand: &Operand| (operand.vreg(), operand.offset / REG_SIZE);
            let is_used = |definition: &mut Inst| {
                let mut operands = construct.iter().flat_map(|i| i.src.iter().chain([&i.dst]));
                operands.any(|operand| place(operand) == place(&definition.dst))
            };
            p.insts.extend(definitions.extract_if(.., is_used));
            p.insts.append(&mut construct);
        }
    }
}

/// Registers that hold nothing yet, or nothing any more, are in the places of others.
#[test]
fn random_programs_whose_values_share_places_pass_the_checker() {
    let (mut shared, mut only_parts) = (0, 0);
    for seed in 0..300 {
        let mut rng = Pcg64::seed_from_u64(seed);
        let registers = 20 + below(&mut rng, 60);
        let length = 20 + below(&mut rng, 300);
        let mut p = random_program(&mut rng, registers, length);
        define_late(&mut p);
        let liveness = Liveness::new(&p, &Cfg::new(&p));
        let places = |extent| Graph::new(&p, &liveness, extent).color().ok();
        let Some(starts) = places(Extent::Parts) else { continue };
        checker::check(&p, &p, &rewritten(&p, &starts), &starts, 0)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{p}"));
        shared += u32::from(liveness.max_live(p.insts.len()) as u32 > GRF_COUNT / 2);
        only_parts += u32::from(places(Extent::Whole).is_none());
    }
    assert!(shared > 50 && only_parts > 5, "{shared} programs, {only_parts} fit only in parts");
}

/// Parts of a split message do not overlap, not even where they hold nothing.
#[test]
fn parts_of_split_messages_are_apart() {
    let text = "program width=8 payload=10
vgrf v0[4] v1[4]
  mov(8) v0<1>:UD, g1<1>:UD nomask
  mov(8) v1+96<1>:UD, g2<1>:UD nomask
  sends(8) null<1>:UD, v0<1>:UD, v1<1>:UD sfid=urb control=0x7 mlen=4 rlen=0 ex_mlen=4 header urb_write
";
    let p = crate::lir::parse(text).unwrap();
    let liveness = Liveness::new(&p, &Cfg::new(&p));
    for extent in [Extent::Whole, Extent::Parts] {
        let starts = Graph::new(&p, &liveness, extent).color().unwrap();
        let [Some(first), Some(second)] = starts[..] else { panic!("{starts:?}") };
        assert!(first.abs_diff(second) >= 4, "{extent:?}: {starts:?}");
    }
}

/// The first part is the payload's g1 and g2; the second has nothing where g2 would be.
#[test]
fn parts_of_split_messages_are_apart_from_the_payload() {
    let text = "program width=8 payload=4
vgrf v0[4]
  mov(8) v0+96<1>:UD, 0x1:UD
  sends(8) null<1>:UD, g1<1>:UD, v0<1>:UD sfid=urb control=0x7 mlen=2 rlen=0 ex_mlen=4 header urb_write
";
    let p = crate::lir::parse(text).unwrap();
    let liveness = Liveness::new(&p, &Cfg::new(&p));
    for extent in [Extent::Whole, Extent::Parts] {
        let starts = Graph::new(&p, &liveness, extent).color().unwrap();
        assert!(starts[0].is_some_and(|start| start >= 3), "{extent:?}: {starts:?}");
    }
}

#[test]
fn spilling_by_pressure_spills_little_more_than_what_is_live_too_many() {
    let model = ivb();
    let mut p = Program::new(8);
    let values = 300;
    let mut b = Builder::new(&mut p);
    let registers: Vec<Operand> = (0..values).map(|_| b.temp(Type::UD)).collect();
    for (n, &register) in (0..).zip(&registers) {
        // It sets the flag, too: it can be computed neither later nor again.
        b.emit(Op::Not, register, &[Operand::ud(n)]).condition(CondMod::Nz);
    }
    for pair in registers.windows(2) {
        b.cmp(Operand::null(Type::UD), pair[0], pair[1], CondMod::Z);
    }
    let settings = Settings { allow_spill: true, check: true, ..Settings::default() };
    let allocation = allocate(&mut p, &model, settings, 0).expect("it fits after spilling");
    assert_eq!(allocation.max_live, values);
    let least = values - graph::GRF_COUNT;
    assert!((least..least + 16).contains(&allocation.spills), "{allocation:?}");
}

#[test]
fn without_permission_nothing_spills() {
    let model = ivb();
    let mut rng = Pcg64::seed_from_u64(3);
    let mut p = random_program(&mut rng, 120, 900);
    let settings = Settings { check: true, ..Settings::default() };
    let refusal = allocate(&mut p, &model, settings, 0).expect_err("too many values").message;
    assert!(refusal.ends_with(" registers do not fit"), "{refusal}");
}

/// Checks a program under given places of its registers.
fn verdict(p: &Program, starts: &[u8]) -> Result<(), InternalError> {
    let starts: Vec<Option<u8>> = starts.iter().map(|&s| Some(s)).collect();
    checker::check(p, p, &rewritten(p, &starts), &starts, 0)
}

/// The verdict of the checker on a program with wrong places.
fn fault(p: &Program, starts: &[u8]) -> String {
    verdict(p, starts).expect_err("wrong places").to_string()
}

fn uses(b: &mut Builder<'_>, value: Operand) {
    b.cmp(Operand::null(Type::UD), value, Operand::ud(0), CondMod::Z);
}

#[test]
fn checker_finds_wrong_interference() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.mov(x, Operand::ud(1));
    b.mov(y, Operand::ud(2));
    uses(&mut b, x);
    uses(&mut b, y);
    assert_eq!(verdict(&p, &[10, 11]), Ok(()));
    let fault = fault(&p, &[10, 10]);
    assert!(
        fault.contains("check_allocation: instruction 2 ") && fault.contains("reads source 0"),
        "{fault}"
    );
}

#[test]
fn checker_finds_a_missed_partial_write() {
    // x is completed by two word writes; y takes its place in between.
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.mov(x.subscript(Type::UW, 0), Operand::uw(1));
    b.mov(y, Operand::ud(2));
    uses(&mut b, y);
    b.mov(x.subscript(Type::UW, 1), Operand::uw(3));
    uses(&mut b, x);
    assert_eq!(verdict(&p, &[10, 11]), Ok(()));
    let fault = fault(&p, &[10, 10]);
    assert!(
        fault.contains("check_allocation: instruction 4 ") && fault.contains("reads source 0"),
        "{fault}"
    );
}

#[test]
fn checker_finds_payload_clobbered_in_a_loop() {
    // g5 is read at the top of the second iteration as well.
    let mut p = Program::new(8);
    p.payload_regs = 8;
    let mut b = Builder::new(&mut p);
    let x = b.temp(Type::UD);
    b.control(Op::Do);
    uses(&mut b, Operand::grf(5, Type::UD));
    b.mov(x, Operand::ud(1));
    uses(&mut b, x);
    b.control(Op::While).predicate(false);
    assert_eq!(verdict(&p, &[20]), Ok(()));
    let fault = fault(&p, &[5]);
    assert!(
        fault.contains("check_allocation: instruction 1 ") && fault.contains("reads source 0 (g5"),
        "{fault}"
    );
    let cfg = Cfg::new(&p);
    assert_eq!(Liveness::new(&p, &cfg).payload_last_use[5], 4);
}

#[test]
fn checker_finds_an_arm_overwriting_the_other_arms_result() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.control(Op::If).predicate(false);
    b.mov(x, Operand::ud(1));
    b.control(Op::Else);
    b.mov(y, Operand::ud(2));
    uses(&mut b, y);
    b.mov(x, Operand::ud(3));
    b.control(Op::Endif);
    uses(&mut b, x);
    assert_eq!(verdict(&p, &[10, 11]), Ok(()));
    let fault = fault(&p, &[10, 10]);
    assert!(
        fault.contains("check_allocation: instruction 3 ")
            && fault.contains("which waiting channels still hold"),
        "{fault}"
    );
}

#[test]
fn checker_finds_registers_of_a_value_overwritten_that_one_arm_wrote() {
    let mut p = Program::new(8);
    let x = Operand::vgrf(p.vreg(2), Type::UD);
    let mut b = Builder::new(&mut p);
    let y = b.temp(Type::UD);
    b.control(Op::If).predicate(false);
    b.mov(x.byte_offset(REG_SIZE), Operand::ud(1));
    b.control(Op::Else);
    b.mov(y, Operand::ud(2));
    uses(&mut b, y);
    b.control(Op::Endif);
    b.mov(x, Operand::ud(3));
    uses(&mut b, x);
    uses(&mut b, x.byte_offset(REG_SIZE));
    // The first register of x holds nothing yet.
    assert_eq!(verdict(&p, &[10, 10]), Ok(()));
    let fault = fault(&p, &[10, 11]);
    assert!(fault.contains("instruction 8 reads source 0 (v0+32"), "{fault}");
}

#[test]
fn checker_finds_values_of_channels_that_left_a_loop_overwritten() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.control(Op::Do);
    b.mov(y, Operand::ud(2));
    uses(&mut b, y);
    b.mov(x, Operand::ud(1));
    b.control(Op::Break).predicate(false);
    b.control(Op::While);
    uses(&mut b, x);
    assert_eq!(verdict(&p, &[10, 11]), Ok(()));
    let fault = fault(&p, &[10, 10]);
    assert!(
        fault.contains("check_allocation: instruction 1 ")
            && fault.contains("which waiting channels still hold"),
        "{fault}"
    );
}

#[test]
fn checker_finds_a_fill_from_the_wrong_slot() {
    let model = ivb();
    let mut p = Program::new(8);
    p.payload_regs = 2;
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.mov(x, Operand::ud(1));
    b.mov(y, Operand::ud(2));
    uses(&mut b, x);
    uses(&mut b, y);
    let original = p.clone();
    let mut spiller = Spiller::default();
    spill_everything(&mut p, &model, &mut spiller);
    assert_eq!((spiller.spills, spiller.fills), (2, 2));
    let cfg = Cfg::new(&p);
    let liveness = Liveness::new(&p, &cfg);
    let starts = Graph::new(&p, &liveness, Extent::Whole).color().unwrap();
    assert_eq!(checker::check(&original, &p, &rewritten(&p, &starts), &starts, 0), Ok(()));
    let fill = p.insts.iter().position(|i| i.remark == spill::FILL).unwrap();
    if let Some(message) = &mut p.insts[fill].message {
        message.control ^= 1;
    }
    let fault = checker::check(&original, &p, &rewritten(&p, &starts), &starts, 0)
        .expect_err("another slot")
        .message;
    assert!(fault.contains("reads source 0") && fault.contains("but finds"), "{fault}");
}

#[test]
fn halves_of_compressed_instructions_do_not_overwrite_each_other() {
    // A 16-wide addition: its destination may take its source's place, but not be one register off.
    let mut p = Program::new(16);
    let mut b = Builder::new(&mut p);
    let (x, y) = (b.temp(Type::UD), b.temp(Type::UD));
    b.mov(x, Operand::ud(1));
    b.emit(Op::Add, y, &[x, Operand::ud(1)]);
    uses(&mut b, y);
    let cfg = Cfg::new(&p);
    let starts = Graph::new(&p, &Liveness::new(&p, &cfg), Extent::Whole).color().unwrap();
    let (x, y) = (starts[0].unwrap(), starts[1].unwrap());
    assert!(x == y || x.abs_diff(y) >= 2, "g{x} and g{y}");
}

#[test]
fn thread_ending_messages_get_the_top_registers() {
    let mut p = Program::new(8);
    let payload = Operand::vgrf(p.vreg(4), Type::UD);
    let mut b = Builder::new(&mut p);
    b.mov(payload, Operand::ud(1));
    let mut send = Inst::new(Op::Sendc, 8, Operand::null(Type::UW), &[payload]);
    send.message = Some(crate::sends::render_target_write(
        0,
        crate::sends::RenderTargetLayout::Simd8,
        true,
        false,
        4,
        true,
    ));
    b.push(send);
    let settings = Settings { check: true, ..Settings::default() };
    allocate(&mut p, &ivb(), settings, 0).unwrap();
    assert_eq!(p.insts[1].src[0].file, File::Grf(124));
}

/// A response in the only register that is left, r127: fine before gen8, refused on gen8.
#[test]
fn responses_keep_out_of_r127_on_gen8() {
    for (name, fits) in [("hsw", true), ("bdw", false), ("skl", true)] {
        let model = Model::new(DevInfo::get(name).unwrap(), QuirkSet::default());
        let mut p = Program::new(8);
        p.payload_regs = 127;
        let mut b = Builder::new(&mut p);
        let response = b.temp(Type::UD);
        let mut send = Inst::new(Op::Send, 8, response, &[Operand::grf(0, Type::UD)]);
        send.message = Some(crate::sends::scratch_block_read(&model, 0, 1));
        b.push(send);
        uses(&mut b, response);
        for r in 0..127 {
            uses(&mut b, Operand::grf(r, Type::UD));
        }
        let settings = Settings::default();
        assert_eq!(allocate(&mut p, &model, settings, 0).is_ok(), fits, "{name}");
    }
}

/// A register completed by two partial writes in a loop lives from there on, not through the loop;
/// seen as a whole it does.
#[test]
fn byte_liveness_needs_fewer_registers_than_whole_liveness() {
    let mut p = Program::new(8);
    let mut b = Builder::new(&mut p);
    b.control(Op::Do);
    for _ in 0..4 {
        let x = b.temp(Type::UD);
        b.mov(x.subscript(Type::UW, 0), Operand::uw(1));
        b.mov(x.subscript(Type::UW, 1), Operand::uw(2));
        uses(&mut b, x);
    }
    b.control(Op::While).predicate(false);
    let max_live = |granularity| {
        let settings = Settings { check: true, granularity, ..Settings::default() };
        allocate(&mut p.clone(), &ivb(), settings, 0).unwrap().max_live
    };
    assert!(max_live(LivenessGranularity::Byte) < max_live(LivenessGranularity::Register));
}

/// Payload that is free after its last use is room for others, unless it interferes with
/// everything. The values set the flag: others could be computed later, or again.
#[test]
fn payload_that_interferes_with_everything_costs_registers() {
    let mut p = Program::new(8);
    p.payload_regs = 100;
    let mut b = Builder::new(&mut p);
    let values: Vec<Operand> = (0..60)
        .map(|i| {
            let value = b.temp(Type::UD);
            b.emit(Op::Not, value, &[Operand::grf(i, Type::UD)]).condition(CondMod::Nz);
            value
        })
        .collect();
    for value in values {
        uses(&mut b, value);
    }
    let run = |payload| {
        let settings = Settings { check: true, payload, ..Settings::default() };
        allocate(&mut p.clone(), &ivb(), settings, 0)
    };
    assert!(run(PayloadInterference::LastUse).is_ok_and(|a| a.max_live <= 128));
    let refusal = run(PayloadInterference::All).expect_err("160 values at once").message;
    assert!(refusal.ends_with(" registers do not fit"), "{refusal}");
}

#[test]
fn values_of_the_payload_are_computed_again() {
    let mut p = Program::new(8);
    p.payload_regs = 4;
    let mut b = Builder::new(&mut p);
    let mut value = |n: u32| {
        let value = b.temp(Type::UD);
        b.mov(value, Operand::grf_scalar(2 * REG_SIZE + 4 * (n % 16), Type::UD));
        value
    };
    let values: Vec<Operand> = (0..GRF_COUNT + 8).map(&mut value).collect();
    values.iter().rev().for_each(|&value| uses(&mut b, value));
    let settings = Settings { check: true, ..Settings::default() };
    let allocation = allocate(&mut p, &ivb(), settings, 0).expect("an allocation without spills");
    assert_eq!((allocation.spills, allocation.fills), (0, 0));
    assert!(allocation.max_live > GRF_COUNT);
}
