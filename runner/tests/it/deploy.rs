//! The files of `deploy/`, with this machine in the place of each engine: their jobs' commands are
//! executed unchanged with the variables that the engine sets, and the shards merge into the whole
//! run.

#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{GREEN, Ran, Sandbox, ran, red};
use serde_yaml::Value;

const RUNNER: &str = env!("CARGO_BIN_EXE_runner");

fn deploy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy").join(name)
}

fn yaml(name: &str) -> Value {
    let text = fs::read_to_string(deploy(name)).expect("a file of deploy/");
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Tests where the jobs look for them, and the binary where their builds leave it.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for number in 0..12 {
        let text = if number % 5 == 2 { red() } else { GREEN.to_owned() };
        sandbox.file(&format!("tests/fp64/t{number:02}.shader_test"), text);
    }
    fs::create_dir_all(sandbox.path("target/release")).expect("folders");
    std::os::unix::fs::symlink(RUNNER, sandbox.path("target/release/runner")).expect("a link");
    sandbox.run(&["tests/fp64", "--out", "reference"]).expect(1, &["[60/60] pass: 50, fail: 10"]);
    sandbox
}

/// Runs a job's script as a shell would.
fn job(sandbox: &Sandbox, script: &str, variables: &[(&str, String)]) -> Ran {
    let path = format!(
        "{}:{}",
        sandbox.path("target/release").display(),
        std::env::var("PATH").expect("PATH")
    );
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(sandbox.root()).env("PATH", path);
    command.envs(variables.iter().map(|(name, value)| (*name, value)));
    ran(&command.output().expect("sh"))
}

/// Results of a run without their durations.
fn results(sandbox: &Sandbox, folder: &str) -> Vec<Value> {
    let mut results = sandbox.results(folder);
    results.iter_mut().skip(1).for_each(|result| result["duration_us"] = 0.into());
    results.iter().map(|result| serde_yaml::to_value(result).expect("a value")).collect()
}

#[track_caller]
fn assert_whole(sandbox: &Sandbox, folder: &str) {
    assert_eq!(results(sandbox, folder), results(sandbox, "reference"), "{folder}");
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_sequence().expect("a list").iter().map(|line| line.as_str().expect("a text")).collect()
}

