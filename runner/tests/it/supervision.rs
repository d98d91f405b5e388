//! Worker processes from outside: after any crash of its process, the run continues and names the
//! test.

use std::collections::BTreeSet;
use std::fs;

use crate::support::Sandbox;

/// Everything that can go wrong beside tests that pass.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[
        ("a-abort", "abort"),
        ("b-overflow", "overflow"),
        ("c-panic", "panic"),
        ("d-exit", "exit"),
        ("e-fail", "fail"),
        ("f-rubbish", "rubbish"),
        ("g-skip", "skip"),
        ("h-warn", "warn"),
        ("i-steps", "steps"),
    ]);
    for number in 0..20 {
        sandbox.mocks(&[(&format!("n{number:02}"), "sleep 3")]);
    }
    sandbox
}

#[test]
fn crashes_cost_their_own_row_only() {
    let sandbox = sandbox();
    for arguments in
        [&["-j", "1"][..], &["-j", "8"], &["-j", "1", "--isolate"], &["-j", "4", "--isolate"]]
    {
        let ran = sandbox.mock_run(arguments);
        ran.expect(
            1,
            &["crash   [reference] suite/a-abort simulate: the worker process ended by signal 6"],
        );
        assert_eq!(
            ran.summary(),
            "[29/29] skip: 1, warn: 1, pass: 21, fail: 1, crash: 4, timeout: 1; expected: 23, unexpected: 6",
            "{arguments:?}"
        );
        let results = sandbox.results("out");
        let reason = |result: usize| results[result]["reason"].as_str().unwrap_or("").to_owned();
        assert_eq!(reason(1), "the worker process ended by signal 6 (SIGABRT)");
        assert_eq!(reason(2), "stack overflow");
        assert!(
            reason(3).starts_with("panic at ") && reason(3).ends_with(": pretended"),
            "{}",
            reason(3)
        );
        assert_eq!(reason(4), "the worker process ended by exit code 7");
        assert!(results[1..].iter().all(|result| result["outcome"] != "flake"), "{results:#?}");
    }
}

/// With one test case at a time in a process, standard error belongs to it.
#[test]
fn standard_error_explains_its_own_failure_only() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "excuse"), ("b", "abort"), ("c", "pass"), ("d", "fail")]);
    for arguments in [&["-j", "1"][..], &["-j", "2", "--isolate"]] {
        sandbox.mock_run(arguments).expect(1, &[]);
        let results = sandbox.results("out");
        let reason = |result: usize| results[result]["reason"].as_str().unwrap_or("").to_owned();
        assert_eq!(reason(1), "pretended\non standard error:\n  no register left");
        assert_eq!(reason(2), "the worker process ended by signal 6 (SIGABRT)");
        assert_eq!(reason(4), "line 1: pretended\n  Expected: 1.0\n  Observed: 0.5");
    }
}

#[test]
fn crashing_runs_are_byte_identical() {
    let sandbox = sandbox();
    let run = |out: &str, jobs: &str| {
        sandbox
            .run(&["suite", "--mock", "--reference-only", "--out", out, "-j", jobs])
            .expect(1, &[]);
        let mut results = sandbox.results(out);
        results.iter_mut().skip(1).for_each(|result| result["duration_us"] = 0.into());
        results
    };
    assert_eq!(run("one", "1"), run("many", "6"));
}

#[test]
fn hanging_tests_are_given_up() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("hang", "hang"), ("a", "pass"), ("b", "sleep 10"), ("z", "pass")]);
    for arguments in [&["-j", "2"][..], &["-j", "2", "--isolate"], &["-j", "1"]] {
        let ran = sandbox.mock_run(&[&["--timeout", "1"], arguments].concat());
        ran.expect(
            1,
            &["timeout [reference] suite/hang simulate: not finished after 1 s of wall-clock time"],
        );
        assert_eq!(ran.summary(), "[4/4] pass: 3, timeout: 1; expected: 3, unexpected: 1");
    }
}

