//! Matching of CHECK lines against a text, with the semantics of LLVM's FileCheck where
//! `docs/checks-on-code.md` says nothing else.
//!
//! Labels are searched for first and divide the text into regions. Within a region the other lines
//! are matched in order, each behind the match before it.

use std::collections::BTreeMap;

use regex::Regex;
use script::{Check, CheckKind};

/// A CHECK line that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Index of the line in its block.
    pub check: usize,
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Values of the variables in its pattern.
    pub values: BTreeMap<String, String>,
}

/// Kinds of failures. Lines of the text count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// No match in these lines; of `CHECK-COUNT-n`, `found` matches.
    Missing {
        /// First line that was searched.
        from: usize,
        /// Line after the last one.
        to: usize,
        /// Number of matches that were found.
        found: u32,
    },
    /// A match that must not be.
    Present {
        /// Line of the match.
        line: usize,
    },
    /// The pattern with the values of its variables is no regular expression.
    Pattern(String),
}

/// A position in the text: line and byte in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    line: usize,
    byte: usize,
}

/// A match.
#[derive(Clone, Copy, Debug)]
struct Found {
    start: At,
    end: At,
}

/// Matches the lines of a block in order.
///
/// # Errors
/// Returns the first failure.
pub(super) fn check(checks: &[Check<'_>], text: &str) -> Result<(), Failure> {
    let mut matcher = Matcher { checks, lines: text.lines().collect(), variables: BTreeMap::new() };
    let labels = matcher.labels()?;
    let mut first = 0;
    let mut start = At { line: 0, byte: 0 };
    for (index, label) in labels {
        matcher.region(first..index, start, label.start)?;
        (first, start) = (index + 1, label.end);
    }
    matcher.region(first..checks.len(), start, matcher.end())
}

struct Matcher<'c, 't> {
    checks: &'c [Check<'c>],
    lines: Vec<&'t str>,
    variables: BTreeMap<String, String>,
}

impl Matcher<'_, '_> {
    /// Returns the position behind the text.
    fn end(&self) -> At {
        At { line: self.lines.len(), byte: 0 }
    }

    /// Returns the matches of the labels, each behind the one before it.
    fn labels(&self) -> Result<Vec<(usize, Found)>, Failure> {
        let mut labels = Vec::new();
        let mut from = At { line: 0, byte: 0 };
        for (index, check) in self.checks.iter().enumerate() {
            if check.kind == CheckKind::Label {
                let found = self.find(&self.regex(index)?, from, self.end());
                let found = found.ok_or_else(|| self.missing(index, from, self.end(), 0))?;
                from = found.end;
                labels.push((index, found));
            }
        }
        Ok(labels)
    }

    /// Matches some lines between two positions of the text.
    fn region(
        &mut self,
        checks: std::ops::Range<usize>,
        start: At,
        end: At,
    ) -> Result<(), Failure> {
        let mut at = start;
        let mut forbidden: Vec<usize> = Vec::new();
        let mut checks = checks.peekable();
        while let Some(index) = checks.next() {
            let found = match self.checks[index].kind {
                CheckKind::Not => {
                    forbidden.push(index);
                    continue;
                }
                CheckKind::Dag => {
                    let mut group = vec![index];
                    let is_dag = |index: &usize| self.checks[*index].kind == CheckKind::Dag;
                    while let Some(next) = checks.next_if(is_dag) {
                        group.push(next);
                    }
                    self.group(&group, at, end)?
                }
                CheckKind::Count(count) => self.repeated(index, count, at, end)?,
                CheckKind::Next => self.next(index, at, end)?,
                CheckKind::Plain | CheckKind::Label => self.one(index, at, end)?,
            };
            self.absent(&forbidden, at, found.start)?;
            forbidden.clear();
            at = found.end;
        }
        self.absent(&forbidden, at, end)
    }

    fn one(&mut self, index: usize, from: At, to: At) -> Result<Found, Failure> {
        let regex = self.regex(index)?;
        let found = self.find(&regex, from, to).ok_or_else(|| self.missing(index, from, to, 0))?;
        self.define(&regex, found.start);
        Ok(found)
    }

    fn next(&mut self, index: usize, from: At, to: At) -> Result<Found, Failure> {
        let line = At { line: from.line + 1, byte: 0 };
        let end = to.min(At { line: from.line + 2, byte: 0 });
        self.one(index, line, end.max(line))
    }

