//! Runs of different drivers: their results are neither joined nor judged together. The headers of
//! the results are edited, so that these tests need no driver.

use std::fs;

use crate::support::Sandbox;

/// Names of two drivers, as headers have them.
const LLVMPIPE: &str = r#"{"renderer":"llvmpipe","vendor":"Mesa","version":"4.5"}"#;
const SOFTPIPE: &str = r#"{"renderer":"softpipe","vendor":"Mesa","version":"3.3"}"#;

/// Puts the names of a driver into the header of a run.
fn set_driver(sandbox: &Sandbox, folder: &str, driver: &str) {
    let file = sandbox.path(folder).join("results.jsonl");
    let text = fs::read_to_string(&file).expect("results");
    let (header, results) = text.split_once('\n').expect("a header");
    let mut header: serde_json::Value = serde_json::from_str(header).expect("a header");
    header["driver"] = serde_json::from_str(driver).expect("names of a driver");
    fs::write(&file, format!("{header}\n{results}")).expect("a write");
}

#[test]
fn shards_of_different_drivers() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass"), ("b", "pass")]);
    let shards = [("1/2", "first", LLVMPIPE), ("2/2", "second", SOFTPIPE)];
    for (shard, out, driver) in shards {
        let whole = ["suite", "--mock", "--reference-only", "--shard", shard, "--out", out];
        sandbox.run(&whole).expect(0, &[]);
        set_driver(&sandbox, out, driver);
    }
    sandbox
        .run(&["merge", "first", "second", "--out", "whole"])
        .expect(2, &["are of different drivers: llvmpipe (Mesa, 4.5) and softpipe (Mesa, 3.3)"]);
    assert!(!sandbox.path("whole").exists());
    set_driver(&sandbox, "second", LLVMPIPE);
    sandbox.run(&["merge", "first", "second", "--out", "whole"]).expect(0, &["[2/2] pass: 2"]);
}

#[test]
fn a_run_is_not_resumed_with_another_driver() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    sandbox.mock_run(&[]).expect(0, &[]);
    set_driver(&sandbox, "out", LLVMPIPE);
    sandbox
        .run(&["resume", "out"])
        .expect(2, &["begun with another driver (llvmpipe (Mesa, 4.5), this is no driver); start"]);
}
