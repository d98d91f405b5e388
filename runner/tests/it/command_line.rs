//! The command line from outside: names, exit codes, summary line, files.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{GREEN, Sandbox, ran, red};

#[test]
fn a_passing_run() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", GREEN);
    let ran = sandbox.run(&["suite", "--reference-only"]);
    ran.expect(0, &[]);
    assert_eq!(ran.summary(), "[2/2] pass: 2");
}

#[test]
fn failures_give_one_and_are_explained() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN).file("suite/b.shader_test", red());
    let skip = GREEN.replace("GLSL >= 1.10", "GLSL >= 1.10\nGL_NO_such_extension");
    sandbox.file("suite/c.shader_test", skip);
    let ran = sandbox.run(&["suite", "--reference-only", "--out", "out"]);
    ran.expect(1, &["[reference] suite/b probe: line 12: Probe color at (0,0)"]);
    ran.expect(1, &["runner suite/b.shader_test --reference-only"]);
    assert_eq!(ran.summary(), "[3/3] skip: 1, pass: 1, fail: 1; expected: 2, unexpected: 1");
    let results = sandbox.results("out");
    assert_eq!(results[0]["format"], 1);
    assert_eq!(results[0]["gens"], serde_json::json!(["reference"]));
    assert_eq!(results[0]["options"], serde_json::json!({}));
    let field = |index: usize, name: &str| results[index][name].clone();
    assert_eq!((field(1, "test"), field(1, "status")), ("suite/a".into(), "pass".into()));
    assert!(field(1, "layer").is_null() && field(1, "reason").is_null());
    assert_eq!((field(2, "status"), field(2, "layer")), ("fail".into(), "probe".into()));
    assert_eq!(
        field(2, "reason"),
        "line 12: Probe color at (0,0)\n  Expected: 255 0 0 255\n  Observed: 0 255 0 255"
    );
    assert_eq!(
        (field(2, "outcome"), field(3, "outcome")),
        ("unexpected".into(), "expected".into())
    );
    assert_eq!((field(3, "status"), field(3, "layer")), ("skip".into(), "require".into()));
    assert_eq!(field(3, "reason"), "line 3: needs GL_NO_such_extension");
    let csv = fs::read_to_string(sandbox.path("out/results.reference.csv")).unwrap();
    let columns: Vec<&str> = csv.lines().map(|line| line.rsplit_once(',').unwrap().0).collect();
    assert_eq!(columns, ["suite/a,Pass", "suite/b,Fail", "suite/c,Skip"]);
    assert!(fs::read_to_string(sandbox.path("out/junit.xml")).unwrap().contains("b [reference]"));
}

#[test]
fn results_land_in_numbered_folders() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    sandbox.run(&["suite", "--reference-only"]);
    sandbox.run(&["suite", "--reference-only"]);
    let names: BTreeSet<String> = fs::read_dir(sandbox.path("results"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert!(names.iter().any(|name| name.ends_with("-2")));
    assert!(names.contains("latest") && names.contains("history.sqlite"));
    assert_eq!(sandbox.results("results/latest").len(), 2);
}

#[test]
fn runs_are_identical_apart_from_durations() {
    let sandbox = Sandbox::new();
    for number in 0..20 {
        let text = if number % 3 == 0 { red() } else { GREEN.to_owned() };
        sandbox.file(&format!("suite/t{number}.shader_test"), text);
    }
    let stable = |jobs: &str, out: &str| {
        sandbox.run(&["suite", "--reference-only", "-j", jobs, "--out", out]);
        let mut results = sandbox.results(out);
        results.iter_mut().skip(1).for_each(|result| result["duration_us"] = 0.into());
        results
    };
    assert_eq!(stable("1", "one"), stable("4", "four"));
}

#[test]
fn names_follow_the_tree() {
    let sandbox = Sandbox::new();
    sandbox
        .file("piglit/tests/spec/A.shader_test", GREEN)
        .file("piglit/generated_tests/spec/b.shader_test", GREEN)
        .file("mine/tests/fp64/c.shader_test", GREEN)
        .file("loose/d.shader_test", GREEN);
    let list = |arguments: &[&str]| {
        let ran = sandbox.run(&[&["list"], arguments].concat());
        ran.expect(0, &[]);
        ran.out
    };
    let all = ["piglit", "mine/tests/fp64", "loose", "loose/d.shader_test"];
    assert_eq!(list(&all), "fp64/c\ngenerated_tests/spec/b\nloose/d\ntests/spec/A\n");
    assert_eq!(list(&[&all[..], &["--piglit-names"]].concat()), "c\nspec@b\nd\nspec@a\n");
    assert_eq!(list(&["piglit", "-t", "spec@a"]), "tests/spec/A\n");
    assert_eq!(list(&["piglit", "-x", "generated"]), "tests/spec/A\n");
    sandbox.file("names", "spec@a\nfp64/c # mine\nno/such\n");
    let ran = sandbox.run(&["list", "piglit", "mine", "--test-list", "names"]);
    assert_eq!(ran.out, "fp64/c\ntests/spec/A\n");
    assert!(ran.err.contains("no test is called `no/such`"), "{}", ran.err);
}

#[test]
fn a_path_named_like_a_subcommand() {
    let sandbox = Sandbox::new();
    sandbox.file("list/a.shader_test", GREEN);
    sandbox.run(&["./list", "--reference-only"]).expect(0, &["[1/1] pass: 1"]);
    sandbox.run(&["list", "list"]).expect(0, &["list/a\n"]);
}

#[test]
fn counts_of_patterns() {
    let sandbox = Sandbox::new();
    sandbox
        .file("suite/a.shader_test", GREEN)
        .file("suite/b.shader_test", format!("{GREEN}clear\nclear\n"));
    let ran = sandbox.run(&["list", "suite", "--counts"]);
    ran.expect(
        0,
        &["clear color␠\t2\t2\n", "clear\t2\t4\n", "probe all rgba␠\t2\t2\n", "light␠\t0\t0\n"],
    );
    assert_eq!(ran.out.lines().count(), script::Pattern::ALL.len());
    sandbox.file("suite/c.shader_test", "nothing");
    sandbox
        .run(&["list", "suite", "--counts"])
        .expect(1, &["[require] section missing", "clear\t2\t4\n"]);
}

#[test]
fn generations() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["gens"])
        .expect(0, &["ivb        core     4.2  4.20 ", "skl        es       3.2  3.20 "]);
    sandbox
        .run(&["gens", "bdw"])
        .expect(0, &["GL_MAX_VERTEX_ATTRIBS = 16", "GL_AMD_gpu_shader_half_float"]);
}

