//! `runner.yaml`: expectations with a reason and a bug number.
//!
//! ```yaml
//! expect:
//!   ivb:
//!     - {test: fp64/arithmetic/fs-add, status: fail, reason: rounds twice, bug: "#17"}
//!   all:
//!     - {pattern: "^spec/slow/", status: skip, reason: takes an hour}
//!     - {pattern: "@timing@", status: flake, bug: "#23"}
//! baseline: [ivb=fails.csv]      # files that are always used, relative to this one
//! skips: []
//! flakes: []
//! ```

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;
use serde::Deserialize;

use super::error::ExpectError;
use super::files::{ScopedFile, parse_scope};
use super::patterns::Patterns;
use super::rule::Baseline;
use crate::verdict::Status;
use vocabulary::Target;

/// Maximum nesting of brackets; the parser takes quadratic time for it.
const NESTING: usize = 64;

/// Structure of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Document {
    expect: BTreeMap<String, Vec<Item>>,
    baseline: Vec<String>,
    skips: Vec<String>,
    flakes: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    test: Option<String>,
    pattern: Option<String>,
    status: Said,
    reason: Option<String>,
    bug: Option<serde_yaml::Value>,
}

/// The statement of an item about its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// The tests fail.
    Fail,
    /// The tests crash the runner.
    Crash,
    /// The tests time out.
    Timeout,
    /// The tests are skipped.
    Skip,
    /// The tests are flaky.
    Flake,
}

impl Said {
    /// Returns the equivalent line of a baseline.
    pub fn baseline(self) -> Option<Baseline> {
        match self {
            Said::Fail => Some(Baseline::Status(Status::Fail)),
            Said::Crash => Some(Baseline::Status(Status::Crash)),
            Said::Timeout => Some(Baseline::Status(Status::Timeout)),
            Said::Skip | Said::Flake => None,
        }
    }
}

/// The tests of an item.
#[derive(Clone, Debug)]
pub enum Which {
    /// One test, by its name or piglit's form.
    Name(String),
    /// All tests whose name or piglit form matches.
    Pattern(Regex),
}

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// Generations; `None` means all.
    pub scope: Option<Vec<Target>>,
    /// Tests.
    pub which: Which,
    /// Expected behavior.
    pub said: Said,
    /// `reason (bug)`, as far as given.
    pub note: String,
}

/// A parsed `runner.yaml`.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Expectations in the order of the file, per generation.
    pub expectations: Vec<Expectation>,
    /// Baselines for every run.
    pub baseline: Vec<ScopedFile>,
    /// Skips for every run.
    pub skips: Vec<ScopedFile>,
    /// Flakes for every run.
    pub flakes: Vec<ScopedFile>,
}

