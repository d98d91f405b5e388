//! Runs in parts: shards and their merge, runs that were killed and resumed, repetitions of
//! failures.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{GREEN, Sandbox, red};

/// Thirty tests, every seventh of which fails.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        let text = if number % 7 == 3 { red() } else { GREEN.to_owned() };
        sandbox.file(&format!("suite/t{number:02}.shader_test"), text);
    }
    sandbox
}

/// A file of a run with the durations blanked.
fn untimed(sandbox: &Sandbox, name: &str) -> String {
    let text = fs::read_to_string(sandbox.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let time = regex::Regex::new(r#""duration_us":\d+|,\d+\.\d+\n| time(stamp)?="[^"]*""#).unwrap();
    time.replace_all(&text, "T").into_owned()
}

#[track_caller]
fn assert_same_run(sandbox: &Sandbox, a: &str, b: &str) {
    for file in ["results.jsonl", "results.reference.csv", "junit.xml"] {
        assert_eq!(
            untimed(sandbox, &format!("{a}/{file}")),
            untimed(sandbox, &format!("{b}/{file}")),
            "{file}"
        );
    }
}

fn shards(sandbox: &Sandbox, more: &[&str]) -> Vec<String> {
    let folders: Vec<String> = (1..=4).map(|k| format!("shard{k}")).collect();
    for (k, folder) in (1..).zip(&folders) {
        let shard = format!("{k}/4");
        let arguments =
            [&["suite", "--reference-only", "--out", folder, "--shard", &shard], more].concat();
        assert!(sandbox.run(&arguments).code < 2);
    }
    folders
}

fn merge(sandbox: &Sandbox, folders: &[&str]) -> crate::support::Ran {
    sandbox.run(&[&["merge", "--out", "merged"], folders].concat())
}

#[test]
fn shards_merge_into_the_whole_run() {
    for balanced in [false, true] {
        let sandbox = sandbox();
        sandbox.run(&["suite", "--reference-only", "--out", "whole"]).expect(1, &[]);
        let more: &[&str] = if balanced { &["--durations", "whole"] } else { &[] };
        let folders = shards(&sandbox, more);
        let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
        let merged = merge(&sandbox, &folders);
        merged.expect(1, &[]);
        assert_eq!(merged.summary(), "[30/30] pass: 26, fail: 4; expected: 26, unexpected: 4");
        assert_same_run(&sandbox, "whole", "merged");
        let header = &sandbox.results("shard1")[0]["shard"];
        assert_eq!((&header["count"], &header["rows"]), (&4.into(), &30.into()));
        assert_eq!(header["durations"].is_string(), balanced);
    }
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let sandbox = sandbox();
    let run = |out: &str, more: &[&str]| {
        sandbox.run(&[&["suite", "--reference-only", "--out", out], more].concat());
    };
    run("one", &["--shard", "1/2"]);
    run("two", &["--shard", "2/2"]);
    run("whole", &[]);
    run("three", &["--shard", "1/3"]);
    run("balanced", &["--shard", "2/2", "--durations", "whole"]);
    run("fewer", &["--shard", "2/2", "-x", "t00"]);
    run("other", &["--shard", "2/2", "--shade", "all"]);
    run("stopped", &["--shard", "2/2", "--max-fails", "1", "-j", "1"]);
    for (folders, message) in [
        (&["one"][..], "shards are missing: 2"),
        (&["one", "one"], "are both shard 1"),
        (&["one", "whole"], "whole/results.jsonl is not a shard"),
        (&["one", "three"], "numbers of shards differ"),
        (&["one", "balanced"], "files of durations differ"),
        (&["one", "fewer"], "selections of tests differ"),
        (&["one", "other"], "options differ"),
        (&["one", "stopped"], "stopped/results.jsonl is unfinished: 2 of 15 results"),
        (&["one", "nowhere"], "cannot read nowhere"),
    ] {
        merge(&sandbox, folders).expect(2, &[message]);
    }
    merge(&sandbox, &["two", "one"]).expect(1, &["[30/30]"]);
    sandbox.run(&["resume", "stopped"]).expect(1, &[]);
    merge(&sandbox, &["one", "stopped"]).expect(1, &["[30/30]"]);
}

#[test]
fn engines_choose_shards() {
    let sandbox = sandbox();
    let run = |out: &str, variables: &[(&str, &str)]| {
        let mut command =
            sandbox.command(&["suite", "--reference-only", "--out", out, "--shard", "auto"]);
        command.envs(variables.iter().copied());
        crate::support::ran(&command.output().unwrap())
    };
    run("slurm", &[("SLURM_ARRAY_TASK_ID", "2"), ("SLURM_ARRAY_TASK_COUNT", "3")]);
    assert_eq!(sandbox.results("slurm")[0]["shard"]["index"], 3);
    run("gitlab", &[("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "3")]);
    assert_eq!(sandbox.results("gitlab")[0]["shard"]["index"], 1);
    let status = sandbox.path("status").display().to_string();
    let xml = sandbox.path("test.xml").display().to_string();
    let bazel = [
        ("TEST_SHARD_INDEX", "1"),
        ("TEST_TOTAL_SHARDS", "3"),
        ("TEST_SHARD_STATUS_FILE", &status),
        ("XML_OUTPUT_FILE", &xml),
    ];
    run("bazel", &bazel);
    assert!(sandbox.path("status").exists());
    assert_eq!(
        fs::read(sandbox.path("test.xml")).unwrap(),
        fs::read(sandbox.path("bazel/junit.xml")).unwrap()
    );
    merge(&sandbox, &["slurm", "gitlab", "bazel"]).expect(1, &["[30/30]"]);
    run("none", &[]).expect(2, &["--shard auto: no engine's variables are set"]);
    // More shards than tests: the empty one is as expected.
    sandbox
        .run(&["suite", "-t", "t00", "--reference-only", "--shard", "9/9"])
        .expect(0, &["[0/0]"]);
}

/// A run killed at any moment is completed by `resume`, into the same files.
#[test]
fn killed_runs_are_resumed() {
    let sandbox = sandbox();
    sandbox.run(&["suite", "--reference-only", "--out", "whole"]).expect(1, &[]);
    for round in 0..8usize {
        let out = format!("killed{round}");
        let mut child = sandbox
            .command(&["suite", "--reference-only", "-j", "1", "--out", &out])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = || {
            fs::read_to_string(sandbox.path(&out).join("results.jsonl"))
                .unwrap_or_default()
                .lines()
                .count()
        };
        let start = Instant::now();
        let has_record = || sandbox.path(&out).join("run.json").exists();
        while (!has_record() || lines() < 1 + round * 3)
            && start.elapsed() < Duration::from_secs(60)
        {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Started from elsewhere: the run knows where its paths begin.
        let elsewhere = tempfile::tempdir().unwrap();
        let path = sandbox.path(&out).display().to_string();
        let resumed =
            sandbox.command(&["resume", &path]).current_dir(elsewhere.path()).output().unwrap();
        assert_eq!(resumed.status.code(), Some(1), "{:?}", crate::support::ran(&resumed));
        assert_same_run(&sandbox, "whole", &out);
    }
}

#[test]
fn a_line_cut_short_is_run_again() {
    let sandbox = sandbox();
    sandbox.run(&["suite", "--reference-only", "--out", "whole"]);
    sandbox.run(&["suite", "--reference-only", "--out", "cut"]);
    let file = sandbox.path("cut/results.jsonl");
    let text = fs::read(&file).unwrap();
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    sandbox.run(&["resume", "cut"]).expect(1, &["was cut short and is run again"]);
    assert_same_run(&sandbox, "whole", "cut");
    // Nothing is left to do, and the verdict stays.
    sandbox.run(&["resume", "cut"]).expect(1, &["[30/30] pass: 26, fail: 4"]);
    let newer = String::from_utf8(text).unwrap().replacen("\"format\":1", "\"format\":2", 1);
    fs::write(&file, &newer).unwrap();
    sandbox.run(&["resume", "cut"]).expect(2, &["format 2 is newer than this runner"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), newer, "left alone");
    sandbox.run(&["resume", "suite"]).expect(2, &["run.json"]);
}

#[test]
fn failures_are_repeated() {
    let sandbox = sandbox();
    sandbox.run(&["suite", "--reference-only"]).expect(1, &[]);
    sandbox.run(&["rerun", "--out", "again"]).expect(1, &["[4/4] fail: 4"]);
    sandbox.file("suite/t03.shader_test", GREEN).file("suite/t10.shader_test", GREEN);
    sandbox.run(&["rerun", "again", "--out", "third"]).expect(1, &["[4/4] pass: 2, fail: 2"]);
    sandbox.run(&["suite", "-t", "t03", "--reference-only", "--out", "good"]).expect(0, &[]);
    sandbox.run(&["rerun", "good"]).expect(0, &["nothing to run again"]);
}

#[test]
fn what_failed_last_runs_first() {
    let sandbox = sandbox();
    sandbox.run(&["suite", "--reference-only"]);
    let arguments =
        ["suite", "--reference-only", "-j", "1", "--order", "last-failed", "--max-fails", "4"];
    let ran = sandbox.run(&arguments);
    ran.expect(1, &["stopped before the end"]);
    assert_eq!(ran.summary(), "[4/30] fail: 4; unexpected: 4");
}

/// The array script of `deploy/`, with this machine in the place of a cluster.
#[cfg(unix)]
#[test]
fn the_slurm_script_runs_all_shards() {
    let sandbox = sandbox();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/slurm.sh");
    for task in 1..=3 {
        let mut command = std::process::Command::new("sh");
        command.args([script, env!("CARGO_BIN_EXE_runner"), "out", "suite", "--reference-only"]);
        command.envs([("SLURM_ARRAY_TASK_COUNT", "3"), ("SLURM_ARRAY_TASK_MIN", "1")]);
        command.env("SLURM_ARRAY_TASK_ID", task.to_string()).current_dir(sandbox.root());
        let ran = crate::support::ran(&command.output().unwrap());
        assert_eq!(ran.code, 0, "failing tests do not fail the task: {ran:#?}");
    }
    merge(&sandbox, &["out/shard-1", "out/shard-2", "out/shard-3"])
        .expect(1, &["[30/30] pass: 26, fail: 4"]);
}

/// The merged run has the bundles of its shards, and the record that repeats it.
#[test]
fn merged_runs_are_explained_and_repeated() {
    let sandbox = sandbox();
    sandbox.run(&["suite", "--reference-only", "--out", "whole"]).expect(1, &[]);
    let folders = shards(&sandbox, &[]);
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    merge(&sandbox, &folders).expect(1, &[]);
    let bundles = |run: &str| -> Vec<std::path::PathBuf> {
        let root = sandbox.path(run);
        let files = walkdir::WalkDir::new(root.join("failures")).sort_by_file_name();
        let names = files.into_iter().map(|entry| entry.unwrap().into_path());
        names.map(|path| path.strip_prefix(&root).unwrap().to_owned()).collect()
    };
    assert!(bundles("whole").len() > 8, "{:?}", bundles("whole"));
    assert_eq!(bundles("merged"), bundles("whole"));
    let rerun = sandbox.run(&["rerun", "merged", "--out", "again"]);
    rerun.expect(1, &["[4/4] fail: 4; unexpected: 4"]);
    sandbox.run(&["resume", "merged"]).expect(1, &["[30/30] pass: 26, fail: 4"]);
    // Without any record the results are still merged.
    for folder in &folders {
        std::fs::remove_file(sandbox.path(folder).join("run.json")).unwrap();
    }
    let all = [&["merge", "--out", "bare"], &folders[..]].concat();
    sandbox.run(&all).expect(1, &["warning: no shard has a run.json"]);
}
