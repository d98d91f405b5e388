//! Execution of files, texts and scripts.

use std::io;
use std::path::Path;

use script::Script;
use shader_tools::ToolError;

use crate::case::TestCase;
use crate::executors::executor;
use crate::kind::TestFile;
use crate::kinds::{self, DEFAULT};
use crate::machines::Explanation;
use crate::mode::Mode;
use crate::shared::TestScript;
use results::bundle::Bundle;
use results::verdict::{Phase, TestResult, Verdict};

/// Prefix of the reason of a result whose test file cannot be read.
pub const UNREADABLE: &str = "cannot read the file";

/// Executes a file.
pub fn run_file(path: &Path, case: &TestCase<'_>) -> Verdict {
    match kinds::read(path, case.options.mode()) {
        Ok((kind, text)) => kind.run(TestFile { path, text: &text }, case),
        Err(error) => unread(&error),
    }
}

/// Returns the verdict of a file that has no text: it cannot be read, or translated.
fn unread(error: &io::Error) -> Verdict {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(missing @ ToolError::Missing(_)) => Verdict::skip(missing.to_string()),
        Some(refused) => Verdict::fail(Phase::Frontend, refused.to_string()),
        None => Verdict::fail(Phase::Script, format!("{UNREADABLE}: {error}")),
    }
}

/// Reads the text of a test in a run of a mode.
///
/// # Errors
/// Fails if a file cannot be read, is not a regular file or too large.
pub fn read_test(path: &Path, mode: Mode) -> io::Result<Vec<u8>> {
    kinds::read(path, mode).map(|(_, text)| text)
}

/// Reads the text of a script, or bare shaders as one.
///
/// # Errors
/// Fails if a file cannot be read, is not a regular file or too large.
pub fn read_script(path: &Path) -> io::Result<Vec<u8>> {
    read_test(path, Mode::Compile)
}

/// Executes the text of a `.shader_test` file.
pub fn run_text(text: &[u8], case: &TestCase<'_>) -> Verdict {
    DEFAULT.run(TestFile { path: Path::new(case.test), text }, case)
}

/// Executes a text in the place of a file's.
pub fn run_replaced(path: &Path, text: &[u8], case: &TestCase<'_>) -> Verdict {
    kinds::of_text(path, text, case.options.mode()).run(TestFile { path, text }, case)
}

/// Executes a text in the place of a file's and records the explanation of its verdict.
pub fn run_replaced_explained(
    path: &Path,
    text: &[u8],
    case: &TestCase<'_>,
    explanation: &mut Explanation,
) -> Verdict {
    let kind = kinds::of_text(path, text, case.options.mode());
    kind.run_explained(TestFile { path, text }, case, explanation)
}

/// Creates the bundle of a file's result by executing it again. A file that cannot be read counts
/// as empty.
pub fn explain_file(path: &Path, result: &TestResult, case: &TestCase<'_>) -> Bundle {
    let (kind, text) = kinds::read(path, case.options.mode()).unwrap_or((DEFAULT, Vec::new()));
    kind.explain(result, TestFile { path, text: &text }, case)
}

/// Executes a parsed script.
pub fn run_script(script: &Script<'_>, case: &TestCase<'_>) -> Verdict {
    executor(case.target).run_script(case, TestScript::alone(script), None)
}

/// Executes a parsed script and records the explanation of its verdict.
pub fn run_explained(
    script: &Script<'_>,
    case: &TestCase<'_>,
    explanation: &mut Explanation,
) -> Verdict {
    executor(case.target).run_script(case, TestScript::alone(script), Some(explanation))
}

/// Executes a small script, so that the shared tables exist before the first test case. The test
/// of `case` has no meaning.
pub fn prepare(case: &TestCase<'_>) {
    const SMALL: &[u8] =
        b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
        void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
        [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
    // External compilers and binaries start with the first test case.
    if case.options.execution.is_our_code()
        && let Ok(script) = script::parse(SMALL)
    {
        run_script(&script, case);
    }
}
