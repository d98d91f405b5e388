//! Execution of test files: from the bytes of a file to a verdict.

use std::io;
use std::path::Path;

use crate::code_check;
use crate::device::DeviceFactory;
use crate::diagnostics;
use crate::options::RunOptions;
use crate::run::run_shared;
use crate::shared::SharedTests;
use results::verdict::{Phase, Verdict};
use script::bare;
use vocabulary::{Generation, Stage};

/// Prefix of the reason of a result whose test file cannot be read.
pub const UNREADABLE: &str = "cannot read the file";

/// Executes one test file on one generation.
pub fn run_file(
    path: &Path,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    let bytes = match read_test(path) {
        Ok(bytes) => bytes,
        Err(error) => return Verdict::fail(Phase::Script, format!("{UNREADABLE}: {error}")),
    };
    let is_bare = bare::stage_of(path).is_some();
    run_parsed(&bytes, is_bare, test, generation, options, devices)
}

/// Reads a test file. The path of a bare shader means its program: the shaders of its folder
/// with the same stem, as the text of a `.shader_test` file.
///
/// # Errors
/// Fails if a file cannot be read, is no regular file or too large.
pub fn read_test(path: &Path) -> io::Result<Vec<u8>> {
    let read = |path: &Path| results::read_regular(path, results::TEST_BYTES);
    let Some(own) = bare::stage_of(path) else { return read(path) };
    let mut shaders = Vec::new();
    for stage in Stage::ALL {
        let file = path.with_extension(bare::extension_of(stage));
        if stage == own || file.exists() {
            shaders.push((stage, read(&file)?));
        }
    }
    Ok(bare::compose(&shaders))
}

/// Executes the text of a test file on one generation.
pub fn run_text(
    bytes: &[u8],
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    run_parsed(bytes, false, test, generation, options, devices)
}

fn run_parsed(
    bytes: &[u8],
    is_bare: bool,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    let none = SharedTests::default();
    let tests = devices.shared_tests().unwrap_or(&none);
    match tests.test(bytes, is_bare) {
        Ok(shared) => {
            let verdict = run_shared(&shared, test, generation, options, devices);
            code_check::judge(shared.script(), test, generation, options, verdict)
        }
        Err(error) => script_failure(test, bytes, &error),
    }
}

/// Returns the verdict of a malformed file. A word that is no GL enum makes piglit's interpreter
/// abort, which its harness reports as a crash; here it is an ordinary error.
fn script_failure(test: &str, bytes: &[u8], error: &script::ParseError) -> Verdict {
    let excerpt = diagnostics::script_error(&format!("{test}.shader_test"), bytes, error, false);
    Verdict::fail(Phase::Script, format!("{error}\n{excerpt}"))
}
