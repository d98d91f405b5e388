//! Bisection of one test case: its execution under limits on passes, until the changes are found.

use std::collections::BTreeMap;

use super::elsewhere::{self, Elsewhere};
use super::search::{self, Change};
use super::{Bisection, Command, Conclusion, Ending, PassChange, Switch, Tried, code_changes};
use crate::case::{Case, CaseRunner, RunError};
use execute::CaseOverride;
use results::names::quoted;
use results::passes::{Application, PassLimit, Scope, highest, names, numbered, stage_word};
use results::verdict::{Status, Verdict};
use vocabulary::{Stage, Target, Width};

/// Upper limit of passes, used where their number is unknown; no stage that compiles has more.
const MOST_PASSES: u32 = 1 << 16;

/// Options of a run that `runner show` does not have.
const NOT_SHOWN: [&str; 5] = ["math", "shade", "reference", "mock", "binaries"];

/// Options of a bisection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BisectOptions {
    /// Fewest passes to try.
    pub from: u32,
    /// Most passes to try; `None` means all.
    pub to: Option<u32>,
    /// Try every limit instead of bisecting.
    pub every: bool,
    /// Try single passes and quirks.
    pub switches: bool,
    /// Passes that every execution leaves out.
    pub disabled_passes: Vec<String>,
    /// Quirks whose handling is off in every execution.
    pub disabled_quirks: Vec<String>,
    /// Options of the printed commands, each with its name.
    pub options: Vec<(String, String)>,
}

/// The reason why a bisection has no findings.
#[derive(Debug, thiserror::Error)]
pub enum BisectError {
    /// An execution failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The runner returned another number of verdicts than requested.
    #[error("no verdicts")]
    NoVerdicts,
    /// A change was found between limits that were not tried.
    #[error("a limit beside the change was not tried")]
    Untried,
    /// No limit leads to the ending without one.
    #[error(
        "{name} [{generation}]: under no limit that was tried it ends as without one: it does not end the same way every time"
    )]
    NoLimit {
        /// Name of the test.
        name: String,
        /// The generation.
        generation: Target,
    },
}

type Result<T> = std::result::Result<T, BisectError>;

/// Bisects a test case.
///
/// # Errors
/// Fails if an execution fails, or if the test case does not end the same way every time.
pub fn bisect(
    case: &Case,
    options: &BisectOptions,
    runner: &mut dyn CaseRunner,
) -> Result<Bisection> {
    Search { case, options, runner, known: BTreeMap::new(), step_limit: None }.bisect()
}

/// A test case under examination.
struct Search<'a> {
    case: &'a Case,
    options: &'a BisectOptions,
    runner: &'a mut dyn CaseRunner,
    /// Verdicts under the limits tried so far.
    known: BTreeMap<u32, Verdict>,
    /// Maximum number of steps of a batch, where the fault makes a loop endless.
    step_limit: Option<u64>,
}

/// Numbers of steps of a batch that are tried on a test case that ends.
const STEP_LIMITS: [u64; 2] = [1_000_000, 10_000_000];
/// Steps that the test case may need under other limits on passes, for each of these.
const MORE_STEPS: u64 = 4;

/// Returns an override with limits on passes.
fn limited(limits: &[PassLimit]) -> CaseOverride {
    CaseOverride { pass_limits: limits.to_vec(), log_passes: true, ..CaseOverride::default() }
}

