//! `runner import`: results of piglit and deqp-runner, and what `runner diff` makes of them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Command;

use crate::support::{GREEN, Sandbox, red};

/// piglit's statuses from good to bad, then those that it leaves out of comparisons; the last one
/// is a test that the file does not have.
const STATUSES: [&str; 11] = [
    "pass",
    "warn",
    "dmesg-warn",
    "fail",
    "dmesg-fail",
    "timeout",
    "crash",
    "incomplete",
    "skip",
    "notrun",
    "absent",
];

/// Verdicts of `runner diff` on each pair, old status by line, new status by column:
/// **R**egression, **N**ew failure, **F**ix, **O**ther, **n**ew, or the same.
const OURS: [&str; 11] = [
    "=RRRRRRRRRR",
    "F=RRRRRRRRR",
    "FF=RRRRRRRR",
    "FFF=RRRRORR",
    "FFFO=RRRORR",
    "FFFOO=RRORR",
    "FFFOOO=RORR",
    "FFFNNNN=n==",
    "FFFRRRRR=RR",
    "nnnNNNN=n==",
    "nnnNNNN=n==",
];

fn name(old: &str, new: &str) -> String {
    format!("p@{old}@{new}")
}

/// piglit's `results.json` with a test for each pair of statuses, as it was before or is now.
fn piglit_json(now: bool) -> String {
    let mut tests = serde_json::Map::new();
    for old in STATUSES {
        for new in STATUSES {
            let status = if now { new } else { old };
            if status != "absent" {
                let test = serde_json::json!({
                    "__type__": "TestResult", "result": status, "returncode": 0, "subtests": {"__type__": "Subtests"},
                    "time": {"__type__": "TimeAttribute", "start": 1.0, "end": 1.5}, "out": "", "err": "",
                    "command": "", "environment": "", "dmesg": "", "exception": null, "traceback": null,
                    "images": null, "pid": [],
                });
                tests.insert(name(old, new), test);
            }
        }
    }
    let time = serde_json::json!({"__type__": "TimeAttribute", "start": 1.0, "end": 2.0});
    serde_json::json!({
        "__type__": "TestrunResult", "results_version": 10, "name": "run", "options": {}, "tests": tests,
        "time_elapsed": time, "info": {"system": {}}, "totals": {},
    })
    .to_string()
}

/// Returns whether piglit's summary calls a pair a regression, and whether a fix: both tests ran,
/// and the order decides.
fn piglit_says(old: usize, new: usize) -> (bool, bool) {
    let ran = old < 8 && new < 8;
    (ran && new > old, ran && new < old)
}

