//! Floating-point built-in functions (GLSL 4.60 sections 8.1 to 8.7, 8.14).

// Expectations are decimal values worked out apart from any library, its constants included.
#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    reason = "the constants are written as the shaders have them"
)]

use crate::interpreter::harness::{
    World, check, check_body, close, interpret, lanes, program, quad, shader,
};
use program::Stage;

#[test]
fn angles() {
    close("radians(90.0)", 1.570_796_3);
    close("degrees(1.0)", 57.295_78);
    close("sin(1.0)", 0.841_470_98);
    close("sin(100.0)", -0.506_365_64);
    close("cos(1.0)", 0.540_302_3);
    close("tan(1.0)", 1.557_407_7);
    close("asin(0.5)", 0.523_598_8);
    close("acos(0.25)", 1.318_116_1);
    close("atan(2.0)", 1.107_148_7);
    close("atan(-1.0, -2.0)", -2.677_945);
    close("sinh(1.0)", 1.175_201_2);
    close("cosh(1.0)", 1.543_080_6);
    close("tanh(0.5)", 0.462_117_16);
    close("asinh(1.0)", 0.881_373_6);
    close("acosh(2.0)", 1.316_957_9);
    close("atanh(0.5)", 0.549_306_15);
    check("sin(0.0)", 0.0f32);
    check("atan(0.0, 1.0)", 0.0f32);
}

#[test]
fn exponentials() {
    close("exp(1.5)", 4.481_689);
    close("log(10.0)", 2.302_585);
    close("log2(10.0)", 3.321_928);
    close("pow(10.0, 0.25)", 1.778_279_4);
    close("inversesqrt(3.0)", 0.577_350_26);
    check("exp2(10.0)", 1024.0f32);
    check("exp2(-1.0)", 0.5f32);
    check("log2(8.0)", 3.0f32);
    check("pow(2.0, 3.0)", 8.0f32);
    check("sqrt(2.0)", f32::from_bits(0x3fb5_04f3));
    check("sqrt(vec2(4.0, 6.25))", [2.0f32, 2.5]);
    check("sqrt(2.0LF)", f64::from_bits(0x3ff6_a09e_667f_3bcd));
    check("inversesqrt(4.0LF)", 0.5f64);
}

#[test]
fn rounding_to_integers() {
    check("floor(vec4(1.5, -1.5, 2.0, -0.0))", [1.0f32, -2.0, 2.0, -0.0]);
    check("ceil(vec4(1.5, -1.5, 2.0, -0.5))", [2.0f32, -1.0, 2.0, -0.0]);
    check("trunc(vec4(1.9, -1.9, 2.0, -0.5))", [1.0f32, -1.0, 2.0, -0.0]);
    check("roundEven(vec4(0.5, 1.5, 2.5, -0.5))", [0.0f32, 2.0, 2.0, -0.0]);
    check("round(vec2(1.25, -1.75))", [1.0f32, -2.0]);
    check("fract(vec3(1.25, -1.25, 3.0))", [0.25f32, 0.75, 0.0]);
    check("floor(4503599627370496.5LF)", 4_503_599_627_370_496.0f64);
    check("floor(-0.5LF)", -1.0f64);
    check("ceil(1e-300LF)", 1.0f64);
    check("trunc(-4294967297.75LF)", -4_294_967_297.0f64);
    check("roundEven(dvec2(2.5LF, 3.5LF))", [2.0f64, 4.0]);
    check("fract(-0.25LF)", 0.75f64);
}

