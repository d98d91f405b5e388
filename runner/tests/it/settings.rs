//! `runner.toml` and the variables of the environment: options of runs from other places than the
//! command line.

use serde_json::{Value, json};

use crate::support::{Ran, Sandbox, ran};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass"), ("b", "fail")]);
    sandbox
}

/// Runs the binary in a folder of the sandbox, with variables.
fn run_in(sandbox: &Sandbox, folder: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let mut command = sandbox.command(arguments);
    command.current_dir(sandbox.path(folder)).envs(variables.iter().copied());
    ran(&command.output().expect("the runner starts"))
}

fn run_arguments(sandbox: &Sandbox, folder: &str) -> Value {
    let text = std::fs::read_to_string(sandbox.path(folder).join("run.json")).expect("run.json");
    serde_json::from_str::<Value>(&text).expect("JSON")["arguments"].clone()
}

/// Every source of a value, with all less important ones present.
#[test]
fn precedence() {
    let sandbox = sandbox();
    let file = "gen = 'bdw'\nmock = true\n[profile.ci]\ngen = 'chv'\n";
    let gens = |arguments: &[&str], variables: &[(&str, &str)]| {
        let arguments = [&["suite", "--out", "out"], arguments].concat();
        run_in(&sandbox, ".", &arguments, variables).expect(1, &["pass: "]);
        sandbox.results("out")[0]["gens"].clone()
    };
    assert_eq!(gens(&["--mock"], &[]), json!(["ivb", "hsw", "bdw", "chv", "skl"]));
    sandbox.file("runner.toml", file);
    assert_eq!(gens(&[], &[]), json!(["bdw"]));
    assert_eq!(gens(&["--profile", "ci"], &[]), json!(["chv"]));
    assert_eq!(gens(&[], &[("RUNNER_PROFILE", "ci")]), json!(["chv"]));
    assert_eq!(gens(&["--profile", "ci"], &[("RUNNER_GEN", "hsw")]), json!(["hsw"]));
    let all = [("RUNNER_GEN", "hsw")];
    assert_eq!(gens(&["--profile", "ci", "--gen", "skl"], &all), json!(["skl"]));
    assert_eq!(
        gens(&["--settings", "none", "--mock"], &[]),
        json!(["ivb", "hsw", "bdw", "chv", "skl"])
    );
}

/// The file is found from folders below, and its paths are relative to it.
#[test]
fn the_nearest_file_upwards() {
    let sandbox = sandbox();
    sandbox
        .file("runner.toml", "jobs = 'wrong, but never read'\n")
        .file(
            "work/runner.toml",
            "paths = ['../suite']\nmock = true\nreference-only = true\nout = 'out'\n\
             baseline = ['lists/fails.csv']\nskips = ['ivb=lists/skips.txt']\n",
        )
        .file("work/lists/fails.csv", "suite/b,Fail\n")
        .file("work/lists/skips.txt", "nothing\n")
        .file("work/deep/er/x", "");
    for folder in ["work", "work/deep/er"] {
        run_in(&sandbox, folder, &[], &[]).expect(0, &["[2/2] pass: 1, fail: 1; expected: 2"]);
        assert_eq!(sandbox.results("work/out").len(), 3, "{folder}");
        std::fs::remove_dir_all(sandbox.path("work/out")).expect("the run");
    }
    // Paths on the command line are relative to the working directory.
    let arguments = ["../../../suite/a.shader_test", "--out", "here"];
    run_in(&sandbox, "work/deep/er", &arguments, &[]).expect(0, &["[1/1] pass: 1"]);
    assert!(sandbox.path("work/deep/er/here/results.jsonl").exists());
    // A file elsewhere.
    run_in(&sandbox, ".", &["--settings", "work/runner.toml"], &[]).expect(0, &["expected: 2"]);
}

#[test]
fn profiles_inherit() {
    let sandbox = sandbox();
    sandbox.file(
        "runner.toml",
        "gen = 'ivb'\njobs = 1\nmock = true\n\
         [profile.base]\nrepeat = 2\njobs = 2\n\
         [profile.ci]\ninherits = 'base'\njobs = 3\n",
    );
    let ran = sandbox.run(&["settings", "suite", "--profile", "ci"]);
    ran.expect(0, &[]);
    let origins: Vec<(&str, &str)> = ran
        .out
        .lines()
        .filter_map(|line| line.split_once('#'))
        .map(|(value, origin)| (value.trim(), origin.trim()))
        .collect();
    for expected in [
        ("jobs = 3", "runner.toml:9, profile ci"),
        ("repeat = 2", "runner.toml:5, profile base"),
        ("gen = \"ivb\"", "runner.toml:1"),
        ("paths = [\"suite\"]", "command line"),
        ("timeout = 300", "default"),
    ] {
        assert!(origins.contains(&expected), "{expected:?} in {}", ran.out);
    }
}

