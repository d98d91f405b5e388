//! Output for programs: JSON of every command against its schema in `docs/schemas`, annotations of
//! GitHub and GitLab.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{GREEN, Ran, Sandbox, red};

fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schemas")
}

/// Returns the schema of a kind of documents. Keys that it does not name are errors here, so that
/// none is forgotten; programs that read documents accept them.
fn schema(kind: &str) -> Value {
    let text = fs::read_to_string(schemas().join(kind).with_extension("json")).expect(kind);
    let mut schema = serde_json::from_str(&text).expect("a schema");
    close(&mut schema);
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(false.into());
            }
            object.values_mut().for_each(close);
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

/// Checks a value against the schema of a kind.
fn check(kind: &str, value: &Value) {
    let schema = jsonschema::validator_for(&schema(kind)).expect("a schema of JSON Schema");
    let errors: Vec<String> = schema
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{kind}:\n{}", errors.join("\n"));
}

/// Returns the document that a command printed, which is of this kind.
fn document(ran: &Ran, kind: &str) -> Value {
    let value: Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
    assert_eq!(value["kind"], kind);
    check(kind, &value);
    value
}

/// Two runs: `a` breaks in the second, `b` fails in both, `c` is new.
fn runs() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("tests/suite/a.shader_test", GREEN).file("tests/suite/b.shader_test", red());
    let run = |out| sandbox.run(&["tests", "--gen", "skl,si", "--out", out]);
    run("old").expect(1, &[]);
    sandbox.file("tests/suite/a.shader_test", red()).file("tests/suite/c.shader_test", GREEN);
    run("new").expect(1, &[]);
    sandbox
}

#[test]
fn tests_and_generations() {
    let sandbox = Sandbox::new();
    sandbox.file("tests/suite/a.shader_test", GREEN);
    let list = document(&sandbox.run(&["list", "tests", "--format", "json"]), "list");
    assert_eq!(list["tests"][0]["name"], "suite/a");
    assert_eq!(list["tests"][0]["path"], "tests/suite/a.shader_test");
    let counts = ["list", "tests", "--counts", "--format", "json"];
    let counts = document(&sandbox.run(&counts), "patterns");
    let used = |row: &&Value| row["lines"] == 1;
    assert!(counts["patterns"].as_array().expect("rows").iter().any(|row| used(&row)));
    let gens = document(&sandbox.run(&["gens", "skl,si", "--format", "json"]), "gens");
    let contexts = gens["contexts"].as_array().expect("contexts");
    let names: BTreeSet<&str> = contexts.iter().filter_map(|c| c["gen"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["si", "skl"]));
    assert!(contexts.iter().all(|c| c["limits"].as_object().is_some_and(|l| !l.is_empty())));
}

