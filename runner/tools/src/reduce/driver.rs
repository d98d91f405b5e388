//! Reduction of one test case: a judge that accepts candidates that fail like the whole test.

use super::{Judge, Likeness, Progress, Reducer, Stopped, Syntax, Wanted};
use crate::bisect::Ending;
use crate::case::{Case, CaseRunner, RunError};
use execute::CaseOverride;
use results::verdict::{Phase, Status, Verdict};
use vocabulary::Target;

/// The failure of a whole test, executed twice.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// Both executions failed in the same way.
    Stable(Verdict),
    /// The executions ended differently.
    Unstable,
    /// The test did not fail.
    None(Verdict),
}

/// The end of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The smallest text that fails in the same way.
    pub best: String,
    /// Number of candidates.
    pub steps: u64,
    /// Reason of an early end, if any.
    pub stopped: Option<Stopped>,
}

/// The failure of a test case that smaller texts must preserve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameFailure {
    case: Case,
    wanted: Wanted,
    likeness: Option<Likeness>,
    /// The whole text is valid, so that smaller ones must be.
    is_valid: bool,
    /// The test on the interpreter, if the whole text passes there, so that smaller ones must:
    /// otherwise values would be expected that no executor has.
    witness: Option<Case>,
    /// The whole text fails alike wherever the pixels are that implementations choose, so that
    /// smaller ones must.
    is_off_the_edges: bool,
    /// Maximum number of steps of a batch, under which the whole text fails alike.
    step_limit: Option<u64>,
    /// The test on the interpreter, if it ends the whole text, so that it must end smaller ones
    /// before they are executed otherwise.
    screen: Option<Case>,
}

/// Numbers of steps of a batch that are enough for most tests: edits make endless loops.
const STEP_LIMITS: [u64; 2] = [1_000_000, 20_000_000];

/// Distances that bring the centers of pixels from an edge of a primitive to either side.
const NUDGES: [i64; 2] = [1, -1];

impl SameFailure {
    /// Executes the whole text of a test case twice and describes its failure.
    ///
    /// # Errors
    /// Fails if an execution fails.
    pub fn of(
        case: Case,
        text: &str,
        wanted: Wanted,
        runner: &mut dyn CaseRunner,
    ) -> Result<(SameFailure, Failure), RunError> {
        let is_valid = Syntax::of(&case.path).is_valid(text, &case.path);
        let mut same = SameFailure {
            case,
            wanted,
            likeness: None,
            is_valid,
            witness: None,
            is_off_the_edges: false,
            step_limit: None,
            screen: None,
        };
        let verdicts = same.verdicts(&same.case, vec![text.to_owned(), text.to_owned()], runner)?;
        let likenesses: Vec<Likeness> = verdicts.iter().map(|v| Likeness::of(v, wanted)).collect();
        let ([verdict, _], [likeness, again]) = (verdicts.as_slice(), likenesses.as_slice()) else {
            return Err(RunError::Failed("no verdicts".into()));
        };
        let failure = if likeness != again {
            Failure::Unstable
        } else if Ending::of(verdict).is_good()
            || verdict.status == Status::Skip
            || likeness.ending.phase == Some(Phase::Require)
        {
            // Every text fails where nothing can be executed.
            Failure::None(verdict.clone())
        } else {
            same.likeness = Some(likeness.clone());
            same.step_limit = same.find_step_limit(text, runner)?;
            same.screen = same.find_screen(text, runner)?;
            same.witness = same.find_witness(text, runner)?;
            let is_of_pixels =
                matches!(likeness.ending.phase, Some(Phase::Probe | Phase::Mismatch));
            same.is_off_the_edges =
                is_of_pixels && same.fails_nudged(vec![text.to_owned()], runner)? == [true];
            Failure::Stable(verdict.clone())
        };
        Ok((same, failure))
    }

    /// Returns the lowest limit under which a text fails alike, and ends on the interpreter if
    /// smaller texts have to. Drivers fail alike under every limit.
    fn find_step_limit(
        &self,
        text: &str,
        runner: &mut dyn CaseRunner,
    ) -> Result<Option<u64>, RunError> {
        let mut lowest = None;
        for limit in STEP_LIMITS {
            let limited = SameFailure { step_limit: Some(limit), ..self.clone() };
            let verdicts = limited.verdicts(&self.case, vec![text.to_owned()], runner)?;
            if !verdicts.iter().all(|verdict| self.matches(verdict)) {
                continue;
            }
            if !self.is_screened() || limited.find_screen(text, runner)?.is_some() {
                return Ok(Some(limit));
            }
            lowest = lowest.or(Some(limit));
        }
        let ends = lowest.is_some() && self.find_screen(text, runner)?.is_some();
        Ok(lowest.filter(|_| !ends))
    }

