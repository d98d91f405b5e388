//! Every quirk changes what a program does.

use amd_isa::Chip;
use gcn_simulator::{Outcome, Quirks, Reason, Recorder, Wave};

use crate::run;

/// A wave with one quirk as wanted and the others as on si.
fn wave(set: impl Fn(&mut Quirks)) -> Wave {
    let mut quirks = Quirks::of(Chip::Si);
    set(&mut quirks);
    let mut wave = Wave::new();
    wave.quirks = Some(quirks);
    wave.scalar[..6].copy_from_slice(&[0x1000, 0, 64, 0x27fac, 0x1000, 0]);
    wave.local = vec![1; 256];
    wave.scalar[124] = u32::MAX;
    wave
}

fn si(text: &str, wave: &mut Wave) -> Result<Outcome, Reason> {
    let mut host = Recorder::with_memory(0x1000, &[7; 64]);
    run(Chip::Si, text, wave, &mut host).map_err(|error| error.reason)
}

#[test]
fn vccz_after_smrd() {
    let text = "v_cmp_lt_u32 vcc, 1, v0
s_load_dword s8, s[4:5], 0x0
s_waitcnt lgkmcnt(0)
s_cbranch_vccz zero
s_mov_b32 s9, 1
zero:";
    for (quirk, expected) in [(true, 1), (false, 0)] {
        let mut wave = wave(|quirks| quirks.vccz_after_smrd = quirk);
        assert_eq!(si(text, &mut wave), Ok(Outcome::Done));
        assert_eq!(wave.scalar[9], expected, "quirk {quirk}");
    }
    // A write of VCC makes VCCZ right again.
    let text = text.replace("s_cbranch", "s_mov_b64 vcc, vcc\ns_cbranch");
    let mut wave = wave(|_| {});
    assert_eq!(si(&text, &mut wave), Ok(Outcome::Done));
    assert_eq!(wave.scalar[9], 0);
}

#[test]
fn hazards() {
    let text = "s_mov_b32 s2, 64\ns_buffer_load_dword s8, s[0:3], 0x0";
    let mut with = wave(|_| {});
    assert!(matches!(si(text, &mut with), Err(Reason::Hazard { name: "smrd-descriptor", .. })));
    assert_eq!(si(text, &mut wave(|quirks| quirks.hazards = false)), Ok(Outcome::Done));
    // A load writes the register after all: the descriptor is not that of the first instruction.
    let loaded = "s_mov_b32 s2, 64\ns_load_dwordx4 s[0:3], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)
s_buffer_load_dword s8, s[0:3], 0x0";
    let outcome = si(loaded, &mut wave(|_| {}));
    assert!(!matches!(outcome, Err(Reason::Hazard { .. })), "{outcome:?}");
}

#[test]
fn ds_negative_base() {
    let text = "v_mov_b32 v1, -4\nds_read_b32 v0, v1 offset:8\ns_waitcnt lgkmcnt(0)";
    for (quirk, expected) in [(true, 0), (false, 0x0101_0101)] {
        let mut wave = wave(|quirks| quirks.ds_negative_base = quirk);
        assert_eq!(si(text, &mut wave), Ok(Outcome::Done));
        assert_eq!(wave.vector[0][0], expected, "quirk {quirk}");
    }
}

#[test]
fn soffset_clamp() {
    let text = "s_mov_b32 s8, 32\nv_mov_b32 v1, 40
buffer_load_dword v0, v1, s[0:3], s8 offen\ns_waitcnt vmcnt(0)";
    for (quirk, expected) in [(true, 7), (false, 0)] {
        let mut wave = wave(|quirks| quirks.soffset_clamp = quirk);
        assert_eq!(si(text, &mut wave), Ok(Outcome::Done));
        assert_eq!(wave.vector[0][0], expected, "quirk {quirk}");
    }
}

#[test]
fn records_in_bytes() {
    // Records of 4 bytes: 2 of them, or 2 bytes.
    let text = "buffer_load_dword v0, v1, s[0:3], 0 idxen\ns_waitcnt vmcnt(0)";
    for (quirk, records, expected) in [(false, 2, true), (true, 2, false), (true, 8, true)] {
        let mut wave = wave(|quirks| quirks.records_in_bytes = quirk);
        wave.scalar[1] |= 4 << 16;
        wave.scalar[2] = records;
        wave.vector[1] = [1; 64];
        assert_eq!(si(text, &mut wave), Ok(Outcome::Done));
        assert_eq!(wave.vector[0][0] != 0, expected, "quirk {quirk}, {records} records");
    }
    // Swizzled addresses are always counted in records.
    let mut wave = wave(|quirks| quirks.records_in_bytes = true);
    wave.scalar[1] |= 4 << 16 | 1 << 31;
    wave.scalar[2] = 2;
    wave.vector[1] = [1; 64];
    assert_eq!(si(text, &mut wave), Ok(Outcome::Done));
    assert_ne!(wave.vector[0][0], 0);
}

#[test]
fn fract_f64() {
    for (quirk, expected) in [(true, 0x3ff0_0000), (false, 0x3fef_ffff)] {
        let mut wave = wave(|quirks| quirks.fract_f64 = quirk);
        wave.vector[1] = [0x8000_0000 | 0x3c00_0000; 64];
        assert_eq!(si("v_fract_f64 v[2:3], v[0:1]", &mut wave), Ok(Outcome::Done));
        assert_eq!(wave.vector[3][0], expected, "quirk {quirk}");
    }
}

#[test]
fn frexp_infinite() {
    for (quirk, expected) in [(true, u32::MAX), (false, 0)] {
        let mut wave = wave(|quirks| quirks.frexp_infinite = quirk);
        wave.vector[0] = [f32::INFINITY.to_bits(); 64];
        assert_eq!(si("v_frexp_exp_i32_f32 v1, v0", &mut wave), Ok(Outcome::Done));
        assert_eq!(wave.vector[1][0], expected, "quirk {quirk}");
    }
}

#[test]
fn store_data_held() {
    let text = "buffer_store_dword v0, off, s[0:3], 0\nv_mov_b32 v0, 0";
    let held = Reason::Held { register: "v0".to_string(), by: 0 };
    assert_eq!(si(text, &mut wave(|_| {})), Err(held));
    assert_eq!(si(text, &mut wave(|quirks| quirks.store_data_held = false)), Ok(Outcome::Done));
    let covered = text.replace("v_mov", "s_waitcnt vmcnt(0)\nv_mov");
    assert_eq!(si(&covered, &mut wave(|_| {})), Ok(Outcome::Done));
}