#[test]
fn modulus() {
    check("mod(5.5, 2.0)", 1.5f32);
    check("mod(-5.5, 2.0)", 0.5f32);
    check("mod(5.5, -2.0)", -0.5f32);
    check("mod(vec2(7.0, 9.0), 4.0)", [3.0f32, 1.0]);
    check("mod(6.0, 3.0)", 0.0f32);
    check("floatBitsToInt(mod(-1.0, 0.5))", 0i32);
    check("mod(5.5LF, 2.0LF)", 1.5f64);
    check_body(
        "",
        "float whole; float f = modf(-2.75, whole); result = bits(vec2(f, whole));",
        [-0.75f32, -2.0],
    );
    check_body(
        "",
        "dvec2 whole; dvec2 f = modf(dvec2(3.5LF, -0.25LF), whole); result = bits(whole);",
        [3.0f64, -0.0],
    );
    check_body(
        "",
        "float whole; float f = modf(1.0 / 0.0, whole); result = bits(vec2(f, whole));",
        [0.0f32, f32::INFINITY],
    );
}

#[test]
fn signs_and_magnitudes() {
    check("abs(vec3(-1.5, 1.5, -0.0))", [1.5f32, 1.5, 0.0]);
    check("sign(vec3(-1.5, 1.5, 0.0))", [-1.0f32, 1.0, 0.0]);
    check("abs(-2.5LF)", 2.5f64);
    check("sign(dvec2(-2.5LF, 0.0LF))", [-1.0f64, 0.0]);
}

#[test]
fn selection() {
    check("min(vec2(1.0, -2.0), vec2(0.5, 3.0))", [0.5f32, -2.0]);
    check("max(vec3(1.0, -2.0, 5.0), 0.0)", [1.0f32, 0.0, 5.0]);
    check("clamp(vec3(-1.0, 0.5, 2.0), 0.0, 1.0)", [0.0f32, 0.5, 1.0]);
    check("clamp(dvec2(-1.0LF, 2.0LF), 0.0LF, 1.0LF)", [0.0f64, 1.0]);
    check("mix(1.0, 3.0, 0.25)", 1.5f32);
    check("mix(vec2(0.0, 10.0), vec2(4.0, 20.0), vec2(0.5, 0.1))", [2.0f32, 11.0]);
    check("mix(vec2(1.0, 2.0), vec2(3.0, 4.0), bvec2(true, false))", [3.0f32, 2.0]);
    check("mix(ivec2(1, 2), ivec2(3, 4), bvec2(false, true))", [1, 4]);
    check("mix(bvec2(true), bvec2(false), bvec2(true, false))", [false, true]);
    check("mix(1.0LF, 3.0LF, 0.5LF)", 2.0f64);
    check("step(vec3(1.0), vec3(0.5, 1.0, 1.5))", [0.0f32, 1.0, 1.0]);
    check("step(1.0, vec2(0.5, 2.0))", [0.0f32, 1.0]);
    check("smoothstep(0.0, 2.0, vec4(-1.0, 1.0, 0.5, 3.0))", [0.0f32, 0.5, 0.15625, 1.0]);
    check("smoothstep(0.0LF, 2.0LF, 1.0LF)", 0.5f64);
}

#[test]
fn representations() {
    check("isnan(intBitsToFloat(0x7fc00000))", true);
    check("isnan(vec2(1.0 / 0.0, 0.0))", [false, false]);
    check("isinf(vec2(-1.0 / 0.0, 3.4e38))", [true, false]);
    check("isinf(1.0LF / 0.0LF)", true);
    check("isnan(packDouble2x32(uvec2(0u, 0x7ff80000u)))", true);
    check("floatBitsToInt(1.0)", 0x3f80_0000);
    check("floatBitsToUint(-2.0)", 0xc000_0000u32);
    check("uintBitsToFloat(0x40490fdbu)", 3.141_592_7f32);
    check("intBitsToFloat(ivec2(0, 0x3f000000))", [0.0f32, 0.5]);
    check("doubleBitsToInt64(1.0LF)", 0x3ff0_0000_0000_0000i64);
    check("int64BitsToDouble(4611686018427387904L)", 2.0f64);
}

