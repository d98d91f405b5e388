//! Arithmetic of the vector ALU.

use amd_isa::{Chip, Scalar};
use gcn_simulator::Wave;

use crate::{VALUES, done};

/// Executes text on values of v0, v1 and v2 that are the same in all lanes; the result is v9.
fn on(chip: Chip, text: &str, values: [u32; 3]) -> u32 {
    let mut wave = Wave::new();
    for (register, value) in values.into_iter().enumerate() {
        wave.vector[register] = [value; 64];
    }
    done(chip, text, &mut wave);
    wave.vector[9][17]
}

fn singles(chip: Chip, text: &str, values: [f32; 3]) -> f32 {
    f32::from_bits(on(chip, text, values.map(f32::to_bits)))
}

#[test]
fn integers() {
    for chip in Chip::ALL {
        for &a in VALUES {
            for &b in VALUES {
                let c = a ^ 0x1357_9bdf;
                let (wide_a, wide_b) = (i128::from(a), i128::from(b));
                let (signed_a, signed_b) = (i128::from(a as i32), i128::from(b as i32));
                let low24 = |value: u32| i128::from(value & 0xff_ffff);
                let signed24 =
                    |value: u32| low24(value) - if value >> 23 & 1 == 1 { 1 << 24 } else { 0 };
                let expected: &[(&str, i128)] = &[
                    ("v_mul_lo_u32 v9, v0, v1", wide_a * wide_b),
                    ("v_mul_hi_u32 v9, v0, v1", (wide_a * wide_b) >> 32),
                    ("v_mul_hi_i32 v9, v0, v1", (signed_a * signed_b) >> 32),
                    ("v_mul_u32_u24 v9, v0, v1", low24(a) * low24(b)),
                    ("v_mul_hi_u32_u24 v9, v0, v1", (low24(a) * low24(b)) >> 32),
                    ("v_mul_i32_i24 v9, v0, v1", signed24(a) * signed24(b)),
                    ("v_mul_hi_i32_i24 v9, v0, v1", (signed24(a) * signed24(b)) >> 32),
                    ("v_mad_u32_u24 v9, v0, v1, v2", low24(a) * low24(b) + i128::from(c)),
                    ("v_min_i32 v9, v0, v1", signed_a.min(signed_b)),
                    ("v_max_u32 v9, v0, v1", wide_a.max(wide_b)),
                    ("v_sad_u32 v9, v0, v1, v2", (wide_a - wide_b).abs() + i128::from(c)),
                    ("v_lshlrev_b32 v9, v1, v0", wide_a << (b & 31)),
                    ("v_lshrrev_b32 v9, v1, v0", wide_a >> (b & 31)),
                    ("v_ashrrev_i32 v9, v1, v0", signed_a >> (b & 31)),
                ];
                for (text, expected) in expected {
                    let got = on(chip, text, [a, b, c]);
                    assert_eq!(got, *expected as u32, "{chip} {text} {a:#x} {b:#x}");
                }
            }
        }
    }
}

#[test]
fn carries() {
    for chip in Chip::ALL {
        let (add, sub) = match chip {
            Chip::Si => ("v_add_i32", "v_sub_i32"),
            Chip::Vi => ("v_add_u32", "v_sub_u32"),
        };
        for &a in VALUES {
            for &b in VALUES {
                let mut wave = Wave::new();
                wave.vector[0] = [a; 64];
                wave.vector[1] = [b; 64];
                wave.set_pair(Scalar::EXEC, 0xff);
                let text = format!(
                    "{add} v2, s[4:5], v0, v1
v_addc_u32 v3, s[6:7], v0, v1, s[4:5]
{sub} v4, vcc, v0, v1
v_subb_u32 v5, vcc, v0, v1, vcc"
                );
                done(chip, &text, &mut wave);
                let sum = u64::from(a) + u64::from(b);
                let next = sum + (sum >> 32);
                let difference = i64::from(a) - i64::from(b);
                let below = difference - i64::from(difference < 0);
                let lanes = |condition| if condition { 0xff } else { 0 };
                assert_eq!(wave.vector[2][0], sum as u32);
                assert_eq!(wave.pair(Scalar(4)), lanes(sum >> 32 != 0));
                assert_eq!(wave.vector[3][0], next as u32);
                assert_eq!(wave.pair(Scalar(6)), lanes(next >> 32 != 0));
                assert_eq!(wave.vector[4][0], difference as u32);
                assert_eq!(wave.vector[5][0], below as u32);
                assert_eq!(wave.pair(Scalar::VCC), lanes(below < 0));
            }
        }
    }
}

