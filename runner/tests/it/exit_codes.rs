//! The table of exit codes, line by line, and the output beside each code.

use std::fs;

use crate::support::Sandbox;

/// Arguments after `suite --mock --reference-only --out out`, the exit code, and what is said.
type Row = (&'static [&'static str], i32, &'static str);

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[
        ("a/pass", "pass"),
        ("a/skip", "skip"),
        ("a/warn", "warn"),
        ("b/fail", "fail"),
    ]);
    sandbox.mocks(&[("b/crash", "panic"), ("b/steps", "steps"), ("c/flake", "flake")]);
    sandbox.file("fails", "suite/b/fail,Fail\n").file("bad", "suite/b/fail,Broken\n");
    sandbox
        .file("all-fail", "suite/a/pass,Fail\n")
        .file("gone", "suite/a/gone,Fail\nother/gone,Fail\n");
    sandbox
        .file("expects-gone", "suite/a/gone,Missing\n")
        .file("skips", "b/\n")
        .file("pasted", "suite/b/fail,Fail\n");
    sandbox
        .file("flakes", "c/flake\n")
        .file("list", "suite/a/pass\nsuite/a/gone\n")
        .file("names", "a@skip\n");
    sandbox
}

#[test]
fn runs() {
    let table: &[Row] = &[
        // 0: as expected.
        (&["-t", "a/"], 0, "[3/3] skip: 1, warn: 1, pass: 1"),
        (&["-t", "b/fail", "--baseline", "fails"], 0, "[1/1] fail: 1"),
        (&["-t", "b/", "--skips", "skips"], 0, "[3/3] skip: 3"),
        (&["-t", "a/", "--baseline", "expects-gone"], 0, "[4/4] skip: 2"),
        (&["-t", "c/flake", "--repeat", "2", "--flakes", "flakes"], 0, "[1/1] fail: 1"),
        (&["-t", "a/", "--shard", "9/9"], 0, "[0/0]"),
        // 1: unexpected results.
        (&["-t", "b/fail"], 1, "fail    [reference] suite/b/fail probe: line 1: pretended"),
        (&["-t", "b/crash"], 1, "crash   [reference] suite/b/crash"),
        (&["-t", "b/steps"], 1, "timeout [reference] suite/b/steps"),
        (&["-t", "b/crash", "--baseline", "fails"], 1, "crash   [reference] suite/b/crash"),
        (
            &["-t", "a/pass", "--baseline", "all-fail"],
            1,
            "UnexpectedImprovement(Pass) [reference] suite/a/pass",
        ),
        (
            &["-t", "a/", "--baseline", "gone"],
            1,
            "missing [reference] suite/a/gone require: there is no such test",
        ),
        (&["--test-list", "list"], 1, "missing [reference] suite/a/gone"),
        (&["-t", "c/flake", "--repeat", "2"], 1, "flake   [reference] suite/c/flake"),
        (&["--max-fails", "1", "-j", "1", "-x", "flake"], 1, "stopped before the end"),
        // 2: usage and set-up.
        (&["-t", "("], 2, "`(` is not a regular expression"),
        (&["--no-such-option"], 2, "--no-such-option"),
        (&["--shard", "0/3"], 2, "K goes from 1 to N"),
        (&["--shard", "auto"], 2, "no engine's variables are set"),
        (&["--baseline", "bad"], 2, "bad:1: `Broken` is not a status"),
        (&["--baseline", "none"], 2, "none: "),
        (
            &["--skips", "pasted"],
            2,
            "pasted:1: `suite/b/fail,Fail` is a line of a baseline, not a pattern",
        ),
        (&["--durations", "none"], 2, "cannot read none"),
        (&["--binaries", "none"], 2, "none: no such folder"),
        (&["--disable-quirk", "none"], 2, "unknown quirk `none`"),
        (
            &["--disable-pass", "opt_vec4_dc"],
            2,
            "unknown pass `opt_vec4_dc`: did you mean `opt_vec4_dce`?",
        ),
        (&["nowhere"], 2, "nowhere: No such file"),
        // 3: nothing selected.
        (&["-t", "nothing"], 3, "no tests are selected"),
        (&["-x", "."], 3, "no tests are selected"),
        (&["-t", "a/", "--test-list", "fails"], 3, "no tests are selected"),
    ];
    let sandbox = sandbox();
    for (arguments, code, text) in table {
        fs::remove_file(sandbox.path("suite/c/flake.seen")).ok();
        let ran = sandbox.mock_run(arguments);
        assert_eq!(ran.code, *code, "{arguments:?}: {ran:#?}");
        ran.expect(*code, &[text]);
    }
}

