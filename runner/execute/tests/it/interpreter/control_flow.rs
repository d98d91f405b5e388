//! Selection, iteration and jumps (GLSL 4.60 sections 6.2 to 6.4).

use crate::interpreter::harness::{
    World, check_body, interpret, lanes, pixels, program, quad, shader,
};
use interpreter::Error;
use program::Stage;

#[test]
fn if_and_else() {
    assert_eq!(
        lanes(
            "",
            "int x = 0; if (lane() == 0) x = 1; else if (lane() == 1) x = 2; else x = 3; result = uvec4(x);"
        ),
        [1, 2, 3, 3]
    );
    assert_eq!(
        lanes(
            "",
            "int x = 5; if (lane() > 1) { x++; if (lane() > 2) x *= 10; } result = uvec4(x);"
        ),
        [5, 5, 6, 60]
    );
}

#[test]
fn for_loops() {
    check_body("", "int s = 0; for (int i = 1; i <= 10; i++) s += i; result = bits(s);", 55);
    check_body(
        "",
        "int s = 0; int i = 0; for (;;) { if (i == 4) break; s += i++; } result = bits(s);",
        6,
    );
    check_body("", "int s = 0; for (int i = 0, j = 10; i < j; i++, j--) s++; result = bits(s);", 5);
    assert_eq!(
        lanes("", "int s = 0; for (int i = 0; i < lane(); i++) s += 10; result = uvec4(s);"),
        [0, 10, 20, 30]
    );
    // The variable's scope is the loop.
    check_body("", "int i = 7; for (int i = 0; i < 3; i++) { } result = bits(i);", 7);
}

#[test]
fn while_loops() {
    check_body("", "int i = 100; int n = 0; while (i > 1) { i /= 2; n++; } result = bits(n);", 6);
    check_body(
        "",
        "int i = 3; int n = 0; while (bool go = i > 0) { i--; if (go) n += 2; } result = bits(n);",
        6,
    );
    check_body("", "int n = 0; while (false) n++; result = bits(n);", 0);
}

#[test]
fn do_while_runs_once_at_least() {
    check_body("", "int n = 0; do n++; while (false); result = bits(n);", 1);
    check_body("", "int n = 0; do { n++; } while (n < 5); result = bits(n);", 5);
}

#[test]
fn continue_in_do_while_reaches_the_test() {
    check_body(
        "",
        "int n = 0, m = 0; do { n++; if (n < 3) continue; m += 10; } while (n < 4); result = uvec4(n, m, 0, 0);",
        [4, 20],
    );
    check_body(
        "",
        "int n = 0; do { n++; if (n == 1) continue; n += 100; } while (n < 1); result = bits(n);",
        1,
    );
}

#[test]
fn continue_in_for_reaches_the_step() {
    check_body(
        "",
        "int s = 0; for (int i = 0; i < 6; i++) { if ((i & 1) == 1) continue; s += i; } result = bits(s);",
        6,
    );
    assert_eq!(
        lanes(
            "",
            "int s = 0; for (int i = 0; i < 4; i++) { if (i == lane()) continue; s += 1 << i; } result = uvec4(s);"
        ),
        [14, 13, 11, 7]
    );
}

#[test]
fn breaks_are_per_lane() {
    assert_eq!(
        lanes(
            "",
            "int s = 0; for (int i = 0; i < 10; i++) { if (i == lane() * 2) break; s++; } result = uvec4(s);"
        ),
        [0, 2, 4, 6]
    );
    let nested = "int s = 0; for (int i = 0; i < 3; i++) { for (int j = 0; j < 5; j++) { if (j > i + lane()) break; s++; } } result = uvec4(s);";
    assert_eq!(lanes("", nested), [1 + 2 + 3, 2 + 3 + 4, 3 + 4 + 5, 4 + 5 + 5]);
}

#[test]
fn variables_declared_in_a_loop_are_fresh() {
    check_body(
        "",
        "int s = 0; for (int i = 0; i < 3; i++) { int x = 1; x += i; s += x; } result = bits(s);",
        6,
    );
}