#[test]
fn the_table_of_piglits_statuses() {
    let sandbox = Sandbox::new();
    sandbox
        .file("before/results.json", piglit_json(false))
        .file("now/results.json", piglit_json(true));
    for run in ["before", "now"] {
        let file = format!("{run}/results.json");
        let arguments = ["import", &file, "--gen", "ivb", "--out", &format!("our-{run}")];
        sandbox.run(&arguments).expect(0, &["pass: "]);
    }
    let diff = sandbox.run(&["diff", "our-before", "our-now", "--format", "json"]);
    assert_eq!(diff.code, 1);
    let value: serde_json::Value = serde_json::from_str(&diff.out).unwrap();
    let changes: BTreeMap<&str, &str> = value["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["test"].as_str().unwrap(), change["change"].as_str().unwrap()))
        .collect();
    for (i, old) in STATUSES.iter().enumerate() {
        for (j, new) in STATUSES.iter().enumerate() {
            let ours = match changes.get(&*name(old, new)).copied() {
                Some("regression") => 'R',
                Some("new-failure") => 'N',
                Some("fix") => 'F',
                Some("other") => 'O',
                Some("new") => 'n',
                _ => '=',
            };
            assert_eq!(Some(ours), OURS[i].chars().nth(j), "{old} -> {new}");
            // Never more lenient: what is a regression there is one here, what is a fix here is one
            // there or left out.
            let (regression, fix) = piglit_says(i, j);
            assert!(!regression || ours == 'R', "{old} -> {new}");
            assert!(ours != 'F' || fix || *old == "skip", "{old} -> {new}");
        }
    }
    let summary = sandbox.run(&["summary", "our-before", "our-now"]);
    summary.expect(0, &["p@pass@fail [ivb]: pass fail\n", "p@absent@pass [ivb]: missing pass\n"]);
}

/// The same from piglit itself.
#[test]
fn what_piglit_says() {
    let sandbox = Sandbox::new();
    sandbox
        .file("before/results.json", piglit_json(false))
        .file("now/results.json", piglit_json(true));
    for (option, which) in [("-r", 0), ("-g", 1)] {
        let command = Command::new("piglit")
            .args(["summary", "console", option, "before", "now"])
            .current_dir(sandbox.root())
            .output();
        let Ok(output) = command else {
            eprintln!("PIGLIT IS NOT INSTALLED: its summary was not compared with ours");
            return;
        };
        let out = String::from_utf8_lossy(&output.stdout);
        let listed: BTreeSet<&str> = out
            .lines()
            .filter_map(|line| line.strip_prefix("p/")?.split_once(": ").map(|(name, _)| name))
            .collect();
        for (i, old) in STATUSES.iter().enumerate() {
            for (j, new) in STATUSES.iter().enumerate() {
                let says = [piglit_says(i, j).0, piglit_says(i, j).1][which];
                assert_eq!(
                    listed.contains(&*format!("{old}/{new}")),
                    says,
                    "{option} {old} -> {new}: {out}"
                );
            }
        }
    }
}

#[test]
fn compressed_results_and_subtests() {
    let sandbox = Sandbox::new();
    let pack = |text: &str| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let json = |part: &str| {
        format!(
            r#"{{"tests": {{"a": {{"result": "fail", "subtests": {{"x": "fail", "y": "{part}"}}}}}}}}"#
        )
    };
    sandbox.file("old.json.bz2", pack(&json("pass"))).file("new.json", json("fail"));
    sandbox
        .run(&["import", "old.json.bz2", "--gen", "skl", "--out", "old"])
        .expect(0, &["[1/1] fail: 1"]);
    sandbox
        .run(&["import", "new.json", "--gen", "skl", "--out", "new"])
        .expect(0, &["[1/1] fail: 1"]);
    sandbox.run(&["diff", "old", "new"]).expect(1, &["regressions: 1\n  a@y [skl]: pass -> fail"]);
    let packed = pack(&json("pass"));
    sandbox.file("cut.json.bz2", &packed[..packed.len() / 2]);
    sandbox
        .run(&["import", "cut.json.bz2", "--gen", "skl"])
        .expect(2, &["cut.json.bz2: not a bzip2 file: "]);
}

/// deqp-runner's three files: all results, those that were not as expected, and what it takes as a
/// baseline.
#[test]
fn deqp_runners_files() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb", "--out", "ours"]).expect(1, &[]);
    let failures =
        "spec@x@a,Crash\nspec@x@b,Fail\nspec@x@c,UnexpectedImprovement(Pass)\nspec@x@d,Timeout\n";
    sandbox.file("failures.csv", failures);
    sandbox
        .run(&["import", "failures.csv", "--gen", "ivb", "--out", "failures"])
        .expect(0, &["[4/4] pass: 1, fail: 1, crash: 1, timeout: 1"]);
    // Our results as deqp-runner reads a baseline: name and status before the second comma.
    let csv = std::fs::read_to_string(sandbox.path("ours/results.ivb.csv")).unwrap();
    let line = regex::Regex::new(r"^([^,]+),(Pass|Fail|Crash|Timeout|Skip|Warn|Missing),\d+\.\d+$")
        .unwrap();
    assert!(csv.lines().count() == 2 && csv.lines().all(|l| line.is_match(l)), "{csv}");
    sandbox
        .run(&["import", "ours/results.ivb.csv", "--gen", "ivb", "--out", "again"])
        .expect(0, &[]);
    sandbox.run(&["diff", "again", "ours"]).expect(0, &["2 -> 2 results, 2 the same"]);
}

