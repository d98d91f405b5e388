//! `--spirv`: GLSL sections run as the SPIR-V that Khronos's compiler makes of them.

use std::process::Command;

use crate::support::Sandbox;

/// Uniforms, arrays, varyings and blocks that the stages declare in different orders, by name.
const TEST: &str = "\
[require]\nGLSL >= 1.50\n\
[vertex shader]\n#version 150\n\
in vec4 piglit_vertex;\nuniform vec4 u;\nuniform float k[3];\nout vec4 b;\nout vec4 a;\n\
out Block { vec4 x; float y[2]; } block;\n\
void main() {\n  gl_Position = piglit_vertex;\n  a = u;\n  b = u * k[1];\n\
  block.x = a;\n  block.y[0] = 1;\n  block.y[1] = 2;\n}\n\
[fragment shader]\n#version 150\n\
in vec4 a;\nuniform vec4 v;\nuniform vec4 u;\nin Block { vec4 x; float y[2]; } block;\nin vec4 b;\n\
out vec4 color;\n\
void main() { color = vec4(a.x + v.y, b.y, block.x.z, block.y[1] / 2); }\n\
[test]\nuniform vec4 u 0.25 0.5 0.75 1\nuniform vec4 v 0.25 0.5 0 0\nuniform float k[1] 0.5\n\
draw rect -1 -1 2 2\nprobe all rgba 0.75 0.25 0.75 1\n";

/// Words that core GLSL has no counterpart for.
const OLD: &str = "[require]\nGLSL >= 1.10\n\
[fragment shader]\nvoid main() { gl_FragColor = gl_Color; }\n\
[test]\ndraw rect -1 -1 2 2\n";

fn has_program(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok()
}

#[test]
fn glsl_runs_as_spirv() {
    let sandbox = Sandbox::new();
    sandbox.file("tests/new.shader_test", TEST);
    let ran = sandbox.run(&["tests", "--gen", "hsw,skl,si", "--spirv", "--out", "run"]);
    match has_program("glslangValidator") {
        true => ran.expect(0, &["[3/3] pass: 3"]),
        false => ran.expect(0, &["[3/3] skip: 3"]),
    };
    sandbox.file("tests/wrong.shader_test", TEST.replace("rgba 0.75", "rgba 0.5"));
    let ran = sandbox.run(&["tests/wrong.shader_test", "--gen", "skl", "--spirv"]);
    if has_program("glslangValidator") {
        ran.expect(1, &["--gen skl --spirv\n", "[1/1] fail: 1"]);
    }
}

/// A driver finds what the script names: blocks by bindings, uniforms and attributes by locations.
/// A name that means none has no effect.
/// Machines without a driver that takes SPIR-V skip the test.
#[test]
fn glsl_runs_as_spirv_on_drivers() {
    const BLOCKS: &str = "[require]\nGLSL >= 3.30\nignore_missing_uniforms\n\
        [vertex shader]\n#version 330\nin vec4 other;\nin vec4 piglit_vertex;\nout vec4 b;\n\
        out vec4 a;\nuniform float k[3];\n\
        void main() { gl_Position = piglit_vertex; a = vec4(k[0], k[2], other.x, 1); b = -a; }\n\
        [fragment shader]\n#version 330\nin vec4 a;\nin vec4 b;\nout vec4 color;\n\
        uniform First { vec4 x; };\nuniform Second { mat2 m; float y[2]; } second;\n\
        uniform struct { float f; float g[2]; } s;\n\
        void main() { color = vec4(a.x + x.x, a.y + second.m[1].y, second.y[1], s.g[1] - b.z); }\n\
        [vertex data]\nother/float/vec4 piglit_vertex/float/vec2\n\
        0.5 0 0 0 -1 -1\n0.5 0 0 0 1 -1\n0.5 0 0 0 -1 1\n0.5 0 0 0 1 1\n\
        [test]\nuniform float k[0] 0.25\nuniform float k[2] 0.125\nuniform vec4 x 0.25 0 0 0\n\
        uniform mat2 Second.m 0 0 0 0.125\nuniform float Second.y[1] 0.75\n\
        uniform float missing 9\nuniform float s.g[1] 0.5\n\
        draw arrays GL_TRIANGLE_STRIP 0 4\nprobe all rgba 0.5 0.25 0.75 1\n";
    let sandbox = Sandbox::new();
    sandbox.file("tests/names.shader_test", TEST);
    sandbox.file("tests/blocks.shader_test", BLOCKS);
    let ran = sandbox.run(&["tests", "--gen", "gl", "--out", "glsl"]);
    let offers = (ran.out + &ran.err).contains("[2/2] pass: 2");
    let ran = sandbox.run(&["tests", "--gen", "gl", "--spirv", "--out", "spirv"]);
    let reasons = sandbox
        .results("spirv")
        .iter()
        .skip(1)
        .map(|r| r["reason"].to_string())
        .collect::<String>();
    if !offers || reasons.contains("needs") || reasons.contains("not installed") {
        return;
    }
    ran.expect(0, &["[2/2] pass: 2"]);
    sandbox.file("tests/blocks.shader_test", BLOCKS.replace("rgba 0.5", "rgba 0.75"));
    let ran = sandbox.run(&["tests/blocks.shader_test", "--gen", "gl", "--spirv"]);
    ran.expect(1, &["[1/1] fail: 1"]);
}

