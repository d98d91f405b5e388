//! Undefined values of GLSL are marked, and the marks follow the data.

use crate::interpreter::harness::{World, interpreted, quad, shader, undefined};

#[test]
fn uninitialized_variables() {
    undefined("", "int x; result = bits(x);");
    undefined("int g;", "result = bits(g);");
    undefined("", "vec2 v; v.y = 1.0; result = bits(v);");
    undefined("void f(out int x) { }", "int a = 1; f(a); result = bits(a);");
    undefined("int f(int x) { if (x > 100) return 1; }", "result = bits(f(lane()));");
    let pixel = quad("", "vec2 v; v.y = 1.0; result = bits(v);")[0];
    assert_eq!(pixel.undefined[..2], [true, false]);
}

#[test]
fn only_the_affected_lanes() {
    let pixels = quad("", "int x; if (lane() == 2) x = 5; result = bits(x);");
    let marks: Vec<bool> = pixels.iter().map(|p| p.undefined[0]).collect();
    assert_eq!(marks, [true, true, false, true]);
}

#[test]
fn marks_propagate_through_operators_and_calls() {
    undefined("", "int x; result = bits(x * 0 + 3);");
    undefined("", "float x; result = bits(max(x, 1.0));");
    undefined("", "int x; result = bits(lane() == 0 ? x : 1);");
    undefined("int f(int a) { return a + 1; }", "int x; result = bits(f(x));");
    undefined("", "vec3 v; v.xy = vec2(1.0); result = bits(dot(v, vec3(0.0)));");
    let pixel = quad("", "vec3 v; v.xy = vec2(1.0, 2.0); result = bits(v + 1.0);")[0];
    assert_eq!(pixel.undefined[..3], [false, false, true]);
    // Overwriting clears it.
    let pixel = quad("", "int x; x = 3; result = bits(x);")[0];
    assert!(!pixel.undefined[0]);
}

#[test]
fn undefined_conditions_taint_the_lane() {
    let undefined_control_flow =
        |body: &str| quad("", body).iter().map(|p| p.undefined_control_flow).collect::<Vec<bool>>();
    assert_eq!(
        undefined_control_flow(
            "int x; if (lane() == 1) x = 0; result = uvec4(1); if (x == 0) result = uvec4(2);"
        ),
        [true, false, true, true]
    );
    assert_eq!(
        undefined_control_flow(
            "int x; if (lane() != 0) x = 0; result = uvec4(1); switch (x) { case 0: result = uvec4(2); }"
        ),
        [true, false, false, false]
    );
    assert_eq!(
        undefined_control_flow(
            "int x; if (lane() < 3) x = 0; result = uvec4(1); for (int i = 0; i < 1 && x == 0; i++) result = uvec4(2);"
        ),
        [false, false, false, true]
    );
}

#[test]
fn integer_division_and_shifts() {
    undefined("", "int z = lane(); result = bits(5 / z);");
    undefined("", "int z = lane(); result = bits(5 % z);");
    undefined("", "uint z = uint(lane()); result = bits(5u / z);");
    undefined("", "int z = lane() - 1; result = bits(5 % z);");
    undefined("", "int z = lane() + 32; result = bits(1 << z);");
    undefined("", "int z = lane() - 1; result = bits(1 >> z);");
    undefined("", "ivec2 v = ivec2(8, 8); v /= ivec2(lane(), 2); result = bits(v);");
    let pixel = quad("", "ivec2 v = ivec2(8, 8); v /= ivec2(lane(), 2); result = bits(v);")[0];
    assert_eq!((pixel.undefined[1], pixel.value[1]), (false, 4));
}

#[test]
fn conversions_out_of_range() {
    undefined("", "result = bits(int(3e9));");
    undefined("", "result = bits(uint(-1.0));");
    undefined("", "result = bits(uint(1e10LF));");
    undefined("", "result = bits(int(intBitsToFloat(0x7fc00000)));");
}

#[test]
fn out_of_bounds_accesses() {
    undefined("", "int a[3] = int[3](1, 2, 3); result = bits(a[lane() + 3]);");
    undefined("", "int a[3] = int[3](1, 2, 3); result = bits(a[lane() - 1]);");
    undefined("", "vec3 v = vec3(1.0); result = bits(v[lane() + 3]);");
    undefined("", "mat2 m = mat2(1.0); result = bits(m[lane() + 2]);");
    undefined("int[2] f() { return int[2](1, 2); }", "result = bits(f()[lane() + 2]);");
    // A write outside may be one to any element (GLSL 4.60, 5.11).
    let body =
        "int a[3] = int[3](1, 2, 3); a[lane() + 2] = 9; result = uvec4(a[0], a[1], a[2], 0);";
    let pixels = quad("", body);
    assert_eq!((pixels[0].value, pixels[0].undefined), ([1, 2, 9, 0], [false; 4]));
    assert_eq!(pixels[1].undefined, [true, true, true, false]);
}

#[test]
fn mathematical_domains() {
    for expression in [
        "sqrt(-1.0)",
        "inversesqrt(0.0)",
        "inversesqrt(-1.0)",
        "inverse(mat2(1.0, 2.0, 2.0, 4.0))[0][0]",
        "determinant(mat2(10.1, 10.0, 10.2, 10.1))",
        "log(0.0)",
        "log2(-1.0)",
        "pow(-1.0, 2.0)",
        "pow(0.0, 0.0)",
        "sin(8192.0)",
        "cos(-1.0e6)",
        "tan(1.0e5)",
        "asin(1.5)",
        "acos(-1.5)",
        "acosh(0.5)",
        "atanh(1.0)",
        "atan(0.0, 0.0)",
        "clamp(1.0, 2.0, 0.0)",
        "smoothstep(1.0, 1.0, 0.5)",
        "smoothstep(2.0, 1.0, 0.5)",
        "clamp(1, 3, 2)",
        "sqrt(-1.0LF)",
        "bitfieldExtract(1, 30, 5)",
        "bitfieldExtract(1, -1, 5)",
        "bitfieldInsert(1, 2, 3, -1)",
    ] {
        undefined("", &format!("result = bits({expression});"));
    }
}

#[test]
fn the_environment_decides_about_memory() {
    let mut world = World { storage_blocks: vec![vec![0; 8]], ..World::default() };
    let source =
        shader("layout(std430, binding = 0) buffer B { uint b[]; };", "result = uvec4(b[lane()]);");
    let marks: Vec<bool> =
        interpreted(&source, &mut world).iter().map(|p| p.undefined[0]).collect();
    assert_eq!(marks, [false, false, true, true]);
}