#[test]
fn what_is_none_of_these_files() {
    let sandbox = Sandbox::new();
    let cases: [(&[u8], &str); 8] = [
        (b"nonsense\n", "line 1: not name,Status,seconds"),
        (b"a,Pass,1\nb,Sunny,1\n", "line 2: not name,Status,seconds"),
        (b"a,Pass,1\na,Fail,1\n", "line 2: a second, different result of a"),
        (b"{\"tests\": 3}", "not piglit's results.json"),
        (b"{\"tests\": {\"a\": {\"result\": \"pass\"", "not piglit's results.json"),
        (b"caf\xe9,Pass,1\n", "invalid UTF-8 at byte 3"),
        (b"BZh9 and then something else", "not a bzip2 file"),
        (b",Pass,1\n", "line 1: not name,Status,seconds"),
    ];
    for (number, (bytes, message)) in cases.into_iter().enumerate() {
        sandbox.file("bad", bytes);
        let out = format!("out{number}");
        sandbox
            .run(&["import", "bad", "--gen", "ivb", "--out", &out])
            .expect(2, &[&format!("bad: {message}")]);
        assert!(!sandbox.path(&out).exists(), "nothing is left behind");
    }
    sandbox.file("odd.csv", "<&\"'\u{1b}>,Fail,1\n\"a,\"\"b\"\"\",Pass,1\n");
    sandbox
        .run(&["import", "odd.csv", "--gen", "ivb", "--out", "odd"])
        .expect(0, &["[2/2] pass: 1, fail: 1"]);
    let names: Vec<String> =
        sandbox.results("odd")[1..].iter().map(|result| result["test"].to_string()).collect();
    assert_eq!(names, ["\"<&\\\"'\\u001b>\"", "\"a,\\\"b\\\"\""]);
}

/// An imported run says whose it is: driver, revision and output of the other runner, not ours; and
/// which of its names no test has.
#[test]
fn the_origin_of_imported_results() {
    let sandbox = Sandbox::new();
    let glxinfo = "name of display: :0\n    OpenGL renderer string: Mesa Intel(R) HD Graphics 4000\n\
                   OpenGL core profile version string: 4.2 (Core Profile) Mesa 22.0.0 (git-0123abcd99)\n";
    let file = serde_json::json!({
        "results_version": 10, "name": "night", "info": {"system": {"glxinfo": glxinfo}},
        "tests": {
            "a": {"result": "fail", "out": "Probe color at (0,0)\n  Observed: 1\nPIGLIT: {\"result\": \"fail\" }",
                  "err": "assertion"},
            "nowhere@b": {"result": "pass", "out": "noise"},
            "c": {"result": "dmesg-fail", "err": "hang\u{1b}[2J"},
        },
    });
    sandbox.file("results.json", file.to_string()).file("suite/a.shader_test", GREEN);
    let arguments = ["import", "results.json", "--gen", "ivb", "--tests", "suite", "--out", "gpu"];
    sandbox.run(&arguments).expect(
        0,
        &["no test is called `nowhere@b`", "no test is called `c`", "[3/3] pass: 1, fail: 2"],
    );
    let lines = sandbox.results("gpu");
    assert_eq!(lines[0]["revision"], "0123abcd99");
    let driver = "Mesa Intel(R) HD Graphics 4000, 4.2 (Core Profile) Mesa 22.0.0 (git-0123abcd99)";
    let expected = serde_json::json!({
        "runner": "piglit", "name": "night", "driver": driver, "revision": "0123abcd99",
    });
    assert_eq!(lines[0]["imported"], expected);
    let reason = |test: &str| {
        let result = lines.iter().find(|line| line["test"] == test).expect("a result");
        result["reason"].as_str().map(str::to_owned)
    };
    let output = "Probe color at (0,0)\n  Observed: 1\nassertion";
    assert_eq!(reason("suite/a").as_deref(), Some(output));
    assert_eq!(reason("c").as_deref(), Some("dmesg-fail\nhang\u{1b}[2J"));
    assert_eq!(reason("nowhere@b"), None);
    let unmatched = std::fs::read_to_string(sandbox.path("gpu/unmatched.txt")).unwrap();
    assert_eq!(unmatched, "c\nnowhere@b\n");
    sandbox.run(&["report", "gpu", "--out", "html"]).expect(0, &[]);
    let page = std::fs::read_to_string(sandbox.path("html/index.html")).unwrap();
    assert!(page.contains("imported from piglit") && page.contains("HD Graphics 4000"), "{page}");
    // deqp-runner records neither.
    sandbox.file("results.csv", "a,Pass,0.5\n");
    let arguments = ["import", "results.csv", "--gen", "ivb", "--out", "csv", "--driver", "crocus"];
    sandbox.run(&arguments).expect(0, &["[1/1] pass: 1"]);
    let header = &sandbox.results("csv")[0];
    assert_eq!(header["revision"], serde_json::Value::Null);
    assert_eq!(
        header["imported"],
        serde_json::json!({"runner": "deqp-runner", "driver": "crocus"})
    );
}
