//! deqp-runner's expectation files, unchanged: a baseline of `name,Status` lines; skips and flakes
//! of one regular expression per line. `#` starts a comment line; empty lines are ignored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::Regex;

use super::error::ExpectError;
use super::patterns::Patterns;
use super::rule::Baseline;
use vocabulary::Target;

/// A file of the command line and the generations that it applies to: `[GEN=]FILE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopedFile {
    /// Generations; `None` means all.
    pub scope: Option<Vec<Target>>,
    /// Path of the file.
    pub path: PathBuf,
}

impl ScopedFile {
    /// Parses `[GEN=]FILE`. The text before the first `=` is a scope only if it names generations,
    /// so that files with `=` in their names stay usable.
    pub fn parse(text: &str) -> ScopedFile {
        let scoped = text.split_once('=').and_then(|(scope, path)| {
            let scope = parse_scope(scope)?;
            Some(ScopedFile { scope, path: PathBuf::from(path) })
        });
        scoped.unwrap_or_else(|| ScopedFile { scope: None, path: PathBuf::from(text) })
    }

    /// Returns true if the file applies to a generation.
    pub fn covers(&self, generation: Target) -> bool {
        covers(self.scope.as_deref(), generation)
    }
}

/// Parses the generations of a scope (`Some(None)` means all); `None` if the text is not a list of
/// generations.
pub(super) fn parse_scope(text: &str) -> Option<Option<Vec<Target>>> {
    match text {
        "all" => Some(None),
        "reference" => Some(Some(vec![Target::REFERENCE])),
        list => Target::parse_list(list).ok().map(Some),
    }
}

/// Returns true if a scope includes a generation.
pub(super) fn covers(scope: Option<&[Target]>, generation: Target) -> bool {
    scope.is_none_or(|scope| scope.contains(&generation))
}

/// One line of a baseline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaselineLine {
    /// Line number, from 1.
    pub line: usize,
    /// Name of the test in either form.
    pub name: String,
    /// Expected behavior.
    pub baseline: Baseline,
}

/// Parses a baseline.
///
/// # Errors
/// Fails on a line that is not `name,Status`, and on two lines of one test with different statuses.
pub fn parse_baseline(text: &str, path: &Path) -> Result<Vec<BaselineLine>, ExpectError> {
    let lines = meaningful(text).map(|(line, content)| {
        let (name, baseline) = baseline_fields(content)
            .ok_or_else(|| ExpectError::line(path, line, bad_baseline(content)))?;
        Ok(BaselineLine { line, name, baseline })
    });
    let lines = lines.collect::<Result<Vec<_>, _>>()?;
    match contradiction(&lines) {
        Some((first, second)) => {
            let shown = |line: &BaselineLine| format!("{},{}", line.name, line.baseline);
            let (old, new) = (shown(first), shown(second));
            let message = format!("`{new}` contradicts `{old}` in line {}", first.line);
            Err(ExpectError::line(path, second.line, message))
        }
        None => Ok(lines),
    }
}

/// Returns two lines that expect different statuses of one test.
fn contradiction(lines: &[BaselineLine]) -> Option<(&BaselineLine, &BaselineLine)> {
    let mut seen: BTreeMap<&str, &BaselineLine> = BTreeMap::new();
    lines.iter().find_map(|line| {
        let first = *seen.entry(&line.name).or_insert(line);
        (first.baseline != line.baseline).then_some((first, line))
    })
}

/// Iterates over the trimmed lines that are neither empty nor comments, with their numbers from 1.
fn meaningful(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses `name,Status[,seconds…]`; the name may be quoted and may contain commas.
pub(super) fn baseline_fields(line: &str) -> Option<(String, Baseline)> {
    let (name, rest) = match line.strip_prefix('"') {
        Some(rest) => {
            let end = quoted_end(rest)?;
            (rest[..end].replace("\"\"", "\""), rest[end + 1..].strip_prefix(',')?)
        }
        None => {
            // The status follows the first comma with a valid status after it, since names may
            // contain commas.
            let mut commas = line.match_indices(',').map(|(index, _)| index);
            let comma = commas.find(|&index| first_field(&line[index + 1..]).is_some())?;
            (line[..comma].trim().to_owned(), &line[comma + 1..])
        }
    };
    let baseline = first_field(rest)?;
    (!name.is_empty()).then_some((name, baseline))
}

/// Returns the position of the quote that ends a field.
fn quoted_end(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let quote = from + text.get(from..)?.find('"')?;
        if !text[quote + 1..].starts_with('"') {
            return Some(quote);
        }
        from = quote + 2;
    }
}

