//! The IR after runs of passes.

use std::sync::Arc;

use anyhow::{Context, bail};
use compiler::listing;
use execute::{SourceTexts, code_text};

use vocabulary::{Stage, nearest};

/// Returns the IR after all passes, or after each run of one pass, with source lines if `sources`
/// gives their texts. `compile` calls its hook after each pass.
pub(super) fn ir_runs(
    stage: Stage,
    pass: Option<&str>,
    sources: Option<&SourceTexts<'_>>,
    compile: impl FnOnce(compiler::Hook<'_>) -> anyhow::Result<Arc<ir::Shader>>,
) -> anyhow::Result<String> {
    let mut runs = String::new();
    let mut count = 0usize;
    let mut known: Vec<&str> = Vec::new();
    let pass = pass.map(compiler::passes::listed);
    let mut hook = |event: ir::PassEvent, shader: &ir::Shader| {
        let name = event.name;
        if !known.contains(&name) {
            known.push(name);
        }
        if pass == Some(name) {
            count += 1;
            let which = event.number.map(|n| format!(" (number {n})")).unwrap_or_default();
            let effect = if event.changed { "" } else { ", no change" };
            runs += &format!("; {stage}: after {name}, run {count}{which}{effect}\n");
            runs += &text(stage, shader, sources);
            runs.push('\n');
        }
    };
    let last = compile(&mut hook).with_context(|| format!("{stage} shader"))?;
    match pass {
        None => Ok(code_text::ir(stage, &text(stage, &last, sources))),
        Some(pass) if count == 0 => {
            let similar = nearest(pass, known.iter().copied());
            bail!(
                "no pass `{pass}` ran on the {stage} shader{} (these did: {})",
                similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default(),
                known.join(", ")
            )
        }
        Some(_) => Ok(runs),
    }
}

fn text(stage: Stage, shader: &ir::Shader, sources: Option<&SourceTexts<'_>>) -> String {
    match sources {
        Some(sources) => code_text::with_lines(&listing::ir(shader), ";", stage, sources),
        None => shader.to_string(),
    }
}
