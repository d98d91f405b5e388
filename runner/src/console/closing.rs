//! The end of a run's output: slowest tests, names of the entries, and the command that makes the
//! failures expected.

use std::io::{self, Write};
use std::time::Duration;

use results::expect::is_bad;
use results::names::printable_line;
use results::verdict::{Outcome, TestResult};

/// Maximum number of listed entries.
const LISTED: usize = 20;
/// Number of slowest test cases that are listed.
const SLOWEST: usize = 5;
/// Minimum duration of a run whose slowest tests are listed.
const SHORT: Duration = Duration::from_secs(1);

/// Data for the end of the output.
#[derive(Debug, Default)]
pub(super) struct Closing {
    /// Number of entries.
    count: usize,
    /// The first lines of the first entries, without their reasons.
    entries: Vec<String>,
    /// True if an unexpected result is a failure.
    has_failure: bool,
    /// The command that makes failures expected.
    update: Option<String>,
    /// The slowest test cases, slowest first: microseconds and name.
    slowest: Vec<(u64, String)>,
}

impl Closing {
    /// Adds an entry by its name: `fail    [ivb,hsw] suite/red`.
    pub(super) fn add_entry(&mut self, name: String) {
        self.count += 1;
        if self.entries.len() < LISTED {
            self.entries.push(name);
        }
    }

    /// Sets the command that makes failures expected.
    pub(super) fn set_update(&mut self, command: String) {
        self.update = Some(command);
    }

    /// Adds any result.
    pub(super) fn add(&mut self, result: &TestResult) {
        self.has_failure |= result.outcome == Outcome::Unexpected && is_bad(result.status);
        let slower = self.slowest.last().is_none_or(|(least, _)| result.duration_us > *least);
        if slower || self.slowest.len() < SLOWEST {
            let name = format!("{} [{}]", printable_line(&result.test), result.generation);
            let place = self.slowest.partition_point(|(time, _)| *time >= result.duration_us);
            self.slowest.insert(place, (result.duration_us, name));
            self.slowest.truncate(SLOWEST);
        }
    }

    /// Prints everything.
    ///
    /// # Errors
    /// Fails if the output is closed.
    pub(super) fn write(&self, out: &mut impl Write, elapsed: Duration) -> io::Result<()> {
        if elapsed >= SHORT && self.slowest.len() > 1 {
            writeln!(out, "slowest:")?;
            for (time, name) in &self.slowest {
                writeln!(out, "{:9.3} s  {name}", *time as f64 / 1e6)?;
            }
            writeln!(out)?;
        }
        // A single entry is in view.
        if self.count > 1 {
            writeln!(out, "not as expected:")?;
            self.entries.iter().try_for_each(|name| writeln!(out, "{name}"))?;
            let more = self.count - self.entries.len();
            if more > 0 {
                writeln!(out, "and {more} more")?;
            }
            writeln!(out)?;
        }
        match &self.update {
            Some(command) if self.has_failure => writeln!(out, "to expect this: {command}\n"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::Status;

    fn result(test: &str, status: Status, duration_us: u64) -> TestResult {
        TestResult { duration_us, ..TestResult::plain(test, "ivb", status) }
    }

    fn text(closing: &Closing, elapsed: Duration) -> String {
        let mut out = Vec::new();
        closing.write(&mut out, elapsed).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_of_several_entries() {
        let mut closing = Closing::default();
        closing.set_update("update".into());
        closing.add_entry("fail    [ivb] s/0".into());
        assert_eq!(text(&closing, Duration::ZERO), "");
        closing.add(&result("s/0", Status::Fail, 1));
        assert_eq!(text(&closing, Duration::ZERO), "to expect this: update\n\n");
        (1..LISTED + 3).for_each(|n| closing.add_entry(format!("fail    [ivb] s/{n}")));
        let text = text(&closing, Duration::ZERO);
        assert!(text.starts_with("not as expected:\nfail    [ivb] s/0\nfail    [ivb] s/1\n"));
        let end = "fail    [ivb] s/19\nand 3 more\n\nto expect this: update\n\n";
        assert!(text.ends_with(end), "{text}");
    }

    #[test]
    fn the_slowest_are_named_in_order() {
        let mut closing = Closing::default();
        for (name, time) in [("b", 2), ("a", 9), ("c", 1), ("d", 4), ("e", 3), ("f", 7), ("g", 3)] {
            closing.add(&result(name, Status::Pass, time * 1_000_000));
        }
        let text = text(&closing, Duration::from_secs(30));
        let lines = text.lines().skip(1).take_while(|line| !line.is_empty());
        let names: Vec<&str> = lines.map(|line| line.split_whitespace().nth(2).unwrap()).collect();
        assert_eq!(names, ["a", "f", "d", "e", "g"]);
        assert!(text.contains("    9.000 s  a [ivb]"), "{text}");
    }
}
