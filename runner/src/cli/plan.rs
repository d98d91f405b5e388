//! The plan of a run: its test cases, their order and their execution.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::{Order, RunArgs};
use super::options::command_options;
use crate::console::{Described, DescribedCase, DescribedTest};
use crate::schedule::Plan;
use crate::select::TestFile;
use results::expect::Expectations;
use results::names::{piglit_name, printable_line};
use results::shard::Durations;
use results::verdict::{Outcome, Phase, Status, TestResult, Verdict};
use results::{Repeat, Run};
use supervise::{Finished, Pool, Request};
use vocabulary::Target;

/// Test and generation.
pub(super) type Key = (String, String);

/// One test case: a test by index, on a generation.
#[derive(Clone, Copy, Debug)]
pub(super) struct TestCase {
    /// Index of the test.
    pub(super) test: usize,
    /// The generation.
    pub(super) generation: Target,
}

/// Returns the tests and test cases of a run: every selected test on every generation, except those
/// that are not meant, and meant tests without a file (`missing`).
pub(super) fn planned(
    selected: Vec<TestFile>,
    generations: &[Target],
    only: Option<&BTreeSet<Key>>,
    missing: &BTreeSet<(String, Target)>,
) -> (Vec<TestFile>, Vec<TestCase>) {
    let names: BTreeSet<&str> = missing.iter().map(|(name, _)| &**name).collect();
    let mut tests = selected;
    tests.extend(names.into_iter().map(TestFile::missing));
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    let meant = |case: &TestCase| {
        let test = &tests[case.test];
        if test.is_missing() {
            return missing.contains(&(test.name.clone(), case.generation));
        }
        only.is_none_or(|only| {
            only.contains(&(test.name.clone(), case.generation.name().to_owned()))
        })
    };
    let cases = (0..tests.len())
        .flat_map(|test| generations.iter().map(move |&generation| TestCase { test, generation }))
        .filter(meant)
        .collect();
    (tests, cases)
}

/// Returns the number of tests in a block: see [`in_blocks`]. A worker keeps the shared work of two
/// blocks.
pub(super) fn tests_of_a_block(jobs: usize) -> usize {
    (4 * jobs).max(16)
}

/// Puts the test cases of consecutive tests into an order by generations: all on the first one,
/// then all on the second. The test cases of a test share work, which the first of them does before
/// the second one starts.
pub(super) fn in_blocks(cases: &mut [TestCase], size: usize) {
    let mut rest = cases;
    while !rest.is_empty() {
        let mut tests = rest.chunk_by(|a, b| a.test == b.test);
        let length = tests.by_ref().take(size.max(1)).map(<[TestCase]>::len).sum();
        let (block, others) = rest.split_at_mut(length);
        block.sort_by_key(|case| case.generation);
        rest = others;
    }
}

/// Sorts the test cases; equal ones stay in the order of names.
pub(super) fn order(
    cases: &mut [TestCase],
    tests: &[TestFile],
    (order, seed): (Order, u64),
    durations: Option<&Durations>,
) {
    let latest = || Run::read(Path::new("results/latest")).ok();
    match order {
        Order::Name => {}
        Order::LastFailed => {
            let earlier = latest().map(|run| run.results).unwrap_or_default();
            let failed: BTreeSet<(&str, &str)> = earlier
                .iter()
                .filter(|result| !result.is_good())
                .map(|result| (&*result.test, &*result.generation))
                .collect();
            cases.sort_by_key(|case| {
                !failed.contains(&(&*tests[case.test].name, case.generation.name()))
            });
        }
        Order::SlowestFirst => {
            let earlier =
                durations.cloned().or_else(|| Durations::read(Path::new("results/latest")).ok());
            let Some(durations) = earlier else { return };
            let weights = durations.weights(tests.iter().map(|test| &*test.name));
            cases.sort_by_key(|case| std::cmp::Reverse(weights[case.test]));
        }
        Order::Random => cases.sort_by_cached_key(|case| {
            let text = format!("{seed} {} {}", tests[case.test].name, case.generation.name());
            *blake3::hash(text.as_bytes()).as_bytes()
        }),
    }
}

/// The plan of a run.
pub(super) struct RunPlan {
    /// Tests of the plan.
    pub(super) tests: Vec<TestFile>,
    /// Test cases of the plan.
    pub(super) cases: Vec<TestCase>,
    /// Variant of the results: the run's options.
    pub(super) variant: String,
    /// Expectations of the run.
    pub(super) expectations: Expectations,
    /// Number of executions of each test case.
    pub(super) repeat: u32,
    /// Worker processes.
    pub(super) pool: Arc<Pool>,
}

impl RunPlan {
    fn case_at(&self, case: usize) -> (&TestFile, Target) {
        let TestCase { test, generation } = self.cases[case];
        (&self.tests[test], generation)
    }

    fn outcome(&self, test: &TestFile, generation: Target, verdict: &Verdict) -> Outcome {
        if test.is_missing() {
            return self.expectations.judge(&test.name, generation, None);
        }
        if verdict.differed {
            return Outcome::Flake;
        }
        match self.expectations.skip(&test.name, generation) {
            Some(_) => Outcome::Expected,
            None => self.expectations.judge(&test.name, generation, Some(verdict.status)),
        }
    }
}

impl Plan for RunPlan {
    fn len(&self) -> usize {
        self.cases.len()
    }

    fn is_serial(&self, case: usize) -> bool {
        self.case_at(case).0.is_serial
    }

