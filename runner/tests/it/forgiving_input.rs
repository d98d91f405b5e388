//! Input that is nearly right: suggestions, names in the place of paths, and messages that say what
//! to do.

use std::fs;

use crate::support::{GREEN, Sandbox, red};

/// A folder of tests in which names start after `tests`, as in this project.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("tests/suite/dir/green.shader_test", GREEN)
        .file("tests/suite/dir/red.shader_test", red());
    sandbox
}

#[test]
fn generations_in_any_case() {
    let sandbox = sandbox();
    sandbox.mocks(&[("a", "pass")]);
    sandbox.run(&["suite", "--mock", "--gen", "IVB,Skl", "--out", "out"]).expect(0, &["[2/2]"]);
    assert_eq!(sandbox.results("out")[0]["gens"], serde_json::json!(["ivb", "skl"]));
    sandbox.run(&["gens", "BDW"]).expect(0, &["GL_MAX_VERTEX_ATTRIBS = 16"]);
}

#[test]
fn misspelled_words() {
    let sandbox = sandbox();
    let test = "tests/suite/dir/green.shader_test";
    let show = |rest: &[&'static str]| [&["show", test, "--gen", "ivb"], rest].concat();
    let cases: [(&[&str], &str); 19] = [
        (
            &["lsit", "tests"],
            "error: lsit: No such file or directory; did you mean the command `list`?",
        ),
        (&["histroy"], "did you mean the command `history`?"),
        (&["tests", "--tiemout", "3"], "a similar argument exists: '--timeout'"),
        (&["expect", "updat", "x"], "a similar subcommand exists: 'update'"),
        (&["tests", "--gen", "ivbb"], "unknown generation `ivbb`: did you mean `ivb`?"),
        (&["tests", "--gen", "hsw,slk"], "unknown generation `slk`: did you mean `skl`?"),
        (&["tests", "--width", "SMID8"], "a similar value exists: 'SIMD8'"),
        (&["tests", "--backend", "scaler"], "a similar value exists: 'scalar'"),
        (&["tests", "--order", "slowest"], "a similar value exists: 'slowest-first'"),
        (
            &["tests", "--disable-pass", "OPT_DEC"],
            "unknown pass `OPT_DEC`: did you mean `opt_dce`?",
        ),
        (&["tests", "--disable-quirk", "ivb-3src-simd9"], "did you mean `ivb-3src-simd8`?"),
        (&["tests", "--pass-limit", "fragmnt=3"], "did you mean `fragment`?"),
        (&["fuzz", "--stage", "fragmnt"], "a similar value exists: 'fragment'"),
        (&show(&["--stage", "Geometri", "ir"]), "did you mean `geometry`?"),
        (&show(&["--stage", "frag", "ir"]), "did you mean `fragment`?"),
        (&show(&["programm"]), "did you mean `program`?"),
        (&show(&["ir=opt_dec"]), "did you mean `opt_dce`?"),
        (&["tests/siute"], "error: tests/siute: No such file or directory"),
        (&["./test"], "did you mean `tests`?"),
    ];
    for (arguments, text) in cases {
        sandbox.run(arguments).expect(2, &[text]);
    }
}

#[test]
fn misspelled_paths() {
    let sandbox = sandbox();
    for (path, meant) in [
        ("tests/siute", "tests/suite"),
        ("tests/suite/dir/geen.shader_test", "tests/suite/dir/green.shader_test"),
        ("suite/dir/geren", "suite/dir/green"),
        ("dir@rde", "dir/red"),
    ] {
        let ran = sandbox.run(&[path]);
        ran.expect(2, &[&format!("error: {path}: No such file or directory"), "did you mean `"]);
        // A name is completed by the root in which it was found.
        assert!(ran.err.contains(&format!("{meant}`?")), "{meant} in {}", ran.err);
    }
    assert!(!sandbox.path("results").exists(), "nothing ran");
}

/// Both forms of a test's and of a directory's name work where a path does.
#[test]
fn names_from_a_report_are_paths() {
    let sandbox = sandbox();
    sandbox.file("piglit/tests/spec/glsl-1.10/Mixed.shader_test", GREEN);
    sandbox.file("piglit/generated_tests/spec/glsl-1.10/b.shader_test", GREEN);
    let list = |names: &[&str]| {
        let mut command = sandbox.command(&[&["list"], names].concat());
        let output = command.env("PIGLIT_SOURCE_DIR", sandbox.path("piglit")).output().unwrap();
        crate::support::ran(&output)
    };
    for (name, tests) in [
        ("suite/dir/red", "suite/dir/red\n"),
        ("dir@red", "suite/dir/red\n"),
        ("suite/dir", "suite/dir/green\nsuite/dir/red\n"),
        ("tests/spec/glsl-1.10/Mixed", "tests/spec/glsl-1.10/Mixed\n"),
        ("spec@glsl-1.10@mixed", "tests/spec/glsl-1.10/Mixed\n"),
        ("spec@glsl-1.10", "generated_tests/spec/glsl-1.10/b\ntests/spec/glsl-1.10/Mixed\n"),
    ] {
        let ran = list(&[name]);
        ran.expect(0, &[&format!("note: {name}: ")]);
        assert_eq!(ran.out, tests, "{name}");
    }
    // A path is no name, and needs no note.
    let ran = list(&["tests/suite/dir"]);
    assert_eq!((&*ran.out, &*ran.err), ("suite/dir/green\nsuite/dir/red\n", ""));
    sandbox.run(&["show", "suite/dir/red", "--gen", "IVB", "glsl"]).expect(0, &["// fragment"]);
    sandbox
        .run(&["reduce", "dir@red", "--reference-only", "--steps", "2"])
        .expect(0, &["[require]"]);
}

/// Names of the latest run lead to its paths, and a run's record holds what its names meant.
#[test]
fn names_of_the_latest_run() {
    let sandbox = sandbox();
    sandbox.file("far/loose/a.shader_test", GREEN).file("far/loose/b.shader_test", red());
    sandbox.run(&["loose/a"]).expect(2, &["loose/a: No such file or directory, nor a test"]);
    sandbox.run(&["far/loose", "--reference-only"]).expect(1, &["loose/b probe: "]);
    sandbox
        .run(&["loose/b", "--reference-only", "--out", "one"])
        .expect(1, &["note: loose/b: ", "far/loose/b.shader_test", "[1/1] fail: 1"]);
    fs::remove_dir_all(sandbox.path("results")).unwrap();
    sandbox.run(&["rerun", "one", "--out", "two"]).expect(1, &["[1/1] fail: 1"]);
    // A record without paths, as older versions wrote it.
    let record = fs::read_to_string(sandbox.path("one/run.json")).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&record).unwrap();
    record.as_object_mut().unwrap().remove("paths").expect("paths");
    record["arguments"] = serde_json::json!(["far/loose", "--reference-only"]);
    sandbox.file("one/run.json", record.to_string());
    sandbox.run(&["rerun", "one", "--out", "three"]).expect(1, &["[1/1] fail: 1"]);
}

