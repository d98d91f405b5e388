//! `float16_t`, `int16_t`, `uint16_t` (AMD_gpu_shader_half_float, AMD_gpu_shader_int16).

use crate::interpreter::harness::{
    World, check, check_body, check_with, interpreted, quad_in, shader, undefined,
};

/// Memory whose 16-bit word i holds i.
fn counting(words: u16) -> Vec<u8> {
    (0..words).flat_map(u16::to_le_bytes).collect()
}

#[test]
fn arithmetic_rounds_once_and_keeps_subnormals() {
    let half = |expression: &str, bits: u32| check(expression, bits);
    half("1.0hf + 0.00048828125hf", 0x3c00);
    half("1.0hf + 0.00048852hf", 0x3c01);
    half("1.0hf - 0.000244140625hf", 0x3c00);
    half("3.0hf * 0.33325hf", 0x3c00);
    half("1.0hf / 3.0hf", 0x3555);
    half("2.0hf / 3.0hf", 0x3955);
    half("65504.0hf + 16.0hf", 0x7c00);
    half("65504.0hf + 15.99hf", 0x7bff);
    half("uint16BitsToFloat16(1us) + uint16BitsToFloat16(1us)", 2);
    half("uint16BitsToFloat16(3us) * 0.5hf", 2);
    half("uint16BitsToFloat16(1us) * 0.5hf", 0);
    half("uint16BitsToFloat16(0x400us) - uint16BitsToFloat16(1us)", 0x3ff);
    half("-uint16BitsToFloat16(1us)", 0x8001);
    half("fma(1.0009765625hf, 1.0009765625hf, -1.001953125hf)", 0x0010);
    check("uint16BitsToFloat16(1us) > 0.0hf", true);
    check("f16vec2(1.0hf, -0.0hf) == f16vec2(1.0hf, 0.0hf)", true);
}

#[test]
fn conversions_round_once() {
    // 1 + 2^-11 is half way; what f64 has beyond decides, which f32 would have rounded away.
    check("float16_t(1.00048828125)", 0x3c00u32);
    check("float16_t(1.00048828125lf + 1e-12lf)", 0x3c01u32);
    check("float16_t(1.00146484375lf - 1e-12lf)", 0x3c01u32);
    check("float16_t(2.98023223876953125e-8lf)", 0u32);
    check("float16_t(2.980232238769532e-8lf)", 1u32);
    check("float16_t(65519.99999999lf)", 0x7bffu32);
    check("float16_t(-65520.0lf)", 0xfc00u32);
    check("float16_t(2049)", 0x6800u32);
    check("float16_t(-2051)", 0xe802u32);
    check("float16_t(65519u)", 0x7bffu32);
    check("float16_t(65520ul)", 0x7c00u32);
    check("float16_t(-9223372036854775807l)", 0xfc00u32);
    check("float16_t(uint16_t(65535))", 0x7c00u32);
    check("float16_t(int16_t(-32767))", 0xf800u32);
    check("float(uint16BitsToFloat16(1us))", 5.960_464_5e-8f32);
    check("double(uint16BitsToFloat16(0x83ffus))", -1023.0 / 16_777_216.0f64);
    check("int(-2.75hf)", -2i32);
    check("uint64_t(65504.0hf)", 65504u64);
    check("int64_t(-65504.0hf)", -65504i64);
    check("int16_t(-2.75hf)", -2i32);
    check("uint16_t(65504.0hf)", 65504u32);
    check("bool(uint16BitsToFloat16(1us))", true);
    check("bool(-0.0hf)", false);
    check("int16_t(0x18000)", -32768i32);
    check("uint16_t(-1l)", 65535u32);
    check("int(uint16_t(65535))", 65535i32);
    check("uint(int16_t(-1))", u32::MAX);
    check("int64_t(int16_t(-1))", -1i64);
    check("uint64_t(int16_t(-1))", u64::MAX);
    undefined("", "result = bits(int(int16_t(40000.0)));");
}

