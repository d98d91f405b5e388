//! Expectations of a run: deqp-runner's baselines, skips and flakes, and `runner.yaml`.
//!
//! [`Expectations`] are loaded once and queried twice per test case: for skipping it and for
//! judging its status. The judgment itself is the pure function [`judge`]. [`update`] edits the
//! files after a run.

mod config;
mod error;
mod files;
mod patterns;
mod rule;
pub mod update;
mod update_yaml;

pub use config::Config;
pub use error::ExpectError;
pub use files::{ScopedFile, parse_baseline, parse_patterns};
pub use rule::{Baseline, is_bad, judge, label};
pub use update_yaml::config as update_config;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use regex::{Regex, RegexSet, RegexSetBuilder};

use crate::file::{OPTION_BYTES, read_regular};
use crate::names::piglit_name;
use crate::verdict::{Outcome, Status};
use config::{Said, Which};
use vocabulary::Target;

/// The files of a command line.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Baselines.
    pub baseline: Vec<ScopedFile>,
    /// Skips.
    pub skips: Vec<ScopedFile>,
    /// Flakes.
    pub flakes: Vec<ScopedFile>,
    /// `runner.yaml`.
    pub config: Option<PathBuf>,
}

/// A statement, for messages.
#[derive(Clone, Debug)]
struct Statement {
    /// File and line, or the file alone.
    place: String,
    /// File alone.
    file: String,
    /// Name or pattern.
    text: String,
    /// Reason and bug.
    note: String,
}

#[derive(Clone, Debug)]
struct Line {
    baseline: Baseline,
    statement: usize,
}

/// Limit of the compiled form of all patterns of one generation, in bytes.
const SET_BYTES: usize = 128 << 20;

/// Patterns for one generation, matched all at once.
#[derive(Clone, Debug, Default)]
struct Patterns {
    regexes: Vec<String>,
    statements: Vec<usize>,
    set: RegexSet,
}

impl Patterns {
    fn push(&mut self, regex: &Regex, statement: usize) {
        self.regexes.push(regex.as_str().to_owned());
        self.statements.push(statement);
    }

    fn build(&mut self) -> Result<(), ExpectError> {
        let set = RegexSetBuilder::new(&self.regexes).size_limit(SET_BYTES).build();
        self.set = set.map_err(|error| ExpectError::File {
            path: "expectations".to_owned(),
            message: match error {
                regex::Error::CompiledTooBig(_) => format!(
                    "the {} patterns of one generation exceed {} MiB in compiled form",
                    self.regexes.len(),
                    SET_BYTES >> 20
                ),
                error => error.to_string(),
            },
        })?;
        Ok(())
    }

    /// Returns the statements whose pattern matches the name or its piglit form.
    fn matching(&self, name: &str, piglit: &str) -> BTreeSet<usize> {
        let ours = self.set.matches(name);
        let theirs = self.set.matches(piglit);
        ours.iter().chain(theirs.iter()).map(|index| self.statements[index]).collect()
    }
}

/// Statements about one generation.
#[derive(Clone, Debug, Default)]
struct ForGeneration {
    lines: BTreeMap<String, Line>,
    /// Patterns of `runner.yaml`, each with the baseline line that it is equivalent to.
    patterns: Patterns,
    pattern_lines: Vec<Baseline>,
    skips: Patterns,
    flakes: Patterns,
}

/// All expectations of a run.
#[derive(Clone, Debug, Default)]
pub struct Expectations {
    statements: Vec<Statement>,
    generations: BTreeMap<Target, ForGeneration>,
}

impl Expectations {
    /// Loads the files as far as they apply to the generations.
    ///
    /// # Errors
    /// Fails on an unreadable file and on any malformed line.
    pub fn load(sources: &Sources, generations: &[Target]) -> Result<Expectations, ExpectError> {
        let config = match &sources.config {
            Some(path) => Config::parse(&read(path)?, path)?,
            None => Config::default(),
        };
        let mut all = Expectations {
            generations: generations
                .iter()
                .map(|&generation| (generation, ForGeneration::default()))
                .collect(),
            ..Expectations::default()
        };
        let config_path = sources.config.clone().unwrap_or_default();
        for item in &config.expectations {
            all.add_item(item, &config_path);
        }
        for file in config.baseline.iter().chain(&sources.baseline) {
            all.add_baseline(file)?;
        }
        for (files, more, kind) in
            [(&config.skips, &sources.skips, "skips"), (&config.flakes, &sources.flakes, "flakes")]
        {
            for file in files.iter().chain(more) {
                all.add_patterns(file, kind)?;
            }
        }
        for list in all.generations.values_mut() {
            [&mut list.patterns, &mut list.skips, &mut list.flakes]
                .into_iter()
                .try_for_each(Patterns::build)?;
        }
        Ok(all)
    }

    fn state(&mut self, path: &Path, line: Option<usize>, text: &str, note: &str) -> usize {
        let file = path.display().to_string();
        let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        self.statements.push(Statement {
            place,
            file,
            text: text.to_owned(),
            note: note.to_owned(),
        });
        self.statements.len() - 1
    }

    fn covered(&mut self, scope: Option<&[Target]>) -> impl Iterator<Item = &mut ForGeneration> {
        let scope = scope.map(<[Target]>::to_vec);
        let covered = move |generation: Target| files::covers(scope.as_deref(), generation);
        self.generations
            .iter_mut()
            .filter(move |(generation, _)| covered(**generation))
            .map(|(_, list)| list)
    }

