//! Whole shaders that another compiler made for si: `../shared/anchors` beside the workspace.

use std::process::Command;

use amd_isa::{Chip, HardwareStage, Operand, ProgramFacts, assemble, decode_program, validate};
use libtest_mimic::Failed;

use crate::corpus::file;

/// A shader: heading, text of its parts, dwords of its instructions.
struct Shader {
    heading: String,
    text: String,
    words: Vec<u32>,
}

/// The shaders of the archive; `None` without it or without `tar` and `zstd`.
fn shaders() -> Option<Vec<Shader>> {
    let archive = file("radeonsi-shaders-tahiti.tar.zst")?;
    let output = Command::new("tar").args(["--zstd", "-xOf"]).arg(&archive).output().ok();
    let Some(output) = output.filter(|output| output.status.success()) else {
        eprintln!("WARNING: tar or zstd is not installed: whole shaders were not tried");
        return None;
    };
    let mut shaders: Vec<Shader> = Vec::new();
    let mut part = 0;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let heading = heading.to_string();
            shaders.push(Shader { heading, text: String::new(), words: Vec::new() });
        }
        part += usize::from(line.starts_with("# "));
        let Some(shader) = shaders.last_mut().filter(|_| !line.starts_with([';', '#'])) else {
            continue;
        };
        let (text, words) = line.split_once(" ; ").unwrap_or((line, ""));
        // Labels are those of a part; addresses of symbols are not known.
        let text = text.replace(".LBB", "BB").replace("BB", &format!("P{part}_"));
        let symbol = text.split_whitespace().find(|word| is_symbol(word));
        let text = match symbol {
            Some(symbol) => text.replace(symbol.trim_end_matches(','), "lit(0x0)"),
            None => text.clone(),
        };
        shader.text.push_str(&text);
        shader.text.push('\n');
        shader
            .words
            .extend(words.split_whitespace().filter_map(|w| u32::from_str_radix(w, 16).ok()));
    }
    Some(shaders)
}

fn is_symbol(word: &str) -> bool {
    word.contains('@') || word.starts_with("SCRATCH_RSRC")
}

fn stage(heading: &str) -> Option<HardwareStage> {
    Some(match heading {
        _ if heading.ends_with("as ES") => HardwareStage::Es,
        _ if heading.ends_with("as LS") => HardwareStage::Ls,
        _ if heading.ends_with("as VS") || heading.starts_with("GS Copy") => HardwareStage::Vs,
        "Pixel Shader" => HardwareStage::Ps,
        "Compute Shader" => HardwareStage::Cs,
        "Geometry Shader" => HardwareStage::Gs,
        "Tessellation Control Shader" => HardwareStage::Hs,
        _ => return None,
    })
}

/// Their text has their dwords, apart from the distances of jumps, and they obey every rule.
pub(crate) fn valid() -> Result<(), Failed> {
    let Some(shaders) = shaders() else { return Ok(()) };
    let mut failures = Vec::new();
    let mut empty = 0;
    for shader in &shaders {
        if shader.text.trim().is_empty() {
            empty += 1;
            continue;
        }
        let words = assemble(Chip::Si, &shader.text)
            .map_err(|error| format!("{error}\n{}", shader.text))?;
        for located in decode_program(Chip::Si, &words)? {
            let same = words.get(located.offset) == shader.words.get(located.offset);
            let jumps = located.instruction.operands.iter().any(|o| matches!(o, Operand::Jump(_)));
            // The registers that a disabled channel of an export names are not in the text.
            let exports = located.instruction.format == amd_isa::Format::Exp;
            if !same && !jumps && !exports {
                return Err(format!("{}: dword {} differs", shader.heading, located.offset).into());
            }
        }
        let facts = ProgramFacts::largest(stage(&shader.heading));
        let broken = validate(Chip::Si, &facts, &words);
        if let Some(first) = broken.first() {
            failures.push((first.rule, format!("{}: {first}\n{}", shader.heading, shader.text)));
        }
    }
    let count = failures.len();
    println!(
        "{} of {} shaders are valid, {empty} empty",
        shaders.len() - count - empty,
        shaders.len()
    );
    if failures.is_empty() {
        return Ok(());
    }
    let mut rules = std::collections::BTreeMap::new();
    for (rule, text) in failures {
        rules.entry(rule).or_insert_with(|| (0, text)).0 += 1;
    }
    let shown: Vec<String> =
        rules.into_iter().map(|(rule, (n, text))| format!("{n} × {rule}: {text}")).collect();
    Err(format!("{count} shaders are refused:\n{}", shown.join("\n")).into())
}
