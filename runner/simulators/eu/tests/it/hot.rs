//! Kernels that become hot in the middle of a run.

use eu_simulator::{Kernel, NoHost, Thread};
use intel_isa::{CondMod, DevInfo, Inst, Opcode, build};

use crate::common::COUNT;

/// A loop that each channel leaves after another number of turns.
fn program(device: &DevInfo) -> Vec<Inst> {
    let unit = 16 / i32::from(device.jump_unit_bytes);
    let jump = |opcode, jip: i32, uip: i32| build::inst(opcode).jumps(jip * unit, uip * unit);
    let op =
        |opcode, dst, sources: &[intel_isa::Operand]| build::inst(opcode).dst(dst).srcs(sources);
    let (turns, value) = (build::grf(10), build::grf(12).f());
    vec![
        op(Opcode::Mov, turns, &[build::imm_ud(0)]),
        op(Opcode::Add, turns, &[turns, build::imm_ud(1)]),
        op(Opcode::Mul, value, &[value, build::grf(13).f()]),
        op(Opcode::Add, value, &[value, build::imm_f(0.25)]),
        op(Opcode::Cmp, build::null(), &[turns, build::grf(2)]).cond(CondMod::Ge, 0, 0).switch(),
        jump(Opcode::Break, 1, 1).pred(0, 0, false),
        jump(Opcode::While, -5, 0),
        op(Opcode::Mov, build::grf(11), &[build::imm_ud(7)]),
        build::send(intel_isa::Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).eot(),
    ]
}

#[test]
fn results_do_not_depend_on_when_a_kernel_becomes_hot() {
    for device in DevInfo::all() {
        let bytes = intel_isa::encode_program(device, &program(device)).unwrap();
        let kernel = Kernel::decode(device, &bytes).unwrap();
        assert_eq!(kernel.hot_instructions(), 8, "{}", device.name);
        let run = |kernel: &Kernel, budget: u64| {
            let mut thread = Thread::new(device, 3);
            thread.set_dispatch_mask(0x7f);
            thread.set_register(2, &COUNT.map(|lane| lane + 2));
            thread.set_register(12, &[0.5f32.to_bits(); 8]);
            thread.set_register(13, &COUNT.map(|lane| (lane as f32 * 0.75).to_bits()));
            let outcome = kernel.run(&mut thread, &mut NoHost, budget);
            (outcome, thread.steps(), thread.regs)
        };
        let generic = kernel.clone().generic();
        for after in [0, 1, 2, 5, 17, 60, u64::MAX] {
            let kernel = kernel.clone().hot_after(after);
            let native = kernel.clone().native_after(after);
            for budget in (0..64).chain([1000]) {
                let expected = run(&generic, budget);
                let what = format!("{} hot after {after}, budget {budget}", device.name);
                assert!(run(&kernel, budget) == expected, "{what}");
                assert!(run(&native, budget) == expected, "{what}, translated");
            }
        }
        assert!(run(&generic, 1000).0.is_ok(), "{}", device.name);
    }
}

/// Threads that leave the loop after different numbers of turns run as they do alone, wherever the
/// budget ends.
#[test]
fn threads_in_lockstep_have_their_own_results() {
    for device in DevInfo::all() {
        let bytes = intel_isa::encode_program(device, &program(device)).unwrap();
        let kernel = Kernel::decode(device, &bytes).unwrap().hot_after(0);
        in_lockstep(device, &kernel);
        in_lockstep(device, &kernel.native_after(0));
    }
}

