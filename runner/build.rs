//! Sets `RUNNER_VERSION` to the version of the program with the revision that it is built from, and
//! `RUNNER_REVISION` to the revision alone, if git knows it.

use std::path::Path;
use std::process::Command;

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Returns the revision; `None` if the source is no checkout of its repository: an unpacked archive
/// may lie in a repository of something else.
fn revision() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let Some(revision) = revision() else {
        println!("cargo:rustc-env=RUNNER_VERSION={version}");
        return;
    };
    println!("cargo:rustc-env=RUNNER_VERSION={version} ({revision})");
    println!("cargo:rustc-env=RUNNER_REVISION={revision}");
    // The log of HEAD changes with every commit and checkout. Without logs, the references do. A
    // path that does not exist would rebuild the program every time.
    let paths = ["HEAD", "logs/HEAD"].map(|name| git(&["rev-parse", "--git-path", name]));
    let has_log = paths[1].as_ref().is_some_and(|path| Path::new(path).exists());
    let references = ["refs/heads", "packed-refs"]
        .map(|name| if has_log { None } else { git(&["rev-parse", "--git-path", name]) });
    let paths = paths.into_iter().chain(references).flatten();
    for path in paths.filter(|path| Path::new(path).exists()) {
        println!("cargo:rerun-if-changed={path}");
    }
}
