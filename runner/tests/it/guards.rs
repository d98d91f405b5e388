//! Hostile input and work outside of test cases: explanations, files that never end, consoles that
//! go away, limits of the system.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{GREEN, Ran, Sandbox, ran, red};

/// A test that fails without a draw, so that only its explanation compiles the fragment shader.
fn undrawn(body: &str) -> String {
    format!(
        "[require]\nGLSL >= 1.30\n[vertex shader passthrough]\n[fragment shader]\n#version 130\n\
         uniform float u;\nvoid main() {{ {body} }}\n[test]\nclear color 0 0 0 0\nclear\n\
         probe rgba 0 0 0 1 0 1\n"
    )
}

/// Arrays whose copy needs gigabytes.
fn large_copy() -> String {
    undrawn("float x[20000000]; float y[20000000]; y = x; x = y; gl_FragColor = vec4(x[7] + u);")
}

/// A million iterations to unroll.
fn long_unrolling() -> String {
    let loops: String =
        ["i", "j", "k", "l"].map(|v| format!("for (int {v} = 0; {v} < 32; {v}++) ")).concat();
    undrawn(&format!(
        "float a = u; {loops} a = sin(a) + float(i * j + k * l); gl_FragColor = vec4(a);"
    ))
}

/// A program that takes a second or more to compile, which only the explanation does.
fn long_compilation() -> String {
    let statements = "a = sin(a) + cos(a * u);\n".repeat(2000);
    undrawn(&format!("float a = u;\n{statements}gl_FragColor = vec4(a);"))
}

/// Runs the binary under `ulimit`.
fn limited(sandbox: &Sandbox, limit: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit} && exec \"$@\""), "sh"]);
    command.arg(env!("CARGO_BIN_EXE_runner")).args(arguments).current_dir(sandbox.root());
    ran(&command.stdin(Stdio::null()).output().expect("a run"))
}

fn make_pipe(sandbox: &Sandbox, name: &str) {
    let status = Command::new("mkfifo").arg(sandbox.path(name)).status().expect("mkfifo");
    assert!(status.success());
}

#[test]
fn explanations_have_the_limits_of_tests() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/copy.shader_test", large_copy());
    sandbox.file("suite/plain.shader_test", red());
    sandbox.file("suite/unroll.shader_test", long_unrolling());
    let run = ["suite", "--gen", "ivb", "--out", "out", "--timeout", "3", "-j", "2"];
    let ran = limited(&sandbox, "-v 3000000", &run);
    ran.expect(1, &["[3/3] fail: 3"]);
    for test in ["copy", "plain", "unroll"] {
        let folder = sandbox.path(&format!("out/failures/suite/{test}/@ivb"));
        assert!(folder.join("bundle.json").is_file(), "{test}: {ran:#?}");
        assert!(folder.join("script.shader_test").is_file(), "{test}");
    }
    // The explanation of an ordinary failure is whole.
    let plain = sandbox.path("out/failures/suite/plain/@ivb");
    assert!(plain.join("simulator.png").is_file() && plain.join("fragment.SIMD8.eu").is_file());
    assert_eq!(sandbox.results("out").len(), 4);
}

#[test]
fn signals_are_heard_while_results_are_explained() {
    for signal in ["INT", "TERM", "HUP"] {
        let sandbox = Sandbox::new();
        sandbox.file("suite/long.shader_test", long_compilation());
        let run = ["suite", "--gen", "ivb", "--out", "out", "--timeout", "300"];
        let mut command = sandbox.command_with_hangups(&run);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The summary is printed before the explanation ends.
        assert!(lines.any(|line| line.unwrap().starts_with("[1/1] fail: 1")));
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{signal} is not heard");
            sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(1), "{signal}");
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(errors.contains("interrupted"), "{signal}: {errors}");
    }
}

#[test]
fn hangups_stop_a_run_like_terminations() {
    let sandbox = Sandbox::new();
    let tests: Vec<String> = (0..60).map(|n| format!("t{n:02}")).collect();
    let mocks: Vec<(&str, &str)> = tests.iter().map(|name| (&**name, "sleep 200")).collect();
    sandbox.mocks(&mocks);
    let run = ["suite", "--mock", "--reference-only", "--out", "out", "-j", "1"];
    let mut child = sandbox.command_with_hangups(&run).stdout(Stdio::null()).spawn().unwrap();
    let results = sandbox.path("out/results.jsonl");
    let begun = Instant::now();
    while fs::read_to_string(&results).unwrap_or_default().lines().count() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no results");
        sleep(Duration::from_millis(10));
    }
    Command::new("kill").args(["-s", "HUP", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(sandbox.path("out/junit.xml").is_file(), "all files are written");
    sandbox.run(&["resume", "out"]).expect(0, &["[60/60] pass: 60"]);
}

#[test]
fn pipes_and_devices_among_tests_are_failures() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/good.shader_test", GREEN);
    make_pipe(&sandbox, "suite/pipe.shader_test");
    symlink("/dev/zero", sandbox.path("suite/zero.shader_test")).unwrap();
    let run = ["suite", "--gen", "ivb", "--out", "out", "--timeout", "20"];
    limited(&sandbox, "-v 3000000", &run).expect(
        1,
        &[
            "fail    [ivb] suite/pipe script: cannot read the file: not a regular file",
            "fail    [ivb] dev/zero script: cannot read the file: not a regular file",
            "[3/3] pass: 1, fail: 2",
        ],
    );
    sandbox.run(&["suite/pipe.shader_test"]).expect(2, &["pipe.shader_test: not a regular file"]);
    sandbox
        .run(&["show", "suite/zero.shader_test", "--gen", "ivb", "ir"])
        .expect(2, &["not a regular file"]);
    sandbox.run(&["list", "--counts", "suite"]).expect(1, &["not a regular file"]);
}

