//! Swizzles, indexing, structures and arrays (GLSL 4.60 sections 4.1, 5.5 to 5.7).

use crate::interpreter::harness::{check, check_body, check_with, lanes};

#[test]
fn swizzles() {
    check("vec4(1.0, 2.0, 3.0, 4.0).wzyx", [4.0f32, 3.0, 2.0, 1.0]);
    check("vec4(1.0, 2.0, 3.0, 4.0).xxy", [1.0f32, 1.0, 2.0]);
    check("vec4(1.0, 2.0, 3.0, 4.0).stpq.rgba.wz.y", 3.0f32);
    check("ivec2(1, 2).yxyx", [2, 1, 2, 1]);
    check_body(
        "",
        "vec4 v = vec4(0.0); v.zy = vec2(1.0, 2.0); result = bits(v);",
        [0.0f32, 2.0, 1.0, 0.0],
    );
    check_body(
        "",
        "vec4 v = vec4(0.0); v.wzyx.yz = vec2(1.0, 2.0); result = bits(v);",
        [0.0f32, 2.0, 1.0, 0.0],
    );
    check_body(
        "",
        "vec3 v = vec3(1.0, 2.0, 3.0); v = v.zxy; result = bits(v);",
        [3.0f32, 1.0, 2.0],
    );
    check_body(
        "",
        "dvec3 v = dvec3(0.0LF); v.zx = dvec2(1.0LF, 2.0LF); result = bits(v.xz);",
        [2.0f64, 1.0],
    );
}

#[test]
fn components_by_index() {
    check("vec3(1.0, 2.0, 3.0)[2]", 3.0f32);
    check_body(
        "",
        "vec3 v = vec3(1.0); int i = 1; v[i] = 5.0; result = bits(v);",
        [1.0f32, 5.0, 1.0],
    );
    assert_eq!(
        lanes("", "ivec4 v = ivec4(10, 20, 30, 40); result = bits(v[lane()]);"),
        [10, 20, 30, 40]
    );
    assert_eq!(
        lanes(
            "",
            "ivec4 v = ivec4(0); v[lane()] = 7; result = uvec4(v.x + v.y * 2 + v.z * 4 + v.w * 8);"
        ),
        [7, 14, 28, 56]
    );
    assert_eq!(
        lanes(
            "",
            "ivec4 v = ivec4(0); v.wzyx[lane()] = 7; result = uvec4(v.x + v.y * 2 + v.z * 4 + v.w * 8);"
        ),
        [56, 28, 14, 7]
    );
}

#[test]
fn matrix_columns() {
    check_body(
        "",
        "mat2x3 m = mat2x3(0.0); m[1] = vec3(1.0, 2.0, 3.0); result = bits(m[1]);",
        [1.0f32, 2.0, 3.0],
    );
    check_body(
        "",
        "mat3x2 m = mat3x2(0.0); m[2][1] = 5.0; result = bits(vec4(m[1], m[2]));",
        [0.0f32, 0.0, 0.0, 5.0],
    );
    check_body(
        "",
        "mat2 m = mat2(1.0); m[1].yx = vec2(8.0, 9.0); result = bits(m);",
        [1.0f32, 0.0, 9.0, 8.0],
    );
    assert_eq!(lanes("", "mat4 m = mat4(2.0); result = uvec4(m[lane()][2] + 1.0);"), [1, 1, 3, 1]);
    assert_eq!(
        lanes("", "mat4 m = mat4(0.0); m[lane()][lane()] = 4.0; result = uvec4(m[1][1] + 1.0);"),
        [1, 5, 1, 1]
    );
}

#[test]
fn arrays() {
    check("int[](1, 2, 3).length()", 3);
    check("int[3](4, 5, 6)[1]", 5);
    check_body(
        "",
        "int a[4] = int[4](1, 2, 3, 4); int b[4] = a; b[0] = 9; result = uvec4(a[0], b[0], b[3], 0);",
        [1, 9, 4],
    );
    assert_eq!(
        lanes("", "int a[4] = int[4](5, 6, 7, 8); result = uvec4(a[3 - lane()]);"),
        [8, 7, 6, 5]
    );
    assert_eq!(
        lanes(
            "",
            "int a[4] = int[4](0, 0, 0, 0); a[lane()] = 3; result = uvec4(a[0] + 2 * a[1] + 4 * a[3]);"
        ),
        [3, 6, 0, 12]
    );
}

#[test]
fn arrays_of_arrays() {
    let globals = "int t[2][3] = int[2][3](int[3](1, 2, 3), int[3](4, 5, 6));";
    check_with(globals, "t[1][0]", 4);
    check_with(globals, "t[0][2]", 3);
    check_with(globals, "ivec2(t.length(), t[0].length())", [2, 3]);
    assert_eq!(lanes(globals, "result = uvec4(t[lane() >> 1][lane() & 1]);"), [1, 2, 4, 5]);
    assert_eq!(
        lanes(
            globals,
            "t[lane() & 1][lane() >> 1] = 0; result = uvec4(t[0][0] * 1000 + t[0][1] * 100 + t[1][0] * 10 + t[1][1]);"
        ),
        [245, 1205, 1045, 1240]
    );
    check_body(
        globals,
        "int row[3] = t[1]; t[1] = t[0]; result = uvec4(row[2], t[1][2], 0, 0);",
        [6, 3],
    );
}

#[test]
fn structures() {
    let globals = "struct In { vec2 v; int n[2]; }; struct Out { In a; mat2 m; In list[2]; };
        Out make() { In i = In(vec2(1.0, 2.0), int[2](3, 4)); return Out(i, mat2(5.0), In[2](i, In(vec2(6.0), int[2](7, 8)))); }";
    check_with(globals, "make().a.v", [1.0f32, 2.0]);
    check_with(globals, "make().list[1].n[1]", 8);
    check_body(
        globals,
        "Out o = make(); o.list[0].n[1] = 40; o.a = o.list[1]; result = uvec4(o.a.n[0], o.list[0].n[1], o.m[1][1], 0);",
        [7, 40, 5],
    );
    check_body(
        globals,
        "Out o = make(); Out p = o; p.m[0].y = 9.0; result = bits(vec2(o.m[0].y, p.m[0].y));",
        [0.0f32, 9.0],
    );
    assert_eq!(
        lanes(
            globals,
            "Out o = make(); o.list[lane() & 1].v[lane() >> 1] = 50.0; result = uvec4(o.list[0].v + o.list[1].v, 0, 0);"
        ),
        [56, 51, 7, 7]
    );
}

#[test]
fn constants_and_initialized_globals() {
    let globals = "const int n = 3; const float table[n] = float[n](0.5, 1.5, 2.5); int counter = n * 2; const struct S { int a; } s = S(n + 1);";
    check_with(globals, "table[2]", 2.5f32);
    check_with(globals, "counter", 6);
    check_with(globals, "s.a", 4);
    assert_eq!(lanes(globals, "result = uvec4(table[lane() % 3] * 2.0);"), [1, 3, 5, 1]);
}
