//! `runner reduce` from outside.

use std::fs;

use crate::support::{GREEN, Sandbox, red};

const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests");

/// Status, layer and first line of the reason of an ordinary run of one file.
fn run(sandbox: &Sandbox, file: &str, options: &[&str]) -> (String, String, String) {
    sandbox.run(&[&[file, "--out", "run", "--keep", "none"], options].concat());
    let result = &sandbox.results("run")[1];
    let text =
        |field: &str| result[field].as_str().unwrap_or("").lines().next().unwrap_or("").to_owned();
    (text("status"), text("layer"), text("reason"))
}

/// A test that a quirk breaks: what is left fails in the same way in an ordinary run, is smaller,
/// and is the same however many candidates are tried at a time.
#[test]
fn a_failure_is_kept() {
    let sandbox = Sandbox::new();
    sandbox.file("s/README", "a folder for what is left");
    let test = format!("{SUITE}/quirks/fs-product-low-words.shader_test");
    let options = ["--gen", "ivb", "--disable-quirk", "gen7-dword-mul"];
    let before = run(&sandbox, &test, &options);
    let reduce = |out: &str, jobs: &str| {
        let arguments = [&["reduce", &test, "--out", out, "-j", jobs], &options[..]].concat();
        let ran = sandbox.run(&arguments);
        ran.expect(0, &["candidates", "runner s"]);
        fs::read_to_string(sandbox.path(out)).unwrap()
    };
    let small = reduce("s/small.shader_test", "3");
    assert_eq!(small, reduce("s/again.shader_test", "1"));
    let whole = fs::read_to_string(&test).unwrap();
    assert!(small.len() * 4 < whole.len() * 3, "{small}");
    assert!(!small.contains("/*") && !small.contains("//"), "{small}");
    let after = run(&sandbox, "s/small.shader_test", &options);
    assert_eq!((&before.0, &before.1), (&after.0, &after.1), "{small}");
    assert_eq!(before.0, "fail");
    // Without the reason for the failure there is none.
    let good = run(&sandbox, "s/small.shader_test", &["--gen", "ivb"]);
    assert_ne!((good.0, good.1), (after.0, after.1), "{small}");
}

/// A failure without a draw needs none; a refused shader stays refused, with the same message on
/// request.
#[test]
fn failures_of_the_front_end() {
    let sandbox = Sandbox::new();
    let text = GREEN
        .replace("gl_FragColor = c;", "vec4 d = c; if (c.x > 0.0) { gl_FragColor = nothing; }");
    sandbox.file("s/whole.shader_test", &text);
    let options = ["--gen", "skl", "--same-message", "--out", "s/small.shader_test"];
    sandbox.run(&[&["reduce", "s/whole.shader_test"], &options[..]].concat()).expect(0, &[]);
    let small = fs::read_to_string(sandbox.path("s/small.shader_test")).unwrap();
    assert!(
        small.contains("nothing") && !small.contains("vec4 d") && !small.contains("if"),
        "{small}"
    );
    assert!(!small.contains("probe") && !small.contains("uniform"), "{small}");
    let [before, after] =
        ["s/whole.shader_test", "s/small.shader_test"].map(|f| run(&sandbox, f, &["--gen", "skl"]));
    assert_eq!((before.0, before.1), (after.0, after.1));
}

/// A probe that fails on both executors: the kind of the probe stays, the rest of the test goes.
#[test]
fn probes_stay_probes() {
    let sandbox = Sandbox::new();
    sandbox.file("s/red.shader_test", red());
    let ran = sandbox.run(&["reduce", "s/red.shader_test", "--gen", "bdw", "--no-reference"]);
    ran.expect(0, &["fail, probe: line 1"]);
    assert!(ran.out.contains("probe") && ran.out.len() < red().len(), "{ran:#?}");
    sandbox.file("s/small.shader_test", &ran.out);
    let small = run(&sandbox, "s/small.shader_test", &["--gen", "bdw", "--no-reference"]);
    assert_eq!((small.0.as_str(), small.1.as_str()), ("fail", "probe"));
    assert!(small.2.contains("Probe color at"), "{small:?}");
    // The test still draws: the probe observes what it observed before.
    let reason = sandbox.results("run")[1]["reason"].to_string();
    assert!(reason.contains("Observed: 0 255 0 255"), "{reason}");
    assert!(ran.out.contains("draw"), "{ran:#?}");
    // With fewer candidates less goes, never more than asked for.
    let few = sandbox.run(&[
        "reduce",
        "s/red.shader_test",
        "--gen",
        "bdw",
        "--no-reference",
        "--steps",
        "5",
    ]);
    few.expect(0, &["in 5 candidates", "as --steps allows"]);
    assert!(few.out.len() >= ran.out.len(), "{few:#?}");
}

#[test]
fn nothing_to_reduce() {
    let sandbox = Sandbox::new();
    sandbox.file("s/green.shader_test", GREEN);
    sandbox.file("s/skip.shader_test", GREEN.replace("GLSL >= 1.10", "GLSL >= 1.10\nGL_NOT_THERE"));
    sandbox
        .run(&["reduce", "s/green.shader_test", "--gen", "ivb"])
        .expect(1, &["pass: there is no failure"]);
    sandbox
        .run(&["reduce", "s/skip.shader_test", "--gen", "ivb"])
        .expect(1, &["there is no failure to keep"]);
    sandbox
        .run(&["reduce", "s/none.shader_test", "--gen", "ivb"])
        .expect(2, &["s/none.shader_test"]);
    sandbox.run(&["reduce", "s/green.shader_test"]).expect(2, &["--gen"]);
    sandbox
        .run(&["reduce", "s/green.shader_test", "--gen", "ivb,hsw"])
        .expect(2, &["one generation is needed"]);
    sandbox
        .run(&["reduce", "s/green.shader_test", "--gen", "ivb", "--binaries", "s"])
        .expect(2, &["--binaries are those of the whole test"]);
}
