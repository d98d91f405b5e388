//! Functions: parameter passing (GLSL 4.60 section 6.1).

use crate::interpreter::harness::{
    World, check_body, check_with, lanes, program, quad_in, select, shader, words,
};
use program::Stage;

#[test]
fn in_parameters_are_copies() {
    check_body(
        "int f(int x) { x += 10; return x; }",
        "int a = 1; int b = f(a); result = uvec4(a, b, 0, 0);",
        [1, 11],
    );
    check_body(
        "int f(int x[2]) { x[0] = 9; return x[0]; }",
        "int a[2] = int[2](1, 2); int b = f(a); result = uvec4(a[0], b, 0, 0);",
        [1, 9],
    );
}

#[test]
fn out_and_inout_parameters_are_copied_back() {
    check_body("void f(out int x) { x = 7; }", "int a = 1; f(a); result = bits(a);", 7);
    check_body("void f(inout int x) { x *= 7; }", "int a = 3; f(a); result = bits(a);", 21);
    check_body(
        "void f(inout vec2 x) { x = x.yx; }",
        "mat2 m = mat2(1.0, 2.0, 3.0, 4.0); f(m[1]); result = bits(m);",
        [1.0f32, 2.0, 4.0, 3.0],
    );
    check_body(
        "struct S { int a; int b; }; void f(inout S s) { s.b = s.a; }",
        "S s[2] = S[2](S(1, 2), S(3, 4)); f(s[1]); result = uvec4(s[0].b, s[1].b, 0, 0);",
        [2, 3],
    );
}

#[test]
fn swizzled_arguments() {
    check_body(
        "void f(out vec2 x) { x = vec2(1.0, 2.0); }",
        "vec4 v = vec4(0.0); f(v.wy); result = bits(v);",
        [0.0f32, 2.0, 0.0, 1.0],
    );
    check_body(
        "void f(inout vec3 x) { x += vec3(1.0, 2.0, 3.0); }",
        "vec4 v = vec4(10.0, 20.0, 30.0, 40.0); f(v.zyx); result = bits(v);",
        [13.0f32, 22.0, 31.0, 40.0],
    );
    check_body(
        "void f(inout float x) { x += 1.0; }",
        "vec4 v = vec4(0.0); int i = 2; f(v[i]); f(v.w); result = bits(v);",
        [0.0f32, 0.0, 1.0, 1.0],
    );
}

#[test]
fn aliased_arguments_do_not_see_each_other() {
    // Copy-in of both happens before the body, so the body sees two separate variables.
    let globals = "int seen; void f(inout int a, int b) { a = 5; seen = b; }";
    check_body(globals, "int x = 1; f(x, x); result = uvec4(x, seen, 0, 0);", [5, 1]);
    // A global changed inside the call is overwritten by the copy-back.
    let globals = "int g = 1; void f(inout int a) { a += 10; g = 100; }";
    check_body(globals, "f(g); result = bits(g);", 11);
    let globals = "int g = 1; int f(int a) { g = 50; return a; }";
    check_with(globals, "f(g)", 1);
}

#[test]
fn out_arguments_denote_their_place_at_the_call() {
    // The index is evaluated once, before the call.
    let globals = "int i = 0; void f(out int x) { i = 2; x = 9; }";
    check_body(
        globals,
        "int a[3] = int[3](1, 2, 3); f(a[i]); result = uvec4(a[0], a[2], i, 0);",
        [9, 3, 2],
    );
    let globals = "int n = 0; int next() { return n++; } void f(inout int x) { x += 10; }";
    check_body(
        globals,
        "int a[2] = int[2](1, 2); f(a[next()]); result = uvec4(a[0], a[1], n, 0);",
        [11, 2, 1],
    );
}

#[test]
fn out_parameters_convert() {
    check_body("void f(out int x) { x = 7; }", "float a; f(a); result = bits(a);", 7.0f32);
    check_body(
        "void f(out vec2 x) { x = vec2(0.5); }",
        "dvec2 a; f(a); result = bits(a);",
        [0.5f64, 0.5],
    );
}

#[test]
fn results() {
    check_with("int f(int x) { if (x > 0) return 1; else return -1; }", "f(5) * 10 + f(-5)", 9);
    check_with("struct S { int a[2]; }; S f() { return S(int[2](3, 4)); }", "f().a[1]", 4);
    check_with("mat2 f() { return mat2(1.0, 2.0, 3.0, 4.0); }", "f()[1][0]", 3.0f32);
    check_with("int[2] f() { return int[2](5, 6); }", "f()[1]", 6);
    assert_eq!(
        lanes("int[4] f() { return int[4](5, 6, 7, 8); }", "result = uvec4(f()[lane()]);"),
        [5, 6, 7, 8]
    );
}

