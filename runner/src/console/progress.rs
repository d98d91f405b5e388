//! Progress of a run: a bar on a terminal, occasional lines elsewhere.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use results::verdict::Counts;

/// Time before the first line without a terminal.
const FIRST_LINE: Duration = Duration::from_secs(2);
/// Time between further lines.
const INTERVAL: Duration = Duration::from_secs(10);
/// Minimum execution time of a test case that is listed.
const LONG: Duration = Duration::from_secs(1);
/// Maximum number of listed test cases.
const NAMED: usize = 3;
/// Template of the bar; the second line lists the longest running test cases.
const TEMPLATE: &str = "{wide_bar:.cyan/dim} {pos}/{len} {per_sec} eta {eta}\n{msg}{prefix}";

/// Progress on standard error.
#[derive(Debug)]
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    next_line: Duration,
    before: usize,
    total: usize,
    done: usize,
    /// Start times of the running test cases.
    running: BTreeMap<usize, Instant>,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress {
            bar: None,
            begun: Instant::now(),
            next_line: FIRST_LINE,
            before: 0,
            total: 0,
            done: 0,
            running: BTreeMap::new(),
        }
    }
}

impl Progress {
    /// Starts the progress of a run with `before` finished test cases.
    pub(super) fn start(&mut self, before: usize, total: usize) {
        *self = Progress { before, total, done: before, ..Progress::default() };
        if io::stderr().is_terminal() {
            let bar = ProgressBar::with_draw_target(
                Some(total as u64),
                ProgressDrawTarget::stderr_with_hz(10),
            );
            if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
                bar.set_style(style);
            }
            bar.set_position(before as u64);
            bar.reset_eta();
            self.bar = Some(bar);
        }
    }

    /// Records the start of a test case.
    pub(super) fn started(&mut self, case: usize) {
        self.running.insert(case, Instant::now());
    }

    /// Records the end of a test case.
    pub(super) fn finished(&mut self, case: usize, counts: &Counts) {
        self.running.remove(&case);
        self.done += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(counts.to_string());
        }
    }

    /// Prints without disturbing the bar.
    ///
    /// # Errors
    /// Returns the error of `print`.
    pub(super) fn beside(&self, print: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Updates the display; `summary` is the summary line so far, `name` returns the name of a test
    /// case.
    ///
    /// # Errors
    /// Fails if standard error is closed.
    pub(super) fn tick(
        &mut self,
        summary: &str,
        name: &dyn Fn(usize) -> Option<String>,
    ) -> io::Result<()> {
        let elapsed = self.begun.elapsed();
        if let Some(bar) = &self.bar {
            bar.set_prefix(self.longest(name).map(|text| format!(" · {text}")).unwrap_or_default());
            return Ok(());
        }
        if elapsed < self.next_line {
            return Ok(());
        }
        self.next_line = elapsed + INTERVAL;
        let speed = speed(self.done - self.before, self.total - self.done, elapsed);
        let longest = self.longest(name).map(|text| format!("; {text}")).unwrap_or_default();
        writeln!(io::stderr(), "{summary}; {speed}{longest}")
    }

    /// Returns the longest running test cases.
    fn longest(&self, name: &dyn Fn(usize) -> Option<String>) -> Option<String> {
        let mut running: Vec<(Duration, usize)> =
            self.running.iter().map(|(&case, since)| (since.elapsed(), case)).collect();
        running.retain(|(time, _)| *time >= LONG);
        running.sort_by_key(|&(time, case)| (std::cmp::Reverse(time), case));
        let named = running
            .iter()
            .take(NAMED)
            .filter_map(|(time, case)| Some(format!("{} {} s", name(*case)?, time.as_secs())));
        let named: Vec<String> = named.collect();
        (!named.is_empty()).then(|| format!("at work: {}", named.join(", ")))
    }

    /// Ends the display.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Returns `40 tests/s, about 52 s left`.
fn speed(done: usize, left: usize, elapsed: Duration) -> String {
    let rate = done as f64 / elapsed.as_secs_f64().max(1e-3);
    if done == 0 {
        return "0 tests/s".to_owned();
    }
    let rest = left as f64 / rate;
    let rest =
        if rest < 100.0 { format!("{rest:.0} s") } else { format!("{:.0} min", rest / 60.0) };
    format!("{rate:.1} tests/s, about {rest} left")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_remaining_time() {
        assert_eq!(speed(0, 5, Duration::from_secs(3)), "0 tests/s");
        assert_eq!(speed(80, 20, Duration::from_secs(4)), "20.0 tests/s, about 1 s left");
        assert_eq!(speed(1, 600, Duration::from_secs(1)), "1.0 tests/s, about 10 min left");
    }

    #[test]
    fn only_long_rows_are_named_and_the_longest_first() {
        let name = |case| Some(format!("t{case}"));
        let now = Instant::now();
        let ago = |seconds| now.checked_sub(Duration::from_secs(seconds)).unwrap_or(now);
        let mut progress = Progress::default();
        assert_eq!(progress.longest(&name), None);
        for (case, seconds) in [(0, 20), (1, 40), (2, 30), (3, 0), (4, 10)] {
            progress.running.insert(case, ago(seconds));
        }
        assert_eq!(progress.longest(&name).unwrap(), "at work: t1 40 s, t2 30 s, t0 20 s");
    }
}