fn first_field(text: &str) -> Option<Baseline> {
    Baseline::parse(text.split(',').next().unwrap_or(text))
}

fn bad_baseline(line: &str) -> String {
    match line.rsplit_once(',') {
        Some((_, status)) => format!(
            "`{}` is not a status (known: Pass, Fail, Crash, Timeout, Skip, Warn, Missing, ExpectedFail)",
            status.trim()
        ),
        None => {
            "a line of a baseline is `test,Status`; patterns belong into skips or flakes".to_owned()
        }
    }
}

/// One line of a file of patterns.
#[derive(Clone, Debug)]
pub struct PatternLine {
    /// Line number, from 1.
    pub line: usize,
    /// The pattern; it matches anywhere in a name or its piglit form.
    pub regex: Regex,
}

/// Parses a file of skips or flakes (`kind` names it in messages).
///
/// # Errors
/// Fails on a line that is not a regular expression and on a `test,Fail` line that belongs in a
/// baseline.
pub fn parse_patterns(
    text: &str,
    path: &Path,
    kind: &str,
) -> Result<Vec<PatternLine>, ExpectError> {
    let mut patterns = Patterns::default();
    let lines = meaningful(text).map(|(line, content)| {
        if let Some((name, status)) = baseline_fields(content) {
            let message = format!(
                "`{content}` is a line of a baseline, not a pattern: as a pattern it would match no test. \
                 To expect {status} of the test, move the line to a --baseline file; to {}, write `{name}`",
                if kind == "skips" { "skip it" } else { "call it a flake" }
            );
            return Err(ExpectError::line(path, line, message));
        }
        let regex =
            patterns.compile(content).map_err(|error| ExpectError::line(path, line, error))?;
        Ok(PatternLine { line, regex })
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Status;

    #[test]
    fn scopes() {
        let parse = |text: &str| {
            let file = ScopedFile::parse(text);
            (file.scope, file.path.display().to_string())
        };
        assert_eq!(parse("fails.csv"), (None, "fails.csv".into()));
        assert_eq!(parse("ivb=fails.csv"), (Some(vec![Target::IVB]), "fails.csv".into()));
        assert_eq!(parse("skl,bdw=a=b"), (Some(vec![Target::BDW, Target::SKL]), "a=b".into()));
        assert_eq!(parse("all=x"), (None, "x".into()));
        assert_eq!(parse("reference=x"), (Some(vec![Target::REFERENCE]), "x".into()));
        assert_eq!(parse("a=b"), (None, "a=b".into()));
    }

    #[test]
    fn baselines() {
        let text =
            "# known\n\nspec@a,Fail\n  spec@b@c,d,Crash \r\n\"e,\"\"f\",Timeout,0.5\ng,Pass,1.25\n";
        let lines = parse_baseline(text, Path::new("f")).unwrap();
        let read: Vec<_> = lines.iter().map(|l| (l.line, l.name.as_str(), l.baseline)).collect();
        let status = Baseline::Status;
        assert_eq!(
            read,
            [
                (3, "spec@a", status(Status::Fail)),
                (4, "spec@b@c,d", status(Status::Crash)),
                (5, "e,\"f", status(Status::Timeout)),
                (6, "g", status(Status::Pass)),
            ]
        );
        for (bad, message) in [
            ("a,Fail\nb,fail", "f:2: `fail` is not a status"),
            ("spec@.*", "f:1: a line of a baseline is `test,Status`"),
            ("\"open,Fail", "f:1: "),
            (",Fail", "f:1: "),
        ] {
            let error = parse_baseline(bad, Path::new("f")).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn patterns() {
        let lines = parse_patterns("# slow\nspec@a.*\n\n^b,c$\n", Path::new("s"), "skips").unwrap();
        assert_eq!(
            lines.iter().map(|l| (l.line, l.regex.as_str())).collect::<Vec<_>>(),
            [(2, "spec@a.*"), (4, "^b,c$")]
        );
        let error = |text| parse_patterns(text, Path::new("s"), "skips").unwrap_err().to_string();
        assert!(error("a\nb(").starts_with("s:2: `b(` is not a regular expression"));
        let pasted = error("spec@x,Fail");
        for part in [
            "s:1: `spec@x,Fail` is a line of a baseline",
            "--baseline",
            "to skip it, write `spec@x`",
        ] {
            assert!(pasted.contains(part), "{part} in {pasted}");
        }
    }
}
