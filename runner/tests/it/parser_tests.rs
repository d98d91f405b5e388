//! Parser tests and assembly tests: files that a front end must accept or refuse.

use crate::support::{GREEN, Sandbox};

fn block(lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!(" * {line}\n")).collect();
    format!("/* [config]\n{lines} * [end config]\n *\n * No assignment to inputs (4.3.4).\n */\n")
}

fn shader(result: &str, version: &str, rest: &str) -> String {
    block(&[&format!("expect_result: {result}"), &format!("glsl_version: {version}")]) + rest
}

const LEGAL: &str = "#version 130\nin float x;\nvoid main() { gl_FragColor = vec4(x); }\n";
const ILLEGAL: &str = "#version 130\nin float x;\nvoid main() { x = 1.0; }\n";

#[test]
fn verdicts_name_phase_and_rule() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("suite/accepted.frag", shader("pass", "1.30", LEGAL)),
        ("suite/missed.frag", shader("fail", "1.30", LEGAL)),
        ("suite/refused.frag", shader("fail", "1.30", ILLEGAL)),
        ("suite/wrong.frag", shader("pass", "1.30", ILLEGAL)),
        ("suite/script.shader_test", GREEN.to_owned()),
        ("suite/bare.frag", LEGAL.to_owned()),
    ] {
        sandbox.file(name, text);
    }
    let ran = sandbox.run(&["suite", "--gen", "ivb,skl", "--out", "out"]);
    ran.expect(1, &["pass: 6, fail: 4", "suite/wrong.frag:10:15"]);
    let results = sandbox.results("out");
    let of = |test: &str| {
        let found = results[1..].iter().find(|result| result["test"] == test).expect("a result");
        let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        assert_eq!(found["stages"].as_array().map(Vec::len), Some(0), "nothing is generated");
        [text("status"), text("layer"), text("reason")]
    };
    assert_eq!(of("suite/accepted.frag"), ["pass", "frontend", "compiles, as expected"]);
    assert_eq!(
        of("suite/missed.frag"),
        [
            "fail",
            "frontend",
            "compiles, but must not; the test says: No assignment to inputs (4.3.4)."
        ]
    );
    let [status, phase, reason] = of("suite/refused.frag");
    assert_eq!([status, phase], ["pass", "frontend"]);
    assert!(reason.starts_with("does not compile, as expected: line 10, column 15: "), "{reason}");
    let [status, phase, reason] = of("suite/wrong.frag");
    assert_eq!([status, phase], ["fail", "frontend"]);
    assert!(reason.starts_with("does not compile: line 10, column 15: "), "{reason}");
}

#[test]
fn names_have_extensions() {
    let sandbox = Sandbox::new();
    for name in ["a.vert", "a.frag", "a.comp"] {
        sandbox.file(&format!("p/tests/Spec/{name}"), shader("pass", "1.30", LEGAL));
    }
    sandbox.file("p/generated_tests/notes.txt", "notes");
    sandbox.file("p/generated_tests/b.txt", "!!ARBvp1.0\nEND\n");
    sandbox.run(&["list", "p"]).expect(
        0,
        &["generated_tests/b.txt\ntests/Spec/a.comp\ntests/Spec/a.frag\ntests/Spec/a.vert\n"],
    );
    sandbox.run(&["list", "p", "--piglit-names"]).expect(0, &["b.txt\nspec@a.comp\n"]);
    sandbox.run(&["list", "p/tests/Spec/a.vert"]).expect(0, &["tests/Spec/a.vert\n"]);
}

#[test]
fn links_if_the_block_says_so() {
    let sandbox = Sandbox::new();
    let text = "#version 130\nfloat f();\nvoid main() { gl_FragColor = vec4(f()); }\n";
    let with = |result: &str, link: &str| {
        let lines = [&format!("expect_result: {result}"), "glsl_version: 1.30", link];
        block(&lines) + text
    };
    sandbox.file("suite/compiled.frag", with("pass", "check_link: false"));
    sandbox.file("suite/linked.frag", with("fail", "check_link: true"));
    let ran = sandbox.run(&["suite", "--gen", "skl", "--out", "out"]);
    ran.expect(0, &["pass: 2"]);
    let results = sandbox.results("out");
    assert_eq!([&results[1]["layer"], &results[2]["layer"]], ["frontend", "link"]);
}

