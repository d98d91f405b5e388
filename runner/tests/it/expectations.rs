//! Baselines, skips, flakes and `runner.yaml` from outside: outcomes, exit codes, messages,
//! updates.

use std::fs;

use crate::support::{GREEN, Sandbox, red};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", red());
    sandbox
}

/// Exit code, option and file, and the outcomes of `suite/a` (passes) and `suite/b` (fails).
#[test]
fn every_kind_of_file() {
    let table: [(i32, &str, &str, [&str; 2]); 10] = [
        (0, "--baseline", "suite/b,Fail\n", ["pass expected", "fail expected"]),
        (0, "--baseline", "# piglit's form\nb,ExpectedFail\n", ["pass expected", "fail expected"]),
        (1, "--baseline", "suite/a,Fail\nsuite/b,Fail\n", ["pass improved", "fail expected"]),
        (1, "--baseline", "suite/b,Crash\n", ["pass expected", "fail improved"]),
        (1, "--baseline", "suite/b,Pass\n", ["pass expected", "fail unexpected"]),
        (0, "--skips", "# slow\n/b$\n", ["pass expected", "skip expected"]),
        (0, "--flakes", "suite/b\n", ["pass expected", "fail flake"]),
        (1, "--flakes", "suite/a\n", ["pass expected", "fail unexpected"]),
        (
            0,
            "--config",
            "expect: {all: [{test: suite/b, status: fail, bug: 3}]}",
            ["pass expected", "fail expected"],
        ),
        (
            0,
            "--config",
            "expect: {reference: [{pattern: b$, status: skip}]}",
            ["pass expected", "skip expected"],
        ),
    ];
    for (code, option, text, expected) in table {
        let sandbox = sandbox();
        sandbox.file("file", text);
        let ran = sandbox.run(&["suite", "--reference-only", "--out", "out", option, "file"]);
        ran.expect(code, &[]);
        let results: Vec<String> =
            ["a", "b"].iter().zip(expected).map(|(t, e)| format!("suite/{t} {e}")).collect();
        assert_eq!(sandbox.outcomes("out"), results, "{option} {text}");
    }
}

#[test]
fn improvements_are_printed_in_deqp_runners_words() {
    let sandbox = sandbox();
    sandbox.file("fails", "suite/a,Fail\nsuite/b,Fail\n");
    let ran = sandbox.run(&["suite", "--reference-only", "--baseline", "fails"]);
    ran.expect(1, &["UnexpectedImprovement(Pass) [reference] suite/a"]);
    assert_eq!(ran.summary(), "[2/2] pass: 1, fail: 1; expected: 1, improved: 1");
}

#[test]
fn files_speak_about_generations() {
    let sandbox = sandbox();
    sandbox.file("fails", "suite/b,Fail\n");
    let run = |scope: &str| {
        sandbox.run(&["suite", "--gen", "ivb,hsw", "--out", "out", "--baseline", scope]).code
    };
    assert_eq!(
        (run("ivb=fails"), run("ivb,hsw=fails"), run("fails"), run("skl=fails")),
        (1, 0, 0, 1)
    );
}

#[test]
fn what_matches_nothing_is_reported() {
    let sandbox = sandbox();
    sandbox.file("fails", "suite/b,Fail\nsuite/gone,Fail\n").file("skips", "\nno.*such\n");
    let ran = sandbox.run(&[
        "suite",
        "--reference-only",
        "--baseline",
        "fails",
        "--skips",
        "skips",
        "-t",
        "a$",
    ]);
    ran.expect(
        0,
        &["fails:2: `suite/gone` matches no test", "skips:2: `no.*such` matches no test"],
    );
    assert!(!ran.err.contains("`suite/b`"), "filtered out, but there: {}", ran.err);
}

#[test]
fn files_that_are_wrong_end_with_two() {
    for (option, text, message) in [
        (
            "--skips",
            "suite/b,Fail\n",
            "file:1: `suite/b,Fail` is a line of a baseline, not a pattern",
        ),
        ("--flakes", "(\n", "file:1: `(` is not a regular expression"),
        ("--baseline", "suite/b\n", "file:1: a line of a baseline is `test,Status`"),
        ("--baseline", "suite/b,Broken\n", "`Broken` is not a status"),
        ("--config", "expect: [1]", "file: "),
    ] {
        let sandbox = sandbox();
        sandbox.file("file", text);
        sandbox.run(&["suite", "--reference-only", option, "file"]).expect(2, &[message]);
        assert!(!sandbox.path("results").exists(), "nothing was run");
    }
    sandbox().run(&["suite", "--reference-only", "--baseline", "none"]).expect(2, &["none: "]);
}

