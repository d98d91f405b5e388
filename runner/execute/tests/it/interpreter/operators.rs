//! Operators (GLSL 4.60 sections 5.1 to 5.11).

use crate::interpreter::harness::{check, check_body, check_with};

#[test]
fn integer_arithmetic_wraps() {
    check("7 + -9", -2);
    check("2147483647 + 1", i32::MIN);
    check("0u - 1u", u32::MAX);
    check("-(-2147483647 - 1)", i32::MIN);
    check("65536 * 65537", 65536);
    check("ivec4(1, 2, 3, 4) * ivec4(-1, 10, 100, 1000)", [-1, 20, 300, 4000]);
    check("uvec2(4000000000u, 1u) + uvec2(400000000u, 2u)", [105_032_704u32, 3]);
    check("int64_t(4294967296L) * int64_t(3)", 3i64 << 32);
    check("uint64_t(0) - uint64_t(1)", u64::MAX);
}

#[test]
fn integer_division_truncates() {
    check("7 / 2", 3);
    check("-7 / 2", -3);
    check("7 / -2", -3);
    check("7 % 3", 1);
    check("4294967295u / 2u", 2_147_483_647u32);
    check("4294967295u % 10u", 5u32);
    check("ivec3(9, -9, 100) / 4", [2, -2, 25]);
    check("int64_t(-9000000000L) / int64_t(2000000000L)", -4i64);
}

#[test]
fn float_arithmetic_rounds_once() {
    check("1.5 + 2.25", 3.75f32);
    // 16777216 + 1 is halfway between two floats: the even one is 16777216.
    check("16777216.0 + 1.0", 16_777_216.0f32);
    check("16777216.0 + 3.0", 16_777_220.0f32);
    check("0.1 + 0.2", f32::from_bits(0x3e99_999a));
    check("1.0 - 0.9", f32::from_bits(0x3dcc_ccd0));
    check("3.0 * 0.1", f32::from_bits(0x3e99_999a));
    check("1.0 / 0.0", f32::INFINITY);
    check("-1.0 / 0.0", f32::NEG_INFINITY);
    check("vec3(1.0, 2.0, 3.0) * 2.0", [2.0f32, 4.0, 6.0]);
    check("2.0 / vec2(4.0, 0.5)", [0.5f32, 4.0]);
    check("-vec2(0.0, 1.0)", [-0.0f32, -1.0]);
}

#[test]
fn double_arithmetic_rounds_once() {
    check("0.1LF + 0.2LF", 0.300_000_000_000_000_04f64);
    check("1.0LF / 3.0LF", f64::from_bits(0x3fd5_5555_5555_5555));
    check("9007199254740992.0LF + 1.0LF", 9_007_199_254_740_992.0f64);
    check("4.9e-324LF * 1.0LF", 4.9e-324f64);
    check("dvec2(1.0LF, 2.0LF) - 0.5LF", [0.5f64, 1.5]);
}

#[test]
fn float_subnormals_are_flushed_and_double_ones_are_not() {
    check("1.1754943508222875e-38 * 0.5", 0.0f32);
    check("-1.1754943508222875e-38 * 0.5", -0.0f32);
    check("2.2250738585072014e-308LF * 0.5LF", 1.112_536_929_253_600_7e-308f64);
}

#[test]
fn bit_operators() {
    check("~0x0f0f", !0x0f0f);
    check("0xf0f0u & 0xff00u", 0xf000u32);
    check("0xf0f0u | 0x0f00u", 0xfff0u32);
    check("0xf0f0u ^ 0xffffu", 0x0f0fu32);
    check("ivec2(1, -1) << 4", [16, -16]);
    check("ivec2(1, 2) << ivec2(3, 4)", [8, 32]);
    check("-16 >> 2", -4);
    check("4294967280u >> 2", 0x3fff_fffcu32);
    check("-16 >> 2u", -4);
    check("1 << 31", i32::MIN);
    check("int64_t(1) << 40", 1i64 << 40);
    check("int64_t(-1024) >> 4", -64i64);
}