#[test]
fn history_of_directories_and_parts_of_names() {
    let sandbox = sandbox();
    sandbox.run(&["tests", "--reference-only"]).expect(1, &[]);
    for text in ["suite/dir", "suite/dir/", "DIR", "dir@", "re"] {
        let ran = sandbox.run(&["history", text]);
        ran.expect(0, &["suite/dir/green [reference]: pass\n", "suite/dir/red [reference]: fail"]);
        assert_eq!(ran.out.lines().count(), 2, "{text}: {}", ran.out);
    }
    // One test is shown with its results.
    sandbox
        .run(&["history", "gree"])
        .expect(0, &["suite/dir/green [reference]: pass\n", " instructions  "]);
    sandbox.run(&["history", "suite/dir/geren"]).expect(3, &["did you mean `suite/dir/green`?"]);
    sandbox
        .run(&["history", "nothing"])
        .expect(3, &["error: no run has a test whose name contains `nothing`\n"]);
}

#[test]
fn folders_without_a_selected_test() {
    let sandbox = sandbox();
    sandbox.file("empty/readme.txt", "nothing");
    for command in [&[][..], &["list"], &["coverage"], &["bisect"]] {
        let run = |rest: &[&str]| sandbox.run(&[command, rest].concat());
        run(&["empty"]).expect(3, &["error: no tests are selected: no test below empty\n"]);
        run(&["tests", "-t", "zzz"]).expect(
            3,
            &["-t, -x and --test-list leave out all 2 below tests; `runner list tests` prints"],
        );
    }
}

#[test]
fn files_that_are_no_tests() {
    let sandbox = sandbox();
    sandbox.run(&["tests", "--reference-only", "--out", "out"]).expect(1, &[]);
    sandbox.file("notes.txt", "see tests\n").file("saved.txt", GREEN);
    sandbox.run(&["notes.txt"]).expect(
        2,
        &["error: notes.txt: not a test: its name does not end in .shader_test, and it has no [require]"],
    );
    sandbox
        .run(&["out/results.jsonl"])
        .expect(2, &["not a test: these are the results of a run; `runner rerun RUN`"]);
    // Any name will do for a file with the contents of a test.
    sandbox.run(&["saved.txt", "--reference-only"]).expect(0, &["[1/1] pass: 1"]);
}

/// A run replaces an earlier run in the folder of `--out`, and nothing of another program.
#[test]
fn folders_of_other_programs() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    for name in ["results.jsonl", "junit.xml"] {
        sandbox.file(&format!("out/{name}"), "theirs\n");
        let message = format!("cannot write out/{name}: it is there already, and not from a run");
        sandbox.mock_run(&[]).expect(2, &[&message, "give --out another folder"]);
        assert_eq!(fs::read_to_string(sandbox.path(&format!("out/{name}"))).unwrap(), "theirs\n");
        fs::remove_file(sandbox.path(&format!("out/{name}"))).unwrap();
    }
    sandbox.file("out/log.txt", "theirs\n");
    for _ in 0..2 {
        sandbox.mock_run(&[]).expect(0, &["[1/1] pass: 1"]);
    }
    // A run whose record was lost is a run.
    fs::remove_file(sandbox.path("out/run.json")).unwrap();
    sandbox.mock_run(&[]).expect(0, &["[1/1] pass: 1"]);
    for command in ["diff", "summary", "report", "rerun"] {
        let mut arguments = vec![command, "suite"];
        arguments.extend((command == "diff").then_some("out"));
        arguments.extend((command == "report").then_some(["--out", "html"]).iter().flatten());
        let ran = sandbox.run(&arguments);
        assert_eq!(ran.code, 2, "{ran:#?}");
        let is_clear = ran.err.contains("not the folder of a run: it has no results.jsonl")
            || ran.err.contains("suite/run.json");
        assert!(is_clear, "{ran:#?}");
    }
}
