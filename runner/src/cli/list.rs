//! `runner list`: names of tests, or how often each command pattern occurs.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use script::Pattern;
use serde::Serialize;

use super::args::SelectArgs;
use super::chain::chain;
use super::exit::{EXPECTED, NOTHING, UNEXPECTED};
use super::output::{Format, print, print_json};
use crate::console::message::message;
use crate::console::style::Style;
use crate::select::{FileKinds, Filter, TestFile, find_tests, located, name_prefixes};
use execute::diagnostics;
use results::names::{piglit_name, printable_line};

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Print pattern, files and lines of every command pattern instead of names.
    #[arg(long)]
    counts: bool,
    /// Format.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
}

/// A test in JSON.
#[derive(Serialize)]
struct ListedTest<'a> {
    name: String,
    path: Cow<'a, str>,
}

/// Occurrences of a command pattern in JSON.
#[derive(Serialize)]
struct PatternCount {
    pattern: String,
    files: u64,
    lines: u64,
}

/// The tests under the paths, and the selected ones.
pub(super) struct Selection {
    /// All tests under the paths.
    pub(super) found: Vec<TestFile>,
    /// Selected tests.
    pub(super) tests: Vec<TestFile>,
    /// The filter.
    pub(super) filter: Filter,
    /// Paths of the tests: those of the arguments, and those that names among them mean.
    paths: Vec<PathBuf>,
    /// Common prefixes of the names of tests under the given directories.
    prefixes: Vec<String>,
}

impl Selection {
    /// Returns true if a test with this name would be under one of the given directories.
    pub(super) fn covers(&self, name: &str) -> bool {
        name.contains('/') && self.prefixes.iter().any(|prefix| name.starts_with(prefix))
    }

    /// Returns the message for a selection without tests: what is there, and what left it out.
    pub(super) fn nothing(&self) -> String {
        let paths: Vec<String> = self.paths.iter().map(|p| p.display().to_string()).collect();
        let paths = printable_line(&paths.join(", "));
        match self.found.len() {
            0 => format!("error: no tests are selected: no test below {paths}"),
            count if self.filter.accepts_all() => {
                format!("error: no tests are selected: all {count} below {paths} are left out")
            }
            count => format!(
                "error: no tests are selected: -t, -x and --test-list leave out all {count} below \
                 {paths}; `runner list {paths}` prints their names"
            ),
        }
    }
}

/// Selects tests by the arguments.
pub(super) fn select(args: &SelectArgs, kinds: FileKinds) -> anyhow::Result<Selection> {
    let filter = Filter::new(&args.include, &args.exclude, args.test_list.as_deref())?;
    let paths = located(&args.paths)?;
    let found = find_tests(&paths, kinds)?;
    for name in filter.unknown_names(&found) {
        message!("warning: no test is called `{}`", printable_line(name));
    }
    let tests = found.iter().filter(|test| filter.accepts(&test.name)).cloned().collect();
    Ok(Selection { found, tests, filter, prefixes: name_prefixes(&paths), paths })
}

pub(super) fn list(args: &ListArgs) -> anyhow::Result<u8> {
    let kinds = if args.counts { FileKinds::Scripts } else { FileKinds::Tests };
    let selection = select(&args.select, kinds)?;
    if selection.tests.is_empty() {
        message!("{}", selection.nothing());
        return Ok(NOTHING);
    }
    let tests = selection.tests;
    if args.counts {
        return counts(&tests, args.format);
    }
    let name = |test: &TestFile| match args.select.piglit_names {
        true => piglit_name(&test.name),
        false => test.name.clone(),
    };
    if args.format == Format::Json {
        let tests: Vec<ListedTest<'_>> = tests
            .iter()
            .map(|test| ListedTest { name: name(test), path: test.path.to_string_lossy() })
            .collect();
        print_json("list", &BTreeMap::from([("tests", tests)]))?;
        return Ok(EXPECTED);
    }
    let lines = tests.iter().map(|test| printable_line(&name(test)) + "\n");
    print(lines.collect::<String>().as_bytes())?;
    Ok(EXPECTED)
}

/// Prints `pattern⇥files⇥lines` for every pattern, in the order in which the format tries them.
/// Malformed files are reported and left out.
fn counts(tests: &[TestFile], format: Format) -> anyhow::Result<u8> {
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
    let count = |(index, pattern): (usize, &Pattern)| PatternCount {
        pattern: pattern.to_string(),
        files: files[index],
        lines: lines[index],
    };
    let counts: Vec<PatternCount> = Pattern::ALL.iter().enumerate().map(count).collect();
    match format {
        Format::Json => print_json("patterns", &BTreeMap::from([("patterns", counts)]))?,
        Format::Terminal => {
            let line = |c: &PatternCount| format!("{}\t{}\t{}\n", c.pattern, c.files, c.lines);
            print(counts.iter().map(line).collect::<String>().as_bytes())?;
        }
    }
    Ok(if bad > 0 { UNEXPECTED } else { EXPECTED })
}

fn count_file(path: &Path) -> anyhow::Result<Option<[u64; Pattern::ALL.len()]>> {
    let bytes = match results::read_regular(path, results::TEST_BYTES)
        .with_context(|| path.display().to_string())
    {
        Ok(bytes) => bytes,
        Err(error) => {
            message!("error: {}", chain(&error));
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
            message!(
                "{}",
                diagnostics::script_error(
                    &path.display().to_string(),
                    &bytes,
                    &error,
                    Style::of_errors().is_colored()
                )
            );
            Ok(None)
        }
    }
}