#[test]
fn comparisons() {
    check("1 < 2", true);
    check("-1 < 1", true);
    check("4294967295u < 1u", false);
    check("2.0 >= 2.0", true);
    check("0.0 == -0.0", true);
    check("intBitsToFloat(0x7fc00000) == intBitsToFloat(0x7fc00000)", false);
    check("intBitsToFloat(0x7fc00000) != intBitsToFloat(0x7fc00000)", true);
    check("intBitsToFloat(0x7fc00000) < 1.0", false);
    check("intBitsToFloat(0x7fc00000) >= 1.0", false);
    check("1.0LF > 0.999999999999LF", true);
    check("vec3(1.0, 2.0, 3.0) == vec3(1.0, 2.0, 3.0)", true);
    check("vec3(1.0, 2.0, 3.0) != vec3(1.0, 2.0, 4.0)", true);
    check("mat2(1.0) == mat2(1.0, 0.0, 0.0, 1.0)", true);
    check("mat2(1.0) == mat2(1.0, 0.0, 0.5, 1.0)", false);
    check("int64_t(-1) < int64_t(0)", true);
    check("uint64_t(18446744073709551615UL) > uint64_t(1)", true);
}

#[test]
fn equality_of_structures_and_arrays() {
    let globals = "struct S { int a; vec2 b[2]; };
        S make(int a, float f) { return S(a, vec2[2](vec2(f), vec2(1.0))); }";
    check_with(globals, "make(1, 2.0) == make(1, 2.0)", true);
    check_with(globals, "make(1, 2.0) == make(1, 2.5)", false);
    check_with(globals, "make(1, 2.0) != make(2, 2.0)", true);
    check("int[3](1, 2, 3) == int[3](1, 2, 3)", true);
    check("int[3](1, 2, 3) == int[3](1, 2, 4)", false);
    check("int[2][2](int[2](1, 2), int[2](3, 4)) != int[2][2](int[2](1, 2), int[2](3, 4))", false);
}

#[test]
fn logical_operators() {
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        check(&format!("{a} && {b}"), a && b);
        check(&format!("{a} || {b}"), a || b);
        check(&format!("{a} ^^ {b}"), a != b);
    }
    check("!true", false);
    check("!false", true);
}

#[test]
fn short_circuits_skip_side_effects() {
    let globals = "int n = 0; bool touch(bool b) { n++; return b; }";
    let counted = |condition: &str| format!("bool c = {condition}; result = uvec4(c, n, 0, 0);");
    check_body(globals, &counted("touch(false) && touch(true)"), [0u32, 1]);
    check_body(globals, &counted("touch(true) && touch(false)"), [0u32, 2]);
    check_body(globals, &counted("touch(true) || touch(true)"), [1u32, 1]);
    check_body(globals, &counted("touch(false) || touch(true)"), [1u32, 2]);
    check_body(globals, &counted("touch(true) ^^ touch(true)"), [0u32, 2]);
    check_body(globals, &counted("true ? touch(false) : touch(true)"), [0u32, 1]);
}

#[test]
fn short_circuits_are_per_invocation() {
    let globals = "int n = 0; bool touch(bool b) { n++; return b; }";
    let body = "bool c = (lane() & 1) == 0 && touch(lane() == 2); result = uvec4(c ? 10 + n : n);";
    assert_eq!(crate::interpreter::harness::lanes(globals, body), [1, 0, 11, 0]);
}

#[test]
fn increments_and_decrements() {
    check_body("", "int i = 5; int a = i++; int b = ++i; result = uvec4(a, b, i, 0);", [5, 7, 7]);
    check_body("", "int i = 5; int a = i--; int b = --i; result = uvec4(a, b, i, 0);", [5, 3, 3]);
    check_body(
        "",
        "vec2 v = vec2(1.0, 2.0); vec2 o = v++; result = bits(vec4(o, v));",
        [1.0f32, 2.0, 2.0, 3.0],
    );
    check_body("", "uint u = 0u; u--; result = bits(u);", u32::MAX);
    check_body("", "mat2 m = mat2(1.0); m++; result = bits(m);", [2.0f32, 1.0, 1.0, 2.0]);
    check_body("", "dvec2 v = dvec2(0.5LF); v.y++; result = bits(v);", [0.5f64, 1.5]);
    check_body("", "ivec3 v = ivec3(1, 2, 3); v.zx++; result = bits(v);", [2, 2, 4]);
}