#[test]
fn late_tests_tell_what_they_are_at() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("hang", "hang 8"), ("z", "pass")]);
    for arguments in [&["-j", "2"][..], &["-j", "2", "--isolate"]] {
        let place = "link: not finished after 1 s of wall-clock time: line 8, pretender";
        sandbox.mock_run(&[&["--timeout", "1"], arguments].concat()).expect(1, &[place]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn tests_that_take_all_memory_are_given_up() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("leak", "leak"), ("a", "pass"), ("b", "sleep 10"), ("z", "pass")]);
    for arguments in [&["-j", "3"][..], &["-j", "2", "--isolate"]] {
        let ran = sandbox.mock_run(&[&["--memory-limit", "300"], arguments].concat());
        ran.expect(1, &["crash   [reference] suite/leak simulate: more than 300 MiB of memory"]);
        assert_eq!(ran.summary(), "[4/4] pass: 3, crash: 1; expected: 3, unexpected: 1");
    }
}

#[test]
fn batches_are_replaced() {
    let sandbox = Sandbox::new();
    for number in 0..250 {
        sandbox.mocks(&[(&format!("n{number:03}"), "pass")]);
    }
    sandbox.mocks(&[("n100x", "abort")]);
    let ran = sandbox.mock_run(&["-j", "1", "--isolate"]);
    assert_eq!(ran.summary(), "[251/251] pass: 250, crash: 1; expected: 250, unexpected: 1");
}

/// A crash that does not repeat itself is a flake of the tests that were at work, and never passes
/// unseen.
#[test]
fn crashes_that_do_not_repeat_are_flakes() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("once", "once"), ("sleep", "sleep 200")]);
    let ran = sandbox.mock_run(&["-j", "2"]);
    ran.expect(
        1,
        &["flake   [reference] suite/once simulate: the worker process ended by signal 6"],
    );
    let results = sandbox.results("out");
    let once = &results[1];
    assert_eq!(
        (&once["status"], &once["outcome"], &once["differed"]),
        (&"crash".into(), &"flake".into(), &true.into())
    );
    assert!(once["reason"].as_str().unwrap().ends_with("alone: pass"), "{once}");
    // With one result at a time there is no doubt about which it was.
    fs::remove_file(sandbox.path("suite/once.seen")).unwrap();
    assert_eq!(
        sandbox.mock_run(&["-j", "1"]).summary(),
        "[2/2] pass: 1, crash: 1; expected: 1, unexpected: 1"
    );
}

#[test]
fn repetitions_prove_determinism() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass"), ("b", "fail"), ("flake", "flake")]);
    sandbox.file("fails", "suite/b,Fail\n").file("flakes", "flake\n");
    let ran = sandbox.mock_run(&["--repeat", "3", "--baseline", "fails"]);
    ran.expect(
        1,
        &["flake   [reference] suite/flake probe: repetition 2 of 3 differs from the first, pass"],
    );
    assert_eq!(
        sandbox.outcomes("out"),
        ["suite/a pass expected", "suite/b fail expected", "suite/flake fail flake"]
    );
    assert_eq!(sandbox.results("out")[3]["differed"], true);
    sandbox.run(&["rerun", "out", "--out", "again"]).expect(1, &["[1/1]"]);
    // A flake that is listed is no news.
    fs::remove_file(sandbox.path("suite/flake.seen")).ok();
    let arguments = ["--repeat", "3", "--baseline", "fails", "--flakes", "flakes"];
    sandbox.mock_run(&arguments).expect(0, &[]);
    assert_eq!(sandbox.outcomes("out")[2], "suite/flake fail flake");
}

/// Processes whose command line contains the text.
#[cfg(target_os = "linux")]
fn processes(text: &str) -> BTreeSet<u32> {
    let found = fs::read_dir("/proc").expect("/proc").filter_map(|entry| {
        let id = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let line = fs::read(format!("/proc/{id}/cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(text).then_some(id)
    });
    found.collect()
}

#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_their_supervisor() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "hang"), ("b", "hang"), ("c", "hang")]);
    let out = format!("orphans-{}", std::process::id());
    for isolate in [&[][..], &["--isolate"]] {
        let arguments =
            [&["suite", "--mock", "--reference-only", "-j", "3", "--out", &out], isolate].concat();
        let mut child = sandbox
            .command(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a run");
        let start = Instant::now();
        let wait = |what: &str, done: &dyn Fn() -> bool| {
            while !done() {
                assert!(start.elapsed() < Duration::from_secs(60), "{what}: {:?}", processes(&out));
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        wait("workers", &|| processes(&out).len() == if isolate.is_empty() { 2 } else { 4 });
        child.kill().expect("kill");
        child.wait().expect("wait");
        wait("orphans", &|| processes(&out).is_empty());
    }
}