#[test]
fn operands_of_different_types() {
    check("2.0hf + 1.5", 3.5f32);
    check("2.0hf * 0.1lf", 2.0 * 0.1f64);
    check("2.0hf + 3", 5.0f32);
    check("2.0hf + 3s", 0x4500u32);
    check("-1s + 1", 0i32);
    check("65535us + 1", 65536i32);
    check("65535us + 1us", 0u32);
    check("-1s + 0us", 65535u32);
    check("-1s + 0u", u32::MAX);
    check("65535us * 2l", 131_070i64);
    check("1.0hf < 2", true);
    check("65535us == 65535", true);
    check("(32767s + 1s)", -32768i32);
    check("-7s / 2s", -3i32);
    check("65535us / 2us", 32767u32);
    check("-32768s >> 15s", -1i32);
    check("32768us >> 15", 1u32);
    check("1us << 15u", 32768u32);
    check("~0us", 65535u32);
    let overloads = "int which(int x) { return 1; } int which(uint x) { return 2; } int which(float x) { return 3; }";
    check_with(overloads, "which(1s)", 1i32);
    check_with(overloads, "which(1us)", 2i32);
    check_with(overloads, "which(1.0hf)", 3i32);
}

#[test]
fn functions_are_near_the_exact_value() {
    // Of 0.7001953125, the half nearest to 0.7.
    for (expression, bits) in [
        ("radians(x)", 0x2242),
        ("degrees(x)", 0x5104),
        ("sin(x)", 0x3928),
        ("cos(x)", 0x3a1e),
        ("tan(x)", 0x3abe),
        ("asin(x)", 0x3a35),
        ("acos(x)", 0x3a5c),
        ("atan(x)", 0x38e3),
        ("sinh(x)", 0x3a12),
        ("cosh(x)", 0x3d05),
        ("tanh(x)", 0x38d6),
        ("asinh(x)", 0x3939),
        ("atanh(x)", 0x3af1),
        ("exp(x)", 0x4007),
        ("log(x)", 0xb5b4),
        ("exp2(x)", 0x3e80),
        ("log2(x)", 0xb81d),
        ("sqrt(x)", 0x3ab2),
        ("inversesqrt(x)", 0x3cc8),
        ("acosh(1.5hf)", 0x3bb3),
        ("atan(x, 2.0hf)", 0x3563),
        ("pow(x, 1.5hf)", 0x38b0),
        ("length(f16vec3(1.0hf, 2.0hf, 3.0hf))", 0x437c),
        ("length(f16vec2(300.0hf, 400.0hf))", 0x5fd0),
        ("distance(f16vec2(300.0hf, 0.0hf), f16vec2(0.0hf, 400.0hf))", 0x5fd0),
        ("mix(1.0hf, 3.0hf, 0.25hf)", 0x3e00),
        ("mod(1000.0hf, 0.75hf)", 0x3400),
        ("mod(-1.0hf, 65504.0hf)", 0x7bff),
        ("fract(-1.25hf)", 0x3a00),
        ("dot(f16vec3(1.0hf, 2.0hf, 3.0hf), f16vec3(4.0hf))", 0x4e00),
        ("determinant(f16mat3(2.0hf))", 0x4800),
        ("inverse(f16mat2(2.0hf, 0.0hf, 0.0hf, 4.0hf))[1][1]", 0x3400),
        ("smoothstep(0.0hf, 2.0hf, 1.0hf)", 0x3800),
    ] {
        check_body("", &format!("float16_t x = 0.7hf; result = bits({expression});"), bits);
    }
}

#[test]
fn splitting_and_packing() {
    check_body(
        "",
        "int16_t e; float16_t f = frexp(-12.0hf, e); result = uvec4(bits(f).x, bits(e).x, 0u, 0u);",
        [0xba00, 4],
    );
    check_body("", "int e; bits(frexp(uint16BitsToFloat16(1us), e)); result = bits(e);", -23i32);
    check_body(
        "",
        "float16_t w; float16_t f = modf(-2.5hf, w); result = uvec4(bits(f).x, bits(w).x, 0u, 0u);",
        [0xb800, 0xc000],
    );
    check("ldexp(1.0hf, -24s)", 1u32);
    check("ldexp(1.5hf, -24)", 2u32);
    check("ldexp(f16vec2(1.0hf, -1.0hf), ivec2(16, -26))", [0x7c00u32, 0x8000]);
    check("packFloat2x16(f16vec2(1.0hf, -2.0hf))", 0xc000_3c00u32);
    check("unpackFloat2x16(0x0001fbffu)", [0xfbffu32, 1]);
    check("packInt2x16(i16vec2(-1s, 2s))", 0x2_ffffi32);
    check("unpackInt2x16(0x2ffff)", [-1i32, 2]);
    check("packUint4x16(u16vec4(1us, 2us, 3us, 65535us))", 0xffff_0003_0002_0001u64);
    check("unpackInt4x16(-1l)", [-1i32, -1, -1, -1]);
    check("float16BitsToInt16(-1.0hf)", -17408i32);
    check("packHalf2x16(vec2(5.960464477539063e-8, 65520.0))", 0x7c00_0001u32);
    check("unpackHalf2x16(0x83ff0001u)", [5.960_464_5e-8f32, -1023.0 / 16_777_216.0]);
}

