//! Bare shaders: files with the text of one shader each. A path means its program, which is the
//! shaders of its folder with the same stem.

use std::io;
use std::path::Path;

use script::bare;

use super::shader_test::{explain, run_parsed};
use crate::case::TestCase;
use crate::kind::{Kind, TestFile, read_file};
use crate::mode::Mode;
use results::bundle::Bundle;
use results::verdict::{TestResult, Verdict};
use vocabulary::Stage;

/// The kind.
pub(super) struct BareShader;

impl Kind for BareShader {
    fn extensions(&self) -> &'static [&'static str] {
        &bare::EXTENSIONS
    }

    fn takes(&self, mode: Mode) -> bool {
        mode == Mode::Compile
    }

    /// Reads the shaders of a program, as the text of a `.shader_test` file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let own = bare::stage_of(path);
        let mut shaders = Vec::new();
        for stage in Stage::ALL {
            let file = path.with_extension(bare::extension_of(stage));
            if Some(stage) == own || file.exists() {
                shaders.push((stage, read_file(&file)?));
            }
        }
        Ok(bare::compose(&shaders))
    }

    fn run(&self, file: TestFile<'_>, case: &TestCase<'_>) -> Verdict {
        run_parsed(file.text, true, case)
    }

    fn explain(&self, result: &TestResult, file: TestFile<'_>, case: &TestCase<'_>) -> Bundle {
        explain(result, file.text, case)
    }
}