    /// True if smaller texts have to end on the interpreter before they are executed.
    fn is_screened(&self) -> bool {
        self.wanted.to_end && self.case.generation != Target::REFERENCE
    }

    /// Returns the interpreter if smaller texts have to end there first and a text does.
    fn find_screen(
        &self,
        text: &str,
        runner: &mut dyn CaseRunner,
    ) -> Result<Option<Case>, RunError> {
        let case = Case { generation: Target::REFERENCE, ..self.case.clone() };
        if !self.is_screened() {
            return Ok(None);
        }
        let verdicts = self.verdicts(&case, vec![text.to_owned()], runner)?;
        Ok(verdicts.iter().all(has_ended).then_some(case))
    }

    /// Returns the interpreter if it passes a text with expected values.
    fn find_witness(
        &self,
        text: &str,
        runner: &mut dyn CaseRunner,
    ) -> Result<Option<Case>, RunError> {
        let case = Case { generation: Target::REFERENCE, ..self.case.clone() };
        let has_values = matches!(Syntax::of(&case.path), Syntax::Vulkan(_));
        if !has_values || self.case.generation == case.generation {
            return Ok(None);
        }
        let verdicts = self.verdicts(&case, vec![text.to_owned()], runner)?;
        let passes = verdicts.iter().all(|verdict| verdict.status == Status::Pass);
        Ok(passes.then_some(case))
    }

    /// Reduces the text with at most `most` candidates, `batch` at a time; reports each success.
    /// Returns the error of an execution beside the best text.
    pub fn reduce(
        &self,
        text: String,
        (most, batch): (u64, usize),
        runner: &mut dyn CaseRunner,
        report: impl FnMut(Progress<'_>),
    ) -> (Reduced, Option<RunError>) {
        let mut judge = SameFailureJudge { same: self, runner, error: None };
        let syntax = Syntax::of(&self.case.path);
        let mut reducer = Reducer::new((text, syntax), &mut judge, most, batch);
        let stopped = reducer.run(report).err();
        let reduced = Reduced { best: reducer.best().to_owned(), steps: reducer.steps(), stopped };
        (reduced, judge.error)
    }

    /// Executes a text as another test case, whose name determines the contents of unwritten
    /// registers; returns the verdict if it fails in another way.
    ///
    /// # Errors
    /// Fails if the execution fails.
    pub fn differs_as(
        &self,
        case: Case,
        text: String,
        runner: &mut dyn CaseRunner,
    ) -> Result<Option<Verdict>, RunError> {
        let verdict = self.verdicts(&case, vec![text], runner)?.into_iter().next();
        Ok(verdict.filter(|verdict| !self.matches(verdict)))
    }

    fn matches(&self, verdict: &Verdict) -> bool {
        let smaller = Likeness::of(verdict, self.wanted);
        self.likeness.as_ref().is_some_and(|whole| whole.accepts(&smaller))
    }

    /// True if a text may be executed.
    fn may_run(&self, text: &str) -> bool {
        let path = &self.case.path;
        !self.is_valid || Syntax::of(path).is_valid(text, path)
    }

    /// Returns which texts fail like the whole one.
    fn are_like(
        &self,
        texts: Vec<String>,
        runner: &mut dyn CaseRunner,
    ) -> Result<Vec<bool>, RunError> {
        let Some(screen) = &self.screen else { return self.executed_are_like(texts, runner) };
        let ended = self.verdicts(screen, texts.clone(), runner)?;
        let ended: Vec<bool> = ended.iter().map(has_ended).collect();
        let kept = texts.into_iter().zip(&ended).filter(|(_, ended)| **ended);
        let kept: Vec<String> = kept.map(|(text, _)| text).collect();
        let are_like = match kept.is_empty() {
            true => Vec::new(),
            false => self.executed_are_like(kept, runner)?,
        };
        let mut are_like = are_like.into_iter();
        Ok(ended.iter().map(|ended| *ended && are_like.next().unwrap_or(false)).collect())
    }

    fn executed_are_like(
        &self,
        texts: Vec<String>,
        runner: &mut dyn CaseRunner,
    ) -> Result<Vec<bool>, RunError> {
        let syntax = Syntax::of(&self.case.path);
        let like = |(text, verdict): (&String, &Verdict)| {
            self.matches(verdict) && syntax.is_about_results(text, verdict)
        };
        let ended = self.verdicts(&self.case, texts.clone(), runner)?;
        let are_like: Vec<bool> = texts.iter().zip(&ended).map(like).collect();
        let kept = texts.into_iter().zip(&are_like).filter(|(_, like)| **like);
        let kept: Vec<String> = kept.map(|(text, _)| text).collect();
        let mut stay = vec![true; kept.len()];
        if self.is_off_the_edges && !kept.is_empty() {
            stay = self.fails_nudged(kept.clone(), runner)?;
        }
        if let Some(witness) = &self.witness {
            let seen = self.verdicts(witness, kept, runner)?;
            for (stays, verdict) in stay.iter_mut().zip(seen) {
                *stays &= verdict.status == Status::Pass;
            }
        }
        let mut stay = stay.into_iter();
        Ok(are_like.iter().map(|like| *like && stay.next().unwrap_or(false)).collect())
    }

    /// Returns which texts fail like the whole one with all primitives a little to either side.
    fn fails_nudged(
        &self,
        texts: Vec<String>,
        runner: &mut dyn CaseRunner,
    ) -> Result<Vec<bool>, RunError> {
        let mut all = vec![true; texts.len()];
        for nudge in NUDGES {
            let nudged = |text: &String| {
                let (text, step_limit) = (Some(text.clone()), self.step_limit);
                CaseOverride { text, nudge, step_limit, ..CaseOverride::default() }
            };
            let verdicts = runner.run(&self.case, texts.iter().map(nudged).collect())?;
            for (all, verdict) in all.iter_mut().zip(verdicts) {
                *all &= self.matches(&verdict);
            }
        }
        Ok(all)
    }

    /// Executes texts as a test case.
    fn verdicts(
        &self,
        case: &Case,
        texts: Vec<String>,
        runner: &mut dyn CaseRunner,
    ) -> Result<Vec<Verdict>, RunError> {
        let step_limit = self.step_limit;
        let with = |text| CaseOverride { text: Some(text), step_limit, ..CaseOverride::default() };
        runner.run(case, texts.into_iter().map(with).collect())
    }
}

/// True if a test was executed to its end, with any values.
fn has_ended(verdict: &Verdict) -> bool {
    let is_probe = |cause: &(Phase, String)| cause.0 == Phase::Probe;
    matches!(verdict.status, Status::Pass | Status::Warn)
        || verdict.status == Status::Fail && verdict.cause.as_ref().is_some_and(is_probe)
}

/// A judge that accepts candidates that fail like the whole test.
struct SameFailureJudge<'a> {
    same: &'a SameFailure,
    runner: &'a mut dyn CaseRunner,
    /// The error that prevents further executions.
    error: Option<RunError>,
}

