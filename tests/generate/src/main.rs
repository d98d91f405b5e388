//! `generate [--out DIR] [--perturb DIR]`: writes the suites below DIR (default `tests`), or with `--perturb` only the variants that
//! have to fail.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use generate::suite::{File, fp64, perturbed_fp64};

/// Writes the generated test suites.
#[derive(Parser)]
struct Arguments {
    /// Directory that gets `fp64/…`.
    #[arg(long, value_name = "DIR", default_value = "tests")]
    out: PathBuf,
    /// Instead writes, for every case of every test, a file whose expected value is just wrong.
    #[arg(long, value_name = "DIR")]
    perturb: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let (directory, count) = match arguments.perturb {
        Some(directory) => (directory.clone(), write(&directory, perturbed_fp64())?),
        None => {
            let directory = arguments.out.join("fp64");
            (directory.clone(), write(&directory, fp64())?)
        }
    };
    println!("{count} files in {}", directory.display());
    Ok(())
}

fn write(directory: &Path, files: impl Iterator<Item = File>) -> anyhow::Result<usize> {
    let mut count = 0;
    for file in files {
        let path = directory.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).with_context(|| format!("cannot create {}", parent.display()))?;
        }
        fs::write(&path, file.text).with_context(|| format!("cannot write {}", path.display()))?;
        count += 1;
    }
    Ok(count)
}
