//! `runner history`: what runs record, and what it tells about them.

use std::fs;

use crate::support::{GREEN, Sandbox, red};

/// Four runs: `a` passes and breaks in the third, `b` fails from the start.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("tests/suite/a.shader_test", GREEN).file("tests/suite/b.shader_test", red());
    for number in 1..=4 {
        if number == 3 {
            sandbox.file("tests/suite/a.shader_test", red());
        }
        sandbox
            .run(&["tests/suite", "--gen", "ivb", "--out", &format!("run{number}")])
            .expect(1, &[]);
    }
    sandbox
}

#[test]
fn every_run_is_recorded() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["history"]);
    ran.expect(0, &["time (UTC)"]);
    let names: Vec<&str> =
        ran.out.lines().skip(1).map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names, ["run1", "run2", "run3", "run4"]);
    // A part of a run is none, and the whole is recorded when it is joined.
    for shard in ["1/2", "2/2"] {
        let out = format!("shard{}", &shard[..1]);
        sandbox
            .run(&["tests/suite", "--gen", "ivb", "--shard", shard, "--out", &out])
            .expect(1, &[]);
    }
    assert_eq!(sandbox.run(&["history"]).out.lines().count(), 5);
    sandbox.run(&["merge", "shard1", "shard2", "--out", "whole"]).expect(1, &[]);
    assert!(sandbox.run(&["history"]).out.ends_with("  whole\n"));
    sandbox
        .run(&["history", "--import", "shard1", "run1"])
        .expect(0, &["shard1: left out: a shard", "run1: known already"]);
}

#[test]
fn one_test_over_time() {
    let sandbox = sandbox();
    let ran = sandbox.run(&["history", "suite/a"]);
    ran.expect(0, &["suite/a [ivb]: fail since run3 (", "before: pass in run2 (", "instructions "]);
    let statuses: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.contains(" instructions  run"))
        .map(|line| line.split_whitespace().nth(3).unwrap())
        .collect();
    assert_eq!(statuses, ["pass", "pass", "fail", "fail"]);
    assert!(ran.out.contains('▁'), "a trend: {}", ran.out);
    sandbox
        .run(&["history", "b"])
        .expect(0, &["suite/b [ivb]: fail since run1", "it never passed"]);
    sandbox.run(&["history", "c"]).expect(3, &["no run has a test whose name contains `c`"]);
    let ran = sandbox.run(&["history", "--failing"]);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    // One revision, one set of options, two verdicts.
    let ran = sandbox.run(&["history", "--flaky"]);
    assert_eq!(ran.out, "suite/a [ivb]: 1 change in 4 results\n");
}

#[test]
fn runs_of_elsewhere_are_imported() {
    let sandbox = sandbox();
    // The history tells times in seconds: these two are further apart.
    let file = fs::File::options().append(true).open(sandbox.path("run1/results.jsonl")).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(3600)).unwrap();
    let all =
        ["history", "--file", "other/h.sqlite", "--import", "run4", "run1/results.jsonl", "run1"];
    let ran = sandbox.run(&all);
    ran.expect(0, &["run4: 2 results", "run1/results.jsonl: 2 results", "run1: known already"]);
    let list = sandbox.run(&["history", "--file", "other/h.sqlite"]).out;
    let names: Vec<&str> =
        list.lines().skip(1).map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names, ["run1", "run4"], "by the time they were written");
    sandbox
        .run(&["history", "--file", "nowhere.sqlite"])
        .expect(2, &["error: nowhere.sqlite: no run is recorded yet"]);
    let empty = Sandbox::new();
    empty.run(&["history"]).expect(2, &["error: results/history.sqlite: no run is recorded yet"]);
    sandbox.run(&["history", "--import", "nowhere"]).expect(2, &["cannot read nowhere"]);
}

/// A damaged history leads to a warning and harms no run.
#[test]
fn damaged_histories() {
    let sandbox = sandbox();
    let path = sandbox.path("results/history.sqlite");
    let whole = fs::read(&path).unwrap();
    let mut later = whole.clone();
    // The user version of SQLite's header.
    later[60..64].copy_from_slice(&9u32.to_be_bytes());
    let mut overwritten = whole.clone();
    overwritten[4096..].fill(0xa5);
    let cases: [(&[u8], &str); 4] = [
        (b"not a database at all, but long enough to be mistaken for one by a careless reader...", ""),
        (&whole[..whole.len() / 2], ""),
        (&later, "format 9 is not one this runner knows"),
        (&overwritten, ""),
    ];
    for (number, (bytes, message)) in cases.into_iter().enumerate() {
        fs::write(&path, bytes).unwrap();
        let arguments =
            ["tests/suite", "-t", "/b", "--gen", "ivb", "--out", &format!("after{number}")];
        let ran = sandbox.run(&arguments);
        ran.expect(
            1,
            &["warning: the run is not in the history: results/history.sqlite: ", message],
        );
        assert_eq!(ran.summary(), "[1/1] fail: 1; unexpected: 1");
        sandbox.run(&["history", "suite/a"]).expect(2, &["error: results/history.sqlite: "]);
    }
    fs::remove_file(&path).unwrap();
    sandbox.run(&["history", "--import", "run1", "run2"]).expect(0, &["run2: 2 results"]);
    fs::remove_dir_all(sandbox.path("results")).unwrap();
    sandbox.file("results", "a file in the way");
    sandbox
        .run(&["tests/suite", "-t", "/b", "--gen", "ivb", "--out", "last"])
        .expect(1, &["cannot write results"]);
}

/// Two runs that end at once are both recorded.
#[test]
fn two_runs_at_once() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    let start = |out: &str| {
        let mut command = sandbox.command(&["suite", "--reference-only", "--out", out]);
        command.stdout(std::process::Stdio::null()).spawn().unwrap()
    };
    let mut children: Vec<_> = ["r1", "r2", "r3", "r4"].map(start).into();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert_eq!(sandbox.run(&["history"]).out.lines().count(), 5);
}
