//! External compilers: this project's compiler passes, and any misbehavior of the process is a
//! result.

use std::fs;
use std::path::Path;

use crate::support::{GREEN, Sandbox};

const RUNNER: &str = env!("CARGO_BIN_EXE_runner");

fn ours() -> String {
    format!("'{RUNNER}' serve-compiler")
}

/// Results without what may differ: durations, and the option itself.
fn results(sandbox: &Sandbox, folder: &str) -> Vec<serde_json::Value> {
    let mut results = sandbox.results(folder);
    results.iter_mut().skip(1).for_each(|result| {
        result["duration_us"] = 0.into();
        result["variant"] = "".into();
    });
    results.split_off(1)
}

#[test]
fn our_compiler_through_the_protocol_gives_the_same_results() {
    let sandbox = Sandbox::new();
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fp64");
    let suite = suite.to_str().expect("a path in UTF-8");
    // A part of the suite in which all stages of it occur; CI runs the whole.
    let part = ["-t", "fp64/hand/", "-t", "/common/", "--shard", "1/12"];
    let arguments = [&[suite, "--gen", "ivb,skl"], &part[..]].concat();
    sandbox.run(&[&arguments[..], &["--out", "compiled"]].concat()).expect(0, &[]);
    let ours = ours();
    sandbox
        .run(&[&arguments[..], &["--out", "served", "--compiler", &ours]].concat())
        .expect(0, &[]);
    let (compiled, served) = (results(&sandbox, "compiled"), results(&sandbox, "served"));
    assert!(compiled.len() >= 10, "{} results", compiled.len());
    assert_eq!(compiled, served, "statistics and hashes of the code included");
    assert_eq!(sandbox.results("served")[0]["options"]["compiler"], "given");
    assert_eq!(sandbox.results("served")[1]["variant"], "compiler=given");
}

#[test]
fn programs_of_amd_go_through_the_protocol() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    let arguments = ["suite", "--gen", "si,vi"];
    let ours = ours();
    sandbox.run(&[&arguments[..], &["--out", "compiled"]].concat()).expect(0, &[]);
    let served = ["--out", "served", "--compiler", &ours];
    sandbox.run(&[&arguments[..], &served].concat()).expect(0, &["[2/2] pass: 2"]);
    assert_eq!(results(&sandbox, "compiled"), results(&sandbox, "served"));
    let show = ["show", "suite/a.shader_test", "--gen", "si", "gcn"];
    let compiled = sandbox.run(&show);
    compiled.expect(0, &["fragment"]);
    assert_eq!(sandbox.run(&[&show[..], &["--compiler", &ours]].concat()).out, compiled.out);
}

#[test]
fn show_and_diff_work_on_it() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    let ours = ours();
    for what in ["eu", "stats"] {
        let show = ["show", "suite/a.shader_test", "--gen", "hsw", what];
        let compiled = sandbox.run(&show);
        compiled.expect(0, &["fragment"]);
        assert_eq!(sandbox.run(&[&show[..], &["--compiler", &ours]].concat()).out, compiled.out);
    }
    let ir = ["show", "suite/a.shader_test", "--gen", "hsw", "ir", "--compiler", &ours];
    sandbox.run(&ir).expect(2, &["does not show its IR"]);
    sandbox.run(&["suite", "--gen", "hsw", "--out", "old", "--compiler", &ours]).expect(0, &[]);
    sandbox.run(&["suite", "--gen", "hsw", "--out", "new", "--compiler", &ours]).expect(0, &[]);
    sandbox.run(&["diff", "old", "new"]).expect(0, &[]);
    // Failures say how to repeat them, the compiler included.
    sandbox.file("suite/b.shader_test", crate::support::red());
    let ran = sandbox.run(&["suite", "--gen", "hsw", "--compiler", &ours]);
    ran.expect(1, &["runner suite/b.shader_test --gen hsw --compiler '"]);
}

/// A compiler that is a shell script; `$1` to it is the runner.
#[cfg(unix)]
fn script(sandbox: &Sandbox, text: &str) -> String {
    sandbox.file("compiler.sh", text);
    format!("sh compiler.sh '{RUNNER}'")
}

