//! Bisecting over compiler passes: what a search finds out about one row, and how it is told.
//!
//! [`search`] looks for changes between two limits on passes; it knows nothing but a function from limits to endings.
//! [`Bisection`] is the report. The command executes the row under each limit (`cli::bisect`).

mod render;
pub mod search;

pub use render::{json, terminal};

use std::fmt;

use serde::Serialize;

use results::passes::Application;
use results::verdict::{Phase, StageStatistics, Status, Verdict};

/// How a row ended, as far as two endings are told apart: a message may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Ending {
    /// The status.
    pub status: Status,
    /// The first layer that broke.
    pub layer: Option<Phase>,
}

impl Ending {
    /// The ending of a verdict.
    pub fn of(verdict: &Verdict) -> Ending {
        Ending { status: verdict.status, layer: verdict.cause.as_ref().map(|(layer, _)| *layer) }
    }

    /// Whether nothing is wrong.
    pub fn is_good(self) -> bool {
        matches!(self.status, Status::Pass | Status::Warn)
    }
}

/// `pass`, or `fail, mismatch`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        match self.layer {
            Some(layer) if self.status != Status::Pass => write!(f, ", {layer}"),
            _ => Ok(()),
        }
    }
}

/// What a row came to under a limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tried {
    /// Optional passes on each kernel; `None` is no limit.
    pub limit: Option<u32>,
    /// How it ended.
    #[serde(flatten)]
    pub ending: Ending,
    /// Why; `None` on pass.
    pub reason: Option<String>,
}

impl Tried {
    /// The verdict under a limit.
    pub fn new(limit: Option<u32>, verdict: &Verdict) -> Tried {
        let reason = verdict.cause.as_ref().map(|(_, reason)| reason.clone());
        Tried { limit, ending: Ending::of(verdict), reason }
    }
}

/// What the endings with all passes and with few say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// Good with few passes, bad with all: a pass breaks something, or shows what is broken.
    Broken,
    /// Bad with few passes, good with all: a pass removes what is broken.
    Mended,
    /// Bad both times, each in its own way.
    Otherwise,
    /// Bad both times, in the same way: no optional pass is to blame.
    NotPasses,
    /// Nothing is wrong.
    Good,
    /// The test is skipped.
    Skipped,
    /// The same limit gave two endings.
    Unstable,
}

impl Conclusion {
    /// The conclusion from the endings with all passes, of which there are two, and with few.
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

    /// Whether there is a change to look for.
    pub fn is_searched(self) -> bool {
        matches!(self, Conclusion::Broken | Conclusion::Mended | Conclusion::Otherwise)
    }

    /// What it means for whoever looks for the cause.
    pub fn meaning(self, all: Ending) -> &'static str {
        match self {
            Conclusion::Broken => "a pass breaks it, or makes a fault elsewhere show",
            Conclusion::Mended => "it is wrong without passes and right with them: a pass hides the fault",
            Conclusion::Otherwise => "it is wrong without passes too, in another way",
            Conclusion::Good => "it is right with passes and without: there is nothing to look for",
            Conclusion::Skipped => "it is skipped: there is nothing to look for",
            Conclusion::Unstable => "it does not end the same way every time: no search can be trusted",
            Conclusion::NotPasses => match all.layer {
                Some(Phase::Script | Phase::Require | Phase::Frontend | Phase::Link) => {
                    "it ends before any pass runs: the fault is in the front end or the test"
                }
                Some(Phase::Probe) => {
                    "it fails without optional passes too, on the interpreter as well: the fault is in the test or the \
                     front end"
                }
                _ => {
                    "it fails without optional passes too: the fault is in lowering, instruction selection, \
                     legalisation, allocation, an executor or the test"
                }
            },
        }
    }
}

