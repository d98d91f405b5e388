//! The end of a run's output: slowest tests, failures with the commands that repeat them, and lines
//! for a baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::time::Duration;

use results::expect::is_bad;
use results::names::{csv_field, printable_line};
use results::verdict::{Outcome, Status, TestResult};

/// Maximum number of repeated failures and of lines for a baseline.
const REPEATED: usize = 20;
/// Number of slowest test cases that are listed.
const SLOWEST: usize = 5;
/// Minimum duration of a run whose slowest tests are listed.
const SHORT: Duration = Duration::from_secs(1);

/// Data for the end of the output.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Number of unexpected results.
    unexpected: usize,
    /// The first of them: description, and the command that repeats it.
    failures: Vec<(String, String)>,
    /// Generations on which a test failed unexpectedly.
    baseline: BTreeMap<(String, Status), BTreeSet<String>>,
    /// The slowest test cases, slowest first: microseconds and name.
    slowest: Vec<(u64, String)>,
}

impl Closing {
    /// Adds an unexpected result.
    pub(super) fn add_failure(&mut self, line: String, command: String) {
        self.unexpected += 1;
        if self.failures.len() < REPEATED {
            self.failures.push((line, command));
        }
    }

    /// Adds any result.
    pub(super) fn add(&mut self, row: &TestResult) {
        if row.outcome == Outcome::Unexpected && is_bad(row.status) {
            let generations = self.baseline.entry((row.test.clone(), row.status)).or_default();
            generations.insert(row.generation.clone());
        }
        let slower = self.slowest.last().is_none_or(|(least, _)| row.duration_us > *least);
        if slower || self.slowest.len() < SLOWEST {
            let name = format!("{} [{}]", printable_line(&row.test), row.generation);
            let place = self.slowest.partition_point(|(time, _)| *time >= row.duration_us);
            self.slowest.insert(place, (row.duration_us, name));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// Prints everything.
    ///
    /// # Errors
    /// Fails if the output is closed.
    pub(super) fn write(&self, out: &mut impl Write, elapsed: Duration) -> io::Result<()> {
        if elapsed >= SHORT && self.slowest.len() > 1 {
            writeln!(out, "\nslowest:")?;
            for (time, name) in &self.slowest {
                writeln!(out, "{:9.3} s  {name}", *time as f64 / 1e6)?;
            }
        }
        if self.failures.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nnot as expected:")?;
        for (line, command) in &self.failures {
            writeln!(out, "{line}\n    {command}")?;
        }
        let more = self.unexpected - self.failures.len();
        if more > 0 {
            writeln!(out, "and {more} more")?;
        }
        self.write_baseline(out)?;
        writeln!(out)
    }

    /// Prints the lines that make the failures expected, grouped by generations.
    fn write_baseline(&self, out: &mut impl Write) -> io::Result<()> {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((test, status), generations) in self.baseline.iter().take(REPEATED) {
            let scope = generations.iter().map(String::as_str).collect::<Vec<_>>().join(",");
            groups.entry(scope).or_default().push(format!(
                "{},{}",
                csv_field(test),
                status.capitalized()
            ));
        }
        for (scope, lines) in groups {
            writeln!(out, "\nto expect this, --baseline {scope}=FILE with")?;
            for line in lines {
                writeln!(out, "{line}")?;
            }
        }
        let more = self.baseline.len().saturating_sub(REPEATED);
        if more > 0 {
            writeln!(out, "and {more} more, which `runner expect update RUN --add` writes")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(test: &str, generation: &str, status: Status, duration_us: u64) -> TestResult {
        TestResult { duration_us, ..TestResult::plain(test, generation, status) }
    }

    fn text(closing: &Closing, elapsed: Duration) -> String {
        let mut out = Vec::new();
        closing.write(&mut out, elapsed).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lines_for_a_baseline_are_grouped_by_generation() {
        let mut closing = Closing::default();
        for row in [
            row("s/a", "hsw", Status::Fail, 1),
            row("s/a", "ivb", Status::Fail, 1),
            row("s/b,c", "ivb", Status::Crash, 1),
            row("s/d", "ivb", Status::Pass, 1),
        ] {
            closing.add(&row);
        }
        closing.add_failure("fail s/a".into(), "runner s/a".into());
        assert_eq!(
            text(&closing, Duration::ZERO),
            "\nnot as expected:\nfail s/a\n    runner s/a\n\nto expect this, --baseline hsw,ivb=FILE with\ns/a,Fail\n\
             \nto expect this, --baseline ivb=FILE with\n\"s/b,c\",Crash\n\n"
        );
    }

    #[test]
    fn the_slowest_are_named_in_order() {
        let mut closing = Closing::default();
        for (name, time) in [("b", 2), ("a", 9), ("c", 1), ("d", 4), ("e", 3), ("f", 7), ("g", 3)] {
            closing.add(&row(name, "ivb", Status::Pass, time * 1_000_000));
        }
        let text = text(&closing, Duration::from_secs(30));
        let names: Vec<&str> =
            text.lines().skip(2).map(|line| line.split_whitespace().nth(2).unwrap()).collect();
        assert_eq!(names, ["a", "f", "d", "e", "g"]);
        assert!(text.contains("    9.000 s  a [ivb]"), "{text}");
    }
}
