//! Tests of expectations as a whole.

use std::fs;

use super::*;

struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Files {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Files(folder)
    }

    fn scoped(&self, text: &str) -> ScopedFile {
        let file = ScopedFile::parse(text);
        ScopedFile { path: self.0.path().join(&file.path), ..file }
    }
}

#[test]
fn names_patterns_and_generations() {
    let files = Files::new(&[
        ("fails.csv", "spec@glsl-1.10@a,Fail\ntests/spec/glsl-1.10/B,Crash\n"),
        ("ivb.csv", "tests/spec/glsl-1.10/c,Timeout\n"),
        ("skips.txt", "spec@slow@\n^tests/spec/odd$\n"),
        ("flakes.txt", "timing\n"),
        (
            "runner.yaml",
            "expect: {hsw: [{pattern: /d$, status: fail}, {test: tests/x/e, status: skip, reason: no, bug: 5}]}",
        ),
    ]);
    let sources = Sources {
        baseline: vec![files.scoped("fails.csv"), files.scoped("ivb=ivb.csv")],
        skips: vec![files.scoped("skips.txt")],
        flakes: vec![files.scoped("hsw=flakes.txt")],
        config: Some(files.0.path().join("runner.yaml")),
    };
    let all = Expectations::load(&sources, &[Target::IVB, Target::HSW]).unwrap();
    let judge = |test: &str, generation, status| all.judge(test, generation, Some(status));
    for (test, generation, status, outcome) in [
        ("tests/spec/glsl-1.10/a", Target::IVB, Status::Fail, Outcome::Expected),
        ("tests/spec/glsl-1.10/A", Target::HSW, Status::Pass, Outcome::Improved),
        ("tests/spec/glsl-1.10/B", Target::HSW, Status::Crash, Outcome::Expected),
        ("tests/spec/glsl-1.10/c", Target::IVB, Status::Timeout, Outcome::Expected),
        ("tests/spec/glsl-1.10/c", Target::HSW, Status::Timeout, Outcome::Unexpected),
        ("tests/spec/timing", Target::HSW, Status::Fail, Outcome::Flake),
        ("tests/spec/timing", Target::HSW, Status::Pass, Outcome::Expected),
        ("tests/spec/timing", Target::IVB, Status::Fail, Outcome::Unexpected),
        ("tests/spec/d", Target::HSW, Status::Fail, Outcome::Expected),
        ("tests/spec/d", Target::IVB, Status::Fail, Outcome::Unexpected),
        ("tests/spec/other", Target::IVB, Status::Skip, Outcome::Expected),
    ] {
        assert_eq!(judge(test, generation, status), outcome, "{test} on {generation}: {status}");
    }
    assert!(all.skip("tests/spec/slow/x", Target::IVB).unwrap().contains("skips.txt:1"));
    assert!(
        all.skip("tests/spec/odd", Target::IVB).is_some()
            && all.skip("tests/spec/oddly", Target::IVB).is_none()
    );
    assert!(all.skip("tests/x/e", Target::HSW).unwrap().ends_with(": no (#5)"));
    assert!(all.skip("tests/x/e", Target::IVB).is_none());

    let tests = ["tests/spec/glsl-1.10/a", "tests/spec/odd", "tests/x/e", "tests/y/d"];
    let unmatched: Vec<String> =
        all.unmatched(tests.into_iter()).into_iter().map(|u| u.text).collect();
    assert_eq!(
        unmatched,
        ["tests/spec/glsl-1.10/B", "tests/spec/glsl-1.10/c", "spec@slow@", "timing"]
    );
}

#[test]
fn statements_about_other_generations_are_not_reported() {
    let files = Files::new(&[("ivb.csv", "no/such,Fail\n")]);
    let sources = Sources { baseline: vec![files.scoped("ivb=ivb.csv")], ..Sources::default() };
    let unmatched = |generations: &[Target]| {
        Expectations::load(&sources, generations).unwrap().unmatched(["a"].into_iter()).len()
    };
    assert_eq!((unmatched(&[Target::HSW]), unmatched(&[Target::IVB])), (0, 1));
}

#[test]
fn files_that_cannot_be_read() {
    let files = Files::new(&[]);
    fs::write(files.0.path().join("latin"), b"caf\xe9,Fail\n").unwrap();
    let load = |name: &str| {
        let sources = Sources { baseline: vec![files.scoped(name)], ..Sources::default() };
        Expectations::load(&sources, &[Target::IVB]).unwrap_err().to_string()
    };
    assert!(load("latin").ends_with("latin: not UTF-8 text"));
    assert!(load("none").contains("none: "));
}
