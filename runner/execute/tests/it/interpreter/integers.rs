//! Integer functions (GLSL 4.60 section 8.8 and INTEL_shader_integer_functions2).

use crate::interpreter::harness::{check, check_body};

#[test]
fn carries_and_borrows() {
    check_body(
        "",
        "uint c; uint s = uaddCarry(4294967295u, 2u, c); result = uvec4(s, c, 0, 0);",
        [1u32, 1],
    );
    check_body("", "uint c; uint s = uaddCarry(1u, 2u, c); result = uvec4(s, c, 0, 0);", [3u32, 0]);
    check_body(
        "",
        "uint b; uint d = usubBorrow(1u, 2u, b); result = uvec4(d, b, 0, 0);",
        [u32::MAX, 1],
    );
    check_body(
        "",
        "uvec2 b; uvec2 d = usubBorrow(uvec2(5u, 0u), uvec2(5u, 1u), b); result = uvec4(d, b);",
        [0u32, u32::MAX, 0, 1],
    );
}

#[test]
fn extended_products() {
    check_body(
        "",
        "uint h, l; umulExtended(4294967295u, 4294967295u, h, l); result = uvec4(h, l, 0, 0);",
        [0xffff_fffeu32, 1],
    );
    check_body("", "int h, l; imulExtended(-2, 3, h, l); result = uvec4(h, l, 0, 0);", [-1, -6]);
    check_body(
        "",
        "int h, l; imulExtended(-2147483648, -2147483648, h, l); result = uvec4(h, l, 0, 0);",
        [0x4000_0000, 0],
    );
    check_body(
        "",
        "ivec2 h, l; imulExtended(ivec2(65536, -65536), ivec2(65536), h, l); result = uvec4(h, l);",
        [1, -1, 0, 0],
    );
}

#[test]
fn bit_fields() {
    check("bitfieldExtract(0x12345678u, 8, 8)", 0x56u32);
    check("bitfieldExtract(0x12345678, 28, 4)", 1);
    check("bitfieldExtract(int(0xf2345678u), 28, 4)", -1);
    check("bitfieldExtract(0x80, 4, 4)", -8);
    check("bitfieldExtract(0x1234, 5, 0)", 0);
    check("bitfieldExtract(int(0x87654321u), 0, 32)", 0x8765_4321u32);
    check("bitfieldInsert(0xffffffffu, 0u, 8, 8)", 0xffff_00ffu32);
    check("bitfieldInsert(0, 0x7f, 4, 4)", 0xf0);
    check("bitfieldInsert(0x1234, 0xffff, 7, 0)", 0x1234);
    check("bitfieldInsert(0u, 0xdeadbeefu, 0, 32)", 0xdead_beefu32);
    check("bitfieldInsert(0u, 1u, 31, 1)", 0x8000_0000u32);
    check("bitfieldReverse(1u)", 0x8000_0000u32);
    check("bitfieldReverse(0x12345678)", 0x1e6a_2c48);
}

#[test]
fn counting_and_searching() {
    check("bitCount(ivec3(0, -1, 0x10101))", [0, 32, 3]);
    check("findLSB(ivec4(0, 1, 8, -2147483648))", [-1, 0, 3, 31]);
    check("findMSB(uvec4(0u, 1u, 255u, 4294967295u))", [-1, 0, 7, 31]);
    check("findMSB(ivec4(0, -1, 255, -256))", [-1, -1, 7, 7]);
    check("findMSB(ivec2(-2147483648, -2))", [30, 0]);
    check("countLeadingZeros(uvec3(0u, 1u, 4294967295u))", [32u32, 31, 0]);
    check("countTrailingZeros(uvec3(0u, 1u, 8u))", [32u32, 0, 3]);
}

#[test]
fn saturating_and_averaging() {
    check("absoluteDifference(-2147483647, 2147483647)", 4_294_967_294u32);
    check("absoluteDifference(3u, 5u)", 2u32);
    check("addSaturate(2147483647, 1)", i32::MAX);
    check("addSaturate(-2147483647, -10)", i32::MIN);
    check("addSaturate(4294967295u, 1u)", u32::MAX);
    check("subtractSaturate(3u, 5u)", 0u32);
    check("subtractSaturate(-2147483647, 10)", i32::MIN);
    check("average(3, 4)", 3);
    check("averageRounded(3, 4)", 4);
    check("average(-3, -4)", -4);
    check("averageRounded(-3, -4)", -3);
    check("average(4294967295u, 4294967293u)", 4_294_967_294u32);
    check("multiply32x16(65537, 3)", 196_611);
    check("multiply32x16(10u, 65535u)", 655_350u32);
}

#[test]
fn selection_of_integers() {
    check("abs(ivec3(-5, 5, -2147483648))", [5, 5, i32::MIN]);
    check("sign(ivec3(-5, 0, 7))", [-1, 0, 1]);
    check("min(ivec2(-1, 3), ivec2(1, 2))", [-1, 2]);
    check("max(uvec2(4294967295u, 3u), 5u)", [u32::MAX, 5]);
    check("clamp(ivec3(-5, 5, 50), 0, 10)", [0, 5, 10]);
    check("min3(3, 1, 2)", 1);
    check("max3(3u, 1u, 2u)", 3u32);
    check("mid3(3, 1, 2)", 2);
    check("mid3(ivec3(1, 5, 9), ivec3(2, 9, 1), ivec3(3, 1, 5))", [2, 5, 5]);
}
