//! `runner merge`: merges shards.

use std::path::PathBuf;

use clap::Args;

use super::exit::{EXPECTED, UNEXPECTED};
use super::history;
use super::options::junit;
use super::output::print;
use results::verdict::Counts;
use results::{ResultsWriter, Run, RunFolder};

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

pub(super) fn merge(args: &MergeArgs) -> anyhow::Result<u8> {
    let runs = args.runs.iter().map(|path| Run::read(path)).collect::<Result<Vec<_>, _>>()?;
    let (header, mut rows) = results::merge(&runs)?;
    let folder = RunFolder::create(args.out.as_deref())?;
    ResultsWriter::write_all(&folder.path, &header, &mut rows, junit(args.junit_failures_only))?;
    history::record(&folder.path);
    let mut counts = Counts::default();
    rows.iter().for_each(|row| counts.add(row.status));
    print(format!("[{0}/{0}] {counts}\n", rows.len()).as_bytes())?;
    let good = rows.iter().all(|row| row.is_good());
    Ok(if good { EXPECTED } else { UNEXPECTED })
}
