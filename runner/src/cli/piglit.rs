//! `runner piglit`: a run of the tests that profiles of piglit list.

use std::ffi::{OsStr, OsString};

use super::args::{RunArgs, SelectArgs};
use super::run;
use crate::profiles;

/// Name of the command.
pub(super) const COMMAND: &str = "piglit";

/// End of its help.
pub(super) const HELP: &str = "\
PATH is the name of a profile, such as quick_gl, shader, glslparser, opengl or cl, or a file with
one (.xml, .xml.gz). The options are those of a run: --gen gl is the system's driver, --gen skl
--driver mesa is Mesa's driver on a virtual GPU. Programs are skipped on simulated generations.";

/// Returns true if a command line is one of this command.
pub(super) fn is_piglit(words: &[OsString]) -> bool {
    words.first().is_some_and(|word| word == OsStr::new(COMMAND))
}

/// Runs the tests of profiles; `words` is the command line, settings included.
pub(super) fn run(args: RunArgs, words: &[OsString]) -> anyhow::Result<u8> {
    let paths = args.select.paths.iter().map(|path| profiles::find(path));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    run::run(RunArgs { select: SelectArgs { paths, ..args.select }, ..args }, words)
}
