//! Shaders with more live doubles than registers compute right on every back end, and say that they
//! spilled.

use crate::support::Sandbox;
use std::path::Path;

/// The text of a test of `tests/fp64/hand`.
fn text(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fp64/hand").join(name);
    std::fs::read_to_string(file.with_extension("shader_test")).expect("a test")
}

/// Runs a test of `tests/fp64/hand`; each generation must pass, and the kernels of `stage` must all
/// spill at `width`.
fn spills(name: &str, arguments: &[&str], stage: &str, width: impl Fn(&str) -> &'static str) {
    text_spills(&text(name), arguments, stage, width);
}

fn text_spills(text: &str, arguments: &[&str], stage: &str, width: impl Fn(&str) -> &'static str) {
    let sandbox = Sandbox::new();
    sandbox.file("spilled.shader_test", text);
    let arguments = [&["spilled.shader_test", "--out", "out"], arguments].concat();
    sandbox.run(&arguments).expect(0, &[]);
    let results = sandbox.results("out");
    let results: Vec<_> = results.iter().filter(|result| result["test"].is_string()).collect();
    assert!(!results.is_empty());
    for result in results {
        let generation = result["gen"].as_str().expect("a generation");
        assert_eq!(result["status"], "pass", "{result}");
        let stages = result["stages"].as_array().expect("stages");
        let kernels: Vec<_> = stages.iter().filter(|kernel| kernel["stage"] == stage).collect();
        assert!(!kernels.is_empty(), "{result}");
        for kernel in kernels {
            assert_eq!(kernel["width"], width(generation), "{result}");
            assert!(
                kernel["spills"].as_u64() > Some(0) && kernel["fills"].as_u64() > Some(0),
                "{kernel}"
            );
        }
    }
}

#[test]
fn vertex_shaders_of_both_back_ends() {
    let width =
        |generation: &str| if matches!(generation, "ivb" | "hsw") { "vec4" } else { "SIMD8" };
    spills("vs-spilled-vectors", &["--gen", "intel"], "vertex", width);
}

#[test]
fn vec4_vertex_shaders_on_bdw() {
    spills("vs-spilled-vectors", &["--gen", "bdw", "--backend", "vec4"], "vertex", |_| "vec4");
}

#[test]
fn fragment_shaders() {
    spills("fs-many-live-values", &["--gen", "intel"], "fragment", |_| "SIMD8");
}

/// An array takes all of the scratch memory that scratch block messages reach.
#[test]
fn fragment_shaders_with_a_long_array() {
    let text = text("fs-many-live-values")
        .replace("uniform dvec4 expected;", "uniform dvec4 expected;\nuniform int last;")
        .replace(
            "dvec4 v[20];",
            "float far[6000];\nfor (int i = 0; i <= last; i++) far[i] = float(i);\ndvec4 v[20];",
        )
        .replace("sum == expected;", "sum == expected && far[last / 2] == 2500.0;")
        .replace("draw rect", "uniform int last 5000\ndraw rect");
    text_spills(&text, &["--gen", "intel"], "fragment", |_| "SIMD8");
}