    fn repeated(&self, index: usize, count: u32, from: At, to: At) -> Result<Found, Failure> {
        let regex = self.regex(index)?;
        let mut whole: Option<Found> = None;
        for number in 0..count {
            let at = whole.map_or(from, |found| found.end);
            let found = self.find(&regex, at, to);
            let found = found.ok_or_else(|| self.missing(index, from, to, number))?;
            let start = whole.map_or(found.start, |whole| whole.start);
            whole = Some(Found { start, end: found.end });
        }
        Ok(whole.unwrap_or(Found { start: from, end: from }))
    }

    /// Matches lines in any order, without overlap.
    fn group(&mut self, group: &[usize], from: At, to: At) -> Result<Found, Failure> {
        let mut taken: Vec<Found> = Vec::new();
        for &index in group {
            let regex = self.regex(index)?;
            let mut at = from;
            let found = loop {
                let found = self.find(&regex, at, to);
                let found = found.ok_or_else(|| self.missing(index, from, to, 0))?;
                let overlaps = |other: &&Found| found.start < other.end && other.start < found.end;
                match taken.iter().filter(overlaps).map(|other| other.end).max() {
                    Some(end) => at = end,
                    None => break found,
                }
            };
            self.define(&regex, found.start);
            taken.push(found);
        }
        let start = taken.iter().map(|found| found.start).min().unwrap_or(from);
        let end = taken.iter().map(|found| found.end).max().unwrap_or(from);
        Ok(Found { start, end })
    }

    /// Fails if a forbidden pattern matches between two positions.
    fn absent(&self, forbidden: &[usize], from: At, to: At) -> Result<(), Failure> {
        for &index in forbidden {
            if let Some(found) = self.find(&self.regex(index)?, from, to) {
                let kind = FailureKind::Present { line: found.start.line };
                return Err(self.failure(index, kind));
            }
        }
        Ok(())
    }

    /// Returns the first match between two positions.
    fn find(&self, regex: &Regex, from: At, to: At) -> Option<Found> {
        let last = to.line.min(self.lines.len().saturating_sub(1));
        (from.line..=last).find_map(|line| {
            let text = self.lines.get(line)?;
            let start = if line == from.line { from.byte } else { 0 };
            let end = if line == to.line { to.byte } else { text.len() };
            let found = regex.find_at(text, start.min(text.len()))?;
            let at = |byte| At { line, byte };
            let found = Found { start: at(found.start()), end: at(found.end()) };
            (found.end.byte <= end).then_some(found)
        })
    }

    /// Records the variables of a match that begins at a position.
    fn define(&mut self, regex: &Regex, start: At) {
        let Some(captures) =
            self.lines.get(start.line).and_then(|line| regex.captures_at(line, start.byte))
        else {
            return;
        };
        for name in regex.capture_names().flatten() {
            if let Some(value) = captures.name(name) {
                self.variables.insert(name.to_owned(), value.as_str().to_owned());
            }
        }
    }

    fn regex(&self, index: usize) -> Result<Regex, Failure> {
        let source = self.checks[index].pattern.source(|name| self.variables.get(name).cloned());
        script::compile(&source).map_err(|reason| self.failure(index, FailureKind::Pattern(reason)))
    }

    fn missing(&self, index: usize, from: At, to: At, found: u32) -> Failure {
        let end = if to.byte > 0 { to.line + 1 } else { to.line };
        let kind = FailureKind::Missing { from: from.line, to: end.min(self.lines.len()), found };
        self.failure(index, kind)
    }

