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
