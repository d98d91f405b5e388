//! `runner expect update` for `runner.yaml`: removes or changes items that a run proves stale, line
//! by line, so that comments and order stay.
//!
//! Items are recognized by their shape: under a generation, each begins a line with `- `. Other
//! shapes (several items in one line, anchors) are left alone, and the edited text is parsed again
//! before it is accepted.

use std::path::Path;

use regex::Regex;

use super::config::{Config, Expectation, Which};
use super::files::parse_scope;
use super::rule::Baseline;
use super::update::{Edited, Fate, Ran, fate};
use super::{ExpectError, config::Said};
use vocabulary::Target;

/// Edits the text of a `runner.yaml`.
///
/// # Errors
/// Fails if the text is malformed before or after the edit.
pub fn config(text: &str, path: &Path, ran: &Ran) -> Result<Edited, ExpectError> {
    let before = Config::parse(text, path)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut edit = Edit {
        ran,
        keep: vec![true; lines.len()],
        lines,
        changed: Vec::new(),
        edited: Edited::default(),
    };
    edit.run();
    let edited = edit.finish();
    let after = Config::parse(&edited.text, path)?;
    let stale = |item: &&Expectation| matches!(fate_of(item, ran), Fate::Remove);
    let left = before.expectations.len() - after.expectations.len();
    let most = before.expectations.iter().filter(stale).count();
    if left != edited.removed || left > most {
        let message =
            "the items to remove could not be told from the others; nothing was changed".to_owned();
        return Err(ExpectError::File { path: path.display().to_string(), message });
    }
    Ok(edited)
}

fn fate_of(item: &Expectation, ran: &Ran) -> Fate {
    match (&item.which, item.said.baseline()) {
        (Which::Name(name), Some(said)) => fate(name, said, item.scope.as_deref(), ran),
        // A single run proves nothing about patterns, skips and flakes.
        _ => Fate::Keep,
    }
}

struct Edit<'a> {
    ran: &'a Ran,
    lines: Vec<&'a str>,
    /// True for lines that stay.
    keep: Vec<bool>,
    /// Replacement texts of lines.
    changed: Vec<(usize, String)>,
    edited: Edited,
}

/// A generation's list: its line, and the first and last lines of its items.
struct List {
    key: usize,
    scope: Option<Vec<Target>>,
    items: Vec<(usize, usize)>,
}

impl Edit<'_> {
    fn run(&mut self) {
        for list in self.lists() {
            let mut left = list.items.len();
            for &(first, last) in &list.items {
                left -= usize::from(self.item(first, last, list.scope.as_ref()));
            }
            if left == 0 && !list.items.is_empty() {
                // A key without a value would not be an empty list.
                let line = self.lines[list.key];
                let at = line.find(':').map_or(line.len(), |at| at + 1);
                self.changed.push((list.key, format!("{} []{}", &line[..at], &line[at..])));
            }
        }
    }

    /// Returns the lists under `expect:` whose items are on separate lines.
    fn lists(&self) -> Vec<List> {
        let mut lists: Vec<List> = Vec::new();
        let Some(start) = self.lines.iter().position(|line| content(line) == "expect:") else {
            return lists;
        };
        for (number, line) in self.lines.iter().enumerate().skip(start + 1) {
            let (content, indent) = (content(line), indent(line));
            if content.is_empty() {
                continue;
            }
            let begins_item = content.starts_with("- ");
            if indent == 0 && !begins_item {
                break;
            }
            let item_indent =
                |list: &List| list.items.first().map(|&(first, _)| self::indent(self.lines[first]));
            match lists.last_mut() {
                // A continuation line of an item.
                Some(list) if item_indent(list).is_some_and(|of_items| indent > of_items) => {
                    if let Some((_, last)) = list.items.last_mut() {
                        *last = number;
                    }
                }
                Some(list)
                    if begins_item
                        && item_indent(list).is_none_or(|of_items| indent == of_items) =>
                {
                    list.items.push((number, number));
                }
                _ => {
                    let key = content
                        .strip_suffix(':')
                        .and_then(|key| parse_scope(key.trim_matches(['"', '\''])));
                    lists.extend(key.map(|scope| List { key: number, scope, items: Vec::new() }));
                }
            }
        }
        lists.retain(|list| !list.items.is_empty());
        lists
    }

    /// Edits one item; returns true if it was removed.
    fn item(&mut self, first: usize, last: usize, scope: Option<&Vec<Target>>) -> bool {
        let text = self.lines[first..=last].concat();
        let Some(item) = single(&text, scope) else { return false };
        match fate_of(&item, self.ran) {
            Fate::Keep => false,
            Fate::Undecided => {
                if let Which::Name(name) = item.which {
                    self.edited.undecided.push(name);
                }
                false
            }
            Fate::Remove => {
                self.keep[first..=last].fill(false);
                self.edited.removed += 1;
                true
            }
            Fate::Change(said) => {
                self.change(first, last, said);
                false
            }
        }
    }

    /// Replaces the status of an item.
    fn change(&mut self, first: usize, last: usize, said: Baseline) {
        let Ok(status) = Regex::new(r"(\bstatus\s*:\s*)(fail|crash|timeout)\b") else { return };
        let line = (first..=last).find(|&line| status.is_match(self.lines[line]));
        if let Some(line) = line {
            let word = said.to_string().to_lowercase();
            self.changed.push((
                line,
                status.replace(self.lines[line], format!("${{1}}{word}")).into_owned(),
            ));
            self.edited.changed += 1;
        }
    }

    fn finish(mut self) -> Edited {
        for (number, line) in self.lines.iter().enumerate().filter(|(number, _)| self.keep[*number])
        {
            let changed = self.changed.iter().find(|(changed, _)| *changed == number);
            self.edited.text.push_str(changed.map_or(line, |(_, text)| text));
        }
        self.edited
    }
}

