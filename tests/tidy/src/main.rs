//! Prints the offenses of the tree: `cargo run -p tidy -- [OPTIONS] [PATH…]`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::{env, io};
use tidy::{CHECKS, circles, source};

const USAGE: &str = "\
Prints offenses against the rules of the tree as path:line: check: message.

Usage: cargo run -p tidy -- [OPTIONS] [PATH…]

Arguments:
  [PATH…]       Only offenses below these paths, relative to the root of the repository

Options:
  --check NAME  Only this check; may be repeated
  --counts      Number of offenses by folder and check instead of the offenses
  --circles     Circles of modules with the uses that close them
  --help        This text";

fn main() -> io::Result<ExitCode> {
    let (mut paths, mut checks, mut counts, mut describe) = (Vec::new(), Vec::new(), false, false);
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => checks.extend(arguments.next()),
            "--counts" => counts = true,
            "--circles" => describe = true,
            "--help" | "-h" => {
                println!("{USAGE}");
                return Ok(ExitCode::SUCCESS);
            }
            option if option.starts_with('-') => {
                eprintln!("unknown option {option}\n\n{USAGE}");
                return Ok(ExitCode::from(2));
            }
            path => paths.push(path.trim_start_matches("./").to_string()),
        }
    }
    if let Some(name) = checks.iter().find(|name| !CHECKS.iter().any(|(check, _)| check == name)) {
        let known: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
        eprintln!("unknown check {name}; there are {}", known.join(", "));
        return Ok(ExitCode::from(2));
    }
    let files = source::tree(&source::root()?)?;
    if describe {
        print!(
            "{}",
            circles::describe(&files, paths.first().map_or("", |p| p.trim_end_matches('/')))
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut offenses = tidy::check(&files);
    offenses.retain(|o| checks.is_empty() || checks.iter().any(|check| check == o.check));
    offenses
        .retain(|o| paths.is_empty() || paths.iter().any(|path| o.path.starts_with(path.as_str())));
    if counts {
        let mut table: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for offense in &offenses {
            *table.entry((folder(&offense.path), offense.check)).or_default() += 1;
        }
        for ((folder, check), count) in table {
            println!("{count:6} {check:10} {folder}");
        }
    } else {
        offenses.iter().for_each(|offense| println!("{offense}"));
    }
    println!("{} offenses", offenses.len());
    Ok(if offenses.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The crate or the upper folder of a path.
fn folder(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    let end = parts
        .iter()
        .position(|part| ["src", "tests", "benches"].contains(part))
        .filter(|end| *end > 0);
    parts[..end.unwrap_or(2).min(parts.len() - 1)].join("/")
}
