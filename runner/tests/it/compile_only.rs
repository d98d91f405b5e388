//! `--compile-only`: every stage and width as at link time, and nothing is executed.

use serde_json::Value;

use crate::support::{GREEN, Sandbox, red};

/// The kernels of a result, as `fragment SIMD8`.
fn kernels(result: &Value) -> Vec<String> {
    let stages = result["stages"].as_array().expect("stages");
    let name = |stage: &Value| {
        let text = |key: &str| stage[key].as_str().expect("a name").to_owned();
        format!("{} {}", text("stage"), text("width"))
    };
    stages.iter().map(name).collect()
}

const VERTEX: &str = "#version 130\nin vec4 position;\nout vec2 where;\n\
    void main() { gl_Position = position; where = position.xy; }\n";
const FRAGMENT: &str = "#version 130\nin vec2 where;\nout vec4 color;\nuniform vec4 scale;\n\
    void main() { color = scale * where.xyxy; }\n";

/// A test that fails when executed passes; the code is that of an execution.
#[test]
fn nothing_is_executed() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/red.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb,skl", "--out", "executed"]).expect(1, &["fail: 2"]);
    let options = ["suite", "--gen", "ivb,skl", "--compile-only", "--out", "compiled"];
    sandbox.run(&options).expect(0, &["pass: 2"]);
    let (executed, compiled) = (sandbox.results("executed"), sandbox.results("compiled"));
    for result in [1, 2] {
        let mut stages = executed[result]["stages"].clone();
        for stage in stages.as_array_mut().expect("stages") {
            assert!(stage["executed"].as_u64() > Some(0), "{stage}");
            stage.as_object_mut().expect("a stage").remove("executed");
        }
        assert_eq!(stages, compiled[result]["stages"]);
    }
    assert_eq!(kernels(&compiled[2]), ["vertex SIMD8", "fragment SIMD16", "fragment SIMD8"]);
    sandbox.run(&["diff", "executed", "compiled"]).expect(0, &["fail -> pass"]);
}

/// Without `[test]` an ordinary run compiles nothing.
#[test]
fn commands_are_not_needed() {
    let sandbox = Sandbox::new();
    let (sections, _) = GREEN.split_once("[test]").expect("commands");
    sandbox.file("suite/a.shader_test", sections);
    sandbox
        .run(&["suite", "--gen", "hsw", "--compile-only", "--out", "out"])
        .expect(0, &["pass: 1"]);
    let results = sandbox.results("out");
    assert_eq!(kernels(&results[1]), ["vertex vec4", "fragment SIMD16", "fragment SIMD8"]);
}

/// A control shader alone has patches of `GL_PATCH_VERTICES` vertices, which is 3 at first.
#[test]
fn a_control_shader_alone() {
    let sandbox = Sandbox::new();
    let text = "#version 400\nlayout(vertices = 4) out;\nvoid main() {\n\
                gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID % 3].gl_Position;\n\
                gl_TessLevelOuter[0] = 1.0;\n}\n";
    sandbox.file("suite/a.tesc", text);
    let options = ["suite", "--gen", "ivb,skl", "--compile-only", "--out", "out"];
    sandbox.run(&options).expect(0, &["pass: 2"]);
    let results = sandbox.results("out");
    assert_eq!(kernels(&results[1]), ["tessellation control vec4"]);
    assert_eq!(kernels(&results[2]), ["tessellation control SIMD8"]);
}

/// Shaders of one stem are one program; errors count lines in their own file.
#[test]
fn bare_shaders() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("suite/pair.vert", VERTEX),
        ("suite/pair.frag", FRAGMENT),
        ("suite/alone.frag", FRAGMENT),
        ("suite/sum.comp", "#version 430\nlayout(local_size_x = 8) in;\nvoid main() {}\n"),
        ("suite/es.vert", "#version 300 es\nvoid main() { gl_Position = vec4(0); }\n"),
        ("suite/known.frag", "not GLSL"),
        ("suite/known.shader_test", GREEN),
    ] {
        sandbox.file(name, text);
    }
    sandbox
        .run(&["suite", "--gen", "skl", "--compile-only", "--out", "out"])
        .expect(0, &["pass: 5"]);
    let results = sandbox.results("out");
    let tests: Vec<&str> =
        results[1..].iter().filter_map(|result| result["test"].as_str()).collect();
    assert_eq!(tests, ["suite/alone", "suite/es", "suite/known", "suite/pair", "suite/sum"]);
    assert_eq!(kernels(&results[1]), ["fragment SIMD16", "fragment SIMD8"]);
    assert_eq!(kernels(&results[4]), ["vertex SIMD8", "fragment SIMD16", "fragment SIMD8"]);
    assert_eq!(kernels(&results[5]), ["compute SIMD16", "compute SIMD8"]);
    // Without the option only the script is a test, and a named shader is refused.
    sandbox.run(&["list", "suite"]).expect(0, &["suite/known\n"]);
    let refused = "suite/alone.frag: not a test: a shader of one stage can only be compiled";
    sandbox.run(&["suite/alone.frag", "--gen", "skl"]).expect(2, &[refused]);
    sandbox.run(&["show", "suite/pair.vert", "--gen", "skl", "stats"]).expect(0, &["fragment"]);
}