impl Judge for SameFailureJudge<'_> {
    fn judge(&mut self, texts: Vec<String>) -> Result<Vec<bool>, Stopped> {
        let same = self.same;
        let may_run: Vec<bool> = texts.iter().map(|text| same.may_run(text)).collect();
        let valid = texts.into_iter().zip(&may_run).filter(|(_, may_run)| **may_run);
        match same.are_like(valid.map(|(text, _)| text).collect(), self.runner) {
            Ok(are_like) => {
                let mut are_like = are_like.into_iter();
                let mut is_like = || are_like.next().unwrap_or(false);
                Ok(may_run.iter().map(|may_run| *may_run && is_like()).collect())
            }
            Err(RunError::Interrupted) => Err(Stopped::Interrupted),
            Err(error) => {
                self.error = Some(error);
                Err(Stopped::Interrupted)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A runner without processes: a text fails if it has the word `bad`.
    #[derive(Default)]
    struct WordRunner(usize);

    impl CaseRunner for WordRunner {
        fn run(
            &mut self,
            case: &Case,
            overrides: Vec<CaseOverride>,
        ) -> Result<Vec<Verdict>, RunError> {
            self.0 += overrides.len();
            let verdict = |case_override: &CaseOverride| match case_override
                .text
                .as_deref()
                .unwrap_or_default()
                .contains("bad")
            {
                true => Verdict::fail(Phase::Frontend, case.name.as_str()),
                false => Verdict::pass(),
            };
            Ok(overrides.iter().map(verdict).collect())
        }

        fn count(&self) -> usize {
            self.0
        }
    }

    /// A runner of a driver that fails what has the word `bad`, and of an interpreter that passes
    /// what has the word `right`.
    struct TwoRunners;

    impl CaseRunner for TwoRunners {
        fn run(
            &mut self,
            case: &Case,
            overrides: Vec<CaseOverride>,
        ) -> Result<Vec<Verdict>, RunError> {
            let word = if case.generation == Target::REFERENCE { "right" } else { "good" };
            let verdict = |case_override: &CaseOverride| match case_override
                .text
                .as_deref()
                .is_some_and(|text| text.contains(word))
            {
                true => Verdict::pass(),
                false => Verdict::fail(Phase::Probe, "line 1: value"),
            };
            Ok(overrides.iter().map(verdict).collect())
        }

        fn count(&self) -> usize {
            0
        }
    }

    /// The interpreter must pass smaller scripts with values if it passes the whole one.
    #[test]
    fn expected_values_stay_those_of_the_interpreter() {
        let case = Case { name: "a".into(), path: "a.amber".into(), generation: Target::SKL };
        let like = |whole: &str, texts: &[&str]| {
            let of = SameFailure::of(case.clone(), whole, Wanted::default(), &mut TwoRunners);
            let same = of.expect("verdicts").0;
            let texts = texts.iter().map(|text| (*text).to_owned()).collect();
            same.are_like(texts, &mut TwoRunners).expect("verdicts")
        };
        let texts = ["right", "wrong", "good", "also right"];
        assert_eq!(like("all is right", &texts), [true, false, false, true]);
        assert_eq!(like("nothing is", &texts), [true, true, false, true]);
    }

    /// A runner of a driver that fails every text and of an interpreter that counts steps: a text
    /// with `loop` has a million of them for each.
    #[derive(Default)]
    struct Counting {
        /// Number of texts that the driver executed.
        on_driver: usize,
        /// Limits of the last executions.
        limits: Vec<Option<u64>>,
    }

    impl CaseRunner for Counting {
        fn run(
            &mut self,
            case: &Case,
            overrides: Vec<CaseOverride>,
        ) -> Result<Vec<Verdict>, RunError> {
            self.limits = overrides.iter().map(|one| one.step_limit).collect();
            let is_driver = case.generation != Target::REFERENCE;
            self.on_driver += if is_driver { overrides.len() } else { 0 };
            let verdict = |one: &CaseOverride| {
                let steps = one.text.iter().flat_map(|text| text.matches("loop")).count() as u64;
                match one.step_limit {
                    Some(limit) if limit < steps * 1_000_000 => {
                        Verdict::new(Status::Timeout, Phase::Simulate, "too many steps")
                    }
                    _ if is_driver => Verdict::fail(Phase::Mismatch, "they differ"),
                    _ => Verdict::pass(),
                }
            };
            Ok(overrides.iter().map(verdict).collect())
        }

        fn count(&self) -> usize {
            0
        }
    }

    /// A text that does not end on the interpreter never runs on a driver, which counts no steps.
    #[test]
    fn endless_texts_never_reach_a_driver() {
        let case = Case { name: "a".into(), path: "a".into(), generation: Target::SKL };
        let wanted = Wanted { to_end: true, ..Wanted::default() };
        let mut runner = Counting::default();
        let same = SameFailure::of(case.clone(), "a", wanted, &mut runner).expect("verdicts").0;
        runner.on_driver = 0;
        let texts = ["loop loop", "b", "loop loop", "c"].map(str::to_owned).to_vec();
        let like = same.are_like(texts, &mut runner).expect("verdicts");
        assert_eq!((like, runner.limits[0]), (vec![false, true, false, true], Some(1_000_000)));
        // Both others ran once, and once for each of two nudges.
        assert_eq!(runner.on_driver, 6);
        // A test that needs more steps may have them.
        let long = SameFailure::of(case, "loop loop", wanted, &mut runner).expect("verdicts").0;
        assert_eq!(long.step_limit, Some(20_000_000));
    }

    #[test]
    fn a_failure_is_kept_and_a_pass_is_none() {
        let case = Case { name: "a".into(), path: "a".into(), generation: Target::IVB };
        let text = "[test]\nclear\nbad\nclear\n";
        let mut runner = WordRunner::default();
        let of = |text, runner: &mut WordRunner| {
            SameFailure::of(case.clone(), text, Wanted::default(), runner).unwrap()
        };
        assert_eq!(of("good", &mut runner).1, Failure::None(Verdict::pass()));
        let (same, failure) = of(text, &mut runner);
        assert!(matches!(failure, Failure::Stable(_)));
        let (reduced, error) = same.reduce(text.into(), (1000, 4), &mut runner, |_| {});
        assert!(error.is_none() && reduced.best.len() < text.len() && reduced.best.contains("bad"));
        assert_eq!(same.differs_as(case.clone(), reduced.best, &mut runner).unwrap(), None);
        let good = same.differs_as(case.clone(), "good".into(), &mut runner).unwrap();
        assert_eq!(good, Some(Verdict::pass()));
    }
}
