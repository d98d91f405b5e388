//! Control flow, execution masks and predication.

use crate::common::{COUNT, kernel, run, run_with};
use eu_simulator::{Kernel, NoHost, Outcome, Thread};
use intel_isa::{DevInfo, Inst, Opcode, build};

const ALL: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];

/// Jump distances are written in instructions.
fn branch(device: &DevInfo, opcode: Opcode, jip: i32, uip: i32) -> Inst {
    let unit = 16 / i32::from(device.jump_unit_bytes);
    build::inst(opcode).jumps(jip * unit, uip * unit)
}

fn run_insts(
    device: &'static DevInfo,
    mut insts: Vec<Inst>,
    setup: impl FnOnce(&mut Thread),
) -> Thread {
    insts.push(
        build::send(intel_isa::Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25)
            .no_mask()
            .eot(),
    );
    let bytes = intel_isa::encode_program(device, &insts).unwrap();
    let kernel = Kernel::decode(device, &bytes).unwrap();
    let mut thread = Thread::new(device, 3);
    thread.set_dispatch_mask(0xff);
    thread.regs.flags = [0; 2];
    setup(&mut thread);
    let (mut hot, mut native) = (thread.clone(), thread.clone());
    let outcome = kernel.run(&mut thread, &mut NoHost, 100_000).unwrap();
    // Each branch has a form for hot kernels, too.
    let kernel = kernel.hot_after(0);
    assert_eq!(kernel.run(&mut hot, &mut NoHost, 100_000), Ok(outcome));
    assert!(hot.regs == thread.regs, "{}", device.name);
    assert_eq!(kernel.native_after(0).run(&mut native, &mut NoHost, 100_000), Ok(outcome));
    assert!(native.regs == thread.regs, "{} translated", device.name);
    thread
}

fn mov(nr: u8, value: u32) -> Inst {
    build::inst(Opcode::Mov).dst(build::grf(nr)).srcs(&[build::imm_ud(value)])
}

fn add(nr: u8, value: u32) -> Inst {
    build::inst(Opcode::Add).dst(build::grf(nr)).srcs(&[build::grf(nr), build::imm_ud(value)])
}

fn cmp(cond: intel_isa::CondMod, nr: u8, value: intel_isa::Operand) -> Inst {
    build::inst(Opcode::Cmp)
        .dst(build::null())
        .srcs(&[build::grf(nr), value])
        .cond(cond, 0, 0)
        .switch()
}

#[test]
fn if_else_endif_splits_the_channels() {
    for name in ALL {
        let device = crate::common::device(name);
        // Lanes below 3 take the then side, the others the else side.
        let program = vec![
            cmp(intel_isa::CondMod::L, 2, build::imm_ud(3)),
            branch(device, Opcode::If, 3, 4).pred(0, 0, false),
            mov(10, 1),
            branch(device, Opcode::Else, 2, 2),
            mov(10, 2),
            branch(device, Opcode::Endif, 1, 0),
            mov(11, 7),
        ];
        let thread = run_insts(device, program, |thread| thread.set_register(2, &COUNT));
        assert_eq!(thread.register(10), [1, 1, 1, 2, 2, 2, 2, 2], "{name}");
        assert_eq!(thread.register(11), [7; 8], "{name}: everyone meets at the ENDIF");
    }
}

#[test]
fn untaken_sides_are_skipped_but_no_mask_runs_in_walked_code() {
    let device = crate::common::device("ivb");
    let program = vec![
        cmp(intel_isa::CondMod::L, 2, build::imm_ud(100)),
        branch(device, Opcode::If, 3, 4).pred(0, 0, false),
        mov(10, 1),
        branch(device, Opcode::Else, 2, 2),
        mov(11, 2).no_mask(),
        branch(device, Opcode::Endif, 1, 0),
    ];
    let thread = run_insts(device, program, |thread| {
        thread.set_register(2, &COUNT);
        thread.set_register(11, &[5; 8]);
    });
    assert_eq!(thread.register(10), [1; 8]);
    assert_eq!(thread.register(11), [5; 8], "nobody goes to the else side: it is jumped over");
}

