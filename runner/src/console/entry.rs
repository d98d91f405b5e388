//! Entries: the same unexpected result of a test on one or several generations, with the whole
//! reason, the place in the test file and the command that repeats it.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use super::described::DescribedTest;
use super::style::{Color, Style};
use execute::diagnostics::excerpt;
use results::expect::label;
use results::names::printable;
use results::place::{Place, place};
use results::verdict::{Outcome, Phase, Status, TestResult};
use script::bare;
use vocabulary::Stage;

/// Maximum number of printed characters of a line of a reason.
const LONGEST: usize = 1000;
/// Maximum number of printed lines of a reason.
const LINES: usize = 40;
/// Indentation of everything below the first line.
const INDENT: &str = "    ";

/// The same result of a test on one or several generations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The first of the results.
    result: TestResult,
    /// The generations in the order of the plan.
    generations: Vec<String>,
}

/// Combines equal results of one test.
pub(super) fn entries(results: Vec<TestResult>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    for result in results {
        let same = |entry: &&mut Entry| {
            let other = &entry.result;
            (other.status, other.outcome, other.phase, &other.reason)
                == (result.status, result.outcome, result.phase, &result.reason)
        };
        match entries.iter_mut().find(same) {
            Some(entry) => entry.generations.push(result.generation),
            None => {
                let generations = vec![result.generation.clone()];
                entries.push(Entry { result, generations });
            }
        }
    }
    entries
}

impl Entry {
    /// Returns `fail    [ivb,hsw] suite/red`.
    pub(super) fn head(&self, test: &DescribedTest, style: Style) -> String {
        let (status, outcome) = (self.result.status, self.result.outcome);
        let word = match outcome {
            Outcome::Improved => label(status, outcome),
            Outcome::Flake => "flake  ".to_owned(),
            Outcome::Missing => "missing".to_owned(),
            Outcome::Expected | Outcome::Unexpected => format!("{status:7}"),
        };
        let color = match (outcome, status) {
            (Outcome::Improved, _) => Color::Green,
            (Outcome::Flake | Outcome::Missing, _) | (_, Status::Timeout | Status::Warn) => {
                Color::Yellow
            }
            (_, Status::Crash) => Color::Magenta,
            (_, Status::Pass | Status::Fail | Status::Skip) => Color::Red,
        };
        let generations = printable(&self.generations.join(","));
        format!("{} [{generations}] {}", style.paint(color, &word), style.bold(&test.name))
    }

    /// Returns the lines of the entry, without an empty line at the end.
    pub(super) fn text(&self, test: &DescribedTest, style: Style) -> String {
        let mut text = self.head(test, style);
        // Writing to a string cannot fail.
        if let Some(phase) = self.result.phase {
            let _ = write!(text, " {phase}:");
        }
        let reason = self.reason();
        let place = place(reason);
        let excerpt = place.and_then(|place| marked(&file_of(&test.path, reason), place, style));
        // The message of a malformed file ends with an excerpt of its own.
        let reason = match (&excerpt, self.result.phase, reason.split_once("\nerror: ")) {
            (Some(_), Some(Phase::Script), Some((message, _))) => message,
            _ => reason,
        };
        // Lines below the first one are indented, unless a further failure begins.
        let mut is_further = false;
        for (index, line) in reason.lines().take(LINES).enumerate() {
            let line = shown(line);
            is_further |= index > 0 && !line.starts_with(' ');
            let indent = if is_further && line.starts_with(' ') { "  " } else { "" };
            let _ = match index {
                0 => write!(text, " {line}"),
                _ => write!(text, "\n{INDENT}{indent}{}", painted(line.trim_start(), style)),
            };
        }
        let more = reason.lines().count().saturating_sub(LINES);
        if more > 0 {
            let _ = write!(text, "\n{INDENT}and {more} more lines");
        }
        for line in excerpt.iter().flat_map(|excerpt| excerpt.lines()) {
            let _ = write!(text, "\n{INDENT}{}", line.trim_end());
        }
        if let Some(command) = &test.command {
            let generations: Vec<&str> = self.generations.iter().map(String::as_str).collect();
            let _ = write!(text, "\n{INDENT}{}", style.faint(&command.command(&generations)));
        }
        text
    }

    fn reason(&self) -> &str {
        self.result.reason.as_deref().unwrap_or("")
    }
}

/// Escapes and shortens a line of a reason.
fn shown(line: &str) -> String {
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(end, _)| end);
    let cut = if end < line.len() { "…" } else { "" };
    format!("{}{cut}", printable(&line[..end]))
}

/// Paints the label of a value.
fn painted(line: &str, style: Style) -> String {
    let labels = [
        ("Expected:", Color::Green),
        ("Observed:", Color::Red),
        ("Simulator:", Color::Cyan),
        ("Reference:", Color::Cyan),
    ];
    let label = labels.iter().find_map(|&(label, color)| {
        let rest = line.strip_prefix(label)?;
        Some(format!("{}{rest}", style.paint(color, label)))
    });
    label.unwrap_or_else(|| line.to_owned())
}

/// Returns the file that a reason is about: of a program of bare shaders, the one of the stage that
/// does not compile.
fn file_of<'a>(path: &'a Path, reason: &str) -> Cow<'a, Path> {
    let stage = bare::stage_of(path).and_then(|_| {
        let (stage, _) = reason.strip_prefix("Failed to compile ")?.split_once(':')?;
        Stage::ALL.into_iter().find(|known| known.abbreviation() == stage)
    });
    match stage {
        Some(stage) => path.with_extension(bare::extension_of(stage)).into(),
        None => path.into(),
    }
}

