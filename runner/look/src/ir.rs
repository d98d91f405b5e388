//! The IR of a stage after a run of a pass.

use serde::Serialize;

use crate::code::{Row, rows};
use crate::program::{linked_or_reason, stage_ir};
use compiler::listing;
use execute::{SourceTexts, StageKeys, TestCase};
use vocabulary::Stage;

/// The IR of a stage.
#[derive(Debug, Serialize)]
pub(crate) struct IrLook {
    /// All runs of passes in order; the first one is lowering.
    runs: Vec<PassRun>,
    /// Index of the shown run.
    run: usize,
    rows: Vec<Row>,
}

/// A run of a pass.
#[derive(Debug, Serialize)]
struct PassRun {
    pass: String,
    /// Number among the optional passes, as in `--pass-limit`.
    number: Option<u64>,
    changed: bool,
}

/// Compiles a stage up to the IR after a run.
pub(crate) fn ir(
    text: &[u8],
    stage: Stage,
    wanted: Option<usize>,
    case: &TestCase<'_>,
) -> anyhow::Result<IrLook> {
    let script = script::parse(text)?;
    let program = linked_or_reason(&script, case.target)?;
    anyhow::ensure!(program.stage(stage).is_some(), "there is no {stage} shader");
    let keys = StageKeys::new(&program, &script, case.test, case.target, false);
    let codegen = &case.options.execution.codegen;
    let sources = SourceTexts::new(&script);
    let mut runs: Vec<PassRun> = Vec::new();
    let mut shown: Option<Vec<Row>> = None;
    let mut hook = |event: ir::PassEvent, shader: &ir::Shader| {
        if wanted == Some(runs.len()) {
            shown = Some(rows(listing::ir(shader), stage, &sources));
        }
        let ir::PassEvent { name, number, changed } = event;
        runs.push(PassRun { pass: name.to_owned(), number, changed });
    };
    let of = (stage, keys.get(stage));
    let last = stage_ir(&program, of, case.target, codegen, &mut hook)?;
    let end = runs.len().saturating_sub(1);
    Ok(match (wanted, shown) {
        (Some(run), Some(rows)) => IrLook { runs, run, rows },
        _ => IrLook { runs, run: end, rows: rows(listing::ir(&last), stage, &sources) },
    })
}