#[test]
fn switch_selects() {
    let body = "int x = 0; switch (lane()) { case 0: x = 10; break; case 1: x = 11; break; default: x = 12; } result = uvec4(x);";
    assert_eq!(lanes("", body), [10, 11, 12, 12]);
    let body = "int x = 5; switch (lane()) { case 2: x = 10; } result = uvec4(x);";
    assert_eq!(lanes("", body), [5, 5, 10, 5]);
    let body = "uint x = 5u; switch (uint(lane())) { case 1u: case 3u: x = 10u; break; } result = uvec4(x);";
    assert_eq!(lanes("", body), [5, 10, 5, 10]);
    check_body("", "int x = 1; switch (-3) { case -3: x = 2; } result = bits(x);", 2);
}

#[test]
fn switch_falls_through() {
    let body = "int x = 0; switch (lane()) { case 0: x += 1; case 1: x += 10; break; case 2: x += 100; default: x += 1000; } result = uvec4(x);";
    assert_eq!(lanes("", body), [11, 10, 1100, 1000]);
    // A default in the middle is taken only when nothing else matches, and falls through too.
    let body = "int x = 0; switch (lane()) { case 0: x += 1; default: x += 10; case 1: x += 100; } result = uvec4(x);";
    assert_eq!(lanes("", body), [111, 100, 110, 110]);
    let body = "int x = 0; switch (lane()) { case 0: x += 1; break; default: x += 10; break; case 1: x += 100; break; } result = uvec4(x);";
    assert_eq!(lanes("", body), [1, 100, 10, 10]);
}

#[test]
fn breaks_inside_ifs_of_a_switch() {
    let body = "int x = 0; switch (lane() & 1) { case 0: if (lane() == 2) break; x += 1; case 1: x += 10; if (lane() == 3) { break; } x += 100; } result = uvec4(x);";
    assert_eq!(lanes("", body), [111, 110, 0, 10]);
}

#[test]
fn switch_in_switch() {
    let body = "int x = 0; switch (lane() & 1) { case 0: switch (lane()) { case 0: x = 1; break; default: x = 2; } x += 10; break; case 1: x = 3; } result = uvec4(x);";
    assert_eq!(lanes("", body), [11, 3, 12, 3]);
}

#[test]
fn continue_inside_a_switch_inside_a_loop() {
    let body = "int s = 0; for (int i = 0; i < 4; i++) { switch (i) { case 1: continue; case 2: s += 100; break; default: s += 1; } s += 10; } result = uvec4(s);";
    check_body("", body, 1 + 10 + 100 + 10 + 1 + 10);
    let body = "int s = 0; for (int i = 0; i < 4; i++) { switch (i == lane() ? 1 : 0) { case 1: continue; } s += 1 << i; } result = uvec4(s);";
    assert_eq!(lanes("", body), [14, 13, 11, 7]);
    let body = "int s = 0; int i = 0; do { i++; switch (i) { case 1: switch (i) { case 1: continue; } s += 1000; } s += i; } while (i < 3); result = uvec4(s);";
    check_body("", body, 5);
}

#[test]
fn a_break_in_a_switch_stays_in_the_loop() {
    let body = "int s = 0; for (int i = 0; i < 3; i++) { switch (i) { case 0: break; default: s += 10; } s++; } result = uvec4(s);";
    check_body("", body, 23);
}

#[test]
fn discard_ends_the_lane() {
    let pixels = quad("", "result = uvec4(1); if (lane() == 1) discard; result = uvec4(2);");
    let killed: Vec<bool> = pixels.iter().map(|p| p.killed).collect();
    assert_eq!(killed, [false, true, false, false]);
    assert_eq!(pixels[0].value[0], 2);
}

#[test]
fn discard_in_loops_and_functions() {
    let body = "int n = 0; for (int i = 0; i < 5; i++) { if (i == lane() + 2) discard; n++; } result = uvec4(n);";
    let killed: Vec<bool> = quad("", body).iter().map(|p| p.killed).collect();
    assert_eq!(killed, [true, true, true, false]);
    let body = "int n = 0; while (true) { n++; if (lane() == 0) discard; if (n == 3) break; } result = uvec4(n);";
    let pixels = quad("", body);
    assert!(pixels[0].killed && !pixels[1].killed);
    assert_eq!(pixels[1].value[0], 3);
    let globals = "int f(int x) { if (x == 3) discard; return x * 2; }";
    let pixels = quad(globals, "result = uvec4(f(lane()) + (lane() == 2 ? f(3) : 0));");
    let killed: Vec<bool> = pixels.iter().map(|p| p.killed).collect();
    assert_eq!(killed, [false, false, true, true]);
    assert_eq!(pixels[1].value[0], 2);
}