/// Returns the one expectation that the lines of an item hold.
fn single(text: &str, scope: Option<&Vec<Target>>) -> Option<Expectation> {
    let indented: String = text.split_inclusive('\n').map(|line| format!("  {line}")).collect();
    let config = Config::parse(&format!("expect:\n all:\n{indented}"), Path::new("")).ok()?;
    let [item] = config.expectations.as_slice() else { return None };
    Some(Expectation { scope: scope.cloned(), ..item.clone() })
        .filter(|item| item.said != Said::Skip)
}

/// Returns a line without its comment and spaces. A `#` within a text counts as a comment: the line
/// is then left alone.
fn content(line: &str) -> &str {
    let end =
        if line.trim_start().starts_with('#') { 0 } else { line.find(" #").unwrap_or(line.len()) };
    line[..end].trim()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Status, TestResult};

    const TEXT: &str = "# ours\nskips: []\nexpect:\n  ivb:\n    # rounding\n    - {test: a/fixed, status: fail, bug: \"#17\"}  \
                        # gone soon\n    - test: a/better   # was worse\n      reason: \"odd # sign\"\n      status: crash # now\n\n    \
                        - {pattern: fixed, status: fail}\n  hsw:   # one\n    - test: a/fixed\n      status: fail\n    # the end\n  \
                        skl:\n  - {test: a/slow, status: skip}\n  - {test: a/worse, status: fail}\nflakes: []\n";

    fn results(generation: &str) -> Vec<TestResult> {
        let all = [
            ("a/fixed", Status::Pass),
            ("a/better", Status::Fail),
            ("a/worse", Status::Timeout),
            ("a/slow", Status::Skip),
        ];
        all.into_iter().map(|(test, status)| TestResult::plain(test, generation, status)).collect()
    }

    fn edited(text: &str, generation: &str) -> Edited {
        config(text, Path::new("runner.yaml"), &Ran::new(&results(generation))).unwrap()
    }

    #[test]
    fn comments_and_order_stay() {
        let ivb = edited(TEXT, "ivb");
        let expected = TEXT
            .replace("    - {test: a/fixed, status: fail, bug: \"#17\"}  # gone soon\n", "")
            .replace("status: crash # now", "status: fail # now");
        assert_eq!(ivb.text, expected);
        assert_eq!((ivb.removed, ivb.changed), (1, 1));
        assert_eq!(edited(&ivb.text, "ivb").text, ivb.text, "nothing more to do");
    }

    #[test]
    fn only_generations_that_ran() {
        let hsw = edited(TEXT, "hsw");
        let expected = TEXT.replace(
            "  hsw:   # one\n    - test: a/fixed\n      status: fail\n",
            "  hsw: []   # one\n",
        );
        assert_eq!((hsw.text, hsw.removed, hsw.changed), (expected, 1, 0));
        let skl = edited(TEXT, "skl");
        assert_eq!(
            skl.text,
            TEXT.replace("{test: a/worse, status: fail}", "{test: a/worse, status: timeout}")
        );
        assert_eq!(edited(TEXT, "bdw").text, TEXT);
    }

    #[test]
    fn other_shapes_are_left_alone() {
        for text in [
            "expect: {ivb: [{test: a/fixed, status: fail}]}\n",
            "expect:\n  ivb: [{test: a/fixed, status: fail}]\n",
            "expect:\n  ivb:\n    [{test: a/fixed, status: fail}]\n",
            "",
            "# nothing\n",
        ] {
            let edited = edited(text, "ivb");
            assert_eq!((edited.text.as_str(), edited.removed), (text, 0));
        }
        let shared = "expect:\n  ivb,hsw:\n    - {test: a/fixed, status: fail}\n";
        let edited = edited(shared, "ivb");
        assert_eq!((edited.text.as_str(), edited.undecided.len()), (shared, 1));
    }
}
