//! `runner diff` and `runner summary` from outside.

mod support;

use support::{GREEN, Sandbox, red};

#[test]
fn what_changed_between_two_runs() {
    let sandbox = Sandbox::new();
    sandbox
        .file("suite/a.shader_test", GREEN)
        .file("suite/b.shader_test", red())
        .file("suite/d.shader_test", GREEN);
    let run = |out: &str| sandbox.run(&["suite", "--gen", "ivb", "--out", out]).code;
    assert_eq!(run("old"), 1);
    sandbox.run(&["diff", "old", "old"]).expect(0, &["3 -> 3 results, 3 the same\n", "same binary: "]);
    sandbox
        .file("suite/a.shader_test", red())
        .file("suite/b.shader_test", GREEN)
        .file("suite/c.shader_test", red());
    std::fs::remove_file(sandbox.path("suite/d.shader_test")).unwrap();
    assert_eq!(run("new"), 1);
    let diff = sandbox.run(&["diff", "old", "new/results.jsonl"]);
    diff.expect(1, &["  suite/a [ivb]: pass -> fail  probe: line 12", "  suite/d [ivb]: pass -> missing\n"]);
    assert_eq!(
        diff.summary(),
        "3 -> 3 results, 0 the same, regressions: 2, new tests that fail: 1, fixes: 1"
    );
    sandbox
        .run(&["diff", "old", "new", "--format", "markdown"])
        .expect(1, &["| suite/a | ivb | pass | fail | probe"]);
    let json = sandbox.run(&["diff", "old", "new", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json.code, &value["changes"][0]["test"]), (1, &"suite/a".into()));
    let summary = sandbox.run(&["summary", "old", "new", "old"]);
    summary.expect(0, &["suite/a [ivb]: pass fail pass\n", "suite/c [ivb]: missing fail missing\n"]);
    assert_eq!(summary.summary(), "total           3        3        3");
    sandbox.run(&["diff", "old", "nowhere"]).expect(2, &["cannot read nowhere"]);
}

/// Turning an optimisation off hurts, and the comparison says how much.
#[test]
fn what_became_of_the_code() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "old"]).expect(0, &[]);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "narrow", "--width", "SIMD8"]).expect(0, &[]);
    sandbox.run(&["diff", "old", "narrow"]).expect(0, &["LOST: 1\n  LOST: suite/a [ivb] fragment SIMD16"]);
    sandbox.run(&["diff", "narrow", "old"]).expect(0, &["GAINED: 1\n"]);
    sandbox.run(&["suite", "--gen", "ivb", "--out", "plain", "--pass-limit", "0"]).expect(0, &[]);
    sandbox.run(&["diff", "plain", "old"]).expect(0, &["same binary: "]);
}

#[test]
fn hostile_results() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).run(&["suite", "--reference-only", "--out", "good"]);
    for (text, message) in [
        (&b""[..], "no header"),
        (&b"\x00\xff\xfe\n"[..], "not the header of a run"),
        (&b"{\"format\":99}\n"[..], "format 99 is newer"),
    ] {
        sandbox.file("bad/results.jsonl", text);
        sandbox.run(&["diff", "good", "bad"]).expect(2, &[message]);
        sandbox.run(&["summary", "good", "bad"]).expect(2, &[message]);
        sandbox.run(&["merge", "bad"]).expect(2, &[message]);
    }
}

#[test]
fn results_of_other_runners() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb", "--out", "ours"]).expect(1, &[]);
    // What we write for deqp-runner is what we read of it.
    let import = ["import", "ours/results.ivb.csv", "--gen", "ivb", "--out", "again"];
    sandbox.run(&import).expect(0, &["[2/2] pass: 1, fail: 1"]);
    sandbox.run(&["diff", "again", "ours"]).expect(0, &["2 -> 2 results, 2 the same"]);
    sandbox.run(&["suite", "--gen", "ivb", "--baseline", "ours/results.ivb.csv"]).expect(0, &[]);
    // A GPU's run in piglit's words: what passes there and fails here is a regression.
    sandbox.file("piglit.json", r#"{"tests": {"a": {"result": "pass"}, "b": {"result": "pass"}}}"#);
    let import = ["import", "piglit.json", "--gen", "ivb", "--tests", "suite", "--out", "gpu"];
    sandbox.run(&import).expect(0, &["[2/2] pass: 2"]);
    sandbox.run(&["diff", "gpu", "ours"]).expect(1, &["suite/b [ivb]: pass -> fail"]);
    sandbox.file("bad.csv", "nonsense\n");
    sandbox
        .run(&["import", "bad.csv", "--gen", "ivb"])
        .expect(2, &["bad.csv: line 1: not name,Status,seconds"]);
}