fn in_lockstep(device: &'static DevInfo, kernel: &Kernel) {
    let thread = |number: u32| {
        let mut thread = Thread::new(device, 3);
        thread.set_dispatch_mask(if number == 3 { 0x31 } else { 0xff });
        thread.set_register(2, &COUNT.map(|lane| (lane * number) % 7 + number + 1));
        thread.set_register(12, &[(number as f32).to_bits(); 8]);
        thread.set_register(13, &COUNT.map(|lane| (lane as f32 * 0.75).to_bits()));
        thread
    };
    // The first run makes the kernel hot.
    kernel.run(&mut thread(1), &mut NoHost, 1000).unwrap();
    for ahead in (0..70).chain([1000]) {
        let mut together: Vec<Thread> = (0..5).map(thread).collect();
        kernel.run_ahead(&mut together, ahead);
        let progress: u64 = together.iter().map(Thread::steps).sum();
        assert!(progress >= ahead.min(8) * 5, "{} ahead {ahead}: {progress}", device.name);
        for budget in [ahead / 2, ahead, ahead + 3, 1000] {
            let together = together.iter().cloned().enumerate();
            for (number, mut got) in together {
                let mut expected = thread(number as u32);
                let outcomes =
                    [&mut got, &mut expected].map(|thread| kernel.run(thread, &mut NoHost, budget));
                let what = format!("{} ahead {ahead}, budget {budget}", device.name);
                assert_eq!(outcomes[0].is_ok(), outcomes[1].is_ok(), "{what}");
                if outcomes[0].is_ok() || budget >= ahead {
                    assert_eq!(outcomes[0], outcomes[1], "{what}");
                    assert_eq!(got.steps(), expected.steps(), "{what}");
                    assert!(got.regs == expected.regs, "{what}");
                }
            }
        }
    }
}

/// A jump out of the kernel fails at the same place.
#[test]
fn failures_do_not_depend_on_heat() {
    let device = crate::common::device("skl");
    let mut program = program(device);
    program.pop();
    let kernel = Kernel::from_insts(device, program).unwrap();
    let run = |kernel: &Kernel| {
        let mut thread = Thread::new(device, 3);
        thread.set_register(2, &COUNT);
        let error = kernel.run(&mut thread, &mut NoHost, 1000).unwrap_err();
        (error, thread.regs)
    };
    let expected = run(&kernel.clone().generic());
    assert_eq!(expected.0.reason, eu_simulator::Reason::RanOff);
    for after in [0, 3, u64::MAX] {
        let kernel = kernel.clone().hot_after(after);
        assert!(run(&kernel) == expected, "hot after {after}");
        assert!(run(&kernel.native_after(after)) == expected, "translated after {after}");
    }
}

/// A subnormal single that translated code writes is zero for the loop of hot kernels, although the
/// register held none when the translated code began.
#[test]
fn hot_kernels_look_for_subnormals_of_translated_ones() {
    const ADVANCE: u64 = 4;
    let device = crate::common::device("skl");
    let op = |opcode, dst: u8| build::inst(opcode).dst(build::grf(dst).f());
    let single = |number: u8| build::grf(number).f();
    let always = build::inst(Opcode::Cmp).dst(build::null()).cond(CondMod::Z, 0, 0).switch();
    let program = vec![
        op(Opcode::Add, 14).srcs(&[single(12), single(13)]),
        always.srcs(&[single(12), single(12)]),
        build::inst(Opcode::If).jumps(32, 32).pred(0, 0, false),
        build::inst(Opcode::Mov).dst(build::grf(14)).srcs(&[build::imm_ud(1)]),
        build::inst(Opcode::Endif).jumps(16, 0),
        // Two at least are a block.
        op(Opcode::Mul, 15).srcs(&[single(14), single(13)]),
        op(Opcode::Mul, 16).srcs(&[single(14), single(12)]),
        build::send(intel_isa::Sfid::ThreadSpawner, build::null(), build::grf(0), 1 << 25).eot(),
    ];
    let hot = Kernel::from_insts(device, program).unwrap().hot_after(0);
    let native = hot.clone().native_after(0);
    let thread = || {
        let mut thread = Thread::new(device, 3);
        thread.set_register(12, &[1.0f32.to_bits(); 8]);
        thread.set_register(13, &[1e30f32.to_bits(); 8]);
        thread
    };
    for kernel in [&hot, &native] {
        kernel.run(&mut thread(), &mut NoHost, 100).unwrap();
    }
    let mut threads = [thread(), thread()];
    native.run_ahead(&mut threads, ADVANCE);
    let [mut got, _] = threads;
    assert!((ADVANCE..=ADVANCE + 1).contains(&got.steps()), "{}", got.steps());
    hot.run(&mut got, &mut NoHost, 100).unwrap();
    let mut expected = thread();
    hot.generic().run(&mut expected, &mut NoHost, 100).unwrap();
    assert!(got.regs == expected.regs);
}
