//! One stage from source text through both executors: they agree with each other and with values known beforehand.

mod common;

use common::{fragment, program, reference, simulator};
use program::Stage;

/// Runs `main`'s body on both executors and compares the colour of every pixel with `expected`.
fn check(declarations: &str, body: &str, uniforms: &[u8], expected: [f32; 4]) {
    let source = format!("#version 400\n{declarations}\nout vec4 color;\nvoid main() {{ {body} }}\n");
    let program = program(&[(Stage::Fragment, &source)]);
    let expected = [expected.map(f32::to_bits); 4];
    assert_eq!(fragment(&mut reference(), &program, uniforms), expected, "interpreter: {body}");
    for device in eu::DevInfo::all() {
        let colours = fragment(&mut simulator(device.name), &program, uniforms);
        assert_eq!(colours, expected, "{}: {body}", device.name);
    }
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn a_constant_colour() {
    check("", "color = vec4(0.25, 0.5, 0.75, 1.0);", &[], [0.25, 0.5, 0.75, 1.0]);
}

#[test]
fn a_uniform() {
    check("uniform vec4 u;", "color = u * 2.0;", &floats(&[1.0, 2.0, 3.0, 4.0]), [2.0, 4.0, 6.0, 8.0]);
}

#[test]
fn doubles_add() {
    check(
        "uniform dvec2 u;",
        "color = vec4(u.x + u.y, u.x - u.y, u.x * u.y, 1.0);",
        &doubles(&[3.0, 0.5]),
        [3.5, 2.5, 1.5, 1.0],
    );
}

#[test]
fn doubles_divide_and_take_roots() {
    let body = "color = vec4(u.x / u.y, sqrt(u.x), floor(u.y), fract(u.y));";
    check("uniform dvec2 u;", body, &doubles(&[9.0, 4.5]), [2.0, 3.0, 4.0, 0.5]);
}

#[test]
fn control_flow() {
    let body = "float s = 0.0; for (int i = 0; i < 5; i++) { if (i == 3) continue; s += float(i); } \
                color = s > 6.5 ? vec4(s, 1.0, 0.0, 0.0) : vec4(0.0);";
    check("", body, &[], [7.0, 1.0, 0.0, 0.0]);
}