#[test]
fn switches_loops_structures() {
    let body = "int16_t s = 0s; for (int16_t i = 0s; i < 5s; i++) switch (i) { case 1s: s += 10s; break; case 3: s += 100s; \
                default: s += 1s; } result = bits(s);";
    check_body("", body, 114i32);
    let globals = "struct S { float16_t a; i16vec2 b; f16mat2 c; };";
    let body = "S s[2]; s[0] = S(1.5hf, i16vec2(1s, 2s), f16mat2(3.0hf)); s[lane() / 4 + 1] = s[0]; s[1].b.y++; s[1].c[1] *= 2.0hf; \
                result = uvec4(uint(s[1].b.y), bits(s[1].c[1][1]).x, bits(s[0].c[1][1]).x, s[0] == s[1] ? 1u : 0u);";
    check_body(globals, body, [3, 0x4600, 0x4200, 0]);
    let sizes = "const int16_t n = 3s; float a[int(float16BitsToUint16(uint16BitsToFloat16(7us)))]; float b[n]; \
                 float c[int(2.5hf * 2.0hf) + int(packFloat2x16(f16vec2(0.0hf)))];";
    check_with(sizes, "ivec3(a.length(), b.length(), c.length())", [7i32, 3, 5]);
}

fn uniform(globals: &str, expression: &str) -> [u32; 4] {
    let mut world = World {
        uniform_blocks: vec![counting(128)],
        default_block: counting(128),
        ..World::default()
    };
    let pixel = quad_in(globals, &format!("result = bits({expression});"), &mut world)[0];
    assert_eq!(pixel.undefined, [false; 4], "{globals}\n{expression}");
    pixel.value
}

/// The layouts that the extensions give as examples: AMD_gpu_shader_half_float, issue 4.
#[test]
fn uniform_blocks() {
    let block = "struct S { float16_t x; f16vec2 y; f16vec3 z; }; layout(column_major, std140) uniform B { float16_t a; f16vec2 b; \
                 f16vec3 c; float16_t d[2]; f16mat2x3 e; f16mat2x3 f[2]; S g; S h[2]; };";
    for (expression, offsets) in [
        ("a", vec![0]),
        ("b", vec![4, 6]),
        ("c", vec![8, 10, 12]),
        ("f16vec2(d[0], d[1])", vec![16, 32]),
        ("e[1]", vec![64, 66, 68]),
        ("f[1][1]", vec![128, 130, 132]),
        ("f16vec3(g.x, g.y)", vec![144, 148, 150]),
        ("h[1].z", vec![184, 186, 188]),
        ("f16vec2(d[lane()], h[lane()].y.y)", vec![16, 166]),
    ] {
        let words: Vec<u32> = offsets.iter().map(|offset| offset / 2).collect();
        assert_eq!(uniform(block, expression)[..words.len()], words[..], "{expression}");
    }
    let rows = "layout(std140, row_major) uniform B { f16mat2x3 m; uint16_t after; };";
    assert_eq!(uniform(rows, "m[1]"), [1, 9, 17, 0]);
    assert_eq!(uniform(rows, "after"), [24, 0, 0, 0]);
    // The default block has the same layout.
    assert_eq!(
        uniform("uniform f16vec3 u; uniform i16vec2 v;", "u.z + float16_t(v.x) * 0.0hf")[0],
        2
    );
}

fn storage(globals: &str, body: &str) -> (Vec<u16>, [u32; 4]) {
    let mut world = World { storage_blocks: vec![counting(32)], ..World::default() };
    let pixel = quad_in(globals, body, &mut world)[0];
    let words =
        world.storage_blocks[0].chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect();
    (words, pixel.value)
}