/// A number of passes at which the ending becomes another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PassChange {
    /// With one pass less.
    pub before: Tried,
    /// With this many.
    pub after: Tried,
    /// The runs of that number, as far as they are not cleared: of a number that several stages or widths have, only
    /// the one whose run alone makes the change.
    pub suspects: Vec<Application>,
    /// What the runs did to the code.
    pub code: Vec<CodeChange>,
    /// Commands to look at it.
    pub commands: Vec<Command>,
}

/// A command with what it shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// What it shows.
    pub shows: &'static str,
    /// For a shell.
    pub command: String,
}

/// A kernel whose code differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CodeChange {
    /// The stage.
    pub stage: String,
    /// The width.
    pub width: String,
    /// Instructions before; `None`: there was no such kernel.
    pub before: Option<u32>,
    /// Instructions after; `None`: there is no such kernel.
    pub after: Option<u32>,
}

/// Kernels that differ between two executions, in the order of the later one's.
pub fn code_changes(before: &[StageStatistics], after: &[StageStatistics]) -> Vec<CodeChange> {
    let same = |a: &StageStatistics, b: &StageStatistics| (&a.stage, &a.width) == (&b.stage, &b.width);
    let change = |old: Option<&StageStatistics>, new: Option<&StageStatistics>| {
        let either = new.or(old).filter(|_| old.map(|o| &o.sha) != new.map(|n| &n.sha))?;
        let (stage, width) = (either.stage.clone(), either.width.clone());
        Some(CodeChange {
            stage,
            width,
            before: old.map(|o| o.instructions),
            after: new.map(|n| n.instructions),
        })
    };
    let kept = after.iter().map(|new| (before.iter().find(|old| same(old, new)), Some(new)));
    let gone = before.iter().filter(|old| !after.iter().any(|new| same(old, new)));
    kept.chain(gone.map(|old| (Some(old), None))).filter_map(|(old, new)| change(old, new)).collect()
}

/// How the row ends without one thing that the compiler does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Switch {
    /// The option that turns it off.
    pub option: String,
    /// How the row ends with all else on.
    #[serde(flatten)]
    pub ending: Ending,
}

/// What was found out about one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bisection {
    /// The test.
    pub test: String,
    /// The generation.
    #[serde(rename = "gen")]
    pub target: String,
    /// With as many passes as the search was allowed.
    pub all: Tried,
    /// With as few.
    pub few: Tried,
    /// The highest number of a pass on any kernel, if the row got so far that it is known.
    pub passes: Option<u32>,
    /// What the two say.
    pub conclusion: Conclusion,
    /// Where the ending changes: one place, and more only if the ending changes to a third one between; with `every`
    /// all places.
    pub changes: Vec<PassChange>,
    /// Whether every limit was tried.
    pub every: bool,
    /// Single passes and quirks without which the row ends otherwise; only of rows that are bad with all passes.
    pub switches: Vec<Switch>,
    /// Executions that it took.
    pub runs: usize,
}

impl Bisection {
    /// Whether a change was found.
    pub fn is_found(&self) -> bool {
        !self.changes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conclusions() {
        let ending = |status, layer| Ending { status, layer };
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
        let kernel = |stage: &str, width: &str, instructions, sha: &str| StageStatistics {
            stage: stage.into(),
            width: width.into(),
            instructions,
            sha: sha.into(),
            ..StageStatistics::default()
        };
        let before = [kernel("vertex", "SIMD8", 4, "a"), kernel("fragment", "SIMD8", 9, "b")];
        let after = [
            kernel("vertex", "SIMD8", 4, "a"),
            kernel("fragment", "SIMD8", 9, "c"),
            kernel("fragment", "SIMD16", 7, "d"),
        ];
        let change = |width: &str, before, after| CodeChange {
            stage: "fragment".into(),
            width: width.into(),
            before,
            after,
        };
        let [simd8, simd16] = [change("SIMD8", Some(9), Some(9)), change("SIMD16", None, Some(7))];
        assert_eq!(code_changes(&before, &after), [simd8.clone(), simd16]);
        assert_eq!(code_changes(&after, &before), [simd8, change("SIMD16", Some(7), None)]);
    }
}
