//! `--rewrite`: modules in another form with the same meaning.

use crate::support::Sandbox;

/// Scripts of assembly, which need no other program.
const SCRIPTS: [(&str, &str); 2] = [
    ("tests/spirv.amber", include_str!("../../../tests/vulkan/spirv.amber")),
    ("tests/pointers.amber", include_str!("../../../tests/vulkan/pointers.amber")),
];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, text) in SCRIPTS {
        sandbox.file(name, text);
    }
    sandbox
}

#[test]
fn rewritten_modules_meet_the_expectations() {
    let sandbox = sandbox();
    for seed in 1..6 {
        let rewrite = format!("--rewrite={seed}");
        let ran = sandbox.run(&["tests", "--gen", "hsw,skl,vi", &rewrite]);
        ran.expect(0, &["[6/6] pass: 6"]);
    }
}

/// The failure names the option with which it is repeated.
#[test]
fn failures_tell_the_rewriting() {
    let sandbox = sandbox();
    let wrong = SCRIPTS[1].1.replace("EQ 101 2", "EQ 101 3");
    sandbox.file("wrong/pointers.amber", wrong);
    let ran = sandbox.run(&["wrong", "--gen", "skl", "--rewrite", "4:0-9,12"]);
    ran.expect(1, &["--rewrite 4:0-9,12\n", "[1/1] fail: 1"]);
}

#[test]
fn modules_are_shown_rewritten() {
    let sandbox = sandbox();
    let show = |more: &[&str]| {
        let words = ["show", "tests/spirv.amber", "--gen", "skl", "program"];
        sandbox.run(&[&words, more].concat()).out
    };
    let plain = show(&[]);
    assert_ne!(plain, show(&["--rewrite", "1"]));
    assert_eq!(plain, show(&["--rewrite", "1:1000"]));
}

#[test]
fn other_words_are_no_rewriting() {
    let ran = sandbox().run(&["tests", "--gen", "skl", "--rewrite", "seven"]);
    ran.expect(2, &["`seven` is no rewriting"]);
}
