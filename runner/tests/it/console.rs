//! Entries of the console: the whole reason once, one entry for several generations, colors.

use crate::support::{GREEN, Ran, Sandbox, red};

/// The entry of [`pixel`] on two generations.
const PIXEL: &str = "\
fail    [ivb,skl] suite/pixel probe: line 12: Probe color at (3,4)
    Expected: 1.000000 1.000000 0.000000 1.000000
    Observed: 0.000000 1.000000 0.000000 1.000000
    In bits: 0x3f800000/0x00000000 (1065353216 ULP) 0x3f800000/0x3f800000 (0 ULP) \
0x00000000/0x00000000 (0 ULP) 0x3f800000/0x3f800000 (0 ULP)
      --> suite/pixel.shader_test:12:1
       |
    12 | probe rgba 3 4 1 1 0 1
       | ^^^^^^^^^^^^^^^^^^^^^^
    runner suite/pixel.shader_test --gen ivb,skl
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .file("suite/broken.shader_test", GREEN.replace("= c;", "= dolor;"))
        .file("suite/green.shader_test", GREEN)
        .file("suite/malformed.shader_test", GREEN.replace("draw rect", "drow rect"))
        .file("suite/new.shader_test", GREEN.replace(">= 1.10", ">= 4.40"))
        .file("suite/pixel.shader_test", GREEN.replace("all rgba 0 1", "rgba 3 4 1 1"));
    sandbox
}

fn run(sandbox: &Sandbox, more: &[&str]) -> Ran {
    let all = ["suite", "--gen", "ivb,skl", "--out", "out"];
    let ran = sandbox.run(&[&all[..], more].concat());
    ran.expect(1, &[]);
    ran
}

#[test]
fn a_failure_on_several_generations_is_one_entry() {
    let ran = run(&sandbox(), &[]);
    assert!(ran.out.contains(&format!("\n\n{PIXEL}\n")), "{}", ran.out);
    // Each reason once, and a list of names at the end.
    for once in ["Probe color at (3,4)", "`dolor` is not declared", "drow rect -1"] {
        assert_eq!(ran.out.matches(once).count(), 1, "{once} in {}", ran.out);
    }
    let names = "not as expected:\nfail    [ivb,skl] suite/broken\nfail    [ivb,skl] suite/malformed\n\
                 fail    [skl] suite/new\nfail    [ivb,skl] suite/pixel\n\nto expect this: ";
    assert!(ran.out.contains(names), "{}", ran.out);
}

#[test]
fn places_in_shaders_and_scripts_are_marked() {
    let ran = run(&sandbox(), &["-t", "broken|malformed"]);
    for text in [
        "fail    [ivb,skl] suite/broken frontend: Failed to compile FS: line 6, column 30: ",
        "\n     --> suite/broken.shader_test:6:30\n",
        "\n    6 | void main() { gl_FragColor = dolor; }\n      |                              ^^^^^\n",
        "fail    [ivb,skl] suite/malformed script: line 11, column 1: ",
        "\n    11 | drow rect -1 -1 2 2\n",
    ] {
        assert!(ran.out.contains(text), "{text} in {}", ran.out);
    }
    assert!(!ran.out.contains("error:"), "the excerpt of the results is replaced: {}", ran.out);
}

/// The output is the same however the test cases are spread over workers.
#[test]
fn the_order_is_that_of_the_plan() {
    let sandbox = sandbox();
    let shown = |more: &[&str]| {
        let out = run(&sandbox, more).out;
        let lines: Vec<&str> = out.lines().filter(|line| !line.ends_with(" tests/s")).collect();
        lines.join("\n")
    };
    assert_eq!(shown(&["-j", "1"]), shown(&["-j", "4", "--isolate"]));
}

#[test]
fn different_reasons_are_different_entries() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/red.shader_test", red());
    sandbox.run(&["suite", "--gen", "ivb", "--out", "old"]).expect(1, &[]);
    sandbox.file("fails", "suite/red,Crash\n");
    let ran = sandbox.run(&["suite", "--gen", "ivb,skl", "--baseline", "skl=fails"]);
    ran.expect(
        1,
        &["fail    [ivb] suite/red probe: ", "UnexpectedImprovement(Fail) [skl] suite/red"],
    );
}

#[test]
fn colors_are_a_choice() {
    let sandbox = Sandbox::new();
    sandbox.file("suite/red.shader_test", red());
    let colored = |arguments: &[&str], variable: Option<&str>| {
        let mut command = sandbox.command(&[&["suite", "--gen", "ivb"], arguments].concat());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        if let Some(name) = variable {
            command.env(name, "1");
        }
        let output = command.output().expect("the runner starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for (arguments, variable, expected) in [
        (&[][..], None, false),
        (&["--color", "always"], None, true),
        (&["--color=always"], Some("NO_COLOR"), true),
        (&["--color", "never"], Some("CLICOLOR_FORCE"), false),
        (&[], Some("CLICOLOR_FORCE"), true),
        (&[], Some("NO_COLOR"), false),
    ] {
        let out = colored(arguments, variable);
        assert_eq!(out.contains("\u{1b}["), expected, "{arguments:?} {variable:?}: {out}");
        assert!(out.contains("suite/red"), "{out}");
    }
    let out = colored(&["--color", "always"], None);
    for text in [
        "\u{1b}[31mfail   \u{1b}[0m [ivb] \u{1b}[1msuite/red\u{1b}[0m probe: ",
        "\u{1b}[32mExpected:",
    ] {
        assert!(out.contains(text), "{text} in {out}");
    }
    // The option is no part of the command that repeats a test.
    assert!(out.contains("runner suite/red.shader_test --gen ivb\u{1b}[0m\n"), "{out}");
    sandbox.run(&["suite", "--color", "blue"]).expect(2, &["blue"]);
    sandbox.run(&["list", "suite", "--color", "never"]).expect(0, &[]);
}
