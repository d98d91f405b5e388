//! The rows of a run: which there are, in which order, and what becomes of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use super::options::command_options;
use super::{Order, RunArgs};
use crate::console::Described;
use crate::schedule::Plan;
use crate::select::TestFile;
use crate::supervise::{Finished, Pool, Request};
use results::Run;
use results::expect::Expectations;
use results::names::{piglit_name, printable_line, quoted};
use results::shard::Durations;
use results::verdict::{Outcome, Phase, Status, TestResult, Verdict};
use vocabulary::Generation;

/// Test and generation.
pub(super) type Key = (String, String);

/// One row: a test by number, on a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Which test.
    pub(super) test: usize,
    /// On what.
    pub(super) target: Generation,
}

/// Tests and rows of a run, tests first: every selected test on every target as far as it is meant, and whatever else
/// is meant but is `gone`.
pub(super) fn planned(
    selected: Vec<TestFile>,
    targets: &[Generation],
    only: Option<&BTreeSet<Key>>,
    gone: &BTreeSet<(String, Generation)>,
) -> (Vec<TestFile>, Vec<Row>) {
    let names: BTreeSet<&str> = gone.iter().map(|(name, _)| &**name).collect();
    let mut tests = selected;
    tests.extend(names.into_iter().map(TestFile::gone));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    let meant = |row: &Row| {
        let test = &tests[row.test];
        if test.is_gone() {
            return gone.contains(&(test.name.clone(), row.target));
        }
        only.is_none_or(|only| only.contains(&(test.name.clone(), row.target.name().to_owned())))
    };
    let rows = (0..tests.len())
        .flat_map(|test| targets.iter().map(move |&target| Row { test, target }))
        .filter(meant)
        .collect();
    (tests, rows)
}

/// Sorts the rows; what is not told apart stays in the order of names.
pub(super) fn order(rows: &mut [Row], tests: &[TestFile], order: Order, durations: Option<&Durations>) {
    let latest = || Run::read(Path::new("results/latest")).ok();
    match order {
        Order::Name => {}
        Order::LastFailed => {
            let rows_before = latest().map(|run| run.rows).unwrap_or_default();
            let failed: BTreeSet<(&str, &str)> = rows_before
                .iter()
                .filter(|row| !row.is_good())
                .map(|row| (&*row.test, &*row.target))
                .collect();
            rows.sort_by_key(|row| !failed.contains(&(&*tests[row.test].name, row.target.name())));
        }
        Order::SlowestFirst => {
            let earlier = durations.cloned().or_else(|| Durations::read(Path::new("results/latest")).ok());
            let Some(durations) = earlier else { return };
            let weights = durations.weights(tests.iter().map(|test| &*test.name));
            rows.sort_by_key(|row| std::cmp::Reverse(weights[row.test]));
        }
    }
}

/// The rows to run.
pub(super) struct Rows {
    /// Tests that the rows are of.
    pub(super) tests: Vec<TestFile>,
    /// The rows.
    pub(super) rows: Vec<Row>,
    /// What the results call this run's options.
    pub(super) variant: String,
    /// What is expected.
    pub(super) expectations: Expectations,
    /// How often each row is executed.
    pub(super) repeat: u32,
    /// Who executes them.
    pub(super) pool: Pool,
}

impl Rows {
    fn row_of(&self, job: usize) -> (&TestFile, Generation) {
        let Row { test, target } = self.rows[job];
        (&self.tests[test], target)
    }

    fn outcome(&self, test: &TestFile, target: Generation, verdict: &Verdict) -> Outcome {
        if test.is_gone() {
            return self.expectations.judge(&test.name, target, None);
        }
        if verdict.differed {
            return Outcome::Flake;
        }
        match self.expectations.skip(&test.name, target) {
            Some(_) => Outcome::Expected,
            None => self.expectations.judge(&test.name, target, Some(verdict.status)),
        }
    }
}

impl Plan for Rows {
    fn len(&self) -> usize {
        self.rows.len()
    }

    async fn run(&self, job: usize, slot: usize) -> Finished {
        let (test, target) = self.row_of(job);
        if test.is_gone() {
            return Finished::at_once(Verdict::skip("there is no such test any more"));
        }
        if let Some(reason) = self.expectations.skip(&test.name, target) {
            return Finished::at_once(Verdict::skip(reason));
        }
        let request =
            Request { job, path: test.path.clone().into(), test: test.name.clone(), target, trial: None };
        let mut all = vec![self.pool.run(slot, request.clone()).await];
        for _ in 1..self.repeat {
            all.push(self.pool.run(slot, request.clone()).await);
        }
        repeated(all)
    }