/// Returns an excerpt of a test file with the place marked; `None` if there is no such place.
fn marked(path: &Path, place: Place, style: Style) -> Option<String> {
    if path.as_os_str().is_empty() {
        return None;
    }
    let bytes = results::read_regular(path, results::TEST_BYTES).ok()?;
    // Escape sequences and the like in the file must not reach a terminal.
    let text: String = String::from_utf8_lossy(&bytes).chars().map(visible).collect();
    let index = usize::try_from(place.line).ok()?.checked_sub(1)?;
    let start = text.split_inclusive('\n').take(index).map(str::len).sum::<usize>();
    let line = text[start..].lines().next()?;
    let span = match place.column {
        Some(column) => word_at(line, usize::try_from(column).ok()?),
        None => line.len() - line.trim_start().len()..line.trim_end().len(),
    };
    let name = printable(&path.display().to_string());
    Some(excerpt(&name, &text, start + span.start..start + span.end, style.is_colored()))
}

/// Replaces a character that does not show itself.
fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        _ if printable(c.encode_utf8(&mut [0; 4])).chars().eq([c]) => c,
        _ => '\u{fffd}',
    }
}

/// Returns the word that begins at a column, counted in characters from 1, or the character there.
fn word_at(line: &str, column: usize) -> std::ops::Range<usize> {
    let start =
        line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(start, _)| start);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let rest = &line[start..];
    let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + end.max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::RepeatTest;

    fn result(generation: &str, outcome: Outcome, status: Status, reason: &str) -> TestResult {
        TestResult {
            phase: Some(Phase::Probe),
            reason: Some(reason.into()),
            outcome,
            ..TestResult::plain("a", generation, status)
        }
    }

    fn test() -> DescribedTest {
        DescribedTest { name: "s/a".into(), path: "".into(), command: None }
    }

    #[test]
    fn heads() {
        for (status, outcome, head) in [
            (Status::Fail, Outcome::Unexpected, "fail    [ivb] s/a"),
            (Status::Fail, Outcome::Flake, "flake   [ivb] s/a"),
            (Status::Skip, Outcome::Missing, "missing [ivb] s/a"),
            (Status::Pass, Outcome::Improved, "UnexpectedImprovement(Pass) [ivb] s/a"),
        ] {
            let entry = &entries(vec![result("ivb", outcome, status, "")])[0];
            assert_eq!(entry.head(&test(), Style::PLAIN), head);
        }
    }

    #[test]
    fn equal_results_are_one_entry() {
        let fail =
            |generation, reason| result(generation, Outcome::Unexpected, Status::Fail, reason);
        let results = vec![fail("ivb", "x"), fail("hsw", "y"), fail("skl", "x")];
        let heads: Vec<String> =
            entries(results).iter().map(|entry| entry.head(&test(), Style::PLAIN)).collect();
        assert_eq!(heads, ["fail    [ivb,skl] s/a", "fail    [hsw] s/a"]);
    }

    #[test]
    fn reasons_are_whole_and_harmless() {
        let command = RepeatTest { before: " a.shader_test".into(), after: String::new() };
        let test = DescribedTest { command: Some(command), ..test() };
        let reason = format!("one\t\u{1b}[2J\n  Expected: 1\ntwo\n  a\n{}", "x\n".repeat(LINES));
        let results =
            ["ivb", "skl"].map(|name| result(name, Outcome::Unexpected, Status::Fail, &reason));
        let text = entries(results.to_vec())[0].text(&test, Style::PLAIN);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "fail    [ivb,skl] s/a probe: one\\t\\u{1b}[2J");
        assert_eq!(lines[1], "    Expected: 1");
        assert_eq!(lines[2..4], ["    two", "      a"]);
        let end = ["    and 4 more lines", "    runner a.shader_test --gen ivb,skl"];
        assert_eq!(lines[lines.len() - 2..], end);
    }

    #[test]
    fn places_are_marked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a\u{1b}b");
        std::fs::write(&path, b"one\n  two\x1b\xff bad_word = 1;  \n").unwrap();
        let excerpt = |line, column| marked(&path, Place { line, column }, Style::PLAIN);
        let text = excerpt(2, Some(9)).unwrap();
        assert!(
            text.contains("two\u{fffd}\u{fffd} bad_word") && text.contains("a\\u{1b}b:2:9"),
            "{text}"
        );
        assert!(
            text.lines().any(|line| line.trim_start_matches([' ', '|']) == "^^^^^^^^"),
            "{text}"
        );
        let text = excerpt(2, None).unwrap();
        assert!(text.contains("^^^^^^^^^^^^^^^^^^^"), "{text}");
        // No such line, beyond the end of a line.
        assert_eq!(excerpt(9, None), None);
        assert!(excerpt(1, Some(99)).is_some());
        assert_eq!(marked(Path::new(""), Place { line: 1, column: None }, Style::PLAIN), None);
    }

    #[test]
    fn words() {
        assert_eq!(word_at("ab + c", 1), 0..2);
        assert_eq!(word_at("é + c", 3), 3..4);
        assert_eq!(word_at("ab", 7), 2..2);
    }
}
