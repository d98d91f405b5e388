//! The console: failures as they happen, progress, and a summary at the end.

mod closing;
pub(crate) mod message;
mod progress;

use std::io::{ErrorKind, Write};
use std::time::Duration;

use closing::Closing;
use progress::Progress;
use results::event::{Reporter, TestEvent};
use results::expect::label;
use results::names::{printable, printable_line};
use results::verdict::{Counts, Outcome, OutcomeCounts, TestResult};

/// Maximum number of printed characters of a reason.
const LONGEST: usize = 1000;

/// The console's name of a test case, and the command that executes it alone.
#[derive(Clone, Debug)]
pub struct Described {
    /// `test [gen]`, escaped for a terminal.
    pub name: String,
    /// The command.
    pub command: String,
}

/// The console: results on standard output, progress on standard error.
#[derive(Debug)]
pub struct Console {
    progress: Progress,
    closing: Closing,
    counts: Counts,
    outcomes: OutcomeCounts,
    total: usize,
    /// Number of test cases finished before this process started.
    before: usize,
    /// Test cases of the plan.
    cases: Vec<Described>,
    /// True after the reader of the output has closed it.
    closed: bool,
}

impl Console {
    /// Returns a console for a plan.
    pub fn new(cases: Vec<Described>) -> Console {
        Console {
            progress: Progress::default(),
            closing: Closing::default(),
            counts: Counts::default(),
            outcomes: OutcomeCounts::default(),
            total: 0,
            before: 0,
            cases,
            closed: false,
        }
    }

    /// Counts the finished results of a resumed run without printing them.
    #[must_use]
    pub fn after(mut self, finished: &[TestResult]) -> Console {
        for row in finished {
            self.counts.add(row.status);
            self.outcomes.add(row.status, row.outcome);
        }
        self.before = finished.len();
        self
    }

    fn finished(&mut self, case: usize, result: &TestResult) -> std::io::Result<()> {
        self.counts.add(result.status);
        self.outcomes.add(result.status, result.outcome);
        self.progress.finished(case, &self.counts);
        if !result.is_good() {
            let line = describe(result);
            let command = self.cases.get(case).map(|case| case.command.clone()).unwrap_or_default();
            self.closing.add_failure(line.clone(), command);
            self.closing.add(result);
            return self.progress.beside(|| writeln!(std::io::stdout(), "{line}"));
        }
        self.closing.add(result);
        Ok(())
    }

    /// Returns the summary line: `[2226/2226] skip: 14, pass: 1820, fail: 392; expected: 2224,
    /// unexpected: 2`.
    fn summary(&self) -> String {
        format!("[{}/{}] {}{}", self.counts.total(), self.total, self.counts, self.outcomes)
    }

    fn end(&mut self, interrupted: bool, elapsed: Duration) -> std::io::Result<()> {
        self.progress.end();
        let mut out = std::io::stdout().lock();
        self.closing.write(&mut out, elapsed)?;
        if interrupted {
            writeln!(out, "stopped before the end; the finished results are kept")?;
        }
        let seconds = elapsed.as_secs_f64();
        let rate = (self.counts.total() - self.before) as f64 / seconds.max(1e-3);
        writeln!(out, "{seconds:.1} s, {rate:.0} tests/s")?;
        writeln!(out, "{}", self.summary())?;
        out.flush()
    }
}

/// Describes a result in one line: `fail    fp64/add [ivb] probe: line 12: …`.
fn describe(result: &TestResult) -> String {
    let reason = result.reason.as_deref().unwrap_or("");
    let line = reason.lines().next().unwrap_or("");
    let end = line.char_indices().nth(LONGEST).map_or(line.len(), |(end, _)| end);
    let cut = if end < line.len() { "…" } else { "" };
    let reason = format!("{}{cut}", printable(&line[..end]));
    let phase = result.phase.map(|phase| format!(" {phase}: ")).unwrap_or_default();
    let label = match result.outcome {
        Outcome::Improved => label(result.status, result.outcome),
        Outcome::Flake => "flake  ".to_owned(),
        Outcome::Missing => "missing".to_owned(),
        Outcome::Expected | Outcome::Unexpected => format!("{:7}", result.status),
    };
    format!("{label} {} [{}]{phase}{reason}", printable_line(&result.test), result.generation)
}

impl Reporter for Console {
    /// Prints an event. The run continues without its console if the reader of the output closes
    /// it (`runner … | head -1`).
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match self.print(event) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.closed = true,
            result => result?,
        }
        Ok(())
    }
}

impl Console {
    fn print(&mut self, event: &TestEvent) -> std::io::Result<()> {
        match event {
            TestEvent::RunStarted { total } => {
                self.total = total + self.before;
                self.progress.start(self.before, self.total);
            }
            TestEvent::Started { case } => self.progress.started(*case),
            TestEvent::Finished { case, result } => self.finished(*case, result)?,
            TestEvent::Tick | TestEvent::RunFinished { .. } if self.closed => {}
            TestEvent::Tick => {
                let summary = self.summary();
                self.progress.tick(&summary, &self.cases)?;
            }
            TestEvent::RunFinished { interrupted, elapsed, .. } => {
                self.end(*interrupted, *elapsed)?
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::{Phase, Status};

    #[test]
    fn rows_in_one_line() {
        let row = |status, outcome, reason: &str| TestResult {
            phase: Some(Phase::Probe),
            reason: Some(reason.into()),
            outcome,
            ..TestResult::plain("a/\u{1b}b", "ivb", status)
        };
        for (status, outcome, line) in [
            (Status::Fail, Outcome::Unexpected, "fail    a/\\u{1b}b [ivb] probe: one\\t"),
            (Status::Fail, Outcome::Flake, "flake   a/\\u{1b}b [ivb] probe: one\\t"),
            (Status::Skip, Outcome::Missing, "missing a/\\u{1b}b [ivb] probe: one\\t"),
            (
                Status::Pass,
                Outcome::Improved,
                "UnexpectedImprovement(Pass) a/\\u{1b}b [ivb] probe: one\\t",
            ),
        ] {
            assert_eq!(describe(&row(status, outcome, "one\t\ntwo")), line);
        }
    }
}