#[test]
fn assembler_and_disassembler_are_inverse() {
    let sandbox = Sandbox::new();
    let text = "add(8) g1<1>F g2<8,8,1>F g3<8,8,1>F { align1 1Q };\n";
    sandbox.file("a.eu", text);
    let bytes = sandbox.command(&["asm", "--gen", "ivb", "a.eu"]).output().unwrap().stdout;
    assert_eq!(bytes.len(), 16);
    sandbox.file("a.bin", &bytes);
    let listing = sandbox.run(&["disasm", "--gen", "ivb", "a.bin"]);
    listing.expect(0, &["add(8)"]);
    assert_eq!(listing.out.lines().count(), 1);
    sandbox.file("b.eu", &listing.out);
    assert_eq!(sandbox.command(&["asm", "--gen", "ivb", "b.eu"]).output().unwrap().stdout, bytes);
}

/// Chips of AMD have the same commands.
#[test]
fn assembler_and_disassembler_of_gcn() {
    let sandbox = Sandbox::new();
    sandbox.file("a.s", "top:\n  s_cbranch_vccnz top\n  v_bfi_b32 v0, v1, v2, v3\n");
    for (chip, word) in [("si", 0xd294_0000_u32), ("vi", 0xd1ca_0000)] {
        let bytes = sandbox.command(&["asm", "--gen", chip, "a.s"]).output().unwrap().stdout;
        assert_eq!(bytes[..4], 0xbf87_ffff_u32.to_le_bytes());
        assert_eq!(bytes[4..8], word.to_le_bytes());
        sandbox.file("a.bin", &bytes);
        let listing = sandbox.run(&["disasm", "--gen", chip, "a.bin"]);
        listing.expect(0, &["L0000:", "s_cbranch_vccnz L0000", "v_bfi_b32 v0, v1, v2, v3"]);
    }
    sandbox.file("odd", "abc");
    sandbox.run(&["disasm", "--gen", "si", "odd"]).expect(2, &["error: odd: 3 bytes"]);
    sandbox.file("bad.s", "s_nop 1\n s_frob");
    let message = "error: bad.s: 2:2: `s_frob` is not an instruction of vi";
    sandbox.run(&["asm", "--gen", "vi", "bad.s"]).expect(2, &[message]);
}