/// Exit codes for `git bisect run`: 0 good, 1 bad, 125 cannot be tested.
#[test]
fn git_bisect() {
    let table: &[Row] = &[
        (&["-t", "a/"], 0, "[3/3]"),
        (&["-t", "b/fail", "--baseline", "fails"], 0, "[1/1] fail: 1"),
        // Better than expected is not what broke.
        (&["-t", "a/pass", "--baseline", "all-fail"], 0, "UnexpectedImprovement"),
        (&["-t", "c/flake", "--repeat", "2", "--flakes", "flakes"], 0, "[1/1] fail: 1"),
        (&["-t", "b/fail"], 1, "[1/1] fail: 1"),
        (&["-t", "b/crash"], 1, "[1/1] crash: 1"),
        (&["-t", "b/steps"], 1, "[1/1] timeout: 1"),
        (&["-t", "b/crash", "--baseline", "fails"], 1, "[1/1] crash: 1"),
        (&["--max-fails", "1", "-j", "1", "-x", "flake"], 1, "stopped before the end"),
        (&["-t", "a/skip"], 125, "[1/1] skip: 1"),
        (&["-t", "b/", "--skips", "skips"], 125, "[3/3] skip: 3"),
        (&["-t", "a/", "--baseline", "gone"], 125, "missing [reference] suite/a/gone"),
        (&["-t", "nothing"], 125, "no tests are selected"),
        (&["nowhere"], 125, "nowhere: No such file"),
        (&["--no-such-option"], 125, "--no-such-option"),
        (&["--baseline", "none"], 125, "none: "),
        (&["--disable-pass", "none"], 125, "unknown pass"),
        (&["-t", "x/", "-j", "1"], 125, "cannot read the file"),
        // Worse than in an earlier run, in which b/fail failed and b/crash passed.
        (&["-t", "b/fail", "--previous", "earlier"], 0, "[1/1] fail: 1"),
        (&["-t", "b/crash", "--previous", "earlier"], 1, "[1/1] crash: 1"),
    ];
    let sandbox = sandbox();
    let earlier: Vec<&str> =
        ["suite", "--mock", "--reference-only", "--out", "earlier", "-t", "b/"].into();
    sandbox.mocks(&[("b/crash", "pass")]).run(&earlier).expect(1, &[]);
    sandbox.mocks(&[("b/crash", "panic")]);
    // A file that is found but not there.
    fs::create_dir_all(sandbox.path("suite/x")).unwrap();
    std::os::unix::fs::symlink("gone", sandbox.path("suite/x/dangling.shader_test")).unwrap();
    for (arguments, code, text) in table {
        fs::remove_file(sandbox.path("suite/c/flake.seen")).ok();
        let ran = sandbox.mock_run(&[&["--git-bisect"], *arguments].concat());
        assert_eq!(ran.code, *code, "{arguments:?}: {ran:#?}");
        ran.expect(*code, &[text]);
    }
}