#[test]
fn requirements_are_skips_and_malformed_blocks_failures() {
    let sandbox = Sandbox::new();
    let with = |line: &str| block(&["expect_result: pass", "glsl_version: 1.30", line]) + LEGAL;
    for (name, text) in [
        ("suite/a.frag", with("require_extensions: GL_NO_such")),
        ("suite/b.frag", with("require_extensions: !GL_ARB_draw_buffers")),
        ("suite/c.frag", shader("pass", "4.60", "#version 460\nvoid main() {}\n")),
        ("suite/d.frag", with("color: red")),
    ] {
        sandbox.file(name, text);
    }
    let ran = sandbox.run(&["suite", "--gen", "ivb", "--out", "out"]);
    ran.expect(
        1,
        &[
            "skip: 3, fail: 1",
            "script: line 4, column 4: unknown key of a [config] block: `color`",
            "suite/d.frag:4:4",
        ],
    );
    let results = sandbox.results("out");
    let reasons = [1, 2, 3].map(|index| results[index]["reason"].as_str().unwrap_or_default());
    let expected = ["line 4: needs GL_NO_such", "line 4: must not have GL_ARB_draw_buffers"];
    assert_eq!(reasons[..2], expected);
    assert_eq!(reasons[2], "needs GL 4.6");
}

#[test]
fn shaders_of_embedded_contexts() {
    let sandbox = Sandbox::new();
    let text = "precision mediump float;\nvoid main() { gl_FragColor = vec4(1); }\n";
    sandbox.file("suite/old.frag", shader("fail", "1.00", text));
    let text = "precision mediump float;\nvoid main() { gl_FragColor = vec4(1.0); }\n";
    sandbox.file("suite/new.frag", shader("pass", "1.0 es", text));
    sandbox
        .file("suite/three.vert", shader("pass", "3.00 es", "#version 300 es\nvoid main() {}\n"));
    sandbox.run(&["suite", "--gen", "hsw", "--out", "out"]).expect(1, &["pass: 2, fail: 1"]);
}

#[test]
fn assembly_programs() {
    let sandbox = Sandbox::new();
    let legal = "MOV result.position, vertex.position;\nEND\n";
    for (name, text) in [
        ("suite/legal.txt", format!("!!ARBvp1.0\n{legal}")),
        ("suite/illegal.txt", "!!ARBvp1.0\n# FAIL - no such\nFOO a;\nEND\n".to_owned()),
        ("suite/missed.txt", format!("!!ARBvp1.0\n# FAIL - two moves\n{legal}")),
        ("suite/nv.txt", format!("!!ARBvp1.0\n# REQUIRE GL_NV_vertex_program3\n{legal}")),
        ("suite/ARBfp1.0/vertex.txt", format!("!!ARBvp1.0\n# FAIL\n{legal}")),
        ("suite/notes.txt", "notes".to_owned()),
    ] {
        sandbox.file(name, text);
    }
    let ran = sandbox.run(&["suite", "--gen", "skl", "--out", "out"]);
    ran.expect(
        1,
        &["skip: 1, pass: 3, fail: 1", "compiles, but must not; the test says: two moves"],
    );
}

/// With `--compile-only` the files are shaders like any other.
#[test]
fn compile_only_generates_code() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.frag", shader("pass", "1.30", LEGAL));
    let ran = sandbox.run(&["suite", "--gen", "skl", "--compile-only", "--out", "out"]);
    ran.expect(0, &["pass: 1"]);
    let results = sandbox.results("out");
    assert_eq!(results[1]["test"], "suite/a");
    assert_eq!(results[1]["stages"].as_array().map(Vec::len), Some(2));
}