#[test]
fn loops_end_per_channel() {
    for name in ALL {
        let device = crate::common::device(name);
        // do { g10 += 1; if (g10 > g2) break; if (g10 == 2) continue; g11 += 1 } while (true)
        let program = vec![
            mov(10, 0),
            mov(11, 0),
            add(10, 1),
            cmp(intel_isa::CondMod::G, 10, build::grf(2)),
            branch(device, Opcode::Break, 4, 4).pred(0, 0, false),
            cmp(intel_isa::CondMod::Z, 10, build::imm_ud(2)),
            branch(device, Opcode::Cont, 2, 2).pred(0, 0, false),
            add(11, 1),
            branch(device, Opcode::While, -6, 0),
            mov(12, 9),
        ];
        let thread = run_insts(device, program, |thread| thread.set_register(2, &COUNT));
        assert_eq!(thread.register(10), [1, 2, 3, 4, 5, 6, 7, 8], "{name}");
        assert_eq!(
            thread.register(11),
            [0, 1, 1, 2, 3, 4, 5, 6],
            "{name}: the second round is skipped"
        );
        assert_eq!(thread.register(12), [9; 8], "{name}: all channels come back after the loop");
    }
}

#[test]
fn a_break_inside_an_if_leaves_the_loop() {
    for name in ["ivb", "skl"] {
        let device = crate::common::device(name);
        let program = vec![
            mov(10, 0),
            add(10, 1),
            cmp(intel_isa::CondMod::Ge, 10, build::grf(2)),
            branch(device, Opcode::If, 2, 2).pred(0, 0, false),
            branch(device, Opcode::Break, 1, 2),
            branch(device, Opcode::Endif, 1, 0),
            branch(device, Opcode::While, -5, 0),
            add(10, 100),
        ];
        // The IF's target is the ENDIF; the BREAK's JIP too, its UIP the WHILE.
        let thread = run_insts(device, program, |thread| thread.set_register(2, &COUNT));
        assert_eq!(thread.register(10), [101, 101, 102, 103, 104, 105, 106, 107], "{name}");
    }
}

