//! `runner fuzz` from outside.

use std::fs;

use crate::support::{GREEN, Sandbox};

/// The front end takes every program, and the interpreter ends.
#[test]
fn programs_are_legal() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&[
        "fuzz",
        "--seed",
        "11",
        "--count",
        "300",
        "--reference-only",
        "--out",
        "run",
    ]);
    ran.expect(0, &["[300/300] pass: 300"]);
    assert!(!sandbox.path("run/tests").exists(), "what passes is not kept");
    assert_eq!(sandbox.results("run").len(), 301);
}

/// Results are those of an ordinary run. A test alone is the one of many, and does as the printed
/// one does.
#[test]
fn a_test_can_be_made_again() {
    let sandbox = Sandbox::new();
    let options = ["fuzz", "--seed", "5", "--stage", "compute,fragment", "--gen", "skl"];
    let many = sandbox.run(&[&options[..], &["--count", "4", "--out", "many"]].concat());
    many.expect(0, &["[4/4] pass: 4"]);
    let one = sandbox.run(&[&options[..], &["--only", "2", "--out", "one"]].concat());
    one.expect(0, &["[1/1] pass: 1"]);
    let result = |folder: &str| {
        let is_it = |result: &serde_json::Value| result["test"] == "fuzz-5/compute-2";
        let mut result = sandbox.results(folder).into_iter().find(is_it).expect("a result");
        result["duration_us"] = 0.into();
        result
    };
    assert_eq!(result("many"), result("one"));
    let text = sandbox.run(&[&options[..], &["--only", "2", "--print"]].concat());
    text.expect(0, &["# runner fuzz --stage compute --seed 5 --only 2", "[compute shader]"]);
    sandbox.file("tests/fuzz-5/compute-2.shader_test", &text.out);
    sandbox.run(&["tests", "--gen", "skl", "--out", "printed"]).expect(0, &["[1/1] pass: 1"]);
    assert_eq!(result("printed"), result("one"));
}

/// A quirk of the hardware that the compiler does not know of is found and kept.
#[test]
fn a_planted_defect_is_found() {
    let sandbox = Sandbox::new();
    let quirk = ["--gen", "ivb", "--disable-quirk", "gen7-dword-mul", "--keep", "none"];
    let options = ["fuzz", "--seed", "1", "--count", "20", "--until-failure", "--out", "run"];
    let ran = sandbox.run(&[&options[..], &quirk].concat());
    ran.expect(1, &["mismatch", "runner run/tests/fuzz-1/"]);
    let kept = fs::read_dir(sandbox.path("run/tests/fuzz-1")).expect("kept tests");
    for file in kept {
        let path = file.expect("a file").path().display().to_string();
        let again = [&[&*path, "--out", "again"], &quirk[..]].concat();
        sandbox.run(&again).expect(1, &["mismatch"]);
        sandbox.run(&[&*path, "--out", "again", "--gen", "ivb"]).expect(0, &["pass: 1"]);
    }
}

/// Damaged tests may fail, but nothing may break down.
#[test]
fn damaged_tests() {
    let sandbox = Sandbox::new();
    sandbox.file("s/green.shader_test", GREEN);
    sandbox.file("t/other.shader_test", GREEN);
    let fuzz = ["fuzz", "--mutate", "s", "t", "--gen", "ivb"];
    let ran = sandbox.run(&[&fuzz[..], &["--count", "60", "--out", "run"]].concat());
    ran.expect(0, &["[60/60]", "fail: "]);
    let print =
        |seed| sandbox.run(&[&fuzz[..], &["--count", "3", "--print", "--seed", seed]].concat()).out;
    assert_eq!(print("1"), print("1"));
    assert_ne!(print("1"), print("2"));
    sandbox.run(&["fuzz", "--mutate", "nowhere"]).expect(2, &["nowhere"]);
    fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.run(&["fuzz", "--mutate", "empty"]).expect(3, &["no tests are selected"]);
    // A test that kills a worker counts.
    sandbox.file("mock/abort.shader_test", "mock abort\n");
    let mock = ["--mutate", "mock", "--mock", "--count", "10", "--reference-only", "--out", "run"];
    let ran = sandbox.run(&[&["fuzz", "--reduce"], &mock[..]].concat());
    ran.expect(
        1,
        &["crash   [reference] fuzz-1/damaged-", ".small.shader_test [reference]", "candidates"],
    );
}

/// Scripts of Vulkan are made, and damaged, in files of their own.
#[test]
fn vulkan_scripts() {
    let sandbox = Sandbox::new();
    let print = ["fuzz", "--vulkan", "--count", "2", "--print"];
    let made = sandbox.run(&print).out;
    assert!(made.starts_with("#!amber\n# runner fuzz --vulkan --stage fragment"), "{made}");
    assert!(made.contains("\nRUN pipeline DRAW_RECT ") && made.contains(" EQ_BUFFER expected0"));
    assert_eq!(made, sandbox.run(&print).out);
    sandbox
        .run(&["fuzz", "--gen", "vk", "--stage", "geometry", "--print"])
        .expect(2, &["there are no geometry tests for Vulkan"]);
    let script = made.split("#!amber").nth(1).expect("a script");
    sandbox.file("v/a.amber", format!("#!amber{script}"));
    let fuzz = ["fuzz", "--mutate", "v", "--gen", "ivb", "--count", "40", "--out", "run"];
    sandbox.run(&fuzz).expect(0, &["[40/40]", "fail: ", "skip: "]);
}

/// A run that tests nothing says so.
#[test]
fn skipped_tests_are_counted() {
    let sandbox = Sandbox::new();
    // The mock executor looks for the first `mock` of a damaged text.
    sandbox.file("mock/skip.shader_test", "mock skip\n".repeat(40));
    let mock = ["--mutate", "mock", "--mock", "--count", "5", "--reference-only", "--out", "run"];
    let ran = sandbox.run(&[&["fuzz"], &mock[..]].concat());
    ran.expect(3, &["[5/5] skip: 5", "skipped: 5 of 5: pretended\n"]);
}

#[test]
fn all_constructs_can_be_avoided() {
    let sandbox = Sandbox::new();
    let help = sandbox.run(&["fuzz", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, list) = help.split_once("--avoid").expect("the option");
    let (_, list) = list.split_once("[possible values: ").expect("the constructs");
    let (list, _) = list.split_once(']').expect("their end");
    let list = list.replace(' ', "");
    let names = list.strip_suffix(",all").expect("all of them");
    let print = |avoid: &str| sandbox.run(&["fuzz", "--count", "9", "--print", "--avoid", avoid]);
    let print_spirv = |avoid: &str| {
        sandbox.run(&["fuzz", "--spirv", "--count", "9", "--print", "--avoid", avoid])
    };
    let all = print_spirv("all");
    all.expect(0, &[&format!(" --avoid {names} --print\n")]);
    assert_eq!(all.out, print_spirv(names).out);
    // Programs in GLSL keep the constructs that are wrong in SPIR-V alone.
    let others = names.replace(",second-stage-uniform", "");
    print("all").expect(0, &[&format!(" --avoid {others} --print\n")]);
    print("nothing").expect(2, &["invalid value 'nothing' for '--avoid"]);
}
