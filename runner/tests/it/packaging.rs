//! The program away from its source tree: version, binary, container.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{GREEN, Sandbox, ran};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The output of a command, if it succeeds.
fn output(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(folder).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn the_version_names_the_revision() {
    let sandbox = Sandbox::new();
    let version = env!("CARGO_PKG_VERSION");
    let git = |arguments: &[&str]| output("git", arguments, &repository());
    let is_checkout = git(&["ls-files", "--error-unmatch", "runner/build.rs"]);
    let expected = match is_checkout.and_then(|_| git(&["rev-parse", "--short=12", "HEAD"])) {
        Some(revision) => format!("runner {version} ({revision})\n"),
        None => format!("runner {version}\n"),
    };
    for option in ["--version", "-V"] {
        assert_eq!(sandbox.run(&[option]).out, expected);
    }
}

/// The build script in and outside of repositories: its variables, and the files that make it run
/// again.
#[test]
fn the_build_script() {
    let sandbox = Sandbox::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let binary = sandbox.path("build-script");
    let compiled = Command::new("rustc")
        .args(["--edition", "2024", "-o"])
        .args([&binary, &source])
        .output()
        .expect("rustc");
    assert!(compiled.status.success(), "{compiled:?}");
    let folder = sandbox.path("source");
    fs::create_dir_all(&folder).expect("a folder");
    fs::copy(&source, folder.join("build.rs")).expect("a copy");
    let run = |path: &str| {
        let mut command = Command::new(&binary);
        command.current_dir(&folder).env("CARGO_PKG_VERSION", "1.2.3").env("PATH", path);
        // The sandbox may lie in a repository.
        let output = command.env("GIT_CEILING_DIRECTORIES", sandbox.root()).output().expect("it");
        let ran = ran(&output);
        assert_eq!(ran.code, 0, "{ran:#?}");
        ran.out
    };
    let path = std::env::var("PATH").expect("PATH");
    let plain = "cargo:rerun-if-changed=build.rs\ncargo:rustc-check-cfg=cfg(has_library)\n\
                 cargo:rustc-env=RUNNER_VERSION=1.2.3\n";
    assert_eq!((&*run("/nowhere"), &*run(&path)), (plain, plain), "without git");
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
        output("git", &[&identity, arguments].concat(), &folder)
    };
    if git(&["init"]).is_none() {
        eprintln!("git is not installed: revisions were not tested");
        return;
    }
    git(&["commit", "--allow-empty", "-m", "another project"]).expect("a commit");
    assert_eq!(run(&path), plain, "in the repository of another project");
    git(&["add", "build.rs"]).expect("a file");
    git(&["commit", "-m", "this project"]).expect("a commit");
    let revision = git(&["rev-parse", "--short=12", "HEAD"]).expect("a revision");
    let in_repository = |out: &str| {
        assert!(out.contains(&format!("=RUNNER_VERSION=1.2.3 ({revision})\n")), "{out}");
        assert!(out.contains(&format!("=RUNNER_REVISION={revision}\n")), "{out}");
        let watched = out.lines().filter_map(|l| l.strip_prefix("cargo:rerun-if-changed="));
        let missing: Vec<&str> = watched.filter(|path| !folder.join(path).exists()).collect();
        assert!(missing.is_empty(), "missing files rebuild every time: {missing:?}");
    };
    in_repository(&run(&path));
    assert!(run(&path).contains("logs/HEAD\n"), "a commit runs it again");
    fs::remove_dir_all(folder.join(".git/logs")).expect("the logs");
    in_repository(&run(&path));
    assert!(run(&path).contains("refs/heads\n"), "a commit runs it again");
}

/// A moved binary with an empty environment in an empty folder runs, shows and reports a test.
#[test]
fn the_binary_needs_nothing_of_the_tree() {
    let sandbox = Sandbox::new();
    let binary = sandbox.path("runner");
    // A link would lead back to the tree.
    fs::copy(env!("CARGO_BIN_EXE_runner"), &binary).expect("a copy");
    sandbox.file("a.shader_test", GREEN);
    for (arguments, text) in [
        (
            &["a.shader_test", "--gen", "intel", "--keep", "all", "--out", "out"][..],
            "[5/5] pass: 5",
        ),
        (&["show", "a.shader_test", "--gen", "skl", "eu"], "// fragment SIMD8"),
        (&["gens"], "ivb"),
        (&["report", "out", "--out", "html"], ""),
        (&["man"], ".TH"),
    ] {
        let mut command = Command::new(&binary);
        let output = command.args(arguments).current_dir(sandbox.root()).env_clear().output();
        ran(&output.expect("the runner starts")).expect(0, &[text]);
    }
    assert!(sandbox.path("html/index.html").exists());
}

/// The instructions of the Containerfile, with continued lines joined.
fn instructions() -> Vec<(String, String)> {
    let text = fs::read_to_string(repository().join("deploy/Containerfile")).expect("a file");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let joined = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let split = |line: &str| {
        let (name, rest) = line.trim().split_once(' ').expect("an instruction with arguments");
        (name.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    joined.lines().filter(|line| !line.trim().is_empty()).map(split).collect()
}

/// Properties of the container that can be checked without building it.
#[test]
fn the_container() {
    let all = instructions();
    let known =
        ["FROM", "WORKDIR", "COPY", "RUN", "SHELL", "USER", "ENTRYPOINT", "CMD", "ENV", "LABEL"];
    assert!(all.iter().all(|(name, _)| known.contains(&name.as_str())), "{all:?}");
    let of = |name: &str| -> Vec<&str> {
        all.iter().filter(|(other, _)| other == name).map(|(_, rest)| rest.as_str()).collect()
    };
    let stages = of("FROM");
    assert_eq!(stages.len(), 2, "one stage builds, one runs: {stages:?}");
    assert!(stages[0].starts_with(&format!(
        "docker.io/library/rust:{}-bookworm AS ",
        env!("CARGO_PKG_RUST_VERSION")
    )));
    let name = stages[0].rsplit(' ').next().expect("a name");
    // The libraries of the binary and those of the image are of one release.
    assert!(stages[1].starts_with("docker.io/library/debian:bookworm"), "{}", stages[1]);
    let install = of("RUN")[0];
    assert!(install.contains("cargo install --path runner --locked --root /installed"));
    assert!(repository().join("runner/Cargo.toml").exists());
    let copies = of("COPY");
    assert_eq!(copies[0], ". .");
    assert_eq!(copies[1], format!("--from={name} /installed/bin/runner /usr/local/bin/runner"));
    let packages = of("RUN")[1];
    for part in
        ["apt-get install --yes --no-install-recommends piglit", "rm -rf /var/lib/apt/lists"]
    {
        assert!(packages.contains(part), "{part} in {packages}");
    }
    let user = of("USER")[0];
    assert!(user != "0" && packages.contains(&format!("useradd --uid {user} ")), "{user}");
    assert_eq!((of("ENTRYPOINT"), of("CMD")), (vec!["[\"runner\"]"], vec!["[\"--help\"]"]));
    let ignored = fs::read_to_string(repository().join(".dockerignore")).expect("a file");
    assert!(ignored.lines().any(|line| line == "/target") && !ignored.contains(".git"));
}
