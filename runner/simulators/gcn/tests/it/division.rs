//! Division by the helpers: exact for every pair of numbers.

use amd_isa::Chip;
use gcn_simulator::Wave;

use crate::done;

/// The sequence of compilers: estimate, two refinements, quotient, remainder, special cases.
const DIVIDE: &str = "v_div_scale_f64 v[8:9], s[0:1], v[2:3], v[2:3], v[0:1]
v_div_scale_f64 v[10:11], vcc, v[0:1], v[2:3], v[0:1]
v_rcp_f64 v[12:13], v[8:9]
v_fma_f64 v[14:15], -v[8:9], v[12:13], 1.0
v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]
v_fma_f64 v[14:15], -v[8:9], v[12:13], 1.0
v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]
v_mul_f64 v[14:15], v[10:11], v[12:13]
v_fma_f64 v[10:11], -v[8:9], v[14:15], v[10:11]
s_nop 1
v_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[14:15]
v_div_fixup_f64 v[4:5], v[10:11], v[2:3], v[0:1]";

#[test]
fn doubles_divide_exactly() {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        3.0,
        0.1,
        1e300,
        1e-300,
        5e-324,
        1e-310,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        2.0_f64.powi(1000),
    ];
    for chip in Chip::ALL {
        for numerator in values {
            for denominator in values {
                let mut wave = Wave::new();
                for (register, value) in [(0, numerator), (2, denominator)] {
                    wave.vector[register] = [value.to_bits() as u32; 64];
                    wave.vector[register + 1] = [(value.to_bits() >> 32) as u32; 64];
                }
                done(chip, DIVIDE, &mut wave);
                let bits = u64::from(wave.vector[4][0]) | u64::from(wave.vector[5][0]) << 32;
                let (got, expected) = (f64::from_bits(bits), numerator / denominator);
                let close = (got - expected).abs() <= expected.abs() * f64::EPSILON;
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                let denormal = expected.is_subnormal() || expected == 0.0;
                assert!(
                    same || denormal && close || denormal && (got - expected).abs() <= 5e-324,
                    "{numerator:e} / {denominator:e}: {got:e}, not {expected:e}"
                );
            }
        }
    }
}