    async fn run(&self, case: usize, task: usize) -> Finished {
        let (test, generation) = self.case_at(case);
        if test.is_missing() {
            return Finished::at_once(Verdict::skip("there is no such test any more"));
        }
        if let Some(reason) = self.expectations.skip(&test.name, generation) {
            return Finished::at_once(Verdict::skip(reason));
        }
        let request = Request::execution(case, &test.on(generation), None);
        let mut all = vec![self.pool.run(task, request.clone()).await];
        for _ in 1..self.repeat {
            all.push(self.pool.run(task, request.clone()).await);
        }
        repeated(all)
    }

    fn result(&self, case: usize, finished: Finished) -> TestResult {
        let (test, generation) = self.case_at(case);
        let Finished { verdict, duration, .. } = finished;
        let outcome = self.outcome(test, generation, &verdict);
        let (phase, reason) = verdict.cause.unzip();
        TestResult {
            test: test.name.clone(),
            generation: generation.name().to_owned(),
            variant: self.variant.clone(),
            status: verdict.status,
            phase,
            reason,
            outcome,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            stages: verdict.stages,
            subtests: verdict.subtests.into(),
            differed: verdict.differed && !self.expectations.is_flake(&test.name, generation),
        }
    }
}

/// Combines several executions of a test case: the worst one, and true if they differ in more than
/// their durations.
fn repeated(all: Vec<Finished>) -> Finished {
    let duration = all.iter().map(|finished| finished.duration).sum::<Duration>();
    let verdicts: Vec<Verdict> = all.into_iter().map(|finished| finished.verdict).collect();
    let different = verdicts.iter().position(|verdict| *verdict != verdicts[0]);
    let total = verdicts.len();
    let first = verdicts.first().map_or(Status::Crash, |verdict| verdict.status);
    let mut worst = verdicts.into_iter().max_by_key(|verdict| verdict.status.precedence());
    if let (Some(verdict), Some(index)) = (&mut worst, different) {
        let what = format!("repetition {} of {total} differs from the first, {first}", index + 1);
        let (phase, reason) = verdict.cause.take().unzip();
        let reason = reason.map_or(what.clone(), |reason| format!("{what}\n{reason}"));
        verdict.cause = Some((phase.unwrap_or(Phase::Simulate), reason));
        verdict.differed = true;
    }
    let none = || Verdict::skip("not executed");
    Finished { verdict: worst.unwrap_or_else(none), duration, look: None }
}

/// Returns the options of a command that executes a test case as the run does, each after a space.
pub(super) fn option_words(args: &RunArgs, changed: &BTreeMap<String, String>) -> String {
    command_options(&args.execute, changed).iter().map(|(_, option)| format!(" {option}")).collect()
}

/// Returns the console's description of the plan.
pub(super) fn described(
    tests: &[TestFile],
    cases: &[TestCase],
    args: &RunArgs,
    repeat: &Repeat,
) -> Described {
    let test = |test: &TestFile| {
        let mut command = repeat.of_test(&test.name);
        if let Some(command) = command.as_mut().filter(|_| args.select.piglit_names) {
            command.after += &format!("  # {}", printable_line(&piglit_name(&test.name)));
        }
        DescribedTest { name: printable_line(&test.name), path: test.path.clone(), command }
    };
    let case = |case: &TestCase| DescribedCase { test: case.test, generation: case.generation };
    Described { tests: tests.iter().map(test).collect(), cases: cases.iter().map(case).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::StageStatistics;
    use vocabulary::{Stage, Width};

    fn finished(verdict: &Verdict) -> Finished {
        Finished { duration: Duration::from_micros(3), ..Finished::at_once(verdict.clone()) }
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
        // Different code with the same status shows nondeterminism, too.
        let stage = StageStatistics::new(Stage::Vertex, Width::Simd8);
        let coded = Verdict { stages: vec![stage], ..Verdict::pass() };
        assert!(of(&[&pass, &coded]).verdict.differed);
    }

    #[test]
    fn random_orders_are_those_of_their_seeds() {
        let names = (0..20).map(|number| format!("s/{number:02}"));
        let tests: Vec<TestFile> = names.map(|name| TestFile::new(name.clone(), name)).collect();
        let of = |seed| {
            let (tests, mut cases) = planned(tests.clone(), &[Target::IVB], None, &BTreeSet::new());
            order(&mut cases, &tests, (Order::Random, seed), None);
            cases.iter().map(|case| case.test).collect::<Vec<_>>()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let mut sorted = of(2);
        sorted.sort_unstable();
        assert!(of(2) != sorted && sorted.into_iter().eq(0..20));
    }

    #[test]
    fn blocks() {
        let all = [Target::IVB, Target::SKL];
        let case = |test| all.map(|generation| TestCase { test, generation });
        let mut cases = [4, 2, 7].map(case).concat();
        in_blocks(&mut cases, 2);
        let order: Vec<_> = cases.iter().map(|case| (case.test, case.generation)).collect();
        let expected = [
            (4, Target::IVB),
            (2, Target::IVB),
            (4, Target::SKL),
            (2, Target::SKL),
            (7, Target::IVB),
            (7, Target::SKL),
        ];
        assert_eq!(order, expected);
        in_blocks(&mut [], 2);
    }

    #[test]
    fn rows_of_tests_that_are_gone() {
        let selected = vec![TestFile::new("s/b", "b")];
        let missing = BTreeSet::from([("s/a".to_owned(), Target::HSW)]);
        let (tests, cases) = planned(selected, &[Target::IVB, Target::HSW], None, &missing);
        let keys: Vec<_> =
            cases.iter().map(|case| (&*tests[case.test].name, case.generation)).collect();
        assert_eq!(keys, [("s/a", Target::HSW), ("s/b", Target::IVB), ("s/b", Target::HSW)]);
    }
}