impl Search<'_> {
    fn run(&mut self, overrides: Vec<CaseOverride>) -> Result<Vec<Verdict>> {
        self.run_on(self.case, overrides)
    }

    fn run_on(&mut self, case: &Case, overrides: Vec<CaseOverride>) -> Result<Vec<Verdict>> {
        let step_limit = self.step_limit;
        let limited = |one| CaseOverride { step_limit, ..one };
        Ok(self.runner.run(case, overrides.into_iter().map(limited).collect())?)
    }

    /// Finds a number of steps that is enough for the test case with few passes, which ends.
    fn limit_steps(&mut self) -> Result<()> {
        for limit in STEP_LIMITS {
            self.step_limit = Some(limit);
            let few = self.run(vec![limited(&[PassLimit::all(self.options.from)])])?;
            if few.iter().all(|verdict| Ending::of(verdict).is_good()) {
                self.step_limit = Some(MORE_STEPS * limit);
                return Ok(());
            }
        }
        self.step_limit = None;
        Ok(())
    }

    /// Executes the test case under new limits.
    fn learn(&mut self, limits: impl Iterator<Item = u32>) -> Result<()> {
        let new: Vec<u32> = limits.filter(|limit| !self.known.contains_key(limit)).collect();
        let overrides = new.iter().map(|&limit| limited(&[PassLimit::all(limit)])).collect();
        let verdicts = self.run(overrides)?;
        self.known.extend(new.into_iter().zip(verdicts));
        Ok(())
    }

    /// Returns the ending under a limit.
    fn ending(&mut self, limit: u32) -> Result<Ending> {
        self.learn(std::iter::once(limit))?;
        Ok(self.tried(limit).ending)
    }

    /// Returns the result under a tried limit.
    fn tried(&self, limit: u32) -> Tried {
        let nothing = Verdict::skip("not executed");
        Tried::new(Some(limit), self.known.get(&limit).unwrap_or(&nothing))
    }

    fn bisect(&mut self) -> Result<Bisection> {
        let first = self.runner.count();
        let (from, to) = (self.options.from, self.options.to);
        let most = || limited(&to.map(PassLimit::all).into_iter().collect::<Vec<_>>());
        let ends = self.run(vec![most(), most(), limited(&[PassLimit::all(from)])])?;
        let [all, again, few] =
            <[Verdict; 3]>::try_from(ends).map_err(|_| BisectError::NoVerdicts)?;
        let conclusion = Conclusion::of([&all, &again].map(Ending::of), Ending::of(&few));
        let ran = (!all.passes.is_empty()).then(|| highest(&all.passes));
        let mut found = Bisection {
            test: self.case.name.clone(),
            generation: self.case.generation.name().to_owned(),
            all: Tried::new(to, &all),
            few: Tried::new(Some(from), &few),
            passes: ran.filter(|_| to.is_none()),
            conclusion,
            changes: Vec::new(),
            every: self.options.every,
            switches: Vec::new(),
            elsewhere: Vec::new(),
            places: Vec::new(),
            runs: 0,
        };
        if all.status == Status::Timeout && conclusion == Conclusion::Broken {
            self.limit_steps()?;
        }
        if conclusion.is_searched() {
            self.known.insert(from, few);
            let high = self.highest_limit(to.or(ran), Ending::of(&all))?;
            for change in self.search(from, high, Ending::of(&all))? {
                found.changes.push(self.explained(&change)?);
            }
        }
        let is_bad = matches!(
            conclusion,
            Conclusion::Broken | Conclusion::Otherwise | Conclusion::NotPasses
        );
        if is_bad && self.options.switches {
            found.switches = self.switches(&all)?;
            found.elsewhere = self.elsewhere(&all)?;
            found.places = elsewhere::places(self.case.generation, &found.elsewhere);
        }
        found.runs = self.runner.count() - first;
        Ok(found)
    }

    /// Returns a limit that leads to the ending with all passes; a power of two if their number is
    /// unknown.
    fn highest_limit(&mut self, known: Option<u32>, all: Ending) -> Result<u32> {
        let mut limit = known
            .filter(|&limit| limit > self.options.from)
            .unwrap_or(64.max(self.options.from * 2));
        while self.ending(limit)? != all {
            limit = limit.max(32) * 2;
            if limit > MOST_PASSES {
                let Case { name, generation, .. } = self.case.clone();
                return Err(BisectError::NoLimit { name, generation });
            }
        }
        Ok(limit)
    }

    fn search(&mut self, from: u32, high: u32, all: Ending) -> Result<Vec<Change<Ending>>> {
        let few = self.ending(from)?;
        if !self.options.every {
            return search::changes((from, few), (high, all), |limit| self.ending(limit));
        }
        self.learn(from..=high)?;
        let endings: Vec<Ending> = (from..=high).map(|limit| self.tried(limit).ending).collect();
        Ok(search::all_changes(from, &endings))
    }

    fn explained(&mut self, change: &Change<Ending>) -> Result<PassChange> {
        let at = change.at;
        let suspects = self.suspects(change)?;
        let (Some(before), Some(after)) = (self.known.get(&(at - 1)), self.known.get(&at)) else {
            return Err(BisectError::Untried);
        };
        Ok(PassChange {
            before: self.tried(at - 1),
            after: self.tried(at),
            code: code_changes(&before.stages, &after.stages),
            commands: self.commands(at, &suspects),
            suspects,
        })
    }

    /// Returns the pass runs with the number at which the ending changes. If several stages or
    /// widths have one, their limits are raised one after the other until the ending changes.
    fn suspects(&mut self, change: &Change<Ending>) -> Result<Vec<Application>> {
        let at = change.at;
        let logged = |limit: u32| self.known.get(&limit).map_or(&[][..], |verdict| &verdict.passes);
        let mut suspects = numbered(logged(at - 1), at);
        if suspects.is_empty() {
            suspects = numbered(logged(at), at);
        }
        let mut scopes: Vec<Scope> = Vec::new();
        for suspect in &suspects {
            if !scopes.contains(&suspect.scope) {
                scopes.push(suspect.scope);
            }
        }
        if scopes.len() < 2 {
            return Ok(suspects);
        }
        let limits = |raised: &[Scope]| -> Vec<PassLimit> {
            let raise = |&scope: &Scope| PassLimit { scope: Some(scope), limit: at };
            std::iter::once(PassLimit::all(at - 1)).chain(raised.iter().map(raise)).collect()
        };
        let overrides = (1..scopes.len()).map(|count| limited(&limits(&scopes[..count]))).collect();
        let verdicts = self.run(overrides)?;
        let first = verdicts.iter().position(|verdict| Ending::of(verdict) != change.from);
        let culprit = scopes[first.unwrap_or(scopes.len() - 1)];
        suspects.retain(|suspect| suspect.scope == culprit);
        Ok(suspects)
    }

    /// Returns commands that show the effect of a pass run.
    fn commands(&self, at: u32, suspects: &[Application]) -> Vec<Command> {
        let options = &self.options.options;
        let path = quoted(&self.case.path.display().to_string());
        let run: String = options.iter().map(|(_, option)| format!(" {option}")).collect();
        let mut commands = Vec::new();
        let mut put = |shows, command| commands.push(Command { shows, command });
        if let Some(Application { scope, pass, .. }) = suspects.first() {
            let shown =
                options.iter().filter(|(name, _)| !NOT_SHOWN.contains(&&**name) && name != "width");
            let mut show = format!("runner show {path} --gen {}", self.case.generation);
            shown.for_each(|(_, option)| show += &format!(" {option}"));
            show += &format!(" --stage {}", stage_word(scope.stage));
            let width = scope.width.map(|width| width.name().to_owned());
            let given =
                options.iter().find(|(name, _)| name == "width").map(|(_, option)| option.clone());
            let width = width.map(|width| format!("--width {width}")).or(given);
            width.into_iter().for_each(|width| show += &format!(" {width}"));
            let what = match scope.width {
                None => "ir",
                Some(Width::Wave64) => "gcn",
                Some(_) => "eu",
            };
            put("before", format!("{show} --pass-limit {} {what}", at - 1));
            put("after", format!("{show} --pass-limit {at} {what}"));
            if scope.width.is_none() {
                put("its last run", format!("{show} --pass-limit {at} ir={pass}"));
            }
            put("all runs", format!("{show} passes"));
        }
        put(
            "the test",
            format!("runner {path} --gen {}{run} --pass-limit {at}", self.case.generation),
        );
        commands
    }

    /// Returns the endings with the interpreter in place of each stage, in each width, and on the
    /// other generations.
    fn elsewhere(&mut self, all: &Verdict) -> Result<Vec<Elsewhere>> {
        let mut stages: Vec<Stage> = all.stages.iter().map(|kernel| kernel.stage).collect();
        stages.dedup();
        let mut widths: Vec<Width> = all.stages.iter().map(|kernel| kernel.width).collect();
        widths.sort_unstable();
        widths.dedup();
        // Kernels of several widths are those of fragments and of compute shaders.
        widths.retain(|width| ![Width::Vec4, Width::Wave64].contains(width));
        if widths.len() < 2 {
            widths.clear();
        }
        let bound: Vec<PassLimit> = self.options.to.map(PassLimit::all).into_iter().collect();
        let mut tried: Vec<(elsewhere::Change, CaseOverride)> = Vec::new();
        let of_stages = stages.into_iter().map(|stage| {
            let other = CaseOverride { interpreted: vec![stage], ..CaseOverride::default() };
            (elsewhere::Change::Interpreted(stage), other)
        });
        let of_widths = widths.into_iter().map(|width| {
            let other = CaseOverride { width: Some(width), ..CaseOverride::default() };
            (elsewhere::Change::Width(width), other)
        });
        tried.extend(of_stages.chain(of_widths));
        for (_, other) in &mut tried {
            other.pass_limits.clone_from(&bound);
        }
        let (changes, overrides): (Vec<_>, Vec<_>) = tried.into_iter().unzip();
        let mut endings: Vec<Ending> = self.run(overrides)?.iter().map(Ending::of).collect();
        let others: Vec<Target> =
            Target::hardware().filter(|&other| other != self.case.generation).collect();
        for &generation in &others {
            let case = Case { generation, ..self.case.clone() };
            let verdicts = self.run_on(&case, vec![CaseOverride::default()])?;
            endings.extend(verdicts.iter().map(Ending::of));
        }
        let changes =
            changes.into_iter().chain(others.into_iter().map(elsewhere::Change::Generation));
        Ok(changes.zip(endings).map(|(change, ending)| Elsewhere { change, ending }).collect())
    }

    /// Returns the endings without each pass and without the handling of each quirk, where they
    /// differ from the ending with all.
    fn switches(&mut self, all: &Verdict) -> Result<Vec<Switch>> {
        let bound = self.options.to.map(PassLimit::all);
        let case_override =
            || CaseOverride { pass_limits: bound.into_iter().collect(), ..CaseOverride::default() };
        let ran = names(&all.passes);
        let mut options: Vec<(String, CaseOverride)> = Vec::new();
        for pass in compiler::passes::optional() {
            let wanted = ran.is_empty() || ran.contains(pass);
            if wanted && !self.options.disabled_passes.iter().any(|disabled| disabled == pass) {
                let case_override =
                    CaseOverride { disabled_passes: vec![pass.to_owned()], ..case_override() };
                options.push((format!("--disable-pass {pass}"), case_override));
            }
        }
        for quirk in compiler::Quirk::ALL.iter().map(|quirk| quirk.name()) {
            if !self.options.disabled_quirks.iter().any(|disabled| disabled == quirk) {
                let case_override =
                    CaseOverride { disabled_quirks: vec![quirk.to_owned()], ..case_override() };
                options.push((format!("--disable-quirk {quirk}"), case_override));
            }
        }
        let (options, overrides): (Vec<String>, Vec<CaseOverride>) = options.into_iter().unzip();
        let verdicts = self.run(overrides)?;
        let endings = verdicts.iter().map(Ending::of);
        let switches =
            options.into_iter().zip(endings).map(|(option, ending)| Switch { option, ending });
        let mut switches: Vec<Switch> =
            switches.filter(|switch| switch.ending != Ending::of(all)).collect();
        switches.sort_by_key(|switch| !switch.ending.is_good());
        Ok(switches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::verdict::Phase;

    /// A test case that a fifth pass makes endless; without it, it needs two million steps.
    #[derive(Default)]
    struct Endless {
        /// Limits of the executions that came to no end.
        limits: Vec<Option<u64>>,
    }

    impl CaseRunner for Endless {
        fn run(
            &mut self,
            _: &Case,
            overrides: Vec<CaseOverride>,
        ) -> std::result::Result<Vec<Verdict>, RunError> {
            let verdicts = overrides.iter().map(|one| {
                let passes = one.pass_limits.first().map_or(64, |limit| limit.limit);
                let is_short = passes < 5 && one.step_limit.is_none_or(|limit| limit > 2_000_000);
                if is_short {
                    return Verdict::pass();
                }
                self.limits.push(one.step_limit);
                Verdict::new(Status::Timeout, Phase::Simulate, "too many steps")
            });
            Ok(verdicts.collect())
        }

        fn count(&self) -> usize {
            0
        }
    }

    /// Only the first executions with all passes have the steps of a whole test.
    #[test]
    fn endless_loops_end_early() {
        let case = Case { name: "a".into(), path: "a".into(), generation: Target::SKL };
        let mut runner = Endless::default();
        let found = bisect(&case, &BisectOptions::default(), &mut runner).expect("a bisection");
        assert_eq!(
            found.changes.iter().map(|change| change.after.limit).collect::<Vec<_>>(),
            [Some(5)]
        );
        let (first, others) = runner.limits.split_at(3);
        assert_eq!(first, [None, None, Some(STEP_LIMITS[0])]);
        assert!(others.iter().all(|&limit| limit == Some(MORE_STEPS * STEP_LIMITS[1])));
    }
}