    fn row(&self, job: usize, finished: Finished) -> TestResult {
        let (test, target) = self.row_of(job);
        let Finished { verdict, duration } = finished;
        let outcome = self.outcome(test, target, &verdict);
        let (layer, reason) = verdict.cause.unzip();
        TestResult {
            test: test.name.clone(),
            target: target.name().to_owned(),
            variant: self.variant.clone(),
            status: verdict.status,
            layer,
            reason,
            outcome,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            stages: verdict.stages,
            subtests: Vec::new(),
            differed: verdict.differed && !self.expectations.is_flake(&test.name, target),
        }
    }
}

/// What several executions of a row come to: the worst of them, and whether they differ in more than their durations.
fn repeated(all: Vec<Finished>) -> Finished {
    let duration = all.iter().map(|finished| finished.duration).sum::<Duration>();
    let verdicts: Vec<Verdict> = all.into_iter().map(|finished| finished.verdict).collect();
    let different = verdicts.iter().position(|verdict| *verdict != verdicts[0]);
    let total = verdicts.len();
    let first = verdicts.first().map_or(Status::Crash, |verdict| verdict.status);
    let mut worst = verdicts.into_iter().max_by_key(|verdict| verdict.status.badness());
    if let (Some(verdict), Some(index)) = (&mut worst, different) {
        let what = format!("repetition {} of {total} differs from the first, {first}", index + 1);
        let (layer, reason) = verdict.cause.take().unzip();
        let reason = reason.map_or(what.clone(), |reason| format!("{what}\n{reason}"));
        verdict.cause = Some((layer.unwrap_or(Phase::Simulate), reason));
        verdict.differed = true;
    }
    let none = || Verdict::skip("not executed");
    Finished { verdict: worst.unwrap_or_else(none), duration }
}

/// How the console calls every row, and the command that runs it alone.
pub(super) fn described(
    tests: &[TestFile],
    rows: &[Row],
    args: &RunArgs,
    changed: &BTreeMap<String, String>,
) -> Vec<Described> {
    let options: String =
        command_options(&args.execute, changed).iter().map(|(_, option)| format!(" {option}")).collect();
    let command = |test: &TestFile, target: Generation| {
        let path = quoted(&test.path.display().to_string());
        let which = match target {
            Generation::Reference => "--reference-only".to_owned(),
            _ => format!("--gen {target}"),
        };
        let piglit = if args.select.piglit_names {
            format!("  # {}", printable_line(&piglit_name(&test.name)))
        } else {
            String::new()
        };
        format!("runner {path} {which}{options}{piglit}")
    };
    let described = |row: &Row| {
        let test = &tests[row.test];
        Described {
            name: format!("{} [{}]", printable_line(&test.name), row.target),
            command: command(test, row.target),
        }
    };
    rows.iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(verdict: &Verdict) -> Finished {
        Finished { verdict: verdict.clone(), duration: Duration::from_micros(3) }
    }

    #[test]
    fn repetitions() {
        let (pass, fail) = (Verdict::pass(), Verdict::fail(Phase::Probe, "no"));
        let of = |all: &[&Verdict]| repeated(all.iter().map(|v| finished(v)).collect());
        let same = of(&[&fail, &fail]);
        assert_eq!((same.verdict, same.duration), (fail.clone(), Duration::from_micros(6)));
        let other = of(&[&pass, &pass, &fail]).verdict;
        assert_eq!((other.status, other.differed), (Status::Fail, true));
        let reason = "repetition 3 of 3 differs from the first, pass\nno";
        assert_eq!(other.cause, Some((Phase::Probe, reason.to_owned())));
        // Other code with the same status is no proof of determinism either.
        let stage = results::verdict::StageStatistics::default();
        let coded = Verdict { stages: vec![stage], ..Verdict::pass() };
        assert!(of(&[&pass, &coded]).verdict.differed);
    }

    #[test]
    fn rows_of_tests_that_are_gone() {
        let selected = vec![TestFile { name: "s/b".into(), path: "b".into() }];
        let gone = BTreeSet::from([("s/a".to_owned(), Generation::Hsw)]);
        let (tests, rows) = planned(selected, &[Generation::Ivb, Generation::Hsw], None, &gone);
        let keys: Vec<_> = rows.iter().map(|row| (&*tests[row.test].name, row.target)).collect();
        assert_eq!(keys, [("s/a", Generation::Hsw), ("s/b", Generation::Ivb), ("s/b", Generation::Hsw)]);
    }
}
