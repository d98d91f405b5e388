//! `runner bisect` from outside. Its findings are checked by ordinary runs under the limits that it
//! names.

use crate::support::{Ran, Sandbox};

/// Numbers that GLSL computes from others: passes fold some, so that what a quirk breaks appears or
/// vanishes on the way.
const SUITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fp64/hand");

fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:#?}"))
}

/// The whole suite with one quirk's handling off: wherever a pass makes the difference, an ordinary
/// run with one pass less ends as before, and one with the pass as after; limits on the suspect's
/// stage and width alone do the same.
#[test]
fn changes_are_those_of_ordinary_runs() {
    let sandbox = Sandbox::new();
    let quirk = ["--gen", "ivb", "--disable-quirk", "ivb-df-second-half"];
    let ran = sandbox.run(&[&["bisect", SUITE, "--format", "json"], &quirk[..]].concat());
    let results = json(&ran);
    let results = results.as_array().unwrap();
    let of = |conclusion: &str| {
        results.iter().filter(|result| result["conclusion"] == conclusion).count()
    };
    assert!(of("broken") > 0 && of("mended") > 0 && of("good") > 0, "{ran:#?}");
    let status = |test: &str, limits: &[String]| {
        let path = format!("{SUITE}/{}.shader_test", test.rsplit('/').next().unwrap());
        let mut arguments = vec![&*path, "--out", "out", "--keep", "none"];
        arguments.extend(quirk);
        limits.iter().for_each(|limit| arguments.extend(["--pass-limit", limit]));
        sandbox.run(&arguments);
        let result = &sandbox.results("out")[1];
        (result["status"].clone(), result["layer"].clone())
    };
    let ending = |tried: &serde_json::Value| (tried["status"].clone(), tried["layer"].clone());
    let mut changes = 0;
    for result in results
        .iter()
        .filter(|result| result["conclusion"] == "broken" || result["conclusion"] == "mended")
    {
        let test = result["test"].as_str().unwrap();
        for change in result["changes"].as_array().unwrap() {
            let [before, after] = [&change["before"], &change["after"]];
            let [less, limit] = [before, after].map(|tried| tried["limit"].as_u64().unwrap());
            assert_eq!(less + 1, limit);
            assert_ne!(ending(before), ending(after));
            assert_eq!(status(test, &[less.to_string()]), ending(before), "{test}");
            assert_eq!(status(test, &[limit.to_string()]), ending(after), "{test}");
            let scope = change["suspects"][0]["scope"].as_str().unwrap();
            assert_eq!(change["suspects"][0]["number"], limit);
            let only = [less.to_string(), format!("{scope}={limit}")];
            assert_eq!(status(test, &only), ending(after), "{test}");
            changes += 1;
        }
    }
    assert!(changes >= 2);
    // Not every result has a change.
    assert_eq!(ran.code, 1);
}

/// The commands that a report names can be run, and what they show differs.
#[test]
fn commands_of_a_report() {
    let sandbox = Sandbox::new();
    let test = format!("{SUITE}/fs-precise.shader_test");
    let ran =
        sandbox.run(&["bisect", &test, "--gen", "ivb", "--disable-quirk", "ivb-df-second-half"]);
    ran.expect(0, &["a pass breaks it", "--disable-pass", "(found by halving"]);
    let shown = |what: &str| {
        let line = ran.out.lines().find_map(|line| line.trim().strip_prefix(what)).expect(what);
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let shown = sandbox.run(&words);
        shown.expect(0, &[]);
        shown.out
    };
    assert_ne!(shown("before "), shown("after "));
    let all = shown("all runs ");
    let run = ran.out.lines().find_map(|line| line.trim().strip_prefix("run ")).unwrap();
    let (number, rest) = run.split_once(" is ").unwrap();
    let pass = rest.split(' ').next().unwrap();
    let listed = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[0] == number && words[2] == pass
    };
    assert_eq!(all.lines().filter(listed).count(), 1, "{run} in {all}");
}

/// Crashes and hangs are ordinary endings.
#[test]
fn endings_are_isolated() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "limit 37 abort"), ("h", "limit 70 hang"), ("p", "pass"), ("s", "skip")]);
    let arguments =
        ["bisect", "suite", "--mock", "--no-switches", "--gen", "ivb", "--timeout", "1", "-j", "2"];
    let ran = sandbox.run(&arguments);
    let expected = [
        "--pass-limit 36   pass\n  --pass-limit 37   crash, simulate: the worker process ended by signal 6",
        "--pass-limit 69   pass\n  --pass-limit 70   timeout, simulate: not finished after 1 s",
        "it is right with passes and without",
        "it is skipped",
    ];
    ran.expect(1, &expected);
}

#[test]
fn what_is_wrong_without_passes() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/red.shader_test", crate::support::red());
    let ran = sandbox.run(&["bisect", "suite", "--gen", "skl"]);
    ran.expect(
        1,
        &["without optional passes too, on the interpreter as well", "fail, probe: line 1"],
    );
    sandbox.mocks(&[("flaky", "flake")]);
    let ran =
        sandbox.run(&["bisect", "suite/flaky.shader_test", "--mock", "--gen", "skl", "-j", "1"]);
    ran.expect(1, &["it does not end the same way every time"]);
}