impl Config {
    /// Parses the text of a `runner.yaml`; `path` serves for messages and as the base of the files
    /// named in it.
    ///
    /// # Errors
    /// Fails if the text is not YAML of this form.
    pub fn parse(text: &str, path: &Path) -> Result<Config, ExpectError> {
        let file =
            |message: String| ExpectError::File { path: path.display().to_string(), message };
        let empty =
            text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
        if let Some(line) = deep_line(text) {
            return Err(file(format!("line {line}: more than {NESTING} nested brackets")));
        }
        let document: Document = if empty {
            Document::default()
        } else {
            serde_yaml::from_str(text).map_err(|error| file(error.to_string()))?
        };
        let (mut expectations, mut patterns) = (Vec::new(), Patterns::default());
        for (scope, items) in document.expect {
            let scope = parse_scope(&scope).ok_or_else(|| {
                file(format!(
                    "expect: `{scope}` is not a list of generations (or all, or reference)"
                ))
            })?;
            for item in items {
                expectations.push(item.checked(scope.clone(), &mut patterns).map_err(&file)?);
            }
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let files = |list: Vec<String>| {
            list.iter()
                .map(|text| ScopedFile::parse(text))
                .map(|f| ScopedFile { path: folder.join(&f.path), ..f })
                .collect()
        };
        Ok(Config {
            expectations,
            baseline: files(document.baseline),
            skips: files(document.skips),
            flakes: files(document.flakes),
        })
    }
}

impl Item {
    fn checked(
        self,
        scope: Option<Vec<Target>>,
        patterns: &mut Patterns,
    ) -> Result<Expectation, String> {
        let which = match (self.test, self.pattern) {
            (Some(name), None) => Which::Name(name),
            (None, Some(pattern)) => Which::Pattern(patterns.compile(&pattern)?),
            _ => return Err("expect: an item needs either `test` or `pattern`".to_owned()),
        };
        let bug = match self.bug {
            None | Some(serde_yaml::Value::Null) => None,
            Some(serde_yaml::Value::String(text)) => Some(text),
            Some(serde_yaml::Value::Number(number)) => Some(format!("#{number}")),
            Some(_) => return Err("expect: `bug` is a number or a text".to_owned()),
        };
        let note = match (self.reason, bug) {
            (Some(reason), Some(bug)) => format!("{reason} ({bug})"),
            (reason, bug) => reason.or(bug).unwrap_or_default(),
        };
        Ok(Expectation { scope, which, said: self.status, note })
    }
}

/// Returns the first line at which brackets of flow style are nested too deeply. Brackets inside
/// plain text, such as patterns, open nothing.
fn deep_line(text: &str) -> Option<usize> {
    let (mut depth, mut line) = (0usize, 1);
    let mut quote = None;
    // True where a value may begin.
    let mut begins = true;
    for c in text.chars() {
        if c == '\n' {
            line += 1;
        }
        match (quote, c) {
            (Some(open), _) => {
                if c == open {
                    quote = None;
                }
                continue;
            }
            (None, '"' | '\'') if begins => quote = Some(c),
            (None, '[' | '{') if begins => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTING {
            return Some(line);
        }
        begins = match c {
            '\n' | '[' | '{' | ',' | ':' | '-' | '?' => true,
            c => c.is_whitespace() && begins,
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ExpectError> {
        Config::parse(text, Path::new("conf/runner.yaml"))
    }

    #[test]
    fn a_whole_file() {
        let config = parse(
            "# ours\nexpect:\n  ivb,hsw:\n    - {test: a/b, status: fail, reason: rounds, bug: 17}\n  all:\n    \
             - pattern: ^slow\n      status: skip\n      bug: \"drm/9\"\nbaseline: [skl=fails.csv]\n",
        )
        .unwrap();
        let [slow, ab] = &config.expectations[..] else { panic!("{config:?}") };
        assert_eq!(
            (ab.scope.as_deref(), ab.said),
            (Some(&[Target::IVB, Target::HSW][..]), Said::Fail)
        );
        assert_eq!(ab.note, "rounds (#17)");
        assert!(matches!(&ab.which, Which::Name(name) if name == "a/b"));
        assert_eq!(
            (slow.scope.as_deref(), slow.said, slow.note.as_str()),
            (None, Said::Skip, "drm/9")
        );
        assert_eq!(config.baseline, [ScopedFile::parse("skl=conf/fails.csv")]);
        assert!(parse("").unwrap().expectations.is_empty());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, message) in [
            ("expect: {gen7: []}", "`gen7` is not a list of generations"),
            ("expect: {ivb: [{status: fail}]}", "either `test` or `pattern`"),
            ("expect: {ivb: [{test: a, pattern: b, status: fail}]}", "either `test` or `pattern`"),
            ("expect: {ivb: [{pattern: (, status: fail}]}", "not a regular expression"),
            ("expect: {ivb: [{test: a, status: pass}]}", "pass"),
            ("expect: {ivb: [{test: a, status: fail, why: b}]}", "why"),
            ("expectations: {}", "expectations"),
            (": [", "conf/runner.yaml: "),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(message), "{message} in {error}");
        }
    }
}