#[cfg(unix)]
#[test]
fn whatever_a_compiler_does_is_a_result() {
    let refusal = r#"while read -r l; do id=${l#*\"id\":}; echo "{\"id\":${id%%,*},\"error\":{\"layer\":\"allocate\",\"message\":\"too many registers\"}}"; done"#;
    let changed = |what: &str, to: &str| {
        format!(
            "\"$1\" serve-compiler | while read -r l; do echo \"$l\" | sed 's/{what}/{to}/'; done"
        )
    };
    let table: [(String, &str, &str, &str); 14] = [
        (refusal.to_owned(), "fail", "allocate", "too many registers"),
        ("while read -r l; do echo nonsense; done".to_owned(), "fail", "encode", "not an answer"),
        ("while read -r l; do echo '{}'; done".to_owned(), "fail", "encode", "not an answer"),
        (
            "while read -r l; do printf '\\377\\000\\n'; done".to_owned(),
            "fail",
            "encode",
            "not an answer",
        ),
        (
            "while read -r l; do echo '{\"id\":999}'; done".to_owned(),
            "fail",
            "encode",
            "to request 999, which was not sent",
        ),
        (
            "while read -r l; do echo '{\"id\":1}'; done".to_owned(),
            "fail",
            "encode",
            "neither `meta` nor `error`",
        ),
        ("exit 3".to_owned(), "crash", "encode", "the compiler ended: exit status: 3"),
        ("read -r l; echo broken >&2; kill -SEGV $$".to_owned(), "crash", "encode", "broken"),
        ("read -r l; exec >&-; sleep 30".to_owned(), "crash", "encode", "closed its output"),
        ("read -r l; sleep 30".to_owned(), "timeout", "encode", "did not answer within 2 s"),
        (
            changed("\"generation\":\"ivb\"", "\"generation\":\"skl\""),
            "fail",
            "encode",
            "binary is for skl, not ivb",
        ),
        (changed("\"format\":1", "\"format\":7"), "fail", "encode", "format 7"),
        (changed("\"kernels\":{[^}]*}", "\"kernels\":{}"), "fail", "encode", "there is no kernel"),
        (changed("\"SIMD8\":\"......", "\"SIMD8\":\"7f7f7f"), "fail", "", ""),
    ];
    for (text, status, layer, reason) in table {
        let sandbox = Sandbox::new();
        sandbox.file("suite/a.shader_test", GREEN);
        let command = script(&sandbox, &text);
        let arguments =
            ["suite", "--gen", "ivb", "--out", "out", "--timeout", "4", "--compiler", &command];
        let ran = sandbox.run(&arguments);
        ran.expect(1, &["[1/1] "]);
        let result = &sandbox.results("out")[1];
        assert_eq!(result["status"], status, "{text}: {result}");
        assert!(layer.is_empty() || result["layer"] == layer, "{text}: {result}");
        assert!(result["reason"].as_str().expect("a reason").contains(reason), "{text}: {result}");
    }
}

#[cfg(unix)]
#[test]
fn a_compiler_that_dies_is_replaced() {
    let sandbox = Sandbox::new();
    for number in 0..6 {
        sandbox.file(&format!("suite/t{number}.shader_test"), GREEN);
    }
    // Three answers, then the end.
    let three = "n=0; while [ $n -lt 3 ] && read -r l; do printf '%s\\n' \"$l\"; n=$((n+1)); done | \"$1\" serve-compiler";
    let command = script(&sandbox, three);
    let ran = sandbox.run(&["suite", "--gen", "ivb", "-j", "1", "--compiler", &command]);
    assert!(ran.code <= 1, "{ran:#?}");
    assert!(ran.summary().starts_with("[6/6] ") && ran.summary().contains("pass: "), "{ran:#?}");
}

#[test]
fn commands_that_cannot_be() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    for (command, message) in [
        ("/no/such/compiler", "no such program"),
        ("no-such-compiler-here -x", "no such program"),
        ("", "a command is needed"),
        ("sh '", "has no end"),
    ] {
        sandbox.run(&["suite", "--compiler", command]).expect(2, &[message]);
    }
    assert!(!sandbox.path("results").exists(), "nothing was run");
}

/// The example of the documentation.
#[cfg(unix)]
#[test]
fn the_documented_example_works() {
    use std::process::{Command, Stdio};
    let python = Command::new("python3")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !python.is_ok_and(|status| status.success()) {
        eprintln!("python3 is not installed: the example was not run");
        return;
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/compiler-protocol.md");
    let page = fs::read_to_string(page).expect("the page");
    let code = page
        .split("```python\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next())
        .expect("an example");
    let sandbox = Sandbox::new();
    sandbox.file("logging-compiler.py", code).file("suite/a.shader_test", GREEN);
    let command = format!("python3 logging-compiler.py '{RUNNER}' sizes.log");
    sandbox.run(&["suite", "--gen", "ivb", "--compiler", &command]).expect(0, &["[1/1] pass: 1"]);
    let log = fs::read_to_string(sandbox.path("sizes.log")).expect("a log");
    assert!(log.contains("suite/a ivb fragment SIMD8 "), "{log}");
}
