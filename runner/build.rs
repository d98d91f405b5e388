//! Sets `RUNNER_VERSION` to the version of the program with the revision that it is built from, and
//! `RUNNER_REVISION` to the revision alone, if git knows it. Optimized builds for Linux contain the
//! device library: `RUNNER_LIBRARY` is its path. Others find it beside the program, where a build
//! of the workspace puts it.

use std::path::{Path, PathBuf};
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

/// Builds the device library into a folder of its own, since cargo installs no libraries, and
/// returns its path.
fn library() -> PathBuf {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let folder = Path::new(&variable("OUT_DIR")).join("library");
    let manifest = "virtual/preload/Cargo.toml";
    for source in ["virtual/preload", "virtual/submission"] {
        println!("cargo:rerun-if-changed={source}");
    }
    let mut command = Command::new(variable("CARGO"));
    command.args(["build", "--release", "--locked", "--manifest-path", manifest]);
    command.args(["--target", &variable("TARGET"), "--target-dir"]).arg(&folder);
    // Variables of the outer build would choose another configuration, or another library.
    command.env_remove("CARGO_TARGET_DIR").env_remove("RUSTC_WORKSPACE_WRAPPER");
    let status = command.status();
    assert!(status.is_ok_and(|status| status.success()), "the device library does not build");
    folder.join(variable("TARGET")).join("release/libpreload.so")
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-check-cfg=cfg(has_library)");
    let is = |name: &str, value: &str| std::env::var(name).as_deref() == Ok(value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo:rustc-cfg=has_library");
        println!("cargo:rustc-env=RUNNER_LIBRARY={}", library().display());
    }
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
