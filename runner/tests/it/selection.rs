//! Folders in which tests are found, and others.

use crate::support::{GREEN, Sandbox, red};

/// Runs beside tests are no tests, under any name of their folders.
#[test]
fn runs_are_not_tests() {
    let sandbox = Sandbox::new();
    sandbox.file("mine/a.shader_test", GREEN).file("mine/b.shader_test", red());
    let run = |arguments: &[&str]| sandbox.run(&[&["--gen", "ivb"], arguments].concat());
    let twice = "[2/2] pass: 1, fail: 1";
    run(&[".", "--out", "mine/out"]).expect(1, &[twice]);
    assert!(sandbox.path("mine/out/failures").is_dir());
    // Without --out, below results/.
    run(&["."]).expect(1, &[twice]);
    run(&["."]).expect(1, &[twice]);
    sandbox.run(&["list", "."]).expect(0, &["mine/a\n"]);
    assert_eq!(sandbox.run(&["list", "."]).out.lines().count(), 2);
    // A run that was killed before its first result.
    std::fs::remove_file(sandbox.path("mine/out/results.jsonl")).unwrap();
    run(&["."]).expect(1, &[twice]);
    // Other files called like those of a run hide nothing.
    sandbox.file("mine/run.json", "{}");
    run(&["."]).expect(1, &[twice]);
    run(&["results/latest"]).expect(2, &["results/latest: holds the results of a run, not tests"]);
    // The script of a bundle can still be named.
    let files = walkdir::WalkDir::new(sandbox.path("results/latest/")).into_iter();
    let mut files = files.map(|entry| entry.expect("an entry").into_path());
    let script = files.find(|path| path.ends_with("script.shader_test")).expect("a script");
    assert_eq!(run(&[script.to_str().expect("a name in UTF-8")]).code, 1);
}

/// Directories that link to each other are visited once: the number of paths grows exponentially.
#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    let sandbox = Sandbox::new();
    const COUNT: usize = 12;
    for number in 0..COUNT {
        sandbox.file(&format!("suite/d{number}/t.shader_test"), "mock pass\n");
        for other in 0..COUNT {
            let link = sandbox.path(&format!("suite/d{number}/l{other}"));
            std::os::unix::fs::symlink(sandbox.path(&format!("suite/d{other}")), link).unwrap();
        }
    }
    let all = format!("[{COUNT}/{COUNT}] pass: {COUNT}");
    sandbox.mock_run(&[]).expect(0, &[&all]);
}