#[test]
fn other_commands() {
    let sandbox = sandbox();
    sandbox.mock_run(&["-t", "a/"]).expect(0, &[]);
    let table: &[Row] = &[
        (&["list", "suite"], 0, "suite/a/pass"),
        (&["list", "suite", "-t", "nothing"], 3, "no tests are selected"),
        (&["list", "nowhere"], 2, "nowhere: No such file"),
        (&["gens"], 0, "ivb"),
        (&["gens", "gen12"], 2, "unknown generation `gen12`"),
        (&["rerun", "out"], 0, "nothing to run again"),
        (&["rerun", "nowhere"], 2, "nowhere"),
        (&["resume", "out"], 0, "[3/3]"),
        (&["resume", "suite"], 2, "run.json"),
        (&["merge", "out"], 2, "is not a shard"),
        (&["expect", "update", "out", "--baseline", "fails"], 0, "0 removed"),
        (&["expect", "update", "out", "--baseline", "none"], 2, "none"),
        (&["disasm", "--gen", "ivb", "nowhere"], 2, "nowhere"),
        (&["bisect", "suite", "-t", "nothing"], 3, "no tests are selected"),
        (&["bisect", "nowhere"], 2, "nowhere: No such file"),
        (&["bisect", "suite", "--pass-limit", "3"], 2, "--from and --to say which limits"),
        (&["bisect", "suite", "--from", "3", "--to", "3"], 2, "--from must be less"),
        (&["bisect", "suite", "--binaries", "suite"], 2, "only the passes of the compiler in here"),
        (&["--help"], 0, "Usage"),
        (&["diff", "--help"], 0, "Usage"),
        (&["man"], 0, ".TH runner 1"),
        (&["completions", "bash"], 0, "_clap_complete_runner runner"),
        (&["completions", "none"], 2, "possible values"),
        (&["--version"], 0, "runner "),
        (&[], 2, "Usage"),
    ];
    for (arguments, code, text) in table {
        let ran = sandbox.run(arguments);
        assert_eq!(ran.code, *code, "{arguments:?}: {ran:#?}");
        ran.expect(*code, &[text]);
    }
    sandbox.run(&["man", "--out", "pages"]).expect(0, &[]);
    assert!(
        sandbox.path("pages/runner.1").exists() && sandbox.path("pages/runner-diff.1").exists()
    );
    // Two files with one name.
    sandbox
        .file("x/tests/same.shader_test", "mock pass")
        .file("y/tests/same.shader_test", "mock pass");
    sandbox.run(&["x", "y", "--mock"]).expect(2, &["two files are called `same`"]);
}

#[test]
fn selection() {
    let sandbox = sandbox();
    let table: &[(&[&str], &[&str])] = &[
        (&["-t", "a/p", "-t", "b/f"], &["suite/a/pass", "suite/b/fail"]),
        (&["-t", "a@pass"], &["suite/a/pass"]),
        (&["-t", "^suite/a", "-x", "skip", "-x", "warn"], &["suite/a/pass"]),
        (&["--test-list", "names"], &["suite/a/skip"]),
        (&["suite/b/fail.shader_test", "-t", "b/fail"], &["suite/b/fail"]),
        (&["--shard", "1/4", "-x", "flake"], &["suite/a/pass", "suite/b/fail"]),
    ];
    for (arguments, names) in table {
        sandbox.mock_run(arguments);
        let results = sandbox.results("out");
        let found: Vec<&str> =
            results[1..].iter().map(|result| result["test"].as_str().unwrap()).collect();
        assert_eq!(found, *names, "{arguments:?}");
    }
}

