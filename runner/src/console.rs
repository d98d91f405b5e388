//! The console: failures as they happen, a progress bar on a terminal, plain lines now and then elsewhere, and the
//! summary line at the end.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::event::{Reporter, TestEvent};
use crate::expect::label;
use crate::names::printable;
use crate::verdict::{Counts, Outcome, TestResult};

/// Time between lines when there is no terminal.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);
/// Failures that the final block repeats.
const REPEATED: usize = 20;
/// How the bar looks.
const TEMPLATE: &str = "{wide_bar:.cyan/dim} {pos}/{len} {per_sec} eta {eta} {msg}";

/// Prints to standard output (results) and standard error (progress).
#[derive(Debug)]
pub struct Console {
    bar: Option<ProgressBar>,
    counts: Counts,
    total: usize,
    /// Rows that were finished before this process began.
    before: usize,
    last_line: Instant,
    /// Rows that were not as expected.
    unexpected: usize,
    /// The first of them, for the final block: what happened, and the command that repeats it.
    failures: Vec<(String, String)>,
    /// Command that runs a row again, by position in the plan.
    commands: Vec<String>,
}

impl Console {
    /// A console for a plan; `commands` reproduce its rows.
    pub fn new(commands: Vec<String>) -> Console {
        Console {
            bar: None,
            counts: Counts::default(),
            total: 0,
            last_line: Instant::now(),
            before: 0,
            unexpected: 0,
            failures: Vec::new(),
            commands,
        }
    }

    /// The console of a resumed run: rows that are finished already count, and are not told again.
    #[must_use]
    pub fn after(mut self, finished: &[TestResult]) -> Console {
        finished.iter().for_each(|row| self.counts.add(row.status));
        self.before = finished.len();
        self
    }

    fn start(&mut self, total: usize) {
        let total = total + self.before;
        self.total = total;
        self.last_line = Instant::now();
        if std::io::stderr().is_terminal() {
            let bar =
                ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                bar.set_style(style);
            }
            bar.set_position(self.before as u64);
            self.bar = Some(bar);
        }
    }

    fn finished(&mut self, job: usize, result: &TestResult) -> std::io::Result<()> {
        self.counts.add(result.status);
        if !result.outcome.is_good() {
            self.unexpected += 1;
            let line = describe(result);
            let write = || writeln!(std::io::stdout(), "{line}");
            match &self.bar {
                Some(bar) => bar.suspend(write)?,
                None => write()?,
            }
            if self.failures.len() < REPEATED {
                self.failures.push((line, self.commands.get(job).cloned().unwrap_or_default()));
            }
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(self.counts.to_string());
        }
        Ok(())
    }

    fn tick(&mut self) -> std::io::Result<()> {
        if self.bar.is_none() && self.last_line.elapsed() >= PLAIN_INTERVAL {
            self.last_line = Instant::now();
            return writeln!(std::io::stderr(), "{}", self.summary());
        }
        Ok(())
    }

    /// `[2226/2226] skip: 14, pass: 1770, fail: 392, crash: 50`.
    fn summary(&self) -> String {
        format!("[{}/{}] {}", self.counts.total(), self.total, self.counts)
    }

    fn end(&mut self, interrupted: bool, elapsed: Duration) -> std::io::Result<()> {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        let mut out = std::io::stdout().lock();
        if !self.failures.is_empty() {
            writeln!(out)?;
            for (line, command) in &self.failures {
                writeln!(out, "{line}\n    {command}")?;
            }
            let more = self.unexpected - self.failures.len();
            if more > 0 {
                writeln!(out, "and {more} more")?;
            }
        }
        if interrupted {
            writeln!(out, "stopped before the end; the finished results are kept")?;
        }
        let seconds = elapsed.as_secs_f64();
        writeln!(
            out,
            "{:.1} s, {:.0} tests/s",
            seconds,
            (self.counts.total() - self.before) as f64 / seconds.max(1e-3)
        )?;
        writeln!(out, "{}", self.summary())?;
        out.flush()
    }
}

/// `fail  fp64/add [ivb] probe: line 12: …`: one line.
fn describe(result: &TestResult) -> String {
    let reason = result.reason.as_deref().unwrap_or("");
    let reason = printable(reason.lines().next().unwrap_or(""));
    let layer = result.layer.map(|layer| format!(" {layer}: ")).unwrap_or_default();
    if result.outcome == Outcome::Improved {
        let label = label(result.status, result.outcome);
        return format!("{label} {} [{}]{layer}{reason}", printable(&result.test), result.target);
    }
    format!("{:7} {} [{}]{layer}{reason}", result.status, printable(&result.test), result.target)
}

impl Reporter for Console {
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()> {
        match event {
            TestEvent::RunStarted { total } => self.start(*total),
            TestEvent::Started { .. } => {}
            TestEvent::Finished { job, result } => self.finished(*job, result)?,
            TestEvent::Tick => self.tick()?,
            TestEvent::RunFinished { interrupted, elapsed, .. } => self.end(*interrupted, *elapsed)?,
        }
        Ok(())
    }
}