#[test]
fn option_files_are_regular_files() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    make_pipe(&sandbox, "pipe");
    for option in ["--test-list", "--baseline", "--skips", "--flakes", "--durations", "--previous"]
    {
        sandbox.mock_run(&[option, "pipe"]).expect(2, &["pipe", "not a regular file"]);
    }
}

#[test]
fn a_run_goes_on_without_its_console() {
    let sandbox = Sandbox::new();
    let tests: Vec<String> = (0..300).map(|n| format!("t{n:03}")).collect();
    let mocks: Vec<(&str, &str)> = tests.iter().map(|name| (&**name, "fail")).collect();
    sandbox.mocks(&mocks);
    for closed in ["| head -n 1 >/dev/null", "2>&1 | head -n 1 >/dev/null"] {
        let run = "suite --mock --reference-only --out out -x t000";
        let runner = env!("CARGO_BIN_EXE_runner");
        let line = format!("{{ '{runner}' {run}; echo $? > code; }} {closed}");
        let mut shell = Command::new("sh");
        let status = shell.args(["-c", &line]).current_dir(sandbox.root()).status().unwrap();
        assert!(status.success());
        assert_eq!(fs::read_to_string(sandbox.path("code")).unwrap().trim(), "1", "{closed}");
        assert_eq!(sandbox.results("out").len(), 300, "{closed}");
        fs::remove_dir_all(sandbox.path("out")).unwrap();
    }
}

#[test]
fn a_removed_folder_ends_the_run() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass"), ("b", "sleep 600000")]);
    let run = ["suite", "--mock", "--reference-only", "--out", "out", "--timeout", "600"];
    let child = sandbox.command(&run).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while fs::read_to_string(sandbox.path("out/results.jsonl")).unwrap_or_default().lines().count()
        < 2
    {
        assert!(begun.elapsed() < Duration::from_secs(60), "no results");
        sleep(Duration::from_millis(10));
    }
    fs::remove_dir_all(sandbox.path("out")).unwrap();
    let ran = ran(&child.wait_with_output().unwrap());
    ran.expect(2, &["results.jsonl: removed during the run"]);
    assert!(begun.elapsed() < Duration::from_secs(120), "long before the end of the test");
}

#[test]
fn too_few_open_files_are_an_error() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    let run = ["suite", "--mock", "--reference-only", "--out", "out"];
    limited(&sandbox, "-n 12", &run).expect(2, &["at most 12 files may be open (ulimit -n)"]);
    limited(&sandbox, "-n 64", &run).expect(0, &["pass: 1"]);
}

#[test]
fn small_archives_do_not_become_large() {
    let sandbox = Sandbox::new();
    // A run of zeros compresses to almost nothing.
    let line = "head -c 3000000000 /dev/zero | bzip2 -9 > bomb.json.bz2";
    let made = Command::new("sh").args(["-c", line]).current_dir(sandbox.root()).status().unwrap();
    assert!(made.success(), "bzip2 is needed");
    assert!(fs::metadata(sandbox.path("bomb.json.bz2")).unwrap().len() < 10_000);
    limited(&sandbox, "-v 1000000", &["import", "bomb.json.bz2", "--gen", "ivb"])
        .expect(2, &["bomb.json.bz2: ", "compressed bytes expand to more than 67108864"]);
}

#[test]
fn long_messages_are_cut() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    // A compiler whose refusal has two megabytes.
    let answer = r#"read -r l; printf '{"id":1,"error":{"layer":"lower","message":"'; head -c 2000000 /dev/zero | tr '\0' m; printf '\342\200\256"}}\n'; cat"#;
    sandbox.file("compiler.sh", answer);
    let run = ["suite", "--gen", "ivb", "--out", "out", "--compiler", "sh compiler.sh"];
    let ran = sandbox.run(&run);
    ran.expect(1, &["lower: line 11: mmm", "[1/1] fail: 1"]);
    assert!(ran.out.len() < 10_000, "{} bytes on the console", ran.out.len());
    let result = &sandbox.results("out")[1];
    let reason = result["reason"].as_str().unwrap();
    assert!(reason.len() < 70_000 && reason.ends_with("more bytes]"), "{} bytes", reason.len());
}