/// The lines of a job's script that do not build the binary, which is there.
fn script(list: &Value) -> String {
    let lines = strings(list).into_iter().filter(|line| !line.starts_with("cargo build"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn gitlab() {
    let sandbox = sandbox();
    let file = yaml("gitlab.yml");
    let shards = &file["conformance"];
    let count = shards["parallel"].as_u64().expect("a number of jobs");
    for index in 1..=count {
        let variables =
            [("CI_NODE_INDEX", index.to_string()), ("CI_NODE_TOTAL", count.to_string())];
        let ran = job(&sandbox, &script(&shards["script"]), &variables);
        assert_eq!(ran.code, 0, "failing tests do not fail the job: {ran:#?}");
    }
    // The second stage gets what the first one keeps.
    assert_eq!(strings(&shards["artifacts"]["paths"]), ["shard-*"]);
    let merge = &file["conformance results"];
    assert_eq!(job(&sandbox, &script(&merge["script"]), &[]).code, 1, "the merge tells");
    let report = merge["artifacts"]["reports"]["junit"].as_str().expect("a path");
    assert!(sandbox.path(report).exists());
    assert_whole(&sandbox, strings(&merge["artifacts"]["paths"])[0]);
    let version = format!("rust:{}", env!("CARGO_PKG_RUST_VERSION"));
    assert_eq!((&shards["image"], &merge["image"]), (&version.clone().into(), &version.into()));
}

#[test]
fn github() {
    let sandbox = sandbox();
    let file = yaml("github.yml");
    let shards = &file["jobs"]["shard"];
    let matrix = shards["strategy"]["matrix"]["shard"].as_sequence().expect("a matrix");
    let run = |job: &Value| {
        let steps = job["steps"].as_sequence().expect("steps").iter();
        let lines: Vec<&str> = steps.filter_map(|step| step["run"].as_str()).collect();
        script(&serde_yaml::to_value(lines).expect("a list"))
    };
    assert_eq!(matrix, &(1..=matrix.len()).map(Value::from).collect::<Vec<_>>());
    for index in 1..=matrix.len() {
        let text = run(shards).replace("${{ matrix.shard }}", &index.to_string());
        assert!(!text.contains("${{") && text.contains(&format!("/{}", matrix.len())), "{text}");
        let ran = job(&sandbox, &text, &[]);
        assert_eq!(ran.code, 0, "{ran:#?}");
        // The effect of uploading and downloading artifacts.
        fs::create_dir_all(sandbox.path("shards")).expect("a folder");
        let name = format!("shard-{index}");
        fs::rename(sandbox.path(&name), sandbox.path("shards").join(&name)).expect("a move");
    }
    assert_eq!(job(&sandbox, &run(&file["jobs"]["merge"]), &[]).code, 1);
    assert_whole(&sandbox, "whole");
}

#[test]
fn kubernetes() {
    let sandbox = sandbox();
    let file = yaml("kubernetes.yaml");
    assert_eq!(
        (file["apiVersion"].as_str(), file["kind"].as_str()),
        (Some("batch/v1"), Some("Job"))
    );
    let spec = &file["spec"];
    let count = spec["completions"].as_u64().expect("a number of completions");
    assert_eq!(
        (spec["completionMode"].as_str(), spec["parallelism"].as_u64()),
        (Some("Indexed"), Some(count))
    );
    let pod = &spec["template"]["spec"];
    let container = &pod["containers"][0];
    let shards = container["env"][0]["value"].as_str().expect("a text, as Kubernetes wants it");
    assert_eq!(
        (container["env"][0]["name"].as_str(), shards),
        (Some("RUNNER_SHARDS"), &*count.to_string())
    );
    assert_eq!(strings(&container["command"]), ["/bin/sh", "-c"]);
    let volumes: Vec<_> =
        pod["volumes"].as_sequence().expect("volumes").iter().map(|v| &v["name"]).collect();
    let mounts = container["volumeMounts"].as_sequence().expect("mounts");
    assert!(mounts.iter().all(|mount| volumes.contains(&&mount["name"])), "{mounts:?}");
    fs::create_dir_all(sandbox.path("results")).expect("a folder");
    let mut text = container["args"][0].as_str().expect("a script").to_owned();
    for (mounted, here) in [("/tests", "tests/fp64"), ("/results", "results")] {
        assert!(mounts.iter().any(|mount| mount["mountPath"] == mounted));
        text = text.replace(mounted, &sandbox.path(here).display().to_string());
    }
    for index in 0..count {
        let variables =
            [("JOB_COMPLETION_INDEX", index.to_string()), ("RUNNER_SHARDS", shards.to_owned())];
        let ran = job(&sandbox, &text, &variables);
        assert_eq!(ran.code, 0, "{ran:#?}");
    }
    assert_eq!(job(&sandbox, "runner merge results/shard-* --out whole", &[]).code, 1);
    assert_whole(&sandbox, "whole");
}

#[test]
fn slurm() {
    let sandbox = sandbox();
    let count = 3;
    for task in 1..=count {
        let variables = [
            ("SLURM_ARRAY_TASK_ID", task.to_string()),
            ("SLURM_ARRAY_TASK_MIN", "1".to_owned()),
            ("SLURM_ARRAY_TASK_COUNT", count.to_string()),
            ("SLURM_CPUS_PER_TASK", "2".to_owned()),
        ];
        let line = format!("sh '{}' runner out tests/fp64", deploy("slurm.sh").display());
        let ran = job(&sandbox, &line, &variables);
        assert_eq!(ran.code, 0, "{ran:#?}");
    }
    assert_eq!(job(&sandbox, "runner merge out/shard-* --out whole", &[]).code, 1);
    assert_whole(&sandbox, "whole");
}

/// Returns the text after `name = ` in a rule, without its comma.
fn attribute<'a>(rule: &'a str, name: &str) -> &'a str {
    let line = rule
        .lines()
        .find_map(|line| line.trim().strip_prefix(name)?.trim_start().strip_prefix('='));
    line.unwrap_or_else(|| panic!("no {name}")).trim().trim_end_matches(',')
}

#[test]
fn bazel() {
    let sandbox = sandbox();
    let text = fs::read_to_string(deploy("bazel/BUILD.bazel")).expect("a BUILD file");
    let rule =
        text.split("sh_test(").nth(1).and_then(|rest| rest.split("\n)").next()).expect("a rule");
    assert!(text.contains("load(\"@rules_shell//shell:sh_test.bzl\", \"sh_test\")"));
    let count: usize = attribute(rule, "shard_count").parse().expect("a number of shards");
    let script = attribute(rule, "srcs").trim_matches(['[', ']', '"']);
    let script = deploy("bazel").join(script);
    for index in 0..count {
        let place = |name: &str| sandbox.path(&format!("{name}-{index}")).display().to_string();
        fs::create_dir(place("outputs")).expect("a folder");
        let variables = [
            ("TEST_TOTAL_SHARDS", count.to_string()),
            ("TEST_SHARD_INDEX", index.to_string()),
            ("TEST_SHARD_STATUS_FILE", place("status")),
            ("XML_OUTPUT_FILE", place("xml")),
            ("TEST_TMPDIR", place("outputs")),
            ("TEST_UNDECLARED_OUTPUTS_DIR", place("outputs")),
        ];
        let ran =
            job(&sandbox, &format!("'{}' '{RUNNER}' tests/fp64", script.display()), &variables);
        assert!(ran.code <= 1, "{ran:#?}");
        assert!(Path::new(&place("status")).exists(), "the shard is understood");
        let report = fs::read_to_string(place("xml")).expect("a report");
        assert!(report.contains("<testsuites"), "{report}");
    }
    assert_eq!(job(&sandbox, "runner merge outputs-*/results --out whole", &[]).code, 1);
    assert_whole(&sandbox, "whole");
}

/// Shell scripts are checked where shellcheck is installed.
#[test]
fn scripts_are_clean() {
    let names = ["slurm.sh", "bazel/conformance.sh", "../.ci/bazel", "../.ci/run", "../.ci/slurm"];
    let files = names.map(deploy);
    for file in &files {
        let text = fs::read_to_string(file).expect("a script");
        let shell = if text.starts_with("#!/usr/bin/env bash") { "bash" } else { "sh" };
        let parsed = Command::new(shell).arg("-n").arg(file).status().expect("a shell");
        assert!(parsed.success(), "{}", file.display());
    }
    let mut command = Command::new("shellcheck");
    match command.args(&files).stdin(Stdio::null()).output() {
        Ok(output) => {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout))
        }
        Err(_) => eprintln!("shellcheck is not installed: the scripts were only parsed"),
    }
}