#[test]
fn baselines_are_updated() {
    let sandbox = sandbox();
    let old = "# keep me\nsuite/a,Fail\nelsewhere/z,Crash\n";
    sandbox.file("fails", old);
    let run = || {
        sandbox.run(&["suite", "--reference-only", "--out", "out", "--baseline", "reference=fails"])
    };
    run().expect(1, &[]);
    let update = |more: &[&str]| {
        let arguments =
            [&["expect", "update", "out", "--baseline", "reference=fails"], more].concat();
        sandbox.run(&arguments)
    };
    let read = || fs::read_to_string(sandbox.path("fails")).unwrap();
    update(&["--add", "--dry-run"])
        .expect(0, &["-suite/a,Fail\n", "+suite/b,Fail\n", " elsewhere/z,Crash\n"]);
    assert_eq!(read(), old);
    update(&[]).expect(0, &["fails: 1 removed, 0 changed, 0 added"]);
    assert_eq!(read(), "# keep me\nelsewhere/z,Crash\n");
    update(&["--add"]).expect(0, &["fails: 0 removed, 0 changed, 1 added"]);
    assert_eq!(read(), "# keep me\nelsewhere/z,Crash\nsuite/b,Fail\n");
    run().expect(0, &[]);
    update(&["--add"]).expect(0, &["fails: 0 removed, 0 changed, 0 added"]);
    // A run of another generation says nothing about this file.
    fs::write(sandbox.path("fails"), old).unwrap();
    sandbox.run(&["expect", "update", "out", "--baseline", "ivb=fails"]).expect(0, &["0 removed"]);
    assert_eq!(read(), old);
    sandbox
        .run(&["expect", "update", "nowhere", "--baseline", "fails"])
        .expect(2, &["cannot read nowhere"]);
}

#[test]
fn the_configuration_is_updated() {
    let sandbox = sandbox();
    let text = "# ours\nexpect:\n  reference:\n    - {test: suite/a, status: fail, reason: old, bug: 3}\n    \
                # still\n    - test: suite/b\n      status: crash\n  ivb:\n    - {test: suite/a, status: fail}\n";
    sandbox.file("runner.yaml", text);
    let run =
        || sandbox.run(&["suite", "--reference-only", "--out", "out", "--config", "runner.yaml"]);
    run().expect(
        1,
        &[
            "UnexpectedImprovement(Pass) [reference] suite/a",
            "UnexpectedImprovement(Fail) [reference] suite/b",
        ],
    );
    let update = |more: &[&str]| {
        sandbox.run(&[&["expect", "update", "out", "--config", "runner.yaml"], more].concat())
    };
    let read = || fs::read_to_string(sandbox.path("runner.yaml")).unwrap();
    let removed = "-    - {test: suite/a, status: fail, reason: old, bug: 3}\n";
    update(&["--dry-run"]).expect(0, &[removed, "-      status: crash\n+      status: fail\n"]);
    assert_eq!(read(), text);
    update(&[]).expect(0, &["runner.yaml: 1 removed, 1 changed, 0 added"]);
    let expected = "# ours\nexpect:\n  reference:\n    # still\n    - test: suite/b\n      status: fail\n  ivb:\n    \
                    - {test: suite/a, status: fail}\n";
    assert_eq!(read(), expected);
    run().expect(0, &[]);
    sandbox.file("runner.yaml", "expect: [");
    update(&[]).expect(2, &["runner.yaml: "]);
    sandbox.run(&["expect", "update", "out"]).expect(2, &["--baseline"]);
}

