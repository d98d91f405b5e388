//! Bisection over compiler passes: conclusions about one test case, and their report.
//!
//! [`search`] looks for changes between two limits on passes, given a function from limits to
//! endings. [`bisect`] executes the test case under each limit. [`Bisection`] is the report.

mod driver;
mod elsewhere;
mod ending;
mod render;
pub mod search;

pub use driver::{BisectError, BisectOptions, bisect};
pub use elsewhere::{Change, Elsewhere};
pub use ending::Ending;
pub use render::{json, terminal};

use serde::Serialize;

use results::passes::Application;
use results::verdict::{Phase, StageStatistics, Status, Verdict};
use vocabulary::{Stage, Width};

/// The ending of a test case under a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Maximum number of optional passes on each kernel; `None` means no limit.
    pub limit: Option<u32>,
    /// Ending of the test case.
    #[serde(flatten)]
    pub ending: Ending,
    /// Reason; `None` on pass.
    pub reason: Option<String>,
}

impl Tried {
    /// Converts the verdict under a limit.
    pub fn new(limit: Option<u32>, verdict: &Verdict) -> Tried {
        let reason = verdict.cause.as_ref().map(|(_, reason)| reason.clone());
        Tried { limit, ending: Ending::of(verdict), reason }
    }
}

/// The conclusion from the endings with all passes and with few.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Good with few passes, bad with all: a pass breaks something, or reveals something broken.
    Broken,
    /// Bad with few passes, good with all: a pass hides something broken.
    Mended,
    /// Bad in both cases, with different endings.
    Otherwise,
    /// Bad in both cases with the same ending: no optional pass is the cause.
    NotPasses,
    /// Nothing is wrong.
    Good,
    /// The test is skipped.
    Skipped,
    /// The same limit led to two endings.
    Unstable,
}

impl Conclusion {
    /// Returns the conclusion from two endings with all passes and one with few.
    pub fn of(all: [Ending; 2], few: Ending) -> Conclusion {
        let [all, again] = all;
        match (all, few) {
            _ if all != again => Conclusion::Unstable,
            _ if all.status == Status::Skip => Conclusion::Skipped,
            _ if all == few && !all.is_good() => Conclusion::NotPasses,
            _ if all.is_good() && few.is_good() => Conclusion::Good,
            _ if all.is_good() => Conclusion::Mended,
            _ if few.is_good() => Conclusion::Broken,
            _ => Conclusion::Otherwise,
        }
    }

    /// Returns true if there is a change to search for.
    pub fn is_searched(self) -> bool {
        matches!(self, Conclusion::Broken | Conclusion::Mended | Conclusion::Otherwise)
    }

    /// Returns the meaning for the search for a cause.
    pub fn meaning(self, all: Ending) -> &'static str {
        match self {
            Conclusion::Broken => "a pass breaks it, or makes a fault elsewhere show",
            Conclusion::Mended => {
                "it is wrong without passes and right with them: a pass hides the fault"
            }
            Conclusion::Otherwise => "it is wrong without passes too, in another way",
            Conclusion::Good => "it is right with passes and without: there is nothing to look for",
            Conclusion::Skipped => "it is skipped: there is nothing to look for",
            Conclusion::Unstable => {
                "it does not end the same way every time: no search can be trusted"
            }
            Conclusion::NotPasses => match all.phase {
                Some(Phase::Script | Phase::Require | Phase::Frontend | Phase::Link) => {
                    "it ends before any pass runs: the fault is in the front end or the test"
                }
                Some(Phase::Probe) => {
                    "it fails without optional passes too, on the interpreter as well: the fault is in the test or the \
                     front end"
                }
                _ => {
                    "it fails without optional passes too: the fault is in lowering, a required \
                     pass, instruction selection, allocation, an executor or the test"
                }
            },
        }
    }
}

/// A number of passes at which the ending changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassChange {
    /// Ending with one pass less.
    pub before: Tried,
    /// Ending with this number of passes.
    pub after: Tried,
    /// Pass runs with that number that are possible causes: if several stages or widths have one,
    /// only the run that alone causes the change.
    pub suspects: Vec<Application>,
    /// Effects of the runs on the code.
    pub code: Vec<CodeChange>,
    /// Commands that show the effects.
    pub commands: Vec<Command>,
}

/// A command and its purpose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// Purpose of the command.
    pub shows: &'static str,
    /// The command for a shell.
    pub command: String,
}

/// A kernel whose code differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CodeChange {
    /// The stage.
    #[serde(with = "results::stage_name")]
    pub stage: Stage,
    /// The width.
    pub width: Width,
    /// Instructions before; `None` if there was no such kernel.
    pub before: Option<u32>,
    /// Instructions after; `None` if there is no such kernel.
    pub after: Option<u32>,
}

