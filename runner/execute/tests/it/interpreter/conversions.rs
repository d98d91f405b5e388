//! Conversions and constructors (GLSL 4.60 sections 4.1.10 and 5.4).

use crate::interpreter::harness::{check, check_body};

#[test]
fn between_scalars() {
    check("int(3.99)", 3);
    check("int(-3.99)", -3);
    check("uint(3.99)", 3u32);
    check("int(true)", 1);
    check("float(false)", 0.0f32);
    check("bool(0.0)", false);
    check("bool(-0.0)", false);
    check("bool(0.1)", true);
    check("bool(-5)", true);
    check("uint(-1)", u32::MAX);
    check("int(4294967295u)", -1);
    check("float(16777217)", 16_777_216.0f32);
    check("float(-16777219)", -16_777_220.0f32);
    check("float(4294967295u)", 4_294_967_296.0f32);
    check("bool(intBitsToFloat(0x7fc00000))", true);
}

#[test]
fn with_doubles() {
    check("double(0.1)", f64::from(0.1f32));
    // 1 + 2^-24 is halfway between two floats; the odd neighbor loses.
    check("float(1.000000059604644775390625LF)", 1.0f32);
    check("float(1.00000005960464500000LF)", f32::from_bits(0x3f80_0001));
    check("float(1e300LF)", f32::INFINITY);
    check("float(-1e-300LF)", -0.0f32);
    check("int(-2147483648.9LF)", i32::MIN);
    check("uint(4294967295.9LF)", u32::MAX);
    check("double(-7)", -7.0f64);
    check("double(4294967295u)", 4_294_967_295.0f64);
    check("double(true)", 1.0f64);
    check("bool(4.9e-324LF)", true);
    check("dvec2(vec2(0.5, 1.5))", [0.5f64, 1.5]);
}

#[test]
fn with_64_bit_integers() {
    check("int64_t(-5)", -5i64);
    check("int64_t(4294967295u)", 4_294_967_295i64);
    check("uint64_t(-1)", u64::MAX);
    check("int(int64_t(4294967301L))", 5);
    check("float(int64_t(9007199791611905L))", 9_007_200_328_482_816.0f32);
    check("double(int64_t(9007199254740993L))", 9_007_199_254_740_992.0f64);
    check("double(uint64_t(18446744073709551615UL))", 18_446_744_073_709_551_616.0f64);
    check("int64_t(-1e10)", -10_000_000_000i64);
    check("uint64_t(1.8e19LF)", 18_000_000_000_000_000_000u64);
    check("bool(int64_t(4294967296L))", true);
}

#[test]
fn implicit() {
    check("1 + 2.5", 3.5f32);
    check("1u + 2.5LF", 3.5f64);
    check_body("", "float f = 3; result = bits(f);", 3.0f32);
    check_body("", "vec2 v = ivec2(1, -2); result = bits(v);", [1.0f32, -2.0]);
    check_body("", "uint u = 5; result = bits(u);", 5u32);
    check_body("", "double d = 0.5; result = bits(d);", 0.5f64);
    check("true ? 1 : 2.5", 1.0f32);
}

#[test]
fn vectors() {
    check("vec3(1.0)", [1.0f32; 3]);
    check("vec4(vec2(1.0, 2.0), 3.0, 4.0)", [1.0f32, 2.0, 3.0, 4.0]);
    check("vec2(vec4(1.0, 2.0, 3.0, 4.0))", [1.0f32, 2.0]);
    check("ivec3(1.9, -1.9, true)", [1, -1, 1]);
    check("bvec2(0.0, 3)", [false, true]);
    check("vec3(ivec2(1, 2), 3u)", [1.0f32, 2.0, 3.0]);
    check("vec3(true, vec2(2.0, 3.0))", [1.0f32, 2.0, 3.0]);
}

#[test]
fn matrices() {
    check("mat2(2.0)", [2.0f32, 0.0, 0.0, 2.0]);
    check("mat2(1.0, 2.0, 3.0, 4.0)[1]", [3.0f32, 4.0]);
    check("mat2(vec2(1.0, 2.0), vec2(3.0, 4.0))[0][1]", 2.0f32);
    check("mat2(mat3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0))", [1.0f32, 2.0, 4.0, 5.0]);
    check("mat3(mat2(1.0, 2.0, 3.0, 4.0))[2]", [0.0f32, 0.0, 1.0]);
    check("mat3(mat2(1.0, 2.0, 3.0, 4.0))[1]", [3.0f32, 4.0, 0.0]);
    check("mat4x2(mat2x4(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0))[1]", [5.0f32, 6.0]);
    check("mat4x2(mat2x4(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0))[2]", [0.0f32, 0.0]);
    check("mat4x2(1.0)[2]", [0.0f32, 0.0]);
    check("mat2(vec4(1.0, 2.0, 3.0, 4.0))", [1.0f32, 2.0, 3.0, 4.0]);
    check("vec4(mat2(1.0, 2.0, 3.0, 4.0))", [1.0f32, 2.0, 3.0, 4.0]);
    check("float(mat2(7.0))", 7.0f32);
    check("mat2(dmat2(1.5LF))", [1.5f32, 0.0, 0.0, 1.5]);
}
