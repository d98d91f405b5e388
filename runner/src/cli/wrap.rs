//! `runner wrap PATH… --out DIR`: writes tests that draw the fragment shaders of applications.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::args::SelectArgs;
use super::exit::{EXPECTED, NOTHING, UNEXPECTED};
use super::list;
use super::output::{print, write_test};
use super::values::one_generation;
use crate::console::message::message;
use crate::select::FileKinds;
use results::names::{EXTENSION, printable_line};
use tools::wrap::{UniformValues, WrapError, wrap};
use vocabulary::Target;

#[derive(Debug, Args)]
pub(super) struct WrapArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generation that decides what shaders may use (default: skl).
    #[arg(long = "gen", value_name = "GEN", default_value = "skl", hide_default_value = true, value_parser = one_generation)]
    generation: Target,
    /// Folder of the tests.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Writes a test for each fragment shader; exit code 1 if a shader has none.
pub(super) fn wrap_shaders(args: &WrapArgs) -> anyhow::Result<u8> {
    let selection = list::select(&args.select, FileKinds::Shaders)?;
    if selection.tests.is_empty() {
        message!("{}", selection.nothing());
        return Ok(NOTHING);
    }
    let (mut written, mut without, mut failed) = (0, 0, 0);
    for test in &selection.tests {
        let text = execute::read_script(&test.path)
            .with_context(|| format!("{}: cannot read", test.path.display()))?;
        let wrapped = values_beside(&test.path)
            .and_then(|values| wrap(&text, &printable_line(&test.name), args.generation, &values));
        match wrapped {
            Ok(wrapped) => {
                let path = args.out.join(format!("{}.{EXTENSION}", test.name));
                write_test(&path, &wrapped)?;
                written += 1;
            }
            Err(WrapError::NoFragmentShader) => without += 1,
            Err(error) => {
                message!("{}: {error}", printable_line(&test.name));
                failed += 1;
            }
        }
    }
    let counts = format!("written: {written}, without a fragment shader: {without}");
    print(format!("{counts}, left out: {failed}\n").as_bytes())?;
    Ok(if failed == 0 { EXPECTED } else { UNEXPECTED })
}

/// Reads the values of uniforms from the file with the extension `json` beside a shader, if it
/// exists.
fn values_beside(shader: &Path) -> Result<UniformValues, WrapError> {
    let path = shader.with_extension("json");
    match results::read_regular(&path, results::TEST_BYTES) {
        Ok(text) => UniformValues::parse(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(UniformValues::default()),
        Err(error) => Err(WrapError::Values(error.to_string())),
    }
}
