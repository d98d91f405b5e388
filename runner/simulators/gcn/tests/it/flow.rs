//! Control flow on EXEC and SCC.

use amd_isa::{Chip, Scalar};
use gcn_simulator::{Outcome, Reason, Recorder, Wave};

use crate::{done, program, run};

#[test]
fn both_sides_of_a_divergent_branch() {
    let text = "v_cmp_gt_u32 vcc, 10, v0
s_and_saveexec_b64 s[0:1], vcc
s_cbranch_execz other
v_mov_b32 v1, 100
other:
s_xor_b64 exec, exec, s[0:1]
s_cbranch_execz join
v_mov_b32 v1, 200
join:
s_mov_b64 exec, s[0:1]";
    let text = text.replace("100", "0x64").replace("200", "0xc8");
    for chip in Chip::ALL {
        let mut wave = Wave::new();
        for lane in 0..64 {
            wave.vector[0][lane] = lane as u32;
        }
        done(chip, &text, &mut wave);
        for lane in 0..64 {
            assert_eq!(wave.vector[1][lane], if lane < 10 { 100 } else { 200 });
        }
        assert_eq!(wave.exec(), u64::MAX);
    }
}

#[test]
fn loop_with_a_count_per_lane() {
    let text = "s_mov_b64 s[0:1], exec
head:
v_cmp_lt_u32 vcc, v1, v0
s_and_b64 exec, exec, vcc
s_cbranch_execz out
v_addc v2
s_branch head
out:
s_mov_b64 exec, s[0:1]";
    for chip in Chip::ALL {
        let add = if chip == Chip::Si { "v_add_i32" } else { "v_add_u32" };
        let body = format!("{add} v1, s[2:3], 1, v1\n{add} v2, s[2:3], v1, v2");
        let mut wave = Wave::new();
        for lane in 0..64 {
            wave.vector[0][lane] = lane as u32;
        }
        done(chip, &text.replace("v_addc v2", &body), &mut wave);
        for lane in 0..64 {
            assert_eq!(wave.vector[2][lane], (lane * (lane + 1) / 2) as u32);
        }
    }
}

#[test]
fn comparisons_write_zero_for_inactive_lanes() {
    for chip in Chip::ALL {
        let mut wave = Wave::new();
        wave.set_pair(Scalar::EXEC, 0xf0);
        wave.set_pair(Scalar(4), u64::MAX);
        done(chip, "v_cmp_eq_u32 s[4:5], v0, v0", &mut wave);
        assert_eq!(wave.pair(Scalar(4)), 0xf0);
        done(chip, "v_readfirstlane_b32 s0, v1", &mut Wave::new());
        let mut wave = Wave::new();
        wave.set_pair(Scalar::EXEC, 0xf0);
        done(chip, "v_cmpx_lt_u32 vcc, v0, v0", &mut wave);
        assert_eq!(wave.exec(), 0);
    }
}

#[test]
fn lanes_are_read_whatever_exec_is() {
    for chip in Chip::ALL {
        let mut wave = Wave::new();
        wave.set_pair(Scalar::EXEC, 0);
        for lane in 0..64 {
            wave.vector[0][lane] = 100 + lane as u32;
        }
        let text = "v_readfirstlane_b32 s0, v0\nv_readlane_b32 s1, v0, 9\nv_writelane_b32 v1, 7, 3";
        done(chip, text, &mut wave);
        assert_eq!((wave.scalar[0], wave.scalar[1], wave.vector[1][3]), (100, 109, 7));
    }
}

#[test]
fn errors_of_control_flow() {
    for chip in Chip::ALL {
        let error = run(chip, "head: s_branch head", &mut Wave::new(), &mut Recorder::default());
        assert_eq!(error.unwrap_err().reason, Reason::StepLimit(100_000));
        let error = run(chip, "s_branch 5", &mut Wave::new(), &mut Recorder::default());
        assert_eq!(error.unwrap_err().reason, Reason::Jump);
        let error = run(chip, "s_branch 1", &mut Wave::new(), &mut Recorder::default());
        assert_eq!(error.unwrap_err().reason, Reason::RanOff);
    }
}

#[test]
fn barrier_stops_and_continues() {
    for chip in Chip::ALL {
        let program = program(chip, "s_mov_b32 s0, 1\ns_barrier\ns_mov_b32 s0, 2");
        let mut wave = Wave::new();
        let mut host = Recorder::default();
        assert_eq!(wave.run(&program, &mut host, 10), Ok(Outcome::Barrier));
        assert_eq!(wave.scalar[0], 1);
        assert_eq!(wave.run(&program, &mut host, 10), Ok(Outcome::Done));
        assert_eq!(wave.scalar[0], 2);
    }
}

#[test]
fn scalar_conditions() {
    let cases: &[(&str, u32, bool)] = &[
        ("s_add_u32 s2, -1, 1", 0, true),
        ("s_add_i32 s2, 0x7fffffff, 1", 0x8000_0000, true),
        ("s_add_i32 s2, -1, 1", 0, false),
        ("s_sub_u32 s2, 1, 2", u32::MAX, true),
        ("s_min_i32 s2, -1, 1", u32::MAX, true),
        ("s_max_u32 s2, -1, 1", u32::MAX, true),
        ("s_and_b32 s2, 1, 2", 0, false),
        ("s_lshl_b32 s2, 1, 33", 2, true),
        ("s_abs_i32 s2, -5", 5, true),
        ("s_sext_i32_i8 s2, 0x80", 0xffff_ff80, false),
        ("s_movk_i32 s2, 0x8000", 0xffff_8000, false),
    ];
    for chip in Chip::ALL {
        for (text, result, scc) in cases {
            let mut wave = Wave::new();
            done(chip, text, &mut wave);
            assert_eq!((wave.scalar[2], wave.scc), (*result, *scc), "{text}");
        }
    }
}

/// A wave has as many vector registers as its code names.
#[test]
fn relative_registers_are_those_of_the_wave() {
    for (text, index) in [("v_movrels_b32 v0, v1", 8), ("v_movreld_b32 v2, v1", 9)] {
        for chip in Chip::ALL {
            let mut wave = Wave::with_registers(8);
            wave.scalar[usize::from(Scalar::M0.0)] = 7;
            let error = run(chip, text, &mut wave, &mut Recorder::default()).unwrap_err();
            assert_eq!(error.reason, Reason::RegisterIndex(index));
            wave.scalar[usize::from(Scalar::M0.0)] = 5;
            done(chip, text, &mut wave);
        }
    }
}
