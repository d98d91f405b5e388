//! `runner list`: names of tests, or how often each command pattern occurs.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use script::Pattern;

use super::{EXPECTED, ListArgs, NOTHING, SelectArgs, UNEXPECTED, print};
use crate::diagnostics;
use crate::names::{piglit_name, printable};
use crate::select::{Filter, TestFile, find_tests};

/// All tests under the paths, and those of them that the filters let through.
pub(super) fn select(args: &SelectArgs) -> anyhow::Result<(Vec<TestFile>, Vec<TestFile>)> {
    let filter = Filter::new(&args.include, &args.exclude, args.test_list.as_deref())?;
    let tests = find_tests(&args.paths)?;
    for name in filter.unknown_names(&tests) {
        eprintln!("warning: no test is called `{}`", printable(name));
    }
    let selected = tests.iter().filter(|test| filter.accepts(&test.name)).cloned().collect();
    Ok((tests, selected))
}

pub(super) fn list(args: &ListArgs) -> anyhow::Result<u8> {
    let (_, tests) = select(&args.select)?;
    if tests.is_empty() {
        eprintln!("error: no tests are selected");
        return Ok(NOTHING);
    }
    if args.counts {
        return counts(&tests);
    }
    let mut text = String::new();
    for test in &tests {
        let name = if args.select.piglit_names { piglit_name(&test.name) } else { test.name.clone() };
        writeln!(text, "{}", printable(&name))?;
    }
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

/// `pattern⇥files⇥lines` for every pattern, in the order in which the format tries them. Files that do not parse are
/// reported and left out.
fn counts(tests: &[TestFile]) -> anyhow::Result<u8> {
    let mut files = [0u64; Pattern::ALL.len()];
    let mut lines = [0u64; Pattern::ALL.len()];
    let mut bad = 0usize;
    for test in tests {
        let Some(counted) = count_file(&test.path)? else {
            bad += 1;
            continue;
        };
        for (index, &count) in counted.iter().enumerate().filter(|(_, count)| **count > 0) {
            files[index] += 1;
            lines[index] += count;
        }
    }
    let mut text = String::new();
    for (index, pattern) in Pattern::ALL.iter().enumerate() {
        writeln!(text, "{pattern}\t{}\t{}", files[index], lines[index])?;
    }
    print(text.as_bytes())?;
    Ok(if bad > 0 { UNEXPECTED } else { EXPECTED })
}

fn count_file(path: &Path) -> anyhow::Result<Option<[u64; Pattern::ALL.len()]>> {
    let bytes = match std::fs::read(path).with_context(|| path.display().to_string()) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("error: {error:#}");
            return Ok(None);
        }
    };
    match script::parse(&bytes) {
        Ok(script) => {
            let mut counts = [0u64; Pattern::ALL.len()];
            for line in script.test.as_deref().unwrap_or_default() {
                counts[usize::from(line.pattern.number()) - 1] += 1;
            }
            Ok(Some(counts))
        }
        Err(error) => {
            eprintln!("{}", diagnostics::script_error(&path.display().to_string(), &bytes, &error));
            Ok(None)
        }
    }
}