#[test]
fn errors_of_bare_shaders() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.vert", VERTEX);
    sandbox.file("suite/a.frag", FRAGMENT.replace("scale *", "scail *"));
    let ran = sandbox.run(&["suite", "--gen", "skl", "--compile-only", "--out", "out"]);
    let message = "Failed to compile FS: line 5, column 23: ";
    ran.expect(1, &[message, "suite/a.frag", "5 | void main() { color = scail * where.xyxy; }"]);
    sandbox.file("suite/a.frag", FRAGMENT.replace("in vec2 where", "in vec3 where"));
    let ran = sandbox.run(&["suite", "--gen", "skl", "--compile-only", "--out", "out2"]);
    ran.expect(1, &["link: Failed to link: "]);
}

/// Two outputs are two attachments, so that the code of neither is removed.
#[test]
fn every_output_has_an_attachment() {
    let sandbox = Sandbox::new();
    let fragment = "#version 330\nlayout(location = 0) out vec4 a;\nlayout(location = 2) out ivec4 b;\n\
        uniform vec4 x;\nuniform ivec4 y;\nvoid main() { a = x; b = y; }\n";
    sandbox.file("suite/a.frag", fragment);
    sandbox
        .run(&["suite", "--gen", "skl", "--compile-only", "--out", "out"])
        .expect(0, &["pass: 1"]);
    let sends = |result: &Value| result["stages"][1]["sends"].as_u64();
    assert_eq!(sends(&sandbox.results("out")[1]), Some(2));
}

/// CHECK lines are judged on the code.
#[test]
fn checks_are_judged() {
    let sandbox = Sandbox::new();
    let checks = "[test]\n# CHECK(skl fragment SIMD8 eu): nothing like this\n";
    sandbox.file("suite/a.shader_test", GREEN.replace("[test]\n", checks));
    let ran = sandbox.run(&["suite", "--gen", "skl", "--compile-only", "--out", "out"]);
    ran.expect(1, &["line 8: CHECK does not match the SIMD8 kernel of the fragment shader"]);
}

/// Entry points of a fragment and a compute shader.
const MODULE: &str = "\
OpCapability Shader\n\
OpMemoryModel Logical GLSL450\n\
OpEntryPoint Fragment %shade \"shade\"\n\
OpEntryPoint GLCompute %count \"count\"\n\
OpExecutionMode %shade OriginUpperLeft\n\
OpExecutionMode %count LocalSize 8 1 1\n\
%void = OpTypeVoid\n\
%signature = OpTypeFunction %void\n\
%shade = OpFunction %void None %signature\n\
%shade_begin = OpLabel\n\
OpReturn\n\
OpFunctionEnd\n\
%count = OpFunction %void None %signature\n\
%count_begin = OpLabel\n\
OpReturn\n\
OpFunctionEnd\n";

#[test]
fn modules_are_told_by_their_names() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/module.spvasm", MODULE);
    sandbox.file("suite/common.hlsl", "float half_of(float x) { return x * 0.5; }\n");
    let compile = |path: &str| sandbox.run(&[path, "--gen", "skl", "--compile-only"]);
    compile("suite").expect(0, &["[1/1] pass: 1"]);
    compile("suite/common.hlsl").expect(2, &["not a test", "shader.vert.hlsl"]);
    let ran = sandbox.run(&["suite/module.spvasm", "--gen", "skl"]);
    ran.expect(2, &["a module can only be compiled: use --compile-only"]);
}

/// Compute is a program of its own beside the stages of graphics.
#[test]
fn programs_of_a_module_are_shown() {
    let sandbox = Sandbox::new();
    sandbox.file("module.spvasm", MODULE);
    let show = |more: &[&str]| {
        let words = ["show", "module.spvasm", "eu", "--gen", "skl"];
        sandbox.run(&[&words, more].concat())
    };
    show(&[]).expect(0, &["// fragment SIMD8", "// compute SIMD8"]);
    let ran = show(&["--stage", "compute"]);
    ran.expect(0, &["// compute SIMD8"]);
    assert!(!ran.out.contains("fragment"), "{}", ran.out);
    show(&["--stage", "geometry"]).expect(2, &["has no such stage"]);
}