#[test]
fn floats_with_modifiers() {
    for chip in Chip::ALL {
        let f = |text: &str, values| singles(chip, text, values);
        assert_eq!(f("v_add_f32 v9, v0, v1", [1.5, 2.25, 0.0]), 3.75);
        assert_eq!(f("v_add_f32_e64 v9, -v0, |v1| mul:2", [1.0, -3.0, 0.0]), 4.0);
        assert_eq!(f("v_add_f32_e64 v9, v0, v1 clamp", [1.0, 3.0, 0.0]), 1.0);
        assert_eq!(f("v_max_f32_e64 v9, v0, v0 clamp", [f32::NAN, 0.0, 0.0]), 0.0);
        assert_eq!(f("v_mul_legacy_f32 v9, v0, v1", [0.0, f32::INFINITY, 0.0]), 0.0);
        assert_eq!(f("v_min_f32 v9, v0, v1", [f32::NAN, 2.0, 0.0]), 2.0);
        assert_eq!(f("v_med3_f32 v9, v0, v1, v2", [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(f("v_rndne_f32 v9, v0", [2.5, 0.0, 0.0]), 2.0);
        assert_eq!(f("v_fract_f32 v9, v0", [-0.25, 0.0, 0.0]), 0.75);
        assert_eq!(f("v_rcp_f32 v9, v0", [4.0, 0.0, 0.0]), 0.25);
        assert_eq!(f("v_exp_f32 v9, v0", [3.0, 0.0, 0.0]), 8.0);
        assert_eq!(f("v_sin_f32 v9, v0", [0.25, 0.0, 0.0]), 1.0);
        assert_eq!(f("v_cos_f32 v9, v0", [0.5, 0.0, 0.0]), -1.0);
        assert_eq!(f("v_madak_f32 v9, v0, v1, 0x3f800000", [2.0, 3.0, 0.0]), 7.0);
        // Denormals are flushed: sources and results.
        let tiny = f32::from_bits(0x0040_0000);
        assert_eq!(f("v_add_f32 v9, v0, v0", [tiny, 0.0, 0.0]), 0.0);
        assert_eq!(f("v_mul_f32 v9, v0, v1", [f32::MIN_POSITIVE, 0.5, 0.0]), 0.0);
        assert_eq!(f("v_mov_b32 v9, v0", [tiny, 0.0, 0.0]), tiny);
    }
}

/// The product of a `mad` is rounded, that of an `fma` is not.
#[test]
fn mad_is_not_fused() {
    let a = 1.0 + f32::EPSILON;
    for chip in Chip::ALL {
        let values = [a, a, -(a * a)];
        assert_eq!(singles(chip, "v_mad_f32 v9, v0, v1, v2", values), 0.0);
        let fused = f64::from(a) * f64::from(a) - f64::from(a * a);
        assert_eq!(f64::from(singles(chip, "v_fma_f32 v9, v0, v1, v2", values)), fused);
    }
}

#[test]
fn conversions() {
    for chip in Chip::ALL {
        let on = |text: &str, value: f32| on(chip, text, [value.to_bits(), 0, 0]);
        assert_eq!(on("v_cvt_i32_f32 v9, v0", -1.9), -1_i32 as u32);
        assert_eq!(on("v_cvt_i32_f32 v9, v0", 1e20), i32::MAX as u32);
        assert_eq!(on("v_cvt_u32_f32 v9, v0", -1.0), 0);
        assert_eq!(on("v_cvt_i32_f32 v9, v0", f32::NAN), 0);
        assert_eq!(on("v_cvt_f16_f32 v9, v0", 1.0), 0x3c00);
        assert_eq!(on("v_cvt_pkrtz_f16_f32 v9, v0, 1.0", 65_519.0), 0x3c00_7bff);
        assert_eq!(on("v_cvt_flr_i32_f32 v9, v0", -1.5), -2_i32 as u32);
    }
}

#[test]
fn doubles() {
    for chip in Chip::ALL {
        let mut wave = Wave::new();
        let put = |wave: &mut Wave, register: usize, value: f64| {
            wave.vector[register] = [value.to_bits() as u32; 64];
            wave.vector[register + 1] = [(value.to_bits() >> 32) as u32; 64];
        };
        put(&mut wave, 0, 0.1);
        put(&mut wave, 2, 0.2);
        let text = "v_add_f64 v[4:5], v[0:1], v[2:3]
v_fma_f64 v[6:7], v[0:1], -v[2:3], 1.0
v_rcp_f64 v[8:9], v[2:3]
v_cmp_lt_f64 vcc, v[0:1], v[2:3]
v_cvt_f32_f64 v10, v[4:5]
v_ldexp_f64 v[12:13], v[0:1], 3";
        done(chip, text, &mut wave);
        let get = |register: usize| {
            let [low, high] = [register, register + 1].map(|r| u64::from(wave.vector[r][5]));
            f64::from_bits(low | high << 32)
        };
        assert_eq!(get(4), 0.1 + 0.2);
        assert_eq!(get(6), 0.1_f64.mul_add(-0.2, 1.0));
        assert_eq!(get(8), 1.0 / 0.2);
        assert_eq!(wave.pair(Scalar::VCC), u64::MAX);
        assert_eq!(f32::from_bits(wave.vector[10][5]), (0.1_f64 + 0.2) as f32);
        assert_eq!(get(12), 0.8);
    }
}

/// Bits of the mask: signaling and quiet NaN, -∞, negative normal, denormal and zero, positive
/// zero, denormal and normal, ∞.
#[test]
fn classes() {
    let values = [
        0x7f80_0001,
        0x7fc0_0000,
        0xff80_0000,
        0xbf80_0000,
        0x8000_0001,
        0x8000_0000,
        0,
        1,
        0x3f80_0000,
        0x7f80_0000,
    ];
    for chip in Chip::ALL {
        for (bit, value) in values.into_iter().enumerate() {
            let mut wave = Wave::new();
            wave.vector[0] = [value; 64];
            wave.vector[1] = [1 << bit; 64];
            wave.vector[2] = [!(1 << bit); 64];
            let text = "v_cmp_class_f32 s[4:5], v0, v1\nv_cmp_class_f32 s[6:7], v0, v2";
            done(chip, text, &mut wave);
            assert_eq!((wave.pair(Scalar(4)), wave.pair(Scalar(6))), (u64::MAX, 0), "{value:#x}");
        }
    }
}