#[test]
fn compound_assignments() {
    check_body("", "int i = 7; i += 3; i *= 2; i -= 1; i /= 3; result = bits(i);", 6);
    check_body(
        "",
        "int i = 77; i %= 10; i <<= 3; i |= 1; i ^= 0xff; i &= 0xf0; i >>= 4; result = bits(i);",
        12,
    );
    check_body(
        "",
        "vec4 v = vec4(1.0); v.xz *= 3.0; v.wy += vec2(1.0, 2.0); result = bits(v);",
        [3.0f32, 3.0, 3.0, 2.0],
    );
    check_body(
        "",
        "vec2 v = vec2(1.0, 2.0); v *= mat2(1.0, 2.0, 3.0, 4.0); result = bits(v);",
        [5.0f32, 11.0],
    );
    check_body(
        "",
        "int a[2] = int[2](1, 2); int i = 0; a[i++] += 10; result = uvec4(a[0], a[1], i, 0);",
        [11, 2, 1],
    );
    check_body("", "int x = 2; int y = (x += 3) * 2; result = uvec4(x, y, 0, 0);", [5, 10]);
}

#[test]
fn selection_and_sequence() {
    check("true ? 3 : 4", 3);
    check("false ? vec2(1.0) : vec2(2.0, 3.0)", [2.0f32, 3.0]);
    check_body("", "int x = 1; int y = (x = 5, x + 2); result = uvec4(x, y, 0, 0);", [5, 7]);
    check_with(
        "struct S { int a; }; S f(int a) { return S(a); }",
        "(f(1).a == 1 ? f(2) : f(3)).a",
        2,
    );
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let globals = "int n = 1; int next() { n = n * 10 + 1; return n; } int order(int a, int b) { return a * 1000 + b; }";
    check_with(globals, "next() - next()", 11 - 111);
    check_with(globals, "ivec3(next(), next(), next())", [11, 111, 1111]);
    check_with(globals, "order(next(), next())", 11_111);
}

#[test]
fn matrix_products_are_linear_algebra() {
    // Columns (1, 2) and (3, 4).
    let m = "mat2(1.0, 2.0, 3.0, 4.0)";
    check(&format!("{m} * vec2(5.0, 6.0)"), [23.0f32, 34.0]);
    check(&format!("vec2(5.0, 6.0) * {m}"), [17.0f32, 39.0]);
    check(&format!("{m} * mat2(5.0, 6.0, 7.0, 8.0)"), [23.0f32, 34.0, 31.0, 46.0]);
    check(&format!("{m} * 2.0"), [2.0f32, 4.0, 6.0, 8.0]);
    check(&format!("{m} + {m}"), [2.0f32, 4.0, 6.0, 8.0]);
    check(&format!("{m} / {m}"), [1.0f32, 1.0, 1.0, 1.0]);
    check(&format!("1.0 - {m}"), [0.0f32, -1.0, -2.0, -3.0]);
}

#[test]
fn non_square_matrix_products() {
    // mat2x3: two columns of three rows.
    let m = "mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)";
    check(&format!("{m} * vec2(1.0, 10.0)"), [41.0f32, 52.0, 63.0]);
    check(&format!("vec3(1.0, 10.0, 100.0) * {m}"), [321.0f32, 654.0]);
    // mat3x2 × mat2x3 is a mat2.
    check(&format!("mat3x2(1.0, 0.0, 0.0, 1.0, 1.0, 1.0) * {m}"), [4.0f32, 5.0, 10.0, 11.0]);
    // mat2x3 × mat4x2 is a mat4x3; its last column is m × (2, 3).
    check(
        &format!("({m} * mat4x2(0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0))[3]"),
        [14.0f32, 19.0, 24.0],
    );
    check("dmat2(1.0LF, 2.0LF, 3.0LF, 4.0LF) * dvec2(5.0LF, 6.0LF)", [23.0f64, 34.0]);
}
