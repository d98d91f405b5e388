//! `runner import`: results of piglit and deqp-runner as a run.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::exit::EXPECTED;
use super::history;
use super::output::print;
use super::revision::REVISION;
use super::values::one_generation;
use crate::select::find_tests;
use results::names::piglit_name;
use results::verdict::Counts;
use results::{Header, Junit, ResultsWriter, RunFolder};
use vocabulary::Generation;

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// piglit's results.json(.bz2), or deqp-runner's results.csv or failures.csv.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Generation of the imported run.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    generation: Generation,
    /// Folders of tests whose names replace piglit's form (repeatable).
    #[arg(long, value_name = "PATH")]
    tests: Vec<PathBuf>,
    /// Folder of the new run (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the other runner's results as a run.
pub(super) fn import(args: &ImportArgs) -> anyhow::Result<u8> {
    let place = || args.file.display().to_string();
    let bytes = results::read_regular(&args.file, results::RESULTS_BYTES).with_context(place)?;
    let text = results::decompress(bytes).with_context(place)?;
    let tests = find_tests(&args.tests)?;
    let known: BTreeMap<String, String> =
        tests.into_iter().map(|test| (piglit_name(&test.name), test.name)).collect();
    let generation = args.generation.name();
    let mut rows = results::import(&text, generation, &known).with_context(place)?;
    let folder = RunFolder::create(args.out.as_deref())?;
    ResultsWriter::write_all(
        &folder.path,
        &Header::new(vec![generation.to_owned()], BTreeMap::new(), REVISION),
        &mut rows,
        Junit::All,
    )?;
    history::record(&folder.path);
    let mut counts = Counts::default();
    rows.iter().for_each(|row| counts.add(row.status));
    print(format!("[{0}/{0}] {counts}\n", rows.len()).as_bytes())?;
    Ok(EXPECTED)
}