#[test]
fn fused_and_scaled() {
    // (1 + 2^-12)² − (1 + 2^-11) = 2^-24: lost when the product is rounded.
    check("fma(1.000244140625, 1.000244140625, -1.00048828125)", f32::from_bits(0x3380_0000));
    check("fma(2.0LF, 3.0LF, 4.0LF)", 10.0f64);
    check("ldexp(0.75, 3)", 6.0f32);
    check("ldexp(vec2(1.0, 3.0), ivec2(-1, 127))", [0.5f32, f32::INFINITY]);
    check("ldexp(1.0LF, 1000)", libm_exp2(1000));
    check("ldexp(1.0LF, -1074)", 4.9e-324f64);
    check_body(
        "",
        "int e; float f = frexp(6.0, e); result = uvec4(floatBitsToUint(f), e, 0, 0);",
        [0.75f32.to_bits(), 3],
    );
    check_body(
        "",
        "int e; float f = frexp(-0.375, e); result = uvec4(floatBitsToUint(f), e, 0, 0);",
        [(-0.75f32).to_bits(), u32::MAX],
    );
    check_body(
        "",
        "int e; float f = frexp(0.0, e); result = uvec4(floatBitsToUint(f), e, 0, 0);",
        [0u32, 0],
    );
    check_body(
        "",
        "int e; double f = frexp(1024.0LF, e); result = bits(f); result.z = uint(e);",
        [0u32, 0x3fe0_0000, 11],
    );
}

/// 2ⁿ for normal results.
fn libm_exp2(n: u64) -> f64 {
    f64::from_bits((1023 + n) << 52)
}

#[test]
fn packing() {
    check("packUnorm2x16(vec2(1.0, 0.5))", 0x8000_ffffu32);
    check("packUnorm2x16(vec2(-1.0, 2.0))", 0xffff_0000u32);
    check("packSnorm2x16(vec2(1.0, -1.0))", 0x8001_7fffu32);
    check("packUnorm4x8(vec4(0.0, 1.0, 0.2, 0.4))", 0x6633_ff00u32);
    check("packSnorm4x8(vec4(0.0, 1.0, -1.0, -2.0))", 0x8181_7f00u32);
    check("packHalf2x16(vec2(1.0, -2.0))", 0xc000_3c00u32);
    check("packHalf2x16(vec2(65504.0, 1e-7))", 0x0002_7bffu32);
    check("unpackUnorm2x16(0x8000ffffu)", [1.0f32, f32::from_bits(0x3f00_0080)]);
    check("unpackSnorm2x16(0x80008001u)", [-1.0f32, -1.0]);
    check("unpackUnorm4x8(0xff003300u)", [0.0f32, 0.2, 0.0, 1.0]);
    check("unpackSnorm4x8(0x7f818000u)", [0.0f32, -1.0, -1.0, 1.0]);
    check("unpackHalf2x16(0xc0003c00u)", [1.0f32, -2.0]);
    check("unpackHalf2x16(0xfc000001u)", [f32::from_bits(0x3380_0000), f32::NEG_INFINITY]);
    check("packDouble2x32(uvec2(0u, 0x3ff00000u))", 1.0f64);
    check("unpackDouble2x32(-2.0LF)", [0u32, 0xc000_0000]);
    check("packInt2x32(ivec2(-1, 1))", 0x1_ffff_ffffi64);
    check("unpackUint2x32(packUint2x32(uvec2(5u, 6u)))", [5u32, 6]);
}

