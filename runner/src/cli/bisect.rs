//! `runner bisect`: search for the compiler pass run that changes the ending of a test.

use std::collections::BTreeMap;

use clap::{Args, ValueEnum};

use super::options::{changed_options, command_options, execute_options};
use super::override_runner::OverrideRunner;
use super::{
    EXPECTED, ExecuteArgs, Generations, NOTHING, SelectArgs, UNEXPECTED, generations, list, print,
    run,
};
use crate::select::TestFile;
use execute::CaseOverride;
use results::names::quoted;
use results::passes::{Application, PassLimit, Scope, highest, names, numbered, stage_word};
use results::verdict::Verdict;
use tools::bisect::search::{self, Change};
use tools::bisect::{
    self, Bisection, Command, Conclusion, Ending, PassChange, Switch, Tried, code_changes,
};
use vocabulary::Generation;

/// Upper limit of passes, used where their number is unknown; no stage that compiles has more.
const MOST_PASSES: u32 = 1 << 16;

/// Options of a run that `runner show` does not have.
const NOT_SHOWN: [&str; 5] = ["math", "shade", "reference", "mock", "binaries"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For terminals.
    Terminal,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct BisectArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generations: a comma list of ivb, hsw, bdw, chv, skl (default: all).
    #[arg(long = "gen", value_name = "LIST", default_value = "all", hide_default_value = true, value_parser = generations)]
    pub(super) generations: Generations,
    /// Fewest passes to try.
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u32,
    /// Most passes to try (default: all).
    #[arg(long, value_name = "N")]
    to: Option<u32>,
    /// Try every limit instead of bisecting, which finds all changes.
    #[arg(long)]
    every: bool,
    /// Do not try single passes and quirks.
    #[arg(long)]
    no_switches: bool,
    /// Format of the findings.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
    /// Concurrent executions (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
}

/// Bisects every selected test case; exit code 0 if a change was found for each.
pub(super) fn bisect(args: &BisectArgs) -> anyhow::Result<u8> {
    let compile = &args.execute.device.compile;
    anyhow::ensure!(
        compile.compiler.is_none() && args.execute.device.binaries.is_none(),
        "only the passes of the compiler in here can be counted: --compiler and --binaries have others"
    );
    anyhow::ensure!(compile.pass_limit.is_empty(), "--from and --to say which limits are tried");
    anyhow::ensure!(args.to.is_none_or(|to| args.from < to), "--from must be less than --to");
    let selection = list::select(&args.select)?;
    let device = execute_options(&args.execute, false)?.device;
    let changed = changed_options(&args.execute, &device);
    let options = command_options(&args.execute, &changed);
    if selection.tests.is_empty() {
        eprintln!("error: no tests are selected");
        return Ok(NOTHING);
    }
    let mut runner = OverrideRunner::start(&args.execute, run::jobs(args.jobs))?;
    let mut all = Vec::new();
    for test in &selection.tests {
        for &generation in &args.generations.0 {
            let mut case = BisectedCase {
                test,
                generation,
                args,
                runner: &mut runner,
                known: BTreeMap::new(),
            };
            let found = case.bisect(&options)?;
            if args.format == Format::Terminal {
                let separator = if all.is_empty() { "" } else { "\n" };
                print(format!("{separator}{}", bisect::terminal(&found)).as_bytes())?;
            }
            all.push(found);
        }
    }
    if args.format == Format::Json {
        print(bisect::json(&all)?.as_bytes())?;
    }
    Ok(if all.iter().all(Bisection::is_found) { EXPECTED } else { UNEXPECTED })
}

/// A test case under examination.
struct BisectedCase<'a> {
    test: &'a TestFile,
    generation: Generation,
    args: &'a BisectArgs,
    runner: &'a mut OverrideRunner,
    /// Verdicts under the limits tried so far.
    known: BTreeMap<u32, Verdict>,
}

/// Returns an override with limits on passes.
fn limited(limits: &[PassLimit]) -> CaseOverride {
    CaseOverride { pass_limits: limits.to_vec(), log_passes: true, ..CaseOverride::default() }
}

