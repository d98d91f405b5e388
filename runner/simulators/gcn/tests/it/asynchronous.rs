//! Waits and hazards: what a program must not do is an error that names it.

use amd_isa::Chip;
use gcn_simulator::{Reason, Recorder, Wave};

use crate::run;

/// Descriptor of 64 bytes at 0x1000 in s[0:3], address 0x1000 in s[4:5].
fn wave() -> Wave {
    let mut wave = Wave::new();
    wave.scalar[..6].copy_from_slice(&[0x1000, 0, 64, 0x27fac, 0x1000, 0]);
    wave.local = vec![0; 256];
    wave.scalar[124] = u32::MAX;
    wave
}

fn reason(chip: Chip, text: &str) -> Option<Reason> {
    let mut host = Recorder::with_memory(0x1000, &[7; 64]);
    run(chip, text, &mut wave(), &mut host).err().map(|error| error.reason)
}

fn pending(register: &str, counter: &'static str) -> Option<Reason> {
    Some(Reason::Pending { register: register.to_string(), counter, by: 0 })
}

#[test]
fn loads_have_to_be_waited_for() {
    for chip in Chip::ALL {
        let load = "s_load_dword s8, s[4:5], 0x0\n";
        assert_eq!(reason(chip, &format!("{load}s_mov_b32 s9, s8")), pending("s8", "lgkmcnt"));
        let wait = format!("{load}s_waitcnt lgkmcnt(0)\ns_mov_b32 s9, s8");
        assert_eq!(reason(chip, &wait), None);
        // Scalar loads are out of order: a count above 0 says nothing.
        let two = format!("{load}{load}s_waitcnt lgkmcnt(1)\ns_mov_b32 s9, s8");
        assert!(reason(chip, &two).is_some());
        let load = "buffer_load_dword v0, off, s[0:3], 0\n";
        assert_eq!(reason(chip, &format!("{load}v_mov_b32 v1, v0")), pending("v0", "vmcnt"));
        assert_eq!(reason(chip, &format!("{load}v_mov_b32 v0, v1")), pending("v0", "vmcnt"));
        let second = "buffer_load_dword v1, off, s[0:3], 0\ns_waitcnt vmcnt(1)\n";
        assert_eq!(reason(chip, &format!("{load}{second}v_mov_b32 v2, v0")), None);
        assert!(reason(chip, &format!("{load}{second}v_mov_b32 v2, v1")).is_some());
        let read = "ds_read_b32 v0, v1\n";
        assert_eq!(reason(chip, &format!("{read}v_mov_b32 v2, v0")), pending("v0", "lgkmcnt"));
    }
}

#[test]
fn exports_hold_their_registers() {
    for chip in Chip::ALL {
        let text = "exp mrt0 v0, v1, v2, v3 done vm\n";
        let held = Reason::Held { register: "v1".to_string(), by: 0 };
        assert_eq!(reason(chip, &format!("{text}v_mov_b32 v1, 0")), Some(held));
        assert_eq!(reason(chip, &format!("{text}s_waitcnt expcnt(0)\nv_mov_b32 v1, 0")), None);
    }
}

/// The ways of a branch use the same registers in lanes of their own.
#[test]
fn other_lanes_do_not_wait() {
    for chip in Chip::ALL {
        let text = |second: &str| {
            let store = "exp mrt0 v0, v1, v2, v3 done vm";
            format!("s_mov_b64 exec, 1\n{store}\ns_mov_b64 exec, {second}")
        };
        assert_eq!(reason(chip, &text("2\nv_mov_b32 v1, 0")), None);
        assert!(reason(chip, &text("3\nv_mov_b32 v1, 0")).is_some());
        assert!(reason(chip, &text("2\nv_writelane_b32 v1, 0, 0")).is_some());
    }
}

#[test]
fn missing_wait_states() {
    let hazard = |chip, text: &str| match reason(chip, text) {
        Some(Reason::Hazard { name, .. }) => Some(name),
        None => None,
        other => panic!("{other:?}"),
    };
    let cases = [
        ("v_readfirstlane_b32 s4, v0\n", "s_load_dword s8, s[4:5], 0x0", 4, "smrd-sgpr", true),
        ("s_mov_b32 s2, 64\n", "s_buffer_load_dword s8, s[0:3], 0x0", 4, "smrd-descriptor", true),
        ("v_readfirstlane_b32 s8, v0\n", "v_readlane_b32 s9, v0, s8", 4, "lane-number", false),
        ("s_mov_b32 m0, 1\n", "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)", 1, "m0-message", false),
    ];
    for (first, second, states, name, only_si) in cases {
        let first = if first.contains("s4, v0") {
            "v_readfirstlane_b32 s4, v0\ns_nop 0\nv_mov_b32 v3, v3\nv_readfirstlane_b32 s4, v1\n"
        } else {
            first
        };
        for chip in Chip::ALL {
            let expected = (chip == Chip::Si || !only_si).then_some(name);
            if name != "smrd-sgpr" || chip == Chip::Si {
                assert_eq!(hazard(chip, &format!("{first}{second}")), expected, "{chip} {name}");
            }
            if name != "smrd-sgpr" {
                let nop = format!("{first}s_nop {}\n{second}", states - 1);
                assert_eq!(hazard(chip, &nop), None, "{chip} {name}");
            }
        }
    }
}