/// Returns the kernels that differ between two executions, in the order of the later one.
pub fn code_changes(before: &[StageStatistics], after: &[StageStatistics]) -> Vec<CodeChange> {
    let same = |a: &StageStatistics, b: &StageStatistics| (a.stage, a.width) == (b.stage, b.width);
    let change = |old: Option<&StageStatistics>, new: Option<&StageStatistics>| {
        let either = new.or(old).filter(|_| old.map(|o| &o.sha) != new.map(|n| &n.sha))?;
        Some(CodeChange {
            stage: either.stage,
            width: either.width,
            before: old.map(|o| o.instructions),
            after: new.map(|n| n.instructions),
        })
    };
    let kept = after.iter().map(|new| (before.iter().find(|old| same(old, new)), Some(new)));
    let removed = before.iter().filter(|old| !after.iter().any(|new| same(old, new)));
    kept.chain(removed.map(|old| (Some(old), None)))
        .filter_map(|(old, new)| change(old, new))
        .collect()
}

/// The ending of the test case without one pass or quirk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Switch {
    /// The option that switches it off.
    pub option: String,
    /// Ending with everything else on.
    #[serde(flatten)]
    pub ending: Ending,
}

/// The findings about one test case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bisection {
    /// Name of the test.
    pub test: String,
    /// Generation.
    #[serde(rename = "gen")]
    pub generation: String,
    /// Ending with the maximum number of passes.
    pub all: Tried,
    /// Ending with the minimum number of passes.
    pub few: Tried,
    /// The highest number of a pass on any kernel, if known.
    pub passes: Option<u32>,
    /// Conclusion from both endings.
    pub conclusion: Conclusion,
    /// Changes of the ending: one, or several if there is a third ending in between; all changes
    /// with `every`.
    pub changes: Vec<PassChange>,
    /// True if every limit was tried.
    pub every: bool,
    /// Single passes and quirks whose absence changes the ending; only for test cases that are bad
    /// with all passes.
    pub switches: Vec<Switch>,
    /// Endings with another executor, in one width and on other generations; only for test cases
    /// that are bad with all passes.
    pub elsewhere: Vec<Elsewhere>,
    /// Places of the fault that follow from them.
    pub places: Vec<String>,
    /// Number of executions.
    pub runs: usize,
}

impl Bisection {
    /// Returns true if a change was found.
    pub fn is_found(&self) -> bool {
        !self.changes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conclusions() {
        let ending = |status, phase| Ending { status, phase };
        let pass = ending(Status::Pass, None);
        let warn = ending(Status::Warn, Some(Phase::Simulate));
        let skip = ending(Status::Skip, Some(Phase::Require));
        let probe = ending(Status::Fail, Some(Phase::Probe));
        let mismatch = ending(Status::Fail, Some(Phase::Mismatch));
        let crash = ending(Status::Crash, Some(Phase::Simulate));
        for (all, few, expected) in [
            (mismatch, pass, Conclusion::Broken),
            (crash, warn, Conclusion::Broken),
            (pass, mismatch, Conclusion::Mended),
            (mismatch, probe, Conclusion::Otherwise),
            (mismatch, crash, Conclusion::Otherwise),
            (probe, probe, Conclusion::NotPasses),
            (crash, crash, Conclusion::NotPasses),
            (pass, pass, Conclusion::Good),
            (pass, warn, Conclusion::Good),
            (skip, skip, Conclusion::Skipped),
        ] {
            let conclusion = Conclusion::of([all, all], few);
            assert_eq!(conclusion, expected, "{all} {few}");
            assert_eq!(
                conclusion.is_searched(),
                !conclusion.meaning(all).contains("fault is in") && {
                    !matches!(expected, Conclusion::Good | Conclusion::Skipped)
                }
            );
        }
        assert_eq!(Conclusion::of([mismatch, pass], pass), Conclusion::Unstable);
        assert_eq!([pass, mismatch].map(|e| e.to_string()), ["pass", "fail, mismatch"]);
    }

    #[test]
    fn code_that_changed() {
        use Stage::{Fragment, Vertex};
        use Width::{Simd8, Simd16};
        let kernel = |stage, width, instructions, sha: &str| StageStatistics {
            instructions,
            sha: sha.into(),
            ..StageStatistics::new(stage, width)
        };
        let before = [kernel(Vertex, Simd8, 4, "a"), kernel(Fragment, Simd8, 9, "b")];
        let after = [
            kernel(Vertex, Simd8, 4, "a"),
            kernel(Fragment, Simd8, 9, "c"),
            kernel(Fragment, Simd16, 7, "d"),
        ];
        let change = |width, before, after| CodeChange { stage: Fragment, width, before, after };
        let [simd8, simd16] = [change(Simd8, Some(9), Some(9)), change(Simd16, None, Some(7))];
        assert_eq!(code_changes(&before, &after), [simd8, simd16]);
        assert_eq!(code_changes(&after, &before), [simd8, change(Simd16, Some(7), None)]);
    }
}