/// Options that exclude each other: the more important source decides.
#[test]
fn options_that_exclude_each_other() {
    let sandbox = sandbox();
    sandbox.file(
        "runner.toml",
        "gen = 'ivb'\nmock = true\n[profile.reference]\nreference-only = true\n\
         [profile.hardware]\ninherits = 'reference'\nreference-only = false\n",
    );
    for (arguments, gens) in [
        (&["--reference-only"][..], json!(["reference"])),
        (&["--profile", "reference"], json!(["reference"])),
        (&["--profile", "reference", "--gen", "skl"], json!(["skl"])),
        (&["--profile", "hardware"], json!(["ivb"])),
    ] {
        let arguments = [&["suite", "--out", "out"], arguments].concat();
        sandbox.run(&arguments).expect(1, &[]);
        assert_eq!(sandbox.results("out")[0]["gens"], gens, "{arguments:?}");
    }
    // In one place they are an error, as on the command line.
    sandbox.file("runner.toml", "gen = 'ivb'\nreference-only = true\n");
    sandbox.run(&["suite"]).expect(2, &["cannot be used with"]);
}

/// Resumed and repeated runs have the options of the run, even if the file has changed.
#[test]
fn later_changes_do_not_reach_recorded_runs() {
    let sandbox = sandbox();
    sandbox.file("runner.toml", "mock = true\ngen = ['ivb', 'skl']\n");
    sandbox.run(&["suite", "--out", "out"]).expect(1, &["[4/4] "]);
    assert_eq!(
        run_arguments(&sandbox, "out"),
        json!(["--gen=ivb,skl", "--mock", "suite", "--out", "out"])
    );
    sandbox.file("runner.toml", "gen = 'hsw'\nno-such-key = 1\n");
    sandbox.run(&["rerun", "out", "--out", "again"]).expect(1, &["[2/2] fail: 2"]);
    let text = std::fs::read_to_string(sandbox.path("out/results.jsonl")).expect("results");
    let cut: Vec<&str> = text.lines().take(3).collect();
    let header = cut[0].replace("\"revision\"", "\"planned\":4,\"revision\"");
    sandbox.file("out/results.jsonl", [&header, cut[1], cut[2], ""].join("\n"));
    sandbox.run(&["resume", "out"]).expect(1, &["[4/4] "]);
    // Commands that are no runs do not read the file.
    sandbox.run(&["list", "suite"]).expect(0, &["suite/a"]);
    sandbox.run(&["suite"]).expect(2, &["runner.toml:2:1: unknown key `no-such-key`"]);
}

#[test]
fn files_that_are_wrong() {
    let sandbox = sandbox();
    for (file, message) in [
        ("\n  job = 4\n", "runner.toml:2:3: unknown key `job`: did you mean `jobs`?"),
        (
            "[profile.ci]\nbase-line = 'x'\n",
            "runner.toml:2:1: unknown key `base-line`: did you mean `baseline`?",
        ),
        ("nonsense = 4\n", "runner.toml:1:1: unknown key `nonsense` (known: paths, "),
        (
            "gen = 'ivbb'\n",
            "runner.toml:1:7: invalid value 'ivbb' for '--gen <LIST>': unknown generation `ivbb`: did you mean `ivb`?",
        ),
        ("jobs = 0\n", "runner.toml:1:8: invalid value '0' for '--jobs <N>': 0 is not in 1..=1024"),
        ("order = 'slowest'\n", "runner.toml:1:9: invalid value 'slowest'"),
        ("jobs = [1, 2]\n", "runner.toml:1:8: `jobs` takes one value"),
        ("jobs = true\n", "runner.toml:1:8: `jobs` takes one value"),
        ("isolate = 'yes'\n", "runner.toml:1:11: `isolate` takes true or false"),
        ("baseline = [1.5]\n", "runner.toml:1:13: `baseline` takes texts"),
        ("gen = {a = 1}\n", "runner.toml:1:7: `gen` takes a text or an array of texts"),
        ("gen = \n", "runner.toml:1:"),
        ("jobs = 1\njobs = 2\n", "runner.toml:2:1: duplicate key"),
        ("profile = 3\n", "runner.toml:1:11: `profile` is a table"),
        ("[profile]\nci = 3\n", "runner.toml:2:6: `profile.ci` is a table of options"),
        (
            "[profile.ci]\ninherits = 'cj'\n",
            "runner.toml:2:12: no profile `cj`: did you mean `ci`?",
        ),
        (
            "[profile.a]\ninherits = 'b'\n[profile.b]\ninherits = 'a'\n",
            "runner.toml:4:12: profile `a` inherits from itself",
        ),
        ("# caf\u{e9}\ngen = 'ivb\u{e9}'\n", "runner.toml:2:7: "),
    ] {
        sandbox.file("runner.toml", file);
        let ran = sandbox.run(&["suite", "--mock"]);
        ran.expect(2, &[&format!("error: {message}")]);
        assert!(!sandbox.path("results").exists(), "{file}");
    }
    sandbox.file("runner.toml", b"gen = '\xff'\n");
    sandbox.run(&["suite"]).expect(2, &["error: runner.toml: the file is not UTF-8"]);
    sandbox.run(&["suite", "--git-bisect"]).expect(125, &["runner.toml"]);
    sandbox.run(&["suite", "--settings", "nowhere"]).expect(2, &["nowhere: No such file"]);
}

