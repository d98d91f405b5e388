//! The console: failures as they happen, progress, and at the end what a user wants to see last.

mod closing;
mod progress;

use std::io::Write;
use std::time::Duration;

use closing::Closing;
use progress::Progress;
use results::event::{Reporter, TestEvent};
use results::expect::label;
use results::names::{printable, printable_line};
use results::verdict::{Counts, Outcome, TestResult};

/// How a row is called, and the command that runs it alone.
#[derive(Clone, Debug)]
pub struct Described {
    /// `test [gen]`, fit for a terminal.
    pub name: String,
    /// The command.
    pub command: String,
}

/// Prints to standard output (results) and standard error (progress).
#[derive(Debug)]
pub struct Console {
    progress: Progress,
    closing: Closing,
    counts: Counts,
    total: usize,
    /// Rows that were finished before this process began.
    before: usize,
    /// The rows of the plan.
    rows: Vec<Described>,
}

impl Console {
    /// A console for a plan's rows.
    pub fn new(rows: Vec<Described>) -> Console {
        Console {
            progress: Progress::default(),
            closing: Closing::default(),
            counts: Counts::default(),
            total: 0,
            before: 0,
            rows,
        }
    }

    /// The console of a resumed run: rows that are finished already count, and are not told again.
    #[must_use]
    pub fn after(mut self, finished: &[TestResult]) -> Console {
        finished.iter().for_each(|row| self.counts.add(row.status));
        self.before = finished.len();
        self
    }

    fn finished(&mut self, job: usize, result: &TestResult) -> std::io::Result<()> {
        self.counts.add(result.status);
        self.progress.finished(job, &self.counts);
        if !result.is_good() {
            let line = describe(result);
            self.progress.beside(|| writeln!(std::io::stdout(), "{line}"))?;
            let command = self.rows.get(job).map(|row| row.command.clone()).unwrap_or_default();
            self.closing.add_failure(line, command);
        }
        self.closing.add(result);
        Ok(())
    }

    /// `[2226/2226] skip: 14, pass: 1770, fail: 392, crash: 50`.
    fn summary(&self) -> String {
        format!("[{}/{}] {}", self.counts.total(), self.total, self.counts)
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

/// `fail    fp64/add [ivb] probe: line 12: …`: one line.
fn describe(result: &TestResult) -> String {
    let reason = result.reason.as_deref().unwrap_or("");
    let reason = printable(reason.lines().next().unwrap_or(""));
    let layer = result.layer.map(|layer| format!(" {layer}: ")).unwrap_or_default();
    let label = match result.outcome {
        Outcome::Improved => label(result.status, result.outcome),
        Outcome::Flake => "flake  ".to_owned(),
        Outcome::Missing => "missing".to_owned(),
        Outcome::Expected | Outcome::Unexpected => format!("{:7}", result.status),
    };
    format!("{label} {} [{}]{layer}{reason}", printable_line(&result.test), result.target)
}

impl Reporter for Console {
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match event {
            TestEvent::RunStarted { total } => {
                self.total = total + self.before;
                self.progress.start(self.before, self.total);
            }
            TestEvent::Started { job } => self.progress.started(*job),
            TestEvent::Finished { job, result } => self.finished(*job, result)?,
            TestEvent::Tick => {
                let summary = self.summary();
                self.progress.tick(&summary, &self.rows)?;
            }
            TestEvent::RunFinished { interrupted, elapsed, .. } => self.end(*interrupted, *elapsed)?,
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
            layer: Some(Phase::Probe),
            reason: Some(reason.into()),
            outcome,
            ..TestResult::plain("a/\u{1b}b", "ivb", status)
        };
        for (status, outcome, line) in [
            (Status::Fail, Outcome::Unexpected, "fail    a/\\u{1b}b [ivb] probe: one\\t"),
            (Status::Fail, Outcome::Flake, "flake   a/\\u{1b}b [ivb] probe: one\\t"),
            (Status::Skip, Outcome::Missing, "missing a/\\u{1b}b [ivb] probe: one\\t"),
            (Status::Pass, Outcome::Improved, "UnexpectedImprovement(Pass) a/\\u{1b}b [ivb] probe: one\\t"),
        ] {
            assert_eq!(describe(&row(status, outcome, "one\t\ntwo")), line);
        }
    }
}
