//! `generate [--out DIR] [--perturb DIR]`: writes the suites below DIR (default `tests`), or with
//! `--perturb` only their perturbed variants, which have to fail.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use generate::suite::{self, File, perturbed_fp64, perturbed_half};

/// Writes the generated test suites.
#[derive(Parser)]
struct Arguments {
    /// Directory of `fp64/…` and `half/…`.
    #[arg(long, value_name = "DIR", default_value = "tests")]
    out: PathBuf,
    /// Writes perturbed variants instead: for every case of every test, a file whose expected value
    /// is just outside the accepted interval.
    #[arg(long, value_name = "DIR")]
    perturb: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let (directory, perturb) = match arguments.perturb {
        Some(directory) => (directory, true),
        None => (arguments.out, false),
    };
    let fp64 = directory.join("fp64");
    let half = directory.join("half");
    let counts = if perturb {
        [(write(&fp64, perturbed_fp64())?, fp64), (write(&half, perturbed_half())?, half)]
    } else {
        [(write(&fp64, suite::fp64())?, fp64), (write(&half, suite::half())?, half)]
    };
    for (count, directory) in counts {
        println!("{count} files in {}", directory.display());
    }
    Ok(())
}

fn write(directory: &Path, files: impl Iterator<Item = File>) -> anyhow::Result<usize> {
    let mut count = 0;
    for file in files {
        let path = directory.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot create {}", parent.display()))?;
        }
        fs::write(&path, file.text).with_context(|| format!("cannot write {}", path.display()))?;
        count += 1;
    }
    Ok(count)
}