#[test]
fn a_predicated_while_ends_when_no_channel_loops() {
    let device = crate::common::device("hsw");
    let program = vec![
        mov(10, 0),
        add(10, 1),
        cmp(intel_isa::CondMod::L, 10, build::grf(2)),
        branch(device, Opcode::While, -2, 0).pred(0, 0, false),
        mov(11, 1),
    ];
    let thread = run_insts(device, program, |thread| thread.set_register(2, &COUNT));
    assert_eq!(thread.register(10), [1, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(thread.register(11), [1; 8]);
}

#[test]
fn halted_channels_resume_at_the_halt_target() {
    for name in ["ivb", "bdw"] {
        let device = crate::common::device(name);
        let program = vec![
            mov(10, 0),
            cmp(intel_isa::CondMod::L, 2, build::imm_ud(4)),
            branch(device, Opcode::Halt, 3, 3).pred(0, 0, false),
            mov(10, 1),
            branch(device, Opcode::Halt, 1, 1),
            mov(11, 2),
        ];
        let thread = run_insts(device, program, |thread| thread.set_register(2, &COUNT));
        assert_eq!(thread.register(10), [0, 0, 0, 0, 1, 1, 1, 1], "{name}");
        assert_eq!(thread.register(11), [2; 8], "{name}");
    }
}

#[test]
fn calls_return_to_their_callers() {
    let device = crate::common::device("hsw");
    // Calls count bytes there, branches do not.
    let unit = 16;
    let program = vec![
        mov(10, 1),
        build::inst(Opcode::Call).dst(build::grf(20)).jumps(3 * unit, 0),
        add(10, 10),
        branch(device, Opcode::Brd, 3, 0),
        add(10, 100),
        build::inst(Opcode::Ret).dst(build::null()).srcs(&[build::grf(20)]),
        mov(11, 3),
    ];
    let thread = run_insts(device, program, |_| {});
    assert_eq!(thread.register(10), [111; 8]);
    assert_eq!(thread.register(11), [3; 8]);
}

#[test]
fn jmpi_counts_from_the_next_instruction() {
    // Haswell's JMPI counts bytes, unlike its branches.
    for (name, unit) in [("ivb", 2), ("hsw", 16), ("bdw", 16), ("skl", 16)] {
        let device = crate::common::device(name);
        let jump = build::inst(Opcode::Jmpi).exec(1).no_mask().srcs(&[build::imm_d(unit)]);
        let thread = run_insts(device, vec![mov(10, 1), jump, mov(10, 2), mov(11, 3)], |_| {});
        assert_eq!((thread.register(10)[0], thread.register(11)[0]), (1, 3), "{name}");
    }
}

#[test]
fn dispatch_mask_and_quarter_control() {
    let text = "mov(8) g10<1>UD 1UD { align1 1Q };
                mov(8) g11<1>UD 1UD { align1 2Q };
                mov(8) g12<1>UD 1UD { align1 WE_all 2Q };
                mov(16) g13<1>UD 1UD { align1 1H };
                mov(4) g15<1>UD 1UD { align1 2N };";
    let thread = run("ivb", text, |thread| {
        thread.set_dispatch_mask(0x0ff5);
        for nr in 10..16 {
            thread.set_register(nr, &[0; 8]);
        }
    });
    assert_eq!(thread.register(10), [1, 0, 1, 0, 1, 1, 1, 1]);
    assert_eq!(thread.register(11), [1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(thread.register(12), [1; 8]);
    assert_eq!(thread.register(13), [1, 0, 1, 0, 1, 1, 1, 1]);
    assert_eq!(thread.register(14), [1, 1, 1, 1, 0, 0, 0, 0]);
    assert_eq!(thread.register(15), [1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn grouped_predicates() {
    let text = "(+f0.0.any4h) mov(8) g10<1>UD 1UD { align1 1Q };
                (+f0.0.all4h) mov(8) g11<1>UD 1UD { align1 1Q };
                (-f0.0.any4h) mov(8) g12<1>UD 1UD { align1 1Q };
                (+f0.0.anyv) mov(8) g13<1>UD 1UD { align1 1Q };
                (+f0.0.allv) mov(8) g14<1>UD 1UD { align1 1Q };
                (+f0.0.x) mov(8) g15<1>UD 1UD { align16 1Q };
                (+f0.0.any4h) mov(8) g16<1>.xwUD 1UD { align16 1Q };
                (+f0.0) mov(8) g17<1>UD 1UD { align1 2Q };";
    let thread = run("ivb", text, |thread| {
        thread.regs.flags = [0x8_02f0 | 0x8000, 0x0000_0003];
        thread.regs.flags[0] = 0x02f0 | 0x8;
        thread.regs.flags[1] = 0x12;
        for nr in 10..18 {
            thread.set_register(nr, &[0; 8]);
        }
    });
    // f0 bits 7:0 are 1111 1000.
    assert_eq!(thread.register(10), [1; 8]);
    assert_eq!(thread.register(11), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(thread.register(12), [0; 8]);
    assert_eq!(thread.register(13), [0, 1, 0, 1, 1, 1, 1, 1]);
    assert_eq!(thread.register(14), [0, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(thread.register(15), [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(thread.register(16), [1, 0, 0, 1, 1, 0, 0, 1]);
    assert_eq!(thread.register(17), [0, 1, 0, 0, 0, 0, 0, 0], "2Q reads flag bits 15:8");
}

#[test]
fn the_step_limit_is_an_error_at_the_instruction() {
    let device = crate::common::device("ivb");
    let unit = 16 / i32::from(device.jump_unit_bytes);
    let program = vec![mov(10, 0), branch(device, Opcode::While, -1, 0), build::inst(Opcode::Nop)];
    let kernel = Kernel::from_insts(device, program).unwrap();
    let mut thread = Thread::new(device, 0);
    let error = kernel.run(&mut thread, &mut NoHost, 1000).unwrap_err();
    assert!(error.is_timeout());
    assert_eq!((thread.steps(), error.index, unit), (1000, 0, 2));
}

#[test]
fn running_past_the_end_is_an_error() {
    let device = crate::common::device("bdw");
    let kernel = Kernel::from_insts(device, vec![mov(10, 0)]).unwrap();
    let error = kernel.run(&mut Thread::new(device, 0), &mut NoHost, 10).unwrap_err();
    assert_eq!(error.reason, eu_simulator::Reason::RanOff);
}

#[test]
fn barriers_suspend_the_thread() {
    let device = crate::common::device("ivb");
    let barrier = build::send(intel_isa::Sfid::Gateway, build::null(), build::grf(0), 1 << 25 | 4);
    let wait =
        build::inst(Opcode::Wait).exec(1).dst(build::arf(intel_isa::Arf::Notification(0)).scalar());
    let end =
        build::send(intel_isa::Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).eot();
    let kernel =
        Kernel::from_insts(device, vec![mov(10, 1), barrier, wait, mov(10, 2), end]).unwrap();
    let mut thread = Thread::new(device, 0);
    assert_eq!(kernel.run(&mut thread, &mut NoHost, 10), Ok(Outcome::Barrier { steps: 3 }));
    assert_eq!(thread.register(10), [1; 8]);
    assert_eq!(kernel.run(&mut thread, &mut NoHost, 10), Ok(Outcome::Done { steps: 5 }));
    assert_eq!(thread.register(10), [2; 8]);
}

#[test]
fn several_kernels_in_one_binary() {
    let device = crate::common::device("bdw");
    let end =
        build::send(intel_isa::Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).eot();
    let mut bytes = intel_isa::encode_program(device, &[mov(10, 1), end]).unwrap();
    bytes.extend([0xff; 24]);
    let second = bytes.len();
    bytes.extend(intel_isa::encode_program(device, &[mov(10, 2), end]).unwrap());
    let first = Kernel::decode(device, &bytes).unwrap();
    let mut thread = Thread::new(device, 0);
    first.run(&mut thread, &mut NoHost, 10).unwrap();
    assert_eq!(thread.register(10), [1; 8]);
    thread.reset(0);
    Kernel::decode_from(device, &bytes, second).unwrap().run(&mut thread, &mut NoHost, 10).unwrap();
    assert_eq!(thread.register(10), [2; 8]);
    assert!(Kernel::decode_from(device, &bytes, bytes.len()).is_err());
}

/// Kernels of more instructions than one storage holds run, also generically.
#[test]
fn long_kernels() {
    let device = crate::common::device("skl");
    let end =
        build::send(intel_isa::Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).eot();
    for numbers in [0..3, 3..20_000] {
        let last = numbers.end - 1;
        let insts: Vec<_> = numbers.map(|number| mov(10, number)).chain([end]).collect();
        let kernel =
            Kernel::decode(device, &intel_isa::encode_program(device, &insts).unwrap()).unwrap();
        for kernel in [kernel.clone(), kernel.generic()] {
            let mut thread = Thread::new(device, 0);
            kernel.run(&mut thread, &mut NoHost, 30_000).unwrap();
            assert_eq!(thread.register(10), [last; 8]);
        }
    }
}

#[test]
fn unwritten_registers_hold_seeded_garbage() {
    let device = crate::common::device("ivb");
    let (one, same, two) = (Thread::new(device, 1), Thread::new(device, 1), Thread::new(device, 2));
    assert_eq!(one.regs, same.regs);
    assert!((0..128).all(|nr| one.register(nr) != [0; 8] && one.register(nr) != two.register(nr)));
    let error = run_with("ivb", "illegal;", &mut NoHost, |_| {}).map(|_| ()).unwrap_err();
    assert_eq!(error.reason, eu_simulator::Reason::Illegal);
    assert!(kernel(device, "nop;").instructions().count() == 2);
}

#[test]
fn traces_report_every_instruction_and_its_changes() {
    use eu_simulator::trace::{Step, Trace};
    struct Log(Vec<(usize, Opcode, Vec<usize>, u32)>);
    impl Trace for Log {
        fn step(&mut self, step: &Step) {
            let changed = step.changed().map(|(nr, ..)| nr).collect();
            self.0.push((step.offset, step.inst.opcode, changed, step.enabled));
        }
    }
    let device = crate::common::device("ivb");
    let kernel = kernel(
        device,
        "mov(8) g10<1>UD 1UD { align1 1Q }; add(8) g11<1>UD g10<8,8,1>UD 1UD { align1 1Q };",
    );
    let mut log = Log(Vec::new());
    let (mut thread, mut silent) = (Thread::new(device, 3), Thread::new(device, 3));
    thread.set_dispatch_mask(0x0f);
    silent.set_dispatch_mask(0x0f);
    let traced = kernel.run_traced(&mut thread, &mut NoHost, 100, &mut log);
    assert_eq!(traced, kernel.run(&mut silent, &mut NoHost, 100));
    assert_eq!(thread.regs, silent.regs);
    let expected = [
        (0, Opcode::Mov, vec![10], 0xf),
        (16, Opcode::Add, vec![11], 0xf),
        (32, Opcode::Send, vec![], 0xff),
    ];
    assert_eq!(log.0, expected);
}