#[test]
fn glsl_as_the_compiler_gets_it() {
    let sandbox = Sandbox::new();
    sandbox.file("a.shader_test", GREEN);
    let ran = sandbox.run(&["show", "a.shader_test", "--gen", "ivb", "glsl"]);
    ran.expect(
        0,
        &["// vertex shader, line 3\n#version 110\n", "// fragment shader, line 4\n#version 110\n"],
    );
    sandbox
        .run(&["show", "a.shader_test", "--gen", "ivb", "--stage", "geometry", "ir"])
        .expect(2, &["no such stage"]);
    sandbox.run(&["show", "a.shader_test", "--gen", "ivb", "picture"]).expect(2, &["known: glsl"]);
    let ran = sandbox.run(&["show", "a.shader_test", "--gen", "ivb", "program"]);
    ran.expect(0, &["uniform vec4 c", "fragment shader, GLSL 110\n", "gl_FragColor"]);
    let show = ["show", "a.shader_test", "--gen", "ivb", "--stage", "fragment", "--width", "SIMD8"];
    let payload = sandbox.run(&[&show[..], &["payload"]].concat());
    // The uniform's green among the registers of the first thread.
    payload
        .expect(0, &["// fragment SIMD8, thread 1\ng0   ", "00000000 3f800000 00000000 3f800000"]);
    assert!(!payload.out.contains("send"), "{}", payload.out);
    let trace = sandbox.run(&[&show[..], &["trace"]].concat());
    trace.expect(0, &["// fragment SIMD8, thread 1\ng0   ", "\n    0 0x0000 [", "render"]);
    let pixel = sandbox.run(&[&show[..], &["--pixel", "1,1", "trace"]].concat());
    pixel.expect(0, &[" shades pixel (1,1)"]);
    let outside = sandbox.run(&[&show[..], &["--pixel", "999,1", "trace"]].concat());
    assert!(!outside.out.contains("mov("), "{}", outside.out);
    sandbox
        .run(&[&show[..], &["--pixel", "1,1", "eu"]].concat())
        .expect(2, &["--pixel is for trace"]);
    let pushed = trace.out.lines().filter(|line| line.starts_with("      g")).count();
    assert!(pushed > 0 && !trace.out.contains("// vertex"), "{}", trace.out);
    sandbox.file("b.shader_test", GREEN.replace("void main", "void mean"));
    sandbox.run(&["show", "b.shader_test", "--gen", "ivb", "program"]).expect(1, &["link: "]);
}

#[test]
fn failures_can_stop_a_run() {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        sandbox.file(&format!("suite/t{number}.shader_test"), red());
    }
    let ran = sandbox.run(&["suite", "--reference-only", "-j", "1", "--max-fails", "2"]);
    ran.expect(1, &["stopped before the end"]);
    assert!(
        ran.summary().starts_with('[') && ran.summary().contains("/30] fail: "),
        "{}",
        ran.summary()
    );
    assert_eq!(sandbox.results("results/latest").len(), 3, "the header and two results");
    let command = ran.out.lines().find_map(|line| line.strip_prefix("to go on: runner "));
    let words: Vec<&str> = command.expect("a command").split(' ').collect();
    sandbox.run(&[&words[..], &["-j", "2"]].concat()).expect(1, &["[30/30] fail: 30"]);
}

/// A test that takes the interpreter a while.
fn slow() -> String {
    GREEN.replace(
        "gl_FragColor = c;",
        "vec4 s = c; for (int i = 0; i < 100000; i++) s = s * 0.5 + c * 0.5; gl_FragColor = s;",
    )
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_is_done() {
    let sandbox = Sandbox::new();
    for number in 0..500 {
        sandbox.file(&format!("suite/t{number:03}.shader_test"), slow());
    }
    for signal in ["-INT", "-TERM"] {
        interrupt(&sandbox, signal);
    }
}

/// Starts a run, stops it by a signal once something is finished, and looks at what it left.
#[cfg(unix)]
fn interrupt(sandbox: &Sandbox, signal: &str) {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    fs::remove_dir_all(sandbox.path("out")).ok();
    let arguments = ["suite", "--reference-only", "-j", "2", "--out", "out"];
    let child = sandbox
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a run");
    // Wait until something is finished, then stop it.
    let start = Instant::now();
    let lines = || {
        fs::read_to_string(sandbox.path("out/results.jsonl")).unwrap_or_default().lines().count()
    };
    while lines() < 3 {
        assert!(start.elapsed() < Duration::from_secs(120), "no results");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    let ran = ran(&child.wait_with_output().expect("the run ends"));
    ran.expect(
        1,
        &["stopped before the end; the finished results are kept\nto go on: runner resume out\n"],
    );
    let results = sandbox.results("out");
    assert!((3..501).contains(&results.len()), "{} results", results.len());
    let names: Vec<&str> =
        results[1..].iter().map(|result| result["test"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "the finished results are sorted: {names:?}");
    assert!(results[1..].iter().all(|result| result["status"] == "pass"));
    assert_eq!(ran.summary(), format!("[{}/500] pass: {}", names.len(), names.len()));
    assert!(sandbox.path("out/junit.xml").exists());
}
