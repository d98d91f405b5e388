//! CHECK lines: judged on the text that `runner show` prints.

use crate::support::{GREEN, Ran, Sandbox, red};

/// [`GREEN`] with lines of CHECK behind `[test]`, which is line 7.
fn with_checks(test: &str, lines: &[&str]) -> String {
    let lines: String = lines.iter().map(|line| format!("# CHECK{line}\n")).collect();
    test.replace("[test]\n", &format!("[test]\n{lines}"))
}

fn run(sandbox: &Sandbox, text: String, arguments: &[&str]) -> Ran {
    sandbox.file("suite/a.shader_test", text);
    sandbox.run(&[&["suite", "--out", "out"], arguments].concat())
}

#[test]
fn code_that_is_not_as_expected_fails() {
    let sandbox = Sandbox::new();
    let holds = ["(ivb,skl fragment SIMD8 eu): mov(8)", "-NEXT: {{.+}}", ": send{{c?}}(8) null"];
    run(&sandbox, with_checks(GREEN, &holds), &["--gen", "ivb,skl"]).expect(0, &["pass: 2"]);
    let fails =
        with_checks(GREEN, &["(all fragment SIMD16 eu): mov(16)", "-NEXT: mov(8) [[X:g.]]"]);
    let ran = run(&sandbox, fails, &["--gen", "ivb"]);
    let message = "fail    [ivb] suite/a encode: line 9: CHECK-NEXT does not match the SIMD16 kernel of \
                   the fragment shader\n    Expected: mov(8) [[X:g.]]\n    Observed: line ";
    ran.expect(1, &[message, "\n    9 | # CHECK-NEXT: mov(8) [[X:g.]]\n"]);
    let results = sandbox.results("out");
    assert_eq!((&results[1]["status"], &results[1]["layer"]), (&"fail".into(), &"encode".into()));
    assert!(results[1]["stages"].as_array().is_some_and(|stages| !stages.is_empty()));
    let absent = with_checks(GREEN, &["-NOT(ivb vertex ir): load"]);
    run(&sandbox, absent, &["--gen", "ivb"])
        .expect(1, &["[ivb] suite/a ir: line 8: CHECK-NOT matches the IR of the vertex shader"]);
    let stage = with_checks(GREEN, &["(ivb geometry eu): mov"]);
    run(&sandbox, stage, &["--gen", "ivb"])
        .expect(1, &["line 8: there is no geometry shader to check"]);
}

/// A failure of the execution comes first.
#[test]
fn other_failures_stay() {
    let sandbox = Sandbox::new();
    let both = with_checks(&red(), &["(ivb fragment eu): nothing like this"]);
    let ran = run(&sandbox, both, &["--gen", "ivb,skl"]);
    ran.expect(
        1,
        &[
            "fail    [ivb] suite/a probe: line 13: Probe color at (0,0)\n",
            "line 8: CHECK does not match the kernels of the fragment shader\n",
            "fail    [skl] suite/a probe: line 13: ",
        ],
    );
    assert_eq!(ran.out.matches("line 8: CHECK").count(), 1, "{ran:#?}");
}

#[test]
fn only_code_of_this_compiler_is_judged() {
    let sandbox = Sandbox::new();
    let fails = with_checks(GREEN, &["(all fragment SIMD16 eu): nothing like this"]);
    run(&sandbox, fails.clone(), &["--gen", "hsw"]).expect(1, &["fail: 1"]);
    run(&sandbox, fails.clone(), &["--gen", "hsw", "--no-reference"]).expect(1, &["fail: 1"]);
    run(&sandbox, fails.clone(), &["--reference-only"]).expect(0, &["pass: 1"]);
    run(&sandbox, fails.clone(), &["--gen", "hsw", "--width", "SIMD8"]).expect(0, &["pass: 1"]);
    let write = ["show", "suite/a.shader_test", "--gen", "hsw", "binary", "--out", "bin"];
    sandbox.run(&write).expect(0, &[]);
    run(&sandbox, fails.clone(), &["--gen", "hsw", "--binaries", "bin"]).expect(0, &["pass: 1"]);
    // Requirements come first.
    let skip = fails.replace("GLSL >= 1.10", "GLSL >= 1.10\nGL_NO_such_extension");
    run(&sandbox, skip, &["--gen", "hsw"]).expect(0, &["skip: 1"]);
}

/// Every line that `show` prints matches, one after the other.
#[test]
fn the_text_is_that_of_show() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/a.shader_test", GREEN);
    for (scope, options) in [
        ("ivb fragment eu", &["--gen", "ivb", "--stage", "fragment", "eu"][..]),
        ("skl vertex SIMD8 eu", &["--gen", "skl", "--stage", "vertex", "--width", "SIMD8", "eu"]),
        ("hsw fragment ir", &["--gen", "hsw", "--stage", "fragment", "ir"]),
    ] {
        sandbox.file("suite/a.shader_test", GREEN);
        let shown = sandbox.run(&[&["show", "suite/a.shader_test"], options].concat());
        shown.expect(0, &[]);
        // Lines without text match nothing.
        let lines: Vec<&str> = shown.out.lines().filter(|line| !line.trim().is_empty()).collect();
        assert!(lines.len() > 3, "{shown:#?}");
        let checks: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(index, line)| match index {
                0 => format!("({scope}): {line}"),
                _ => format!(": {line}"),
            })
            .collect();
        let checks: Vec<&str> = checks.iter().map(String::as_str).collect();
        let ran = run(&sandbox, with_checks(GREEN, &checks), &options[..2]);
        ran.expect(0, &["pass: 1"]);
    }
}

#[test]
fn malformed_lines_are_errors_of_the_file() {
    let sandbox = Sandbox::new();
    for (line, message) in [
        ("-NXT(ivb fragment eu): mov", "line 8, column 3: unknown CHECK line"),
        (": mov", "line 8, column 3: the first CHECK line needs a scope"),
        ("(ivb fragment eu): {{(}}", "line 8, column 27: no regular expression"),
    ] {
        let ran = run(&sandbox, with_checks(GREEN, &[line]), &["--gen", "ivb"]);
        ran.expect(1, &["[ivb] suite/a script: ", message]);
    }
    let elsewhere = GREEN.replace("void main", "// CHECK(ivb fragment eu): mov\nvoid main");
    run(&sandbox, elsewhere, &["--gen", "ivb"])
        .expect(1, &["line 6, column 4: CHECK lines belong to comments `#` of the [test] section"]);
}
