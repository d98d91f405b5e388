//! Lanes and parts of registers on vi.

use amd_isa::{Chip, Scalar};
use gcn_simulator::Wave;

use crate::done;

fn wave() -> Wave {
    let mut wave = Wave::new();
    for lane in 0..64 {
        wave.vector[0][lane] = lane as u32;
        wave.vector[1][lane] = 1000;
        wave.vector[2][lane] = 0x8081_8283;
    }
    wave
}

#[test]
fn lanes_are_permuted() {
    let move_ = |controls: &str| {
        let mut wave = wave();
        done(Chip::Vi, &format!("v_mov_b32_dpp v1, v0 {controls}"), &mut wave);
        wave.vector[1]
    };
    let lanes = |from: fn(u32) -> u32| std::array::from_fn::<u32, 64, _>(|lane| from(lane as u32));
    assert_eq!(move_("quad_perm:[1,1,3,3]"), lanes(|lane| lane | 1));
    assert_eq!(move_("row_mirror"), lanes(|lane| lane ^ 15));
    assert_eq!(move_("row_half_mirror"), lanes(|lane| lane ^ 7));
    assert_eq!(move_("row_ror:1"), lanes(|lane| lane & 48 | ((lane + 15) % 16)));
    assert_eq!(move_("wave_rol:1"), lanes(|lane| (lane + 1) % 64));
    let shifted = |lane: u32| if lane.is_multiple_of(16) { 1000 } else { lane - 1 };
    assert_eq!(move_("row_shr:1"), lanes(shifted));
    let bound = |lane: u32| if lane.is_multiple_of(16) { 0 } else { lane - 1 };
    assert_eq!(move_("row_shr:1 bound_ctrl:1"), lanes(bound));
    let masked = |lane: u32| if lane < 16 && lane % 16 < 4 { lane ^ 1 } else { 1000 };
    assert_eq!(move_("quad_perm:[1,0,3,2] row_mask:0x1 bank_mask:0x1"), lanes(masked));
    let broadcast = |lane: u32| if lane < 16 { 1000 } else { (lane & !15) - 1 };
    assert_eq!(move_("row_bcast:15"), lanes(broadcast));
}

/// A sum over all lanes, as a chain of permutations.
#[test]
fn reduction() {
    let text = "v_add_u32_dpp v0, vcc, v0, v0 row_shr:1 bound_ctrl:1
s_nop 1
v_add_u32_dpp v0, vcc, v0, v0 row_shr:2 bound_ctrl:1
s_nop 1
v_add_u32_dpp v0, vcc, v0, v0 row_shr:4 bound_ctrl:1
s_nop 1
v_add_u32_dpp v0, vcc, v0, v0 row_shr:8 bound_ctrl:1
s_nop 1
v_add_u32_dpp v0, vcc, v0, v0 row_bcast:15 row_mask:0xa
s_nop 1
v_add_u32_dpp v0, vcc, v0, v0 row_bcast:31 row_mask:0xc";
    let mut wave = wave();
    done(Chip::Vi, text, &mut wave);
    assert_eq!(wave.vector[0][63], (0..64).sum());
}

#[test]
fn integers_saturate() {
    let on = |text: &str| {
        let mut wave = wave();
        done(Chip::Vi, text, &mut wave);
        wave.vector[9][5]
    };
    assert_eq!(on("v_add_u32_e64 v9, s[4:5], v2, v2"), 0x0103_0506);
    assert_eq!(on("v_add_u32_e64 v9, s[4:5], v2, v2 clamp"), u32::MAX);
    assert_eq!(on("v_add_u32_e64 v9, s[4:5], v2, v1 clamp"), 0x8081_866b);
    assert_eq!(on("v_sub_u32_e64 v9, s[4:5], v1, v2 clamp"), 0);
    assert_eq!(on("v_subrev_u32_e64 v9, s[4:5], v1, v2 clamp"), 0x8081_7e9b);
    assert_eq!(on("v_add_u16_e64 v9, v2, v2 clamp"), 0xffff);
    assert_eq!(on("v_sub_u16_e64 v9, v1, v2 clamp"), 0);
    assert_eq!(on("v_mad_u32_u24 v9, v2, v2, v2 clamp"), u32::MAX);
    assert_eq!(on("v_mad_i32_i24 v9, v2, v1, v0 clamp"), i32::MIN.cast_unsigned());
}