#[test]
fn overloads_and_nested_calls() {
    let globals = "int f(int x) { return x + 1; } float f(float x) { return x + 0.5; } int g(int x) { return f(f(x)) * f(x); }";
    check_with(globals, "f(1.0)", 1.5f32);
    check_with(globals, "g(3)", 20);
}

#[test]
fn early_returns_leave_only_their_lanes() {
    let globals = "int f(int x) { int r = 100; if (x == 1) return 1; r += x; if (x == 2) { return r * 2; } r++; return r; }";
    assert_eq!(lanes(globals, "result = uvec4(f(lane()));"), [101, 1, 204, 104]);
}

#[test]
fn returns_inside_nested_loops() {
    let globals = "int f(int x) { int n = 0; for (int i = 0; i < 4; i++) { for (int j = 0; j < 4; j++) { n++; if (i * 4 + j == x * 5) return n * 10 + 1; } n += 100; } return n; }";
    // x = 0: first iteration; 5: i = 1, j = 1: six plus one row's 100; 10: i = 2, j = 2; 15: i = 3,
    // j = 3.
    assert_eq!(lanes(globals, "result = uvec4(f(lane()));"), [11, 1061, 2111, 3161]);
}

#[test]
fn a_return_from_a_switch_in_a_loop() {
    let globals = "int f(int x) { int n = 0; while (true) { switch (x) { case 0: return 50; case 1: n += 5; break; default: n += 1; if (n > 3) return n; continue; } if (n >= 10) break; } return -n; }";
    assert_eq!(lanes(globals, "result = uvec4(f(lane()));"), [50, -10i32 as u32, 4, 4]);
}

#[test]
fn return_in_main_ends_the_lane() {
    assert_eq!(
        lanes(
            "",
            "result = uvec4(1); if (lane() < 2) return; result = uvec4(2); if (lane() == 2) { return; } result.x += 5u;"
        ),
        [1, 1, 2, 7]
    );
}

#[test]
fn subroutine_uniforms_select_their_function() {
    let globals = "subroutine int op(int x, inout int y);
        layout(index = 5) subroutine(op) int add(int x, inout int y) { y++; return x + 10; }
        subroutine(op) int twice(int x, inout int y) { y += 100; return x * 2; }
        subroutine(op) int early(int x, inout int y) { if (x == 1) return -1; y = 7; return x; }
        subroutine uniform op f; subroutine uniform op list[3];";
    let body = "int y = 0; int a = f(lane(), y); int b = list[int(gl_FragCoord.x) / 10](a, y); result = uvec4(a, b, y, 0);";
    let linked = program(&[(Stage::Fragment, &shader(globals, body))]);
    let run = |function: &str| {
        let mut world = World { default_block: select(&linked, function), ..World::default() };
        quad_in(globals, body, &mut world)
            .iter()
            .map(|p| [p.value[0], p.value[1], p.value[2]])
            .collect::<Vec<_>>()
    };
    assert_eq!(run("add"), [[10, 20, 2], [11, 21, 2], [12, 22, 2], [13, 23, 2]]);
    assert_eq!(run("twice"), [[0, 0, 200], [2, 4, 200], [4, 8, 200], [6, 12, 200]]);
    let minus = -1i32 as u32;
    assert_eq!(run("early"), [[0, 0, 7], [minus, minus, 7], [2, 2, 7], [3, 3, 7]]);
    // Two uniforms of one program select differently.
    let mut block = select(&linked, "add");
    let list = linked.subroutine_uniforms.iter().find(|u| u.name == "list").expect("listed");
    assert_eq!((list.array, list.compatible.len()), (Some(3), 3));
    let twice = list.compatible.iter().find(|c| c.0 == "twice").expect("compatible").1;
    assert_eq!(list.compatible.iter().find(|c| c.0 == "add").map(|c| c.1), Some(5));
    let at = list.offset as usize + 4;
    block[at..at + 4].copy_from_slice(&twice.to_le_bytes());
    assert_eq!(words(&block[at..]).first(), Some(&twice));
    let mut world = World { default_block: block, ..World::default() };
    assert_eq!(quad_in(globals, body, &mut world)[3].value, [13, 26, 101, 0]);
}