#[test]
fn runs_side_by_side() {
    let sandbox = runs();
    let ran = sandbox.run(&["diff", "old", "new", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let diff = document(&ran, "diff");
    assert_eq!(diff["changes"][0]["change"], "regression");
    let ran = sandbox.run(&["diff", "old", "new", "--metric", "cycles", "--format", "json"]);
    assert_eq!(document(&ran, "diff")["code"]["metrics"][0]["name"], "cycles");
    let summary = sandbox.run(&["summary", "old", "new", "--format", "json"]);
    let summary = document(&summary, "summary");
    let differing = &summary["tests"][0];
    assert_eq!(differing["test"], "suite/a");
    assert_eq!(differing["statuses"], serde_json::json!(["pass", "fail"]));
    assert_eq!(summary["runs"][1]["counts"]["fail"], 4);
    let code = ["summary", "old", "new", "--code", "--format", "json"];
    let code = document(&sandbox.run(&code), "code");
    assert_eq!(code["groups"][0]["metrics"]["instructions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn results_over_time() {
    let sandbox = runs();
    let list = document(&sandbox.run(&["history", "--format", "json"]), "runs");
    assert_eq!(list["runs"][1]["counts"]["fail"], 4);
    let history = |words: &[&str]| {
        let words = [&["history"], words, &["--format", "json"]].concat();
        document(&sandbox.run(&words), "history")
    };
    let one = history(&["suite/a"]);
    assert_eq!(one["tests"][0]["failing_since"], "new");
    assert_eq!(one["tests"][0]["results"].as_array().map(Vec::len), Some(2));
    assert_eq!(history(&["--failing"])["tests"].as_array().map(Vec::len), Some(4));
    // One revision gave both results.
    assert_eq!(history(&["--flaky"])["tests"][0]["flaky"], true);
}

#[test]
fn counts_of_code() {
    let sandbox = Sandbox::new();
    sandbox.file("a.shader_test", GREEN);
    for target in ["ivb", "si"] {
        let words = ["show", "a.shader_test", "--gen", target, "stats", "--format", "json"];
        let stats = document(&sandbox.run(&words), "stats");
        let instructions = stats["kernels"][0]["instructions"].as_u64();
        assert!(instructions.is_some_and(|count| count > 0), "{stats}");
    }
    let words = ["show", "a.shader_test", "--gen", "ivb", "eu", "--format", "json"];
    sandbox.run(&words).expect(2, &[]);
    let counts = "test,gen,stage,width,instructions,spills\na,skl,fragment,SIMD8,9,0\n";
    sandbox.file("theirs.csv", counts);
    sandbox.run(&["a.shader_test", "--gen", "skl", "--out", "run"]).expect(0, &[]);
    let name = sandbox.results("run")[1]["test"].as_str().expect("a name").to_owned();
    sandbox.file("theirs.csv", counts.replace("\na,", &format!("\n{name},")));
    let words = ["compare-codegen", "theirs.csv", "run", "--rows", "--format", "json"];
    let compared = document(&sandbox.run(&words), "compare-codegen");
    assert_eq!(compared["shaders"][0]["theirs"]["instructions"], 9);
    let groups = compared["groups"].as_array().expect("groups");
    assert!(groups.iter().any(|group| group["all"]["shaders"] == 1), "{compared}");
}

#[test]
fn defects() {
    let words = ["defects", "boolean-array", "--gen", "skl", "--format", "json"];
    let defects = document(&Sandbox::new().run(&words), "defects");
    assert_eq!(defects["defects"][0]["results"]["skl"]["status"], "pass");
}

/// A schema that nothing is checked against would rot.
#[test]
fn every_schema_is_tested() {
    let source = include_str!("json_output.rs");
    for entry in fs::read_dir(schemas()).expect("docs/schemas") {
        let path = entry.expect("an entry").path();
        let kind = path.file_stem().and_then(|stem| stem.to_str()).expect("a name").to_owned();
        assert!(
            source.contains(&format!("\"{kind}\")")) || source.contains(&format!("(\"{kind}\",")),
            "{kind}"
        );
    }
}

#[test]
fn github_gets_workflow_commands() {
    let sandbox = runs();
    let ran = sandbox.run(&["export", "new", "--format", "github"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    let start = "::error file=tests/suite/a.shader_test,line=12,title=fail%3A probe on si%2C skl::\
                 suite/a: line 12: Probe";
    assert!(lines[0].starts_with(start), "{}", lines[0]);
    // Everything after the second `::` is one line of data.
    assert!(lines[0].contains("%0A") && !lines[0].contains('\r'), "{}", lines[0]);
    let green = sandbox.run(&["export", "old", "--format", "github", "--tests", "tests"]);
    assert!(green.out.lines().all(|line| line.contains("suite/b")), "{}", green.out);
}

#[test]
fn gitlab_gets_a_code_quality_report() {
    let sandbox = runs();
    let ran = sandbox.run(&["export", "new", "--format", "gitlab"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report: Value = serde_json::from_str(&ran.out).expect("JSON");
    check("gitlab-code-quality", &report);
    let entries = report.as_array().expect("a list");
    assert_eq!(entries.len(), 2);
    assert_eq!(entries[0]["location"]["path"], "tests/suite/a.shader_test");
    assert_eq!(entries[0]["location"]["lines"]["begin"], 12);
    let prints: BTreeSet<&str> = entries.iter().filter_map(|e| e["fingerprint"].as_str()).collect();
    assert_eq!(prints.len(), 2);
    // In a repository, paths begin at its root, wherever the command runs.
    sandbox.file("tests/.keep", "").file(".git/HEAD", "");
    let inside = sandbox.command(&["export", "../new", "--format", "gitlab"]);
    let mut inside = inside;
    let output = inside.current_dir(sandbox.path("tests")).output().expect("the runner");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report[0]["location"]["path"], "tests/suite/a.shader_test");
    // Without the tests, their names stand for files.
    fs::remove_dir_all(sandbox.path("tests")).expect("the tests");
    let ran = sandbox.run(&["export", "new", "--format", "gitlab"]);
    ran.expect(0, &[]);
    assert!(ran.err.contains("give --tests"), "{}", ran.err);
    check("gitlab-code-quality", &serde_json::from_str(&ran.out).expect("JSON"));
}
