//! Records of the optional passes that compilations ran.

use compiler::{PassLog, StagePasses};
use results::passes::{PassRun, Scope, ScopePasses};
use vocabulary::Width;

/// Converts the compiler's log of one compilation of a stage.
pub fn scope_passes(passes: &StagePasses) -> Vec<ScopePasses> {
    let list = |width: Option<Width>, before, log: &PassLog| ScopePasses {
        scope: Scope { stage: passes.stage, width },
        before,
        runs: log
            .runs
            .iter()
            .map(|run| PassRun { name: run.name.clone(), changed: run.changed })
            .collect(),
        // A pass that would follow a refused pass on the IR has no number yet.
        refused: log.refused.clone().filter(|_| width.is_none() || passes.ir.refused.is_none()),
    };
    let before = passes.ir.runs.len() as u32;
    let kernels = passes.kernels.iter();
    std::iter::once(list(None, 0, &passes.ir))
        .chain(kernels.map(|(width, log)| list(Some(*width), before, log)))
        .collect()
}