    fn failure(&self, check: usize, kind: FailureKind) -> Failure {
        let used = self.checks[check].pattern.used();
        let value = |name: &str| Some((name.to_owned(), self.variables.get(name)?.clone()));
        Failure { check, kind, values: used.filter_map(value).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembly-like text; lines count from 0.
    const TEXT: &str = "// fragment SIMD8\n\
                        mov(8)   g4<1>F   g2<0,1,0>F\n\
                        add(8)   g5<1>F   g4<8,8,1>F\n\
                        add(8)   g6<1>F   g5<8,8,1>F\n\
                        send(8)  null<1>F g6<8,8,1>F\n\
                        // fragment SIMD16\n\
                        mov(16)  g4<1>F   g2<0,1,0>F\n\
                        mul(16)  g8<1>F   g4<8,8,1>F\n\
                        send(16) null<1>F g8<8,8,1>F\n";

    fn outcome(lines: &[&str]) -> Result<(), (usize, FailureKind)> {
        let mut file = "[require]\n[test]\n".to_owned();
        for (index, line) in lines.iter().enumerate() {
            let (name, pattern) = line.split_once(": ").expect("a line");
            let scope = if index == 0 { "(ivb fragment eu)" } else { "" };
            file += &format!("# CHECK{name}{scope}: {pattern}\n");
        }
        let script = script::parse(file.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        check(&script.checks[0].checks, TEXT).map_err(|failure| (failure.check, failure.kind))
    }

    fn missing(from: usize, to: usize, found: u32) -> FailureKind {
        FailureKind::Missing { from, to, found }
    }

    #[test]
    fn lines_that_hold() {
        for lines in [
            // Order, blanks, regular expressions.
            &[": mov(8) g4<1>F g2", ": add(8)", ": add(8)", ": send({{8|16}})"][..],
            // Two matches in one line.
            &[": add(8)", ": g4<8,8,1>F", "-NEXT: g6"],
            &[": mov(8)", "-NEXT: add(8)", "-NEXT: add(8)", "-NEXT: send(8)"],
            // Anchors are those of the whole line.
            &[": {{^}}send(8)", ": {{>F$}}"],
            &["-COUNT-2: add(8)", "-NEXT: send(8)"],
            &["-COUNT-2: add", ": mul"],
            // Between the neighbors, before the first and behind the last.
            &[": mov(8)", "-NOT: mul", ": send(8)"],
            &["-NOT: add", ": mov(8)"],
            &[": mul", "-NOT: add"],
            // Variables.
            &[": mov(8) [[R:g[0-9]+]]<1>F", ": add(8) {{.*}}[[R]]<8,8,1>F"],
            &[": add(8) [[R:g[0-9]+]]", ": add(8) [[R:g[0-9]+]]", ": send(8) {{.*}} [[R]]<"],
            &[": add(8) [[A:g[0-9]]]", "-NOT: mul({{.*}} [[A]]", ": mul"],
            // Any order, without overlap, then on behind all of them.
            &["-DAG: send(8)", "-DAG: add(8)", "-DAG: add(8)", "-NEXT: // fragment SIMD16"],
            &[": mov(8)", "-DAG: send(8)", "-DAG: add", "-NOT: add", ": mov(16)"],
            // Labels divide the text.
            &["-LABEL: // fragment SIMD8", "-NOT: mul", "-LABEL: // fragment SIMD16", ": mul"],
            &["-LABEL: SIMD8", ": send", "-LABEL: SIMD16", "-NEXT: mov(16)", ": send"],
        ] {
            assert_eq!(outcome(lines), Ok(()), "{lines:?}");
        }
    }

    #[test]
    fn lines_that_do_not_hold() {
        for (lines, check, kind) in [
            (&[": mul(8)"][..], 0, missing(0, 9, 0)),
            (&[": send(8)", ": add"], 1, missing(4, 9, 0)),
            (&[": g4<1>F", ": mov(8)"], 1, missing(1, 9, 0)),
            (&[": mov(8)", "-NEXT: send"], 1, missing(2, 3, 0)),
            // The next line only, also at the end.
            (&[": send(16)", "-NEXT: send"], 1, missing(9, 9, 0)),
            (&["-COUNT-3: add(8)"], 0, missing(0, 9, 2)),
            (&[": mov(8)", "-NOT: add", ": send(8)"], 1, FailureKind::Present { line: 2 }),
            (&["-NOT: mov", ": add"], 0, FailureKind::Present { line: 1 }),
            (&[": mov(8)", "-NOT: send(16)"], 1, FailureKind::Present { line: 8 }),
            (&["-DAG: send(8)", "-DAG: send(8)"], 1, missing(0, 9, 0)),
            (&[": add(8) [[R:g[0-9]+]]", ": mul({{.*}} [[R]]<"], 1, missing(2, 9, 0)),
            (&["-LABEL: SIMD8", ": mul", "-LABEL: SIMD16"], 1, missing(0, 6, 0)),
            (&["-LABEL: SIMD16", "-LABEL: SIMD8"], 1, missing(5, 9, 0)),
            (&["-LABEL: SIMD32"], 0, missing(0, 9, 0)),
            (
                &["-LABEL: SIMD8", "-NOT: send", "-LABEL: SIMD16"],
                1,
                FailureKind::Present { line: 4 },
            ),
            // A match is within one line.
            (&[": SIMD8{{[^x]*}}mov"], 0, missing(0, 9, 0)),
        ] {
            assert_eq!(outcome(lines), Err((check, kind)), "{lines:?}");
        }
    }

    #[test]
    fn an_empty_text() {
        let script = script::parse(b"[require]\n[test]\n# CHECK(ivb fragment eu): a\n");
        let script = script.expect("a script");
        let failure = check(&script.checks[0].checks, "").expect_err("no match");
        assert_eq!(failure.kind, missing(0, 0, 0));
    }
}