#[test]
fn geometry() {
    check("length(vec2(3.0, 4.0))", 5.0f32);
    check("length(-7.0)", 7.0f32);
    check("length(dvec2(3.0LF, 4.0LF))", 5.0f64);
    check("distance(vec3(1.0, 2.0, 3.0), vec3(1.0, 5.0, 7.0))", 5.0f32);
    check("dot(vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0))", 32.0f32);
    check("dot(dvec2(1.0LF, 2.0LF), dvec2(3.0LF, 4.0LF))", 11.0f64);
    check("dot(2.0, 3.0)", 6.0f32);
    check("cross(vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0))", [0.0f32, 0.0, 1.0]);
    check("cross(vec3(1.0, 2.0, 3.0), vec3(4.0, 5.0, 6.0))", [-3.0f32, 6.0, -3.0]);
    check("normalize(vec2(0.0, -4.0))", [0.0f32, -1.0]);
    check("normalize(dvec3(0.0LF, 2.0LF, 0.0LF)).xy", [0.0f64, 1.0]);
    check("faceforward(vec2(1.0, 2.0), vec2(1.0, 0.0), vec2(-1.0, 0.0))", [1.0f32, 2.0]);
    check("faceforward(vec2(1.0, 2.0), vec2(1.0, 0.0), vec2(1.0, 0.0))", [-1.0f32, -2.0]);
    check("faceforward(vec2(1.0, 2.0), vec2(1.0, 0.0), vec2(0.0, 1.0))", [-1.0f32, -2.0]);
    check("reflect(vec2(1.0, -1.0), vec2(0.0, 1.0))", [1.0f32, 1.0]);
    check("refract(vec2(0.0, -1.0), vec2(0.0, 1.0), 0.5)", [0.0f32, -1.0]);
    // Total reflection.
    check("refract(vec2(1.0, 0.0), vec2(0.0, 1.0), 2.0)", [0.0f32, 0.0]);
}

#[test]
fn matrices() {
    check(
        "matrixCompMult(mat2(1.0, 2.0, 3.0, 4.0), mat2(5.0, 6.0, 7.0, 8.0))",
        [5.0f32, 12.0, 21.0, 32.0],
    );
    // Column j of the outer product is c · r[j].
    check("outerProduct(vec2(1.0, 2.0), vec2(3.0, 4.0))", [3.0f32, 6.0, 4.0, 8.0]);
    check("outerProduct(vec3(1.0, 2.0, 3.0), vec2(4.0, 5.0))[1]", [5.0f32, 10.0, 15.0]);
    check("transpose(mat2(1.0, 2.0, 3.0, 4.0))", [1.0f32, 3.0, 2.0, 4.0]);
    check("transpose(mat2x3(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))[2]", [3.0f32, 6.0]);
    check("transpose(mat3x2(1.0, 2.0, 3.0, 4.0, 5.0, 6.0))[0]", [1.0f32, 3.0, 5.0]);
    check("determinant(mat2(1.0, 2.0, 3.0, 4.0))", -2.0f32);
    check("determinant(mat3(2.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 1.0, 1.0))", 0.0f32);
    check("determinant(mat4(2.0))", 16.0f32);
    check("determinant(mat4(0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3))", -6.0f32);
    check("inverse(mat2(1.0, 2.0, 3.0, 4.0))", [-2.0f32, 1.0, 1.5, -0.5]);
    check("inverse(mat3(1, 0, 0, 2, 1, 0, 3, 4, 1))[2]", [5.0f32, -4.0, 1.0]);
    check(
        "inverse(mat4(1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 5, 0, 0, 1))[3] == vec4(-5.0, 0.0, 0.0, 1.0)",
        true,
    );
    check("determinant(dmat2(1.0LF, 2.0LF, 3.0LF, 4.0LF))", -2.0f64);
}

#[test]
fn vector_relations() {
    check("lessThan(vec3(1.0, 2.0, 3.0), vec3(2.0))", [true, false, false]);
    check("lessThanEqual(ivec3(1, 2, 3), ivec3(2))", [true, true, false]);
    check("greaterThan(uvec3(1u, 2u, 4294967295u), uvec3(2u))", [false, false, true]);
    check("greaterThanEqual(dvec2(1.0LF, 2.0LF), dvec2(2.0LF))", [false, true]);
    check("equal(bvec2(true, false), bvec2(true))", [true, false]);
    let nan = "vec2(intBitsToFloat(0x7fc00000), 1.0)";
    check(&format!("notEqual({nan}, {nan})"), [true, false]);
    check("any(bvec3(false, false, true))", true);
    check("all(bvec3(true, false, true))", false);
    check("not(bvec2(true, false))", [false, true]);
}

