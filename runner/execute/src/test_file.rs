//! Execution of test files: from the bytes of a file to a verdict.

use std::path::Path;

use crate::code_check;
use crate::device::DeviceFactory;
use crate::diagnostics;
use crate::options::RunOptions;
use crate::run::run_script;
use results::verdict::{Phase, Verdict};
use vocabulary::Generation;

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
    let bytes = match results::read_regular(path, results::TEST_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => return Verdict::fail(Phase::Script, format!("{UNREADABLE}: {error}")),
    };
    run_text(&bytes, test, generation, options, devices)
}

/// Executes the text of a test file on one generation.
pub fn run_text(
    bytes: &[u8],
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    match script::parse(bytes) {
        Ok(script) => {
            let verdict = run_script(&script, test, generation, options, devices);
            code_check::judge(&script, test, generation, options, verdict)
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