/// AMD_gpu_shader_half_float, issue 4, and AMD_gpu_shader_int16, issue 2.
#[test]
fn storage_blocks() {
    let block = "struct S { uint16_t x; u16vec2 y; u16vec3 z; }; layout(row_major, std430) buffer B { uint16_t o; u16vec2 p; u16vec3 q; \
                 uint16_t r[2]; f16mat2x3 s; S u; int16_t rest[]; };";
    let read = |expression: &str| storage(block, &format!("result = bits({expression});")).1;
    assert_eq!(read("q"), [4, 5, 6, 0]);
    assert_eq!(read("u16vec2(r[0], r[1])"), [7, 8, 0, 0]);
    assert_eq!(read("s[1]"), [11, 13, 15, 0]);
    assert_eq!(read("u.z"), [20, 21, 22, 0]);
    assert_eq!(read("i16vec2(rest[0], rest.length())"), [24, 8, 0, 0]);
    let body = "if (lane() == 0) { p.y = 1000us; q.xz = u16vec2(2000us, 3000us); r[1] += 65535us; s[0].y = 1.0hf; rest[lane() + 1] = -1s; } \
                result = uvec4(0u);";
    let (after, _) = storage(block, body);
    let mut expected: Vec<u16> = (0..32).collect();
    for (at, value) in [(3, 1000), (4, 2000), (6, 3000), (8, 7), (12, 0x3c00), (25, 0xffff)] {
        expected[at] = value;
    }
    assert_eq!(after, expected);
}

#[test]
fn interpolants() {
    let input = "in float16_t v; in Block { f16vec2 a; f16vec3 b; } s;";
    let mut world = World::default();
    // The slots chosen by the linker are irrelevant: all interpolants are x + y / 16.
    for (slot, component) in (0..8).flat_map(|slot| (0..4).map(move |c| (slot, c))) {
        world.planes.insert((slot, component), [1.0, 0.0625, 0.0]);
    }
    let run = |body: &str| quad_in(input, body, &mut world.clone())[0].value;
    // At (10.5, 20.5): 11.78125; the half is exact.
    let [at_center, offset] = [0x49e4, 0x4a24];
    assert_eq!(run("result = uvec4(bits(v).x, bits(s.b).xyz);"), [at_center; 4]);
    assert_eq!(run("result = bits(interpolateAtCentroid(s.b));")[..3], [at_center; 3]);
    assert_eq!(
        run("result = bits(interpolateAtOffset(s.b.zx, f16vec2(0.5hf, 0.0hf)));")[..2],
        [offset; 2]
    );
    assert_eq!(run("result = bits(dFdx(v));")[0], 0x3c00);
    assert_eq!(run("result = bits(dFdyFine(s.a));")[..2], [0x2c00; 2]);
    // Integers come as they are: the harness gives slot, component and lane as decimal digits.
    let source = shader("flat in i16vec2 n;", "result = bits(n);");
    let integers = interpreted(&source, &mut World::default())[2].value;
    assert_eq!((integers[1] - integers[0], integers[0] % 100), (100, 2));
}

#[test]
fn what_the_front_end_refuses() {
    let program = |body: &str| {
        let source = shader("", body);
        let mut types = program::TypeTable::default();
        let options = glsl::CompileOptions::default();
        glsl::compile(&[&source], program::Stage::Fragment, options, &mut types).map(drop)
    };
    for body in [
        "float16_t h = 1.0;",
        "float16_t h = 1;",
        "int16_t s = 1;",
        "int16_t s = 1us;",
        "int i = 1us;",
        "f16vec2 v = vec2(1.0);",
        "float16_t h = 1.0hf + 1.0;",
        "float a[2]; a[1s] = 1.0;",
        "int16_t s = 65536s;",
        "int16_t s = 1s % 1.0hf;",
        "u16vec2 u = bitfieldReverse(u16vec2(1us));",
    ] {
        assert!(program(&format!("{body} result = uvec4(0u);")).is_err(), "{body}");
    }
    assert!(
        program("float16_t h = 1s; uint u = 1us; result = uvec4(u, bits(h).x, 0u, 0u);").is_ok()
    );
}