#[test]
fn derivatives_are_differences_within_the_quad() {
    // Lanes hold 0, 10, 20, 40.
    let value = "float v = float(lane() * 10 + (lane() == 3 ? 10 : 0));";
    let fine = |f: &str| lanes("", &format!("{value} result = uvec4({f}(v));"));
    assert_eq!(fine("dFdxFine"), [10, 10, 20, 20]);
    assert_eq!(fine("dFdyFine"), [20, 30, 20, 30]);
    assert_eq!(fine("fwidthFine"), [30, 40, 40, 50]);
    assert_eq!(fine("dFdxCoarse"), [10; 4]);
    assert_eq!(fine("dFdyCoarse"), [20; 4]);
    assert_eq!(fine("fwidthCoarse"), [30; 4]);
    check_body("", "result = bits(dFdx(vec2(gl_FragCoord.x * 3.0, 1.0)));", [3.0f32, 0.0]);
    check_body("", "result = bits(dFdy(-gl_FragCoord.y));", -1.0f32);
}

#[test]
fn interpolation_functions() {
    let vertex = "#version 460\nout float a; out vec2 b[2]; void main() { gl_Position = vec4(0.0); a = 1.0; b = vec2[2](vec2(1.0), vec2(2.0)); }";
    let globals = "in float a; in vec2 b[2];";
    let planes = [
        ((0, 0), [1.0, 0.0, 0.0]),
        ((1, 0), [0.0, 1.0, 0.0]),
        ((1, 1), [0.0, 2.0, 0.0]),
        ((2, 0), [2.0, 0.0, 1.0]),
        ((2, 1), [0.0, 0.0, 7.0]),
    ];
    let value = |expression: &str| {
        let source = shader(
            globals,
            &format!("result = bits({expression}); if (a < 0.0) result = uvec4(0);"),
        );
        let program = program(&[(Stage::Vertex, vertex), (Stage::Fragment, &source)]);
        let mut world = World { planes: planes.into_iter().collect(), ..World::default() };
        let mut other = world.clone();
        let outputs = interpret(&program, Stage::Fragment, 4, &mut world).expect("runs");
        crate::interpreter::harness::evaluate(&program, Stage::Fragment, 4, &mut other);
        let value: [u32; 4] = std::array::from_fn(|c| outputs.fragment[0].1.get(c, 0) as u32);
        assert_eq!(other.color(0), value, "`{expression}`");
        value.map(f32::from_bits)
    };
    assert_eq!(value("vec4(a, b[0], b[1].x)"), [10.5, 20.5, 41.0, 22.0]);
    assert_eq!(value("vec4(interpolateAtOffset(a, vec2(0.25, 0.0)), 0.0, 0.0, 0.0)")[0], 10.75);
    assert_eq!(value("interpolateAtOffset(b[1], vec2(-0.5, 0.5))")[..2], [21.0, 7.0]);
    assert_eq!(value("interpolateAtCentroid(b[0].yx)")[..2], [41.0, 20.5]);
    assert_eq!(value("interpolateAtOffset(b[int(a) - 10], vec2(0.0, 0.25))")[..2], [20.75, 41.5]);
    assert_eq!(value("vec4(interpolateAtOffset(b[1].x, vec2(0.5, 0.5)), 0.0, 0.0, 0.0)")[0], 23.0);
}

#[test]
fn subgroup_votes() {
    check(
        "uvec4(anyInvocationARB(lane() == 2), allInvocationsARB(lane() < 4), allInvocationsEqualARB(lane() == 1), 0)",
        [1u32, 1, 0],
    );
    check("ballotARB((lane() & 1) == 1)", 0b1010u64);
    check("readFirstInvocationARB(lane() + 5)", 5);
    check("readInvocationARB(lane() * 3, 2u)", 6);
}

#[test]
fn noise_is_a_constant() {
    // GLSL 4.60 section 8.15 lets implementations return zero.
    let pixels = quad("", "result = bits(noise4(vec3(1.0, 2.0, 3.0)));");
    assert_eq!(pixels[0].value, [0; 4]);
}