#[test]
fn text_keeps_its_direction_on_terminals() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a\u{202e}b", "fail")]);
    let ran = sandbox.mock_run(&[]);
    ran.expect(1, &["suite/a\\u{202e}b"]);
    assert!(!ran.out.contains('\u{202e}') && !ran.err.contains('\u{202e}'));
}

#[test]
fn heavy_expectations_are_errors() {
    let sandbox = Sandbox::new();
    sandbox.mocks(&[("a", "pass")]);
    let heavy: String = (0..20_000).map(|n| format!("x{n}\\w{{9}}\n")).collect();
    sandbox.file("skips", heavy);
    sandbox.mock_run(&["--skips", "skips"]).expect(2, &["skips:501: more than 500 patterns"]);
    let fewer: String = (0..100).map(|n| format!("x{n}\\w{{9}}\n")).collect();
    sandbox.file("fewer", fewer);
    sandbox.mock_run(&["--skips", "fewer"]).expect(0, &["pass: 1"]);
    let nested = format!("expect: {}{}\n", "[".repeat(200_000), "]".repeat(200_000));
    sandbox.file("runner.yaml", nested);
    sandbox
        .mock_run(&["--config", "runner.yaml"])
        .expect(2, &["runner.yaml", "line 1: more than 64 nested brackets"]);
}

/// Processes of a compiler that never reads its input end with the run.
#[test]
fn a_compiler_that_does_not_read_is_a_timeout() {
    let sandbox = Sandbox::new();
    // More than a pipe holds.
    let long = format!("// {}\nvoid main()", "x".repeat(300_000));
    for name in ["a", "b"] {
        let test = GREEN.replace("void main()", &long);
        sandbox.file(&format!("suite/{name}.shader_test"), test);
    }
    let mark = format!("97{}", std::process::id());
    sandbox.file("compiler.sh", format!("exec sleep {mark}"));
    let run =
        ["suite", "--gen", "ivb", "--out", "out", "--timeout", "4", "--compiler", "sh compiler.sh"];
    sandbox.run(&run).expect(1, &["[2/2] timeout: 2"]);
    for result in &sandbox.results("out")[1..] {
        assert_eq!(
            (&result["layer"], &result["status"]),
            (&"encode".into(), &"timeout".into()),
            "{result}"
        );
        assert!(
            result["reason"].as_str().unwrap().contains("did not answer within 2 s"),
            "{result}"
        );
    }
    let left = Command::new("pgrep").args(["-f", &format!("sleep {mark}")]).output().unwrap();
    assert!(left.stdout.is_empty(), "orphans: {}", String::from_utf8_lossy(&left.stdout));
}

#[test]
fn answers_in_advance_are_refused() {
    let sandbox = Sandbox::new();
    for name in ["a", "b", "c"] {
        sandbox.file(&format!("suite/{name}.shader_test"), GREEN);
    }
    // Each request gets its refusal and, in the same write, that of the next number.
    let answers = r#"while read -r l; do id=${l#*\"id\":}; id=${id%%,*}; next=$((id + 1))
printf '{"id":%s,"error":{"layer":"ir","message":"to %s"}}\n' $id $id $next $next; done"#;
    sandbox.file("compiler.sh", answers);
    // The explanation of a failure would ask the same compiler between two tests.
    let run = ["suite", "--gen", "ivb", "--out", "out", "-j", "1", "--keep", "none"];
    let run = [&run[..], &["--compiler", "sh compiler.sh"]].concat();
    sandbox.run(&run).expect(1, &["[3/3] fail: 3"]);
    let reasons: Vec<String> = sandbox.results("out")[1..]
        .iter()
        .map(|result| result["reason"].as_str().unwrap().to_owned())
        .collect();
    assert!(reasons.iter().all(|reason| !reason.ends_with(": to 2")), "{reasons:?}");
    assert!(reasons[0].contains("to 1"), "{reasons:?}");
    // The early answer is noticed with the second request, which is refused, or before it: then the
    // request goes to a new process, whose numbers begin elsewhere.
    let answered = |reason: &str| reason.rsplit_once(": to ").map(|(_, id)| id.parse::<u64>());
    for pair in reasons.windows(2) {
        if let (Some(first), Some(second)) = (answered(&pair[0]), answered(&pair[1])) {
            assert_ne!(second.unwrap(), first.unwrap() + 1, "{reasons:?}");
        } else {
            let refused = pair.iter().any(|reason| reason.contains("the compiler's answer: "));
            assert!(refused, "{reasons:?}");
        }
    }
}