    fn add_item(&mut self, item: &config::Expectation, path: &Path) {
        let text = match &item.which {
            Which::Name(name) => name.clone(),
            Which::Pattern(regex) => regex.as_str().to_owned(),
        };
        let statement = self.state(path, None, &text, &item.note);
        // The name of a skipped or flaky test becomes a pattern for exactly that test.
        let exact = || Regex::new(&format!("^{}$", regex::escape(&text)));
        let pattern = match &item.which {
            Which::Pattern(regex) => Some(regex.clone()),
            Which::Name(_) => exact().ok(),
        };
        for list in self.covered(item.scope.as_deref()) {
            match (item.said, &item.which, &pattern) {
                (Said::Skip, _, Some(regex)) => list.skips.push(regex, statement),
                (Said::Flake, _, Some(regex)) => list.flakes.push(regex, statement),
                (said, Which::Name(name), _) => {
                    list.lines.extend(
                        said.baseline().map(|b| (name.clone(), Line { baseline: b, statement })),
                    );
                }
                (said, Which::Pattern(regex), _) => {
                    if let Some(baseline) = said.baseline() {
                        list.patterns.push(regex, statement);
                        list.pattern_lines.push(baseline);
                    }
                }
            }
        }
    }

    fn add_baseline(&mut self, file: &ScopedFile) -> Result<(), ExpectError> {
        for line in parse_baseline(&read(&file.path)?, &file.path)? {
            let statement = self.state(&file.path, Some(line.line), &line.name, "");
            for list in self.covered(file.scope.as_deref()) {
                list.lines.insert(line.name.clone(), Line { baseline: line.baseline, statement });
            }
        }
        Ok(())
    }

    fn add_patterns(&mut self, file: &ScopedFile, kind: &str) -> Result<(), ExpectError> {
        for line in parse_patterns(&read(&file.path)?, &file.path, kind)? {
            let statement = self.state(&file.path, Some(line.line), line.regex.as_str(), "");
            for list in self.covered(file.scope.as_deref()) {
                let patterns = if kind == "skips" { &mut list.skips } else { &mut list.flakes };
                patterns.push(&line.regex, statement);
            }
        }
        Ok(())
    }

    /// Returns the statement that skips a test case, if any.
    pub fn skip(&self, test: &str, generation: Target) -> Option<String> {
        let list = self.generations.get(&generation)?;
        let first = list.skips.matching(test, &piglit_name(test)).pop_first()?;
        let statement = &self.statements[first];
        let note =
            if statement.note.is_empty() { String::new() } else { format!(": {}", statement.note) };
        Some(format!("skipped by `{}` in {}{note}", statement.text, statement.place))
    }

    /// Returns the baseline's statement about a test case.
    pub fn baseline(&self, test: &str, generation: Target) -> Option<Baseline> {
        let list = self.generations.get(&generation)?;
        let piglit = piglit_name(test);
        let line = list.lines.get(test).or_else(|| list.lines.get(&piglit));
        line.map(|line| line.baseline).or_else(|| {
            let first = list
                .patterns
                .set
                .matches(test)
                .iter()
                .chain(list.patterns.set.matches(&piglit).iter())
                .min()?;
            list.pattern_lines.get(first).copied()
        })
    }

    /// Returns the tests that are expected to fail on a generation, as the files write them.
    pub fn named(&self, generation: Target) -> impl Iterator<Item = &str> {
        let lines = self.generations.get(&generation).into_iter().flat_map(|list| &list.lines);
        lines.filter(|(_, line)| line.baseline.is_bad()).map(|(name, _)| &**name)
    }

    /// Returns true if a test case is a known flake.
    pub fn is_flake(&self, test: &str, generation: Target) -> bool {
        let list = self.generations.get(&generation);
        list.is_some_and(|list| !list.flakes.matching(test, &piglit_name(test)).is_empty())
    }

    /// Returns the outcome of a status for a test case that these expectations do not skip.
    pub fn judge(&self, test: &str, generation: Target, status: Option<Status>) -> Outcome {
        let bad = status.is_none_or(is_bad);
        let baseline = self.baseline(test, generation);
        // Only bad statuses and baseline entries need the second match.
        let known_flake = (bad || baseline.is_some()) && self.is_flake(test, generation);
        judge(status, baseline, known_flake)
    }

    /// Returns the statements that apply to none of the tests: `place: text`, in the order of the
    /// files.
    pub fn unmatched<'a>(&self, tests: impl Iterator<Item = &'a str>) -> Vec<Unmatched> {
        let mut used = BTreeSet::new();
        let mut relevant = BTreeSet::new();
        for list in self.generations.values() {
            relevant.extend(list.lines.values().map(|line| line.statement));
            for patterns in [&list.patterns, &list.skips, &list.flakes] {
                relevant.extend(patterns.statements.iter().copied());
            }
        }
        for test in tests {
            let piglit = piglit_name(test);
            for list in self.generations.values() {
                let lines = [list.lines.get(test), list.lines.get(&piglit)];
                used.extend(lines.into_iter().flatten().map(|line| line.statement));
                for patterns in [&list.patterns, &list.skips, &list.flakes] {
                    used.extend(patterns.matching(test, &piglit));
                }
            }
        }
        let statement = |&index: &usize| {
            let Statement { place, file, text, .. } = self.statements[index].clone();
            Unmatched { place, file, text }
        };
        relevant.difference(&used).map(statement).collect()
    }
}

/// A statement that applies to no test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// File and line.
    pub place: String,
    /// File.
    pub file: String,
    /// Name or pattern.
    pub text: String,
}

fn read(path: &Path) -> Result<String, ExpectError> {
    let error = |message: String| ExpectError::File { path: path.display().to_string(), message };
    let bytes = read_regular(path, OPTION_BYTES).map_err(|e| error(e.to_string()))?;
    String::from_utf8(bytes).map_err(|_| error("not UTF-8 text".to_owned()))
}

#[cfg(test)]
mod tests;