impl BisectedCase<'_> {
    fn run(&mut self, overrides: Vec<CaseOverride>) -> anyhow::Result<Vec<Verdict>> {
        self.runner.run(self.test, self.generation, overrides)
    }

    /// Executes the test case under new limits.
    fn learn(&mut self, limits: impl Iterator<Item = u32>) -> anyhow::Result<()> {
        let new: Vec<u32> = limits.filter(|limit| !self.known.contains_key(limit)).collect();
        let overrides = new.iter().map(|&limit| limited(&[PassLimit::all(limit)])).collect();
        let verdicts = self.run(overrides)?;
        self.known.extend(new.into_iter().zip(verdicts));
        Ok(())
    }

    /// Returns the ending under a limit.
    fn ending(&mut self, limit: u32) -> anyhow::Result<Ending> {
        self.learn(std::iter::once(limit))?;
        Ok(self.tried(limit).ending)
    }

    /// Returns the result under a tried limit.
    fn tried(&self, limit: u32) -> Tried {
        let nothing = Verdict::skip("not executed");
        Tried::new(Some(limit), self.known.get(&limit).unwrap_or(&nothing))
    }

    fn bisect(&mut self, options: &[(String, String)]) -> anyhow::Result<Bisection> {
        let first = self.runner.count();
        let (from, to) = (self.args.from, self.args.to);
        let most = || limited(&to.map(PassLimit::all).into_iter().collect::<Vec<_>>());
        let ends = self.run(vec![most(), most(), limited(&[PassLimit::all(from)])])?;
        let [all, again, few] =
            <[Verdict; 3]>::try_from(ends).map_err(|_| anyhow::anyhow!("no verdicts"))?;
        let conclusion = Conclusion::of([&all, &again].map(Ending::of), Ending::of(&few));
        let ran = (!all.passes.is_empty()).then(|| highest(&all.passes));
        let mut found = Bisection {
            test: self.test.name.clone(),
            generation: self.generation.name().to_owned(),
            all: Tried::new(to, &all),
            few: Tried::new(Some(from), &few),
            passes: ran.filter(|_| to.is_none()),
            conclusion,
            changes: Vec::new(),
            every: self.args.every,
            switches: Vec::new(),
            runs: 0,
        };
        if conclusion.is_searched() {
            self.known.insert(from, few);
            let high = self.highest_limit(to.or(ran), Ending::of(&all))?;
            for change in self.search(from, high, Ending::of(&all))? {
                found.changes.push(self.explained(&change, options)?);
            }
        }
        let is_bad = matches!(
            conclusion,
            Conclusion::Broken | Conclusion::Otherwise | Conclusion::NotPasses
        );
        if is_bad && !self.args.no_switches {
            found.switches = self.switches(&all)?;
        }
        found.runs = self.runner.count() - first;
        Ok(found)
    }

    /// Returns a limit that leads to the ending with all passes; a power of two if their number is
    /// unknown.
    fn highest_limit(&mut self, known: Option<u32>, all: Ending) -> anyhow::Result<u32> {
        let mut limit =
            known.filter(|&limit| limit > self.args.from).unwrap_or(64.max(self.args.from * 2));
        while self.ending(limit)? != all {
            limit = limit.max(32) * 2;
            let what = "under no limit that was tried it ends as without one: it does not end the same way every time";
            anyhow::ensure!(
                limit <= MOST_PASSES,
                "{} [{}]: {what}",
                self.test.name,
                self.generation
            );
        }
        Ok(limit)
    }

    fn search(&mut self, from: u32, high: u32, all: Ending) -> anyhow::Result<Vec<Change<Ending>>> {
        let few = self.ending(from)?;
        if !self.args.every {
            return search::changes((from, few), (high, all), |limit| self.ending(limit));
        }
        self.learn(from..=high)?;
        let endings: Vec<Ending> = (from..=high).map(|limit| self.tried(limit).ending).collect();
        Ok(search::all_changes(from, &endings))
    }

    fn explained(
        &mut self,
        change: &Change<Ending>,
        options: &[(String, String)],
    ) -> anyhow::Result<PassChange> {
        let at = change.at;
        let suspects = self.suspects(change)?;
        let (Some(before), Some(after)) = (self.known.get(&(at - 1)), self.known.get(&at)) else {
            anyhow::bail!("a limit beside the change was not tried");
        };
        Ok(PassChange {
            before: self.tried(at - 1),
            after: self.tried(at),
            code: code_changes(&before.stages, &after.stages),
            commands: self.commands(at, &suspects, options),
            suspects,
        })
    }

    /// Returns the pass runs with the number at which the ending changes. If several stages or
    /// widths have one, their limits are raised one after the other until the ending changes.
    fn suspects(&mut self, change: &Change<Ending>) -> anyhow::Result<Vec<Application>> {
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
    fn commands(
        &self,
        at: u32,
        suspects: &[Application],
        options: &[(String, String)],
    ) -> Vec<Command> {
        let path = quoted(&self.test.path.display().to_string());
        let run: String = options.iter().map(|(_, option)| format!(" {option}")).collect();
        let mut commands = Vec::new();
        let mut put = |shows, command| commands.push(Command { shows, command });
        if let Some(Application { scope, pass, .. }) = suspects.first() {
            let shown =
                options.iter().filter(|(name, _)| !NOT_SHOWN.contains(&&**name) && name != "width");
            let mut show = format!("runner show {path} --gen {}", self.generation);
            shown.for_each(|(_, option)| show += &format!(" {option}"));
            show += &format!(" --stage {}", stage_word(scope.stage));
            let width = scope.width.map(|width| width.name().to_owned());
            let given =
                options.iter().find(|(name, _)| name == "width").map(|(_, option)| option.clone());
            let width = width.map(|width| format!("--width {width}")).or(given);
            width.into_iter().for_each(|width| show += &format!(" {width}"));
            let what = if scope.width.is_none() { "ir" } else { "eu" };
            put("before", format!("{show} --pass-limit {} {what}", at - 1));
            put("after", format!("{show} --pass-limit {at} {what}"));
            if scope.width.is_none() {
                put("its last run", format!("{show} --pass-limit {at} ir={pass}"));
            }
            put("all runs", format!("{show} passes"));
        }
        put("the test", format!("runner {path} --gen {}{run} --pass-limit {at}", self.generation));
        commands
    }

    /// Returns the endings without each pass and without the handling of each quirk, where they
    /// differ from the ending with all.
    fn switches(&mut self, all: &Verdict) -> anyhow::Result<Vec<Switch>> {
        let compile = &self.args.execute.device.compile;
        let bound = self.args.to.map(PassLimit::all);
        let case_override =
            || CaseOverride { pass_limits: bound.into_iter().collect(), ..CaseOverride::default() };
        let ran = names(&all.passes);
        let mut options: Vec<(String, CaseOverride)> = Vec::new();
        for pass in compiler::passes::optional() {
            let wanted = ran.is_empty() || ran.contains(pass);
            if wanted && !compile.disable_pass.iter().any(|disabled| disabled == pass) {
                let case_override =
                    CaseOverride { disabled_passes: vec![pass.to_owned()], ..case_override() };
                options.push((format!("--disable-pass {pass}"), case_override));
            }
        }
        for quirk in compiler::Quirk::ALL.iter().map(|quirk| quirk.name()) {
            if !compile.disable_quirk.iter().any(|disabled| disabled == quirk) {
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
