//! `runner defects` from outside.

use crate::support::Sandbox;

/// Our compiler has none of the defects.
#[test]
fn a_table_has_a_row_for_each_defect() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["defects", "boolean-array", "sign-of-double", "--gen", "ivb,skl"]);
    ran.expect(0, &["| defect | ivb | skl |"]);
    let rows = ["| `boolean-array` | - | - |", "| `sign-of-double` | - | - |"];
    assert!(rows.iter().all(|row| ran.out.contains(row)), "{}", ran.out);
    assert!(ran.out.ends_with("| defects of 2 | 0 | 0 |\n"), "{}", ran.out);
    assert!(!sandbox.path("results").exists(), "these runs are not recorded");
}

#[test]
fn json_has_everything() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run(&["defects", "boolean-array", "--gen", "skl", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let defect = &report["defects"][0];
    assert_eq!(defect["name"], "boolean-array");
    assert_eq!(defect["results"]["skl"]["status"], "pass");
    assert!(defect["rule"].as_str().is_some_and(|rule| rule.starts_with("GLSL 4.60, ")));
}

#[test]
fn unknown_names_are_usage_errors() {
    let ran = Sandbox::new().run(&["defects", "loop-lenth"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `loop-length`?"), "{}", ran.err);
}
