//! The console: entries for unexpected results, progress, and a summary at the end.

mod closing;
mod described;
mod entry;
pub(crate) mod message;
mod progress;
mod queue;
pub mod style;

use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

use closing::Closing;
pub use described::{Described, DescribedCase, DescribedTest};
use entry::entries;
use progress::Progress;
use queue::Queue;
use results::event::{Reporter, TestEvent};
use results::verdict::{Counts, OutcomeCounts, TestResult};
use style::{Color, Style};

/// Maximum number of entries with a reason. A run in which everything fails has its reasons in the
/// results.
const DETAILED: usize = 1000;

/// The console: results on standard output, progress on standard error.
#[derive(Debug)]
pub struct Console {
    progress: Progress,
    queue: Queue,
    closing: Closing,
    counts: Counts,
    outcomes: OutcomeCounts,
    total: usize,
    /// Number of test cases finished before this process started.
    before: usize,
    /// Number of printed entries.
    printed: usize,
    described: Described,
    style: Style,
    /// The command that continues the run.
    resume: Option<String>,
    /// True after the reader of the output has closed it.
    closed: bool,
}

impl Console {
    /// Returns a console for a plan.
    pub fn new(described: Described) -> Console {
        Console {
            progress: Progress::default(),
            queue: Queue::new(described.cases.iter().map(|case| case.test)),
            closing: Closing::default(),
            counts: Counts::default(),
            outcomes: OutcomeCounts::default(),
            total: 0,
            before: 0,
            printed: 0,
            described,
            style: Style::of_output(),
            resume: None,
            closed: false,
        }
    }

    /// Sets the command that makes unexpected failures expected, for the end of the output.
    #[must_use]
    pub fn with_update(mut self, command: String) -> Console {
        self.closing.set_update(command);
        self
    }

    /// Sets the command that continues the run if it is stopped.
    #[must_use]
    pub fn with_resume(self, command: String) -> Console {
        Console { resume: Some(command), ..self }
    }

    /// Counts the finished results of a resumed run without printing them.
    #[must_use]
    pub fn after(mut self, finished: &[TestResult]) -> Console {
        for result in finished {
            self.counts.add(result.status);
            self.outcomes.add(result.status, result.outcome);
        }
        self.before = finished.len();
        self
    }

    fn finished(&mut self, case: usize, result: &TestResult) -> std::io::Result<()> {
        self.counts.add(result.status);
        self.outcomes.add(result.status, result.outcome);
        self.progress.finished(case, &self.counts);
        self.closing.add(result);
        if let Some(described) = self.described.cases.get(case) {
            let printed = Some(result).filter(|result| !result.is_good());
            self.queue.finished(case, described.test, printed, Instant::now());
        }
        let ready = self.queue.ready(Instant::now());
        self.print_entries(ready)
    }

    /// Prints the results of some tests.
    fn print_entries(&mut self, ready: Vec<(usize, Vec<TestResult>)>) -> std::io::Result<()> {
        let mut text = String::new();
        for (test, results) in ready {
            let Some(test) = self.described.tests.get(test) else { continue };
            for entry in entries(results) {
                self.printed += 1;
                text += &match self.printed {
                    ..=DETAILED => entry.text(test, self.style) + "\n\n",
                    _ => entry.head(test, self.style) + "\n",
                };
                self.closing.add_entry(entry.head(test, Style::PLAIN));
            }
        }
        match text.is_empty() || self.closed {
            true => Ok(()),
            false => self.progress.beside(|| std::io::stdout().write_all(text.as_bytes())),
        }
    }

    /// Returns the summary line: `[2226/2226] skip: 14, pass: 1820, fail: 392; expected: 2224,
    /// unexpected: 2`.
    fn summary(&self) -> String {
        format!("[{}/{}] {}{}", self.counts.total(), self.total, self.counts, self.outcomes)
    }

    fn end(&mut self, interrupted: bool, elapsed: Duration) -> std::io::Result<()> {
        let rest = self.queue.rest();
        self.print_entries(rest)?;
        self.progress.end();
        if self.closed {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        self.closing.write(&mut out, elapsed)?;
        if interrupted {
            writeln!(out, "stopped before the end; the finished results are kept")?;
            if let Some(command) = &self.resume {
                writeln!(out, "to go on: {command}")?;
            }
        }
        let seconds = elapsed.as_secs_f64();
        let rate = (self.counts.total() - self.before) as f64 / seconds.max(1e-3);
        writeln!(out, "{seconds:.1} s, {rate:.0} tests/s")?;
        let good = self.outcomes.is_good() && !interrupted;
        let color = if good { Color::Green } else { Color::Red };
        writeln!(out, "{}", self.style.paint(color, &self.summary()))?;
        out.flush()
    }
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
                let ready = self.queue.ready(Instant::now());
                self.print_entries(ready)?;
                let summary = self.summary();
                self.progress.tick(&summary, &|case| self.described.name(case))?;
            }
            TestEvent::RunFinished { interrupted, elapsed, .. } => {
                self.end(*interrupted, *elapsed)?
            }
        }
        Ok(())
    }
}
