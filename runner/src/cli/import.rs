//! `runner import`: results of piglit and deqp-runner as a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

use super::exit::EXPECTED;
use super::history;
use super::output::print;
use super::values::one_generation;
use crate::console::message::message;
use crate::select::{FileKinds, find_tests, located};
use results::names::{piglit_name, printable_line};
use results::verdict::summary_line;
use results::{Header, ImportedRun, Junit, Repeat, ResultsWriter, RunFolder, replace_file};
use vocabulary::Target;

/// File of the imported names that no test has.
const UNMATCHED: &str = "unmatched.txt";
/// Maximum number of such names on the console.
const LISTED: usize = 5;

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// piglit's results.json(.bz2), or deqp-runner's results.csv or failures.csv.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Generation of the imported run.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    generation: Target,
    /// Folders of tests whose names replace piglit's form (repeatable).
    #[arg(long, value_name = "PATH")]
    tests: Vec<PathBuf>,
    /// Driver of the imported run (default: the one that piglit recorded).
    #[arg(long, value_name = "TEXT")]
    driver: Option<String>,
    /// Revision of the driver (default: the one in the version that piglit recorded).
    #[arg(long, value_name = "REV")]
    revision: Option<String>,
    /// Folder of the new run (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the other runner's results as a run.
pub(super) fn import(args: &ImportArgs) -> anyhow::Result<u8> {
    let place = || args.file.display().to_string();
    let bytes = results::read_regular(&args.file, results::RESULTS_BYTES).with_context(place)?;
    let text = results::decompress(bytes).with_context(place)?;
    let tests = find_tests(&located(&args.tests)?, FileKinds::Tests)?;
    let known: BTreeMap<String, String> =
        tests.into_iter().map(|test| (piglit_name(&test.name), test.name)).collect();
    let generation = args.generation.name();
    let ImportedRun { mut origin, mut results, unmatched } =
        results::import(&text, generation, &known).with_context(place)?;
    origin.driver = args.driver.clone().or(origin.driver);
    origin.revision = args.revision.clone().or(origin.revision);
    let folder = RunFolder::create(args.out.as_deref())?;
    let header = Header {
        // Not this program's revision: it did not run the tests.
        revision: origin.revision.clone(),
        imported: Some(origin),
        ..Header::new(vec![generation.to_owned()], BTreeMap::new(), None)
    };
    let repeat = Repeat::default();
    ResultsWriter::write_all(&folder.path, &header, &mut results, Junit::All, &repeat)?;
    if !args.tests.is_empty() {
        report_unmatched(&folder.path, &unmatched)?;
    }
    history::record(&folder.path);
    print(format!("{}\n", summary_line(&results)).as_bytes())?;
    Ok(EXPECTED)
}

/// Writes the names that no test has to a file, and warns about them.
fn report_unmatched(folder: &Path, unmatched: &[String]) -> anyhow::Result<()> {
    let path = folder.join(UNMATCHED);
    let lines: String = unmatched.iter().map(|name| printable_line(name) + "\n").collect();
    replace_file(&path, lines.as_bytes())?;
    for name in unmatched.iter().take(LISTED) {
        message!("warning: no test is called `{}`", printable_line(name));
    }
    if unmatched.len() > LISTED {
        let more = unmatched.len() - LISTED;
        message!("warning: {more} more names have no test: {}", path.display());
    }
    Ok(())
}
