//! Scripts with shaders (`.shader_test`).

mod code_check;
mod explain;

pub(super) use explain::explain;

use crate::case::TestCase;
use crate::diagnostics;
use crate::executors::executor;
use crate::kind::{Kind, TestFile};
use crate::machines::Explanation;
use crate::shared::{Reading, SharedTests, TestScript};
use results::bundle::Bundle;
use results::verdict::{Phase, TestResult, Verdict};

/// The kind.
pub(super) struct ShaderTest;

impl Kind for ShaderTest {
    fn extensions(&self) -> &'static [&'static str] {
        &[results::names::EXTENSION]
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        run_parsed(file.text, false, case)
    }

    fn run_explained(
        &self,
        file: TestFile<'_>,
        case: &TestCase<'_>,
        explanation: &mut Explanation,
    ) -> Verdict {
        match reading(false, case).parse(file.text) {
            Ok(script) => {
                let test = TestScript::alone(&script);
                let verdict = executor(case.target).run_script(case, test, Some(explanation));
                code_check::judge(&script, case, verdict)
            }
            Err(error) => script_failure(case.test, file.text, &error),
        }
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle {
        explain(result, file.text, case)
    }
}

/// Executes a script. `is_bare` is true if its shaders are files of their own.
pub(super) fn run_parsed(text: &[u8], is_bare: bool, case: &TestCase<'_>) -> Verdict {
    let none = SharedTests::default();
    let tests = case.devices.shared_tests().unwrap_or(&none);
    match tests.test(text, reading(is_bare, case)) {
        Ok(shared) => {
            let verdict = executor(case.target).run_script(case, TestScript::of(&shared), None);
            code_check::judge(shared.script(), case, verdict)
        }
        Err(error) => script_failure(case.test, text, &error),
    }
}

fn reading(is_bare: bool, case: &TestCase<'_>) -> Reading {
    Reading { is_bare, is_translated: case.options.is_translated }
}

/// Returns the verdict of a malformed file. A word that is not a GL enum makes piglit's interpreter
/// abort, which its harness reports as a crash; here it is an ordinary error.
fn script_failure(test: &str, text: &[u8], error: &script::ParseError) -> Verdict {
    let excerpt = diagnostics::script_error(&format!("{test}.shader_test"), text, error, false);
    Verdict::fail(Phase::Script, format!("{error}\n{excerpt}"))
}