#[test]
fn parts_of_registers() {
    let on = |text: &str| {
        let mut wave = wave();
        wave.vector[9] = [0x1111_1111; 64];
        done(Chip::Vi, text, &mut wave);
        wave.vector[9][5]
    };
    assert_eq!(on("v_mov_b32_sdwa v9, v2 src0_sel:BYTE_1"), 0x82);
    assert_eq!(on("v_mov_b32_sdwa v9, sext(v2) src0_sel:WORD_1"), 0xffff_8081);
    let text = "v_mov_b32_sdwa v9, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0";
    assert_eq!(on(text), 0x1111_8311);
    assert_eq!(on("v_mov_b32_sdwa v9, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD"), 0x8300);
    let text = "v_mov_b32_sdwa v9, v2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT";
    assert_eq!(on(text), 0xffff_8300);
    assert_eq!(on("v_and_b32_sdwa v9, v2, v2 src0_sel:BYTE_0 src1_sel:BYTE_3"), 0x80);
}

#[test]
fn inactive_lanes_give_nothing() {
    let mut wave = wave();
    wave.set_pair(Scalar::EXEC, !2);
    done(Chip::Vi, "v_mov_b32_dpp v1, v0 quad_perm:[1,1,1,1]", &mut wave);
    assert_eq!(wave.vector[1][..5], [1000, 1000, 1000, 1000, 5]);
}

/// Products of 64 bits with a sum and its carry.
#[test]
fn wide_products() {
    let product = |name: &str| {
        let mut wave = wave();
        wave.vector[3] = [u32::MAX; 64];
        wave.vector[4] = [u32::MAX; 64];
        wave.vector[5] = [7; 64];
        done(Chip::Vi, &format!("{name} v[6:7], s[4:5], v3, v5, v[3:4]"), &mut wave);
        (wave.vector[6][9], wave.vector[7][9], wave.pair(Scalar(4)))
    };
    // 7 * (2³² - 1) + 2⁶⁴ - 1, and 7 * -1 - 1.
    assert_eq!(product("v_mad_u64_u32"), (0xffff_fff8, 6, u64::MAX));
    assert_eq!(product("v_mad_i64_i32"), (0xffff_fff8, u32::MAX, 0));
}

/// Constants are behind the program, wherever it is.
#[test]
fn programs_know_their_address() {
    let mut wave = wave();
    wave.program_address = 0x1_0000_0100;
    done(Chip::Vi, "s_getpc_b64 s[4:5]", &mut wave);
    assert_eq!(wave.pair(Scalar(4)), 0x1_0000_0104);
}

#[test]
fn operations_of_16_bits() {
    let mut wave = wave();
    let text = "v_add_u16_e32 v3, -1, v0
v_cvt_f16_u16_e32 v4, v0
v_mul_f16_e64 v5, -v4, v4 clamp
v_mac_f16_e32 v4, v4, v4
v_cmp_lt_f16_e32 vcc, v4, v4
v_cmp_gt_i16_e64 s[0:1], 3, v0";
    done(Chip::Vi, text, &mut wave);
    assert_eq!((wave.vector[3][0], wave.vector[3][9]), (0xffff, 8), "zeros above");
    assert_eq!((wave.vector[4][3], wave.vector[5][3]), (0x4a00, 0), "3 + 3 * 3, limited -9");
    assert_eq!((wave.pair(Scalar::VCC), wave.pair(Scalar(0))), (0, 7));
}