/// Generations without the extension skip the test, and so do all of them what has no translation.
#[test]
fn tests_without_translation_are_skipped() {
    let sandbox = Sandbox::new();
    sandbox.file("tests/new.shader_test", TEST);
    let ran = sandbox.run(&["tests", "--gen", "ivb", "--spirv", "--out", "ivb"]);
    ran.expect(0, &["[1/1] skip: 1"]);
    sandbox.file("old/old.shader_test", OLD);
    sandbox.run(&["old", "--gen", "skl", "--spirv", "--out", "old-run"]).expect(0, &["skip: 1"]);
    let reason = sandbox.results("old-run")[1]["reason"].clone();
    assert_eq!(reason, "`gl_Color` has no translation to SPIR-V for OpenGL");
    // A word that newer versions reserve, and an error in each version.
    for (text, expected) in [("int sample = 1;", "skip: 1"), ("int x = y;", "fail: 1")] {
        let code = i32::from(expected.starts_with("fail"));
        sandbox.file("old/old.shader_test", OLD.replace("gl_FragColor = gl_Color;", text));
        let ran = sandbox.run(&["old", "--gen", "skl", "--spirv", "--out", "old-words"]);
        ran.expect(code, &[expected]);
    }
}

/// The values of random programs are those that the interpreter computes from the GLSL.
#[test]
fn random_programs_have_the_values_of_their_glsl() {
    if !has_program("glslangValidator") {
        return;
    }
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["fuzz", "--seed", "3", "--count", "5", "--gen", "skl", "--spirv"]);
    ran.expect(0, &["[5/5] "]);
}

/// The text does the same without the compiler of GLSL: names of uniforms are locations.
/// Machines without the compiler or the disassembler skip the test.
#[test]
fn translated_tests_are_shown() {
    let sandbox = Sandbox::new();
    sandbox.file("tests/new.shader_test", TEST);
    let show = |more: &[&str]| {
        let words = ["show", "tests/new.shader_test", "spirv", "--gen", "skl"];
        sandbox.run(&[&words, more].concat())
    };
    show(&[]).expect(2, &["GLSL becomes SPIR-V with --spirv"]);
    let shown = show(&["--spirv"]);
    if !has_program("glslangValidator") || !has_program("spirv-dis") {
        return;
    }
    assert!(shown.out.contains("[vertex shader spirv]\n"), "{}", shown.out);
    assert!(!shown.out.contains("uniform vec4 u"), "{}", shown.out);
    sandbox.file("shown/shown.shader_test", &shown.out);
    sandbox.run(&["shown", "--gen", "hsw,skl,si"]).expect(0, &["[3/3] pass: 3"]);
    let stage = show(&["--spirv", "--stage", "fragment"]);
    assert!(stage.out.starts_with("[fragment shader spirv]\n"), "{}", stage.out);
    assert!(!stage.out.contains("Vertex"), "{}", stage.out);
}
