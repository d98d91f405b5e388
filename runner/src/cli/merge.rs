//! `runner merge`: merges shards.

use std::path::PathBuf;

use clap::Args;

use super::args::RunArgs;
use super::exit::{EXPECTED, UNEXPECTED};
use super::options::{changed_options, junit, run_options};
use super::output::print;
use super::{history, list, plan};
use crate::console::message::message;
use crate::select::FileKinds;
use results::verdict::summary_line;
use results::{Repeat, ResultsWriter, Run, RunFolder, RunRecord};

#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    /// The shards: their folders or results.jsonl.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Folder of the merged run (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only unexpected results in the JUnit report.
    #[arg(long)]
    junit_failures_only: bool,
}

/// Parses the arguments of a recorded run.
pub(super) type Parse = fn(&RunRecord) -> anyhow::Result<RunArgs>;

/// Merges shards; `parse` reads the arguments of the run that they are parts of.
pub(super) fn merge(args: &MergeArgs, parse: Parse) -> anyhow::Result<u8> {
    let runs = args.runs.iter().map(|path| Run::read(path)).collect::<Result<Vec<_>, _>>()?;
    let (header, mut results) = results::merge(&runs)?;
    let folder = RunFolder::create(args.out.as_deref())?;
    let record = results::merged_record(&runs, &std::env::current_dir()?);
    let repeat = record.as_ref().map(|record| repeat(record, parse)).unwrap_or_default();
    let which = junit(args.junit_failures_only);
    ResultsWriter::write_all(&folder.path, &header, &mut results, which, &repeat)?;
    results::copy_bundles(&runs, &folder.path)?;
    match record {
        Some(record) => record.write(&folder.path)?,
        None => message!("warning: no shard has a run.json: the merged run cannot be repeated"),
    }
    history::record(&folder.path);
    print(format!("{}\n", summary_line(&results)).as_bytes())?;
    let good = results.iter().all(|result| result.is_good());
    Ok(if good { EXPECTED } else { UNEXPECTED })
}

/// Returns the origin of the commands of a run's test cases: their files if the run was started in
/// the working directory, else its arguments.
fn repeat(record: &RunRecord, parse: Parse) -> Repeat {
    let arguments = record.arguments.clone();
    let with_files = || -> anyhow::Result<Repeat> {
        anyhow::ensure!(record.directory == std::env::current_dir()?, "another directory");
        let args = parse(record)?;
        let found = list::select(&args.select, FileKinds::Tests)?.found.into_iter();
        let changed = changed_options(&args.execute, &run_options(&args)?.execution);
        Ok(Repeat {
            files: found.map(|test| (test.name, test.path)).collect(),
            options: plan::option_words(&args, &changed),
            arguments: arguments.clone(),
        })
    };
    with_files().unwrap_or(Repeat { arguments, ..Repeat::default() })
}
