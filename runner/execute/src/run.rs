//! Execution of files, texts and scripts.

use std::io;
use std::path::Path;

use script::Script;

use crate::case::TestCase;
use crate::executors::executor;
use crate::kinds::{DEFAULT, kind_of};
use crate::machines::Explanation;
use crate::shared::TestScript;
use results::bundle::Bundle;
use results::verdict::{Phase, TestResult, Verdict};

/// Prefix of the reason of a result whose test file cannot be read.
pub const UNREADABLE: &str = "cannot read the file";

/// Executes a file.
pub fn run_file(path: &Path, case: &TestCase<'_>) -> Verdict {
    let kind = kind_of(path);
    match kind.read(path) {
        Ok(text) => kind.run(&text, case),
        Err(error) => Verdict::fail(Phase::Script, format!("{UNREADABLE}: {error}")),
    }
}

/// Reads the text of a test.
///
/// # Errors
/// Fails if a file cannot be read, is not a regular file or too large.
pub fn read_test(path: &Path) -> io::Result<Vec<u8>> {
    kind_of(path).read(path)
}

/// Executes the text of a `.shader_test` file.
pub fn run_text(text: &[u8], case: &TestCase<'_>) -> Verdict {
    DEFAULT.run(text, case)
}

/// Creates the bundle of a file's result by executing it again. A file that cannot be read counts
/// as empty.
pub fn explain_file(path: &Path, result: &TestResult, case: &TestCase<'_>) -> Bundle {
    let kind = kind_of(path);
    kind.explain(result, &kind.read(path).unwrap_or_default(), case)
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
