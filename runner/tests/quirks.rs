//! Each of gen7's quirks in the scalar back end: with the compiler's handling switched off the shader is refused or wrong.
//!
//! The vec4 back end's quirks are in `vec4_execution.rs`.

mod common;

use common::{fragment_quads, program, simulator_with};
use compiler::{Options, Quirk, QuirkSet};
use program::Stage;

/// Sixteen pixels, so that SIMD16 kernels are full.
const QUADS: usize = 4;

/// A fragment shader's body that needs a quirk handled, its uniforms, and the colour of every pixel.
struct Case {
    quirk: Quirk,
    declarations: &'static str,
    body: &'static str,
    uniforms: Vec<u8>,
    expected: [f32; 4],
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn cases() -> Vec<Case> {
    let double = |quirk, body, expected| Case {
        quirk,
        declarations: "uniform dvec2 u;",
        body,
        uniforms: doubles(&[3.0, 0.5]),
        expected,
    };
    let integer = |quirk, body, uniforms: &[u32], expected| Case {
        quirk,
        declarations: "uniform uvec4 u;",
        body,
        uniforms: words(uniforms),
        expected,
    };
    let half = 0.5f32.to_bits();
    vec![
        double(Quirk::IvbDfExecSize, "color = vec4(u.x + u.y, u.x - u.y, 0.0, 1.0);", [3.5, 2.5, 0.0, 1.0]),
        double(Quirk::IvbDfRegions, "color = vec4(u.x * u.y, -u.x, 0.0, 1.0);", [1.5, -3.0, 0.0, 1.0]),
        double(
            Quirk::IvbDfSecondHalf,
            "double x = u.x; if (gl_FragCoord.x > 1.0) x += u.y; color = vec4(x, 0.0, 0.0, 1.0);",
            [3.5, 0.0, 0.0, 1.0],
        ),
        double(
            Quirk::Gen7SecondHalfControls,
            "color = vec4(inversesqrt(u.x + u.y + u.y), 0.0, 0.0, 1.0);",
            [0.5, 0.0, 0.0, 1.0],
        ),
        double(
            Quirk::ThreeSourceNoDfRep,
            "double x = double(gl_FragCoord.w); color = vec4(fma(x, u.x, u.y), 0.0, 0.0, 1.0);",
            [3.5, 0.0, 0.0, 1.0],
        ),
        integer(
            Quirk::Gen7DwordMul,
            "uint x = u.x * (u.y + uint(gl_FragCoord.w)); color = vec4(float(x >> 16), 0.0, 0.0, 1.0);",
            &[3, 0x0002_ffff, 0, 0],
            [9.0, 0.0, 0.0, 1.0],
        ),
        integer(
            Quirk::IvbAcc1,
            "uint h, l; umulExtended(u.x, u.y + uint(gl_FragCoord.w), h, l); color = vec4(float(h), 0.0, 0.0, 1.0);",
            &[0x8000_0000, 5, 0, 0],
            [3.0, 0.0, 0.0, 1.0],
        ),
        integer(
            Quirk::IvbCmp16,
            "bool x = gl_FragCoord.w > uintBitsToFloat(u.x); bool y = gl_FragCoord.w < uintBitsToFloat(u.y); \
             color = vec4(x ^^ y, 0.0, 0.0, 1.0);",
            &[half, half, 0, 0],
            [1.0, 0.0, 0.0, 1.0],
        ),
        integer(
            Quirk::Gen7CmpSwitch,
            "if (gl_FragCoord.w > uintBitsToFloat(u.x)) discard; color = vec4(0.0, 1.0, 0.0, 1.0);",
            &[2.0f32.to_bits(), 0, 0, 0],
            [0.0, 1.0, 0.0, 1.0],
        ),
        integer(
            Quirk::Ivb3srcSimd8,
            "vec4 x = gl_FragCoord.wwww; color = fma(x, x + uintBitsToFloat(u.x), x);",
            &[half, 0, 0, 0],
            [2.5; 4],
        ),
    ]
}

/// The pixels' colours, or why there are none.
fn run(case: &Case, disabled: QuirkSet) -> Result<Vec<[u32; 4]>, String> {
    let source =
        format!("#version 400\n{}\nout vec4 color;\nvoid main() {{ {} }}\n", case.declarations, case.body);
    let program = program(&[(Stage::Fragment, &source)]);
    let mut device = simulator_with("ivb", Options { disabled_quirks: disabled, ..Options::default() });
    fragment_quads(&mut device, &program, &case.uniforms, QUADS).map_err(|e| e.to_string())
}

#[test]
fn each_handling_is_needed() {
    let mut unneeded = Vec::new();
    for case in cases() {
        let name = case.quirk.name();
        let expected = vec![case.expected.map(f32::to_bits); QUADS * 4];
        assert_eq!(run(&case, QuirkSet::default()), Ok(expected.clone()), "{name} handled: {}", case.body);
        let without = run(&case, QuirkSet::default().with(case.quirk));
        if without == Ok(expected) {
            unneeded.push(name);
        }
    }
    assert!(unneeded.is_empty(), "nothing went wrong without the handling of {unneeded:?}");
}
