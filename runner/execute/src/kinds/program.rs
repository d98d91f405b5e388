//! Programs that are tests: entries of a profile of piglit.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use piglit_profile::Work;

use crate::case::TestCase;
use crate::executors::executor;
use crate::kind::{Kind, TestFile};
use crate::mode::Mode;
use crate::programs::{ProgramExplanation, ProgramTest, commands, entry};
use results::bundle::Bundle;
use results::verdict::{Phase, TestResult, Verdict};

/// The kind.
pub(super) struct ProgramKind;

impl Kind for ProgramKind {
    fn extensions(&self) -> &'static [&'static str] {
        &["xml", "gz"]
    }

    fn takes(&self, mode: Mode) -> bool {
        mode == Mode::Execute
    }

    fn is_list(&self) -> bool {
        true
    }

    /// Returns nothing: the file is a list, of which the name of a test selects one entry.
    fn read(&self, _path: &Path) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        match program(&file, case.test) {
            Ok(test) => executor(case.target).run_program(case, &test, None),
            Err(verdict) => verdict,
        }
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle {
        let Ok(test) = program(&file, &result.test) else { return Bundle::plain(result, b"") };
        let case = &TestCase { test: &result.test, ..*case };
        let text = commands(&test, &case.options.programs);
        let mut bundle = Bundle::plain(result, text.as_bytes());
        let mut explanation = ProgramExplanation::default();
        // The records made before a panic are kept.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            executor(case.target).run_program(case, &test, Some(&mut explanation));
        }));
        bundle.texts = explanation.texts;
        bundle.images = explanation.images;
        bundle.cut();
        bundle
    }
}

/// Returns the program of a test.
fn program(file: &TestFile<'_>, test: &str) -> Result<ProgramTest, Verdict> {
    let failed = |reason| Verdict::fail(Phase::Script, reason);
    match entry(file.path, test).map_err(failed)? {
        (Work::Program(program), piglit) => Ok(ProgramTest { program, piglit }),
        (Work::Unsupported(class), _) => {
            Err(Verdict::skip(format!("tests of the class `{class}` are not supported")))
        }
        (Work::Files(_), _) => {
            Err(failed("the profile lists files by this name, not a program".to_owned()))
        }
    }
}