#[test]
fn rows_of_a_rerun_that_have_no_test_any_more_are_missing() {
    let sandbox = sandbox();
    sandbox.mock_run(&["-t", "b/"]).expect(1, &[]);
    fs::remove_file(sandbox.path("suite/b/fail.shader_test")).unwrap();
    let ran = sandbox.run(&["rerun", "out", "--out", "again"]);
    ran.expect(1, &["missing [reference] suite/b/fail"]);
    let expected = [
        "suite/b/crash crash unexpected",
        "suite/b/fail skip missing",
        "suite/b/steps timeout unexpected",
    ];
    assert_eq!(sandbox.outcomes("again"), expected);
    // A rerun that was killed knows which results it was to run.
    let file = sandbox.path("again/results.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.lines().take(2).map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    sandbox.run(&["resume", "again"]).expect(1, &["missing [reference] suite/b/fail"]);
    assert_eq!(sandbox.outcomes("again"), expected);
}

#[test]
fn the_end_of_a_run_says_what_to_do() {
    let sandbox = sandbox();
    sandbox.mocks(&[("d/long", "sleep 4000")]);
    let ran = sandbox.mock_run(&["-x", "flake", "-j", "2"]);
    ran.expect(
        1,
        &[
            "\n    runner suite/b/fail.shader_test --reference-only --mock\n\n",
            "\nslowest:\n    ",
            " s  suite/d/long [reference]\n",
            "\nnot as expected:\ncrash   [reference] suite/b/crash\nfail    [reference] suite/b/fail\n\
             timeout [reference] suite/b/steps\n\n",
            "\nto expect this: runner expect update out --add --baseline FILE\n",
        ],
    );
    // Without a terminal progress comes in plain lines.
    assert!(
        ran.err.contains("[6/7] skip: 1, warn: 1, pass: 1, fail: 1, crash: 1, timeout: 1; "),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains(" tests/s, about ")
            && ran.err.contains("; at work: suite/d/long [reference] "),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains('\u{1b}'), "{}", ran.err);
    assert_eq!(
        ran.summary(),
        "[7/7] skip: 1, warn: 1, pass: 2, fail: 1, crash: 1, timeout: 1; expected: 4, unexpected: 3"
    );
    // The command makes a baseline.
    sandbox.run(&["expect", "update", "out", "--add", "--baseline", "made"]).expect(0, &[]);
    sandbox.mock_run(&["-x", "flake|long", "--baseline", "made"]).expect(0, &[]);
}

/// On a terminal there is a bar, with counts, rate, remaining time and the test cases that run
/// longest.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_bar() {
    use std::process::Command;
    let sandbox = sandbox();
    sandbox.mocks(&[("d/long", "sleep 4000")]);
    let runner = env!("CARGO_BIN_EXE_runner");
    let line =
        format!("stty cols 120; '{runner}' suite --mock --reference-only -j 2 -x flake --out out");
    let mut command = Command::new("script");
    match command.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.root()).output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            for part in [
                "6/7 ",
                "/s eta ",
                "skip: 1, warn: 1, pass: 1, fail: 1",
                "at work: suite/d/long [reference] ",
            ] {
                assert!(text.contains(part), "{part} in {text}");
            }
            let last = "[7/7] skip: 1, warn: 1, pass: 2, fail: 1, crash: 1, timeout: 1; \
                        expected: 4, unexpected: 3\u{1b}[0m";
            assert!(text.trim_end().ends_with(last), "{text}");
        }
        Err(_) => eprintln!("script is not installed: the bar was not looked at"),
    }
}

/// Results do not land among the tests.
#[test]
fn results_among_tests() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a/pass", "pass")]);
    sandbox.file("shaders/a.frag", "void main() {}\n").file("empty/notes", "");
    let files = || {
        let all = walkdir::WalkDir::new(sandbox.root()).into_iter().flatten();
        all.map(|entry| entry.path().to_owned()).collect::<Vec<_>>()
    };
    let before = files();
    for out in ["suite", "suite/a", "."] {
        let run = ["suite", "--mock", "--reference-only", "--out", out];
        let test =
            if out == "suite" { "(suite); give" } else { "pass.shader_test); give --out another" };
        sandbox.run(&run).expect(2, &[&format!("cannot write {out}: the tests are there ("), test]);
    }
    let run = ["shaders", "suite", "--compile-only", "--gen", "ivb", "--out", "shaders"];
    sandbox.run(&run).expect(2, &["cannot write shaders: the tests are there (shaders); give"]);
    assert_eq!(files(), before);
    // Earlier results may lie below the folder, and other files in it.
    sandbox.run(&["suite", "--mock", "--reference-only", "--out", "empty/run"]).expect(0, &[]);
    sandbox.run(&["suite", "--mock", "--reference-only", "--out", "empty"]).expect(0, &[]);
}