#[test]
fn discarded_lanes_write_nothing_any_more() {
    let mut world = World { storage_blocks: vec![vec![0; 16]], ..World::default() };
    let globals = "layout(std430, binding = 0) buffer B { uint b[4]; };";
    let body = "b[lane()] = 1u; if (lane() < 2) discard; b[lane()] = 2u; result = uvec4(0);";
    crate::interpreter::harness::quad_in(globals, body, &mut world);
    assert_eq!(crate::interpreter::harness::words(&world.storage_blocks[0]), [1, 1, 2, 2]);
}

#[test]
fn demoted_lanes_go_on_as_helpers() {
    let body = "if (lane() == 1) demote; result = uvec4(dFdx(float(lane())), helperInvocationEXT(), 0, 0);";
    let pixels = quad("", body);
    assert!(pixels[1].killed && !pixels[0].killed);
    assert_eq!(pixels[0].value[..2], [1, 0]);
}

#[test]
fn endless_loops_hit_the_step_limit() {
    let source = shader("", "int n = 0; while (true) { n++; } result = uvec4(n);");
    let program = program(&[(Stage::Fragment, &source)]);
    let error =
        interpret(&program, Stage::Fragment, 4, &mut World::default()).expect_err("never ends");
    assert_eq!(error, Error::StepLimit(100_000));
    let source = shader("", "for (;;) ; result = uvec4(0);");
    let program = crate::interpreter::harness::program(&[(Stage::Fragment, &source)]);
    let error =
        interpret(&program, Stage::Fragment, 4, &mut World::default()).expect_err("never ends");
    assert_eq!(error, Error::StepLimit(100_000));
}

/// The result of `calls` functions each of which calls the one before it and adds one.
fn call_chain(calls: usize) -> Result<u32, Error> {
    let mut globals = String::from("int f0(int x) { return x; }\n");
    for i in 1..=calls {
        globals += &format!("int f{i}(int x) {{ return f{}(x) + 1; }}\n", i - 1);
    }
    let source = shader(&globals, &format!("result = bits(f{calls}(0));"));
    let run = move || {
        let program = program(&[(Stage::Fragment, &source)]);
        interpret(&program, Stage::Fragment, 4, &mut World::default())
            .map(|outputs| pixels(&outputs)[0].value[0])
    };
    // As much stack as the runner's workers have.
    let thread =
        std::thread::Builder::new().stack_size(64 << 20).spawn(run).expect("a thread starts");
    thread.join().expect("no overflow")
}

#[test]
fn calls_nest_as_deep_as_memory_is_sure_to_last() {
    assert_eq!(call_chain(1000), Ok(1000));
    assert!(matches!(call_chain(10_000), Err(Error::Nesting(_))));
}

/// No operator on the left side of another takes recursion.
#[test]
fn long_chains_of_operators() {
    let n = 20_000;
    let sum = vec!["n"; n].join(" + ");
    let all = vec!["n > 0"; n].join(" && ");
    let commas = vec!["m++"; n].join(", ");
    let pixels =
        quad("int n = 1;", &format!("int m = 0; {commas}; result = uvec4({sum}, {all}, m, 0);"));
    assert_eq!(pixels[0].value, [n as u32, 1, n as u32, 0]);
}

#[test]
fn a_discarded_lane_leaves_an_endless_loop() {
    let body = "int n = 0; while (true) { n++; if (lane() == 1) discard; if (lane() != 1 && n == 3) break; } result = uvec4(n);";
    let pixels = quad("", body);
    assert!(pixels[1].killed && !pixels[0].killed);
    assert_eq!(pixels[2].value[0], 3);
    // In the lowered code a jump leaves the loop, independent of the discarded lane's later tests.
    let source = shader("", body);
    let program = program(&[(Stage::Fragment, &source)]);
    let ir = lower::lower(&program, Stage::Fragment, &Default::default(), None).expect("lowers");
    assert!(ir.to_string().contains("halt"), "{ir}");
    let source = shader("", "if (lane() == 1) discard; result = uvec4(1);");
    let program = crate::interpreter::harness::program(&[(Stage::Fragment, &source)]);
    let ir = lower::lower(&program, Stage::Fragment, &Default::default(), None).expect("lowers");
    assert!(!ir.to_string().contains("halt"), "{ir}");
}