#[test]
fn profiles_that_are_missing() {
    let sandbox = sandbox();
    let run = || sandbox.run(&["suite", "--profile", "cii"]);
    run().expect(2, &["error: profile `cii`: no runner.toml in the working directory or above"]);
    sandbox.file("runner.toml", "");
    run().expect(2, &["error: runner.toml: no profile `cii` (it has none)"]);
    sandbox.file("runner.toml", "[profile.ci]\n");
    run().expect(2, &["error: runner.toml: no profile `cii`: did you mean `ci`?"]);
}

#[test]
fn variables() {
    let sandbox = sandbox();
    let run = |variables: &[(&str, &str)]| {
        run_in(&sandbox, ".", &["suite", "--mock", "--out", "out"], variables)
    };
    run(&[("RUNNER_REFERENCE_ONLY", "true"), ("RUNNER_INCLUDE", "a$\nzzz")])
        .expect(0, &["[1/1] pass: 1"]);
    sandbox.file("runner.toml", "reference-only = true\n");
    run(&[("RUNNER_REFERENCE_ONLY", "false"), ("RUNNER_GEN", "SKL")]).expect(1, &["[2/2]"]);
    assert_eq!(sandbox.results("out")[0]["gens"], json!(["skl"]));
    // Empty ones, and those of other programs, are none.
    run(&[("RUNNER_GEN", ""), ("RUNNER_OS", "Linux"), ("RUNNER_TEMP", "/tmp")])
        .expect(1, &["[2/2]"]);
    run(&[("RUNNER_ISOLATE", "yes")])
        .expect(2, &["error: variable RUNNER_ISOLATE: `yes` is neither true nor false"]);
    run(&[("RUNNER_JOBS", "0")]).expect(2, &["error: variable RUNNER_JOBS: invalid value '0'"]);
}

/// Every option of a run can be set; those that select the settings cannot.
#[test]
fn every_option_is_reachable() {
    let sandbox = sandbox();
    let known = {
        sandbox.file("runner.toml", "zzzzzzzzzzzz = 1\n");
        let error = sandbox.run(&["suite"]).err;
        let list = error.split("known: ").nth(1).and_then(|rest| rest.split(')').next());
        list.expect("the known keys").split(", ").map(str::to_owned).collect::<Vec<_>>()
    };
    let help = sandbox.run(&["--help"]).out;
    let options: Vec<&str> = help
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("--"))
        .filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .collect();
    assert!(options.len() > 25, "{options:?}");
    for option in options {
        let is_none =
            ["help", "version", "settings", "profile"].contains(&option) || option == "git-bisect:";
        assert!(is_none || known.iter().any(|key| key == option), "{option} in {known:?}");
    }
    std::fs::remove_file(sandbox.path("runner.toml")).expect("a file");
    // A file of the shown settings means the same.
    let shown =
        sandbox.run(&["settings", "suite", "--mock", "-j", "3", "-x", "a\"b\\", "--isolate"]);
    shown.expect(0, &[r#"exclude = ["a\"b\\"]"#]);
    sandbox.file("runner.toml", &shown.out);
    let again = sandbox.run(&["settings"]);
    let values = |ran: &Ran| -> Vec<String> {
        let before = |line: &str| line.split("  #").next().unwrap_or_default().trim().to_owned();
        ran.out.lines().map(before).collect()
    };
    again.expect(0, &["runner.toml:1\n"]);
    let relative: Vec<String> =
        values(&again).iter().map(|line| line.replace("./suite", "suite")).collect();
    assert_eq!(relative, values(&shown));
}

/// The settings of a run hold for its workers.
#[test]
fn workers_have_the_settings() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", crate::support::GREEN);
    sandbox.file("runner.toml", "gen = 'skl'\nwidth = 'SIMD8'\ndisable-pass = ['opt_dce']\n");
    sandbox.run(&["suite", "--out", "out"]).expect(0, &["[1/1] pass: 1"]);
    let results = sandbox.results("out");
    assert_eq!(results[0]["options"], json!({"disable-pass": "opt_dce", "width": "SIMD8"}));
    let stages = results[1]["stages"].as_array().expect("stages");
    let fragment: Vec<&Value> = stages.iter().filter(|s| s["stage"] == "fragment").collect();
    assert_eq!(fragment.len(), 1, "{stages:?}");
}
