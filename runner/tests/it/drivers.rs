//! Runs of different drivers: their results are neither joined nor judged together. The headers of
//! the results are edited, so that these tests need no driver.

use std::fs;

use crate::support::{GREEN, Sandbox};

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
    // The reports of the whole name the driver.
    let junit = fs::read_to_string(sandbox.path("whole/junit.xml")).expect("a report");
    let name = |name, value| format!("<property name=\"gl.{name}\" value=\"{value}\"/>");
    let names = name("renderer", "llvmpipe") + &name("vendor", "Mesa") + &name("version", "4.5");
    assert!(junit.contains(&format!("><properties>{names}</properties><testcase ")), "{junit}");
    sandbox.run(&["report", "whole", "--out", "html"]).expect(0, &[]);
    let page = fs::read_to_string(sandbox.path("html/index.html")).expect("a report");
    assert!(page.contains("llvmpipe (Mesa, 4.5)"), "{page}");
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

/// Results of one driver change, those of two drivers differ.
#[test]
fn results_of_different_drivers_are_no_flakes() {
    let sandbox = Sandbox::new();
    for name in ["changing", "other", "warned"] {
        sandbox.file(&format!("suite/{name}.shader_test"), GREEN);
    }
    let runs = [
        ("r1", LLVMPIPE, ["pass", "pass", "pass"]),
        ("r2", SOFTPIPE, ["pass", "fail", "pass"]),
        ("r3", LLVMPIPE, ["pass", "pass", "warn"]),
        ("r4", LLVMPIPE, ["fail", "pass", "pass"]),
        ("r5", SOFTPIPE, ["fail", "fail", "pass"]),
    ];
    let run = ["suite", "--gen", "ivb", "--out", "made"];
    sandbox.run(&run).expect(0, &[]);
    let made = fs::read_to_string(sandbox.path("made/results.jsonl")).expect("results");
    for (number, (out, driver, statuses)) in runs.iter().enumerate() {
        let (header, results) = made.split_once('\n').expect("a header");
        let mut text = header.replacen("[\"ivb\"]", "[\"gl\"]", 1) + "\n";
        for (result, status) in results.lines().zip(statuses) {
            let status = format!("\"status\":\"{status}\"");
            let result = result.replacen("\"status\":\"pass\"", &status, 1);
            text += &(result.replacen("\"gen\":\"ivb\"", "\"gen\":\"gl\"", 1) + "\n");
        }
        sandbox.file(&format!("{out}/results.jsonl"), text);
        set_driver(&sandbox, out, driver);
        let file = sandbox.path(out).join("results.jsonl");
        let file = fs::File::options().append(true).open(file).expect("results");
        let age = std::time::Duration::from_secs(3600 * (10 - number as u64));
        file.set_modified(std::time::SystemTime::now() - age).expect("a time");
    }
    let history = ["history", "--file", "h.sqlite"];
    let import = [&history[..], &["--import", "r1", "r2", "r3", "r4", "r5"]].concat();
    sandbox.run(&import).expect(0, &["r5: 3 results"]);
    let flaky = sandbox.run(&[&history[..], &["--flaky"]].concat());
    let lines: Vec<&str> = flaky.out.lines().collect();
    let expected = [
        "suite/changing [gl]: 2 changes in 5 results",
        "suite/warned [gl]: 2 changes in 5 results",
    ];
    assert_eq!(lines, expected, "{flaky:#?}");
    let changing = sandbox.run(&[&history[..], &["suite/changing"]].concat());
    let since = "suite/changing [gl]: fail since r5 (";
    changing.expect(0, &[since, "before: pass in r2 (", "r4  llvmpipe (Mesa, 4.5)\n"]);
    let other = sandbox.run(&[&history[..], &["suite/other"]].concat());
    other.expect(0, &["fail since r2 (", "before: it never passed with this driver"]);
}

/// Options that a run would ignore are errors, before there is a driver.
#[test]
fn options_without_meaning() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    let compile = "has no meaning for --gen gl: the driver compiles and executes by itself";
    let options: [(&[&str], &str); 7] = [
        (&["--disable-pass", "opt_dce"], compile),
        (&["--pass-limit", "3"], compile),
        (&["--width", "SIMD8"], compile),
        (&["--backend", "scalar"], compile),
        (&["--math", "worst"], compile),
        (&["--disable-quirk", "gen7-dword-mul"], compile),
        (
            &["--gl-device", "99", "--gl-platform", "surfaceless"],
            "needs another platform than surfaceless, which has no choice of devices",
        ),
    ];
    for (option, message) in options {
        let message = format!("error: {} {message}", option[0]);
        for command in [&["suite", "--out", "out"][..], &["fuzz"], &["coverage", "suite"]] {
            let ran = sandbox.run(&[command, &["--gen", "gl"], option].concat());
            ran.expect(2, &[&message]);
            assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
        }
    }
    assert!(!sandbox.path("out").exists());
    for (name, value) in [("--gl-device", "0"), ("--gl-platform", "gbm")] {
        let needs = format!("error: {name} needs --gen gl");
        let run = ["suite", "--gen", "skl", name, value];
        sandbox.run(&run).expect(2, &[&needs]);
        sandbox.run(&["gens", name, value]).expect(2, &[&needs]);
    }
    sandbox
        .run(&["coverage", "suite", "--gen", "gl"])
        .expect(2, &["error: coverage has no meaning for --gen gl"]);
    sandbox
        .run(&["bisect", "suite", "--gen", "gl"])
        .expect(2, &["error: gl has no passes to bisect: `git bisect run` with --git-bisect"]);
}
