//! Assembly tests: programs of OpenGL's past, which a driver must load or refuse.

use std::path::Path;

use super::parser_test::{judge, malformed};
use crate::case::TestCase;
use crate::executors::executor;
use crate::kind::{Kind, TestFile};
use crate::mode::Mode;
use results::bundle::Bundle;
use results::verdict::{TestResult, Verdict};

/// The kind.
pub(super) struct AssemblyTest;

impl Kind for AssemblyTest {
    fn extensions(&self) -> &'static [&'static str] {
        &["txt"]
    }

    fn takes(&self, mode: Mode) -> bool {
        mode == Mode::Execute
    }

    fn is_told_by_text(&self) -> bool {
        true
    }

    fn recognizes(&self, path: &Path, text: &[u8]) -> bool {
        parser_test::AssemblyTest::is_one(path, text)
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        let test = match parser_test::AssemblyTest::parse(file.path, file.text) {
            Ok(test) => test,
            Err(error) => return malformed(&file, &error),
        };
        match executor(case.target).check_assembly(case, &test) {
            Ok(outcome) => judge(test.expected, outcome, || test.rule()),
            Err(verdict) => verdict,
        }
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, _: &TestCase<'_>) -> Bundle {
        Bundle::plain(result, file.text)
    }
}
