//! Half floats: values whose bits are known, on every generation.

use crate::common::{fragment, program, simulator};
use program::Stage;

/// Every generation.
const GENERATIONS: [&str; 5] = ["ivb", "hsw", "bdw", "chv", "skl"];

/// The first pixel's color.
fn pixel(generation: &str, body: &str, uniforms: &[u32]) -> [u32; 4] {
    let source = format!(
        "#version 420\nuniform uvec4 u;\nout vec4 color;\nvoid main() {{ color = {body}; }}\n"
    );
    let program = program(&[(Stage::Fragment, &source)]);
    let bytes: Vec<u8> = uniforms.iter().flat_map(|v| v.to_le_bytes()).collect();
    fragment(&mut simulator(generation), &program, &bytes)[0]
}

#[test]
fn unpacking_keeps_subnormal_halves() {
    // 2^-24, the largest subnormal, minus 2^-24, the smallest normal number.
    let expected = [0x3380_0000, 0x387f_c000, 0xb380_0000, 0x3880_0000];
    for generation in GENERATIONS {
        let body = "vec4(unpackHalf2x16(u.x), unpackHalf2x16(u.y))";
        assert_eq!(
            pixel(generation, body, &[0x03ff_0001, 0x0400_8001, 0, 0]),
            expected,
            "{generation}"
        );
    }
}

#[test]
fn packing_rounds_to_subnormal_halves() {
    // 2^-24, -1.5 × 2^-24 (to even: -2 × 2^-24), 0.5 × 2^-24 (to even: 0), just below 2^-14.
    let uniforms = [0x3380_0000, 0xb3c0_0000, 0x3300_0000, 0x387f_c000];
    for generation in GENERATIONS {
        let body = "vec4(uintBitsToFloat(packHalf2x16(uintBitsToFloat(u.xy)) ^ 0x40000000u), \
                    uintBitsToFloat(packHalf2x16(uintBitsToFloat(u.zw)) ^ 0x40000000u), 0.0, 0.0)";
        let [low, high, ..] = pixel(generation, body, &uniforms);
        assert_eq!(
            [low ^ 0x4000_0000, high ^ 0x4000_0000],
            [0x8002_0001, 0x03ff_0000],
            "{generation}"
        );
    }
}
