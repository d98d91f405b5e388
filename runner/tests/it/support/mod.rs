//! A folder of test files and the real binary.

#![allow(dead_code, reason = "not every module uses every function")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A test that passes on every executor.
pub(crate) const GREEN: &str = "[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\nuniform vec4 c;\n\
    void main() { gl_FragColor = c; }\n[test]\nclear color 0 0 0 0\nclear\nuniform vec4 c 0 1 0 1\n\
    draw rect -1 -1 2 2\nprobe all rgba 0 1 0 1\n";

/// The same with a probe that must fail.
pub(crate) fn red() -> String {
    GREEN.replace("probe all rgba 0 1 0 1", "probe all rgba 1 0 0 1")
}

/// A temporary folder in which the binary runs.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// The end of a run of the binary.
#[derive(Debug)]
pub(crate) struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file, folders included.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> &Sandbox {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file in a folder")).expect("folders");
        fs::write(path, contents).expect("a file");
        self
    }

    /// Writes tests that only pretend: name and what they do, `mock WHAT` of `runner/src/mock`.
    pub(crate) fn mocks(&self, tests: &[(&str, &str)]) -> &Sandbox {
        for (name, what) in tests {
            self.file(&format!("suite/{name}.shader_test"), format!("mock {what}\n"));
        }
        self
    }

    /// Runs the tests of [`Sandbox::mocks`] into the folder `out`.
    pub(crate) fn mock_run(&self, arguments: &[&str]) -> Ran {
        self.run(&[&["suite", "--mock", "--reference-only", "--out", "out"], arguments].concat())
    }

    /// Name, status and outcome of every result of a run.
    pub(crate) fn outcomes(&self, folder: &str) -> Vec<String> {
        let results = self.results(folder);
        let text = |result: &serde_json::Value, field: &str| {
            result[field].as_str().unwrap_or("").to_owned()
        };
        let line = |result| {
            format!(
                "{} {} {}",
                text(result, "test"),
                text(result, "status"),
                text(result, "outcome")
            )
        };
        results[1..].iter().map(line).collect()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_runner")), arguments)
    }

    /// The same, stopped by SIGHUP even if the tests run under `nohup`.
    pub(crate) fn command_with_hangups(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("env");
        command.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_runner")]);
        self.prepared(command, arguments)
    }

    fn prepared(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    /// Runs the binary with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(&self.command(arguments).output().expect("the runner starts"))
    }

    /// Lines of a finished run's `results.jsonl`, the header first.
    pub(crate) fn results(&self, folder: &str) -> Vec<serde_json::Value> {
        let text =
            fs::read_to_string(self.path(folder).join("results.jsonl")).expect("results.jsonl");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}

pub(crate) fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// The last line of standard output.
    pub(crate) fn summary(&self) -> &str {
        self.out.lines().last().unwrap_or("")
    }

    /// Asserts the exit code and that standard output or standard error contains each text.
    #[track_caller]
    pub(crate) fn expect(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for text in texts {
            assert!(self.out.contains(text) || self.err.contains(text), "`{text}` in {self:#?}");
        }
        assert!(!self.err.contains("panicked"), "{self:#?}");
    }
}