/// The last line counts outcomes, and the command of a test without a file repeats its result.
#[test]
fn outcomes_in_the_last_line() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass"), ("b", "fail"), ("c", "fail"), ("d", "fail"), ("e", "pass")]);
    sandbox
        .file("fails", "suite/b,Fail\nsuite/e,Fail\nsuite/gone,Fail\n")
        .file("flakes", "suite/d\n");
    let ran = sandbox.mock_run(&["--baseline", "fails", "--flakes", "flakes"]);
    ran.expect(1, &[]);
    assert_eq!(
        ran.summary(),
        "[6/6] skip: 1, pass: 2, fail: 3; expected: 2, unexpected: 1, improved: 1, missing: 1, flaky: 1"
    );
    let command =
        "runner --reference-only -t '^suite/gone$' suite --mock --baseline fails --flakes flakes";
    ran.expect(1, &[&format!("    {command}\n")]);
    let again =
        ["--reference-only", "-t", "^suite/gone$", "suite", "--mock", "--baseline", "fails"];
    let again = sandbox.run(&again);
    assert_eq!((again.code, again.summary()), (1, "[1/1] skip: 1; missing: 1"));
    // Nothing to add if everything passes.
    sandbox
        .run(&["suite/a.shader_test", "--mock", "--reference-only"])
        .expect(0, &["[1/1] pass: 1\n"]);
}

/// A new baseline has the tests that fail on every generation that ran; the others are named.
#[test]
fn new_baselines() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "fail"), ("b", "abort"), ("c", "pass"), ("d,e", "fail")]);
    let run = |more: &[&str]| {
        let all = ["suite", "--mock", "--gen", "ivb,skl", "--out", "out"];
        sandbox.run(&[&all, more].concat())
    };
    sandbox.file("ivb", "suite/b,Crash\n");
    run(&["--baseline", "ivb=ivb"]).expect(1, &["expected: 3, unexpected: 5"]);
    let update = ["expect", "update", "out", "--add", "--baseline", "new"];
    let dry = sandbox.run(&[&update[..], &["--dry-run"]].concat());
    dry.expect(0, &["new: 0 removed, 0 changed, 2 added", "+suite/a,Fail"]);
    assert!(!sandbox.path("new").exists());
    sandbox.run(&update).expect(
        0,
        &[
            "new: 0 removed, 0 changed, 2 added\n",
            "left out: suite/b: fails only on skl or differently there: --baseline skl=FILE\n",
        ],
    );
    let text = std::fs::read_to_string(sandbox.path("new")).unwrap();
    assert_eq!(text, "suite/a,Fail\n\"suite/d,e\",Fail\n");
    let update = ["expect", "update", "out", "--add", "--baseline", "new", "--baseline", "skl=skl"];
    let both = sandbox.run(&update);
    both.expect(0, &["new: 0 removed, 0 changed, 0 added", "skl: 0 removed, 0 changed, 1 added"]);
    assert!(!both.out.contains("left out"), "{both:#?}");
    run(&["--baseline", "ivb=ivb", "--baseline", "new", "--baseline", "skl=skl"]).expect(0, &[]);
    // Nothing to add: no file.
    let update = ["expect", "update", "out", "--add", "--baseline", "empty"];
    sandbox.run(&update).expect(0, &["empty: not created, nothing to add"]);
    assert!(!sandbox.path("empty").exists());
    // Without --add a missing file is an error.
    sandbox.run(&["expect", "update", "out", "--baseline", "empty"]).expect(2, &["empty"]);
}

/// A file that nothing uses is named, unless settings list it; lines do not contradict each other.
#[test]
fn files_that_do_not_apply() {
    let sandbox = sandbox();
    sandbox.file("file", "# of ivb\nsuite/b,Fail\n");
    let run = ["suite", "-t", "/b", "--gen", "ivb", "--out", "out", "--settings"];
    let none = [&run[..], &["none", "--baseline", "skl,hsw=file"]].concat();
    let warning = "warning: --baseline skl,hsw=file: none of its generations is run";
    sandbox.run(&none).expect(1, &[warning]);
    sandbox.file("s.toml", "baseline = [\"skl=file\", \"ivb=file\"]\n");
    let ran = sandbox.run(&[&run[..], &["s.toml"]].concat());
    ran.expect(0, &[]);
    assert!(!ran.err.contains("warning"), "{ran:#?}");
    sandbox.file("file", "suite/b,Fail\nsuite/a,Fail\nsuite/b,Crash\n");
    let ran = sandbox.run(&[&run[..], &["none", "--baseline", "file"]].concat());
    ran.expect(2, &["error: file:3: `suite/b,Crash` contradicts `suite/b,Fail` in line 1"]);
    // The same line twice says the same, and a later file may say otherwise.
    sandbox.file("file", "suite/b,Crash\nsuite/b,Crash\n").file("later", "suite/b,Fail\n");
    let files = ["none", "--baseline", "file", "--baseline", "ivb=later"];
    sandbox.run(&[&run[..], &files].concat()).expect(0, &[]);
}
